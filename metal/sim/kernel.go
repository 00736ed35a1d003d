package sim

import (
	"slices"
	"sync"

	"gamma/metal/internal/protocol"
	"gamma/metal/msl/ir"
	"gamma/metal/msl/rewrite"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// kernel is a function with its constants fixed, and the programs made of it so far.
type kernel struct {
	code     *ir.Kernel
	mu       sync.Mutex
	programs map[variant]*program
}

// variant is what of a device changes a program.
type variant struct {
	engine   Engine // Fast or Adversarial
	contract model.Contraction
	rewrites model.Rewrites
	seed     uint64
}

// program is a kernel as one engine runs it.
type program struct {
	code *ir.Kernel
	engine.Program
}

// compile prepares a kernel for an engine.
func compile(e Engine, k *ir.Kernel) (engine.Program, error) {
	if e == Fast {
		return fast.Compile(k)
	}
	return adversary.Compile(k)
}

// maxPrograms is the number of variants of a kernel that are kept.
const maxPrograms = 64

func (b *backend) variant() variant { return variantOf(b.o.Behaviour, b.o.engine(b.o.Behaviour)) }

// waits reports whether b, which is inside a loop or not, may wait for what another thread does to memory.
func waits(b ir.Block, loop bool) bool {
	return slices.ContainsFunc(b, func(n ir.Node) bool {
		in, ok := n.(*ir.Instr)
		if ok {
			return loop && in.Op >= ir.AtomicLoad && in.Op <= ir.AtomicCAS && in.Dst != 0
		}
		_, again := n.(*ir.Loop)
		return slices.ContainsFunc(ir.Inside(n), func(inner *ir.Block) bool { return waits(*inner, loop || again) })
	})
}

func variantOf(b model.Behaviour, e Engine) variant {
	v := variant{engine: e, contract: b.Contract, rewrites: b.Rewrites}
	if v.contract != model.ContractOff || v.rewrites != (model.Rewrites{}) {
		v.seed = b.Seed
	}
	return v
}

// program returns the kernel as v asks for it, made now or before.
func (k *kernel) program(v variant) (p *program, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.programs[v]; p != nil {
		return p, nil
	}
	defer name.Rescue("preparing "+k.title(), &err)
	code, err := rewrite.Apply(k.code, model.Behaviour{Contract: v.contract, Rewrites: v.rewrites, Seed: v.seed})
	if err != nil {
		return nil, err
	}
	plain := variant{engine: v.engine}
	if code == k.code {
		p = k.programs[plain]
	} else {
		ir.Optimise(code)
		if err := ir.Verify(code); err != nil {
			return nil, name.Bug("rewriting "+k.title(), err)
		}
	}
	if p == nil {
		e, err := compile(v.engine, code)
		if err != nil {
			return nil, err
		}
		p = &program{code, e}
	}
	if k.programs == nil || len(k.programs) >= maxPrograms {
		k.programs = map[variant]*program{}
	}
	k.programs[v] = p
	if code == k.code {
		k.programs[plain] = p
	}
	return p, nil
}

// title names the kernel in errors, with its place.
func (k *kernel) title() string {
	return (&protocol.Function{Name: k.code.Name, Kernel: k.code}).Title()
}
