package lint

import (
	"fmt"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// depends says what the value of a register depends on.
type depends uint8

const (
	grid   depends = 1 << iota // the thread's position in the grid
	group                      // the threadgroup's position
	local                      // the thread's position in its threadgroup
	memory                     // what was read
)

// Bounds of what one kernel may ask: of one that needs more, no barrier is looked at.
const (
	maxPasses = 100
	maxWork   = 10_000_000 // pairs of accesses
)

// barriers finds barriers after which a kernel reads device memory that other threadgroups wrote before it.
//
// An address that is made of no position is the same in every threadgroup; one that is made of the position in the grid alone may lie in
// another threadgroup's part, unless the thread stored to just that address itself. One with the threadgroup's position or the
// position in the threadgroup in it may stay in the threadgroup's own part, and is left alone.
func (l *linter) barriers(f *flow) {
	if len(f.barriers) == 0 {
		return
	}
	deps, root := dependence(f.k), roots(f.k)
	if deps == nil || root == nil {
		return
	}
	work := maxWork
	for _, b := range f.barriers {
		if b.in.Imm&1 == 0 {
			continue
		}
		for _, load := range f.accesses {
			from := root[load.in.A]
			if load.in.Op != ir.Load || from <= 0 || !f.follows(b.order, load.order) {
				continue
			}
			at := deps[load.in.A] | deps[load.in.B]
			own, others := false, false
			if work -= len(f.accesses); work < 0 {
				return
			}
			for _, store := range f.accesses {
				if store.in.Op != ir.Store || root[store.in.A] != from || !f.follows(store.order, b.order) {
					continue
				}
				to := deps[store.in.A] | deps[store.in.B]
				same := store.address == load.address && store.in.Imm == load.in.Imm && store.in.Scale == load.in.Scale
				own = own || same && !f.varies[load.address[0]] && !f.varies[load.address[1]]
				others = others || at == 0 && to&(grid|group) != 0 || at == grid && to&grid != 0
			}
			if others && !own {
				l.report(model.Finding{
					Kind: model.FindingBarrierScope, Kernel: f.k.Name, Pos: f.at(b.in), Other: f.at(load.in),
					Text: fmt.Sprintf("threads of one threadgroup alone wait at this barrier, and line %d then reads of %s what other threadgroups write",
						f.at(load.in).Line, f.k.Buffers[from-1].Name),
					Fix: "end the kernel here and read in a second dispatch",
				})
				break
			}
		}
	}
}

// roots returns for each pointer the number of the device buffer into which it points, from 1; 0 for others, and -1 if there are two. Nil:
// it takes too long to tell.
func roots(k *ir.Kernel) []int {
	root := make([]int, len(k.Regs))
	for i, b := range k.Buffers {
		if b.Space == ir.Device {
			root[b.Reg] = i + 1
		}
	}
	if !fix(k, func(in *ir.Instr) bool {
		if in.Dst == 0 || k.Regs[in.Dst] != ir.Ptr {
			return false
		}
		to := root[in.Dst]
		for _, r := range []ir.Reg{in.A, in.B, in.C} {
			switch from := root[r]; {
			case k.Regs[r] != ir.Ptr || from == 0 || from == to:
			case to == 0:
				to = from
			default:
				to = -1
			}
		}
		changed := to != root[in.Dst]
		root[in.Dst] = to
		return changed
	}) {
		return nil
	}
	return root
}

// dependence returns what each register depends on, whatever the path; nil: it takes too long to tell.
func dependence(k *ir.Kernel) []depends {
	d := make([]depends, len(k.Regs))
	for _, in := range k.Inputs {
		switch in.Kind {
		case ir.ThreadPositionInGrid:
			d[in.Reg] = grid
		case ir.ThreadgroupPositionInGrid:
			d[in.Reg] = group
		default:
			if in.Kind.Level() == ir.PerThread {
				d[in.Reg] = local
			}
		}
	}
	if !fix(k, func(in *ir.Instr) bool {
		if in.Dst == 0 {
			return false
		}
		to := d[in.Dst] | d[in.A] | d[in.B] | d[in.C] | d[in.D]
		if ir.Ops[in.Op].Effect != ir.Pure && !readsConstant(k, in) {
			to |= memory
		}
		changed := to != d[in.Dst]
		d[in.Dst] = to
		return changed
	}) {
		return nil
	}
	return d
}

// readsConstant reports whether in loads from a buffer that the host fills, at its own address.
func readsConstant(k *ir.Kernel, in *ir.Instr) bool {
	for _, b := range k.Buffers {
		if in.Op == ir.Load && b.Reg == in.A && b.Space == ir.Constant {
			return true
		}
	}
	return false
}

// fix calls f for every instruction, again and again until it changes nothing; it reports false if that takes too long.
func fix(k *ir.Kernel, f func(*ir.Instr) bool) bool {
	for range maxPasses {
		changed := false
		k.Body.Each(func(in *ir.Instr) { changed = f(in) || changed })
		if !changed {
			return true
		}
	}
	return false
}
