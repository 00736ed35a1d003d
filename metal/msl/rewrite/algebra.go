package rewrite

import (
	"math"
	"slices"

	"gamma/metal/msl/ir"
)

// term is a name times a whole number; name 0 is the constant sum, whose bits are in bits.
type term struct {
	name ir.Reg
	coef int
	bits uint64
}

// plain is the arithmetic in which constants are joined.
var plain ir.Arith

// algebra rewrites one instruction by the laws of real arithmetic that its flags and the behaviour allow.
func (r *rewriter) algebra(in *ir.Instr) {
	w := r.b.Rewrites
	t := in.Type
	switch in.Op {
	case ir.IsNaN:
		if w.NoNaNs && in.FP&ir.NoNaNs != 0 {
			*in = ir.Instr{Op: ir.Const, Type: ir.Bool, Dst: in.Dst, Pos: in.Pos, Stmt: in.Stmt}
		}
		return
	case ir.IsInf:
		if w.NoInfs && in.FP&ir.NoInfs != 0 {
			*in = ir.Instr{Op: ir.Const, Type: ir.Bool, Dst: in.Dst, Pos: in.Pos, Stmt: in.Stmt}
		}
		return
	case ir.Eq, ir.Ne:
		if t.IsFloat() && in.A == in.B && w.NoNaNs && in.FP&ir.NoNaNs != 0 {
			is := uint64(0)
			if in.Op == ir.Eq {
				is = 1
			}
			*in = ir.Instr{Op: ir.Const, Type: ir.Bool, Dst: in.Dst, Imm: is, Pos: in.Pos, Stmt: in.Stmt}
		}
		return
	}
	if !t.IsFloat() {
		return
	}
	switch in.Op {
	case ir.Div:
		if w.Reciprocal && in.FP&ir.Reciprocal != 0 && !r.isConst(in.A, one(t)) {
			y := r.before(in, ir.Div, r.constant(in, one(t)), in.B, 0)
			in.Op, in.B = ir.Mul, y
		}
	case ir.Mul:
		r.products(in)
	case ir.Add, ir.Sub, ir.Neg:
		r.sums(in)
	}
}

// one is 1 in type t.
func one(t ir.Type) uint64 { return plain.Narrow(t, 1) }

func (r *rewriter) isConst(x ir.Reg, bits uint64) bool {
	d := r.defs[x]
	return d != nil && d.Op == ir.Const && d.Imm == bits
}

// move makes in a copy of x.
func move(in *ir.Instr, x ir.Reg) {
	*in = ir.Instr{Op: ir.Mov, Type: in.Type, Dst: in.Dst, A: x, Pos: in.Pos, Stmt: in.Stmt}
}

// products drops a factor of one, and joins the constants of (x·c)·d.
func (r *rewriter) products(in *ir.Instr) {
	if !r.b.Rewrites.Reassociate || in.FP&ir.Reassoc == 0 {
		return
	}
	for _, o := range [2][2]ir.Reg{{in.A, in.B}, {in.B, in.A}} {
		x, c := o[0], r.defs[o[1]]
		if c == nil || c.Op != ir.Const {
			continue
		}
		if c.Imm == one(in.Type) {
			move(in, x)
			return
		}
		m := r.defs[x]
		if m == nil || m.Op != ir.Mul || m.FP&ir.Reassoc == 0 {
			continue
		}
		for _, p := range [2][2]ir.Reg{{m.A, m.B}, {m.B, m.A}} {
			if d := r.defs[p[1]]; d != nil && d.Op == ir.Const {
				bits, _ := ir.Eval(ir.Mul, in.Type, ir.Void, 0, plain, c.Imm, d.Imm, 0, 0)
				in.A, in.B = p[0], r.constant(in, bits)
				return
			}
		}
	}
}

// sums rewrites a sum as the sum of its terms, with equal ones joined: the error word of a two-sum becomes 0.
func (r *rewriter) sums(in *ir.Instr) {
	w := r.b.Rewrites
	nsz := w.NoSignedZeros && in.FP&ir.NoSignedZeros != 0
	if w.Reassociate && in.FP&ir.Reassoc != 0 {
		form, written := r.formOf(in)
		if form != nil {
			r.forms[in.Dst] = form
			root := r.uses[in.Dst] != 1 || !r.feedsSum(in.Dst)
			switch {
			case len(form) < written:
				r.rebuild(in, form)
				return
			case len(form) > 2 && root && r.b.Seed != 0:
				r.factor(in, &form)
				r.shuffle(form)
				r.rebuild(in, form)
				return
			}
		}
	}
	if !nsz || in.Op == ir.Neg {
		return
	}
	zero := func(x ir.Reg) bool { return r.isConst(x, 0) || r.isConst(x, in.Type.Mask()&^(in.Type.Mask()>>1)) }
	switch {
	case zero(in.B):
		move(in, in.A)
	case zero(in.A) && in.Op == ir.Add:
		move(in, in.B)
	case zero(in.A):
		in.Op, in.A, in.B = ir.Neg, in.B, 0
	}
}

// feedsSum reports whether a sum reads name x. Names are read after their instruction, so that this is looked up in
// what was counted before.
func (r *rewriter) feedsSum(x ir.Reg) bool {
	if r.summed == nil {
		r.summed = make(map[ir.Reg]bool)
		r.k.Body.Each(func(in *ir.Instr) {
			if (in.Op == ir.Add || in.Op == ir.Sub || in.Op == ir.Neg) && in.Type.IsFloat() && in.FP&ir.Reassoc != 0 {
				r.summed[in.A], r.summed[in.B] = true, true
			}
		})
	}
	return r.summed[x]
}

// formOf returns the terms of a sum, those of each name joined, and how many its two operands have together. The form is nil if there are too many.
func (r *rewriter) formOf(in *ir.Instr) (form []term, written int) {
	add := func(x ir.Reg, sign int) {
		for _, t := range r.terms(x, in.Type) {
			written++
			t.coef *= sign
			if t.name == 0 && sign < 0 {
				t.coef = 1
				t.bits, _ = ir.Eval(ir.Neg, in.Type, ir.Void, 0, plain, t.bits, 0, 0, 0)
			}
			i := slices.IndexFunc(form, func(o term) bool { return o.name == t.name })
			switch {
			case i < 0:
				form = append(form, t)
			case t.name == 0:
				form[i].bits, _ = ir.Eval(ir.Add, in.Type, ir.Void, 0, plain, form[i].bits, t.bits, 0, 0)
			default:
				form[i].coef += t.coef
			}
		}
	}
	switch in.Op {
	case ir.Add:
		add(in.A, 1)
		add(in.B, 1)
	case ir.Sub:
		add(in.A, 1)
		add(in.B, -1)
	case ir.Neg:
		add(in.A, -1)
	}
	form = slices.DeleteFunc(form, func(t term) bool { return t.name != 0 && t.coef == 0 })
	if len(form) > maxTerms {
		return nil, written
	}
	return form, written
}

// terms returns the form of a name.
func (r *rewriter) terms(x ir.Reg, t ir.Type) []term {
	if f, ok := r.forms[x]; ok {
		return f
	}
	if d := r.defs[x]; d != nil && d.Op == ir.Const && d.Type == t {
		return []term{{bits: d.Imm, coef: 1}}
	}
	if d := r.defs[x]; d != nil && d.Op == ir.Mov && d.A != x && r.defs[d.A] != nil {
		return r.terms(d.A, t)
	}
	return []term{{name: x, coef: 1}}
}

// shuffle puts the terms in a drawn order.
func (r *rewriter) shuffle(form []term) {
	for i := len(form) - 1; i > 0; i-- {
		j := r.draw(i + 1)
		form[i], form[j] = form[j], form[i]
	}
}

// factor takes a common factor out of two terms that are products: a·m + b·m becomes (a+b)·m, if the seed says so.
func (r *rewriter) factor(in *ir.Instr, form *[]term) {
	f := *form
	for i := range f {
		p := r.defs[f[i].name]
		if f[i].name == 0 || p == nil || p.Op != ir.Mul || p.FP&ir.Reassoc == 0 || f[i].coef*f[i].coef != 1 {
			continue
		}
		for j := i + 1; j < len(f); j++ {
			q := r.defs[f[j].name]
			if f[j].name == 0 || q == nil || q.Op != ir.Mul || q.FP&ir.Reassoc == 0 || f[j].coef*f[j].coef != 1 {
				continue
			}
			a, b, m := p.A, q.A, ir.Reg(0)
			switch {
			case p.A == q.A:
				m, a, b = p.A, p.B, q.B
			case p.A == q.B:
				m, a, b = p.A, p.B, q.A
			case p.B == q.A:
				m, a, b = p.B, p.A, q.B
			case p.B == q.B:
				m, a, b = p.B, p.A, q.A
			}
			if m == 0 || r.draw(2) == 0 {
				continue
			}
			op := ir.Add
			if f[i].coef != f[j].coef {
				op = ir.Sub
			}
			f[i].name = r.before(in, ir.Mul, r.before(in, op, a, b, 0), m, 0)
			*form = slices.Delete(slices.Clone(f), j, j+1)
			return
		}
	}
}

// rebuild makes in the sum of form: from the left, or associated as the seed says.
func (r *rewriter) rebuild(in *ir.Instr, form []term) {
	form = slices.Clone(form)
	// A term that is positive goes first, so that no negation is needed.
	if i := slices.IndexFunc(form, func(t term) bool { return t.coef > 0 }); i > 0 {
		form[0], form[i] = form[i], form[0]
	}
	if len(form) == 0 {
		*in = ir.Instr{Op: ir.Const, Type: in.Type, Dst: in.Dst, Pos: in.Pos, Stmt: in.Stmt}
		return
	}
	type part struct {
		x   ir.Reg
		neg bool
	}
	parts := make([]part, len(form))
	for i, t := range form {
		switch {
		case t.name == 0:
			parts[i].x = r.constant(in, t.bits)
		case t.coef == 1 || t.coef == -1:
			parts[i] = part{t.name, t.coef < 0}
		default:
			c := math.Abs(float64(t.coef))
			parts[i] = part{r.before(in, ir.Mul, t.name, r.constant(in, plain.Narrow(in.Type, c)), 0), t.coef < 0}
		}
	}
	for len(parts) > 2 {
		i := r.draw(len(parts) - 1)
		a, b := parts[i], parts[i+1]
		sum := part{neg: a.neg && b.neg}
		switch {
		case a.neg == b.neg:
			sum.x = r.before(in, ir.Add, a.x, b.x, 0)
		case b.neg:
			sum.x = r.before(in, ir.Sub, a.x, b.x, 0)
		default:
			sum.x = r.before(in, ir.Sub, b.x, a.x, 0)
		}
		parts[i] = sum
		parts = slices.Delete(parts, i+1, i+2)
	}
	switch {
	case len(parts) == 1 && parts[0].neg:
		in.Op, in.A, in.B = ir.Neg, parts[0].x, 0
	case len(parts) == 1:
		move(in, parts[0].x)
	case parts[0].neg && parts[1].neg:
		in.Op, in.A, in.B = ir.Neg, r.before(in, ir.Add, parts[0].x, parts[1].x, 0), 0
	case parts[0].neg:
		in.Op, in.A, in.B = ir.Sub, parts[1].x, parts[0].x
	case parts[1].neg:
		in.Op, in.A, in.B = ir.Sub, parts[0].x, parts[1].x
	default:
		in.Op, in.A, in.B = ir.Add, parts[0].x, parts[1].x
	}
}
