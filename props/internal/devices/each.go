// Package devices holds what subjects of shaders have in common: which devices a test runs on, what a device admits, the simulator that stands
// beside hardware, and sizes of parameters in text.
package devices

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"gamma/metal"
	"gamma/props/internal/engine"
)

func init() { engine.DevicesFrom(metal.Kinds) }

// OnEach runs f on every device that -gamma.device chooses. The simulator is dev = nil, and f's test is then t itself; on
// another one, which is opened once in a process and shared, it is a subtest named by the device's kind.
//
// Without the flag these are the simulator and whatever hardware is linked into the test and present; what is not present is noted once, in
// the log and in the summary, with what is missing. OpenCL has to be named: on machines without a GPU it is another compiler for the same
// processor, takes minutes for all shaders, and PoCL ends the whole process where it finds no linker. A device that the flag names fails
// the test if it is not there.
func OnEach(t *testing.T, f func(t *testing.T, dev metal.Device)) {
	t.Helper()
	named, err := engine.Devices()
	if err != nil {
		t.Error(err)
		return
	}
	list, simulator := chosen(named)
	if len(list) == 0 && !simulator {
		t.Skipf("%s runs on devices, and -gamma.device (or GAMMA_DEVICE) is %q", t.Name(), strings.Join(named, ","))
	}
	for _, kind := range list {
		switch dev, err := shared(kind); {
		case err == nil:
			t.Run(kind, func(t *testing.T) { f(t, dev) })
		case named != nil:
			engine.NoteAbsent(kind, err.Error())
			told := false
			t.Run(kind, func(t *testing.T) {
				told = true
				t.Error(err)
			})
			if !told { // -run names tests of another device
				t.Error(err)
			}
		case engine.NoteAbsent(kind, err.Error()):
			t.Logf("nothing is judged on %s: %v", kind, err)
		}
	}
	if simulator { // last, since what skips the test ends it
		f(t, nil)
	}
}

// First returns the first device that -gamma.device names, for a fuzz target: nil is the simulator, which is first without the flag. It
// skips a target if there is none, and fails one whose device is not there.
func First(f *testing.F) (dev metal.Device) {
	f.Helper()
	named, err := engine.Devices()
	if err != nil {
		f.Fatal(err)
	}
	if named == nil {
		return nil
	}
	for _, kind := range named {
		switch kind {
		case "cpu":
			continue
		case "sim":
			return nil
		}
		if dev, err = shared(kind); err != nil {
			f.Fatal(err)
		}
		return dev
	}
	f.Skipf("%s runs on devices, and -gamma.device (or GAMMA_DEVICE) is %q", f.Name(), strings.Join(named, ","))
	return nil
}

// chosen parts what the flag names into kinds of hardware and the simulator. nil is all that is linked in, without OpenCL.
func chosen(named []string) (hardware []string, simulator bool) {
	if named == nil {
		named = append(slices.DeleteFunc(metal.Kinds(), func(kind string) bool { return kind == "opencl" }), "sim")
	}
	for _, kind := range named {
		switch {
		case kind == "sim":
			simulator = true
		case kind != "cpu" && !slices.Contains(hardware, kind):
			hardware = append(hardware, kind)
		}
	}
	return hardware, simulator
}

// opened are the devices of this process, by kind. They stay open.
var opened sync.Map

// shared returns the process's device of a kind, or why there is none.
func shared(kind string) (metal.Device, error) {
	once, _ := opened.LoadOrStore(kind, sync.OnceValues(func() (metal.Device, error) { return openKind(kind) }))
	return once.(func() (metal.Device, error))()
}

// packages are those that link a kind in.
var packages = map[string]string{"cuda": "gamma/metal/cuda", "metal": "gamma/metal/apple", "opencl": "gamma/metal/opencl"}

// openKind opens a device. The error of one that is not linked in names the import that does it.
func openKind(kind string) (metal.Device, error) {
	if pkg := packages[kind]; pkg != "" && !slices.Contains(metal.Kinds(), kind) {
		where := ""
		if kind == "metal" {
			where = ", on a Mac"
		}
		return nil, fmt.Errorf("device: no device of kind %q is linked into this test: import _ %q in a test file%s", kind, pkg, where)
	}
	d, err := metal.Open(kind)
	if err != nil {
		return nil, fmt.Errorf("device: %s is not here: %w", kind, err)
	}
	return d, nil
}
