package lower

import (
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// frame is one inlining of a function.
type frame struct {
	fn     *typed.Func
	info   *funcInfo
	parent *frame
	depth  int
	vars   map[*typed.Var]place
	// refLike are pointer parameters that stand for places.
	refLike map[*typed.Var]place

	tail     bool  // the call was the last of the function around
	begin    int32 // of a recursive function: the Scope that a call of itself leaves
	again    bool  // there is such a call
	label    int32 // of the Scope that a return leaves; 0 in the kernel itself
	used     bool
	direct   bool // the value is that of the only return, at the end
	res      value
	place    *place // what a function that gives a place gave
	returned bool
	folded   int // how many statements were put after an else instead of leaving the scope
	targets  []*target
}

// target is a loop or switch that break and continue leave.
type target struct {
	out, next         int32
	outUsed, nextUsed bool
	isSwitch          bool
}

// argument is what a parameter gets.
type argument struct {
	v       value
	m       mark
	p       place
	isPlace bool
}

// construct makes an object of a struct by its constructor.
func (l *lowerer) construct(e *typed.ConstructExpr) place {
	info := l.info(e.Func)
	if len(e.Func.Params) == 0 {
		l.fail(e.Pos, "%s has no object to construct", e.Func.Name)
		return l.nowhere(e.Type)
	}
	this := e.Func.Params[0]
	if info.memory[this] || info.needs[this] != nil || inMemory(e.Type) {
		m := l.newObject("", e.Type, ir.Thread, e.Pos)
		l.call(e.Func, e.Args, e.Places, &m, e.Pos)
		return m
	}
	p := l.newVariable("", e.Type)
	gives := info.gives[this]
	for i := range p.ops {
		if i < len(gives) && !gives[i] {
			l.emit(ir.Instr{Op: ir.Undef, Type: p.ops[i].typ, Dst: p.ops[i].reg}, e.Pos)
		}
	}
	l.call(e.Func, e.Args, e.Places, &p, e.Pos)
	return l.now(p)
}

// newVariable makes registers for a variable that is assigned to.
func (l *lowerer) newVariable(name string, t typed.Type) place {
	ls := l.leaves(t)
	p := place{typ: t, ops: make([]operand, len(ls))}
	for i := range ls {
		r := l.newReg(ls[i].typ)
		l.regs[r].mutable, l.regs[r].home = true, l.block
		if name != "" && l.site.Line == 0 {
			l.k.Names[r] = leafName(name, t, i)
		}
		p.ops[i] = operand{kind: registerOperand, typ: ls[i].typ, reg: r}
	}
	return p
}

// leafName names scalar i of a variable.
func leafName(name string, t typed.Type, i int) string {
	switch t := t.(type) {
	case *typed.Vector:
		return name + "." + "xyzw"[i:i+1]
	case *typed.Struct:
		if t.Union {
			return name
		}
		for j := range t.Fields {
			n := count(t.Fields[j].Type)
			if i < n {
				return leafName(name+"."+t.Fields[j].Name, t.Fields[j].Type, i)
			}
			i -= n
		}
	case *typed.Array:
		n := max(count(t.Elem), 1)
		return leafName(name+"["+decimal(i/n)+"]", t.Elem, i%n)
	}
	return name
}

func decimal(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + string(rune('0'+n%10))
}

// call inlines a call and returns its value. this is the object that a constructor makes.
func (l *lowerer) call(fn *typed.Func, args []typed.Expr, places []typed.Place, this *place, at typed.Pos) value {
	tail := l.lastNext
	l.lastNext = false
	none := l.zero(fn.Result)
	if l.dead {
		return none
	}
	if fn.Body == nil {
		l.fail(at, "function %s has no body", fn.Name)
		return none
	}
	if l.frame.depth >= maxDepth {
		l.fail(at, "the call of %s in kernel %s is nested more than %d deep: calls are inlined", fn.Name, l.k.Name, maxDepth)
		return none
	}
	if f, _ := l.ancestor(fn); f != nil {
		l.refuseRecursion(at, fn, "; write a loop, or call it last, as in return "+fn.Name+"(…)")
		return none
	}
	info := l.info(fn)
	bound := l.bind(fn, info, args, places, this)
	if l.failed {
		return none
	}
	stmt, fp, site := l.statement, l.fp, l.site
	if site.Line == 0 && token.InLibrary(fn.Pos) {
		l.site = at
	}
	f := &frame{fn: fn, info: info, parent: l.frame, depth: l.frame.depth + 1, vars: map[*typed.Var]place{}, tail: tail}
	l.enter(f, bound)
	l.frame = f
	v := l.body(f)
	l.frame = f.parent
	l.statement, l.fp, l.site = stmt, fp, site
	l.given = f.place
	return v
}

// callPlace inlines a call of a function that gives a place.
func (l *lowerer) callPlace(c *typed.Call) place {
	t := c.Type.(*typed.Pointer).Elem
	l.given = nil
	l.call(c.Func, c.Args, c.Places, nil, c.Pos)
	p := l.given
	l.given = nil
	if p == nil {
		if !l.failed && !l.dead {
			l.fail(c.Pos, "function %s gives no place", c.Func.Name)
		}
		return l.nowhere(t)
	}
	return l.now(*p)
}

// bind evaluates the arguments of a call.
func (l *lowerer) bind(fn *typed.Func, info *funcInfo, args []typed.Expr, places []typed.Place, this *place) []argument {
	bound := make([]argument, len(fn.Params))
	for i, p := range fn.Params {
		b := &bound[i]
		var at typed.Pos
		switch {
		case i == 0 && this != nil:
			b.p, b.isPlace = *this, true
			continue
		case i < len(places) && places[i] != nil:
			at = places[i].At()
			b.p, b.isPlace = l.place(places[i]), true
		case i < len(args) && args[i] != nil && info.refLike[p]:
			at = args[i].At()
			b.p, b.isPlace = l.follow(args[i], p), true
		case i < len(args) && args[i] != nil:
			b.v = l.eval(args[i])
			b.m = l.mark()
			continue
		default:
			l.fail(fn.Pos, "a call of %s lacks the argument for %s", fn.Name, p.Name)
			return bound
		}
		if info.memory[p] {
			b.p = l.addressable(b.p, at)
		}
		b.p = l.hold(b.p, at)
	}
	for i := len(bound) - 1; i >= 0; i-- {
		if !bound[i].isPlace {
			l.settle(bound[i].m, bound[i].v)
		}
	}
	return bound
}

// follow returns the place that a pointer argument points to.
func (l *lowerer) follow(e typed.Expr, p *typed.Var) place {
	if a := addressee(e); a != nil {
		return l.place(a)
	}
	if v := loadedVar(e); v != nil {
		if b, ok := l.frame.refLike[v]; ok {
			return b
		}
	}
	return place{typ: referent(p), mem: true, a: l.pointer(e)}
}

// enter gives the parameters of f their arguments.
func (l *lowerer) enter(f *frame, bound []argument) {
	shared := map[ir.Reg]bool{}
	for i := range bound {
		if bound[i].isPlace && !bound[i].p.mem {
			for _, o := range bound[i].p.ops {
				if o.kind == registerOperand {
					shared[o.reg] = true
				}
			}
		}
	}
	for i, p := range f.fn.Params {
		b := &bound[i]
		switch {
		case b.isPlace && f.info.refLike[p]:
			if f.refLike == nil {
				f.refLike = map[*typed.Var]place{}
			}
			f.refLike[p] = b.p
		case b.isPlace:
			f.vars[p] = b.p
		case f.info.memory[p]:
			m := l.newObject(p.Name, p.Type, ir.Thread, p.Pos)
			l.store(m, b.v, p.Pos)
			f.vars[p] = m
		case f.info.written[p]:
			v := l.newVariable(p.Name, p.Type)
			l.store(v, b.v, p.Pos)
			l.makeReady(v)
			f.vars[p] = v
		default:
			for j, o := range b.v {
				if o.kind != registerOperand {
					continue
				}
				if shared[o.reg] {
					b.v[j] = l.snapshot(o, p.Pos)
				}
				l.regs[b.v[j].reg].fresh = false
			}
			f.vars[p] = place{typ: p.Type, ops: b.v}
		}
	}
}

// makeReady notes that a variable has a value from its declaration on.
func (l *lowerer) makeReady(p place) {
	for _, o := range p.ops {
		if o.kind == registerOperand {
			l.regs[o.reg].ready = true
		}
	}
}

// body runs the statements of an inlined function and returns its value.
func (l *lowerer) body(f *frame) value {
	result := f.fn.Result
	f.direct = (f.info.returns == 0 || f.info.lastReturn) && !l.recursive[f.fn]
	stmts := f.fn.Body.Stmts
	if f.direct {
		l.stmts(stmts, true)
		if f.returned {
			l.dead = l.failed
		}
		if f.res == nil && f.place == nil {
			f.res = l.undefined(result)
		}
		return f.res
	}
	f.label = l.newLabel()
	res := l.newVariable("", result)
	f.res = res.ops
	b, dead := l.into(func() {
		if l.recursive[f.fn] {
			l.loopBody(f)
			return
		}
		l.stmts(stmts, true)
		if !l.dead && len(f.res) > 0 {
			l.set(f.res, l.undefined(result), f.fn.Pos)
		}
	})
	if l.failed {
		return l.zero(result)
	}
	if f.used {
		*l.block = append(*l.block, &ir.Scope{Label: f.label, Body: b})
	} else {
		*l.block = append(*l.block, b...)
	}
	l.dead = dead && !f.returned
	v := make(value, len(res.ops))
	for i, o := range res.ops {
		v[i] = l.chosen(o.reg)
		l.regs[o.reg].fresh = !f.used
	}
	return v
}

// undefined is the value of a function that ends without a return.
func (l *lowerer) undefined(t typed.Type) value {
	ls := l.leaves(t)
	v := make(value, len(ls))
	for i := range ls {
		v[i] = undef(ls[i].typ)
	}
	return v
}
