package enclosure

import (
	"math"

	"gamma/model"
	"gamma/model/formula"
)

// store evaluates a conversion to a stored type. A rounding to a floating-point format may be absent or finer unless the claim says
// Exactly; one to an integer type, or a saturation, is part of what is computed.
func (r *run) store(s *step) (*array, error) {
	a := r.arrays[s.args[0]]
	z, err := r.newArray(s.axes, false)
	if err != nil {
		return nil, err
	}
	e := elements{run: r, step: s, z: z, in: []operand{r.see(a, z)}}
	e.symbols()
	points := true
	for i := range z.n {
		points = e.stored(i) && points
	}
	if a.exact && points {
		z.exact = z.allPoints()
	}
	return z, nil
}

// stored converts element i, and reports whether it is a point.
func (e *elements) stored(i int) bool {
	a, z := e.in[0].array, e.z
	o := e.in[0].outcome(i)
	if !e.Type.IsReal() {
		return e.storedInteger(i, o)
	}
	z.setNaN(i, o)
	if o == never {
		z.lo[i], z.hi[i], z.clo[i], z.chi[i], z.diag[i] = math.Inf(-1), math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(1)
		return false
	}
	t, c, w := a.t(i), a.c(i), a.w(i)
	f := newFormat(e.Type.Float)
	held := w
	t, c, w = saturated(&f, e.step, t), saturated(&f, e.step, c), saturated(&f, e.step, w)
	slope := point(1)
	if w != held {
		slope.lo = 0
	}
	tiny := e.p.halves(e.Type) && t != point(0) && t.lo < f.least && t.hi > -f.least // before it is rounded
	if !tiny && t.isPoint() && c == t && (f.holds(t.lo) || e.p.claim.Exactly || math.IsInf(t.lo, 0)) {
		z.set(i, f.image(t))
		if f.nanBeyond() && math.IsInf(z.lo[i], 0) {
			z.setNaN(i, maybe) // a finer format may have an infinity
			if e.p.claim.Exactly {
				z.setNaN(i, never)
				z.lo[i], z.hi[i], z.diag[i] = math.Inf(-1), math.Inf(1), math.Inf(1)
			}
			return false
		}
		return true
	}
	half := func(t interval) float64 { return f.ulps(0.5, t.magnitude()) }
	l := half(t)
	kept := f.image(t)
	if !e.p.claim.Exactly {
		half = func(t interval) float64 { return f.ulps(f.twice/2, t.magnitude()) }
		if e.last && e.Type.Float == e.p.out.Format {
			half = func(interval) float64 { return 0 } // result rounds it
		}
		kept, l = f.around(t, half)
		kept = saturated(&f, e.step, f.overflows(kept))
	}
	if f.nanBeyond() && kept.infinite() {
		z.setNaN(i, maybe)
	}
	if tiny || e.p.claim.Flush.Any() && t != point(0) && kept.lo < f.least && kept.hi > -f.least {
		kept, l = kept.hull(point(0)), up(l+min(t.magnitude(), f.least))
	}
	z.lo[i], z.hi[i], z.clo[i], z.chi[i], z.diag[i] = kept.lo, kept.hi, c.lo, c.hi, l
	if e.p.claim.Exactly {
		w = w.widen(l).beyond(kept)
		z.wlo[i], z.whi[i] = w.lo, w.hi
	}
	if held.infinite() {
		z.diag[i] = math.Inf(1) // no derivative leads to an infinity, saturated or not
	} else {
		e.carry(i, [3]interval{w, slope}, w)
	}
	e.run.settle(z, i)
	return false
}

// nanBeyond reports whether f has NaN alone for what is too large.
func (f *format) nanBeyond() bool { return !f.HasInf && f.Overflow == model.OverflowNaN }

// storedInteger converts element i to an integer type or a truth value, and reports whether it is a point.
func (e *elements) storedInteger(i int, o outcome) bool {
	a, z := e.in[0].array, e.z
	t, c := integer(a.t(i), e.step), integer(a.c(i), e.step)
	switch {
	case o != number && e.Type.Bool:
		t = t.hull(point(1)) // NaN is not 0
	case o != number:
		lo, hi := e.Type.Range()
		t = interval{lo, hi} // nothing is defined
	case e.operand(a.t(i), e.p.steps[e.args[0]].typ, false) != a.t(i):
		t = t.hull(point(0))
	}
	z.whole(i, t, c)
	return z.lo[i] == z.hi[i] && z.clo[i] == z.lo[i]
}

// saturated returns x as far as f's numbers go, if the conversion says so.
func saturated(f *format, s *step, x interval) interval {
	if s.Overflow != formula.Saturate && f.Overflow != model.OverflowSaturate {
		return x
	}
	return interval{min(max(x.lo, -f.greatest), f.greatest), min(max(x.hi, -f.greatest), f.greatest)}
}

// integer returns the integers to which numbers of x convert: those nearest, then what overflow makes of them.
func integer(x interval, s *step) interval {
	if s.Type.Bool {
		no, yes := x.contains(0), x.lo != 0 || x.hi != 0
		switch {
		case no && yes:
			return interval{0, 1}
		case yes:
			return point(1)
		}
		return point(0)
	}
	x = interval{math.RoundToEven(x.lo), math.RoundToEven(x.hi)}
	lo, hi := s.Type.Range()
	switch {
	case x.lo >= lo && x.hi <= hi:
	case s.Overflow == formula.Saturate:
		return interval{min(max(x.lo, lo), hi), min(max(x.hi, lo), hi)}
	case s.Overflow == formula.Wrap && math.Abs(x.lo) < 1<<53 && math.Abs(x.hi) < 1<<53 && s.Type.Bits < 53:
		size := hi - lo + 1
		turn := math.Floor((x.lo - lo) / size)
		if turn != math.Floor((x.hi-lo)/size) {
			return interval{lo, hi}
		}
		return interval{x.lo - float64(turn*size), x.hi - float64(turn*size)}
	default:
		return interval{lo, hi} // nothing is defined
	}
	return x
}
