package ir

import (
	"math/bits"
	"slices"
)

// Undefined says where a kernel may use a value that there is none of, so that checks keep flags there and nowhere else.
//
// A register gets no value by Undef, or by a load of bytes that were never written. Copies pass that on, a store passes it on to the bytes,
// and any other use is a fault of the kernel: see Info.Poison. What a shuffle takes from an inactive lane is a value, but an undefined one:
// whatever only computes passes that on to its result, SIMD operations among it, and a use is a store that the host may see, a branch, an
// address, an atomic operation, or the number of a lane.
//
// So an engine that checks keeps a flag beside each register of May: the marks of the value's bytes, those of bytes that it has not being
// Written. It sets the flag wherever such a register is written, and looks at it in front of the nodes in Uses.
type Undefined struct {
	// May says of each register whether it may hold no value, or an undefined one.
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

	foreign  []bool          // registers of May that may hold an undefined value from an inactive lane
	unset    []bool          // those that may hold none
	shuffles []*Instr        // in the order of their marks
	again    map[*Instr]bool // loads that may give an undefined value that the kernel stored
}

// Marks of bytes: of one that has no value, of one that has, and the first of those that say which shuffle took it from an inactive lane.
const (
	Unwritten = 0
	Written   = 1
	taken     = 2
)

// AllWritten is the flag of a value all of whose bytes have one.
const AllWritten uint64 = 0x0101010101010101

// Mark returns the mark of what a shuffle takes from an inactive lane. Kernels with very many shuffles have some of one mark.
func (u *Undefined) Mark(shuffle *Instr) byte {
	return byte(min(taken+slices.Index(u.shuffles, shuffle), 0xff))
}

// Taken returns the shuffle that took a value with this flag from an inactive lane, nil if none did.
func (u *Undefined) Taken(flag uint64) *Instr {
	if m := TakenMark(flag); m != 0 {
		return u.shuffles[m-taken]
	}
	return nil
}

// TakenMark returns the mark of a byte that comes from an inactive lane among those in flag, 0 if there is none.
func TakenMark(flag uint64) byte {
	if f := flag &^ AllWritten; f != 0 {
		return byte(flag >> (bits.TrailingZeros64(f) &^ 7))
	}
	return 0
}

// Filled returns flag with all bytes that have no value marked as if they had one.
func Filled(flag uint64) uint64 { return flag | lacking(flag)>>7 }

// Lacks reports whether a byte with a mark in flag has no value.
func Lacks(flag uint64) bool { return lacking(flag) != 0 }

// lacking returns the highest bit of each byte of flag that is 0.
func lacking(flag uint64) uint64 {
	const low = AllWritten * 0x7f
	return ^((flag&low + low) | flag | low)
}

// Spread returns the flag of what is computed from values with these flags.
func Spread(flags ...uint64) uint64 {
	for _, f := range flags {
		if m := TakenMark(f); m != 0 {
			return AllWritten * uint64(m)
		}
	}
	return AllWritten
}

// Sources returns the registers whose flags make that of in's result, besides what in is: those that a copy passes on, or those with an
// undefined value that in computes with. A Select does both.
func (u *Undefined) Sources(in *Instr) (list []Reg) {
	if in.Dst == 0 {
		return nil
	}
	passed := in.Passed()
	for i, r := range [...]Reg{in.A, in.B, in.C, in.D} {
		if r != 0 && (slices.Contains(passed[:], r) && u.May[r] || in.computes(i) && u.foreign[r]) && !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// Flagged reports whether the result of a load has a flag, which follows from the marks of what it loads.
func (u *Undefined) Flagged(load *Instr) bool { return u.Loads[load] || u.again[load] }

// Foreign reports whether r may hold an undefined value from an inactive lane.
func (u *Undefined) Foreign(r Reg) bool { return u.foreign[r] }

// Strict reports whether n does more with r than to compute a result.
func Strict(n Node, r Reg) bool {
	in, ok := n.(*Instr)
	for i := 0; ok && i < 4; i++ {
		if *in.operands()[i] == r && in.computes(i) {
			return false
		}
	}
	return true
}

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

// FindUndefined returns what is undefined in k, nil if every register holds a value wherever it is read.
//
// Domain: k passes Verify.
// Cost:   a few passes over the instructions, with a copy of the set of registers that hold a value at each branch.
func FindUndefined(k *Kernel) *Undefined {
	n := len(k.Regs)
	d := &definedness{
		u: &Undefined{
			May: make([]bool, n), foreign: make([]bool, n), unset: make([]bool, n),
			again: map[*Instr]bool{}, Uses: map[Node][]Reg{}, Loads: map[*Instr]bool{}, Stores: map[*Instr]bool{},
		},
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
	if len(d.u.Uses)+len(d.u.Loads)+len(d.u.Stores)+len(d.u.shuffles) == 0 {
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

// uses calls f for the registers that in uses, and says whether it only computes with them. What it stores to device memory the host may see.
func (d *definedness) uses(in *Instr, f func(r Reg, computes bool)) {
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
			f(r, in.computes(i))
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
		d.uses(in, func(r Reg, _ bool) { used = used || slices.Contains(same, r) })
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

// spread finds the registers that may hold no value or an undefined one, and reports whether there are any.
func (d *definedness) spread() bool {
	u := d.u
	d.k.Body.Each(func(in *Instr) {
		if in.takes() {
			u.shuffles = append(u.shuffles, in)
			u.foreign[in.Dst] = true
		}
	})
	if len(u.shuffles) > 0 {
		d.close(u.foreign, (*Instr).computed)
		d.remember()
	}
	d.k.Body.Each(func(in *Instr) {
		if Ops[in.Op].Poison == PoisonGiven || u.Loads[in] {
			u.unset[in.Dst] = true
		}
	})
	d.close(u.unset, func(in *Instr) []Reg { p := in.Passed(); return p[:] })
	for r := range u.May {
		u.May[r] = r != 0 && (u.foreign[r] || u.unset[r])
	}
	return slices.Contains(u.May, true)
}

// remember looks for stores of undefined values to memory that the kernel may read again. If there are any, every load from such memory may
// give one.
func (d *definedness) remember() {
	again := false
	d.k.Body.Each(func(in *Instr) {
		again = again || Ops[in.Op].Poison == PoisonStored && d.u.foreign[in.C] && !d.device[in.A]
	})
	if !again {
		return
	}
	d.k.Body.Each(func(in *Instr) {
		if Ops[in.Op].Poison == PoisonLoaded && d.outside[in.A] && !d.device[in.A] {
			d.u.again[in], d.u.foreign[in.Dst] = true, true
		}
	})
	d.close(d.u.foreign, (*Instr).computed)
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

// gives reports whether in gives a register that may hold no value or an undefined one, whatever its operands hold.
func (d *definedness) gives(in *Instr) bool {
	return Ops[in.Op].Poison == PoisonGiven || d.u.Flagged(in) || in.takes()
}

// takes reports whether in takes a value from another lane, which may be inactive.
func (in *Instr) takes() bool {
	m := Ops[in.Op].Shuffle.Move
	return m != NoMove && m != MoveFirst && in.Dst != 0
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
			d.look(n, n.Cond, d.u.May, set)
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

// look notes that n uses r, if that is one of those that it must not use.
func (d *definedness) look(n Node, r Reg, not []bool, set *regSet) {
	if not[r] && !set.has(r) && !slices.Contains(d.u.Uses[n], r) {
		d.u.Uses[n] = append(d.u.Uses[n], r)
	}
}

func (d *definedness) instr(in *Instr, set *regSet) {
	if set.dead {
		return
	}
	d.uses(in, func(r Reg, computes bool) {
		if computes {
			d.look(in, r, d.u.unset, set)
		} else {
			d.look(in, r, d.u.May, set)
		}
	})
	if Ops[in.Op].Poison == PoisonStored && !d.holds(set, in.C) && !d.device[in.A] {
		d.u.Stores[in] = true
	}
	defined := !d.gives(in)
	for _, r := range d.u.Sources(in) {
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
