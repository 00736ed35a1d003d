package props

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/transforms"
	"gamma/props/judge"
)

// matrixCases is how many cases each law judges of each mutant: what kills one at all does so with the 44th at the latest.
const matrixCases = 60

// matrixLaws are the columns of the matrix: first those of the reference table of this project, in its order.
var matrixLaws = []model.LawID{
	model.NTTRoundtrip, model.NTTRange, model.NTTLinear, model.NTTEval, model.NTTConvolution, model.NTTShift, model.NTTImpulse,
	model.NTTButterfly, model.NTTFactor, model.NTTExact, model.NTTRefuses, model.NTTPure, model.NTTIndependent,
}

// TestNTTKillMatrix runs every law on every mutant of a transform: each is killed by the law that must kill it, and passes those
// that it must pass. The matrix says with which case a law killed first, and how many of 60 did; it is the one on file.
func TestNTTKillMatrix(t *testing.T) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%-32s", "mutant")
	for _, id := range matrixLaws {
		fmt.Fprintf(&b, " %-11s", strings.TrimPrefix(string(id), "ntt."))
	}
	b.WriteString(" fault\n")
	killers := map[model.LawID]bool{}
	for _, m := range mutants.NTTs() {
		r := nttRunOf(t, NTT{Name: m.Name, Claim: m.Claim, Plan: m.Plan})
		r.Set.Save = "off"
		fmt.Fprintf(&b, "%-32s", m.Name)
		for _, id := range matrixLaws {
			l, err := judge.LawByID(judge.NTTLaws(), id)
			require.NoError(t, err)
			cell := ""
			if r.S.Applies(&l) == "" {
				first, killed, failing := kills(r, &l, transforms.NewNTTDrawer(r.Own, r.Pool, &l, r.Set.SeedFor("matrix "+string(id), m.Name)), matrixCases)
				cell = "-"
				if killed > 0 {
					cell = fmt.Sprintf("%d:%d", first, killed)
					killers[id] = true
				}
				if id == m.Kills && killed == 0 {
					t.Errorf("%s survives %s, which must kill it: %s", m.Name, id, m.Fault)
				}
				if killed > 0 && slices.Contains(m.Survives, id) {
					t.Errorf("%s is killed by %s, which it passes by construction: %s\n%s", m.Name, id, m.Fault, r.Examine(&l, failing, &engine.LawStats{Cases: first}).Text())
				}
			} else if id == m.Kills {
				t.Errorf("%s: law %s does not apply to its claim", m.Name, id)
			}
			fmt.Fprintf(&b, " %-11s", cell)
		}
		fmt.Fprintf(&b, " %s\n", m.Fault)
	}
	for _, id := range matrixLaws {
		if !killers[id] {
			t.Errorf("law %s kills no mutant", id)
		}
	}
	t.Logf("first case that kills : how many of %d do\n%s", matrixCases, b.String())
	golden(t, "testdata/ntt-kill-matrix.txt", b.String())
}

// TestSoundNTTs holds the laws to the mutants' kernel without a fault.
func TestSoundNTTs(t *testing.T) {
	for _, m := range mutants.SoundNTTs() {
		n := NTT{Name: m.Name, Claim: m.Claim, Plan: m.Plan}
		s, err := n.Subject()
		require.NoError(t, err)
		for _, l := range judge.NTTLaws() {
			if s.Applies(&l) != "" {
				continue
			}
			f, judged, err := judge.Find(l, n, 200)
			require.NoError(t, err)
			require.Positive(t, judged)
			if f != nil {
				t.Errorf("%s", f.Text())
			}
		}
	}
}
