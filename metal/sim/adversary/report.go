package adversary

import (
	"gamma/metal/sim/engine"
)

// tell makes the finding of an assertion that does not hold, or of what the kernel logs: of each place, of the first thread that has it.
func (m *machine) tell(x *inst, pc int32) {
	if m.told(pc, m.regs[x.a]) {
		return
	}
	f := engine.Report(m.p.k, m.at(pc), m.thread(), [4]uint64{m.regs[x.a], m.regs[x.b], m.regs[x.c], m.regs[x.d]})
	f.Pos = m.position(pc)
	m.report(f)
}

// told reports whether instruction pc, with a for its first operand, has nothing to tell that was not told.
func (m *machine) told(pc int32, a uint64) bool {
	kind := engine.KindOfReport(m.at(pc), a)
	return kind == "" || !m.checks || m.findings.seen[findingKey{kind: kind, pos: m.position(pc)}]
}

// silent reports whether no active thread has something to tell.
func (t *lockstep) silent(x *inst, pc int32) bool {
	if t.m.told(pc, 0) {
		return true
	}
	t.replicate(x.a)
	for _, s := range t.active {
		for _, a := range t.row(x.a, s) {
			if !t.m.told(pc, a) {
				return false
			}
		}
	}
	return true
}
