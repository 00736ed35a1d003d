package props

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/montgomery"
	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/modular"
	"gamma/props/internal/check"
	"gamma/props/internal/engine"
)

// TestPropModularBattery judges products and butterflies of 32 and 64 bits by tables of special values and by gopter.
func TestPropModularBattery(t *testing.T) {
	var list []engine.Opener
	for _, k := range montgomery.All() {
		f := k.Claim.Function
		if k.Claim.Bits < 32 || f != modular.Product && f != modular.ForwardButterfly && f != modular.InverseButterfly {
			continue
		}
		list = append(list, Modular{Name: k.Name, Claim: k.Claim, Run: k.Run}.battery)
	}
	check.CheckAll(t, list...)
}

// TestBatteryKillsResidues: tables and gopter find every fault of residues too, and gopter makes it as small.
func TestBatteryKillsResidues(t *testing.T) {
	for _, m := range mutants.Modulars() {
		f, err := FindByBattery(modularLaw(t, m.Kills), Modular{Name: m.Name, Claim: m.Claim, Run: m.Run})
		require.NoError(t, err)
		if f == nil {
			t.Errorf("%s survives %s: %s", m.Name, m.Kills, m.Fault)
			continue
		}
		require.True(t, f.Verdict.Fails(), m.Name)
		require.Contains(t, f.Text(), "q  ")
	}
	_, err := FindByBattery(modularLaw(t, model.MontInverse), mulMod())
	require.ErrorContains(t, err, "says nothing about")
	f, err := FindByBattery(modularLaw(t, model.MontRange), modularMutant(t, "AddGreater"))
	require.NoError(t, err)
	require.Equal(t, uint64(3), f.Modulus)
	require.True(t, slices.Equal(f.Rows[0], []uint64{1, 2}) || slices.Equal(f.Rows[0], []uint64{2, 1}), "%d", f.Rows[0])
}
