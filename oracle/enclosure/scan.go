package enclosure

import (
	"math"
	"slices"

	"gamma/model"
	"gamma/model/formula"
)

// scan evaluates a scan along one axis.
func (r *run) scan(s *step) (*array, error) {
	a := r.alone(r.arrays[s.args[0]])
	z, err := r.newArray(s.axes, false)
	if err != nil {
		return nil, err
	}
	axis := s.Axes[0]
	rows, err := r.newArray(slices.DeleteFunc(slices.Clone(s.axes), func(x string) bool { return x == axis }), true)
	if err != nil {
		return nil, err
	}
	g := r.groups(a, rows, s.Axes)
	if s.Reverse {
		g.offset = slices.Clone(g.offset)
		slices.Reverse(g.offset)
		g.inOrder = false
	}
	for row := range rows.n {
		var scratch terms
		t := g.take(a, g.base[row], &scratch)
		sc := r.scanning(s, z, &t)
		for k := range g.offset {
			i := g.base[row] + g.offset[k]
			if s.Exclusive {
				sc.put(i)
			}
			sc.next(k)
			if !s.Exclusive {
				sc.put(i)
			}
		}
	}
	if a.exact {
		z.exact = z.allPoints()
	}
	return z, nil
}

// scanning is a scan along one row: what is known of the terms so far.
type scanning struct {
	*run
	*step
	z *array
	t *terms
	n int

	// Sums: of T, C and errors, and what bounds the additions.
	lo, hi, clo, chi, wlo, whi, far total
	open                            model.OpenSum
	rules                           model.OpenRules
	special                         specials

	product product

	// Maxima and minima, with the sign of the latter turned.
	sign    float64
	m       greatest
	c, w    interval
	reached float64
}

func (r *run) scanning(s *step, z *array, t *terms) *scanning {
	sc := &scanning{run: r, step: s, z: z, t: t, sign: 1, product: newProduct(), m: newGreatest(s.Meaning), c: point(math.Inf(-1)), w: point(math.Inf(-1))}
	if s.Op == formula.OpScanMin {
		sc.sign = -1
	}
	sc.rules = r.openRules(t)
	return sc
}

// next adds term k.
func (sc *scanning) next(k int) {
	t := sc.t
	sc.n = k + 1
	x, c := interval{t.lo[k], t.hi[k]}, interval{t.clo[k], t.chi[k]}
	o := number
	if t.nan != nil {
		o = t.nan[k]
	}
	switch sc.Op {
	case formula.OpScanProd:
		sc.product.times(t, k)
	case formula.OpScanSum:
		sc.special.note(x, o)
		sc.lo.add(x.lo)
		sc.hi.add(x.hi)
		sc.clo.add(c.lo)
		sc.chi.add(c.hi)
		sc.wlo.add(t.wlo[k])
		sc.whi.add(t.whi[k])
		sc.open.Add(x.lo, x.hi)
		if t.diag != nil {
			sc.far.add(t.diag[k])
		}
	case formula.OpScanMax, formula.OpScanMin:
		y := sc.operand(x, sc.p.steps[sc.args[0]].typ, false)
		if sc.m.add(y.signed(sc.sign), o); o == never {
			return
		}
		sc.c, sc.w = sc.c.greater(c.signed(sc.sign)), sc.w.greater((interval{t.wlo[k], t.whi[k]}).signed(sc.sign))
		if t.diag != nil {
			sc.reached = max(sc.reached, t.diag[k])
		}
		if o != number || sc.alters(x, sc.p.steps[sc.args[0]].typ, false) {
			sc.reached = math.Inf(1)
		}
	}
}

// put makes element i of what the terms so far give.
func (sc *scanning) put(i int) {
	switch sc.Op {
	case formula.OpScanSum:
		if sc.special.any() {
			sc.putSpecial(sc.z, i, sc.special)
			return
		}
		if sc.n < 3 { // few terms have a sharper bound
			sc.addUp(sc.step, sc.z, i, sc.t.first(sc.n))
			sc.settle(sc.z, i)
			return
		}
		sc.putSum(i)
	case formula.OpScanProd:
		sc.putProduct(sc.step, sc.z, i, &sc.product)
	default:
		z := sc.z
		z.setNaN(i, sc.m.outcome())
		x, c, w := sc.m.t.signed(sc.sign), sc.c.signed(sc.sign), sc.w.hull(sc.m.t).signed(sc.sign)
		z.wlo[i], z.whi[i] = w.lo, w.hi
		z.lo[i], z.hi[i], z.clo[i], z.chi[i], z.diag[i] = x.lo, x.hi, c.lo, c.hi, sc.reached
		sc.settle(z, i)
	}
}

// putSum makes element i the sum of the terms so far, which are numbers.
func (sc *scanning) putSum(i int) {
	z, exact := sc.z, interval{sc.lo.interval().lo, sc.hi.interval().hi}
	kept, bound := exact, 0.0
	if sc.typ.IsReal() {
		rules := sc.rules
		if h := sc.Order.Height(sc.n); !sc.Order.IsOpen() && h < sc.n-1 {
			rules.Height = h
		}
		b := rules.Bound(&sc.open)
		bound = sc.boundOf(b)
		kept = exact.widen(bound)
		if b.Partial >= sc.p.f.limit {
			t := sc.t.first(sc.n)
			kept = sc.overflow(z, i, &t, kept, b.Partial)
		}
		kept, bound = sc.flushed(kept, exact, bound)
	}
	z.lo[i], z.hi[i], z.clo[i], z.chi[i] = kept.lo, kept.hi, sc.clo.interval().lo, sc.chi.interval().hi
	if sc.p.claim.Exactly {
		w := interval{sc.wlo.interval().lo, sc.whi.interval().hi}.widen(bound).beyond(kept)
		z.wlo[i], z.whi[i] = w.lo, w.hi
	}
	z.diag[i] = up(bound + sc.far.interval().hi)
	sc.settle(z, i)
}

// first returns the first n terms of t.
func (t terms) first(n int) terms {
	cut := func(x []float64) []float64 {
		if x == nil {
			return nil
		}
		return x[:n]
	}
	p := terms{lo: cut(t.lo), hi: cut(t.hi), wlo: cut(t.wlo), whi: cut(t.whi), clo: cut(t.clo), chi: cut(t.chi), diag: cut(t.diag), exact: t.exact}
	if t.nan != nil {
		p.nan = t.nan[:n]
	}
	return p
}
