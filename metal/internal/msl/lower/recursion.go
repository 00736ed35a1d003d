package lower

import (
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// A function that calls itself last, as in return f(…), is a loop: its parameters get the arguments, and its body begins again. The same is true
// of functions that call one another last: each is inlined in the one that called it, and the call of a function in which
// it stands goes back to that one's beginning. All other recursion is refused.

// recurs notes that fn is called while it is being looked at: it and those it reached this call by call one another.
func (l *lowerer) recurs(fn *typed.Func) {
	for i := len(l.looking) - 1; i >= 0; i-- {
		l.recursive[l.looking[i]] = true
		if l.looking[i] == fn {
			return
		}
	}
}

// ancestor returns the frame of fn that the frame at hand stands in, or nil. tail: all calls between are the last of their functions.
func (l *lowerer) ancestor(fn *typed.Func) (f *frame, tail bool) {
	tail = true
	for f = l.frame; f != nil && f.fn != fn; f = f.parent {
		tail = tail && f.tail
	}
	return f, tail
}

// refuseRecursion reports a call of the function of frame f that is not its last.
func (l *lowerer) refuseRecursion(at typed.Pos, fn *typed.Func, why string) {
	if l.failed {
		return
	}
	cycle := ""
	for f := l.frame; f != nil && f.fn != fn; f = f.parent {
		cycle = f.fn.Name + " calls " + cycle
	}
	msg := "recursion: " + fn.Name + " calls " + cycle + fn.Name + why
	l.errs = append(l.errs, &token.Error{Pos: at, Feature: "recursion", Msg: msg})
	l.failed, l.dead = true, true
}

// lastCall returns the call of a recursive function that e is, if it is one.
func (l *lowerer) lastCall(e typed.Expr) *typed.Call {
	c, ok := e.(*typed.Call)
	if !ok || !l.recursive[l.frame.fn] || c.Func.Body == nil {
		return nil
	}
	if l.info(c.Func); !l.recursive[c.Func] {
		return nil
	}
	return c
}

// returnsCall lowers return e where a part of e that is evaluated last calls a recursive function, and reports whether it is so.
func (l *lowerer) returnsCall(e typed.Expr, s *typed.Return, tail bool) bool {
	if !l.recursive[l.frame.fn] {
		return false
	}
	part := func(x typed.Expr) func() {
		return func() { l.returnStmt(&typed.Return{X: x, Pos: s.Pos, FP: s.FP}, tail) }
	}
	switch e := e.(type) {
	case *typed.Call:
		if c := l.lastCall(e); c != nil {
			return l.tailCall(c)
		}
	case *typed.CondExpr:
		if l.endsInCall(e.T) || l.endsInCall(e.F) {
			l.emitIf(l.scalar(e.C), e.Pos, part(e.T), part(e.F))
			return true
		}
	case *typed.Logical:
		if l.endsInCall(e.R) {
			known := &typed.Const{Node: e.Node}
			if e.Or {
				known.Bits = 1
				l.emitIf(l.scalar(e.L), e.Pos, part(known), part(e.R))
			} else {
				l.emitIf(l.scalar(e.L), e.Pos, part(e.R), part(known))
			}
			return true
		}
	}
	return false
}

// endsInCall reports whether what is evaluated last of e may be a call of a recursive function.
func (l *lowerer) endsInCall(e typed.Expr) bool {
	switch e := e.(type) {
	case *typed.Call:
		return l.lastCall(e) != nil
	case *typed.CondExpr:
		return l.endsInCall(e.T) || l.endsInCall(e.F)
	case *typed.Logical:
		return l.endsInCall(e.R)
	}
	return false
}

// tailCall goes back to the beginning of the function that c calls, if the frame at hand stands in it; otherwise the call is inlined, as the last of
// the frame at hand, and it reports false.
func (l *lowerer) tailCall(c *typed.Call) bool {
	f, tail := l.ancestor(c.Func)
	if f == nil || !tail {
		l.lastNext = f == nil
		return false
	}
	values := make([]value, len(c.Func.Params))
	for i, p := range c.Func.Params {
		switch {
		case i < len(c.Places) && c.Places[i] != nil:
			if f != l.frame || !samePlace(l.place(c.Places[i]), l.now(f.vars[p])) {
				l.refuseRecursion(c.Pos, c.Func, ", with another object for the reference "+p.Name+"; write a loop")
				return true
			}
		default:
			v := l.eval(c.Args[i])
			for j := range v {
				v[j] = l.snapshot(v[j], c.Pos)
			}
			values[i] = v
		}
	}
	for i, p := range c.Func.Params {
		if values[i] != nil && !l.failed {
			l.store(f.vars[p], values[i], c.Pos)
		}
	}
	f.again = true
	l.leave(f.begin, c.Pos)
	return true
}

// samePlace reports whether two places are surely one.
func samePlace(a, b place) bool {
	if a.mem != b.mem || a.global != b.global || a.off != b.off || len(a.ops) != len(b.ops) || len(a.comps)+len(b.comps) > 0 {
		return false
	}
	if a.mem {
		return a.a == b.a
	}
	for i := range a.ops {
		if a.ops[i].kind != registerOperand || b.ops[i].kind != registerOperand || a.ops[i].reg != b.ops[i].reg {
			return false
		}
	}
	return true
}

// loopBody runs the body of a function that may call itself last, as a loop that each return leaves.
func (l *lowerer) loopBody(f *frame) {
	f.begin = l.newLabel()
	out := l.newLabel()
	l.loops++
	body, _ := l.into(func() {
		inner, _ := l.into(func() {
			l.stmts(f.fn.Body.Stmts, true)
			if !l.dead && len(f.res) > 0 {
				l.set(f.res, l.undefined(f.fn.Result), f.fn.Pos)
			}
			f.used = true
			l.dead = l.failed
			l.leave(f.label, f.fn.Pos)
		})
		if !f.again {
			*l.block = append(*l.block, inner...)
			return
		}
		*l.block = append(*l.block, &ir.Scope{Label: f.begin, Body: inner})
	})
	l.loops--
	if f.again {
		body = ir.Block{&ir.Loop{Label: out, Body: body, Pos: l.pos(f.fn.Pos)}}
	}
	*l.block = append(*l.block, body...)
	l.dead = true
}
