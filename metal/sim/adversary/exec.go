package adversary

import (
	"math"
	"math/bits"

	"gamma/metal/msl/ir"
)

// reason says why a thread stopped.
type reason uint8

const (
	ended         reason = iota
	atBarrier            // it waits for the others of its threadgroup at a barrier
	atConvergence        // it waits for the others of its simdgroup at a SIMD operation
	atAccess             // an access to shared memory is next
	exhausted            // the budget of steps is used up
	starving             // it waits for what another thread has to do
)

const canonical32 = 0x7fc00000 // the NaN that operations give

func f32(v uint64) float32 { return math.Float32frombits(uint32(v)) }

// bits32 returns r's bits, and the canonical NaN for any NaN.
func bits32(r float32) uint64 {
	if r != r {
		return canonical32
	}
	return uint64(math.Float32bits(r))
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// high returns the upper 64 bits of a product.
func high(a, b uint64) uint64 {
	hi, _ := bits.Mul64(a, b)
	return hi
}

// at returns the kernel's instruction from which machine instruction pc was made.
func (m *machine) at(pc int32) *ir.Instr { return m.p.flat[m.asm.from[pc]].in }

// eval runs an instruction by ir.Eval, the reference.
func (m *machine) eval(x *inst, pc int32) {
	in := m.at(pc)
	r, fault := ir.Eval(in.Op, in.Type, in.From, in.FP, m.arith, m.regs[x.a], m.regs[x.b], m.regs[x.c], m.regs[x.d])
	if fault != ir.NoFault && m.checks {
		m.faulty(pc, fault)
	}
	m.regs[x.dst] = r
}

// library runs a library function. If the behaviour says so, its error may be anything inside its limit.
func (m *machine) library(x *inst, pc int32) {
	in := m.at(pc)
	a := [...]uint64{m.regs[x.a], m.regs[x.b]}
	m.eval(x, pc)
	if m.o.Behaviour.ULP {
		m.perturbed++
		m.regs[x.dst] = m.perturb(in, m.flatOf(pc).n, m.subject.g.id, m.subject.i, m.perturbed, a, m.regs[x.dst])
	}
}

// perturb returns r, a library function's result, with another error. It follows from the seed, the instruction's number, the thread
// and how many such functions the thread has run.
func (m *machine) perturb(in *ir.Instr, flat int32, group uint64, thread int, n uint32, a [2]uint64, r uint64) uint64 {
	args := a[:]
	if in.B == 0 {
		args = a[:1]
	}
	seed := draw(m.seed, streamULP, uint64(flat), group, uint64(thread), uint64(n))
	return ir.Perturb(in.Op, in.Type, in.FP, m.arith, args, r, seed)
}
