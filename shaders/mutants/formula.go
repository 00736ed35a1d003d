package mutants

import (
	"strings"

	"gamma/model"
	"gamma/shaders"
)

// Formula is a kernel of a formula with one fault.
type Formula struct {
	Formula shaders.Formula
	Twin    string // the name of the sound kernel in package shaders
	Fault   string // what is wrong, as the source says
	// Kills and Survives are as in Mutant.
	Kills, Survives []model.LawID
}

// Formulas returns every mutant of a kernel of a formula.
func Formulas() []Formula {
	const (
		softmax, rms, layer = "shaders/softmax.metal#softmax", "shaders/norm.metal#rms_norm", "shaders/norm.metal#layer_norm_rows"
		gelu, product       = "shaders/gelu.metal#gelu", "shaders/product.metal#product_tiled"
		half, trig          = "shaders/half.metal#", "shaders/trig.metal#"
		e4m3, naive         = "shaders/quantised.metal#rms_norm_e4m3", "shaders/product.metal#product_naive"
	)
	value, race := laws{model.FormulaEnclosure}, laws{model.KernelRace}
	safe := kernelLaws()
	return append([]Formula{
		described("softmax_tail", softmax, value, safe),
		described("softmax_no_maximum", softmax, value, safe),
		described("softmax_no_barrier", softmax, race, laws{model.KernelBounds, model.KernelBarrier}),
		described("softmax_slot", softmax, race, kernelLaws(model.KernelRace)),
		described("online_no_rescale", "shaders/online.metal#softmax_online", value, safe),
		described("welford_old_mean", "shaders/online.metal#layer_norm_welford", value, safe),
		described("rms_partial_simdgroup", rms, value, safe),
		described("rms_epsilon_outside", rms, value, safe),
		described("rms_no_residual", rms, value, safe),
		described("layer_one_pass", layer, value, safe),
		described("gelu_no_half", gelu, value, safe),
		described("gelu_no_guard", gelu, laws{model.KernelBounds}, laws{model.FormulaEnclosure, model.KernelRace, model.KernelBarrier}),
		described("silu_double", "shaders/gelu.metal#silu", value, safe),
		described("lse_own_maximum", "shaders/softmax.metal#log_sum_exp", value, safe),
		described("argmax_last_tie", "shaders/scan.metal#argmax", laws{model.FormulaEnclosure, model.FormulaExact}, safe),
		described("cumsum_one_carry", "shaders/scan.metal#cumsum", value, safe),
		described("cumsum_no_barrier", "shaders/scan.metal#cumsum", race, kernelLaws(model.KernelRace)),
		described("product_dropped_tile", product, laws{model.FormulaEnclosure, model.FormulaExact}, safe),
		described("product_no_barrier", product, race, kernelLaws(model.KernelRace)),
		described("product_split_end", "shaders/product.metal#product_split_k", laws{model.FormulaEnclosure, model.FormulaExact}, safe),
		described("int8_short_sum", "shaders/quantised.metal#product_int8", laws{model.FormulaEnclosure, model.FormulaExact}, safe),
		described("attention_no_scale", "shaders/attention.metal#attention", value, safe),
		described("attention_next_key", "shaders/attention.metal#attention_causal", value, safe),
		described("softmax_half_sum", half+"softmax_half", value, safe),
		described("rms_half_square", half+"rms_norm_half", value, safe),
		described("gelu_half_inside", half+"gelu_half", value, safe),
		described("product_half_sum", half+"product_half", value, safe),
		described("conv_conjugate", "shaders/conv.metal#spectrum_product", value, safe),
		described("conv_scale_real", "shaders/conv.metal#spectrum_product", value, safe),
		described("conv_twice_rounded", "shaders/conv.metal#spectrum_product_extended", laws{model.PipelineOneRounding}, safe),
		described("conv_bias_after", "shaders/conv.metal#bias_gate", value, safe),
		described("conv_taps_cross", "shaders/conv.metal#depthwise3", value, safe),
		described("conv_taps_order", "shaders/conv.metal#depthwise3", value, safe),
		described("trig_seed_decimals", trig+"sine", value, safe),
		described("trig_wrong_quadrant", trig+"cosine", value, safe),
		described("trig_no_payne_hanek", trig+"sine", value, safe),
		described("trig_half_up", trig+"sine", laws{model.FormulaSymmetry}, append(kernelLaws(), model.FormulaEnclosure, model.FormulaSpecial)),
		described("trig_dropped_sign", trig+"sine", laws{model.FormulaEnclosure, model.FormulaSymmetry}, safe),
		described("trig_rounded_product", trig+"sine_half_turns", value, safe),
		described("trig_narrow_window", trig+"sine", value, safe),
		altered("online_mask_after", "shaders/online.metal#attention_causal_online", "The mask is one key late.", "min(i + 1, s)", "min(i + 2, s)", value, safe),
		altered("online_no_rescaling", "shaders/online.metal#attention_causal_online", "Sums are not rescaled after a new greatest score.",
			"dw_times_dw2(total, power(m, top))", "total", value, safe),
		altered("e4m3_truncates", e4m3, "Quotients are cut off, not rounded.", "(b + 0x7ffff + (b >> 20 & 1) - (120 << 23))", "(b - (120 << 23))", value, safe),
		altered("e4m3_greatest_240", e4m3, "The greatest number is taken to be 240.", "/ 448.0f", "/ 240.0f", value, safe),
		altered("product_naive_last", naive, "The last product is left out.", "l < k; l++", "l + 1 < k; l++", laws{model.FormulaEnclosure, model.FormulaExact}, safe),
		altered("e4m3_subnormal", e4m3, "Numbers below 2^-6 become 0.", "uint(rint(as_type<float>(b) * 512.0f))", "0", value, safe),
		altered("e4m3_no_gamma", e4m3, "The scale is that of the row before gamma.", "fabs(from[i] * root * gamma[i])", "fabs(from[i] * root)", value, safe),
		altered("e4m3_own_maximum", e4m3, "Each thread scales by the greatest of its own numbers.", "group_max(top, part, lane, group, groups)", "top", value, safe),
		altered("e4m3_sign", e4m3, "The sign is lost.", "b >> 24 & 0x80", "0", value, safe),
		altered("e4m3_no_mean", e4m3, "The sum of squares is not divided by n.", "/ float(n) + 1e-5f", "+ 1e-5f", value, safe),
		altered("product_naive_row", naive, "Rows of a are n numbers apart.", "a[at / n * k + l]", "a[at / n * n + l]", laws{model.FormulaEnclosure, model.FormulaExact}, kernelLaws(model.KernelBounds)),
		altered("product_naive_column", naive, "b is read by rows.", "b[l * n + at % n]", "b[at % n * k + l]", laws{model.FormulaEnclosure, model.FormulaExact}, safe),
		altered("product_naive_half", naive, "Sums are held in half.", "float s = 0.0f;\n        for", "half s = 0.0h;\n        for", value, safe),
		altered("product_naive_guard", naive, "The last threadgroup's threads beyond the result write, too.", "at < m * n", "true", laws{model.KernelBounds}, kernelLaws(model.KernelBounds)),
		altered("product_naive_next", naive, "Each sum begins with what the result held.", "float s = 0.0f;\n        for", "float s = dst[at];\n        for", laws{model.KernelInit}, kernelLaws(model.KernelInit)),
		altered("matrix_half_sum", "shaders/simdgroup.metal#product_simdgroup_half", "Sums are rounded to half after each 8 columns of a.", "q, sum);",
			"q, sum);\n        sum.thread_elements()[0] = float(T(sum.thread_elements()[0]));\n        sum.thread_elements()[1] = float(T(sum.thread_elements()[1]));", value, safe),
		altered("matrix_half_tail", "shaders/simdgroup.metal#product_simdgroup_half", "The last columns of a, fewer than 8, are left out.", "l < k; l += 8", "l + 8 <= k; l += 8", laws{model.FormulaEnclosure, model.FormulaExact}, safe),
		described("product_last_column", product, laws{model.KernelInit}, kernelLaws(model.KernelInit)),
	}, libraries()...)
}

// FindFormula returns the mutant whose kernel is called name, and ok = false if there is none.
func FindFormula(name string) (f Formula, ok bool) {
	for _, f := range Formulas() {
		if f.Formula.Name == name {
			return f, true
		}
	}
	return Formula{}, false
}

// altered returns the mutant of a kernel of package shaders in whose source one piece of text is another.
func altered(name, twin, fault, old, text string, kills, survives laws) Formula {
	f, ok := shaders.FindFormula(twin)
	if !ok {
		panic(noTwin(name, twin))
	}
	if n := strings.Count(f.Source, old); n != 1 {
		panic(notOnce(name, old, n))
	}
	f = f.Of(shaders.Program{
		Name: "shaders/mutants/" + name + "#" + f.Function, Source: strings.Replace(f.Source, old, text, 1), Function: f.Function, Options: f.Options,
	})
	return Formula{Formula: f, Twin: twin, Fault: fault, Kills: kills, Survives: survives}
}

// described returns the mutant of a kernel of package shaders by the function of name.metal, with the twin's claim.
func described(name, twin string, kills, survives laws) Formula {
	f, ok := shaders.FindFormula(twin)
	if !ok {
		panic(noTwin(name, twin))
	}
	text, err := sources.ReadFile(name + ".metal")
	if err != nil {
		panic(noSource(name, err))
	}
	f = f.Of(shaders.Program{Name: "shaders/mutants/" + name + ".metal#" + f.Function, Source: string(text), Function: f.Function, Options: f.Options})
	return Formula{Formula: f, Twin: twin, Fault: fault(string(text)), Kills: kills, Survives: survives}
}
