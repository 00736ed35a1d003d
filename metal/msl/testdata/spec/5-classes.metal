// Classes: constructors, methods in address spaces, operators, conversions.
#include <metal_stdlib>
using namespace metal;

class Fixed {
    int raw;

public:
    Fixed(float x) : raw(int(x * 16)) {}
    explicit Fixed(int r, bool) : raw(r) {}
    Fixed operator+(Fixed o) const { return Fixed(raw + o.raw, true); }
    bool operator<(thread const Fixed &o) const { return raw < o.raw; }
    explicit operator float() const { return raw / 16.0f; }
    int bits() const device { return raw; }
};
// run k 0=int[40] 1=float*3 -> 1=float[4 1 40]
kernel void k(device Fixed *x, device float *o) {
    Fixed a = 1.5f, b = a + Fixed(2.5f);
    o[0] = float(b);
    o[1] = a < b;
    o[2] = x->bits();
}
