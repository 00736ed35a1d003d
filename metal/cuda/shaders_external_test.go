package cuda_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/cuda"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/shaders"
	"gamma/shaders/conformance"
)

// open opens the GPU, or skips with the reason.
func open(tb testing.TB, o cuda.Options) *cuda.Device {
	tb.Helper()
	d, err := cuda.Open(o)
	if err != nil {
		if gone := (*cuda.Error)(nil); errors.As(err, &gone) && gone.Lost {
			tb.Fatal(err)
		}
		tb.Skip(err)
	}
	tb.Cleanup(d.Release)
	return d
}

// newPair is the GPU and the simulator, which count into the record.
func newPair(t *testing.T, b model.Behaviour) conformance.Suite {
	t.Helper()
	gpu := open(t, cuda.Options{Behaviour: b})
	p := gpu.Properties()
	t.Logf("%s: %s; %s", p.Name, p.Detail, p.Behaviour)
	s := sim.New(sim.Options{NoChecks: true, Behaviour: b})
	rec := newRecord(t, gpu)
	r := conformance.Suite{Device: shaders.NewRunner(gpu), Reference: shaders.NewRunner(s), Sizes: sizes(), Count: func(name string, alike, open int) {
		rec.on(name, func(x *row) {
			x.Same += alike
			if open > 0 {
				x.differs(differOrder, open)
			}
		})
	}}
	t.Cleanup(func() { r.Device.Release(); r.Reference.Release(); s.Release() })
	return r
}

// sizes are numbers of leaves and rows.
func sizes() []int {
	list := []int{1, 2, 31, 33, 1000}
	if thorough() {
		list = append(list, 1<<16+3)
	}
	return list
}

// equal says whether two results have the same bits, or are both NaN.
func equal(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b }

// TestCUDAKernels compares every sum and dot product with the simulator. Those that do not claim to repeat may differ, and are counted.
func TestCUDAKernels(t *testing.T) { newPair(t, model.Behaviour{}).Kernels(t) }

// TestCUDAOperations compares every operation on words with the simulator.
func TestCUDAOperations(t *testing.T) { newPair(t, model.Behaviour{}).Operations(t) }

// TestCUDAModular compares every operation on residues with the simulator, at several moduli.
func TestCUDAModular(t *testing.T) { newPair(t, model.Behaviour{}).Modulars(t) }

// TestCUDANTT compares every transform with the simulator.
func TestCUDANTT(t *testing.T) { newPair(t, model.Behaviour{}).NTTs(t) }

// TestCUDABehaviours holds what the probes find to what kernels are printed for.
func TestCUDABehaviours(t *testing.T) {
	flush := model.Flush{In: true, Out: true}
	for _, b := range []model.Behaviour{{}, {Contract: model.ContractStatement}, {Contract: model.ContractFast}, {Flush: flush}} {
		d := open(t, cuda.Options{Behaviour: b})
		p := d.Properties()
		t.Logf("asked for %s: %s; %s; %#v", b, p.Detail, p.Behaviour, d.Found())
		require.Equal(t, b.Contract, p.Behaviour.Contract)
		require.Equal(t, b.Flush.In, p.Behaviour.Flush.In)
		require.Equal(t, b.Flush.Out, p.Behaviour.Flush.Out)
		require.Equal(t, model.NearestEven, p.Behaviour.Rounding)
		require.True(t, d.Found().FMA)
		d.Release()
	}
}

const hostile = `#include <metal_stdlib>
using namespace metal;
kernel void past(device uint* out [[buffer(0)]], constant ulong& at [[buffer(1)]]) { out[at] = 1; }
kernel void forever(device atomic_uint* out [[buffer(0)]]) { while (atomic_load_explicit(out, memory_order_relaxed) != 7u) {} }
kernel void good(device uint* out [[buffer(0)]]) { out[0] = 5; }
`

// TestCUDAHostile runs printed kernels that fault or never end in a child; the device goes on after each.
func TestCUDAHostile(t *testing.T) {
	d := open(t, cuda.Options{Isolate: true, Timeout: 2 * time.Second})
	l, err := d.NewLibrary(hostile, metal.CompileOptions{})
	require.NoError(t, err)
	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	b, err := d.NewBufferWithBytes(make([]byte, 16))
	require.NoError(t, err)
	run := func(name string) error {
		f, err := l.NewFunction(name, nil)
		require.NoError(t, err)
		p, err := d.NewComputePipelineState(f)
		require.NoError(t, err)
		c, err := q.CommandBuffer()
		require.NoError(t, err)
		e, err := c.ComputeCommandEncoder(metal.Serial)
		require.NoError(t, err)
		one := metal.Size{X: 1, Y: 1, Z: 1}
		require.NoError(t, errors.Join(e.SetComputePipelineState(p), e.SetBuffer(b, 0, 0), e.SetBytes([]byte{0, 0, 0, 0, 0, 16, 0, 0}, 1),
			e.DispatchThreadgroups(one, one), e.EndEncoding(), c.Commit()))
		return c.WaitUntilCompleted()
	}
	require.NoError(t, run("good"))
	for _, name := range []string{"past", "forever"} {
		err := run(name)
		t.Logf("%s: %v", name, err)
		require.Error(t, err)
		require.NoError(t, run("good"))
		got := make([]byte, 4)
		require.NoError(t, b.Read(0, got))
		require.Equal(t, byte(5), got[0])
	}
}

// TestCUDAStickyAlone loses a context in a process of its own, without isolation.
func TestCUDAStickyAlone(t *testing.T) {
	open(t, cuda.Options{}).Release()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "-test.run=^TestCUDASticky$", "-test.v")
	cmd.Env = append(os.Environ(), "GAMMA_CUDA_STICKY=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.True(t, strings.Contains(string(out), "PASS: TestCUDASticky"), "%s", out)
	t.Logf("%s", out)
}

// Example opens the first GPU, if there is one.
func Example() {
	d, err := cuda.Open(cuda.Options{})
	if err != nil {
		return // the reason to skip with
	}
	defer d.Release()
	fmt.Println(d.Properties().Kind)
}
