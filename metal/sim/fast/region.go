package fast

import "gamma/metal/msl/ir"

// region is a stretch of a kernel that is entered at one place: the kernel's body, an arm of an if, the body of a loop or scope.
type region struct {
	parent *region
	depth  int
	label  int32 // of loops and scopes; -1 for arms
	loop   bool
	// divergent: it may run with fewer lanes than its parent, or lose lanes on the way that come back at its end. A value that is one
	// for all lanes inside need not be so outside.
	divergent bool
	// escapes: lanes may leave it for a place beyond its end.
	escapes bool
}

// meet returns the innermost region around both; r may be nil, for none.
func (r *region) meet(o *region) *region {
	if r == nil {
		return o
	}
	for r != o {
		if r.depth >= o.depth {
			r = r.parent
		} else {
			o = o.parent
		}
	}
	return r
}

// place is an instruction and the region it stands in.
type place struct {
	in *ir.Instr
	at *region
}

// branch is an if, with its arms.
type branch struct {
	n          *ir.If
	at         *region
	then, rest *region
}

// leaving is a Leave and where it goes.
type leaving struct {
	at, to *region
}

// analysis is what a kernel's text says about its values.
type analysis struct {
	k        *ir.Kernel
	root     *region
	instrs   []place
	branches []branch
	leaves   []leaving
	arms     map[*ir.If][2]*region
	bodies   map[ir.Node]*region
	home     []*region // of each register: the innermost region around all that read or write it
	defs     []int32   // number of writers of each register, what the kernel starts with included
	vec      []bool    // of each register: it may differ from lane to lane
	stable   []level   // of each register: when its one value is known
	points   []objects // of each pointer: what it may point to
	only     []*ir.Instr
	// written and read are the objects that stores and atomics, and loads, may reach.
	written objects
	atomic  objects // which atomics may reach
	grain   []int   // of each object: the smallest piece that an access takes
	threads objects
	uses    []int32 // of each register: how often it is read
	// unit and quiet: see unit.go. tests are the comparisons that belong to the if after them.
	unit, quiet []bool
	tests       map[*ir.Instr]*ir.If
	simdBar     bool
	fences      bool // with flags
	messages    bool // and atomics, so that they may order threads
	// ordered: the result depends on the order of threadgroups, as of atomics whose results are used.
	ordered bool
	// unsettled: see orders.
	unsettled map[*ir.Instr]bool
}

// level says when the one value of a register is known, in the order of ir.Level.
type level uint8

const (
	never       level = iota // it may change while the group runs
	perGroup                 // when the group starts
	perDispatch              // when the dispatch starts
)

// objects is a set of objects: bit i for object i below 63, and bit 63 for all of them.
type objects uint64

const anyObject objects = 1 << 63

func oneObject(i int) objects {
	if i < 0 {
		return 0
	}
	if i >= 63 {
		return anyObject
	}
	return 1 << i
}

func (s objects) has(i int) bool { return s&(oneObject(i)|anyObject) != 0 }

func analyse(k *ir.Kernel) *analysis {
	n := len(k.Regs)
	a := &analysis{
		k: k, root: &region{}, arms: map[*ir.If][2]*region{}, uses: make([]int32, n), tests: map[*ir.Instr]*ir.If{}, bodies: map[ir.Node]*region{},
		home: make([]*region, n), defs: make([]int32, n), vec: make([]bool, n), stable: make([]level, n),
		points: make([]objects, n), only: make([]*ir.Instr, n), grain: make([]int, len(k.Buffers)+len(k.Objects)),
	}
	for i, b := range k.Buffers {
		a.begin(b.Reg)
		a.points[b.Reg] |= oneObject(i)
		a.stable[b.Reg] = perDispatch
	}
	for _, in := range k.Inputs {
		a.begin(in.Reg)
		lv := level(in.Kind.Level())
		a.stable[in.Reg] = lv
		a.vec[in.Reg] = a.vec[in.Reg] || lv == never
	}
	for i, o := range k.Objects {
		n := len(k.Buffers) + i
		if o.Space == ir.Thread {
			a.threads |= oneObject(n)
		}
	}
	a.walk(k.Body, a.root, map[int32]*region{0: a.root})
	a.settle()
	a.units()
	a.compares(k.Body)
	a.units() // now that comparisons are known
	a.memory()
	a.orders()
	return a
}

// begin notes that register r has a value when the kernel starts.
func (a *analysis) begin(r ir.Reg) {
	a.defs[r]++
	a.home[r] = a.root
}

// operands calls f for each register that in reads.
func operands(in *ir.Instr, f func(r ir.Reg)) {
	info := &ir.Ops[in.Op]
	for _, o := range [...]struct {
		kind ir.Operand
		r    ir.Reg
	}{{info.A, in.A}, {info.B, in.B}, {info.C, in.C}, {info.D, in.D}} {
		if o.kind != ir.NoOperand && o.r != 0 {
			f(o.r)
		}
	}
}

func (a *analysis) touch(r ir.Reg, at *region) {
	if r != 0 {
		a.home[r] = a.home[r].meet(at)
	}
}

func (a *analysis) walk(b ir.Block, at *region, labels map[int32]*region) {
	inside := func(label int32, loop bool) *region {
		return &region{parent: at, depth: at.depth + 1, label: label, loop: loop}
	}
	for _, n := range b {
		switch n := n.(type) {
		case *ir.Instr:
			a.instrs = append(a.instrs, place{n, at})
			operands(n, func(r ir.Reg) {
				a.touch(r, at)
				a.uses[r]++
			})
			for _, d := range [...]ir.Reg{n.Dst, n.Dst2} {
				if d != 0 {
					a.touch(d, at)
					a.defs[d]++
					a.only[d] = n
				}
			}
			a.simdBar = a.simdBar || n.Op == ir.SimdBarrier
			a.fences = a.fences || n.Op == ir.Fence && n.Imm&ir.MemFlags != 0
		case *ir.If:
			a.touch(n.Cond, at)
			a.uses[n.Cond]++
			arms := [2]*region{inside(-1, false), inside(-1, false)}
			a.arms[n] = arms
			a.branches = append(a.branches, branch{n, at, arms[0], arms[1]})
			a.walk(n.Then, arms[0], labels)
			a.walk(n.Else, arms[1], labels)
		case *ir.Loop:
			r := inside(n.Label, true)
			a.bodies[n], labels[n.Label] = r, r
			a.walk(n.Body, r, labels)
		case *ir.Scope:
			r := inside(n.Label, false)
			a.bodies[n], labels[n.Label] = r, r
			a.walk(n.Body, r, labels)
		case *ir.Leave:
			to := labels[n.Label]
			a.leaves = append(a.leaves, leaving{at, to})
			for r := at; r != to; r = r.parent {
				r.escapes = true
			}
		}
	}
}

// maxPasses bounds the passes over the kernel in which settle finds what differs between lanes. Where they do not
// suffice, every value is taken to differ.
const maxPasses = 100

// settle finds which registers differ between lanes, and which regions do not run in all of them: the least fixed point.
func (a *analysis) settle() {
	a.levels()
	for range maxPasses {
		if !a.pass() {
			return
		}
	}
	for r := range a.vec {
		a.vec[r] = a.defs[r] > 0 && a.stable[r] == never
		a.points[r] = anyObject
	}
	for _, b := range a.branches {
		b.then.divergent, b.rest.divergent = true, true
	}
	for _, l := range a.leaves {
		l.to.divergent = true
	}
}

// pass goes over the kernel once and reports whether it found anything new.
func (a *analysis) pass() bool {
	changed := false
	mark := func(b *bool) {
		if !*b {
			*b, changed = true, true
		}
	}
	for _, b := range a.branches {
		if a.vec[b.n.Cond] {
			mark(&b.then.divergent)
			mark(&b.rest.divergent)
		}
	}
	for _, l := range a.leaves {
		for r := l.at; r != l.to; r = r.parent {
			if r.divergent {
				mark(&l.to.divergent)
				break
			}
		}
	}
	for _, p := range a.instrs {
		in := p.in
		if in.Dst != 0 {
			if a.k.Regs[in.Dst] == ir.Ptr {
				if s := a.points[in.Dst] | a.pointsTo(in); s != a.points[in.Dst] {
					a.points[in.Dst], changed = s, true
				}
			}
			if !a.vec[in.Dst] && a.stable[in.Dst] == never && (a.differs(in) || !a.free(in.Dst, p.at)) {
				mark(&a.vec[in.Dst])
			}
		}
		if in.Dst2 != 0 {
			mark(&a.vec[in.Dst2])
		}
	}
	return changed
}

// free reports whether what is written to r in region at may be seen only by lanes that are active there.
func (a *analysis) free(r ir.Reg, at *region) bool {
	for ; at != a.home[r]; at = at.parent {
		if at.divergent {
			return false
		}
	}
	return true
}

// differs reports whether in's result differs between lanes by what it computes.
func (a *analysis) differs(in *ir.Instr) bool {
	switch e := ir.Ops[in.Op].Effect; {
	case e == ir.Lanes || e == ir.Writes || in.Op == ir.AtomicLoad:
		return true
	case e == ir.Reads && a.points[in.A]&(a.threads|anyObject) != 0 && a.threads != 0:
		return true
	}
	some := false
	operands(in, func(r ir.Reg) { some = some || a.vec[r] })
	return some
}

func (a *analysis) pointsTo(in *ir.Instr) objects {
	switch in.Op {
	case ir.Const:
		return oneObject(ir.Pointer(in.Imm).Object())
	case ir.ObjAddr:
		return oneObject(int(min(in.Imm, 1<<20)))
	case ir.Mov, ir.PtrAdd:
		return a.points[in.A]
	case ir.Select:
		return a.points[in.B] | a.points[in.C]
	case ir.Undef:
		return 0
	}
	return anyObject
}

// levels finds the registers that are written once, by what does not change: their value is one for all lanes
// wherever it is computed. The writer of such a register stands before its readers in the text.
func (a *analysis) levels() {
	for r := range a.stable {
		if a.defs[r] != 1 {
			a.stable[r] = never
		}
	}
	for _, p := range a.instrs {
		in := p.in
		if in.Dst == 0 || in.Dst2 != 0 || a.defs[in.Dst] != 1 || ir.Ops[in.Op].Effect != ir.Pure || in.Op == ir.Undef {
			continue
		}
		lv := perDispatch
		operands(in, func(r ir.Reg) { lv = min(lv, a.stable[r]) })
		a.stable[in.Dst] = lv
	}
}

// memory finds what is written, how finely, and whether the order of threadgroups matters.
func (a *analysis) memory() {
	device := objects(0)
	for i, b := range a.k.Buffers {
		if b.Space == ir.Device {
			device |= oneObject(i)
		}
	}
	for _, p := range a.instrs {
		in := p.in
		if isAtomic(in.Op) && a.fences {
			a.messages, a.ordered = true, true
		}
		e := ir.Ops[in.Op].Effect
		if e != ir.Reads && e != ir.Writes {
			continue
		}
		to := a.points[in.A]
		size := in.Type.Size()
		if in.Align != 0 {
			size = min(size, int(in.Align))
		}
		for i := range a.grain {
			if to.has(i) && (a.grain[i] == 0 || size < a.grain[i]) {
				a.grain[i] = size
			}
		}
		if e == ir.Writes {
			a.written |= to
		}
		if isAtomic(in.Op) {
			a.atomic |= to
		}
		if isAtomic(in.Op) && to&(device|anyObject) != 0 && (!commutes(in) || size < in.Type.Size()) {
			a.ordered = true
		}
	}
}

// isAtomic reports whether op is an atomic operation.
func isAtomic(op ir.Op) bool { return op >= ir.AtomicLoad && op <= ir.AtomicCAS }

// commutes reports whether an atomic's effect is the same in any order, and none sees the order.
func commutes(in *ir.Instr) bool {
	return in.Op >= ir.AtomicAdd && in.Op <= ir.AtomicXor && in.Dst == 0 && in.Type.IsInteger()
}
