package fast

import "gamma/metal/msl/ir"

// orders finds the stores whose bits, or whose place, or which themselves may be others in another order of threads though nothing races: those that depend on the
// results of atomics. It follows registers and thread memory. Memory that threads share it does not follow: what one thread hands to others
// there, behind a barrier, they all see alike.
func (a *analysis) orders() {
	if a.atomic == 0 {
		return
	}
	a.unsettled = map[*ir.Instr]bool{}
	regs, regions, private := make([]bool, len(a.k.Regs)), map[*region]bool{}, false
	changed := true
	mark := func(r ir.Reg) {
		if r != 0 && !regs[r] {
			regs[r], changed = true, true
		}
	}
	within := func(at, end *region) bool {
		for ; at != end; at = at.parent {
			if regions[at] {
				return true
			}
		}
		return false
	}
	enter := func(r *region) {
		if !regions[r] {
			regions[r], changed = true, true
		}
	}
	for changed {
		changed = false
		for _, b := range a.branches {
			if regs[b.n.Cond] {
				enter(b.then)
				enter(b.rest)
			}
		}
		for _, l := range a.leaves {
			if within(l.at, l.to) {
				enter(l.to)
			}
		}
		for _, p := range a.instrs {
			in := p.in
			some := within(p.at, nil) || isAtomic(in.Op)
			operands(in, func(r ir.Reg) { some = some || regs[r] })
			own := a.threads != 0 && a.points[in.A]&(a.threads|anyObject) != 0
			switch {
			case in.Op == ir.Store && some:
				a.unsettled[in] = true
				changed = changed || own && !private
				private = private || own
			case some || in.Op == ir.Load && own && private:
				mark(in.Dst)
				mark(in.Dst2)
			}
		}
	}
}
