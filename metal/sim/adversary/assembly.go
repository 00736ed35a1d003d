package adversary

import (
	"fmt"
	"math/bits"
	"slices"

	"gamma/metal/msl/ir"
)

// inst is one instruction of the machine. Operands are places in its register file.
type inst struct {
	op         opcode
	count      uint8 // steps: instructions of the kernel that are counted here, and a turn of a loop
	dst        uint16
	a, b, c, d uint16
	target     int32 // of jumps; the scale of memory operations
	imm        uint64
}

// fileSize is the number of places in the register file: as many as a uint16 can name, so that no access needs a check.
const fileSize = 1 << 16

// Place 0 always holds 0, nowhere takes results that are not read, and the places of registers begin at first.
const (
	nowhere = 1
	first   = 2
)

// assembly is a kernel's code for one mode.
type assembly struct {
	code []inst
	from []int32 // the flat instruction of each
	// saved is the last of the places, from first on, that belong to the thread and outlive a stop; first-1 if there are none.
	saved int
	size  int      // how many places there are
	place []uint16 // of each register
	// consts are the places that hold constants.
	consts []constant
	// dead holds for each stop the saved places that are not read again.
	dead map[int32][]uint16
}

type constant struct {
	place uint16
	value uint64
}

// mode is what code depends on.
type mode struct {
	accesses bool // stop before accesses to shared memory too
	checks   bool // integer faults and undefined values are reported
	plain32  bool // binary32 rounds to nearest even and flushes nothing
}

// uses calls f for each register that x reads.
func (x *flat) uses(f func(r int32)) {
	switch x.kind {
	case flatUnless:
		f(x.a)
	case flatCount:
		f(x.dst)
	case flatCopy, flatCheck:
		f(x.a)
	case flatChoice:
		f(int32(x.in.A))
		for _, r := range [...]int32{x.a, x.b, x.flags[0]} {
			if r != 0 {
				f(r)
			}
		}
	case flatSpread:
		for _, r := range x.flags {
			if r != 0 {
				f(r)
			}
		}
	case flatAbsent, flatPass:
		f(int32(x.in.A))
		if x.in.B != 0 {
			f(int32(x.in.B))
		}
		if x.kind == flatPass {
			f(x.a)
		}
	case flatInstr:
		info := &ir.Ops[x.in.Op]
		for _, o := range [...]struct {
			kind ir.Operand
			r    ir.Reg
		}{{info.A, x.in.A}, {info.B, x.in.B}, {info.C, x.in.C}, {info.D, x.in.D}} {
			if o.kind != ir.NoOperand && o.r != 0 {
				f(int32(o.r))
			}
		}
		for _, r := range x.flags {
			if r != 0 {
				f(r)
			}
		}
		if x.flag != 0 && info.Effect == ir.Pure {
			f(x.flag)
		}
	}
}

// defs calls f for each register that x writes.
func (x *flat) defs(f func(r int32)) {
	switch x.kind {
	case flatZero, flatCount, flatFlag, flatCopy, flatChoice, flatSpread, flatAbsent:
		f(x.dst)
	case flatInstr:
		if x.in.Dst != 0 {
			f(int32(x.in.Dst))
		}
		if x.in.Op == ir.AtomicCAS && x.in.Dst2 != 0 {
			f(int32(x.in.Dst2))
		}
		if x.flag != 0 && ir.Ops[x.in.Op].Effect == ir.Lanes {
			f(x.flag)
		}
	}
}

// touches reports whether op reads or writes memory.
func touches(op ir.Op) bool { return op >= ir.Load && op <= ir.AtomicCAS }

// stops reports whether a thread may stop before instruction i.
func (p *Program) stops(i int, m mode) bool {
	x := &p.flat[i]
	switch {
	case x.kind == flatAbsent: // the load after it sees the same memory
		return m.checks && m.accesses && !p.private[x.in.A]
	case x.kind != flatInstr:
		return false
	case synchronises(x.in.Op):
		return true
	}
	after := m.checks && i > 0 && p.flat[i-1].kind == flatAbsent
	return m.accesses && touches(x.in.Op) && !p.private[x.in.A] && !after
}

// skipped reports whether x has no code in mode m.
func (x *flat) skipped(m mode) bool { return x.kind >= flatFlag && !m.checks }

// set is a set of small numbers.
type set []uint64

func (s set) add(i int32)      { s[i>>6] |= 1 << (i & 63) }
func (s set) drop(i int32)     { s[i>>6] &^= 1 << (i & 63) }
func (s set) has(i int32) bool { return s[i>>6]>>(i&63)&1 == 1 }

// maxLiveness bounds the words that the analysis of liveness may use.
const maxLiveness = 1 << 25

// liveness finds which of the registers that reach beyond one block are live at the start of each block.
type liveness struct {
	start []int32 // of each block, and the end
	wide  []int32 // number of each register among those that reach beyond a block, or -1
	regs  []int32 // the registers of these numbers
	in    []set
}

func (p *Program) blocks(m mode) []int32 {
	leader := make([]bool, len(p.flat)+1)
	leader[0] = true
	for i := range p.flat {
		x := &p.flat[i]
		switch x.kind {
		case flatJump, flatUnless, flatBack:
			leader[x.target], leader[i+1] = true, true
		case flatEnd:
			leader[i+1] = true
		case flatInstr, flatAbsent:
			if p.stops(i, m) {
				leader[i] = true
				leader[i+1] = leader[i+1] || synchronises(x.in.Op)
			}
		}
	}
	var start []int32
	for i := range p.flat {
		if leader[i] {
			start = append(start, int32(i))
		}
	}
	return append(start, int32(len(p.flat)))
}

// live computes liveness. It returns nil if that would take too much memory.
func (p *Program) live(m mode) *liveness {
	l := &liveness{start: p.blocks(m), wide: make([]int32, p.regs)}
	n := len(l.start) - 1
	const untouched, local, global = -1, -2, -3 // of l.wide, until numbers are given
	home := make([]int32, p.regs)
	for r := range l.wide {
		l.wide[r] = untouched
	}
	for b := range n {
		written := map[int32]bool{}
		for i := l.start[b]; i < l.start[b+1]; i++ {
			x := &p.flat[i]
			if x.skipped(m) {
				continue
			}
			x.uses(func(r int32) {
				if !written[r] {
					l.wide[r] = global
				}
			})
			x.defs(func(r int32) {
				written[r] = true
				if l.wide[r] == untouched {
					l.wide[r], home[r] = local, int32(b)
				} else if l.wide[r] == local && home[r] != int32(b) {
					l.wide[r] = global
				}
			})
		}
	}
	for r := range l.wide {
		if l.wide[r] != global {
			l.wide[r] = -1
			continue
		}
		l.wide[r] = int32(len(l.regs))
		l.regs = append(l.regs, int32(r))
	}
	words := (len(l.regs) + 63) / 64
	if n*words > maxLiveness {
		return nil
	}
	slab := make(set, n*words)
	l.in = make([]set, n)
	for b := range l.in {
		l.in[b] = slab[b*words : (b+1)*words]
	}
	out := make(set, words)
	for changed := true; changed; {
		changed = false
		for b := n - 1; b >= 0; b-- {
			clear(out)
			l.each(p, b, func(next int32) {
				for w, v := range l.in[next] {
					out[w] |= v
				}
			})
			for i := l.start[b+1] - 1; i >= l.start[b]; i-- {
				x := &p.flat[i]
				if x.skipped(m) {
					continue
				}
				x.defs(func(r int32) {
					if w := l.wide[r]; w >= 0 {
						out.drop(w)
					}
				})
				x.uses(func(r int32) {
					if w := l.wide[r]; w >= 0 {
						out.add(w)
					}
				})
			}
			for w, v := range out {
				if l.in[b][w] != v {
					l.in[b][w], changed = v, true
				}
			}
		}
	}
	return l
}

// each calls f with the blocks that may follow block b.
func (l *liveness) each(p *Program, b int, f func(next int32)) {
	last := &p.flat[l.start[b+1]-1]
	if last.kind != flatJump && last.kind != flatBack && last.kind != flatEnd {
		f(int32(b + 1))
	}
	if last.kind == flatJump || last.kind == flatBack || last.kind == flatUnless {
		f(l.block(last.target))
	}
}

// block returns the block that starts at flat instruction i.
func (l *liveness) block(i int32) int32 {
	lo, hi := 0, len(l.start)-1
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; l.start[mid] <= i {
			lo = mid
		} else {
			hi = mid
		}
	}
	return int32(lo)
}

// assembler gives registers their places and writes the code.
type assembler struct {
	*assembly
	p    *Program
	m    mode
	live *liveness
	// keep holds the registers that are saved when a thread stops.
	keep      set
	next      int // the next free place
	examined  int // places looked at by noteDead
	uncounted int // instructions before the next inst that have none of their own
	shared    map[uint64]uint16
	err       error
}

// assemble returns p's code for mode m.
func (p *Program) assemble(m mode) (*assembly, error) {
	a := &assembler{
		p: p, assembly: &assembly{place: make([]uint16, p.regs), dead: map[int32][]uint16{}},
		m: m, live: p.live(m), keep: make(set, p.regs/64+1), next: first, shared: map[uint64]uint16{0: 0},
	}
	a.choose()
	for w, v := range a.keep {
		for ; v != 0; v &= v - 1 {
			a.place[w*64+bits.TrailingZeros64(v)] = a.take()
		}
	}
	a.saved = a.next - 1
	for r := range a.place {
		if c, ok := p.fixed[int32(r)]; ok {
			a.place[r] = a.constant(c)
		} else if p.uniform[r] {
			a.place[r] = a.take()
		}
	}
	if m.checks && slices.ContainsFunc(p.flat, func(x flat) bool { return x.kind == flatChoice || x.kind == flatSpread }) {
		a.constant(defined)
	}
	a.temporaries()
	a.size = a.next
	if a.err == nil {
		a.encode()
	}
	return a.assembly, a.err
}

// pooled reports whether register r has one value for the whole dispatch.
func (p *Program) pooled(r int32) bool {
	_, ok := p.fixed[r]
	return ok || p.uniform[r]
}

func (a *assembler) take() uint16 {
	if a.next >= fileSize {
		if a.err == nil {
			a.err = fmt.Errorf("adversary: kernel %s needs more than %d registers at a time; make it smaller", a.p.k.Name, fileSize-first)
		}
		return nowhere
	}
	a.next++
	return uint16(a.next - 1)
}

func (a *assembler) constant(v uint64) uint16 {
	at, ok := a.shared[v]
	if !ok {
		at = a.take()
		a.shared[v] = at
		a.consts = append(a.consts, constant{at, v})
	}
	return at
}

// choose fills keep: counters, what SIMD operations read and write, and what is live at stops.
func (a *assembler) choose() {
	keep := func(r int32) {
		if !a.p.pooled(r) {
			a.keep.add(r)
		}
	}
	for r := int32(len(a.p.k.Regs)); r < a.p.regs; r++ {
		keep(r)
	}
	for i := range a.p.flat {
		x := &a.p.flat[i]
		if x.kind == flatInstr && converges(x.in.Op) {
			x.uses(keep)
			x.defs(keep)
		}
		if a.live != nil && a.p.stops(i, a.m) {
			a.alive(int32(i), keep)
		}
	}
	if a.live == nil {
		for r := int32(1); r < a.p.regs; r++ {
			keep(r)
		}
	}
}

// alive calls f with the registers that are live before flat instruction i, the start of a block.
func (a *assembler) alive(i int32, f func(r int32)) {
	for w, v := range a.live.in[a.live.block(i)] {
		for ; v != 0; v &= v - 1 {
			f(a.live.regs[w*64+bits.TrailingZeros64(v)])
		}
	}
}

// temporaries gives places to all other registers: one each to those that reach beyond a block, and the others share.
func (a *assembler) temporaries() {
	if a.live == nil {
		return
	}
	for _, r := range a.live.regs {
		if a.place[r] == 0 && !a.p.pooled(r) {
			a.place[r] = a.take()
		}
	}
	base := a.next
	top := base
	last := map[int32]int32{}
	for b := range len(a.live.start) - 1 {
		clear(last)
		for i := a.live.start[b]; i < a.live.start[b+1]; i++ {
			note := func(r int32) {
				if a.live.wide[r] < 0 && !a.p.pooled(r) && !a.keep.has(r) {
					last[r] = i
				}
			}
			if a.p.flat[i].skipped(a.m) {
				continue
			}
			a.p.flat[i].uses(note)
			a.p.flat[i].defs(note)
		}
		var free []uint16
		a.next = base
		for i := a.live.start[b]; i < a.live.start[b+1]; i++ {
			if a.p.flat[i].skipped(a.m) {
				continue
			}
			// Results get their places before operands lose theirs: an instruction never writes over what it has yet to read.
			a.p.flat[i].defs(func(r int32) {
				if _, ok := last[r]; !ok || a.place[r] != 0 {
					return
				}
				if n := len(free); n > 0 {
					a.place[r], free = free[n-1], free[:n-1]
				} else {
					a.place[r] = a.take()
				}
			})
			drop := func(r int32) {
				if end, ok := last[r]; ok && end == i && a.place[r] != 0 {
					free = append(free, a.place[r])
					delete(last, r)
				}
			}
			a.p.flat[i].uses(drop)
			a.p.flat[i].defs(drop)
		}
		top = max(top, a.next)
	}
	a.next = top
}

// encode writes the code.
func (a *assembler) encode() {
	where, targets := make([]int32, len(a.p.flat)+1), a.p.targets()
	for i := range a.p.flat {
		if a.uncounted > 0 && targets.has(int32(i)) || a.uncounted == mostUncounted {
			a.emit(inst{op: opFence}, i-1)
		}
		where[i] = int32(len(a.code))
		x := &a.p.flat[i]
		if x.kind == flatInstr {
			if x.in.Dst != 0 {
				if _, ok := a.p.fixed[int32(x.in.Dst)]; ok {
					a.uncounted++
					continue
				}
			}
			if a.p.stops(i, a.m) {
				a.noteDead(int32(i))
				if touches(x.in.Op) {
					a.gate(x, i)
				}
			}
			y := a.choice(x.in)
			y.count = 1
			if x.soft && a.m.checks {
				y.op = opSoft
			}
			a.emit(y, i)
			continue
		}
		if x.kind >= flatFlag {
			if !a.m.checks {
				continue
			}
			if a.p.stops(i, a.m) {
				a.noteDead(int32(i))
				a.gate(x, i)
			}
			a.emit(a.flagged(x), i)
			continue
		}
		switch x.kind {
		case flatJump:
			a.emit(inst{op: opJump, target: x.target}, i)
		case flatBack:
			back := inst{op: opBack, count: 1, target: x.target}
			if i > 0 && a.p.flat[i-1].kind == flatCount { // it comes from nowhere else
				back.op, back.dst = opBackCount, a.place[a.p.flat[i-1].dst]
			}
			a.emit(back, i)
		case flatUnless:
			if !a.fuse(x, i) {
				a.emit(inst{op: opUnless, a: a.place[x.a], target: x.target}, i)
			}
		case flatZero:
			a.emit(inst{op: opMov, dst: a.place[x.dst]}, i)
		case flatCount: // done by the jump back that follows
		case flatEnd:
			a.emit(inst{op: opEnd, count: 1}, i)
		}
	}
	for i := range a.code {
		switch a.code[i].op {
		case opJump, opBack, opBackCount, opUnless, opUnlessEq, opUnlessNe, opUnlessLtU, opUnlessLeU, opUnlessLtI32, opUnlessLeI32:
			a.code[i].target = where[a.code[i].target]
		}
	}
}

// fused maps comparisons to what they are with a jump.
var fused = map[opcode]opcode{
	opEq: opUnlessEq, opNe: opUnlessNe, opLtU: opUnlessLtU, opLeU: opUnlessLeU, opLtI32: opUnlessLtI32, opLeI32: opUnlessLeI32,
}

// fuse makes one instruction of flat instruction i, a jump, and the comparison before it, if the jump alone reads what that gives.
func (a *assembler) fuse(x *flat, i int) bool {
	if i == 0 || a.p.reads[x.a] != 1 {
		return false
	}
	before := &a.p.flat[i-1]
	if before.kind != flatInstr || int32(before.in.Dst) != x.a || len(a.code) == 0 || a.from[len(a.code)-1] != int32(i-1) {
		return false
	}
	last := &a.code[len(a.code)-1]
	op, ok := fused[last.op]
	if !ok {
		return false
	}
	last.op, last.target = op, x.target
	return true
}

// mostUncounted is how many instructions one inst counts beside its own.
const mostUncounted = 1<<8 - 2

func (a *assembler) emit(x inst, i int) {
	x.count += uint8(a.uncounted)
	a.uncounted = 0
	a.code = append(a.code, x)
	a.from = append(a.from, int32(i))
}

// gate stops before an access. It is run again where the thread goes on, so it counts nothing.
func (a *assembler) gate(x *flat, i int) {
	a.code = append(a.code, inst{op: opGate, a: a.place[x.in.A]})
	a.from = append(a.from, int32(i))
}

// targets returns the flat instructions that are jumped to.
func (p *Program) targets() set {
	s := make(set, len(p.flat)/64+1)
	for i := range p.flat {
		switch x := &p.flat[i]; x.kind {
		case flatJump, flatUnless, flatBack:
			s.add(x.target)
		}
	}
	return s
}

// maxExamined bounds the work of noteDead for one kernel.
const maxExamined = 1 << 22

// noteDead notes the saved places that are dead at the stop before flat instruction i.
func (a *assembler) noteDead(i int32) {
	if a.examined += a.saved; a.live == nil || a.examined > maxExamined {
		return // states that differ in dead registers alone are explored twice, no more
	}
	alive := map[uint16]bool{}
	note := func(r int32) { alive[a.place[r]] = true }
	a.alive(i, note)
	x := &a.p.flat[i]
	x.uses(note)
	for _, s := range a.p.paths[x.path] {
		if s.arm < 0 {
			note(s.counter)
		}
	}
	var dead []uint16
	for r := first; r <= a.saved; r++ {
		if !alive[uint16(r)] {
			dead = append(dead, uint16(r))
		}
	}
	a.dead[int32(len(a.code))] = dead
}

// target returns the place that takes what is written to r, which may be a register that is never read.
func (a *assembly) target(r ir.Reg) uint16 {
	if r == 0 || a.place[r] == 0 {
		return nowhere
	}
	return a.place[r]
}
