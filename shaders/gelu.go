package shaders

import (
	_ "embed"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed gelu.metal
var geluSource string

func activations() []Formula {
	x := formula.Vector("x")
	return []Formula{
		describe("gelu.metal", geluSource, "gelu", formula.GELUTanh(x), elements(float32s)),
		describe("gelu.metal", geluSource, "silu", formula.SiLU(x), elements(float32s)),
	}
}

// elements makes the Run of a shader that takes the arguments of gelu.
func elements(e element) func(p Program) func(r *Runner, l model.Launch, a Arrays) error {
	return func(p Program) func(r *Runner, l model.Launch, a Arrays) error {
		return func(r *Runner, l model.Launch, a Arrays) error {
			n := a.Size("n")
			l.Groups = model.Size3{X: (n + l.Threads.X - 1) / l.Threads.X, Y: 1, Z: 1}
			return p.compute(e, r, l, a, []string{"x"}, nil, Uint(n))
		}
	}
}
