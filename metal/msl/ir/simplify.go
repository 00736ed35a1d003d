package ir

import "math/bits"

// simplify walks k once, forwards, with a number for the value of each register. Equal numbers mean equal values in the same thread at that
// point; so an operand is read from the first register that still holds its value, an operation on numbers seen before gives
// the number seen before, and numbers of constants are folded.
func simplify(k *Kernel) {
	s := &simplifier{
		k: k, val: make([]int32, len(k.Regs)), values: make([]value, 1), known: map[expression]int32{},
	}
	for r := 1; r < len(k.Regs); r++ {
		s.assign(Reg(r), s.fresh())
	}
	k.Body, _ = s.block(k.Body)
}

type simplifier struct {
	k       *Kernel
	val     []int32 // value's number by register
	values  []value
	known   map[expression]int32
	journal []change
}

type value struct {
	constant bool
	bits     uint64
	holder   Reg // a register that held it; it still does if val[holder] is the value
}

// expression is an operation on values. Everything that can tell two results apart is in it.
type expression struct {
	op         Op
	typ, from  Type
	a, b, c, d int32
	imm        uint64
	scale      uint32
	fp         FP
	stmt       int32
}

// change undoes an assignment.
type change struct {
	reg         Reg
	old, number int32
	holder      Reg
}

func (s *simplifier) fresh() int32 {
	s.values = append(s.values, value{})
	return int32(len(s.values) - 1)
}

func (s *simplifier) assign(r Reg, v int32) {
	s.journal = append(s.journal, change{r, s.val[r], v, s.values[v].holder})
	s.val[r] = v
	if h := s.values[v].holder; h == 0 || s.val[h] != v {
		s.values[v].holder = r
	}
}

// undo takes back all assignments after mark and returns the registers that were assigned.
func (s *simplifier) undo(mark int) []change {
	list := append([]change(nil), s.journal[mark:]...)
	for i := len(list) - 1; i >= 0; i-- {
		c := list[i]
		s.val[c.reg] = c.old
		s.values[c.number].holder = c.holder
	}
	s.journal = s.journal[:mark]
	return list
}

// redo assigns again what undo took back.
func (s *simplifier) redo(list []change) {
	for _, c := range list {
		s.assign(c.reg, c.number)
	}
}

// forget gives fresh numbers to the registers assigned in list.
func (s *simplifier) forget(list []change) {
	for _, c := range list {
		s.assign(c.reg, s.fresh())
	}
}

// use returns the register that an operand is read from.
func (s *simplifier) use(r Reg) Reg {
	if r == 0 {
		return 0
	}
	v := &s.values[s.val[r]]
	if v.holder != 0 && s.val[v.holder] == s.val[r] {
		return v.holder
	}
	v.holder = r
	return r
}

func (s *simplifier) constant(r Reg) (uint64, bool) {
	v := &s.values[s.val[r]]
	return v.bits, v.constant
}

// block simplifies b; ends says that control never comes to its end.
func (s *simplifier) block(b Block) (out Block, ends bool) {
	out = make(Block, 0, len(b))
	for _, n := range b {
		switch n := n.(type) {
		case *Instr:
			if n.Op != Nop {
				out = s.instr(out, n)
			}
		case *Leave:
			return append(out, n), true
		case *If:
			out, ends = s.branch(out, n)
		case *Loop:
			s.forgetWritten(n.Body)
			n.Body, _ = s.block(n.Body)
			s.forgetWritten(n.Body)
			out, ends = append(out, n), !leaves(n.Body, n.Label)
		case *Scope:
			n.Body, ends = s.block(n.Body)
			if leaves(n.Body, n.Label) {
				s.forgetWritten(n.Body)
				ends = false
			}
			out = append(out, n)
		}
		if ends {
			return out, true
		}
	}
	return out, false
}

// forgetWritten gives fresh numbers to all registers that b writes. Where control comes from several places in b, the journal is
// not enough: it has lost what a branch assigned that left.
func (s *simplifier) forgetWritten(b Block) {
	b.Each(func(in *Instr) {
		for _, r := range [...]Reg{in.Dst, in.Dst2} {
			if r != 0 {
				s.assign(r, s.fresh())
			}
		}
	})
}

func (s *simplifier) branch(out Block, n *If) (_ Block, ends bool) {
	n.Cond = s.use(n.Cond)
	if c, ok := s.constant(n.Cond); ok {
		body := n.Then
		if c == 0 {
			body = n.Else
		}
		body, ends = s.block(body)
		return append(out, body...), ends
	}
	mark := len(s.journal)
	var thenEnds, elseEnds bool
	n.Then, thenEnds = s.block(n.Then)
	first := s.undo(mark)
	n.Else, elseEnds = s.block(n.Else)
	switch {
	case thenEnds: // what follows is Else's
	case elseEnds:
		s.undo(mark)
		s.redo(first)
	default:
		second := s.undo(mark)
		s.forget(first)
		s.forget(second)
	}
	return append(out, n), thenEnds && elseEnds
}

// instr simplifies one instruction and appends it, or what stands for it.
func (s *simplifier) instr(out Block, in *Instr) Block {
	for _, r := range in.operands() {
		*r = s.use(*r)
	}
	info := &Ops[in.Op]
	if info.Effect != Pure || in.Op == Undef {
		for _, r := range [...]Reg{in.Dst, in.Dst2} {
			if r != 0 {
				s.assign(r, s.fresh())
			}
		}
		return append(out, in)
	}
	s.fold(in)
	out = s.reduce(out, in)
	switch in.Op {
	case Mov:
		return s.put(out, in, s.val[in.A])
	case Const:
		return s.put(out, in, s.constantNumber(in.Type, in.Imm))
	}
	key, ok := s.key(in)
	if !ok {
		s.assign(in.Dst, s.fresh())
		return append(out, in)
	}
	v, seen := s.known[key]
	if !seen {
		v = s.fresh()
		s.known[key] = v
	}
	if h := s.values[v].holder; seen && h != 0 && s.val[h] == v {
		in.become(Mov, s.k.Regs[in.Dst], h, 0)
	}
	return s.put(out, in, v)
}

// put appends in, which gives value v, unless its register holds v already and nothing else can come of it.
func (s *simplifier) put(out Block, in *Instr, v int32) Block {
	if s.val[in.Dst] == v && (in.Op == Mov || in.Op == Const) {
		return out
	}
	s.assign(in.Dst, v)
	return append(out, in)
}

func (s *simplifier) constantNumber(t Type, bits uint64) int32 {
	key := expression{op: Const, typ: t, imm: bits}
	v, ok := s.known[key]
	if !ok {
		v = s.fresh()
		s.values[v] = value{constant: true, bits: bits}
		s.known[key] = v
	}
	return v
}

// key returns what in computes, if equal ones may be merged.
func (s *simplifier) key(in *Instr) (expression, bool) {
	if in.onFloats() && in.FP&rewritable != 0 {
		return expression{}, false
	}
	info := &Ops[in.Op]
	e := expression{op: in.Op, typ: in.Type, a: s.val[in.A], b: s.val[in.B], c: s.val[in.C], d: s.val[in.D], imm: in.Imm}
	if info.From != 0 && (!info.Address || in.B != 0) {
		e.from = in.From
	}
	if info.Address && in.B != 0 {
		e.scale = in.Scale
	}
	if in.onFloats() {
		e.fp, e.stmt = in.FP, in.Stmt
	}
	if info.Swaps && e.b < e.a {
		e.a, e.b = e.b, e.a
	}
	return e, true
}

// become turns in into another operation on the same result.
func (in *Instr) become(op Op, t Type, a Reg, imm uint64) {
	*in = Instr{Op: op, Type: t, Dst: in.Dst, A: a, Imm: imm, Pos: in.Pos, Stmt: in.Stmt}
}

// fold turns in into a Const or a Mov if its operands tell the result under every Behaviour: operations of integers and bools without a fault, moves of
// bits, and conversions of whole numbers that every float type holds.
func (s *simplifier) fold(in *Instr) {
	result := in.operandType(Ops[in.Op].Result)
	switch in.Op {
	case Const, Mov, PtrAdd, ObjAddr:
		return
	case Select:
		c, ok := s.constant(in.A)
		switch {
		case s.val[in.B] == s.val[in.C], ok && c != 0:
			in.become(Mov, in.Type, in.B, 0)
		case ok:
			in.become(Mov, in.Type, in.C, 0)
		}
		return
	case Convert:
		if in.Type == in.From {
			in.become(Mov, in.Type, in.A, 0)
			return
		}
	}
	var v [4]uint64
	for i, r := range in.operands() {
		if *r == 0 {
			continue
		}
		c, ok := s.constant(*r)
		if !ok {
			return
		}
		v[i] = c
	}
	if in.onFloats() && !foldsFloat(in, v[0]) {
		return
	}
	if r, fault := Eval(in.Op, in.Type, in.From, in.FP, Arith{}, v[0], v[1], v[2], v[3]); fault == NoFault {
		in.become(Const, result, 0, r)
	}
}

// foldsFloat reports whether in, on the constant a, gives the same under every Arith.
func foldsFloat(in *Instr, a uint64) bool {
	switch in.Op {
	case Neg, Abs, Bitcast:
		return true
	case Convert:
		n := in.From.Signed(a) // of a U64 beyond I64, a negative number
		return !in.From.IsFloat() && n <= 256 && (n >= 0 || in.From.IsSigned() && n >= -256)
	}
	return false
}

// reduce replaces operations of integers by cheaper ones: what changes nothing by Mov, and unsigned quotients and remainders by
// powers of two, which cannot fault, by shifts and masks. Signed ones round toward zero, and their products may overflow.
// Unsigned products stay: a multiplication costs as much as a shift.
func (s *simplifier) reduce(out Block, in *Instr) Block {
	t := in.Type
	if !t.IsInteger() || in.B == 0 {
		return out
	}
	b, ok := s.constant(in.B)
	if a, aok := s.constant(in.A); aok && !ok && Ops[in.Op].Swaps {
		in.A, in.B, b, ok = in.B, in.A, a, true
	}
	if !ok {
		return out
	}
	switch {
	case b == 0 && (in.Op == Add || in.Op == Sub || in.Op == Or || in.Op == Xor),
		b%uint64(t.Bits()) == 0 && (in.Op == Shl || in.Op == Shr),
		b == 1 && (in.Op == Mul || in.Op == Div):
		in.become(Mov, t, in.A, 0)
		return out
	case b == t.Mask() && in.Op == And:
		in.become(Mov, t, in.A, 0)
		return out
	}
	if t.IsSigned() || b&(b-1) != 0 || b == 0 {
		return out
	}
	amount := uint64(bits.TrailingZeros64(b))
	switch in.Op {
	case Div:
		in.Op = Shr
	case Rem:
		in.Op, amount = And, b-1
	default:
		return out
	}
	v := s.constantNumber(t, amount)
	if h := s.values[v].holder; h != 0 && s.val[h] == v {
		in.B = h
		return out
	}
	s.k.Regs = append(s.k.Regs, t)
	s.val = append(s.val, 0)
	in.B = Reg(len(s.k.Regs) - 1)
	s.assign(in.B, v)
	return append(out, &Instr{Op: Const, Type: t, Dst: in.B, Imm: amount, Pos: in.Pos, Stmt: in.Stmt})
}
