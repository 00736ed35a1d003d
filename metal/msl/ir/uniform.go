package ir

// Uniform says of each register whether all threads of a threadgroup that are still running hold the same value in it at every
// point where one of them may read it: an engine may keep one value for all, written by any thread that writes.
//
// A register is uniform if everything that writes it is pure, or a load from constant memory, on uniform operands, and stands where
// either all threads that run come together or none. Uniform inputs are the positions of the threadgroup and all sizes; the
// pointers of buffers are uniform. Control is divergent in a branch on a varying condition, in a whole loop that some threads may leave
// before others, and in a scope after a branch in which some may leave it. A Leave of scope 0 ends its threads, who read
// nothing any more, and divides no one. A register that is written by one instruction, whose operands never change, is uniform
// wherever that stands. Undef is varying, and so is what atomics, SIMD operations and loads from other memory give.
//
// Domain: k passes Verify.
// Cost:   a few passes over the instructions.
func Uniform(k *Kernel) []bool {
	u := &uniformity{
		k: k, varying: make([]bool, len(k.Regs)), fixed: make([]bool, len(k.Regs)), elsewhere: make([]bool, len(k.Regs)),
		split: map[int32]bool{},
	}
	u.varying[0] = true
	for r, t := range k.Regs {
		u.elsewhere[r] = t != Ptr
	}
	defs := definitions(k)
	for _, b := range k.Buffers {
		u.fixed[b.Reg] = defs[b.Reg] == 1
		u.elsewhere[b.Reg] = b.Space != Constant
	}
	for _, in := range k.Inputs {
		varies := in.Kind.Level() == PerThread
		u.varying[in.Reg], u.fixed[in.Reg] = varies, !varies && defs[in.Reg] == 1
	}
	u.findFixed(defs)
	// Each pass makes registers varying, or pointers lose constant memory, or labels split; so it ends. What a long chain against
	// the order of the text would cost is cut off on the safe side.
	for range maxPasses {
		u.changed = false
		u.block(k.Body, false)
		if !u.changed {
			return u.result()
		}
	}
	for r := range u.varying {
		u.varying[r] = true
	}
	return u.result()
}

const maxPasses = 100

type uniformity struct {
	k         *Kernel
	varying   []bool
	fixed     []bool // written once, by an operation on fixed operands: the same in every thread and at every time
	elsewhere []bool // pointers that may point to other than constant memory
	split     map[int32]bool
	changed   bool
}

// findFixed finds the fixed registers; an operand is written before it is read, and so before in the text or never fixed.
func (u *uniformity) findFixed(defs []int32) {
	u.k.Body.Each(func(in *Instr) {
		if in.Dst == 0 || defs[in.Dst] != 1 || Ops[in.Op].Effect != Pure || in.Op == Undef {
			return
		}
		for _, r := range in.operands() {
			if *r != 0 && !u.fixed[*r] {
				return
			}
		}
		u.fixed[in.Dst] = true
	})
}

func (u *uniformity) result() []bool {
	list := make([]bool, len(u.varying))
	for r := 1; r < len(list); r++ {
		list[r] = u.fixed[r] || !u.varying[r]
	}
	return list
}

func (u *uniformity) set(list []bool, r Reg) {
	if r != 0 && !list[r] {
		list[r] = true
		u.changed = true
	}
}

func (u *uniformity) varies(r Reg) bool { return u.varying[r] && !u.fixed[r] }

// block walks b, which control reaches divergently or not.
func (u *uniformity) block(b Block, divergent bool) {
	for _, n := range b {
		switch n := n.(type) {
		case *Instr:
			u.instr(n, divergent)
		case *If:
			inner := divergent || u.varies(n.Cond)
			u.block(n.Then, inner)
			u.block(n.Else, inner)
		case *Loop:
			u.block(n.Body, divergent || u.split[n.Label])
		case *Scope:
			u.block(n.Body, divergent || u.split[n.Label])
		case *Leave:
			if divergent && n.Label != 0 && !u.split[n.Label] {
				u.split[n.Label] = true
				u.changed = true
			}
		}
	}
}

func (u *uniformity) instr(in *Instr, divergent bool) {
	info := &Ops[in.Op]
	pointer := info.Effect != Pure || in.Op == Undef || in.Op == Const || in.Op == Bitcast
	switch {
	case in.Op == ObjAddr:
		n := int(in.Imm) - len(u.k.Buffers)
		pointer = n < 0 && u.k.Buffers[in.Imm].Space != Constant || n >= 0 && u.k.Objects[n].Space != Constant
	case !pointer:
		for _, r := range in.operands() {
			pointer = pointer || *r != 0 && u.k.Regs[*r] == Ptr && u.elsewhere[*r]
		}
	}
	if pointer {
		u.set(u.elsewhere, in.Dst)
	}
	varying := divergent || in.Op == Undef || info.Effect != Pure && (in.Op != Load || u.elsewhere[in.A])
	for _, r := range in.operands() {
		varying = varying || *r != 0 && u.varies(*r)
	}
	if varying {
		u.set(u.varying, in.Dst)
	}
	u.set(u.varying, in.Dst2)
}
