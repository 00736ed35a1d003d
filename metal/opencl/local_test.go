package opencl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/internal/emit"
	"gamma/metal/internal/offload"
	"gamma/metal/internal/protocol"
	"gamma/model"
)

const testSource = `#include <metal_stdlib>
using namespace metal;
kernel void fill(device uint* out [[buffer(0)]], constant uint& v [[buffer(1)]], threadgroup uint* t [[threadgroup(0)]],
                 device uint* spare [[buffer(2), function_constant(more)]], uint i [[thread_position_in_grid]])
{
    t[0] = v;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = t[0];
}
`

// rig is a device on a fake with the kernel ready.
type rig struct {
	f *fake
	d *protocol.Device
	p metal.ComputePipelineState
	b metal.Buffer
	q metal.CommandQueue
}

func newRig(t *testing.T, f *fake, o Options) *rig {
	t.Helper()
	b, err := fakeLocal(f, o)
	require.NoError(t, err)
	return rigOn(t, f, fakeDevice(b, b.info))
}

func rigOn(t *testing.T, f *fake, d *protocol.Device) *rig {
	t.Helper()
	r := &rig{f: f, d: d}
	l, err := r.d.NewLibrary(strings.Replace(testSource, "kernel void", "constant bool more [[function_constant(0)]];\nkernel void", 1), metal.CompileOptions{})
	require.NoError(t, err)
	fn, err := l.NewFunction("fill", metal.FunctionConstants{0: false})
	require.NoError(t, err)
	r.p, err = r.d.NewComputePipelineState(fn)
	require.NoError(t, err)
	r.b, err = r.d.NewBufferWithBytes(bytes.Repeat([]byte{1}, 1024))
	require.NoError(t, err)
	r.q, err = r.d.NewCommandQueue()
	require.NoError(t, err)
	f.named()
	return r
}

// encode encodes a dispatch of threads in groups, on the buffer from an offset.
func (r *rig) encode(t *testing.T, grid, group metal.Size, offset int) metal.CommandBuffer {
	t.Helper()
	c, err := r.q.CommandBuffer()
	require.NoError(t, err)
	e, err := c.ComputeCommandEncoder(metal.Serial)
	require.NoError(t, err)
	require.NoError(t, e.SetComputePipelineState(r.p))
	require.NoError(t, e.SetBuffer(r.b, offset, 0))
	require.NoError(t, e.SetBytes([]byte{5, 0, 0, 0}, 1))
	require.NoError(t, e.SetThreadgroupMemoryLength(32, 0))
	require.NoError(t, e.DispatchThreads(grid, group))
	require.NoError(t, e.EndEncoding())
	return c
}

func line(n int) metal.Size { return metal.Size{X: n, Y: 1, Z: 1} }

// TestOrder holds the calls of one command buffer to their order, and arguments to their places, with and without shared virtual memory.
func TestOrder(t *testing.T) {
	for _, x := range []struct {
		name string
		o    Options
		want string
	}{
		{"shared", Options{}, "SVMAlloc EnqueueSVMMemcpy SetKernelArgSVMPointer SetKernelArgSVMPointer SetKernelArg "},
		{"objects", Options{NoSharedMemory: true}, "CreateSubBuffer SetKernelArg CreateBuffer EnqueueWriteBuffer SetKernelArg SetKernelArg "},
	} {
		t.Run(x.name, func(t *testing.T) {
			f := newFake()
			r := newRig(t, f, x.o)
			var launched []part
			var given []any
			f.kernel = func(_ *fake, p part, args map[uint32]any) {
				launched = append(launched, p)
				for i := range uint32(len(args)) {
					given = append(given, args[i])
				}
				// fill's parameters: out, v, t, spare, then sizes by axis.
				copy(args[0].([]byte)[4*p.offset[0]:], args[1].([]byte)[:4])
			}
			c := r.encode(t, line(10), line(4), 128)
			require.NoError(t, c.Commit())
			require.NoError(t, c.WaitUntilCompleted())
			require.Equal(t, metal.Completed, c.Status())
			require.Equal(t, 3*time.Microsecond, c.GPUTime())
			require.Len(t, given[0], 896)
			one, four, ten := uint64(1), uint64(4), uint64(10)
			require.Equal(t, []any{32, 8, ten, one, one, uint64(3), one, one, four, one, one, uint64(0), uint64(0), uint64(0)}, given[2:16]) // 8 bytes of null
			// There is a barrier: the edge of two threads is launched alone.
			require.Equal(t, []part{
				{[3]uint64{}, [3]uint64{8, 1, 1}, [3]uint64{4, 1, 1}}, {[3]uint64{8}, [3]uint64{2, 1, 1}, [3]uint64{2, 1, 1}},
			}, launched)
			calls := f.named()
			require.True(t, strings.HasPrefix(calls, x.want), calls)
			require.Contains(t, calls, "EnqueueNDRangeKernel EnqueueNDRangeKernel Flush")
			got := make([]byte, 1024)
			require.NoError(t, r.b.Read(0, got))
			require.Equal(t, uint32(5), binary.LittleEndian.Uint32(got[128:]))
			require.Equal(t, uint32(5), binary.LittleEndian.Uint32(got[160:]))
			require.Equal(t, uint32(0x01010101), binary.LittleEndian.Uint32(got[132:]))
			r.d.Release()
			for kind, n := range f.live {
				require.Zero(t, n, "%s objects are left", kind)
			}
			require.Error(t, r.b.Write(0, []byte{1}))
		})
	}
}

// TestParts covers every thread of every grid exactly once, in threadgroups of the sizes that Metal has.
func TestParts(t *testing.T) {
	for _, grid := range [][3]int{{1, 1, 1}, {10, 1, 1}, {3, 5, 7}, {8, 4, 2}, {9, 4, 3}, {2, 9, 1}} {
		for _, threads := range [][3]int{{1, 1, 1}, {4, 2, 2}, {16, 1, 1}, {3, 3, 3}} {
			for _, barriers := range []bool{false, true} {
				seen := map[[3]uint64]int{}
				list := parts(grid, threads, barriers)
				require.LessOrEqual(t, len(list), 8)
				for _, p := range list {
					for i := range 3 {
						require.Zero(t, p.global[i]%p.local[i])
						require.Positive(t, p.global[i])
						require.Zero(t, p.offset[i]%uint64(threads[i]))
						require.LessOrEqual(t, p.local[i], uint64(threads[i]))
					}
					for x := range p.global[0] {
						for y := range p.global[1] {
							for z := range p.global[2] {
								seen[[3]uint64{p.offset[0] + x, p.offset[1] + y, p.offset[2] + z}]++
							}
						}
					}
				}
				if !barriers {
					require.Len(t, list, 1)
				}
				for at, n := range seen {
					require.Equal(t, 1, n)
					inside := at[0] < uint64(grid[0]) && at[1] < uint64(grid[1]) && at[2] < uint64(grid[2])
					require.True(t, inside || !barriers)
					if !inside {
						delete(seen, at)
					}
				}
				require.Len(t, seen, grid[0]*grid[1]*grid[2])
			}
		}
	}
}

// TestFailures makes each call fail: the error names it, with its code, and nothing is left over.
func TestFailures(t *testing.T) {
	for _, shared := range []bool{true, false} {
		for _, name := range []string{
			"GetPlatformIDs", "GetPlatformInfo", "GetDeviceIDs", "GetDeviceInfo", "CreateContext", "CreateCommandQueue", "CreateProgramWithSource", "BuildProgram",
			"CreateKernel", "GetKernelWorkGroupInfo", "CreateBuffer", "EnqueueWriteBuffer", "CreateSubBuffer", "SVMAlloc", "EnqueueSVMMemcpy", "SetKernelArg",
			"SetKernelArgSVMPointer", "EnqueueNDRangeKernel", "Flush", "GetEventInfo", "GetEventProfilingInfo", "EnqueueReadBuffer",
		} {
			if object := strings.Contains(name, "Buffer"); strings.Contains(name, "SVM") && !shared || object && shared {
				continue
			}
			t.Run(name, func(t *testing.T) {
				f := newFake()
				f.fail[name] = invalidOperation
				err := whole(f, Options{NoSharedMemory: !shared})
				var e *Error
				require.ErrorAs(t, err, &e)
				if name != "SVMAlloc" { // which gives no code
					require.Equal(t, int(invalidOperation), e.Code)
				}
				require.Contains(t, e.Call, "cl"+name)
				require.Contains(t, err.Error(), "libfake.so.1")
				require.NotEmpty(t, e.Fix)
				if e.Lost { // a kernel may still run: all is left alone
					require.Contains(t, []string{"Flush", "GetEventInfo"}, name)
					return
				}
				for kind, n := range f.live {
					require.Zero(t, n, "%s objects are left", kind)
				}
			})
		}
	}
}

// whole opens a device, runs fill, reads, releases; it returns the first error.
func whole(f *fake, o Options) error {
	b, err := fakeLocal(f, o)
	if err != nil {
		return err
	}
	d := fakeDevice(b, b.info)
	defer d.Release()
	l, err := d.NewLibrary(strings.Replace(testSource, ", function_constant(more)", "", 1), metal.CompileOptions{})
	if err != nil {
		return err
	}
	fn, err := l.NewFunction("fill", nil)
	if err != nil {
		return err
	}
	p, err := d.NewComputePipelineState(fn)
	if err != nil {
		return err
	}
	buf, err := d.NewBufferWithBytes(make([]byte, 1024))
	if err != nil {
		return err
	}
	q, err := d.NewCommandQueue()
	if err != nil {
		return err
	}
	c, err := q.CommandBuffer()
	if err != nil {
		return err
	}
	e, err := c.ComputeCommandEncoder(metal.Serial)
	if err != nil {
		return err
	}
	return errors.Join(e.SetComputePipelineState(p), e.SetBuffer(buf, 128, 0), e.SetBuffer(buf, 0, 2), e.SetBytes(make([]byte, 4), 1),
		e.SetThreadgroupMemoryLength(16, 0), e.DispatchThreads(line(4), line(4)), e.EndEncoding(), c.Commit(), c.WaitUntilCompleted(), buf.Read(0, make([]byte, 4)))
}

// TestLost: a kernel that fails or never ends loses the device; later calls say why, and Release waits for nothing.
func TestLost(t *testing.T) {
	for _, status := range []int32{-14, 1} {
		f := newFake()
		r := newRig(t, f, Options{Timeout: 20 * time.Millisecond})
		f.mu.Lock()
		f.status = status
		f.mu.Unlock()
		c := r.encode(t, line(4), line(4), 0)
		require.NoError(t, c.Commit())
		err := c.WaitUntilCompleted()
		var e *Error
		require.ErrorAs(t, err, &e)
		require.True(t, e.Lost)
		require.Contains(t, e.Call, "fill")
		require.Equal(t, metal.Failed, c.Status())
		require.Equal(t, err, c.Error())
		_, err = r.d.NewBuffer(4)
		require.ErrorContains(t, err, "lost before")
		require.ErrorContains(t, r.b.Read(0, make([]byte, 4)), "lost before")
		f.named()
		r.b.Release()
		r.d.Release()
		require.Empty(t, f.named(), "calls on a lost device")
	}
}

// TestBuildLog has the compiler's log, and what the text was compiled with.
func TestBuildLog(t *testing.T) {
	f := newFake()
	f.fail["BuildProgram"] = buildFailed
	err := whole(f, Options{})
	require.ErrorContains(t, err, "line 3: nonsense")
	require.ErrorContains(t, err, "-cl-std=CL1.2")
	require.ErrorContains(t, err, "BUILD_PROGRAM_FAILURE")
	require.Contains(t, f.text, "__kernel void fill(")
}

// TestDump writes what is built, and says where it cannot.
func TestDump(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	t.Setenv(DumpVariable, dir)
	require.NoError(t, whole(newFake(), Options{}))
	list, err := filepath.Glob(filepath.Join(dir, "fill-*.cl"))
	require.NoError(t, err)
	require.Len(t, list, 1)
	text, err := os.ReadFile(list[0])
	require.NoError(t, err)
	require.Contains(t, string(text), "// clBuildProgram -w -cl-std=CL1.2\n")
	require.Contains(t, string(text), "__kernel void fill(")
	t.Setenv(DumpVariable, list[0])
	require.ErrorContains(t, whole(newFake(), Options{}), DumpVariable)
}

// TestPoCL: PoCL does not optimise kernels with barriers.
func TestPoCL(t *testing.T) {
	for platform, want := range map[string]bool{"PoCL": true, "Fake": false} {
		for _, barriers := range []bool{false, true} {
			f := newFake()
			f.platform = platform
			b, err := fakeLocal(f, Options{})
			require.NoError(t, err)
			require.Equal(t, want && barriers, strings.Contains(b.options(&offload.Source{Barriers: barriers}), "-cl-opt-disable"))
			b.Close()
		}
	}
}

// TestCacheByText compiles the same kernel once.
func TestCacheByText(t *testing.T) {
	f := newFake()
	r := newRig(t, f, Options{})
	defer r.d.Release()
	l, err := r.d.NewLibrary("kernel void one(device int* x [[buffer(0)]]) { x[0] = 1; }", metal.CompileOptions{})
	require.NoError(t, err)
	for range 3 {
		fn, err := l.NewFunction("one", nil)
		require.NoError(t, err)
		_, err = r.d.NewComputePipelineState(fn)
		require.NoError(t, err)
	}
	require.Equal(t, "CreateProgramWithSource BuildProgram CreateKernel", f.named())
}

// TestBadInput refuses what cannot be, before or when the work runs, and goes on.
func TestBadInput(t *testing.T) {
	f := newFake()
	r := newRig(t, f, Options{NoSharedMemory: true})
	defer r.d.Release()
	_, err := r.d.NewBuffer(2 << 20)
	require.ErrorContains(t, err, "larger than the largest")
	_, err = r.d.NewBuffer(2 << 30)
	require.ErrorContains(t, err, "does not fit")
	c := r.encode(t, line(4), line(4), 4)
	require.NoError(t, c.Commit())
	require.ErrorContains(t, c.WaitUntilCompleted(), "multiples of 128")
	c = r.encode(t, line(4), line(4), 0)
	require.NoError(t, c.Commit())
	require.NoError(t, c.WaitUntilCompleted())
	c = r.encode(t, line(4), line(4), 0)
	r.b.Release() // its memory stays for what was encoded
	require.NoError(t, c.Commit())
	require.NoError(t, c.WaitUntilCompleted())
	require.ErrorContains(t, r.b.Read(0, make([]byte, 4)), "was released")
	// The backend itself refuses memory that is gone.
	b, err := fakeLocal(f, Options{})
	require.NoError(t, err)
	defer b.Close()
	m, err := b.Allocate(4, nil)
	require.NoError(t, err)
	m.Free()
	w := b.Work()
	require.NoError(t, w.Add(&protocol.Dispatch{
		Pipeline: &protocol.Pipeline{Native: &offload.Kernel{Source: &offload.Source{Name: "fill", Entry: "fill", Text: "text", Key: "key", Params: []emit.Param{{Kind: emit.BufferAddress}}}}},
		Grid:     [3]int{1, 1, 1}, Groups: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}, Args: []protocol.Arg{{Kind: protocol.Buffer, Memory: m, Length: 4}},
	}))
	require.NoError(t, w.Start(nil))
	require.ErrorContains(t, w.Wait(), "kernel fill: a buffer that it was given has been released")
}

// TestChoice finds the platform and the device, or tells what there is, or what a device lacks.
func TestChoice(t *testing.T) {
	open := func(f *fake, o Options) error {
		o, err := o.filled()
		require.NoError(t, err)
		b, err := openLocal(&library{driver: f, path: "libfake.so.1"}, o)
		if err == nil {
			b.Close()
		}
		for kind, n := range f.live {
			require.Zero(t, n, "%s objects are left", kind)
		}
		return err
	}
	require.NoError(t, open(newFake(), Options{Platform: "fAKE"}))
	require.ErrorContains(t, open(newFake(), Options{Platform: "nvidia"}), "there are Fake Computing")
	require.ErrorContains(t, open(newFake(), Options{Device: 1}), "no device 1")
	none := newFake()
	none.devices = 0
	require.ErrorContains(t, open(none, Options{}), "Fake Computing has 0")
	none.fail["GetPlatformIDs"] = noPlatform
	require.ErrorContains(t, open(none, Options{}), "PLATFORM_NOT_FOUND_KHR")
	for what, text := range map[uint32]string{
		deviceDoubles: "binary64", deviceAvailable: "not available", deviceCompiler: "no compiler", deviceLittleEndian: "high byte", deviceMaxDimensions: "dimensions",
	} {
		f := newFake()
		f.info[what] = 0
		require.ErrorContains(t, open(f, Options{}), text)
	}
	old := newFake() // of OpenCL 1.2
	delete(old.info, deviceSharedMemory)
	old.noSVM = true
	require.NoError(t, open(old, Options{}))
}

// TestOptions refuses what no device does.
func TestOptions(t *testing.T) {
	for _, o := range []Options{
		{Device: -1},
		{Timeout: -1},
		{MaxBuffer: -1},
		{Behaviour: model.Behaviour{Order: "reverse"}},
		{Behaviour: model.Behaviour{Rounding: model.TowardZero}},
		{Behaviour: model.Behaviour{SIMDWidth: 32}},
		{Behaviour: model.Behaviour{ULP: true}},
		{Behaviour: model.Behaviour{Contract: 9}},
	} {
		_, err := Open(o)
		require.ErrorContains(t, err, "opencl: Options.")
	}
}

// TestJudge refuses each fault of arithmetic by its name.
func TestJudge(t *testing.T) {
	good := offload.Found{FMA: true, Division: true, Root: true}
	require.NoError(t, judge(good, model.Behaviour{}))
	for text, spoil := range map[string]func(*offload.Found){
		"to nearest even":   func(f *offload.Found) { f.Rounding = model.TowardZero },
		"flushed":           func(f *offload.Found) { f.Flush.Out = true },
		"contracted":        func(f *offload.Found) { f.Contract = model.ContractFast },
		"fma of float":      func(f *offload.Found) { f.FMA = false },
		"division of float": func(f *offload.Found) { f.Division = false },
		"sqrt of float":     func(f *offload.Found) { f.Root = false },
	} {
		f := good
		spoil(&f)
		require.ErrorContains(t, judge(f, model.Behaviour{}), text)
	}
	require.Error(t, judge(good, model.Behaviour{Flush: model.Flush{In: true}}))
}

// missing is a loader of libraries that lack a symbol, or of none.
type missing struct {
	symbolName string
	left       *int // libraries that are open
}

func (m missing) Open(path string) (uintptr, error) {
	if m.symbolName == "" {
		return 0, errors.New(path + ": cannot open shared object file")
	}
	*m.left++
	return 1, nil
}

func (m missing) Close(uintptr) { *m.left-- }

func (m missing) Symbol(_ uintptr, name string) (uintptr, error) {
	if name == m.symbolName {
		return 0, errors.New("undefined symbol: " + name)
	}
	return 0x1000, nil
}

// TestMissing names the library or the symbol that is missing, and what to set.
func TestMissing(t *testing.T) {
	s := search()
	dir := t.TempDir()
	for _, name := range []string{s.Names[0], "own"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	s.Env = func(string) string {
		return dir + string(filepath.ListSeparator) + filepath.Join(dir, "own")
	}
	list, notes := s.Candidates()
	require.Empty(t, notes)
	require.Equal(t, filepath.Join(dir, s.Names[0]), list[0])
	require.Contains(t, list, filepath.Join(dir, "own"))
	require.Contains(t, list, s.Names[0])
	err := s.Find(missing{}, nil)
	require.ErrorContains(t, err, s.Names[0])
	require.ErrorContains(t, err, PathVariable)
	require.ErrorContains(t, err, dir)
	left := 0
	err = s.Find(missing{"clFlush", &left}, func(_ uintptr, path string) error {
		return &Error{Library: path, Call: "symbol clFlush"}
	})
	require.ErrorContains(t, err, "symbol clFlush")
	require.Zero(t, left, "libraries that were refused stay open")
}

// pipeChild is a child in a goroutine, on a fake of its own.
func pipeChild(fakes *[]*fake) func() (*offload.Child, error) {
	return func() (*offload.Child, error) {
		toChild, in := io.Pipe()
		out, fromChild := io.Pipe()
		f := newFake()
		f.kernel = func(_ *fake, _ part, args map[uint32]any) { args[0].([]byte)[0]++ }
		*fakes = append(*fakes, f)
		go func() {
			if _, err := io.WriteString(fromChild, "noise of the program\n"); err != nil {
				return
			}
			err := offload.Serve(toChild, fromChild, func([]byte) (offload.Driver, []byte, error) {
				b, err := fakeLocal(f, Options{Timeout: 20 * time.Millisecond})
				return b, []byte("about"), err
			})
			fromChild.CloseWithError(errors.Join(err, io.EOF))
		}()
		return &offload.Child{In: in, Out: out, Kill: func() string {
			in.Close()
			out.Close()
			return "killed"
		}}, nil
	}
}

// TestIsolated: after a kernel that never ends the device goes on with another child, buffers hold what they held, and the error is the child's.
func TestIsolated(t *testing.T) {
	var fakes []*fake
	b, info, err := offload.Isolation{Device: "opencl", Variable: ChildVariable, Timeout: time.Second, Start: pipeChild(&fakes)}.Open()
	require.NoError(t, err)
	require.Equal(t, "about", string(info))
	r := rigOn(t, fakes[0], fakeDevice(b, about{MaxThreads: 1024, MaxBlock: [3]int{1024, 1024, 64}, Shared: 1 << 16, Memory: 1 << 20}))
	run := func() error {
		c := r.encode(t, line(4), line(4), 0)
		require.NoError(t, c.Commit())
		err := c.WaitUntilCompleted()
		if err == nil {
			require.Equal(t, 3*time.Microsecond, c.GPUTime())
		}
		return err
	}
	first := func() byte {
		got := make([]byte, 4)
		require.NoError(t, r.b.Read(0, got))
		return got[0]
	}
	require.NoError(t, run())
	require.NoError(t, run())
	require.Equal(t, byte(3), first())
	fakes[0].mu.Lock()
	fakes[0].status = 1
	fakes[0].mu.Unlock()
	err = run()
	var e *Error
	require.ErrorAs(t, err, &e)
	require.True(t, e.Lost)
	require.ErrorContains(t, err, "did not end within")
	require.Equal(t, byte(3), first())
	require.NoError(t, run())
	require.Equal(t, byte(4), first())
	require.Len(t, fakes, 2)
	r.d.Release()
}

// TestRealChild starts this test binary again; without a device the child says what Open says.
func TestRealChild(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("there are no processes in js")
	}
	d, here := Open(Options{})
	if here == nil {
		d.Release()
	}
	d, there := Open(Options{Isolate: true})
	if here == nil {
		require.NoError(t, there)
		require.Contains(t, d.Properties().Detail, "in a child process")
		d.Release()
		return
	}
	require.Error(t, there)
	require.Equal(t, here.Error(), there.Error())
}
