package device_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/word"
	"gamma/props/device"
	"gamma/props/internal/engine"
	"gamma/props/internal/merge"
)

const modeSource = `#include <metal_stdlib>
using namespace metal;
kernel void kahan(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], constant uint& n [[buffer(2)]]) {
	float s = 0, c = 0;
	for (uint k = 0; k < n; k++) { float y = x[k] - c; float t = s + y; c = (t - s) - y; s = t; }
	out[0] = s;
}
kernel void plain(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], constant uint& n [[buffer(2)]]) {
	float s = 0;
	for (uint k = 0; k < n; k++) s += x[k];
	out[0] = s;
}
kernel void wrong(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], constant uint& n [[buffer(2)]]) {
	float s = 0;
	for (uint k = 1; k < n; k++) s += x[k];
	out[0] = s;
}
kernel void dot(device const float* x [[buffer(0)]], device const float* y [[buffer(1)]], device float* out [[buffer(2)]], constant uint& n [[buffer(3)]]) {
	float s = 0;
	for (uint k = 0; k < n; k++) s += x[k] * y[k];
	out[0] = s;
}
kernel void twosum(device const float2* x [[buffer(0)]], device float2* out [[buffer(1)]], uint i [[thread_position_in_grid]], constant uint& n [[buffer(2)]]) {
	if (i >= n) return;
	float a = x[i].x, b = x[i].y, s = a + b, t = s - a;
	out[i] = float2(s, (a - (s - t)) + (b - t));
}
`

// modeSubjects are judged in processes that TestMathModes starts.
var modeSubjects = map[string]interface{ Check(t *testing.T) }{
	"kahan": modeSum("kahan"),
	"plain": modeSum("plain"),
	"wrong": modeSum("wrong"),
	// infinite promises for infinities what Kahan's sum does not do.
	"infinite": with(modeSum("kahan"), func(r *device.Reduction) { r.Claim.Finite = false }),
	"both":     with(modeSum("kahan"), func(r *device.Reduction) { r.BothModes = true }),
	"sound":    with(modeSum("plain"), func(r *device.Reduction) { r.BothModes = true }),
	"fast":     with(modeSum("plain"), func(r *device.Reduction) { r.Options.MathMode = metal.MathFast }),
	"pragma":   with(modeSum("kahan"), func(r *device.Reduction) { r.Source = "#pragma METAL fp math_mode(safe)\n" + r.Source }),
	"hardware": with(modeSum("kahan"), func(r *device.Reduction) { r.Device = newFake(model.Behaviour{}) }),
	"dot":      device.Dot{Name: "mode.metal#dot", Source: modeSource, Function: "dot", BothModes: true, Device: sim.New(sim.Options{Workers: 1})},
	"twosum": device.Operation{
		Name: "mode.metal#twosum", Source: modeSource, Function: "twosum", Claim: word.Claim{Op: word.TwoSum}, Device: sim.New(sim.Options{Workers: 1}),
	},
}

func modeSum(function string) device.Reduction {
	r := device.Reduction{Name: "mode.metal#" + function, Source: modeSource, Function: function, Device: sim.New(sim.Options{Workers: 1})}
	if function == "kahan" {
		r.Claim = model.Claim{Compensation: model.Kahan, Finite: true}
	}
	return r
}

func with(r device.Reduction, f func(r *device.Reduction)) device.Reduction {
	f(&r)
	return r
}

func TestMathModeOf(t *testing.T) {
	s := modeSubjects[os.Getenv("GAMMA_TEST_MODE")]
	if s == nil {
		t.Skip("GAMMA_TEST_MODE names no subject: only a child of TestMathModes runs this")
	}
	s.Check(t)
}

// TestMathModes: the summary line of a shader says in which math mode it was judged, whether it passes or not, and what breaks in Metal's default;
// that fails the test only if both modes count.
func TestMathModes(t *testing.T) {
	const broken = "; in fast, Metal's default, sum.compensated fails: "
	for name, want := range map[string]struct {
		passes    bool
		says, not []string
	}{
		"kahan":    {passes: true, says: []string{"math mode safe" + broken}, not: []string{"@fast"}},
		"plain":    {passes: true, says: []string{"math mode safe; in fast, Metal's default, ", "cases found no fault; seed fixed; summary in"}},
		"wrong":    {says: []string{"math mode safe; seed"}, not: []string{"default"}}, // all that is left to break fails in safe mode
		"infinite": {says: []string{"violates sum.special", "math mode safe" + broken}, not: []string{"default, sum.special", "@fast"}},
		"both":     {says: []string{"math mode safe; seed", "math mode fast, which BothModes asks for; seed", "mode.metal#kahan@fast violates sum.compensated", "reassoc"}, not: []string{"default", "passes in a new process"}},
		"sound":    {passes: true, says: []string{"math mode safe; seed", "math mode fast, which BothModes asks for; seed"}, not: []string{"default"}},
		"fast":     {passes: true, says: []string{"math mode fast; seed"}, not: []string{"default"}},
		"pragma":   {passes: true, says: []string{"math mode safe; in fast, Metal's default, ", "cases found no fault; seed"}},
		"hardware": {passes: true, says: []string{"math mode safe; seed"}, not: []string{"default"}},
		"dot":      {passes: true, says: []string{"math mode safe; seed", "math mode fast, which BothModes asks for; seed"}}, // contracted in either
		"twosum":   {passes: true, says: []string{"math mode safe; in fast, Metal's default, eft.sum fails: "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, text, passed := runFake(t, "sound", "^TestMathModeOf$", "GAMMA_TEST_MODE="+name)
			require.Equal(t, want.passes, passed, "%s", text)
			for _, s := range want.says {
				require.Contains(t, text, s)
			}
			for _, s := range want.not {
				require.NotContains(t, text, s)
			}
			require.Equal(t, strings.Count(text, "summary in"), strings.Count(text, "math mode "))
			file, _, _ := strings.Cut(text[strings.Index(text, "summary in ")+len("summary in "):], "\n")
			summary, err := os.ReadFile(file)
			require.NoError(t, err)
			lines, err := os.ReadFile(strings.TrimSuffix(file, "txt") + "jsonl")
			require.NoError(t, err)
			require.Contains(t, string(lines), `"math_mode":"`)
			line, _, _ := strings.Cut(text[strings.Index(text, "math mode "):], "; seed")
			require.Contains(t, string(summary), line)
		})
	}
}

// TestShardsOfModes: shards say with the first block of each law what the default math mode shows, so that merged they say what one shard does.
func TestShardsOfModes(t *testing.T) {
	t.Setenv("GAMMA_CHECKS", "2500") // two blocks
	t.Setenv("GAMMA_SAVE", "off")
	for name, want := range map[string]string{"kahan": "in fast, Metal's default, sum.compensated fails: ", "plain": " cases found no fault"} {
		one := ""
		for _, n := range []int{1, 3} {
			dir := t.TempDir()
			t.Setenv("GAMMA_DIR", dir)
			for i := range n {
				t.Setenv("GAMMA_SHARD", fmt.Sprintf("%d/%d", i+1, n))
				modeSubjects[name].Check(t)
				require.NoError(t, engine.EndShards(0))
			}
			files, err := merge.Files([]string{dir})
			require.NoError(t, err)
			r := merge.Read(files)
			require.Empty(t, r.Problems)
			require.Len(t, r.Subjects, 1)
			require.Contains(t, r.Subjects[0].DefaultMode, want)
			if one == "" {
				one = r.Subjects[0].DefaultMode
			}
			require.Equal(t, one, r.Subjects[0].DefaultMode, "%d shards", n)
		}
	}
}
