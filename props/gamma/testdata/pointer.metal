#include <metal_stdlib>
using namespace metal;

struct Arrays { device const float* x; device float* dst; constant uint* count; uint n; };

// Right, and with FAULT wrong: threads write to their neighbours' words.
kernel void scaled(constant Arrays& p [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    if (i < p.n) { p.dst[i] = 2.0f * p.x[i] + float(*p.count); }
#ifdef FAULT
    if (i > 0 && i < p.n) { p.dst[i - 1] += 1.0f; }
#endif
}

struct Parts { array<device const float*, 2> x; device float* y[2]; };

// Right: it reads 4n elements of the second array.
kernel void parts(constant Parts& p [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    for (uint k = 0; k < 2; k++) { p.y[k][i] = p.x[0][i] + p.x[1][4 * i + 3]; }
}

struct Row { device const half* from; device float* to; };

// Right: each thread has a structure.
kernel void rows(device const Row* r [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    for (uint k = 0; k < 8; k++) { r[i].to[k] = float(r[i].from[k]); }
}

struct Node { uint v; device const Node* next; };

// Refused: where the pointers in what is pointed at lead, nobody says.
kernel void list(constant Node& head [[buffer(0)]], device uint* out [[buffer(1)]]) { out[0] = head.next->v; }
