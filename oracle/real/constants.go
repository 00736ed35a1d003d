package real

import (
	"math/big"
	"math/bits"
	"sync"
)

// constant is a number that is computed once for each length, in steps of 64 bits.
type constant struct {
	mu    sync.Mutex
	known map[Bits]Interval
	make  func(Bits) Interval
}

func (c *constant) at(b Bits) Interval {
	b = (b + 63 + 16) &^ 63
	c.mu.Lock()
	defer c.mu.Unlock()
	x, ok := c.known[b]
	if !ok {
		x = b.Round(c.make(b + 32))
		if c.known == nil {
			c.known = map[Bits]Interval{}
		}
		c.known[b] = x
	}
	return x
}

var (
	ln2Constant = constant{make: func(w Bits) Interval { // ln 2 = 2·artanh(1/3), since (1+1/3)/(1-1/3) = 2
		return scale(w.arctanOne(3, false), 1)
	}}
	piConstant = constant{make: func(w Bits) Interval { // Machin: π = 16·arctan(1/5) - 4·arctan(1/239)
		return w.Sub(scale(w.arctanOne(5, true), 4), scale(w.arctanOne(239, true), 2))
	}}
)

// Ln2 encloses ln 2, with b bits or a few more.
func (b Bits) Ln2() Interval { return ln2Constant.at(b) }

// Pi encloses π, with b bits or a few more.
func (b Bits) Pi() Interval { return piConstant.at(b) }

// arctanOne encloses artanh 1/k = Σ k^-(2i+1)/(2i+1), or arctan 1/k, whose terms alternate, for k >= 3, in integers that are multiples of 2^-w: each division
// by a small one takes time in proportion to their length.
//
// Proof: t_0 = ⌊2^w/k⌋ and t_(i+1) = ⌊t_i/k²⌋ are at most 2^w/k^(2i+1), and less than 1 + k^-2 + k^-4 + … < 2 below it. So ⌊t_i/(2i+1)⌋ is less than 3 below its
// term. Where t_n = 0, 2^w/k^(2n+1) < 2, and the terms from n on are less than 2/(1-k^-2) < 3 together. The sum of n terms is off by less than 3n + 3.
func (b Bits) arctanOne(k int64, alternates bool) Interval {
	w := uint(b) + 32
	square, sum, term := big.NewInt(k*k), new(big.Int), new(big.Int)
	t := new(big.Int).Lsh(big.NewInt(1), w)
	n := int64(0)
	for t.Quo(t, big.NewInt(k)); t.Sign() > 0; t.Quo(t, square) {
		if term.Quo(t, big.NewInt(2*n+1)); alternates && n&1 == 1 {
			term.Neg(term)
		}
		sum.Add(sum, term)
		n++
	}
	off := big.NewInt(3*n + 3)
	of := func(x *big.Int) *big.Float { return new(big.Float).SetInt(x) } // exactly
	return b.Round(scale(Interval{of(new(big.Int).Sub(sum, off)), of(new(big.Int).Add(sum, off))}, -int(w)))
}

// arctan encloses artanh s = Σ s^(2i+1)/(2i+1), or arctan s, whose terms alternate, from n terms:
//
//	|remainder| <= |s|·s^(2n)/((2n+1)(1-s²)) <= |s|·2^(-2gn)
//
// for |s| <= 2^-g, g >= 1, n >= 1. The error is relative to s.
func (b Bits) arctan(s Interval, alternates bool) Interval {
	g := below(s)
	if g < 1 {
		panic(panicDomain)
	}
	n := int64(int(b)/(2*g) + 2)
	u := b.Sqr(s)
	if alternates {
		u = Neg(u)
	}
	sum := b.ratio(1, 2*n-1)
	for i := n - 2; i >= 0; i-- {
		sum = b.Add(b.ratio(1, 2*i+1), b.Mul(u, sum))
	}
	return b.Mul(s, b.Add(sum, plusMinus(-2*g*int(n))))
}

// below returns the largest g with |x| <= 2^-g known from the exponent alone; a large one for 0.
func below(x Interval) int {
	m := magnitude(x)
	if m.Sign() == 0 {
		return 1 << 20
	}
	return -m.MantExp(nil)
}

// plusMinus returns [-2^k, 2^k].
func plusMinus(k int) Interval {
	x := scale(whole(1), k)
	return Interval{Neg(x).Lo, x.Hi}
}

// log2Floor returns ⌊log2 n⌋ of n >= 1.
func log2Floor(n int) int { return bits.Len(uint(n)) - 1 }
