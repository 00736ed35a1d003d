#include <metal_stdlib>
using namespace metal;
struct Leaf { uint n; const device uint* words; };
struct Tree { Leaf leaves[2]; constant float* weights; array<device int*, 3> more; };
struct Local { device float* fine; thread float* p; };
struct Shared { Leaf ok; struct { threadgroup uint* s; } inner[2]; };
kernel void trees(const device Tree* t [[buffer(0)]], constant Leaf& leaf [[buffer(1)]],
                  device uint* o [[buffer(2)]], threadgroup Leaf* own [[threadgroup(0)]], uint i [[thread_position_in_grid]]) {
  own[0] = t[i].leaves[1];
  const device Leaf* next = &t->leaves[0];
  o[i] = t[i].leaves[0].words[i] + leaf.words[0] + *own->words + uint(*t->weights) + uint(*t->more[2]) + next->n;
}
kernel void locals(device Local* l [[buffer(0)]]) {} // ### l holds a thread float\*: pointers in a buffer point into device or constant
kernel void shared(device Shared* s [[buffer(0)]]) {} // ### s holds a threadgroup uint\*
kernel void pointers(device float* device* p [[buffer(0)]]) { *p[1] = 2.0f; }
kernel void array1(array<device float*, 2> p [[buffer(0)]], array<constant Leaf*, 3> q) { p[1][0] = q[2]->words[0]; }
kernel void array2(array<threadgroup float*, 2> p [[threadgroup(0)]]) {} // ### arrays of what is no pointer into device or constant memory
kernel void array3(array<device float*, 2> p [[buffer(0)]], device float* q [[buffer(1)]]) {} // ### buffer 1 is another parameter's already
kernel void array4(array<device float*, 2> p [[buffer(30)]]) {} // ### p has buffers 30 to 31, and the last that there may be is 30
