package shaders

// Published returns the right kernels of "The Correctness Illusion in LLM-Generated GPU Kernels" (arXiv 2606.20128, table 1): for numbers of binary32, and for
// binary16 in the same order. Where Metal has no erf and no expm1, GELU is that by tanh, and ELU has exp(x) - 1.
func Published() (float32s, float16s []Formula) {
	const half = "half.metal#"
	for _, names := range [][2]string{
		{"softmax.metal#softmax", half + "softmax_half"},
		{"online.metal#softmax_online", ""},
		{"norm.metal#layer_norm_rows", ""},
		{"online.metal#layer_norm_welford", ""},
		{"product.metal#product_tiled", half + "product_half"},
		{"gelu.metal#gelu", half + "gelu_half"},
		{"gelu.metal#silu", ""},
		{"norm.metal#rms_norm", half + "rms_norm_half"},
		{"norm.metal#l2_normalize", ""},
		{"gelu.metal#relu", ""},
		{"gelu.metal#leaky_relu", ""},
		{"gelu.metal#sigmoid", ""},
		{"gelu.metal#tanh", ""},
		{"gelu.metal#elu", ""},
		{"attention.metal#attention", ""},
		{"online.metal#attention_causal_online", ""},
	} {
		if names[1] == "" {
			names[1] = names[0] + "_half"
		}
		for i, list := range []*[]Formula{&float32s, &float16s} {
			f, ok := FindFormula("shaders/" + names[i])
			if !ok {
				panic(noFormula(names[i]))
			}
			*list = append(*list, f)
		}
	}
	return float32s, float16s
}
