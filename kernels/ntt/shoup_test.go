package ntt

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"gamma/model/modular"

	"github.com/stretchr/testify/require"
)

// shoupPrimes are primes ≡ 1 modulo 2^17, and some that are near powers of two.
var shoupPrimes = []uint64{
	0x1fffffffffe00001, // 61 bits, 2^21 divides q-1
	0xffffffffffc0001,  // 60 bits, 2^18
	0x3fffffffffe80001, // 62 bits
	2013265921, 998244353, 786433,
}

func mulMod(a, b, q uint64) uint64 {
	h, l := bits.Mul64(a, b)
	return bits.Rem64(h, l, q)
}

func powMod(a, e, q uint64) uint64 {
	r := 1 % q
	for ; e > 0; e /= 2 {
		if e%2 == 1 {
			r = mulMod(r, a, q)
		}
		a = mulMod(a, a, q)
	}
	return r
}

// rootOf returns an element of an order that is a power of two, modulo a prime; 0 if there is none.
func rootOf(order, q uint64) uint64 {
	if order == 1 {
		return 1
	}
	if (q-1)%order != 0 {
		return 0
	}
	for g := uint64(2); ; g++ {
		if r := powMod(g, (q-1)/order, q); powMod(r, order/2, q) == q-1 {
			return r
		}
	}
}

func shoupTransform(n int, q uint64, negacyclic bool) modular.Transform {
	t := modular.Transform{Modulus: q, N: n, Negacyclic: negacyclic}
	t.Root = rootOf(t.RootOrder(), q)
	return t
}

// at is the value of the polynomial x at the point number k, by Horner's rule and division.
func at(t modular.Transform, x []uint64, k int) uint64 {
	e := uint64(k)
	if t.Negacyclic {
		e = 2*e + 1
	}
	point, v := powMod(t.Root, e, t.Modulus), uint64(0)
	for _, a := range slices.Backward(x) {
		h, l := bits.Mul64(v, point)
		l, c := bits.Add64(l, a, 0)
		v = bits.Rem64(h+c, l, t.Modulus)
	}
	return v
}

func TestShoupForwardIsTheTransform(t *testing.T) {
	for _, q := range shoupPrimes {
		for _, negacyclic := range []bool{true, false} {
			for n := 1; n <= 1<<12; n *= 2 {
				tr := shoupTransform(n, q, negacyclic)
				if tr.Root == 0 {
					continue
				}
				s, err := newShoupTable(tr)
				require.NoError(t, err, tr)
				rng := rand.New(rand.NewPCG(1, q))
				x := make([]uint64, n)
				for i := range x {
					x[i] = rng.Uint64N(q)
				}
				y := slices.Clone(x)
				s.forward(y)
				for range min(n, 40) {
					k := rng.IntN(n)
					require.Equal(t, at(tr, x, k), y[modular.BitReversed.Place(k, n)], fmt.Sprint(tr, k))
				}
				s.inverse(y)
				require.Equal(t, x, y, tr)
			}
		}
	}
}

func BenchmarkShoup(b *testing.B) {
	for _, n := range []int{1 << 10, 1 << 12, 1 << 13, 1 << 16} {
		s, err := newShoupTable(shoupTransform(n, 0x1fffffffffe00001, true))
		require.NoError(b, err)
		x := make([]uint64, n)
		for i := range x {
			x[i] = uint64(i) * 0x9e3779b97f4a7c15 % s.q
		}
		for p := shoupGo; p <= shoupFastest; p++ {
			s.path = p
			run := func(name string, f func(x []uint64)) {
				b.Run(fmt.Sprintf("%s/N=%d/%s", name, n, p), func(b *testing.B) {
					for b.Loop() {
						f(x)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n/2*s.stages()), "ns/butterfly")
				})
			}
			run("NTT", s.forward)
			run("INTT", s.inverse)
		}
	}
}
