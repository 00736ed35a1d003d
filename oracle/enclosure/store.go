package enclosure

import (
	"math"

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
	if a.nan != nil {
		z.setNaN(i, a.nan[i])
	}
	if z.nan != nil && z.nan[i] == never && e.Type.IsReal() {
		z.lo[i], z.hi[i], z.clo[i], z.chi[i], z.diag[i] = math.Inf(-1), math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(1)
		return false
	}
	t, c, w := a.t(i), a.c(i), a.w(i)
	if !e.Type.IsReal() {
		z.whole(i, integer(t, e.step), integer(c, e.step))
		return z.lo[i] == z.hi[i] && z.clo[i] == z.lo[i]
	}
	f := newFormat(e.Type.Float)
	t, c, w = saturated(&f, e.step, t), saturated(&f, e.step, c), saturated(&f, e.step, w)
	if t.isPoint() && c == t && (f.holds(t.lo) || e.p.claim.Exactly || math.IsInf(t.lo, 0)) {
		z.set(i, f.image(t))
		return true
	}
	l := f.ulp(t.magnitude()) / 2
	kept := f.image(t)
	if !e.p.claim.Exactly {
		if l *= f.twice; e.last && e.Type.Float == e.p.out.Format {
			l = 0 // result rounds it
		}
		kept = f.overflows(t.widen(l))
	}
	z.lo[i], z.hi[i], z.clo[i], z.chi[i], z.diag[i] = kept.lo, kept.hi, c.lo, c.hi, l
	if e.p.claim.Exactly {
		w = w.widen(l).beyond(kept)
		z.wlo[i], z.whi[i] = w.lo, w.hi
	}
	e.carry(i, [3]interval{w}, w)
	e.run.settle(z, i)
	return false
}

// saturated returns x as far as f's numbers go, if the conversion says so.
func saturated(f *format, s *step, x interval) interval {
	if s.Overflow != formula.Saturate {
		return x
	}
	return interval{min(max(x.lo, -f.greatest), f.greatest), min(max(x.hi, -f.greatest), f.greatest)}
}

// integer returns the integers to which numbers of x convert: those nearest, then what overflow makes of them.
func integer(x interval, s *step) interval {
	x = interval{math.RoundToEven(x.lo), math.RoundToEven(x.hi)}
	if s.Type.Bool {
		return x
	}
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
		return interval{x.lo - turn*size, x.hi - turn*size}
	default:
		return interval{lo, hi} // nothing is defined
	}
	return x
}
