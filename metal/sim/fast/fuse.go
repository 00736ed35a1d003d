package fast

import (
	"unsafe"

	"gamma/metal/msl/ir"
)

// A statement such as x[i] += y[i], or x[i] = y[i], is one instruction of the machine if neighbouring lanes access neighbouring words, nothing else reads what
// is loaded and computed, and nobody checks: then values go from memory to memory, without registers between. Where lanes are not all from one to another, or an
// access is out of bounds, its parts run one by one.

// fused are the parts of a statement, in their order.
type fused struct {
	parts []inst
	units []*inst // those that compute indices
	from  [2]*inst
	same  [2]bool // it is loaded from where to stores
	op    *inst   // nil: one value is stored as it was loaded
	to    *inst
	words wordLoop // of op, for 32 bits
}

// wordLoop computes d from a and b, which are as long; in is the instruction.
type wordLoop func(d, a, b []uint32, in *inst)

// Operations of 32 bits that have loops over words.
var (
	integerWords = map[ir.Op]wordLoop{ir.Add: wordsAdd, ir.Sub: wordsSub, ir.Mul: wordsMul, ir.And: wordsAnd, ir.Or: wordsOr, ir.Xor: wordsXor}
	floatWords   = map[ir.Op]wordLoop{ir.Add: wordsAddF, ir.Sub: wordsSubF, ir.Mul: wordsMulF, ir.Div: wordsDivF}
)

// words returns the loop over words of in, nil if it has none.
func (g *generator) words(in *ir.Instr) wordLoop {
	switch t := in.Type; {
	case t == ir.F32 && !g.m.arith.Flush.Any():
		return floatWords[in.Op]
	case t.IsInteger() && t.Bits() == 32:
		return integerWords[in.Op]
	}
	return nil
}

// once reports whether r has one writer and one reader.
func (g *generator) once(r ir.Reg) bool { return g.defs[r] == 1 && g.uses[r] == 1 }

// fuse makes one instruction of the last ones, if they are a statement that ends with the store that has just been emitted.
func (g *generator) fuse() {
	list := g.out.insts
	end := len(list) - 1
	store := list[end].src
	if g.m.checks || !list[end].span || !g.vec[store.C] || !g.once(store.C) {
		return
	}
	var op *ir.Instr
	loads := 0
	for i := end - 1; i >= g.straight; i-- {
		in := list[i].src
		switch {
		case in == nil || in.Dst == 0 || i > g.straight && list[i].count != 0:
			return
		case g.unit[in.Dst] && ir.Ops[in.Op].Effect == ir.Pure:
		case op == nil && in.Dst == store.C && g.memoryOp(&list[i]):
			op = in
		case in.Op == ir.Load && list[i].span && g.once(in.Dst) && in.Type.Size() == store.Type.Size() && in.Type != ir.Bool && takes(store, op, in.Dst):
			if loads++; op == nil || loads == 2 {
				for i > g.straight && list[i-1].src != nil && g.unit[list[i-1].src.Dst] {
					i--
				}
				g.replace(i, op)
				return
			}
		default:
			return
		}
	}
}

// takes reports whether r is what a statement's operation reads, or what its store does if there is no operation.
func takes(store, op *ir.Instr, r ir.Reg) bool {
	if op == nil {
		return r == store.C
	}
	return r == op.A || r == op.B
}

// memoryOp reports whether x computes from two values of all lanes what can be computed from memory.
func (g *generator) memoryOp(x *inst) bool {
	in := x.src
	if ir.Ops[in.Op].Effect != ir.Pure || x.loop == nil || x.vec != 3 || x.spread != 0 || x.scalar || in.A == in.B || !g.once(in.A) || !g.once(in.B) || in.Type != g.k.Regs[in.Dst] {
		return false
	}
	if in.Type.Size() == 8 {
		_, ok := g.binary(in)
		return ok
	}
	return g.words(in) != nil
}

// replace makes one instruction of those from i on.
func (g *generator) replace(i int, op *ir.Instr) {
	f := &fused{parts: append([]inst(nil), g.out.insts[i:]...)}
	x := f.parts[0]
	for k := range f.parts {
		p := &f.parts[k]
		p.count = 0
		switch in := p.src; {
		case in.Op == ir.Store:
			f.to = p
		case in.Op == ir.Load && op != nil && in.Dst == op.B:
			f.from[1] = p
		case in.Op == ir.Load:
			f.from[0] = p
		case in == op:
			f.op, f.words = p, g.words(in)
		default:
			f.units = append(f.units, p)
		}
	}
	for k, p := range f.from {
		f.same[k] = p != nil && p.a == f.to.a && p.b == f.to.b && p.align == f.to.align && p.src.Imm == f.to.src.Imm && p.src.Scale == f.to.src.Scale && p.src.From == f.to.src.From
	}
	g.out.insts = append(g.out.insts[:i], inst{run: runFused, pos: x.pos, count: x.count, fused: f})
}

// runFused runs a statement from memory to memory.
func runFused(m *machine, in *inst) {
	f := in.fused
	f.indices(m)
	if m.act.empty() || !m.fused(f) {
		for i := range f.parts {
			f.parts[i].run(m, &f.parts[i])
		}
	}
}

// indices computes the indices of f.
func (f *fused) indices(m *machine) {
	for _, u := range f.units {
		u.run(m, u)
	}
}

// fused runs f where all its words are neighbours, and reports whether they are.
func (m *machine) fused(f *fused) bool {
	to, d := m.span(f.to)
	if d < 0 || to.fixed || to.init != nil && to.known.length(f.to.size) == 0 {
		return false
	}
	n, size := m.act.hi-m.act.lo, int(f.to.size)
	switch {
	case f.op == nil:
		from, a := m.span(f.from[0])
		if a < 0 {
			return false
		}
		copy(to.words.u8[d*size:(d+n)*size], from.words.u8[a*size:(a+n)*size])
	case size == 4:
		t := to.words.u32[d : d+n]
		x, y := source32(m, f, 0, t), source32(m, f, 1, t)
		if x == nil || y == nil {
			return false
		}
		f.words(t, x, y, f.op)
	default:
		t := to.words.u64[d : d+n]
		x, y := source64(m, f, 0, t), source64(m, f, 1, t)
		if x == nil || y == nil {
			return false
		}
		args := &m.args
		args.in, args.d, args.a, args.b = f.op, t, x, y
		f.op.loop(args)
	}
	if to.init != nil {
		copy(to.init[d*size:(d+n)*size], ones)
	}
	return true
}

// source32 returns the words that f loads for operand k, nil if they are no neighbours, or if a loop from the first words on would write one of t before it reads
// it; source64 those of 64 bits.
func source32(m *machine, f *fused, k int, t []uint32) []uint32 {
	if f.same[k] {
		return t
	}
	o, i := m.span(f.from[k])
	if i < 0 {
		return nil
	}
	return ahead(t, o.words.u32[i:i+len(t)])
}

func source64(m *machine, f *fused, k int, t []uint64) []uint64 {
	if f.same[k] {
		return t
	}
	o, i := m.span(f.from[k])
	if i < 0 {
		return nil
	}
	return ahead(t, o.words.u64[i:i+len(t)])
}

// ahead returns x, or nil if a loop from the first words on writes a word of x before it reads it, since t begins among its words but the first. Both are as long and not
// empty.
func ahead[T uint32 | uint64](t, x []T) []T {
	to, from := uintptr(unsafe.Pointer(&t[0])), uintptr(unsafe.Pointer(&x[0]))
	if to > from && to < from+uintptr(len(x))*unsafe.Sizeof(x[0]) {
		return nil
	}
	return x
}

// runGuarded is an if on a unit register around one instruction.
func runGuarded(m *machine, in *inst) {
	if m.guarded(in) {
		return
	}
	next := m.pc
	runIfUnit(m, in)
	m.pc = next
	if !m.act.empty() {
		x := in.body
		if x.count != 0 {
			if m.count(x.pos, int64(x.count)*int64(m.act.count())); m.pc < 0 {
				return
			}
		}
		if x.run(m, x); m.pc < 0 {
			return
		}
	}
	runEndIf(m, in)
}

// guarded runs an if around a statement where its lanes are neighbours, all its words are, and the steps suffice, and reports whether they are. No other lanes are held back:
// nothing looks for them meanwhile.
func (m *machine) guarded(in *inst) bool {
	x := in.body
	if x.fused == nil || m.act.list != nil || in.src.Op == ir.Ne {
		return false
	}
	u, s := in.a, in.b
	if in.vec&1 == 0 {
		u, s = in.b, in.a
	}
	base := m.base[u]
	if base == noBase {
		return false
	}
	lo, hi := m.act.lo, m.act.hi
	from, to := m.clamp(in.meets(base, u == in.a, m.v[s][0]))
	if from == to {
		return true
	}
	n := int64(x.count) * int64(to-from)
	if m.steps+n > m.limit {
		return false
	}
	m.act.lo, m.act.hi = from, to
	x.fused.indices(m)
	done := m.fused(x.fused)
	if m.act.lo, m.act.hi = lo, hi; done {
		m.steps += n
	}
	return done
}

// guarded makes one instruction of an if on a unit register, the last but one, and the instruction in it, and reports whether it did.
func (g *generator) guarded(split int32) bool {
	if g.here() != split+2 || g.out.insts[split].cond == nil {
		return false
	}
	x := g.out.insts[split+1]
	if x.src == nil && x.fused == nil || x.target != 0 || x.cond != nil { // it may go elsewhere
		return false
	}
	g.out.insts = g.out.insts[:split+1]
	in := &g.out.insts[split]
	in.run, in.body = runGuarded, &x
	return true
}
