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
	renumber(k)
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

// mayFault is MayFault, but for shifts and divisions by a constant that does no harm.
func (c constants) mayFault(in *Instr) bool {
	if b, ok := c[in.B]; ok {
		switch in.Op {
		case Shl, Shr:
			return b >= uint64(in.Type.Bits())
		case Div, Rem:
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
	k.Body = h.block(k.Body)
}

type hoister struct {
	constants
	defs    []int32
	written []int32 // how many instructions inside the loop in hand write each register
}

func (h *hoister) block(b Block) Block {
	out := make(Block, 0, len(b))
	for _, n := range b {
		switch n := n.(type) {
		case *If:
			n.Then, n.Else = h.block(n.Then), h.block(n.Else)
		case *Scope:
			n.Body = h.block(n.Body)
		case *Loop:
			n.Body = h.block(n.Body) // inner loops first: what leaves them may leave this one too
			n.Body.Each(func(in *Instr) { h.written[in.Dst]++; h.written[in.Dst2]++ })
			n.Body = h.take(n.Body, &out)
			n.Body.Each(func(in *Instr) { h.written[in.Dst], h.written[in.Dst2] = 0, 0 })
		}
		out = append(out, n)
	}
	return out
}

// take moves the invariant instructions of b, in order, to dst, and returns the rest.
func (h *hoister) take(b Block, dst *Block) Block {
	rest := b[:0:0]
	for _, n := range b {
		switch n := n.(type) {
		case *Instr:
			if h.invariant(n) {
				h.written[n.Dst] = 0
				*dst = append(*dst, n)
				continue
			}
		case *If:
			n.Then, n.Else = h.take(n.Then, dst), h.take(n.Else, dst)
		case *Scope:
			n.Body = h.take(n.Body, dst)
		case *Loop:
			n.Body = h.take(n.Body, dst)
		}
		rest = append(rest, n)
	}
	return rest
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
	var conditions func(b Block)
	conditions = func(b Block) {
		for _, n := range b {
			switch n := n.(type) {
			case *If:
				need(n.Cond)
				conditions(n.Then)
				conditions(n.Else)
			case *Loop:
				conditions(n.Body)
			case *Scope:
				conditions(n.Body)
			}
		}
	}
	conditions(k.Body)
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
	out := b[:0:0]
	for _, n := range b {
		switch n := n.(type) {
		case *Instr:
			if c.idle(n) && !live[n.Dst] {
				continue
			}
		case *If:
			n.Then, n.Else = c.sweep(n.Then, live), c.sweep(n.Else, live)
			if len(n.Then) == 0 && len(n.Else) == 0 {
				continue
			}
		case *Loop:
			n.Body = c.sweep(n.Body, live)
		case *Scope:
			n.Body = c.sweep(n.Body, live)
			if !leaves(n.Body, n.Label) {
				out = append(out, n.Body...)
				continue
			}
		}
		out = append(out, n)
	}
	return out
}

// leaves reports whether a Leave in b names label.
func leaves(b Block, label int32) bool {
	for _, n := range b {
		switch n := n.(type) {
		case *Leave:
			if n.Label == label {
				return true
			}
		case *If:
			if leaves(n.Then, label) || leaves(n.Else, label) {
				return true
			}
		case *Loop:
			if leaves(n.Body, label) {
				return true
			}
		case *Scope:
			if leaves(n.Body, label) {
				return true
			}
		}
	}
	return false
}

// renumber drops the registers that nothing mentions, and numbers the others in the order in which they are.
func renumber(k *Kernel) {
	to := make([]Reg, len(k.Regs))
	regs := []Type{Void}
	visitRegs(k, func(r *Reg) {
		if *r == 0 {
			return
		}
		if to[*r] == 0 {
			to[*r] = Reg(len(regs))
			regs = append(regs, k.Regs[*r])
		}
		*r = to[*r]
	})
	if k.Names != nil {
		names := make(map[Reg]string, len(k.Names))
		for r, n := range k.Names {
			if to[r] != 0 {
				names[to[r]] = n
			}
		}
		k.Names = names
	}
	k.Regs = regs
}

// visitRegs calls f for every place in k where a register is named, but for Names.
func visitRegs(k *Kernel, f func(*Reg)) {
	for i := range k.Buffers {
		f(&k.Buffers[i].Reg)
	}
	for i := range k.Inputs {
		f(&k.Inputs[i].Reg)
	}
	k.Body.Each(func(in *Instr) {
		f(&in.Dst)
		f(&in.Dst2)
		for _, r := range in.operands() {
			f(r)
		}
	})
	var conditions func(b Block)
	conditions = func(b Block) {
		for _, n := range b {
			switch n := n.(type) {
			case *If:
				f(&n.Cond)
				conditions(n.Then)
				conditions(n.Else)
			case *Loop:
				conditions(n.Body)
			case *Scope:
				conditions(n.Body)
			}
		}
	}
	conditions(k.Body)
}
