package cuda_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/cuda"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/modular"
	"gamma/shaders"
	"gamma/sumtree"
)

// open opens the GPU, or skips with the reason.
func open(tb testing.TB, o cuda.Options) *cuda.Device {
	tb.Helper()
	d, err := cuda.Open(o)
	if err != nil {
		if gone := (*cuda.Error)(nil); errors.As(err, &gone) && gone.Lost {
			tb.Fatal(err)
		}
		tb.Skip(err)
	}
	tb.Cleanup(d.Release)
	return d
}

// pair is a runner on the GPU and one on the simulator.
type pair struct {
	gpu, sim *shaders.Runner
	rec      *record
}

func newPair(t *testing.T, b model.Behaviour) pair {
	t.Helper()
	gpu := open(t, cuda.Options{Behaviour: b})
	p := gpu.Properties()
	t.Logf("%s: %s; %s", p.Name, p.Detail, p.Behaviour)
	s := sim.New(sim.Options{NoChecks: true, Behaviour: b})
	r := pair{shaders.NewRunner(gpu), shaders.NewRunner(s), newRecord(t, gpu)}
	t.Cleanup(func() { r.gpu.Release(); r.sim.Release(); s.Release() })
	return r
}

// sizes are numbers of leaves and rows.
func sizes() []int {
	list := []int{1, 2, 31, 33, 1000}
	if thorough() {
		list = append(list, 1<<16+3)
	}
	return list
}

// floats draws numbers of many binades, some of them special.
func floats(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Ldexp(rng.Float64()*2-1, rng.IntN(60)-30))
		switch rng.IntN(64) {
		case 0:
			x[i] = float32(math.Copysign(0, -1))
		case 1:
			x[i] = math.Float32frombits(rng.Uint32() & 0x807fffff)
		}
	}
	return x
}

// equal says whether two results have the same bits, or are both NaN.
func equal(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b }

// sum runs k, whatever its shape.
func sum(r *shaders.Runner, k shaders.Kernel, l model.Launch, x, y []float32) ([]float32, error) {
	var v float32
	var err error
	switch {
	case k.Sum32 != nil:
		v, err = k.Sum32(r, l, x)
	case k.SumTree != nil:
		v, err = k.SumTree(r, sumtree.Pairwise(1).Tree(len(x)), x)
	case k.SumBits != nil:
		h := make([]uint16, len(x))
		for i := range h {
			h[i] = uint16(math.Float32bits(x[i])>>16)&0xbfff | uint16(i)&0xf
		}
		var bits uint64
		bits, err = k.SumBits(r, l, h)
		v = math.Float32frombits(uint32(bits))
	case k.Rows32 != nil:
		dst := make([]float32, 2)
		err = k.Rows32(r, l, dst, append(append([]float32(nil), x...), y...), len(x))
		return dst, err
	default:
		v, err = k.Dot32(r, l, x, y)
	}
	return []float32{v}, err
}

// TestCUDAKernels compares every sum and dot product with the simulator. Kernels whose order is open may differ, and are counted.
func TestCUDAKernels(t *testing.T) {
	p := newPair(t, model.Behaviour{})
	same, open := 0, 0
	for _, k := range shaders.All() {
		t.Run(k.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			for _, n := range sizes() {
				if k.MaxN > 0 && n > k.MaxN {
					continue
				}
				launches := []model.Launch{{}}
				if k.Launches != nil {
					launches = k.Launches(n)
				}
				for _, l := range launches {
					if k.Fits != nil && k.Fits(n, l) != nil {
						continue
					}
					x, y := floats(rng, n), floats(rng, n)
					want, err := sum(p.sim, k, l, x, y)
					require.NoError(t, err)
					got, err := sum(p.gpu, k, l, x, y)
					require.NoError(t, err)
					for i := range want {
						switch {
						case equal(got[i], want[i]):
							same++
							p.rec.on(k.Name, func(x *row) { x.Same++ })
						case !k.Claim.Repeats:
							open++
							p.rec.on(k.Name, func(x *row) { x.differs(differOrder, 1) })
							t.Logf("n=%d %v: %x (%g), simulator %x (%g); the order is open", n, l, math.Float32bits(got[i]), got[i], math.Float32bits(want[i]), want[i])
						default:
							t.Errorf("n=%d %v: result %d is %x (%g), simulator %x (%g)", n, l, i, math.Float32bits(got[i]), got[i], math.Float32bits(want[i]), want[i])
						}
					}
				}
			}
		})
	}
	t.Logf("%d results have the simulator's bits, %d of kernels with an open order differ", same, open)
}

// TestCUDAOperations compares every operation on words with the simulator.
func TestCUDAOperations(t *testing.T) {
	p := newPair(t, model.Behaviour{})
	rows := 0
	for _, o := range shaders.Operations() {
		t.Run(o.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			for _, n := range sizes() {
				for _, l := range o.Launches(n) {
					src := floats(rng, n*o.Claim.Op.In())
					want, got := make([]float32, n*o.Claim.Op.Out()), make([]float32, n*o.Claim.Op.Out())
					err := o.Run(p.sim, l, want, src)
					require.NoError(t, err)
					require.NoError(t, o.Run(p.gpu, l, got, src))
					for i := range want {
						if !equal(got[i], want[i]) {
							t.Fatalf("n=%d %v: word %d is %x (%g), simulator %x (%g)", n, l, i, math.Float32bits(got[i]), got[i], math.Float32bits(want[i]), want[i])
						}
					}
					rows += n
					p.rec.on(o.Name, func(x *row) { x.Same += len(want) })
				}
			}
		})
	}
	t.Logf("%d rows have the simulator's bits", rows)
}

// TestCUDAModular compares every operation on residues with the simulator, at several moduli.
func TestCUDAModular(t *testing.T) {
	p := newPair(t, model.Behaviour{})
	words := 0
	for _, m := range shaders.Modulars() {
		t.Run(m.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 6))
			tried := 0
			for _, q := range []uint64{3, 12289, 998244353, 1152921504606748673, m.Claim.Moduli.MaxModulus(m.Claim.Bits)} {
				for _, n := range sizes() {
					for _, l := range m.Launches(n) {
						src := make([]uint64, n*len(m.Claim.In))
						for i := range src {
							src[i] = rng.Uint64() % q
						}
						for i, in := range m.Claim.In {
							if !in.Shoup || i == 0 {
								continue
							}
							for r := i; r < len(src); r += len(m.Claim.In) {
								v := new(big.Int).SetUint64(src[r-1])
								v.Lsh(v, uint(m.Claim.Bits)).Div(v, new(big.Int).SetUint64(q))
								src[r] = v.Uint64()
							}
						}
						want, got := make([]uint64, n*len(m.Claim.Out)), make([]uint64, n*len(m.Claim.Out))
						err := m.Run(p.sim, l, q, want, src)
						if err != nil {
							require.Error(t, m.Run(p.gpu, l, q, got, src))
							continue
						}
						tried++
						require.NoError(t, m.Run(p.gpu, l, q, got, src))
						require.Equal(t, want, got, "q=%d n=%d %v", q, n, l)
						words += len(want)
						p.rec.on(m.Name, func(x *row) { x.Same += len(want) })
					}
				}
			}
			require.Positive(t, tried, "no modulus was taken")
		})
	}
	t.Logf("%d words are equal", words)
}

// TestCUDANTT compares every transform with the simulator.
func TestCUDANTT(t *testing.T) {
	p := newPair(t, model.Behaviour{})
	const q = 998244353 // 119·2^23+1; 3 generates
	points := 0
	for _, k := range shaders.NTTs() {
		t.Run(k.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, 8))
			tried := 0
			for _, n := range []int{1, 2, 64, 1024, 4096} {
				tr := modular.Transform{Modulus: q, N: n, Negacyclic: k.Claim.Negacyclic}
				tr.Root = new(big.Int).Exp(big.NewInt(3), new(big.Int).SetUint64((q-1)/tr.RootOrder()), big.NewInt(q)).Uint64()
				for _, l := range k.Launches(n) {
					s, err := k.Plan(p.sim, l, tr)
					if err != nil {
						continue
					}
					g, err := k.Plan(p.gpu, l, tr)
					require.NoError(t, err)
					for _, f := range []struct {
						name     string
						sim, gpu func(dst, src []uint64) error
					}{{"forward", s.Forward, g.Forward}, {"inverse", s.Inverse, g.Inverse}} {
						if f.sim == nil {
							continue
						}
						src := make([]uint64, 2*n)
						if !k.Claim.Batched {
							src = src[:n]
						}
						for i := range src {
							src[i] = rng.Uint64N(q)
						}
						want, got := make([]uint64, len(src)), make([]uint64, len(src))
						require.NoError(t, f.sim(want, src))
						require.NoError(t, f.gpu(got, src))
						require.Equal(t, want, got, "%s n=%d %v", f.name, n, l)
						points += len(src)
						p.rec.on(k.Name, func(x *row) { x.Same += len(src) })
						tried++
					}
				}
			}
			require.Positive(t, tried, "no launch fits")
		})
	}
	t.Logf("%d points are equal", points)
}

// TestCUDABehaviours holds what the probes find to what kernels are printed for.
func TestCUDABehaviours(t *testing.T) {
	flush := model.Flush{In: true, Out: true}
	for _, b := range []model.Behaviour{{}, {Contract: model.ContractStatement}, {Contract: model.ContractFast}, {Flush: flush}} {
		d := open(t, cuda.Options{Behaviour: b})
		p := d.Properties()
		t.Logf("asked for %s: %s; %s; %#v", b, p.Detail, p.Behaviour, d.Found())
		require.Equal(t, b.Contract, p.Behaviour.Contract)
		require.Equal(t, b.Flush.In, p.Behaviour.Flush.In)
		require.Equal(t, b.Flush.Out, p.Behaviour.Flush.Out)
		require.Equal(t, model.NearestEven, p.Behaviour.Rounding)
		require.True(t, d.Found().FMA)
		d.Release()
	}
}

const hostile = `#include <metal_stdlib>
using namespace metal;
kernel void past(device uint* out [[buffer(0)]], constant ulong& at [[buffer(1)]]) { out[at] = 1; }
kernel void forever(device atomic_uint* out [[buffer(0)]]) { while (atomic_load_explicit(out, memory_order_relaxed) != 7u) {} }
kernel void good(device uint* out [[buffer(0)]]) { out[0] = 5; }
`

// TestCUDAHostile runs printed kernels that fault or never end in a child; the device goes on after each.
func TestCUDAHostile(t *testing.T) {
	d := open(t, cuda.Options{Isolate: true, Timeout: 2 * time.Second})
	l, err := d.NewLibrary(hostile, metal.CompileOptions{})
	require.NoError(t, err)
	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	b, err := d.NewBufferWithBytes(make([]byte, 16))
	require.NoError(t, err)
	run := func(name string) error {
		f, err := l.NewFunction(name, nil)
		require.NoError(t, err)
		p, err := d.NewComputePipelineState(f)
		require.NoError(t, err)
		c, err := q.CommandBuffer()
		require.NoError(t, err)
		e, err := c.ComputeCommandEncoder(metal.Serial)
		require.NoError(t, err)
		one := metal.Size{X: 1, Y: 1, Z: 1}
		require.NoError(t, errors.Join(e.SetComputePipelineState(p), e.SetBuffer(b, 0, 0), e.SetBytes([]byte{0, 0, 0, 0, 0, 16, 0, 0}, 1),
			e.DispatchThreadgroups(one, one), e.EndEncoding(), c.Commit()))
		return c.WaitUntilCompleted()
	}
	require.NoError(t, run("good"))
	for _, name := range []string{"past", "forever"} {
		err := run(name)
		t.Logf("%s: %v", name, err)
		require.Error(t, err)
		require.NoError(t, run("good"))
		got := make([]byte, 4)
		require.NoError(t, b.Read(0, got))
		require.Equal(t, byte(5), got[0])
	}
}

// TestCUDAStickyAlone loses a context in a process of its own, without isolation.
func TestCUDAStickyAlone(t *testing.T) {
	open(t, cuda.Options{}).Release()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "-test.run=^TestCUDASticky$", "-test.v")
	cmd.Env = append(os.Environ(), "GAMMA_CUDA_STICKY=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.True(t, strings.Contains(string(out), "PASS: TestCUDASticky"), "%s", out)
	t.Logf("%s", out)
}

// Example opens the first GPU, if there is one.
func Example() {
	d, err := cuda.Open(cuda.Options{})
	if err != nil {
		return // the reason to skip with
	}
	defer d.Release()
	fmt.Println(d.Properties().Kind)
}
