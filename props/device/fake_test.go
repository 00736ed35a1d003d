package device_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/internal/devices"
)

// fake is hardware for tests: a simulator that nobody can tell how to behave. What it does is is, and what it says that it does is says.
type fake struct {
	metal.Device
	sim  *sim.Device
	says model.Behaviour
	// shuffled: the order of threads is another one in every queue.
	shuffled bool
	queues   atomic.Uint64
}

// newFake returns hardware that behaves as it says.
func newFake(b model.Behaviour) *fake { return newLiar(b, b) }

// newLiar returns hardware whose self-test found says, and that does is.
func newLiar(says, is model.Behaviour) *fake {
	s := sim.New(sim.Options{NoChecks: true, Workers: 1, Steps: 1 << 27, Behaviour: is})
	says.Order = "accesses"
	return &fake{Device: s, sim: s, says: says}
}

func (f *fake) Properties() metal.Properties {
	p := f.Device.Properties()
	p.Kind, p.Name, p.Detail, p.Behaviour = "fake", "Fake GPU", "driver 0.1", f.says
	return p
}

func (f *fake) NewCommandQueue() (metal.CommandQueue, error) {
	if !f.shuffled {
		return f.Device.NewCommandQueue()
	}
	b := f.sim.Behaviour()
	b.Order, b.Seed = "accesses", f.queues.Add(1)
	return f.sim.With(b).NewCommandQueue()
}

// fakes are the devices of kind "fake", by what GAMMA_TEST_FAKE says; only processes that tests start have that variable.
var fakes = map[string]func() (metal.Device, error){
	// sound is what it says: a plain device.
	"sound": func() (metal.Device, error) { return newFake(model.Behaviour{}), nil },
	// flushes subnormal numbers and does not say so.
	"flushes": func() (metal.Device, error) {
		return newLiar(model.Behaviour{}, model.Behaviour{Flush: model.Flush{In: true, Out: true}}), nil
	},
	// rounds toward zero and does not say so.
	"rounds": func() (metal.Device, error) {
		return newLiar(model.Behaviour{}, model.Behaviour{Rounding: model.TowardZero}), nil
	},
	"forgetful": func() (metal.Device, error) { return forgetful{newFake(model.Behaviour{}), new([]byte)}, nil },
	"rare":      func() (metal.Device, error) { return rare{newFake(model.Behaviour{})}, nil },
	"absent":    func() (metal.Device, error) { return nil, errors.New("fake: libfake.so.1: no such file") },
}

// otherArithmetic rounds, flushes and fuses otherwise than the plain one.
var otherArithmetic = model.Behaviour{Rounding: model.TowardZero, Flush: model.Flush{In: true, Out: true}, Contract: model.ContractFast}

func init() {
	if how := os.Getenv("GAMMA_TEST_FAKE"); how != "" {
		metal.Register("fake", fakes[how])
	}
}

// TestFakeShader judges the shaders of package shaders on each device, where runFake asks for it.
func TestFakeShader(t *testing.T) {
	if os.Getenv("GAMMA_TEST_FAKE") == "" {
		t.Skip("only a child of runFake runs it: TestPropShader… of package builtin judge these shaders on real devices")
	}
	devices.OnEach(t, func(t *testing.T, dev metal.Device) { props.CheckAll(t, builtin.Subjects[props.Subject](dev)...) })
}

// runFake runs tests of this binary in a process that has a fake device, in an empty folder, with further variables; it returns the
// folder, what it printed, and whether it passed.
func runFake(t *testing.T, how, tests string, env ...string) (dir, text string, passed bool) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	dir = t.TempDir()
	if test, subject, ok := strings.Cut(tests, "/"); ok { // on hardware subjects are below its kind
		tests += "|" + test + "/^fake$/" + subject
	}
	cmd := exec.Command(self, "-test.run="+tests, "-test.v", "-test.count=1")
	cmd.Dir = dir
	cmd.Env = append([]string{"GAMMA_TEST_FAKE=" + how, "GAMMA_DIR=" + filepath.Join(dir, "runs"), "PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}, env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return dir, string(out), err == nil
}
