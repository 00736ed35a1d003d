package ir

import (
	"math/bits"
	"slices"
)

// Undefined says where a kernel may use an undefined value, so that checks keep flags there and nowhere else.
//
// A register gets an undefined value by Undef, by a load of bytes that were never written, and by a shuffle that takes it from an inactive lane.
// Copies pass that on, as a store does to the bytes, and so does whatever only computes, SIMD operations among it: its result is undefined if an
// operand that counts is. A use, which is a fault of the kernel, is a store that the host may see, a branch, an address, an atomic operation, or
// the number of a lane.
//
// So an engine that checks keeps a flag beside each register of May: the marks of the value's bytes, which say from which of its origins an
// undefined one comes. It sets the flag wherever such a register is written, and looks at it in front of the nodes in Uses.
type Undefined struct {
	// May says of each register whether it may hold an undefined value.
	May []bool
	// Given lists the registers of May that hold a defined value when the kernel starts.
	Given []Reg
	// Uses lists, for an instruction or an If, the registers that it uses and that may be undefined there.
	Uses map[Node][]Reg
	// Stores holds the stores whose operand C may be undefined, at addresses that may be the host's or not. Where the host may see the bytes,
	// that is a use after all.
	Stores map[*Instr]bool

	origins []*Instr // in the order of their marks: what gives an undefined value, whatever its operands are
	marks   map[*Instr]byte
}

// Marks of bytes: of one that was never written, of one that has a value, the first of those that say which origin an undefined value has, and the
// one that all origins share for which there are none left. No flag has the first: a load gives its own mark to such bytes.
const (
	Unwritten = 0
	Written   = 1
	undefined = 2
	shared    = 0xff
)

// AllWritten is the flag of a value all of whose bytes are defined.
const AllWritten uint64 = 0x0101010101010101

// Mark returns the mark of the undefined values that in, an origin, gives.
func (u *Undefined) Mark(in *Instr) byte { return u.marks[in] }

// Origin returns where the undefined value with this flag comes from: an Undef, a load or a shuffle; nil if the value is defined. Where only says that
// the origin is like that one, others share its mark.
func (u *Undefined) Origin(flag uint64) (in *Instr, only bool) {
	m := UndefinedMark(flag)
	if m == 0 {
		return nil, false
	}
	return u.origins[m-undefined], m == shared && len(u.origins) > shared-undefined+1
}

// UndefinedMark returns the first mark of an undefined byte among those in flag, 0 if there is none.
func UndefinedMark(flag uint64) byte {
	if f := flag &^ AllWritten; f != 0 {
		return byte(flag >> (bits.TrailingZeros64(f) &^ 7))
	}
	return 0
}

// Spread returns the flag of what is computed from values with these flags.
func Spread(flags ...uint64) uint64 {
	for _, f := range flags {
		if m := UndefinedMark(f); m != 0 {
			return AllWritten * uint64(m)
		}
	}
	return AllWritten
}

// Sources returns the registers whose flags make that of in's result, besides what in is: those that a copy passes on, and those that in computes
// with.
func (u *Undefined) Sources(in *Instr) (list []Reg) {
	if in.Dst == 0 {
		return nil
	}
	for _, r := range in.computed() {
		if r != 0 && u.May[r] && !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// Flagged reports whether in is a load whose result has a flag, which follows from the marks of what it loads.
func (u *Undefined) Flagged(in *Instr) bool { return in.Op == Load && u.marks[in] != 0 }

// computes reports whether in computes its result with operand i, and does nothing else with it.
func (in *Instr) computes(i int) bool {
	info := &Ops[in.Op]
	switch {
	case info.Effect == Lanes:
		return i == 0 || i == 2
	case info.Effect != Pure:
		return false
	}
	return info.Poison == PoisonUsed || info.Poison == PoisonChosen && i == 0
}

// FindUndefined returns what may be undefined in k, nil if no register may be where it is used. If not memory, loads are taken to give defined values:
// then flags are few, and cheap, and an engine has to stop at a load of bytes of which one is not defined, and to begin again with what
// FindUndefined says of memory.
//
// Domain: k passes Verify.
// Cost:   a few passes over the instructions, with a copy of the set of registers that hold a value at each branch.
func FindUndefined(k *Kernel, memory bool) *Undefined {
	n := len(k.Regs)
	d := &definedness{
		u: &Undefined{May: make([]bool, n), Uses: map[Node][]Reg{}, Stores: map[*Instr]bool{}, marks: map[*Instr]byte{}},
		k: k, outside: outside(k), device: make([]bool, n), heads: map[*Loop]*regSet{},
	}
	defs := definitions(k)
	for _, b := range k.Buffers {
		d.device[b.Reg] = b.Space == Device && defs[b.Reg] == 1
	}
	if d.spread(memory); len(d.u.origins) == 0 {
		return nil
	}
	start := newRegSet(n)
	note := func(r Reg) {
		if d.u.May[r] && !start.has(r) {
			d.u.Given = append(d.u.Given, r)
			start.add(r)
		}
	}
	for _, b := range k.Buffers {
		note(b.Reg)
	}
	for _, in := range k.Inputs {
		note(in.Reg)
	}
	// Each pass takes registers from the sets at the heads of loops, so it ends. Where that takes long, nothing is known there.
	for pass := 0; ; pass++ {
		d.changed, d.lost = false, pass >= maxPasses
		set := start.clone()
		d.block(k.Body, &set, map[int32]*regSet{})
		if !d.changed {
			break
		}
	}
	if len(d.u.Uses)+len(d.u.Stores) == 0 && !d.forgives {
		return nil
	}
	return d.u
}

// Passed returns the registers that in copies to its result, with or without a value; 0 for none.
func (in *Instr) Passed() [2]Reg {
	switch Ops[in.Op].Poison {
	case PoisonCopied:
		return [2]Reg{in.A}
	case PoisonChosen:
		return [2]Reg{in.B, in.C}
	}
	return [2]Reg{}
}

// definedness finds what is undefined.
type definedness struct {
	u       *Undefined
	k       *Kernel
	outside []bool
	device  []bool            // registers that hold the address of a device buffer from first to last
	heads   map[*Loop]*regSet // registers that hold a value at the start of every iteration
	changed bool
	lost    bool // nothing is known at the start of an iteration
	// forgives: an operation that may fault computes with what may be undefined, and its faults do not count then.
	forgives bool
}

// outside returns the registers that may point to other than the kernel's constant tables, all bytes of which have a value. The host need not
// have written a buffer in the constant address space.
func outside(k *Kernel) []bool {
	out := make([]bool, len(k.Regs))
	of := func(object int) bool {
		n := object - len(k.Buffers)
		return object >= 0 && (n < 0 || k.Objects[n].Space != Constant)
	}
	for _, b := range k.Buffers {
		out[b.Reg] = true
	}
	for changed := true; changed; {
		changed = false
		k.Body.Each(func(in *Instr) {
			if k.Regs[in.Dst] != Ptr || out[in.Dst] {
				return
			}
			to := true
			switch in.Op {
			case Const:
				to = of(Pointer(in.Imm).Object())
			case ObjAddr:
				to = of(int(in.Imm))
			case Mov, PtrAdd:
				to = out[in.A]
			case Select:
				to = out[in.B] || out[in.C]
			case Undef:
				to = false
			}
			out[in.Dst] = to
			changed = changed || to
		})
	}
	return out
}

// uses calls f for the registers that in uses, and does more with than to compute or copy. What it stores to device memory the host may see.
func (d *definedness) uses(in *Instr, f func(r Reg)) {
	passed := in.Passed()
	for i, r := range [...]Reg{in.A, in.B, in.C, in.D} {
		stored := Ops[in.Op].Poison == PoisonStored && i == 2 && !d.device[in.A]
		if r != 0 && !in.computes(i) && !stored && !slices.Contains(passed[:], r) {
			f(r)
		}
	}
}

// spread finds the origins of undefined values, and the registers that may hold one.
func (d *definedness) spread(memory bool) {
	u := d.u
	find := func(is func(in *Instr) bool) {
		d.k.Body.Each(func(in *Instr) {
			if is(in) {
				u.marks[in] = byte(min(undefined+len(u.origins), shared))
				u.origins = append(u.origins, in)
				u.May[in.Dst] = true
			}
		})
	}
	find((*Instr).takes)
	find(func(in *Instr) bool { return Ops[in.Op].Poison == PoisonGiven })
	if memory {
		find(func(in *Instr) bool { return Ops[in.Op].Poison == PoisonLoaded && d.outside[in.A] })
	}
	d.close(u.May, (*Instr).computed)
	u.May[0] = false
}

// computed returns the registers from which the result of in is computed or copied.
func (in *Instr) computed() (list []Reg) {
	passed := in.Passed()
	for i, r := range [...]Reg{in.A, in.B, in.C, in.D} {
		if in.computes(i) || slices.Contains(passed[:], r) {
			list = append(list, r)
		}
	}
	return list
}

// close adds to a set of registers the results of instructions that have one of it among what from returns.
func (d *definedness) close(set []bool, from func(in *Instr) []Reg) {
	to := map[Reg][]Reg{}
	d.k.Body.Each(func(in *Instr) {
		if in.Dst == 0 {
			return
		}
		for _, r := range from(in) {
			if r != 0 {
				to[r] = append(to[r], in.Dst)
			}
		}
	})
	var list []Reg
	for r, is := range set {
		if is {
			list = append(list, Reg(r))
		}
	}
	for len(list) > 0 {
		r := list[len(list)-1]
		list = list[:len(list)-1]
		for _, t := range to[r] {
			if !set[t] {
				set[t] = true
				list = append(list, t)
			}
		}
	}
}

// takes reports whether in takes a value from another lane, which may be inactive.
func (in *Instr) takes() bool {
	m := Ops[in.Op].Shuffle.Move
	return m != NoMove && m != MoveFirst && in.Imm != MatrixLanes && in.Dst != 0
}

// block walks b, where the registers in set hold a value, and leaves in set those that hold one after it.
func (d *definedness) block(b Block, set *regSet, exits map[int32]*regSet) {
	dead := func() *regSet {
		s := newRegSet(len(d.k.Regs))
		s.dead = true
		return &s
	}
	for _, n := range b {
		switch n := n.(type) {
		case *Instr:
			d.instr(n, set)
		case *If:
			d.look(n, n.Cond, set)
			other := set.clone()
			d.block(n.Then, set, exits)
			d.block(n.Else, &other, exits)
			set.meet(&other)
		case *Loop:
			head := d.heads[n]
			if head == nil {
				head = dead()
				d.heads[n] = head
			}
			head.meet(set)
			if d.lost && !head.dead {
				clear(head.bits)
			}
			exits[n.Label] = dead()
			body := head.clone()
			d.block(n.Body, &body, exits)
			before := head.clone()
			head.meet(&body)
			d.changed = d.changed || !slices.Equal(before.bits, head.bits)
			*set = *exits[n.Label]
		case *Scope:
			exits[n.Label] = dead()
			d.block(n.Body, set, exits)
			set.meet(exits[n.Label])
		case *Leave:
			if e := exits[n.Label]; e != nil {
				e.meet(set)
			}
			set.dead = true
		}
	}
}

// holds reports whether r holds a defined value where those in set do.
func (d *definedness) holds(set *regSet, r Reg) bool { return !d.u.May[r] || set.has(r) }

// look notes that n uses r, if that may be undefined.
func (d *definedness) look(n Node, r Reg, set *regSet) {
	if !set.dead && !d.holds(set, r) && !slices.Contains(d.u.Uses[n], r) {
		d.u.Uses[n] = append(d.u.Uses[n], r)
	}
}

func (d *definedness) instr(in *Instr, set *regSet) {
	if set.dead {
		return
	}
	d.uses(in, func(r Reg) { d.look(in, r, set) })
	if Ops[in.Op].Poison == PoisonStored && !d.holds(set, in.C) && !d.device[in.A] {
		d.u.Stores[in] = true
	}
	defined := true
	for _, r := range d.u.Sources(in) {
		defined = defined && d.holds(set, r)
	}
	fold := Ops[in.Op].Fold // of a reduction
	d.forgives = d.forgives || !defined && (MayFault(in.Op, in.Type, in.From) || MayFault(fold, in.Type, in.Type))
	defined = defined && d.u.marks[in] == 0
	for _, r := range [...]Reg{in.Dst, in.Dst2} {
		if defined {
			set.add(r)
		} else {
			set.bits[r/64] &^= 1 << (r % 64)
		}
	}
}
