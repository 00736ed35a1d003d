#include <metal_stdlib>
using namespace metal;
// big-int, field arithmetic
namespace goldilocks {
constant ulong P = 0xffffffff00000001;
constant constexpr uint32_t EPS = 0xffffffffu;
class Fp {
public:
    Fp() = default;
    constexpr Fp(ulong v) : inner(v) {}
    constexpr explicit operator ulong() const { return inner; }
    Fp operator+(const Fp rhs) const { ulong r = inner + rhs.inner; return Fp(r >= P || r < inner ? r - P : r); }
    Fp operator*(const Fp rhs) const { ulong lo = inner * rhs.inner, hi = mulhi(inner, rhs.inner); return reduce(lo, hi); }
    void operator+=(const Fp rhs) { *this = *this + rhs; }
    static Fp zero() { return Fp(0); }
    Fp pow(unsigned exp) const { Fp r = Fp(1); Fp b = *this; while (exp > 0) { if (exp & 1) { r = r * b; } exp >>= 1; b = b * b; } return r; }
    inline bool operator==(const Fp o) const thread { return inner == o.inner; }
private:
    static Fp reduce(ulong lo, ulong hi) { uint hh = hi >> 32; uint hl = (uint)hi; ulong t = lo - hh; if (lo < hh) t -= EPS; return Fp(t + hl * (ulong)EPS); }
    ulong inner;
};
}
typedef goldilocks::Fp Fp;
template <uint32_t NUM_LIMBS>
struct UnsignedInteger {
    metal::array<uint32_t, NUM_LIMBS> m_limbs;
    constexpr UnsignedInteger() = default;
    constexpr static UnsignedInteger from_int(uint32_t n) { UnsignedInteger res; res.m_limbs = {}; res.m_limbs[NUM_LIMBS - 1] = n; return res; }
    constexpr UnsignedInteger operator+(const UnsignedInteger rhs) const {
        metal::array<uint32_t, NUM_LIMBS> limbs {};
        ulong carry = 0; int i = NUM_LIMBS;
        while (i > 0) { ulong c = ulong(m_limbs[i - 1]) + ulong(rhs.m_limbs[i - 1]) + carry; limbs[i - 1] = c & 0xFFFFFFFF; carry = c >> 32; i -= 1; }
        UnsignedInteger<NUM_LIMBS> res {limbs};
        return res;
    }
    constexpr UnsignedInteger operator+=(const UnsignedInteger rhs) { *this = *this + rhs; return *this; }
    constexpr bool operator>(const UnsignedInteger rhs) const { for (uint32_t i = 0; i < NUM_LIMBS; i++) { if (m_limbs[i] > rhs.m_limbs[i]) return true; if (m_limbs[i] < rhs.m_limbs[i]) return false; } return false; }
    constexpr UnsignedInteger operator-() const { return *this; }
};
typedef UnsignedInteger<8> u256;
constant u256 N = { {{ 811880050u, 3778125865u, 3092268470u, 2172737629u, 674490440u, 2042196113u, 1138881939u, 4026531841u }} };
constant uint64_t RC[2] = {0x1, 0x2};
struct big_int { array<uint, 4> limbs; };
constexpr constant big_int ONE = {1, 0, 0, 0};
big_int add(big_int a, big_int b) { big_int r; for (int i = 0; i < 4; ++i) r.limbs[i] = a.limbs[i] + b.limbs[i]; return r; }
[[kernel]] void radix2(device Fp *input [[buffer(0)]], constant Fp *tw [[buffer(1)]], device u256 *o [[buffer(2)]], uint32_t group [[threadgroup_position_in_grid]], uint32_t pos [[thread_position_in_threadgroup]], constant uint &n) {
    Fp a = input[pos];
    Fp w = tw[group]; Fp b = w * input[pos + 1];
    Fp x = input[2]; x += b;
    input[pos] = a + b;
    u256 z = o[0]; z = z + N;
    z += u256::from_int(3);
    if (z > N) o[1] = -z;
    o[2] = u256::from_int(n);
    threadgroup ulong sh[64];
    sh[0] = ulong(a.pow(3u));
    const big_int q = add(ONE, {1, 2, 3, 4});
    constant uint64_t *rc = RC;
    thread ulong st[25];
    for (int r = 0; r < 2; ++r) st[r] ^= rc[r];
    if ((a + b) == Fp::zero()) return;
    bool less = a == b ? true : false;
    uint32_t t = uint32_t(n) * 3u;
}
