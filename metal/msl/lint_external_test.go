package msl_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/msl"
	"gamma/model"
)

var wanted = regexp.MustCompile(`want (\d+) ([a-z-]+) ((?:[^/*]|\*[^/]|/[^*/])*)`)

// TestLint compares what is found in each file of testdata/lint with what its comments want: `want COLUMN KIND TEXT` of a finding in that
// line. The first line may say fast, for the fast modes, or repeatable.
func TestLint(t *testing.T) {
	names, err := filepath.Glob("testdata/lint/*.metal")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	kinds := map[model.FindingKind]int{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		o := msl.LintOptions{Options: msl.Options{FileName: name}}
		lines := strings.Split(string(text), "\n")
		switch lines[0] {
		case "// fast":
			o.MathMode, o.MathFunctions = metal.MathFast, metal.FunctionsFast
		case "// repeatable":
			o.Repeatable = true
		}
		found, err := msl.Lint(string(text), o)
		require.NoError(t, err)
		var want, got []string
		for i, line := range lines {
			for _, m := range wanted.FindAllStringSubmatch(line, -1) {
				at := fmt.Sprintf("%d:%s %s ", i+1, m[1], m[2])
				text := strings.TrimSpace(m[3])
				for _, f := range found {
					if fmt.Sprintf("%d:%d %s ", f.Pos.Line, f.Pos.Column, f.Kind) == at && !strings.Contains(f.String(), text) {
						t.Errorf("%s: the finding does not say %q", f, text)
					}
				}
				want = append(want, at)
			}
		}
		for _, f := range found {
			require.Equal(t, name, f.Pos.File)
			require.NotEmpty(t, f.Fix)
			got = append(got, fmt.Sprintf("%d:%d %s ", f.Pos.Line, f.Pos.Column, f.Kind))
			kinds[f.Kind]++
		}
		require.Equal(t, want, got, "%s:\n%s", name, found.Error())
	}
	for _, k := range []model.FindingKind{
		model.FindingLiteral, model.FindingScaling, model.FindingTransform, model.FindingOrder, model.FindingPartialProduct, model.FindingBarrierScope, model.FindingAllowance,
	} {
		require.NotZero(t, kinds[k], "no file has %s", k)
	}
}

// TestLintRefusals: what cannot be looked at is an error, with the findings of what can.
func TestLintRefusals(t *testing.T) {
	_, err := msl.Lint("kernel void k(", msl.LintOptions{})
	require.ErrorContains(t, err, "program_source:1:")
	_, err = msl.Lint("inline float f(float x) { return x * 0.1f; }", msl.LintOptions{Options: msl.Options{FileName: "f.h"}})
	require.ErrorContains(t, err, "f.h:1:1: error: there is no kernel")
	_, err = msl.Lint("kernel void k() {}", msl.LintOptions{Constants: metal.FunctionConstants{0: true}})
	require.ErrorContains(t, err, "no function constant has index 0")
	found, err := msl.Lint(`
kernel void endless(device float* x) { threadgroup float t[9000000]; t[0] = x[1]; x[0] = t[0]; }
kernel void k(device float* x) { x[0] = x[1] * 0.33333334f; }`, msl.LintOptions{})
	require.Error(t, err)
	require.Len(t, found, 1)
}

// TestLintWithConstants: a function constant with a value has that alone.
func TestLintWithConstants(t *testing.T) {
	text, err := os.ReadFile("testdata/lint/constants.metal")
	require.NoError(t, err)
	found, err := msl.Lint(string(text), msl.LintOptions{Constants: metal.FunctionConstants{"wide": true, "scale": float32(2)}})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, 11, found[0].Pos.Line)
}

// TestLintIsBounded: a source that doubles the work at each step, if anything is looked at twice, and one of many branches and accesses.
func TestLintIsBounded(t *testing.T) {
	var s strings.Builder
	s.WriteString("using namespace metal;\nkernel void k(device ulong* x, device float* f, uint i [[thread_position_in_grid]]) {\nulong a = x[0], q = x[1], c = x[2], d = x[3]; float b = f[0];\n")
	for n := range 1000 {
		fmt.Fprintf(&s, "c = min(c & d, d & c); b = (b + b) * b;\nif (a > %d) { a = a %% q; b += f[i + %d]; f[i] = b; threadgroup_barrier(mem_flags::mem_device); }\n", n, n)
	}
	s.WriteString("x[0] = (a % q) * c % q; f[0] = b;\n}\n")
	found, err := msl.Lint(s.String(), msl.LintOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, found)
}

// TestLintLeavesOutSlowBarriers: where a pointer or an index takes more passes than there are to come round a loop, no barrier is looked at.
func TestLintLeavesOutSlowBarriers(t *testing.T) {
	for name, c := range map[string]struct{ declare, last, load string }{
		"pointers": {"device float* p%d = x;", "y", "p0[1]"},
		"indices":  {"uint p%d = 0;", "i", "x[p0]"},
	} {
		for _, long := range []int{20, 200} {
			var s strings.Builder
			s.WriteString("using namespace metal;\nkernel void k(device float* x, device float* y, device uint* n, uint i [[thread_position_in_grid]]) {\n")
			for j := range long {
				fmt.Fprintf(&s, c.declare+"\n", j)
			}
			s.WriteString("for (uint l = 0; l < n[0]; l++) {\n")
			for j := range long - 1 {
				fmt.Fprintf(&s, "p%d = p%d;\n", j, j+1)
			}
			fmt.Fprintf(&s, "p%d = %s;\n}\n", long-1, c.last)
			fmt.Fprintf(&s, "x[i] = 1.0f;\nthreadgroup_barrier(mem_flags::mem_device);\nx[i + 1] = x[0] + %s;\n}\n", c.load)
			found, err := msl.Lint(s.String(), msl.LintOptions{})
			require.NoError(t, err)
			require.Equal(t, long == 20, len(found) > 0, "%s, %d", name, long)
		}
	}
}

func ExampleLint() {
	const source = `#include <metal_stdlib>
using namespace metal;

kernel void mean(device const float* x [[buffer(0)]], device atomic_float* sum [[buffer(1)]],
                 device half* y [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    atomic_fetch_add_explicit(sum, x[i], memory_order_relaxed);
    y[i] = y[i] * 0.3;
}
`
	found, err := msl.Lint(source, msl.LintOptions{Options: msl.Options{FileName: "mean.metal"}, Repeatable: true})
	if err != nil {
		fmt.Println(err)
	}
	for _, f := range found {
		fmt.Printf("%s: %s\n\t%s\n\t%s\n", f.Pos, f.Kind, f.Text, f.Fix)
	}
	// Output:
	// mean.metal:6:5: order
	// 	threads reach this atomic addition of floats in another order in every run, and each order rounds differently
	// 	let each thread write its part to a place of its own, and add the parts in a fixed order
	// mean.metal:7:19: literal
	// 	0.3 is a float, so that this is computed in float and then rounded to half
	// 	write 0.3h, or say float(x) where float is meant
}

// TestLintAllowsInFolders reads the comments of headers from a folder, too.
func TestLintAllowsInFolders(t *testing.T) {
	const source = "#include \"lib/h.h\"\nkernel void k(device float *x) { x[0] = third(x[0]); }"
	header := "inline float third(float x) { return x * (1.0f / 3.0f); }"
	for comment, n := range map[string]int{"": 1, " // gamma:allow scaling: as the library has it": 0} {
		files := fstest.MapFS{"lib/h.h": {Data: []byte(header + comment + "\n")}}
		found, err := msl.Lint(source, msl.LintOptions{Options: msl.Options{FileName: "k.metal", HeaderFiles: files}})
		require.NoError(t, err)
		require.Len(t, found, n, "%s", found.Error())
		if n == 1 {
			require.Equal(t, "lib/h.h", found[0].Pos.File)
		}
	}
}
