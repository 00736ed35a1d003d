package real

import (
	"math"
	"math/bits"
)

// Sin encloses sin x.
//
// Domain:  every x. 0 gives 0 exactly; infinities give NaN. Never beyond 1 in magnitude.
// Error:   the ends are the neighbours of a number with δ <= 2^-60, or, where x is within 2^-39 of a multiple of π/2, what the slow half gives.
//
// Below 2^-27, x - x³/6 < sin x < x.
func Sin(x float64) (lo, hi float64) {
	switch {
	case x != x || x == 0:
		return x, x
	case math.IsInf(x, 0):
		return math.NaN(), math.NaN()
	case math.Abs(x) < 0x1p-27:
		return inward(x)
	}
	return circular(x, 0, Bits.Sin)
}

// Cos encloses cos x. As [Sin]; cos 0 = 1 exactly, and below 2^-27, 1 - x² < cos x < 1.
func Cos(x float64) (lo, hi float64) {
	switch {
	case x == 0:
		return 1, 1
	case x != x || math.IsInf(x, 0):
		return math.NaN(), math.NaN()
	case math.Abs(x) < 0x1p-27:
		return inward(1)
	}
	return circular(x, 1, Bits.Cos)
}

func circular(x float64, shift int, slow func(Bits, Interval) Interval) (lo, hi float64) {
	k, r, rl, ok := reduceAngle(x)
	if !ok {
		return slow(64, Point(x)).Float64()
	}
	lo, hi = around(sinSum(k+shift, r, rl))
	return max(lo, -1), min(hi, 1)
}

// Tan encloses tan x.
//
// Domain:  every x. 0 gives 0 exactly; infinities give NaN.
// Error:   the ends are the neighbours of a number with δ <= 2^-58, or, where x is within 2^-39 of a multiple of π/2, what the slow half gives.
//
// The ratio of sin x and cos x: their errors and those of ratio, 2^-100. Below 2^-27, x < tan x < x + x³·0.34.
func Tan(x float64) (lo, hi float64) {
	switch {
	case x != x || x == 0:
		return x, x
	case math.IsInf(x, 0):
		return math.NaN(), math.NaN()
	case math.Abs(x) < 0x1p-27:
		return outward(x)
	}
	k, r, rl, ok := reduceAngle(x)
	if !ok {
		return Bits(64).Tan(Point(x)).Float64()
	}
	return around(tanSum(k, r, rl))
}

// tanSum returns a sum for tan(k·π/2 + r + rl), from what reduceAngle returns.
func tanSum(k int, r, rl float64) (q, c float64) {
	s, sl := normal(sinSum(k, r, rl))
	d, dl := normal(sinSum(k+1, r, rl))
	return ratio(s, sl, d, dl)
}

// normal returns s + t, |t| <= |s|, with the second below half an ulp of the first.
func normal(s, t float64) (h, l float64) {
	h = s + t
	return h, t - (h - s)
}

// sinSum returns s + t = sin(k·π/2 + r + rl), with δ <= 2^-61, for |r| <= 0.8 and |rl| <= 2^-54.
//
// |r| = j/32 + u with the nearest j, exactly, since |r| >= j/64, and |u| <= 1/64. With S = sin j/32 and C = cos j/32, double words: sin|r| = S +
// C·u + S·(cos u - 1) + C·(sin u - u), and rl adds rl·(C - S·u), off by 2^-106; cos|r| is the same with C for S and -S for C.
//
// Truncation: sin u - u leaves out u^9/9! < 2^-72, below 2^-66 of u; cos u - 1 leaves out u^10/10! < 2^-81.
// Roundings: C·u is made exact by a fused operation, and its FastTwoSum with S, since S = 0 or S >= 2^-5.1 > |C·u|. If j > 0, the result is above
// 2^-6, and S below twice the result. S·(cos u - 1) < S·2^-13 is rounded four times, 2^-63 of the result together; C·(sin u - u) < 2^-20.5 five
// times, 2^-65; the three sums with both, 3·2^-65·1.2, and that with the error of the FastTwoSum, 2^-65. All else is below 2^-50 of the result
// and rounded by 2^-100. Together less than 2^-61.5, and cos|r| > 0.7 comes off better. If j = 0, sin|r| = u + u³·(…) + rl, and what follows u is
// below 2^-14.5 of it, rounded six times: 2^-64.
func sinSum(k int, r, rl float64) (s, t float64) {
	negative := k&2 != 0
	if r < 0 {
		r, rl = -r, -rl
		negative = negative != (k&1 == 0)
	}
	k32 := float64(r*32) + toInteger // rounded to nearest, where r·32 + 0.5 would round up just below a half
	u := r - float64((k32-toInteger)*(1./32))
	row := &circleTable[math.Float64bits(k32)&31]
	a, al, b, bl := row[0], row[1], row[2], row[3]
	if k&1 != 0 {
		a, al, b, bl = b, bl, -a, -al
	}
	u2 := float64(u * u)
	sine := float64(float64(u*u2) * (-1./6 + float64(u2*(1./120-float64(u2*(1./5040))))))
	cosine := float64(u2 * (-0.5 + float64(u2*(1./24+float64(u2*(-1./720+float64(u2*(1./40320))))))))
	p := float64(b * u)
	pl := math.FMA(b, u, -p) + float64(bl*u)
	s = a + p
	t = p - (s - a)
	t += ((al + pl) + float64(rl*(b-float64(a*u)))) + (float64(a*cosine) + float64(b*sine))
	if negative {
		return -s, -t
	}
	return s, t
}

// product256 returns x·2/π modulo 4, in units of 2^-254, off by less than 2^53 units, which are missing, for finite |x| >= 1/2.
//
// |x| = M·2^E. The bits of 2/π with weights of 2^(2-E) and more give multiples of 4. The next 256, times M, are 256 bits of the product once what
// is a multiple of 4 is dropped; bits after those are less than one unit, and M of them less than 2^53.
func product256(x float64) (p [4]uint64) {
	b := math.Float64bits(x)
	exponent := int(b>>52&0x7ff) - 1075
	m := b&(1<<52-1) | 1<<52
	at := exponent + 62 // where the bit of weight 2^(1-E) stands in twoOverPi, which begins with weight 2^63
	word, shift := at>>6, uint(at&63)
	var carry uint64
	for i := 3; i >= 0; i-- {
		w := twoOverPi[word+i]<<shift | twoOverPi[word+i+1]>>(64-shift)
		hi, lo := bits.Mul64(m, w)
		var c uint64
		p[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	return p
}

// reduceAngle returns x = k·π/2 + r + rl modulo 2π, for |x| >= 2^-27, |r| <= π/4 + 2^-50, the sum off by less than 2^-86 of r; or not ok where
// |r| may be too small for that.
//
// With g the distance of x·2/π from the nearest integer, 128 bits of it hold g >= 2^-40 up to 2^-127, and r = g·π/2 is a product of double words:
// 2^-88, 2^-104.
func reduceAngle(x float64) (k int, r, rl float64, ok bool) {
	if math.Abs(x) <= 0.78 { // below π/4
		return 0, x, 0, true
	}
	p := product256(x)
	k = int(p[0] >> 62)
	f, g := p[0]<<2|p[1]>>62, p[1]<<2|p[2]>>62
	negative := f>>63 != 0
	if negative { // the integer above is nearer: 2^128 - 1 less the bits is off by one unit or less
		k++
		f, g = ^f, ^g
	}
	if f < 1<<24 {
		return 0, 0, 0, false
	}
	zeros := bits.LeadingZeros64(f)
	f, g = f<<zeros|g>>(64-zeros), g<<zeros
	h := float64(float64(f>>11) * math.Float64frombits(uint64(1023-53-zeros)<<52))
	l := float64(float64(f&0x7ff<<53|g>>11) * math.Float64frombits(uint64(1023-117-zeros)<<52))
	r = float64(h * halfPiHi)
	rl = math.FMA(h, halfPiHi, -r) + (float64(h*halfPiLo) + float64(l*halfPiHi))
	r, rl = normal(r, rl)
	if negative {
		r, rl = -r, -rl
	}
	if x < 0 {
		return -k, -r, -rl, true
	}
	return k, r, rl, true
}
