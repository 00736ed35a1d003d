package cuda_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/kernels/ntt"
	"gamma/metal"
	"gamma/metal/cuda"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/modular"
	"gamma/shaders"
)

// nttRow is a transform as it was measured.
type nttRow struct {
	Shader      string
	Inverse     bool
	N, Batch    int
	Threads     int     // of a threadgroup
	Bits        int     // of a word
	Modulus     uint64  //
	Passes      int     // dispatches, each of which reads and writes every word
	Bytes       int     // read and written by all passes, factors not counted
	Median      float64 // seconds
	Least       float64
	Limit       float64 // seconds that the bytes take at the bandwidth of copies
	Percent     float64 // Limit/Median
	Butterfly   float64 // nanoseconds
	Differences int     // of the results of a run from those of kernels/ntt
	Missed      bool    // the number to reach, if the row has one
}

// nttReport is what is written to cuda-ntt-speed.json.
type nttReport struct {
	Device, Detail string
	Copy           float64 // bytes read and written in a second
	Rows           []nttRow
}

const (
	nttRuns   = 21
	nttTarget = 25.0 // percent, of radix16 at 2^16 points
	// prime60 and prime31 are 1 modulo 2^18 and 2^27.
	prime60 = 0xffffffffffc0001
	prime31 = 2013265921
)

// nttData are random coefficients and what kernels/ntt makes of them.
type nttData struct {
	t            modular.Transform
	coefficients []uint64
	values       []uint64 // bit-reversed
}

// newNTTData draws a batch, and transforms it on all processors.
func newNTTData(tb testing.TB, q uint64, n, batch int) *nttData {
	tb.Helper()
	t, err := ntt.NewTransform(q, n, true)
	require.NoError(tb, err)
	p, err := ntt.NewShoup(t, ntt.DITNR)
	require.NoError(tb, err)
	d := &nttData{t: t, coefficients: make([]uint64, n*batch), values: make([]uint64, n*batch)}
	parts := runtime.GOMAXPROCS(0)
	errs := make([]error, parts)
	var wait sync.WaitGroup
	for i := range parts {
		wait.Go(func() {
			from, to := batch*i/parts*n, batch*(i+1)/parts*n
			rng := rand.New(rand.NewPCG(q, uint64(i)))
			for j := from; j < to; j++ {
				d.coefficients[j] = rng.Uint64N(q)
			}
			errs[i] = p.Forward(d.values[from:to], d.coefficients[from:to])
		})
	}
	wait.Wait()
	require.NoError(tb, errors.Join(errs...))
	return d
}

// side returns coefficients or values in an order.
func (d *nttData) side(tb testing.TB, values bool, o modular.Order) []uint64 {
	tb.Helper()
	x := d.coefficients
	if values {
		x = d.values
	}
	if values == (o == modular.BitReversed) {
		return x
	}
	x = slices.Clone(x)
	for at := 0; at < len(x); at += d.t.N {
		require.NoError(tb, ntt.BitReverse(x[at:at+d.t.N]))
	}
	return x
}

// timedNTT runs a transform of a batch, counts the differences of its first run, and times the next.
func timedNTT(tb testing.TB, d metal.Device, k shaders.NTT, l model.Launch, data *nttData, inverse bool, runs int) nttRow {
	tb.Helper()
	dir := &k.Claim.Forward
	if inverse {
		dir = &k.Claim.Inverse
	}
	r := shaders.NewRunner(d)
	defer r.Release()
	src, want := data.side(tb, inverse, dir.In.Order), data.side(tb, !inverse, dir.Out.Order)
	list, results, err := k.Host.Dispatches(r, l, data.t, inverse, src)
	require.NoError(tb, err)
	row := nttRow{
		Shader: strings.TrimPrefix(k.Name, "shaders/ntt.metal#"), Inverse: inverse, N: data.t.N, Batch: len(src) / data.t.N, Threads: l.Threads.X, Bits: k.Claim.Bits,
		Modulus: data.t.Modulus, Passes: len(list), Bytes: len(list) * 2 * k.Claim.Bits / 8 * len(src),
	}
	o := newBatch(tb, d, r, k.Program, list)
	defer o.release()
	var times []time.Duration
	for i := range runs + 1 {
		took := o.run(tb, list)
		if i > 0 {
			times = append(times, took)
			continue
		}
		got := make([]byte, k.Claim.Bits/8*len(want))
		require.NoError(tb, o.buffers[results].Read(0, got))
		for j, w := range want {
			v := uint64(0)
			if k.Claim.Bits == 32 {
				v = uint64(binary.LittleEndian.Uint32(got[4*j:]))
			} else {
				v = binary.LittleEndian.Uint64(got[8*j:])
			}
			if f := dir.Out.Range; f > 1 && v < f*data.t.Modulus {
				v %= data.t.Modulus
			}
			if v != w {
				row.Differences++
			}
		}
	}
	slices.Sort(times)
	row.Median, row.Least = times[len(times)/2].Seconds(), times[0].Seconds()
	if b := len(src) / 2 * log2(data.t.N); b > 0 {
		row.Butterfly = row.Median * 1e9 / float64(b)
	}
	return row
}

func log2(n int) (k int) {
	for ; n > 1; n /= 2 {
		k++
	}
	return k
}

// bandwidth fills in what a row reaches of a bandwidth.
func (r *nttRow) bandwidth(rate float64) {
	r.Limit = float64(r.Bytes) / rate
	r.Percent = 100 * r.Limit / r.Median
	r.Missed = r.Shader == "radix16" && r.N == 1<<16 && r.Percent < nttTarget
}

const nttHeads = "%-11s %-7s %8s %6s %7s %7s %7s %11s %11s %7s %13s %12s"

func (r *nttRow) String() string {
	way, missed := "forward", ""
	if r.Inverse {
		way = "inverse"
	}
	if r.Missed {
		missed = fmt.Sprintf(" MISSED: %.0f %% wanted", nttTarget)
	}
	return fmt.Sprintf(nttHeads, r.Shader, way, fmt.Sprint(r.N), fmt.Sprint(r.Batch), fmt.Sprint(r.Threads), fmt.Sprint(r.Passes), fmt.Sprintf("%.2f", float64(r.Bytes)/1e9),
		fmt.Sprintf("%.1f", r.Median*1e6), fmt.Sprintf("%.1f", r.Least*1e6), fmt.Sprintf("%.1f", r.Percent), fmt.Sprintf("%.5f", r.Butterfly),
		fmt.Sprint(r.Differences)) + missed
}

// TestCUDANTTSpeed times every negacyclic transform of 2^16 points, many at once, and those of radix 16 in other sizes, against the bandwidth
// that copies have: limit = passes · bytes read and written in a pass / bandwidth. The results of the whole batch are those of kernels/ntt.
// GAMMA_NTT_SHADERS names the only shaders to time, with spaces between.
func TestCUDANTTSpeed(t *testing.T) {
	d := open(t, cuda.Options{})
	p := d.Properties()
	const words = 1 << 25 // 256 MiB, several times the L2 cache
	rate, err := d.CopyBandwidth(8 * words)
	require.NoError(t, err)
	report := nttReport{Device: p.Name, Detail: p.Detail, Copy: rate}
	t.Logf("%s: %s; copies of 256 MiB: %.0f GB/s read and written; %d runs", p.Name, p.Detail, rate/1e9, nttRuns)
	t.Logf(nttHeads, "shader", "way", "N", "batch", "threads", "passes", "GB", "median µs", "least µs", "% limit", "ns/butterfly", "differences")
	measure := func(k shaders.NTT, threads int, data *nttData) {
		for _, inverse := range []bool{false, true} {
			row := timedNTT(t, d, k, nttLaunch(data.t.N, threads), data, inverse, nttRuns)
			row.bandwidth(rate)
			report.Rows = append(report.Rows, row)
			t.Log(&row)
			if row.Differences > 0 {
				t.Errorf("%s: %d words are not those of kernels/ntt", row.Shader, row.Differences)
			}
			if row.Missed && os.Getenv("GAMMA_LEVEL") == "thorough" {
				t.Errorf("%s: %.1f %% of the limit, and %.0f %% wanted", row.Shader, row.Percent, nttTarget)
			}
		}
	}
	some := strings.Fields(os.Getenv("GAMMA_NTT_SHADERS"))
	const n = 1 << 16
	wide, narrow := newNTTData(t, prime60, n, words/n), newNTTData(t, prime31, n, words/n)
	for _, k := range shaders.NTTs() {
		if !k.Claim.Negacyclic || len(some) > 0 && !slices.ContainsFunc(some, func(s string) bool { return strings.HasSuffix(k.Name, "#"+s) }) {
			continue
		}
		data := wide
		if k.Claim.Bits == 32 {
			data = narrow
		}
		measure(k, 256, data)
	}
	k, ok := shaders.FindNTT("shaders/ntt.metal#radix16")
	require.True(t, ok)
	for _, threads := range []int{64, 128} {
		measure(k, threads, wide)
	}
	others := []int{1 << 10, 1 << 12, 1 << 14, 1 << 17}
	if len(some) > 0 {
		others = nil
	}
	for _, n := range others { // a grid has at most 65535 threadgroups along y
		measure(k, 256, newNTTData(t, prime60, n, words/n))
	}
	if dir := os.Getenv("GAMMA_DIR"); dir != "" {
		text, err := json.MarshalIndent(report, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(dir, 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "cuda-ntt-speed.json"), append(text, '\n'), 0o666))
	}
}

// nttLaunch has a thread for each butterfly of a stage.
func nttLaunch(n, threads int) model.Launch {
	return model.Launch1D(max(n/2/threads, 1), threads)
}

// TestNTTSpeedHarness holds the harness to the simulator: every transform is without differences, and a factor that is wrong is not.
func TestNTTSpeedHarness(t *testing.T) {
	d := sim.New(sim.Options{NoChecks: true})
	defer d.Release()
	wide, narrow := newNTTData(t, prime60, 512, 3), newNTTData(t, prime31, 512, 3)
	for _, k := range shaders.NTTs() {
		if !k.Claim.Negacyclic {
			continue
		}
		data := wide
		if k.Claim.Bits == 32 {
			data = narrow
		}
		for _, inverse := range []bool{false, true} {
			row := timedNTT(t, d, k, nttLaunch(512, 256), data, inverse, 2)
			require.Zero(t, row.Differences, k.Name)
			require.Equal(t, 3, row.Batch)
			wrong := *data
			wrong.values = slices.Clone(data.values)
			wrong.values[700]++
			require.Positive(t, timedNTT(t, d, k, nttLaunch(512, 256), &wrong, inverse, 1).Differences, k.Name)
		}
	}
	k, ok := shaders.FindNTT("shaders/ntt.metal#radix16")
	require.True(t, ok)
	row := nttRow{Shader: "radix16", N: 1 << 16, Bytes: 1e9, Median: 1e-3}
	row.bandwidth(3.9e12)
	require.False(t, row.Missed)
	row.bandwidth(4.1e12)
	require.True(t, row.Missed)
	require.Contains(t, row.String(), "MISSED")
	// Two passes, and no more, at 2^16 points.
	r := shaders.NewRunner(d)
	defer r.Release()
	big := newNTTData(t, prime60, 1<<16, 1)
	list, _, err := k.Host.Dispatches(r, nttLaunch(1<<16, 256), big.t, false, big.coefficients)
	require.NoError(t, err)
	require.Len(t, list, 2)
	for _, inverse := range []bool{false, true} {
		require.Zero(t, timedNTT(t, d, k, nttLaunch(1<<16, 256), big, inverse, 1).Differences)
	}
}
