// What the hardware and the compiler do to floating point. Operands come from memory, so that nothing is folded.
#include <metal_stdlib>
using namespace metal;

// One thread. Reads 16 operands and 64 pairs, writes 16 results and 64 pairs of a quotient and a root.
kernel void probe(device const float* in [[buffer(0)]], device uint* out [[buffer(1)]])
{
    out[0] = as_type<uint>(in[0] + in[1]);
    // 2^-24 is half of the last place of 1+2^-23, which is odd: to even gives 1+2^-22, toward zero leaves it.
    out[1] = as_type<uint>(in[2] + in[1]);
    out[2] = as_type<uint>(in[3] * in[4]);
    out[3] = as_type<uint>(in[5] * in[6]);
    out[4] = as_type<uint>(in[7] * in[8]);
    out[5] = as_type<uint>(in[9] * in[9] - in[10]);
    {
#pragma METAL fp contract(fast)
        float square = in[9] * in[9];
        float rest = square - in[10];
        out[6] = as_type<uint>(rest);
    }
    out[7] = as_type<uint>(fma(in[9], in[9], in[11]));
    for (uint i = 0; i < 64; i++) {
        float a = in[16 + 2 * i];
        float b = in[17 + 2 * i];
        out[16 + 2 * i] = as_type<uint>(a / b);
        out[17 + 2 * i] = as_type<uint>(sqrt(a));
    }
}

// One thread: a subnormal operand, 2^-20, by 2^10, and 2^-14 by 2^-2, whose product is subnormal.
kernel void probe_half(device const uint* in [[buffer(0)]], device uint* out [[buffer(1)]])
{
    half a = as_type<half>(ushort(in[0])), b = as_type<half>(ushort(in[1]));
    half c = as_type<half>(ushort(in[2])), d = as_type<half>(ushort(in[3]));
    out[0] = as_type<ushort>(half(a * b));
    out[1] = as_type<ushort>(half(c * d));
}
