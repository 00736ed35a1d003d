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

	"gamma/kernels/fft"
	"gamma/metal"
	"gamma/metal/cuda"
	"gamma/metal/internal/offload"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/fourier"
	"gamma/shaders"
)

// batch holds the buffers and pipelines of dispatches, to be run any number of times.
type batch struct {
	queue     metal.CommandQueue
	buffers   map[*shaders.Data]metal.Buffer
	pipelines map[string]metal.ComputePipelineState // by function; they belong to the runner
}

func newBatch(tb testing.TB, d metal.Device, r *shaders.Runner, p shaders.Program, list []shaders.Dispatch) *batch {
	tb.Helper()
	o := &batch{buffers: map[*shaders.Data]metal.Buffer{}, pipelines: map[string]metal.ComputePipelineState{}}
	var err error
	o.queue, err = d.NewCommandQueue()
	require.NoError(tb, err)
	for _, x := range list {
		p.Function = x.Function
		o.pipelines[x.Function], err = r.Pipeline(p)
		require.NoError(tb, err)
		for _, a := range x.Args {
			if a.Data == nil || o.buffers[a.Data] != nil {
				continue
			}
			b, err := d.NewBuffer(max(len(a.Data.Bytes), a.Data.Length))
			require.NoError(tb, err)
			o.buffers[a.Data] = b
			if a.Data.Bytes != nil {
				require.NoError(tb, b.Write(0, a.Data.Bytes))
			}
		}
	}
	return o
}

func (o *batch) release() {
	for _, b := range o.buffers {
		b.Release()
	}
	o.queue.Release()
}

// run runs dispatches in one command buffer, and returns their time on the device.
func (o *batch) run(tb testing.TB, list []shaders.Dispatch) time.Duration {
	tb.Helper()
	c, err := o.queue.CommandBuffer()
	require.NoError(tb, err)
	e, err := c.ComputeCommandEncoder(metal.Serial)
	require.NoError(tb, err)
	for _, x := range list {
		require.NoError(tb, e.SetComputePipelineState(o.pipelines[x.Function]))
		for at, a := range x.Args {
			if a.Data != nil {
				err = e.SetBuffer(o.buffers[a.Data], a.Offset, at)
			} else {
				err = e.SetBytes(a.Value, at)
			}
			require.NoError(tb, err)
		}
		for at, n := range x.Shared {
			require.NoError(tb, e.SetThreadgroupMemoryLength((n+15)&^15, at))
		}
		require.NoError(tb, e.DispatchThreadgroups(x.Launch.Groups, x.Launch.Threads))
	}
	require.NoError(tb, errors.Join(e.EndEncoding(), c.Commit(), c.WaitUntilCompleted()))
	return c.GPUTime()
}

// median returns the median time of so many runs, after two that are not counted.
func (o *batch) median(tb testing.TB, list []shaders.Dispatch, runs int) time.Duration {
	tb.Helper()
	times := make([]time.Duration, runs)
	for i := -2; i < runs; i++ {
		if took := o.run(tb, list); i >= 0 {
			times[i] = took
		}
	}
	slices.Sort(times)
	return times[runs/2]
}

// fftRow is a batch of Fourier transforms as it was measured.
type fftRow struct {
	N, Batch, Bytes  int           // Bytes are those that all passes read and write, factors not counted
	All              time.Duration // of all passes in one command buffer, the median
	Passes           []time.Duration
	Registers, Local int     // of a thread of the first pass
	Worst            float64 // the greatest of ‖error‖/‖result‖ as a part of its bound, of the rows that are looked at
}

// timedFFT times forward transforms of rows of src, and compares the first row and the last with those of kernels/fft in binary64.
func timedFFT(tb testing.TB, d metal.Device, f shaders.FFT, l model.Launch, n int, src []float32, runs int) fftRow {
	tb.Helper()
	r := shaders.NewRunner(d)
	defer r.Release()
	t := f.Claim.Transform(n, fourier.Forward)
	list, results, err := f.Dispatches(r, l, t, src)
	require.NoError(tb, err)
	o := newBatch(tb, d, r, f.Program, list)
	defer o.release()
	row := fftRow{N: n, Batch: len(src) / 2 / n, Bytes: len(list) * 2 * 4 * len(src), All: o.median(tb, list, runs)}
	if k := offload.KernelIn(o.pipelines[list[0].Function]); k != nil {
		row.Registers, row.Local = k.Shape.Registers, k.Shape.Local
	}
	plan, err := fft.New[complex128](t)
	require.NoError(tb, err)
	x, want, got := make([]complex128, n), make([]complex128, n), make([]byte, 8*n)
	for _, first := range []int{0, len(src)/2 - n} {
		require.NoError(tb, o.buffers[results].Read(8*first, got))
		for i := range x {
			x[i] = complex(float64(src[2*(first+i)]), float64(src[2*(first+i)+1]))
		}
		require.NoError(tb, plan.Transform(want, x))
		off, size := 0.0, 0.0
		for i, w := range want {
			re, im := real(w)-float64(float32At(got, 2*i)), imag(w)-float64(float32At(got, 2*i+1))
			off += float64(re*re) + float64(im*im)
			size += float64(real(w)*real(w)) + float64(imag(w)*imag(w))
		}
		ratio := math.Sqrt(off/size) / f.Claim.Bound(t).L2
		if !(ratio <= row.Worst) { // NaN is worse than all
			row.Worst = ratio
		}
	}
	for _, pass := range list {
		row.Passes = append(row.Passes, o.median(tb, []shaders.Dispatch{pass}, runs))
	}
	return row
}

func float32At(b []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
}

// randomRows returns numbers from [-1/2, 1/2).
func randomRows(seed uint64, floats int) []float32 {
	rng := rand.New(rand.NewPCG(seed, 15))
	src := make([]float32, floats)
	for i := range src {
		src[i] = float32(rng.Uint32()>>8)*0x1p-24 - 0.5
	}
	return src
}

// BenchmarkFFT times a batch of 64 transforms of 2^20 points in binary32 against a copy of as many bytes, by each number of threads of a threadgroup that the kernel takes,
// and with more and fewer registers a thread than its attribute grants.
func BenchmarkFFT(b *testing.B) {
	d, err := cuda.Open(cuda.Options{})
	if err != nil {
		b.Skip(err)
	}
	defer d.Release()
	const n, rows, runs = 1 << 20, 64, 11
	src := randomRows(1, 2*n*rows)
	rate, err := d.CopyBandwidth(4 * len(src))
	require.NoError(b, err)
	b.Logf("%s, %s: a copy reads and writes %.0f GB/s", d.Properties().Name, d.Properties().Detail, rate/1e9)
	time := func(name, kernel string, threads, bounds int) {
		b.Run(name, func(b *testing.B) {
			f, ok := shaders.FindFFT(kernel)
			require.True(b, ok)
			if bounds > 0 {
				p := f.Program
				p.Source = strings.Replace(p.Source, "max_total_threads_per_threadgroup(512)", fmt.Sprintf("max_total_threads_per_threadgroup(%d)", bounds), 1)
				f = f.Of(p)
			}
			for range b.N {
				row := timedFFT(b, d, f, model.Launch1D(1, threads), n, src, runs)
				if !(row.Worst <= 1) {
					b.Errorf("the error is %g of its bound", row.Worst)
				}
				speed := float64(row.Bytes) / row.All.Seconds()
				b.ReportMetric(speed/1e9, "GB/s")
				b.ReportMetric(rate/1e9, "copy-GB/s")
				b.ReportMetric(100*speed/rate, "%copy")
				b.ReportMetric(float64(row.All.Microseconds()), "µs")
				text := ""
				for _, p := range row.Passes {
					text += fmt.Sprintf(" %.0f µs (%.0f GB/s)", float64(p.Nanoseconds())/1e3, float64(row.Bytes)/float64(len(row.Passes))/p.Seconds()/1e9)
				}
				b.Logf("%d threads: %.1f µs, %.1f %% of the copy; passes:%s; %d registers, %d bytes of local memory; error/bound %.3f",
					threads, float64(row.All.Nanoseconds())/1e3, 100*speed/rate, text, row.Registers, row.Local, row.Worst)
			}
		})
	}
	for _, threads := range []int{256, 128, 64} {
		for _, bounds := range []int{512, 256, 768, 1024} {
			time(fmt.Sprintf("N=2^20/two_passes/threads=%d/bounds=%d", threads, bounds), "shaders/fft_pass.metal#two_passes", threads, bounds)
		}
	}
	time("N=2^20/tiled/threads=256", "shaders/fft.metal#tiled", 256, 0)
}

// TestFFTSpeedHarness holds the benchmark to the simulator: transforms are within their bound, take two passes, and a factor that is wrong is seen.
func TestFFTSpeedHarness(t *testing.T) {
	d := sim.New(sim.Options{NoChecks: true})
	defer d.Release()
	f, ok := shaders.FindFFT("shaders/fft_pass.metal#two_passes")
	require.True(t, ok)
	src := randomRows(2, 2*4096*3)
	row := timedFFT(t, d, f, model.Launch1D(1, 256), 4096, src, 1)
	require.Equal(t, 3, row.Batch)
	require.Len(t, row.Passes, 2)
	require.Equal(t, 2*2*8*4096*3, row.Bytes)
	require.LessOrEqual(t, row.Worst, 1.0)
	require.Positive(t, row.Worst)
	if thorough() { // 10 s
		require.LessOrEqual(t, timedFFT(t, d, f, model.Launch1D(1, 256), 1<<20, randomRows(3, 2<<20), 1).Worst, 1.0)
	}
	p := f.Program
	p.Source = strings.Replace(p.Source, "c4 = 0.707106", "c4 = 0.707206", 1)
	require.Greater(t, timedFFT(t, d, f.Of(p), model.Launch1D(1, 256), 4096, src, 1).Worst, 1.0)
}
