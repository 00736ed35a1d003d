#include <metal_stdlib>
using namespace metal;

kernel void residues(device ulong* x [[buffer(0)]], constant ulong& q [[buffer(1)]], constant uint& small [[buffer(2)]],
                     device uint* y [[buffer(3)]], uint i [[thread_position_in_grid]])
{
    ulong a = x[i], b = x[i + 1];
    ulong radix = (0ul - q) % q;
    x[i] = ((mulhi(a, b) % q) * radix + (a * b) % q) % q;  // want 31 partial-product this product of a residue or a high half has up to 128 bits
    x[i] = (a % q) * b % q;                                // want 20 partial-product its upper half is lost before % sees it
    ulong r = a % q;
    ulong p = r * r;                                       // want 17 partial-product below 2^32
    x[i + 1] = (p + 1) % q;
    x[i + 2] = mulhi(a, b) * 3 % q;                        // want 28 partial-product up to 128 bits
    x[i + 3] = (a * x[i + 6]) % q;                         // want 19 partial-product this product of two numbers of 64 bits has up to 128
    ulong w = x[i + 4] * (b + 1);                          // want 24 partial-product unless both are below 2^32
    x[i + 4] = (w + a) % q;
    // Nothing: a half whose other half is taken, too, as above; below 2^64 by the modulus, a hash, a residue alone, another modulus.
    ulong s = small;
    x[i] = (a % s) * (b % s) % s;
    x[i] = (a % 4294967291ul) * (b % 4294967291ul) % 4294967291ul;
    x[i] = (a * 6364136223846793005ul + 1442695040888963407ul) % q;
    x[i] = (a % q) + (b % q) * 3;
    y[i] = (y[i] % small) * (y[i + 1] % small) % small;
    x[i] = ((a % q) >> 32) * (b >> 32) % q;
    ulong row = i / small, wide = x[i + 5];
    x[i] = (row * wide) % q + (ulong(y[i]) / 3 * wide) % q + (a * 3) % q + (a * b) / q + (a * b) % q;
}
