package cuda

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/internal/emit"
	"gamma/metal/internal/offload"
	"gamma/metal/msl/ir"
)

// Tests with a GPU whose kernels are written by hand in CUDA C++, so that what fails is not the printer. They are declared in Metal for their
// arguments only.
const handSource = `#include <metal_stdlib>
using namespace metal;
kernel void empty(device uint* out [[buffer(0)]]) {}
kernel void fill(device uint* out [[buffer(0)]], constant uint& v [[buffer(1)]], uint i [[thread_position_in_grid]]) { out[i] = v + i; }
kernel void copy(device float4* out [[buffer(0)]], device const float4* in [[buffer(1)]], uint i [[thread_position_in_grid]]) { out[i] = in[i]; }
kernel void forever(device uint* out [[buffer(0)]]) { out[0] = 1; }
kernel void wild(device uint* out [[buffer(0)]]) { out[0] = 1; }
kernel void shared(device uint* out [[buffer(0)]], threadgroup uint* t [[threadgroup(0)]], uint i [[thread_position_in_threadgroup]]) { out[i] = t[i]; }
`

//go:embed testdata/hand.cu
var handText string

// handPrint takes kernels from testdata/hand.cu.
func handPrint(k *ir.Kernel, _ emit.Options) (*emit.Program, error) {
	p, err := fakePrint(k, emit.Options{})
	p.Text, p.Flags = handText, []string{"--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"}
	return p, err
}

// onGPU opens the GPU with kernels by hand, or skips.
func onGPU(tb testing.TB, o Options) *Device {
	tb.Helper()
	o, err := o.filled()
	require.NoError(tb, err)
	var b offload.Driver
	var i about
	if o.Isolate {
		b, i, err = openIsolated(o, nil)
	} else {
		var l *libraries
		if l, err = load(); err == nil {
			var e *local
			if e, err = openLocal(l, o, newImages(os.Getenv)); err == nil {
				b, i = backend{e}, e.about()
			}
		}
	}
	if err != nil {
		tb.Skip(err)
	}
	d, err := newDevice(o, b, i, handPrint)
	require.NoError(tb, err)
	tb.Cleanup(d.Release)
	return d
}

// hand is a device with the kernels by hand.
type hand struct {
	tb testing.TB
	d  *Device
	l  metal.Library
	q  metal.CommandQueue
}

func newHand(tb testing.TB, o Options) *hand {
	tb.Helper()
	h := &hand{tb: tb, d: onGPU(tb, o)}
	var err error
	h.l, err = h.d.NewLibrary(handSource, metal.CompileOptions{})
	require.NoError(tb, err)
	h.q, err = h.d.NewCommandQueue()
	require.NoError(tb, err)
	return h
}

func (h *hand) pipeline(name string) metal.ComputePipelineState {
	h.tb.Helper()
	f, err := h.l.NewFunction(name, nil)
	require.NoError(h.tb, err)
	p, err := h.d.NewComputePipelineState(f)
	require.NoError(h.tb, err)
	return p
}

// run runs one kernel, times dispatches.
func (h *hand) run(p metal.ComputePipelineState, grid, group, times int, bind func(e metal.ComputeCommandEncoder) error) (time.Duration, error) {
	h.tb.Helper()
	c, err := h.q.CommandBuffer()
	require.NoError(h.tb, err)
	e, err := c.ComputeCommandEncoder(metal.Serial)
	require.NoError(h.tb, err)
	require.NoError(h.tb, e.SetComputePipelineState(p))
	require.NoError(h.tb, bind(e))
	for range times {
		require.NoError(h.tb, e.DispatchThreads(metal.Size{X: grid, Y: 1, Z: 1}, metal.Size{X: group, Y: 1, Z: 1}))
	}
	require.NoError(h.tb, e.EndEncoding())
	require.NoError(h.tb, c.Commit())
	err = c.WaitUntilCompleted()
	return c.GPUTime(), err
}

// TestCUDAHand runs kernels by hand: an argument of SetBytes, a grid that does not divide, shared memory beyond 48 KiB.
func TestCUDAHand(t *testing.T) {
	h := newHand(t, Options{})
	p := h.d.Properties()
	t.Logf("%s: %s; %s", p.Name, p.Detail, p.Behaviour)
	t.Logf("driver %s, NVRTC %s, found %#v", h.d.info.DriverPath, h.d.info.CompilerPath, h.d.Found())
	require.True(t, h.d.found.FMA && h.d.found.Division && h.d.found.Root)
	require.Zero(t, h.d.found.Flush)
	require.Zero(t, h.d.found.Contract)
	const n = 100003
	b, err := h.d.NewBufferWithBytes(make([]byte, 4*(n+1)))
	require.NoError(t, err)
	took, err := h.run(h.pipeline("fill"), n, 256, 1, func(e metal.ComputeCommandEncoder) error {
		return errors.Join(e.SetBuffer(b, 0, 0), e.SetBytes([]byte{7, 0, 0, 0}, 1))
	})
	require.NoError(t, err)
	require.Positive(t, took)
	got := make([]byte, 4*(n+1))
	require.NoError(t, b.Read(0, got))
	for i := range n {
		require.Equal(t, uint32(7+i), binary.LittleEndian.Uint32(got[4*i:]))
	}
	require.Zero(t, binary.LittleEndian.Uint32(got[4*n:]), "a thread beyond the grid ran")
	_, err = h.run(h.pipeline("shared"), 512, 512, 1, func(e metal.ComputeCommandEncoder) error {
		return errors.Join(e.SetBuffer(b, 0, 0), e.SetThreadgroupMemoryLength(200<<10, 0))
	})
	require.NoError(t, err)
	require.NoError(t, b.Read(0, got[:8]))
	require.Equal(t, uint32(511), binary.LittleEndian.Uint32(got))
}

// TestCUDAIsolated runs hostile kernels in a child: each gives an error with call and code, and the device goes on.
func TestCUDAIsolated(t *testing.T) {
	h := newHand(t, Options{Isolate: true, Timeout: 2 * time.Second})
	b, err := h.d.NewBufferWithBytes(make([]byte, 64))
	require.NoError(t, err)
	good := func() {
		_, err := h.run(h.pipeline("fill"), 16, 16, 1, func(e metal.ComputeCommandEncoder) error {
			return errors.Join(e.SetBuffer(b, 0, 0), e.SetBytes([]byte{7, 0, 0, 0}, 1))
		})
		require.NoError(t, err)
		got := make([]byte, 4)
		require.NoError(t, b.Read(4, got))
		require.Equal(t, uint32(8), binary.LittleEndian.Uint32(got))
	}
	good()
	for _, name := range []string{"wild", "forever", "wild"} {
		start := time.Now()
		_, err := h.run(h.pipeline(name), 1, 1, 1, func(e metal.ComputeCommandEncoder) error { return e.SetBuffer(b, 0, 0) })
		t.Logf("%s: %v (%v)", name, err, time.Since(start))
		var c *Error
		require.ErrorAs(t, err, &c)
		require.True(t, c.Lost)
		good()
	}
}

// TestCUDASticky loses the context of this process, in a process of its own: the error names call and code, later calls repeat it,
// and nothing hangs.
func TestCUDASticky(t *testing.T) {
	if os.Getenv("GAMMA_CUDA_STICKY") == "" {
		t.Skip("it ruins the process's context; set GAMMA_CUDA_STICKY=1 and run it alone")
	}
	h := newHand(t, Options{})
	b, err := h.d.NewBufferWithBytes(make([]byte, 64))
	require.NoError(t, err)
	_, err = h.run(h.pipeline("wild"), 1, 1, 1, func(e metal.ComputeCommandEncoder) error { return e.SetBuffer(b, 0, 0) })
	t.Log(err)
	var c *Error
	require.ErrorAs(t, err, &c)
	require.Equal(t, 700, c.Code)
	_, err = h.d.NewBuffer(4)
	require.ErrorContains(t, err, "lost before")
}

// TestCUDALatency prints the time of an empty dispatch, submitted and waited for, and the bandwidth of copies.
func TestCUDALatency(t *testing.T) {
	h := newHand(t, Options{})
	p := h.pipeline("empty")
	b, err := h.d.NewBuffer(64)
	require.NoError(t, err)
	var list, sent, gpu []time.Duration
	for range 2000 {
		c, err := h.q.CommandBuffer()
		require.NoError(t, err)
		start := time.Now()
		e, err := c.ComputeCommandEncoder(metal.Serial)
		require.NoError(t, err)
		one := metal.Size{X: 1, Y: 1, Z: 1}
		if err := errors.Join(e.SetComputePipelineState(p), e.SetBuffer(b, 0, 0), e.DispatchThreadgroups(one, one), e.EndEncoding()); err != nil {
			t.Fatal(err)
		}
		commit := time.Now()
		if err := errors.Join(c.Commit(), c.WaitUntilCompleted()); err != nil {
			t.Fatal(err)
		}
		list, sent, gpu = append(list, time.Since(start)), append(sent, time.Since(commit)), append(gpu, c.GPUTime())
	}
	slices.Sort(list)
	slices.Sort(sent)
	slices.Sort(gpu)
	t.Logf("%s: empty dispatch, submitted and waited for: least %v, median %v, 95%% %v; with its encoding: median %v; GPU median %v",
		h.d.info.Name, sent[0], sent[len(sent)/2], sent[len(sent)*95/100], list[len(list)/2], gpu[len(gpu)/2])

	const n = 1 << 30
	src, err := h.d.NewBuffer(n)
	require.NoError(t, err)
	dst, err := h.d.NewBuffer(n)
	require.NoError(t, err)
	var kernel []time.Duration
	for range 20 {
		took, err := h.run(h.pipeline("copy"), n/16, 512, 1, func(e metal.ComputeCommandEncoder) error {
			return errors.Join(e.SetBuffer(dst, 0, 0), e.SetBuffer(src, 0, 1))
		})
		require.NoError(t, err)
		kernel = append(kernel, took)
	}
	slices.Sort(kernel)
	rate, err := h.d.CopyBandwidth(n)
	require.NoError(t, err)
	t.Logf("copy of 1 GiB, bytes read and written: kernel %.0f GB/s, cuMemcpyDtoD %.0f GB/s", 2*n/kernel[len(kernel)/2].Seconds()/1e9, rate/1e9)
	for _, size := range []int{4 << 10, 1 << 20, 64 << 20} {
		data := make([]byte, size)
		part, err := h.d.NewBuffer(size)
		require.NoError(t, err)
		line := fmt.Sprintf("%d bytes:", size)
		for name, do := range map[string]func(int, []byte) error{"Write": part.Write, "Read": part.Read} {
			var times []time.Duration
			for range 9 {
				start := time.Now()
				require.NoError(t, do(0, data))
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			line += fmt.Sprintf(" %s %v (%.1f GB/s)", name, times[4], float64(size)/times[4].Seconds()/1e9)
		}
		t.Log(line)
		part.Release()
	}
	var open []time.Duration
	for range 3 {
		start := time.Now()
		d := onGPU(t, Options{})
		open = append(open, time.Since(start))
		d.Release()
	}
	t.Logf("opening with the self-test: %v", open)
}
