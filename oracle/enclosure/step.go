package enclosure

import (
	"fmt"
	"math"

	"gamma/model/formula"
)

// step evaluates step i.
func (r *run) step(i int) error {
	s := &r.p.steps[i]
	a, err := r.evaluate(s)
	if err != nil {
		return err
	}
	if (s.Op == formula.OpInput || s.Op == formula.OpStore) && r.p.halves(s.typ) {
		if a, err = r.halved(s, a); err != nil {
			return err
		}
	}
	if r.p.long {
		r.lengthen(s, a)
	}
	if r.p.claim.Exactly && !a.exact {
		a.widenPath()
		if r.p.flaw == tight {
			a.wlo, a.whi = a.lo, a.hi
		}
	}
	if s.again && !a.exact {
		a.apart()
	}
	a.stored, a.split = r.stored(s, a), s.split
	r.arrays[i] = a
	return nil
}

// halved adds to elements of a, which are stored in 16 bits, the 0 that may be read for one that is subnormal, or written. Each use reads for itself, so that errors are
// shared by none. What moves, negates or compares such numbers gives one of them, or 0, and so holds both already.
func (r *run) halved(s *step, a *array) (*array, error) {
	f := newFormat(s.typ.Float)
	tiny := func(i int) bool { return a.lo[i] < f.least && a.hi[i] > -f.least && a.t(i) != point(0) }
	i := 0
	for i < a.n && !tiny(i) {
		i++
	}
	if i == a.n || r.p.flaw == noFlush {
		return a, nil
	}
	z := a
	if a.exact {
		var err error
		if z, err = r.newArray(a.axes, false); err != nil {
			return nil, err
		}
		for i, x := range a.lo {
			z.set(i, point(x))
		}
	}
	for i := range z.n {
		if tiny(i) {
			t, w := z.t(i), z.w(i).hull(point(0))
			z.lo[i], z.hi[i] = min(t.lo, 0), max(t.hi, 0)
			z.wlo[i], z.whi[i] = w.lo, w.hi
			z.diag[i] = up(z.diag[i] + min(t.magnitude(), f.least))
		}
	}
	return z, nil
}

// apart makes all errors of a's elements those of each use alone.
func (a *array) apart() {
	for i := range a.n {
		a.diag[i] = a.meanValue(i)
	}
	a.symbols = nil
}

// widenPath has the path from the exact value to what an evaluation holds in W: with every result rounded, the exact one need not be in T.
func (a *array) widenPath() {
	for i := range a.n {
		w := a.w(i).hull(a.t(i)).hull(a.c(i))
		a.wlo[i], a.whi[i] = w.lo, w.hi
	}
}

// stored reports whether every value of a, which step s gave, is a number of the claim's format: points are as they are, and other results
// of real operations are stored so if the claim says Exactly.
func (r *run) stored(s *step, a *array) bool {
	switch {
	case s.Op == formula.OpInput && s.typ.Float == r.p.claim.Format:
		return true
	case a.exact:
		for _, x := range a.lo {
			if !r.p.f.holds(x) {
				return false
			}
		}
		return true
	}
	if !r.p.claim.Exactly || s.fusible || !s.typ.IsReal() || s.Op == opSquare || s.Op.Class() != formula.Elementwise {
		return false
	}
	if s.Op == formula.OpStore {
		f, g := r.p.claim.Format, s.Type.Float
		return g.P <= f.P && g.Emin >= f.Emin && g.Emax <= f.Emax
	}
	if rounds(s.Op) {
		return true
	}
	for _, k := range s.args {
		if !r.p.steps[k].typ.Bool && !r.arrays[k].stored {
			return false
		}
	}
	return true
}

func (r *run) evaluate(s *step) (*array, error) {
	switch s.Op {
	case formula.OpInput:
		return r.input(s)
	case formula.OpConst:
		return r.constant(s)
	case formula.OpIndex, formula.OpLen:
		return r.position(s)
	case formula.OpStore:
		return r.store(s)
	case formula.OpSum:
		return r.sum(s)
	case formula.OpDot:
		return r.dot(s)
	case formula.OpProd:
		return r.prod(s)
	case formula.OpMax:
		return r.extreme(s, 1)
	case formula.OpMin:
		return r.extreme(s, -1)
	case formula.OpArgMax:
		return r.argument(s, 1)
	case formula.OpArgMin:
		return r.argument(s, -1)
	case formula.OpAny:
		return r.connective(s, 0, math.Max)
	case formula.OpAll:
		return r.connective(s, 1, math.Min)
	case formula.OpCount:
		return r.connective(s, 0, func(x, y float64) float64 { return x + y })
	case formula.OpScanSum, formula.OpScanProd, formula.OpScanMax, formula.OpScanMin:
		return r.scan(s)
	case formula.OpGather:
		return r.gather(s)
	case formula.OpRename, formula.OpOrder:
		return r.reorder(s)
	}
	if !isElementwise(s.Op) {
		return nil, fmt.Errorf("enclosure: there is no rule for %s", s.Op)
	}
	return r.elementwise(s)
}
