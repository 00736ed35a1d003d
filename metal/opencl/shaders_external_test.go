package opencl_test

import (
	"os"
	"strings"
	"testing"

	"gamma/metal/opencl"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/shaders"
	"gamma/shaders/conformance"
)

// open opens the device, or skips with the reason. PoCL passes the self-test, or something is wrong here.
func open(tb testing.TB, o opencl.Options) *opencl.Device {
	tb.Helper()
	d, err := opencl.Open(o)
	if err != nil && strings.Contains(err.Error(), "self-test") && strings.Contains(err.Error(), "Portable Computing Language") {
		tb.Fatal(err)
	} else if err != nil {
		tb.Skip(err)
	}
	tb.Cleanup(d.Release)
	return d
}

func thorough() bool { return os.Getenv("GAMMA_LEVEL") == "thorough" }

// few are the shaders of the short level: compiling takes the driver half a second for each kernel and size of threadgroup.
var few = map[string]bool{
	"shaders/sum.metal#tree": true, "shaders/sum.metal#half": true, "shaders/sum.metal#simd": true, "shaders/dd.metal#div_dw3": true,
	"shaders/modular.metal#mont_mul_wide": true, "shaders/ntt.metal#tiled31": true,
}

// refused is what the printer refuses in OpenCL C.
func refused(err error) string {
	if strings.Contains(err.Error(), "is refused in OpenCL C") {
		return err.Error()
	}
	return ""
}

func newPair(t *testing.T) conformance.Suite {
	t.Helper()
	d := open(t, opencl.Options{})
	props := d.Properties()
	t.Logf("%s: %s; %s", props.Name, props.Detail, props.Behaviour)
	s := sim.New(sim.Options{NoChecks: true})
	p := conformance.Suite{Device: shaders.NewRunner(d), Reference: shaders.NewRunner(s), Sizes: []int{1, 2, 33, 1000}, Unsupported: refused}
	if thorough() {
		p.Sizes = append(p.Sizes, 31, 1<<16+3)
	} else {
		p.Launches, p.Filter = 2, func(name string) bool { return few[name] }
	}
	t.Cleanup(func() { p.Device.Release(); p.Reference.Release(); s.Release() })
	return p
}

// TestOpenCLKernels compares sums and dot products with the simulator.
func TestOpenCLKernels(t *testing.T) { newPair(t).Kernels(t) }

// TestOpenCLOperations compares operations on words with the simulator.
func TestOpenCLOperations(t *testing.T) { newPair(t).Operations(t) }

// TestOpenCLModular compares operations on residues with the simulator.
func TestOpenCLModular(t *testing.T) { newPair(t).Modulars(t) }

// TestOpenCLNTT compares transforms with the simulator.
func TestOpenCLNTT(t *testing.T) { newPair(t).NTTs(t) }

// TestOpenCLBehaviours: what the probes find is what kernels are printed for.
func TestOpenCLBehaviours(t *testing.T) {
	list := []model.Behaviour{{Contract: model.ContractFast}, {Flush: model.Flush{In: true, Out: true}}}
	if thorough() {
		list = append(list, model.Behaviour{Contract: model.ContractStatement}, model.Behaviour{Flush: model.Flush{Out: true}})
	}
	for _, b := range list {
		d := open(t, opencl.Options{Behaviour: b})
		p := d.Properties()
		t.Logf("asked for %s: %s; %#v", b, p.Behaviour, d.Found())
		if got := p.Behaviour; got.Contract != b.Contract || got.Flush.In != b.Flush.In || got.Flush.Out != b.Flush.Out {
			t.Errorf("asked for %s, found %s", b, got)
		}
		d.Release()
	}
}
