package enclosure

import "math"

// interval is a closed interval of extended real numbers.
type interval struct{ lo, hi float64 }

func point(x float64) interval { return interval{x, x} }

var everything = interval{math.Inf(-1), math.Inf(1)}

func (x interval) isPoint() bool { return x.lo == x.hi }

// isInfinity reports whether x is one infinity alone.
func (x interval) isInfinity() bool { return x.lo == x.hi && math.IsInf(x.lo, 0) }

// up returns the least binary64 number above x: no less than any real that rounds to x. An infinity stays.
func up(x float64) float64 {
	switch {
	case x > 0:
		if x > math.MaxFloat64 {
			return x
		}
		return math.Float64frombits(math.Float64bits(x) + 1)
	case x < 0:
		return math.Float64frombits(math.Float64bits(x) - 1)
	case x == 0:
		return math.SmallestNonzeroFloat64
	}
	return x
}

// down returns the greatest binary64 number below x.
func down(x float64) float64 { return -up(-x) }

// outward returns [lo, hi] where these are results of one operation each on numbers, rounded to nearest. What overflows binary64 is still a number.
func outward(lo, hi float64) interval {
	return interval{min(down(lo), math.MaxFloat64), max(up(hi), -math.MaxFloat64)}
}

// magnitude returns the greatest |t| of x.
func (x interval) magnitude() float64 {
	if -x.lo > x.hi {
		return -x.lo
	}
	return x.hi
}

// hull returns the least interval that contains x and y.
func (x interval) hull(y interval) interval { return interval{min(x.lo, y.lo), max(x.hi, y.hi)} }

// meet returns the intersection of x and y, which contain a common number.
func (x interval) meet(y interval) interval { return interval{max(x.lo, y.lo), min(x.hi, y.hi)} }

// beyond returns x with the infinities that y has.
func (x interval) beyond(y interval) interval {
	if y.infinite() {
		return x.hull(y)
	}
	return x
}

func (x interval) neg() interval { return interval{-x.hi, -x.lo} }

func (x interval) abs() interval {
	switch {
	case x.lo >= 0:
		return interval{x.lo + 0, x.hi + 0} // +0 of -0
	case x.hi <= 0:
		return interval{0 - x.hi, 0 - x.lo}
	}
	return interval{0, x.magnitude()}
}

// widen returns x with e >= 0 more on each side, rounded outwards; e = 0 leaves it as it is.
func (x interval) widen(e float64) interval {
	switch {
	case e == 0:
		return x
	case e > math.MaxFloat64:
		return everything
	}
	return outward(x.lo-e, x.hi+e)
}

// add returns x + y. The sum of opposite infinities is the caller's to notice: it is left out, as it is no number.
func (x interval) add(y interval) interval {
	switch {
	case x.isInfinity():
		return x
	case y.isInfinity():
		return y
	}
	if x.isPoint() && y.isPoint() {
		s := x.lo + y.lo
		// Two-sum: s is exact if the rounding error is zero.
		b := s - x.lo
		if e := (x.lo - (s - b)) + (y.lo - b); e == 0 {
			return point(s)
		}
		return clean(outward(s, s))
	}
	return clean(outward(x.lo+y.lo, x.hi+y.hi))
}

// clean replaces ends that are NaN, of which nothing is known, by infinities.
func clean(x interval) interval {
	if x.lo != x.lo {
		x.lo = math.Inf(-1)
	}
	if x.hi != x.hi {
		x.hi = math.Inf(1)
	}
	return x
}

func (x interval) sub(y interval) interval { return x.add(y.neg()) }

// times is the product of two ends of intervals: 0·∞ is 0, since an infinite end bounds numbers and is not one of them unless the whole interval is.
func times(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return float64(a * b)
}

// mul returns x·y.
func (x interval) mul(y interval) interval {
	if (x.isInfinity() || y.isInfinity()) && !x.contains(0) && !y.contains(0) {
		return point(float64(x.lo * y.lo))
	}
	if x.isPoint() && y.isPoint() {
		p := times(x.lo, y.lo)
		if exactProduct(x.lo, y.lo, p) {
			return point(p)
		}
		return outward(p, p)
	}
	if x.lo >= 0 && y.lo >= 0 {
		return keepZero(outward(times(x.lo, y.lo), times(x.hi, y.hi)), x, y)
	}
	a, b, c, d := times(x.lo, y.lo), times(x.lo, y.hi), times(x.hi, y.lo), times(x.hi, y.hi)
	return keepZero(outward(min(a, b, c, d), max(a, b, c, d)), x, y)
}

// keepZero returns z, the product of x and y, without what rounding outwards put beyond zero.
func keepZero(z, x, y interval) interval {
	if x.lo >= 0 && y.lo >= 0 || x.hi <= 0 && y.hi <= 0 {
		z.lo = max(z.lo, 0)
	}
	if x.lo >= 0 && y.hi <= 0 || x.hi <= 0 && y.lo >= 0 {
		z.hi = min(z.hi, 0)
	}
	return z
}

// exactProduct reports whether p, a·b rounded, is a·b.
func exactProduct(a, b, p float64) bool {
	if p == 0 {
		return a == 0 || b == 0
	}
	// Below 2^-969 the error of the product may itself underflow.
	if !(math.Abs(p) >= 0x1p-969) || math.IsInf(p, 0) {
		return math.IsInf(a, 0) || math.IsInf(b, 0)
	}
	return math.FMA(a, b, -p) == 0
}

// square returns x².
func (x interval) square() interval {
	a := x.abs()
	return a.mul(a)
}

// div returns x/y; all real numbers if y contains zero beside others.
func (x interval) div(y interval) interval {
	switch {
	case x.isInfinity() && !y.infinite() && !y.contains(0):
		return point(x.lo / y.lo)
	case y.isInfinity() && !x.infinite():
		return point(0)
	}
	if x.isPoint() && y.isPoint() && y.lo != 0 {
		q := x.lo / y.lo
		if q != q {
			return everything
		}
		if exactProduct(q, y.lo, x.lo) {
			return point(q)
		}
		return outward(q, q)
	}
	switch {
	case y.lo == 0 && y.hi == 0:
		// Of infinities alone, or NaN: zero over zero is the caller's to notice.
		switch {
		case x.lo > 0:
			return interval{math.Inf(-1), math.Inf(1)}
		}
		return everything
	case y.lo <= 0 && y.hi >= 0:
		switch {
		case y.lo == 0 && x.lo >= 0:
			return interval{max(0, down(quotient(x.lo, y.hi))), math.Inf(1)}
		case y.lo == 0 && x.hi <= 0:
			return interval{math.Inf(-1), min(0, up(quotient(x.hi, y.hi)))}
		case y.hi == 0 && x.lo >= 0:
			return interval{math.Inf(-1), min(0, up(quotient(x.lo, y.lo)))}
		case y.hi == 0 && x.hi <= 0:
			return interval{max(0, down(quotient(x.hi, y.lo))), math.Inf(1)}
		}
		return everything
	}
	a, b, c, d := quotient(x.lo, y.lo), quotient(x.lo, y.hi), quotient(x.hi, y.lo), quotient(x.hi, y.hi)
	return keepZero(outward(min(a, b, c, d), max(a, b, c, d)), x, y)
}

// quotient is the quotient of two ends: ∞/∞ is an end that some smaller quotient bounds, so any number will do; 0 is least.
func quotient(a, b float64) float64 {
	if a == 0 || math.IsInf(a, 0) && math.IsInf(b, 0) {
		return 0
	}
	return a / b
}

// sqrt returns √x of the part of x that is not negative.
func (x interval) sqrt() interval {
	if x.hi < 0 {
		return interval{0, 0}
	}
	lo, hi := math.Sqrt(max(0, x.lo)), math.Sqrt(x.hi)
	if !exactProduct(lo, lo, max(0, x.lo)) {
		lo = max(0, down(lo))
	}
	if !exactProduct(hi, hi, x.hi) {
		hi = up(hi)
	}
	return interval{lo, hi}
}
