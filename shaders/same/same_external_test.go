package same_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/sim"
	"gamma/model"
	"gamma/shaders"
	"gamma/shaders/same"
)

var few = map[string]bool{
	"shaders/sum.metal#tree": true, "shaders/dd.metal#times_dw3": true, "shaders/modular.metal#mont_mul": true, "shaders/ntt.metal#stages31": true,
}

// pair is a simulator of a behaviour, and a plain one.
func pair(t *testing.T, b model.Behaviour) same.Pair {
	t.Helper()
	d, r := sim.New(sim.Options{NoChecks: true, Behaviour: b}), sim.New(sim.Options{NoChecks: true})
	p := same.Pair{
		Device: shaders.NewRunner(d), Reference: shaders.NewRunner(r), Sizes: []int{1, 33, 1000}, Launches: 2,
		Only: func(name string) bool { return few[name] },
	}
	t.Cleanup(func() { p.Device.Release(); p.Reference.Release(); d.Release(); r.Release() })
	return p
}

// TestSame finds no difference between two simulators.
func TestSame(t *testing.T) {
	p := pair(t, model.Behaviour{})
	alike, open := p.Kernels(t)
	require.Positive(t, alike)
	require.Zero(t, open)
	require.Positive(t, p.Operations(t))
	require.Positive(t, p.Modulars(t))
	require.Positive(t, p.NTTs(t))
}

// differs is set in a process that is to find differences.
const differs = "GAMMA_SAME_DIFFERS"

// TestDiffers: a device that flushes subnormals is told from one that does not.
func TestDiffers(t *testing.T) {
	if os.Getenv(differs) == "" {
		self, err := os.Executable()
		require.NoError(t, err)
		cmd := exec.Command(self, "-test.run=^TestDiffers$", "-test.v")
		cmd.Env = append(os.Environ(), differs+"=1")
		out, err := cmd.CombinedOutput()
		require.Error(t, err, "no difference was found:\n%s", out)
		require.Contains(t, string(out), "--- FAIL: TestDiffers/shaders/dd.metal#times_dw3")
		require.Contains(t, string(out), "reference")
		return
	}
	pair(t, model.Behaviour{Flush: model.Flush{In: true, Out: true}}).Operations(t)
}
