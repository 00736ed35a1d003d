package ir

// Inside returns the blocks in n: an If's two, and the body of a Loop or a Scope.
func Inside(n Node) []*Block {
	switch n := n.(type) {
	case *If:
		return []*Block{&n.Then, &n.Else}
	case *Loop:
		return []*Block{&n.Body}
	case *Scope:
		return []*Block{&n.Body}
	}
	return nil
}

// Walk calls f for every node in b, each before those inside it.
func (b Block) Walk(f func(Node)) {
	for _, n := range b {
		if missing(n) {
			continue
		}
		f(n)
		for _, inner := range Inside(n) {
			inner.Walk(f)
		}
	}
}

// Each calls f for every instruction, in order.
func (b Block) Each(f func(*Instr)) {
	b.Walk(func(n Node) {
		if in, ok := n.(*Instr); ok {
			f(in)
		}
	})
}

// Rebuild returns what f makes of b: f appends to out what is to stand for n, whose inner blocks are rebuilt before.
func (b Block) Rebuild(f func(out Block, n Node) Block) Block {
	out := make(Block, 0, len(b))
	for _, n := range b {
		for _, inner := range Inside(n) {
			*inner = inner.Rebuild(f)
		}
		out = f(out, n)
	}
	return out
}

// EachReg calls f for every place in k that names a register, but for Names.
func (k *Kernel) EachReg(f func(*Reg)) {
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
	k.Body.Walk(func(n Node) {
		if n, ok := n.(*If); ok {
			f(&n.Cond)
		}
	})
}

// Renumber drops the registers that nothing mentions, and numbers the others in the order in which they are.
func (k *Kernel) Renumber() {
	to := make([]Reg, len(k.Regs))
	regs := []Type{Void}
	k.EachReg(func(r *Reg) {
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
