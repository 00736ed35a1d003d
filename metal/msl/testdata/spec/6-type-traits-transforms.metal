// Traits that give types.
#include <metal_stdlib>
using namespace metal;

static_assert(is_same_v<remove_const_t<const int>, int> && is_same_v<remove_reference_t<thread int &>, int>, "remove");
static_assert(is_same_v<make_signed_t<uint>, int> && is_same_v<make_unsigned_t<char>, uchar>, "sign");
static_assert(is_same_v<conditional_t<true, int, float>, int> && is_same_v<conditional<false, int, float>::type, float>, "conditional");
static_assert(is_same_v<make_scalar_t<float4>, float> && is_same_v<remove_extent_t<int[4]>, int> && is_same_v<remove_pointer_t<device int *>, int>, "parts");
static_assert(is_same_v<common_type_t<int, float>, float> && is_same_v<decay_t<int>, int> && is_same_v<remove_cv_t<const volatile int>, int>, "common");
template <typename T> enable_if_t<is_integral_v<T>, int> kind(T) { return 1; }
template <typename T> enable_if_t<!is_integral_v<T>, int> kind(T) { return 2; }
// run k 0=int*2 -> 0=int[1 2]
kernel void k(device int *o) {
    o[0] = kind(3u);
    o[1] = kind(3.0f);
}
