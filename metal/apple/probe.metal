// The self-test's kernel. Thread (i, op) does operation op on the three words of operands i and writes the bits of the result to
// out[op * n + i]. The operations stand in arms of a switch, so that no product is shared between two of them: a product with two uses
// might not be fused. Threadgroups of any size; no barriers.
#include <metal_stdlib>
using namespace metal;

#ifdef GAMMA_STRICT
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif

struct operands {
    uint a, b, c;
};

kernel void gamma_probe(device const operands *in [[buffer(0)]],
                        device uint *out [[buffer(1)]],
                        constant uint &n [[buffer(2)]],
                        uint2 at [[thread_position_in_grid]])
{
    uint i = at.x;
    uint op = at.y;
    if (i >= n) {
        return;
    }
    float a = as_type<float>(in[i].a);
    float b = as_type<float>(in[i].b);
    float c = as_type<float>(in[i].c);
    uint r = 0;
    switch (op) {
    case 0: { // the witness that something ran, and that loads and stores keep bits
        r = as_type<uint>(a) ^ 0x47616d61u;
        break;
    }
    case 1: {
        r = as_type<uint>(a + b);
        break;
    }
    case 2: {
        r = as_type<uint>(a * b);
        break;
    }
    case 3: {
        r = as_type<uint>(a / b);
        break;
    }
    case 4: {
        r = as_type<uint>(fma(a, b, c));
        break;
    }
    case 5: { // in one statement
        r = as_type<uint>(a * b + c);
        break;
    }
    case 6: { // across two
        float p = a * b;
        float s = p + c;
        r = as_type<uint>(s);
        break;
    }
    case 7: {
        r = as_type<uint>((a + b) + c);
        break;
    }
    case 8: { // the error of a two-sum
        float s = a + b;
        float z = s - a;
        r = as_type<uint>((a - (s - z)) + (b - z));
        break;
    }
    case 9: { // -0 if the sign of a zero is dropped
        r = as_type<uint>(a + 0.0f);
        break;
    }
    case 10: {
        r = a > 0.0f ? 1u : 0u;
        break;
    }
    case 11: {
        r = isnan(a) ? 1u : 0u;
        break;
    }
    case 12: {
        r = isinf(a) ? 1u : 0u;
        break;
    }
    case 13: {
        r = as_type<uint>(sqrt(a));
        break;
    }
    case 14: { // binary16
        half x = as_type<half>(ushort(in[i].a & 0xffffu));
        half y = as_type<half>(ushort(in[i].b & 0xffffu));
        half z = x * y;
        r = uint(as_type<ushort>(z));
        break;
    }
    case 15: { // bfloat16, which came with version 3.1 of the language
#if __METAL_VERSION__ >= 310
        bfloat x = as_type<bfloat>(ushort(in[i].a & 0xffffu));
        bfloat y = as_type<bfloat>(ushort(in[i].b & 0xffffu));
        bfloat z = x * y;
        r = uint(as_type<ushort>(z));
#else
        r = 0xffffffffu;
#endif
        break;
    }
    }
    out[op * n + i] = r;
}
