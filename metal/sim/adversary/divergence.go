package adversary

import (
	"math"
)

// lanes is a run of the active mask: the threads from lo to hi, without hi.
type lanes struct{ lo, hi int }

// suspended is the threads that wait before pc, after a branch, for those at earlier instructions.
type suspended struct {
	pc    int32
	count int
	who   []lanes
}

// sameIterations reports whether all threads have gone round the loops around instruction pc equally often. As the threads at the
// earliest instruction run first, it is true whenever all of them come to a barrier; the barrier relies on it.
func (t *lockstep) sameIterations(pc int32) bool {
	for _, s := range t.m.p.paths[t.m.p.flat[t.asm.from[pc]].path] {
		if s.arm >= 0 {
			continue
		}
		at := t.asm.place[s.counter]
		if t.kinds[at] >= uniform {
			continue
		}
		row := t.row(at, lanes{0, t.n})
		for _, v := range row {
			if v != row[0] {
				return false
			}
		}
	}
	return true
}

// branch runs a jump that is taken unless f holds (or, if f is nil, register a), and returns the next instruction. Where the threads
// diverge, those with the later instruction wait.
func (t *lockstep) branch(x *inst, f func(d, a, b []uint64), pc int32) int32 {
	v, first := t.truth, lanes{0, 1}
	switch {
	case f == nil && t.kinds[x.a] >= uniform:
		if t.row(x.a, first)[0] != 0 {
			return pc + 1
		}
		return x.target
	case f == nil:
		v = t.row(x.a, lanes{0, t.n})
	case t.kinds[x.a] >= uniform && t.kinds[x.b] >= uniform:
		if f(v[:1], t.row(x.a, first), t.row(x.b, first)); v[0] != 0 {
			return pc + 1
		}
		return x.target
	default:
		if lo, hi, ok := t.takenRange(x); ok {
			yes, no, count := t.partitionRange(lo, hi)
			return t.diverge(x, pc, yes, no, count)
		}
		t.replicate(x.a)
		t.replicate(x.b)
		for _, s := range t.active {
			f(v[s.lo:s.hi], t.row(x.a, s), t.row(x.b, s))
		}
	}
	yes, no, count := t.partition(v)
	return t.diverge(x, pc, yes, no, count)
}

// diverge sends the threads in yes to the instruction after the jump at pc and those in no to its target, and returns the next instruction.
func (t *lockstep) diverge(x *inst, pc int32, yes, no []lanes, count int) int32 {
	rest := t.count - count
	if rest == 0 || count == 0 || x.target == pc+1 { // all go on together
		t.release(no)
		t.release(yes)
		if rest == 0 {
			return pc + 1
		}
		return x.target
	}
	t.release(t.active)
	t.active, t.count = yes, count
	t.suspend(x.target, no, rest)
	return pc + 1
}

// partition divides the active threads into those whose word of v is not 0 and the others, and counts the first.
func (t *lockstep) partition(v []uint64) (yes, no []lanes, count int) {
	yes, no = t.emptyLanes(), t.emptyLanes()
	for _, s := range t.active {
		for i := s.lo; i < s.hi; {
			from, is := i, v[i] != 0
			for i++; i < s.hi && (v[i] != 0) == is; i++ {
			}
			if is {
				yes = append(yes, lanes{from, i})
				count += i - from
			} else {
				no = append(no, lanes{from, i})
			}
		}
	}
	return yes, no, count
}

// takenRange returns the threads, from lo to hi, that do not jump at x, if x compares a linear row with a uniform one: no thread need be
// looked at.
func (t *lockstep) takenRange(x *inst) (lo, hi int, ok bool) {
	a, b := t.rows[int(x.a)*t.width], t.rows[int(x.b)*t.width]
	n := uint64(t.n)
	up := t.kinds[x.a] == linear && t.kinds[x.b] >= uniform // base+i on the left
	if !up && (t.kinds[x.b] != linear || t.kinds[x.a] < uniform) {
		return 0, 0, false
	}
	base, v := a, b
	if !up {
		base, v = b, a
	}
	op := x.op
	if op == opUnlessLtI32 || op == opUnlessLeI32 {
		if base+n > 1<<31 || v >= 1<<31 {
			return 0, 0, false
		}
	}
	// below is how many threads have less than v, and upto how many have at most v.
	below, upto := uint64(0), uint64(0)
	if v >= base {
		below, upto = min(v-base, n), min(v-base, n-1)+1
	}
	switch op {
	case opUnlessEq:
		return int(below), int(upto), true
	case opUnlessLtU, opUnlessLtI32:
		if up {
			return 0, int(below), true
		}
		return int(upto), t.n, true
	case opUnlessLeU, opUnlessLeI32:
		if up {
			return 0, int(upto), true
		}
		return int(below), t.n, true
	}
	return 0, 0, false
}

// partitionRange divides the active threads into those from lo to hi and the others, and counts the first.
func (t *lockstep) partitionRange(lo, hi int) (yes, no []lanes, count int) {
	yes, no = t.emptyLanes(), t.emptyLanes()
	for _, s := range t.active {
		from, to := min(max(lo, s.lo), s.hi), max(min(hi, s.hi), s.lo)
		if from >= to {
			no = append(no, s)
			continue
		}
		yes = append(yes, lanes{from, to})
		count += to - from
		if s.lo < from {
			no = append(no, lanes{s.lo, from})
		}
		if to < s.hi {
			no = append(no, lanes{to, s.hi})
		}
	}
	return yes, no, count
}

// emptyLanes returns an empty list, one that was released if possible.
func (t *lockstep) emptyLanes() []lanes {
	if n := len(t.spare); n > 0 {
		s := t.spare[n-1]
		t.spare = t.spare[:n-1]
		return s[:0]
	}
	return make([]lanes, 0, 8)
}

func (t *lockstep) release(s []lanes) { t.spare = append(t.spare, s) }

// suspend makes threads wait before pc, together with those that wait there.
func (t *lockstep) suspend(pc int32, who []lanes, count int) {
	for i := range t.waiting {
		if p := &t.waiting[i]; p.pc == pc {
			both := t.mergeLanes(p.who, who)
			t.release(p.who)
			t.release(who)
			p.who = both
			p.count += count
			return
		}
	}
	t.waiting = append(t.waiting, suspended{pc, count, who})
	t.next = min(t.next, pc)
}

// reconverge joins the active threads, which have come to pc, with those that wait there, and returns where the earliest go on.
func (t *lockstep) reconverge(pc int32) int32 {
	t.suspend(pc, t.active, t.count)
	return t.resumeEarliest()
}

// resumeEarliest makes the threads active that wait at the earliest instruction, and returns it.
func (t *lockstep) resumeEarliest() int32 {
	at := 0
	for i := range t.waiting {
		if t.waiting[i].pc < t.waiting[at].pc {
			at = i
		}
	}
	p := t.waiting[at]
	last := len(t.waiting) - 1
	t.waiting[at] = t.waiting[last]
	t.waiting = t.waiting[:last]
	t.next = math.MaxInt32
	for i := range t.waiting {
		t.next = min(t.next, t.waiting[i].pc)
	}
	t.active, t.count = p.who, p.count
	return p.pc
}

// mergeLanes returns the threads of both lists, which share none.
func (t *lockstep) mergeLanes(a, b []lanes) []lanes {
	out := t.emptyLanes()
	for len(a) > 0 || len(b) > 0 {
		from := &a
		if len(a) == 0 || len(b) > 0 && b[0].lo < a[0].lo {
			from = &b
		}
		s := (*from)[0]
		*from = (*from)[1:]
		if n := len(out); n > 0 && out[n-1].hi == s.lo {
			out[n-1].hi = s.hi
		} else {
			out = append(out, s)
		}
	}
	return out
}
