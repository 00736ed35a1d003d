package fast

import (
	"fmt"
	"sync"
	"sync/atomic"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// Program is a kernel ready to run. Several goroutines may run one at a time.
type Program struct {
	k *ir.Kernel
	a *analysis
	// fence is one of the kernel's fences of device memory, nil if it has none.
	fence *ir.Instr

	// lost: a run has met a load of what is undefined, and others may.
	lost atomic.Bool

	mu    sync.Mutex
	codes map[mode]*code
	// idle holds machines of earlier runs, with their shadows.
	idle map[mode][]*machine
}

// maxInstructions bounds the instructions of a kernel.
const maxInstructions = 1 << 20

// Compile verifies k and prepares it. The kernel must not change afterwards.
func Compile(k *ir.Kernel) (*Program, error) {
	if err := ir.Verify(k); err != nil {
		return nil, err
	}
	a := analyse(k)
	if len(a.instrs) > maxInstructions {
		return nil, fmt.Errorf("fast: kernel %s has %d instructions, at most %d can run; make it smaller", k.Name, len(a.instrs), maxInstructions)
	}
	p := &Program{k: k, a: a, codes: map[mode]*code{}, idle: map[mode][]*machine{}}
	k.Body.Each(func(in *ir.Instr) {
		if in.Op == ir.Fence && in.Imm&textureFlag == 0 && p.fence == nil {
			p.fence = in
		}
	})
	return p, nil
}

// code returns p's code for m.
func (p *Program) code(m mode) (*code, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.codes[m]; c != nil {
		return c, nil
	}
	c, err := generate(p.a, m)
	if err != nil {
		return nil, err
	}
	p.codes[m] = c
	return c, nil
}

// At most maxIdle machines of one mode are kept for the next run, and none that needs more than maxIdleBytes.
const (
	maxIdle      = 64
	maxIdleBytes = 1 << 26
)

// take returns an idle machine, or nil.
func (p *Program) take(m mode, size, width int) *machine {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.idle[m]
	for i := len(list) - 1; i >= 0; i-- {
		if x := list[i]; x.size == size && x.width == width {
			p.idle[m] = append(list[:i], list[i+1:]...)
			return x
		}
	}
	if len(list) > 0 { // of another size: make room
		p.idle[m] = list[:len(list)-1]
	}
	return nil
}

func (p *Program) put(m mode, list []*machine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range list {
		x.r = nil
		for i := range x.objects {
			if x.objects[i].space == ir.Device || x.objects[i].space == ir.Constant {
				x.objects[i] = object{}
			}
		}
		if !x.broken && len(p.idle[m]) < maxIdle && x.bytes <= maxIdleBytes {
			p.idle[m] = append(p.idle[m], x)
		}
	}
}

// arithmetic returns the arithmetic of a behaviour, or an error if b asks for more than flushing.
func arithmetic(b model.Behaviour) (ir.Arith, error) {
	rest := b
	rest.Flush, rest.Flush16, rest.SIMDWidth, rest.Seed = model.Flush{}, model.Flush{}, 0, 0
	if !rest.Plain() {
		return ir.Arith{}, fmt.Errorf("fast: behaviour %s is more than plain arithmetic, flushing and a SIMD width; run it on the adversarial engine", b)
	}
	return ir.ArithOf(b), nil
}

// MaxWidth is the largest simdgroup: simd_ballot gives 64 bits.
const MaxWidth = 64

func width(o engine.Options) (int, error) {
	w := o.SIMDWidth
	if o.Behaviour.SIMDWidth != 0 {
		w = o.Behaviour.SIMDWidth
	}
	if w == 0 {
		w = 32
	}
	if w < 1 || w > MaxWidth {
		return 0, fmt.Errorf("fast: a simdgroup has 1 to %d lanes, not %d", MaxWidth, w)
	}
	return w, nil
}
