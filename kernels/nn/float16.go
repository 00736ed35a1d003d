package nn

import (
	"gamma/kernels"
	"gamma/model"
	"gamma/model/formula"
)

// Float16 returns kernels whose inputs and results are binary16 numbers: each reads them as binary32, computes as the kernel of All that it is made of, and
// rounds each result once more, as libraries do for GPUs. Their names end in Float16.
func Float16() []Kernel {
	var list []Kernel
	for _, k := range All() {
		switch k.Name {
		case "nn.Softmax", "nn.SoftmaxOnline", "nn.LayerNorm", "nn.LayerNormWelford", "nn.MatMul", "nn.GELU", "nn.SiLU", "nn.RMSNorm",
			"nn.L2Normalize", "nn.ReLU", "nn.LeakyReLU", "nn.Sigmoid", "nn.Tanh", "nn.ELU", "nn.Attention", "nn.AttentionCausal":
			list = append(list, InFloat16(k, kernels.HalfFromFloat32))
		}
	}
	return list
}

// BFloat16 returns kernels whose inputs and results are bfloat16 numbers, made as those of Float16 are. Their names end in BFloat16.
func BFloat16() []Kernel {
	var list []Kernel
	for _, k := range All() {
		if k.Name == "nn.MatMul" || k.Name == "nn.MatMulTiled" {
			list = append(list, InBFloat16(k))
		}
	}
	return list
}

// InFloat16 returns k, whose inputs and results are binary32 numbers, for binary16 numbers, with results rounded by encode: claim and formula are k's, but for
// the formats of what is read and written.
//
// Error:   k's, and that of encode.
// Alias:   k reads copies, so that dst may be an input.
func InFloat16(k Kernel, encode func(v float32) uint16) Kernel {
	return stored(k, "Float16", model.Binary16, kernels.HalfToFloat32, encode)
}

// InBFloat16 is InFloat16 for bfloat16 numbers, with results rounded to nearest.
func InBFloat16(k Kernel) Kernel {
	return stored(k, "BFloat16", model.BFloat16, kernels.BFloatToFloat32, kernels.BFloatFromFloat32)
}

// reading returns e with inputs of type t.
func reading(e *formula.Expr, t formula.Type) *formula.Expr {
	return e.Replace(func(e *formula.Expr) *formula.Expr {
		if n := e.Node(); n.Op == formula.OpInput {
			return formula.Input(n.Name, t, n.Axes...)
		}
		return nil
	})
}

// stored returns k with inputs and results in a format of 16 bits.
func stored(k Kernel, suffix string, f model.Format, decode func(uint16) float32, encode func(float32) uint16) Kernel {
	run := k.Run
	k.Name += suffix
	k.Out = formula.Float(f)
	k.Formula = reading(k.Formula, k.Out)
	k.Run = func(a Arrays) {
		dst := a.Encodings("dst")
		w := &widened{a, make([]float32, len(dst)), decode}
		run(w)
		for i, v := range w.dst {
			dst[i] = encode(v)
		}
	}
	return k
}

// widened is arrays of 16-bit numbers, read as binary32, with a result that is not yet rounded.
type widened struct {
	Arrays
	dst    []float32
	decode func(uint16) float32
}

func (w *widened) Float32(name string) []float32 {
	if name == "dst" {
		return w.dst
	}
	x := w.Encodings(name)
	y := make([]float32, len(x))
	for i, h := range x {
		y[i] = w.decode(h)
	}
	return y
}
