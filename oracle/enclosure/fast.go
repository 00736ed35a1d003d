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
	if e.p.flaw != flawless || e.p.claim.Exactly || e.p.claim.Flush.Any() || e.p.method != plain || !e.typ.IsReal() || e.promise.Slope > 0 || e.promise.Abs > 0 || e.promise.None || e.promise.To > 0 {
		return false
	}
	switch e.Op {
	case formula.OpSub, formula.OpAdd, formula.OpMul, formula.OpDiv, formula.OpExp:
	default:
		return false
	}
	for k := range e.in {
		most := e.p.f.greatest
		if e.p.steps[e.args[k]].typ.Int {
			most = math.Ldexp(1, e.p.f.p) // more is rounded before it is read
		}
		if !e.in[k].array.tame(most) {
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
		for i, lo := range a.lo {
			if -lo > m {
				m = -lo
			}
			if hi := a.hi[i]; hi > m {
				m = hi
			}
		}
		a.greatest = m
	}
	return a.greatest <= most
}

func (e *elements) fastBinary() bool {
	f, z := &e.p.f, e.z
	x, y := &e.in[0], &e.in[1]
	half := e.p.share(e.step)
	op := e.Op
	for i := range z.n {
		j, k := x.place(i), y.place(i)
		a, b := interval{x.lo[j], x.hi[j]}, interval{y.lo[k], y.hi[k]}
		var t, c interval
		switch op {
		case formula.OpAdd:
			t = a.add(b)
		case formula.OpSub:
			t = a.sub(b)
		case formula.OpMul:
			t = a.mul(b)
		default:
			if !(b.lo > 0) {
				return false
			}
			t = overPositive(a, b)
		}
		if x.exact && y.exact && op != formula.OpDiv {
			c = t
		} else {
			c = e.exactValue(op, interval{x.clo[j], x.chi[j]}, interval{y.clo[k], y.chi[k]})
		}
		if !(t.lo == t.hi && f.holds(t.lo)) {
			l := f.ulp(t.magnitude()) * half
			t = interval{down(t.lo - l), up(t.hi + l)}
		}
		if !(t.magnitude() < f.limit) {
			return false
		}
		z.lo[i], z.hi[i], z.clo[i], z.chi[i], z.diag[i] = t.lo, t.hi, c.lo, c.hi, math.Inf(1)
	}
	return true
}

// exactValue applies op to exact values; a division has a positive divisor.
func (e *elements) exactValue(op formula.Op, a, b interval) interval {
	switch op {
	case formula.OpAdd:
		return a.add(b)
	case formula.OpSub:
		return a.sub(b)
	case formula.OpMul:
		return a.mul(b)
	}
	return overPositive(a, b)
}

// overPositive returns a/b for b > 0.
func overPositive(a, b interval) interval {
	lo, hi := b.hi, b.lo
	if a.lo < 0 {
		lo = b.lo
	}
	if a.hi < 0 {
		hi = b.hi
	}
	z := interval{down(a.lo / lo), up(a.hi / hi)}
	if a.lo >= 0 && z.lo < 0 {
		z.lo = 0
	}
	return z
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
	if k == 0 {
		k = e.p.share(e.step)
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
		l := k * f.ulp(hi)
		lo, hi = down(lo-l), up(hi+l)
		if !(hi < f.limit) {
			return false
		}
		z.lo[i], z.hi[i], z.diag[i] = lo, hi, math.Inf(1)
	}
	return true
}
