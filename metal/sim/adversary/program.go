package adversary

import (
	"fmt"
	"sync"

	"gamma/metal/msl/ir"
)

// Program is a kernel ready to run. It may be used from many goroutines.
type Program struct {
	k     *ir.Kernel
	flat  []flat
	paths [][]step
	regs  int32 // registers and counters
	// private holds the registers whose pointers point to memory that no other thread writes.
	private []bool
	// fixed holds the registers that have one value in every run, and uniform those that have one in a dispatch.
	fixed   map[int32]uint64
	uniform []bool
	reads   []int32 // how many instructions read each register
	// undefined says what flags are about, nil if there are none.
	undefined *ir.Undefined
	// memory: loads have flags. Of a program without, flagged is the one with them, made when a run meets a load of what is undefined.
	memory  bool
	flagged func() (*Program, error)

	mu    sync.Mutex
	codes map[mode]*assembly
}

// Compile makes a program of k, which it keeps and which must not change any more. An error names the place in k that is not
// well formed, or what is too large.
func Compile(k *ir.Kernel) (*Program, error) {
	if err := ir.Verify(k); err != nil {
		return nil, err
	}
	return compile(k, false)
}

func compile(k *ir.Kernel, memory bool) (*Program, error) {
	f, err := flatten(k, memory)
	if err != nil {
		return nil, err
	}
	p := &Program{memory: memory, k: k, flat: f.code, paths: f.paths, regs: f.regs, undefined: f.undefined, fixed: map[int32]uint64{}, codes: map[mode]*assembly{}}
	p.classify()
	if !memory {
		p.flagged = sync.OnceValues(func() (*Program, error) { return compile(k, true) })
	}
	return p, nil
}

// Kernel returns the kernel.
func (p *Program) Kernel() *ir.Kernel { return p.k }

// code returns the machine's code for mode m.
func (p *Program) code(m mode) (*assembly, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a := p.codes[m]; a != nil {
		return a, nil
	}
	a, err := p.assemble(m)
	if err != nil {
		return nil, err
	}
	p.codes[m] = a
	return a, nil
}

// classify finds the registers that hold one value, and pointers to a thread's own memory.
func (p *Program) classify() {
	k := p.k
	defs := make([]int32, p.regs)
	for i := range p.flat {
		p.flat[i].defs(func(r int32) { defs[r]++ })
	}
	p.reads = make([]int32, p.regs)
	for i := range p.flat {
		p.flat[i].uses(func(r int32) { p.reads[r]++ })
	}
	p.uniform = make([]bool, p.regs)
	bound := make([]int32, p.regs) // how often the launch writes a register
	for _, b := range k.Buffers {
		bound[b.Reg]++
	}
	for _, in := range k.Inputs {
		bound[in.Reg]++
	}
	for _, b := range k.Buffers {
		p.uniform[b.Reg] = defs[b.Reg] == 0 && bound[b.Reg] == 1
	}
	for _, in := range k.Inputs {
		if in.Kind.Level() == ir.PerDispatch {
			p.uniform[in.Reg] = defs[in.Reg] == 0 && bound[in.Reg] == 1
		}
	}
	p.private = make([]bool, p.regs)
	for i := range p.flat {
		x := &p.flat[i]
		if x.kind != flatInstr {
			continue
		}
		in := x.in
		if in.Dst != 0 && defs[in.Dst] == 1 && bound[in.Dst] == 0 {
			switch in.Op {
			case ir.Const:
				p.fixed[int32(in.Dst)] = in.Imm & in.Type.Mask()
			case ir.ObjAddr:
				p.fixed[int32(in.Dst)] = uint64(ir.MakePointer(int(in.Imm), 0))
			}
		}
		// Private is what is only ever written by these three; the loop below takes back what that made of others.
		if in.Dst != 0 && bound[in.Dst] == 0 && (in.Op == ir.ObjAddr || in.Op == ir.PtrAdd || in.Op == ir.Mov) {
			p.private[in.Dst] = true
		}
	}
	own := func(obj int) bool {
		obj -= len(k.Buffers)
		return obj >= 0 && obj < len(k.Objects) && k.Objects[obj].Space != ir.Threadgroup
	}
	for changed := true; changed; {
		changed = false
		for i := range p.flat {
			x := &p.flat[i]
			x.defs(func(r int32) {
				if !p.private[r] {
					return
				}
				keep := false
				if x.kind == flatInstr {
					switch x.in.Op {
					case ir.ObjAddr:
						keep = own(int(x.in.Imm))
					case ir.PtrAdd, ir.Mov:
						keep = p.private[x.in.A]
					}
				}
				if !keep {
					p.private[r], changed = false, true
				}
			})
		}
	}
}

func (p *Program) errorf(format string, args ...any) error {
	where := ""
	if s := p.k.Pos.String(); s != "" {
		where = s + ": "
	}
	return fmt.Errorf("%sadversary: kernel %s: %s", where, p.k.Name, fmt.Sprintf(format, args...))
}
