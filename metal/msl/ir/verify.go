package ir

import (
	"fmt"
	"math/bits"

	"gamma/model"
)

// MaxDepth is how deep nodes may be nested.
const MaxDepth = 1000

// Verify says whether k is well formed: registers exist and have the types that the table asks for, unused operands are empty,
// labels nest and are unique, every register is written before it is read on every path, and objects, buffers, positions
// and statements are in range. What passes makes no engine panic. The error names the kernel, the place in the source if
// there is one, the instruction, and what is wrong.
//
// Cost: a pass over the instructions, with a copy of the set of written registers at each branch.
func Verify(k *Kernel) error {
	if k == nil {
		return fmt.Errorf("ir: no kernel")
	}
	v := &verifier{k: k, labels: map[int32]bool{0: true}}
	if err := v.header(); err != nil {
		return err
	}
	set := newRegSet(len(k.Regs))
	for _, b := range k.Buffers {
		set.add(b.Reg)
	}
	for _, in := range k.Inputs {
		set.add(in.Reg)
	}
	v.exits = []exit{{label: 0}}
	return v.block(k.Body, &set, 0)
}

type verifier struct {
	k      *Kernel
	labels map[int32]bool // all that were met
	exits  []exit         // of the Loops and Scopes around
	placed map[Node]struct{}
	instrs map[*Instr]struct{}
	free   []regSet // that nobody needs any more
}

// exit is where Leaves of a label arrive, with the registers that all of them have written.
type exit struct {
	label int32
	set   *regSet // nil: no Leave yet
}

// regSet is the set of registers written; all of them where control never is.
type regSet struct {
	bits []uint64
	dead bool
}

func newRegSet(n int) regSet { return regSet{bits: make([]uint64, (n+63)/64)} }

func (s *regSet) add(r Reg)      { s.bits[r/64] |= 1 << (r % 64) }
func (s *regSet) has(r Reg) bool { return s.dead || s.bits[r/64]>>(r%64)&1 == 1 }

func (s *regSet) clone() regSet {
	return regSet{bits: append([]uint64(nil), s.bits...), dead: s.dead}
}

// clone is clone of s, into a set that drop took.
func (v *verifier) clone(s *regSet) regSet {
	n := len(v.free)
	if n == 0 {
		return s.clone()
	}
	c := regSet{bits: v.free[n-1].bits, dead: s.dead}
	v.free = v.free[:n-1]
	copy(c.bits, s.bits)
	return c
}

func (v *verifier) drop(s regSet) { v.free = append(v.free, s) }

// meet keeps in s what o has too.
func (s *regSet) meet(o *regSet) {
	switch {
	case o.dead:
	case s.dead:
		copy(s.bits, o.bits)
		s.dead = false
	default:
		for i := range s.bits {
			s.bits[i] &= o.bits[i]
		}
	}
}

func (v *verifier) fault(pos int32, format string, args ...any) error {
	where := v.k.Pos
	if pos >= 0 && int(pos) < len(v.k.Places) && v.k.Places[pos] != (model.Position{}) {
		where = v.k.Places[pos]
	}
	return fmt.Errorf("%s: ir: kernel %s: %s", where, v.k.Name, fmt.Sprintf(format, args...))
}

func (v *verifier) isReg(r Reg) bool { return r > 0 && int(r) < len(v.k.Regs) }

func powerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

func (v *verifier) header() error {
	k := v.k
	if len(k.Regs) == 0 || k.Regs[0] != Void {
		return v.fault(0, "Regs[0] has to be Void, as register 0 is not a register")
	}
	for r, t := range k.Regs[1:] {
		if t == Void || !t.Valid() {
			return v.fault(0, "register %%%d has type %s", r+1, t)
		}
	}
	if n := len(k.Buffers) + len(k.Objects); n >= 1<<(64-OffsetBits)-1 {
		return v.fault(0, "%d buffers and objects are more than a pointer can name", n)
	}
	for i, b := range k.Buffers {
		switch {
		case !v.isReg(b.Reg) || k.Regs[b.Reg] != Ptr:
			return v.fault(0, "buffer %d (%s) needs a register of type ptr, not %%%d", i, b.Name, b.Reg)
		case b.Space > Threadgroup:
			return v.fault(0, "buffer %d (%s) is in no space that the host can bind", i, b.Name)
		case b.Elem < 0 || !powerOfTwo(b.Align):
			return v.fault(0, "buffer %d (%s) has element size %d and alignment %d", i, b.Name, b.Elem, b.Align)
		case b.Index < 0:
			return v.fault(0, "buffer %d (%s) has index %d", i, b.Name, b.Index)
		case b.Resource && (i >= Resources || b.Space != Device || !b.Optional || b.Texture != (Texture{}) || b.Sampler):
			return v.fault(0, "buffer %d (%s) is no resource that there can be", i, b.Name)
		case b.Texture != (Texture{}) && !b.Texture.valid(b.Space), b.Sampler && (b.Space != Constant || b.Texture != (Texture{})):
			return v.fault(0, "buffer %d (%s) is no texture or sampler that there can be", i, b.Name)
		}
	}
	for i, in := range k.Inputs {
		if !v.isReg(in.Reg) || k.Regs[in.Reg] != U16 && k.Regs[in.Reg] != U32 {
			return v.fault(0, "input %d needs a register of type u16 or u32, not %%%d", i, in.Reg)
		}
		if int(in.Kind) >= NumInputs || in.Axis < 0 || in.Axis > 2 || in.Axis > 0 && !in.Kind.HasAxes() {
			return v.fault(0, "input %d has kind %d and axis %d", i, in.Kind, in.Axis)
		}
	}
	for i, o := range k.Objects {
		n := i + len(k.Buffers)
		switch {
		case o.Space == Device || o.Space > Thread:
			return v.fault(0, "object %d (%s) cannot be in this space", n, o.Name)
		case o.Size < 0 || o.Elem < 0 || !powerOfTwo(o.Align) || int64(o.Size) >= 1<<(OffsetBits-1):
			return v.fault(0, "object %d (%s) has size %d, element %d, alignment %d", n, o.Name, o.Size, o.Elem, o.Align)
		case o.Space == Constant && len(o.Data) != o.Size:
			return v.fault(0, "object %d (%s) is constant and has %d of %d bytes of data", n, o.Name, len(o.Data), o.Size)
		case o.Space != Constant && o.Data != nil:
			return v.fault(0, "object %d (%s) has data and is not constant", n, o.Name)
		}
	}
	if k.Statements < 0 || k.MaxThreads < 0 {
		return v.fault(0, "%d statements, at most %d threads", k.Statements, k.MaxThreads)
	}
	for r := range k.Names {
		if !v.isReg(r) {
			return v.fault(0, "name of register %%%d, which is none", r)
		}
	}
	v.placed, v.instrs = map[Node]struct{}{}, make(map[*Instr]struct{}, len(k.Regs))
	return nil
}

func (v *verifier) pos(p int32) error {
	if p < 0 || p > 0 && int(p) >= len(v.k.Places) {
		return v.fault(0, "position %d of %d places", p, len(v.k.Places))
	}
	return nil
}

func (v *verifier) label(l int32) error {
	if l <= 0 || v.labels[l] {
		return v.fault(0, "label %d is not positive or not unique", l)
	}
	v.labels[l] = true
	return nil
}

// within checks the body of a Loop or Scope, and leaves in set what is written after it.
func (v *verifier) within(label int32, body Block, set *regSet, depth int, loop bool) error {
	v.exits = append(v.exits, exit{label: label})
	if err := v.block(body, set, depth+1); err != nil {
		return err
	}
	e := v.exits[len(v.exits)-1]
	v.exits = v.exits[:len(v.exits)-1]
	if loop {
		set.dead = true // a loop ends by Leaves only
	}
	if e.set != nil {
		set.meet(e.set)
		v.drop(*e.set)
	}
	return nil
}

func (v *verifier) block(b Block, set *regSet, depth int) error {
	if depth > MaxDepth {
		return v.fault(0, "nodes are nested deeper than %d", MaxDepth)
	}
	for _, n := range b {
		if missing(n) {
			return v.fault(0, "a block holds no node where it should")
		}
		before := len(v.placed) + len(v.instrs)
		if in, ok := n.(*Instr); ok {
			v.instrs[in] = struct{}{}
		} else {
			v.placed[n] = struct{}{}
		}
		if len(v.placed)+len(v.instrs) == before {
			return v.fault(0, "one node stands at two places")
		}
		if err := v.node(n, set, depth); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) node(n Node, set *regSet, depth int) error {
	switch n := n.(type) {
	case *Instr:
		return v.instr(n, set)
	case *If:
		if err := v.pos(n.Pos); err != nil {
			return err
		}
		if err := v.reads(n.Pos, "if", "condition", n.Cond, Bool, set); err != nil {
			return err
		}
		other := v.clone(set)
		if err := v.block(n.Then, set, depth+1); err != nil {
			return err
		}
		if err := v.block(n.Else, &other, depth+1); err != nil {
			return err
		}
		set.meet(&other)
		v.drop(other)
		return nil
	case *Loop:
		if err := v.pos(n.Pos); err != nil {
			return err
		}
		if err := v.label(n.Label); err != nil {
			return err
		}
		return v.within(n.Label, n.Body, set, depth, true)
	case *Scope:
		if err := v.label(n.Label); err != nil {
			return err
		}
		return v.within(n.Label, n.Body, set, depth, false)
	case *Leave:
		if err := v.pos(n.Pos); err != nil {
			return err
		}
		for i := len(v.exits) - 1; i >= 0; i-- {
			if e := &v.exits[i]; e.label == n.Label {
				if e.set == nil {
					s := v.clone(set)
					e.set = &s
				} else {
					e.set.meet(set)
				}
				set.dead = true
				return nil
			}
		}
		return v.fault(n.Pos, "leave %d is not inside a loop or scope of that label", n.Label)
	}
	return v.fault(0, "a block holds no node where it should")
}

// reads checks one operand.
func (v *verifier) reads(pos int32, what, which string, r Reg, t Type, set *regSet) error {
	if !v.isReg(r) {
		return v.fault(pos, "%s: %s is %%%d, which is not a register", what, which, r)
	}
	if v.k.Regs[r] != t {
		return v.fault(pos, "%s: %s is %%%d of type %s and has to be %s", what, which, r, v.k.Regs[r], t)
	}
	if !set.has(r) {
		return v.fault(pos, "%s: %s is %%%d, which is not written on every path to here", what, which, r)
	}
	return nil
}

var operandNames = [...]string{"operand A", "operand B", "operand C", "operand D"}

func (v *verifier) instr(in *Instr, set *regSet) error {
	if err := v.pos(in.Pos); err != nil {
		return err
	}
	if in.Op >= opCount {
		return v.fault(in.Pos, "operation %d is not in the table", in.Op)
	}
	info := &Ops[in.Op]
	name := info.Name
	if info.Types == 0 && in.Type != Void || info.Types != 0 && !info.Types.Has(in.Type) {
		return v.fault(in.Pos, "%s has no form for type %s", name, in.Type)
	}
	if in.Stmt < 0 || int(in.Stmt) > v.k.Statements {
		return v.fault(in.Pos, "%s: statement %d of %d", name, in.Stmt, v.k.Statements)
	}
	if info.From != 0 && (in.B != 0 || !info.Address) && !info.From.Has(in.From) {
		return v.fault(in.Pos, "%s has no form from type %s", name, in.From)
	}
	if in.FP>>len(fpNames) != 0 {
		return v.fault(in.Pos, "%s has flags %#x, which floating point has not", name, uint16(in.FP))
	}
	if err := v.special(in); err != nil {
		return err
	}
	for i, o := range [...]struct {
		kind Operand
		reg  Reg
	}{{info.A, in.A}, {info.B, in.B}, {info.C, in.C}, {info.D, in.D}} {
		if o.reg == 0 && (o.kind == NoOperand || o.kind == OfIndex || o.kind == OptionalT || o.kind == OptionalU16) {
			continue
		}
		which := operandNames[i]
		if o.kind == NoOperand {
			return v.fault(in.Pos, "%s: %s is %%%d, and it has none", name, which, o.reg)
		}
		if err := v.reads(in.Pos, name, which, o.reg, in.operandType(o.kind), set); err != nil {
			return err
		}
	}
	for i, r := range [...]Reg{in.Dst, in.Dst2} {
		kind := info.Result
		if i == 1 {
			kind = NoOperand
			if in.Op == AtomicCAS && r != 0 {
				kind = OfBool
			}
		}
		switch t := in.operandType(kind); {
		case r == 0 && (kind == NoOperand || kind == OptionalT):
		case kind == NoOperand:
			return v.fault(in.Pos, "%s gives nothing to %%%d", name, r)
		case !v.isReg(r):
			return v.fault(in.Pos, "%s: result %%%d is not a register", name, r)
		case v.k.Regs[r] != t:
			return v.fault(in.Pos, "%s: result %%%d has type %s and has to be %s", name, r, v.k.Regs[r], t)
		default:
			set.add(r)
		}
	}
	if in.Dst2 != 0 && in.Dst2 == in.Dst {
		return v.fault(in.Pos, "%s gives both results to %%%d", name, in.Dst)
	}
	return nil
}

// operandType returns the type that an operand of kind o has in in.
func (in *Instr) operandType(o Operand) Type {
	switch o {
	case OfT, OptionalT:
		return in.Type
	case OfFrom, OfIndex:
		return in.From
	case OfBool:
		return Bool
	case OfU16, OptionalU16:
		return U16
	case OfU32:
		return U32
	case OfI32:
		return I32
	case OfU64:
		return U64
	case OfPtr:
		return Ptr
	}
	return Void
}

// MemFlags is the set of mem_flags that Barrier, SimdBarrier and Fence may have: device, threadgroup, texture, imageblock.
const MemFlags = 1 | 2 | 4 | 8

// Scopes of a Fence.
const (
	DeviceScope = iota
	ThreadgroupScope
	SimdgroupScope
	ThreadScope
)

// FenceScope returns the scope of a Fence by its Imm. WithScope adds it to flags.
func FenceScope(imm uint64) int { return int(imm >> scopeShift) }

// WithScope returns the Imm of a Fence with flags and a scope as FenceScope returns it.
func WithScope(flags uint64, scope int) uint64 { return flags | uint64(scope)<<scopeShift }

const scopeShift = 4

// special checks what the table does not say.
func (v *verifier) special(in *Instr) error {
	info := &Ops[in.Op]
	objects := len(v.k.Buffers) + len(v.k.Objects)
	if !info.Imm && in.Imm != 0 {
		return v.fault(in.Pos, "%s has no immediate, and Imm is %#x", info.Name, in.Imm)
	}
	if info.Address && in.Align != 0 && bits.OnesCount32(in.Align) != 1 {
		return v.fault(in.Pos, "%s: alignment %d is not a power of two", info.Name, in.Align)
	}
	switch {
	case in.Op == Const && in.Imm&^in.Type.Mask() != 0:
		return v.fault(in.Pos, "const %#x has more bits than %s", in.Imm, in.Type)
	case in.Op == Const && in.Type == Ptr && Pointer(in.Imm).Object() >= objects,
		in.Op == ObjAddr && in.Imm >= uint64(objects):
		return v.fault(in.Pos, "%s %#x is at none of the %d buffers and objects", info.Name, in.Imm, objects)
	case info.Effect == Orders && in.Imm&^MemFlags != 0 && (in.Op != Fence || in.Imm >= 4<<scopeShift):
		return v.fault(in.Pos, "%s has flags %#x", info.Name, in.Imm)
	case info.Effect == Reports && in.Imm >= uint64(len(v.k.Texts)):
		return v.fault(in.Pos, "%s has text %d of %d", info.Name, in.Imm, len(v.k.Texts))
	case info.Effect == Lanes && in.Imm != 0 && in.Imm != quadWidth && (in.Imm != MatrixLanes || info.Shuffle.Move == NoMove):
		return v.fault(in.Pos, "%s is over groups of %d; use 0 for simdgroups and 4 for quadgroups", info.Name, in.Imm)
	case in.Op == Bitcast && in.Type.Bits() != in.From.Bits():
		return v.fault(in.Pos, "bitcast from %s to %s, which is of another size", in.From, in.Type)
	case in.Op == Convert && in.From == Ptr && !in.Type.IsInteger() && in.Type != Bool:
		return v.fault(in.Pos, "convert from ptr to %s has no meaning", in.Type)
	}
	return nil
}
