package ir_test

import (
	"encoding/binary"
	"fmt"
	"sort"

	"gamma/metal/msl/ir"
)

// interpreter runs a kernel of one thread by Eval, as plainly as can be.
type interpreter struct {
	k      *ir.Kernel
	ar     ir.Arith
	regs   []uint64
	mem    [][]byte
	faults map[string]bool
	steps  int
}

const tooManySteps = 100000

func interpret(k *ir.Kernel, ar ir.Arith, inputs []byte) *interpreter {
	m := &interpreter{k: k, ar: ar, regs: make([]uint64, len(k.Regs)), faults: map[string]bool{}}
	for i, b := range k.Buffers {
		m.mem = append(m.mem, append([]byte(nil), inputs...))
		m.regs[b.Reg] = uint64(ir.MakePointer(i, 0))
	}
	for _, o := range k.Objects {
		m.mem = append(m.mem, make([]byte, o.Size))
	}
	for i, in := range k.Inputs {
		m.regs[in.Reg] = uint64(inputs[i])
	}
	m.block(k.Body)
	return m
}

// report is what can be seen of the run.
func (m *interpreter) report() string {
	var list []string
	for f := range m.faults {
		list = append(list, f)
	}
	sort.Strings(list)
	return fmt.Sprintf("%x %v %v", m.mem, list, m.steps > tooManySteps)
}

const goOn = -1

// block returns the label that control leaves to, or goOn.
func (m *interpreter) block(b ir.Block) int32 {
	for _, n := range b {
		m.steps++
		if m.steps > tooManySteps {
			return 0
		}
		to := int32(goOn)
		switch n := n.(type) {
		case *ir.Instr:
			m.instr(n)
		case *ir.If:
			if m.regs[n.Cond] != 0 {
				to = m.block(n.Then)
			} else {
				to = m.block(n.Else)
			}
		case *ir.Loop:
			for to == goOn {
				m.steps++
				to = m.block(n.Body)
			}
			if to == n.Label {
				to = goOn
			}
		case *ir.Scope:
			if to = m.block(n.Body); to == n.Label {
				to = goOn
			}
		case *ir.Leave:
			return n.Label
		}
		if to != goOn {
			return to
		}
	}
	return goOn
}

func (m *interpreter) instr(in *ir.Instr) {
	a, b, c, d := m.regs[in.A], m.regs[in.B], m.regs[in.C], m.regs[in.D]
	at := func() []byte {
		p := in.Address(a, b)
		return m.mem[p.Object()][p.Offset():]
	}
	switch in.Op {
	case ir.Nop:
	case ir.Const:
		m.regs[in.Dst] = in.Imm
	case ir.Undef:
		m.regs[in.Dst] = 0x55 & in.Type.Mask()
	case ir.ObjAddr:
		m.regs[in.Dst] = uint64(ir.MakePointer(int(in.Imm), 0))
	case ir.PtrAdd:
		m.regs[in.Dst] = uint64(in.Address(a, b))
	case ir.Load:
		var w [8]byte
		copy(w[:in.Type.Size()], at())
		m.regs[in.Dst] = binary.LittleEndian.Uint64(w[:]) & in.Type.Mask()
	case ir.Store:
		var w [8]byte
		binary.LittleEndian.PutUint64(w[:], c)
		copy(at(), w[:in.Type.Size()])
	default:
		r, fault := ir.Eval(in.Op, in.Type, in.From, in.FP, m.ar, a, b, c, d)
		m.regs[in.Dst] = r
		if fault != ir.NoFault {
			m.faults[fault.String()] = true
		}
	}
}
