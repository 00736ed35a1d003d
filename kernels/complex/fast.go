package complex

import "math"

// MultiplyDD sets dst to the products of the complex double words of x and y: DD.Times1 for vectors, only with operations of float32.
//
// Shape:    all lengths are 4n.
// Rounding: bit for bit ComplexDW1 where every product of high words is in the domain of eft.TwoProductFMA, or is zero: below it,
// the error of a product is not rounded as fma(a, b, -p) is. Nothing overflows that does not overflow there.
// Error:    (5√2+3)u²·|x·y| of the norm, and terms of u³.
// Alias:    dst may be x or y.
// Cost:     each high word is split once for its two products, by clearing bits: see cut. On amd64 four numbers at a time go through
// registers of four lanes, in assembly, with the same bits: it has no fused operation, and SSE2 is in every such processor.
func MultiplyDD(dst, x, y []float32) {
	fits(dst, x, y, 4, 4)
	n := byFour(dst, x, y)
	oneByOne(dst[n:], x[n:], y[n:])
}

// oneByOne is MultiplyDD in Go, one number at a time.
func oneByOne(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := 3; i < len(dst); i += 4 {
		ah, al, bh, bl := x[i-3], x[i-2], x[i-1], x[i]
		ch, cl, dh, dl := y[i-3], y[i-2], y[i-1], y[i]
		a1, b1, c1, d1 := cut(ah), cut(bh), cut(ch), cut(dh)
		a2, b2, c2, d2 := ah-a1, bh-b1, ch-c1, dh-d1

		ph := float32(ah * ch)
		pl := float32(a1*c1) - ph
		pl += float32(a1 * c2)
		pl += float32(a2 * c1)
		pl += float32(a2 * c2)
		pl += float32(ah*cl) + float32(al*ch)
		p := ph + pl
		pl -= p - ph

		qh := float32(bh * dh)
		ql := float32(b1*d1) - qh
		ql += float32(b1 * d2)
		ql += float32(b2 * d1)
		ql += float32(b2 * d2)
		ql += float32(bh*dl) + float32(bl*dh)
		q := qh + ql
		ql -= q - qh

		dst[i-3], dst[i-2] = accurate(p, pl, -q, -ql)

		rh := float32(ah * dh)
		rl := float32(a1*d1) - rh
		rl += float32(a1 * d2)
		rl += float32(a2 * d1)
		rl += float32(a2 * d2)
		rl += float32(ah*dl) + float32(al*dh)
		r := rh + rl
		rl -= r - rh

		sh := float32(bh * ch)
		sl := float32(b1*c1) - sh
		sl += float32(b1 * c2)
		sl += float32(b2 * c1)
		sl += float32(b2 * c2)
		sl += float32(bh*cl) + float32(bl*ch)
		s := sh + sl
		sl -= s - sh

		dst[i-1], dst[i] = accurate(r, rl, s, sl)
	}
}

// cut returns the upper 12 bits of v's significand; v - cut(v) has the sign of v and the lower 12.
//
// Dekker's product is exact with halves of 12 and 12 bits, too. Proof: let a and b be integers below 2^24, scaled so that the last
// bits of both significands are 1, and p = RN(ab), a multiple of its ulp 2^k (of 1, where that is less), 0 <= k <= 24, with |ab-p| <= 2^(k-1) and ab < 2^(k+24). The
// high halves a1, b1 are multiples of 2^12, and the low ones a2, b2 integers below 2^12. Every product of halves has 24 bits.
//   - a1b1 - p is a multiple of 2^k, since 2^24 divides a1b1, and between -2^(k+24) and 2^(k-1): exact.
//   - Adding a1b2 gives (ab-p) - a2b, a multiple of min(2^k, 2^12). If k >= 12, it is at most 2^23 + (2^12-1)(2^24-1) < 2^36: exact.
//     Otherwise ab < 2^36 and a2b <= ab, so that it is at most 2^(k-1) + ab: a multiple of 2^k, and exact as a number up to 2^(k+24).
//   - Adding a2b1 gives (ab-p) - a2b2, of the same multiple, at most 2^23 + 2^24 in the one case, and less than before in the other.
//   - Adding a2b2 gives ab-p, which a word holds.
//
// No step overflows where p does not, since cut(v) is no larger than v. Below the rule of eft.TwoProductFMA bits may lie under 2^-149.
func cut(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1<<12 - 1)) }

// accurate is dd.AccuratePlus.
func accurate(xh, xl, yh, yl float32) (zh, zl float32) {
	sh := xh + yh
	a := sh - yh
	sl := (xh - a) + (yh - (sh - a))
	th := xl + yl
	b := th - yl
	tl := (xl - b) + (yl - (th - b))
	c := sl + th
	vh := sh + c
	w := tl + (c - (vh - sh))
	zh = vh + w
	return zh, w - (zh - vh)
}
