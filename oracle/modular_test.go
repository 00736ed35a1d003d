package oracle

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model/modular"
)

// The moduli of the reference table, and edges.
const (
	goldilocks = 0xffffffff00000001
	seedPrime  = 1152921504606748673
)

var (
	edgeModuli = []uint64{
		2, 3, 4, 5, 6, 7, 255, 256, 257, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1<<62 - 1, 1 << 62, 1<<62 + 1,
		1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<63 + 29, ^uint64(0), ^uint64(0) - 1, goldilocks, goldilocks - 1, goldilocks + 1, seedPrime,
		0xffffffffffffffc5, // 2^64-59, the largest prime
	}
	knownPrimes = []uint64{
		goldilocks, 2013265921, 2130706433, 2147483647, 998244353, 469762049, 167772161, 754974721, 0x1fffffffffe00001,
		0x1fffffffffc80001, 0xffffffffffc0001, 0xfffffffff840001, 0xfffffffff00001, 0x7fffffffe90001, 0xffffee001,
		3329, 8380417, 12289, 7681, seedPrime, 0xffffffffffffffc5, 2, 3, 5, 37, 41,
	}
	knownComposites = []uint64{
		1<<32 - 1<<25 + 1, 0x0800000000004401, // two that look like primes for transforms
		0, 1, 4, 1681, 2047, 3215031751, 3825123056546413051, // 4th to 7th: 41², and strong pseudoprimes to 1, 4 and 9 of the bases
		4294967291 * 4294967279, 1<<64 - 5, ^uint64(0),
	}
)

func bigOf(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

// twinMod returns f reduced modulo q.
func twinMod(f *big.Int, q uint64) uint64 { return new(big.Int).Mod(f, bigOf(q)).Uint64() }

// checkTwin holds each function to math/big.
func checkTwin(t *testing.T, a, b, q uint64) {
	t.Helper()
	x, y, m := bigOf(a), bigOf(b), bigOf(q)
	at := func(name string, got, want uint64) {
		t.Helper()
		if got != want {
			t.Fatalf("%s of %d, %d modulo %d is %d, not %d", name, a, b, q, want, got)
		}
	}
	at("MulMod", MulMod(a, b, q), twinMod(new(big.Int).Mul(x, y), q))
	at("AddMod", AddMod(a, b, q), twinMod(new(big.Int).Add(x, y), q))
	at("SubMod", SubMod(a, b, q), twinMod(new(big.Int).Sub(x, y), q))
	at("PowMod", PowMod(a, b, q), new(big.Int).Exp(x, y, m).Uint64())
	got, ok := InvMod(a, q)
	want := new(big.Int).ModInverse(x, m)
	if ok != (want != nil) || ok && got != want.Uint64() {
		t.Fatalf("InvMod of %d modulo %d is %d, %t; want %v", a, q, got, ok, want)
	}
}

func TestModularToys(t *testing.T) {
	for q := uint64(1); q <= 20; q++ {
		for a := range uint64(45) {
			for b := range uint64(45) {
				checkTwin(t, a, b, q)
			}
		}
	}
}

func TestModularEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for _, q := range edgeModuli {
		words := []uint64{0, 1, 2, 3, q - 1, q, q + 1, q / 2, q/2 + 1, 1<<32 - 1, 1 << 32, 1 << 63, 1<<63 - 1, ^uint64(0), ^uint64(0) - 1}
		for range 10 {
			words = append(words, r.Uint64(), r.Uint64()>>r.IntN(64), r.Uint64()%q)
		}
		for _, a := range words {
			for _, b := range words {
				checkTwin(t, a, b, q)
			}
		}
	}
	for range 2000 {
		checkTwin(t, r.Uint64(), r.Uint64()>>r.IntN(64), r.Uint64()>>r.IntN(64)|1)
	}
	require.PanicsWithValue(t, zeroModulus, func() { MulMod(1, 1, 0) })
}

func FuzzModular(f *testing.F) {
	for _, q := range edgeModuli {
		f.Add(q-1, q-1, q)
	}
	f.Fuzz(func(t *testing.T, a, b, q uint64) {
		if q > 1 {
			checkTwin(t, a, b, q)
		}
		if IsPrime(q) != bigOf(q).ProbablyPrime(0) {
			t.Fatalf("IsPrime(%d) is %t", q, IsPrime(q))
		}
	})
}

func TestIsPrime(t *testing.T) {
	for _, q := range knownPrimes {
		require.True(t, IsPrime(q), q)
	}
	for _, q := range knownComposites {
		require.False(t, IsPrime(q), q)
	}
	const n = 1 << 16
	composite := [n]bool{0: true, 1: true}
	for p := 2; p < n; p++ {
		for k := 2 * p; k < n && !composite[p]; k += p {
			composite[k] = true
		}
	}
	for q := range uint64(n) {
		require.Equal(t, !composite[q], IsPrime(q), q)
	}
	r := rand.New(rand.NewPCG(5, 2))
	for i := range 3000 {
		q := r.Uint64()>>r.IntN(64) | 1
		if i%3 == 0 {
			q = ^uint64(0) - uint64(i)
		}
		require.Equal(t, bigOf(q).ProbablyPrime(0), IsPrime(q), q) // exact below 2^64
	}
}

// order returns the order of a by trying, and 0 if it has none.
func order(a, q uint64) uint64 {
	x := a % q
	for e := uint64(1); e <= q; e++ {
		if x == 1%q {
			return e
		}
		x = x * a % q
	}
	return 0
}

func TestHasOrder(t *testing.T) {
	for q := uint64(2); q < 50; q++ {
		for a := range q + 3 {
			want := order(a, q)
			for e := range q + 2 {
				require.Equal(t, e != 0 && e == want, HasOrder(a, e, q), "%d modulo %d, order %d", a, q, e)
			}
		}
	}
	require.False(t, HasOrder(1, 1, 0))
	require.False(t, HasOrder(0, 1, 1))
	require.True(t, HasOrder(7, goldilocks-1, goldilocks)) // 7 generates
	require.True(t, HasOrder(3, seedPrime-1, seedPrime))
	require.False(t, HasOrder(2, seedPrime-1, seedPrime))
}

func TestRootOfUnity(t *testing.T) {
	for _, q := range knownPrimes {
		for e := uint64(1); e != 0; e *= 2 {
			root, err := RootOfUnity(e, q)
			if (q-1)%e != 0 {
				require.ErrorContains(t, err, fmt.Sprintf("order %d: ", e))
				break
			}
			require.NoError(t, err)
			require.True(t, HasOrder(root, e, q), "%d modulo %d, order %d", root, q, e)
			require.Less(t, root, q)
		}
	}
	for _, bad := range []struct {
		order, q uint64
		want     string
	}{
		{0, 17, "order 0: it is not a power of two"},
		{6, 13, "order 6: it is not a power of two"},
		{32, 17, "order 32: the largest power of two that is the order of a root modulo 17 is 2^4"},
		{2, 15, "modulus 15: it is not a prime"},
		{1, 0, "modulus 0: it is not a prime"},
		{2, 1<<32 - 1<<25 + 1, "it is not a prime"},
		{2, 2, "order of a root modulo 2 is 2^0"},
	} {
		_, err := RootOfUnity(bad.order, bad.q)
		require.ErrorContains(t, err, bad.want)
	}
}

// isProth says so by its definition.
func isProth(p uint64) bool {
	for e := 1; e < 63; e++ {
		if k := (p - 1) >> e; k<<e == p-1 && k%2 == 1 && k < 1<<e {
			return true
		}
	}
	return false
}

func TestPrimeSearch(t *testing.T) {
	const n = 3000
	for step := range uint64(40) {
		for from := step % 7; from < n/10; from += 7 {
			var below, above, proth uint64
			for p := uint64(2); p < n && step != 0; p++ {
				if (p-1)%step != 0 || !IsPrime(p) {
					continue
				}
				if p < from {
					below = p
				}
				if p >= from && above == 0 {
					above = p
				}
				if p >= from && proth == 0 && isProth(p) {
					proth = p
				}
			}
			if from > 0 {
				p, ok := LargestPrime(from, step)
				require.Equal(t, [2]any{below, below != 0}, [2]any{p, ok}, "below %d, step %d", from, step)
			}
			if p, ok := SmallestPrime(from, step); above != 0 || step == 0 {
				require.Equal(t, [2]any{above, above != 0}, [2]any{p, ok}, "from %d, step %d", from, step)
			}
			if p, ok := ProthPrime(from, step); proth != 0 || step == 0 {
				require.Equal(t, [2]any{proth, proth != 0}, [2]any{p, ok}, "from %d, step %d", from, step)
			}
		}
	}
	for _, c := range []struct{ below, step, want uint64 }{
		{0, 1, 1<<64 - 59},
		{0, 2, 1<<64 - 59},
		{0, 1 << 32, goldilocks},
		{1 << 60, 1 << 15, seedPrime},
		{1 << 61, 1 << 21, 0x1fffffffffe00001},
		{3, 1, 2},
		{4, 2, 3},
	} {
		p, ok := LargestPrime(c.below, c.step)
		require.True(t, ok)
		require.Equal(t, c.want, p, "below %d, step %d", c.below, c.step)
	}
	_, ok := LargestPrime(0, 1<<63)
	require.False(t, ok) // 2^63+1 is a multiple of 3
	_, ok = SmallestPrime(^uint64(0), 1)
	require.False(t, ok)
	_, ok = SmallestPrime(2, ^uint64(0)-1)
	require.False(t, ok) // 2^64-1 is a multiple of 3
	_, ok = SmallestPrime(goldilocks+1, 1<<32)
	require.False(t, ok)
	p, ok := SmallestPrime(goldilocks, 1<<32)
	require.True(t, ok)
	require.Equal(t, uint64(goldilocks), p)
	for _, from := range []uint64{1 << 30, 1 << 59, 1 << 60, 1 << 61, 1 << 62, 1 << 63, 15 << 60} {
		p, ok := ProthPrime(from, 1<<15)
		require.True(t, ok, from)
		require.True(t, IsPrime(p) && isProth(p) && (p-1)%(1<<15) == 0 && p >= from)
	}
	_, ok = ProthPrime(goldilocks+1, 1)
	require.False(t, ok)
}

// definition computes X_k by the formula, with math/big.
func definition(t modular.Transform, a []uint64, k int) uint64 {
	e := big.NewInt(int64(k))
	if t.Negacyclic {
		e = big.NewInt(int64(2*k + 1))
	}
	sum, q := new(big.Int), bigOf(t.Modulus)
	for j, v := range a {
		w := new(big.Int).Exp(bigOf(t.Root), new(big.Int).Mul(e, big.NewInt(int64(j))), q)
		sum.Add(sum, w.Mul(w, bigOf(v)))
	}
	return twinMod(sum, t.Modulus)
}

// transforms are of every size up to n, of both kinds, for many moduli.
func transforms(n int) (all []modular.Transform) {
	for _, q := range append([]uint64{17, 97, 1<<32 + 15}, knownPrimes...) {
		for size := 1; size <= n; size *= 2 {
			for _, negacyclic := range []bool{false, true} {
				t := modular.Transform{Modulus: q, N: size, Negacyclic: negacyclic}
				if root, err := RootOfUnity(t.RootOrder(), q); err == nil {
					t.Root = root
					all = append(all, t)
				}
			}
		}
	}
	return all
}

// residuesOf draws n numbers with many at the edges.
func residuesOf(r *rand.Rand, n int, q uint64) []uint64 {
	a := make([]uint64, n)
	for i := range a {
		switch r.IntN(4) {
		case 0:
			a[i] = q - 1
		case 1:
			a[i] = r.Uint64N(3) % q
		default:
			a[i] = r.Uint64N(q)
		}
	}
	return a
}

func TestTransform(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	for _, tr := range transforms(64) {
		x, err := NewTransform(tr)
		require.NoError(t, err, tr)
		require.Equal(t, tr, x.Transform())
		q, n := tr.Modulus, tr.N
		a, b := residuesOf(r, n, q), residuesOf(r, n, q)
		f, g := make([]uint64, n), make([]uint64, n)
		x.Forward(f, a)
		for k := range n {
			require.Equal(t, definition(tr, a, k), f[k], "%s, at %d", tr, k)
			require.Equal(t, f[k], x.At(a, k), "%s, at %d", tr, k)
		}
		x.Inverse(g, f)
		require.Equal(t, a, g, tr)
		x.Inverse(f, f) // in place
		require.Equal(t, a, f, tr)

		// The product is that of the values.
		want, sparse := make([]uint64, n), make([]uint64, n)
		if tr.Negacyclic {
			NegacyclicProduct(want, a, b, q)
			NegacyclicProductSparse(sparse, b, terms(a), q)
		} else {
			CyclicProduct(want, a, b, q)
			CyclicProductSparse(sparse, b, terms(a), q)
		}
		require.Equal(t, want, sparse, tr)
		x.Forward(f, a)
		x.Forward(g, b)
		for k := range f {
			f[k] = MulMod(f[k], g[k], q)
		}
		x.Inverse(f, f)
		require.Equal(t, want, f, tr)
	}
	// Words that are not reduced stand for their residues.
	x, err := NewTransform(modular.Transform{Modulus: 17, N: 4, Root: 4})
	require.NoError(t, err)
	f, g := make([]uint64, 4), make([]uint64, 4)
	x.Forward(f, []uint64{1, 2, 3, 4})
	x.Forward(g, []uint64{18, 19, 3 + 17*(1<<59), 4})
	require.Equal(t, f, g)
	require.PanicsWithValue(t, transformLength, func() { x.Forward(f, f[:3]) })
	require.PanicsWithValue(t, transformLength, func() { x.At(f, 4) })
}

// TestTransformOfComposites takes moduli that are not primes and have roots nonetheless, and refuses those that are none.
func TestTransformOfComposites(t *testing.T) {
	x, err := NewTransform(modular.Transform{Modulus: 15 * 17, N: 2, Root: 254})
	require.NoError(t, err)
	f := []uint64{200, 100}
	x.Forward(f, f)
	require.Equal(t, []uint64{45, 100}, f)
	x.Inverse(f, f)
	require.Equal(t, []uint64{200, 100}, f)
}

func TestNewTransformErrors(t *testing.T) {
	for want, tr := range map[string]modular.Transform{
		"Transform.N: 0 is not a power of two":            {Modulus: 17, N: 0, Root: 1},
		"Transform.N: -4 is not a power of two":           {Modulus: 17, N: -4, Root: 1},
		"Transform.N: 6 is not a power of two":            {Modulus: 13, N: 6, Root: 4},
		"Transform.N: 2199023255552 is more":              {Modulus: goldilocks, N: 1 << 41, Root: 4},
		"Transform.Modulus: 1 is below 2":                 {Modulus: 1, N: 1},
		"Transform.Modulus: 0 is below 2":                 {N: 1},
		"Transform.Modulus: 16 is even":                   {Modulus: 16, N: 2, Root: 15},
		"Transform.Modulus: 2 is even":                    {Modulus: 2, N: 1, Root: 1, Negacyclic: true},
		"Transform.Root: 21 is not reduced":               {Modulus: 17, N: 4, Root: 21},
		"Transform.Root: 16 does not have order 1":        {Modulus: 17, N: 1, Root: 16},
		"Transform.Root: 2 does not have order 4 modulo":  {Modulus: 17, N: 4, Root: 2},
		"Transform.Root: 4 does not have order 8 modulo":  {Modulus: 17, N: 4, Root: 4, Negacyclic: true},
		"Transform.Root: 0 does not have order 4 modulo":  {Modulus: 17, N: 4},
		"Transform.Root: 4 has order 2 modulo 15, but":    {Modulus: 15, N: 2, Root: 4},
		"Transform.Root: 16 does not have order 4 modulo": {Modulus: 17, N: 4, Root: 16},
	} {
		_, err := NewTransform(tr)
		require.ErrorContains(t, err, want)
	}
	x, err := NewTransform(modular.Transform{Modulus: 2, N: 1, Root: 1})
	require.NoError(t, err)
	f := []uint64{1}
	x.Forward(f, f)
	x.Inverse(f, f)
	require.Equal(t, []uint64{1}, f)
	// A negacyclic transform of one point is a_0 itself, with the root -1.
	x, err = NewTransform(modular.Transform{Modulus: 17, N: 1, Root: 16, Negacyclic: true})
	require.NoError(t, err)
	f = []uint64{5}
	x.Forward(f, f)
	require.Equal(t, []uint64{5}, f)
	x.Inverse(f, f)
	require.Equal(t, []uint64{5}, f)
}

// TestProducts holds products of any length and modulus to math/big.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	for _, q := range append([]uint64{1}, edgeModuli...) {
		for _, n := range []int{0, 1, 2, 3, 8, 13} {
			a, b := residuesOf(r, n, q), residuesOf(r, n, q)
			for i := range a {
				if r.IntN(3) == 0 {
					a[i], b[i] = ^uint64(0), ^uint64(0)-uint64(i)
				}
			}
			for _, sign := range []int64{1, -1} {
				want := make([]uint64, n)
				for k := range want {
					sum := new(big.Int)
					for i := range n {
						for j := range n {
							p := new(big.Int).Mul(bigOf(a[i]), bigOf(b[j]))
							switch {
							case i+j == k:
								sum.Add(sum, p)
							case i+j == k+n:
								sum.Add(sum, p.Mul(p, big.NewInt(sign)))
							}
						}
					}
					want[k] = twinMod(sum, q)
				}
				got := slices.Clone(a)
				if sign == 1 {
					CyclicProduct(got, got, b, q)
				} else {
					NegacyclicProduct(got, got, b, q)
				}
				require.Equal(t, want, got, "modulo %d, %d", q, n)
			}
		}
	}
	got := make([]uint64, 4)
	NegacyclicProductSparse(got, []uint64{1, 2, 3, 4}, []Term{{3, 2}, {3, 1}, {0, 1}}, 17)
	require.Equal(t, []uint64{12, 10, 8, 7}, got) // 1+2x+3x²+4x³ by 1+3x³
	require.PanicsWithValue(t, productLength, func() { CyclicProductSparse(got, got, []Term{{4, 1}}, 17) })
	require.PanicsWithValue(t, productLength, func() { CyclicProduct(got, got[:3], got, 17) })
}

func BenchmarkNTT(b *testing.B) {
	for _, q := range []struct {
		name string
		q    uint64
	}{{"", seedPrime}, {"/q=goldilocks", goldilocks}, {"/q=61bits", 0x1fffffffffe00001}} {
		for log := 10; log <= 16; log += 2 {
			n := 1 << log
			for _, negacyclic := range []bool{true, false} {
				t := modular.Transform{Modulus: q.q, N: n, Negacyclic: negacyclic}
				root, err := RootOfUnity(t.RootOrder(), t.Modulus)
				if err != nil {
					continue
				}
				t.Root = root
				x, err := NewTransform(t)
				require.NoError(b, err)
				a := residuesOf(rand.New(rand.NewPCG(5, 5)), n, t.Modulus)
				name := fmt.Sprintf("N=%d%s", n, q.name)
				if !negacyclic {
					name += "/cyclic"
				}
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						x.Forward(a, a)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n/2*log), "ns/butterfly")
				})
			}
		}
	}
}
