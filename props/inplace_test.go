package props

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/formula"
	"gamma/model/modular"
	"gamma/model/word"
	"gamma/props/internal/engine"
	"gamma/props/internal/own"
	"gamma/props/judge"
)

// inPlaceMutants returns the kernels that are right from one slice to another and wrong where dst is src, as claimed or without InPlace.
func inPlaceMutants(claimed bool) (o Operation, m Modular, k Kernel) {
	w, _ := mutants.FindWord("mutants.TwoSumRereads")
	w.Claim.InPlace = claimed
	r, _ := mutants.FindModular("mutants.ButterflyRereads")
	r.Claim.InPlace = claimed
	f, _ := mutants.FindFormula("mutants.SoftmaxRereads")
	if k = Kernel(own.Formula(f.Kernel)); !claimed {
		k.InPlace = nil
	}
	return Operation{Name: w.Name, Claim: w.Claim, Run: w.Run32}, Modular{Name: r.Name, Claim: r.Claim, Run: r.Run}, k
}

// pureText returns the report of a law of calls, "" if it finds nothing; apart, the kernel is called as by another process.
func pureText[J, C any](t *testing.T, l LawOf[J, C], s interface {
	Judged(set engine.Settings) (engine.Judged, error)
}, apart bool,
) string {
	t.Helper()
	j, err := s.Judged(engine.Settings{Checks: 1000, MaxN: 64})
	require.NoError(t, err)
	if apart {
		other, err := s.Judged(engine.Settings{Checks: 1000, MaxN: 64})
		require.NoError(t, err)
		serve := other.Served()
		j.Isolate(func(c *engine.Call) *engine.Reply { return serve(c) })
	}
	f, judged, err := j.(*engine.Engine).Report(engine.Erase(&l), 50)
	require.NoError(t, err)
	require.Positive(t, judged)
	if f == nil {
		return ""
	}
	return strings.Join(strings.Fields(f.Text()), " ")
}

// TestInPlace: a kernel that claims InPlace and is wrong there alone is found, in this process and in another, and named; without the claim it is right.
func TestInPlace(t *testing.T) {
	for _, claimed := range []bool{true, false} {
		o, m, k := inPlaceMutants(claimed)
		for _, apart := range []bool{false, true} {
			for name, text := range map[string]string{
				o.Name: pureText(t, lawOf(t, judge.WordLaws(), model.WordPure), o, apart),
				m.Name: pureText(t, lawOf(t, judge.ModularLaws(), model.MontPure), m, apart),
				k.Name: pureText(t, lawOf(t, judge.FormulaLaws(), model.FormulaPure), k, apart),
			} {
				if !claimed {
					require.Empty(t, text, name)
					continue
				}
				require.Contains(t, text, "where dst is src the same operands give other results than where it is another slice", name)
			}
		}
	}
}

// TestInPlaceClaims: what cannot be computed in place is no claim.
func TestInPlaceClaims(t *testing.T) {
	run := func(dst, src []float32) {}
	x, w := formula.Vector("x"), formula.Matrix("w", "m", "n")
	call := func(*KernelCall) error { return nil }
	for want, s := range map[string]interface {
		Judged(set engine.Settings) (engine.Judged, error)
	}{
		"would lie over later words":            Operation{Name: "k", Run: run, Claim: word.Claim{Op: word.Split, InPlace: true}},
		"would lie over later operands":         Modular{Name: "k", Run: func(uint64, []uint64, []uint64) error { return nil }, Claim: modular.Claim{Function: modular.One, Bits: 64, Out: []modular.Word{{Range: 1}}, InPlace: true}},
		`names "y"`:                             Kernel{Name: "k", Formula: x, Run: run, InPlace: []string{"y"}},
		"are not the result's binary32 along":   Kernel{Name: "k", Formula: formula.Dot(w, x, "n"), Call: call, InPlace: []string{"x"}},
		"with a stride is not judged in place":  Kernel{Name: "k", Formula: formula.Neg(x), Call: call, InPlace: []string{"x"}, Strided: map[string]string{"x": "n"}},
		"whose buffers are the host code's; le": Kernel{Name: "k", Formula: x, CallOn: func(Setting, *KernelCall) error { return nil }, InPlace: []string{"x"}},
	} {
		_, err := s.Judged(engine.Settings{})
		require.ErrorContains(t, err, want)
	}
}
