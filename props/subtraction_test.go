package props

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/modular"
	"gamma/props/judge"
)

// TestSubtractionCauses: a last conditional subtraction that is missing is named, of products by Barrett's reduction and of transforms, and so is one that tests > q.
func TestSubtractionCauses(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	t.Setenv("GAMMA_SAVE", "off")
	l := lawOf(t, judge.ModularLaws(), model.MontRange)
	for name, says := range map[string]string{
		"BarrettOneCorrection": "a multiple of q too large, and the others are right: the last conditional subtraction of q is missing.",
		"BarrettUncorrected":   "a multiple of q too large, and the others are right: the last conditional subtraction of q is missing.",
		"MersenneUnfolded":     "a multiple of q too large, and the others are right: the last conditional subtraction tests > q where >= q is needed.",
	} {
		m, ok := mutants.FindModular("mutants." + name)
		require.True(t, ok)
		require.Contains(t, foundText(t, l, Modular{Name: m.Name, Claim: m.Claim, Run: m.Run}), says, name)
	}
	r := lawOf(t, judge.NTTLaws(), model.NTTRange)
	sound := mutants.SoundNTTs()[0]
	text := foundText(t, r, NTT{Name: "k", Claim: sound.Claim, Plan: func(t modular.Transform) (modular.Transforms, error) {
		k, err := sound.Plan(t)
		forward := k.Forward
		k.Forward = func(dst, src []uint64) error {
			err := forward(dst, src)
			for i, v := range dst {
				if v&1 == 1 { // as a reduction gives that does not subtract
					dst[i] = v + t.Modulus
				}
			}
			return err
		}
		return k, err
	}})
	require.Contains(t, text, "every word is right modulo q, and some lie in [q, 2·q): the last conditional subtraction of q is missing.")
	for name, says := range map[string]string{
		"NTTAddGreater":    "every word is right modulo q, and some that stand for 0 are q: the last conditional subtraction tests > q where >= q is needed.",
		"NTTLazyUnreduced": "words are too large: a subtraction of q is missing, or its comparison is wrong.",
	} {
		require.Contains(t, foundText(t, r, nttMutant(t, name)), says, name)
	}
}
