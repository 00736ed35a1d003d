package shaders_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/modular"
	"gamma/shaders"
)

// mod is arithmetic by division.
type mod uint64

func (q mod) mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	_, r := bits.Div64(hi%uint64(q), lo, uint64(q))
	return r
}

func (q mod) add(a, b uint64) uint64 {
	s, c := bits.Add64(a, b, 0)
	_, r := bits.Div64(c, s, uint64(q))
	return r
}

func (q mod) pow(a, e uint64) uint64 {
	p := uint64(1)
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			p = q.mul(p, a)
		}
		a = q.mul(a, a)
	}
	return p
}

// root returns a root of unity of an order, a power of two, modulo a prime.
func (q mod) root(order uint64) uint64 {
	if order == 1 {
		return 1
	}
	for g := uint64(2); ; g++ {
		if r := q.pow(g, (uint64(q)-1)/order); q.pow(r, order/2) == uint64(q)-1 {
			return r
		}
	}
}

// value returns X_k by the definition.
func value(t modular.Transform, a []uint64, k int) uint64 {
	q := mod(t.Modulus)
	e := uint64(k)
	if t.Negacyclic {
		e = 2*e + 1
	}
	x, s := q.pow(t.Root, e), uint64(0)
	for i := len(a) - 1; i >= 0; i-- {
		s = q.add(q.mul(s, x), a[i]%t.Modulus)
	}
	return s
}

// product is the schoolbook's.
func product(t modular.Transform, a, b []uint64) []uint64 {
	q, z := mod(t.Modulus), make([]uint64, t.N)
	for i := range a {
		for j := range b {
			v := q.mul(a[i], b[j])
			if i+j >= t.N && t.Negacyclic && v != 0 {
				v = t.Modulus - v
			}
			z[(i+j)%t.N] = q.add(z[(i+j)%t.N], v)
		}
	}
	return z
}

// primes are the seed's, Goldilocks and others that are used, and the largest that are 1 modulo 2^12 below 2^31, 2^62, 2^63 and 2^64.
var primes = []uint64{
	7681, 12289, 998244353, 2013265921, 2147389441, 1152921504606748673, 0x1fffffffffe00001, 4611686018427322369, 9223372036854497281,
	18446744069414584321, 18446744073709547521,
}

// of returns the transform of n points that a kernel and a prime have, and whether there is one.
func of(k shaders.NTT, q uint64, n int) (modular.Transform, bool) {
	t := modular.Transform{Modulus: q, N: n, Negacyclic: k.Claim.Negacyclic}
	if k.Claim.Moduli.Admits(q, k.Claim.Bits) != nil || (q-1)%t.RootOrder() != 0 {
		return t, false
	}
	t.Root = mod(q).root(t.RootOrder())
	return t, true
}

// edges draws words of a range: many of them at its ends.
func edges(rng *rand.Rand, n int, f, q uint64) []uint64 {
	x := make([]uint64, n)
	for i := range x {
		v := rng.Uint64N(f * q)
		switch rng.IntN(6) {
		case 0:
			v = f*q - 1
		case 1:
			v = rng.Uint64N(f) * q
		case 2:
			v = rng.Uint64N(f)*q + q - 1
		}
		x[i] = v
	}
	return x
}

// checkTransform runs a forward and an inverse transform of a batch against the definition.
func checkTransform(t *testing.T, k shaders.NTT, tr modular.Transform, x modular.Transforms, batch int, rng *rand.Rand, about string) {
	t.Helper()
	n, q := tr.N, tr.Modulus
	in := edges(rng, batch*n, k.Claim.Forward.In.Range, q)
	out := make([]uint64, len(in))
	require.NoError(t, x.Forward(out, in), about)
	for b := range batch {
		for j := range n {
			if n > 64 && j%(n/16+1) != 0 && j < n-2 {
				continue
			}
			got := out[b*n+k.Claim.Forward.Out.Order.Place(j, n)]
			if want := value(tr, in[b*n:][:n], j); got%q != want || got >= k.Claim.Forward.Out.Range*q && k.Claim.Forward.Out.Range*q > q || k.Claim.Forward.Out.Range == 1 && got != want {
				t.Fatalf("%s: value %d of transform %d is %d, and %d by the definition", about, j, b, got, want)
			}
		}
	}
	back := out
	require.NoError(t, x.Inverse(back, out), about) // in place
	for i := range back {
		if f := k.Claim.Inverse.Out.Range; back[i]%q != in[i]%q || f == 1 && back[i] >= q || f > 1 && back[i] >= f*q {
			t.Fatalf("%s: coefficient %d comes back as %d, and was %d", about, i, back[i], in[i])
		}
	}
}

// TestNTT: every kernel, over every prime that it is for, of sizes 1 to 1024, gives what the definition says, small ones in every launch of
// Launches; values, coefficients and products are exact and in range, and the simulator finds nothing.
func TestNTT(t *testing.T) {
	d := sim.New(sim.Options{Workers: 1})
	t.Cleanup(d.Release)
	for _, k := range shaders.NTTs() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, uint64(len(k.Name))))
			r := shaders.NewRunner(d)
			defer r.Release()
			require.NoError(t, k.Claim.Check())
			tried := 0
			for _, q := range primes {
				for _, n := range []int{1, 2, 4, 8, 32, 128, 256, 1024} {
					tr, ok := of(k, q, n)
					if !ok {
						continue
					}
					launches := k.Launches(n)
					if n > 8 {
						launches = launches[rng.IntN(len(launches)):][:1]
					}
					for _, l := range launches {
						require.NoError(t, k.Fits(n, l))
						x, err := k.Plan(r, l, tr)
						require.NoError(t, err)
						checkTransform(t, k, tr, x, 1+rng.IntN(3), rng, fmt.Sprintf("%s, %s", tr, l))
						if n > 128 {
							continue
						}
						a, b := edges(rng, n, 1, q), edges(rng, n, 1, q)
						c := make([]uint64, n)
						require.NoError(t, x.Product(c, a, b))
						require.Equal(t, product(tr, a, b), c, "%s, %s", tr, l)
						tried++
					}
				}
			}
			require.Greater(t, tried, 10)
		})
	}
}

// TestNTTProductBatch: products of batches are those of their parts.
func TestNTTProductBatch(t *testing.T) {
	d := sim.New(sim.Options{Workers: 1})
	defer d.Release()
	r := shaders.NewRunner(d)
	defer r.Release()
	rng := rand.New(rand.NewPCG(3, 3))
	for _, k := range shaders.NTTs() {
		tr, ok := of(k, 12289, 8)
		require.True(t, ok)
		x, err := k.Plan(r, k.Launches(8)[0], tr)
		require.NoError(t, err)
		a, b := edges(rng, 24, 1, 12289), edges(rng, 24, 1, 12289)
		c := make([]uint64, 24)
		require.NoError(t, x.Product(c, a, b))
		for i := 0; i < 24; i += 8 {
			require.Equal(t, product(tr, a[i:i+8], b[i:i+8]), c[i:i+8], k.Name)
		}
	}
}

// TestNTTStages: piece by piece a transform is the same, and between stages no word leaves the range in the kernels' names.
func TestNTTStages(t *testing.T) {
	d := sim.New(sim.Options{Workers: 1})
	defer d.Release()
	r := shaders.NewRunner(d)
	defer r.Release()
	rng := rand.New(rand.NewPCG(4, 4))
	for _, k := range shaders.NTTs() {
		tiled := strings.Contains(k.Name, "tiled") || k.Host.ForwardRows != "" || k.Host.ForwardFours != ""
		for _, n := range []int{1, 2, 16, 64} {
			tr, ok := of(k, 12289, n)
			require.True(t, ok)
			x, err := k.Plan(r, k.Launches(n)[0], tr)
			require.NoError(t, err)
			if tiled {
				require.Nil(t, x.ForwardStages)
				require.Nil(t, x.InverseStages)
				continue
			}
			for _, dir := range []struct {
				d      modular.Direction
				s      *modular.Stages
				run    func(dst, src []uint64) error
				inside uint64
			}{{k.Claim.Forward, x.ForwardStages, x.Forward, 4}, {k.Claim.Inverse, x.InverseStages, x.Inverse, 2}} {
				inside := uint64(1)
				if strings.Contains(k.Name, "lazy") {
					inside = dir.inside
				}
				word := edges(rng, 3*n, dir.d.In.Range, 12289)
				want := make([]uint64, len(word))
				require.NoError(t, dir.run(want, word))
				if dir.s.Prepare != nil {
					require.NoError(t, dir.s.Prepare(word))
				}
				require.Equal(t, map[int]int{1: 0, 2: 1, 16: 4, 64: 6}[n], dir.s.Count)
				for s := range dir.s.Count {
					require.NoError(t, dir.s.Stage(s, word))
					for _, v := range word {
						require.Less(t, v, inside*12289, "%s, stage %d", k.Name, s)
					}
				}
				require.ErrorContains(t, dir.s.Stage(dir.s.Count, word), "there is no stage")
				if dir.s.Finish != nil {
					require.NoError(t, dir.s.Finish(word))
				}
				require.Equal(t, want, word, "%s of %d points", k.Name, n)
				if dir.d.Stages != nil {
					list := dir.d.Stages(n)
					parts := dir.s.Count
					if dir.s.Finish != nil {
						parts++
					}
					require.Len(t, list, parts, k.Name)
				}
			}
		}
	}
}

// TestNTTBehaviours: orders of threads, widths of simdgroups, poison and options of the compiler change nothing, and no check finds
// anything.
func TestNTTBehaviours(t *testing.T) {
	d := sim.New(sim.Options{Workers: 1})
	t.Cleanup(d.Release)
	for _, k := range shaders.NTTs() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(5, uint64(len(k.Name))))
			for i, b := range []model.Behaviour{
				{Order: "accesses", Seed: 1, Poison: true},
				{Order: "stages", Seed: 2, Poison: true},
				{Order: "reverse"},
				{SIMDWidth: 4},
				{Contract: model.ContractFast, Rewrites: model.Rewrites{Reassociate: true, NoNaNs: true}, Seed: 9, ULP: true},
			} {
				r := shaders.NewRunnerWith(d.With(b), metal.CompileOptions{MathMode: metal.MathMode(i % 3), LanguageVersion: metal.Version31})
				for _, n := range []int{2, 8, 32} {
					for _, q := range []uint64{12289, 4611686018427322369, 18446744069414584321} {
						tr, ok := of(k, q, n)
						if !ok {
							continue
						}
						list := k.Launches(n)
						l := list[rng.IntN(len(list))]
						x, err := k.Plan(r, l, tr)
						require.NoError(t, err)
						checkTransform(t, k, tr, x, 2, rng, fmt.Sprintf("%s, %s, %s", tr, l, b))
					}
				}
				r.Release()
			}
		})
	}
}

// TestNTTRefuses: what is not claimed is an error that says which.
func TestNTTRefuses(t *testing.T) {
	d := sim.New(sim.Options{Workers: 1})
	defer d.Release()
	r := shaders.NewRunner(d)
	defer r.Release()
	const goldilocks = 18446744069414584321
	for _, k := range shaders.NTTs() {
		good, _ := of(k, 12289, 16)
		l := k.Launches(16)[0]
		refuse := func(change func(*modular.Transform), l model.Launch, text string) {
			t.Helper()
			tr := good
			change(&tr)
			_, err := k.Plan(r, l, tr)
			require.ErrorContains(t, err, text)
			require.ErrorContains(t, err, k.Name+": ")
		}
		refuse(func(t *modular.Transform) { t.Modulus = 12290 }, l, "modulus 12290 is even; it must be odd")
		refuse(func(t *modular.Transform) { t.Modulus = 1 }, l, "modulus 1 is below 3")
		refuse(func(t *modular.Transform) { t.N = 12 }, l, "12 points; use a power of two")
		refuse(func(t *modular.Transform) { t.N = 0 }, l, "0 points; use a power of two")
		refuse(func(t *modular.Transform) { t.N = -4 }, l, "use a power of two")
		refuse(func(t *modular.Transform) { t.N = 1 << 31 }, l, "use 1 to 1073741824")
		refuse(func(t *modular.Transform) { t.Negacyclic = !t.Negacyclic }, l, "other ring")
		refuse(func(t *modular.Transform) { t.Root += 12289 }, l, "is not below the modulus 12289")
		refuse(func(t *modular.Transform) { t.Root = mod(12289).mul(t.Root, t.Root) }, l, "does not have order")
		refuse(func(t *modular.Transform) { t.Root = 1 }, l, "root 1 does not have order")
		refuse(func(t *modular.Transform) { t.Root = 0 }, l, "root 0 does not have order")
		refuse(func(t *modular.Transform) { t.N = 8192 }, model.Launch1D(128, 32), "q-1 is divisible by 2^12 and no higher power of two")
		refuse(func(t *modular.Transform) {}, model.Launch1D(1, 4), "4 threads are too few for the 8 butterflies of a stage; use 2 threadgroups")
		refuse(func(t *modular.Transform) {}, model.Launch{}, "use one dimension")
		refuse(func(t *modular.Transform) {}, model.Launch1D(1, 2048), "at most 1024 threads")
		if most := k.Claim.Moduli.Max; most != 0 {
			refuse(func(t *modular.Transform) { t.Modulus = goldilocks }, l, "is above")
			refuse(func(t *modular.Transform) { t.Modulus = most + 2 }, l, "is above")
		}
		x, err := k.Plan(r, l, good)
		require.NoError(t, err)
		for _, run := range []struct {
			f  func(dst, src []uint64) error
			in uint64
		}{
			{x.Forward, k.Claim.Forward.In.Range},
			{x.Inverse, k.Claim.Inverse.In.Range},
			{func(dst, src []uint64) error { return x.Product(dst, src, src) }, 1},
			{func(dst, src []uint64) error { return x.Product(dst, make([]uint64, len(dst)), src) }, 1},
		} {
			words := make([]uint64, 16)
			require.NoError(t, run.f(words, words))
			require.ErrorContains(t, run.f(words, words[:15]), "16 words and src 15")
			require.ErrorContains(t, run.f(words[:15], words[:15]), "15 words are not transforms of 16 points")
			require.ErrorContains(t, run.f(nil, nil), "0 words are not transforms")
			words[7] = run.in*12289 - 1
			require.NoError(t, run.f(make([]uint64, 16), words))
			words[7]++
			require.ErrorContains(t, run.f(make([]uint64, 16), words), fmt.Sprintf("word 7 is %d, not below", run.in*12289))
			words[7] = 1<<63 + 1
			require.ErrorContains(t, run.f(make([]uint64, 16), words), "word 7 is")
		}
		if x.ForwardStages != nil && k.Claim.Bits == 32 {
			require.ErrorContains(t, x.ForwardStages.Stage(0, []uint64{15: 1 << 32}), "needs 33 bits; a word has 32")
		}
	}
}

// TestNTTComposite: a modulus need not be prime if the root is one modulo each of its factors.
func TestNTTComposite(t *testing.T) {
	d := sim.New(sim.Options{Workers: 1})
	defer d.Release()
	r := shaders.NewRunner(d)
	defer r.Release()
	rng := rand.New(rand.NewPCG(6, 6))
	const q = 97 * 193 // the root is 1 modulo neither, by the Chinese remainder theorem
	a, b := mod(97), mod(193)
	for _, k := range shaders.NTTs() {
		tr := modular.Transform{Modulus: q, N: 8, Negacyclic: k.Claim.Negacyclic}
		u, v := a.root(tr.RootOrder()), b.root(tr.RootOrder())
		for tr.Root = u; tr.Root%193 != v; tr.Root += 97 {
		}
		x, err := k.Plan(r, k.Launches(8)[0], tr)
		require.NoError(t, err)
		checkTransform(t, k, tr, x, 1, rng, k.Name)
		tr.Root = u // of no order modulo 193
		_, err = k.Plan(r, k.Launches(8)[0], tr)
		require.ErrorContains(t, err, "does not have order")
	}
}

// TestNTTDeviceLimits: a launch that a device cannot run is refused when the transform is made ready.
func TestNTTDeviceLimits(t *testing.T) {
	d := sim.New(sim.Options{Workers: 1, MaxTotalThreads: 64, MaxThreadgroupMemory: 256})
	defer d.Release()
	r := shaders.NewRunner(d)
	defer r.Release()
	for _, k := range shaders.NTTs() {
		tr, _ := of(k, 12289, 128)
		_, err := k.Plan(r, model.Launch1D(1, 128), tr)
		require.ErrorContains(t, err, "the device has at most 64 threads in a threadgroup")
		_, err = k.Plan(r, model.Launch1D(1, 64), tr)
		if strings.Contains(k.Name, "tiled") {
			require.ErrorContains(t, err, fmt.Sprintf("a tile of 128 words needs %d bytes of threadgroup memory, and the device has 256", 128*k.Claim.Bits/8))
			_, err = k.Plan(r, model.Launch1D(3, 24), tr)
			require.ErrorContains(t, err, "3 threadgroups are too few for 4 tiles of 32 words; use 4")
		} else {
			require.NoError(t, err)
		}
		if k.Host.ForwardRows != "" {
			tr, _ = of(k, 12289, 256)
			_, err = k.Plan(r, model.Launch1D(4, 32), tr)
			require.ErrorContains(t, err, "a tile of 512 words needs 4096 bytes of threadgroup memory, and the device has 256")
			for _, threads := range []int{8, 24, 512} {
				_, err = k.Plan(r, model.Launch1D(16, threads), tr)
				require.ErrorContains(t, err, "256 points are done by threadgroups of 16, 32, 64, 128 or 256 threads; use one of these")
			}
		}
	}
}

// TestNTTRadix16 holds columns and rows to the stages that they stand for, word by word, in batches that fill their threadgroups and in
// others: forward and inverse transforms of every size of columns and rows, alone and with stages between. 2^16 points take two passes.
func TestNTTRadix16(t *testing.T) {
	d := sim.New(sim.Options{Workers: 1})
	defer d.Release()
	r := shaders.NewRunner(d)
	defer r.Release()
	rng := rand.New(rand.NewPCG(7, 7))
	stages, ok := shaders.FindNTT("shaders/ntt.metal#lazy")
	require.True(t, ok)
	k, ok := shaders.FindNTT("shaders/ntt.metal#radix16")
	require.True(t, ok)
	const q = 4611686018405367809 // below 2^62, and 1 modulo 2^20
	for _, c := range []struct {
		n, threads, batch int
		passes            [2]int // forward, inverse
	}{
		{256, 16, 3, [2]int{2, 2}},
		{256, 32, 1, [2]int{1, 2}},
		{256, 32, 2, [2]int{1, 2}},
		{256, 128, 11, [2]int{1, 2}},
		{256, 256, 17, [2]int{1, 2}},
		{512, 16, 2, [2]int{3, 2}},
		{512, 32, 2, [2]int{3, 2}},
		{512, 64, 5, [2]int{2, 3}},
		{4096, 256, 1, [2]int{6, 5}},
		{1 << 16, 256, 1, [2]int{2, 2}},
		{1 << 16, 128, 1, [2]int{2, 2}},
		{1 << 17, 64, 1, [2]int{3, 3}},
	} {
		tr, ok := of(k, q, c.n)
		require.True(t, ok)
		l := model.Launch1D(max(c.n/2/c.threads, 1), c.threads)
		about := fmt.Sprintf("%d times %s, %s", c.batch, tr, l)
		x, err := stages.Plan(r, l, tr)
		require.NoError(t, err)
		y, err := k.Plan(r, l, tr)
		require.NoError(t, err, about)
		for i, run := range [][2]func(dst, src []uint64) error{{x.Forward, y.Forward}, {x.Inverse, y.Inverse}} {
			in := edges(rng, c.n*c.batch, 4, q)
			want, got := make([]uint64, len(in)), make([]uint64, len(in))
			require.NoError(t, run[0](want, in))
			require.NoError(t, run[1](got, in))
			require.True(t, slices.Equal(want, got), about)
			list, results, err := k.Host.Dispatches(r, l, tr, i == 1, in)
			require.NoError(t, err)
			require.Len(t, list, c.passes[i], about)
			require.Len(t, results.Bytes, 8*len(in))
		}
		a, b := edges(rng, c.n*c.batch, 1, q), edges(rng, c.n*c.batch, 1, q)
		want, got := make([]uint64, len(a)), make([]uint64, len(a))
		require.NoError(t, x.Product(want, a, b))
		require.NoError(t, y.Product(got, a, b))
		require.True(t, slices.Equal(want, got), about)
	}
	tr, _ := of(k, q, 256)
	_, _, err := k.Host.Dispatches(r, model.Launch1D(8, 16), tr, false, make([]uint64, 255))
	require.ErrorContains(t, err, "255 words are not transforms of 256 points")
	_, _, err = k.Host.Dispatches(r, model.Launch1D(8, 8), tr, false, make([]uint64, 256))
	require.ErrorContains(t, err, "64 threads are too few")
}

// TestNTTs: names are unique and found.
func TestNTTs(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range shaders.NTTs() {
		require.False(t, seen[k.Name], k.Name)
		seen[k.Name] = true
		found, ok := shaders.FindNTT(k.Name)
		require.True(t, ok)
		require.Equal(t, k.Function, found.Function)
		for _, n := range []int{1, 2, 4, 1024, 1 << 16} {
			require.NotEmpty(t, k.Launches(n))
			for _, l := range k.Launches(n) {
				require.NoError(t, k.Fits(n, l))
			}
		}
	}
	_, ok := shaders.FindNTT("shaders/ntt.metal#none")
	require.False(t, ok)
}

// BenchmarkNTT transforms the seed's 1024 points on the simulator: on the fast engine with and without checks, and on the adversarial one.
func BenchmarkNTT(b *testing.B) {
	for _, o := range []struct {
		name string
		o    sim.Options
	}{
		{"fast", sim.Options{Workers: 1, NoChecks: true}},
		{"checked", sim.Options{Workers: 1}},
		{"stages", sim.Options{Workers: 1, Behaviour: model.Behaviour{Order: "stages", Seed: 1}}},
		{"accesses", sim.Options{Workers: 1, Behaviour: model.Behaviour{Order: "accesses", Seed: 1}}},
	} {
		for _, name := range []string{"stages", "stages_wide", "tiled", "lazy", "stages31"} {
			b.Run(o.name+"/"+name, func(b *testing.B) {
				d := sim.New(o.o)
				defer d.Release()
				k, ok := shaders.FindNTT("shaders/ntt.metal#" + name)
				require.True(b, ok)
				q := uint64(1152921504606748673)
				if k.Claim.Bits == 32 {
					q = 998244353
				}
				tr, ok := of(k, q, 1024)
				require.True(b, ok)
				r := shaders.NewRunner(d)
				defer r.Release()
				x, err := k.Plan(r, model.Launch1D(4, 128), tr)
				require.NoError(b, err)
				words := edges(rand.New(rand.NewPCG(1, 1)), 1024, 1, q)
				for b.Loop() {
					require.NoError(b, x.Forward(words, words))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/5120, "ns/butterfly")
			})
		}
	}
}
