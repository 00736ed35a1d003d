package montgomery_test

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/montgomery"
	"gamma/model/modular"
)

func number(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

// truth judges rows of a claim for one modulus, by math/big alone.
type truth struct {
	c       *modular.Claim
	q, r    *big.Int
	in, out []*big.Int // R^-power and R^power mod q of each word
}

func newTruth(c *modular.Claim, q uint64) *truth {
	t := &truth{c: c, q: number(q), r: new(big.Int).Lsh(big.NewInt(1), uint(c.Bits))}
	power := func(w modular.Word, sign int64) *big.Int {
		return new(big.Int).Exp(t.r, big.NewInt(sign*int64(w.Power)), t.q) // nil for a negative power without inverse
	}
	for _, w := range c.In {
		t.in = append(t.in, power(w, -1))
	}
	for _, w := range c.Out {
		t.out = append(t.out, power(w, 1))
	}
	return t
}

// quotient returns Shoup's quotient of w.
func (t *truth) quotient(w uint64) uint64 {
	x := new(big.Int).Mul(number(w), t.r)
	return x.Div(x, t.q).Uint64()
}

// check says what is wrong with the results z of the operands x.
func (t *truth) check(z, x []uint64) error {
	var v []*big.Int
	for i, w := range t.c.In {
		switch {
		case w.Shoup:
		case w.Integer:
			v = append(v, number(x[i]))
		default:
			a := new(big.Int).Mul(number(x[i]), t.in[i])
			v = append(v, a.Mod(a, t.q))
		}
	}
	var y [2]*big.Int
	n := func() *big.Int { return new(big.Int) }
	switch t.c.Function {
	case modular.Identity:
		y[0] = v[0]
	case modular.Sum:
		y[0] = n().Add(v[0], v[1])
	case modular.Difference:
		y[0] = n().Sub(v[0], v[1])
	case modular.Negative:
		y[0] = n().Neg(v[0])
	case modular.Product:
		y[0] = n().Mul(v[0], v[1])
	case modular.Inverse:
		if y[0] = n().ModInverse(v[0], t.q); y[0] == nil {
			y[0] = n() // this package: 0 where there is none
		}
	case modular.Power:
		y[0] = n().Exp(v[0], v[1], t.q)
	case modular.Wide:
		y[0] = n().Add(n().Mul(v[0], t.r), v[1])
	case modular.ForwardButterfly:
		p := n().Mul(v[1], v[2])
		y[0], y[1] = n().Add(v[0], p), n().Sub(v[0], p)
	case modular.InverseButterfly:
		y[0], y[1] = n().Add(v[0], v[1]), n().Mul(n().Sub(v[0], v[1]), v[2])
	case modular.One:
		y[0] = big.NewInt(1)
	case modular.WordInverse:
		y[0] = n().ModInverse(t.q, t.r)
	case modular.NegativeInverse:
		y[0] = n().Sub(t.r, n().ModInverse(t.q, t.r))
	case modular.ShoupQuotient:
		y[0] = n().Div(n().Mul(v[0], t.r), t.q)
	}
	for i, w := range t.c.Out {
		got := number(z[i])
		switch {
		case got.Cmp(t.r) >= 0:
			return fmt.Errorf("%s = %d is not a word", w.Name, z[i])
		case w.Range != 0 && got.Cmp(n().Mul(number(w.Range), t.q)) >= 0:
			return fmt.Errorf("%s = %d is not below %d·%d", w.Name, z[i], w.Range, t.q)
		case w.Integer:
			if got.Cmp(y[i]) != 0 {
				return fmt.Errorf("%s = %d, want %d", w.Name, z[i], y[i])
			}
		default:
			want := n().Mul(y[i], t.out[i])
			if n().Mod(got, t.q).Cmp(want.Mod(want, t.q)) != 0 {
				return fmt.Errorf("%s = %d ≡ %d, want %d", w.Name, z[i], n().Mod(got, t.q), want)
			}
		}
	}
	return nil
}

// moduli returns moduli that the claim admits: ends, neighbours of powers of two and of the golden ratio, primes in use, drawn ones.
func moduli(c *modular.Claim, rng *rand.Rand, drawn int) []uint64 {
	if len(c.Moduli.Only) > 0 {
		return c.Moduli.Only
	}
	most := ^uint64(0) >> (64 - c.Bits)
	all := []uint64{
		2, 3, 5, 7, 9, 15, 21, 105, 255, 257, 3329, 8380417, 12289, 7681, 65535, 65537, 998244353, 2013265921, 2130706433, 1<<31 - 1,
		1152921504606748673, 0x1fffffffffe00001, 0x9e3779b97f4a7c15, 0x9e3779b97f4a7c17, montgomery.Goldilocks, most, most - 1, most - 58,
		c.Moduli.MaxModulus(c.Bits), c.Moduli.MaxModulus(c.Bits) - 1, c.Moduli.MinModulus(),
	}
	for i := 2; i < c.Bits; i++ {
		all = append(all, 1<<i-1, 1<<i, 1<<i+1)
	}
	for range drawn {
		all = append(all, rng.Uint64()>>(64-c.Bits)>>rng.IntN(c.Bits))
	}
	all = slices.DeleteFunc(all, func(q uint64) bool {
		return c.Moduli.Admits(q, c.Bits) != nil || c.Moduli.Prime && !number(q).ProbablyPrime(0)
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// row draws operands, half of them from the ends of ranges and from what carries much.
func row(c *modular.Claim, q uint64, t *truth, rng *rand.Rand) []uint64 {
	most := ^uint64(0) >> (64 - c.Bits)
	x := make([]uint64, len(c.In))
	for i, w := range c.In {
		if w.Shoup {
			x[i] = t.quotient(x[i-1])
			continue
		}
		end := most
		if h, l := bits.Mul64(w.Range, q); w.Range != 0 && h == 0 {
			end = min(end, l-1)
		}
		draw := func() uint64 {
			switch rng.IntN(8) {
			case 0:
				return uint64(rng.IntN(3))
			case 1:
				return end - uint64(rng.IntN(3))
			case 2:
				return uint64(1+rng.IntN(4))*q + uint64(rng.IntN(5)) - 2
			case 3:
				return (1<<rng.IntN(64) + uint64(rng.IntN(3)) - 1) & most
			case 4:
				if i > 0 {
					return q - x[i-1]
				}
				return q / 2
			}
			return rng.Uint64() >> (64 - c.Bits) >> rng.IntN(c.Bits)
		}
		if x[i] = draw(); x[i] > end {
			x[i] %= end
		}
	}
	return x
}

// specials crosses the words at which reductions turn, for claims of one or two operands.
func specials(c *modular.Claim, q uint64) (all []uint64) {
	most := ^uint64(0) >> (64 - c.Bits)
	words := []uint64{0, 1, 2, q / 2, q/2 + 1, q - 2, q - 1, q, q + 1, 2*q - 1, most%q + 1, most / 2, most - 1, most}
	in := func(i int, a uint64) bool {
		h, l := bits.Mul64(c.In[i].Range, q)
		return a <= most && (c.In[i].Range == 0 || h > 0 || a < l)
	}
	for _, a := range words {
		switch {
		case !in(0, a):
		case len(c.In) == 1:
			all = append(all, a)
		default:
			for _, b := range words {
				if in(1, b) {
					all = append(all, a, b)
				}
			}
		}
	}
	return all
}

// TestKernels holds every kernel to math/big: value and range of each result.
func TestKernels(t *testing.T) {
	drawn, rows := 6, 24
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		drawn, rows = 200, 400
	}
	for _, k := range montgomery.All() {
		t.Run(strings.TrimPrefix(k.Name, "montgomery."), func(t *testing.T) {
			t.Parallel()
			require.NoError(t, k.Claim.Check())
			rng := rand.New(rand.NewPCG(5, uint64(len(k.Name))))
			for _, q := range moduli(&k.Claim, rng, drawn) {
				judge := newTruth(&k.Claim, q)
				in, out, rows := len(k.Claim.In), len(k.Claim.Out), rows
				if in == 0 {
					rows = 1
				}
				var src []uint64
				for range rows {
					src = append(src, row(&k.Claim, q, judge, rng)...)
				}
				if in == 2 || in == 1 {
					src = append(src, specials(&k.Claim, q)...)
					rows = len(src) / in
				}
				dst := make([]uint64, rows*out)
				require.NoError(t, k.Run(q, dst, src))
				for i := range rows {
					x, z := src[i*in:(i+1)*in], dst[i*out:(i+1)*out]
					require.NoError(t, judge.check(z, x), "q = %d = %#x, row %d", q, q, x)
				}
				if in >= out && in > 0 { // in place
					require.NoError(t, k.Run(q, src[:len(dst)], src))
					require.Equal(t, dst, src[:len(dst)], "q = %d, in place", q)
				}
			}
		})
	}
}

// TestNames asks for names that differ and are found.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range montgomery.All() {
		require.False(t, seen[k.Name], k.Name)
		seen[k.Name] = true
		found, ok := montgomery.Find(k.Name)
		require.True(t, ok)
		require.Equal(t, k.Claim, found.Claim)
	}
	_, ok := montgomery.Find("montgomery.None")
	require.False(t, ok)
	require.Greater(t, len(seen), 150)
}

// TestKernelsRefuse gives each kernel moduli outside its claim, and words outside their ranges.
func TestKernelsRefuse(t *testing.T) {
	for _, k := range montgomery.All() {
		c := &k.Claim
		rng := rand.New(rand.NewPCG(7, 7))
		in, out := len(c.In), len(c.Out)
		refuses := func(q uint64, dst, src []uint64, what string) {
			t.Helper()
			err := k.Run(q, dst, src)
			require.ErrorContains(t, err, what, "%s, q = %d", k.Name, q)
			require.ErrorContains(t, err, k.Name+": ")
		}
		good := moduli(c, rng, 0)
		q := good[len(good)/2]
		src, dst := row(c, q, newTruth(c, q), rng), make([]uint64, out)
		require.NoError(t, k.Run(q, dst, src))

		if len(c.Moduli.Only) > 0 {
			refuses(3, dst, src, "the moduli are")
		} else {
			refuses(0, dst, src, "is below")
			refuses(1, dst, src, "is below")
			if !c.Moduli.Even {
				refuses(2, dst, src, "is below 3")
				refuses(q-1, dst, src, "even")
			}
			if most := c.Moduli.MaxModulus(c.Bits); most != ^uint64(0) {
				refuses(most+1, dst, src, "is above")
				refuses(most+2, dst, src, "is above")
			}
			if c.Moduli.Prime {
				refuses(9, dst, src, "composite")
			}
		}
		refuses(q, dst, append(slices.Clone(src), 0), "do not fill")
		if in > 0 {
			refuses(q, dst, nil, "do not fill")
			shared := make([]uint64, 2*in+2*out)
			refuses(q, shared[1:1+2*out], shared[:2*in], "overlap")
		}
		for i, w := range c.In {
			bad := slices.Clone(src)
			switch {
			case w.Shoup:
				bad[i]++
				refuses(q, dst, bad, "Shoup quotient")
				continue
			case w.Range > 0:
				h, l := bits.Mul64(w.Range, q)
				if bad[i] = l; h == 0 && l <= ^uint64(0)>>(64-c.Bits) {
					refuses(q, dst, bad, w.Name)
				}
			}
			if c.Bits < 64 {
				bad[i] = 1 << c.Bits
				refuses(q, dst, bad, "row 0: "+w.Name)
			}
		}
	}
}
