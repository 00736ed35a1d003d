package shaders

import (
	_ "embed"
	"slices"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed gelu.metal
var geluSource string

func activations() []Formula {
	x := formula.Vector("x")
	elu := formula.Select(formula.Less(formula.Const(0), x), x, formula.Sub(formula.Exp(x), formula.Const(1))) // since Metal has no expm1
	of := func(function string, e *formula.Expr) []Formula {
		return both("gelu.metal", geluSource, function, e, elements)
	}
	return slices.Concat(
		[]Formula{describe("gelu.metal", geluSource, "gelu", formula.GELUTanh(x), elements(float32s))},
		of("silu", formula.SiLU(x)), of("relu", formula.ReLU(x)), of("leaky_relu", formula.LeakyReLU(x, formula.Const(0.01))), of("elu", elu),
		of("sigmoid", formula.Sigmoid(x)), of("tanh", formula.Tanh(x)),
	)
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
