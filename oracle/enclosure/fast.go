package enclosure

import (
	"math"

	"gamma/model/formula"
	"gamma/oracle/real"
)

// fast evaluates the commonest operations where nothing is special: numbers alone, rounded at least as finely as the claim's format,
// none near overflow, and no mean-value form. It reports whether it did; where it did not, z is as it was. It gives what element gives,
// or for exp an enclosure a little wider than that.
func (e *elements) fast() bool {
	if e.p.claim.Exactly || e.p.claim.Flush.Any() || e.p.method != plain || !e.typ.IsReal() || e.promise.Slope > 0 || e.promise.Abs > 0 || e.promise.None {
		return false
	}
	for k := range e.in {
		if !e.in[k].array.tame(e.p.f.greatest) {
			return false
		}
	}
	switch e.Op {
	case formula.OpSub, formula.OpAdd, formula.OpMul, formula.OpDiv:
		if e.promise.Ulps > 0 {
			return false
		}
		return e.fastBinary()
	case formula.OpExp:
		return e.fastExp()
	}
	return false
}

// tame reports whether all elements of a are numbers of magnitude at most most.
func (a *array) tame(most float64) bool {
	if a.nan != nil {
		return false
	}
	if a.greatest == 0 {
		m := math.SmallestNonzeroFloat64
		for i := range a.lo {
			m = max(m, -a.lo[i], a.hi[i])
		}
		a.greatest = m
	}
	return a.greatest <= most
}

func (e *elements) fastBinary() bool {
	f, z := &e.p.f, e.z
	x, y := &e.in[0], &e.in[1]
	op := e.Op
	for i := range z.n {
		j, k := x.place(i), y.place(i)
		a, b := interval{x.lo[j], x.hi[j]}, interval{y.lo[k], y.hi[k]}
		ca, cb := interval{x.clo[j], x.chi[j]}, interval{y.clo[k], y.chi[k]}
		var t, c interval
		switch op {
		case formula.OpAdd:
			t, c = a.add(b), ca.add(cb)
		case formula.OpSub:
			t, c = a.sub(b), ca.sub(cb)
		case formula.OpMul:
			t, c = a.mul(b), ca.mul(cb)
		default:
			if b.lo <= 0 && b.hi >= 0 {
				return false
			}
			t, c = a.div(b), ca.div(cb)
		}
		if !(t.isPoint() && f.holds(t.lo)) {
			t = t.widen(f.ulp(t.magnitude()) / 2 * f.twice)
		}
		if !(t.magnitude() < f.limit) {
			return false
		}
		z.lo[i], z.hi[i], z.clo[i], z.chi[i], z.diag[i] = t.lo, t.hi, c.lo, c.hi, math.Inf(1)
	}
	return true
}

// fastExp takes one exponential for each element: of the exact operand c, from which those of the others t follow by
// 1 + d <= exp(d) <= 1 + d + d² for |d| <= 1.
func (e *elements) fastExp() bool {
	f, z := &e.p.f, e.z
	x := &e.in[0]
	k := e.promise.Ulps
	if e.promise.OfRounded {
		k += 0.5
	}
	for i := range z.n {
		j := x.place(i)
		t, c := interval{x.lo[j], x.hi[j]}, interval{x.clo[j], x.chi[j]}
		if !c.isPoint() || t.hi-t.lo > 0x1p-8 {
			return false
		}
		lo, hi := real.Exp(c.lo)
		z.clo[i], z.chi[i] = lo, hi
		if d := up(t.hi - c.lo); d > 0 {
			hi = up(hi * up(1+up(d+up(d*d))))
		}
		if d := down(t.lo - c.lo); d < 0 {
			lo = max(0, down(lo*down(1+d)))
		}
		l := f.ulp(hi) / 2 * f.twice
		if k > 0 {
			l = k * f.ulp(hi)
		}
		lo, hi = down(lo-l), up(hi+l)
		if !(hi < f.limit) {
			return false
		}
		z.lo[i], z.hi[i], z.diag[i] = lo, hi, math.Inf(1)
	}
	return true
}
