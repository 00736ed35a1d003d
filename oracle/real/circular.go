package real

import "math/big"

// Sin encloses sin x: the hull over an interval, with the extreme values that it reaches.
func (b Bits) Sin(x Interval) Interval { return b.wave(x, 0, 7, b.circular, b.quadrant) }

// Cos encloses cos x = sin(x + π/2).
func (b Bits) Cos(x Interval) Interval { return b.wave(x, 1, 7, b.circular, b.quadrant) }

// wave encloses sin(x + shift·π/2), or the same of πx, given its values at numbers, the quadrants these lie in, and a width from which on all values are
// reached. sin is monotone between neighbouring odd multiples of π/2, so that its extremes over an interval are its values at the ends, and 1 and -1 if
// such a multiple lies between.
func (b Bits) wave(x Interval, shift int64, width float64, at func(x *big.Float, shift int64) Interval, quadrant func(*big.Float) *big.Int) Interval {
	all := Interval{big.NewFloat(-1), big.NewFloat(1)}
	if x.Lo.IsInf() || x.Hi.IsInf() {
		return all
	}
	lo := at(x.Lo, shift)
	if x.isPoint() {
		return lo
	}
	if b.Sub(exactly(x.Hi), exactly(x.Lo)).Hi.Cmp(big.NewFloat(width)) > 0 {
		return all
	}
	y := Hull(lo, at(x.Hi, shift))
	// The quadrants of the ends, counted from 0 up, without end: an extreme lies between quadrant 4j and 4j+1, the other between 4j+2 and 4j+3.
	for q, last := quadrant(x.Lo), quadrant(x.Hi); q.Cmp(last) < 0; q.Add(q, big.NewInt(1)) {
		switch new(big.Int).And(new(big.Int).Add(q, big.NewInt(shift)), big.NewInt(3)).Int64() {
		case 0:
			y.Hi = big.NewFloat(1)
		case 2:
			y.Lo = big.NewFloat(-1)
		}
	}
	return y
}

// quadrant returns ⌊x/(π/2)⌋.
func (b Bits) quadrant(x *big.Float) *big.Int {
	for w := b + Bits(max(x.MantExp(nil), 0)) + 8; ; w += w / 2 {
		q := w.Div(exactly(x), scale(w.Pi(), -1))
		if lo, hi := floor(q.Lo), floor(q.Hi); lo.Cmp(hi) == 0 {
			return lo
		}
	}
}

func floor(x *big.Float) *big.Int {
	n, acc := x.Int(nil)
	if acc == big.Above { // towards zero, from a negative x
		n.Sub(n, big.NewInt(1))
	}
	return n
}

// circular encloses sin(x + shift·π/2) for a number x.
func (b Bits) circular(x *big.Float, shift int64) Interval {
	if x.Sign() == 0 {
		return whole(shift & 1)
	}
	return b.settle(func(w Bits) Interval {
		k, r := w.reduce(x)
		return clip(w.turned(k+shift, r))
	})
}

// reduce returns k modulo 4 and r with x = k·π/2 + r, |r| < 1, where π has so many bits that the error of k·π/2 is below 2^-b: k has as many bits
// as x has before its point, or fewer.
func (b Bits) reduce(x *big.Float) (k int64, r Interval) {
	long := b + Bits(max(x.MantExp(nil), 0)) + 8
	half := scale(long.Pi(), -1)
	near := new(big.Float).SetPrec(uint(long)).Quo(x, half.Lo)
	n := floor(near.Add(near, big.NewFloat(0.5)))
	r = long.Sub(exactly(x), long.Mul(exactly(new(big.Float).SetInt(n)), half))
	return new(big.Int).And(n, big.NewInt(3)).Int64(), b.Round(r)
}

// turned encloses sin(r + k·π/2).
func (b Bits) turned(k int64, r Interval) Interval {
	y := b.series(r, k&1 == 0)
	if k&2 != 0 {
		y = Neg(y)
	}
	return y
}

// series encloses sin r = r·Σ (-r²)^i/(2i+1)! or cos r = Σ (-r²)^i/(2i)! for |r| <= 1. The terms alternate and decrease, so that the remainder is
// at most the first that is left out: below r^(2n)/(2n)! in either sum.
func (b Bits) series(r Interval, sine bool) Interval {
	if below(r) < 0 {
		panic(panicDomain)
	}
	g := below(r)
	n, small := 0, 0 // r^(2n)/(2n)! <= 2^-small
	for small < int(b)+8 {
		n++
		small += 2*g + log2Floor(2*n-1) + log2Floor(2*n)
	}
	var odd int64
	if sine {
		odd = 1
	}
	u := b.Sqr(r)
	sum := whole(1)
	for i := int64(n) - 1; i >= 1; i-- {
		sum = b.Sub(whole(1), b.Div(b.Mul(u, sum), whole((2*i-1+odd)*(2*i+odd))))
	}
	sum = b.Add(sum, plusMinus(-small))
	if sine {
		return b.Mul(r, sum)
	}
	return sum
}

// Tan encloses tan x; the whole line if a pole lies in x.
func (b Bits) Tan(x Interval) Interval {
	line := Interval{new(big.Float).SetInf(true), new(big.Float).SetInf(false)}
	if x.Lo.IsInf() || x.Hi.IsInf() {
		return line
	}
	if !x.isPoint() {
		lo, hi := b.quadrant(x.Lo), b.quadrant(x.Hi)
		if d := new(big.Int).Sub(hi, lo); d.Cmp(big.NewInt(1)) > 0 || d.Sign() > 0 && lo.Bit(0) == 0 {
			return line
		}
	}
	return b.increasing(x, b.tan)
}

func (b Bits) tan(x *big.Float) Interval {
	if x.Sign() == 0 {
		return whole(0)
	}
	return b.settle(func(w Bits) Interval {
		k, r := w.reduce(x)
		return w.Div(w.turned(k, r), w.turned(k+1, r))
	})
}
