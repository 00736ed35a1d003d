package lower

import (
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// global is a program-scope constant.
type global struct {
	v      *typed.Var
	ops    value // its scalars, if all are constants
	busy   bool
	object int // number of its object plus one, 0 if it needed none yet
}

// globalPlace returns a program-scope constant: constants, or a value computed from function constants on the spot.
func (l *lowerer) globalPlace(v *typed.Var, at typed.Pos) place {
	g, ok := l.globals[v]
	if !ok {
		g = &global{v: v}
		l.globals[v] = g
	}
	if g.ops != nil {
		return place{typ: v.Type, ops: g.ops, global: g}
	}
	if g.busy {
		l.fail(v.Pos, "constant %s is initialised by itself", v.Name)
		return l.nowhere(v.Type)
	}
	g.busy = true
	defer func() { g.busy = false }()
	if count(v.Type) > maxLeaves {
		return l.bigGlobal(g, at)
	}
	ops := l.eval(v.Global)
	for _, o := range ops {
		if o.kind != constantOperand {
			return place{typ: v.Type, ops: ops}
		}
	}
	if !l.dead {
		g.ops = ops
	}
	return place{typ: v.Type, ops: ops, global: g}
}

// globalObject returns the number of the object that holds a constant of at most maxLeaves scalars.
func (l *lowerer) globalObject(g *global, at typed.Pos) int {
	if g.object != 0 {
		return g.object - 1
	}
	t := g.v.Type
	data := make([]byte, max(t.Size(), 1))
	for i, f := range l.leaves(t) {
		put(data[f.off:], f.typ, g.ops[i].bits)
	}
	return l.constantObject(g, data, at)
}

func (l *lowerer) constantObject(g *global, data []byte, at typed.Pos) int {
	t := g.v.Type
	n := l.addObject(ir.Object{
		Name: g.v.Name, Space: ir.Constant, Size: len(data), Align: max(t.Align(), 1), Data: data, Pos: g.v.Pos, Elem: elemSize(t),
	}, at)
	g.object = n + 1
	return n
}

// bigGlobal returns a constant that is too large to be taken apart: always an object.
func (l *lowerer) bigGlobal(g *global, at typed.Pos) place {
	if g.object == 0 {
		size := g.v.Type.Size()
		if size > maxConstBytes {
			l.fail(at, "constant %s has more than %d bytes: make it a buffer", g.v.Name, maxConstBytes)
			return l.nowhere(&typed.VoidType{})
		}
		data := make([]byte, size)
		l.fill(data, g.v.Type, g.v.Global)
		l.constantObject(g, data, at)
	}
	return place{typ: g.v.Type, mem: true, a: address{base: l.objectAddr(g.object - 1)}}
}

// fill writes the bytes of a constant expression.
func (l *lowerer) fill(data []byte, t typed.Type, e typed.Expr) {
	if l.failed {
		return
	}
	if _, ok := e.(*typed.Zero); ok {
		return
	}
	if a, ok := e.(*typed.Aggregate); ok {
		switch t := t.(type) {
		case *typed.Array:
			for i, x := range a.Elems {
				l.fill(data[i*t.Elem.Size():], t.Elem, x)
			}
			return
		case *typed.Struct:
			if !t.Union {
				for i, x := range a.Elems {
					l.fill(data[t.Fields[i].Offset:], t.Fields[i].Type, x)
				}
				return
			}
		}
	}
	v := l.eval(e)
	for i, f := range l.leaves(t) {
		if i >= len(v) || v[i].kind != constantOperand {
			if !l.failed {
				l.fail(e.At(), "the initialiser of a constant in memory has to be known when the kernel is made")
			}
			return
		}
		put(data[f.off:], f.typ, v[i].bits)
	}
}

// put writes the bytes of a scalar.
func put(data []byte, k ir.Type, bits uint64) {
	for i := range typed.SizeOf(k) {
		data[i] = byte(bits >> (8 * i))
	}
}
