package mutants_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/oracle"
)

// TestModularFaultsShow: every mutant of residues differs from division, leaves its range, or accepts a modulus that it must not, for
// moduli and operands that it claims.
func TestModularFaultsShow(t *testing.T) {
	names := map[string]bool{}
	for i, m := range mutants.Modulars() {
		require.NoError(t, m.Claim.Check(), m.Name)
		require.False(t, names[m.Name], m.Name)
		names[m.Name] = true
		require.NotEmpty(t, m.Fault)
		found, ok := mutants.FindModular(m.Name)
		require.True(t, ok)
		require.Equal(t, m.Claim, found.Claim)
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		shows := 0
		for range 20_000 {
			q := modulusOf(rng, &m)
			r, err := oracle.NewResidues(&m.Claim, q)
			if err != nil { // of a modulus that is not claimed
				dst := make([]uint64, len(m.Claim.Out))
				if m.Run(q, dst, make([]uint64, len(m.Claim.In))) == nil {
					shows++
				}
				continue
			}
			row := make([]uint64, len(m.Claim.In))
			for k, w := range m.Claim.In {
				limit := ^uint64(0) >> (64 - m.Claim.Bits)
				if w.Range != 0 && q <= limit/w.Range {
					limit = w.Range*q - 1
				}
				if row[k] = limit - min(limit, uint64(rng.IntN(4))); limit < ^uint64(0) && rng.IntN(2) == 0 {
					row[k] = rng.Uint64N(limit + 1)
				}
				if w.Shoup {
					row[k] = quotient(row[k-1], q, m.Claim.Bits)
				}
			}
			if k := len(row) - 1; k > 0 && rng.IntN(4) == 0 && !m.Claim.In[k].Shoup && !m.Claim.In[k].Integer {
				if row[k] = []uint64{row[0], q - row[0]%q, 0, q}[rng.IntN(4)]; m.Claim.In[k].Range < 2 {
					row[k] %= q
				}
			}
			want, claimed, _ := r.Row(row)
			if !claimed {
				continue
			}
			got := make([]uint64, len(want))
			require.NoError(t, m.Run(q, got, row), m.Name)
			if m.Claim.InPlace {
				copy(got, inPlace(row, len(got), func(dst, src []uint64) { require.NoError(t, m.Run(q, dst, src)) }))
			}
			if m.Kills == model.MontIndependent { // whose fault takes another row
				batch := make([]uint64, 2*len(want))
				require.NoError(t, m.Run(q, batch, slices.Concat(row, make([]uint64, len(row)))), m.Name)
				copy(got, batch)
			}
			for k, w := range want {
				if !r.Congruent(k, got[k], w) || r.InRange(k, got[k]) != nil {
					shows++
				}
			}
		}
		// A fault that needs rare operands, or results that come back, is for the laws to find.
		if m.Kills == model.MontClosure || m.Name == "mutants.MontgomeryCarryAlways" || m.Name == "mutants.AcceptsComposite" || m.Name == "mutants.PowerZero" {
			continue
		}
		require.Positive(t, shows, "the fault of %s never shows", m.Name)
	}
	require.GreaterOrEqual(t, len(names), 50)
	_, ok := mutants.FindModular("mutants.Nothing")
	require.False(t, ok)
}

// modulusOf draws a modulus, claimed or not, small ones as often as large ones.
func modulusOf(rng *rand.Rand, m *mutants.Modular) uint64 {
	if only := m.Claim.Moduli.Only; len(only) > 0 {
		return only[rng.IntN(len(only))]
	}
	q := rng.Uint64() >> (64 - m.Claim.Bits) >> rng.IntN(m.Claim.Bits-2)
	if rng.IntN(3) == 0 {
		q = ^uint64(0) >> rng.IntN(64)
	}
	return q
}

// quotient returns ⌊w·2^b/q⌋ for w < q.
func quotient(w, q uint64, b int) uint64 {
	x := new(big.Int).Lsh(new(big.Int).SetUint64(w), uint(b))
	return x.Div(x, new(big.Int).SetUint64(q)).Uint64()
}
