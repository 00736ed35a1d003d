package props

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/complex"
	"gamma/kernels/conv"
	"gamma/kernels/dd"
	"gamma/kernels/eft"
	"gamma/kernels/montgomery"
	"gamma/kernels/mutants"
	"gamma/kernels/nn"
	"gamma/kernels/ntt"
	"gamma/kernels/trig"
	"gamma/model"
	"gamma/model/modular"
	"gamma/model/word"
	"gamma/props/internal/engine"
	"gamma/props/internal/own"
	"gamma/props/internal/transforms"
	"gamma/props/internal/words"
	"gamma/props/judge"
	"gamma/shaders"
	shadermutants "gamma/shaders/mutants"
	"gamma/sumtree"
)

// lawsPage has the tables of laws.
const lawsPage = "testdata/LAWS.md"

const lawColumns = "| law | statement | source | subjects here | planted faults it must kill |\n|---|---|---|---|---|\n"

// lawRow writes a law's row of a table.
func lawRow(b *strings.Builder, id model.LawID, statement, source string, subjects, faults int) {
	fmt.Fprintf(b, "| `%s` | %s | %s | %d | %d |\n", id, strings.ReplaceAll(statement, "|", "\\|"), source, subjects, faults)
}

// lawTable returns the table of laws for the page of laws.
func lawTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(lawColumns)
	for _, l := range judge.Laws() {
		subjects, faults := 0, 0
		if l.ID == model.DeviceEqual || l.ID == model.DeviceRepeat { // of operations, residues, transforms and formulas too
			subjects = len(shaders.Operations()) + len(shaders.Modulars()) + len(shaders.NTTs()) + len(shaders.FFTs()) + len(shaders.Formulas())
		}
		for _, k := range own.Vectors() {
			s, err := vectorSubject(own.Vector(k))
			require.NoError(t, err)
			if s.Applies(&l) == "" {
				subjects++
			}
		}
		for _, k := range shaders.All() {
			s, err := vectorSubject(shaderSubject(k, l.Hardware))
			require.NoError(t, err)
			if s.Applies(&l) == "" {
				subjects++
			}
		}
		for _, m := range mutants.All() {
			if m.Kills == l.ID {
				faults++
			}
		}
		for _, m := range shadermutants.All() {
			if slices.Contains(m.Kills, l.ID) {
				faults++
			}
		}
		for _, f := range deviceFaults(t) {
			if slices.Contains(f.kills, l.ID) {
				faults++
			}
		}
		lawRow(&b, l.ID, l.Statement, l.Source, subjects, faults)
	}
	return b.String()
}

// wordTable returns the table of laws of operations on words for the page of laws.
func wordTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(lawColumns)
	var claims []word.Claim
	for _, k := range eft.All() {
		claims = append(claims, k.Claim)
	}
	for _, k := range dd.All() {
		claims = append(claims, k.Claim)
	}
	for _, k := range complex.All() {
		claims = append(claims, k.Claim)
	}
	for _, o := range shaders.Operations() {
		claims = append(claims, o.Claim)
	}
	for _, l := range judge.WordLaws() {
		if l.Hardware {
			continue // in the table of laws
		}
		subjects, faults := 0, 0
		for _, c := range claims {
			if words.AppliesToWords(&l, &c, false) == "" {
				subjects++
			}
		}
		for _, m := range mutants.Words() {
			if m.Kills == l.ID {
				faults++
			}
		}
		for _, m := range shadermutants.Operations() {
			if slices.Contains(m.Kills, l.ID) {
				faults++
			}
		}
		lawRow(&b, l.ID, l.Statement, l.Source, subjects, faults)
	}
	return b.String()
}

// residueTable returns the table of laws of residues and of transforms for the page of laws.
func residueTable() string {
	var b strings.Builder
	b.WriteString(lawColumns)
	for _, l := range judge.ModularLaws() {
		if l.Hardware || l.Found != nil {
			continue // in the tables above
		}
		subjects, faults := 0, 0
		for _, k := range montgomery.All() {
			if l.AppliesTo(&k.Claim) == "" {
				subjects++
			}
		}
		for _, k := range shaders.Modulars() {
			if l.AppliesTo(&k.Claim) == "" {
				subjects++
			}
		}
		for _, m := range mutants.Modulars() {
			if m.Kills == l.ID {
				faults++
			}
		}
		for _, m := range shadermutants.Modulars() {
			if slices.Contains(m.Kills, l.ID) {
				faults++
			}
		}
		lawRow(&b, l.ID, l.Statement, l.Source, subjects, faults)
	}
	for _, l := range judge.NTTLaws() {
		if l.Hardware || l.Found != nil {
			continue
		}
		subjects, faults := 0, 0
		applies := func(c modular.TransformClaim) {
			if (&transforms.Subject{Claim: c}).Applies(&l) == "" {
				subjects++
			}
		}
		for _, k := range ntt.All() {
			applies(k.Claim)
		}
		for _, k := range shaders.NTTs() {
			applies(k.Claim)
		}
		for _, m := range mutants.NTTs() {
			if m.Kills == l.ID {
				faults++
			}
		}
		for _, m := range shadermutants.NTTs() {
			if slices.Contains(m.Kills, l.ID) {
				faults++
			}
		}
		lawRow(&b, l.ID, l.Statement, l.Source, subjects, faults)
	}
	return b.String()
}

// fourierTable returns the table of laws of discrete Fourier transforms for the page of laws.
func fourierTable() string {
	var b strings.Builder
	b.WriteString(lawColumns)
	for _, l := range judge.FFTLaws() {
		if l.Hardware || l.Found != nil {
			continue // in the table of laws
		}
		subjects, faults := 0, 0
		for _, f := range own.FFTs() {
			claim := f.Claim.WithDefaults()
			if l.AppliesTo(&claim) == "" && (l.ID != model.FFTTwiddle || f.Twiddles != nil) {
				subjects++
			}
		}
		for _, m := range mutants.FFTs() {
			if m.Kills == l.ID {
				faults++
			}
		}
		for _, m := range fftMutants() {
			if m.kills == string(l.ID) {
				faults++
			}
		}
		lawRow(&b, l.ID, l.Statement, l.Source, subjects, faults)
	}
	return b.String()
}

// coveredTable returns the table of names that are no laws for the page of laws.
func coveredTable() string {
	var b strings.Builder
	b.WriteString("| name | law that judges it | how |\n|---|---|---|\n")
	for _, c := range engine.CoveredNames() {
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", c.Name, c.Law, c.How)
	}
	return b.String()
}

// shaderSubject returns a subject with the claim and the shape of a shader, which cannot be run here: package props/device,
// which runs it, imports this one.
func shaderSubject(k shaders.Kernel, hardware bool) Subject {
	d := DeviceClaim{Checked: true, Strict: k.Strict, Admits: k.Admits}
	if hardware {
		d = DeviceClaim{Hardware: true, Reference: "sim", Strict: k.Strict}
	}
	if k.Claim.Tree == "" {
		d.Schedule = k.Schedule
	}
	if k.IsDot() {
		return Dot{Name: k.Name, Claim: k.Claim, Device: d, RunOn: func(Setting, []float32, []float32) (float32, error) { return 0, nil }}
	}
	r := Reduction{Name: k.Name, Claim: k.Claim, Device: d}
	switch {
	case k.SumBits != nil:
		r.RunBitsOn = func(Setting, []uint16) (uint64, error) { return 0, nil }
	case k.SumTree != nil:
		r.RunTreeOn = func(Setting, *sumtree.Tree, []float32) (float32, error) { return 0, nil }
	case k.Rows32 != nil:
		r.RunRowsOn = func(Setting, []float32, []float32, int) error { return nil }
	default:
		r.RunOn = func(Setting, []float32) (float32, error) { return 0, nil }
	}
	return r
}

// wrappingTable returns the table of laws of sums modulo 2^k for the page of laws.
func wrappingTable() string {
	var b strings.Builder
	b.WriteString("| law | statement | source | planted faults it must kill |\n|---|---|---|---|\n")
	for _, l := range judge.WrappingLaws() {
		if l.Hardware || l.Found != nil {
			continue // in the table of laws
		}
		faults := 0
		for _, m := range wrappingMutants {
			if slices.Contains(m.kills, l.ID) {
				faults++
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %d |\n", l.ID, l.Statement, l.Source, faults)
	}
	return b.String()
}

// formulaTable returns the table of laws of kernels that compute a formula for the page of laws.
func formulaTable(t *testing.T) string {
	t.Helper()
	matrix, err := os.ReadFile("testdata/formula-kill-matrix.txt")
	require.NoError(t, err)
	first := map[string]int{} // law by which a mutant is found first
	for line := range strings.Lines(string(matrix)) {
		if fields := strings.Fields(line); len(fields) > 1 {
			first[fields[1]]++
		}
	}
	var b strings.Builder
	b.WriteString(lawColumns)
	for _, l := range judge.FormulaLaws() {
		if l.Hardware || l.Found != nil {
			continue // in the table of laws
		}
		subjects, faults := 0, first[string(l.ID)]
		for _, k := range slices.Concat(nn.All(), nn.Float16(), nn.BFloat16(), nn.Binary64(), nn.DoubleWord(), trig.All(), conv.All()) {
			if claimed := judge.Kernel(own.Formula(k)); l.Applies == nil || l.Applies(&claimed) == "" {
				subjects++
			}
		}
		for _, m := range shadermutants.Formulas() {
			if slices.Contains(m.Kills, l.ID) {
				faults++
			}
		}
		lawRow(&b, l.ID, l.Statement, l.Source, subjects, faults)
	}
	return b.String()
}

// scalarTable returns the table of laws of single operations for the page of laws.
func scalarTable() string {
	var b strings.Builder
	b.WriteString("| law | statement | source | finds |\n|---|---|---|---|\n")
	for _, l := range RoundLaws() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", l.ID, strings.ReplaceAll(l.Statement, "|", "\\|"), l.Source, strings.Join(l.Kills, "; "))
	}
	return b.String()
}
