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
	if half := float64(u / 2); f.holds(x + half) {
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
	if r.p.flaw == ofExact {
		misread := s.promise
		misread.OfRounded = false
		pr = &misread
	}
	switch {
	case silent(pr, x):
		return everything, math.Inf(1)
	case z.isInfinity() || z == point(0) && x.isInfinity():
		return z, 0 // of an infinity, or at a pole: the functions' special values are part of their definition
	case pr.Ulps > 0 || pr.Slope > 0 || pr.Abs > 0:
		t, l = f.around(z, func(z interval) float64 {
			l := promised(f, pr, z, x)
			if r.p.flaw == halfUlps {
				l /= 2
			}
			return l
		})
		t = f.overflows(t)
		if r.p.claim.Exactly {
			t = f.inside(t)
		}
	case z.isInfinity() || z.isPoint() && f.holds(z.lo):
		t = z
	case r.p.claim.Exactly && !s.fusible:
		if t, l = f.image(z), r.p.ulpsOf(0.5, z); !t.isPoint() && x.isPoint() {
			t = f.nearer(s.Op, x.lo, t)
		}
	default:
		t, l = f.around(z, func(z interval) float64 { return r.p.ulpsOf(r.p.ulps(s), z) })
		if r.p.flaw != noOverflow {
			t = f.overflows(t)
		}
	}
	if pr.InRange {
		t = t.meet(valuesOf(s.Op))
	}
	return r.flushed(t, z, l)
}

// valuesOf returns the range of a function, whose ends are numbers of every format. A reciprocal root has none: of -0 it is -Inf.
func valuesOf(op formula.Op) interval {
	switch op {
	case formula.OpExp, formula.OpExp2, formula.OpSqrt:
		return interval{0, math.Inf(1)}
	case formula.OpExpm1:
		return interval{-1, math.Inf(1)}
	case formula.OpTanh, formula.OpErf, formula.OpSin, formula.OpCos, formula.OpSinPi, formula.OpCosPi:
		return interval{-1, 1}
	}
	return everything
}

// silent reports whether p promises nothing of operands in x, not even that the result is a number.
func silent(p *formula.Promise, x interval) bool {
	return p.None || p.To > 0 && !(x.abs().lo >= p.From && x.abs().hi <= p.To)
}

// around returns z with an error of up to l(z) on each side, and that error: so many ulps of what z holds. Where z has no end on one
// side, the other end is moved by twice the error there: x - k·ulp(x) >= lo - 2k·ulp(lo) for all x >= lo, if k ulps of a normal number are no
// more than it.
func (f *format) around(z interval, l func(interval) float64) (interval, float64) {
	if !z.infinite() || z.isInfinity() {
		e := l(z)
		return z.widen(e), e
	}
	t := z
	for _, end := range []float64{z.lo, z.hi} {
		if math.IsInf(end, 0) {
			continue
		}
		e := l(point(end))
		if float64(e*f.ulp(1)) > f.ulp(end) {
			return everything, math.Inf(1)
		}
		if end == z.lo {
			t.lo = down(end - float64(2*e))
		} else {
			t.hi = up(end + float64(2*e))
		}
	}
	return t, math.Inf(1)
}

// operand returns what an operation may read of x, a value of type t: with Flush.In 0 for what may be subnormal; and of an integer that is
// converted to a real number first, what that may give.
func (r *run) operand(x interval, t formula.Type, convert bool) interval {
	f := &r.p.f
	switch {
	case t.Bool, r.p.flaw == held:
	case t.IsReal():
		if r.p.claim.Flush.In && x.lo < f.least && x.hi > -f.least {
			x = x.hull(point(0))
		}
	case convert && x.magnitude() > math.Ldexp(1, f.p):
		if r.p.claim.Exactly {
			return f.image(x)
		}
		if !x.isPoint() || !f.holds(x.lo) {
			x = f.overflows(x.widen(f.ulps(f.twice/2, x.magnitude())))
		}
	}
	return x
}

// readsAsHeld reports whether step s reads all of its operands as they are held: none is converted, and none may be flushed.
func (r *run) readsAsHeld(s *step) bool {
	for _, a := range s.args {
		switch t := r.p.steps[a].typ; {
		case t.Bool:
		case t.IsReal() && r.p.claim.Flush.In, !t.IsReal() && s.convert:
			return false
		}
	}
	return true
}

// alters reports whether what an operation reads of x, a value of type t, need not be what is held: it is converted, or may be flushed, by each
// operation for itself.
func (r *run) alters(x interval, t formula.Type, convert bool) bool {
	f := &r.p.f
	if t.IsReal() && r.p.claim.Flush.In && r.p.flaw != held {
		return x.lo < f.least && x.hi > -f.least && x != point(0)
	}
	return r.operand(x, t, convert) != x
}

// ulps returns how many ulps the result of step s, correctly rounded, may be off: half of one, and what a second rounding adds. Of the last
// step only the second counts if the result has the claim's format: the first is then the rounding of the result, which Run does.
func (p *Program) ulps(s *step) float64 {
	if s.last && p.out.Format == p.f.Format {
		return (p.f.twice - 1) / 2
	}
	return p.f.twice / 2
}

// ulpsOf bounds the error of a rounding that is off by k ulps of a result in z.
func (p *Program) ulpsOf(k float64, z interval) float64 {
	switch p.flaw {
	case halfRounding:
		return p.f.ulps(k/2, z.magnitude())
	case lowerUlp:
		return p.f.ulps(k, min(math.Abs(z.lo), math.Abs(z.hi)))
	case noUnderflow:
		return math.Ldexp(p.f.ulps(k, math.Ldexp(z.magnitude(), 40)), -40)
	}
	return p.f.ulps(k, z.magnitude())
}

// flushed adds to t, and to its error l, the zero that a tiny result in z may become.
func (r *run) flushed(t, z interval, l float64) (interval, float64) {
	if !r.p.claim.Flush.Any() || z == point(0) || r.p.flaw == noFlush {
		return t, l
	}
	if y := z.hull(t); y.lo >= r.p.f.least || y.hi <= -r.p.f.least {
		return t, l
	}
	return t.hull(point(0)), up(l + min(z.magnitude(), r.p.f.least))
}

// promised returns the greatest error of a function over operands in x whose exact values lie in z: half an ulp at least, since results are
// rounded.
func promised(f *format, p *formula.Promise, z, x interval) float64 {
	k := p.Ulps
	if p.Slope > 0 {
		k += math.Floor(up(float64(p.Slope * x.magnitude())))
	}
	if p.OfRounded {
		k += 0.5
	}
	l := f.ulps(k, z.magnitude())
	switch {
	case p.Abs == 0 || x.hi < p.Lo || x.lo > p.Hi:
		return l
	case p.Lo <= x.lo && x.hi <= p.Hi:
		return max(p.Abs, f.ulps(0.5, z.magnitude()))
	}
	return max(l, p.Abs)
}
