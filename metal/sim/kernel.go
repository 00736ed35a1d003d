package sim

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"gamma/metal/msl/ir"
	"gamma/metal/msl/rewrite"
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
	engine
}

// maxPrograms is the number of variants of a kernel that are kept.
const maxPrograms = 64

func (d *Device) variant() variant { return variantOf(d.o.Behaviour, d.o.engine(d.o.Behaviour)) }

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
	defer rescue("preparing "+k.title(), &err)
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
			return nil, bug("rewriting "+k.title(), err)
		}
	}
	if p == nil {
		e, err := compileFor(v.engine, code)
		if err != nil {
			return nil, err
		}
		p = &program{code: code, engine: e}
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
	s := "kernel " + k.code.Name
	if at := k.code.Pos.String(); at != "" {
		s += " (" + at + ")"
	}
	return s
}

// maxThreads returns the most threads of a threadgroup, on a device that allows most.
func (k *kernel) maxThreads(most int) int {
	if n := k.code.MaxThreads; n > 0 {
		return min(n, most)
	}
	return most
}

// groupMemory returns the bytes of variables in threadgroup memory.
func (k *kernel) groupMemory() int {
	sum := 0
	for _, o := range k.code.Objects {
		if o.Space == ir.Threadgroup {
			a := max(o.Align, 1)
			sum = min((sum+a-1)/a*a+o.Size, 1<<40)
		}
	}
	return sum
}

// rescue turns a panic of the simulator into an error. It is the last line: nothing is known to reach it.
func rescue(doing string, err *error) {
	if r := recover(); r != nil {
		stack := strings.SplitN(string(debug.Stack()), "\n", 32)
		*err = bug(doing, fmt.Errorf("%v\n%s", r, strings.Join(stack[:len(stack)-1], "\n")))
	}
}

// bug is the error for what is wrong with the simulator itself.
func bug(doing string, err error) error {
	return errorf("%s failed inside; this is a bug in the simulator, please report it with the source: %w", doing, err)
}
