package sim_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	_ "gamma/metal/opencl"
	"gamma/metal/sim"
	"gamma/model"
)

// devices are benchmarked on one core each; native is Go with the same stages and the same indexing. The adversarial engine draws a
// schedule that changes threads at barriers, and in a second run one that changes them at every access to shared memory.
var devices = []struct {
	name string
	o    sim.Options
}{
	{"fast", sim.Options{Workers: 1, NoChecks: true}},
	{"checked", sim.Options{Workers: 1}},
	{"adversarial", sim.Options{Workers: 1, NoChecks: true, Behaviour: model.Behaviour{Order: "stages", Poison: true, Seed: 1}}},
	{"accesses", sim.Options{Workers: 1, NoChecks: true, Behaviour: model.Behaviour{Order: "accesses", Poison: true, Seed: 1}}},
}

// another benchmarks the device of OpenCL, where there is one: a compiler such as PoCL's, or an interpreter such as Oclgrind, which OCL_ICD_VENDORS chooses.
func another(b *testing.B, f func(b *testing.B, d metal.Device)) {
	b.Run("opencl", func(b *testing.B) {
		d, err := metal.Open("opencl")
		if err != nil {
			b.Skip(err)
		}
		b.Log(d.Properties().Name)
		f(b, d)
	})
}

const benchSize = 65536

// sumGroup is the size of the threadgroups of the sum.
const sumGroup = 256

// nativeSum is tree_sum.
func nativeSum(out, x []float32) {
	var partial [sumGroup]float32
	for group := range out {
		for tid := range partial {
			partial[tid] = 0
			if gid := group*sumGroup + tid; gid < len(x) {
				partial[tid] = x[gid]
			}
		}
		for s := sumGroup / 2; s > 0; s /= 2 {
			for tid := range s {
				partial[tid] += partial[tid+s]
			}
		}
		out[group] = partial[0]
	}
}

func sumInput() []float32 {
	x := make([]float32, benchSize)
	for i := range x {
		x[i] = float32(int32(uint32(i)*2654435761)) / 3 * float32(math.Ldexp(1, i%7-40))
	}
	return x
}

func floatBytes(x []float32) []byte {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// BenchmarkSum adds up 65536 floats in threadgroups of 256. One core.
func BenchmarkSum(b *testing.B) {
	b.Run("n=65536", func(b *testing.B) {
		x := sumInput()
		want := make([]float32, benchSize/sumGroup)
		nativeSum(want, x)
		b.Run("native", func(b *testing.B) {
			out := make([]float32, len(want))
			for b.Loop() {
				nativeSum(out, x)
			}
			per(b, benchSize, "element")
		})
		on := func(b *testing.B, d metal.Device) {
			run, out := sumOn(b, d, x)
			run()
			require.True(b, bytes.Equal(floatBytes(want), out()), "the sums differ")
			for b.Loop() {
				run()
			}
			per(b, benchSize, "element")
		}
		for _, dev := range devices {
			b.Run(dev.name, func(b *testing.B) { on(b, sim.New(dev.o)) })
		}
		another(b, on)
	})
}

// sumOn returns what runs tree_sum on d, and what reads its results.
func sumOn(t testing.TB, d metal.Device, x []float32) (run func(), out func() []byte) {
	in := buffer(t, d, floatBytes(x))
	sums, err := d.NewBuffer((len(x) + sumGroup - 1) / sumGroup * 4)
	require.NoError(t, err)
	p := pipeline(t, d, source(t, "sum.metal"), "tree_sum")
	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	run = func() {
		c, err := q.CommandBuffer()
		require.NoError(t, err)
		e, err := c.ComputeCommandEncoder(metal.Serial)
		require.NoError(t, err)
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(in, 0, 0))
		require.NoError(t, e.SetBuffer(sums, 0, 1))
		require.NoError(t, e.SetBytes(words(uint32(len(x))), 2))
		require.NoError(t, e.DispatchThreadgroups(line(sums.Length()/4), line(sumGroup)))
		require.NoError(t, finish(t, e, c))
	}
	return run, func() []byte {
		raw := make([]byte, sums.Length())
		require.NoError(t, sums.Read(0, raw))
		return raw
	}
}

// The transform's prime, the largest below 2^60 that is 1 more than a multiple of 2^17, and a quadratic non-residue of it.
const (
	nttPrime      = 0xffffffffffc0001 // 1152921504606584833
	nttNonResidue = 5
)

// transform is a transform of n points: the powers of a root of unity times 2^64 as ntt_stage wants them, and -1/q mod 2^64.
type transform struct {
	n    int
	w    []uint64
	qinv uint64
}

func mulMod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	_, r := bits.Div64(hi, lo, nttPrime)
	return r
}

func powMod(a, e uint64) uint64 {
	r := uint64(1)
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			r = mulMod(r, a)
		}
		a = mulMod(a, a)
	}
	return r
}

func newTransform(n int) *transform {
	t := &transform{n: n, w: make([]uint64, n)}
	inv := uint64(nttPrime)
	for range 6 {
		inv *= 2 - nttPrime*inv
	}
	t.qinv = -inv
	_, r := bits.Div64(1, 0, nttPrime) // 2^64 mod q
	for half := 1; half < n; half *= 2 {
		root := powMod(nttNonResidue, (nttPrime-1)/uint64(2*half))
		v := r
		for j := range half {
			t.w[half+j] = v
			v = mulMod(v, root)
		}
	}
	return t
}

func (t *transform) input() []uint64 {
	x := make([]uint64, t.n)
	for i := range x {
		x[i] = uint64(i) * 0x9e3779b97f4a7c15 % nttPrime
	}
	return x
}

// native is every stage of ntt_stage.
func (t *transform) native(x []uint64) {
	const q = nttPrime
	for half := uint32(1); half < uint32(t.n); half *= 2 {
		for id := range uint32(t.n / 2) {
			j := id & (half - 1)
			i := 2*(id-j) + j
			u := x[i]
			hi, lo := bits.Mul64(x[i+half], t.w[half+j])
			mh, _ := bits.Mul64(lo*t.qinv, q)
			v := hi + mh
			if lo != 0 {
				v++
			}
			if v >= q {
				v -= q
			}
			s := u + v
			if s >= q {
				s -= q
			}
			x[i] = s
			if u < v {
				u += q
			}
			x[i+half] = u - v
		}
	}
}

func longBytes(x []uint64) []byte {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// on returns what runs every stage on d, one dispatch each in one command buffer, and the buffer in which it does.
func (t *transform) on(tb testing.TB, d metal.Device, x []uint64) (run func(), data metal.Buffer) {
	data = buffer(tb, d, longBytes(x))
	w := buffer(tb, d, longBytes(t.w))
	p := pipeline(tb, d, source(tb, "ntt.metal"), "ntt_stage")
	q, err := d.NewCommandQueue()
	require.NoError(tb, err)
	return func() {
		c, err := q.CommandBuffer()
		require.NoError(tb, err)
		e, err := c.ComputeCommandEncoder(metal.Serial)
		require.NoError(tb, err)
		require.NoError(tb, e.SetComputePipelineState(p))
		require.NoError(tb, e.SetBuffer(data, 0, 0))
		require.NoError(tb, e.SetBuffer(w, 0, 1))
		for half := 1; half < t.n; half *= 2 {
			require.NoError(tb, e.SetBytes(longBytes([]uint64{nttPrime, t.qinv, uint64(half)}), 2))
			require.NoError(tb, e.DispatchThreads(line(t.n/2), line(min(256, t.n/2))))
		}
		require.NoError(tb, finish(tb, e, c))
	}, data
}

// BenchmarkNTT is a transform of 65536 points over a 60-bit prime, 16 dispatches of one stage each. One core.
func BenchmarkNTT(b *testing.B) {
	b.Run("n=65536", func(b *testing.B) {
		t := newTransform(benchSize)
		x := t.input()
		want := slices.Clone(x)
		t.native(want)
		butterflies := benchSize / 2 * bits.Len(benchSize-1)
		b.Run("native", func(b *testing.B) {
			y := slices.Clone(x)
			for b.Loop() {
				t.native(y)
			}
			per(b, butterflies, "butterfly")
		})
		on := func(b *testing.B, d metal.Device) {
			run, data := t.on(b, d, x)
			run()
			raw := make([]byte, data.Length())
			require.NoError(b, data.Read(0, raw))
			require.True(b, bytes.Equal(longBytes(want), raw), "the transforms differ")
			for b.Loop() {
				run()
			}
			per(b, butterflies, "butterfly")
		}
		for _, dev := range devices {
			b.Run(dev.name, func(b *testing.B) { on(b, sim.New(dev.o)) })
		}
		another(b, on)
	})
}

// per reports the time of one of n things, and of butterflies how many a second.
func per(b *testing.B, n int, what string) {
	ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(n)
	b.ReportMetric(ns, "ns/"+what)
	if what == "butterfly" {
		b.ReportMetric(1e9/ns, "butterflies/s")
	}
}

// BenchmarkDispatch is a command buffer with one dispatch of one thread: what the protocol costs.
func BenchmarkDispatch(b *testing.B) {
	for _, dev := range devices {
		b.Run(dev.name, func(b *testing.B) {
			run, _ := sumOn(b, sim.New(dev.o), []float32{1})
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
	}
}
