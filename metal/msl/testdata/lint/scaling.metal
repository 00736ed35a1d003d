// fast
#include <metal_stdlib>
using namespace metal;

constant float inverse = 1.0f / 3.0f;

kernel void scales(device float* x [[buffer(0)]], device half* h [[buffer(1)]], uint i [[thread_position_in_grid]])
{
    x[i] = x[i] / 1024.0f;          // want 17 scaling a scaling by 0.0009765625 is exact; write x * 0x1p-10f
    x[i] /= 4.0f;                   // want 10 scaling write x * 0.25f
    x[i] = x[i] / -0.5f;            // want 17 scaling write x * -2.0f
    x[i] = x[i] * 0.33333334f;      // want 17 scaling 0.33333334 is 1/3 rounded, so that this product rounds twice where a quotient rounds once; write precise::divide(x, 3.0f)
    x[i] = (1.0f / 7.0f) * x[i];    // want 26 scaling write precise::divide(x, 7.0f)
    x[i] = inverse * x[i];          // want 20 scaling 1/3
    x[i] *= -0.0039215687f;         // want 10 scaling -0.003921569 is 1/-255 rounded
    x[i] *= 1.0f / 10.0f;           // want 10 scaling write precise::divide(x, 10.0f)
    h[i] = h[i] * 0.1111h;          // want 17 scaling write precise::divide(x, 9.0h)
    x[i] = x[i] / 0.001f;           // want 17 scaling 0.001 is 1/1000 rounded, so that this quotient rounds twice where a product rounds once; write x * 1000.0f
    x[i] = x[i] * 0.000977f;        // want 17 scaling 0.000977 is a power of two, 0.0009765625, with digits cut off: the scaling is not exact; write 0x1p-10f
    // Nothing: exact, no reciprocal, a precise division, a coefficient, one in a sum.
    x[i] = x[i] * 0x1p-10f * 0.25f * 3.0f * 0.044715f * 0.999f * 1e6f * 0.1f * 0.01f;
    x[i] = x[i] / 3.0f / 0.7f;
    x[i] = precise::divide(x[i], 1024.0f);
    x[i] = 1.0f + x[i] * (0.5f + x[i] * 0.16666667f);
    x[i] = fma(x[i], 2.5f, -(x[i] * 0.14285715f));
}
