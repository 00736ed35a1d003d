package oracle

import (
	"math"

	"gamma/model"
	"gamma/model/word"
)

// Spread counts rows by error over limit: element 0 those without an error, element k > 0 those with 2^-k <= error/limit < 2^(1-k), but that the first of
// these also has those at the limit, and the last all that are smaller: 40 powers of two are more than any format's errors need.
type Spread [41]int

// SpreadOf returns the element of a Spread that counts an error and its limit, which are not negative.
func SpreadOf(err, limit float64) int {
	if !(err > 0) {
		return 0
	}
	// Of normal numbers this is the floor of the logarithm of the quotient: the difference of the exponents, less the significands' borrow.
	log := int64(math.Float64bits(err)-math.Float64bits(limit)) >> 52
	return int(min(max(-log, 1), int64(len(Spread{})-1)))
}

// Rows32 judges a batch of rows of float32, one after the other in in and out, and returns the worst error over limit of the rows
// that it found within the limit, and that row, or -1. It adds these rows to spread by their ratios, where that is not nil, and appends to unsure the numbers of all other rows, in order, for Judge
// to decide: those outside the limit, those too near to it, and those without an error because a word is not finite, or y is 0, or the
// operand of a root is negative. The ratio errs by less than 2^-19, for reports; for rounded limits it may be up to twice too large where z is
// a power of two.
//
// It panics if in and out are not the same number of whole rows, or as Judge does.
//
// Cost:  9 to 21 ns a row of real numbers, 40 to 75 ns of complex ones, 0.1 to 0.3 µs for operations without a loop of their own; see
// BenchmarkWordRows.
// Proof. Binary64 holds products of two binary32 words exactly, and nothing of this size over- or underflows there, so that a
// difference D, which is z·y-x for a quotient, z²-x for a root and z-exact for the rest, is a sum of binary64 numbers, terms.
//   - First the highest terms are cancelled: t = zh - xh·yh, for instance, one rounding, or the highest words added by 2Sum, none.
//     What is left is added up in any order. All that errs by at most (k+1)u·S for the k <= 9 terms left and S the sum of their
//     magnitudes as computed, u = 2^-53; 2^-49·S is more. S is some 2^-24 of the exact result where a result has two words, and the
//     limit some 2^-46, so that few rows are left over: those that near to the limit, and those where operands cancel.
//   - The size of the exact result is computed with a relative error of at most 10u for a norm and 4u elsewhere, after a part of it
//     that 2^-49·S covers has been taken off. The factor is rounded down by 2^-48 = 32u of itself, more than all that together.
//   - For a root, |z²-x| <= (2B-B²)·x and z >= 0 imply (1-B)²x <= z² <= (1+B)²x, and so |z-√x| <= B√x.
//   - Rows that this leaves go to wordTerms.value, which is nearly as exact as a superaccumulator, and those that even that leaves
//     are unsure.
func (j *WordJudge) Rows32(in, out []float32, limit *WordLimit, unsure []int, spread *Spread) (worst float64, row int, rest []int) {
	if j.f != model.Binary32 {
		panic(notBinary32)
	}
	if limit.rounded && (j.op.Z != 1 || limit.f != j.f) {
		panic(roundedWords)
	}
	b := wordBatch{j: j, n: rows(len(in), len(out), j), in: in, out: out, limit: limit, row: -1, unsure: unsure, spread: spread}
	if spread == nil {
		b.spread = new(Spread)
	}
	o := j.op
	plain := !limit.rounded && !limit.normwise
	two := o.X == 2 && o.Z == 2 && plain && limit.num.Sign() != 0
	exact := o.X == 1 && o.Y <= 1 && o.Z == 2 && plain && limit.num.Sign() == 0
	switch f := o.Function; {
	case limit.below < 0:
		for i := range b.n {
			b.unsure = append(b.unsure, i)
		}
	case exact && f != word.Quotient && f != word.Root && f != word.DotProduct && !o.Complex():
		b.exact()
	case two && (f == word.Sum || f == word.Difference) && o.Y <= 2:
		b.sums()
	case two && f == word.Product && o.Y == 2:
		b.products()
	case two && f == word.Product && o.Y == 1:
		b.scaled()
	case two && f == word.Quotient && o.Y <= 2:
		b.quotients()
	case two && f == word.Root:
		b.roots()
	case two && f == word.ComplexSum && o.Y == 2:
		b.complexSums()
	case f == word.ComplexProduct && limit.normwise && o.X <= 2 && o.Y == o.X && o.Z <= 2:
		b.complexes()
	default:
		for i := range b.n {
			b.slow(i)
		}
	}
	return max(b.worst, 0), b.row, b.unsure
}

// Rows64 is Rows32 for rows of float64. No row that is within the limit is left in unsure.
//
// Cost: that of Judge.
func (j *WordJudge) Rows64(in, out []float64, limit *WordLimit, unsure []int) (worst float64, row int, rest []int) {
	if j.f != model.Binary64 {
		panic(notBinary64)
	}
	row = -1
	for i := range rows(len(in), len(out), j) {
		v := j.Judge64(in[i*j.in:(i+1)*j.in], out[i*j.out:(i+1)*j.out], limit)
		if !v.Within {
			unsure = append(unsure, i)
		} else if row < 0 || v.Ratio > worst {
			worst, row = v.Ratio, i
		}
	}
	return worst, row, unsure
}

// rows returns the number of rows in a batch.
func rows(in, out int, j *WordJudge) int {
	n := in / j.in
	if n*j.in != in || n*j.out != out {
		panic(badRows)
	}
	return n
}

// wordBatch is one call of Rows32.
type wordBatch struct {
	j       *WordJudge
	n       int
	in, out []float32
	limit   *WordLimit
	worst   float64
	row     int
	unsure  []int
	spread  *Spread
}

// within takes a row whose error is d and whose limit is b, both scaled by the same factor.
func (w *wordBatch) within(i int, d, b float64) {
	r := 0.0
	if d > 0 {
		r = min(float64(d/b), 1)
	}
	if w.row < 0 || r > w.worst {
		w.worst, w.row = r, i
	}
}

// slow takes a row that the first test does not decide.
func (w *wordBatch) slow(i int) {
	in, out := w.j.in, w.j.out
	if r, ok := w.j.terms(w.in[i*in:(i+1)*in], w.out[i*out:(i+1)*out], w.limit); ok {
		w.spread[SpreadOf(r, 1)]++
		w.within(i, r, 1)
	} else {
		w.unsure = append(w.unsure, i)
	}
}

// twoSum64 returns a+b rounded, and the rounding error.
//
// Source: [Knuth 1997] Theorem B; nothing here overflows.
func twoSum64(a, b float64) (s, e float64) {
	s = a + b
	v := s - a
	return s, (a - (s - v)) + (b - v)
}

// exact takes sums, products and values of one word in two, which must be exact: the pair that 2Sum returns is the only one for its sum.
func (w *wordBatch) exact() {
	unary, product, minus := w.j.op.Y == 0, w.j.op.Function == word.Product, w.j.op.Function == word.Difference
	for i := range w.n {
		z := w.out[2*i : 2*i+2]
		r, f := twoSum64(float64(z[0]), float64(z[1]))
		var s, e float64
		switch {
		case unary:
			s = float64(w.in[i])
		case product:
			s = float64(float64(w.in[2*i]) * float64(w.in[2*i+1]))
		case minus:
			s, e = twoSum64(float64(w.in[2*i]), -float64(w.in[2*i+1]))
		default:
			s, e = twoSum64(float64(w.in[2*i]), float64(w.in[2*i+1]))
		}
		if r != s || f != e || s-s != 0 {
			w.slow(i)
			continue
		}
		if w.spread[0]++; w.row < 0 {
			w.row = i
		}
	}
}

// sums takes double word ± word or double word.
func (w *wordBatch) sums() {
	factor, worst, y := w.limit.below, -1.0, w.j.op.Y
	sign := 1.0
	if w.j.op.Function == word.Difference {
		sign = -1
	}
	for i := range w.n {
		x := w.in[(2+y)*i : (2+y)*i+2+y]
		z := w.out[2*i : 2*i+2]
		xl, zl, yl := float64(x[1]), float64(z[1]), 0.0
		if len(x) == 4 {
			yl = float64(sign * float64(x[3]))
		}
		d, err, size := summed(float64(x[0]), xl, float64(sign*float64(x[2])), yl, float64(z[0]), zl)
		b := float64(factor * size)
		if !(d+err <= b && err <= float64(0x1p-20*b) && b <= math.MaxFloat64) {
			w.slow(i)
			continue
		}
		if w.spread[SpreadOf(d, b)]++; d > float64(worst*b) {
			w.within(i, d, b)
			worst = w.worst
		} else if w.row < 0 {
			w.row = i
		}
	}
}

// summed returns |z - (x+y)| and its error, and |x+y| or less, for numbers of two words.
func summed(xh, xl, yh, yl, zh, zl float64) (d, err, size float64) {
	s, t := twoSum64(xh, yh)
	c := zh - s
	q := t + (xl + yl)
	err = float64(0x1p-49 * ((math.Abs(c) + math.Abs(zl)) + (math.Abs(t) + (math.Abs(xl) + math.Abs(yl)))))
	return math.Abs((c + zl) - q), err, math.Abs(s+q) - err
}

// complexSums takes sums of complex double words, each component of which is limited.
func (w *wordBatch) complexSums() {
	factor, worst := w.limit.below, -1.0
	for i := range w.n {
		x := w.in[8*i : 8*i+8]
		z := w.out[4*i : 4*i+4]
		d, err, size := summed(float64(x[0]), float64(x[1]), float64(x[4]), float64(x[5]), float64(z[0]), float64(z[1]))
		e, arr, sized := summed(float64(x[2]), float64(x[3]), float64(x[6]), float64(x[7]), float64(z[2]), float64(z[3]))
		b, c := float64(factor*size), float64(factor*sized)
		if !(d+err <= b && err <= float64(0x1p-20*b) && b <= math.MaxFloat64 && e+arr <= c && arr <= float64(0x1p-20*c) && c <= math.MaxFloat64) {
			w.slow(i)
			continue
		}
		k, m := SpreadOf(d, b), SpreadOf(e, c)
		if k == 0 || m > 0 && m < k { // the component nearer to its limit
			k = m
		}
		if w.spread[k]++; d > float64(worst*b) || e > float64(worst*c) {
			w.within(i, d, b)
			w.within(i, e, c)
			worst = w.worst
		} else if w.row < 0 {
			w.row = i
		}
	}
}

// products takes double word times double word.
func (w *wordBatch) products() {
	factor, worst := w.limit.below, -1.0
	for i := range w.n {
		x := w.in[4*i : 4*i+4]
		z := w.out[2*i : 2*i+2]
		xh, xl, yh, yl := float64(x[0]), float64(x[1]), float64(x[2]), float64(x[3])
		zl := float64(z[1])
		t := float64(z[0]) - float64(xh*yh)
		p, q, r := float64(xh*yl), float64(xl*yh), float64(xl*yl)
		d := math.Abs((t + zl) - ((p + q) + r))
		err := float64(0x1p-49 * ((math.Abs(t) + math.Abs(zl)) + ((math.Abs(p) + math.Abs(q)) + math.Abs(r))))
		b := float64(factor * math.Abs(float64((xh+xl)*(yh+yl))))
		if !(d+err <= b && err <= float64(0x1p-20*b) && b <= math.MaxFloat64) {
			w.slow(i)
			continue
		}
		if w.spread[SpreadOf(d, b)]++; d > float64(worst*b) {
			w.within(i, d, b)
			worst = w.worst
		} else if w.row < 0 {
			w.row = i
		}
	}
}

// scaled takes double word times word.
func (w *wordBatch) scaled() {
	factor, worst := w.limit.below, -1.0
	for i := range w.n {
		x := w.in[3*i : 3*i+3]
		z := w.out[2*i : 2*i+2]
		xh, xl, y, zl := float64(x[0]), float64(x[1]), float64(x[2]), float64(z[1])
		t := float64(z[0]) - float64(xh*y)
		p := float64(xl * y)
		d := math.Abs((t + zl) - p)
		err := float64(0x1p-49 * ((math.Abs(t) + math.Abs(zl)) + math.Abs(p)))
		b := float64(factor * math.Abs(float64((xh+xl)*y)))
		if !(d+err <= b && err <= float64(0x1p-20*b) && b <= math.MaxFloat64) {
			w.slow(i)
			continue
		}
		if w.spread[SpreadOf(d, b)]++; d > float64(worst*b) {
			w.within(i, d, b)
			worst = w.worst
		} else if w.row < 0 {
			w.row = i
		}
	}
}

// quotients takes double word over word or double word.
func (w *wordBatch) quotients() {
	factor, worst, y := w.limit.below, -1.0, w.j.op.Y
	for i := range w.n {
		x := w.in[(2+y)*i : (2+y)*i+2+y]
		z := w.out[2*i : 2*i+2]
		xh, xl, yh, yl := float64(x[0]), float64(x[1]), float64(x[2]), 0.0
		if len(x) == 4 {
			yl = float64(x[3])
		}
		zh, zl := float64(z[0]), float64(z[1])
		t := float64(zh*yh) - xh
		p, q, r := float64(zh*yl), float64(zl*yh), float64(zl*yl)
		d := math.Abs((t - xl) + ((p + q) + r))
		err := float64(0x1p-49 * ((math.Abs(t) + math.Abs(xl)) + ((math.Abs(p) + math.Abs(q)) + math.Abs(r))))
		b := float64(factor * math.Abs(xh+xl))
		if !(d+err <= b && err <= float64(0x1p-20*b) && b <= math.MaxFloat64 && yh+yl != 0) {
			w.slow(i)
			continue
		}
		if w.spread[SpreadOf(d, b)]++; d > float64(worst*b) {
			w.within(i, d, b)
			worst = w.worst
		} else if w.row < 0 {
			w.row = i
		}
	}
}

// rootFactor returns 2B-B², rounded down.
func (l *WordLimit) rootFactor() float64 {
	return float64(float64(l.below*(2-l.below)) * (1 - 0x1p-48))
}

// roots takes roots of double words.
func (w *wordBatch) roots() {
	factor, worst := w.limit.rootFactor(), -1.0
	for i := range w.n {
		x := w.in[2*i : 2*i+2]
		z := w.out[2*i : 2*i+2]
		xh, xl, zh, zl := float64(x[0]), float64(x[1]), float64(z[0]), float64(z[1])
		t := float64(zh*zh) - xh
		p, q := float64(2*float64(zh*zl)), float64(zl*zl)
		d := math.Abs((t - xl) + (p + q))
		err := float64(0x1p-49 * ((math.Abs(t) + math.Abs(xl)) + (math.Abs(p) + math.Abs(q))))
		b := float64(factor * (xh + xl))
		if !(d+err <= b && err <= float64(0x1p-20*b) && b <= math.MaxFloat64 && zh+zl >= 0) {
			w.slow(i)
			continue
		}
		if w.spread[SpreadOf(d, b)]++; d > float64(worst*b) {
			w.within(i, d, b)
			worst = w.worst
		} else if w.row < 0 {
			w.row = i
		}
	}
}

// crossed returns |z - (a·c + e·f)| and its error, for numbers of two words.
func crossed(zh, zl, ah, al, ch, cl, eh, el, fh, fl float64) (d, err float64) {
	s, t := twoSum64(float64(ah*ch), float64(eh*fh))
	g := zh - s
	p, q, r := float64(ah*cl), float64(al*ch), float64(al*cl)
	k, m, n := float64(eh*fl), float64(el*fh), float64(el*fl)
	d = math.Abs((g + zl) - (t + ((p + q + r) + (k + m + n))))
	sum := math.Abs(p) + math.Abs(q) + math.Abs(r) + (math.Abs(k) + math.Abs(m) + math.Abs(n))
	return d, float64(0x1p-49 * ((math.Abs(g) + math.Abs(zl)) + (math.Abs(t) + sum)))
}

// complexes takes products of complex numbers, of one or two words a component, whose norm is limited.
func (w *wordBatch) complexes() {
	x, z, factor, rounded := w.j.op.X, w.j.op.Z, w.limit.below, w.limit.rounded
	worst := -1.0 // squared
	for i := range w.n {
		in := w.in[4*x*i : 4*x*i+4*x]
		out := w.out[2*z*i : 2*z*i+2*z]
		var a, b, c, d, al, bl, cl, dl, rl, ml float64
		if len(in) == 8 {
			a, al, b, bl = float64(in[0]), float64(in[1]), float64(in[2]), float64(in[3])
			c, cl, d, dl = float64(in[4]), float64(in[5]), float64(in[6]), float64(in[7])
		} else {
			a, b, c, d = float64(in[0]), float64(in[1]), float64(in[2]), float64(in[3])
		}
		if len(out) == 4 {
			rl, ml = float64(out[1]), float64(out[3])
		}
		dr, er := crossed(float64(out[0]), rl, a, al, c, cl, -b, -bl, d, dl)
		di, ei := crossed(float64(out[z]), ml, a, al, d, dl, b, bl, c, cl)
		re, im, err := dr+er, di+ei, er+ei
		if rounded {
			re, im = beyond(re, out[0]), beyond(im, out[1])
		}
		e2 := float64(float64(re*re) + float64(im*im))
		a, b, c, d = a+al, b+bl, c+cl, d+dl
		b2 := float64(factor * float64((float64(a*a)+float64(b*b))*(float64(c*c)+float64(d*d))))
		if !(e2 <= b2 && float64(err*err) <= float64(0x1p-40*b2) && b2 <= math.MaxFloat64) {
			w.slow(i)
			continue
		}
		e, n := math.Sqrt(e2), math.Sqrt(b2)
		if rounded {
			r := min(max(float64(dr/(half32(out[0])+n)), float64(di/(half32(out[1])+n)), float64(e/n)), 1)
			w.spread[SpreadOf(r, 1)]++
			w.within(i, r, 1)
		} else if w.spread[SpreadOf(e, n)]++; e2 > float64(worst*b2) || w.row < 0 {
			w.within(i, e, n)
			worst = float64(w.worst * w.worst)
		}
	}
}

// half32 returns the lesser distance from z to the end of the numbers that round to it.
func half32(z float32) float64 {
	b := math.Float32bits(z) &^ (1 << 31)
	e := int(max(b>>23, 1))
	if b&(1<<23-1) == 0 && e > 1 {
		e--
	}
	return math.Float64frombits(uint64(e+1023-151) << 52)
}

// beyond returns how far an error d leads beyond what rounding to z explains, or more by a part in 2^51 of d; 0 is strictly within.
func beyond(d float64, z float32) float64 {
	return max(float64(d*(1+0x1p-51))-half32(z), 0)
}

// NormalRows32 appends to bad the numbers of the pairs in x, one after the other, that are not double words; see NormalDW.
//
// Cost: 2 ns a pair.
func NormalRows32(x []float32, bad []int) []int {
	if len(x)&1 != 0 {
		panic(oddPairs)
	}
	for i := 0; i+1 < len(x); i += 2 {
		hi, lo := math.Float32bits(x[i]), math.Float32bits(x[i+1])
		// With exponent fields 25 apart, |lo| is less than half of hi's last place; numbers below a power of two lie closer.
		eh, el := hi>>23&255, lo>>23&255
		if eh < 255 && (eh >= el+25 && hi<<9 != 0 || lo<<1 == 0) {
			continue
		}
		if !NormalDW(model.Binary32, uint64(hi), uint64(lo)) {
			bad = append(bad, i/2)
		}
	}
	return bad
}
