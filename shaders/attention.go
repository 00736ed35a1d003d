package shaders

import (
	_ "embed"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed attention.metal
var attentionSource string

// attentions returns the kernels of queries q, t rows of d numbers, keys k, s rows of d, and values v, s rows of e.
func attentions() []Formula {
	of := func(function string, causal bool) Formula {
		q, k, v := formula.Matrix("q", "t", "d"), formula.Matrix("k", "s", "d"), formula.Matrix("v", "s", "e")
		scale := formula.Div(formula.Const(1), formula.Sqrt(formula.Len("d")))
		f := describe("attention.metal", attentionSource, function, formula.Attention(q, k, v, scale, causal), heads)
		f.Min = map[string]int{"s": 1, "d": 1}
		f.Claim.Finite = causal // since the formula multiplies values that are not seen by 0, which is NaN of an infinity
		return f
	}
	return []Formula{of("attention", false), of("attention_causal", true)}
}

// heads makes the Run of an attention.
func heads(p Program) func(*Runner, model.Launch, Arrays) error {
	return func(r *Runner, l model.Launch, a Arrays) error {
		s := a.Size("s")
		l.Groups = model.Size3{X: a.Size("t"), Y: 1, Z: 1}
		return p.compute(float32s, r, l, a, []string{"q", "k", "v"}, []int{4 * s}, Uint(s), Uint(a.Size("d")), Uint(a.Size("e")))
	}
}
