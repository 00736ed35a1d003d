package ranges

import (
	"fmt"
	"math/big"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// value is what a register holds, as far as it is known. Equal values are one object.
type value struct {
	id   int
	op   ir.Op // or one of those below
	t    ir.Type
	args [3]*value
	pos  model.Position // where it was first computed
	// lo and hi are bounds, both inclusive, in the type's order.
	lo, hi *big.Int
	// form is an integer congruent to the value modulo 2^bits; exact says that it is the value.
	form  form
	exact bool
	// wraps says that nothing was known but the type, since the integer may leave it.
	wraps bool

	objects []int   // of a pointer: what it may point into; nil: anything
	loaded  *loaded // of a load
}

// loaded says where a load read.
type loaded struct {
	place Place
	index string // of the element
}

// Operations that instructions together make.
const (
	opPhi        = ir.Op(ir.NumOps) + iota // of a loop or a join
	opMontgomery                           // (a·b + m·q)/R
	opDifference                           // (a·b - m·q)/R
	opShoup                                // a·w - ⌊a·w'/R⌋·q
	opFixed                                // a·w - ⌊a·w'/R⌋·q for a constant w
)

// number is the value of a constant.
func (v *value) number() (*big.Int, bool) {
	if v.t.IsInteger() && v.lo.Cmp(v.hi) == 0 {
		return v.lo, true
	}
	return nil, false
}

func (v *value) is(n uint64) bool {
	x, ok := v.number()
	return ok && x.IsUint64() && x.Uint64() == n
}

// whole reports whether nothing is known but the type.
func (v *value) whole() bool {
	w := ir.Whole(v.t)
	return v.lo.Cmp(w.Lo) == 0 && v.hi.Cmp(w.Hi) == 0
}

func (v *value) interval() ir.Interval { return ir.Interval{Lo: v.lo, Hi: v.hi} }

// maker makes values.
type maker struct {
	q      *big.Int
	known  map[string]*value
	next   int
	facts  *Facts
	fields map[Place]*Field
	// readOnly are the indices of buffers that the kernel cannot write.
	readOnly map[int]bool
}

// fresh returns a value that equals no other, with bounds.
func (m *maker) fresh(op ir.Op, t ir.Type, pos model.Position, lo, hi *big.Int) *value {
	m.next++
	v := &value{id: m.next, op: op, t: t, pos: pos, lo: lo, hi: hi}
	v.form, v.exact = atom(v), true
	return v
}

// unknown returns a fresh value of which nothing is known but its type.
func (m *maker) unknown(t ir.Type, pos model.Position) *value {
	if !t.IsInteger() && t != ir.Bool {
		return m.fresh(opPhi, t, pos, new(big.Int), new(big.Int))
	}
	w := ir.Whole(t)
	return m.fresh(opPhi, t, pos, w.Lo, w.Hi)
}

func (m *maker) constant(t ir.Type, bits uint64) *value {
	if !t.IsInteger() && t != ir.Bool {
		return m.unknown(t, model.Position{})
	}
	i := ir.Point(t, bits)
	return m.intern(fmt.Sprintf("const %d %v", t, i.Lo), func() *value {
		v := m.fresh(ir.Const, t, model.Position{}, i.Lo, i.Lo)
		v.form = constant(i.Lo)
		return v
	})
}

func (m *maker) intern(key string, make func() *value) *value {
	if v := m.known[key]; v != nil {
		return v
	}
	v := make()
	m.known[key] = v
	return v
}

// pure returns the value of a pure operation on integers, Bools or values of which nothing is known.
func (m *maker) pure(op ir.Op, t, from ir.Type, pos model.Position, a, b, c *value) *value {
	switch {
	case op == ir.Mov:
		return a
	case op == ir.Select && a.lo.Cmp(a.hi) == 0 && a.lo.Sign() > 0:
		return b
	case op == ir.Select && a.hi.Sign() == 0:
		return c
	}
	if ir.Ops[op].Swaps && a != nil && b != nil && a.id > b.id {
		a, b = b, a
	}
	id := func(v *value) int {
		if v == nil {
			return 0
		}
		return v.id
	}
	key := fmt.Sprintf("%d %d %d %d %d %d", op, t, from, id(a), id(b), id(c))
	return m.intern(key, func() *value { return m.compute(op, t, from, pos, a, b, c) })
}

func (m *maker) compute(op ir.Op, t, from ir.Type, pos model.Position, a, b, c *value) *value {
	result := t
	if ir.Ops[op].Result == ir.OfBool {
		result = ir.Bool
	}
	v := m.unknown(result, pos)
	v.op, v.args = op, [3]*value{a, b, c}
	if !t.IsInteger() && t != ir.Bool || op == ir.Convert && !from.IsInteger() && from != ir.Bool || op == ir.Bitcast {
		return v
	}
	switch op {
	case ir.Select:
		m.selected(v, a, b, c)
		return v
	case ir.Min:
		// min(s, s-k) is s >= k ? s-k : s where s-k wraps below 0.
		if s, w, ok := m.lowered(a, b); ok {
			return m.pure(ir.Select, t, 0, pos, m.pure(ir.Le, t, 0, pos, w.args[1], s, nil), w, s)
		}
	}
	of := func(x *value) ir.Interval {
		if x == nil {
			return ir.Interval{}
		}
		return x.interval()
	}
	i := ir.Bounds(op, t, from, of(a), of(b), of(c))
	v.lo, v.hi = i.Lo, i.Hi
	if result != t || !t.IsInteger() {
		return v
	}
	var f form
	switch op {
	case ir.Add:
		f = a.form.plus(b.form, big.NewInt(1))
	case ir.Sub:
		f = a.form.plus(b.form, big.NewInt(-1))
	case ir.Neg:
		f = a.form.times(big.NewInt(-1))
	case ir.Mul:
		if k, ok := b.number(); ok {
			f = a.form.times(k)
		} else if k, ok := a.number(); ok {
			f = b.form.times(k)
		} else {
			v.wraps = v.whole() && !(a.whole() || b.whole())
			return v
		}
	case ir.Shl:
		k, ok := b.number()
		if !ok {
			return v
		}
		k = new(big.Int).And(k, big.NewInt(int64(t.Bits()-1)))
		f = a.form.times(new(big.Int).Lsh(big.NewInt(1), uint(k.Uint64())))
	default:
		v.wraps = v.whole() && (a == nil || !a.whole()) && (b == nil || !b.whole()) && op != ir.Convert
		return v
	}
	m.linear(v, f)
	return v
}

// linear gives v the form f and the bounds that follow.
func (m *maker) linear(v *value, f form) {
	b := uint(v.t.Bits())
	f = m.recognise(f.reduce(b), v.t, v.pos, false)
	v.form, v.exact = f, false
	lo, hi := f.interval()
	if lo2, hi2, shift, ok := fit(v.t, lo, hi); ok {
		v.lo, v.hi, v.exact = lo2, hi2, true
		v.form.c = new(big.Int).Add(f.c, shift)
		return
	}
	if m.cases(v, f) {
		return
	}
	w := ir.Whole(v.t)
	v.lo, v.hi, v.wraps = w.Lo, w.Hi, true
}

// cases bounds v, whose form is f, by the cases of a selection in it.
func (m *maker) cases(v *value, f form) bool {
	for _, t := range f.terms {
		if t.v.op != ir.Select {
			continue
		}
		rest := f.plus(atom(t.v), new(big.Int).Neg(t.k))
		var l, h, shift [2]*big.Int
		fits := true
		for i := range 2 {
			branch := t.v.args[1+i]
			if fits = fits && branch.exact; !fits {
				break
			}
			x := rest.plus(branch.form, t.k)
			lo, hi := x.interval()
			lo, hi = m.restrict(x, lo, hi, t.v.args[0], i == 0, v)
			l[i], h[i], shift[i], fits = fit(v.t, lo, hi)
		}
		if !fits || shift[0].Cmp(shift[1]) != 0 {
			continue
		}
		v.lo, v.hi = l[0], h[0]
		if l[1].Cmp(v.lo) < 0 {
			v.lo = l[1]
		}
		if h[1].Cmp(v.hi) > 0 {
			v.hi = h[1]
		}
		v.form.c, v.exact = new(big.Int).Add(f.c, shift[0]), true
		return true
	}
	return false
}

// fit moves an interval by a multiple of R into the type, if that is possible.
func fit(t ir.Type, lo, hi *big.Int) (l, h, shift *big.Int, ok bool) {
	w := ir.Whole(t)
	r := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits()))
	for k := int64(-1); k <= 1; k++ {
		shift = new(big.Int).Mul(r, big.NewInt(k))
		l, h = new(big.Int).Add(lo, shift), new(big.Int).Add(hi, shift)
		if l.Cmp(w.Lo) >= 0 && h.Cmp(w.Hi) <= 0 {
			return l, h, shift, true
		}
	}
	return nil, nil, nil, false
}

// lowered reports whether of two values one is the other, s, less a positive constant, unsigned.
func (m *maker) lowered(a, b *value) (s, w *value, ok bool) {
	for _, p := range [2][2]*value{{a, b}, {b, a}} {
		s, w = p[0], p[1]
		if w.op != ir.Sub || w.args[0] != s || s.t.IsSigned() {
			continue
		}
		if k, is := w.args[1].number(); is && k.Sign() > 0 {
			return s, w, true
		}
	}
	return nil, nil, false
}
