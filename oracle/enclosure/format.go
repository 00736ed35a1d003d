package enclosure

import (
	"math"

	"gamma/model"
)

// format is a floating-point format as the evaluation needs it.
type format struct {
	model.Format
	emin, p  int
	limit    float64 // 2^emax·(2-u), or its like: from here on a result overflows
	greatest float64 // the largest finite number
	least    float64 // the least normal number
	drop     uint    // how many bits binary64 has more
	rest     uint64  // these bits
	unit     float64 // ulp of 1
	first    uint64  // the bits of least
	beyond   uint64  // and of limit
	twice    float64 // 1 + 2^-8: what a second rounding, from a format of at least eight bits more, adds to half an ulp
}

func newFormat(f model.Format) format {
	step := math.Ldexp(1, f.Emax-f.P+1)
	g := float64(float64(f.MaxFinite) * step)
	limit := g + float64(step/2)
	if f.MaxFinite%2 == 0 {
		limit = up(limit) // a tie goes to the even number
	}
	least := math.Ldexp(1, f.Emin)
	beyond := math.Float64bits(limit)
	if f.P == 53 {
		beyond = math.Float64bits(least) // no number is short of bits
	}
	return format{
		Format: f, emin: f.Emin, p: f.P, limit: limit, greatest: g, least: least,
		drop: uint(53 - f.P), rest: 1<<(53-f.P) - 1, unit: math.Ldexp(1, 1-f.P), first: math.Float64bits(least), beyond: beyond, twice: 1 + 0x1p-8,
	}
}

// ulp returns the distance of f's numbers in the binade of |x|, at a power of two in the one above it. Beyond f's range it goes on as if
// that had no end, since a finer format may hold such numbers; of an infinity it is infinite.
func (f *format) ulp(x float64) float64 {
	const exponent = 0x7ff << 52
	return float64(math.Float64frombits(max(math.Float64bits(x)&exponent, f.first)) * f.unit)
}

// ulps returns k ulps about x, rounded up where that is subnormal in binary64.
func (f *format) ulps(k, x float64) float64 {
	l := float64(k * f.ulp(x))
	if l < 0x1p-1022 && k > 0 {
		return up(l)
	}
	return l
}

// holds reports whether the finite number x is one of f.
func (f *format) holds(x float64) bool {
	b := math.Float64bits(x)
	if int(b>>52&0x7ff)-1023 >= f.emin {
		return b<<(f.p+11) == 0 && math.Abs(x) <= f.greatest
	}
	u := f.ulp(x)
	return x == 0 || math.Trunc(x/u) == x/u
}

// nearest returns the number of f nearest to x, the even one of two: x rounded, monotone in x. Above the greatest number it is what f's
// overflow gives, with an infinity for a NaN, which the caller has to tell from it.
func (f *format) nearest(x float64) float64 {
	if b := math.Float64bits(x); f.normal(b) {
		return f.short(b)
	}
	return f.nearestElsewhere(x)
}

// normal reports whether the number with bits b, rounded, is a normal number of f.
func (f *format) normal(b uint64) bool { return b&^(1<<63)-f.first < f.beyond-f.first }

// short returns that: the bits that f has not are rounded away; a carry out of the fraction is the next binade.
func (f *format) short(b uint64) float64 {
	return math.Float64frombits((b + f.rest>>1 + b>>(f.drop&63)&1) &^ f.rest)
}

// nearestElsewhere is nearest for what is no normal number of f.
func (f *format) nearestElsewhere(x float64) float64 {
	if !(math.Abs(x) < f.limit) {
		if x != x {
			return x
		}
		if f.Overflow == model.OverflowSaturate {
			return math.Copysign(f.greatest, x)
		}
		return math.Copysign(math.Inf(1), x)
	}
	u := f.ulp(x)
	return float64(math.RoundToEven(x/u) * u)
}

// image returns the numbers of f to which numbers of x round.
func (f *format) image(x interval) interval { return interval{f.nearest(x.lo), f.nearest(x.hi)} }

// overflows returns x with an infinity beside it where a result in x may overflow f, all rounding errors included.
func (f *format) overflows(x interval) interval {
	if x.hi >= f.limit {
		x.hi = math.Inf(1)
	}
	if x.lo <= -f.limit {
		x.lo = math.Inf(-1)
	}
	return x
}
