package real

import (
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
		return scale(w.arctan(w.ratio(1, 3), false), 1)
	}}
	piConstant = constant{make: func(w Bits) Interval { // Machin: π = 16·arctan(1/5) - 4·arctan(1/239)
		return w.Sub(scale(w.arctan(w.ratio(1, 5), true), 4), scale(w.arctan(w.ratio(1, 239), true), 2))
	}}
)

// Ln2 encloses ln 2, with b bits or a few more.
func (b Bits) Ln2() Interval { return ln2Constant.at(b) }

// Pi encloses π, with b bits or a few more.
func (b Bits) Pi() Interval { return piConstant.at(b) }

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
