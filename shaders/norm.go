package shaders

import (
	_ "embed"
	"slices"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed norm.metal
var normSource string

func norms() []Formula {
	x, gamma, beta, epsilon := rowsOfInput("x"), formula.Vector("gamma"), formula.Vector("beta"), formula.Const(1e-5)
	return slices.Concat([]Formula{
		describe("norm.metal", normSource, "rms_norm", formula.RMSNorm(formula.Add(x, rowsOfInput("residual")), gamma, epsilon, "n"), func(p Program) func(*Runner, model.Launch, Arrays) error {
			return p.rows(float32s, []string{"x", "residual", "gamma"}, "stream") // which is not copied back
		}),
	},
		both("norm.metal", normSource, "layer_norm_rows", formula.LayerNorm(x, gamma, beta, epsilon, "n"), byRows([]int{1}, "x", "gamma", "beta")),
		both("norm.metal", normSource, "l2_normalize", formula.Div(x, formula.L2Norm(x, "n")), byRows([]int{1}, "x")),
	)
}
