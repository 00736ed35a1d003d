package round

import (
	"math/bits"

	"gamma/model"
)

// round returns the encoding of (-1)^neg · m · 2^e, rounded once, with overflow and flush.
//
// Domain: m > 0. Where m >= 2^(P+1) its last bit may be jammed: an odd m then stands for any value
// strictly between m-1 and m+1, all of which round to the same number.
func (a *Arith) round(neg bool, m uint64, e int) uint64 {
	f := &a.F
	lz := bits.LeadingZeros64(m)
	m <<= lz
	top := e - lz + 63 // 2^top <= |value| < 2^(top+1)
	if top > f.Emax {
		return a.overflow(neg)
	}
	drop := uint(64 - f.P)
	var r uint64 // the encoding, but for the significand
	if top >= f.Emin {
		r = uint64(top-f.Emin) << a.fracBits()
	} else {
		if a.Fl.Out {
			return a.flush(neg, m, top)
		}
		drop += uint(f.Emin - top)
		if drop > 64 { // far below half the least subnormal
			m, drop = 1, 64
		}
	}
	// The hidden bit of a normal significand adds 1 to the exponent field, and so does a carry.
	kept := m >> drop
	if rest := m - kept<<drop; rest != 0 && a.away(neg, kept, rest, 1<<(drop-1)) {
		kept++
	}
	r += kept
	if r > a.maxBits() {
		return a.overflow(neg)
	}
	return a.signed(neg, r)
}

// flush returns what the value (-1)^neg · m · 2^(top-63), less than 2^Emin, becomes where subnormal
// results are flushed: 2^Emin if P bits and an unbounded exponent would round it there and that
// counts, else zero.
//
// Domain: m >= 2^63, its last bit may be jammed.
func (a *Arith) flush(neg bool, m uint64, top int) uint64 {
	drop := uint(64 - a.F.P)
	kept := m >> drop
	rest := m - kept<<drop
	if !a.Fl.Before && top == a.F.Emin-1 && kept == 1<<uint(a.F.P)-1 &&
		rest != 0 && a.away(neg, kept, rest, 1<<(drop-1)) {
		return a.signed(neg, 1<<a.fracBits())
	}
	return a.signed(neg, 0)
}

// away reports whether a magnitude that lies rest above kept, where 2·half is the distance to
// kept+1 and rest > 0, goes to kept+1.
func (a *Arith) away(neg bool, kept, rest, half uint64) bool {
	switch a.R {
	case model.NearestEven:
		return rest > half || rest == half && kept&1 != 0
	case model.NearestAway:
		return rest >= half
	case model.TowardPositive:
		return !neg
	case model.TowardNegative:
		return neg
	case model.TowardZero:
		return false
	}
	panic(badRounding(a.R))
}

// round128 is round for the value hi·2^(e+64) + lo·2^e, which it jams into 64 bits.
//
// Domain: hi and lo not both 0; lo's last bit may be jammed where hi > 0.
func (a *Arith) round128(neg bool, hi, lo uint64, e int) uint64 {
	if hi == 0 {
		return a.round(neg, lo, e)
	}
	lz := uint(bits.LeadingZeros64(hi))
	hi = hi<<lz | lo>>(64-lz)
	lo <<= lz
	if lo != 0 {
		hi |= 1
	}
	return a.round(neg, hi, e+64-int(lz))
}

// shiftJam returns m·2^-n, the last bit set if anything was shifted out.
func shiftJam(m uint64, n uint) uint64 {
	if n >= 64 {
		return min(m, 1)
	}
	r := m >> n
	if r<<n != m {
		r |= 1
	}
	return r
}

// shiftJam128 is shiftJam for the 128-bit integer hi·2^64 + lo.
func shiftJam128(hi, lo uint64, n uint) (uint64, uint64) {
	switch {
	case n == 0:
		return hi, lo
	case n < 64:
		return hi >> n, hi<<(64-n) | shiftJam(lo, n)
	case lo != 0:
		hi |= 1 // the last bit that stays, or lost and jammed in turn
	}
	return 0, shiftJam(hi, n-64)
}
