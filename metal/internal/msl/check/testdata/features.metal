#include <metal_stdlib>
#include <metal_raytracing>
using namespace metal;
using namespace metal::raytracing; // ### ^error: not supported: ray tracing
// ------
#include <metal_stdlib>
using namespace metal;
using namespace raytracing; // ### ray tracing
kernel void k(instance_acceleration_structure s [[buffer(0)]], device float* o [[buffer(1)]]) { // ### instance_acceleration_structure is not declared
  intersector<triangle_data, instancing> x;
  intersection_result<triangle_data, instancing> hit = x.intersect(ray(), s);
}
// ------
#include <metal_stdlib>
using namespace metal;
using raytracing::intersector; // ### ray tracing
typedef raytracing::intersector<raytracing::triangle_data>::result_type Hit; // ### ray tracing
struct Payload { float2 at; };
[[intersection(triangle, raytracing::triangle_data)]]
bool hit(ray_data Payload& p [[payload]], float2 c [[barycentric_coord]]) { return c.x > 0; } // ### intersection functions
kernel void k(metal::raytracing::intersection_function_table<raytracing::triangle_data> t [[buffer(1)]], device float* o [[buffer(0)]]) {} // ### ray tracing
kernel void q(device float* o [[buffer(0)]]) {
  raytracing::intersection_query<raytracing::triangle_data> q; // ### ray tracing
}
// ------
#include <metal_stdlib>
using namespace metal;
struct In { float3 p [[attribute(0)]]; float2 uv [[attribute(1)]]; };
struct Out { float4 position [[position]]; float2 uv; float size [[point_size]]; float4 c [[flat]]; };
vertex Out vs(In in [[stage_in]], constant float* m [[buffer(1)]], uint id [[vertex_id]]) { Out o; return o; } // ### vertex functions
fragment float4 fs(Out in [[stage_in]], sampler s [[sampler(0)]]) { return float4(in.uv, 0, 1); } // ### fragment functions
[[vertex]] Out vs2(uint id [[vertex_id]]) { return {}; } // ### vertex functions
[[early_fragment_tests]] fragment void fs2() {} // ### fragment functions
[[patch(quad, 16)]] vertex float4 tv(patch_control_point<In> p [[stage_in]]) { return float4(0); } // ### vertex functions
float pulled(interpolant<float, interpolation::perspective> x) { return x.interpolate_at_center(); } // ### fragment functions
float smoothed(patch_control_point<In> p) { return p[0].p.x; } // ### tessellation
kernel void k(device float* o [[buffer(0)]]) { o[0] = dfdx(o[1]); } // ### fragment functions
// ------
#include <metal_stdlib>
using namespace metal;
struct V { float4 p [[position]]; };
struct Payload { uint a; };
using M = metal::mesh<V, void, 64, 32, topology::triangle>; // ### mesh functions
[[mesh]] void ms(mesh<V, void, 64, 32, topology::triangle> out, const object_data Payload& p [[payload]]) { out.set_primitive_count(1); } // ### mesh functions
[[object, max_total_threads_per_threadgroup(32)]] void os(object_data Payload& p [[payload]], mesh_grid_properties g) {} // ### object functions
// ------
#include <metal_stdlib>
using namespace metal;
struct G { half4 a [[color(0)]]; };
kernel void k(imageblock<G, imageblock_layout_implicit> b, ushort2 t [[thread_position_in_threadgroup]]) { // ### imageblocks
  threadgroup_imageblock G* d = b.data(t);
}
// ------
#include <metal_stdlib>
#include <metal_command_buffer>
using namespace metal;
struct A { command_buffer b [[id(0)]]; }; // ### indirect command buffers
kernel void k(device float* a [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  compute_command c(a, i); // ### indirect command buffers
}
// ------
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
kernel void k(tensor<device half, dextents<int, 2>> a [[buffer(0)]], device float* o [[buffer(1)]]) {} // ### tensors
kernel void m(device float* o [[buffer(1)]]) {
  auto t = metal::tensor<device float, dextents<int, 2>, tensor_inline>(o, dextents<int, 2>(2, 2)); // ### tensors
}
// ------
#include <metal_stdlib>
using namespace metal;
using namespace mpp::tensor_ops; // ### MetalPerformancePrimitives
// ------
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* o [[buffer(1)]]) {
  constexpr auto d = mpp::tensor_ops::matmul2d_descriptor(64, 32, 0, false, false, false); // ### MetalPerformancePrimitives
  mpp::tensor_ops::matmul2d<d, mpp::tensor_ops::execution_simdgroups<4>> op; // d was refused
}
// ------
#include <metal_stdlib>
using namespace metal;
using Fn = float(float);
kernel void j(visible_function_table<Fn> t [[buffer(1)]], device float* o [[buffer(0)]]) { o[0] = t[0](1.0f); } // ### function tables
kernel void k(visible_function_table<float(device float*, uint)> t [[buffer(1)]], device float* o [[buffer(0)]]) {} // ### function tables
template <int N> int value() { return N; }
template <typename T> int cast(T x) { constexpr int n = 3; return value<int(n)>() + value<int(2.5f)>() + value<T(n)>(); }
kernel void l(device int* o [[buffer(0)]]) { o[0] = cast<int>(1); }
// ------
// Names of refused features are free for a source's own.
#include <metal_stdlib>
namespace mine { struct ray { float x; }; template <typename T> struct tensor { T v; }; namespace raytracing { struct intersector { int n; }; } }
struct mesh { int n; };
template <int N> struct extents { int v[N]; };
using namespace mine;
using namespace mine::raytracing;
[[visible]] float twice(float x) { return 2 * x; }
[[stitchable]] float thrice(float x) { return 3 * x; }
kernel void k(device float* o [[buffer(0)]]) {
  ray r = {1.0f};
  tensor<float> t = {2.0f};
  intersector i = {3};
  mesh m = {4};
  extents<2> e = {{5, 6}};
  int topology = 7, pair = 8, command_buffer = 9;
  o[0] = r.x + t.v + i.n + m.n + e.v[1] + topology + pair + command_buffer + twice(1) + thrice(1);
}
