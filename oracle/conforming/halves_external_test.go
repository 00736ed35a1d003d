package conforming_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/conforming"
)

// TestFillIsNoHalf: where halves may be flushed as they are read, those of a look-up may, and a fill that is not stored as a half is what it is.
func TestFillIsNoHalf(t *testing.T) {
	half := formula.Float(model.Binary16)
	x := formula.Input("x", half, "i")
	fill := formula.Const(4.65e-5)
	for _, c := range []struct {
		fill    *formula.Expr
		flushed bool
	}{{fill, false}, {formula.Store(fill, half, formula.OverflowByType), true}} {
		moved := formula.Shift(x, "i", 1, c.fill)
		var seen [2]map[float64]bool
		for i := range seen {
			seen[i] = map[float64]bool{}
		}
		for k := range uint64(200) {
			d := &conforming.Evaluation{
				Claim: formula.Claim{Exactly: true, Flush16: model.Flush{In: true}}.WithDefaults(), Sizes: map[string]int{"i": 2},
				Inputs: func(string) []float64 { return []float64{0x1p-20, 1} }, Rand: rand.New(rand.NewPCG(k, 1)),
			}
			for i, v := range d.Run(formula.Mul(moved, formula.Const(1)), formula.Type{}) {
				seen[i][v] = true
			}
		}
		require.Equal(t, c.flushed, seen[0][0], "the fill")
		require.Equal(t, map[float64]bool{0: true, 0x1p-20: true}, seen[1], "a half")
	}
}
