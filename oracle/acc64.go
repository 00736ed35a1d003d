package oracle

import (
	"math"

	"gamma/model"
)

const (
	limbs64 = 70
	base64  = -1075 // a binary64 number of exponent field e >= 1 is m·2^(e-1075)

	// A term's upper part is below 2^53, its lower part below 2^32: 1023 of each fit.
	carry64 = 1023
)

// Acc64 holds the exact sum of any number of binary64 numbers, or of products of two binary32
// numbers, which binary64 holds exactly. The zero value is the empty sum, +0. Copying one copies
// the sum.
//
// Cost: 4 to 6 ns a term in slices, twice that one by one; see BenchmarkSum64 and BenchmarkDot.
type Acc64 struct {
	limb [limbs64]int64
	adds int // terms since the last carry, at most carry64
	seen specials
}

// Reset makes the sum empty.
func (a *Acc64) Reset() { *a = Acc64{} }

// Add adds x.
func (a *Acc64) Add(x float64) { a.addBits(math.Float64bits(x)) }

// Sub subtracts x: it adds -x.
func (a *Acc64) Sub(x float64) { a.addBits(math.Float64bits(x) ^ 1<<63) }

// AddAbs adds |x|.
func (a *Acc64) AddAbs(x float64) { a.addBits(math.Float64bits(x) &^ (1 << 63)) }

// reserve makes room for n terms, carry64 at most, and counts them.
func (a *Acc64) reserve(n int) {
	if a.adds > carry64-n {
		carry(a.limb[:])
		a.adds = 0
	}
	a.adds += n
}

func (a *Acc64) addBits(b uint64) {
	a.reserve(1)
	a.addTerm(b)
}

// addTerm adds a term for which there is room.
func (a *Acc64) addTerm(b uint64) {
	e := b >> 52 & 0x7ff
	m := b & (1<<52 - 1)
	switch e {
	case 0:
		if m == 0 {
			a.seen |= sawPosZero << (b >> 63)
			return
		}
		e = 1
	case 0x7ff:
		if m != 0 {
			a.seen |= sawNaN
		} else {
			a.seen |= sawPosInf << (b >> 63)
		}
		return
	default:
		m |= 1 << 52
	}
	a.seen |= sawNonzero
	s := int64(b) >> 63
	a.limb[e>>5] += int64(m<<(e&31)&limbMask) ^ s - s
	a.limb[e>>5+1] += int64(m>>((limbBits-e&31)&63)) ^ s - s
}

// rare64 reports whether b is a zero, a subnormal, an infinity or a NaN.
func rare64(b uint64) bool { return b<<1-1<<53 >= 0x7fe<<53 }

// addNormal adds a term that is not rare. The caller sets sawNonzero.
func addNormal(limb *[limbs64]int64, b uint64) {
	s := int64(b) >> 63
	m := b&(1<<52-1) | 1<<52
	sh := b >> 52 & 31
	i := b >> 57 & 63
	limb[i] += int64(m<<sh&limbMask) ^ s - s
	limb[i+1] += int64(m>>((limbBits-sh)&63)) ^ s - s
}

// addSlice64 adds the elements of x to a, their bits masked by keep.
func addSlice64[T float32 | float64](a *Acc64, x []T, keep uint64) {
	for len(x) > 0 {
		n := min(len(x), carry64)
		a.reserve(n)
		normal := false
		for _, v := range x[:n] {
			b := math.Float64bits(float64(v)) & keep
			if rare64(b) {
				a.addTerm(b)
				continue
			}
			normal = true
			addNormal(&a.limb, b)
		}
		if normal {
			a.seen |= sawNonzero
		}
		x = x[n:]
	}
}

// AddSlice adds every element of x.
func (a *Acc64) AddSlice(x []float64) { addSlice64(a, x, ^uint64(0)) }

// AddAbsSlice adds the magnitude of every element of x.
func (a *Acc64) AddAbsSlice(x []float64) { addSlice64(a, x, 1<<63-1) }

// AddSlice32 adds every element of x.
func (a *Acc64) AddSlice32(x []float32) { addSlice64(a, x, ^uint64(0)) }

// AddAbsSlice32 adds the magnitude of every element of x.
func (a *Acc64) AddAbsSlice32(x []float32) { addSlice64(a, x, 1<<63-1) }

// AddProduct adds x·y.
//
// Special: 0·Inf is a NaN, and the sign of a product is the product of the signs.
func (a *Acc64) AddProduct(x, y float32) {
	a.addBits(math.Float64bits(float64(float64(x) * float64(y)))) // exact: 48 bits, at least 2^-298
}

// AddAbsProduct adds |x·y|.
func (a *Acc64) AddAbsProduct(x, y float32) {
	a.addBits(math.Float64bits(float64(float64(x)*float64(y))) &^ (1 << 63))
}

// AddProductSlice adds every x[i]·y[i]. It panics if the lengths differ.
func (a *Acc64) AddProductSlice(x, y []float32) { a.addProducts(x, y, ^uint64(0)) }

// AddAbsProductSlice adds every |x[i]·y[i]|. It panics if the lengths differ.
func (a *Acc64) AddAbsProductSlice(x, y []float32) { a.addProducts(x, y, 1<<63-1) }

// addProducts adds the products of elements of x and y, their bits masked by keep.
func (a *Acc64) addProducts(x, y []float32, keep uint64) {
	if len(x) != len(y) {
		panic(lengthMismatch)
	}
	for len(x) > 0 {
		n := min(len(x), carry64)
		a.reserve(n)
		normal := false
		z := y[:n]
		for i, v := range x[:n] {
			b := math.Float64bits(float64(float64(v)*float64(z[i]))) & keep
			if rare64(b) {
				a.addTerm(b)
				continue
			}
			normal = true
			addNormal(&a.limb, b)
		}
		if normal {
			a.seen |= sawNonzero
		}
		x, y = x[n:], y[n:]
	}
}

// AddBits adds the number that b encodes in f. It panics if f is wider than binary64.
func (a *Acc64) AddBits(f model.Format, b uint64) { a.addBits(widen(f, b)) }

// AddProductBits adds the product of the numbers that x and y encode in f. It panics if f has
// values that binary32 lacks.
func (a *Acc64) AddProductBits(f model.Format, x, y uint64) {
	if !fits32(f) {
		panic(tooWide(f))
	}
	a.Add(float64(math.Float64frombits(widen(f, x)) * math.Float64frombits(widen(f, y))))
}

// AddAbsProductBits adds the magnitude of what AddProductBits adds.
func (a *Acc64) AddAbsProductBits(f model.Format, x, y uint64) {
	if !fits32(f) {
		panic(tooWide(f))
	}
	a.AddAbs(float64(math.Float64frombits(widen(f, x)) * math.Float64frombits(widen(f, y))))
}

// value returns the leading bits of the sum.
func (a *Acc64) value() value {
	t := a.limb
	return value{lead(t[:], base64), a.seen}
}

// IsFinite reports whether no term was an infinity or a NaN.
func (a *Acc64) IsFinite() bool { return a.seen.isFinite() }

// IsNaN reports whether the sum is a NaN: a term was, or both infinities were terms.
func (a *Acc64) IsNaN() bool { return a.seen.isNaN() }

// IsZero reports whether the sum is exactly zero.
func (a *Acc64) IsZero() bool { return a.IsFinite() && a.value().m == 0 }

// Sign returns -1, 0 or 1, and 0 for a NaN.
func (a *Acc64) Sign() int { return a.value().sign() }

// Cmp returns the sign of a-b, infinities being equal to themselves; ok is false if either is a NaN.
func (a *Acc64) Cmp(b *Acc64) (c int, ok bool) {
	if !a.IsFinite() || !b.IsFinite() {
		return a.seen.cmp(b.seen)
	}
	s, t := a.limb, b.limb
	carry(s[:])
	carry(t[:])
	return compare(s[:], t[:]), true
}

// Merge adds the terms of b to a; b keeps its value.
func (a *Acc64) Merge(b *Acc64) {
	t := b.limb
	carry(t[:])
	carry(a.limb[:])
	for i := range a.limb {
		a.limb[i] += t[i]
	}
	a.adds = 1 // two carried limbs together are less than the largest term
	a.seen |= b.seen
}

// Neg changes the sign of every term.
func (a *Acc64) Neg() {
	negate(a.limb[:])
	a.seen = a.seen.negated()
}

// Round returns the encoding in f of the sum, rounded once in direction r.
//
// Special: a NaN gives f's canonical NaN; an infinity that f lacks gives f's NaN, or MaxFinite if f
// saturates. An exact cancellation is +0, and -0 toward negative; a sum of -0 alone is -0.
func (a *Acc64) Round(f model.Format, r model.Rounding) uint64 { return a.value().bits(f, r) }

// Float32 returns the sum rounded once to nearest even.
func (a *Acc64) Float32() float32 { return a.value().float32() }

// Float64 returns the sum rounded once to nearest even.
func (a *Acc64) Float64() float64 { return a.value().float64() }

// Interval returns the binary64 numbers next to the sum, which coincide when it is one of them.
//
// Special: beyond the largest finite number hi is +Inf, or lo is -Inf; an infinite sum gives that
// infinity twice, and a NaN gives two NaNs.
func (a *Acc64) Interval() (lo, hi float64) { return a.value().interval() }

// Error returns the binary64 numbers next to |y-a|.
//
// Special: it is (NaN, NaN) if y or the sum is infinite or NaN, except that infinities of the same
// sign differ by 0, and others by +Inf.
func (a *Acc64) Error(y float64) (lo, hi float64) {
	d := *a
	d.Sub(y)
	if !d.IsFinite() {
		return infiniteError(a.seen, float64(y))
	}
	v := d.value()
	v.neg = false
	return v.leading.interval()
}

// Dyadic returns the exact sum. It panics if that is infinite or NaN.
func (a *Acc64) Dyadic() Dyadic {
	if !a.IsFinite() {
		panic(notFiniteSum)
	}
	return NewDyadic(integer(a.limb[:]), base64)
}
