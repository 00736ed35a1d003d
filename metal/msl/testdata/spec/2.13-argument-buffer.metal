// A struct of pointers in a buffer is an argument buffer: what they point to is not bound itself, and arrays of them and structs in it work as any.
#include <metal_stdlib>
using namespace metal;

struct Layer { device const float *w [[id(0)]]; uint n [[id(1)]]; };
struct Args { Layer layers[2]; array<device float *, 2> out; constant float *scale; };

// run k threads=2 0=addr[0]uint[2 0]addr[1]uint[2 0]addr[2 2+8 3] r0=float[1 2] r1=float[10 20] r2=float*4 r3=float[3] -> r2=float[3 6 30 60]
kernel void k(constant Args &a [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    for (uint j = 0; j < 2; j++) {
        if (i < a.layers[j].n) { a.out[j][i] = a.layers[j].w[i] * a.scale[0]; }
    }
}

struct Node { uint value; const device Node *next; };

// run list 0=addr[4] 1=uint*1 r4=uint[1 0]addr[5]uint[2 0]addr[4] r5=uint[4 0]addr[4+16] -> 1=uint[12]
kernel void list(const device Node *const device *first [[buffer(0)]], device uint *sum [[buffer(1)]]) {
    const device Node *n = *first;
    for (uint i = 0; i < 5; i++) { *sum += n->value; n = n->next; }
}

struct Tree { uint n; const device uint *nodes; };

// run each threads=3 0=uint[5 0]addr[0]uint[6 0]addr[0+4]uint[7 0]addr[1] 1=uint*3 r0=uint[10 20] r1=uint[30] -> 1=uint[15 26 37]
kernel void each(const device Tree *t [[buffer(0)]], device uint *o [[buffer(1)]], uint i [[thread_position_in_grid]]) { o[i] = t[i].nodes[0] + t[i].n; }

// run copied 0=addr[0 1] r0=uint[7 8] r1=uint*2 -> r1=uint[8 7]
struct Pair { device uint *from, *to; };
kernel void copied(device Pair &p [[buffer(0)]]) {
    Pair own = p;
    thread Pair *at = &own;
    for (uint i = 0; i < 2; i++) { at->to[1 - i] = at->from[i]; }
}
