package word

import "math/big"

// Bound is one proved bound of an algorithm, for rounding to nearest and operands whose steps neither overflow nor underflow.
type Bound struct {
	Text string // "3u²/(1-4u)"
	// Factor returns the bound of |computed - exact| as a multiple of |exact|. If Normwise is set it is squared: the sum of
	// the squared errors of both components is at most Factor times the sum of their squares. Nil means that the result is exact.
	Factor   func(p int) *big.Rat
	Normwise bool
	MinP     int    // the least precision for which the theorem holds
	TiesEven bool   // ties must go to even; otherwise any rule for ties
	Same     bool   // x and y must not have opposite signs
	Source   string // key of the list in the package comment, with theorem number
}

// U returns u = 2^-p.
func U(p int) *big.Rat {
	return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(p)))
}

// poly returns Σ c[i]·u^i, each c a numerator and a denominator; the zero value is 0.
func poly(p int, c ...[2]int64) *big.Rat {
	u, power, sum := U(p), big.NewRat(1, 1), new(big.Rat)
	for _, f := range c {
		if f[0] != 0 {
			sum.Add(sum, new(big.Rat).Mul(big.NewRat(f[0], f[1]), power))
		}
		power.Mul(power, u)
	}
	return sum
}

// squares returns the function u ↦ num/den·u², plus num3/den3·u³ if those are given.
func squares(c ...int64) func(p int) *big.Rat {
	return func(p int) *big.Rat {
		terms := [][2]int64{{}, {}, {c[0], c[1]}}
		if len(c) > 2 {
			terms = append(terms, [2]int64{c[2], c[3]})
		}
		return poly(p, terms...)
	}
}
