// Enumerations, scoped ones and with a type.
#include <metal_stdlib>
using namespace metal;

enum Colour { red, green = 5, blue };
enum class Kind : uchar { a = 3, b };
// run k 0=int*4 -> 0=int[6 4 1 1]
kernel void k(device int *o) {
    Colour c = blue;
    Kind d = Kind::b;
    o[0] = c;
    o[1] = int(d);
    o[2] = sizeof(Kind);
    o[3] = d != Kind::a && c > red;
}
