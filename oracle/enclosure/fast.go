package enclosure

import (
	"math"

	"gamma/model/formula"
	"gamma/oracle/real"
)

// fast evaluates the commonest operations in loops of their own: results that are rounded at least as finely as the claim's format, and no
// mean-value form. It reports whether it did. An element that is special, or near overflow, is left to element, and the others get what element
// gives, or an enclosure wider by a few units of binary64.
func (e *elements) fast() bool {
	if e.p.flaw != flawless || e.p.claim.Exactly || e.p.claim.Flush.Any() || e.p.method != plain || e.p.long || !e.typ.IsReal() || e.promise.Slope > 0 || e.promise.Abs > 0 || e.promise.None || e.promise.To > 0 {
		return false
	}
	switch e.Op {
	case formula.OpSub, formula.OpAdd, formula.OpMul, formula.OpDiv:
		if e.promise.Ulps > 0 {
			return false
		}
	case formula.OpExp:
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
	switch {
	case e.Op == formula.OpExp:
		e.fastExp()
	case e.Op == formula.OpDiv:
		e.fastQuotient()
	case e.in[0].exact && e.in[1].exact:
		e.fastPoints()
	default:
		e.fastBinary()
	}
	return true
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
	oneRounding    = 0x1p-52 // more than an operation errs, relatively, and the addition that moves its result outwards
	twoRoundings   = 0x1p-51
	threeRoundings = 0x1.8p-51
	tinyEnd        = 0x1p-1000 // for what is subnormal
)

// noted says what tame then need not find out: that all magnitudes are at most most and a few ulps.
func (e *elements) noted(most, ulps float64) {
	most = float64((most + float64(ulps*e.p.f.ulp(most)) + tinyEnd) * (1 + 0x1p-20))
	if most < math.MaxFloat64 {
		e.z.greatest = most
	}
}

// fastPoints evaluates a sum, difference or product of points. s, rounded to nearest, has at least the exact result's ulp in the claim's format.
func (e *elements) fastPoints() {
	f, op, half, most := &e.p.f, e.Op, e.p.ulps(e.step), 0.0
	x, y := &e.in[0], &e.in[1]
	xs, ys, limit, lost := x.lo, y.lo, f.limit, 11+f.p
	lo, hi, clo, chi, diag := e.z.ends()
	hi, clo, chi, diag = hi[:len(lo)], clo[:len(lo)], chi[:len(lo)], diag[:len(lo)]
	for i := range lo {
		a, b := xs[x.place(i)], ys[y.place(i)]
		s, exact := float64(a*b), false
		if op == formula.OpMul {
			exact = exactProduct(a, b, s)
		} else {
			if op == formula.OpSub {
				b = -b
			}
			s = a + b
			v := s - a
			exact = (a-(s-v))+(b-v) == 0
		}
		size := math.Abs(s)
		if size > most {
			most = size
		}
		if exact && math.Float64bits(s)<<(lost&63) == 0 && f.holds(s) {
			lo[i], hi[i], clo[i], chi[i] = s, s, s, s
			continue
		}
		if !(size < limit) {
			e.element(i)
			most = math.Inf(1)
			continue
		}
		m := 0.0
		if !exact {
			m = float64(size*oneRounding) + tinyEnd
		}
		l := float64(f.ulp(s)*half) + float64(size*twoRoundings) + tinyEnd
		lo[i], hi[i], clo[i], chi[i], diag[i] = s-l, s+l, s-m, s+m, math.Inf(1)
	}
	e.noted(most, 1)
}

// fastBinary evaluates a sum, difference or product.
func (e *elements) fastBinary() {
	f, z := &e.p.f, e.z
	x, y := &e.in[0], &e.in[1]
	half := e.p.ulps(e.step)
	for i := range z.n {
		j, k := x.place(i), y.place(i)
		t := e.rough(interval{x.lo[j], x.hi[j]}, interval{y.lo[k], y.hi[k]})
		m := t.magnitude()
		if !(m < f.limit) || t.lo == t.hi {
			e.element(i) // perhaps a point
			continue
		}
		c := e.rough(interval{x.clo[j], x.chi[j]}, interval{y.clo[k], y.chi[k]})
		l := float64(f.ulp(m)*half) + float64(m*twoRoundings) + tinyEnd
		m = float64(c.magnitude()*oneRounding) + tinyEnd
		z.lo[i], z.hi[i], z.clo[i], z.chi[i], z.diag[i] = t.lo-l, t.hi+l, c.lo-m, c.hi+m, math.Inf(1)
	}
}

// rough returns the values of an operation, not rounded outwards.
func (e *elements) rough(a, b interval) interval {
	switch e.Op {
	case formula.OpAdd:
		return interval{a.lo + b.lo, a.hi + b.hi}
	case formula.OpSub:
		return interval{a.lo - b.hi, a.hi - b.lo}
	}
	if a.lo >= 0 && b.lo >= 0 {
		return interval{float64(a.lo * b.lo), float64(a.hi * b.hi)}
	}
	return a.mul(b)
}

// fastQuotient evaluates a quotient, by products with the reciprocals where there is one divisor for all: with these, an end errs by two roundings.
func (e *elements) fastQuotient() {
	f, half, most := &e.p.f, e.p.ulps(e.step), 0.0
	x, y := &e.in[0], &e.in[1]
	xlo, xhi, xclo, xchi, limit := x.lo, x.hi, x.clo, x.chi, f.limit
	xhi, xclo, xchi = xhi[:len(xlo)], xclo[:len(xlo)], xchi[:len(xlo)]
	zlo, zhi, zclo, zchi, diag := e.z.ends()
	zhi, zclo, zchi, diag = zhi[:len(zlo)], zclo[:len(zlo)], zchi[:len(zlo)], diag[:len(zlo)]
	var t, c divisor
	for i := range zlo {
		j := x.place(i)
		if i == 0 || y.mask != 0 {
			k := y.place(i)
			t, c = newDivisor(y.lo[k], y.hi[k]), newDivisor(y.clo[k], y.chi[k])
		}
		lo, hi := t.quotients(xlo[j], xhi[j])
		m := hi
		if -lo > m {
			m = -lo
		}
		if !t.ok || !c.ok || !(m < limit) || lo == hi {
			e.element(i)
			most = math.Inf(1)
			continue
		}
		if m > most {
			most = m
		}
		l := float64(f.ulp(m)*half) + float64(m*threeRoundings) + tinyEnd
		clo, chi := c.quotients(xclo[j], xchi[j])
		if m = chi; -clo > m {
			m = -clo
		}
		m = float64(m*twoRoundings) + tinyEnd
		zlo[i], zhi[i], zclo[i], zchi[i], diag[i] = lo-l, hi+l, clo-m, chi+m, math.Inf(1)
	}
	e.noted(most, 1)
}

// divisor is a divisor in an interval of positive numbers, by the reciprocals of its ends.
type divisor struct {
	least, greatest float64 // reciprocals
	ok              bool
}

func newDivisor(lo, hi float64) divisor {
	return divisor{1 / hi, 1 / lo, lo > 0x1p-500 && hi < 0x1p500}
}

// quotients returns the ends of [lo, hi] divided by d, not rounded outwards.
func (d *divisor) quotients(lo, hi float64) (least, greatest float64) {
	least, greatest = d.least, d.greatest
	if lo < 0 {
		least = d.greatest
	}
	if hi < 0 {
		greatest = d.least
	}
	return float64(lo * least), float64(hi * greatest)
}

// fastExp takes one exponential for each element: of the least exact operand c, from which those of the others t follow by
// 1 + d <= exp(d) <= 1 + d + d² for |d| <= 1. Four roundings of numbers near 1, and that of the difference d, are less than 2^-49 together.
func (e *elements) fastExp() {
	f, most := &e.p.f, 0.0
	x := &e.in[0]
	xlo, xhi, xclo, xchi, limit := x.lo, x.hi, x.clo, x.chi, f.limit/2
	xhi, xclo, xchi = xhi[:len(xlo)], xclo[:len(xlo)], xchi[:len(xlo)]
	zlo, zhi, zclo, zchi, diag := e.z.ends()
	zhi, zclo, zchi, diag = zhi[:len(zlo)], zclo[:len(zlo)], zchi[:len(zlo)], diag[:len(zlo)]
	k := e.promise.Ulps
	if e.promise.OfRounded {
		k += 0.5
	}
	if k == 0 {
		k = e.p.ulps(e.step)
	}
	vanished := -1 // an element whose exponential is below all numbers of binary64: what is known of it is known of all such
	for i := range zlo {
		c := xclo[i]
		below, above := xlo[i]-c, xhi[i]-c
		if xchi[i]-c > 0x1p-8 || above-below > 0x1p-8 {
			most = math.Inf(1)
			switch {
			case xhi[i] >= vanishing || xchi[i] >= vanishing:
				e.element(i)
				continue
			case vanished < 0:
				e.element(i)
				vanished = i
			}
			zlo[i], zhi[i], zclo[i], zchi[i], diag[i] = zlo[vanished], zhi[vanished], zclo[vanished], zchi[vanished], diag[vanished]
			continue
		}
		lo, hi := real.Exp(c)
		greatest, least, exact := hi, lo, hi
		if above > 0 {
			greatest += float64(hi * (above + float64(above*above)))
			greatest += float64(greatest * 0x1p-49)
		}
		if d := xchi[i] - c; d > 0 {
			exact += float64(hi * (d + float64(d*d)))
			exact += float64(exact*0x1p-49) + tinyEnd
		}
		if !(greatest < limit) {
			e.element(i)
			most = math.Inf(1)
			continue
		}
		if below < 0 {
			least += float64(lo * below)
			least -= float64(least * 0x1p-49)
		}
		if greatest > most {
			most = greatest
		}
		l := float64(float64(k*f.ulp(greatest))*(1+twoRoundings)) + float64(greatest*twoRoundings)
		if least -= l; e.promise.InRange && least < 0 {
			least = 0
		}
		zlo[i], zhi[i], zclo[i], zchi[i], diag[i] = least, greatest+l, lo, exact, math.Inf(1)
	}
	e.noted(most, k)
}

// vanishing is below the logarithm of half the least number of binary64, -745.13…
const vanishing = -746

// ends returns what a loop over all elements writes.
func (a *array) ends() (lo, hi, clo, chi, diag []float64) {
	n := a.n
	return a.lo[:n:n], a.hi[:n:n], a.clo[:n:n], a.chi[:n:n], a.diag[:n:n]
}
