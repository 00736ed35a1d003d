package formula_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model/formula"
)

func softmax() *formula.Expr {
	x := formula.Vector("x")
	e := formula.Exp(formula.Sub(x, formula.Max(x)))
	return formula.Div(e, formula.Sum(e))
}

func TestPrint(t *testing.T) {
	require.Equal(t, "x binary32[n]\nt1 = exp(sub(x, max(x, n)))\nresult div(t1, sum(t1, n))\n", formula.Print(softmax()))
	require.Equal(t, "t1 = exp(sub(x, max(x, n))); div(t1, sum(t1, n))", softmax().String())
}
