package model

import (
	"math"
	"math/big"
)

// Bound is an upper bound of a result's error, granted by one theorem for one claim and one length:
//
//	E <= S·|S| + A·A + Lost·L + Abs·2^AbsExp
//
// where S is the exact result, A the sum of the terms' magnitudes, and L the sum of the magnitudes
// of the products with a subnormal factor. Each coefficient is its formula rounded up to binary64.
//
// For a claim of a mean, E is |n·computed - S|, so that no quotient has to be rounded to judge it.
//
// Error:  formula <= coefficient <= formula·(1+2^-50); Abs also where it mixes several exponents.
type Bound struct {
	Name   string // what it is called in reports, such as "order-free (n-1)v"
	Law    LawID  // the law that it belongs to
	Source string // a key of the list in package model, with theorem number
	// Hypothesis is what the theorem assumes besides the claim, in words. Every bound assumes that
	// all operations are finite.
	Hypothesis string

	S, A, Lost, Abs float64
	AbsExp          int
}

// Max returns the bound's value S·|s| + A·a + Lost·l + Abs·2^AbsExp, exactly.
//
// Domain: finite coefficients, as SumBounds and DotBounds return them.
func (b Bound) Max(s, a, l *big.Rat) *big.Rat {
	sum := new(big.Rat)
	term := func(c float64, x *big.Rat) {
		r := new(big.Rat).SetFloat64(c)
		sum.Add(sum, r.Mul(r, x))
	}
	term(b.S, new(big.Rat).Abs(s))
	term(b.A, a)
	term(b.Lost, l)
	if b.Abs != 0 {
		p := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(b.AbsExp, -b.AbsExp))))
		if b.AbsExp < 0 {
			p.Inv(p)
		}
		term(b.Abs, p)
	}
	return sum
}

// Finite reports whether every coefficient is finite; a bound that overflows binary64 bounds nothing.
func (b Bound) Finite() bool {
	return !math.IsInf(b.S, 1) && !math.IsInf(b.A, 1) && !math.IsInf(b.Lost, 1) && !math.IsInf(b.Abs, 1)
}
