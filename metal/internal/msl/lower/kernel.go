package lower

import (
	"fmt"

	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// Kernel lowers a kernel, with the function constants that are given, to at most so many instructions, 0 for MaxInstructions. The list holds what is wrong: a function constant that
// is needed and has no value, or recursion that is no loop, or a kernel that becomes too large.
func Kernel(k *typed.Kernel, constants Constants, instructions int) (*ir.Kernel, token.List) {
	if instructions == 0 {
		instructions = MaxInstructions
	}
	l := &lowerer{
		k: &ir.Kernel{
			Name: k.Name, Pos: k.Func.Pos, Regs: make([]ir.Type, 1, 64), MaxThreads: k.MaxThreads, Names: map[ir.Reg]string{},
		},
		consts:     constants,
		most:       instructions,
		room:       rooms.Get().(*room),
		constRegs:  map[constKey]ir.Reg{},
		constBits:  map[ir.Reg]uint64{},
		objectRegs: map[int]ir.Reg{},
		layouts:    map[typed.Type][]leaf{},
		infos:      map[*typed.Func]*funcInfo{},
		recursive:  map[*typed.Func]bool{},
		globals:    map[*typed.Var]*global{},
		groupVars:  map[*typed.Var]int{},
	}
	defer l.giveRoom()
	l.regs = append(l.room.regs, register{})
	l.newPlace(k.Func.Pos, placeKey(k.Func.Pos), 0)
	var body ir.Block
	l.block = &body
	l.frame = &frame{fn: k.Func, info: l.info(k.Func), vars: map[*typed.Var]place{}}
	l.params(k)
	if k.Func.Body != nil {
		l.stmts(k.Func.Body.Stmts, true)
	}
	if l.failed {
		return nil, l.errs
	}
	l.k.Body = append(l.head, body...)
	l.k.Statements = int(l.statements)
	tidy(l.k, l.room)
	return l.k, nil
}

// params gives the kernel's parameters their registers.
func (l *lowerer) params(k *typed.Kernel) {
	f := l.frame
	// Objects are numbered after the buffers: all buffers are counted first.
	enabled := make([]bool, len(k.Params))
	for i := range k.Params {
		enabled[i] = true
		if e := k.Params[i].Enabled; e != nil {
			c := l.scalar(e)
			if c.kind != constantOperand && !l.failed {
				l.fail(e.At(), "function_constant(…) of parameter %s is not a constant", k.Func.Params[i].Name)
			}
			enabled[i] = c.bits != 0
		}
		if l.failed {
			return
		}
	}
	if followsPointers(k) {
		l.resources()
	}
	bases := make([]value, len(k.Params))
	for i := range k.Params {
		if p := &k.Params[i]; !p.IsInput {
			for j := range max(p.Count, 1) {
				bases[i] = append(bases[i], l.operandOf(l.buffer(p, k.Func.Params[i], j, !enabled[i])))
			}
		}
	}
	for i := range k.Params {
		p, v := &k.Params[i], k.Func.Params[i]
		var at place
		switch {
		case p.IsInput:
			at = place{typ: v.Type, ops: l.input(p, v, enabled[i])}
		case p.Sampler:
			at = place{typ: v.Type, ops: l.load(place{typ: v.Type, mem: true, a: address{base: bases[i][0]}}, v.Pos)}
		case v.Ref:
			f.vars[v] = place{typ: v.Type, mem: true, a: address{base: bases[i][0]}}
			continue
		default:
			at = place{typ: v.Type, ops: bases[i]}
		}
		// A parameter that is assigned to is a variable like any other.
		switch {
		case f.info.memory[v]:
			m := l.newObject(v.Name, v.Type, ir.Thread, v.Pos)
			l.store(m, at.ops, v.Pos)
			at = m
		case f.info.written[v]:
			w := l.newVariable(v.Name, v.Type)
			l.store(w, at.ops, v.Pos)
			l.makeReady(w)
			at = w
		}
		f.vars[v] = at
	}
}

// followsPointers reports whether there are pointers in what the host binds.
func followsPointers(k *typed.Kernel) bool {
	for i := range k.Params {
		p, v := &k.Params[i], k.Func.Params[i]
		_, elem := typed.BufferOf(p, v, 0)
		if t, ok := elem.(*typed.Pointer); ok && !v.Ref {
			elem = t.Elem
		}
		if !p.IsInput && p.TypeName == "" && p.Space != ir.Threadgroup && typed.HoldsPointer(elem) {
			return true
		}
	}
	return false
}

// resources adds the buffers that pointers in memory lead to.
func (l *lowerer) resources() {
	for i := range ir.Resources {
		r := l.newReg(ir.Ptr)
		l.regs[r].writes = 1
		l.k.Buffers = append(l.k.Buffers, ir.Buffer{
			Name: fmt.Sprintf("resource %d", i), Index: i, Space: ir.Device, Reg: r, Elem: 1, Align: 1, Optional: true, Resource: true, Coherent: true,
		})
	}
}

// buffer adds a buffer, of an array of them the one of index j, and returns the register of its address.
func (l *lowerer) buffer(p *typed.KernelParam, v *typed.Var, j int, optional bool) ir.Reg {
	r := l.newReg(ir.Ptr)
	l.regs[r].writes = 1
	name, elem := typed.BufferOf(p, v, j)
	l.k.Names[r] = name
	b := ir.Buffer{
		Name: name, Index: p.Index + j, Space: p.Space, Reg: r, Whole: v.Ref, ReadOnly: p.ReadOnly, WriteOnly: p.WriteOnly,
		Optional: optional, Pos: v.Pos, Type: elem.String(), Coherent: p.Coherent,
	}
	if t, ok := elem.(*typed.Pointer); ok && !v.Ref {
		elem = t.Elem
		b.ReadOnly = b.ReadOnly || t.Const
	}
	if v.Ref {
		b.Type += "&"
	}
	if p.TypeName != "" {
		b.Type, b.Whole = p.TypeName, p.Sampler
	}
	if b.Texture, b.Sampler = p.Texture, p.Sampler; b.Texture.Dimensions > 0 {
		elem = &typed.Vector{Elem: &typed.Scalar{Kind: b.Texture.Texel}, N: 4}
	}
	b.Elem, b.Align = max(elem.Size(), 1), max(elem.Align(), 1)
	b.ReadOnly = b.ReadOnly || p.Space == ir.Constant
	l.k.Buffers = append(l.k.Buffers, b)
	return r
}

// input adds the components of an input.
func (l *lowerer) input(p *typed.KernelParam, v *typed.Var, enabled bool) value {
	n := count(v.Type)
	out := make(value, n)
	t := element(v.Type)
	for i := range n {
		if !enabled {
			out[i] = undef(t)
			continue
		}
		r := l.newReg(t)
		l.k.Names[r] = leafName(v.Name, v.Type, i)
		l.give(ir.Input{Kind: p.Input, Axis: i, Reg: r})
		out[i] = l.operandOf(r)
	}
	return out
}

// give adds an input.
func (l *lowerer) give(in ir.Input) {
	l.regs[in.Reg].writes, l.regs[in.Reg].clean = 1, true
	l.k.Inputs = append(l.k.Inputs, in)
}

// ownInput returns the register of an input that no parameter of the kernel asks for.
func (l *lowerer) ownInput(kind ir.InputKind) ir.Reg {
	for _, in := range l.k.Inputs {
		if in.Kind == kind {
			return in.Reg
		}
	}
	in := ir.Input{Kind: kind, Reg: l.newReg(ir.U32)}
	l.give(in)
	return in.Reg
}
