package round

import "gamma/model"

// Convert returns the number that b encodes in src, rounded once into dst.F.
//
// Special: an infinity becomes dst.F's, or what the package comment says of formats that have none or
// saturate. A NaN keeps its sign and becomes quiet; of its fraction the leading bits are kept, as
// many as dst.F has, and zeros appended where dst.F has more. The NaN of a NaNOnes format carries
// no payload: from it comes dst.F's canonical NaN, and to it all payloads go.
// dst.Fl.In flushes b if it is a subnormal number of src.
// Cost:    no allocation.
// Source:  [IEEE 754-2019] §5.4.2, §6.2.3; [OCP FP8 2023].
func Convert(dst Arith, src model.Format, b uint64) uint64 {
	from := Arith{F: src, Fl: dst.Fl}
	x := from.read(b)
	switch x.class {
	case model.ClassNaN:
		return dst.convertNaN(&from, &x)
	case model.ClassInf:
		return dst.infinite(x.neg)
	case model.ClassZero:
		return dst.signed(x.neg, 0)
	}
	return dst.round(x.neg, x.m, x.e)
}

func (a *Arith) convertNaN(from *Arith, x *operand) uint64 {
	r := a.F.NaNBits()
	if a.F.NaNs == model.NaNIEEE && from.F.NaNs == model.NaNIEEE {
		frac := x.bits & (1<<from.fracBits() - 1)
		if n := from.F.P - a.F.P; n >= 0 {
			r |= frac >> n
		} else {
			r |= frac << -n
		}
	}
	return a.signed(x.neg, r)
}
