package cuda_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/metal"
	"gamma/metal/cuda"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/device"
	"gamma/props/judge"
	"gamma/shaders"
	"gamma/sumtree/eval"
)

// TestCUDAProtocol draws sequences of calls on the GPU, legal and not, against a model of the memory.
func TestCUDAProtocol(t *testing.T) {
	d := open(t, cuda.Options{}) // holds the context, which makes opening the others quick
	rec := newRecord(t, d)
	sequences := 100
	if thorough() {
		sequences = 2000
	}
	device.Protocol{Name: "cuda", New: func() (metal.Device, error) { return cuda.Open(cuda.Options{}) }, Sequences: sequences}.Check(t)
	rec.on("sequences of calls, each on a device of its own", func(x *row) { x.judged(model.DeviceProtocol, sequences, 0, "") })
}

// faults is a source of kernels that go wrong on a GPU.
const faults = `#include <metal_stdlib>
using namespace metal;
kernel void good(device uint* out [[buffer(0)]]) { out[0] = 5; }
kernel void store(device uint* out [[buffer(0)]], constant ulong& at [[buffer(1)]]) { out[at] = 1; }
kernel void load(device uint* out [[buffer(0)]], constant ulong& at [[buffer(1)]]) { out[0] = out[at]; }
kernel void aligned(device uchar* out [[buffer(0)]], constant ulong& at [[buffer(1)]]) { *(device uint*)(out + at) = 1; }
kernel void forever(device atomic_uint* out [[buffer(0)]], constant ulong& at [[buffer(1)]]) {
    while (atomic_load_explicit(out, memory_order_relaxed) != 7u + uint(at)) {}
}
kernel void divided(device atomic_uint* out [[buffer(0)]], constant ulong& at [[buffer(1)]], uint i [[thread_index_in_threadgroup]]) {
    if (i < 32) { while (atomic_load_explicit(out, memory_order_relaxed) != 7u + uint(at)) {} }
    threadgroup_barrier(mem_flags::mem_device);
}
kernel void shared(device uint* out [[buffer(0)]], constant ulong& at [[buffer(1)]], threadgroup uint* part [[threadgroup(0)]]) {
    part[at] = 3; out[0] = part[at];
}
kernel void deep(device uint* out [[buffer(0)]], constant ulong& at [[buffer(1)]]) {
    uint a[150000];
    for (uint i = 0; i < 150000; i++) { a[i] = i ^ uint(at); }
    for (uint i = 0; i < 150000; i++) { a[a[i] % 150000u] += i; }
    out[0] = a[uint(at) % 150000u];
}
`

// recursive is a source that Metal refuses.
const recursive = `#include <metal_stdlib>
using namespace metal;
uint f(uint n) { return n == 0 ? 0 : 1 + f(n - 1); }
kernel void recurse(device uint* out [[buffer(0)]]) { out[0] = f(out[1]); }
`

// bench runs kernels of a source.
type bench struct {
	d metal.Device
	l metal.Library
	q metal.CommandQueue
	b metal.Buffer
}

func newBench(t *testing.T, d metal.Device, source string) *bench {
	t.Helper()
	r := &bench{d: d}
	var err error
	r.l, err = d.NewLibrary(source, metal.CompileOptions{})
	require.NoError(t, err)
	r.q, err = d.NewCommandQueue()
	require.NoError(t, err)
	r.b, err = d.NewBufferWithBytes(make([]byte, 64))
	require.NoError(t, err)
	return r
}

// run runs one kernel with a number for its argument at, and returns what stops it, at whatever call.
func (r *bench) run(name string, at uint64, shared int, groups, threads metal.Size) error {
	f, err := r.l.NewFunction(name, nil)
	if err != nil {
		return err
	}
	p, err := r.d.NewComputePipelineState(f)
	if err != nil {
		return err
	}
	c, err := r.q.CommandBuffer()
	if err != nil {
		return err
	}
	e, err := c.ComputeCommandEncoder(metal.Serial)
	if err != nil {
		return err
	}
	err = errors.Join(e.SetComputePipelineState(p), e.SetBuffer(r.b, 0, 0), e.SetBytes(binary.LittleEndian.AppendUint64(nil, at), 1))
	if err == nil && shared > 0 {
		err = e.SetThreadgroupMemoryLength(shared, 0)
	}
	if err == nil {
		err = e.DispatchThreadgroups(groups, threads)
	}
	if err != nil {
		return errors.Join(err, e.EndEncoding())
	}
	if err := errors.Join(e.EndEncoding(), c.Commit()); err != nil {
		return err
	}
	return c.WaitUntilCompleted()
}

// line is a launch of so many threads in one threadgroup.
func line(threads int) metal.Size { return metal.Size{X: threads, Y: 1, Z: 1} }

// TestCUDAFaults runs kernels that fault, hang or ask for too much in a child: each gives an error that names its call and code, or what is wrong
// with the call, and the device goes on after each.
func TestCUDAFaults(t *testing.T) {
	d := open(t, cuda.Options{Isolate: true, Timeout: 2 * time.Second})
	rec := newRecord(t, d)
	r := newBench(t, d, faults)
	good := func(after string) {
		t.Helper()
		require.NoError(t, r.run("good", 0, 0, line(1), line(1)), after)
		got := make([]byte, 4)
		require.NoError(t, r.b.Read(0, got))
		require.Equal(t, byte(5), got[0], after)
	}
	good("at first")
	for _, x := range []struct {
		name, kernel string
		at           uint64
		shared       int
		groups       metal.Size
		threads      metal.Size
		refused      string // what Gamma's own error says; "": the error is CUDA's, and has a call and a code
	}{
		{"a store far outside", "store", 1 << 44, 0, line(1), line(1), ""},
		{"a load far outside", "load", 1 << 44, 0, line(1), line(1), ""},
		{"a store at address 0, by wrapping around", "store", 1<<62 - 1<<45, 0, line(1), line(1), ""},
		{"a store that is not aligned", "aligned", 1, 0, line(1), line(1), ""},
		{"a loop without end", "forever", 0, 0, line(1), line(64), ""},
		{"a barrier that half of the threads never reach", "divided", 0, 0, line(4), line(64), ""},
		{"threadgroup memory 4 MiB outside", "shared", 1 << 20, 16, line(1), line(1), ""},
		{"threadgroup memory of 1 GiB", "shared", 0, 1 << 30, line(1), line(1), "are more than the device has"},
		{"a threadgroup of 4096 threads", "good", 0, 0, line(1), line(4096), "larger than the pipeline's MaxTotalThreadsPerThreadgroup"},
		{"a threadgroup of no threads", "good", 0, 0, line(1), metal.Size{}, "is empty"},
		{"a grid of nothing", "good", 0, 0, metal.Size{X: 1}, line(1), "nothing to run"},
		{"2^32 threads", "good", 0, 0, line(1 << 31), line(64), "more than 2^32-1 threads"},
		{"70000 threadgroups along z", "good", 0, 0, metal.Size{X: 1, Y: 1, Z: 70000}, line(1), "70000 threadgroups along z are more than the device has"},
	} {
		start := time.Now()
		err := r.run(x.kernel, x.at, x.shared, x.groups, x.threads)
		took := time.Since(start).Round(time.Millisecond)
		require.Error(t, err, x.name)
		var e *cuda.Error
		if x.refused != "" {
			require.ErrorContains(t, err, x.refused, x.name)
			require.False(t, errors.As(err, &e), "%s reached CUDA: %v", x.name, err)
		} else {
			require.ErrorAs(t, err, &e, x.name)
			require.NotEmpty(t, e.Call, x.name)
			require.True(t, e.Code > 0 && e.Name != "", "%s: %v", x.name, err)
			require.Contains(t, err.Error(), x.kernel, x.name)
		}
		rec.on(x.name, func(w *row) { w.Cases, w.Note = 1, said(err) })
		t.Logf("%s (%s): %v", x.name, took, err)
		good("after " + x.name)
	}
	// 600 kB of variables a thread are more than CUDA has, 512 KiB; it says so of the launch, or NVRTC of the kernel.
	err := r.run("deep", 3, 0, line(1), line(32))
	var refused *cuda.Error
	require.ErrorAs(t, err, &refused)
	require.NotEmpty(t, refused.Call)
	require.Contains(t, err.Error(), "deep")
	rec.on("600 kB of variables a thread", func(w *row) { w.Cases, w.Note = 1, said(err) })
	t.Logf("600 kB of variables a thread: %v", err)
	good("after deep variables")

	err = newBench(t, d, recursive).run("recurse", 0, 0, line(1), line(1))
	require.ErrorContains(t, err, "recurs")
	rec.on("recursion", func(w *row) { w.Cases, w.Note = 1, said(err) })
	for _, n := range []int{0, -1, 1 << 40} {
		_, err := d.NewBuffer(n)
		require.Error(t, err, n)
		rec.on(fmt.Sprintf("a buffer of %d bytes", n), func(w *row) { w.Cases, w.Note = 1, said(err) })
	}
	good("at last")
}

// said is an error on one line.
func said(err error) string {
	if err == nil {
		return "it ran"
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	if len(text) > 300 {
		text = text[:300] + "…"
	}
	return text
}

// TestCUDAMemory asks the GPU itself, in process, for more memory than it has: an error with call and code, and the device goes on.
func TestCUDAMemory(t *testing.T) {
	d := open(t, cuda.Options{MaxBuffer: 1 << 50})
	rec := newRecord(t, d)
	_, err := d.NewBuffer(1 << 40)
	var e *cuda.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 2, e.Code)
	require.Contains(t, e.Call, "cuMemAlloc")
	t.Log(err)
	rec.on("a buffer of 1 TiB, of the driver", func(w *row) { w.Cases, w.Note = 1, said(err) })
	r := newBench(t, d, faults)
	require.NoError(t, r.run("good", 0, 0, line(1), line(1)))
}

// TestFaultsCompile: the kernels of TestCUDAFaults are Metal, and good, and the recursive one is not.
func TestFaultsCompile(t *testing.T) {
	d := sim.New(sim.Options{Workers: 1, Steps: 1 << 22})
	defer d.Release()
	r := newBench(t, d, faults)
	require.NoError(t, r.run("good", 0, 0, line(1), line(1)))
	for _, name := range []string{"store", "load", "aligned", "forever", "divided", "shared", "deep"} {
		err := r.run(name, 1<<44+1, 16, line(1), line(32))
		t.Logf("%s: %s", name, said(err))
		require.True(t, name == "deep" || err != nil, name)
	}
	err := newBench(t, d, recursive).run("recurse", 0, 0, line(1), line(1))
	require.ErrorContains(t, err, "recurs")
	t.Log(err)
}

// runs is how often a sum of n leaves runs: 200 times, and fewer where the threads of the sum by atomics wait for each other for long.
func runs(n int) int {
	switch {
	case n <= 4096:
		return 200
	case n <= 1<<14:
		return 50
	}
	return 5
}

// TestCUDARepeat runs sums 200 times each, long ones less often. Results of the sum by atomics come out in the order of the moment: all lie inside the bound, and of few
// leaves each is one that some order and tree of additions gives. Every kernel that claims to repeat does.
func TestCUDARepeat(t *testing.T) {
	dev := open(t, cuda.Options{})
	list := []int{2, 3, 4, 5, 6, 1000, 4096, 1 << 14, 1 << 16}
	if thorough() {
		list = append(list, 1<<20)
	}
	several := repeats(t, newRecord(t, dev), dev, runs, list)
	require.Positive(t, several, "no kernel gave several results; then this GPU adds in one order, and nothing was shown of others")
}

// TestRepeatSimulated runs what TestCUDARepeat runs, on the simulator, whose threads have one order, so that every kernel repeats.
func TestRepeatSimulated(t *testing.T) {
	d := sim.New(sim.Options{NoChecks: true, Workers: 1})
	defer d.Release()
	require.Zero(t, repeats(t, newRecord(t, d), d, func(int) int { return 3 }, []int{2, 3, 6, 300}))
}

// repeats runs every sum so many times on each of the sizes, and returns how many pairs of a kernel and an input gave several results.
func repeats(t *testing.T, rec *record, dev metal.Device, runs func(n int) int, sizes []int) (several int) {
	r := shaders.NewRunner(dev)
	defer r.Release()
	for _, k := range shaders.All() {
		if k.Sum32 == nil && k.Dot32 == nil {
			continue
		}
		for _, n := range sizes {
			first := launch(k, n)
			if (k.MaxN > 0 || first == model.Launch1D(1, 1)) && n > 4096 {
				continue // one thread adds them all
			}
			launches := []model.Launch{first}
			if l := model.Launch1D((n+255)/256, 256); n <= 4096 && l != first && (k.Fits == nil || k.Fits(n, l) == nil) {
				launches = append(launches, l)
			}
			for _, l := range launches {
				x, y := leaves(n), leaves(n)
				results := map[uint32]int{}
				for range runs(n) {
					var v float32
					var err error
					if k.IsDot() {
						v, err = k.Dot32(r, l, x, y)
					} else {
						v, err = k.Sum32(r, l, x)
					}
					require.NoError(t, err, k.Name)
					results[math.Float32bits(v)]++
				}
				judgeResults(t, k, dev, l, x, y, results)
				if len(results) > 1 {
					several++
				}
				rec.on(k.Name, func(w *row) {
					w.Cases += runs(n)
					if len(results) > 1 {
						w.Note = strings.TrimPrefix(fmt.Sprintf("%s; %d leaves in %d threadgroups: %d results of %d runs", w.Note, n, l.Groups.X, len(results), runs(n)), "; ")
					}
				})
				if !k.Claim.Repeats {
					t.Logf("%s, %d leaves, %s: %d results of %d runs", k.Name, n, l, len(results), runs(n))
				}
			}
		}
	}
	return several
}

// leaves are numbers whose sum depends on the order: of few leaves by the ties that they meet.
func leaves(n int) []float32 {
	if n <= 6 {
		return []float32{1, 0x1p-24, 3 * 0x1p-25, -1 + 0x1p-22, 0x1p-23, -0x1p-24}[:n]
	}
	rng := rand.New(rand.NewPCG(uint64(n), 5))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Ldexp(2*rng.Float64()-1, rng.IntN(12)))
	}
	return x
}

// judgeResults judges every distinct result.
func judgeResults(t *testing.T, k shaders.Kernel, dev metal.Device, l model.Launch, x, y []float32, results map[uint32]int) {
	t.Helper()
	if k.Claim.Repeats {
		require.Len(t, results, 1, "%s, %d leaves, %s: the claim says that results repeat", k.Name, len(x), l)
	}
	op := model.SumEnclosure
	if k.IsDot() {
		op = model.DotEnclosure
	}
	law, err := judge.LawByID(judge.Laws(), op)
	require.NoError(t, err)
	var reachable []float32
	if len(x) <= 6 && !k.IsDot() && k.Claim.Compensation == model.Uncompensated {
		complete := false
		reachable, complete = eval.Reachable32(x, 1<<20)
		require.True(t, complete)
	}
	for b := range results {
		v := math.Float32frombits(b)
		if reachable != nil {
			require.True(t, slices.ContainsFunc(reachable, func(w float32) bool { return math.Float32bits(w) == b }), "%s, %s: %x is none of the %d sums of any tree over any order of %v", k.Name, l, b, len(reachable), x)
		}
		c := &corpus.Case{Kernel: k.Name, Launch: l, X: corpus.Values{Format: model.Binary32, F32: x}}
		var s props.Subject
		switch w := builtin.Shader(k, dev).(type) {
		case props.Reduction:
			w.RunOn = func(props.Setting, []float32) (float32, error) { return v, nil }
			s = w
		case props.Dot:
			w.RunOn = func(props.Setting, []float32, []float32) (float32, error) { return v, nil }
			c.Y, s = corpus.Values{Format: model.Binary32, F32: y}, w
		}
		verdict, err := judge.Judge(law, s, c)
		require.NoError(t, err)
		require.Equal(t, props.Holds, verdict.Outcome, "%s, %s: %s", k.Name, l, verdict)
	}
}
