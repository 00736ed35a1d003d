// Traits of types with values.
#include <metal_stdlib>
using namespace metal;

template <typename T> struct other {};
static_assert(is_integral_v<int> && !is_integral_v<float> && is_floating_point<half>::value && is_arithmetic_v<bool>, "kinds");
static_assert(is_signed_v<short> && is_unsigned_v<ulong> && is_scalar_v<float> && !is_scalar_v<float2> && is_vector_v<float2>, "kinds");
static_assert(is_pointer_v<device int *> && is_array_v<int[3]> && is_void_v<void> && is_class_v<other<int>>, "shapes");
static_assert(is_const_v<const int> && !is_const_v<int> && is_volatile_v<volatile int> && is_lvalue_reference_v<thread int &>, "qualifiers");
static_assert(is_same_v<int, int32_t> && is_base_of_v<other<int>, other<int>> && is_convertible_v<int, float>, "relations");
static_assert(is_fundamental_v<half> && is_enum_v<int> == false, "numbers");
// run k 0=int*1 -> 0=int[1]
kernel void k(device int *o) { *o = 1; }
