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
// last operand, on which promises depend.
func (r *run) rounded(s *step, z, x interval) (t interval, l float64) {
	f := &r.p.f
	pr := &s.promise
	if !pr.None && (z.isInfinity() || z == point(0) && x.isInfinity()) {
		return z, 0 // of an infinity, or at a pole: the functions' special values are part of their definition
	}
	switch {
	case pr.None || pr.To > 0 && !(x.abs().lo >= pr.From && x.abs().hi <= pr.To):
		return everything, math.Inf(1)
	case pr.Ulps > 0 || pr.Slope > 0 || pr.Abs > 0:
		l = promised(f, pr, z, x)
		if r.p.flaw == halfUlps {
			l /= 2
		}
		t = f.overflows(z.widen(l))
		if r.p.claim.Exactly {
			t = f.inside(t)
		}
	case z.isInfinity() || z.isPoint() && f.holds(z.lo):
		t = z
	case r.p.claim.Exactly && !s.fusible:
		t, l = f.image(z), r.p.halfUlp(z)
	default:
		l = r.p.halfUlp(z) * 2 * r.p.share(s)
		if t = z.widen(l); r.p.flaw != noOverflow {
			t = f.overflows(t)
		}
	}
	return r.flushed(t, z, l)
}

// share returns what part of an ulp the result of a correctly rounded operation may be off, at least: half of it, and what a second
// rounding adds. The last operation's rounding is that of the result, unless that has another format, so that only the second is left.
func (p *Program) share(s *step) float64 {
	if s.last && p.out.Format == p.f.Format {
		return (p.f.twice - 1) / 2
	}
	return p.f.twice / 2
}

// halfUlp bounds the error of one rounding of a result in z.
func (p *Program) halfUlp(z interval) float64 {
	switch p.flaw {
	case halfRounding:
		return p.f.ulp(z.magnitude()) / 4
	case lowerUlp:
		return p.f.ulp(min(math.Abs(z.lo), math.Abs(z.hi))) / 2
	case noUnderflow:
		return math.Ldexp(p.f.ulp(math.Ldexp(z.magnitude(), 40)), -41)
	}
	return p.f.ulp(z.magnitude()) / 2
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
