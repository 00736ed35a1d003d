// Package real is a stub for development only.
package real

import "math"

func w(x float64) (lo, hi float64) {
	if math.IsInf(x, 0) || x != x || x == 0 {
		return x, x
	}
	e := math.Abs(x) * 0x1p-50
	return x - e, x + e
}
func Exp(x float64) (lo, hi float64)   { return w(math.Exp(x)) }
func Exp2(x float64) (lo, hi float64)  { return w(math.Exp2(x)) }
func Expm1(x float64) (lo, hi float64) { return w(math.Expm1(x)) }
func Log(x float64) (lo, hi float64)   { return w(math.Log(x)) }
func Log2(x float64) (lo, hi float64)  { return w(math.Log2(x)) }
func Log1p(x float64) (lo, hi float64) { return w(math.Log1p(x)) }
func Tan(x float64) (lo, hi float64)   { return w(math.Tan(x)) }
func Tanh(x float64) (lo, hi float64)  { return w(math.Tanh(x)) }
func Erf(x float64) (lo, hi float64)   { return w(math.Erf(x)) }
func Pow(x, y float64) (lo, hi float64) { return w(math.Pow(x, y)) }
func SinRange(a, b float64) (lo, hi float64) {
	if a == b {
		return w(math.Sin(a))
	}
	return -1, 1
}
func CosRange(a, b float64) (lo, hi float64) {
	if a == b {
		return w(math.Cos(a))
	}
	return -1, 1
}
