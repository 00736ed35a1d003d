package fourier

import (
	"math"
	"math/bits"
)

// variance is that of the relative error of a transform, as roundings that are independent of each other make it: of many that each err on their own, and of constants, which err in the same way
// wherever they stand and whose errors add up along the result.
type variance struct{ own, along float64 }

func (v variance) total() float64 { return v.own + float64(v.along*v.along) }

// kappa is the variance of the rounding of a number of which all leading digits are met, relative to its square, in units of u²: (1/12)·(2u)²·E4^⌊log₂|z|⌋/Ez², whose last factor lies between 0.538 and 0.544
// for normal z of any variance.
const kappa = 0.18

// mostTypical is the greatest radix of passes whose roundings are modelled: in sums of many numbers, one after the other, the model has nothing to spare (47.4 of 509 points, and 47.6 is measured).
const mostTypical = 13

// Typical returns the variance of ‖X̃ - X‖₂/‖X‖₂, over u² of the result, that the roundings of a transform of independent random numbers have if each errs by up to half a unit of its place, uniformly and independently of
// the others; ok is false if the claim does not say by which steps N points are transformed. That is so by sums of the definition that are not compensated, by a bound of the claim's own, in double words, where
// Stages says what a transform costs, where N is no power of two and Radix is 0, which leaves open what becomes of odd factors, and where a pass has a prime radix above 13.
//
// Each rounding adds κ = 0.18 in the mean of the numbers that are met, relative to their squares.
//
// Stage of radix 2. It adds κ, and multiplies half of its numbers, by the variance 2κ of a product (1.5κ if fused), and that of its factor, 0.12 in the mean over a circle of parts rounded to nearest. That is 0.42 a stage of products
// that are not by 1 or ∓i. Calibration: the radix-2 kernel of the tests, of 2^16 points, has 0.433. The model takes 0.49 a stage. Factors with errors up to T units, where the claim has T > 0.7072, may all err so: they have T² in the place of 0.12.
//
// Pass of odd prime radix r. Of its numbers (r-1)/r are multiplied by factors, 2κ + 0.12. Each result is a sum of r numbers of one variance, whose partial sums, one after the other, have 2, 3, … r times that:
// κ·((r+1)/2 - 1/r). All but one have r-1 products by constants, of 2κ + μ each: ((r-1)/r)²·(2κ + μ). A constant c + is is rounded to nearest, to within h_c and h_s, half a unit of the places of its parts, so that μ is the mean
// of h_c² + h_s² over the powers of exp(2πi/r). Its error has a part along the result, h_c·|c| + h_s·|s| at most, that is the same in each pass: those of all passes add up to ((r-1)/r)² times the mean of these. Results by sums
// and differences of x_j and x_(r-j) have less: of radix 3, 5 and 7 their sums and products add 2.33κ, 3.64κ and 4.8κ, in the place of 2.56κ, 4.08κ and 5.33κ here. Calibration: at 37 pairs of a kernel and a length, of 75 to 3,125 points, in binary32,
// the model has 1.34 to 1.9 times what is measured, by products of complex numbers one after the other, by sums and differences, by Winograd's constants for radix 5, and by package fft (TestTypicalModel).
//
// Bluestein's algorithm, M the power of two from 2N-1 on: x∘c, 2κ + 0.12; a transform of M points; the product by that of b, whose factors have 0.12 and whose transform may have the errors of M points, 2κ; the inverse; c once more,
// 2κ + 0.12. Errors in the middle are spread evenly over M numbers, of which N are results. Since |B_k|² is 2N-1 in the mean, and the numbers of Y have one variance, the M numbers have 2N/M <= 1 times as
// large squares in the mean as the results, so that no error counts for more than it is. Calibration: of 97, 101, 509 and 997 points the model has 1.7 to 2.4 times what is measured of package fft, which computes the transform of b in
// double words.
//
// By the definition with compensated sums there are a product, its factor and the rounding of the sum, 0.48 in all, for which the model takes 0.60. A result that is rounded once to a shorter format has 0.22. Real data of even length have a
// step more, and a scale that is no power of two a product by a constant, which errs along the result by one unit at most.
//
// Source: [Gamma Y2].
func (c Claim) Typical(t Transform) (v float64, ok bool) {
	c = c.WithDefaults()
	power, prime := t.N&(t.N-1) == 0, greatestPrime(t.N)
	if c.Method != Passes && !c.Compensated || c.Own != nil || c.Stages != nil || c.Inside.Double() || !power && c.Method == Passes && (c.Radix == 0 || mostTypical < prime && prime <= c.Radix) {
		return 0, false
	}
	u, inside := c.Out.U(), c.Inside.U()
	factor, each := 0.12, 0.49
	if c.Twiddle > Rounded { // as far off as that allows, all of them
		factor = float64(c.Twiddle * c.Twiddle)
		each += float64((factor - 0.12) / 2)
	}
	var sum variance
	switch {
	case c.Method == Direct:
		sum.own = each + 0.11
	case !power && prime > c.Radix:
		sum.own = float64(3*each*float64(bits.Len(uint(padded(t.N)))-1)) + float64(6*kappa) + float64(3*factor)
	default:
		factors(t.N, func(r int) {
			if r == 2 {
				sum.own += each
				return
			}
			p := c.pass(r, factor)
			sum.own, sum.along = sum.own+p.own, sum.along+p.along
		})
	}
	finer := float64(inside/u) * float64(inside/u)
	if t.Data != Complex || t.Scale == ByRootN {
		sum.own++
	}
	if t.Scale == ByN && !power {
		sum.own, sum.along = sum.own+kappa, sum.along+1
	}
	if v = float64(sum.total() * finer); inside != u {
		v += 0.22 // rounded once
	}
	return v, true
}

// pass returns the variance of a pass of odd prime radix r, whose twiddle factors have factor.
func (c Claim) pass(r int, factor float64) (p variance) {
	share := 1 - 1/float64(r)
	mu, along := 0.0, 0.0
	for j := 1; j < r; j++ {
		sin, cos := math.Sincos(float64(2 * math.Pi * float64(j) / float64(r)))
		h, g := halfUnit(cos), halfUnit(sin)
		mu += float64(h*h) + float64(g*g)
		along += float64(h*math.Abs(cos)) + float64(g*math.Abs(sin))
	}
	mu, along = mu/float64(r-1), along/float64(r-1)
	if c.Twiddle > Rounded {
		mu, along = factor, c.Twiddle
	}
	sums := float64(r+1)/2 - 1/float64(r)
	p.own = float64(share*(2*kappa+factor)) + float64(kappa*sums) + float64(share*share*(2*kappa+mu))
	p.along = float64(share * share * along)
	return p
}

// halfUnit returns half a unit of the place of a number below 1, in units of u: how far it may be off when it is rounded. ∓½ is exact.
func halfUnit(x float64) float64 {
	m, e := math.Frexp(math.Abs(x))
	if m < 0.5+0x1p-40 || m > 1-0x1p-40 {
		return 0
	}
	return math.Ldexp(0.5, e)
}
