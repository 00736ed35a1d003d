package mutants

import (
	"math"
	"slices"

	"gamma/kernels"
	"gamma/kernels/nn"
)

// narrowed returns mutants of the kernels of binary16 and bfloat16 numbers: those with a fault of the kernel in binary32 whose effect a result of so few bits
// still shows, and those that round to another format or in another way.
func narrowed() []Formula {
	var all []Formula
	add := func(m Formula, encode func(v float32) uint16) {
		all = append(all, Formula{Kernel: nn.InFloat16(m.Kernel, encode), Of: m.Of + "Float16", Fault: m.Fault})
	}
	for _, m := range slices.Concat(activations(), softmaxes(), norms(), scaledNorms(), matrices(), attentions()) {
		switch m.Kernel.Name[len("mutants."):] {
		case "SoftmaxTailLeak", "SoftmaxMaskedZero", "GELUNoHalf", "SiLUDoubled", "RMSNormNoRoot", "L2NormalizeNoRoot", "LeakyReLUSlope", "MatMulAssigns",
			"AttentionNoScale", "AttentionCausalNoRescale",
			"SoftmaxHalfSum", "SoftmaxNoMax", "MatMulHalfSum", "LayerNormOnePass", "LayerNormEpsilonOutside", "RMSNormPartialGroup":
			add(m, kernels.HalfFromFloat32)
		}
	}
	for _, m := range matrices() {
		switch m.Kernel.Name[len("mutants."):] {
		case "MatMulTileDropped", "MatMulTileDoubled", "MatMulBFloatSum":
			all = append(all, Formula{Kernel: nn.InBFloat16(m.Kernel), Of: m.Of + "BFloat16", Fault: m.Fault})
		}
	}
	for _, right := range []string{"Softmax", "RMSNorm", "GELU", "MatMul"} {
		for _, f := range []struct {
			name, fault string
			encode      func(v float32) uint16
		}{
			{"Truncates", "results are rounded toward zero", truncatedHalf},
			{"Flushes", "subnormal results become 0", func(v float32) uint16 {
				if h := kernels.HalfFromFloat32(v); h&0x7c00 != 0 {
					return h
				}
				return 0
			}},
			{"AsBFloat", "results are encoded as bfloat16", kernels.BFloatFromFloat32},
		} {
			k, _ := nn.Find("nn." + right)
			add(of(right, f.name, f.fault, k.Run), f.encode)
		}
	}
	return all
}

// truncatedHalf returns v rounded to binary16, toward zero.
func truncatedHalf(v float32) uint16 {
	h := kernels.HalfFromFloat32(v)
	if w := kernels.HalfToFloat32(h); math.Abs(float64(w)) > math.Abs(float64(v)) {
		h--
	}
	return h
}
