package enclosure

import (
	"math"

	"gamma/model/formula"
	"gamma/oracle/real"
)

// outcome says whether a result may be NaN, and whether it can be nothing else.
type outcome uint8

const (
	number outcome = 0
	maybe  outcome = 1 // NaN is possible
	never  outcome = 3 // NaN is certain: there is no number
)

// opSquare is a·a, whose operands are one.
const opSquare = formula.Op(255)

func isElementwise(op formula.Op) bool { return op == opSquare || op.Class() == formula.Elementwise }

// infinite reports whether x reaches an infinity.
func (x interval) infinite() bool { return math.IsInf(x.lo, 0) || math.IsInf(x.hi, 0) }

func (x interval) contains(t float64) bool { return x.lo <= t && t <= x.hi }

// certain returns never if all operands are points, so that what is possible is what happens.
func certain(x, y interval) outcome {
	if x.isPoint() && y.isPoint() {
		return never
	}
	return maybe
}

// monotone returns the values of an increasing function, given by an enclosure of each of its values, over x.
func monotone(f func(float64) (lo, hi float64), x interval) interval {
	lo, hi := f(x.lo)
	if x.hi != x.lo {
		_, hi = f(x.hi)
	}
	return interval{lo, hi}
}

// apply returns the exact values of op over the boxes of its operands, and whether it may have none. Zeros are +0: poles looks after -0.
func apply(op formula.Op, x, y, w interval) (z interval, o outcome) {
	switch op {
	case formula.OpAdd:
		if math.IsInf(x.hi, 1) && math.IsInf(y.lo, -1) || math.IsInf(x.lo, -1) && math.IsInf(y.hi, 1) {
			o = certain(x, y)
		}
		return x.add(y), o
	case formula.OpSub:
		return apply(formula.OpAdd, x, y.neg(), w)
	case opSquare:
		return x.square(), number
	case formula.OpMul:
		if x.infinite() && y.contains(0) || y.infinite() && x.contains(0) {
			o = certain(x, y)
		}
		return x.mul(y), o
	case formula.OpFMA:
		p, o1 := apply(formula.OpMul, x, y, w)
		z, o = apply(formula.OpAdd, p, w, w)
		return z, o | o1
	case formula.OpDiv:
		if x.infinite() && y.infinite() || x.contains(0) && y.contains(0) {
			o = certain(x, y)
		}
		return x.div(y), o
	case formula.OpQuo:
		if y.contains(0) {
			return everything, number // nothing is defined
		}
		q := x.div(y)
		if x.isPoint() && y.isPoint() {
			f := math.Floor(x.lo / y.lo)
			if r := x.lo - float64(f*y.lo); r < 0 {
				f--
			} else if r >= math.Abs(y.lo) && y.lo > 0 {
				f++
			}
			return point(f), number
		}
		return interval{math.Floor(q.lo), math.Floor(q.hi)}, number
	case formula.OpMod:
		if y.contains(0) {
			return everything, number // nothing is defined
		}
		if x.isPoint() && y.isPoint() {
			m := math.Mod(x.lo, y.lo)
			if m != 0 && (m < 0) != (y.lo < 0) {
				m += y.lo
			}
			return point(m), number
		}
		m := y.magnitude()
		return interval{-m, m}, number
	case formula.OpMaximum:
		return interval{max(x.lo, y.lo), max(x.hi, y.hi)}, number
	case formula.OpMinimum:
		return interval{min(x.lo, y.lo), min(x.hi, y.hi)}, number
	case formula.OpAbs:
		return x.abs(), number
	case formula.OpNeg:
		return x.neg(), number
	case formula.OpPow:
		return power(x, y)
	case formula.OpLess, formula.OpLessEqual, formula.OpEqual, formula.OpNot, formula.OpAnd, formula.OpOr:
		return truth(op, x, y), number
	case formula.OpSelect:
		switch {
		case x.lo == 1:
			return y, number
		case x.hi == 0:
			return w, number
		}
		return y.hull(w), number
	}
	return applyUnary(op, x)
}

// applyUnary returns the exact values of a function of one variable over x.
func applyUnary(op formula.Op, x interval) (z interval, o outcome) {
	switch op {
	case formula.OpSqrt, formula.OpRsqrt, formula.OpLog, formula.OpLog2:
		if x.hi < 0 {
			return interval{}, never
		}
		if x.lo < 0 {
			x.lo, o = 0, maybe
		}
	case formula.OpLog1p:
		if x.hi < -1 {
			return interval{}, never
		}
		if x.lo < -1 {
			x.lo, o = -1, maybe
		}
	case formula.OpSin, formula.OpCos, formula.OpTan, formula.OpSinPi, formula.OpCosPi:
		if x.infinite() {
			if x.isPoint() {
				return interval{}, never
			}
			o = maybe
		}
	}
	switch op {
	case formula.OpSqrt:
		z = x.sqrt()
	case formula.OpRsqrt:
		z = point(1).div(x.sqrt())
		if x.lo == 0 && x.hi == 0 {
			z = point(math.Inf(1)) // of +0
		}
	case formula.OpExp:
		z = monotone(real.Exp, x)
	case formula.OpExp2:
		z = monotone(real.Exp2, x)
	case formula.OpExpm1:
		z = monotone(real.Expm1, x)
	case formula.OpLog:
		z = monotone(real.Log, x)
	case formula.OpLog2:
		z = monotone(real.Log2, x)
	case formula.OpLog1p:
		z = monotone(real.Log1p, x)
	case formula.OpTanh:
		z = monotone(real.Tanh, x)
	case formula.OpErf:
		z = monotone(real.Erf, x)
	case formula.OpSin:
		z.lo, z.hi = real.SinRange(x.lo, x.hi)
	case formula.OpCos:
		z.lo, z.hi = real.CosRange(x.lo, x.hi)
	case formula.OpTan:
		z = tangent(x)
	case formula.OpSinPi:
		z.lo, z.hi = real.SinPiRange(x.lo, x.hi)
	case formula.OpCosPi:
		z.lo, z.hi = real.CosPiRange(x.lo, x.hi)
	case formula.OpFloor:
		z = interval{math.Floor(x.lo), math.Floor(x.hi)}
	case formula.OpCeil:
		z = interval{math.Ceil(x.lo), math.Ceil(x.hi)}
	case formula.OpTrunc:
		z = interval{math.Trunc(x.lo), math.Trunc(x.hi)}
	case formula.OpRound:
		z = interval{math.RoundToEven(x.lo), math.RoundToEven(x.hi)}
	case formula.OpUfp:
		x = x.abs()
		z = interval{ufp(x.lo), ufp(x.hi)}
	default:
		z = x
	}
	return z, o
}

// ufp returns the greatest power of two that is at most x, for x >= 0.
func ufp(x float64) float64 {
	if x < 0x1p-1022 {
		if x == 0 {
			return 0
		}
		return float64(ufp(float64(x*0x1p52)) * 0x1p-52)
	}
	return math.Float64frombits(math.Float64bits(x) >> 52 << 52)
}

// tangent returns the values of tan over x: all numbers if the cosine may be zero in it, or if x is wider than half a period.
func tangent(x interval) interval {
	lo, hi := real.CosRange(x.lo, x.hi)
	if x.infinite() || x.hi-x.lo > 3 || lo <= 0 && hi >= 0 {
		return everything
	}
	return monotone(real.Tan, x)
}

// truth returns a comparison's or connective's values, 0 and 1.
func truth(op formula.Op, x, y interval) interval {
	yes, no := false, false // whether it may be true, and false
	switch op {
	case formula.OpLess:
		yes, no = x.lo < y.hi, x.hi >= y.lo
	case formula.OpLessEqual:
		yes, no = x.lo <= y.hi, x.hi > y.lo
	case formula.OpEqual:
		yes, no = x.lo <= y.hi && y.lo <= x.hi, !x.isPoint() || !y.isPoint() || x.lo != y.lo
	case formula.OpNot:
		return interval{1 - x.hi, 1 - x.lo}
	case formula.OpAnd:
		return interval{min(x.lo, y.lo), min(x.hi, y.hi)}
	case formula.OpOr:
		return interval{max(x.lo, y.lo), max(x.hi, y.hi)}
	}
	switch {
	case yes && no:
		return interval{0, 1}
	case yes:
		return point(1)
	}
	return point(0)
}

// power returns the values of x^y over a base that is not negative, or a whole exponent that is a point. A base of 0 is +0.
func power(x, y interval) (interval, outcome) {
	x = interval{x.lo + 0, x.hi + 0}
	if y.isInfinity() {
		x = x.abs()
	}
	if y.isPoint() && y.lo == math.Trunc(y.lo) {
		if x.lo >= 0 {
			lo, _ := real.Pow(x.lo, y.lo)
			_, hi := real.Pow(x.hi, y.lo)
			lo2, _ := real.Pow(x.hi, y.lo)
			_, hi2 := real.Pow(x.lo, y.lo)
			return interval{min(lo, lo2), max(hi, hi2)}, number
		}
		a, _ := power(x.abs(), y)
		if math.Mod(y.lo, 2) == 0 {
			return a, number
		}
		if x.hi <= 0 {
			return a.neg(), number
		}
		if y.lo < 0 {
			return everything, number
		}
		n, _ := power(interval{0, -x.lo}, y)
		p, _ := power(interval{0, x.hi}, y)
		return interval{-n.hi, p.hi}, number
	}
	switch {
	case x.hi < 0 && y.isPoint() && !x.infinite():
		return interval{}, never
	case x.lo < 0:
		return everything, maybe
	}
	z := interval{math.Inf(1), math.Inf(-1)}
	for _, a := range []float64{x.lo, x.hi} {
		for _, b := range []float64{y.lo, y.hi} {
			lo, hi := real.Pow(a, b)
			z = z.hull(interval{lo, hi})
		}
	}
	// x^y is monotone in x for each y and in y for each x, so that its extremes lie in corners; x = 1 inside changes no sign of it.
	return z, number
}

// derivatives returns the partial derivatives of op over the boxes of its operands, z being its values there; of a jump, all numbers.
func derivatives(op formula.Op, x, y, w, z interval) (dx, dy, dw interval) {
	one := point(1)
	switch op {
	case formula.OpAdd:
		return one, one, dw
	case formula.OpSub:
		return one, point(-1), dw
	case formula.OpMul:
		return y, x, dw
	case opSquare:
		return interval{float64(2 * x.lo), float64(2 * x.hi)}, dy, dw
	case formula.OpFMA:
		return y, x, one
	case formula.OpDiv:
		d := one.div(y)
		return d, z.mul(d).neg(), dw
	case formula.OpMaximum, formula.OpMinimum:
		if op == formula.OpMinimum {
			x, y = y, x
		}
		switch {
		case x.lo > y.hi:
			return one, dy, dw
		case y.lo > x.hi:
			return dx, one, dw
		}
		return interval{0, 1}, interval{0, 1}, dw
	case formula.OpSelect:
		switch {
		case x.lo == 1:
			return dx, one, dw
		case x.hi == 0:
			return dx, dy, one
		}
		return everything, everything, everything
	case formula.OpStore:
		return y, dy, dw // stored says it
	case formula.OpPow:
		p, _ := power(x, y.sub(one))
		l, _ := applyUnary(formula.OpLog, x)
		if x.lo <= 0 && !y.isPoint() {
			l = everything
		}
		return y.mul(p), z.mul(l), dw
	}
	return slope(op, x, z), dy, dw
}

var (
	pi            = interval{0x1.921fb54442d18p+1, 0x1.921fb54442d19p+1}
	ln2           = interval{0x1.62e42fefa39efp-1, 0x1.62e42fefa39fp-1} // ln 2
	twoOverRootPi = interval{0x1.20dd750429b6dp+0, 0x1.20dd750429b6ep+0}
)

// slope returns the derivative of a function of one variable over x, z being its values there.
func slope(op formula.Op, x, z interval) interval {
	one := point(1)
	switch op {
	case formula.OpAbs:
		switch {
		case x.lo >= 0:
			return one
		case x.hi <= 0:
			return point(-1)
		}
		return interval{-1, 1}
	case formula.OpNeg:
		return point(-1)
	case formula.OpSqrt:
		return point(0.5).div(z)
	case formula.OpRsqrt:
		return point(-0.5).mul(z).mul(z.square())
	case formula.OpExp:
		return z
	case formula.OpExp2:
		return z.mul(ln2)
	case formula.OpExpm1:
		return z.add(one)
	case formula.OpLog:
		return one.div(x)
	case formula.OpLog2:
		return one.div(x.mul(ln2))
	case formula.OpLog1p:
		return one.div(x.add(one))
	case formula.OpSin:
		d, _ := applyUnary(formula.OpCos, x)
		return d
	case formula.OpCos:
		d, _ := applyUnary(formula.OpSin, x)
		return d.neg()
	case formula.OpTan:
		return z.square().add(one)
	case formula.OpSinPi:
		d, _ := applyUnary(formula.OpCosPi, x)
		return d.mul(pi)
	case formula.OpCosPi:
		d, _ := applyUnary(formula.OpSinPi, x)
		return d.mul(pi).neg()
	case formula.OpTanh:
		return one.sub(z.square()).meet(interval{0, 1})
	case formula.OpErf:
		e, _ := applyUnary(formula.OpExp, x.square().neg())
		return e.mul(twoOverRootPi)
	case formula.OpFloor, formula.OpCeil, formula.OpTrunc, formula.OpRound, formula.OpUfp:
		if z.isPoint() {
			return point(0)
		}
	}
	return everything
}

// hasPole reports whether zeros of both signs have different results.
func hasPole(op formula.Op) bool {
	return op == formula.OpRsqrt || op == formula.OpPow || op == formula.OpDiv
}

// poles returns z, the values of step s over operands in x and y, with the infinities that zeros of either sign give: plus says of which
// operand no zero is -0.
func poles(op formula.Op, z, x, y interval, plus [3]bool) interval {
	switch op {
	case formula.OpRsqrt:
		if x.contains(0) && (x.lo < 0 || !plus[0]) {
			z.lo = math.Inf(-1)
		}
	case formula.OpPow:
		if x.contains(0) && y.lo < 0 {
			z.hi = math.Inf(1) // of +0
			if x.lo < 0 || !plus[0] {
				z.lo = math.Inf(-1) // of odd integers y
			}
		}
	case formula.OpDiv:
		switch {
		case !y.contains(0):
		case !plus[1] || y.hi == 0 && y.lo < 0:
			return everything
		case y.hi == 0 && x.lo > 0:
			return point(math.Inf(1))
		case y.hi == 0 && x.hi < 0:
			return point(math.Inf(-1))
		}
	}
	return z
}

// openSign reports whether a number that is flushed may become a zero of either sign.
func (p *Program) openSign() bool { return p.claim.Flush.OpenSign() || p.claim.Flush16.OpenSign() }

// positiveZero reports whether step s never gives -0; where openSign says that a flush may, whether no zero is -0 that no flush can have made: one of an element of
// which T and C have 0 alone. Then no operand that such an element comes from has another value, but for operations that throw values away: these say no.
func (p *Program) positiveZero(s *step) bool {
	of := func(k int) bool { return p.steps[s.args[k]].plus }
	flushes := p.claim.Flush.Any()
	if p.openSign() {
		flushes = true
		switch s.Op {
		case formula.OpMinimum, formula.OpSelect, formula.OpFloor, formula.OpMin:
			return false
		}
	}
	switch s.Op {
	case formula.OpConst:
		return !math.Signbit(s.Value)
	case formula.OpAbs, formula.OpUfp:
		return true
	case formula.OpExp, formula.OpExp2:
		return s.promise.InRange || p.claim.Exactly && s.promise == (formula.Promise{}) // so many ulps of a tiny result reach -0, and beyond
	case opSquare:
		return p.claim.Exactly || !flushes
	case formula.OpSub:
		return of(0) && !flushes
	case formula.OpAdd:
		return (of(0) || of(1)) && !flushes
	case formula.OpMaximum, formula.OpMinimum:
		return of(0) && of(1)
	case formula.OpSelect:
		return of(1) && of(2)
	case formula.OpSum:
		return of(0) && !flushes
	case formula.OpSqrt, formula.OpFloor, formula.OpMax, formula.OpMin, formula.OpRename, formula.OpOrder:
		return of(0)
	}
	return !s.typ.IsReal()
}
