package oracle

import "math"

// Interval is a closed interval of numbers, given by binary64 bounds; Hi may be +Inf and Lo -Inf,
// for a number beyond the largest finite one. A NaN means that there is no such number.
type Interval struct{ Lo, Hi float64 }

// Point returns the interval that contains only x.
func Point(x float64) Interval { return Interval{x, x} }

// Enclose returns the interval [lo, hi]; its arguments are the results of methods called Interval.
func Enclose(lo, hi float64) Interval { return Interval{lo, hi} }

// Abs returns the magnitudes of the numbers in i.
func (i Interval) Abs() Interval {
	switch {
	case i.Lo >= 0:
		return i
	case i.Hi <= 0:
		return Interval{0 - i.Hi, 0 - i.Lo}
	case i.Lo < 0:
		return Interval{0, max(0-i.Lo, i.Hi)}
	}
	return Interval{math.NaN(), math.NaN()}
}

// up returns a number no less than any real that rounds to nearest as x >= 0, x itself excepted
// when it is infinite.
func up(x float64) float64 {
	if x > math.MaxFloat64 || x != x {
		return x
	}
	return math.Float64frombits(math.Float64bits(x) + 1)
}

// down returns a number no greater than any non-negative real that rounds to nearest as x >= 0.
func down(x float64) float64 {
	if x <= 0 || x != x {
		return x
	}
	return math.Float64frombits(math.Float64bits(x) - 1)
}

// mulUp and mulDown return bounds of x·y, and addUp and addDown of x+y, for x, y >= 0; they are
// exact where an operand is zero. 0·Inf is 0, since a zero here is a number, and an infinity only
// a bound of one.
func mulUp(x, y float64) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	return up(float64(x * y))
}

func mulDown(x, y float64) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	return down(float64(x * y))
}

func addUp(x, y float64) float64 {
	if x == 0 || y == 0 {
		return x + y
	}
	return up(x + y)
}

func addDown(x, y float64) float64 {
	if x == 0 || y == 0 {
		return x + y
	}
	return down(x + y)
}
