// Integer arithmetic for number-theoretic transforms.
#include <metal_stdlib>
using namespace metal;

// Montgomery multiplication in 64 bits: r·R^-1 mod q.
static inline ulong mont_mul(ulong a, ulong b, ulong q, ulong qinv) {
    ulong lo = a * b;
    ulong hi = mulhi(a, b);
    ulong m = lo * qinv;
    ulong t = mulhi(m, q);
    ulong r = hi - t;
    return hi < t ? r + q : r;
}
inline ulong add_mod(ulong a, ulong b, ulong q) {
    ulong s = a + b;
    return (s >= q || s < a) ? s - q : s;
}
inline ulong sub_mod(ulong a, ulong b, ulong q) { return a >= b ? a - b : a + q - b; }

// With q = 17, qinv = q^-1 mod 2^64 = 0xf0f0f0f0f0f0f0f1 and R = 2^64 = 1 mod 17: a plain product mod 17.
// run mont threads=4 0=ulong[3 16 0 9] 1=ulong[5 16 4 2] 2=ulong*4 -> 2=ulong[15 1 0 1]
kernel void mont(device const ulong *a, device const ulong *b, device ulong *c, uint i [[thread_position_in_grid]]) {
    c[i] = mont_mul(a[i], b[i], 17ul, 0xf0f0f0f0f0f0f0f1ul);
}

// One stage of a decimation in frequency, q = 17, root 4, n = 4.
struct StageParams {
    uint half_size;
    uint n;
    ulong q;
};
// run stage threads=2 0=ulong[1 2 3 4] 1=ulong[1 4] 2=uint[2 4]ulong[17] -> 0=ulong[4 6 15 9]
kernel void stage(device ulong *x [[buffer(0)]], constant ulong *tw [[buffer(1)]], constant StageParams &p [[buffer(2)]],
                  uint gid [[thread_position_in_grid]]) {
    if (gid >= p.n / 2) return;
    uint k = gid % p.half_size;
    uint j = (gid / p.half_size) * 2 * p.half_size + k;
    ulong u = x[j], v = x[j + p.half_size];
    x[j] = add_mod(u, v, p.q);
    x[j + p.half_size] = mont_mul(sub_mod(u, v, p.q), tw[k], p.q, 0xf0f0f0f0f0f0f0f1ul);
}

// 128-bit products from 32-bit pieces, carries by comparison, out-parameters by pointer.
void mul64(ulong a, ulong b, thread ulong *hi, thread ulong *lo) {
    ulong a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
    ulong p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    ulong mid = (p00 >> 32) + (p01 & 0xffffffff) + (p10 & 0xffffffff);
    *lo = (p00 & 0xffffffff) | (mid << 32);
    *hi = p11 + (p01 >> 32) + (p10 >> 32) + (mid >> 32);
}
// run wide threads=2 0=ulong[0xffffffffffffffff 0x123456789abcdef0] 1=ulong[0xffffffffffffffff 16] 2=ulong*4 -> 2=ulong[0xfffffffffffffffe 1 1 0x23456789abcdef00]
kernel void wide(device const ulong *a, device const ulong *b, device ulong *c, uint i [[thread_position_in_grid]]) {
    ulong hi, lo;
    mul64(a[i], b[i], &hi, &lo);
    c[2 * i] = hi == mulhi(a[i], b[i]) ? hi : 0;
    c[2 * i + 1] = lo;
}

// Big integers in arrays of limbs.
struct BigInt {
    array<uint, 4> limbs;
    BigInt operator+(const BigInt o) const {
        BigInt r;
        ulong carry = 0;
        for (uint i = 0; i < 4; i++) {
            ulong t = (ulong)limbs[i] + o.limbs[i] + carry;
            r.limbs[i] = (uint)t;
            carry = t >> 32;
        }
        return r;
    }
    bool operator>=(const BigInt o) const {
        for (int i = 3; i >= 0; i--) {
            if (limbs[i] < o.limbs[i]) return false;
            if (limbs[i] > o.limbs[i]) return true;
        }
        return true;
    }
};
// run bigadd threads=1 0=uint[0xffffffff 0xffffffff 0 7] 1=uint[1 0 0 1] 2=uint*5 -> 2=uint[0 0 1 8 1]
kernel void bigadd(constant BigInt &a, constant BigInt &b, device uint *out) {
    BigInt x = a, y = b;
    BigInt s = x + y;
    for (int i = 0; i < 4; i++) out[i] = s.limbs[i];
    out[4] = s >= x;
}

// Bit functions.
// run bitfun threads=1 0=uint*10 -> 0=uint[31 3 8 0x80000000 0x23456781 5 0xf5 0x7fffffff 3 12]
kernel void bitfun(device uint *out) {
    out[0] = clz(1u);
    out[1] = ctz(8u);
    out[2] = popcount(0xff00u);
    out[3] = reverse_bits(1u);
    out[4] = rotate(0x12345678u, 4u);
    out[5] = extract_bits(0x50u, 4, 4);
    out[6] = insert_bits(0xf0u, 5u, 0, 4);
    out[7] = uint(addsat(0x7ffffff0, 100));
    out[8] = hadd(3u, 4u);
    out[9] = absdiff(-5, 7);
}

// Signed arithmetic, shifts and remainders of C; small integer types and their promotions.
// run small threads=1 0=int*8 -> 0=int[-3 -1 -4 254 -2 65535 44 1]
kernel void small(device int *out) {
    int a = -7;
    out[0] = a / 2;
    out[1] = a % 2;
    out[2] = a >> 1;
    uchar c = 255;
    c--;
    out[3] = c;
    out[4] = char(c);
    ushort s = 0;
    s -= 1;
    out[5] = s;
    uchar d = 200;
    d += 100;
    out[6] = d;
    out[7] = (c << 1) > 255;
}
