package props

import (
	"math"
	"testing"

	"gamma/model/formula"
)

// softmaxFormula is e^(x-max x)/Σ e^(x-max x).
func softmaxFormula() *formula.Expr {
	x := formula.Vector("x")
	e := formula.Exp(formula.Sub(x, formula.Max(x)))
	return formula.Div(e, formula.Sum(e))
}

func softmax(dst, x []float32) {
	m := float32(math.Inf(-1))
	for _, v := range x {
		m = max(m, v)
	}
	s := float32(0)
	for i, v := range x {
		dst[i] = float32(math.Exp(float64(v - m)))
		s += dst[i]
	}
	for i := range dst {
		dst[i] /= s
	}
}

func TestPropSoftmax(t *testing.T) {
	Kernel{Name: "mine.Softmax", Formula: softmaxFormula(), Run: softmax}.Check(t)
}

func TestPropSoftmaxBad(t *testing.T) {
	Kernel{Name: "mine.SoftmaxTail", Formula: softmaxFormula(), Run: func(dst, x []float32) {
		if n := len(x); n > 4 && n%4 != 0 {
			softmax(dst[:n-n%4], x[:n-n%4])
			softmax(dst, x)
			for i := n - n%4; i < n; i++ {
				dst[i] = 0
			}
			return
		}
		softmax(dst, x)
	}}.Check(t)
}
