package real

import "math/big"

// Erf encloses erf x = 2/√π·∫ e^(-t²) dt from 0 to x.
func (b Bits) Erf(x Interval) Interval { return b.increasing(x, b.erf) }

func (b Bits) erf(x *big.Float) Interval {
	switch {
	case x.Sign() == 0:
		return whole(0)
	case x.Sign() < 0:
		return Neg(b.erf(new(big.Float).Neg(x)))
	}
	return b.settle(func(w Bits) Interval {
		if faded(x, w) { // 1 - erf x <= e^(-x²) <= 2^-w
			return oneLess(w)
		}
		return clip(w.erfOf(x))
	})
}

// faded says that x² >= w, for x > 0.
func faded(x *big.Float, w Bits) bool {
	return x.IsInf() || Bits(32).Sqr(exactly(x)).Lo.Cmp(new(big.Float).SetUint64(uint64(w))) >= 0
}

// erfOf encloses erf x = 2x/√π·e^(-x²)·Σ t_i, where t_0 = 1 and t_i = t_(i-1)·2x²/(2i+1), for x > 0. All terms are positive; from where
// 2x²/(2n+1) <= 1/2 they fall by half or more, so that what follows t_n is at most t_n.
func (b Bits) erfOf(x *big.Float) Interval {
	square := b.Sqr(exactly(x))
	u := scale(square, 1)
	term, sum := whole(1), whole(1)
	for i := int64(1); ; i++ {
		ratio := b.Div(u, whole(2*i+1))
		term = b.Mul(term, ratio)
		sum = b.Add(sum, term)
		if ratio.Hi.Cmp(big.NewFloat(0.5)) <= 0 && below(term) > int(b) {
			sum.Hi = b.up().Add(sum.Hi, term.Hi)
			break
		}
	}
	front := b.Div(scale(exactly(x), 1), b.Mul(b.Sqrt(b.Pi()), b.expOf(square)))
	return b.Mul(front, sum)
}

// Erfc encloses 1 - erf x. Beyond x = 2^13 it gives [0, 2^-2^24].
func (b Bits) Erfc(x Interval) Interval { return Neg(b.increasing(x, b.negErfc)) }

// negErfc encloses -erfc x, which increases.
func (b Bits) negErfc(x *big.Float) Interval {
	switch {
	case x.Sign() == 0:
		return whole(-1)
	case x.Sign() < 0:
		return b.settle(func(w Bits) Interval { return Neg(w.Add(whole(1), w.Erf(exactly(new(big.Float).Neg(x))))) })
	case x.IsInf() || x.MantExp(nil) > 13: // erfc x <= e^(-x²) <= 2^-2^24
		return Interval{scale(whole(-1), -(1 << 24)).Lo, new(big.Float)}
	}
	return b.settle(func(w Bits) Interval {
		if faded(x, w) {
			return Neg(w.erfcFar(x))
		}
		return Neg(w.Sub(whole(1), w.erfOf(x)))
	})
}

// erfcFar encloses erfc x = e^(-x²)/(x·√π)·Σ t_i, where t_0 = 1 and t_i = -t_(i-1)·(2i-1)/(2x²), for x > 0. By parts, what follows t_(n-1) is
// (-1)^n·(2n-1)!!/2^n·2/√π·∫ t^(-2n)·e^(-t²) dt from x on, and the integral is at most x^(-2n-1)·e^(-x²)/2: the remainder has the sign of t_n and
// is no larger. The sum ends before terms grow.
func (b Bits) erfcFar(x *big.Float) Interval {
	square := b.Sqr(exactly(x))
	u := scale(square, 1)
	term, sum := whole(1), whole(1)
	for i := int64(1); ; i++ {
		ratio := b.Div(whole(2*i-1), u)
		next := Neg(b.Mul(term, ratio))
		if ratio.Hi.Cmp(one) >= 0 || below(next) > int(b) {
			m := magnitude(next)
			sum = b.Add(sum, Interval{new(big.Float).Neg(m), m})
			break
		}
		term = next
		sum = b.Add(sum, term)
	}
	return b.Div(sum, b.Mul(b.Mul(exactly(x), b.Sqrt(b.Pi())), b.expOf(square)))
}
