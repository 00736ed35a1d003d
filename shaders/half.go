package shaders

import (
	_ "embed"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed half.metal
var halfSource string

// halves returns the kernels of binary16 numbers, which compute in binary32.
func halves() []Formula {
	half := func(name string, axes ...string) *formula.Expr {
		return formula.Input(name, formula.Float(model.Binary16), axes...)
	}
	of := func(function string, e *formula.Expr, host func(p Program) func(*Runner, model.Launch, Arrays) error) Formula {
		f := describe("half.metal", halfSource, function, e, host)
		f.Out = formula.Float(model.Binary16)
		return f
	}
	rows := func(inputs ...string) func(p Program) func(*Runner, model.Launch, Arrays) error {
		return func(p Program) func(*Runner, model.Launch, Arrays) error { return p.rows(float16s, inputs) }
	}
	return []Formula{
		of("softmax_half", formula.Softmax(half("x", "r", "n"), "n"), rows("x")),
		of("rms_norm_half", formula.RMSNorm(half("x", "r", "n"), half("gamma", "n"), formula.Const(1e-5), "n"), rows("x", "gamma")),
		of("gelu_half", formula.GELUTanh(half("x", "n")), elements(float16s)),
		inTiles(of("product_half", formula.MatMul(half("a", "m", "k"), half("b", "k", "n"), "k"), tiles(tile)(float16s)), model.Size3{X: tile, Y: tile, Z: 1}),
	}
}
