package fast

import "gamma/metal/msl/ir"

// orders finds the stores whose bits or place may be others, or that may not be made, in another order of threads though nothing races: those that
// depend on the results of atomics. It follows registers and thread memory. It does not follow what one thread hands to others, through memory that they share or
// as one value of all lanes: they see it alike, whatever it is. So threads that take a number by an atomic and then all store what belongs to
// it are not reported; nor are two groups of threads whose numbers lead to the same bits in this order, and to others in another.
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
			operands(in, func(r ir.Reg) { some = some || regs[r] && !oneValue(in.Op) })
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

// oneValue reports whether an operation gives all active lanes of a simdgroup the same.
func oneValue(op ir.Op) bool {
	switch info := &ir.Ops[op]; op {
	case ir.SimdBroadcast, ir.SimdBroadcastLow, ir.SimdBallot, ir.SimdAll, ir.SimdAny:
		return true
	default:
		return info.Effect == ir.Lanes && info.Fold != 0 && info.Scan == ir.AllLanes
	}
}
