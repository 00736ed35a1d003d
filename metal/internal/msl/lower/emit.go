package lower

import (
	"math/bits"
	"sync"

	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// operand is a scalar value while code is made: a register, a constant, or nothing that was ever written.
type operand struct {
	kind operandKind
	typ  ir.Type
	reg  ir.Reg
	ver  int32 // how often the register had been written when this was read
	bits uint64
}

type operandKind uint8

const (
	noOperand operandKind = iota
	registerOperand
	constantOperand
	undefOperand
)

// value is the scalars of a value, in the order of its type's leaves.
type value []operand

func constant(k ir.Type, bits uint64) operand {
	return operand{kind: constantOperand, typ: k, bits: bits}
}

func undef(k ir.Type) operand { return operand{kind: undefOperand, typ: k} }

// isConst reports whether o is the constant bits.
func (o operand) isConst(bits uint64) bool { return o.kind == constantOperand && o.bits == bits }

// MaxInstructions is how many instructions a kernel may become with its calls inlined, unless the options say otherwise.
const MaxInstructions = 5_000_000

// limits of a kernel.
const (
	maxDepth       = 128
	maxNesting     = 900
	maxObjects     = 60_000
	maxThreadBytes = 1 << 20
	maxGroupBytes  = 1 << 24
	maxConstBytes  = 1 << 22
)

type constKey struct {
	typ  ir.Type
	bits uint64
}

// register says what is known of a register.
type register struct {
	writes int32
	// fresh: a temporary written by one instruction and used once, so that this instruction may write elsewhere.
	fresh bool
	// mutable: stands for a variable that is assigned to.
	mutable bool
	// clean: never poison: an input or a constant, or computed from such alone.
	clean bool
	// ready: written wherever it can be read, from its declaration on.
	ready bool
	// own: an address in an object of the kernel.
	own bool
	// doubtful: it may have no value, being a copy of memory of an object, or a variable that may hold such or nothing.
	doubtful bool
	home     *ir.Block // of a variable: where it is declared
}

type lowerer struct {
	k      *ir.Kernel
	consts Constants
	errs   token.List
	failed bool

	head  ir.Block // what runs first: constants, addresses of objects
	block *ir.Block
	dead  bool // what follows cannot be reached
	regs  []register
	slab  []ir.Instr
	room  *room

	constRegs  map[constKey]ir.Reg
	constBits  map[ir.Reg]uint64
	objectRegs map[int]ir.Reg
	layouts    map[typed.Type][]leaf
	infos      map[*typed.Func]*funcInfo
	looking    []*typed.Func        // whose infos are being found
	recursive  map[*typed.Func]bool // functions that call themselves, by whatever way
	lastNext   bool                 // the next call is the last of the function at hand
	globals    map[*typed.Var]*global
	groupVars  map[*typed.Var]int
	bytes      [4]int // of objects by space

	at                    int32 // the place that was asked for last
	statements, statement int32 // how many there are, and the one at hand
	fp                    ir.FP
	instrs, most          int
	labels                int32
	depth                 int // of blocks
	loops                 int // that stand around
	frame                 *frame
	given                 *place // of the call just inlined, if the function gives a place
	// site is where the source calls a function of the library's text that is being inlined: what is in there is reported there.
	site typed.Pos
}

// fail records an error and stops the lowering.
func (l *lowerer) fail(pos typed.Pos, format string, args ...any) {
	if l.site.Line != 0 {
		pos = l.site
	}
	if !l.failed {
		l.errs.Add(pos, format, args...)
	}
	l.failed = true
	l.dead = true
}

// newReg makes a register.
func (l *lowerer) newReg(t ir.Type) ir.Reg {
	l.k.Regs = append(l.k.Regs, t)
	l.regs = append(l.regs, register{})
	return ir.Reg(len(l.k.Regs) - 1)
}

func (l *lowerer) newLabel() int32 {
	l.labels++
	return l.labels
}

// pos returns the index of a position in Kernel.Places.
func (l *lowerer) pos(p typed.Pos) int32 {
	if l.site.Line != 0 {
		p = l.site
	}
	if l.k.Places[l.at] == p {
		return l.at
	}
	key := placeKey(p)
	first := l.room.places[key]
	for i := first; i > 0; i = l.room.next[i-1] {
		if l.k.Places[i-1].File == p.File {
			l.at = i - 1
			return l.at
		}
	}
	return l.newPlace(p, key, first)
}

func placeKey(p typed.Pos) uint64 { return uint64(p.Line)<<32 | uint64(uint32(p.Column)) }

// newPlace adds p to Kernel.Places; first is the last place of its line and column, plus 1.
func (l *lowerer) newPlace(p typed.Pos, key uint64, first int32) int32 {
	l.at = int32(len(l.k.Places))
	l.k.Places = append(l.k.Places, p)
	l.room.next = append(l.room.next, first)
	l.room.places[key] = l.at + 1
	return l.at
}

// room is what lowering a kernel needs and leaves empty.
type room struct {
	regs   []register
	places map[uint64]int32 // of each line and column: the last of its Kernel.Places, plus 1
	next   []int32          // of each place: the one before of its line and column, plus 1; 0: none
	seen   map[expression]ir.Reg
	undo   []expression
}

var rooms = sync.Pool{New: func() any { return &room{places: map[uint64]int32{}, seen: map[expression]ir.Reg{}} }}

// maxRoom is the number of registers of a kernel whose room is kept for the next.
const maxRoom = 1 << 16

// giveRoom gives the room back.
func (l *lowerer) giveRoom() {
	r := l.room
	r.regs = l.regs
	if len(r.regs) > maxRoom {
		return
	}
	clear(r.regs)
	clear(r.places)
	clear(r.seen)
	r.regs, r.next, r.undo = r.regs[:0], r.next[:0], r.undo[:0]
	rooms.Put(r)
}

// newStmt begins a statement.
func (l *lowerer) newStmt(fp ir.FP) {
	l.statements++
	l.statement = l.statements
	l.fp = fp
}

// emit appends an instruction to the block at hand.
func (l *lowerer) emit(in ir.Instr, at typed.Pos) {
	if l.dead {
		return
	}
	l.instrs++
	if l.instrs > l.most {
		l.fail(at, "%s becomes more than %d instructions with its calls inlined: make its functions or its tables smaller, or raise the option MaxInstructions", l.where(), l.most)
		return
	}
	in.Pos = l.pos(at)
	in.Stmt = l.statement
	if in.Dst != 0 {
		l.regs[in.Dst].writes++
	}
	if in.Dst2 != 0 {
		l.regs[in.Dst2].writes++
	}
	l.doubt(&in)
	*l.block = append(*l.block, l.newInstr(in))
}

// doubt notes whether the result of in may have no value. A variable stays in doubt until it gets a value in the block that declares it.
func (l *lowerer) doubt(in *ir.Instr) {
	if in.Dst == 0 {
		return
	}
	r := &l.regs[in.Dst]
	doubtful := false
	switch in.Op {
	case ir.Undef:
		doubtful = true
	case ir.Load:
		doubtful = l.regs[in.A].own
	case ir.PtrAdd:
		r.own = l.regs[in.A].own
	case ir.Mov, ir.Bitcast:
		doubtful, r.own = l.regs[in.A].doubtful, l.regs[in.A].own
	case ir.Select:
		doubtful, r.own = l.regs[in.B].doubtful || l.regs[in.C].doubtful, l.regs[in.B].own || l.regs[in.C].own
	}
	r.doubtful = doubtful || r.doubtful && r.mutable && r.home != l.block
}

// usesDoubtful reports whether in does more than copy a value that may be none.
func (l *lowerer) usesDoubtful(in *ir.Instr) bool {
	switch in.Op {
	case ir.Mov, ir.Bitcast:
		return false
	case ir.Select:
		return l.regs[in.A].doubtful
	}
	return l.regs[in.A].doubtful || l.regs[in.B].doubtful || l.regs[in.C].doubtful || l.regs[in.D].doubtful
}

func (l *lowerer) newInstr(in ir.Instr) *ir.Instr {
	if len(l.slab) == 0 {
		l.slab = make([]ir.Instr, 128)
	}
	p := &l.slab[0]
	l.slab = l.slab[1:]
	*p = in
	return p
}

// where names the function being lowered.
func (l *lowerer) where() string {
	if l.frame != nil && l.frame.parent != nil {
		return "kernel " + l.k.Name + ", in function " + l.frame.fn.Name + ","
	}
	return "kernel " + l.k.Name
}

// into makes a block of what f emits and reports whether its end cannot be reached.
func (l *lowerer) into(f func()) (ir.Block, bool) {
	var b ir.Block
	outer, dead := l.block, l.dead
	l.block = &b
	l.depth++
	if l.depth > maxNesting {
		l.fail(l.k.Pos, "%s nests its branches and loops more than %d deep with its calls inlined", l.where(), maxNesting)
	}
	l.dead = dead || l.failed
	f()
	l.depth--
	end := l.dead
	l.block, l.dead = outer, dead || l.failed
	return b, end
}

// reg returns the register of an operand; a constant gets one that is written when the kernel starts.
func (l *lowerer) reg(o operand) ir.Reg {
	switch o.kind {
	case registerOperand:
		return o.reg
	case constantOperand:
		key := constKey{o.typ, o.bits}
		if r, ok := l.constRegs[key]; ok {
			return r
		}
		r := l.newReg(o.typ)
		l.constRegs[key] = r
		l.constBits[r] = o.bits
		l.regs[r].clean = true
		l.regs[r].writes = 1
		l.head = append(l.head, l.newInstr(ir.Instr{Op: ir.Const, Type: o.typ, Dst: r, Imm: o.bits}))
		return r
	case undefOperand:
		r := l.newReg(o.typ)
		l.emit(ir.Instr{Op: ir.Undef, Type: o.typ, Dst: r}, l.k.Pos)
		return r
	}
	return 0
}

// object returns the address of an object, a register written when the kernel starts.
func (l *lowerer) objectAddr(n int) operand {
	r, ok := l.objectRegs[n]
	if !ok {
		r = l.newReg(ir.Ptr)
		l.objectRegs[n] = r
		l.regs[r].writes, l.regs[r].own = 1, !l.failed && l.k.Objects[n-len(l.k.Buffers)].Space != ir.Constant
		l.head = append(l.head, l.newInstr(ir.Instr{Op: ir.ObjAddr, Dst: r, Imm: uint64(n)}))
	}
	return l.operandOf(r)
}

// operandOf returns the value that r has now.
func (l *lowerer) operandOf(r ir.Reg) operand {
	return operand{kind: registerOperand, typ: l.k.Regs[r], reg: r, ver: l.regs[r].writes}
}

// result emits an instruction that gives a value of type t in a new temporary.
func (l *lowerer) result(in ir.Instr, t ir.Type, at typed.Pos) operand {
	if l.dead {
		return constant(t, 0)
	}
	in.Dst = l.newReg(t)
	l.emit(in, at)
	l.regs[in.Dst].fresh = true
	l.regs[in.Dst].clean = ir.Ops[in.Op].Effect == ir.Pure && in.Op != ir.Undef && l.isClean(in.A) && l.isClean(in.B) && l.isClean(in.C) && l.isClean(in.D)
	return l.operandOf(in.Dst)
}

func (l *lowerer) isClean(r ir.Reg) bool { return r == 0 || l.regs[r].clean && !l.regs[r].mutable }

// mark is a place in the code where a value was complete.
type mark struct {
	block *ir.Block
	n     int
}

func (l *lowerer) mark() mark { return mark{l.block, len(*l.block)} }

// settle copies, at m, those operands whose registers were written since.
func (l *lowerer) settle(m mark, v value) {
	for i, o := range v {
		if o.kind != registerOperand || l.regs[o.reg].writes == o.ver || l.dead {
			continue
		}
		t := l.newReg(o.typ)
		l.regs[t].writes, l.regs[t].doubtful = 1, l.regs[o.reg].doubtful
		l.instrs++
		in := l.newInstr(ir.Instr{Op: ir.Mov, Type: o.typ, Dst: t, A: o.reg, Stmt: l.statement})
		b := append(*m.block, nil)
		copy(b[m.n+1:], b[m.n:])
		b[m.n] = in
		*m.block = b
		v[i] = operand{kind: registerOperand, typ: o.typ, reg: t, ver: 1}
	}
}

// snapshot returns o in a register that will not change.
func (l *lowerer) snapshot(o operand, at typed.Pos) operand {
	if o.kind != registerOperand {
		return o
	}
	if !l.regs[o.reg].mutable {
		l.regs[o.reg].fresh = false
		return o
	}
	c := l.result(ir.Instr{Op: ir.Mov, Type: o.typ, A: o.reg}, o.typ, at)
	if c.kind == registerOperand {
		l.regs[c.reg].fresh = false
	}
	return c
}

// set writes v to the registers dst, all at once.
func (l *lowerer) set(dst []operand, v value, at typed.Pos) {
	if l.dead {
		return
	}
	v = append(value(nil), v...)
	for i, d := range dst {
		if v[i].kind == registerOperand && v[i].reg == d.reg || v[i].kind == undefOperand && l.regs[d.reg].ready {
			continue
		}
		// A later scalar that comes from this register is saved first.
		saved := operand{}
		for j := i + 1; j < len(v); j++ {
			if v[j].kind == registerOperand && v[j].reg == d.reg {
				if saved.kind == noOperand {
					saved = l.result(ir.Instr{Op: ir.Mov, Type: d.typ, A: d.reg}, d.typ, at)
					if l.dead {
						return
					}
					l.regs[saved.reg].fresh = false
				}
				v[j] = saved
			}
		}
		l.move(d.reg, v[i], v, i, at)
	}
}

// move writes o to register d; if o is a temporary that nothing else in v uses, the instruction that makes it writes to d instead.
func (l *lowerer) move(d ir.Reg, o operand, v value, i int, at typed.Pos) {
	if o.kind == undefOperand {
		l.emit(ir.Instr{Op: ir.Undef, Type: o.typ, Dst: d}, at)
		return
	}
	if o.kind == registerOperand && l.regs[o.reg].fresh && l.retarget(d, o.reg, v, i) {
		return
	}
	l.emit(ir.Instr{Op: ir.Mov, Type: o.typ, Dst: d, A: l.reg(o)}, at)
}

func (l *lowerer) retarget(d, tmp ir.Reg, v value, i int) bool {
	for j, o := range v {
		if j != i && o.kind == registerOperand && o.reg == tmp {
			return false
		}
	}
	b := *l.block
	for n := len(b) - 1; n >= 0 && n >= len(b)-16; n-- {
		in, ok := b[n].(*ir.Instr)
		if !ok {
			return false
		}
		if in.Dst == tmp {
			if in.Dst2 != 0 {
				return false
			}
			in.Dst = d
			l.regs[tmp].fresh = false
			l.regs[d].writes++
			l.doubt(in)
			return true
		}
		if in.Dst == d || in.Dst2 == d || in.Dst2 == tmp || reads(in, d) || reads(in, tmp) {
			return false
		}
	}
	return false
}

func reads(in *ir.Instr, r ir.Reg) bool { return in.A == r || in.B == r || in.C == r || in.D == r }

// floatFlags returns what an instruction of type t (from type from) may do beyond the letter.
func (l *lowerer) floatFlags(op ir.Op, t, from ir.Type, fast, precise bool) ir.FP {
	if !isFloat(t) && !isFloat(from) || op == ir.Mov || op == ir.Select || op == ir.Bitcast {
		return 0
	}
	switch {
	case fast:
		return l.fp | ir.FastFunctions
	case precise:
		return l.fp &^ ir.FastFunctions
	}
	return l.fp
}

// unary emits Op of a, of type t, giving type res.
func (l *lowerer) unary(op ir.Op, t, res ir.Type, a operand, fp ir.FP, at typed.Pos) operand {
	if a.kind == constantOperand {
		if bits, ok := foldUnary(op, t, a.bits); ok {
			return constant(res, bits)
		}
	}
	return l.result(ir.Instr{Op: op, Type: t, A: l.reg(a), FP: fp}, res, at)
}

// binary emits Op of a and b, of type t, giving type res.
func (l *lowerer) binary(op ir.Op, t, res ir.Type, a, b operand, fp ir.FP, at typed.Pos) operand {
	if a.kind == constantOperand && b.kind == constantOperand && a.typ == b.typ {
		if bits, ok := foldBinary(op, t, a.bits, b.bits); ok {
			return constant(res, bits)
		}
	}
	if !isFloat(t) {
		if o, ok := identity(op, t, a, b); ok {
			return o
		}
		op, b = cheaper(op, t, b)
	}
	return l.result(ir.Instr{Op: op, Type: t, A: l.reg(a), B: l.reg(b), FP: fp}, res, at)
}

// cheaper turns division of unsigned integers by a constant power of two into a shift, and the remainder into a mask.
func cheaper(op ir.Op, t ir.Type, b operand) (ir.Op, operand) {
	if b.kind == constantOperand && isInt(t) && !isSigned(t) && bits.OnesCount64(b.bits) == 1 {
		switch op {
		case ir.Div:
			return ir.Shr, constant(t, uint64(bits.TrailingZeros64(b.bits)))
		case ir.Rem:
			return ir.And, constant(t, b.bits-1)
		}
	}
	return op, b
}

// identity returns the value of an integer operation that one constant operand decides.
func identity(op ir.Op, t ir.Type, a, b operand) (operand, bool) {
	all := mask(t)
	switch op {
	case ir.Add, ir.Or, ir.Xor:
		if b.isConst(0) {
			return a, true
		}
		if a.isConst(0) {
			return b, true
		}
	case ir.Sub, ir.Shl, ir.Shr:
		if b.isConst(0) {
			return a, true
		}
	case ir.Mul:
		if b.isConst(1) {
			return a, true
		}
		if a.isConst(1) {
			return b, true
		}
	case ir.Div:
		if b.isConst(1) {
			return a, true
		}
	case ir.And:
		if b.isConst(all) {
			return a, true
		}
		if a.isConst(all) {
			return b, true
		}
	}
	return operand{}, false
}

// convert emits the conversion of a to type to.
func (l *lowerer) convert(a operand, to ir.Type, at typed.Pos) operand {
	if a.typ == to || a.kind == noOperand {
		return a
	}
	if a.kind == undefOperand {
		return undef(to)
	}
	if a.kind == constantOperand {
		if bits, ok := foldConvert(a.typ, to, a.bits); ok {
			return constant(to, bits)
		}
	}
	return l.result(ir.Instr{Op: ir.Convert, Type: to, From: a.typ, A: l.reg(a), FP: l.floatFlags(ir.Convert, to, a.typ, false, false)}, to, at)
}

// bitcast emits the bits of a as type to, of the same size.
func (l *lowerer) bitcast(a operand, to ir.Type, at typed.Pos) operand {
	if a.typ == to {
		return a
	}
	switch a.kind {
	case undefOperand:
		return undef(to)
	case constantOperand:
		return constant(to, a.bits)
	}
	return l.result(ir.Instr{Op: ir.Bitcast, Type: to, From: a.typ, A: l.reg(a)}, to, at)
}

// choose emits c ? a : b.
func (l *lowerer) choose(c, a, b operand, at typed.Pos) operand {
	switch {
	case c.kind == constantOperand && c.bits != 0:
		return a
	case c.kind == constantOperand:
		return b
	case a.kind == undefOperand:
		return b
	case b.kind == undefOperand:
		return a
	case a.kind == b.kind && a.kind == constantOperand && a.bits == b.bits, a.kind == registerOperand && b.kind == registerOperand && a.reg == b.reg:
		return a
	}
	return l.result(ir.Instr{Op: ir.Select, Type: a.typ, A: l.reg(c), B: l.reg(a), C: l.reg(b)}, a.typ, at)
}
