package enclosure

import (
	"math"

	"gamma/model/formula"
	"gamma/oracle/real"
)

// fast evaluates the commonest operations where nothing is special: numbers alone, rounded at least as finely as the claim's format,
// none near overflow, and no mean-value form. It reports whether it did; where it did not, z may be written in part. It gives what element gives,
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

// Outward rounding is by magnitude here: an end that one or two operations gave errs by at most 2^-52 of its magnitude, and what moves it
// outwards by a little more than that is cheaper than the neighbouring number.
const (
	oneRounding  = 0x1p-52 // more than an operation errs, relatively, and the addition that moves its result outwards
	twoRoundings = 0x1p-51
	tinyEnd      = 0x1p-1000 // for what is subnormal
)

// fastBinary evaluates a sum, difference, product or quotient.
func (e *elements) fastBinary() bool {
	f, z := &e.p.f, e.z
	x, y := &e.in[0], &e.in[1]
	half := e.p.ulps(e.step)
	op, points := e.Op, x.exact && y.exact && e.Op != formula.OpDiv
	for i := range z.n {
		j, k := x.place(i), y.place(i)
		a, b := interval{x.lo[j], x.hi[j]}, interval{y.lo[k], y.hi[k]}
		t, c, ok := e.rough(op, a, b, points)
		if !ok {
			return false
		}
		if !points {
			c, _, _ = e.rough(op, interval{x.clo[j], x.chi[j]}, interval{y.clo[k], y.chi[k]}, false)
			m := float64(c.magnitude()*oneRounding) + tinyEnd
			c = interval{c.lo - m, c.hi + m}
		}
		m := t.magnitude()
		if !(m < f.limit) {
			return false
		}
		if !(t.lo == t.hi && points && c.lo == c.hi && f.holds(t.lo)) {
			l := float64(f.ulp(m)*half) + float64(m*twoRoundings) + tinyEnd
			t = interval{t.lo - l, t.hi + l}
		}
		z.lo[i], z.hi[i], z.clo[i], z.chi[i], z.diag[i] = t.lo, t.hi, c.lo, c.hi, math.Inf(1)
	}
	return true
}

// rough returns the values of an operation, not rounded outwards, and of points their enclosure c; ok is false where a divisor is not positive.
func (e *elements) rough(op formula.Op, a, b interval, points bool) (t, c interval, ok bool) {
	if points {
		switch op {
		case formula.OpAdd:
			c = a.add(b)
		case formula.OpSub:
			c = a.sub(b)
		default:
			c = a.mul(b)
		}
		return c, c, true
	}
	switch op {
	case formula.OpAdd:
		return interval{a.lo + b.lo, a.hi + b.hi}, c, true
	case formula.OpSub:
		return interval{a.lo - b.hi, a.hi - b.lo}, c, true
	case formula.OpMul:
		if a.lo >= 0 && b.lo >= 0 {
			return interval{float64(a.lo * b.lo), float64(a.hi * b.hi)}, c, true
		}
		return a.mul(b), c, true
	}
	if !(b.lo > 0) {
		return t, c, false
	}
	lo, hi := b.hi, b.lo
	if a.lo < 0 {
		lo = b.lo
	}
	if a.hi < 0 {
		hi = b.hi
	}
	return interval{a.lo / lo, a.hi / hi}, c, true
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
		k = e.p.ulps(e.step)
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
			hi = up(float64(hi * up(1+up(d+up(float64(d*d))))))
		}
		if d := down(t.lo - c.lo); d < 0 {
			lo = max(0, down(float64(lo*down(1+d))))
		}
		l := float64(k * f.ulp(hi))
		lo, hi = down(lo-l), up(hi+l)
		if !(hi < f.limit) {
			return false
		}
		z.lo[i], z.hi[i], z.diag[i] = lo, hi, math.Inf(1)
	}
	return true
}
