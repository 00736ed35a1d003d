package families

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/props/internal/draw"
)

// TestValue compares numbers of each format with their exact values: all of the short formats, and of the others those at the ends of binades.
func TestValue(t *testing.T) {
	for _, f := range model.Formats() {
		g := NewGenerator(&Recipe{Family: "unit"}, f)
		check := func(b uint64) {
			if !f.IsFinite(b) {
				return
			}
			want, exact := f.Rat(b).Float64()
			require.True(t, exact)
			require.Equal(t, want, g.value(b), "%s %#x", f, b)
			if b == f.SignBit() {
				require.True(t, math.Signbit(g.value(b)))
			}
		}
		if f.Bits() <= 16 {
			for b := range uint64(1) << f.Bits() {
				check(b)
			}
			continue
		}
		rng := draw.Splitmix(1)
		for e := uint64(0); e<<g.Shift <= g.Top; e++ {
			for _, frac := range []uint64{0, 1, rng.Next() & g.Frac, g.Frac} {
				check(e<<g.Shift | frac)
				check(e<<g.Shift | frac | g.Sign)
			}
		}
	}
}
