package oracle

import (
	"math"
	"math/bits"

	"gamma/model"
)

const (
	limbsDot = 136
	baseDot  = -2150 // a product of exponent fields d, e >= 1 is m·2^(d+e-2150)

	// Every part of a term is below 2^32: 2^30 of each fit.
	carryDot = 1 << 30
)

// AccDot64 holds the exact sum of any number of products of two binary64 numbers, and of binary64
// numbers. The zero value is the empty sum, +0. Copying one copies the sum.
//
// Cost: about 10 ns a term.
type AccDot64 struct {
	limb [limbsDot]int64
	adds int // terms since the last carry, at most carryDot
	seen specials
}

// Reset makes the sum empty.
func (a *AccDot64) Reset() { *a = AccDot64{} }

// Add adds x.
func (a *AccDot64) Add(x float64) { a.addProduct(math.Float64bits(x), math.Float64bits(1)) }

// Sub subtracts x: it adds -x.
func (a *AccDot64) Sub(x float64) { a.addProduct(math.Float64bits(x), math.Float64bits(-1)) }

// AddAbs adds |x|.
func (a *AccDot64) AddAbs(x float64) {
	a.addProduct(math.Float64bits(x)&^(1<<63), math.Float64bits(1))
}

// AddSlice adds every element of x.
func (a *AccDot64) AddSlice(x []float64) {
	for _, v := range x {
		a.Add(v)
	}
}

// AddAbsSlice adds the magnitude of every element of x.
func (a *AccDot64) AddAbsSlice(x []float64) {
	for _, v := range x {
		a.AddAbs(v)
	}
}

// AddProduct adds x·y.
//
// Special: 0·Inf is a NaN, and the sign of a product is the product of the signs.
func (a *AccDot64) AddProduct(x, y float64) {
	a.addProduct(math.Float64bits(x), math.Float64bits(y))
}

// AddAbsProduct adds |x·y|.
func (a *AccDot64) AddAbsProduct(x, y float64) {
	a.addProduct(math.Float64bits(x)&^(1<<63), math.Float64bits(y)&^(1<<63))
}

// AddProductSlice adds every x[i]·y[i]. It panics if the lengths differ.
func (a *AccDot64) AddProductSlice(x, y []float64) {
	if len(x) != len(y) {
		panic(lengthMismatch)
	}
	for i, v := range x {
		a.AddProduct(v, y[i])
	}
}

// AddAbsProductSlice adds every |x[i]·y[i]|. It panics if the lengths differ.
func (a *AccDot64) AddAbsProductSlice(x, y []float64) {
	if len(x) != len(y) {
		panic(lengthMismatch)
	}
	for i, v := range x {
		a.AddAbsProduct(v, y[i])
	}
}

// AddBits adds the number that b encodes in f. It panics if f is wider than binary64.
func (a *AccDot64) AddBits(f model.Format, b uint64) {
	a.addProduct(widen(f, b), math.Float64bits(1))
}

// AddProductBits adds the product of the numbers that x and y encode in f. It panics if f is wider
// than binary64.
func (a *AccDot64) AddProductBits(f model.Format, x, y uint64) {
	a.addProduct(widen(f, x), widen(f, y))
}

// AddAbsProductBits adds the magnitude of what AddProductBits adds.
func (a *AccDot64) AddAbsProductBits(f model.Format, x, y uint64) {
	a.addProduct(widen(f, x)&^(1<<63), widen(f, y)&^(1<<63))
}

func (a *AccDot64) addProduct(x, y uint64) {
	if a.adds == carryDot {
		carry(a.limb[:])
		a.adds = 0
	}
	a.adds++
	sign := (x ^ y) >> 63
	d, e := uint(x>>52&0x7ff), uint(y>>52&0x7ff)
	m, n := x&(1<<52-1), y&(1<<52-1)
	if d == 0x7ff || e == 0x7ff {
		switch {
		case d == 0x7ff && m != 0, e == 0x7ff && n != 0, x<<1 == 0, y<<1 == 0:
			a.seen |= sawNaN // a NaN, or 0·Inf
		default:
			a.seen |= sawPosInf << sign
		}
		return
	}
	if x<<1 == 0 || y<<1 == 0 {
		a.seen |= sawPosZero << sign
		return
	}
	a.seen |= sawNonzero
	if d == 0 {
		d = 1
	} else {
		m |= 1 << 52
	}
	if e == 0 {
		e = 1
	} else {
		n |= 1 << 52
	}
	hi, lo := bits.Mul64(m, n) // 106 bits
	i := (d + e) >> 5
	sh := (d + e) & 31
	top := hi >> (64 - sh)
	hi = hi<<sh | lo>>(64-sh)
	lo <<= sh
	s := -int64(sign)
	a.limb[i] += int64(lo&limbMask) ^ s - s
	a.limb[i+1] += int64(lo>>limbBits) ^ s - s
	a.limb[i+2] += int64(hi&limbMask) ^ s - s
	a.limb[i+3] += int64(hi>>limbBits) ^ s - s
	a.limb[i+4] += int64(top) ^ s - s
}

// value returns the leading bits of the sum.
func (a *AccDot64) value() value {
	t := a.limb
	return value{lead(t[:], baseDot), a.seen}
}

// IsFinite reports whether no term was an infinity or a NaN.
func (a *AccDot64) IsFinite() bool { return a.seen.isFinite() }

// IsNaN reports whether the sum is a NaN: a term was, or both infinities were terms.
func (a *AccDot64) IsNaN() bool { return a.seen.isNaN() }

// IsZero reports whether the sum is exactly zero.
func (a *AccDot64) IsZero() bool { return a.IsFinite() && a.value().m == 0 }

// Sign returns -1, 0 or 1, and 0 for a NaN.
func (a *AccDot64) Sign() int { return a.value().sign() }

// Cmp returns the sign of a-b, infinities being equal to themselves; ok is false if either is a NaN.
func (a *AccDot64) Cmp(b *AccDot64) (c int, ok bool) {
	if !a.IsFinite() || !b.IsFinite() {
		return a.seen.cmp(b.seen)
	}
	s, t := a.limb, b.limb
	carry(s[:])
	carry(t[:])
	return compare(s[:], t[:]), true
}

// Merge adds the terms of b to a; b keeps its value.
func (a *AccDot64) Merge(b *AccDot64) {
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
func (a *AccDot64) Neg() {
	negate(a.limb[:])
	a.seen = a.seen.negated()
}

// Round returns the encoding in f of the sum, rounded once in direction r.
//
// Special: a NaN gives f's canonical NaN; an infinity that f lacks gives f's NaN, or MaxFinite if f
// saturates. An exact cancellation is +0, and -0 toward negative; a sum of -0 alone is -0.
func (a *AccDot64) Round(f model.Format, r model.Rounding) uint64 { return a.value().bits(f, r) }

// Float32 returns the sum rounded once to nearest even.
func (a *AccDot64) Float32() float32 { return a.value().float32() }

// Float64 returns the sum rounded once to nearest even.
func (a *AccDot64) Float64() float64 { return a.value().float64() }

// Interval returns the binary64 numbers next to the sum, which coincide when it is one of them.
//
// Special: beyond the largest finite number hi is +Inf, or lo is -Inf; an infinite sum gives that
// infinity twice, and a NaN gives two NaNs.
func (a *AccDot64) Interval() (lo, hi float64) { return a.value().interval() }

// Error returns the binary64 numbers next to |y-a|.
//
// Special: it is (NaN, NaN) if y or the sum is infinite or NaN, except that infinities of the same
// sign differ by 0, and others by +Inf.
func (a *AccDot64) Error(y float64) (lo, hi float64) {
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
func (a *AccDot64) Dyadic() Dyadic {
	if !a.IsFinite() {
		panic(notFiniteSum)
	}
	return NewDyadic(integer(a.limb[:]), baseDot)
}
