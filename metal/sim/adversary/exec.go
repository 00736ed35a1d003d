package adversary

import (
	"encoding/binary"
	"math"
	"math/bits"

	"gamma/metal/msl/ir"
)

// reason says why a thread stopped.
type reason uint8

const (
	ended     reason = iota
	barred           // it waits for the others of its threadgroup at a barrier
	met              // it waits for the others of its simdgroup at a SIMD operation
	at               // an access to shared memory is next
	exhausted        // the budget of steps is used up
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

// exec runs the machine from pc to the next stop, and returns where that is. credit is the number of accesses to shared
// memory that it may make before it stops at one.
func (m *machine) exec(start int32, credit int) (int32, reason) {
	code, regs, objects, steps := m.code, m.regs, m.objects, m.steps
	pc := int(start)
	for {
		x := &code[pc]
		pc++
		steps++
		switch x.op {
		case opEval:
			m.eval(x, int32(pc-1))
		case opLibrary:
			m.library(x, int32(pc-1))
		case opUndef:
			regs[x.dst] = m.noise(m.at(int32(pc - 1)).Type)
		case opMov:
			regs[x.dst] = regs[x.a]
		case opConst:
			regs[x.dst] = x.imm
		case opSelect:
			if regs[x.a] != 0 {
				regs[x.dst] = regs[x.b]
			} else {
				regs[x.dst] = regs[x.c]
			}

		case opJump:
			pc = int(x.target)
		case opBack:
			if steps > m.limit {
				m.steps = steps
				return int32(pc - 1), exhausted
			}
			pc = int(x.target)
		case opBackCount:
			if steps > m.limit {
				m.steps = steps
				return int32(pc - 1), exhausted
			}
			regs[x.dst]++
			pc = int(x.target)
		case opUnless:
			if regs[x.a] == 0 {
				pc = int(x.target)
			}
		case opEnd:
			m.steps = steps
			return int32(pc - 1), ended
		case opBarrier:
			m.steps = steps
			return int32(pc - 1), barred
		case opMeet:
			m.steps = steps
			return int32(pc - 1), met
		case opUnlessEq:
			if regs[x.a] != regs[x.b] {
				pc = int(x.target)
			}
		case opUnlessNe:
			if regs[x.a] == regs[x.b] {
				pc = int(x.target)
			}
		case opUnlessLtU:
			if regs[x.a] >= regs[x.b] {
				pc = int(x.target)
			}
		case opUnlessLeU:
			if regs[x.a] > regs[x.b] {
				pc = int(x.target)
			}
		case opUnlessLtI32:
			if int32(regs[x.a]) >= int32(regs[x.b]) {
				pc = int(x.target)
			}
		case opUnlessLeI32:
			if int32(regs[x.a]) > int32(regs[x.b]) {
				pc = int(x.target)
			}
		case opGate:
			steps--
			if k := regs[x.a] >> ir.OffsetBits; k < uint64(len(objects)) && objects[k].shared {
				if credit == 0 {
					m.steps = steps
					return int32(pc - 1), at
				}
				credit--
			}

		case opAdd32:
			regs[x.dst] = uint64(uint32(regs[x.a] + regs[x.b]))
		case opSub32:
			regs[x.dst] = uint64(uint32(regs[x.a] - regs[x.b]))
		case opMul32:
			regs[x.dst] = uint64(uint32(regs[x.a]) * uint32(regs[x.b]))
		case opAdd32S:
			a, b := uint32(regs[x.a]), uint32(regs[x.b])
			r := a + b
			if (a^r)&(b^r)>>31 != 0 {
				m.faulty(int32(pc-1), ir.FaultOver)
			}
			regs[x.dst] = uint64(r)
		case opSub32S:
			a, b := uint32(regs[x.a]), uint32(regs[x.b])
			r := a - b
			if (a^b)&(a^r)>>31 != 0 {
				m.faulty(int32(pc-1), ir.FaultOver)
			}
			regs[x.dst] = uint64(r)
		case opMul32S:
			r := int64(int32(regs[x.a])) * int64(int32(regs[x.b]))
			if int64(int32(r)) != r {
				m.faulty(int32(pc-1), ir.FaultOver)
			}
			regs[x.dst] = uint64(uint32(r))
		case opShl32:
			if b := regs[x.b]; b < 32 {
				regs[x.dst] = uint64(uint32(regs[x.a]) << b)
			} else {
				m.eval(x, int32(pc-1))
			}
		case opShr32:
			if b := regs[x.b]; b < 32 {
				regs[x.dst] = uint64(uint32(regs[x.a]) >> b)
			} else {
				m.eval(x, int32(pc-1))
			}
		case opSar32:
			if b := regs[x.b]; b < 32 {
				regs[x.dst] = uint64(uint32(int32(regs[x.a]) >> b))
			} else {
				m.eval(x, int32(pc-1))
			}
		case opMulHi32:
			regs[x.dst] = regs[x.a] * regs[x.b] >> 32
		case opMin32, opMin64:
			regs[x.dst] = min(regs[x.a], regs[x.b])
		case opMax32, opMax64:
			regs[x.dst] = max(regs[x.a], regs[x.b])
		case opDiv32:
			if b := uint32(regs[x.b]); b != 0 {
				regs[x.dst] = uint64(uint32(regs[x.a]) / b)
			} else {
				m.eval(x, int32(pc-1))
			}
		case opRem32:
			if b := uint32(regs[x.b]); b != 0 {
				regs[x.dst] = uint64(uint32(regs[x.a]) % b)
			} else {
				m.eval(x, int32(pc-1))
			}
		case opNot32:
			regs[x.dst] = uint64(^uint32(regs[x.a]))
		case opAdd64:
			regs[x.dst] = regs[x.a] + regs[x.b]
		case opSub64:
			regs[x.dst] = regs[x.a] - regs[x.b]
		case opMul64:
			regs[x.dst] = regs[x.a] * regs[x.b]
		case opAdd64S:
			a, b := regs[x.a], regs[x.b]
			r := a + b
			if (a^r)&(b^r)>>63 != 0 {
				m.faulty(int32(pc-1), ir.FaultOver)
			}
			regs[x.dst] = r
		case opSub64S:
			a, b := regs[x.a], regs[x.b]
			r := a - b
			if (a^b)&(a^r)>>63 != 0 {
				m.faulty(int32(pc-1), ir.FaultOver)
			}
			regs[x.dst] = r
		case opShl64:
			if b := regs[x.b]; b < 64 {
				regs[x.dst] = regs[x.a] << b
			} else {
				m.eval(x, int32(pc-1))
			}
		case opShr64:
			if b := regs[x.b]; b < 64 {
				regs[x.dst] = regs[x.a] >> b
			} else {
				m.eval(x, int32(pc-1))
			}
		case opMulHi64:
			hi, _ := bits.Mul64(regs[x.a], regs[x.b])
			regs[x.dst] = hi
		case opAnd:
			regs[x.dst] = regs[x.a] & regs[x.b]
		case opOr:
			regs[x.dst] = regs[x.a] | regs[x.b]
		case opXor:
			regs[x.dst] = regs[x.a] ^ regs[x.b]
		case opNotBool:
			regs[x.dst] = regs[x.a] ^ 1

		case opEq:
			regs[x.dst] = truth(regs[x.a] == regs[x.b])
		case opNe:
			regs[x.dst] = truth(regs[x.a] != regs[x.b])
		case opLtU:
			regs[x.dst] = truth(regs[x.a] < regs[x.b])
		case opLeU:
			regs[x.dst] = truth(regs[x.a] <= regs[x.b])
		case opLtI32:
			regs[x.dst] = truth(int32(regs[x.a]) < int32(regs[x.b]))
		case opLeI32:
			regs[x.dst] = truth(int32(regs[x.a]) <= int32(regs[x.b]))
		case opLtF32:
			regs[x.dst] = truth(f32(regs[x.a]) < f32(regs[x.b]))
		case opLeF32:
			regs[x.dst] = truth(f32(regs[x.a]) <= f32(regs[x.b]))
		case opEqF32:
			regs[x.dst] = truth(f32(regs[x.a]) == f32(regs[x.b]))
		case opNeF32:
			regs[x.dst] = truth(f32(regs[x.a]) != f32(regs[x.b]))

		case opAddF32:
			regs[x.dst] = bits32(float32(f32(regs[x.a]) + f32(regs[x.b])))
		case opSubF32:
			regs[x.dst] = bits32(float32(f32(regs[x.a]) - f32(regs[x.b])))
		case opMulF32:
			regs[x.dst] = bits32(float32(f32(regs[x.a]) * f32(regs[x.b])))
		case opFmaF32:
			regs[x.dst] = bits32(ir.Fma32(f32(regs[x.a]), f32(regs[x.b]), f32(regs[x.c])))

		case opLow8:
			regs[x.dst] = uint64(uint8(regs[x.a]))
		case opLow16:
			regs[x.dst] = uint64(uint16(regs[x.a]))
		case opLow32:
			regs[x.dst] = uint64(uint32(regs[x.a]))
		case opWiden32:
			regs[x.dst] = uint64(int64(int32(regs[x.a])))
		case opBool:
			regs[x.dst] = truth(regs[x.a] != 0)
		case opU32ToF32:
			regs[x.dst] = uint64(math.Float32bits(float32(uint32(regs[x.a]))))
		case opI32ToF32:
			regs[x.dst] = uint64(math.Float32bits(float32(int32(regs[x.a]))))

		case opPtrAdd:
			p := regs[x.a]
			regs[x.dst] = moved(x, p, regs[x.b])
		case opLoad4:
			p := regs[x.a]
			off := offset(x, p, regs[x.b])
			if k := p >> ir.OffsetBits; k < uint64(len(objects)) {
				o := &objects[k]
				if off+4 <= uint64(len(o.b)) && (off+o.base)&3 == 0 &&
					(o.want == nil || binary.LittleEndian.Uint32(o.want[off:]) == 0x01010101) {
					regs[x.dst] = uint64(binary.LittleEndian.Uint32(o.b[off:]))
					continue
				}
			}
			regs[x.dst] = m.load(x, int32(pc-1))
		case opLoad8:
			p := regs[x.a]
			off := offset(x, p, regs[x.b])
			if k := p >> ir.OffsetBits; k < uint64(len(objects)) {
				o := &objects[k]
				if off+8 <= uint64(len(o.b)) && (off+o.base)&7 == 0 &&
					(o.want == nil || binary.LittleEndian.Uint64(o.want[off:]) == 0x0101010101010101) {
					regs[x.dst] = binary.LittleEndian.Uint64(o.b[off:])
					continue
				}
			}
			regs[x.dst] = m.load(x, int32(pc-1))
		case opLoad, opSoft:
			regs[x.dst] = m.load(x, int32(pc-1))
		case opStore4:
			p := regs[x.a]
			off := offset(x, p, regs[x.b])
			if k := p >> ir.OffsetBits; k < uint64(len(objects)) {
				o := &objects[k]
				if off+4 <= uint64(len(o.b)) && (off+o.base)&3 == 0 && !o.fixed {
					binary.LittleEndian.PutUint32(o.b[off:], uint32(regs[x.c]))
					if o.init != nil {
						binary.LittleEndian.PutUint32(o.init[off:], 0x01010101)
					}
					continue
				}
			}
			m.store(x, int32(pc-1))
		case opStore8:
			p := regs[x.a]
			off := offset(x, p, regs[x.b])
			if k := p >> ir.OffsetBits; k < uint64(len(objects)) {
				o := &objects[k]
				if off+8 <= uint64(len(o.b)) && (off+o.base)&7 == 0 && !o.fixed {
					binary.LittleEndian.PutUint64(o.b[off:], regs[x.c])
					if o.init != nil {
						binary.LittleEndian.PutUint64(o.init[off:], 0x0101010101010101)
					}
					continue
				}
			}
			m.store(x, int32(pc-1))
		case opStore:
			m.store(x, int32(pc-1))
		case opAtomic:
			m.atomic(x, int32(pc-1))
		case opFence:
		case opCheck:
			if regs[x.a] != defined {
				m.noValue(int32(pc - 1))
			}
		case opAbsent:
			marks, _ := m.marks(x, int32(pc-1))
			regs[x.dst] = absence(marks)
		case opPass:
			m.pass(x, int32(pc-1))
		}
	}
}

// at returns the kernel's instruction behind machine instruction pc.
func (m *machine) at(pc int32) *ir.Instr { return m.p.flat[m.asm.from[pc]].in }

// eval runs an instruction by the reference.
func (m *machine) eval(x *inst, pc int32) {
	in := m.at(pc)
	r, fault := ir.Eval(in.Op, in.Type, in.From, in.FP, m.arith, m.regs[x.a], m.regs[x.b], m.regs[x.c], m.regs[x.d])
	if fault != ir.NoFault && m.checks {
		m.faulty(pc, fault)
	}
	m.regs[x.dst] = r
}

// library runs a library function, and lets it err anywhere inside its limit if the behaviour says so.
func (m *machine) library(x *inst, pc int32) {
	in := m.at(pc)
	a := [...]uint64{m.regs[x.a], m.regs[x.b]}
	m.eval(x, pc)
	if m.o.Behaviour.ULP {
		m.perturbed++
		m.regs[x.dst] = m.perturb(in, m.asm.from[pc], m.who.g.id, m.who.i, m.perturbed, a, m.regs[x.dst])
	}
}

// perturb returns another result r of a library function. How it errs follows from the seed, the instruction's number, the thread
// and how many such functions the thread has run.
func (m *machine) perturb(in *ir.Instr, flat int32, group uint64, thread int, n uint32, a [2]uint64, r uint64) uint64 {
	args := a[:]
	if in.B == 0 {
		args = a[:1]
	}
	seed := draw(m.seed, streamULP, uint64(flat), group, uint64(thread), uint64(n))
	return ir.Perturb(in.Op, in.Type, in.FP, m.arith, args, r, seed)
}
