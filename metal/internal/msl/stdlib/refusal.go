package stdlib

import "strings"

// refusals are the functions that the library knows and refuses, with the feature's name.
var refusals = map[string]string{}

func init() {
	for feature, names := range map[string]string{
		"packing functions": `pack_float_to_snorm4x8 pack_float_to_unorm4x8 pack_float_to_snorm2x16 pack_float_to_unorm2x16
			pack_float_to_unorm10a2 pack_float_to_unorm565 pack_float_to_srgb_unorm4x8 pack_half_to_snorm4x8 pack_half_to_unorm4x8
			pack_half_to_snorm2x16 pack_half_to_unorm2x16 pack_half_to_unorm10a2 pack_half_to_unorm565 pack_half_to_srgb_unorm4x8
			unpack_snorm4x8_to_float unpack_unorm4x8_to_float unpack_snorm2x16_to_float unpack_unorm2x16_to_float
			unpack_unorm10a2_to_float unpack_unorm565_to_float unpack_unorm4x8_srgb_to_float unpack_snorm4x8_to_half
			unpack_unorm4x8_to_half unpack_snorm2x16_to_half unpack_unorm2x16_to_half unpack_unorm10a2_to_half
			unpack_unorm565_to_half unpack_unorm4x8_srgb_to_half`,
		"fragment functions":                         `dfdx dfdy fwidth discard_fragment get_num_samples get_sample_position simd_is_helper_thread`,
		"the size of a simdgroup outside parameters": `__metal_get_simdgroup_size`,
		"asynchronous copies":                        "simdgroup_async_copy simdgroup_future",
	} {
		for name := range strings.FieldsSeq(names) {
			refusals[name] = feature
		}
	}
}
