package shaders

import (
	_ "embed"
	"slices"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed attention.metal
var attentionSource string

// attentionFormula is of queries q, t rows of d numbers, keys k, s rows of d, and values v, s rows of e.
func attentionFormula(causal bool) *formula.Expr {
	scale := formula.Div(formula.Const(1), formula.Sqrt(formula.Len("d")))
	return formula.Attention(formula.Matrix("q", "t", "d"), formula.Matrix("k", "s", "d"), formula.Matrix("v", "s", "e"), scale, causal)
}

func attentions() []Formula {
	host := headsBy(func(_ model.Launch, a Arrays) int { return 4 * a.Size("s") })
	all := slices.Concat(both("attention.metal", attentionSource, "attention", attentionFormula(false), host), both("attention.metal", attentionSource, "attention_causal", attentionFormula(true), host))
	for i := range all {
		all[i].Min = map[string]int{"s": 1, "d": 1}
	}
	return all
}

// headsBy makes the Run of an attention with so many bytes of threadgroup memory.
func headsBy(shared func(l model.Launch, a Arrays) int) func(e element) func(p Program) func(*Runner, model.Launch, Arrays) error {
	return func(e element) func(p Program) func(*Runner, model.Launch, Arrays) error {
		return func(p Program) func(*Runner, model.Launch, Arrays) error {
			return func(r *Runner, l model.Launch, a Arrays) error {
				l.Groups = model.Size3{X: a.Size("t"), Y: 1, Z: 1}
				return p.compute(e, r, l, a, []string{"q", "k", "v"}, []int{shared(l, a)}, Uint(a.Size("s")), Uint(a.Size("d")), Uint(a.Size("e")))
			}
		}
	}
}
