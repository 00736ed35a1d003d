package rewrite

import (
	"maps"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// maxTerms is the largest sum that is reassociated.
const maxTerms = 64

// Apply returns k as a compiler with behaviour b may leave it; k itself stays as it is. It is k if b asks for nothing
// that the instructions' flags allow.
//
// With b.Seed = 0 it fuses all that it may, the left product first, and reassociates only to cancel equal terms, to join constants and
// to drop zeros. With another seed every fusion is made or not, every remaining sum of three terms and more associated, and
// every common factor taken out or not, as the seed says.
func Apply(k *ir.Kernel, b model.Behaviour) (*ir.Kernel, error) {
	if b.Contract == model.ContractOff && b.Rewrites == (model.Rewrites{}) {
		return k, nil
	}
	out := *k
	out.Regs = append([]ir.Type(nil), k.Regs...)
	r := &rewriter{
		k: &out, b: b, defs: map[ir.Reg]*ir.Instr{}, uses: map[ir.Reg]int{}, names: map[ir.Reg]ir.Reg{},
		forms: map[ir.Reg][]term{}, rng: b.Seed,
	}
	body, err := r.block(k.Body)
	if err != nil {
		return nil, err
	}
	out.Body = body
	if err := r.grown(); err != nil {
		return nil, err
	}
	r.count(out.Body)
	if b.Rewrites != (model.Rewrites{}) {
		out.Body = r.each(out.Body, r.algebra)
		r.uses = map[ir.Reg]int{}
		r.count(out.Body)
	}
	if b.Contract != model.ContractOff {
		out.Body = r.each(out.Body, r.contract)
	}
	out.Body = r.sweep(out.Body)
	if err := r.grown(); err != nil {
		return nil, err
	}
	return &out, nil
}

// rewriter first gives every float that an instruction computes a register of its own, its name, written in that one place, so that
// a value can be used wherever its name is known; then it rewrites instructions in terms of names.
type rewriter struct {
	k      *ir.Kernel
	b      model.Behaviour
	names  map[ir.Reg]ir.Reg    // of the value that each register holds here; absent: not known
	defs   map[ir.Reg]*ir.Instr // what computes a name
	uses   map[ir.Reg]int       // how many operands read a name
	forms  map[ir.Reg][]term    // sums, in terms of names
	extra  []ir.Node            // instructions to stand before the one in hand
	rng    uint64
	summed map[ir.Reg]bool // names that a sum reads; nil: not counted yet
}

// maxRegs bounds what a rewritten kernel may hold.
const maxRegs = 1 << 22

func (r *rewriter) grown() error {
	if len(r.k.Regs) > maxRegs {
		return tooLarge(r.k)
	}
	return nil
}

// reg makes a register.
func (r *rewriter) reg(t ir.Type) ir.Reg {
	r.k.Regs = append(r.k.Regs, t)
	return ir.Reg(len(r.k.Regs) - 1)
}

func (r *rewriter) isFloat(x ir.Reg) bool { return x > 0 && r.k.Regs[x].IsFloat() }

// draw returns a number below n, 0 if the seed is 0.
func (r *rewriter) draw(n int) int {
	if r.b.Seed == 0 || n < 2 {
		return 0
	}
	r.rng += 0x9e3779b97f4a7c15
	z := r.rng
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) >> 1 % uint64(n))
}

// block names the floats of a block.
func (r *rewriter) block(b ir.Block) (ir.Block, error) {
	out := make(ir.Block, 0, 2*len(b))
	if err := r.grown(); err != nil {
		return nil, err
	}
	for i, n := range b {
		switch n := n.(type) {
		case *ir.Instr:
			out = r.name(out, n)
		case *ir.If:
			before := r.names
			r.names = maps.Clone(before)
			then, err := r.block(n.Then)
			if err != nil {
				return nil, err
			}
			r.names = maps.Clone(before)
			otherwise, err := r.block(n.Else)
			if err != nil {
				return nil, err
			}
			r.names = before
			r.forget(n.Then)
			r.forget(n.Else)
			out = append(out, &ir.If{Cond: n.Cond, Then: then, Else: otherwise, Pos: n.Pos})
		case *ir.Loop:
			r.forget(n.Body)
			before := r.names
			r.names = maps.Clone(before)
			body, err := r.block(n.Body)
			if err != nil {
				return nil, err
			}
			r.names = before
			out = append(out, &ir.Loop{Label: n.Label, Body: body, Pos: n.Pos})
		case *ir.Scope:
			// A scope that nothing leaves before its end is no branch.
			branches := leaves(n.Body, n.Label, true)
			before := r.names
			if branches {
				r.names = maps.Clone(before)
			}
			body, err := r.block(n.Body)
			if err != nil {
				return nil, err
			}
			if branches {
				r.names = before
				r.forget(n.Body)
			}
			out = append(out, &ir.Scope{Label: n.Label, Body: body})
		default:
			out = append(out, b[i])
		}
	}
	return out, nil
}

// leaves reports whether b leaves label other than, if last, by its last node.
func leaves(b ir.Block, label int32, last bool) bool {
	for i, n := range b {
		end := last && i == len(b)-1
		switch n := n.(type) {
		case *ir.Leave:
			if n.Label == label && !end {
				return true
			}
		case *ir.If:
			if leaves(n.Then, label, false) || leaves(n.Else, label, false) {
				return true
			}
		case *ir.Loop:
			if leaves(n.Body, label, false) {
				return true
			}
		case *ir.Scope:
			if leaves(n.Body, label, end) {
				return true
			}
		}
	}
	return false
}

// forget drops the names of registers that b writes.
func (r *rewriter) forget(b ir.Block) {
	b.Each(func(in *ir.Instr) {
		delete(r.names, in.Dst)
		delete(r.names, in.Dst2)
	})
}

// name appends n with names for its float operands and its float result.
func (r *rewriter) name(out ir.Block, n *ir.Instr) ir.Block {
	in := *n
	for _, p := range []*ir.Reg{&in.A, &in.B, &in.C, &in.D} {
		if !r.isFloat(*p) {
			continue
		}
		if _, known := r.names[*p]; !known {
			save := &ir.Instr{Op: ir.Mov, Type: r.k.Regs[*p], Dst: r.reg(r.k.Regs[*p]), A: *p, Pos: in.Pos, Stmt: in.Stmt}
			out = append(out, save)
			r.names[*p] = save.Dst
		}
		*p = r.names[*p]
	}
	if !r.isFloat(in.Dst) {
		return append(out, &in)
	}
	dst := in.Dst
	if in.Op == ir.Mov {
		r.names[dst] = in.A
		return append(out, &in)
	}
	in.Dst = r.reg(r.k.Regs[dst])
	r.names[dst] = in.Dst
	r.defs[in.Dst] = &in
	return append(out, &in, &ir.Instr{Op: ir.Mov, Type: r.k.Regs[dst], Dst: dst, A: in.Dst, Pos: in.Pos, Stmt: in.Stmt})
}

// count counts the uses of names.
func (r *rewriter) count(b ir.Block) {
	b.Each(func(in *ir.Instr) {
		if in.Op == ir.Mov && r.defs[in.A] != nil && r.defs[in.Dst] == nil {
			return // from a name to its variable
		}
		for _, x := range []ir.Reg{in.A, in.B, in.C, in.D} {
			if r.isFloat(x) {
				r.uses[x]++
			}
		}
	})
}

// each calls f on every instruction; what f leaves in r.extra goes before it.
func (r *rewriter) each(b ir.Block, f func(*ir.Instr)) ir.Block {
	return b.Rebuild(func(out ir.Block, n ir.Node) ir.Block {
		if in, ok := n.(*ir.Instr); ok {
			r.extra = r.extra[:0]
			f(in)
			out = append(out, r.extra...)
		}
		return append(out, n)
	})
}

// before makes an instruction that stands before the one in hand, like it in place, statement and flags, and returns its result.
func (r *rewriter) before(like *ir.Instr, op ir.Op, a, b, c ir.Reg) ir.Reg {
	in := &ir.Instr{Op: op, Type: like.Type, Dst: r.reg(like.Type), A: a, B: b, C: c, Pos: like.Pos, Stmt: like.Stmt, FP: like.FP}
	r.extra = append(r.extra, in)
	r.defs[in.Dst] = in
	return in.Dst
}

// constant is before, of a constant.
func (r *rewriter) constant(like *ir.Instr, bits uint64) ir.Reg {
	in := &ir.Instr{Op: ir.Const, Type: like.Type, Dst: r.reg(like.Type), Imm: bits, Pos: like.Pos, Stmt: like.Stmt}
	r.extra = append(r.extra, in)
	r.defs[in.Dst] = in
	return in.Dst
}

// sweep drops pure instructions that compute floats which nothing reads any more.
func (r *rewriter) sweep(b ir.Block) ir.Block {
	for {
		read := make([]bool, len(r.k.Regs))
		b.Walk(func(n ir.Node) {
			switch n := n.(type) {
			case *ir.Instr:
				read[n.A], read[n.B], read[n.C], read[n.D] = true, true, true, true
			case *ir.If:
				read[n.Cond] = true
			}
		})
		dropped := false
		b = b.Rebuild(func(out ir.Block, n ir.Node) ir.Block {
			if in, ok := n.(*ir.Instr); ok && r.isFloat(in.Dst) && !read[in.Dst] && ir.Ops[in.Op].Effect == ir.Pure {
				dropped = true
				return out
			}
			return append(out, n)
		})
		if !dropped {
			return b
		}
	}
}
