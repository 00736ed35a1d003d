package props

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/complex"
	"gamma/kernels/dd"
	"gamma/kernels/eft"
	"gamma/kernels/montgomery"
	"gamma/kernels/mutants"
	"gamma/kernels/ntt"
	"gamma/model"
	"gamma/model/modular"
	"gamma/model/word"
	"gamma/props/internal/transforms"
	"gamma/props/internal/words"
	"gamma/props/judge"
	"gamma/shaders"
	shadermutants "gamma/shaders/mutants"
	"gamma/sumtree"
)

var updateReadme = flag.Bool("update-readme", false, "rewrite the generated parts of README.md")

// lawTable returns the table of laws for the README.
func lawTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| law | statement | source | subjects here | planted faults it must kill |\n|---|---|---|---|---|\n")
	for _, l := range judge.Laws() {
		subjects, faults := 0, 0
		if l.ID == model.DeviceEqual || l.ID == model.DeviceRepeat { // of operations, residues, transforms and formulas too
			subjects = len(shaders.Operations()) + len(shaders.Modulars()) + len(shaders.NTTs()) + len(shaders.Formulas())
		}
		for _, k := range everyKernel() {
			s, err := vectorSubject(subjectFor(k))
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
		statement := strings.ReplaceAll(l.Statement, "|", "\\|")
		fmt.Fprintf(&b, "| `%s` | %s | %s | %d | %d |\n", l.ID, statement, l.Source, subjects, faults)
	}
	return b.String()
}

// wordTable returns the table of laws of operations on words for the README.
func wordTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| law | statement | source | subjects here | planted faults it must kill |\n|---|---|---|---|---|\n")
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
		fmt.Fprintf(&b, "| `%s` | %s | %s | %d | %d |\n", l.ID, strings.ReplaceAll(l.Statement, "|", "\\|"), l.Source, subjects, faults)
	}
	return b.String()
}

// residueTable returns the table of laws of residues and of transforms for the README.
func residueTable() string {
	var b strings.Builder
	b.WriteString("| law | statement | source | subjects here | planted faults it must kill |\n|---|---|---|---|---|\n")
	row := func(id model.LawID, statement, source string, subjects, faults int) {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %d | %d |\n", id, strings.ReplaceAll(statement, "|", "\\|"), source, subjects, faults)
	}
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
		row(l.ID, l.Statement, l.Source, subjects, faults)
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
		row(l.ID, l.Statement, l.Source, subjects, faults)
	}
	return b.String()
}

// fourierTable returns the table of laws of discrete Fourier transforms for the README.
func fourierTable() string {
	var b strings.Builder
	b.WriteString("| law | statement | source | subjects here | planted faults it must kill |\n|---|---|---|---|---|\n")
	for _, l := range judge.FFTLaws() {
		if l.Hardware || l.Found != nil {
			continue // in the table of laws
		}
		subjects, faults := 0, 0
		for _, f := range fftSubjects() {
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
		fmt.Fprintf(&b, "| `%s` | %s | %s | %d | %d |\n", l.ID, strings.ReplaceAll(l.Statement, "|", "\\|"), l.Source, subjects, faults)
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

// generated replaces what stands between the marks of a name.
func generated(text, name, body string) (string, bool) {
	begin, end := "<!-- "+name+" -->\n", "<!-- end -->"
	i := strings.Index(text, begin)
	if i < 0 {
		return text, false
	}
	j := strings.Index(text[i:], end)
	if j < 0 {
		return text, false
	}
	return text[:i+len(begin)] + body + text[i+j:], true
}

// TestReadme holds the generated parts of README.md to what they are generated from: the failing
// report is a golden report, the table of laws lists the laws there are.
func TestReadme(t *testing.T) {
	needsReadme(t)
	old, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	report, err := os.ReadFile("testdata/reports/serial_claims_pairwise.txt")
	require.NoError(t, err)
	text := string(old)
	for _, part := range []struct{ name, body string }{
		{"report", "```\n" + string(bytes.TrimSpace(report)) + "\n```\n"},
		{"laws", lawTable(t)},
		{"word laws", wordTable(t)},
		{"residue laws", residueTable()},
		{"Fourier laws", fourierTable()},
	} {
		var ok bool
		text, ok = generated(text, part.name, part.body)
		require.True(t, ok, "README.md has no marks for %s", part.name)
	}
	if *updateReadme {
		require.NoError(t, os.WriteFile("../README.md", []byte(text), 0o644))
		return
	}
	require.Equal(t, text, string(old), "README.md is out of date; run go test ./props -run TestReadme -update-readme")
}

// TestReadmeExample builds and runs the README's example as a user would: in a module of his own.
func TestReadmeExample(t *testing.T) {
	needsReadme(t)
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```go\n// ([a-z_]+\\.go)\n(.*?)```").FindAllSubmatch(text, -1)
	require.Len(t, blocks, 6, "the README shows a kernel, its test, the test of a shader, a product of double words, a softmax and a transform with their tests")
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	dir := t.TempDir()
	for _, b := range blocks {
		require.NoError(t, os.WriteFile(filepath.Join(dir, string(b[1])), b[2], 0o644))
	}
	sum, err := os.ReadFile("../go.sum")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644))
	mod := "module example.com/mykernel\n\ngo 1.26\n\nrequire gamma v0.0.0\n\nreplace gamma => " + root + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644))
	run := func(args ...string) (string, error) {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mysum.metal"), []byte(exampleShader), 0o644))
	out, err := run("mod", "tidy")
	require.NoError(t, err, out)
	out, err = run("test", "-count=1", ".")
	require.NoError(t, err, out)
	// Each of five fails once it is broken, and says so: one build of all shows it.
	breaks := func(file, old, broken string) {
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(text), old), "%s in %s", old, file)
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(strings.Replace(string(text), old, broken, 1)), 0o644))
	}
	breaks("mykernel.go", "range x {", "range x[:len(x)&^1] {")                   // its last leaf is lost
	breaks("mydd_test.go", ", Splits: true", "")                                  // the claim does not say that words are split, which overflows
	breaks("softmax_test.go", "float64(v - m)", "float64(v)")                     // the maximum is not subtracted, so that it overflows
	breaks("myntt_test.go", "j*(2*k+1)", "2*j*k")                                 // the claim is cyclic, which is not what is computed
	breaks("mysum.metal", "threadgroup_barrier(mem_flags::mem_threadgroup);", "") // a race
	out, err = run("test", "-count=1", "-vet=off", ".")
	require.Error(t, err, out)
	for _, text := range []string{
		"mykernel.Sum violates sum.enclosure", "mykernel.times violates dd.special", "mykernel.NTT violates ntt.exact",
		"mykernel.Softmax violates formula.enclosure: element 0 of 1 is NaN, and the formula", "allows numbers alone: 0.99999905 to 1.000001.",
		"mysum.metal#sum violates kernel.race", "of the grid",
	} {
		require.Contains(t, out, text)
	}
}

// exampleShader is a shader that fits the README's example.
const exampleShader = `#include <metal_stdlib>
using namespace metal;

kernel void sum(device const float* x, device float* out, constant uint& n, threadgroup float* part,
                uint i [[thread_index_in_threadgroup]], uint width [[threads_per_threadgroup]])
{
    float s = 0;
    for (uint k = i; k < n; k += width) {
        s += x[k];
    }
    part[i] = s;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (i == 0) {
        float total = part[0];
        for (uint k = 1; k < width; k++) {
            total += part[k];
        }
        out[0] = total;
    }
}
`

func needsReadme(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("../README.md"); err != nil {
		t.Skip("no source tree here: this test reads README.md")
	}
}
