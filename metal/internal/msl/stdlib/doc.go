// Package stdlib is Metal's standard library as the checker needs it: types by name, conversions, operators,
// functions with their overloads, traits and constants. What it gives are trees of package typed.
//
// Start here: Resolve, then NamedType and Convert.
//
// # Functions
//
// Functions prints the list below with the types that each takes. T is a number or a vector of 2 to 4 of them; overloads are chosen
// as C++ does, so that max(x, 0) of a float x is ambiguous, as it is in Metal, and pow(x, 2) is not. Mathematics is there for half
// and float; those of float stand in precise and fast too. A bfloat converts to float by itself and to no other float, and no function
// takes it, as in Metal.
//
//   - Mathematics: abs acos acosh asin asinh atan atan2 atanh ceil clamp copysign cos cosh cospi divide exp exp10 exp2 fabs fdim
//     floor fma fmax fmax3 fmedian3 fmin fmin3 fmod fract frexp ilogb ldexp log log10 log2 max max3 median3 min min3 mix modf
//     nextafter pow powr rint round rsqrt saturate sign sin sincos sinh sinpi smoothstep sqrt step tan tanh tanpi trunc
//   - Vectors: cross distance distance_squared dot faceforward length length_squared normalize reflect refract
//   - Classification: all any isfinite isinf isnan isnormal isordered isunordered select signbit
//   - Integers to 64 bits: abs absdiff addsat clamp clz ctz extract_bits hadd insert_bits mad24 madhi madsat max max3 median3 min
//     min3 mul24 mulhi popcount reverse_bits rhadd rotate subsat
//   - Bits: as_type
//   - Values that all threads share: make_uniform, which gives its argument
//   - Logging: os_log::log os_log::log_debug os_log::log_info os_log::log_error os_log::log_fault, whose formats the checker knows
//   - Atomics, relaxed: atomic_load_explicit atomic_store_explicit atomic_exchange_explicit atomic_compare_exchange_weak_explicit
//     atomic_fetch_add_explicit atomic_fetch_sub_explicit atomic_fetch_min_explicit atomic_fetch_max_explicit
//     atomic_fetch_and_explicit atomic_fetch_or_explicit atomic_fetch_xor_explicit; atomic_min_explicit and atomic_max_explicit of
//     atomic_ulong
//   - Simdgroups, and the same with quad_: simd_sum simd_product simd_min simd_max simd_and simd_or simd_xor
//     simd_prefix_inclusive_sum simd_prefix_exclusive_sum simd_prefix_inclusive_product simd_prefix_exclusive_product simd_shuffle
//     simd_shuffle_xor simd_shuffle_up simd_shuffle_down simd_shuffle_rotate_up simd_shuffle_rotate_down simd_shuffle_and_fill_up
//     simd_shuffle_and_fill_down simd_broadcast simd_broadcast_first simd_all simd_any simd_ballot simd_is_first
//     simd_active_threads_mask; of a vote simd_vote::any, or its integer by a cast
//   - What INFINITY and NAN stand for: __builtin_inff __builtin_huge_valf __builtin_nanf, whose text the checker leaves out
//   - Order: threadgroup_barrier simdgroup_barrier atomic_thread_fence
//   - What the text of simdgroup matrices asks for: __simdgroup_matrix_place_before
//     __simdgroup_matrix_layout __simd_shuffle_xor, which is not asked whether a lane is active
//
// Matrices, simdgroup matrices, textures and the functions that pack and unpack are not here but in Metal's language, in the folder library of package
// check.
//
// The functions of vectors, and mix, smoothstep, step, sign, median3 and madsat, are functions of one return statement that lowering
// inlines. Each function of the table has a second name, __metal_ and its own, as the headers of Apple's compiler call it: that is not of
// Metal's public language. A dot product adds its products in the order of the elements, and whether it may fuse them is what pragmas and options say
// at the call.
//
// # Refused
//
// Refusals prints them: functions of fragments,
// asynchronous copies, simd_vote::all, and C++'s atomics that Metal lacks. Their errors carry the feature's name.
package stdlib
