package oracle

import (
	"math"

	"gamma/model"
)

const (
	limbs32 = 12
	base32  = -150 // a binary32 number of exponent field e >= 1 is m·2^(e-150)

	// A term is below 2^24·2^31 = 2^55 in its limb, and 2^32 remain after a carry:
	// 255·2^55 + 2^32 < 2^63 - 2^32.
	carry32 = 255
)

// Acc32 holds the exact sum of any number of binary32 numbers, or of narrower ones.
// The zero value is the empty sum, +0. Copying one copies the sum.
//
// Domain:  every binary32 value, infinities and NaNs included.
// Rounding: none before Round, Float32, Float64 or Interval.
// Cost:    3 ns a term in slices of 64, 1 to 2 in longer ones, 5 one by one; see BenchmarkSum.
type Acc32 struct {
	limb [limbs32]int64
	adds int // terms since the last carry, at most carry32
	seen specials
}

// Reset makes the sum empty.
func (a *Acc32) Reset() { *a = Acc32{} }

// Add adds x.
func (a *Acc32) Add(x float32) { a.addBits(math.Float32bits(x)) }

// Sub subtracts x: it adds -x.
func (a *Acc32) Sub(x float32) { a.addBits(math.Float32bits(x) ^ 1<<31) }

// AddAbs adds |x|.
func (a *Acc32) AddAbs(x float32) { a.addBits(math.Float32bits(x) &^ (1 << 31)) }

func (a *Acc32) addBits(b uint32) {
	a.reserve(1)
	e := b >> 23 & 0xff
	m := int64(b & (1<<23 - 1))
	switch e {
	case 0:
		if m == 0 {
			a.seen |= sawPosZero << (b >> 31)
			return
		}
		e = 1
	case 0xff:
		a.special(b)
		return
	default:
		m |= 1 << 23
	}
	a.seen |= sawNonzero
	s := int64(int32(b) >> 31)
	a.limb[e>>5] += m<<(e&31) ^ s - s
}

// special notes an infinity or a NaN.
func (a *Acc32) special(b uint32) {
	if b<<9 != 0 {
		a.seen |= sawNaN
	} else {
		a.seen |= sawPosInf << (b >> 31)
	}
}

// AddSlice adds every element of x.
func (a *Acc32) AddSlice(x []float32) { a.addSlice(x, ^uint32(0), nil) }

// AddAbsSlice adds the magnitude of every element of x.
func (a *Acc32) AddAbsSlice(x []float32) { a.addSlice(x, 1<<31-1, nil) }

// AddBothSlice adds every element of x to a, and its magnitude to abs, another accumulator.
//
// Cost: that of AddSlice, since terms of each sign are summed separately anyway.
func (a *Acc32) AddBothSlice(x []float32, abs *Acc32) { a.addSlice(x, ^uint32(0), abs) }

// addSlice adds the elements of x, their bits masked by keep, and, unless abs is nil, their
// magnitudes to abs.
func (a *Acc32) addSlice(x []float32, keep uint32, abs *Acc32) {
	if len(x) >= bins32Least {
		a.addBinned(x, keep, abs)
		return
	}
	for len(x) > 0 {
		n := min(len(x), carry32)
		a.reserve(n)
		if abs != nil {
			abs.reserve(n)
		}
		a.addBlock(x[:n], keep, abs)
		x = x[n:]
	}
}

// reserve makes room for n terms, carry32 at most, and counts them.
func (a *Acc32) reserve(n int) {
	if a.adds > carry32-n {
		carry(a.limb[:])
		a.adds = 0
	}
	a.adds += n
}

// addBlock adds the elements of x, for which there is room. The four top bits of a term are its
// sign and its limb; two tables break the chains of additions to one entry.
func (a *Acc32) addBlock(x []float32, keep uint32, abs *Acc32) {
	var t, u [16]uint64
	rare := rare32{acc: a, abs: abs}
	i := 0
	for ; i < len(x)-1; i += 2 {
		b, c := math.Float32bits(x[i])&keep, math.Float32bits(x[i+1])&keep
		if b<<1-1<<24 >= 0xfe<<24 || c<<1-1<<24 >= 0xfe<<24 {
			rare.add(b)
			rare.add(c)
			continue
		}
		t[b>>28] += uint64(b&(1<<23-1)|1<<23) << (b >> 23 & 31)
		u[c>>28] += uint64(c&(1<<23-1)|1<<23) << (c >> 23 & 31)
	}
	if i < len(x) {
		rare.add(math.Float32bits(x[i]) & keep)
	}
	for i := range 8 {
		a.limb[i] += int64(t[i] + u[i] - t[i+8] - u[i+8])
	}
	a.note(rare.zeros[0], rare.zeros[1], len(x))
	if abs == nil {
		return
	}
	for i := range 8 {
		abs.limb[i] += int64(t[i] + u[i] + t[i+8] + u[i+8])
	}
	abs.note(rare.zeros[0]+rare.zeros[1], 0, len(x))
}

// rare32 adds the terms of a block that need special handling, and counts zeros by sign.
type rare32 struct {
	acc, abs *Acc32
	zeros    [2]int
}

func (r *rare32) add(b uint32) {
	e := b >> 23 & 0xff
	m := int64(b & (1<<23 - 1))
	switch {
	case e == 0xff:
		r.acc.special(b)
		if r.abs != nil {
			r.abs.special(b &^ (1 << 31))
		}
		return
	case e != 0:
		m |= 1 << 23
	case m == 0:
		r.zeros[b>>31]++
		return
	default:
		e = 1
	}
	m <<= e & 31
	s := int64(int32(b) >> 31)
	r.acc.limb[e>>5] += m ^ s - s
	if r.abs != nil {
		r.abs.limb[e>>5] += m
	}
}

// note records the signs of zeros among n terms.
func (a *Acc32) note(pos, neg, n int) {
	if pos > 0 {
		a.seen |= sawPosZero
	}
	if neg > 0 {
		a.seen |= sawNegZero
	}
	if pos+neg < n {
		a.seen |= sawNonzero
	}
}

// fits32 reports whether every value of f is one of binary32.
func fits32(f model.Format) bool {
	return f.P <= 24 && f.Emax <= 127 && f.Emin-f.P >= -126-24
}

// AddBits adds the number that b encodes in f. It panics if f has values that binary32 lacks.
func (a *Acc32) AddBits(f model.Format, b uint64) {
	if f.P == 24 && f.ExpBits == 8 && f.NaNs == model.NaNIEEE {
		a.addBits(uint32(b))
		return
	}
	if !fits32(f) {
		panic(tooWide(f))
	}
	sign := uint32(b >> (f.Bits() - 1) & 1)
	switch f.Class(b) {
	case model.ClassNaN:
		a.seen |= sawNaN
		return
	case model.ClassInf:
		a.seen |= sawPosInf << sign
		return
	}
	a.reserve(1)
	_, m, e := f.Decode(b)
	if m == 0 {
		a.seen |= sawPosZero << sign
		return
	}
	a.seen |= sawNonzero
	e -= base32
	s := -int64(sign)
	a.limb[e>>5] += int64(m)<<(e&31) ^ s - s
}

// AddBitsSlice adds every number that x encodes in f, 16 bits at most. It panics if f has values
// that binary32 lacks.
func (a *Acc32) AddBitsSlice(f model.Format, x []uint16) { a.addBitsSlice(f, x, ^uint64(0)) }

// AddAbsBitsSlice adds the magnitude of every number that x encodes in f, 16 bits at most. It
// panics if f has values that binary32 lacks.
func (a *Acc32) AddAbsBitsSlice(f model.Format, x []uint16) {
	a.addBitsSlice(f, x, f.SignBit()-1)
}

func (a *Acc32) addBitsSlice(f model.Format, x []uint16, keep uint64) {
	if !fits32(f) {
		panic(tooWide(f))
	}
	frac, expMask := f.P-1, uint64(1)<<f.ExpBits-1
	sign := f.Bits() - 1
	last := f.Emin - f.P + 1 - base32 - 1 // exponent of the last place for exponent field 0, minus base32
	for _, v := range x {
		b := uint64(v) & keep
		e := b >> (frac & 63) & expMask
		if e == 0 || e == expMask {
			a.AddBits(f, b)
			continue
		}
		a.reserve(1)
		a.seen |= sawNonzero
		m := int64(b&(1<<(frac&63)-1) | 1<<(frac&63))
		sh := uint(int(e) + last)
		s := -int64(b >> (sign & 63) & 1)
		a.limb[sh>>5] += m<<(sh&31) ^ s - s
	}
}

// value returns the leading bits of the sum.
func (a *Acc32) value() value {
	t := a.limb
	return value{lead(t[:], base32), a.seen}
}

// IsFinite reports whether no term was an infinity or a NaN.
func (a *Acc32) IsFinite() bool { return a.seen.isFinite() }

// IsNaN reports whether the sum is a NaN: a term was, or both infinities were terms.
func (a *Acc32) IsNaN() bool { return a.seen.isNaN() }

// IsZero reports whether the sum is exactly zero.
func (a *Acc32) IsZero() bool { return a.IsFinite() && a.value().m == 0 }

// Sign returns -1, 0 or 1, and 0 for a NaN.
func (a *Acc32) Sign() int { return a.value().sign() }

// Cmp returns the sign of a-b, infinities being equal to themselves; ok is false if either is a NaN.
func (a *Acc32) Cmp(b *Acc32) (c int, ok bool) {
	if !a.IsFinite() || !b.IsFinite() {
		return a.seen.cmp(b.seen)
	}
	s, t := a.limb, b.limb
	carry(s[:])
	carry(t[:])
	return compare(s[:], t[:]), true
}

// Merge adds the terms of b to a; b keeps its value.
func (a *Acc32) Merge(b *Acc32) {
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
func (a *Acc32) Neg() {
	negate(a.limb[:])
	a.seen = a.seen.negated()
}

// Round returns the encoding in f of the sum, rounded once in direction r.
//
// Special: a NaN gives f's canonical NaN; an infinity that f lacks gives f's NaN, or MaxFinite if f
// saturates. An exact cancellation is +0, and -0 toward negative; a sum of -0 alone is -0.
func (a *Acc32) Round(f model.Format, r model.Rounding) uint64 { return a.value().bits(f, r) }

// Float32 returns the sum rounded once to nearest even.
func (a *Acc32) Float32() float32 { return a.value().float32() }

// Float64 returns the sum rounded once to nearest even.
func (a *Acc32) Float64() float64 { return a.value().float64() }

// Interval returns the binary64 numbers next to the sum, which coincide when it is one of them.
//
// Special: beyond the largest finite number hi is +Inf, or lo is -Inf; an infinite sum gives that
// infinity twice, and a NaN gives two NaNs.
func (a *Acc32) Interval() (lo, hi float64) { return a.value().interval() }

// Error returns the binary64 numbers next to |y-a|.
//
// Special: it is (NaN, NaN) if y or the sum is infinite or NaN, except that infinities of the same
// sign differ by 0, and others by +Inf.
func (a *Acc32) Error(y float32) (lo, hi float64) {
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
func (a *Acc32) Dyadic() Dyadic {
	if !a.IsFinite() {
		panic(notFiniteSum)
	}
	return NewDyadic(integer(a.limb[:]), base32)
}
