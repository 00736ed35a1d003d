package adversary

import (
	"unsafe"

	"gamma/metal/msl/ir"
)

// record returns the registers that start at word at of g's. Code names no place beyond the end of a record, so that the array is
// only as long as the record in truth.
//
//go:nocheckptr
func (g *group) record(at int) *[fileSize]uint64 {
	return (*[fileSize]uint64)(unsafe.Pointer(&g.saved[at]))
}

// records makes room for the registers of g's threads.
func (m *machine) records(g *group) {
	n, _ := product(m.d.Group)
	if g.saved == nil {
		g.saved = make([]uint64, int(n)*m.stride)
		if m.direct { // what is the same for all threads, and nobody writes
			for at := 0; at < len(g.saved); at += m.stride {
				copy(g.saved[at:at+m.stride], m.file[:m.stride])
			}
		}
	}
	g.saved = g.saved[:len(g.threads)*m.stride]
}

// starts writes what all threads of g are told when they begin.
func (m *machine) starts(g *group) {
	for i := range g.threads {
		g.threads[i].begun = true
	}
	for j, b := range m.p.k.Buffers {
		if !m.p.uniform[b.Reg] {
			m.spread(g, b.Reg, m.pointer(j), 0)
		}
	}
	flat := g.size.Y == 1 && g.size.Z == 1
	for _, in := range m.p.k.Inputs {
		switch {
		case m.p.uniform[in.Reg]:
		case in.Kind.Level() != ir.PerThread:
			m.spread(g, in.Reg, m.input(in, g, 0), 0)
		case counts(in, flat):
			m.spread(g, in.Reg, m.input(in, g, 0), 1)
		default:
			for i := range g.threads {
				g.record(i * m.stride)[m.put(in.Reg)] = m.input(in, g, i)
			}
		}
	}
}

// spread writes v to register r of the first thread, v+by to that of the second, and so on.
func (m *machine) spread(g *group, r ir.Reg, v, by uint64) {
	mask := m.p.k.Regs[r].Mask()
	for at := int(m.put(r)); at < len(g.saved); at += m.stride {
		g.saved[at] = v & mask
		v += by
	}
}

// counts reports whether an input is one more in each thread than in the one before, in threadgroups of one row if flat.
func counts(in ir.Input, flat bool) bool {
	switch in.Kind {
	case ir.ThreadIndexInThreadgroup:
		return true
	case ir.ThreadPositionInThreadgroup, ir.ThreadPositionInGrid:
		return flat && in.Axis == 0
	}
	return false
}
