package words

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/word"
)

// TestAlgorithmsLoseInfinities: the published algorithms of double words promise no more of an infinite operand than a word that is not
// finite, as word.SpecialNotFinite says: of 2 and an infinity each of them makes a NaN.
func TestAlgorithmsLoseInfinities(t *testing.T) {
	f := model.Binary32
	two, inf := uint64(0x40000000), f.InfBits()
	seen := 0
	for _, a := range word.Algorithms() {
		if a.Op.X != 2 || a.Op.Complex() || a.Op.Function == word.DotProduct {
			continue
		}
		w := newWalker(f, &word.Claim{Op: a.Op, Algorithm: a.Name}, a)
		for _, row := range [][]uint64{{two, 0, inf, 0}, {inf, 0, two, 0}} {
			if a.Op.Function == word.Root && row[0] == two {
				continue
			}
			out := w.walk(row[:a.Op.In()])
			require.True(t, f.IsNaN(out[0]), "%s of %x is %x", a.Name, row, out)
			seen++
		}
	}
	require.Greater(t, seen, 20)
}
