package dd

import (
	"math"

	"gamma/kernels"
)

// Variance returns Σ(x_i-μ)²/n, μ the mean, rounded once: in two passes, the first of which computes the mean in two words.
//
// Each deviation is PlusFP of x_i and -m, m the computed mean; its square is Times3; squares are added by SloppyPlus, since none is
// negative, and their sum is divided in two words.
//
// Error:   let δ = m-μ. |δ| <= (3u²·|S| + (1+3u²)·(n-2)u²·Σ|x_i|)/n + 4η, with 0 for
// the first 3u² if n is a power of two. The result errs by at most
//
//	(v + (1+v)·θ)·(σ²+δ²) + δ² + η,  1+θ = (1+2u²)²(1+4u²)(1+3u²)^(n-1)(1+3u²) + n·u⁴
//
// where σ² is the variance: the mean's error enters squared, because Σ(x_i-m)² = nσ² + nδ² exactly, and all the others are
// relative to terms that are not negative. So there is no cancellation, however large the mean is; if all numbers are the same,
// the result may be δ², of size u⁴·μ², instead of 0.
// Special: the variance of nothing is NaN, that of one number 0, and that of numbers that are not all finite NaN. Deviations
// too small or too large for their squares are scaled by a power of two. If n·max|x_i| is 2^120 or more (2^1020 for float64), the
// numbers are multiplied by 2^-64 first, and the bound does not hold: those near the smallest numbers lose bits. A variance that overflows is
// +Inf.
// Source:  [Gamma W4].
func Variance[T kernels.Float](x []T) T { return varied(x, len(x)) }

// SampleVariance returns Σ(x_i-μ)²/(n-1): see Variance, whose bound is multiplied by n/(n-1), except for η.
//
// Special: NaN for one number, as 0/0 is; otherwise as Variance.
func SampleVariance[T kernels.Float](x []T) T { return varied(x, len(x)-1) }

// varied returns the sum of squared deviations divided by count, rounded once.
func varied[T kernels.Float](x []T, count int) T {
	if count < 1 || len(x) == 0 {
		return T(math.NaN())
	}
	d, k := deviations(x, math.Inf(-1))
	q := squares(d).divided(count)
	switch {
	case q.Hi != q.Hi:
		return q.Hi
	case q.Hi == 0:
		return 0
	}
	return q.settled(-2 * k)
}

// squares returns the sum of the squares of d.
func squares[T kernels.Float](d []DD[T]) DD[T] {
	var s DD[T]
	for i, v := range d {
		if q := v.Times3(v); i == 0 {
			s = q
		} else {
			s = s.SloppyPlus(q)
		}
	}
	return s
}

// deviations returns 2^k·(x_i-m), m the mean of x in two words, and k: so that the largest of them and 2^least, times 2^k, is near
// 1, or about 2^high where it is not. All are NaN if a number is not finite.
func deviations[T kernels.Float](x []T, least float64) (d []DD[T], k int) {
	c, n := scalesOf[T](), len(x)
	d = make([]DD[T], n)
	top := 0.0
	for _, v := range x {
		if v-v != 0 {
			for i := range d {
				d[i] = FromWord(T(math.NaN()))
			}
			return d, 0
		}
		top = max(top, math.Abs(float64(v)))
	}
	switch {
	case top == 0:
	case top < math.Ldexp(1, c.tiny):
		k = c.lift
	case math.Log2(top)+math.Log2(float64(n)) >= float64(c.huge):
		k = -c.drop
	}
	if k != 0 {
		y := make([]T, n)
		for i, v := range x {
			y[i] = scaledWord(v, k)
		}
		x = y
	}
	m := Total(x).divided(n).Neg()
	top = 0
	for i, v := range x {
		d[i] = m.PlusFP(v)
		top = max(top, math.Abs(float64(d[i].Hi)))
	}
	e := least + float64(k)
	if top > 0 {
		_, b := math.Frexp(top)
		e = max(e, float64(b))
	}
	if math.IsInf(e, -1) || e >= float64(c.low) && e <= float64(c.high) {
		return d, k
	}
	j := c.high - int(e)
	for i := range d {
		d[i] = d[i].scaled(j)
	}
	return d, k + j
}

// LayerNorm writes (x_i-μ)/√(σ²+epsilon)·gain_i + bias_i to dst, each rounded once: mean and variance are Variance's, in two words,
// and so are root, quotient (Div2), product (TimesFP3) and sum (PlusFP).
//
// Shape:   dst, x, gain and bias have one length; a nil gain is all ones, and a nil bias all zeros. It panics otherwise.
// Domain:  epsilon >= 0, finite; it panics otherwise.
// Error:   with δ and θ of Variance, s² = σ²+epsilon, z = (x_i-μ)/s and y the exact result, it is at most
//
//	v·|y| + (1+v)·((1+2u²)·e + 2u²·|y|) + 4η,  e = |g|·((1+2u²)(ζ+|z|)-|z| + u⁴),  ζ = |z|·ρ + (1+ρ)·|δ|/s
//
// where (1+ρ) = (1+2u²)(1+15u²+56u³)/((1-t)(1-25/8·u²)), and t = ((θ·(σ²+δ²)+δ²)/s² + n·u⁴)(1+2u²) + 2u² < 1 is the relative
// error of s²: that of its root is no larger.
// Special: NaN if a number of x is not finite; if s is 0, NaN or what follows from the rounding errors of the mean. Where a
// product with the gain or the sum overflows, or gain or bias is not finite, the result is that of the plain operations.
// Alias:   dst may be x, gain or bias; it panics if it overlaps one of them in any other way.
// Source:  [Gamma W5].
func LayerNorm[T kernels.Float](dst, x, gain, bias []T, epsilon T) {
	n := len(x)
	if !(epsilon >= 0) || epsilon-epsilon != 0 {
		panic(badEpsilon)
	}
	for _, o := range [][]T{x, gain, bias} {
		if o == nil {
			continue
		}
		if len(dst) != len(o) {
			panic(lengthsDiffer(len(dst), len(o)))
		}
		if kernels.Overlap(dst, o) && &dst[0] != &o[0] {
			panic(resultOverlaps)
		}
	}
	if len(dst) != n {
		panic(lengthsDiffer(len(dst), n))
	}
	if n == 0 {
		return
	}
	least := math.Inf(-1)
	if epsilon > 0 {
		_, b := math.Frexp(float64(epsilon))
		least = float64((b + 1) >> 1)
	}
	d, k := deviations(x, least)
	s := squares(d).divided(n).PlusFP(scaledWord(epsilon, 2*k)).Sqrt()
	for i, v := range d {
		z, g, b := v.Div2(s), T(1), T(0)
		if gain != nil {
			g = gain[i]
		}
		if bias != nil {
			b = bias[i]
		}
		y := z.TimesFP3(g).PlusFP(b)
		if !y.Finite() {
			y.Hi = T(z.Hi*g) + b
		}
		dst[i] = y.Hi
	}
}
