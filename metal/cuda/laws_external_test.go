package cuda_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/cuda"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/judge"
	"gamma/shaders"
	"gamma/shaders/mutants"
)

// TestCUDALaws judges every shader on the GPU by the laws of values that judge it on the simulator, and by the laws of devices. What the simulator's
// checkers find, and what it finds in orders that are drawn, is left to it.
func TestCUDALaws(t *testing.T) {
	dev := open(t, cuda.Options{})
	t.Log(dev.Found())
	cases := 40
	if thorough() {
		cases = 300
	}
	judgeShaders(t, dev, cases)
}

// behaviours are what kernels can be printed for beside strict arithmetic.
var behaviours = []struct {
	name string
	b    model.Behaviour
}{
	{"statement", model.Behaviour{Contract: model.ContractStatement}},
	{"fast", model.Behaviour{Contract: model.ContractFast}},
	{"flush", model.Behaviour{Flush: model.Flush{In: true, Out: true}}},
	{"reassociate", model.Behaviour{Rewrites: model.Rewrites{Reassociate: true, NoSignedZeros: true}, Seed: 1}},
	{"all", model.Behaviour{
		Contract: model.ContractFast, Flush: model.Flush{In: true, Out: true},
		Rewrites: model.Rewrites{Reassociate: true, NoSignedZeros: true, Reciprocal: true}, Seed: 1,
	}},
}

// TestCUDABehaviourLaws does what TestCUDALaws does, with kernels printed for other arithmetic: contraction, flushing and rewrites. Claims are then
// as weak as those behaviours leave them, and kernels whose pragmas forbid them keep theirs. Shaders that compute with integers alone are left out.
func TestCUDABehaviourLaws(t *testing.T) {
	cases := 10
	if thorough() {
		cases = 150
	}
	for _, x := range behaviours {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel() // most of the time kernels are compiled
			judgeShaders(t, open(t, cuda.Options{Behaviour: x.b}), cases)
		})
	}
}

// TestShadersJudged runs what TestCUDALaws runs, on the simulator, and on one that is taken for hardware, in other arithmetic.
func TestShadersJudged(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short, for the race detector: TestLargeSimulated runs the same shaders on as many goroutines in less time")
	}
	dev := sim.New(sim.Options{Workers: 1, Steps: 1 << 25})
	defer dev.Release()
	judgeShaders(t, dev, 1)
	cases, list := 1, behaviours[len(behaviours)-1:]
	if thorough() {
		cases, list = 20, behaviours
	}
	for _, x := range list {
		t.Run(x.name, func(t *testing.T) {
			dev := sim.New(sim.Options{NoChecks: true, Workers: 1, Steps: 1 << 25, Behaviour: x.b})
			defer dev.Release()
			judgeShaders(t, plainDevice{dev}, cases)
		})
	}
}

// admitted says why the claim of a shader says nothing of what a device does, or "".
func admitted(admits model.Behaviour, dev metal.Device) string {
	if b := dev.Properties().Behaviour; b.Flush.In && !admits.Flush.In || b.Flush.Out && !admits.Flush.Out {
		return "the claim does not admit flushing"
	}
	return ""
}

// judging is what judgeShaders counts.
type judging struct {
	rec         *record
	dev         metal.Device
	cases       int
	mu          sync.Mutex // of the counts
	total, laws int
	names       []string // of what was judged
}

// of is how many cases of a law are drawn: fewer of the laws of devices, which also run the simulator, or the kernel many times.
func (j *judging) of(id model.LawID) int {
	if strings.HasPrefix(string(id), "device.") {
		return max(j.cases/20, 1)
	}
	return j.cases
}

// law runs one law on one subject; an error is a law that says nothing about it.
func (j *judging) law(t *testing.T, name string, id model.LawID, find func() (report string, judged int, worst float64, err error)) {
	t.Helper()
	if strings.HasPrefix(string(id), "kernel.") {
		return
	}
	report, judged, worst, err := find()
	switch {
	case err != nil && strings.Contains(err.Error(), "says nothing about"):
		return
	case err != nil:
		t.Error(err)
	case report != "":
		t.Error("\n" + report)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.total += judged; judged > 0 {
		j.laws++
		j.rec.on(name, func(x *row) { x.judged(id, judged, worst, "") })
	}
}

// leaves reports whether a shader is left out, for a reason.
func (j *judging) leaves(name, why string) bool {
	if why != "" {
		j.rec.on(name, func(x *row) { x.Note = "left out: " + why })
		return true
	}
	j.names = append(j.names, name)
	return false
}

// byLaws judges a subject by each of some laws, with so many inputs for a case.
func byLaws[J, C any](t *testing.T, j *judging, name string, s props.Subject, laws []judge.LawOf[J, C], inputs int) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		for _, l := range laws {
			j.law(t, name, l.ID, func() (string, int, float64, error) {
				f, judged, err := judge.Find(l, s, inputs*j.of(l.ID))
				if f == nil {
					return "", judged, 0, err
				}
				return f.Text(), judged, 0, err
			})
		}
	})
}

// sums judges sums and dot products, and keeps their worst errors.
func (j *judging) sums(t *testing.T) {
	for _, k := range shaders.All() {
		if j.leaves(k.Name, admitted(k.Admits, j.dev)) {
			continue
		}
		s := builtin.Shader(k, j.dev)
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			for _, l := range judge.Laws() {
				j.law(t, k.Name, l.ID, func() (string, int, float64, error) {
					worst := 0.0
					watched := l
					watched.Judge = func(t *props.Trial) props.Verdict {
						v := l.Judge(t)
						if v.Outcome == props.Holds {
							worst = max(worst, v.Ratio)
						}
						return v
					}
					c, judged, _, err := judge.Search(watched, s, j.of(l.ID))
					if c == nil || err != nil {
						return "", judged, worst, err
					}
					f, err := judge.Examine(l, s, c)
					if err != nil {
						return "", judged, worst, err
					}
					return f.Text(), judged, worst, nil
				})
			}
		})
	}
}

// judgeShaders judges every shader on dev by every law of values, on so many cases a law, and records it.
func judgeShaders(t *testing.T, dev metal.Device, cases int) {
	j := &judging{rec: newRecord(t, dev), dev: dev, cases: cases}
	t.Run("shaders", func(t *testing.T) {
		j.sums(t)
		for _, k := range shaders.Operations() {
			if !j.leaves(k.Name, admitted(k.Admits, dev)) {
				byLaws(t, j, k.Name, builtin.Shader(k, dev), judge.WordLaws(), 100)
			}
		}
		for _, k := range shaders.FFTs() {
			if !j.leaves(k.Name, admitted(k.Admits, dev)) {
				byLaws(t, j, k.Name, builtin.Shader(k, dev), judge.FFTLaws(), 1)
			}
		}
		for _, k := range shaders.Formulas() {
			if !j.leaves(k.Name, admitted(k.Admits, dev)) {
				byLaws(t, j, k.Name, builtin.Shader(k, dev), judge.FormulaLaws(), 1)
			}
		}
		if j.rec.Behaviour != "" {
			return
		}
		for _, m := range builtin.Subjects[props.Modular](dev) {
			j.leaves(m.Name, "")
			byLaws(t, j, m.Name, m, judge.ModularLaws(), 100)
		}
		for _, n := range builtin.Subjects[props.NTT](dev) {
			j.leaves(n.Name, "")
			byLaws(t, j, n.Name, n, judge.NTTLaws(), 1)
		}
	})
	for _, name := range j.names {
		j.rec.on(name, func(x *row) {
			if x.Cases == 0 {
				t.Errorf("%s: no law judged anything of it", name)
			}
		})
	}
	what := ""
	if j.rec.Behaviour != "" {
		what = "; shaders that compute with integers alone are left out"
	}
	j.rec.note(t, fmt.Sprintf("%d shaders, %d pairs of a law and a shader that it applies to, %d cases and rows drawn%s", len(j.names), j.laws, j.total, what))
}

// TestCUDALawsFind is what TestCUDALaws stands on: laws find faults of transforms on the GPU, too.
func TestCUDALawsFind(t *testing.T) {
	dev := open(t, cuda.Options{})
	for name, id := range map[string]model.LawID{
		"mod_carry_dropped": model.NTTRoundtrip, "ntt_scale_missing": model.NTTRoundtrip, "ntt_not_reversed": model.NTTExact,
		"mod_sum_greater": model.NTTButterfly,
	} {
		found := false
		for _, m := range mutants.NTTs() {
			if !strings.Contains(m.NTT.Name, "/"+name+".metal") {
				continue
			}
			l, err := judge.LawByID(judge.NTTLaws(), id)
			require.NoError(t, err)
			f, judged, err := judge.Find(l, builtin.Shader(m.NTT, dev).(props.NTT), 400)
			require.NoError(t, err)
			require.NotNil(t, f, "%s passes %d cases of %s", m.NTT.Name, judged, id)
			t.Logf("%s: %s after %d cases", m.NTT.Name, id, judged)
			found = true
		}
		require.True(t, found, name)
	}
}
