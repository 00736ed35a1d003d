package cuda_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/kernels/complex"
	"gamma/metal"
	"gamma/metal/cuda"
	"gamma/metal/internal/offload"
	"gamma/shaders"
)

// plainSource has the float32 twins of what computes in double words, which move the same bytes, and a copy.
const plainSource = `#include <metal_stdlib>
using namespace metal;
kernel void copy(device const float4* x [[buffer(0)]], device float4* z [[buffer(1)]], constant uint& n [[buffer(2)]],
                 uint i [[thread_position_in_grid]])
{
    if (i < n) {
        z[i] = x[i];
    }
}
kernel void scale(device const packed_float3* x [[buffer(0)]], device float* z [[buffer(1)]], constant uint& n [[buffer(2)]],
                  uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float3 v = x[i];
    z[i] = (v.x + v.y) * v.z;
}
kernel void depthwise3(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], constant uint& n [[buffer(2)]],
                       constant uint& channels [[buffer(3)]], device const float* taps [[buffer(4)]],
                       uint first [[thread_position_in_grid]], uint threads [[threads_per_grid]])
{
    device const packed_float4* fours = reinterpret_cast<device const packed_float4*>(x);
    device packed_float4* results = reinterpret_cast<device packed_float4*>(out);
    uint length = n;
    uint places = length * channels;
    uint channel = 4 * first / length;
    uint t = 4 * first - channel * length;
    uint step_channels = 4 * threads / length;
    uint step = 4 * threads - step_channels * length;
    for (uint four = first; four < places / 4; four += threads) {
        uint i = 4 * four;
        device const float* w = taps + 3 * channel;
        float w0 = w[0];
        float w1 = w[1];
        float w2 = w[2];
        float left = t > 0 ? x[i - 1] : 0.0f;
        float4 v = fours[four];
        float right = t + 4 < length ? x[i + 4] : 0.0f;
        results[four] = float4(left * w0 + v.x * w1 + v.y * w2, v.x * w0 + v.y * w1 + v.z * w2,
                               v.y * w0 + v.z * w1 + v.w * w2, v.z * w0 + v.w * w1 + right * w2);
        channel += step_channels;
        t += step;
        if (t >= length) {
            t -= length;
            channel++;
        }
    }
}
kernel void empty(device uint* out [[buffer(0)]]) {}
`

// speedRow is a row of the table.
type speedRow struct {
	What       string
	Bytes      int     // read and written
	Median     float64 // microseconds, as the two that follow
	Least      float64
	Most       float64
	Bandwidth  float64 // GB/s at the median
	OfCopy     float64 // of the bandwidth of cuMemcpyDtoD, which moves as many bytes
	Wanted     string  // what is asked of it; "": it is for comparison
	Missed     bool
	Compared   float64 // with what Wanted names, if that is a quotient
	Dispatches int     // that were timed
	Registers  int     // of a thread
	Local      int     // bytes of memory of a thread's own, which is far away
}

// speed measures on one device.
type speed struct {
	*testing.T
	d    *cuda.Device
	q    metal.CommandQueue
	rng  *rand.Rand
	copy map[int]float64
	rows []*speedRow
}

// pass is a dispatch. Arguments are buffers, or numbers for a constant uint&.
type pass struct {
	p               metal.ComputePipelineState
	groups, threads int
	args            []any
	shared          int
}

func (s *speed) pipeline(source, function string) metal.ComputePipelineState {
	s.Helper()
	l, err := s.d.NewLibrary(source, metal.CompileOptions{Headers: shaders.Headers()})
	require.NoError(s, err)
	f, err := l.NewFunction(function, nil)
	require.NoError(s, err)
	p, err := s.d.NewComputePipelineState(f)
	require.NoError(s, err)
	return p
}

// shader is the kernel of an operation or a sum.
func (s *speed) shader(name string) metal.ComputePipelineState {
	s.Helper()
	if o, ok := shaders.FindOperation(name); ok {
		return s.pipeline(o.Source, o.Function)
	}
	k, ok := shaders.Find(name)
	require.True(s, ok, name)
	return s.pipeline(k.Source, k.Function)
}

// once runs passes in one command buffer, and returns their time on the GPU.
func (s *speed) once(passes []pass) time.Duration {
	s.Helper()
	c, err := s.q.CommandBuffer()
	require.NoError(s, err)
	e, err := c.ComputeCommandEncoder(metal.Serial)
	require.NoError(s, err)
	for _, p := range passes {
		require.NoError(s, e.SetComputePipelineState(p.p))
		for i, a := range p.args {
			switch a := a.(type) {
			case metal.Buffer:
				require.NoError(s, e.SetBuffer(a, 0, i))
			case int:
				require.NoError(s, e.SetBytes(binary.LittleEndian.AppendUint32(nil, uint32(a)), i))
			}
		}
		if p.shared > 0 {
			require.NoError(s, e.SetThreadgroupMemoryLength(p.shared, 0))
		}
		require.NoError(s, e.DispatchThreadgroups(metal.Size{X: p.groups, Y: 1, Z: 1}, metal.Size{X: p.threads, Y: 1, Z: 1}))
	}
	require.NoError(s, errors.Join(e.EndEncoding(), c.Commit(), c.WaitUntilCompleted()))
	return c.GPUTime()
}

const (
	warmUps     = 4
	timings     = 21
	checkedRows = 1 << 12 // at the front, in the middle and at the end
)

// row times what moves so many bytes. passes gives those of the i-th run.
func (s *speed) row(what string, bytes int, wanted float64, passes func(i int) []pass) *speedRow {
	s.Helper()
	var list []time.Duration
	for i := range warmUps + timings {
		took := s.once(passes(i))
		if i >= warmUps {
			list = append(list, took)
		}
	}
	r := times(what, list)
	r.Bytes = bytes
	if k := offload.KernelIn(passes(0)[0].p); k != nil {
		r.Registers, r.Local = k.Shape.Registers, k.Shape.Local
	}
	if s.copy[bytes] == 0 {
		rate, err := s.d.CopyBandwidth(bytes / 2)
		require.NoError(s, err)
		s.copy[bytes] = rate
	}
	r.Bandwidth = float64(bytes) / r.Median / 1e3
	r.OfCopy = r.Bandwidth * 1e9 / s.copy[bytes]
	if wanted > 0 {
		r.Wanted, r.Missed = fmt.Sprintf("%.0f %% of copy", 100*wanted), r.OfCopy < wanted
	}
	s.rows = append(s.rows, r)
	return r
}

func times(what string, list []time.Duration) *speedRow {
	slices.Sort(list)
	at := func(i int) float64 { return float64(list[i].Nanoseconds()) / 1e3 }
	return &speedRow{What: what, Median: at(len(list) / 2), Least: at(0), Most: at(len(list) - 1), Dispatches: len(list)}
}

// over says how much longer a row takes than another.
func (r *speedRow) over(plain *speedRow, most float64) {
	r.Compared = r.Median / plain.Median
	r.Missed = r.Missed || r.Compared > most
	if r.Wanted != "" {
		r.Wanted += ", "
	}
	r.Wanted += fmt.Sprintf("at most %.2f times %s", most, plain.What)
}

// filled returns a buffer of n floats that repeats block, and the floats from any place on.
func (s *speed) filled(n int, block []float32) metal.Buffer {
	s.Helper()
	b, err := s.d.NewBuffer(4 * n)
	require.NoError(s, err)
	bytes := make([]byte, 4*len(block))
	for i, v := range block {
		binary.LittleEndian.PutUint32(bytes[4*i:], math.Float32bits(v))
	}
	for at := 0; at < 4*n; at += len(bytes) {
		require.NoError(s, b.Write(at, bytes[:min(len(bytes), 4*n-at)]))
	}
	return b
}

// numbers draws n numbers of some binades and both signs.
func (s *speed) numbers(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = math.Float32frombits(s.rng.Uint32()&0x81ffffff | 0x3e000000)
	}
	return x
}

// doubles draws double words, high word and low word by turns.
func (s *speed) doubles(n int) []float32 {
	x := s.numbers(n)
	for i := 0; i < n; i += 2 {
		x[i+1] *= float32(math.Abs(float64(x[i]))) * 0x1p-27
	}
	return x
}

// checked compares the results of rows with those of f, which computes row r, word by word. Results were 0xff before.
func (s *speed) checked(what string, z metal.Buffer, rows, words int, f func(dst []float32, row int)) {
	s.Helper()
	want, got := make([]float32, words), make([]byte, 4*words*checkedRows)
	wrong := 0
	for _, first := range parts(rows) {
		require.NoError(s, z.Read(4*words*first, got))
		for r := range checkedRows {
			f(want, first+r)
			for w := range want {
				if bits := binary.LittleEndian.Uint32(got[4*(words*r+w):]); !equal(math.Float32frombits(bits), want[w]) {
					if wrong++; wrong == 1 {
						s.Errorf("%s: word %d of row %d is %#x, and %#x by the CPU", what, w, first+r, bits, math.Float32bits(want[w]))
					}
				}
			}
		}
	}
	require.Zero(s, wrong, "%s: so many words are wrong", what)
}

// parts are the first rows of the parts that are checked.
func parts(rows int) []int { return []int{0, rows/2 - 777, rows - checkedRows} }

// results returns a buffer of rows with so many words each, whose checked parts are 0xff.
func (s *speed) results(rows, words int) metal.Buffer {
	s.Helper()
	b, err := s.d.NewBuffer(4 * words * rows)
	require.NoError(s, err)
	for _, first := range parts(rows) {
		require.NoError(s, b.Write(4*words*first, slices.Repeat([]byte{0xff}, 4*words*checkedRows)))
	}
	return b
}

// at returns the words of a row of a buffer that repeats block.
func at(block []float32, row, words int) []float32 { return block[row*words%len(block):][:words] }

// operation times a kernel that takes operands, results and the number of rows, a row a thread, and compares it with f.
func (s *speed) operation(what string, p metal.ComputePipelineState, rows, in, out int, block []float32, wanted float64, f func(dst, src []float32)) *speedRow {
	s.Helper()
	require.Zero(s, len(block)%in)
	x, z := s.filled(rows*in, block), s.results(rows, out)
	defer x.Release()
	defer z.Release()
	run := func(w int) func(int) []pass {
		return func(int) []pass { return []pass{{p: p, groups: rows / w, threads: w, args: []any{x, z, rows}}} }
	}
	r := s.row(what, 4*rows*(in+out), wanted, run(rowThreads))
	s.checked(what, z, rows, out, func(dst []float32, row int) { f(dst, at(block, row, in)) })
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		for _, w := range []int{64, 128, 512, 1024} {
			s.row(fmt.Sprintf("    threadgroups of %d", w), 4*rows*(in+out), 0, run(w))
		}
	}
	return r
}

const rowThreads = 256

// byCPU is a kernel of package complex.
func byCPU(tb testing.TB, name string) func(dst, src []float32) {
	tb.Helper()
	k, ok := complex.Find("complex." + name)
	require.True(tb, ok, name)
	return k.Run32
}

const megabyte = 1 << 20

// TestCUDASpeed times what issue 6 asks of a GPU, with data that no cache holds, and holds samples of the results to the CPU's bits. Each row
// says what is asked and whether it is missed; only GAMMA_LEVEL=thorough, which times more launches, makes that a failure, since a
// GPU may have other work. GAMMA_DIR gets a copy as JSON.
func TestCUDASpeed(t *testing.T) {
	d := open(t, cuda.Options{})
	s := &speed{T: t, d: d, rng: rand.New(rand.NewPCG(11, 12)), copy: map[int]float64{}}
	var err error
	s.q, err = d.NewCommandQueue()
	require.NoError(t, err)
	t.Logf("%s: %s", d.Properties().Name, d.Properties().Detail)

	s.complexes()
	s.scaling()
	s.taps()
	s.sums()
	s.empty()

	t.Log("\n" + s.table())
	if dir := os.Getenv("GAMMA_DIR"); dir != "" {
		text, err := json.MarshalIndent(struct {
			Device, Detail string
			Copy           map[int]float64
			Rows           []*speedRow
		}{d.Properties().Name, d.Properties().Detail, s.copy, s.rows}, "", "\t")
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "cuda-speed.json"), append(text, '\n'), 0o644))
	}
	for _, r := range s.rows {
		if r.Missed && os.Getenv("GAMMA_LEVEL") == "thorough" {
			t.Errorf("%s: %s is missed", r.What, r.Wanted)
		}
	}
}

// complexes are products of complex numbers.
func (s *speed) complexes() {
	copied := s.numbers(16 * megabyte)
	s.operation("copy by a kernel", s.pipeline(plainSource, "copy"), 64*megabyte, 4, 4, copied, 0, func(dst, src []float32) { copy(dst, src) })
	doubles := s.doubles(16 * megabyte)
	s.operation("complex product, double words in and out", s.shader("shaders/complex.metal#multiply_extended_dd"), 32*megabyte, 8, 4, doubles, 0.85,
		byCPU(s, "DD.Times3"))
	s.operation("complex product, double words in, floats out", s.shader("shaders/complex.metal#multiply_extended"), 32*megabyte, 8, 2, doubles, 0,
		byCPU(s, "ComplexMultiplyExtended"))
	plain := s.operation("complex product, float32", s.shader("shaders/complex.metal#plain"), 64*megabyte, 4, 2, copied, 0, byCPU(s, "TimesPlain"))
	s.operation("complex product, floats in and out, double words inside", s.shader("shaders/complex.metal#extended"), 64*megabyte, 4, 2, copied, 0.85,
		byCPU(s, "TimesExtended")).over(plain, 1.1)
}

// scaling divides double words by numbers.
func (s *speed) scaling() {
	block := s.doubles(4 * megabyte)
	rows := make([]float32, 0, 6*megabyte)
	for i := 0; i < len(block); i += 2 {
		rows = append(rows, block[i], block[i+1], float32(1+s.rng.IntN(1<<20)))
	}
	plain := s.operation("fft scaling, float32", s.pipeline(plainSource, "scale"), 96*megabyte, 3, 1, rows, 0,
		func(dst, src []float32) { dst[0] = float32(src[0]+src[1]) * src[2] })
	s.operation("fft scaling, double words", s.shader("shaders/dd.metal#fft_scale_extended"), 96*megabyte, 3, 1, rows, 0, byCPU(s, "FFTScaleExtended")).over(plain, 1.15)
}

// taps convolves channels with three taps each.
func (s *speed) taps() {
	const n, channels = 4096, 32768
	block, weights := s.numbers(16*megabyte), s.numbers(3*channels)
	x, w := s.filled(n*channels, block), s.filled(3*channels, weights)
	defer x.Release()
	defer w.Release()
	row := func(i int) []float32 {
		var r [6]float32
		for k := range 3 {
			if p := i%n + k - 1; p >= 0 && p < n {
				r[k] = block[(i+k-1)%len(block)]
			}
		}
		copy(r[3:], weights[i/n*3:])
		return r[:]
	}
	bytes := 8*n*channels + 12*channels
	timed := func(what string, p metal.ComputePipelineState, f func(dst, src []float32)) *speedRow {
		z := s.results(n*channels, 1)
		defer z.Release()
		run := func(groups, threads int) func(int) []pass {
			return func(int) []pass {
				return []pass{{p: p, groups: groups, threads: threads, args: []any{x, z, n, channels, w}}}
			}
		}
		// Eight times four places a thread, so that what a thread does once is done seldom.
		r := s.row(what, bytes, 0, run(n*channels/32/rowThreads, rowThreads))
		s.checked(what, z, n*channels, 1, func(dst []float32, i int) { f(dst, row(i)) })
		if os.Getenv("GAMMA_LEVEL") == "thorough" {
			for _, l := range [][2]int{{n * channels / 4 / 256, 256}, {n * channels / 32 / 128, 128}, {n * channels / 32 / 512, 512}, {n * channels / 16 / 256, 256}, {n * channels / 64 / 256, 256}, {132 * 16, 256}} {
				s.row(fmt.Sprintf("    %d threadgroups of %d", l[0], l[1]), bytes, 0, run(l[0], l[1]))
			}
		}
		return r
	}
	plain := timed("depthwise of 3 taps, float32", s.pipeline(plainSource, "depthwise3"), func(dst, src []float32) {
		dst[0] = float32(float32(src[0]*src[3])+float32(src[1]*src[4])) + float32(src[2]*src[5])
	})
	timed("depthwise of 3 taps, double words", s.shader("shaders/layers.metal#depthwise3_extended"), byCPU(s, "Depthwise3Extended")).over(plain, 1.15)
}

// sums adds 2^26 numbers in two passes. The same numbers stand in buffers enough that none is still in a cache when its turn comes.
func (s *speed) sums() {
	const n, sets = 1 << 26, 4
	block := s.numbers(16 * megabyte)
	var x [sets]metal.Buffer
	for i := range x {
		x[i] = s.filled(n, block)
		defer x[i].Release()
	}
	out, err := s.d.NewBuffer(4 << 16)
	require.NoError(s, err)
	defer out.Release()
	total, err := s.d.NewBuffer(4)
	require.NoError(s, err)
	defer total.Release()
	timed := func(what string, p metal.ComputePipelineState, groups, w int, wanted float64) {
		run := func(i int) []pass {
			return []pass{
				{p: p, groups: groups, threads: w, args: []any{x[i%sets], out, n}, shared: max(4*w, 16)},
				{p: p, groups: 1, threads: w, args: []any{out, total, groups}, shared: max(4*w, 16)},
			}
		}
		s.row(what, 4*n+8*groups, wanted, run)
	}
	tiles := s.shader("shaders/sum.metal#tiles")
	const groups, w = 2048, 256
	want := tiled(func(i int) float32 { return block[i%len(block)] }, n, groups, w)
	require.NoError(s, total.Write(0, []byte{0xff, 0xff, 0xff, 0xff}))
	timed(fmt.Sprintf("sum of 2^26 numbers, %d threadgroups of %d, two passes", groups, w), tiles, groups, w, 0.85)
	got := make([]byte, 4)
	require.NoError(s, total.Read(0, got))
	require.Equal(s, math.Float32bits(want), binary.LittleEndian.Uint32(got), "the sum is %g", want)
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		for _, l := range [][2]int{{528, 256}, {1024, 256}, {4096, 256}, {528, 512}, {1024, 512}, {2048, 512}, {4096, 512}, {264, 1024}, {528, 1024}, {1024, 1024}, {4096, 128}, {2048, 128}} {
			timed(fmt.Sprintf("    %d threadgroups of %d", l[0], l[1]), tiles, l[0], l[1], 0)
		}
		timed("sum_tree, 2048 threadgroups of 256", s.shader("shaders/sum.metal#tree"), 2048, 256, 0)
	}
}

// tiled adds n numbers in the order that shaders/sum.metal#tiles claims, level by level.
func tiled(x func(i int) float32, n, groups, w int) float32 {
	negative := float32(math.Copysign(0, -1))
	part := slices.Repeat([]float32{negative}, 16*groups*w)
	for i := range n {
		four, tile := i/4, i/(16*w)
		part[16*(tile%groups*w+four%w)+four/w%4*4+i%4] += x(i)
	}
	sums := make([]float32, groups)
	for g := range sums {
		threads := make([]float32, w)
		for j := range threads {
			p := part[16*(g*w+j):]
			c := func(i int) float32 { return (p[i] + p[i+4]) + (p[i+8] + p[i+12]) }
			threads[j] = (c(0) + c(1)) + (c(2) + c(3))
		}
		for half := w / 2; half > 0; half /= 2 {
			for j := range half {
				threads[j] += threads[j+half]
			}
		}
		sums[g] = threads[0]
	}
	if groups == 1 {
		return sums[0]
	}
	return tiled(func(i int) float32 { return sums[i] }, groups, 1, w)
}

// empty submits a kernel that does nothing, and waits for it.
func (s *speed) empty() {
	p := s.pipeline(plainSource, "empty")
	b, err := s.d.NewBuffer(16)
	require.NoError(s, err)
	defer b.Release()
	one := metal.Size{X: 1, Y: 1, Z: 1}
	var encoded, sent, gpu []time.Duration
	for i := range 3000 {
		start := time.Now()
		c, err := s.q.CommandBuffer()
		require.NoError(s, err)
		e, err := c.ComputeCommandEncoder(metal.Serial)
		require.NoError(s, err)
		err = errors.Join(e.SetComputePipelineState(p), e.SetBuffer(b, 0, 0), e.DispatchThreadgroups(one, one), e.EndEncoding())
		commit := time.Now()
		err = errors.Join(err, c.Commit(), c.WaitUntilCompleted())
		end := time.Now()
		require.NoError(s, err)
		if took := c.GPUTime(); i >= 500 {
			encoded, sent, gpu = append(encoded, end.Sub(start)), append(sent, end.Sub(commit)), append(gpu, took)
		}
	}
	r := times("empty dispatch, committed and waited for", sent)
	r.Wanted, r.Missed = "at most 15 µs", r.Median > 15
	s.rows = append(s.rows, r, times("    with its encoding", encoded), times("    on the GPU", gpu))
}

// table prints the rows.
func (s *speed) table() string {
	var b strings.Builder
	for _, n := range sortedKeys(s.copy) {
		fmt.Fprintf(&b, "cuMemcpyDtoD moving %.2f GB: %.0f GB/s\n", float64(n)/1e9, s.copy[n]/1e9)
	}
	fmt.Fprintf(&b, "%-58s %7s %9s %9s %9s %9s %7s %7s  %s\n", "what", "MB", "registers", "median µs", "least", "most", "GB/s", "of copy", "asked")
	for _, r := range s.rows {
		moved, of, registers := "", "", ""
		if r.Bytes > 0 {
			registers = fmt.Sprintf("%d+%d", r.Registers, r.Local)
			moved, of = fmt.Sprintf("%.0f", r.Bandwidth), fmt.Sprintf("%.1f %%", 100*r.OfCopy)
		}
		fmt.Fprintf(&b, "%-58s %7.0f %9s %9.2f %9.2f %9.2f %7s %7s  %s", r.What, float64(r.Bytes)/1e6, registers, r.Median, r.Least, r.Most, moved, of, r.Wanted)
		if r.Compared > 0 {
			fmt.Fprintf(&b, ": %.3f", r.Compared)
		}
		if r.Missed {
			b.WriteString(" MISSED")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func sortedKeys(m map[int]float64) []int {
	var keys []int
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
