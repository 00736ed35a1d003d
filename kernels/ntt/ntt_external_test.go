package ntt_test

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/ntt"
	"gamma/model/modular"
)

// primes are those of the tests: each limit of a kernel from both sides, each form of the reference table.
var primes = []uint64{
	3, 5, 7, 17, 97, 3329, 7681, 12289, 8380417,
	998244353, 2013265921, 2130706433, 2147483647, // 31 bits
	1152921504606748673, // 60 bits
	0x1fffffffffe00001,  // 61 bits
	search(1<<62, -1), search(1<<62, 1),
	search(1<<63, -1), search(1<<63, 1),
	18446744069414584321, search(0, -1),
}

// search returns the first prime that is 1 modulo 2^14, from a power of two on upwards or downwards; 0 is 2^64.
func search(from uint64, step int64) uint64 {
	q := from + 1
	for {
		q += uint64(step << 14)
		if new(big.Int).SetUint64(q).ProbablyPrime(0) {
			return q
		}
	}
}

func mulMod(a, b, q uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return bits.Rem64(hi, lo, q)
}

func addMod(a, b, q uint64) uint64 {
	s, carry := bits.Add64(a, b, 0)
	return bits.Rem64(carry, s, q)
}

func powMod(a, e, q uint64) uint64 {
	p := uint64(1)
	for ; e > 0; e >>= 1 {
		if e&1 != 0 {
			p = mulMod(p, a, q)
		}
		a = mulMod(a, a, q)
	}
	return p
}

// at is X_k, by Horner.
func at(t modular.Transform, a []uint64, k int) uint64 {
	point := powMod(t.Root, uint64(k), t.Modulus)
	if t.Negacyclic {
		point = powMod(t.Root, 2*uint64(k)+1, t.Modulus)
	}
	x := uint64(0)
	for j := len(a) - 1; j >= 0; j-- {
		x = addMod(mulMod(x, point, t.Modulus), a[j], t.Modulus)
	}
	return x
}

// coefficient is number k of the product of a and b, by the schoolbook.
func coefficient(t modular.Transform, a, b []uint64, k int) uint64 {
	q, n := t.Modulus, t.N
	c := uint64(0)
	for i, v := range a {
		p := mulMod(v, b[(k-i+n)%n], q)
		if t.Negacyclic && i > k {
			p = mulMod(p, q-1, q)
		}
		c = addMod(c, p, q)
	}
	return c
}

// words returns words that stand for the residues x on a side, each with a drawn multiple of q on top, the greatest often.
func words(r *rand.Rand, s modular.Side, b int, x []uint64, q uint64) []uint64 {
	w := make([]uint64, len(x))
	for k, v := range x {
		for range s.Power {
			v = bits.Rem64(v>>(64-b), v<<b, q)
		}
		over := s.Range - 1
		if r.IntN(2) == 0 {
			over = r.Uint64N(s.Range)
		}
		w[s.Order.Place(k, len(x))] = v + over*q
	}
	return w
}

// residues returns what the words w on a side stand for, times factor.
func residues(t *testing.T, s modular.Side, b int, w []uint64, q, factor uint64) []uint64 {
	t.Helper()
	radix := bits.Rem64(1, 0, q)
	if b < 64 {
		radix = 1 << b % q
	}
	inverse := powMod(radix, q-2, q)
	x := make([]uint64, len(w))
	for k := range x {
		v := w[s.Order.Place(k, len(w))]
		if hi, lo := bits.Mul64(s.Range, q); hi == 0 && v >= lo {
			t.Fatalf("word %d is %d, not below %d·q = %d", k, v, s.Range, lo)
		}
		v = mulMod(v%q, factor, q)
		for range s.Power {
			v = mulMod(v, inverse, q)
		}
		x[k] = v
	}
	return x
}

// drawn returns n residues: any, or a few kinds at the ends of the range.
func drawn(r *rand.Rand, n int, q uint64) []uint64 {
	x := make([]uint64, n)
	kind := r.IntN(4)
	for i := range x {
		switch {
		case kind == 0:
			x[i] = q - 1
		case kind == 1 && r.IntN(2) == 0:
			x[i] = []uint64{0, 1, q - 1, q / 2, q/2 + 1}[r.IntN(5)]
		default:
			x[i] = r.Uint64N(q)
		}
	}
	return x
}

// each calls f for each kernel that has plans for n points modulo q.
func each(t *testing.T, q uint64, n int, f func(t *testing.T, k ntt.Kernel, tr modular.Transform)) {
	for _, k := range ntt.All() {
		if k.Claim.Moduli.Admits(q, k.Claim.Bits) != nil || k.Claim.MaxN > 0 && n > k.Claim.MaxN || n < k.Claim.MinN {
			continue
		}
		tr, err := ntt.NewTransform(q, n, k.Claim.Negacyclic)
		if err != nil {
			continue
		}
		f(t, k, tr)
		if t.Failed() {
			t.Fatalf("%s: %s", k.Name, tr)
		}
	}
}

func thorough() bool { return os.Getenv("GAMMA_LEVEL") == "thorough" }

// TestTransforms holds every kernel to the sums that define a transform, at every size up to 2^12, for all primes; at level thorough every
// value of every transform up to there.
func TestTransforms(t *testing.T) {
	for _, q := range primes {
		most := 12
		if q == 0x1fffffffffe00001 && thorough() {
			most = 16
		}
		for log := 0; log <= most; log++ {
			n := 1 << log
			t.Run(fmt.Sprintf("q=%d/N=%d", q, n), func(t *testing.T) {
				r := rand.New(rand.NewPCG(q, uint64(n)))
				a := [2][]uint64{drawn(r, n, q), drawn(r, n, q)}
				var values, product [2][]uint64
				points := n
				if n > 1<<12 || n > 64 && !thorough() {
					points = 8
				}
				each(t, q, n, func(t *testing.T, k ntt.Kernel, tr modular.Transform) {
					c := &k.Claim
					require.NoError(t, c.Check())
					which := 0
					if tr.Negacyclic {
						which = 1
					}
					p, err := k.Plan(tr)
					require.NoError(t, err)
					dst, src := make([]uint64, n), words(r, c.Forward.In, c.Bits, a[0], q)
					require.NoError(t, p.Forward(dst, src))
					got := residues(t, c.Forward.Out, c.Bits, dst, q, 1)
					if values[which] == nil {
						// The first kernel is held to the sums; the others to what it gives.
						values[which] = got
						for i := range points {
							j := i
							if points < n {
								j = r.IntN(n)
							}
							require.Equal(t, at(tr, a[0], j), got[j], "value %d", j)
						}
					}
					require.Equal(t, values[which], got)

					factor := uint64(1)
					if c.Inverse.Unscaled {
						factor = powMod(uint64(n)%q, q-2, q)
					}
					src = words(r, c.Inverse.In, c.Bits, got, q)
					require.NoError(t, p.Inverse(src, src))
					require.Equal(t, a[0], residues(t, c.Inverse.Out, c.Bits, src, q, factor))

					require.Equal(t, c.Product, p.Product != nil)
					if p.Product == nil {
						return
					}
					require.NoError(t, p.Product(dst, a[0], a[1]))
					if product[which] == nil {
						product[which] = append([]uint64(nil), dst...)
						for i := range points {
							j := i
							if points < n {
								j = r.IntN(n)
							}
							require.Equal(t, coefficient(tr, a[0], a[1], j), dst[j], "coefficient %d", j)
						}
					}
					require.Equal(t, product[which], dst)
				})
			})
		}
	}
}

// ceiling returns ⌈bound·q⌉, which fits a word.
func ceiling(bound *big.Rat, q uint64) uint64 {
	x := new(big.Rat).Mul(bound, new(big.Rat).SetInt(new(big.Int).SetUint64(q)))
	n := new(big.Int).Add(x.Num(), x.Denom())
	return n.Sub(n, big.NewInt(1)).Quo(n, x.Denom()).Uint64()
}

// TestStages holds a transform piece by piece to one at once, and every stage to the range that recurrences say.
func TestStages(t *testing.T) {
	for _, q := range primes {
		for _, n := range []int{1, 2, 4, 8, 32, 256} {
			r := rand.New(rand.NewPCG(q, uint64(n)))
			each(t, q, n, func(t *testing.T, k ntt.Kernel, tr modular.Transform) {
				p, err := k.Plan(tr)
				require.NoError(t, err)
				for _, d := range []struct {
					d      modular.Direction
					stages *modular.Stages
					run    func(dst, src []uint64) error
				}{{k.Claim.Forward, p.ForwardStages, p.Forward}, {k.Claim.Inverse, p.InverseStages, p.Inverse}} {
					if d.stages == nil {
						require.Nil(t, d.d.Stages, "recurrences without stages")
						continue
					}
					require.Equal(t, bits.Len(uint(n))-1, d.stages.Count)
					x := words(r, d.d.In, k.Claim.Bits, drawn(r, n, q), q)
					want := make([]uint64, n)
					require.NoError(t, d.run(want, x))
					if d.stages.Prepare != nil {
						require.NoError(t, d.stages.Prepare(x))
					}
					var bounds []*big.Rat
					if d.d.Stages != nil {
						bounds, err = d.d.Bounds(n, q, k.Claim.Bits)
						require.NoError(t, err)
						extra := 0
						if d.stages.Finish != nil {
							extra = 1
						}
						require.Len(t, bounds, d.stages.Count+extra)
					}
					for s := range d.stages.Count {
						require.NoError(t, d.stages.Stage(s, x))
						most := q
						if bounds != nil {
							most = ceiling(bounds[s], q)
						}
						if i := slices.IndexFunc(x, func(v uint64) bool { return v >= most }); i >= 0 {
							t.Fatalf("stage %d, word %d is %d, not below %d", s, i, x[i], most)
						}
					}
					if d.stages.Finish != nil {
						require.NoError(t, d.stages.Finish(x))
					}
					if d.d.Out.Range > 1 {
						for i := range x {
							want[i], x[i] = want[i]%q, x[i]%q
						}
					}
					require.Equal(t, want, x)
					require.Error(t, d.stages.Stage(d.stages.Count, x))
					require.Error(t, d.stages.Stage(-1, x))
				}
			})
		}
	}
}

// TestMaxModulus finds the limits of lazy kernels by the analysis of their recurrences.
func TestMaxModulus(t *testing.T) {
	lazy := 0
	for _, k := range ntt.All() {
		for _, d := range []modular.Direction{k.Claim.Forward, k.Claim.Inverse} {
			if d.Stages == nil {
				continue
			}
			lazy++
			most := modular.MaxModulus(d.Stages(1<<10), new(big.Rat).SetInt(new(big.Int).SetUint64(d.In.Range)), k.Claim.Bits)
			require.GreaterOrEqual(t, most, k.Claim.Moduli.Max, k.Name)
			require.LessOrEqual(t, most, k.Claim.Moduli.Max+1, k.Name)
		}
	}
	require.NotZero(t, lazy)
}

// TestBatches holds transforms one after the other to each alone, and products into an operand to those elsewhere.
func TestBatches(t *testing.T) {
	const q, n = 998244353, 16
	r := rand.New(rand.NewPCG(1, 2))
	each(t, q, n, func(t *testing.T, k ntt.Kernel, tr modular.Transform) {
		if !k.Claim.Batched {
			return
		}
		p, err := k.Plan(tr)
		require.NoError(t, err)
		x, y := drawn(r, 3*n, q), drawn(r, 3*n, q)
		for _, f := range []func(dst, src []uint64) error{p.Forward, p.Inverse} {
			all, one := make([]uint64, 3*n), make([]uint64, 3*n)
			require.NoError(t, f(all, x))
			for i := 0; i < 3*n; i += n {
				require.NoError(t, f(one[i:i+n], x[i:i+n]))
			}
			require.Equal(t, one, all)
			require.NoError(t, f(nil, nil))
		}
		if p.Product != nil {
			want := make([]uint64, 3*n)
			require.NoError(t, p.Product(want, x, y))
			for _, into := range []int{0, 1} {
				a, b := append([]uint64(nil), x...), append([]uint64(nil), y...)
				dst := [][]uint64{a, b}[into]
				require.NoError(t, p.Product(dst, a, b))
				require.Equal(t, want, dst)
			}
			square := append([]uint64(nil), x...)
			require.NoError(t, p.Product(want, x, x))
			require.NoError(t, p.Product(square, square, square))
			require.Equal(t, want, square)
		}
	})
}

// TestRefuses wants an error that names what is wrong, for each precondition.
func TestRefuses(t *testing.T) {
	good := modular.Transform{Modulus: 97, N: 8, Negacyclic: true, Root: 8} // 8 has order 16 modulo 97
	for _, c := range []struct {
		name string
		t    modular.Transform
		want string
	}{
		{"even", modular.Transform{Modulus: 96, N: 8, Negacyclic: true, Root: 8}, "modulus 96 is even"},
		{"small", modular.Transform{Modulus: 2, N: 1, Negacyclic: true, Root: 1}, "modulus 2 is below 3"},
		{"zero", modular.Transform{Modulus: 0, N: 1, Negacyclic: true, Root: 1}, "modulus 0 is below 3"},
		{"composite", modular.Transform{Modulus: 4261412865, N: 8, Negacyclic: true, Root: 8}, "modulus 4261412865 is composite"},
		{"pseudoprime", modular.Transform{Modulus: 3215031751, N: 1, Negacyclic: true, Root: 3215031750}, "composite"},
		{"size", modular.Transform{Modulus: 97, N: 12, Negacyclic: true, Root: 8}, "N is 12"},
		{"no size", modular.Transform{Modulus: 97, N: 0, Negacyclic: true, Root: 8}, "N is 0"},
		{"negative size", modular.Transform{Modulus: 97, N: -8, Negacyclic: true, Root: 8}, "N is -8"},
		{"large size", modular.Transform{Modulus: 97, N: 1 << 41, Negacyclic: true, Root: 8}, "points at most"},
		{"missing root", modular.Transform{Modulus: 97, N: 32, Negacyclic: true, Root: 8}, "no root of order 64: q-1 = 2^5·3, so that negacyclic transforms have 16 points at most"},
		{"no root", modular.Transform{Modulus: 97, N: 8, Negacyclic: true, Root: 0}, "root 0 is not in [1, q)"},
		{"wide root", modular.Transform{Modulus: 97, N: 8, Negacyclic: true, Root: 105}, "root 105 is not in [1, q)"},
		{"small order", modular.Transform{Modulus: 97, N: 8, Negacyclic: true, Root: 64}, "has order 8; a negacyclic transform of 8 points needs one of order 16"},
		{"large order", modular.Transform{Modulus: 97, N: 4, Negacyclic: true, Root: 8}, "does not divide 8"},
		{"odd order", modular.Transform{Modulus: 97, N: 8, Negacyclic: true, Root: 5}, "does not divide 16"},
		{"one", modular.Transform{Modulus: 97, N: 1, Negacyclic: true, Root: 1}, "has order 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			refused := 0
			for _, k := range ntt.All() {
				if !k.Claim.Negacyclic || k.Claim.Moduli.Admits(97, k.Claim.Bits) != nil {
					continue
				}
				refused++
				_, err := k.Plan(c.t)
				want := c.want
				if k.Claim.Bits == 32 && c.t.Modulus >= 1<<31 {
					want = "is above 2147483647"
				}
				require.ErrorContains(t, err, want, k.Name)
			}
			require.NotZero(t, refused)
		})
	}
	for _, k := range ntt.All() {
		if !k.Claim.Negacyclic || k.Claim.Moduli.Admits(97, k.Claim.Bits) != nil {
			_, err := k.Plan(good)
			require.Error(t, err, k.Name)
			continue
		}
		p, err := k.Plan(good)
		require.NoError(t, err, k.Name)
		x := make([]uint64, 24)
		for _, f := range []func(dst, src []uint64) error{p.Forward, p.Inverse} {
			require.ErrorContains(t, f(x[:8], x[:16]), "dst has 8 words and src has 16")
			require.ErrorContains(t, f(x[:9], x[9:18]), "9 words are not a multiple of N = 8")
			require.ErrorContains(t, f(x[:8], x[4:12]), "overlap")
			x[3] = 4 * 97
			require.ErrorContains(t, f(x[8:16], x[:8]), "word 3 is 388")
			x[3] = 0
		}
		if k.Claim.Forward.In.Range == 1 {
			x[5] = 97
			require.ErrorContains(t, p.Forward(x[8:16], x[:8]), "word 5 is 97; it must be below q = 97", k.Name)
			x[5] = 0
		}
		if p.Product != nil {
			require.ErrorContains(t, p.Product(x[:8], x[:8], x[8:24]), "dst has 8 words and src has 16")
			x[9] = 97
			require.ErrorContains(t, p.Product(x[16:24], x[:8], x[8:16]), "word 1 is 97", k.Name)
			x[9] = 0
		}
	}
	// A modulus above a kernel's range.
	const wide = 18446744069414584321
	tr, err := ntt.NewTransform(wide, 4, false)
	require.NoError(t, err)
	_, err = ntt.NewShoup(tr, ntt.DITNR)
	require.ErrorContains(t, err, "is above")
	_, err = ntt.NewMontgomeryLazy(tr, ntt.DITNN)
	require.ErrorContains(t, err, "there is no cyclic DITNN")
	p, err := ntt.NewMontgomery(tr, ntt.DITRN)
	require.NoError(t, err)
	x := make([]uint64, 4)
	require.ErrorContains(t, p.Product(x, x, x), "no product")
	require.ErrorContains(t, p.ForwardUnchecked(make([]uint64, 3)), "3 words")
	require.ErrorContains(t, ntt.BitReverse(make([]uint64, 3)), "N is 3")
}

// TestFindRoot holds roots to their order, by division.
func TestFindRoot(t *testing.T) {
	for _, q := range primes {
		twos := bits.TrailingZeros64(q - 1)
		for log := 0; log <= twos; log++ {
			root, err := ntt.FindRoot(q, 1<<log, false)
			require.NoError(t, err)
			require.Equal(t, uint64(1), powMod(root, 1<<log, q))
			if log > 0 {
				require.Equal(t, q-1, powMod(root, 1<<(log-1), q))
				double, err := ntt.FindRoot(q, 1<<(log-1), true)
				require.NoError(t, err)
				require.Equal(t, root, double)
			}
		}
		_, err := ntt.FindRoot(q, 2<<twos, false)
		require.ErrorContains(t, err, "no root of order")
		_, err = ntt.FindRoot(q, 1<<twos, true)
		require.ErrorContains(t, err, "no root of order")
	}
	_, err := ntt.FindRoot(561, 2, false)
	require.ErrorContains(t, err, "composite")
	_, err = ntt.FindRoot(1<<20, 2, false)
	require.ErrorContains(t, err, "even")
}
