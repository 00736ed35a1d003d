package fast_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// sumText is a threadgroup's tree sum of 256 floats.
const sumText = `
kernel "sum_tree"
place "sum.metal":1:1
buffer %1 "x" index=0 device elem=4 align=4 readonly
buffer %2 "out" index=1 device elem=4 align=4
input %3 u32 thread_position_in_grid.0
input %4 u32 thread_index_in_threadgroup.0
input %5 u32 threadgroup_position_in_grid.0
object "tmp" threadgroup size=1024 align=4 elem=4
{
  %6:ptr = obj_addr 2
  %7:f32 = load [%1 + u32 %3*4]
  store f32 [%6 + u32 %4*4], %7
  barrier 2
  %8:u32 = const 128
  %9:u32 = const 0
  %10:u32 = const 1
  loop 1 {
    %11:bool = eq u32 %8, %9
    if %11 {
      leave 1
    }
    %12:bool = lt u32 %4, %8
    if %12 {
      %13:u32 = add %4, %8
      %14:f32 = load [%6 + u32 %13*4]
      %15:f32 = load [%6 + u32 %4*4]
      %16:f32 = add %15, %14
      store f32 [%6 + u32 %4*4], %16
    }
    barrier 2
    %8 = shr %8, %10
  }
  %17:bool = eq u32 %4, %9
  if %17 {
    %18:f32 = load [%6]
    store f32 [%2 + u32 %5*4], %18
  }
}
`

// nttText is one stage of a transform by decimation in time: x, twiddles, q, -1/q mod 2^64 and the stage are bound.
const nttText = `
kernel "ntt_stage"
place "ntt.metal":1:1
buffer %1 "x" index=0 device elem=8 align=8
buffer %2 "w" index=1 device elem=8 align=8 readonly
buffer %3 "q" index=2 constant elem=8 align=8 whole
buffer %4 "qinv" index=3 constant elem=8 align=8 whole
buffer %5 "stage" index=4 constant elem=4 align=4 whole
input %6 u32 thread_position_in_grid.0
{
  %7:u32 = load [%5]
  %8:u64 = load [%3]
  %9:u64 = load [%4]
  %10:u32 = const 1
  %11:u32 = shl %10, %7
  %12:u32 = sub %11, %10
  %13:u32 = and %6, %12
  %14:u32 = shr %6, %7
  %15:u32 = add %7, %10
  %16:u32 = shl %14, %15
  %17:u32 = add %16, %13
  %18:u32 = add %17, %11
  %19:u64 = load [%1 + u32 %17*8]
  %20:u64 = load [%1 + u32 %18*8]
  %21:u32 = add %11, %13
  %22:u64 = load [%2 + u32 %21*8]
  %23:u64 = mul %20, %22
  %24:u64 = mulhi %20, %22
  %25:u64 = mul %23, %9
  %26:u64 = mul %25, %8
  %27:u64 = mulhi %25, %8
  %28:u64 = not %26
  %29:bool = lt u64 %28, %23
  %30:u64 = convert from bool %29
  %31:u64 = add %24, %27
  %32:u64 = add %31, %30
  %33:bool = le u64 %8, %32
  %34:u64 = sub %32, %8
  %35:u64 = select %33, %34, %32
  %36:u64 = add %19, %35
  %37:bool = le u64 %8, %36
  %38:u64 = sub %36, %8
  %39:u64 = select %37, %38, %36
  store u64 [%1 + u32 %17*8], %39
  %40:bool = le u64 %35, %19
  %41:u64 = sub %19, %35
  %42:u64 = add %41, %8
  %43:u64 = select %40, %41, %42
  store u64 [%1 + u32 %18*8], %43
}
`

const (
	benchN = 1 << 16
	logN   = 16
)

// nttPrime returns the greatest prime below 2^60 that is 1 modulo 2^17.
func nttPrime() uint64 {
	for q := uint64(1)<<60 - 1<<17 + 1; ; q -= 1 << 17 {
		if new(big.Int).SetUint64(q).ProbablyPrime(20) {
			return q
		}
	}
}

func mulmod(a, b, q uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	_, r := bits.Div64(hi%q, lo, q)
	return r
}

func powmod(a, e, q uint64) uint64 {
	r := uint64(1)
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			r = mulmod(r, a, q)
		}
		a = mulmod(a, a, q)
	}
	return r
}

// transform is a transform of benchN points, ready to run.
type transform struct {
	q, qinv uint64
	x, w    []uint64
}

func newTransform() *transform {
	t := &transform{q: nttPrime()}
	inv := t.q // Newton: q·inv = 1 mod 2^64
	for range 6 {
		inv *= 2 - t.q*inv
	}
	t.qinv = -inv
	root := uint64(0)
	for g := uint64(2); root == 0; g++ {
		if r := powmod(g, (t.q-1)/benchN, t.q); powmod(r, benchN/2, t.q) != 1 {
			root = r
		}
	}
	mont := func(v uint64) uint64 { // v·2^64 mod q
		_, r := bits.Div64(v, 0, t.q)
		return r
	}
	t.w = make([]uint64, benchN)
	for s := range logN {
		half := 1 << s
		step := powmod(root, uint64(benchN/(2*half)), t.q)
		for j, v := 0, uint64(1); j < half; j, v = j+1, mulmod(v, step, t.q) {
			t.w[half+j] = mont(v)
		}
	}
	rng := rand.New(rand.NewPCG(1, 9))
	t.x = make([]uint64, benchN)
	for i := range t.x {
		t.x[i] = rng.Uint64N(t.q)
	}
	return t
}

// stage is the native twin of nttText.
func (t *transform) stage(s uint) {
	x, w, q, qinv := t.x, t.w, t.q, t.qinv
	for gid := range uint32(benchN / 2) {
		half := uint32(1) << s
		j := gid & (half - 1)
		i := gid>>s<<(s+1) + j
		u, y := x[i], x[i+half]
		hi, lo := bits.Mul64(y, w[half+j])
		m := lo * qinv
		mhi, mlo := bits.Mul64(m, q)
		var carry uint64
		if lo > ^mlo {
			carry = 1
		}
		v := hi + mhi + carry
		if v >= q {
			v -= q
		}
		a := u + v
		if a >= q {
			a -= q
		}
		x[i] = a
		if u >= v {
			x[i+half] = u - v
		} else {
			x[i+half] = u - v + q
		}
	}
}

func words64(v ...uint64) []byte {
	b := make([]byte, 8*len(v))
	for i, x := range v {
		binary.LittleEndian.PutUint64(b[8*i:], x)
	}
	return b
}

func words32(v ...uint32) []byte {
	b := make([]byte, 4*len(v))
	for i, x := range v {
		binary.LittleEndian.PutUint32(b[4*i:], x)
	}
	return b
}

// known returns memory that was written, and knows it.
func known(b []byte) *engine.Memory {
	m := &engine.Memory{Bytes: b, Init: make([]byte, len(b))}
	for i := range m.Init {
		m.Init[i] = 1
	}
	return m
}

func parsed(t testing.TB, text string) *fast.Program {
	k, err := ir.Parse(text)
	require.NoError(t, err)
	p, err := fast.Compile(k)
	require.NoError(t, err)
	return p
}

func (t *transform) dispatches() []*engine.Dispatch {
	x, w := known(words64(t.x...)), known(words64(t.w...))
	q, qinv := known(words64(t.q)), known(words64(t.qinv))
	var list []*engine.Dispatch
	for s := range logN {
		list = append(list, &engine.Dispatch{
			Grid: model.Size3{X: benchN / 2, Y: 1, Z: 1}, Group: model.Size3{X: 256, Y: 1, Z: 1},
			Args: []engine.Arg{{Mem: x}, {Mem: w}, {Mem: q}, {Mem: qinv}, {Mem: known(words32(uint32(s)))}},
		})
	}
	return list
}

// TestTransform: the kernel of the benchmark gives what its native twin gives, and checks find nothing.
func TestTransform(t *testing.T) {
	x := newTransform()
	list := x.dispatches()
	p := parsed(t, nttText)
	for s := range logN {
		res, err := p.Run(list[s], engine.Options{Checks: true})
		require.NoError(t, err)
		require.Empty(t, res.Findings)
		x.stage(uint(s))
	}
	require.Equal(t, words64(x.x...), list[0].Args[0].Mem.Bytes)
}

func BenchmarkNTT(b *testing.B) {
	b.Run("n=65536/native", func(b *testing.B) {
		x := newTransform()
		b.ResetTimer()
		for range b.N {
			for s := range logN {
				x.stage(uint(s))
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(logN*benchN/2), "ns/butterfly")
	})
	for name, checks := range map[string]bool{"fast": false, "checked": true} {
		b.Run("n=65536/"+name, func(b *testing.B) {
			list := newTransform().dispatches()
			p := parsed(b, nttText)
			b.ResetTimer()
			for range b.N {
				for _, d := range list {
					if _, err := p.Run(d, engine.Options{Checks: checks, Workers: 1}); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(logN*benchN/2), "ns/butterfly")
		})
	}
}

// sumStage is the native twin of sumText.
func sumStage(dst, x []float32) {
	var tmp [256]float32
	for g := range len(x) / 256 {
		copy(tmp[:], x[256*g:])
		for s := 128; s > 0; s >>= 1 {
			for l := range s {
				tmp[l] += tmp[l+s]
			}
		}
		dst[g] = tmp[0]
	}
}

func sumInput() []float32 {
	rng := rand.New(rand.NewPCG(4, 4))
	x := make([]float32, benchN)
	for i := range x {
		x[i] = rng.Float32() - 0.5
	}
	return x
}

func floats32(x []float32) []byte {
	b := make([]byte, 4*len(x))
	for i, v := range x {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
	}
	return b
}

func sumDispatches(x []float32) []*engine.Dispatch {
	in, mid, out := known(floats32(x)), &engine.Memory{Bytes: make([]byte, 1024), Init: make([]byte, 1024)}, &engine.Memory{Bytes: make([]byte, 4), Init: make([]byte, 4)}
	g := model.Size3{X: 256, Y: 1, Z: 1}
	return []*engine.Dispatch{
		{Grid: model.Size3{X: benchN, Y: 1, Z: 1}, Group: g, Args: []engine.Arg{{Mem: in}, {Mem: mid}}},
		{Grid: g, Group: g, Args: []engine.Arg{{Mem: mid}, {Mem: out}}},
	}
}

func TestSum(t *testing.T) {
	x := sumInput()
	list := sumDispatches(x)
	p := parsed(t, sumText)
	for _, d := range list {
		res, err := p.Run(d, engine.Options{Checks: true})
		require.NoError(t, err)
		require.Empty(t, res.Findings)
	}
	mid, out := make([]float32, 256), make([]float32, 1)
	sumStage(mid, x)
	sumStage(out, mid)
	require.Equal(t, floats32(out), list[1].Args[1].Mem.Bytes)
}

func BenchmarkSum(b *testing.B) {
	b.Run("n=65536/native", func(b *testing.B) {
		x, mid, out := sumInput(), make([]float32, 256), make([]float32, 1)
		b.ResetTimer()
		for range b.N {
			sumStage(mid, x)
			sumStage(out, mid)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchN, "ns/element")
	})
	for name, checks := range map[string]bool{"fast": false, "checked": true} {
		b.Run("n=65536/"+name, func(b *testing.B) {
			list := sumDispatches(sumInput())
			p := parsed(b, sumText)
			b.ResetTimer()
			for range b.N {
				for _, d := range list {
					if _, err := p.Run(d, engine.Options{Checks: checks, Workers: 1}); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchN, "ns/element")
		})
	}
}
