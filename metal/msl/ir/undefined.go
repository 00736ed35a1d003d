package ir

import "slices"

// Undefined says where a kernel may use a value that there is none of, so that checks keep flags there and nowhere else.
//
// A register gets no value by Undef, or by a load of bytes that were never written. Copies pass that on, a store passes it on to the bytes,
// and any other use is a fault of the kernel: see Info.Poison. So an engine that checks keeps a flag beside each register of May, which
// says of each byte whether it has a value, sets it wherever such a register is written, and looks at it in front of the nodes in Uses.
type Undefined struct {
	// May says of each register whether it may hold no value.
	May []bool
	// Given lists the registers of May that hold a value when the kernel starts.
	Given []Reg
	// Uses lists, for an instruction or an If, the registers that it uses and that may hold no value there.
	Uses map[Node][]Reg
	// Loads holds the loads whose value may go unused: the flag of what they give says which bytes were written. Any other load has to
	// find all its bytes written.
	Loads map[*Instr]bool
	// Stores holds the stores whose operand C may hold no value. Where the host may see the bytes, that is a use after all.
	Stores map[*Instr]bool
}

// FindUndefined returns what is undefined in k, nil if every register holds a value wherever it is read.
//
// Domain: k passes Verify.
// Cost:   a few passes over the instructions, with a copy of the set of registers that hold a value at each branch.
func FindUndefined(k *Kernel) *Undefined {
	n := len(k.Regs)
	d := &definedness{
		u: &Undefined{May: make([]bool, n), Uses: map[Node][]Reg{}, Loads: map[*Instr]bool{}, Stores: map[*Instr]bool{}},
		k: k, outside: outside(k), device: make([]bool, n), heads: map[*Loop]*regSet{},
	}
	defs := definitions(k)
	for _, b := range k.Buffers {
		d.device[b.Reg] = b.Space == Device && defs[b.Reg] == 1
	}
	d.loads(k.Body)
	if !d.spread() {
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
	if len(d.u.Uses)+len(d.u.Loads)+len(d.u.Stores) == 0 {
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

// uses calls f for the registers that in uses. What it stores to device memory the host may see.
func (d *definedness) uses(in *Instr, f func(r Reg)) {
	var passed [4]bool
	switch Ops[in.Op].Poison {
	case PoisonCopied:
		passed[0] = true
	case PoisonChosen:
		passed[1], passed[2] = true, true
	case PoisonStored:
		passed[2] = !d.device[in.A]
	}
	for i, r := range [...]Reg{in.A, in.B, in.C, in.D} {
		if r != 0 && !passed[i] {
			f(r)
		}
	}
}

// loads finds the loads in b whose value may go unused, among those that may read what was never written.
func (d *definedness) loads(b Block) {
	for i, n := range b {
		if in, ok := n.(*Instr); ok && Ops[in.Op].Poison == PoisonLoaded && d.outside[in.A] && !d.certain(in.Dst, b[i+1:]) {
			d.u.Loads[in] = true
		}
		for _, inner := range Inside(n) {
			d.loads(*inner)
		}
	}
}

// farthest is how many nodes after a load are looked at for a use of its value.
const farthest = 40

// certain reports whether the value of r, or a copy of it, is surely used in b.
func (d *definedness) certain(r Reg, b Block) bool {
	same := []Reg{r}
	for _, n := range b[:min(len(b), farthest)] {
		in, ok := n.(*Instr)
		if !ok {
			n, is := n.(*If)
			return is && slices.Contains(same, n.Cond)
		}
		used := false
		d.uses(in, func(r Reg) { used = used || slices.Contains(same, r) })
		if used {
			return true
		}
		moved := Ops[in.Op].Poison == PoisonCopied && slices.Contains(same, in.A)
		same = slices.DeleteFunc(same, func(r Reg) bool { return r == in.Dst || r == in.Dst2 })
		if moved {
			same = append(same, in.Dst)
		} else if len(same) == 0 {
			return false
		}
	}
	return false
}

// spread finds the registers that may hold no value, and reports whether there are any.
func (d *definedness) spread() bool {
	copies := map[Reg][]Reg{}
	var list []Reg
	add := func(r Reg) {
		if r != 0 && !d.u.May[r] {
			d.u.May[r] = true
			list = append(list, r)
		}
	}
	d.k.Body.Each(func(in *Instr) {
		if d.gives(in) {
			add(in.Dst)
		}
		for _, r := range in.Passed() {
			if r != 0 {
				copies[r] = append(copies[r], in.Dst)
			}
		}
	})
	some := len(list) > 0
	for len(list) > 0 {
		r := list[len(list)-1]
		list = list[:len(list)-1]
		for _, to := range copies[r] {
			add(to)
		}
	}
	return some
}

// gives reports whether in gives a register that may hold no value, whatever its operands hold.
func (d *definedness) gives(in *Instr) bool {
	return Ops[in.Op].Poison == PoisonGiven || d.u.Loads[in]
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

// holds reports whether r holds a value where those in set do.
func (d *definedness) holds(set *regSet, r Reg) bool { return !d.u.May[r] || set.has(r) }

// look notes that n uses r.
func (d *definedness) look(n Node, r Reg, set *regSet) {
	if !d.holds(set, r) && !slices.Contains(d.u.Uses[n], r) {
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
	defined := !d.gives(in)
	for _, r := range in.Passed() {
		defined = defined && d.holds(set, r)
	}
	for _, r := range [...]Reg{in.Dst, in.Dst2} {
		if defined {
			set.add(r)
		} else {
			set.bits[r/64] &^= 1 << (r % 64)
		}
	}
}
