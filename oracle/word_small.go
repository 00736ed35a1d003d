package oracle

import (
	"math"
	"math/bits"

	"gamma/model"
	"gamma/model/word"
)

// wordSmall is m·2^e with |m| < 2^62, for rows that fit in machine words: nearly all of toy formats.
type wordSmall struct {
	m int64
	e int
}

// bitLen returns the bits of |m|.
func bitLen(m int64) int { return bits.Len64(magnitude(m)) }

// magnitude returns |m|.
func magnitude(m int64) uint64 {
	if m < 0 {
		m = -m
	}
	return uint64(m)
}

// smallSum adds up words, with ok = false if that does not fit or if one is not finite.
func smallSum(f *model.Format, words []uint64) (s wordSmall, ok bool) {
	for _, b := range words {
		if !wordFinite(f, b) {
			return s, false
		}
		m, e := wordTerm(f, b)
		if s, ok = s.add(wordSmall{m, e}, false); !ok {
			return s, false
		}
	}
	return s, true
}

// add returns s+t, or s-t.
func (s wordSmall) add(t wordSmall, minus bool) (r wordSmall, ok bool) {
	if minus {
		t.m = -t.m
	}
	switch {
	case t.m == 0:
		return s, true
	case s.m == 0:
		return t, true
	case s.e < t.e:
		s, t = t, s
	}
	k := s.e - t.e
	if k+bitLen(s.m) > 61 || bitLen(t.m) > 61 {
		return s, false
	}
	return wordSmall{s.m<<k + t.m, t.e}, true
}

// mul returns s·t.
func (s wordSmall) mul(t wordSmall) (r wordSmall, ok bool) {
	return wordSmall{s.m * t.m, s.e + t.e}, bitLen(s.m)+bitLen(t.m) <= 62
}

// lower returns s with the exponent e, which is no greater.
func (s wordSmall) lower(e int) (r wordSmall, ok bool) {
	if s.m == 0 {
		return wordSmall{0, e}, true
	}
	k := s.e - e
	return wordSmall{s.m << (k & 63), e}, k+bitLen(s.m) <= 62
}

// smallCompare returns the sign of |a|·i - |b|·j, with ok = false if that does not fit.
func smallCompare(a wordSmall, i uint64, b wordSmall, j uint64) (sign int, ok bool) {
	ah, al := bits.Mul64(magnitude(a.m), i)
	bh, bl := bits.Mul64(magnitude(b.m), j)
	az, bz := ah|al == 0, bh|bl == 0
	switch k := a.e - b.e; {
	case az || bz:
	case k > 0:
		if ah, al, ok = smallShift(ah, al, k); !ok {
			return 0, false
		}
	case k < 0:
		if bh, bl, ok = smallShift(bh, bl, -k); !ok {
			return 0, false
		}
	}
	switch {
	case ah == bh && al == bl:
		return 0, true
	case ah < bh || ah == bh && al < bl:
		return -1, true
	}
	return 1, true
}

// smallShift returns a number of 128 bits times 2^k.
func smallShift(h, l uint64, k int) (hi, lo uint64, ok bool) {
	n := bits.Len64(h) + 64
	if h == 0 {
		n = bits.Len64(l)
	}
	switch {
	case n+k > 128:
		return 0, 0, false
	case k >= 64:
		return l << (k - 64), 0, true
	}
	return h<<k | l>>(64-k), l << k, true
}

// smallNorm returns a² + b² times i, in 192 bits; |a| and |b| are below 2^62.
func smallNorm(a, b int64, i uint64) (n [3]uint64) {
	ah, al := bits.Mul64(magnitude(a), magnitude(a))
	bh, bl := bits.Mul64(magnitude(b), magnitude(b))
	l, c := bits.Add64(al, bl, 0)
	h, _ := bits.Add64(ah, bh, c)
	mid, low := bits.Mul64(l, i)
	top, m := bits.Mul64(h, i)
	mid, c = bits.Add64(mid, m, 0)
	return [3]uint64{top + c, mid, low}
}

// float returns |s|, nearly.
func (s wordSmall) float() float64 { return math.Ldexp(float64(magnitude(s.m)), s.e) }

// judgeSmall is judge for rows that fit in machine words and are finite, and limits that are not rounded.
func (j *WordJudge) judgeSmall(in, out []uint64, limit *WordLimit) (v WordVerdict, ok bool) {
	f, o := &j.f, j.op
	var n [4]wordSmall
	numbers := 1
	if o.Y > 0 {
		numbers = 2
	}
	numbers *= j.parts
	at := 0
	for i := range numbers {
		words := o.X
		if i >= j.parts {
			words = o.Y
		}
		if n[i], ok = smallSum(f, in[at:at+words]); !ok {
			return v, false
		}
		at += words
	}
	var z, d, e [2]wordSmall
	for c := range j.parts {
		if z[c], ok = smallSum(f, out[c*o.Z:(c+1)*o.Z]); !ok {
			return v, false
		}
	}
	if o.Function == word.Root {
		return j.smallRoot(n[0], z[0], limit)
	}
	if !smallExact(o.Function, &n, &z, &e) {
		return v, false
	}
	for c := range j.parts {
		if d[c], ok = z[c].add(e[c], true); !ok {
			return v, false
		}
	}
	if limit.normwise {
		return smallNormwise(&d, &e, limit)
	}
	num, den := limit.num.Uint64(), limit.den.Uint64()
	worst, ratio := -1, 0.0
	for c := range j.parts {
		sign, ok := smallCompare(d[c], den, e[c], num)
		if !ok {
			return v, false
		}
		worst = max(worst, sign)
		ratio = max(ratio, overLimit(smallRatio(d[c].float(), e[c].float()), limit))
	}
	return settle(worst, ratio), true
}

// smallExact sets e to the exact result for the operands n, and reports whether it fits. For a quotient e is the dividend, and z is
// multiplied by the divisor.
func smallExact(function word.Function, n *[4]wordSmall, z, e *[2]wordSmall) (ok bool) {
	ok = true
	var fits bool
	switch function {
	case word.Value:
		e[0] = n[0]
	case word.Sum, word.Difference:
		e[0], ok = n[0].add(n[1], function == word.Difference)
	case word.Product:
		e[0], ok = n[0].mul(n[1])
	case word.Quotient:
		e[0] = n[0]
		z[0], fits = z[0].mul(n[1])
		ok = fits && n[1].m != 0
	case word.ComplexSum:
		e[0], ok = n[0].add(n[2], false)
		e[1], fits = n[1].add(n[3], false)
		ok = ok && fits
	case word.ComplexProduct:
		var p [4]wordSmall
		for i, f := range [4][2]int{{0, 2}, {1, 3}, {0, 3}, {1, 2}} {
			if p[i], ok = n[f[0]].mul(n[f[1]]); !ok {
				return false
			}
		}
		e[0], ok = p[0].add(p[1], true)
		e[1], fits = p[2].add(p[3], false)
		ok = ok && fits
	}
	return ok
}

// smallNormwise compares the norm of the errors d with that of the exact result e.
func smallNormwise(d, e *[2]wordSmall, limit *WordLimit) (v WordVerdict, ok bool) {
	low := min(d[0].e, d[1].e, e[0].e, e[1].e)
	for c := range d {
		if d[c], ok = d[c].lower(low); !ok {
			return v, false
		}
		if e[c], ok = e[c].lower(low); !ok {
			return v, false
		}
	}
	errs, sizes := smallNorm(d[0].m, d[1].m, limit.den.Uint64()), smallNorm(e[0].m, e[1].m, limit.num.Uint64())
	sign := 0
	for i := 2; i >= 0; i-- {
		switch {
		case errs[i] < sizes[i]:
			sign = -1
		case errs[i] > sizes[i]:
			sign = 1
		}
	}
	return settle(sign, overLimit(smallRatio(math.Hypot(float64(d[0].m), float64(d[1].m)), math.Hypot(float64(e[0].m), float64(e[1].m))), limit)), true
}

// smallRatio returns a/b, and 0 for 0/0.
func smallRatio(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}

// smallRoot compares z with (1-B)√x and (1+B)√x, all of them squared, for z >= 0 and B < 1.
func (j *WordJudge) smallRoot(x, z wordSmall, limit *WordLimit) (v WordVerdict, ok bool) {
	num, den := limit.num.Uint64(), limit.den.Uint64()
	square, ok := z.mul(z)
	if !ok || limit.normwise || x.m < 0 || z.m < 0 || num >= den || den >= 1<<31 {
		return v, false
	}
	d, ok := square.add(x, true)
	if !ok {
		return v, false
	}
	above, ok := smallCompare(square, den*den, x, (den+num)*(den+num))
	if !ok {
		return v, false
	}
	below, ok := smallCompare(x, (den-num)*(den-num), square, den*den)
	if !ok {
		return v, false
	}
	zf, xf := z.float(), x.float()
	return settle(max(above, below), overLimit(smallRatio(smallRatio(d.float(), xf), 1+smallRatio(zf, math.Sqrt(xf))), limit)), true
}
