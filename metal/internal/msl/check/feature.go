package check

import "strings"

// features are the names of Metal that other stages and other libraries than the standard one have, by feature, which is refused.
var features = func() map[string]string {
	m := map[string]string{}
	for feature, names := range map[string]string{
		"ray tracing":                "raytracing intersector",
		"function tables":            "visible_function_table intersection_function_table",
		"mesh functions":             "mesh mesh_grid_properties topology",
		"fragment functions":         "interpolant interpolation",
		"tessellation":               "patch_control_point",
		"imageblocks":                "imageblock imageblock_slice imageblock_layout_implicit imageblock_layout_explicit",
		"pixel types":                "r8unorm r8snorm r16unorm r16snorm rg8unorm rg8snorm rg16unorm rg16snorm rgba8unorm srgba8unorm rgba8snorm rgba16unorm rgba16snorm rgb10a2 rg11b10f rgb9e5",
		"indirect command buffers":   "command_buffer compute_command render_command compute_pipeline_state render_pipeline_state",
		"tensors":                    "tensor tensor_inline tensor_handle tensor_offset dextents extents cooperative_tensor",
		"MetalPerformancePrimitives": "mpp tensor_ops",
		"cube textures":              "texturecube texturecube_array",
		"multisampled textures":      "texture2d_ms texture2d_ms_array",
		"comparison samplers":        "compare_func",
		"borders of samplers":        "border_color",
		"levels of detail":           "lod_clamp bias gradient2d gradient3d gradientcube min_lod_clamp",
		"anisotropic filters":        "max_anisotropy",
		"double":                     "double long·double",
		"long long":                  "long·long unsigned·long·long",
		"tuple":                      "tuple pair make_tuple make_pair",
		"array_ref":                  "array_ref",
	} {
		for name := range strings.FieldsSeq(names) {
			m[strings.ReplaceAll(name, "·", " ")] = feature
		}
	}
	return m
}()

// featureOf returns the refused feature of Metal that a name of its library belongs to, "" if it belongs to none.
func featureOf(lib string) string {
	first, _, _ := strings.Cut(lib, "::")
	if f := features[first]; f != "" {
		return f
	}
	for prefix, f := range refusedPrefixes {
		if strings.HasPrefix(lib, prefix) {
			return f
		}
	}
	return ""
}
