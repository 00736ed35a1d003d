package complex

import "math"

// MultiplyDD sets dst to the products of the complex double words of x and y: DD.Times1 in operations of float32 alone, for vectors.
//
// Shape:   all lengths are 4n.
// Rounding: bit for bit ComplexDW1 where every product of high words keeps the rule of eft.TwoProductFMA, or is zero: below, the
// error of a product is not rounded as fma(a, b, -p) is. Nothing overflows that does not overflow there.
// Error:   (5√2+3)u²·|x·y| of the norm, and terms of u³.
// Alias:   dst may be x or y.
// Cost:    each high word is split once for its two products, by clearing bits: see cut.
func MultiplyDD(dst, x, y []float32) {
	fits(dst, x, y, 4, 4)
	for len(dst) >= 4 && len(x) >= 4 && len(y) >= 4 {
		ah, al, bh, bl := x[0], x[1], x[2], x[3]
		ch, cl, dh, dl := y[0], y[1], y[2], y[3]
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

		dst[0], dst[1] = accurate(p, pl, -q, -ql)

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

		dst[2], dst[3] = accurate(r, rl, s, sl)
		dst, x, y = dst[4:], x[4:], y[4:]
	}
}

// cut returns the upper 12 bits of v's significand; v - cut(v) has the sign of v and the lower 12.
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
