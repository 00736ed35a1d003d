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
	return []Formula{describe("softmax.metal", softmaxSource, "softmax", formula.Softmax(rowsOfInput("x"), "n"), func(p Program) func(*Runner, model.Launch, Arrays) error {
		return p.rows(float32s, []string{"x"})
	})}
}
