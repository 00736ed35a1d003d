package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
)

// protocol is a source with a kernel for every kind of argument.
const protocol = `#include <metal_stdlib>
using namespace metal;
kernel void copy(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], constant uint &n [[buffer(2)]],
                 uint i [[thread_position_in_grid]]) {
    if (i < n) out[i] = in[i];
}
kernel void shared_(device float *out [[buffer(0)]], threadgroup float *tmp [[threadgroup(3)]], uint i [[thread_index_in_threadgroup]]) {
    tmp[i] = float(i);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = tmp[i ^ 1];
}
[[max_total_threads_per_threadgroup(64)]] kernel void small(device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[i] = 1.0f;
}
struct Wide { ulong a; ulong b; };
kernel void wide(device ulong *out [[buffer(0)]], constant Wide &w [[buffer(1)]]) { out[0] = w.a + w.b; }
kernel void own(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
    threadgroup float tmp[4096];
    tmp[i] = 2.0f;
    out[i] = tmp[i];
}
kernel void endless(device uint *out [[buffer(0)]]) { while (true) out[0] += 1; }
constant uint factor [[function_constant(0)]];
constant bool extra [[function_constant(1)]];
kernel void scaled(device uint *out [[buffer(0)]], device const uint *more [[buffer(1), function_constant(extra)]],
                   uint i [[thread_position_in_grid]]) {
    out[i] = factor * i;
    if (extra) out[i] += more[i];
}
`

// stand is a device with all that a dispatch needs.
type stand struct {
	t *testing.T
	d *sim.Device
	l metal.Library
	q metal.CommandQueue
}

func newStand(t *testing.T, o sim.Options) *stand {
	t.Helper()
	s := &stand{t: t, d: sim.New(o)}
	var err error
	s.l, err = s.d.NewLibrary(protocol, metal.CompileOptions{FileName: "protocol.metal"})
	require.NoError(t, err)
	s.q, err = s.d.NewCommandQueue()
	require.NoError(t, err)
	return s
}

func (s *stand) pipeline(name string, constants metal.FunctionConstants) metal.ComputePipelineState {
	s.t.Helper()
	f, err := s.l.NewFunction(name, constants)
	require.NoError(s.t, err)
	p, err := s.d.NewComputePipelineState(f)
	require.NoError(s.t, err)
	return p
}

func (s *stand) encoder(t metal.DispatchType) (metal.ComputeCommandEncoder, metal.CommandBuffer) {
	s.t.Helper()
	c, err := s.q.CommandBuffer()
	require.NoError(s.t, err)
	e, err := c.ComputeCommandEncoder(t)
	require.NoError(s.t, err)
	return e, c
}

func (s *stand) buffer(n int) metal.Buffer {
	s.t.Helper()
	b, err := s.d.NewBuffer(n)
	require.NoError(s.t, err)
	return b
}

func TestOrderOfCalls(t *testing.T) {
	s := newStand(t, sim.Options{})
	p := s.pipeline("small", nil)
	c, err := s.q.CommandBuffer()
	require.NoError(t, err)
	require.Equal(t, metal.NotEnqueued, c.Status())
	require.NoError(t, c.Error())
	require.ErrorContains(t, c.WaitUntilCompleted(), "was not committed; call Commit first")
	e, err := c.ComputeCommandEncoder(metal.Serial)
	require.NoError(t, err)
	_, err = c.ComputeCommandEncoder(metal.Serial)
	require.ErrorContains(t, err, "still open; call its EndEncoding first")
	require.ErrorContains(t, c.Commit(), "still open; call its EndEncoding first")
	require.ErrorContains(t, e.DispatchThreads(line(1), line(1)), "no kernel is set; call SetComputePipelineState first")
	require.NoError(t, e.SetComputePipelineState(p))
	out := s.buffer(4)
	require.NoError(t, e.SetBuffer(out, 0, 0))
	require.NoError(t, e.DispatchThreads(line(1), line(1)))
	require.NoError(t, e.MemoryBarrier(), "in a serial encoder it changes nothing")
	require.NoError(t, e.EndEncoding())
	for call, err := range map[string]error{
		"EndEncoding": e.EndEncoding(), "SetBuffer": e.SetBuffer(out, 0, 0), "SetBytes": e.SetBytes([]byte{1}, 0),
		"SetComputePipelineState": e.SetComputePipelineState(p), "MemoryBarrier": e.MemoryBarrier(),
		"SetThreadgroupMemoryLength": e.SetThreadgroupMemoryLength(16, 0),
		"DispatchThreads":            e.DispatchThreads(line(1), line(1)), "DispatchThreadgroups": e.DispatchThreadgroups(line(1), line(1)),
	} {
		require.ErrorContains(t, err, call+": the encoder has ended")
	}
	require.NoError(t, c.Commit())
	require.Equal(t, metal.Completed, c.Status())
	require.NoError(t, c.WaitUntilCompleted())
	require.NoError(t, c.WaitUntilCompleted(), "waiting twice is legal")
	require.Positive(t, c.GPUTime())
	require.ErrorContains(t, c.Commit(), "was committed before")
	_, err = c.ComputeCommandEncoder(metal.Serial)
	require.ErrorContains(t, err, "was committed; take a new one")
	require.Equal(t, []uint32{math.Float32bits(1)}, read(t, out))
	_, err = func() metal.CommandBuffer { c, _ := s.q.CommandBuffer(); return c }().ComputeCommandEncoder(9)
	require.ErrorContains(t, err, "DispatchType(9)")
	// An empty command buffer, and one with an empty encoder, are legal.
	e, c = s.encoder(metal.Concurrent)
	require.NoError(t, finish(t, e, c))
	c, err = s.q.CommandBuffer()
	require.NoError(t, err)
	require.NoError(t, c.Commit())
	require.NoError(t, c.WaitUntilCompleted())
}

func TestBuffers(t *testing.T) {
	d := sim.New(sim.Options{MaxBuffer: 100})
	for _, n := range []int{0, -1, math.MinInt} {
		_, err := d.NewBuffer(n)
		require.ErrorContains(t, err, "ask for one byte or more")
	}
	_, err := d.NewBufferWithBytes(nil)
	require.ErrorContains(t, err, "ask for one byte or more")
	for _, n := range []int{101, math.MaxInt} {
		_, err = d.NewBuffer(n)
		require.ErrorContains(t, err, "does not fit: 0 of 100 bytes are in use")
	}
	data := []byte{1, 2, 3, 4}
	b, err := d.NewBufferWithBytes(data)
	require.NoError(t, err)
	data[0] = 9
	got := make([]byte, 4)
	require.NoError(t, b.Read(0, got))
	require.Equal(t, []byte{1, 2, 3, 4}, got, "the buffer holds a copy")
	b.SetLabel("four")
	require.Equal(t, "four", b.Label())
	for _, x := range []struct{ offset, n int }{{-1, 1}, {5, 0}, {1, 4}, {math.MaxInt, 1}, {math.MinInt, 1}} {
		require.ErrorContains(t, b.Read(x.offset, make([]byte, x.n)), `the buffer "four", which has 4; stay inside`)
		require.ErrorContains(t, b.Write(x.offset, make([]byte, x.n)), `the buffer "four", which has 4; stay inside`)
	}
	require.NoError(t, b.Read(4, nil))
	require.NoError(t, b.Write(1, []byte{7, 8}))
	require.NoError(t, b.Read(0, got))
	require.Equal(t, []byte{1, 7, 8, 4}, got)
	_, err = d.NewBuffer(97)
	require.ErrorContains(t, err, "4 of 100 bytes are in use")
	b.Release()
	b.Release()
	require.ErrorContains(t, b.Read(0, got), `the buffer "four" was released`)
	require.ErrorContains(t, b.Write(0, got), `the buffer "four" was released`)
	require.Equal(t, 4, b.Length())
	_, err = d.NewBuffer(100)
	require.NoError(t, err, "its bytes are free again, once")
	_, err = d.NewBuffer(1)
	require.ErrorContains(t, err, "100 of 100 bytes are in use")

	// Releasing a copy gives back what it made, and what was released before counts once.
	d = sim.New(sim.Options{MaxBuffer: 100})
	c := d.With(model.Behaviour{Order: "reverse"})
	b, err = c.NewBuffer(40)
	require.NoError(t, err)
	_, err = c.NewBuffer(50)
	require.NoError(t, err)
	b.Release()
	c.Release()
	b.Release()
	_, err = d.NewBuffer(100)
	require.NoError(t, err)
	_, err = d.NewBuffer(1)
	require.ErrorContains(t, err, "100 of 100 bytes are in use")
}

func TestRefusedArguments(t *testing.T) {
	s := newStand(t, sim.Options{})
	e, c := s.encoder(metal.Serial)
	in, out := s.buffer(64), s.buffer(64)
	require.NoError(t, in.Write(0, make([]byte, 64)))
	in.SetLabel("input")
	sized := func(x, y, z int) metal.Size { return metal.Size{X: x, Y: y, Z: z} }

	// Bindings.
	for _, i := range []int{-1, 31, math.MaxInt} {
		require.ErrorContains(t, e.SetBuffer(in, 0, i), "use 0 to 30")
		require.ErrorContains(t, e.SetBytes([]byte{1}, i), "use 0 to 30")
		require.ErrorContains(t, e.SetThreadgroupMemoryLength(16, i), "use 0 to 30")
	}
	for _, offset := range []int{-1, 64, math.MaxInt} {
		require.ErrorContains(t, e.SetBuffer(in, offset, 0), `outside the buffer "input" bound at 0, which has 64 bytes`)
	}
	require.ErrorContains(t, e.SetBytes(nil, 0), "1 to 4096 are possible, use a buffer for more")
	require.ErrorContains(t, e.SetBytes(make([]byte, 4097), 0), "1 to 4096 are possible")
	require.NoError(t, e.SetBytes(make([]byte, 4096), 30))
	for _, n := range []int{-16, 8, 17} {
		require.ErrorContains(t, e.SetThreadgroupMemoryLength(n, 0), "use a multiple of 16")
	}
	require.ErrorContains(t, e.SetThreadgroupMemoryLength(32<<10+16, 0), "more than the device has, 32768")

	// Sizes.
	require.NoError(t, e.SetComputePipelineState(s.pipeline("copy", nil)))
	require.NoError(t, e.SetBuffer(in, 0, 0))
	require.NoError(t, e.SetBuffer(out, 0, 1))
	require.NoError(t, e.SetBytes(words(16), 2))
	for _, bad := range []metal.Size{{}, sized(0, 1, 1), sized(1, -1, 1), sized(1, 1, math.MinInt)} {
		require.ErrorContains(t, e.DispatchThreads(bad, line(1)), "has nothing to run")
		require.ErrorContains(t, e.DispatchThreadgroups(bad, line(1)), "has nothing to run")
		require.ErrorContains(t, e.DispatchThreads(line(1), bad), "is empty; use 1 or more")
		require.ErrorContains(t, e.DispatchThreadgroups(line(1), bad), "is empty; use 1 or more")
	}
	for _, bad := range []metal.Size{line(1025), sized(32, 33, 1), sized(math.MaxInt, math.MaxInt, 4), sized(1<<32, 1<<32, 1)} {
		require.ErrorContains(t, e.DispatchThreads(line(1), bad), "larger than the pipeline's MaxTotalThreadsPerThreadgroup, 1024")
	}
	require.ErrorContains(t, e.DispatchThreads(line(1<<32), line(1)), "more than 2^32-1 threads in one dimension")
	require.ErrorContains(t, e.DispatchThreadgroups(line(1<<31), line(2)), "more than 2^32-1 threads in one dimension")
	require.ErrorContains(t, e.DispatchThreadgroups(line(math.MaxInt), line(2)), "more than 2^32-1 threads in one dimension")
	require.ErrorContains(t, e.DispatchThreads(sized(1<<31, 1<<31, 1<<31), line(1)), "would use up the budget of 1073741824 steps")
	require.ErrorContains(t, e.DispatchThreads(line(1<<31), line(1)), "would use up the budget")

	// Arguments.
	require.NoError(t, e.SetBuffer(nil, 0, 1))
	require.ErrorContains(t, e.DispatchThreads(line(16), line(16)),
		"nothing is bound for out [[buffer(1)]] at protocol.metal:3:70; call SetBuffer or SetBytes with index 1")
	require.NoError(t, e.SetBuffer(out, 2, 1))
	require.ErrorContains(t, e.DispatchThreads(line(15), line(15)), "begins at offset 2, which is not a multiple of the alignment")
	require.NoError(t, e.SetBuffer(out, 0, 1))
	require.NoError(t, e.SetBytes([]byte{1, 0, 0}, 2))
	require.ErrorContains(t, e.DispatchThreads(line(16), line(16)), "n [[buffer(2)]]")
	require.ErrorContains(t, e.DispatchThreads(line(16), line(16)), "has 3 bytes from offset 0")
	require.NoError(t, e.SetComputePipelineState(s.pipeline("wide", nil)))
	require.NoError(t, e.SetBuffer(out, 0, 0))
	require.NoError(t, e.SetBuffer(in, 56, 1))
	require.ErrorContains(t, e.DispatchThreads(line(1), line(1)), `the buffer "input" has 8 bytes from offset 56, and one Wide& needs 16`)
	require.NoError(t, e.SetBuffer(in, 48, 1))
	require.NoError(t, e.DispatchThreads(line(1), line(1)))
	require.NoError(t, e.SetComputePipelineState(s.pipeline("small", nil)))
	require.ErrorContains(t, e.DispatchThreads(line(65), line(65)), "larger than the pipeline's MaxTotalThreadsPerThreadgroup, 64")

	// Threadgroup memory.
	require.NoError(t, e.SetComputePipelineState(s.pipeline("shared_", nil)))
	require.ErrorContains(t, e.DispatchThreads(line(4), line(4)), "tmp [[threadgroup(3)]] at protocol.metal:7:73 has no length; call SetThreadgroupMemoryLength(bytes, 3)")
	require.NoError(t, e.SetThreadgroupMemoryLength(16, 3))
	require.NoError(t, e.DispatchThreads(line(4), line(4)))
	require.NoError(t, e.SetThreadgroupMemoryLength(0, 3))
	require.ErrorContains(t, e.DispatchThreads(line(4), line(4)), "has no length")

	// A released buffer, and objects of another device.
	gone := s.buffer(4)
	gone.Release()
	require.ErrorContains(t, e.SetBuffer(gone, 0, 0), "was released")
	other := newStand(t, sim.Options{})
	require.ErrorContains(t, e.SetBuffer(other.buffer(4), 0, 0), "is of another device")
	require.ErrorContains(t, e.SetComputePipelineState(other.pipeline("small", nil)), "is of another device")
	require.ErrorContains(t, e.SetComputePipelineState(nil), "is of another device")
	late := s.buffer(64)
	require.NoError(t, e.SetComputePipelineState(s.pipeline("small", nil)))
	require.NoError(t, e.SetBuffer(late, 0, 0))
	late.Release()
	require.ErrorContains(t, e.DispatchThreads(line(1), line(1)), "was released")

	// What was refused left no trace: the two legal dispatches run.
	require.NoError(t, finish(t, e, c))
}

func TestThreadgroupMemoryIsOneSum(t *testing.T) {
	s := newStand(t, sim.Options{MaxThreadgroupMemory: 8192})
	f, err := s.l.NewFunction("own", nil)
	require.NoError(t, err)
	_, err = s.d.NewComputePipelineState(f)
	require.ErrorContains(t, err, "kernel own (protocol.metal:17:13) needs 16384 bytes of threadgroup memory and the device has 8192")
	e, _ := s.encoder(metal.Serial)
	require.NoError(t, e.SetComputePipelineState(pipeline(t, s.d, `
		kernel void both(device float *out [[buffer(0)]], threadgroup float *a [[threadgroup(0)]], threadgroup float *b [[threadgroup(1)]],
		                 uint i [[thread_index_in_threadgroup]]) {
			threadgroup float c[256];
			a[i] = 1.0f; b[i] = 2.0f; c[i] = 3.0f;
			out[i] = a[i] + b[i] + c[i];
		}`, "both")))
	out := s.buffer(64)
	require.NoError(t, e.SetBuffer(out, 0, 0))
	require.NoError(t, e.SetThreadgroupMemoryLength(4096, 0))
	require.NoError(t, e.SetThreadgroupMemoryLength(4096, 1))
	require.ErrorContains(t, e.DispatchThreads(line(16), line(16)), "9216 bytes of threadgroup memory, variables and arguments together, are more than the device has, 8192")
	require.NoError(t, e.SetThreadgroupMemoryLength(3072, 1))
	require.NoError(t, e.DispatchThreads(line(16), line(16)))
}

func TestFunctions(t *testing.T) {
	s := newStand(t, sim.Options{})
	require.Equal(t, []string{"copy", "shared_", "small", "wide", "own", "endless", "scaled"}, s.l.FunctionNames())
	for name, want := range map[string]string{
		"smal": `did you mean "small"?`, "Copy": `did you mean "copy"?`, "": "it has ", "nothing like it": "it has ",
	} {
		_, err := s.l.NewFunction(name, nil)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, `"endless"`)
	}
	for want, constants := range map[string]metal.FunctionConstants{
		"factor":                           {1: false},
		"uint32":                           {0: int32(1), 1: false},
		"no function constant has index 7": {0: uint32(1), 1: false, 7: true},
		`"nosuch"`:                         {0: uint32(1), 1: false, "nosuch": true},
		"its key is a uint8":               {uint8(1): true},
		"its value is a int":               {0: 1},
		"its value is a <nil>":             {0: nil},
	} {
		_, err := s.l.NewFunction("scaled", constants)
		require.ErrorContains(t, err, want)
	}
	f, err := s.l.NewFunction("shared_", nil)
	require.NoError(t, err)
	require.Equal(t, "shared_", f.Name())
	args := f.Arguments()
	require.Len(t, args, 2)
	require.Equal(t, "out", args[0].Name)
	require.False(t, args[0].ReadOnly)
	require.Equal(t, metal.Argument{Name: "tmp", Index: 3, Threadgroup: true, ElementSize: 4, TypeName: args[1].TypeName}, args[1])

	p := s.pipeline("small", nil)
	require.Equal(t, 64, p.MaxTotalThreadsPerThreadgroup())
	require.Equal(t, 32, p.ThreadExecutionWidth())
	require.Equal(t, 16384, s.pipeline("own", nil).StaticThreadgroupMemoryLength())

	// Function constants, by index and by name; an argument that they leave out need not be bound.
	for _, constants := range []metal.FunctionConstants{{0: uint32(3), 1: false}, {"factor": uint32(3), "extra": true}} {
		e, c := s.encoder(metal.Serial)
		require.NoError(t, e.SetComputePipelineState(s.pipeline("scaled", constants)))
		out := s.buffer(12)
		require.NoError(t, e.SetBuffer(out, 0, 0))
		if constants["extra"] == true {
			require.ErrorContains(t, e.DispatchThreads(line(3), line(3)), "nothing is bound for more [[buffer(1)]]")
			require.NoError(t, e.SetBytes(words(10, 20, 30), 1))
		}
		require.NoError(t, e.DispatchThreads(line(3), line(3)))
		require.NoError(t, finish(t, e, c))
		if constants["extra"] == true {
			require.Equal(t, []uint32{10, 23, 36}, read(t, out))
		} else {
			require.Equal(t, []uint32{0, 3, 6}, read(t, out))
		}
	}
}

// TestLibraryErrors: what is wrong with a source is told with its place, and other libraries stay usable.
func TestLibraryErrors(t *testing.T) {
	s := newStand(t, sim.Options{})
	_, err := s.d.NewLibrary("kernel void k(device float *x) {\n  x[0] = y;\n}", metal.CompileOptions{FileName: "bad.metal"})
	require.ErrorContains(t, err, "bad.metal:2:10: error:")
	for _, text := range []string{"", "\x00\xff", "kernel", "kernel void k(", "#include <nothing>"} {
		l, err := s.d.NewLibrary(text, metal.CompileOptions{})
		if err == nil {
			_, err = l.NewFunction("k", nil)
			require.ErrorContains(t, err, "has no kernels at all")
		}
	}
	require.Len(t, s.l.FunctionNames(), 7)
	s.pipeline("copy", nil)
	_, err = s.d.NewComputePipelineState(nil)
	require.ErrorContains(t, err, "is of another device")
	f, err := s.l.NewFunction("copy", nil)
	require.NoError(t, err)
	_, err = sim.New(sim.Options{}).NewComputePipelineState(f)
	require.ErrorContains(t, err, "is of another device")
}

// TestReleases: what is released can be used no more, and what was made of it before still can.
func TestReleases(t *testing.T) {
	s := newStand(t, sim.Options{})
	f, err := s.l.NewFunction("small", nil)
	require.NoError(t, err)
	p, err := s.d.NewComputePipelineState(f)
	require.NoError(t, err)
	f.Release()
	s.l.Release()
	_, err = s.l.NewFunction("small", nil)
	require.ErrorContains(t, err, "library was released")
	_, err = s.d.NewComputePipelineState(f)
	require.ErrorContains(t, err, "function was released")
	e, c := s.encoder(metal.Serial)
	out := s.buffer(4)
	require.NoError(t, e.SetComputePipelineState(p))
	require.NoError(t, e.SetBuffer(out, 0, 0))
	require.NoError(t, e.DispatchThreads(line(1), line(1)))
	p.Release()
	require.ErrorContains(t, e.SetComputePipelineState(p), "pipeline was released")
	s.q.Release()
	_, err = s.q.CommandBuffer()
	require.ErrorContains(t, err, "command queue was released")
	require.NoError(t, finish(t, e, c))
	require.Equal(t, []uint32{math.Float32bits(1)}, read(t, out))

	// The device takes everything with it.
	s = newStand(t, sim.Options{})
	f, err = s.l.NewFunction("small", nil)
	require.NoError(t, err)
	e, c = s.encoder(metal.Serial)
	open := e
	e2, c2 := s.encoder(metal.Serial)
	require.NoError(t, e2.EndEncoding())
	b := s.buffer(4)
	s.d.Release()
	s.d.Release()
	require.ErrorContains(t, b.Read(0, make([]byte, 1)), "went with its device")
	require.ErrorContains(t, open.SetBytes([]byte{1}, 0), "the device was released")
	require.NoError(t, open.EndEncoding())
	require.ErrorContains(t, c2.Commit(), "the device was released")
	_, err = c.ComputeCommandEncoder(metal.Serial)
	require.ErrorContains(t, err, "the device was released")
	_, err = s.l.NewFunction("small", nil)
	require.ErrorContains(t, err, "the device was released")
	_, err = s.d.NewComputePipelineState(f)
	require.ErrorContains(t, err, "the device was released")
	_, err = s.d.NewBuffer(1)
	require.ErrorContains(t, err, "the device was released")
	_, err = s.d.NewLibrary(protocol, metal.CompileOptions{})
	require.ErrorContains(t, err, "the device was released")
	_, err = s.d.NewCommandQueue()
	require.ErrorContains(t, err, "the device was released")
	_, err = s.q.CommandBuffer()
	require.ErrorContains(t, err, "command queue went with its device")
	_, err = s.d.Outcomes(c2, 1, nil)
	require.ErrorContains(t, err, "the device was released")
}
