// Each header of the library on its own.
#include <metal_types>
#include <metal_common>
#include <metal_integer>
#include <metal_math>
#include <metal_relational>
#include <metal_geometric>
#include <metal_matrix>
#include <metal_compute>
#include <metal_atomic>
#include <metal_simdgroup>
#include <metal_quadgroup>
#include <metal_pack>
#include <metal_limits>
#include <metal_array>
#include <metal_type_traits>
#include <metal_uniform>
#include <metal_logging>
using namespace metal;
// run k 0=int*1 -> 0=int[1]
kernel void k(device int *o) { *o = metal::numeric_limits<int>::max() == INT_MAX; }
