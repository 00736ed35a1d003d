package ranges

import (
	"fmt"
	"math/big"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// recognise replaces what Montgomery's, Shoup's and Barrett's products are made of by one value with its bounds. The integer stays
// congruent modulo R; with equal, it stays the same: Shoup's and Barrett's are then left.
func (m *maker) recognise(f form, t ir.Type, pos model.Position, equal bool) form {
	if t.IsSigned() || t.Bits() < 8 {
		return f
	}
	for again := true; again; {
		again = false
		for i := range f.terms {
			h := f.terms[i]
			if h.v.op != ir.MulHi || h.v.t != t || equal && h.k.Cmp(big.NewInt(1)) != 0 {
				continue
			}
			if g, ok := m.fixed(f, h, t, pos); ok && !equal {
				f, again = g, true
				break
			}
			if v, gone := m.product(f, h, t, pos); v != nil {
				f = f.replace(v, gone...)
				again = true
				break
			}
		}
	}
	return f
}

// fixed replaces w·a - mulhi(a,w')·q for a constant w' = ⌊w·R/q⌋: Shoup's product by a constant, and with w = 1 Barrett's reduction.
// With e = w·R mod q it is below q + a·e/R.
func (m *maker) fixed(f form, h term, t ir.Type, pos model.Position) (form, bool) {
	b := uint(t.Bits())
	if h.k.Cmp(signed(new(big.Int).Neg(m.q), b)) != 0 {
		return f, false
	}
	r := new(big.Int).Lsh(big.NewInt(1), b)
	for i := range 2 {
		a := h.v.args[i]
		quotient, ok := h.v.args[1-i].number()
		if !ok {
			continue
		}
		// The one w below q that w' can belong to.
		w := new(big.Int).Mul(quotient, m.q)
		w.Add(w, r).Sub(w, big.NewInt(1)).Rsh(w, b)
		e := new(big.Int)
		if back, _ := new(big.Int).QuoRem(new(big.Int).Lsh(w, b), m.q, e); w.Cmp(m.q) >= 0 || back.Cmp(quotient) != 0 {
			continue
		}
		g := f.plus(atom(h.v), new(big.Int).Neg(h.k)).plus(a.form, new(big.Int).Neg(w)).reduce(b)
		if len(g.terms) != len(f.terms)-1-len(a.form.terms) {
			continue // w·a is not in the sum
		}
		v := m.atomOf(opFixed, t, pos, a, h.v.args[1-i], new(big.Int), below(m.q, new(big.Int).Mul(a.hi, e), r))
		return g.plus(atom(v), big.NewInt(1)), true
	}
	return f, false
}

// product returns the value of a product whose high word is the term h, and the terms that it stands for.
func (m *maker) product(f form, h term, t ir.Type, pos model.Position) (*value, []*value) {
	b := uint(t.Bits())
	r := new(big.Int).Lsh(big.NewInt(1), b)
	minusQ := signed(new(big.Int).Neg(m.q), b)
	one := big.NewInt(1)
	switch {
	case h.k.Cmp(minusQ) == 0:
		for i := range 2 {
			a, w := h.v.args[i], h.v.args[1-i]
			for _, p := range f.terms {
				if p.v.op != ir.Mul || p.v.t != t || p.k.Cmp(one) != 0 {
					continue
				}
				for j := range 2 {
					if p.v.args[j] == a && m.isShoup(w, p.v.args[1-j]) {
						x := new(big.Int).Mul(a.hi, m.q)
						return m.atomOf(opShoup, t, pos, a, p.v.args[1-j], new(big.Int), below(m.q, x, r)), []*value{p.v, h.v}
					}
				}
			}
		}
	case h.k.Cmp(one) == 0:
		a, c := h.v.args[0], h.v.args[1]
		for _, mh := range f.terms {
			if mh.v.op != ir.MulHi || mh.v == h.v || mh.v.t != t {
				continue
			}
			mm := mh.v.args[0]
			if x, ok := mm.number(); ok && x.Cmp(m.q) == 0 {
				mm = mh.v.args[1]
			} else if x, ok := mh.v.args[1].number(); !ok || x.Cmp(m.q) != 0 {
				continue
			}
			if len(mm.form.terms) != 1 || mm.form.c.Sign() != 0 {
				continue
			}
			low := mm.form.terms[0].v
			if low.op != ir.Mul || low.t != t || !(low.args[0] == a && low.args[1] == c || low.args[0] == c && low.args[1] == a) {
				continue
			}
			ab := new(big.Int).Mul(a.hi, c.hi)
			// k·q modulo R is what m times q has of a·b's low word.
			kq := signed(new(big.Int).Mul(mm.form.terms[0].k, m.q), b)
			switch {
			case kq.Cmp(big.NewInt(-1)) == 0 && mh.k.Cmp(one) == 0:
				for _, carry := range f.terms {
					if carry.k.Cmp(one) == 0 && isCarry(carry.v, low, mm, m.q) {
						ab.Add(ab, new(big.Int).Mul(new(big.Int).Sub(r, one), m.q))
						return m.atomOf(opMontgomery, t, pos, a, c, new(big.Int), ab.Rsh(ab, b)), []*value{h.v, mh.v, carry.v}
					}
				}
			case kq.Cmp(one) == 0 && mh.k.Cmp(big.NewInt(-1)) == 0:
				return m.atomOf(opDifference, t, pos, a, c, new(big.Int).Sub(one, m.q), ab.Rsh(ab, b)), []*value{h.v, mh.v}
			}
		}
	}
	return nil, nil
}

// below returns the greatest integer below q + x/r.
func below(q, x, r *big.Int) *big.Int {
	x = new(big.Int).Add(x, new(big.Int).Mul(q, r))
	x.Sub(x, big.NewInt(1))
	return x.Quo(x, r)
}

// atomOf returns the one value of op on a and b.
func (m *maker) atomOf(op ir.Op, t ir.Type, pos model.Position, a, b *value, lo, hi *big.Int) *value {
	return m.intern(fmt.Sprintf("%d %d %d %d", op, t, a.id, b.id), func() *value {
		v := m.fresh(op, t, pos, lo, hi)
		v.args = [3]*value{a, b}
		return v
	})
}

// isCarry reports whether v is 1 if low + m·q's low word carries, and 0 if not. As m·q ≡ -low it carries unless low is 0.
func isCarry(v, low, mm *value, q *big.Int) bool {
	cond := v
	switch {
	case v.op == ir.Select && v.args[1].is(1) && v.args[2].is(0), v.op == ir.Convert && v.args[0].t == ir.Bool:
		cond = v.args[0]
	case v.op == ir.Select && v.args[1].is(0) && v.args[2].is(1):
		cond = v.args[0]
		return cond.op == ir.Eq && (cond.args[0] == low && cond.args[1].is(0) || cond.args[1] == low && cond.args[0].is(0))
	default:
		return false
	}
	switch cond.op {
	case ir.Ne:
		return cond.args[0] == low && cond.args[1].is(0) || cond.args[1] == low && cond.args[0].is(0)
	case ir.Lt:
		x, y := cond.args[0], cond.args[1]
		// low > ~(m·q): the sum leaves the word.
		if x.op == ir.Not && y == low && isLowOf(x.args[0], mm, q) {
			return true
		}
		// low + m·q < m·q or < low: the same after the sum. The sum is 0, and low + m·q never wraps to anything else.
		if x.op == ir.Add && (y == low || isLowOf(y, mm, q)) {
			return x.args[0] == low && isLowOf(x.args[1], mm, q) || x.args[1] == low && isLowOf(x.args[0], mm, q)
		}
	}
	return false
}

// isLowOf reports whether v is the low word of m·q.
func isLowOf(v, mm *value, q *big.Int) bool {
	if v.op != ir.Mul {
		return false
	}
	for i := range 2 {
		if x, ok := v.args[i].number(); ok && x.Cmp(q) == 0 && v.args[1-i] == mm {
			return true
		}
	}
	return false
}

// isShoup reports whether w' is Shoup's factor of w.
func (m *maker) isShoup(quotient, w *value) bool {
	if a, ok := w.number(); ok {
		b, is := quotient.number()
		x := new(big.Int).Lsh(a, uint(w.t.Bits()))
		return is && a.Cmp(m.q) < 0 && x.Quo(x, m.q).Cmp(b) == 0
	}
	if quotient.loaded == nil || w.loaded == nil || w.hi.Cmp(m.q) >= 0 {
		return false
	}
	if !m.readOnly[quotient.loaded.place.Buffer] || !m.readOnly[w.loaded.place.Buffer] {
		return false // the kernel may have written either
	}
	f := m.fields[quotient.loaded.place]
	return f != nil && f.Shoup && f.Of == w.loaded.place && quotient.loaded.index == w.loaded.index
}

// selected bounds v = cond ? a : b, each branch under its condition.
func (m *maker) selected(v *value, cond, a, b *value) {
	switch {
	case a == b:
		v.lo, v.hi, v.form, v.exact = a.lo, a.hi, a.form, a.exact
		return
	case v.t == ir.Ptr || !v.t.IsInteger() && v.t != ir.Bool:
		if v.t == ir.Ptr && a.objects != nil && b.objects != nil {
			v.objects = append(append([]int(nil), a.objects...), b.objects...)
		}
		return
	}
	alo, ahi := m.under(a, cond, true)
	blo, bhi := m.under(b, cond, false)
	v.lo, v.hi = alo, ahi
	if blo.Cmp(v.lo) < 0 {
		v.lo = blo
	}
	if bhi.Cmp(v.hi) > 0 {
		v.hi = bhi
	}
}

// under bounds a where cond is as said.
func (m *maker) under(a, cond *value, is bool) (lo, hi *big.Int) {
	lo, hi = a.lo, a.hi
	if !a.t.IsInteger() {
		return lo, hi
	}
	if a.exact {
		return m.restrict(a.form, lo, hi, cond, is, a)
	}
	// The form is the value but for a multiple of R.
	l, h := a.form.interval()
	l, h = m.restrict(a.form, l, h, cond, is, a)
	if l, h, _, ok := fit(a.t, l, h); ok {
		return l, h
	}
	return lo, hi
}

// restrict returns the bounds lo and hi of an integer, made narrower by what cond says; v gives type and place.
func (m *maker) restrict(f form, lo, hi *big.Int, cond *value, is bool, v *value) (l, h *big.Int) {
	for _, d := range differences(cond, is) {
		d = m.recognise(d, v.t, v.pos, true)
		d = m.recognise(d.times(big.NewInt(-1)), v.t, v.pos, true).times(big.NewInt(-1))
		_, dhi := d.interval()
		if dhi.Sign() < 0 {
			continue // never so: any bound holds, and these stay
		}
		for _, k := range []int64{-1, 1} {
			// f = (f - k·d) + k·d, and 0 <= d <= dhi.
			a, b := f.plus(d, big.NewInt(-k)).interval()
			if k > 0 {
				b = new(big.Int).Add(b, dhi)
			} else {
				a = new(big.Int).Sub(a, dhi)
			}
			if a.Cmp(lo) > 0 {
				lo = a
			}
			if b.Cmp(hi) < 0 {
				hi = b
			}
		}
	}
	return lo, hi
}

// differences returns integers that are not negative where cond is as said.
func differences(cond *value, is bool) []form {
	switch cond.op {
	case ir.Not:
		return differences(cond.args[0], !is)
	case ir.And:
		if is && cond.t == ir.Bool {
			return append(differences(cond.args[0], true), differences(cond.args[1], true)...)
		}
	case ir.Or:
		if !is && cond.t == ir.Bool {
			return append(differences(cond.args[0], false), differences(cond.args[1], false)...)
		}
	case ir.Lt, ir.Le, ir.Eq:
		if !cond.args[0].t.IsInteger() {
			return nil
		}
		x, y := integer(cond.args[0]), integer(cond.args[1])
		up, down := y.plus(x, big.NewInt(-1)), x.plus(y, big.NewInt(-1)) // y-x, x-y
		less := constant(big.NewInt(-1))
		switch {
		case cond.op == ir.Eq && is:
			return []form{up, down}
		case cond.op == ir.Eq:
			return nil
		case cond.op == ir.Lt && is:
			return []form{up.plus(less, big.NewInt(1))}
		case cond.op == ir.Lt:
			return []form{down}
		case is:
			return []form{up}
		}
		return []form{down.plus(less, big.NewInt(1))}
	}
	return nil
}

// integer returns a form that is the value, and not only congruent to it.
func integer(v *value) form {
	if v.exact {
		return v.form
	}
	return atom(v)
}
