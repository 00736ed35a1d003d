package fast

import (
	"gamma/metal/sim/engine"
)

// runReport is an assertion, or what the kernel logs: of each place, of the first thread that has it.
func runReport(m *machine, in *inst) {
	for _, l := range m.all(&m.act) {
		values := [4]uint64{}
		for i, s := range [...]int32{in.a, in.b, in.c, in.d} {
			if s != 0 && in.vec>>i&1 != 0 {
				values[i] = m.v[s][l]
			} else if s != 0 {
				values[i] = m.v[s][0]
			}
		}
		kind := engine.KindOfReport(in.src, values[0])
		if kind == "" {
			continue
		}
		if pos := m.place(in); !m.found.seen[findingKey{kind: kind, pos: pos}] {
			f := engine.Report(m.p.k, in.src, m.thread(int(l)), values)
			f.Pos = pos
			m.report(f)
		}
		return
	}
}
