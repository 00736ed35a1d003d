package shaders

import (
	_ "embed"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed softmax.metal
var softmaxSource string

// rowsOfInput returns an input of r rows of n numbers.
func rowsOfInput(name string) *formula.Expr { return formula.Matrix(name, "r", "n") }

func softmaxes() []Formula {
	host := func(p Program) func(*Runner, model.Launch, Arrays) error { return p.rows(float32s, []string{"x"}) }
	x := rowsOfInput("x")
	logarithm := describe("softmax.metal", softmaxSource, "log_sum_exp", formula.LogSumExp(x, "n"), host)
	logarithm.Min = oneOf("n")
	return []Formula{describe("softmax.metal", softmaxSource, "softmax", formula.Softmax(x, "n"), host), logarithm}
}
