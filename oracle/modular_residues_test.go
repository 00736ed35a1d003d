package oracle

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model/modular"
)

// residue returns a word of the given power and range.
func residue(power int, rng uint64) modular.Word {
	return modular.Word{Name: "a", Power: power, Range: rng}
}

var (
	factor = modular.Word{Name: "s", Shoup: true}
	whole  = modular.Word{Name: "e", Integer: true}
)

// claims are of every function, with powers and ranges of many kinds.
func claims(b int) (all []modular.Claim) {
	add := func(f modular.Function, out []modular.Word, in ...modular.Word) {
		all = append(all, modular.Claim{Function: f, Bits: b, In: in, Out: out})
	}
	one := func(power int) []modular.Word { return []modular.Word{residue(power, 1)} }
	for power := range 3 {
		a := residue(power, 1)
		add(modular.Identity, one(2-power), residue(power, 0))
		add(modular.Sum, one(power), a, residue(power, 2))
		add(modular.Difference, one(power), a, residue(1, 4))
		add(modular.Negative, one(1), a)
		add(modular.Product, one(1), a, residue(1, 1))
		add(modular.Product, one(power), residue(power, 4), residue(0, 1), factor)
		add(modular.Inverse, one(power), residue(1, 1))
		add(modular.Power, one(power), residue(1, 1), whole)
		add(modular.Wide, one(power), a, whole)
		add(modular.ForwardButterfly, append(one(0), one(1)...), a, residue(0, 4), residue(0, 1), factor)
		add(modular.InverseButterfly, append(one(1), one(2)...), a, residue(0, 2), residue(1, 1))
		add(modular.One, one(power))
	}
	add(modular.WordInverse, []modular.Word{whole})
	add(modular.NegativeInverse, []modular.Word{whole})
	add(modular.ShoupQuotient, []modular.Word{whole}, residue(0, 1))
	add(modular.ShoupQuotient, []modular.Word{whole}, residue(1, 1))
	return all
}

// twinRow is Row by math/big: nil where a hypothesis is not met.
func twinRow(c *modular.Claim, q uint64, in []uint64) []uint64 {
	m, radix := bigOf(q), new(big.Int).Lsh(big.NewInt(1), uint(c.Bits))
	var x []*big.Int
	for i, w := range c.In {
		a := bigOf(in[i])
		if a.Cmp(radix) >= 0 || w.Range != 0 && a.Cmp(new(big.Int).Mul(bigOf(w.Range), m)) >= 0 {
			return nil
		}
		if w.Shoup {
			if s := new(big.Int).Mul(bigOf(in[i-1]), radix); s.Div(s, m).Cmp(a) != 0 {
				return nil
			}
			continue
		}
		for range w.Power {
			a.Mul(a, new(big.Int).ModInverse(radix, m))
		}
		if !w.Integer {
			a.Mod(a, m)
		}
		x = append(x, a)
	}
	n := func() *big.Int { return new(big.Int) }
	var y []*big.Int
	switch c.Function {
	case modular.Identity:
		y = append(y, x[0])
	case modular.Sum:
		y = append(y, n().Add(x[0], x[1]))
	case modular.Difference:
		y = append(y, n().Sub(x[0], x[1]))
	case modular.Negative:
		y = append(y, n().Neg(x[0]))
	case modular.Product:
		y = append(y, n().Mul(x[0], x[1]))
	case modular.Inverse:
		inverse := n().ModInverse(x[0], m)
		if inverse == nil {
			return nil
		}
		y = append(y, inverse)
	case modular.Power:
		y = append(y, n().Exp(x[0], x[1], m))
	case modular.Wide:
		y = append(y, n().Add(n().Mul(x[0], radix), x[1]))
	case modular.ForwardButterfly:
		p := n().Mul(x[1], x[2])
		y = append(y, n().Add(x[0], p), n().Sub(x[0], p))
	case modular.InverseButterfly:
		d := n().Sub(x[0], x[1])
		y = append(y, n().Add(x[0], x[1]), d.Mul(d, x[2]))
	case modular.One:
		y = append(y, big.NewInt(1))
	case modular.WordInverse:
		return []uint64{n().ModInverse(m, radix).Uint64()}
	case modular.NegativeInverse:
		return []uint64{n().ModInverse(n().Mod(n().Neg(m), radix), radix).Uint64()}
	case modular.ShoupQuotient:
		return []uint64{n().Div(n().Mul(x[0], radix), m).Uint64()}
	}
	var want []uint64
	for i, w := range c.Out {
		for range w.Power {
			y[i] = n().Mul(y[i], radix)
		}
		want = append(want, n().Mod(y[i], m).Uint64())
	}
	return want
}

// drawRow draws words of which most meet the hypotheses.
func drawRow(r *rand.Rand, c *modular.Claim, q uint64) []uint64 {
	most := ^uint64(0) >> (64 - c.Bits)
	in := make([]uint64, len(c.In))
	for i, w := range c.In {
		hi, lo := bigOf(w.Range), bigOf(q)
		bound := new(big.Int).Mul(hi, lo)
		if w.Range == 0 || bound.Cmp(bigOf(most)) > 0 {
			bound = bigOf(most)
		}
		switch b := bound.Uint64(); r.IntN(6) {
		case 0:
			in[i] = b
		case 1:
			in[i] = b - 1
		case 2:
			in[i] = r.Uint64N(3)
		case 3:
			in[i] = r.Uint64() & most
		default:
			in[i] = r.Uint64N(b)
		}
		if w.Shoup {
			s := new(big.Int).Lsh(bigOf(in[i-1]), uint(c.Bits))
			in[i] = s.Div(s, bigOf(q)).Uint64() & most
			if r.IntN(8) == 0 {
				in[i] = (in[i] + 1) & most
			}
		}
	}
	return in
}

func TestResidues(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, b := range []int{8, 16, 32, 64} {
		most := ^uint64(0) >> (64 - b)
		moduli := []uint64{3, 5, 15, most, most - 2, most/2 + 2, most/2 | 1, most/3 & ^uint64(1) | 1, 0xf1}
		if b == 64 {
			moduli = append(moduli, goldilocks, seedPrime)
		}
		for _, c := range claims(b) {
			claimed := 0
			for _, q := range moduli {
				judge, err := NewResidues(&c, q)
				require.NoError(t, err, "%s modulo %d", c.Function, q)
				require.Equal(t, q, judge.Modulus())
				for range 60 {
					in := drawRow(r, &c, q)
					want := twinRow(&c, q, in)
					got, ok, why := judge.Row(in)
					require.Equal(t, want != nil, ok, "%s %v modulo %d: %s", c.Function, in, q, why)
					require.Equal(t, want, got, "%s %v modulo %d, %+v", c.Function, in, q, c.In)
					require.Equal(t, ok, why == "")
					if !ok {
						continue
					}
					claimed++
					for i, w := range want {
						require.True(t, judge.Congruent(i, w, w))
						require.False(t, judge.Congruent(i, w+1, w))
						require.NoError(t, judge.InRange(i, w))
						if lazy, carry := w+q, w+q < w; !carry {
							require.Equal(t, !c.Out[i].Integer, judge.Congruent(i, lazy, w))
						}
					}
				}
			}
			require.Greater(t, claimed, 100, "%s: %v", c.Function, c.In)
		}
	}
}

// TestResiduesEven takes even moduli, where R has no inverse.
func TestResiduesEven(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	for _, b := range []int{8, 64} {
		for _, c := range claims(b) {
			c.Moduli.Even = true
			for _, q := range []uint64{2, 4, 6, 128, 1 << (b - 1), 1<<(b-1) + 2} {
				judge, err := NewResidues(&c, q)
				if err != nil {
					require.True(t, c.Check() != nil || c.Function == modular.WordInverse || c.Function == modular.NegativeInverse, "%v", err)
					continue
				}
				for range 20 {
					in := drawRow(r, &c, q)
					got, _, why := judge.Row(in)
					require.Equal(t, twinRow(&c, q, in), got, "%s %v modulo %d: %s", c.Function, in, q, why)
				}
			}
		}
	}
}

// TestResiduesMontgomery holds a claim of Montgomery's product to its definition: a·b/R modulo q, for every odd q, a and b of 8 bits.
func TestResiduesMontgomery(t *testing.T) {
	c := &modular.Claim{Function: modular.Product, Bits: 8, In: []modular.Word{residue(1, 1), residue(1, 1)}, Out: []modular.Word{residue(1, 1)}}
	for q := uint64(3); q < 256; q += 2 {
		judge, err := NewResidues(c, q)
		require.NoError(t, err)
		var want []uint64
		for a := range q {
			for b := range q {
				want, err = judge.AppendRow(want[:0], []uint64{a, b})
				if err != nil || want[0] >= q || want[0]<<8%q != a*b%q {
					t.Fatalf("%d·%d modulo %d: %d, %v", a, b, q, want, err)
				}
			}
		}
	}
}

func TestResiduesErrors(t *testing.T) {
	product := modular.Claim{Function: modular.Product, Bits: 8, In: []modular.Word{residue(0, 1), residue(0, 1), factor}, Out: []modular.Word{residue(0, 1)}}
	for _, c := range []struct {
		change func(c *modular.Claim)
		q      uint64
		want   string
	}{
		{func(c *modular.Claim) { c.Bits = 9 }, 3, "Claim.Bits is 9"},
		{func(*modular.Claim) {}, 4, "modulus 4 is even"},
		{func(*modular.Claim) {}, 1, "modulus 1 is below 2"},
		{func(*modular.Claim) {}, 257, "modulus 257 = 0x101 has 9 bits"},
		{func(c *modular.Claim) { c.Moduli.Prime = true }, 15, "modulus 15 is not a prime"},
		{func(c *modular.Claim) {
			*c = modular.Claim{Function: modular.WordInverse, Bits: 8, Out: []modular.Word{whole}, Moduli: modular.Moduli{Even: true}}
		}, 6, "modulus 6 is even: it has no inverse"},
	} {
		claim := product
		c.change(&claim)
		_, err := NewResidues(&claim, c.q)
		require.ErrorContains(t, err, c.want)
	}
	judge, err := NewResidues(&product, 15)
	require.NoError(t, err)
	for _, c := range []struct {
		in   []uint64
		want string
	}{
		{[]uint64{256, 1, 17}, "a = 256 is not a word of 8 bits"},
		{[]uint64{15, 1, 17}, "a = 15 is not below 1·15"},
		{[]uint64{14, 15, 17}, "a = 15 is not below 1·15"},
		{[]uint64{14, 1, 18}, "s = 18 is not Shoup's factor of a = 1, which is 17"},
	} {
		_, claimed, why := judge.Row(c.in)
		require.False(t, claimed)
		require.Equal(t, c.want, why)
	}
	require.PanicsWithValue(t, badRow, func() { judge.Row([]uint64{1, 2}) })
	require.ErrorContains(t, judge.InRange(0, 15), "15 is not below 1·15")
	require.ErrorContains(t, judge.InRange(0, 300), "300 is not a word of 8 bits")

	inverse := modular.Claim{Function: modular.Inverse, Bits: 8, In: []modular.Word{{Range: 1}}, Out: []modular.Word{residue(0, 1)}}
	judge, err = NewResidues(&inverse, 15)
	require.NoError(t, err)
	for in, want := range map[uint64]string{0: "factor 15", 5: "factor 5", 6: "factor 3"} {
		_, claimed, why := judge.Row([]uint64{in})
		require.False(t, claimed)
		require.Contains(t, why, fmt.Sprintf("word 0 stands for %d, which has the %s", in, want))
	}
}
