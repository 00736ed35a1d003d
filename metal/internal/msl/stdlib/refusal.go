package stdlib

import "strings"

// refusals are the functions that the library knows and refuses, with the feature's name.
var refusals = map[string]string{}

func init() {
	for feature, names := range map[string]string{
		"fragment functions":                         `dfdx dfdy fwidth discard_fragment get_num_samples get_sample_position simd_is_helper_thread`,
		"the size of a simdgroup outside parameters": `__metal_get_simdgroup_size`,
		"asynchronous copies":                        "simdgroup_async_copy simdgroup_future",
	} {
		for name := range strings.FieldsSeq(names) {
			refusals[name] = feature
		}
	}
}
