package cuda

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/internal/emit"
	"gamma/metal/msl/ir"
	"gamma/model"
)

const testSource = `#include <metal_stdlib>
using namespace metal;
kernel void fill(device uint* out [[buffer(0)]], constant uint& v [[buffer(1)]], threadgroup uint* t [[threadgroup(0)]],
                 threadgroup uint* u [[threadgroup(1)]], uint i [[thread_position_in_grid]])
{
    t[0] = v; u[0] = v;
    out[i] = t[0];
}
`

// rig is a device on a fake with the kernel ready.
type rig struct {
	f *fake
	d *Device
	p metal.ComputePipelineState
	b metal.Buffer
	q metal.CommandQueue
}

func newRig(t *testing.T, o Options) *rig {
	t.Helper()
	r := &rig{f: newFake()}
	var err error
	r.d, err = fakeDevice(r.f, o)
	require.NoError(t, err)
	l, err := r.d.NewLibrary(testSource, metal.CompileOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"fill"}, l.FunctionNames())
	fn, err := l.NewFunction("fill", nil)
	require.NoError(t, err)
	r.p, err = r.d.NewComputePipelineState(fn)
	require.NoError(t, err)
	r.b, err = r.d.NewBufferWithBytes(bytes.Repeat([]byte{1}, 64))
	require.NoError(t, err)
	r.q, err = r.d.NewCommandQueue()
	require.NoError(t, err)
	r.f.names()
	return r
}

// encode encodes a dispatch of threads in groups.
func (r *rig) encode(t *testing.T, grid, group int, shared ...int) metal.CommandBuffer {
	t.Helper()
	c, err := r.q.CommandBuffer()
	require.NoError(t, err)
	e, err := c.ComputeCommandEncoder(metal.Serial)
	require.NoError(t, err)
	require.NoError(t, e.SetComputePipelineState(r.p))
	require.NoError(t, e.SetBuffer(r.b, 8, 0))
	require.NoError(t, e.SetBytes([]byte{5, 0, 0, 0}, 1))
	if len(shared) == 0 {
		shared = []int{16, 32}
	}
	for i, n := range shared {
		require.NoError(t, e.SetThreadgroupMemoryLength(n, i))
	}
	require.NoError(t, e.DispatchThreads(metal.Size{X: grid, Y: 1, Z: 1}, metal.Size{X: group, Y: 1, Z: 1}))
	require.NoError(t, e.EndEncoding())
	return c
}

// TestOrder holds the calls of one command buffer to their order, and the argument to its layout.
func TestOrder(t *testing.T) {
	r := newRig(t, Options{})
	var words []uint64
	r.f.kernel = func(f *fake, entry string, grid, block [3]uint32, shared uint32, w []uint64) {
		words = append([]uint64(nil), w...)
		require.Equal(t, "fill", entry)
		require.Equal(t, [3]uint32{3, 1, 1}, grid)
		require.Equal(t, [3]uint32{4, 1, 1}, block)
		require.Equal(t, uint32(48), shared)
		v := binary.LittleEndian.Uint32(f.at(address(w[2])))
		binary.LittleEndian.PutUint32(f.at(address(w[0])), v)
	}
	c := r.encode(t, 10, 4)
	require.Equal(t, metal.NotEnqueued, c.Status())
	require.NoError(t, c.Commit())
	require.NoError(t, c.WaitUntilCompleted())
	require.Equal(t, metal.Completed, c.Status())
	require.Equal(t, 500000, int(c.GPUTime()))
	require.Equal(t, "MemAlloc MemAllocHost MemcpyHtoDAsync EventRecord LaunchKernel EventRecord EventRecord EventElapsedTime", r.f.names())
	// fill's words: out's address and length, v's address and length, offsets of t and u, then sizes by axis.
	require.Equal(t, uint64(56), words[1])
	require.Equal(t, uint64(4), words[3])
	require.Equal(t, []uint64{0, 16}, words[4:6])
	require.Equal(t, []uint64{10, 3, 4, 0, 1, 1, 1, 0, 1, 1, 1, 0}, words[6:])
	got := make([]byte, 64)
	require.NoError(t, r.b.Read(0, got))
	require.Equal(t, append(append(bytes.Repeat([]byte{1}, 8), 5, 0, 0, 0), bytes.Repeat([]byte{1}, 52)...), got)
	r.d.Release()
	for kind, n := range r.f.live {
		require.Zero(t, n, "%s objects are left", kind)
	}
	require.Error(t, r.b.Write(0, []byte{1}))
}

// TestSharedMemory asks for more than 48 KiB once, and refuses more than there is.
func TestSharedMemory(t *testing.T) {
	r := newRig(t, Options{})
	defer r.d.Release()
	for range 2 {
		c := r.encode(t, 4, 4, 60<<10, 16)
		require.NoError(t, c.Commit())
		require.NoError(t, c.WaitUntilCompleted())
	}
	require.Equal(t, 1, strings.Count(r.f.names(), "FuncSetAttribute"))
	c, err := r.q.CommandBuffer()
	require.NoError(t, err)
	e, err := c.ComputeCommandEncoder(metal.Concurrent)
	require.NoError(t, err)
	require.NoError(t, e.SetComputePipelineState(r.p))
	require.NoError(t, e.SetBuffer(r.b, 0, 0))
	require.NoError(t, e.SetBytes(make([]byte, 4), 1))
	require.NoError(t, e.SetThreadgroupMemoryLength(120<<10, 0))
	require.NoError(t, e.SetThreadgroupMemoryLength(120<<10, 1))
	one := metal.Size{X: 1, Y: 1, Z: 1}
	require.ErrorContains(t, e.DispatchThreadgroups(one, one), "bytes of threadgroup memory")
	require.ErrorContains(t, e.DispatchThreadgroups(metal.Size{X: 1, Y: 70000, Z: 1}, one), "threadgroups along y")
	require.ErrorContains(t, e.DispatchThreadgroups(one, metal.Size{X: 1, Y: 1, Z: 65}), "along z")
	require.ErrorContains(t, e.DispatchThreadgroups(one, metal.Size{X: 1025, Y: 1, Z: 1}), "MaxTotalThreadsPerThreadgroup")
}

// TestFailures makes each call fail: the error names it, with its code, and nothing is left over.
func TestFailures(t *testing.T) {
	for _, name := range []string{
		"Init", "DeviceGetCount", "DeviceGet", "DeviceGetName", "DeviceTotalMem", "DeviceGetAttribute", "DriverGetVersion", "DevicePrimaryCtxRetain", "CtxSetCurrent",
		"StreamCreate", "CreateProgram", "CompileProgram", "CUBIN", "ModuleLoadDataEx", "ModuleGetFunction", "FuncGetAttribute", "MemAlloc", "MemcpyHtoDAsync",
		"EventCreate", "EventRecord", "LaunchKernel", "EventQuery", "MemcpyDtoHAsync", "StreamSynchronize", "Version", "SupportedArchs",
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			f.fail[name] = 2
			_, err := fakeDevice(f, Options{})
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, 2, e.Code)
			require.Contains(t, e.Call, name)
			require.Contains(t, err.Error(), "libfake")
			for kind, n := range f.live {
				require.Zero(t, n, "%s objects are left", kind)
			}
		})
	}
}

// TestSticky loses the context: that command buffer says why, later calls repeat it, and Release waits for nothing.
func TestSticky(t *testing.T) {
	r := newRig(t, Options{})
	r.f.late = illegalAddress
	c := r.encode(t, 4, 4)
	require.NoError(t, c.Commit())
	err := c.WaitUntilCompleted()
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 700, e.Code)
	require.True(t, e.Lost)
	require.Contains(t, e.Call, "fill")
	require.Equal(t, metal.Failed, c.Status())
	require.Equal(t, err, c.Error())
	r.f.late = success
	_, err = r.d.NewBuffer(4)
	require.ErrorAs(t, err, &e)
	require.ErrorContains(t, err, "lost before")
	require.Error(t, r.b.Read(0, make([]byte, 4)))
	c = r.encode(t, 4, 4)
	require.NoError(t, c.Commit())
	require.ErrorContains(t, c.WaitUntilCompleted(), "lost before")
	r.f.names()
	r.b.Release()
	r.d.Release()
	require.Empty(t, r.f.names(), "calls on a lost context")
}

// TestNeverEnds gives up on work after the timeout.
func TestNeverEnds(t *testing.T) {
	r := newRig(t, Options{Timeout: soon})
	r.f.late = notReady
	c := r.encode(t, 4, 4)
	require.NoError(t, c.Commit())
	require.Equal(t, metal.Committed, c.Status())
	err := c.WaitUntilCompleted()
	require.ErrorContains(t, err, "did not end within")
	require.ErrorContains(t, err, "fill")
	r.d.Release()
}

// TestStaging copies through pinned memory in halves: all bytes arrive, also of odd lengths.
func TestStaging(t *testing.T) {
	r := newRig(t, Options{})
	defer r.d.Release()
	for _, n := range []int{stageLeast - 1, stageLeast, stageBytes/2 - 1, stageBytes / 2, stageBytes/2 + 1, stageBytes + 3, 3*stageBytes + 17} {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(i*i>>7 ^ i)
		}
		b, err := r.d.NewBufferWithBytes(data)
		require.NoError(t, err)
		got := make([]byte, n)
		require.NoError(t, b.Read(0, got))
		require.True(t, bytes.Equal(data, got), "%d bytes", n)
		b.Release()
	}
}

// TestArchitecture takes machine code where the compiler knows the machine, and else PTX for the newest before.
func TestArchitecture(t *testing.T) {
	for _, x := range []struct {
		cc   int
		want string
	}{{90, "sm_90"}, {80, "sm_80"}, {86, "compute_80"}, {120, "compute_90"}} {
		got, err := architecture(x.cc, []int32{75, 80, 90}, "nvrtc")
		require.NoError(t, err)
		require.Equal(t, x.want, got)
	}
	_, err := architecture(70, []int32{75}, "nvrtc")
	require.ErrorContains(t, err, PathVariable)
	f := newFake()
	f.archs = []int32{75, 80}
	d, err := fakeDevice(f, Options{})
	require.NoError(t, err)
	defer d.Release()
	require.Contains(t, f.flags, "--gpu-architecture=compute_80")
	require.Contains(t, f.flags, "--fmad=false")
	require.Contains(t, f.names(), "PTX")
}

// TestCache compiles once, again when the file is broken, and dumps the text.
func TestCache(t *testing.T) {
	dir, dump := filepath.Join(t.TempDir(), "cache"), filepath.Join(t.TempDir(), "dump")
	env := func(name string) string { return map[string]string{CacheVariable: dir, DumpVariable: dump}[name] }
	s := &source{Name: "a b/c", Entry: "k", Text: "text", Key: "0123456789abcdef"}
	compiled := func() bool {
		f := newFake()
		image, err := newImages(env).get(f.libraries(), s, "sm_90", about{})
		require.NoError(t, err)
		require.Equal(t, "cubin", string(image))
		return strings.Contains(f.names(), "CompileProgram")
	}
	require.True(t, compiled())
	require.False(t, compiled())
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	whole, err := os.ReadFile(files[0])
	require.NoError(t, err)
	for _, broken := range [][]byte{nil, whole[:len(whole)-1], append(append([]byte(nil), whole...), 0), []byte("other"), append([]byte("x"), whole...)} {
		require.NoError(t, os.WriteFile(files[0], broken, 0o644))
		require.True(t, compiled())
		require.False(t, compiled())
	}
	dumped, err := filepath.Glob(filepath.Join(dump, "a_b_c-*.cu"))
	require.NoError(t, err)
	require.Len(t, dumped, 1)
	off := newImages(func(string) string { return "off" })
	require.Empty(t, off.dir)
	other := about{Driver: 12000}
	require.NotEqual(t, imageKey(s, "sm_90", about{}), imageKey(s, "sm_90", other))
	require.NotEqual(t, imageKey(s, "sm_90", about{}), imageKey(s, "sm_80", about{}))
}

// TestCompileError has the compiler's log.
func TestCompileError(t *testing.T) {
	f := newFake()
	f.fail["CompileProgram"], f.log = nvrtcCompile, "line 3: nonsense"
	_, err := fakeDevice(f, Options{})
	require.ErrorContains(t, err, "line 3: nonsense")
	require.ErrorContains(t, err, DumpVariable)
}

// TestOptions refuses what no GPU does.
func TestOptions(t *testing.T) {
	for _, o := range []Options{
		{Ordinal: -1},
		{Timeout: -1},
		{Behaviour: model.Behaviour{Order: "reverse"}},
		{Behaviour: model.Behaviour{Rounding: model.TowardZero}},
		{Behaviour: model.Behaviour{SIMDWidth: 16}},
		{Behaviour: model.Behaviour{ULP: true}},
		{Behaviour: model.Behaviour{Contract: 9}},
	} {
		_, err := Open(o)
		require.ErrorContains(t, err, "cuda: Options.")
	}
	_, err := fakeDevice(newFake(), Options{Ordinal: 1})
	require.ErrorContains(t, err, "no GPU 1")
}

// TestRefused passes the printer's refusal on.
func TestRefused(t *testing.T) {
	f := newFake()
	o, err := Options{}.filled()
	require.NoError(t, err)
	e, err := openLocal(f.libraries(), o, &images{known: map[string][]byte{}})
	require.NoError(t, err)
	_, err = newDevice(o, backend{e}, e.about(), func(*ir.Kernel, emit.Options) (*emit.Program, error) {
		return nil, errors.New("probe.metal:7: refused")
	})
	require.ErrorContains(t, err, "probe.metal:7: refused")
	for kind, n := range f.live {
		require.Zero(t, n, "%s objects are left", kind)
	}
}
