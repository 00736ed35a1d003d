package enclosure

import (
	"math"
	"math/big"

	"gamma/model/formula"
	"gamma/oracle/real"
)

// longest is how many bits decide at most to which number a function's value rounds. The functions of nearer have transcendental values at all
// numbers but a few, where they are exact, so that a tie cannot be; of 2^32 values the nearest to one is expected at 2^-32 ulp, which 60 bits decide.
const longest = 1 << 12

// longFunctions are those of one variable whose values are seldom numbers of a format.
var longFunctions = map[formula.Op]func(real.Bits, real.Interval) real.Interval{
	formula.OpRsqrt: real.Bits.Rsqrt, formula.OpExp: real.Bits.Exp, formula.OpExp2: real.Bits.Exp2, formula.OpExpm1: real.Bits.Expm1,
	formula.OpLog: real.Bits.Log, formula.OpLog2: real.Bits.Log2, formula.OpLog1p: real.Bits.Log1p, formula.OpSin: real.Bits.Sin, formula.OpCos: real.Bits.Cos,
	formula.OpTan: real.Bits.Tan, formula.OpSinPi: real.Bits.SinPi, formula.OpCosPi: real.Bits.CosPi, formula.OpTanh: real.Bits.Tanh, formula.OpErf: real.Bits.Erf,
}

// nearer returns the number of f nearest to op's value at x, as a point, where functions of binary64 leave the two in t: the value lies within their
// error of the middle of two numbers. It returns t if op is no function of one variable, or longest bits do not decide.
func (f *format) nearer(op formula.Op, x float64, t interval) interval {
	at := longFunctions[op]
	if at == nil || math.IsInf(x, 0) || t.infinite() {
		return t
	}
	ends := func(y real.Interval) interval { return interval{f.nearestOf(y.Lo), f.nearestOf(y.Hi)} }
	y, ok := real.Refine(longest, func(b real.Bits) real.Interval { return at(b, real.Point(x)) }, func(y real.Interval) bool {
		z := ends(y)
		return z.isPoint()
	})
	if !ok {
		return t
	}
	return ends(y)
}

// nearestOf returns the number of f nearest to x.
func (f *format) nearestOf(x *big.Float) float64 {
	if f.p == 53 {
		v, _ := x.Float64()
		return v
	}
	return f.nearest(toOdd(x))
}

// toOdd returns x rounded to odd, in binary64: of x's two neighbours the one whose last bit is 1. Rounded to nearest in a format of fewer than 52 bits, that
// is x rounded to it.
//
// Source: [Boldo-Melquiond 2008] Theorem 3.
func toOdd(x *big.Float) float64 {
	v, sticky := x.Float64() // to nearest, so that the other neighbour may be the odd one
	if v == 0 || math.IsInf(v, 0) || sticky == big.Exact || math.Float64bits(v)&1 != 0 {
		return v
	}
	if (sticky == big.Above) == (v > 0) {
		return math.Float64frombits(math.Float64bits(v) - 1)
	}
	return math.Float64frombits(math.Float64bits(v) + 1)
}
