package trig

import (
	"math"
	"math/bits"

	"gamma/kernels"
	"gamma/kernels/dd"
	"gamma/kernels/eft"
)

// limit32 is where Cody and Waite's three constants end. Up to there k has 17 bits, and the reduction errs by at most 67,237·9.5e-23 = 6.4e-18,
// while no binary32 number but 0 is nearer to a multiple of π/2 than 4.1e-9.
const limit32 = 105615

// limit64 is where two constants end: k has at most 20 bits.
const limit64 = 0x1p20

// reduce32 returns k mod 4 and r = x - k·π/2.
//
// Domain:  |x| finite.
// Range:   |r| <= π/4·(1+2^-6): k comes from a rounded product, and misses the nearest integer by a little where there are two.
// Error:   below limit32 the subtraction of the first product is exact, since x and k·half1 are multiples of 2^-23 or of x's own last bit and nearly cancel;
// the other two subtractions round once each.
func reduce32(x float32) (quadrant int, r float32) {
	if x < -limit32 || x > limit32 {
		q, wide := payneHanek(float64(x))
		return q, float32(wide.Hi)
	}
	k := float32(math.RoundToEven(float64(x * twoOverPi)))
	r = kernels.FMA(-k, half1, x)
	r = kernels.FMA(-k, half2, r)
	return int(k) & 3, kernels.FMA(-k, half3, r)
}

// reduce64 returns k mod 4 and r = x - k·π/2.
//
// Domain:  |x| finite.
// Error:   two constants leave k·1.5e-33. Where that is not below 2^-60·|r|, because x is beside a multiple of π/2 or large,
// Payne and Hanek's way is taken. So r is off by half an ulp of the first difference, unless that is exact, and half an ulp of its own.
func reduce64(x float64) (quadrant int, r float64) {
	if math.Abs(x) <= limit64 {
		k := math.RoundToEven(float64(x * twoOverPi))
		r = math.FMA(-k, wide1, x)
		r = math.FMA(-k, wide2, r)
		if k == 0 || math.Abs(r) >= float64(0x1p-49*math.Abs(k)) {
			return int(k) & 3, r
		}
	}
	q, wide := payneHanek(x)
	return q, wide.Hi
}

// payneHanek returns k mod 4 and r = x - k·π/2 in two words, |r| <= π/4.
//
// x is m·2^e with m below 2^53. Bits of 2/π whose product with 2^e is a multiple of 4 do not matter, and of those after them 192 are taken: a
// window w with x·2/π = m·w·2^-190 mod 4 but for less than m·2^-190, which is 2^-137. The low 192 bits of m·w are k mod 4, two bits, and the
// fraction f, of which 117 bits from its first one on are multiplied by π/2 in two words.
//
// Domain:  finite x with 2^-9 <= |x|.
// Error:   2^-136 absolutely, and less than 2^-100 of r: two products of words by low words, and their sums, round. The nearest binary64 number to
// a multiple of π/2 that is known, 6381956970095103·2^797, is 2^-60.9 from it, where r is within 2^-75 of itself.
// Source:  [Payne-Hanek 1983].
func payneHanek(x float64) (quadrant int, r dd.DD64) {
	encoding := math.Float64bits(x)
	m, e := encoding&(1<<52-1)|1<<52, int(encoding>>52&0x7ff)-1075
	from := uint(e - 2 + 64) // the bit of weight 2^(1-e), as twoOverPiBits counts
	word, shift := from/64, from%64
	var w [3]uint64 // the lowest first
	for i := range w {
		w[2-i] = twoOverPiBits[word+uint(i)]<<shift | twoOverPiBits[word+uint(i)+1]>>(64-shift)
	}
	h0, p0 := bits.Mul64(m, w[0])
	h1, l1 := bits.Mul64(m, w[1])
	p1, carry := bits.Add64(l1, h0, 0)
	p2 := m*w[2] + h1 + carry

	quadrant = int(p2 >> 62)
	p2, p1, p0 = p2<<2|p1>>62, p1<<2|p0>>62, p0<<2 // the fraction alone
	negative := x < 0
	if p2>>63 != 0 { // above one half: the next integer is nearer
		quadrant = (quadrant + 1) & 3
		var borrow uint64
		p0, borrow = bits.Sub64(0, p0, 0)
		p1, borrow = bits.Sub64(0, p1, borrow)
		p2, _ = bits.Sub64(0, p2, borrow)
		negative = !negative
	}
	if x < 0 {
		quadrant = -quadrant & 3
	}
	r = times(p2, p1, p0)
	if negative {
		r = r.Neg()
	}
	return quadrant, r
}

// times returns f·π/2 where f is a fraction of 192 bits, the highest word first and not zero.
func times(p2, p1, p0 uint64) dd.DD64 {
	z := bits.LeadingZeros64(p2)
	a, b := p2<<z|p1>>(64-z), p1<<z|p0>>(64-z)
	unit := math.Float64frombits(uint64(1023-53-z) << 52)
	hi, lo := float64(float64(a>>11)*unit), float64(float64(a<<53|b>>11)*0x1p-64*unit)
	p, e := eft.TwoProductFMA(hi, wide1)
	e += float64(hi*wide2) + float64(lo*wide1)
	s, t := eft.FastTwoSum(p, e)
	return dd.DD64{Hi: s, Lo: t}
}
