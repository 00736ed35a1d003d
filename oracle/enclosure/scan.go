package enclosure

import (
	"math"
	"slices"

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
		slices.Reverse(g.offset)
		g.inOrder = false
	}
	n := len(g.offset)
	for row := range rows.n {
		var scratch terms
		t := g.take(a, g.base[row], &scratch)
		for k := range n {
			end := k + 1
			if s.Exclusive {
				end = k
			}
			r.prefix(s, z, g.base[row]+g.offset[k], t.first(end))
		}
	}
	if a.exact {
		z.exact = z.allPoints()
	}
	return z, nil
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

// prefix makes element i of z what the scan makes of the terms t.
func (r *run) prefix(s *step, z *array, i int, t terms) {
	switch s.Op {
	case formula.OpScanSum:
		r.addUp(s, z, i, t)
		if !t.exact && len(t.lo) > 0 {
			r.settle(z, i)
		}
		return
	case formula.OpScanProd:
		r.multiplyUp(s, z, i, t)
		return
	}
	sign := 1.0
	if s.Op == formula.OpScanMin {
		sign = -1
	}
	x, c := point(math.Inf(-1)), point(math.Inf(-1))
	var o outcome
	all, far := len(t.lo) > 0, 0.0
	for k := range t.lo {
		if t.nan != nil {
			o |= t.nan[k]
			if t.nan[k] == never {
				continue
			}
		}
		all = false
		x, c = x.greater(interval{t.lo[k], t.hi[k]}.signed(sign)), c.greater(interval{t.clo[k], t.chi[k]}.signed(sign))
		if t.diag != nil {
			far = max(far, t.diag[k])
		}
	}
	z.setNaN(i, meant(s.Meaning, o, all))
	x, c = x.signed(sign), c.signed(sign)
	z.lo[i], z.hi[i], z.wlo[i], z.whi[i], z.clo[i], z.chi[i], z.diag[i] = x.lo, x.hi, x.lo, x.hi, c.lo, c.hi, far
	r.settle(z, i)
}
