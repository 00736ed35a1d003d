package conforming_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model/formula"
	"gamma/oracle/conforming"
)

// TestHeights: no term of a sum is added more often than its order says, where there is an order of such a height.
func TestHeights(t *testing.T) {
	d := &conforming.Evaluation{Rand: rand.New(rand.NewPCG(1, 1))}
	deeper := func(a, b int) int { return max(a, b) + 1 }
	for _, o := range []formula.Order{{}, formula.Sequential, formula.Pairwise, formula.Blocked(4), formula.Blocked(32), {Block: 8, Log: true}, {Block: 1 << 20, Extra: 1}} {
		for n := range 200 {
			if conforming.Admits(o, n) {
				require.LessOrEqual(t, conforming.Combined(d, o, make([]int, n), deeper, 0), o.Height(n), "%+v, %d terms", o, n)
			}
		}
	}
	require.True(t, conforming.Admits(formula.Blocked(32), 199))
	require.False(t, conforming.Admits(formula.Order{Block: 1 << 20, Extra: 1}, 64))
}
