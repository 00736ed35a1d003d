package lower

import "gamma/metal/msl/ir"

// tidier takes out of a kernel what the lowering left: copies of registers that are written once, integer operations and loads from
// constant buffers that were made before, and results that nothing reads. Operations of floats stay as they are: which
// may be fused depends on where they stand. What may be a fault stays too.
//
// A register that one instruction writes, and that is written on every path to where it is read, is a value: every read sees the
// last execution of that instruction, and of all that the instruction's own operands are written by.
type tidier struct {
	k      *ir.Kernel
	writes []int32
	reads  []int32
	same   []ir.Reg        // of copies, what they are copies of; 0: of nothing
	fixed  map[ir.Reg]bool // addresses of constant buffers
	consts map[ir.Reg]bool
	seen   map[expression]ir.Reg
	undo   []expression
}

// expression is an operation with its operands.
type expression struct {
	op         ir.Op
	t, from    ir.Type
	a, b, c, d ir.Reg
	imm        uint64
	scale      uint32
	align      uint32
}

func tidy(k *ir.Kernel, room *room) {
	t := &tidier{
		k: k, writes: make([]int32, len(k.Regs)), reads: make([]int32, len(k.Regs)), same: make([]ir.Reg, len(k.Regs)),
		fixed: map[ir.Reg]bool{}, consts: map[ir.Reg]bool{}, seen: room.seen, undo: room.undo,
	}
	for _, b := range k.Buffers {
		t.writes[b.Reg]++
		if b.Space == ir.Constant {
			t.fixed[b.Reg] = true
		}
	}
	for _, in := range k.Inputs {
		t.writes[in.Reg]++
	}
	t.count(k.Body)
	k.Body = t.block(k.Body)
	k.Body = t.drop(k.Body)
	k.Renumber()
	room.undo = t.undo
}

// count counts the writes of every register.
func (t *tidier) count(b ir.Block) {
	b.Each(func(in *ir.Instr) {
		t.writes[in.Dst]++
		t.writes[in.Dst2]++
		if in.Op == ir.Const {
			t.consts[in.Dst] = true
		}
	})
}

func (t *tidier) find(r ir.Reg) ir.Reg {
	for t.same[r] != 0 {
		r = t.same[r]
	}
	return r
}

// once reports whether r is not a register or written by one instruction.
func (t *tidier) once(r ir.Reg) bool { return r == 0 || t.writes[r] == 1 }

// block renames operands, drops copies and repetitions, and counts the reads.
func (t *tidier) block(b ir.Block) ir.Block {
	mark := len(t.undo)
	out := b[:0]
	for _, n := range b {
		switch n := n.(type) {
		case *ir.Instr:
			n.A, n.B, n.C, n.D = t.find(n.A), t.find(n.B), t.find(n.C), t.find(n.D)
			if t.repeats(n) {
				continue
			}
			t.reads[n.A]++
			t.reads[n.B]++
			t.reads[n.C]++
			t.reads[n.D]++
		case *ir.If:
			n.Cond = t.find(n.Cond)
			t.reads[n.Cond]++
			n.Then = t.block(n.Then)
			n.Else = t.block(n.Else)
		case *ir.Loop:
			n.Body = t.block(n.Body)
		case *ir.Scope:
			n.Body = t.block(n.Body)
		}
		out = append(out, n)
	}
	for _, e := range t.undo[mark:] {
		delete(t.seen, e)
	}
	t.undo = t.undo[:mark]
	return out
}

// repeats reports whether in gives what another register holds, and renames its result.
func (t *tidier) repeats(in *ir.Instr) bool {
	if in.Dst == 0 || in.Dst2 != 0 || !t.once(in.Dst) || !t.once(in.A) || !t.once(in.B) || !t.once(in.C) || !t.once(in.D) {
		return false
	}
	if in.Op == ir.Mov {
		t.same[in.Dst] = in.A
		if name, ok := t.k.Names[in.Dst]; ok && t.k.Names[in.A] == "" && !t.consts[in.A] {
			t.k.Names[in.A] = name
		}
		return true
	}
	pure := ir.Ops[in.Op].Effect == ir.Pure && in.Op != ir.Undef && !isFloat(in.Type) && !isFloat(in.From) && !ir.MayFault(in.Op, in.Type, in.From)
	if !pure && !(in.Op == ir.Load && t.fixed[in.A]) {
		return false
	}
	e := expression{in.Op, in.Type, in.From, in.A, in.B, in.C, in.D, in.Imm, in.Scale, in.Align}
	if r, ok := t.seen[e]; ok {
		t.same[in.Dst] = r
		return true
	}
	t.seen[e] = in.Dst
	t.undo = append(t.undo, e)
	return false
}

// drop takes out, from the end, what gives results that nothing reads.
func (t *tidier) drop(b ir.Block) ir.Block {
	keep := len(b)
	for i := len(b) - 1; i >= 0; i-- {
		switch n := b[i].(type) {
		case *ir.Instr:
			if ir.Ops[n.Op].Effect == ir.Pure && t.reads[n.Dst] == 0 && !ir.MayFault(n.Op, n.Type, n.From) {
				t.reads[n.A]--
				t.reads[n.B]--
				t.reads[n.C]--
				t.reads[n.D]--
				continue
			}
		case *ir.If:
			n.Then = t.drop(n.Then)
			n.Else = t.drop(n.Else)
			if len(n.Then) == 0 && len(n.Else) == 0 {
				t.reads[n.Cond]--
				continue
			}
		case *ir.Loop:
			n.Body = t.drop(n.Body)
		case *ir.Scope:
			n.Body = t.drop(n.Body)
		}
		keep--
		b[keep] = b[i]
	}
	return b[keep:]
}
