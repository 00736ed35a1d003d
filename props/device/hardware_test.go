package device_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/device"
	"gamma/props/judge"
	"gamma/shaders"
	"gamma/shaders/mutants"
)

// TestReference: with Setting.Reference the same host code runs on the simulator beside hardware, in the arithmetic that the hardware says it
// has; without, on the hardware.
func TestReference(t *testing.T) {
	small := float32(1e-40)
	flushing := model.Behaviour{Flush: model.Flush{In: true, Out: true}}
	for _, c := range []struct {
		name     string
		dev      *fake
		own, ref float32
	}{
		{"as it says", newFake(model.Behaviour{}), small, small},
		{"flushes and says so", newFake(flushing), 0, 0},
		{"flushes and does not say so", newLiar(model.Behaviour{}, flushing), 0, small},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := shaders.All()[0]
			require.NotNil(t, k.Sum32, k.Name)
			r := builtin.Shader(k, c.dev).(props.Reduction)
			require.True(t, r.Device.Hardware)
			require.Equal(t, "fake", r.Device.Kind)
			require.Equal(t, "sim", r.Device.Reference)
			require.False(t, r.Device.Checked)
			own := device.Reduction{
				Name: "my.metal#sum", Function: "sum", Device: c.dev,
				Source: `kernel void sum(device const float* x, device float* out, constant uint& n, uint i [[thread_position_in_grid]])
{ if (i == 0) { float s = 0; for (uint k = 0; k < n; k++) { s += x[k]; } out[0] = s; } }`,
			}
			p, err := device.Props(own)
			require.NoError(t, err)
			run := func(r props.Reduction, at props.Setting) float32 {
				v, err := r.RunOn(at, []float32{small, 0})
				require.NoError(t, err)
				return v
			}
			for _, r := range []props.Reduction{r, p} {
				l := r.Device.Launches(2)[0]
				require.Equal(t, c.own, run(r, props.Setting{Launch: l}))
				require.Equal(t, c.ref, run(r, props.Setting{Launch: l, Reference: true}))
				require.Equal(t, c.own, run(r, props.Setting{Launch: l}))
			}
		})
	}
}

// someShaders are subjects of every kind, few enough for each run of the tests.
const someShaders = "^TestFakeShader$/shaders/^(sum.metal#(tree|half)|dot.metal#fma|dd.metal#plus_dw|modular.metal#mont_mul|ntt.metal#stages)$"

// TestFakeSound: every law holds on hardware that behaves as it says, for shaders of each kind; the summary names it. At level thorough, for
// all.
func TestFakeSound(t *testing.T) {
	t.Parallel()
	tests := someShaders
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		tests = "^TestFakeShader"
	}
	dir, text, passed := runFake(t, "sound", tests, "GAMMA_DEVICE=fake", "GAMMA_BUDGET=1m")
	require.True(t, passed, text)
	require.NotContains(t, text, "kernel.schedule")
	summary, err := readRun(dir, "summary.txt")
	require.NoError(t, err)
	for _, want := range []string{
		"sum.metal#tree +fake +sum.enclosure", "sum.metal#tree +fake +device.equal", "ntt.metal#stages +fake +ntt.exact", "modular.metal#mont_mul +fake +mont.value",
		"dd.metal#plus_dw +fake +dd.add",
	} {
		require.Regexp(t, "(?m)^shaders/"+want+" ", string(summary))
	}
	require.NotRegexp(t, `(?m)^shaders/\S+ +sim `, string(summary), "the simulator was not chosen")
	rows, err := readRun(dir, "summary.jsonl")
	require.NoError(t, err)
	require.Contains(t, string(rows), `"device":"fake"`)
}

// readRun reads a file that the one package that ran in a directory has left.
func readRun(dir, name string) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(dir, "runs", "*", name))
	if err != nil || len(files) != 1 {
		return nil, fmt.Errorf("%d files are called %s: %w", len(files), name, err)
	}
	return os.ReadFile(files[0])
}

// TestFakeFails: laws find hardware that is not what it says; the report and the case
// name the hardware, the command runs it again there, and the case shows the fault there and not on the simulator.
func TestFakeFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ how, test, law string }{
		{"flushes", "^TestFakeShader$/shaders/^sum.metal#tree$", "sum.tree"},
		{"rounds", "^TestFakeShader$/shaders/^dd.metal#plus_dw$", "dd.add"},
		{"flushes", "^TestFakeShader$/shaders/^sum.metal#tree$", "device.equal"},
	} {
		t.Run(c.how+" "+c.law, func(t *testing.T) {
			t.Parallel()
			dir, text, passed := runFake(t, c.how, c.test, "GAMMA_DEVICE=fake", "GAMMA_LAW="+c.law)
			require.False(t, passed, text)
			require.Regexp(t, `(?m)^ +device +fake: Fake GPU; driver 0\.1$`, text)
			require.Contains(t, text, "-gamma.device=fake")
			found := regexp.MustCompile(`saved as +(\S+)`).FindStringSubmatch(text)
			require.NotNil(t, found, text)
			body, err := os.ReadFile(filepath.Join(dir, found[1]))
			require.NoError(t, err)
			require.Contains(t, string(body), "Found on fake: Fake GPU; driver 0.1.")
			file := filepath.Join(dir, found[1])
			_, text, passed = runFake(t, c.how, c.test, "GAMMA_CASE="+file, "GAMMA_DEVICE=fake")
			require.False(t, passed, text)
			if c.law == "device.equal" { // which says nothing of the simulator
				return
			}
			_, text, passed = runFake(t, c.how, c.test, "GAMMA_CASE="+file, "GAMMA_DEVICE=sim")
			require.True(t, passed, text)
			require.Contains(t, text, " 1 on file")
			_, text, passed = runFake(t, "sound", c.test, "GAMMA_CASE="+file, "GAMMA_DEVICE=fake,sim")
			require.True(t, passed, text)
			require.Equal(t, 2, strings.Count(text, "  1 on file"), text)
		})
	}
}

// TestFakeShuffled: laws find kernels whose results change from run to run on hardware, and pass sound ones there.
func TestFakeShuffled(t *testing.T) {
	found := 0
	for _, m := range mutants.All() {
		if !slices.Contains(m.Kills, model.KernelRace) {
			continue
		}
		dev := newFake(model.Behaviour{})
		dev.shuffled = true
		for _, id := range []model.LawID{model.SumRepeat, model.DeviceRepeat, model.SumTree} {
			l, err := judge.LawByID(judge.Laws(), id)
			require.NoError(t, err)
			s := builtin.Shader(m.Kernel, dev)
			c, n, v, err := judge.Search(l, s, 40)
			require.NoError(t, err)
			if c != nil {
				t.Logf("%s: %s after %d cases: %v", m.Kernel.Name, id, n, v)
				found++
				break
			}
		}
	}
	require.GreaterOrEqual(t, found, 3)
	for _, name := range []string{"shaders/sum.metal#tree", "shaders/sum.metal#atomic", "shaders/dot.metal#fma"} {
		k, ok := shaders.Find(name)
		require.True(t, ok, name)
		dev := newFake(model.Behaviour{})
		dev.shuffled = true
		for _, l := range judge.Laws() {
			c, _, v, err := judge.Search(l, builtin.Shader(k, dev), 40)
			require.NoError(t, err)
			require.Nil(t, c, "%s: %v", name, v)
		}
	}
}

// TestFakeAbsent: a device that is not here is noted once without the flag, and fails the tests that the flag sends there, which name what
// is missing; others run.
func TestFakeAbsent(t *testing.T) {
	t.Parallel()
	tests := "^TestFakeShader$/shaders/^sum.metal#(tree|half)$"
	few := []string{"GAMMA_LAW=sum.tree", "GAMMA_BUDGET=1m"}
	dir, text, passed := runFake(t, "absent", tests, few...)
	require.True(t, passed, text)
	require.Equal(t, 1, strings.Count(text, "nothing is judged on fake: device: fake is not here: fake: libfake.so.1: no such file"), text)
	summary, err := readRun(dir, "summary.txt")
	require.NoError(t, err)
	require.Contains(t, string(summary), "nothing was judged on fake: ")
	_, text, passed = runFake(t, "absent", tests, append(few, "GAMMA_DEVICE=sim,fake")...)
	require.False(t, passed, text)
	require.Equal(t, 1, strings.Count(text, "each.go:"), text)
	require.Regexp(t, `shaders/sum.metal#tree +1 laws`, text)
	dir, text, passed = runFake(t, "absent", "^TestFakeShader$/shaders/^sum.metal#tree$/^sum.tree$", append(few, "GAMMA_DEVICE=sim,fake")...)
	require.False(t, passed, "-run names no test of the device's own: %s", text)
	require.Contains(t, text, "fake is not here")
	summary, err = readRun(dir, "summary.txt")
	require.NoError(t, err)
	require.Contains(t, string(summary), "nothing was judged on fake: ")
	_, text, passed = runFake(t, "absent", tests, append(few, "GAMMA_DEVICE=metal")...)
	require.False(t, passed, text)
	require.Contains(t, text, `import _ "gamma/metal/apple"`)
	_, text, passed = runFake(t, "absent", tests, append(few, "GAMMA_DEVICE=cpu")...)
	require.True(t, passed, text)
	require.Contains(t, text, `and -gamma.device (or GAMMA_DEVICE) is "cpu"`)
	_, text, passed = runFake(t, "absent", tests, append(few, "GAMMA_DEVICE=gpu")...)
	require.False(t, passed, text)
	require.Contains(t, text, "it has to be a comma list of cpu, sim, cuda, metal, opencl, fake")
}

// TestFakeCorpus replays the whole corpus on hardware: nothing fails and nothing is an error, and what the hardware cannot run is counted
// with its reason.
func TestFakeCorpus(t *testing.T) {
	t.Setenv("GAMMA_DEVICE", "")
	for name, own := range map[string]model.Behaviour{"plain": {}, "other": otherArithmetic} {
		dev := newFake(own)
		files, errs := corpus.Load[*corpus.Case](corpus.Files, loading)
		require.Empty(t, errs)
		judged, left := 0, 0
		for _, f := range files {
			k, ok := shaders.Find(f.Body.Kernel)
			if !ok {
				continue
			}
			l, err := judge.LawByID(judge.Laws(), f.Body.Law)
			require.NoError(t, err, f.Path)
			v, err := judge.Judge(l, builtin.Shader(k, dev), f.Body)
			require.NoError(t, err, f.Path)
			switch v.Outcome {
			case props.Holds:
				judged++
			case props.Vacuous:
				left++
			default:
				t.Errorf("%s on %s hardware: %v", f.Path, name, v)
			}
		}
		t.Logf("%s hardware: %d cases replayed, %d left out", name, judged, left)
		if name == "plain" {
			require.GreaterOrEqual(t, judged, 5)
		}
		require.NotZero(t, left)
		for _, s := range builtin.Subjects[props.Subject](dev) {
			s.(interface{ Replay(t *testing.T) }).Replay(t)
		}
	}
}
