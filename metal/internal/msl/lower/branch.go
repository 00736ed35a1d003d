package lower

import (
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// maxCheap is the number of instructions up to which both sides of a branch are run and their results chosen.
const maxCheap = 8

// harmless reports whether in has no effect but its result, cannot be a fault whatever its operands, and costs little.
func (l *lowerer) harmless(in *ir.Instr) bool {
	t := in.Type
	switch in.Op {
	case ir.Mov, ir.Select, ir.Bitcast, ir.And, ir.Or, ir.Xor, ir.Not, ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.MulHi, ir.Min, ir.Max:
		return true
	case ir.IsNaN, ir.IsInf, ir.IsFinite, ir.IsNormal, ir.SignBit, ir.CopySign, ir.Popcount, ir.Clz, ir.Ctz:
		return true
	case ir.Convert:
		return !isFloat(in.From) || isFloat(t) || t == ir.Bool
	case ir.Add, ir.Sub, ir.Mul, ir.Neg, ir.Abs:
		return isFloat(t) || isInt(t) && !isSigned(t)
	case ir.Fma, ir.Shl, ir.Shr:
		return true
	}
	return false
}

// cheap reports whether a block is a few harmless instructions that only copy what may have no value: where the block is not to run, computing
// with that would be found as a use.
func (l *lowerer) cheap(b ir.Block) bool {
	if len(b) > maxCheap {
		return false
	}
	for _, n := range b {
		in, ok := n.(*ir.Instr)
		if !ok || !l.harmless(in) || l.usesDoubtful(in) {
			return false
		}
	}
	return true
}

// writesVariables reports whether a block of instructions writes registers that stand for variables.
func (l *lowerer) writesVariables(b ir.Block) bool {
	for _, n := range b {
		if in, ok := n.(*ir.Instr); ok && l.regs[in.Dst].mutable {
			return true
		}
	}
	return false
}

// emitIf runs then or els. A constant condition picks one now; of two cheap sides the results are chosen.
func (l *lowerer) emitIf(c operand, at typed.Pos, then, els func()) {
	if l.dead {
		return
	}
	if c.kind == constantOperand {
		if c.bits != 0 {
			then()
		} else {
			els()
		}
		return
	}
	cond := l.reg(c)
	l.regs[cond].fresh = false
	before := ir.Reg(len(l.k.Regs))
	t, deadT := l.into(then)
	e, deadE := l.into(els)
	if l.failed {
		return
	}
	if len(t) == 0 && len(e) == 0 {
		return
	}
	if deadT == deadE && len(t)+len(e) <= maxCheap && l.cheap(t) && l.cheap(e) && l.merge(cond, before, t, e, at) {
		l.dead = deadT // by returns at the end of the function, as there is no Leave
		return
	}
	*l.block = append(*l.block, &ir.If{Cond: cond, Then: t, Else: e, Pos: l.pos(at)})
	l.dead = deadT && deadE
}

// merged is one side of a branch with its variables renamed.
type merged struct {
	name  map[ir.Reg]ir.Reg
	order []ir.Reg
	code  []*ir.Instr
}

// rename lets a side of a branch write to temporaries instead of variables.
func (l *lowerer) rename(b ir.Block) merged {
	m := merged{name: map[ir.Reg]ir.Reg{}}
	to := func(r ir.Reg) ir.Reg {
		if n, ok := m.name[r]; ok {
			return n
		}
		return r
	}
	for _, n := range b {
		in := *n.(*ir.Instr)
		in.A, in.B, in.C, in.D = to(in.A), to(in.B), to(in.C), to(in.D)
		if !l.regs[in.Dst].mutable {
			m.code = append(m.code, l.newInstr(in))
			continue
		}
		v := in.Dst
		if _, ok := m.name[v]; !ok {
			m.order = append(m.order, v)
		}
		if in.Op == ir.Mov {
			m.name[v] = in.A
			continue
		}
		in.Dst = l.newReg(l.k.Regs[v])
		l.regs[in.Dst].writes = 1
		l.doubt(&in)
		m.name[v] = in.Dst
		m.code = append(m.code, l.newInstr(in))
	}
	return m
}

// merge replaces a branch by its two sides one after the other and a choice for each variable. It declines if a variable
// that only one side writes might hold nothing otherwise. Registers from before on belong to one side alone, and end with it.
func (l *lowerer) merge(cond, before ir.Reg, t, e ir.Block, at typed.Pos) bool {
	writes := func(b ir.Block, r ir.Reg) bool {
		for _, n := range b {
			if n.(*ir.Instr).Dst == r {
				return true
			}
		}
		return false
	}
	for _, b := range []ir.Block{t, e} {
		for _, n := range b {
			in := n.(*ir.Instr)
			if r := in.Dst; r < before && l.regs[r].mutable && !l.regs[r].ready && (!writes(t, r) || !writes(e, r)) {
				return false
			}
		}
	}
	a, b := l.rename(t), l.rename(e)
	var order []ir.Reg
	for _, r := range a.order {
		if r < before {
			order = append(order, r)
		}
	}
	for _, r := range b.order {
		if _, ok := a.name[r]; !ok && r < before {
			order = append(order, r)
		}
	}
	value := func(m merged, r ir.Reg) ir.Reg {
		if n, ok := m.name[r]; ok {
			return n
		}
		return r
	}
	// A choice must not read what an earlier one wrote: such variables are few, and left to the branch.
	for i, r := range order {
		for _, later := range order[i+1:] {
			if value(a, later) == r || value(b, later) == r || cond == r {
				return false
			}
		}
	}
	for _, m := range []merged{a, b} {
		for _, in := range m.code {
			*l.block = append(*l.block, in)
		}
	}
	for _, r := range order {
		x, y := value(a, r), value(b, r)
		typ := l.k.Regs[r]
		if x == y {
			l.emit(ir.Instr{Op: ir.Mov, Type: typ, Dst: r, A: x}, at)
			continue
		}
		l.emit(ir.Instr{Op: ir.Select, Type: typ, Dst: r, A: cond, B: x, C: y}, at)
		// The result of ?: is a variable of its own that nothing else writes.
	}
	return true
}

// leaveUnless leaves label in the threads where c is false.
func (l *lowerer) leaveUnless(c operand, label int32, at typed.Pos) {
	leave := &ir.Leave{Label: label, Pos: l.pos(at)}
	if c.kind == constantOperand {
		if c.bits == 0 && !l.dead {
			*l.block = append(*l.block, leave)
			l.dead = true
		}
		return
	}
	if !l.dead {
		*l.block = append(*l.block, &ir.If{Cond: l.reg(c), Else: ir.Block{leave}, Pos: l.pos(at)})
	}
}
