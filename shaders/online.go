package shaders

import (
	_ "embed"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed online.metal
var onlineSource string

func onlines() []Formula {
	of := func(function string, e *formula.Expr, inputs ...string) Formula {
		f := describe("online.metal", onlineSource, function, e, func(p Program) func(*Runner, model.Launch, Arrays) error {
			return p.rowsBy(float32s, []int{4}, inputs)
		})
		p := f.Program
		p.Options.Headers = Headers()
		return f.Of(p)
	}
	x := rowsOfInput("x")
	return []Formula{
		of("softmax_online", formula.Softmax(x, "n"), "x"),
		of("layer_norm_welford", formula.LayerNorm(x, formula.Vector("gamma"), formula.Vector("beta"), formula.Const(1e-5), "n"), "x", "gamma", "beta"),
	}
}
