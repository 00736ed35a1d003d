package shaders

import (
	_ "embed"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed scan.metal
var scanSource string

// oneOf says that an axis has an element or more.
func oneOf(axis string) map[string]int { return map[string]int{axis: 1} }

func scans() []Formula {
	x := rowsOfInput("x")
	last := describe("scan.metal", scanSource, "argmax", formula.ArgMax(x, "n"), func(p Program) func(*Runner, model.Launch, Arrays) error {
		return p.rowsBy(positions, []int{1, 1}, []string{"x"})
	})
	last.Out, last.Min = formula.Int(32), oneOf("n")
	return []Formula{
		describe("scan.metal", scanSource, "cumsum", formula.CumSum(x, "n"), func(p Program) func(*Runner, model.Launch, Arrays) error {
			return p.rows(float32s, []string{"x"})
		}),
		last,
	}
}
