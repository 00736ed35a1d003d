package lower

import (
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// maxFolded bounds how deep statements are nested after the else of an if that returns.
const maxFolded = 48

// stmts lowers statements. tail: the function ends after them.
func (l *lowerer) stmts(list []typed.Stmt, tail bool) {
	for i, s := range list {
		if l.dead || l.failed {
			return
		}
		last := i == len(list)-1
		if x, ok := s.(*typed.ExprStmt); ok && (tail && last || !last && returnsNothing(list[i+1])) {
			if c := l.lastCall(x.X); c != nil && count(c.Type) == 0 {
				l.newStmt(x.FP)
				if l.tailCall(c) {
					return
				}
				l.effect(x.X)
				continue
			}
		}
		if c, ok := s.(*typed.If); ok && tail && !last && l.frame.parent != nil && l.frame.folded < maxFolded && returns(c.Then) {
			l.frame.folded++
			rest := list[i+1:]
			l.newStmt(c.FP)
			l.emitIf(l.scalar(c.Cond), c.Pos, func() { l.stmt(c.Then, true) }, func() {
				if c.Else != nil {
					l.stmt(c.Else, false)
				}
				l.stmts(rest, true)
			})
			l.frame.folded--
			return
		}
		l.stmt(s, tail && last)
	}
}

// returnsNothing reports whether s is a return without a value.
func returnsNothing(s typed.Stmt) bool {
	r, ok := s.(*typed.Return)
	return ok && r.X == nil
}

// returns reports whether every way through s ends in a return.
func returns(s typed.Stmt) bool {
	switch s := s.(type) {
	case *typed.Return:
		return true
	case *typed.Block:
		return len(s.Stmts) > 0 && returns(s.Stmts[len(s.Stmts)-1])
	case *typed.If:
		return s.Else != nil && returns(s.Then) && returns(s.Else)
	}
	return false
}

func (l *lowerer) stmt(s typed.Stmt, tail bool) {
	if l.dead || l.failed {
		return
	}
	switch s := s.(type) {
	case nil:
	case *typed.Block:
		l.stmts(s.Stmts, tail)
	case *typed.VarStmt:
		l.newStmt(s.FP)
		l.declare(s)
	case *typed.ExprStmt:
		l.newStmt(s.FP)
		l.effect(s.X)
	case *typed.If:
		l.newStmt(s.FP)
		l.ifStmt(s, tail)
	case *typed.Loop:
		l.loop(s)
	case *typed.Switch:
		l.newStmt(s.FP)
		l.switchStmt(s)
	case *typed.Break:
		if n := len(l.frame.targets); n > 0 {
			t := l.frame.targets[n-1]
			t.outUsed = true
			l.leave(t.out, s.Pos)
		} else {
			l.fail(s.Pos, "break stands in no loop and no switch")
		}
	case *typed.Continue:
		for n := len(l.frame.targets) - 1; n >= 0; n-- {
			if t := l.frame.targets[n]; !t.isSwitch {
				t.nextUsed = true
				l.leave(t.next, s.Pos)
				return
			}
		}
		l.fail(s.Pos, "continue stands in no loop")
	case *typed.Return:
		l.newStmt(s.FP)
		l.returnStmt(s, tail)
	}
}

func (l *lowerer) leave(label int32, at typed.Pos) {
	if l.dead {
		return
	}
	*l.block = append(*l.block, &ir.Leave{Label: label, Pos: l.pos(at)})
	l.dead = true
}

func (l *lowerer) returnStmt(s *typed.Return, tail bool) {
	f := l.frame
	if f.parent == nil {
		if !tail {
			l.leave(0, s.Pos)
		}
		l.dead = true
		return
	}
	if l.returnsCall(s.X, s, tail) {
		return
	}
	switch {
	case s.X != nil && f.direct && givesPlace(f.fn):
		p := l.hold(l.place(addressee(s.X)), s.Pos)
		f.place = &p
	case s.X != nil && count(s.X.ExprType()) > 0:
		v := l.eval(s.X)
		switch {
		case f.direct:
			f.res = v
		case len(v) == len(f.res):
			l.set(f.res, v, s.Pos)
		}
	case s.X != nil:
		l.effect(s.X)
	}
	if l.dead {
		return
	}
	f.returned = true
	if !tail {
		f.used = true
		l.leave(f.label, s.Pos)
	}
	l.dead = true
}

func (l *lowerer) ifStmt(s *typed.If, tail bool) {
	// if (a && b) without else is if (a) if (b).
	if c, ok := s.Cond.(*typed.Logical); ok && !c.Or && s.Else == nil {
		a := l.scalar(c.L)
		if a.kind == constantOperand && a.bits == 0 {
			return
		}
		m := l.mark()
		var b operand
		body, dead := l.into(func() { b = l.scalar(c.R) })
		if a.kind != constantOperand && (dead || !l.cheap(body) || l.writesVariables(body)) {
			l.emitIf(a, s.Pos, func() {
				*l.block = append(*l.block, body...)
				l.dead = dead
				l.emitIf(b, s.Pos, func() { l.stmt(s.Then, tail) }, func() {})
			}, func() {})
			return
		}
		*l.block = append(*l.block, body...)
		l.dead = dead || l.failed
		v := value{a}
		l.settle(m, v)
		both := b
		if a.kind != constantOperand {
			both = l.both(false, v[0], b, c.Pos)
		}
		l.emitIf(both, s.Pos, func() { l.stmt(s.Then, tail) }, func() {})
		return
	}
	l.emitIf(l.scalar(s.Cond), s.Pos, func() { l.stmt(s.Then, tail) }, func() { l.stmt(s.Else, tail) })
}

func (l *lowerer) declare(s *typed.VarStmt) {
	v := s.Var
	switch {
	case v.Ref:
		if s.Bind == nil {
			l.fail(s.Pos, "reference %s is bound to nothing", v.Name)
			return
		}
		l.frame.vars[v] = l.hold(l.place(s.Bind), s.Pos)
	case v.Global != nil:
	case v.Space == ir.Threadgroup:
		n, ok := l.groupVars[v]
		if !ok {
			n = l.addObject(ir.Object{
				Name: v.Name, Space: ir.Threadgroup, Size: max(v.Type.Size(), 1), Align: max(v.Type.Align(), 1), Pos: v.Pos, Elem: elemSize(v.Type),
			}, s.Pos)
			l.groupVars[v] = n
		}
		l.frame.vars[v] = place{typ: v.Type, mem: true, a: address{base: l.objectAddr(n)}}
	case l.frame.info.memory[v]:
		m := l.newObject(v.Name, v.Type, ir.Thread, v.Pos)
		l.frame.vars[v] = m
		if _, ok := s.Init.(*typed.ConstructExpr); ok || s.Init == nil {
			l.renew(m, s.Pos)
		}
		if s.Init != nil {
			l.initialise(m, s.Init)
		}
	case s.Init == nil:
		p := l.newVariable(v.Name, v.Type)
		for _, o := range p.ops {
			l.regs[o.reg].doubtful = true
		}
		l.frame.vars[v] = p
	case l.frame.info.written[v]:
		p := l.newVariable(v.Name, v.Type)
		if c, ok := s.Init.(*typed.ConstructExpr); ok {
			l.frame.vars[v] = p
			l.call(c.Func, c.Args, c.Places, &p, c.Pos)
			return
		}
		l.set(p.ops, l.eval(s.Init), s.Pos)
		l.makeReady(p)
		l.frame.vars[v] = p
	default:
		x := l.eval(s.Init)
		for i := range x {
			x[i] = l.snapshot(x[i], s.Pos)
			if x[i].kind == registerOperand && l.k.Names[x[i].reg] == "" && !l.isConstReg(x[i].reg) {
				l.k.Names[x[i].reg] = leafName(v.Name, v.Type, i)
			}
		}
		l.frame.vars[v] = place{typ: v.Type, ops: x}
	}
}

// renew takes from an object that is declared in a loop what the turn before left in it: it has no value again. Objects of
// more than loopFrom scalars keep it.
func (l *lowerer) renew(p place, at typed.Pos) {
	if l.loops == 0 || l.dead || count(p.typ) > loopFrom || typed.HoldsAtomic(p.typ) {
		return
	}
	none := map[ir.Type]operand{}
	for _, f := range l.memoryLeaves(p) {
		u, ok := none[f.typ]
		if !ok {
			u = l.result(ir.Instr{Op: ir.Undef, Type: f.typ}, f.typ, at)
			none[f.typ] = u
		}
		a := p.a
		a.disp += int64(f.off)
		in := ir.Instr{Op: ir.Store, Type: f.typ, Align: f.align, C: l.reg(u)}
		l.setAddress(&in, a)
		l.emit(in, at)
	}
}

// isConstReg reports whether r holds the address of an object.
func (l *lowerer) isConstReg(r ir.Reg) bool {
	for _, o := range l.objectRegs {
		if o == r {
			return true
		}
	}
	return false
}

func (l *lowerer) loop(s *typed.Loop) {
	if s.Init != nil {
		l.stmt(s.Init, false)
	}
	if l.dead || l.failed {
		return
	}
	test := s.Cond
	if bits, ok := l.knownCond(s.Cond); ok {
		switch {
		case bits != 0:
			test = nil
		case !s.TestAfter:
			return
		}
	}
	t := &target{out: l.newLabel(), next: l.newLabel()}
	l.frame.targets = append(l.frame.targets, t)
	l.loops++
	body, _ := l.into(func() {
		if !s.TestAfter && test != nil {
			l.newStmt(s.FP)
			t.outUsed = true
			l.leaveUnless(l.scalar(test), t.out, s.Pos)
		}
		inner, dead := l.into(func() { l.stmt(s.Body, false) })
		if t.nextUsed {
			*l.block = append(*l.block, &ir.Scope{Label: t.next, Body: inner})
		} else {
			*l.block = append(*l.block, inner...)
			l.dead = l.dead || dead
		}
		if s.Post != nil && !l.dead {
			l.newStmt(s.FP)
			l.effect(s.Post)
		}
		if s.TestAfter && test != nil && !l.dead {
			l.newStmt(s.FP)
			t.outUsed = true
			l.leaveUnless(l.scalar(test), t.out, s.Pos)
		}
	})
	l.loops--
	l.frame.targets = l.frame.targets[:len(l.frame.targets)-1]
	if l.failed {
		return
	}
	*l.block = append(*l.block, &ir.Loop{Label: t.out, Body: body, Pos: l.pos(s.Pos)})
	l.dead = !t.outUsed
}

// knownCond returns a condition that literals and function constants decide.
func (l *lowerer) knownCond(c typed.Expr) (uint64, bool) {
	if c == nil {
		return 0, false
	}
	bits, _, ok := l.known(c)
	return bits, ok
}

// maxFallthrough bounds the nesting of a switch whose cases fall through, maxChain that of else branches.
const (
	maxFallthrough = 256
	maxChain       = 8
)

func (l *lowerer) switchStmt(s *typed.Switch) {
	x := l.snapshot(l.scalar(s.X), s.Pos)
	if l.dead || len(s.Cases) == 0 {
		return
	}
	t := &target{out: l.newLabel(), isSwitch: true}
	l.frame.targets = append(l.frame.targets, t)
	body, dead := l.into(func() {
		cases := mergeLabels(s.Cases)
		switch {
		case x.kind == constantOperand:
			l.knownSwitch(cases, x.bits)
		case noFallthrough(cases):
			l.chain(cases, x, s, t)
		case len(cases) > maxFallthrough:
			l.fail(s.Pos, "this switch has more than %d cases that fall through: end them by break", maxFallthrough)
		default:
			l.cascade(cases, x, s, t)
		}
	})
	l.frame.targets = l.frame.targets[:len(l.frame.targets)-1]
	if l.failed {
		return
	}
	if t.outUsed {
		*l.block = append(*l.block, &ir.Scope{Label: t.out, Body: body})
		return
	}
	*l.block = append(*l.block, body...)
	l.dead = dead
}

// mergeLabels joins cases without statements to the next.
func mergeLabels(in []typed.Case) []typed.Case {
	var out []typed.Case
	var pending typed.Case
	for i, c := range in {
		pending.Values = append(pending.Values, c.Values...)
		pending.Default = pending.Default || c.Default
		if len(c.Stmts) == 0 && i < len(in)-1 {
			continue
		}
		pending.Stmts = c.Stmts
		out = append(out, pending)
		pending = typed.Case{}
	}
	return out
}

// knownSwitch runs the case of a value that is known.
func (l *lowerer) knownSwitch(cases []typed.Case, bits uint64) {
	start := -1
	for i, c := range cases {
		if c.Default && start < 0 {
			start = i
		}
	}
	for i, c := range cases {
		for _, v := range c.Values {
			if v == bits {
				start = i
			}
		}
	}
	if start < 0 {
		return
	}
	for i := start; i < len(cases); i++ {
		l.caseStmts(cases[i].Stmts, i == len(cases)-1)
	}
}

// caseStmts runs the statements of a case; a break at their end needs no jump if nothing follows.
func (l *lowerer) caseStmts(list []typed.Stmt, last bool) {
	if body, ok := endsInBreak(list); ok && last {
		l.stmts(body, false)
		return
	}
	l.stmts(list, false)
}

// endsInBreak returns list without the break at its end.
func endsInBreak(list []typed.Stmt) ([]typed.Stmt, bool) {
	if len(list) == 0 {
		return list, false
	}
	n := len(list) - 1
	switch s := list[n].(type) {
	case *typed.Break:
		return list[:n], true
	case *typed.Block:
		if body, ok := endsInBreak(s.Stmts); ok {
			return append(append([]typed.Stmt(nil), list[:n]...), &typed.Block{Stmts: body}), true
		}
	}
	return list, false
}

// noFallthrough reports whether each case but the last ends by leaving.
func noFallthrough(cases []typed.Case) bool {
	for _, c := range cases[:len(cases)-1] {
		if _, ok := endsInBreak(c.Stmts); ok || leaves(c.Stmts) {
			continue
		}
		return false
	}
	return true
}

// leaves reports whether statements end in a jump.
func leaves(list []typed.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *typed.Return, *typed.Continue, *typed.Break:
		return true
	case *typed.Block:
		return leaves(s.Stmts)
	case *typed.If:
		return s.Else != nil && leaves([]typed.Stmt{s.Then}) && leaves([]typed.Stmt{s.Else})
	}
	return false
}

// matches is whether x is one of a case's values.
func (l *lowerer) matches(x operand, c *typed.Case, at typed.Pos) operand {
	m := constant(ir.Bool, 0)
	for _, v := range c.Values {
		m = l.binary(ir.Or, ir.Bool, ir.Bool, m, l.binary(ir.Eq, x.typ, ir.Bool, x, constant(x.typ, v), 0, at), 0, at)
	}
	return m
}

// chain lowers a switch without fallthrough to ifs.
func (l *lowerer) chain(cases []typed.Case, x operand, s *typed.Switch, t *target) {
	var def *typed.Case
	var rest []*typed.Case
	for i := range cases {
		if cases[i].Default {
			def = &cases[i]
		} else {
			rest = append(rest, &cases[i])
		}
	}
	run := func(c *typed.Case) {
		if c != nil {
			l.caseStmts(c.Stmts, true)
		}
	}
	if len(rest) > maxChain {
		for _, c := range rest {
			l.emitIf(l.matches(x, c, s.Pos), s.Pos, func() {
				run(c)
				if !l.dead {
					t.outUsed = true
					l.leave(t.out, s.Pos)
				}
			}, func() {})
		}
		run(def)
		return
	}
	var next func(i int)
	next = func(i int) {
		if i == len(rest) {
			run(def)
			return
		}
		l.emitIf(l.matches(x, rest[i], s.Pos), s.Pos, func() { run(rest[i]) }, func() { next(i + 1) })
	}
	next(0)
}

// cascade lowers a switch whose cases fall through: the dispatch leaves one of nested scopes, each followed by its case.
func (l *lowerer) cascade(cases []typed.Case, x operand, s *typed.Switch, t *target) {
	labels := make([]int32, len(cases))
	for i := range cases {
		labels[i] = l.newLabel()
	}
	inner, _ := l.into(func() {
		def := -1
		for i := range cases {
			if cases[i].Default {
				def = i
			}
			l.emitIf(l.matches(x, &cases[i], s.Pos), s.Pos, func() { l.leave(labels[i], s.Pos) }, func() {})
		}
		if def >= 0 {
			l.leave(labels[def], s.Pos)
			return
		}
		t.outUsed = true
		l.leave(t.out, s.Pos)
	})
	for i := range cases {
		b, dead := l.into(func() {
			*l.block = append(*l.block, &ir.Scope{Label: labels[i], Body: inner})
			l.caseStmts(cases[i].Stmts, i == len(cases)-1)
		})
		inner = b
		if i == len(cases)-1 {
			l.dead = dead
		}
	}
	*l.block = append(*l.block, inner...)
}
