package kernels

import (
	"math"

	"gamma/model"
)

func dots() []Kernel {
	b32, b64 := model.Binary32, model.Binary64
	fused := func(in model.Format) model.Claim {
		c := plain(in, "left")
		c.Fusion = model.FusedChain
		return c
	}
	exact := scheme(b32, model.Rounded)
	exact.Commutes, exact.OverflowSafe = true, true
	return []Kernel{
		{Name: "kernels.DotSerial", Claim: plain(b32, "left"), Dot32: DotSerial[float32]},
		{Name: "kernels.DotSerial64", Claim: plain(b64, "left"), Dot64: DotSerial[float64]},
		{Name: "kernels.DotPairwise", Claim: plain(b32, "pairwise"), Dot32: DotPairwise[float32]},
		{Name: "kernels.DotPairwise64", Claim: plain(b64, "pairwise"), Dot64: DotPairwise[float64]},
		{Name: "kernels.DotPairwise128", Claim: plain(b32, "pairwise/128"), Dot32: DotPairwise128[float32]},
		{Name: "kernels.DotLanes", Claim: plain(b32, "lanes/8"), Dot32: DotLanes[float32]},
		{Name: "kernels.DotLanes64", Claim: plain(b64, "lanes/8"), Dot64: DotLanes[float64]},
		{Name: "kernels.DotFMA", Claim: fused(b32), Dot32: DotFMA},
		{Name: "kernels.DotFMA64", Claim: fused(b64), Dot64: DotFMA64},
		{Name: "kernels.Dot2", Claim: scheme(b32, model.Sum2), Dot32: Dot2},
		{Name: "kernels.Dot2of64", Claim: scheme(b64, model.Sum2), Dot64: Dot2of64},
		{Name: "kernels.DotDouble", Claim: double("left"), Dot32: DotDouble},
		{Name: "kernels.DotExact", Claim: exact, Dot32: DotExact},
		{Name: "kernels.SquaresSerial", Claim: plain(b32, "left"), Squares32: SquaresSerial},
		{Name: "kernels.SquaresLanes", Claim: plain(b32, "lanes/8"), Squares32: SquaresLanes},
		{Name: "kernels.SquaresFMA", Claim: fused(b32), Squares32: SquaresFMA},
		{Name: "kernels.SquaresDouble", Claim: double("left"), Squares32: SquaresDouble},
	}
}

// sameLength panics unless the vectors of a dot product have the same length.
func sameLength(x, y int) {
	if x != y {
		panic(lengthsDiffer(x, y))
	}
}

// DotSerial returns ((x_0·y_0 + x_1·y_1) + x_2·y_2) + …, every product rounded.
//
// Shape: len(x) = len(y); it panics otherwise. All dot products do.
// Error: n·u·A + n·η·(1+(n-1)·v) with A = Σ|x_i·y_i|.
// Source: [Jeannerod-Rump 2018] Theorem 4.2.
func DotSerial[T Float](x, y []T) T {
	sameLength(len(x), len(y))
	if len(x) == 0 {
		return 0
	}
	y = y[:len(x)]
	s := T(x[0] * y[0])
	for i := 1; i < len(x); i++ {
		s += T(x[i] * y[i])
	}
	return s
}

// DotPairwise returns the pairwise sum of the rounded products, halving down to single products.
//
// Error: ((1+v)^(h+1) - 1)·A and the underflow of the products, h = ceil(log2 n).
func DotPairwise[T Float](x, y []T) T {
	sameLength(len(x), len(y))
	return dotPairwise(x, y, 1)
}

// DotPairwise128 is DotPairwise, but stops halving at 128 products.
func DotPairwise128[T Float](x, y []T) T {
	sameLength(len(x), len(y))
	return dotPairwise(x, y, 128)
}

func dotPairwise[T Float](x, y []T, base int) T {
	n := len(x)
	switch {
	case n == 1:
		return T(x[0] * y[0])
	case n <= base:
		return DotSerial(x, y)
	}
	return dotPairwise(x[:n/2], y[:n/2], base) + dotPairwise(x[n/2:], y[n/2:], base)
}

// DotLanes returns the pairwise sum of eight lanes of rounded products; see SumLanes.
//
// Error: ((1+v)^(h+1) - 1)·A and the underflow of the products, h as for SumLanes.
func DotLanes[T Float](x, y []T) T {
	sameLength(len(x), len(y))
	if len(x) < lanes {
		return DotPairwise(x, y)
	}
	var r [lanes]T
	for j := range r {
		r[j] = T(x[j] * y[j])
	}
	r0, r1, r2, r3 := r[0], r[1], r[2], r[3]
	r4, r5, r6, r7 := r[4], r[5], r[6], r[7]
	for x, y = x[lanes:], y[lanes:]; len(x) >= lanes && len(y) >= lanes; x, y = x[lanes:], y[lanes:] {
		r0 += T(x[0] * y[0])
		r1 += T(x[1] * y[1])
		r2 += T(x[2] * y[2])
		r3 += T(x[3] * y[3])
		r4 += T(x[4] * y[4])
		r5 += T(x[5] * y[5])
		r6 += T(x[6] * y[6])
		r7 += T(x[7] * y[7])
	}
	r = [lanes]T{r0, r1, r2, r3, r4, r5, r6, r7}
	for j, v := range x {
		r[j] += T(v * y[j])
	}
	return ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
}

// DotFMA returns the chain s = fma(x_i, y_i, s) in binary32, started with the rounded product of
// the first elements.
//
// Error: n·v·A + n·η·(1+n·v).
func DotFMA(x, y []float32) float32 {
	sameLength(len(x), len(y))
	if len(x) == 0 {
		return 0
	}
	s := float32(x[0] * y[0])
	for i := 1; i < len(x); i++ {
		s = FMA(x[i], y[i], s)
	}
	return s
}

// DotFMA64 is DotFMA in binary64, by math.FMA.
func DotFMA64(x, y []float64) float64 {
	sameLength(len(x), len(y))
	if len(x) == 0 {
		return 0
	}
	s := float64(x[0] * y[0])
	for i := 1; i < len(x); i++ {
		s = math.FMA(x[i], y[i], s)
	}
	return s
}

// Dot2 returns the dot product as if computed in twice the precision and rounded: p is DotSerial's
// running sum, c the sum of the errors of products and additions, and p + c the result.
//
// Error: v·|S| + (1+v)·n²u²·A + (1+v)·n·η·(1+2n·u+n²u²), if nothing overflows.
// Special: if p is not finite, the result is p.
// Source: [Ogita-Rump-Oishi 2005] Algorithm 5.3; the bound is [Gamma D4].
func Dot2(x, y []float32) float32 {
	sameLength(len(x), len(y))
	if len(x) == 0 {
		return 0
	}
	p, c := twoProduct(x[0], y[0])
	for i := 1; i < len(x); i++ {
		h, r := twoProduct(x[i], y[i])
		var q float32
		p, q = twoSumBranch(p, h)
		c += q + r
	}
	return repaid(p, c)
}

// Dot2of64 is Dot2 in binary64, with the products' errors by math.FMA.
func Dot2of64(x, y []float64) float64 {
	sameLength(len(x), len(y))
	if len(x) == 0 {
		return 0
	}
	p := float64(x[0] * y[0])
	c := math.FMA(x[0], y[0], -p)
	for i := 1; i < len(x); i++ {
		h := float64(x[i] * y[i])
		r := math.FMA(x[i], y[i], -h)
		var q float64
		p, q = twoSumBranch(p, h)
		c += q + r
	}
	return repaid(p, c)
}

// DotDouble returns the dot product from left to right in binary64, rounded to binary32. The
// products are exact.
//
// Error: v·|S| + (1+v)·(n-1)·v'·A with v' = u'/(1+u') and u' = 2^-53.
func DotDouble(x, y []float32) float32 {
	sameLength(len(x), len(y))
	if len(x) == 0 {
		return 0
	}
	y = y[:len(x)]
	s := float64(float64(x[0]) * float64(y[0]))
	for i := 1; i < len(x); i++ {
		s += float64(float64(x[i]) * float64(y[i]))
	}
	return float32(s)
}

// DotExact returns the exact dot product, rounded once: the 48-bit significands of the exact
// products go into integer bins in two halves, one bin for each exponent.
//
// Shape: fewer than 2^38 products.
// Error: v·|S|.
// Special: any order gives the same bits. A sum of products that are all -0 is -0.
func DotExact(x, y []float32) float32 {
	sameLength(len(x), len(y))
	var (
		bin [512 + 24]int64 // bin e holds parts of weight 2^(e-300)
		sp  specials
	)
	lo, hi := len(bin), 0
	for i, v := range x {
		b, c := math.Float32bits(v), math.Float32bits(y[i])
		p := float64(float64(v) * float64(y[i]))
		if p == 0 || !finite(p) {
			sp.see(math.Float32bits(float32(p)))
			continue
		}
		mb, eb := significand(b)
		mc, ec := significand(c)
		m, e := mb*mc, eb+ec
		sign := int64(int32(b^c) >> 31) // 0 or -1
		bin[e] += (m & (1<<24 - 1)) ^ sign - sign
		bin[e+24] += m>>24 ^ sign - sign
		lo, hi = min(lo, e), max(hi, e+24)
	}
	if hi == 0 {
		return sp.over(0)
	}
	sp.notNegZero = true
	return sp.over(roundBins(bin[lo:hi+1], lo-300))
}

// significand returns m and e with |value| = m·2^(e-150) of a finite binary32 number.
func significand(b uint32) (m int64, e int) {
	m, e = int64(b&0x7fffff), int(b>>23&0xff)
	if e == 0 {
		return m, 1
	}
	return m | 1<<23, e
}

// SquaresSerial returns the sum of the squares of x: DotSerial of x with itself.
func SquaresSerial(x []float32) float32 { return DotSerial(x, x) }

// SquaresLanes returns DotLanes of x with itself.
func SquaresLanes(x []float32) float32 { return DotLanes(x, x) }

// SquaresFMA returns DotFMA of x with itself.
func SquaresFMA(x []float32) float32 { return DotFMA(x, x) }

// SquaresDouble returns DotDouble of x with itself.
func SquaresDouble(x []float32) float32 { return DotDouble(x, x) }
