package props

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/montgomery"
	"gamma/model"
	"gamma/model/modular"
	"gamma/props/internal/engine"
	"gamma/props/internal/residues"
)

// TestModularExhaustively holds mont.value, mont.range, mont.identity and mont.constants, as they are judged, to every row of the kernels
// of 8-bit words with at most two operands, all odd moduli, all a, b; at level thorough the even ones and powers too. None may fail, and
// truth by division is no kernel's.
func TestModularExhaustively(t *testing.T) {
	set, err := engine.ReadSettings()
	require.NoError(t, err)
	rows := 0
	for _, k := range montgomery.All() {
		c := &k.Claim
		if c.Bits != 8 || len(c.In) > 2 || len(c.Moduli.Only) > 0 {
			continue
		}
		slow := c.Function == modular.Power || c.Function == modular.Wide || len(c.In) == 2 && c.In[0].Range == 0 || c.Moduli.Even
		p, err := Modular{Name: k.Name, Claim: k.Claim, Run: k.Run}.Subject()
		require.NoError(t, err)
		trial := residues.NewModularTrial(p)
		var laws []ModularLaw
		for _, id := range []model.LawID{model.MontValue, model.MontRange, model.MontConstants, model.MontIdentity} {
			l := modularLaw(t, id)
			if p.Applies(&l) == "" {
				laws = append(laws, l)
			}
		}
		for q := uint64(2); q < 256; q++ {
			if residues.Admitted(c, q) != nil || slow && !set.Thorough && q > 17 && q != 127 && q != 251 && q != 255 {
				continue
			}
			limit := [2]uint64{1, 1}
			for i := range c.In {
				if limit[i] = 256; c.In[i].Range != 0 {
					limit[i] = min(256, c.In[i].Range*q)
				}
			}
			var in []uint64
			n := 0
			for a := range limit[0] {
				for b := range limit[1] {
					if c.Function == modular.Inverse && gcd(a, q) != 1 {
						continue
					}
					in = append(in, []uint64{a, b}[:len(c.In)]...)
					n++
				}
			}
			rows += n
			for i := range laws {
				if (laws[i].ID == model.MontIdentity || c.Function == modular.Product && laws[i].ID == model.MontRange) && !set.Thorough && q%16 != 15 {
					continue // mont.value sees all of them
				}
				v := trial.Judge(&laws[i], &residues.ModularCase{Batch: &residues.ModularBatch{Q: q, In: in, Rows: n}})
				require.False(t, v.Fails(), "%s %s modulo %d, row %d: %v", k.Name, laws[i].ID, q, trial.Failing, v)
			}
		}
	}
	require.Greater(t, rows, 10_000_000)
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
