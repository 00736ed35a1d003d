package montgomery_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/montgomery"
)

// TestRecurrences runs each declared recurrence on words and asks for the words of the kernel, bit for bit, and for a bound that is
// within the claimed ranges at the greatest modulus.
func TestRecurrences(t *testing.T) {
	declared := 0
	for _, k := range montgomery.All() {
		c := &k.Claim
		if c.Recurrence == nil {
			continue
		}
		declared++
		rng := rand.New(rand.NewPCG(11, uint64(declared)))
		for _, q := range moduli(c, rng, 4) {
			judge := newTruth(c, q)
			_, err := c.Bounds(q)
			require.NoError(t, err, "%s, q = %d", k.Name, q)
			for range 20 {
				x := row(c, q, judge, rng)
				got := make([]uint64, len(c.Out))
				require.NoError(t, k.Run(q, got, x))
				var operands []uint64
				for i, w := range c.In {
					if !w.Shoup {
						operands = append(operands, x[i])
					}
				}
				want, err := c.Recurrence.Run(q, c.Bits, operands)
				require.NoError(t, err)
				require.Equal(t, want, got, "%s, q = %d, row %d", k.Name, q, x)
			}
		}
	}
	require.Equal(t, 16*4, declared)
}

// TestLimits asks whether the recurrences carry moduli just above the claimed ones: where they do not, the claim is as wide as the
// recurrence can be; the others are listed with the reason.
func TestLimits(t *testing.T) {
	wider := map[string]string{
		"MulSum":      "the sum has no carry up to 0.618·R; Short64 ends at R/2 for its Add",
		"ReduceTwice": "a subtraction of q is right for every q, as long as 2q is more than the words there are",
	}
	for _, k := range montgomery.All() {
		if k.Claim.Recurrence == nil {
			continue
		}
		c := k.Claim
		above := c.Moduli.Max + 2
		c.Moduli.Max = 0
		_, err := c.Bounds(above)
		name := strings.TrimRight(strings.TrimPrefix(k.Name, "montgomery."), "123468")
		if wider[name] != "" {
			require.NoError(t, err, k.Name)
		} else {
			require.Error(t, err, k.Name)
		}
	}
}
