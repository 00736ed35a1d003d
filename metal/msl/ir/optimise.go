package ir

// Optimise rewrites k in place so that it does the same with less: folding, propagation of copies, common subexpressions,
// hoisting out of loops, removal of what is not used, and renumbering of registers.
//
// What a device may do with k under any model.Behaviour stays as it is. So an operation that rounds is neither folded nor moved
// before another, and it is merged with an equal one or hoisted only where its flags allow no rewriting, which asks how often a
// product is used and in which block, and for equal ones within one statement. Loads, stores, atomics, barriers and SIMD
// operations stay, with their order. An operation that may fault stays unless a constant shows that it does not or an equal one
// before it has reported the fault, at that one's place. Loops stay even if empty: they may not end.
//
// Domain: k passes Verify, and passes it afterwards.
// Cost:   linear in the instructions, times the nesting of loops.
func Optimise(k *Kernel) {
	simplify(k)
	hoist(k)
	simplify(k)
	sweep(k)
	sweep(k) // the conditions of branches that the first left empty
	k.Renumber()
}

// rewritable are the flags under which an engine may rewrite an operation together with its neighbours.
const rewritable = ContractOn | ContractFast | Reassoc | NoSignedZeros | Reciprocal

// onFloats reports whether in computes with floats, so that Arith and FP have a say in its result.
func (in *Instr) onFloats() bool { return in.Type.IsFloat() || in.From.IsFloat() && in.Op == Convert }

// constants knows the registers that are written once, by a Const.
type constants map[Reg]uint64

func constantsOf(k *Kernel, defs []int32) constants {
	c := constants{}
	k.Body.Each(func(in *Instr) {
		if in.Op == Const && defs[in.Dst] == 1 {
			c[in.Dst] = in.Imm
		}
	})
	return c
}

// mayFault is MayFault, but for divisions by a constant that does no harm.
func (c constants) mayFault(in *Instr) bool {
	if b, ok := c[in.B]; ok {
		if in.Op == Div || in.Op == Rem {
			return b == 0 || in.Type.IsSigned() && b == in.Type.Mask()
		}
	}
	return MayFault(in.Op, in.Type, in.From)
}

// movable reports whether in may be evaluated at another place where its operands are the same: pure, never faulting, and free of rewriting.
func (c constants) movable(in *Instr) bool {
	return Ops[in.Op].Effect == Pure && in.Op != Undef && in.Op != Nop &&
		!c.mayFault(in) && !(in.onFloats() && in.FP&rewritable != 0)
}

// idle reports whether in does nothing if its result is not read.
func (c constants) idle(in *Instr) bool { return Ops[in.Op].Effect == Pure && !c.mayFault(in) }

// operands returns the registers that in reads, those that are 0 among them.
func (in *Instr) operands() [4]*Reg { return [4]*Reg{&in.A, &in.B, &in.C, &in.D} }

// definitions counts the instructions that write each register; the kernel's arguments count too.
func definitions(k *Kernel) []int32 {
	n := make([]int32, len(k.Regs))
	for _, b := range k.Buffers {
		n[b.Reg]++
	}
	for _, in := range k.Inputs {
		n[in.Reg]++
	}
	k.Body.Each(func(in *Instr) {
		n[in.Dst]++
		n[in.Dst2]++
	})
	return n
}

// hoist moves what is the same in every iteration before the loop. It takes only registers that are written once in the
// kernel: whoever reads one has passed its instruction, and so still does where that stands earlier.
func hoist(k *Kernel) {
	defs := definitions(k)
	h := &hoister{defs: defs, constants: constantsOf(k, defs), written: make([]int32, len(k.Regs))}
	k.Body = k.Body.Rebuild(h.node)
}

type hoister struct {
	constants
	defs    []int32
	written []int32 // how many instructions inside the loop in hand write each register
}

func (h *hoister) node(out Block, n Node) Block {
	if loop, ok := n.(*Loop); ok { // inner loops were first: what leaves them may leave this one too
		loop.Body.Each(func(in *Instr) { h.written[in.Dst]++; h.written[in.Dst2]++ })
		loop.Body = h.take(loop.Body, &out)
		loop.Body.Each(func(in *Instr) { h.written[in.Dst], h.written[in.Dst2] = 0, 0 })
	}
	return append(out, n)
}

// take moves the invariant instructions of b, in order, to dst, and returns the rest.
func (h *hoister) take(b Block, dst *Block) Block {
	return b.Rebuild(func(out Block, n Node) Block {
		if in, ok := n.(*Instr); ok && h.invariant(in) {
			h.written[in.Dst] = 0
			*dst = append(*dst, in)
			return out
		}
		return append(out, n)
	})
}

func (h *hoister) invariant(in *Instr) bool {
	if !h.movable(in) || h.defs[in.Dst] != 1 {
		return false
	}
	for _, r := range in.operands() {
		if *r != 0 && h.written[*r] > 0 {
			return false
		}
	}
	return true
}

// sweep removes pure instructions whose results nothing reads that has an effect, and blocks that are left empty.
func sweep(k *Kernel) {
	c := constantsOf(k, definitions(k))
	writers := make([][]*Instr, len(k.Regs)) // of instructions that stay only if they are read
	live := make([]bool, len(k.Regs))
	var todo []Reg
	need := func(r Reg) {
		if r != 0 && !live[r] {
			live[r] = true
			todo = append(todo, r)
		}
	}
	k.Body.Each(func(in *Instr) {
		if c.idle(in) {
			writers[in.Dst] = append(writers[in.Dst], in)
			return
		}
		for _, r := range in.operands() {
			need(*r)
		}
	})
	k.Body.Walk(func(n Node) {
		if n, ok := n.(*If); ok {
			need(n.Cond)
		}
	})
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, in := range writers[r] {
			for _, o := range in.operands() {
				need(*o)
			}
		}
	}
	k.Body = c.sweep(k.Body, live)
}

func (c constants) sweep(b Block, live []bool) Block {
	return b.Rebuild(func(out Block, n Node) Block {
		switch n := n.(type) {
		case *Instr:
			if c.idle(n) && !live[n.Dst] {
				return out
			}
		case *If:
			if len(n.Then) == 0 && len(n.Else) == 0 {
				return out
			}
		case *Scope:
			if !leaves(n.Body, n.Label) {
				return append(out, n.Body...)
			}
		}
		return append(out, n)
	})
}

// leaves reports whether a Leave in b names label.
func leaves(b Block, label int32) bool {
	found := false
	b.Walk(func(n Node) {
		l, ok := n.(*Leave)
		found = found || ok && l.Label == label
	})
	return found
}
