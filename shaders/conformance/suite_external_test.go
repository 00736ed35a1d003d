package conformance_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/sim"
	"gamma/model"
	"gamma/shaders"
	"gamma/shaders/conformance"
)

var few = map[string]bool{
	"shaders/sum.metal#tree": true, "shaders/dd.metal#times_dw3": true, "shaders/modular.metal#mont_mul": true, "shaders/ntt.metal#stages31": true,
}

// suite compares a simulator of a behaviour with a plain one.
func suite(t *testing.T, b model.Behaviour) conformance.Suite {
	t.Helper()
	d, r := sim.New(sim.Options{NoChecks: true, Behaviour: b}), sim.New(sim.Options{NoChecks: true})
	s := conformance.Suite{
		Device: shaders.NewRunner(d), Reference: shaders.NewRunner(r), Sizes: []int{1, 33, 1000}, Launches: 2,
		Filter: func(name string) bool { return few[name] },
	}
	t.Cleanup(func() { s.Device.Release(); s.Reference.Release(); d.Release(); r.Release() })
	return s
}

// TestNoDifference finds no difference between two simulators.
func TestNoDifference(t *testing.T) {
	s := suite(t, model.Behaviour{})
	alike, open := s.Kernels(t)
	require.Positive(t, alike)
	require.Zero(t, open)
	require.Positive(t, s.Operations(t))
	require.Positive(t, s.Modulars(t))
	require.Positive(t, s.NTTs(t))
}

// differs is set in the environment of a process that has to find differences.
const differs = "GAMMA_CONFORMANCE_DIFFERS"

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
	suite(t, model.Behaviour{Flush: model.Flush{In: true, Out: true}}).Operations(t)
}
