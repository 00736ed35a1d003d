package lint

import (
	"gamma/metal/msl/ir"
	"gamma/model"
)

// value is a number of a value: equal numbers are equal values in one execution of the place. 0 is no value.
type value = int

// expression is what a value is computed by: a pure operation on values, or a constant. Of anything else only id is set.
type expression struct {
	op         ir.Op
	typ, from  ir.Type
	a, b, c, d value
	imm        uint64
	id         int
}

// access is a load or store of a device buffer.
type access struct {
	in      *ir.Instr
	order   int
	address [2]value
}

// held is what a register held.
type held struct {
	reg   ir.Reg
	value value
}

// flow walks a kernel in the order of its text and numbers the values that registers hold.
type flow struct {
	k       *ir.Kernel
	visit   func(in *ir.Instr, dst value)
	held    []value // by register
	exprs   []expression
	by      []*ir.Instr // the first instruction that gives a value
	varies  []bool      // it depends on what a loop carries
	numbers map[expression]value

	undo []held
	ifs  int // around the instruction at hand

	order    int
	loops    [][2]int // from the order of its first instruction to that of its last
	accesses []access
	barriers []access
}

func newFlow(k *ir.Kernel) *flow {
	f := &flow{
		k: k, held: make([]value, len(k.Regs)), exprs: make([]expression, 1), by: make([]*ir.Instr, 1), varies: make([]bool, 1),
		numbers: map[expression]value{},
	}
	for r := range f.held {
		if r > 0 {
			f.held[r] = f.fresh(nil, false)
		}
	}
	return f
}

// at returns the place of an instruction.
func (f *flow) at(in *ir.Instr) model.Position { return f.k.Places[in.Pos] }

// fresh returns the number of a value of which nothing is known.
func (f *flow) fresh(in *ir.Instr, varies bool) value {
	f.exprs = append(f.exprs, expression{id: len(f.exprs)})
	f.by = append(f.by, in)
	f.varies = append(f.varies, varies)
	return len(f.exprs) - 1
}

// number returns the number of what in computes.
func (f *flow) number(in *ir.Instr) value {
	switch {
	case in.Op == ir.Mov:
		return f.held[in.A]
	case ir.Ops[in.Op].Effect != ir.Pure || in.Op == ir.Undef:
		return f.fresh(in, f.varies[f.held[in.A]] || f.varies[f.held[in.B]])
	}
	e := expression{op: in.Op, typ: in.Type, from: in.From, a: f.held[in.A], b: f.held[in.B], c: f.held[in.C], d: f.held[in.D], imm: in.Imm}
	if in.Op == ir.PtrAdd {
		e.imm ^= uint64(in.Scale) << 32
	}
	v, ok := f.numbers[e]
	if !ok {
		v = len(f.exprs)
		f.exprs = append(f.exprs, e)
		f.by = append(f.by, in)
		f.varies = append(f.varies, f.varies[e.a] || f.varies[e.b] || f.varies[e.c] || f.varies[e.d])
		f.numbers[e] = v
	}
	return v
}

func (f *flow) run() { f.block(f.k.Body) }

func (f *flow) block(b ir.Block) {
	for _, n := range b {
		switch n := n.(type) {
		case *ir.Instr:
			f.instr(n)
		case *ir.If:
			f.ifs++
			mark := len(f.undo)
			f.block(n.Then)
			for i := len(f.undo) - 1; i >= mark; i-- {
				f.held[f.undo[i].reg] = f.undo[i].value
			}
			f.undo = f.undo[:mark]
			f.block(n.Else)
			f.ifs--
			f.forget(n.Then, false)
			f.forget(n.Else, false)
		case *ir.Loop:
			f.forget(n.Body, true)
			start := f.order
			f.block(n.Body)
			f.loops = append(f.loops, [2]int{start, f.order})
			f.forget(n.Body, true)
		case *ir.Scope:
			f.block(n.Body)
			left := false
			n.Body.Walk(func(x ir.Node) {
				leave, ok := x.(*ir.Leave)
				left = left || ok && leave.Label == n.Label
			})
			if left {
				f.forget(n.Body, false)
			}
		}
	}
}

// forget gives the registers that b writes values of which nothing is known.
func (f *flow) forget(b ir.Block, varies bool) {
	b.Each(func(in *ir.Instr) {
		for _, r := range []ir.Reg{in.Dst, in.Dst2} {
			if r != 0 {
				f.set(r, f.fresh(nil, varies))
			}
		}
	})
}

func (f *flow) instr(in *ir.Instr) {
	f.order++
	v := value(0)
	if in.Dst != 0 {
		v = f.number(in)
	}
	switch in.Op {
	case ir.Barrier:
		f.barriers = append(f.barriers, access{in: in, order: f.order})
	case ir.Load, ir.Store:
		f.accesses = append(f.accesses, access{in: in, order: f.order, address: [2]value{f.held[in.A], f.held[in.B]}})
	}
	f.visit(in, v)
	if in.Dst != 0 {
		f.set(in.Dst, v)
	}
	if in.Dst2 != 0 {
		f.set(in.Dst2, f.fresh(in, true))
	}
}

// set gives a register a value, and notes what it held where a branch may have to take that back.
func (f *flow) set(r ir.Reg, v value) {
	if f.ifs > 0 {
		f.undo = append(f.undo, held{r, f.held[r]})
	}
	f.held[r] = v
}

// follows reports whether b can be executed after a: it stands after it, or a loop is around both.
func (f *flow) follows(a, b int) bool {
	if b > a {
		return true
	}
	for _, l := range f.loops {
		if l[0] < a && a <= l[1] && l[0] < b && b <= l[1] {
			return true
		}
	}
	return false
}
