package real

import (
	"math"
	"math/big"
)

// saturation is the exponent beyond which the exponential functions give a half-line: far outside every format, and far inside math/big's range.
const saturation = 1 << 28

// huge is what exponential functions give for arguments that are too large: above 2^saturation.
func huge() Interval {
	return Interval{scale(whole(1), saturation).Lo, new(big.Float).SetInf(false)}
}

// vanishing is what they give for arguments that are too far below: between 0 and 2^-saturation.
func vanishing() Interval { return Interval{new(big.Float), scale(whole(1), -saturation).Hi} }

// beyond says whether |x| >= 2^28; an infinite end counts.
func beyond(x *big.Float) bool { return x.IsInf() || x.MantExp(nil) > 28 }

// nearest returns an integer next to x, which is below 2^62: one of the two around it.
func nearest(x *big.Float) int64 {
	f, _ := x.Float64()
	return int64(math.Round(f))
}

// Exp encloses e^x. Beyond |x| = 2^28 it gives half-lines.
func (b Bits) Exp(x Interval) Interval { return b.increasing(x, b.exp) }

func (b Bits) exp(x *big.Float) Interval {
	switch {
	case x.Sign() == 0:
		return whole(1)
	case beyond(x) && x.Sign() > 0:
		return huge()
	case beyond(x):
		return vanishing()
	}
	return b.settle(func(w Bits) Interval { return w.expOf(exactly(x)) })
}

// expOf encloses e^x without settling: e^x = 2^k·(1 + expm1(x - k·ln 2)) for every integer k, whichever is chosen.
func (b Bits) expOf(x Interval) Interval {
	f, _ := x.Lo.Float64()
	k := int64(math.Round(f / math.Ln2))
	r := (b + 32).Sub(x, (b+32).Mul(whole(k), (b+32).Ln2()))
	return scale(b.Add(whole(1), b.expm1Of(r)), int(k))
}

// expm1Of encloses e^r - 1 for |r| < 1/2 or a little more: with h = r/2^m,
//
//	expm1(h) = h·(Σ h^i/(i+1)! for i < n, plus R),  |R| <= |h|^n/(n+1)!·(1 + |h|/(n+2) + …) <= 2·|h|^n/(n+1)!,
//
// and m doublings by expm1(2h) = expm1(h)·(expm1(h) + 2). All errors are relative to r.
func (b Bits) expm1Of(r Interval) Interval {
	m := int(math.Sqrt(float64(b))) / 2
	b += Bits(m) + 8
	h := scale(r, -m)
	g := below(h)
	if g < 1 {
		panic(panicDomain)
	}
	n, small := 0, 0 // |h|^n/(n+1)! <= 2^-small
	for small < int(b) {
		n++
		small += g + log2Floor(n+1)
	}
	sum := whole(1)
	for i := n; i >= 2; i-- {
		sum = b.Add(whole(1), b.Div(b.Mul(h, sum), whole(int64(i))))
	}
	e := b.Mul(h, b.Add(sum, plusMinus(1-small)))
	for range m {
		e = b.Mul(e, b.Add(e, whole(2)))
	}
	return e
}

// Exp2 encloses 2^x: 2^k·e^(f·ln 2) with an integer k and f = x - k, exactly. Integers give themselves, exactly.
func (b Bits) Exp2(x Interval) Interval { return b.increasing(x, b.exp2) }

func (b Bits) exp2(x *big.Float) Interval {
	switch {
	case beyond(x) && x.Sign() > 0:
		return huge()
	case beyond(x):
		return vanishing()
	case x.IsInt():
		return scale(whole(1), int(nearest(x)))
	}
	return b.settle(func(w Bits) Interval {
		k := nearest(x)
		f := w.Sub(exactly(x), whole(k)) // relative to f, since it rounds the exact difference
		return scale(w.Add(whole(1), w.expm1Of(w.Mul(f, w.Ln2()))), int(k))
	})
}

// Expm1 encloses e^x - 1.
func (b Bits) Expm1(x Interval) Interval { return b.increasing(x, b.expm1) }

func (b Bits) expm1(x *big.Float) Interval {
	switch {
	case x.Sign() == 0:
		return whole(0)
	case beyond(x) && x.Sign() > 0:
		return huge()
	}
	return b.settle(func(w Bits) Interval {
		switch {
		case x.Cmp(big.NewFloat(-float64(w))) <= 0: // e^x < 2^-w
			return Neg(oneLess(w))
		case x.Cmp(big.NewFloat(float64(w))) >= 0: // 1 < 2^-w·e^x; and math/big need not align the two
			return w.Mul(w.expOf(exactly(x)), oneLess(w))
		}
		return w.expm1At(exactly(x))
	})
}

// expm1At encloses e^x - 1, by the series where e^x is near 1.
func (b Bits) expm1At(x Interval) Interval {
	if below(x) >= 1 {
		return b.expm1Of(x)
	}
	return b.Sub(b.expOf(x), whole(1))
}

// Log encloses ln x; without a bound below if x holds 0.
//
// Domain: x >= 0, and x is not 0 alone; it panics otherwise.
func (b Bits) Log(x Interval) Interval { return b.logarithm(x, b.log) }

func (b Bits) logarithm(x Interval, log func(*big.Float) Interval) Interval {
	if x.Lo.Sign() < 0 || x.Hi.Sign() == 0 {
		panic(panicDomain)
	}
	return b.increasing(x, log)
}

var one = big.NewFloat(1)

func (b Bits) log(x *big.Float) Interval {
	switch {
	case x.Sign() == 0 || x.IsInf():
		return exactly(new(big.Float).SetInf(x.Sign() == 0))
	case x.Cmp(one) == 0:
		return whole(0)
	}
	return b.settle(func(w Bits) Interval {
		m, e := split(x)
		return w.Add(w.Mul(whole(int64(e)), w.Ln2()), w.logOf(m))
	})
}

// split returns m and e with x = m·2^e and m in [0.7, 1.4).
func split(x *big.Float) (m *big.Float, e int) {
	m = new(big.Float)
	e = x.MantExp(m)
	if f, _ := m.Float64(); f < 0.7 {
		m.SetMantExp(m, 1)
		e--
	}
	return m, e
}

// logOf encloses ln m for m in [0.7, 1.4]: ln m = 2·artanh((m-1)/(m+1)). For m that is not near 1 a guess y, of which nothing is asked but that
// it be near, comes first: ln m = y + ln(m·e^-y).
func (b Bits) logOf(m *big.Float) Interval {
	d := b.Sub(exactly(m), whole(1))
	if below(d) > 10 {
		return scale(b.arctan(b.Div(d, b.Add(exactly(m), whole(1))), false), 1)
	}
	f, _ := m.Float64()
	y := Point(math.Log(f))
	q := b.Mul(exactly(m), b.expOf(Neg(y)))
	s := b.Div(b.Sub(q, whole(1)), b.Add(q, whole(1)))
	return b.Add(y, scale(b.arctan(s, false), 1))
}

// Log2 encloses log2 x, exactly for powers of two. Domain as for [Bits.Log].
func (b Bits) Log2(x Interval) Interval { return b.logarithm(x, b.log2) }

func (b Bits) log2(x *big.Float) Interval {
	if x.Sign() == 0 || x.IsInf() {
		return b.log(x)
	}
	if m, e := split(x); m.Cmp(one) == 0 {
		return whole(int64(e))
	}
	return b.settle(func(w Bits) Interval {
		m, e := split(x)
		return w.Add(whole(int64(e)), w.Div(w.logOf(m), w.Ln2()))
	})
}

// Log1p encloses ln(1 + x): the logarithm of an exact sum.
//
// Domain: x >= -1, and x is not -1 alone; it panics otherwise.
func (b Bits) Log1p(x Interval) Interval { return b.logarithm(plusOne(x), b.log) }

// plusOne returns 1 + x, exactly.
func plusOne(x Interval) Interval {
	add := func(x *big.Float) *big.Float {
		if x.IsInf() || x.Sign() == 0 {
			return new(big.Float).Add(one, x)
		}
		low := x.MantExp(nil) - int(x.MinPrec()) // x is a multiple of 2^low
		return new(big.Float).SetPrec(uint(max(x.MantExp(nil), 1)-min(low, 0)+2)).Add(one, x)
	}
	return Interval{add(x.Lo), add(x.Hi)}
}

// Tanh encloses tanh x = E/(E + 2), E = e^(2x) - 1. For x >= w, 1 - tanh x < 2·e^(-2x) < 2^-w.
func (b Bits) Tanh(x Interval) Interval { return b.increasing(x, b.tanh) }

func (b Bits) tanh(x *big.Float) Interval {
	if x.Sign() == 0 {
		return whole(0)
	}
	if x.Sign() < 0 {
		return Neg(b.tanh(new(big.Float).Neg(x)))
	}
	return b.settle(func(w Bits) Interval {
		if x.IsInf() || x.Cmp(new(big.Float).SetUint64(uint64(w))) >= 0 {
			return oneLess(w)
		}
		e := w.expm1At(scale(exactly(x), 1))
		return clip(w.Div(e, w.Add(e, whole(2))))
	})
}

// clip cuts off what lies above 1 or below -1, where no value lies.
func clip(x Interval) Interval { return Max(Min(x, whole(1)), whole(-1)) }

// oneLess returns [1 - 2^-w, 1].
func oneLess(w Bits) Interval {
	return Interval{w.down().Sub(one, scale(whole(1), -int(w)).Lo), one}
}

// Pow encloses x^y = e^(y·ln x) for x > 0. Integers y up to 2^10 in magnitude give products, exact where b bits suffice.
//
// Domain: x > 0, or y one integer, where a negative y needs an x without 0; it panics otherwise.
func (b Bits) Pow(x, y Interval) Interval {
	if n, ok := smallInteger(y); ok {
		return b.power(x, n)
	}
	if x.Lo.Sign() <= 0 {
		if y.isPoint() && y.Lo.IsInt() && x.Hi.Sign() < 0 {
			z := b.Pow(Neg(x), y)
			if odd(y.Lo) {
				z = Neg(z)
			}
			return z
		}
		panic(panicDomain)
	}
	if !x.isPoint() || !y.isPoint() {
		w := b + 32
		return b.Exp(w.Mul(y, w.Log(x)))
	}
	if x.Lo.Cmp(one) == 0 {
		return whole(1)
	}
	if z := b.Mul(y, b.Log(x)); beyond(z.Lo) || beyond(z.Hi) {
		return b.Exp(z)
	}
	return b.settle(func(w Bits) Interval { return w.expOf((w + 64).Mul(y, (w + 64).Log(x))) })
}

// smallInteger returns the integer that y is alone, if it is at most 2^10 in magnitude.
func smallInteger(y Interval) (n int, ok bool) {
	if !y.isPoint() || !y.Lo.IsInt() || y.Lo.MantExp(nil) > 10 {
		return 0, false
	}
	i, _ := y.Lo.Int64()
	return int(i), true
}

// odd says whether the integer x is odd: its lowest bit is 1.
func odd(x *big.Float) bool { return x.MantExp(nil) == int(x.MinPrec()) }

// power encloses x^n by squaring.
func (b Bits) power(x Interval, n int) Interval {
	w := b + 32
	if n < 0 {
		if x.Contains(new(big.Float)) {
			panic(panicDomain)
		}
		return b.Div(whole(1), w.power(x, -n))
	}
	y := whole(1)
	if n%2 == 0 {
		x = Abs(x)
	}
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			y = w.Mul(y, x)
		}
		x = w.Sqr(x)
	}
	return b.Round(y)
}
