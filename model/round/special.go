package round

import "gamma/model"

// nan returns the NaN that operands propagate: the first signaling one, else the first quiet one,
// made quiet; ok is false when none is a NaN.
func (a *Arith) nan(xs ...*operand) (b uint64, ok bool) {
	var first *operand
	for _, x := range xs {
		if x.class != model.ClassNaN {
			continue
		}
		if a.signaling(x) {
			return a.quiet(x.bits), true
		}
		if first == nil {
			first = x
		}
	}
	if first == nil {
		return 0, false
	}
	return a.quiet(first.bits), true
}

// signaling reports whether the NaN x is a signaling one.
func (a *Arith) signaling(x *operand) bool {
	return a.F.NaNs == model.NaNIEEE && x.bits>>(a.fracBits()-1)&1 == 0
}

// quiet returns the NaN b with its quiet bit set.
func (a *Arith) quiet(b uint64) uint64 {
	if a.F.NaNs == model.NaNIEEE {
		b |= 1 << (a.fracBits() - 1)
	}
	return b
}

// invalid returns the NaN of an operation that has no result.
func (a *Arith) invalid() uint64 { return a.F.NaNBits() }

// infinite returns an exact infinity, or what stands for it in a format without infinities or one that saturates.
func (a *Arith) infinite(neg bool) uint64 {
	switch {
	case a.F.Overflow == model.OverflowSaturate:
		return a.signed(neg, a.maxBits())
	case a.F.HasInf:
		return a.signed(neg, a.F.InfBits())
	}
	return a.signed(neg, a.F.NaNBits())
}

// overflow returns what a finite result beyond MaxFinite becomes.
func (a *Arith) overflow(neg bool) uint64 {
	switch {
	case a.R == model.TowardZero, a.R == model.TowardPositive && neg, a.R == model.TowardNegative && !neg:
		return a.signed(neg, a.maxBits())
	case a.F.Overflow == model.OverflowNaN:
		return a.signed(neg, a.F.NaNBits())
	}
	return a.infinite(neg)
}

// zero returns the zero of a sum of two zeros, or of two numbers that cancel, with these signs.
func (a *Arith) zero(neg1, neg2 bool) uint64 {
	if neg1 == neg2 {
		return a.signed(neg1, 0)
	}
	return a.signed(a.R == model.TowardNegative, 0)
}
