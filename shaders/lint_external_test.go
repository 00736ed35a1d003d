package shaders_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/msl"
	"gamma/model"
	"gamma/shaders"
)

// headers returns the sources that a source may include.
func headers(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"*.h", "*.metal"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, names)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			all[name] = string(text)
		}
	}
	return all
}

// modes are the options under which sources are linted: what a lint finds depends on what the compiler may do.
var modes = []metal.CompileOptions{{}, {MathMode: metal.MathFast, MathFunctions: metal.FunctionsFast}}

// TestLintFindsNothing: in our own sources, in any mode, and of kernels that claim to repeat no sum in an open order.
func TestLintFindsNothing(t *testing.T) {
	all := headers(t)
	for name, text := range all {
		if !strings.HasSuffix(name, ".metal") {
			continue
		}
		for _, o := range modes {
			o.Headers, o.FileName = all, name
			found, err := msl.Lint(text, msl.LintOptions{Options: msl.Options(o)})
			require.NoError(t, err, name)
			require.Empty(t, found, "%s, %s mode", name, o.MathMode)
		}
	}
	repeat := 0
	for _, k := range shaders.All() {
		if !k.Claim.Repeats {
			continue
		}
		repeat++
		o := msl.Options(k.Options)
		found, err := msl.Lint(k.Source, msl.LintOptions{Options: o, Repeatable: true})
		require.NoError(t, err, k.Name)
		for _, f := range found {
			require.NotEqual(t, k.Function, f.Kernel, "%s claims to repeat: %s", k.Name, f)
		}
	}
	require.NotZero(t, repeat)
}

// TestLintFindsMutants: the faults of mutants that show in the source alone are found, and nothing else in the other mutants.
func TestLintFindsMutants(t *testing.T) {
	want := map[string]model.FindingKind{
		"atomic_order":         model.FindingOrder,
		"dd_open":              model.FindingTransform,
		"eft_open":             model.FindingTransform,
		"kahan_open":           model.FindingTransform,
		"twosum_open":          model.FindingTransform,
		"grid_barrier":         model.FindingBarrierScope,
		"ntt_one_dispatch":     model.FindingBarrierScope,
		"mod_partial_products": model.FindingPartialProduct,
		"mod_radix_squared":    model.FindingPartialProduct,
	}
	names, err := filepath.Glob("mutants/*.metal")
	require.NoError(t, err)
	require.Greater(t, len(names), len(want))
	all := headers(t)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		fault := strings.TrimSuffix(filepath.Base(name), ".metal")
		for _, o := range modes {
			o.Headers, o.FileName = all, name
			found, err := msl.Lint(string(text), msl.LintOptions{Options: msl.Options(o), Repeatable: want[fault] == model.FindingOrder})
			require.NoError(t, err, name)
			if want[fault] == "" {
				require.Empty(t, found, name)
				continue
			}
			require.NotEmpty(t, found, "%s, %s mode", name, o.MathMode)
			for _, f := range found {
				require.Equal(t, want[fault], f.Kind, "%s", f)
			}
		}
	}
}
