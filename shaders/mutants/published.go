package mutants

import "gamma/model"

// Published returns the faulty kernels of "The Correctness Illusion in LLM-Generated GPU Kernels" (arXiv 2606.20128, table 1), each for float and then for half
// numbers.
func Published() (list []Formula) {
	type edit struct{ twin, old, text string }
	const tail = "float((32 - n % 32) % 32"
	both := func(file, function, old, text string) [2]edit {
		twin := "shaders/" + file + ".metal#" + function
		return [2]edit{{twin, old, text}, {twin + "_half", old, text}}
	}
	const half, sum = "shaders/half.metal#", "    s = group_sum(s, part, lane, group, groups)"
	for _, f := range []struct {
		name, fault string
		of          [2]edit
	}{
		{"tail_leak", "lanes beyond the row hold its last element, and are added", [2]edit{
			{"shaders/softmax.metal#softmax", "s += e;", "s += e * (i == n - 1 ? " + tail + " + 1) : 1.0f);"},
			{half + "softmax_half", "s += precise::exp(float(from[i]) - m);", "s += precise::exp(float(from[i]) - m) * (i == n - 1 ? " + tail + " + 1) : 1.0f);"},
		}},
		{"masked_zero", "lanes beyond the row are read as 0 and not as -Inf", [2]edit{
			{"shaders/softmax.metal#softmax", sum + ";\n    for", sum + " + " + tail + ") * precise::exp(-m);\n    for"},
			{half + "softmax_half", sum, sum + " + " + tail + ") * precise::exp(-m)"},
		}},
		{"no_half", "the leading 0.5 is dropped", [2]edit{
			{"shaders/gelu.metal#gelu", "0.5f * v * (1.0f", "v * (1.0f"},
			{half + "gelu_half", "0.5f * v * (1.0f", "v * (1.0f"},
		}},
		{"doubled", "x·sigmoid(2x)", both("gelu", "silu", "precise::exp(-v)", "precise::exp(-(v + v))")},
		{"rms_no_root", "the square root is forgotten", [2]edit{
			{"shaders/norm.metal#rms_norm", "s += h * h;\n    }\n    float scale = rsqrt(", "s += h * h;\n    }\n    float scale = 1.0f / ("},
			{half + "rms_norm_half", "float scale = rsqrt(", "float scale = 1.0f / ("},
		}},
		{"l2_no_root", "the square root is forgotten", both("norm", "l2_normalize", "float norm = precise::sqrt(", "float norm = (")},
		{"slope", "slope 0.1 for 0.01", both("gelu", "leaky_relu", "0.01f * x", "0.1f * x")},
		{"assigns", "acc = for acc +=, from one tile of 8 terms to the next", [2]edit{
			{"shaders/product.metal#product_tiled", "for (uint i = 0; i < min(8u, k - l); i++) {", "s = 0.0f;\n        for (uint i = 0; i < min(8u, k - l); i++) {"},
			{half + "product_half", "for (uint i = 0; i < min(8u, k - l); i++) {", "s = 0.0f;\n        for (uint i = 0; i < min(8u, k - l); i++) {"},
		}},
		{"no_scale", "1/√d is dropped", both("attention", "attention", "1.0f / precise::sqrt(float(d))", "1.0f")},
		{"no_rescaling", "sums are not rescaled after a new greatest score", both("online", "attention_causal_online", "dw_times_dw2(total, power(m, top))", "total")},
	} {
		for _, e := range f.of {
			list = append(list, altered(f.name, e.twin, f.fault, e.old, e.text, laws{model.FormulaEnclosure}, kernelLaws()))
		}
	}
	return list
}
