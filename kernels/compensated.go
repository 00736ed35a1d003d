package kernels

import (
	"math"

	"gamma/model"
)

// fabBlock is the block length of SumFAB.
const fabBlock = 64

func compensated() []Kernel {
	b32, b64 := model.Binary32, model.Binary64
	k3, k4, fab := scheme(b32, model.SumK), scheme(b32, model.SumK), scheme(b32, model.FABsum)
	k3.Folds, k4.Folds, fab.Block = 3, 4, fabBlock
	return []Kernel{
		{Name: "kernels.SumKahan", Claim: scheme(b32, model.Kahan), Sum32: SumKahan[float32]},
		{Name: "kernels.SumKahan64", Claim: scheme(b64, model.Kahan), Sum64: SumKahan[float64]},
		{Name: "kernels.SumNeumaier", Claim: scheme(b32, model.Sum2), Sum32: SumNeumaier[float32]},
		{Name: "kernels.SumNeumaier64", Claim: scheme(b64, model.Sum2), Sum64: SumNeumaier[float64]},
		{Name: "kernels.SumKlein", Claim: scheme(b32, model.Klein), Sum32: SumKlein[float32]},
		{Name: "kernels.SumKleinLeft", Claim: scheme(b32, model.KleinLeft), Sum32: SumKleinLeft[float32]},
		{Name: "kernels.Sum2", Claim: scheme(b32, model.Sum2), Sum32: Sum2[float32]},
		{Name: "kernels.Sum2of64", Claim: scheme(b64, model.Sum2), Sum64: Sum2[float64]},
		{Name: "kernels.SumK3", Claim: k3, Sum32: SumK3[float32]},
		{Name: "kernels.SumK4", Claim: k4, Sum32: SumK4[float32]},
		{Name: "kernels.SumFAB", Claim: fab, Sum32: SumFAB[float32]},
	}
}

// finite reports whether v is neither infinite nor NaN.
func finite[T Float](v T) bool { return v-v == 0 }

// twoSum returns s = fl(a+b) and e with s + e = a + b exactly, in six additions.
//
// Domain: a, b, s and s-a are finite; otherwise e may be a NaN, as for 0xf3c00000 + 0x7f7fffff in
// binary32, where s-a overflows although s does not.
// Source: [Ogita-Rump-Oishi 2005] Algorithm 3.1 (Knuth).
func twoSum[T Float](a, b T) (s, e T) {
	s = a + b
	bv := s - a
	return s, (a - (s - bv)) + (b - bv)
}

// twoSumBranch is twoSum by a comparison and three additions, and needs only a, b and s finite.
//
// Source: [Ogita-Rump-Oishi 2005] Algorithm 1.1 (Dekker), the operands in order.
func twoSumBranch[T Float](a, b T) (s, e T) {
	s = a + b
	if math.Abs(float64(a)) >= math.Abs(float64(b)) {
		return s, (a - s) + b
	}
	return s, (b - s) + a
}

// SumKahan returns Kahan's sum: y = x-c; t = s+y; c = (t-s)-y; s = t.
//
// Error: (3u + 5(n+1)u²)·A for n·u <= 0.1, if no intermediate result overflows. It is not 2u·A:
// an element larger than the running sum is rounded twice.
// Special: if the running sum is not finite at the end, the result is SumNeumaier's, and so
// SumSerial's where that is not finite either.
// Source: [Gamma K1].
func SumKahan[T Float](x []T) T {
	if len(x) == 0 {
		return 0
	}
	s, c := x[0], T(0)
	for _, v := range x[1:] {
		y := v - c
		t := s + y
		c = (t - s) - y
		s = t
	}
	if !finite(s) {
		return SumNeumaier(x)
	}
	return s
}

// SumNeumaier returns s + c, where s is SumSerial's running sum and c the sum of its rounding
// errors, each found by comparing the operands (Kahan and Babuska's sum).
//
// Error: v·|S| + (1+v)·(n-1)·(n-2)·v²·A, every n, if no partial sum overflows.
// Special: if s or c is not finite, the result is s.
// Source: [Gamma S1]; [Ogita-Rump-Oishi 2005] Proposition 4.5 has a weaker bound.
func SumNeumaier[T Float](x []T) T {
	if len(x) == 0 {
		return 0
	}
	s, c := x[0], T(0)
	for _, v := range x[1:] {
		t := s + v
		if math.Abs(float64(s)) >= math.Abs(float64(v)) {
			c += (s - t) + v
		} else {
			c += (v - t) + s
		}
		s = t
	}
	return repaid(s, c)
}

// repaid returns s + c, or s if c is zero, infinite or NaN, so that s = -0 and s = ±Inf stay as they
// are.
func repaid[T Float](s, c T) T {
	if c == 0 || !finite(c) {
		return s
	}
	return s + c
}

// Sum2 returns SumNeumaier's sum without comparisons, by twoSum.
//
// Error: as SumNeumaier, bit for bit the same where no s-a of twoSum overflows.
// Special: if that is what happened, the result is SumNeumaier's, and otherwise as there.
// Source: [Ogita-Rump-Oishi 2005] Algorithm 4.4.
func Sum2[T Float](x []T) T {
	if len(x) == 0 {
		return 0
	}
	s, c := x[0], T(0)
	for _, v := range x[1:] {
		var e T
		s, e = twoSum(s, v)
		c += e
	}
	if !finite(c) && finite(s) {
		return SumNeumaier(x)
	}
	return repaid(s, c)
}

// SumKlein returns s + (c + cc): s is SumSerial's running sum, c the sum of its rounding errors,
// and cc the sum of the errors of c.
//
// Error: v·|S| + (1+v)·(θ + v·((n-1)·v + θ))·A with θ = (n-1)(n-2)(n-3)v³; with this ending a
// term n·u²·A of second order remains.
// Special: if s, c or cc is not finite, the result is s.
// Source: [Klein 2006] Algorithm 3; the bound is [Gamma N1].
func SumKlein[T Float](x []T) T {
	s, c, cc := klein(x)
	return repaid(s, c+cc)
}

// SumKleinLeft is SumKlein with the ending (s + c) + cc.
//
// Error: (2v+v²)·|S| + (1+v)·(n-1)·(n-2)²·v³·A.
// Source: [Gamma N2].
func SumKleinLeft[T Float](x []T) T {
	s, c, cc := klein(x)
	if !finite(c + cc) {
		return s
	}
	return repaid(repaid(s, c), cc)
}

// klein returns the three words of Klein's second-order sum.
func klein[T Float](x []T) (s, c, cc T) {
	if len(x) == 0 {
		return 0, 0, 0
	}
	s = x[0]
	for _, v := range x[1:] {
		var e, ee T
		s, e = twoSumBranch(s, v)
		c, ee = twoSumBranch(c, e)
		cc += ee
	}
	return s, c, cc
}

// SumK3 returns SumK with three folds.
func SumK3[T Float](x []T) T { return SumK(x, 3) }

// SumK4 returns SumK with four folds.
func SumK4[T Float](x []T) T { return SumK(x, 4) }

// SumK returns the sum as if computed in folds times the precision and rounded: folds-1 passes of
// the error-free vector transformation (each replaces the vector by the rounding errors of its
// running sum, and that sum), then a plain sum. The passes are interleaved, so that x is read once and
// never written.
//
// Domain: folds >= 2; it panics otherwise.
// Error: v·(1+m+…+m^(folds-2))·|S| + (n-1)·v·m^(folds-1)·A with m = (n-2)·u.
// Special: if the first pass's sum is not finite, that is the result; if only an error word is
// not, SumNeumaier's is.
// Cost: 6·(folds-1)+1 additions a leaf.
// Source: [Ogita-Rump-Oishi 2005] Algorithm 4.8; the bound is [Gamma P1].
func SumK[T Float](x []T, folds int) T {
	if folds < 2 {
		panic(badFolds)
	}
	if len(x) == 0 {
		return 0
	}
	var (
		small [6]T
		r     []T // the running sums of the passes after the first, whose own is s
	)
	if folds-2 <= len(small) {
		r = small[:folds-2]
	} else {
		r = make([]T, folds-2)
	}
	s, c := x[0], T(0)
	for _, v := range x[1:] {
		var e T
		s, e = twoSum(s, v)
		for k := range r {
			r[k], e = twoSum(r[k], e)
		}
		c += e
	}
	top := s
	for k := range r { // each pass ends with the sum of the pass before it
		var e T
		top, e = twoSum(r[k], top)
		for j := k + 1; j < len(r); j++ {
			r[j], e = twoSum(r[j], e)
		}
		c += e
	}
	switch {
	case !finite(s):
		return s
	case !finite(c):
		return SumNeumaier(x)
	case s == 0 && c == 0 && top == 0:
		return s
	}
	return repaid(top, c)
}

// SumFAB returns Sum2 of the sums of blocks of 64, each summed from left to right (Blanchard,
// Higham and Mary's fast and accurate sum).
//
// Error: that of the blocks, 63·v·A, and that of Sum2 over ceil(n/64) sums.
// Special: if a running sum is not finite, the result is SumBlocked's.
// Source: [Blanchard-Higham-Mary 2020] Algorithm 3.1.
func SumFAB[T Float](x []T) T {
	if len(x) <= fabBlock {
		return SumSerial(x)
	}
	s, c := SumSerial(x[:fabBlock]), T(0)
	for rest := x[fabBlock:]; len(rest) > 0; {
		b := rest[:min(fabBlock, len(rest))]
		rest = rest[len(b):]
		var e T
		s, e = twoSumBranch(s, SumSerial(b))
		c += e
	}
	return repaid(s, c)
}
