package ir

import (
	"math"

	"gamma/model"
)

var noFlush model.Flush

// function64 returns the value of a library function in binary64, with a relative error below 2^-40. second gives the second operand.
//
// Math.Pow squares again and again, which near 1 costs all the digits that binary32 needs, and math.Log2 cancels there;
// so both go by math.Log, good to the last bit.
func function64(op Op, x float64, second func() float64) float64 {
	switch op {
	case Exp:
		return math.Exp(x)
	case Exp2:
		return math.Exp2(x)
	case Exp10:
		if x == math.Trunc(x) && math.Abs(x) < 60 {
			return math.Pow(10, x)
		}
		return math.Exp(float64(x * math.Ln10))
	case Log:
		return math.Log(x)
	case Log2:
		if f, e := math.Frexp(x); f == 0.5 {
			return float64(e - 1)
		}
		return math.Log(x) / math.Ln2
	case Log10:
		return math.Log(x) / math.Ln10
	case Sin:
		return math.Sin(x)
	case Cos:
		return math.Cos(x)
	case Tan:
		return math.Tan(x)
	case SinPi:
		return sinPi(x)
	case CosPi:
		return cosPi(x)
	case TanPi:
		return tanPi(x)
	case Asin:
		return math.Asin(x)
	case Acos:
		return math.Acos(x)
	case Atan:
		return math.Atan(x)
	case Atan2:
		return math.Atan2(x, second())
	case Sinh:
		return math.Sinh(x)
	case Cosh:
		return math.Cosh(x)
	case Tanh:
		return math.Tanh(x)
	case Asinh:
		return math.Asinh(x)
	case Acosh:
		return math.Acosh(x)
	case Atanh:
		return math.Atanh(x)
	case Pow:
		return pow(x, second())
	case Powr:
		y := second()
		switch {
		case x < 0 || math.IsNaN(x) || math.IsNaN(y), y == 0 && (x == 0 || math.IsInf(x, 1)), x == 1 && math.IsInf(y, 0):
			return math.NaN()
		}
		return pow(math.Abs(x), y)
	}
	panic(noMeaning(op, F32, Void))
}

// pow returns x^y by exp(y·log|x|), which errs by 2^-44 of the result at most while that is in the range of binary32.
func pow(x, y float64) float64 {
	switch {
	case x == 0 || y == 0 || x == 1 || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsNaN(x) || math.IsNaN(y):
		return math.Pow(x, y) // the special cases of Annex F
	case y == 2:
		return float64(x * x)
	case y == 1:
		return x
	case y == -1:
		return 1 / x
	}
	whole := y == math.Trunc(y)
	if x < 0 && !whole {
		return math.NaN()
	}
	r := math.Exp(float64(y * math.Log(math.Abs(x))))
	if x < 0 && math.Mod(y, 2) != 0 {
		r = -r
	}
	return r
}

// halfTurns splits x, finite, into q·1/2 + r with |r| <= 1/4, exactly, q modulo 4.
func halfTurns(x float64) (q int, r float64) {
	x = math.Mod(x, 2)
	n := math.RoundToEven(2 * x)
	return int(n) & 3, x - n/2
}

func sinPi(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return math.NaN()
	}
	q, r := halfTurns(x)
	if x == math.Trunc(x) {
		return math.Copysign(0, x)
	}
	switch s, c := math.Sin(float64(math.Pi*r)), math.Cos(float64(math.Pi*r)); q {
	case 0:
		return s
	case 1:
		return c
	case 2:
		return -s
	default:
		return -c
	}
}

func cosPi(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return math.NaN()
	}
	q, r := halfTurns(x)
	if r == 0 && q&1 == 1 {
		return 0
	}
	switch s, c := math.Sin(float64(math.Pi*r)), math.Cos(float64(math.Pi*r)); q {
	case 0:
		return c
	case 1:
		return -s
	case 2:
		return -c
	default:
		return s
	}
}

// tanPi returns tan(πx): at whole x a zero whose sign is x's, exchanged if x is odd; at n+1/2 infinity, negative if n is odd.
func tanPi(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return math.NaN()
	}
	q, r := halfTurns(x)
	switch {
	case r == 0 && q == 0:
		return math.Copysign(0, x)
	case r == 0 && q == 2:
		return math.Copysign(0, -x)
	case r == 0 && q == 1:
		return math.Inf(1)
	case r == 0:
		return math.Inf(-1)
	case r == 0.25 || r == -0.25:
		return float64(math.Copysign(1, r) * float64(1-2*(q&1)))
	case q&1 == 0:
		return math.Tan(float64(math.Pi * r))
	}
	return -1 / math.Tan(float64(math.Pi*r))
}
