package adversary

import (
	"encoding/binary"
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// nttStage is one stage of a 64-bit Montgomery transform, decimation in time: a thread a butterfly.
func nttStage() *ir.Kernel {
	b := ir.NewBuilder("ntt_stage")
	x := b.Buffer("x", 0, ir.Device, 8)
	w := b.Buffer("w", 1, ir.Device, 8)
	params := b.Buffer("params", 2, ir.Constant, 8) // q, -1/q mod 2^64, half
	id := b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
	q := b.Load(ir.U64, params, 0, 0, 0)
	inv := b.Load(ir.U64, params, 0, 0, 8)
	half := b.Load(ir.U32, params, 0, 0, 16)
	one := b.Int(ir.U32, 1)
	j := b.Op(ir.And, ir.U32, id, b.Op(ir.Sub, ir.U32, half, one))
	i := b.Op(ir.Add, ir.U32, b.Op(ir.Shl, ir.U32, b.Op(ir.Sub, ir.U32, id, j), one), j)
	i2 := b.Op(ir.Add, ir.U32, i, half)
	u := b.Load(ir.U64, x, i, 8, 0)
	v := b.Load(ir.U64, x, i2, 8, 0)
	tw := b.Load(ir.U64, w, b.Op(ir.Add, ir.U32, half, j), 8, 0)
	lo := b.Op(ir.Mul, ir.U64, v, tw)
	hi := b.Op(ir.MulHi, ir.U64, v, tw)
	m := b.Op(ir.Mul, ir.U64, lo, inv)
	mh := b.Op(ir.MulHi, ir.U64, m, q)
	carry := b.From(ir.Convert, ir.U64, ir.Bool, b.Op(ir.Ne, ir.U64, lo, b.Int(ir.U64, 0)))
	t := b.Op(ir.Add, ir.U64, b.Op(ir.Add, ir.U64, hi, mh), carry)
	t = b.Op(ir.Select, ir.U64, b.Op(ir.Le, ir.U64, q, t), b.Op(ir.Sub, ir.U64, t, q), t)
	s := b.Op(ir.Add, ir.U64, u, t)
	s = b.Op(ir.Select, ir.U64, b.Op(ir.Le, ir.U64, q, s), b.Op(ir.Sub, ir.U64, s, q), s)
	d := b.Op(ir.Select, ir.U64, b.Op(ir.Lt, ir.U64, u, t), b.Op(ir.Sub, ir.U64, b.Op(ir.Add, ir.U64, u, q), t), b.Op(ir.Sub, ir.U64, u, t))
	b.Store(ir.U64, x, i, 8, 0, s)
	b.Store(ir.U64, x, i2, 8, 0, d)
	k := b.Kernel()
	k.Buffers[1].ReadOnly = true
	return k
}

// treeSum adds up 256 floats in each threadgroup, by halves.
func treeSum() *ir.Kernel {
	b := ir.NewBuilder("tree_sum")
	x := b.Buffer("x", 0, ir.Device, 4)
	out := b.Buffer("out", 1, ir.Device, 4)
	gid := b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
	tid := b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
	grp := b.Input(ir.ThreadgroupPositionInGrid, 0, ir.U32)
	n := b.Input(ir.ThreadsPerThreadgroup, 0, ir.U32)
	tmp := b.Object(ir.Object{Name: "tmp", Space: ir.Threadgroup, Size: 1024, Align: 4, Elem: 4})
	b.Store(ir.F32, tmp, tid, 4, 0, b.Load(ir.F32, x, gid, 4, 0))
	b.Barrier(2)
	s := b.Reg(ir.U32)
	one := b.Int(ir.U32, 1)
	b.Set(s, ir.U32, b.Op(ir.Shr, ir.U32, n, one))
	b.Loop(func(label int32) {
		b.If(b.Op(ir.Eq, ir.U32, s, b.Int(ir.U32, 0)), func() { b.Leave(label) }, nil)
		b.If(b.Op(ir.Lt, ir.U32, tid, s), func() {
			a := b.Load(ir.F32, tmp, tid, 4, 0)
			c := b.Load(ir.F32, tmp, b.Op(ir.Add, ir.U32, tid, s), 4, 0)
			b.Store(ir.F32, tmp, tid, 4, 0, b.Op(ir.Add, ir.F32, a, c))
		}, nil)
		b.Barrier(2)
		b.Set(s, ir.U32, b.Op(ir.Shr, ir.U32, s, one))
	})
	b.If(b.Op(ir.Eq, ir.U32, tid, b.Int(ir.U32, 0)), func() {
		b.Store(ir.F32, out, grp, 4, 0, b.Load(ir.F32, tmp, 0, 0, 0))
	}, nil)
	k := b.Kernel()
	k.Buffers[0].ReadOnly = true
	return k
}

// orders are benchmarked with and without checks.
var orders = []struct {
	name string
	o    engine.Options
}{
	{"program", engine.Options{}},
	{"checks", engine.Options{Checks: true}},
	{"stages", engine.Options{Behaviour: model.Behaviour{Order: "stages", Seed: 1}}},
	{"accesses", engine.Options{Behaviour: model.Behaviour{Order: "accesses", Seed: 1}}},
	{"accesses-checks", engine.Options{Checks: true, Behaviour: model.Behaviour{Order: "accesses", Seed: 1}}},
}

const points, modulus = 65536, 1152921504606748673

// nttWork returns a run of all stages by the machine, and one by native code.
func nttWork(tb testing.TB) (work func(o engine.Options), native func()) {
	inv := uint64(1) // of the modulus
	for range 6 {
		inv *= 2 - modulus*inv
	}
	k := nttStage()
	p, err := Compile(k)
	require.NoError(tb, err)
	x, w := make([]uint64, points), make([]uint64, points)
	mx, mw := &engine.Memory{Bytes: make([]byte, 8*points)}, &engine.Memory{Bytes: make([]byte, 8*points)}
	for i := range x {
		x[i], w[i] = uint64(i)*0x123456789%modulus, uint64(i)*0x987654321%modulus
		binary.LittleEndian.PutUint64(mx.Bytes[8*i:], x[i])
		binary.LittleEndian.PutUint64(mw.Bytes[8*i:], w[i])
	}
	work = func(o engine.Options) {
		for half := 1; half < points; half *= 2 {
			par := make([]byte, 24)
			binary.LittleEndian.PutUint64(par, modulus)
			binary.LittleEndian.PutUint64(par[8:], -inv)
			binary.LittleEndian.PutUint32(par[16:], uint32(half))
			grid, group := model.Size3{X: points / 2, Y: 1, Z: 1}, model.Size3{X: 256, Y: 1, Z: 1}
			_, err := p.Run(&engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: []engine.Arg{
				{Mem: mx}, {Mem: mw}, {Mem: &engine.Memory{Bytes: par}},
			}}, o)
			require.NoError(tb, err)
		}
	}
	native = func() {
		for half := 1; half < points; half *= 2 {
			for id := range points / 2 {
				j := id & (half - 1)
				i := (id-j)*2 + j
				u := x[i]
				hi, lo := bits.Mul64(x[i+half], w[half+j])
				mh, _ := bits.Mul64(lo*-inv, modulus)
				t := hi + mh
				if lo != 0 {
					t++
				}
				if t >= modulus {
					t -= modulus
				}
				s := u + t
				if s >= modulus {
					s -= modulus
				}
				d := u - t
				if u < t {
					d += modulus
				}
				x[i], x[i+half] = s, d
			}
		}
	}
	work(engine.Options{})
	native()
	for i, v := range x {
		require.Equal(tb, v, binary.LittleEndian.Uint64(mx.Bytes[8*i:]))
	}
	return work, native
}

// sumWork is nttWork of the tree sum.
func sumWork(tb testing.TB) (work func(o engine.Options), native func()) {
	k := treeSum()
	p, err := Compile(k)
	require.NoError(tb, err)
	x, out := make([]float32, points), make([]float32, points/256)
	mx, mo := &engine.Memory{Bytes: make([]byte, 4*points)}, &engine.Memory{Bytes: make([]byte, 4*points/256)}
	for i := range x {
		x[i] = float32(i%1000) / 7
		binary.LittleEndian.PutUint32(mx.Bytes[4*i:], math.Float32bits(x[i]))
	}
	work = func(o engine.Options) {
		_, err := p.Run(&engine.Dispatch{
			Kernel: k, Grid: model.Size3{X: points, Y: 1, Z: 1}, Group: model.Size3{X: 256, Y: 1, Z: 1},
			Args: []engine.Arg{{Mem: mx}, {Mem: mo}},
		}, o)
		require.NoError(tb, err)
	}
	native = func() {
		var tmp [256]float32
		for g := range out {
			for t := range tmp {
				tmp[t] = x[g*256+t]
			}
			for s := 128; s > 0; s >>= 1 {
				for t := range tmp {
					if t < s {
						tmp[t] += tmp[t+s]
					}
				}
			}
			out[g] = tmp[0]
		}
	}
	work(engine.Options{})
	native()
	for i, v := range out {
		require.Equal(tb, math.Float32bits(v), binary.LittleEndian.Uint32(mo.Bytes[4*i:]))
	}
	return work, native
}

func benchmark(b *testing.B, unit string, per float64, work func(o engine.Options), native func()) {
	b.Run("native", func(b *testing.B) {
		for b.Loop() {
			native()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/per, unit)
	})
	for _, order := range orders {
		b.Run(order.name, func(b *testing.B) {
			for b.Loop() {
				work(order.o)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/per, unit)
		})
	}
}

func BenchmarkNTT(b *testing.B) {
	work, native := nttWork(b)
	benchmark(b, "ns/butterfly", points/2*16, work, native)
}

func BenchmarkSum(b *testing.B) {
	work, native := sumWork(b)
	benchmark(b, "ns/element", points, work, native)
}
