package enclosure

import (
	"math"

	"gamma/model/formula"
)

// next returns the number of f above x, one of f's.
func (f *format) next(x float64) float64 {
	if x >= 0 {
		return x + f.ulp(x)
	}
	// Toward zero the distance is that of the binade below where |x| is a power of two.
	u := f.ulp(x)
	if half := u / 2; f.holds(x + half) {
		u = half
	}
	return x + u
}

// inside returns the numbers of f in x, which contains one.
func (f *format) inside(x interval) interval {
	lo, hi := f.nearest(x.lo), f.nearest(x.hi)
	if lo < x.lo {
		lo = f.next(lo)
	}
	if hi > x.hi {
		hi = -f.next(-hi)
	}
	return interval{lo, hi}
}

// rounded returns what may be stored of a result of step s whose exact values lie in z, and the greatest local error; x is the
// operand, for promises that depend on it.
func (r *run) rounded(s *step, z, x interval) (t interval, l float64) {
	f := &r.p.f
	pr := &s.promise
	if !pr.None && (z.isInfinity() || z == point(0) && x.isInfinity()) {
		return z, 0 // of an infinity, or at a pole: the functions' special values are part of their definition
	}
	switch {
	case pr.None:
		return everything, math.Inf(1)
	case pr.Ulps > 0 || pr.Slope > 0 || pr.Abs > 0:
		l = promised(f, pr, z, x)
		t = f.overflows(z.widen(l))
		if r.p.claim.Exactly {
			t = f.inside(t)
		}
	case z.isPoint() && f.holds(z.lo):
		t = z
	case r.p.claim.Exactly && !s.fusible:
		t, l = f.image(z), f.ulp(z.magnitude())/2
	default:
		l = f.ulp(z.magnitude()) / 2 * f.twice
		t = f.overflows(z.widen(l))
	}
	return r.flushed(t, z, l)
}

// flushed adds to t, and to its error l, the zero that a tiny result in z may become.
func (r *run) flushed(t, z interval, l float64) (interval, float64) {
	if !r.p.claim.Flush.Any() || z.lo >= r.p.f.least || z.hi <= -r.p.f.least || z == point(0) {
		return t, l
	}
	return t.hull(point(0)), up(l + min(z.magnitude(), r.p.f.least))
}

// promised returns the greatest error of a function over operands in x whose exact values lie in z.
func promised(f *format, p *formula.Promise, z, x interval) float64 {
	k := p.Ulps
	if p.Slope > 0 {
		k += math.Floor(min(up(p.Slope*x.magnitude()), 1<<30))
	}
	if p.OfRounded {
		k += 0.5
	}
	l := k * f.ulp(z.magnitude())
	switch {
	case p.Abs == 0 || x.hi < p.Lo || x.lo > p.Hi:
		return l
	case p.Lo <= x.lo && x.hi <= p.Hi:
		return p.Abs
	}
	return max(l, p.Abs)
}
