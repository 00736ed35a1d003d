// Functions of the object and mesh stages.
// refused: mesh
#include <metal_stdlib>
using namespace metal;

struct V {
    float4 p [[position]];
};
[[mesh]] void m(mesh<V, void, 3, 1, topology::triangle> out) { out.set_primitive_count(0); }
