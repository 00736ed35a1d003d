package fast

import (
	"fmt"
	"slices"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// inst is one instruction of the machine: run over the active lanes.
type inst struct {
	run   func(m *machine, in *inst)
	count int32 // instructions of the kernel that are counted here
	pos   int32
	// fused are the parts of a statement, and body is what an if around one instruction has.
	fused *fused
	body  *inst
	loop  loop  // of those that only compute
	risk  guard // finds out whether a fault is possible; nil: none is
	src   *ir.Instr
	// dst to d are slots. vec has bit 0 set if a differs between lanes, bit 1 for b, and so on; spread likewise where the loop wants
	// one value for all lanes written out for each.
	dst, dst2, a, b, c, d int32
	vec, spread           uint8
	scalar                bool // the result is one for all lanes
	// loose: lanes that are not active may get any result, since nobody looks at it, and the loop takes any 64 bits for an operand.
	loose  bool
	mask   uint64 // of the type
	shift  uint8  // 64 - bits of the type
	site   uint32 // of memory operations: index into code.sites
	size   uint8
	lg     uint8 // log2 of size
	align  uint32
	target int32
	depth  int32
	n      int64     // an immediate
	flag   int32     // of loads and stores that pass on what may have no value: the slot that says what has
	short  bool      // of those with an address: see ir.Instr.Short
	span   bool      // of loads and stores: neighbouring lanes access neighbouring words, if the base is known
	cond   *inst     // of an if on a unit register: the comparison
	marks  *[5]int32 // slots of flags; see generator.marks
}

// code is a kernel ready for a mode.
type code struct {
	insts []inst
	// dispatch runs once for each machine of a dispatch, group at the start of each threadgroup.
	dispatch, group []inst
	slot            []int32 // of each register: vectors from vecBase
	scalars         int     // slots of scalars, 0 being nobody's
	vectors         int
	quiet           []bool // of each slot: a unit register's values are not written out
	depth           int    // of nesting, for the rooms of sets
	sites           []*ir.Instr
	undefined       *ir.Undefined // what flags are about
	memory          bool          // see mode
}

// mode is what code depends on.
type mode struct {
	checks bool
	memory bool // what loads give may be undefined, and has flags; otherwise a run ends where that is so, and is repeated with this
	arith  ir.Arith
}

// generator turns a kernel into code.
type generator struct {
	*analysis
	m     mode
	out   *code
	open  []*frame
	run   int
	first []int32 // of each register: the only run that has it, -1 if there are several
	free  []int32
	last  []int32 // of local registers: index of the last instruction that has it
	index map[*ir.Instr]int32
	early []bool // of each register: its value is there when a threadgroup starts
	err   error
	count int32 // instructions that the next inst counts
	// undefined is nil if every register has a value wherever it is read, or nobody checks.
	undefined *ir.Undefined
	flags     []int32 // slots of the flags of registers that may hold no value
	end       []int32 // last, which is used up as slots are freed
	test      *inst   // the comparison that the next if makes itself
	straight  int     // the first inst of the instructions that stand together
}

// frame is an open region.
type frame struct {
	at    *region
	exits []int32 // jumps to the end, where sets are joined again
	over  []int32 // jumps past the end, of regions without divergence
}

// maxSites is the number of instructions that access memory, as many as a shadow can name.
const maxSites = 1 << siteBits

func generate(a *analysis, m mode) (*code, error) {
	n := len(a.k.Regs)
	g := &generator{analysis: a, m: m, out: &code{slot: make([]int32, n), scalars: 1}, first: make([]int32, n), last: make([]int32, n), early: make([]bool, n), index: map[*ir.Instr]int32{}}
	g.out.insts = make([]inst, 0, len(a.instrs)+3*len(a.branches)+16) // most kernels need less
	g.locals(a.k.Body)
	for r := 1; r < n; r++ {
		switch {
		case a.defs[r] == 0 && a.home[r] == nil:
		case !a.vec[r]:
			g.out.slot[r] = int32(g.out.scalars)
			g.out.scalars++
		}
	}
	// Vectors have the slots after the scalars; those that live in one run of instructions share.
	for r := 1; r < n; r++ {
		if a.vec[r] && a.unit[r] {
			g.first[r] = -1
		}
		if a.vec[r] && g.first[r] <= 0 {
			g.out.slot[r] = g.vector()
		}
	}
	if m.checks {
		g.undefined, g.flags, g.end = ir.FindUndefined(a.k, m.memory), make([]int32, n), slices.Clone(g.last)
	}
	g.out.undefined, g.out.memory = g.undefined, m.memory
	for r := range g.early {
		g.early[r] = a.only[r] == nil
	}
	g.open = []*frame{{at: a.root}}
	if g.undefined != nil {
		for _, r := range g.undefined.Given {
			g.emit(inst{run: runFlag, dst: g.flag(r), n: int64(defined)})
		}
	}
	g.block(a.k.Body, a.root)
	g.close(inst{run: runEnd})
	g.out.quiet = make([]bool, g.out.scalars+g.out.vectors)
	for r := range g.quiet {
		if g.quiet[r] && g.out.slot[r] != 0 {
			g.out.quiet[g.out.slot[r]] = true
		}
	}
	if len(g.out.sites) > maxSites && m.checks {
		return nil, fmt.Errorf("fast: kernel %s accesses memory in %d places, checks can tell %d apart; run it without checks", a.k.Name, len(g.out.sites), maxSites)
	}
	return g.out, g.err
}

// ensure gives register r a slot.
func (g *generator) ensure(r ir.Reg) {
	if g.vec[r] && g.out.slot[r] == 0 {
		g.out.slot[r] = g.vector()
	}
}

func (g *generator) vector() int32 {
	if n := len(g.free); n > 0 {
		s := g.free[n-1]
		g.free = g.free[:n-1]
		return s
	}
	return g.fresh()
}

// fresh returns a slot that nothing had before.
func (g *generator) fresh() int32 {
	g.out.vectors++
	return int32(g.out.scalars + g.out.vectors - 1)
}

// locals numbers the runs of instructions without control between them, and finds the registers that live in one.
func (g *generator) locals(b ir.Block) {
	for _, x := range g.k.Buffers {
		g.first[x.Reg] = -1
	}
	for _, x := range g.k.Inputs {
		g.first[x.Reg] = -1
	}
	g.run = 1
	i := int32(0)
	var walk func(b ir.Block)
	note := func(r ir.Reg) {
		if r == 0 {
			return
		}
		if g.first[r] == 0 {
			g.first[r] = int32(g.run)
		}
		if g.first[r] != int32(g.run) {
			g.first[r] = -1
		}
		g.last[r] = i
	}
	walk = func(b ir.Block) {
		for _, n := range b {
			switch n := n.(type) {
			case *ir.Instr:
				operands(n, note)
				note(n.Dst)
				note(n.Dst2)
				g.index[n] = i
				i++
				continue
			case *ir.If:
				note(n.Cond)
				g.run++
				walk(n.Then)
				g.run++
				walk(n.Else)
			case *ir.Loop:
				g.run++
				walk(n.Body)
			case *ir.Scope:
				g.run++
				walk(n.Body)
			}
			g.run++
		}
	}
	walk(b)
	// A run begins with a writer of each register that lives in it, for registers are written before they are read.
}

func (g *generator) emit(x inst) int32 {
	x.count, g.count = g.count, 0
	g.out.insts = append(g.out.insts, x)
	return int32(len(g.out.insts) - 1)
}

func (g *generator) here() int32 { return int32(len(g.out.insts)) }

// enter opens a region.
func (g *generator) enter(at *region) {
	g.open = append(g.open, &frame{at: at})
	g.out.depth = max(g.out.depth, at.depth)
}

// close ends the innermost region with x, where its exits arrive.
func (g *generator) close(x inst) *frame {
	f := g.open[len(g.open)-1]
	g.open = g.open[:len(g.open)-1]
	for _, e := range f.exits {
		g.out.insts[e].target = g.here()
	}
	g.emit(x)
	return f
}

// closeQuietly ends the innermost region where nothing has to be done.
func (g *generator) closeQuietly() *frame {
	f := g.open[len(g.open)-1]
	g.open = g.open[:len(g.open)-1]
	for _, e := range f.exits {
		g.out.insts[e].target = g.here()
	}
	return f
}

func (g *generator) past(f *frame) {
	for _, e := range f.over {
		g.out.insts[e].target = g.here()
	}
}

// exit emits a jump to the end of the innermost region.
func (g *generator) exit(x inst) {
	f := g.open[len(g.open)-1]
	f.exits = append(f.exits, g.emit(x))
}

func (g *generator) block(b ir.Block, at *region) {
	for i, n := range b {
		if i == 0 || !isInstr(b[i-1]) {
			g.straight = int(g.here())
		}
		in, ok := n.(*ir.Instr)
		if ok {
			if in.Op == ir.Nop {
				continue
			}
			if i == 0 || !isInstr(b[i-1]) { // those that stand together are counted together, by the first inst
				for _, x := range b[i:] {
					if !isInstr(x) {
						break
					}
					if x.(*ir.Instr).Op != ir.Nop {
						g.count++
					}
				}
			}
			g.checked(in, at)
			continue
		}
		escapes := false
		switch n := n.(type) {
		case *ir.If:
			g.before(n, n.Pos)
			g.branch(n)
			escapes = g.arms[n][0].escapes || g.arms[n][1].escapes
		case *ir.Loop:
			g.around(n, n.Body, g.bodies[n], n.Pos)
			escapes = g.bodies[n].escapes
		case *ir.Scope:
			g.around(n, n.Body, g.bodies[n], 0)
			escapes = g.bodies[n].escapes
		case *ir.Leave:
			g.leave(n)
			return // nothing after it is reached
		}
		if escapes {
			g.exit(inst{run: runIfEmpty})
		}
	}
	g.flush()
}

func isInstr(n ir.Node) bool {
	_, ok := n.(*ir.Instr)
	return ok
}

// flush makes sure that instructions are counted before what follows, which may be reached by a jump.
func (g *generator) flush() {
	if g.count != 0 {
		g.emit(inst{run: runNothing})
	}
}

func (g *generator) branch(n *ir.If) {
	arms := g.arms[n]
	g.ensure(n.Cond)
	cond := g.out.slot[n.Cond]
	if !g.vec[n.Cond] {
		x := inst{run: runUnless, a: cond}
		if g.test != nil {
			x = *g.test
			x.run = runUnlessCompare
			g.test = nil
		}
		x.pos = n.Pos
		if len(n.Then) == 0 {
			x.n = 1
		}
		skip := g.emit(x)
		g.enter(arms[0])
		g.block(n.Then, arms[0])
		if len(n.Then) == 0 {
			g.closeQuietly()
			g.enter(arms[1])
			g.block(n.Else, arms[1])
		}
		if len(n.Then) == 0 || len(n.Else) == 0 {
			g.closeQuietly()
			g.out.insts[skip].target = g.here()
			return
		}
		g.close(inst{run: runJump})
		over := g.here() - 1
		g.out.insts[skip].target = g.here()
		g.enter(arms[1])
		g.block(n.Else, arms[1])
		g.closeQuietly()
		g.out.insts[over].target = g.here()
		return
	}
	d := int32(arms[0].depth)
	x := inst{run: runIf, a: cond}
	if g.test != nil {
		x = *g.test
		x.run, x.cond = runIfUnit, g.test
		g.test = nil
	}
	x.depth, x.pos = d, n.Pos
	split := g.emit(x)
	if g.first[n.Cond] > 0 {
		g.free = append(g.free, cond) // nobody reads it after this
	}
	g.enter(arms[0])
	g.block(n.Then, arms[0])
	if len(n.Else) == 0 {
		if g.guarded(split) {
			g.closeQuietly()
			return
		}
		g.close(inst{run: runEndIf, depth: d})
		g.out.insts[split].target = g.here() - 1
		return
	}
	g.close(inst{run: runElse, depth: d, pos: n.Pos})
	mid := g.here() - 1
	g.out.insts[split].target = mid
	g.enter(arms[1])
	g.block(n.Else, arms[1])
	g.close(inst{run: runJoin, depth: d, pos: n.Pos})
	g.out.insts[mid].target = g.here() - 1
}

// around emits a loop or scope.
func (g *generator) around(n ir.Node, body ir.Block, at *region, pos int32) {
	d := int32(at.depth)
	g.flush()
	if at.divergent {
		g.emit(inst{run: runEnter, depth: d, pos: pos})
	}
	start := g.here()
	g.enter(at)
	g.block(body, at)
	var f *frame
	if at.loop {
		f = g.close(inst{run: runAgain, target: start, pos: pos})
	} else {
		f = g.closeQuietly()
	}
	if at.divergent {
		g.past(f)
		g.emit(inst{run: runExit, depth: d})
		return
	}
	g.past(f)
}

func (g *generator) leave(n *ir.Leave) {
	var to *frame
	for i := len(g.open) - 1; i >= 0; i-- {
		f := g.open[i]
		if f.at.label == n.Label && (i == 0 || f.at.label > 0) {
			to = f
			break
		}
	}
	if to.at.divergent {
		g.emit(inst{run: runLeave, depth: int32(to.at.depth), pos: n.Pos})
		g.exit(inst{run: runJump})
		return
	}
	x := g.emit(inst{run: runJump})
	if to.at == g.root {
		to.exits = append(to.exits, x)
		return
	}
	to.over = append(to.over, x)
}

// instr emits one instruction.
func (g *generator) instr(in *ir.Instr, at *region) {
	x := inst{src: in, pos: in.Pos, mask: in.Type.Mask(), shift: uint8(64 - max(1, in.Type.Bits())), size: uint8(in.Type.Size()), lg: log2(in.Type.Size())}
	regs := [4]ir.Reg{}
	info := &ir.Ops[in.Op]
	for i, o := range [...]struct {
		kind ir.Operand
		r    ir.Reg
	}{{info.A, in.A}, {info.B, in.B}, {info.C, in.C}, {info.D, in.D}} {
		if o.kind != ir.NoOperand {
			regs[i] = o.r
		}
	}
	for i, r := range regs {
		if r != 0 && g.vec[r] {
			x.vec |= 1 << i
		}
	}
	early := g.slots(&x, in, regs)
	if in.Dst != 0 {
		x.scalar = !g.vec[in.Dst]
		x.loose = g.vec[in.Dst] && g.analysis.free(in.Dst, at)
	}
	if in.Op == ir.Undef || in.Op == ir.Const || in.Op == ir.ObjAddr {
		x.n = int64(in.Imm)
		if in.Op == ir.ObjAddr {
			x.n = int64(ir.MakePointer(int(in.Imm), 0))
		}
	}
	switch {
	case in.Op == ir.Fence && (!g.m.checks || in.Imm&textureFlag == 0 && !g.analysis.messages):
		return
	case in.Op == ir.Fence:
		x.run = runFence
	case (in.Op == ir.Barrier || in.Op == ir.SimdBarrier) && !g.m.checks:
		return // lanes run in lockstep
	case in.Op == ir.Barrier:
		x.run = runBarrier
	case in.Op == ir.SimdBarrier:
		x.run = runSimdBarrier
	case info.Effect == ir.Reports && !g.m.checks:
		return
	case info.Effect == ir.Reports:
		x.run = runReport
	case info.Effect == ir.Lanes:
		x.run, x.marks = runLanes, g.marks(in)
		if in.Dst == 0 {
			return
		}
	case info.Effect == ir.Reads || info.Effect == ir.Writes:
		x.site = uint32(len(g.out.sites))
		g.out.sites = append(g.out.sites, in)
		x.align = uint32(x.size)
		if in.Align != 0 {
			x.align = in.Align
		}
		x.short = in.Short()
		x.run = g.access(in)
		if u := g.undefined; u != nil && (u.Flagged(in) || u.Stores[in]) {
			x.flag = g.flag(in.Dst | in.C)
		}
		x.span = (in.Op == ir.Load || in.Op == ir.Store) && g.spans(in)
	default:
		if in.Dst == 0 {
			return
		}
		g.pure(&x)
		if x.risk != nil {
			x.marks = g.marks(in)
		}
		if g.tests[in] != nil && (g.undefined == nil || !g.undefined.May[in.Dst]) {
			g.test = &x
			return
		}
		if g.unit[in.Dst] {
			x.run = runUnit
		}
		if g.stable[in.Dst] != never && x.risk == nil && early {
			g.early[in.Dst] = true
			if g.stable[in.Dst] == perDispatch {
				g.out.dispatch = append(g.out.dispatch, x)
			} else {
				g.out.group = append(g.out.group, x)
			}
			return
		}
	}
	g.emit(x)
	if in.Op == ir.Store {
		g.fuse()
	}
}

// slots gives x the slots of its operands, regs, and of its results, and frees those that are used up. It reports whether all operands are there
// when a threadgroup starts.
func (g *generator) slots(x *inst, in *ir.Instr, regs [4]ir.Reg) bool {
	index := g.index[in]
	early := true
	for _, r := range regs {
		g.ensure(r)
		early = early && g.early[r]
	}
	x.a, x.b, x.c, x.d = g.out.slot[regs[0]], g.out.slot[regs[1]], g.out.slot[regs[2]], g.out.slot[regs[3]]
	give := func() {
		for i, r := range [...]ir.Reg{in.Dst, in.Dst2} {
			if r == 0 {
				continue
			}
			g.ensure(r)
			if i == 0 {
				x.dst = g.out.slot[r]
			} else {
				x.dst2 = g.out.slot[r]
			}
		}
	}
	drop := func() {
		for _, r := range [...]ir.Reg{regs[0], regs[1], regs[2], regs[3], in.Dst, in.Dst2} {
			if r != 0 && g.vec[r] && g.first[r] > 0 && g.last[r] == index && g.out.slot[r] != 0 {
				g.free = append(g.free, g.out.slot[r])
				g.last[r] = -1
			}
		}
	}
	if ir.Ops[in.Op].Effect == ir.Pure { // may write over what it reads
		drop()
		give()
		drop() // a result that nobody reads
	} else {
		give()
		drop()
	}
	return early
}

// position returns where p is in the source.
func position(k *ir.Kernel, p int32) model.Position {
	if p >= 0 && int(p) < len(k.Places) && k.Places[p] != (model.Position{}) {
		return k.Places[p]
	}
	return k.Pos
}
