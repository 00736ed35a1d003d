package lint

import (
	"gamma/metal/internal/msl/lower"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
	"gamma/model"
)

// Source is a checked source and what is claimed of its kernels.
type Source struct {
	Program    *typed.Program
	Tokens     []token.Token
	Repeatable bool // the same bits in every run, on every device
	Constants  lower.Constants
	Lower      func(*typed.Kernel, lower.Constants) (*ir.Kernel, token.List) // lower.Kernel, verified
}

// linter collects the findings of a source.
type linter struct {
	Source
	seen  map[spot]bool
	found model.Findings
}

// spot is a place with a kind of finding. It is reported once: a function may be inlined twice, and a template have instances.
type spot struct {
	kind model.FindingKind
	pos  model.Position
}

// report adds a finding.
func (l *linter) report(f model.Finding) {
	if s := (spot{f.Kind, f.Pos}); !l.seen[s] {
		l.seen[s] = true
		f.Index = -1
		l.found = append(l.found, f)
	}
}

// Run returns what there is in the source. The list holds the errors of kernels that cannot be lowered, which are looked at in part.
//
// A function constant without a value is looked at as 0 and as 1, all of them together.
func (s Source) Run() (model.Findings, token.List) {
	l := &linter{Source: s, seen: map[spot]bool{}}
	l.literals()
	var errs token.List
	for _, k := range s.Program.Kernels {
		for _, bits := range []uint64{0, 1} {
			constants, open := s.complete(bits)
			kernel, list := s.Lower(k, constants)
			if kernel == nil {
				errs = append(errs, list...)
				break
			}
			l.kernel(kernel)
			if !open {
				break
			}
		}
	}
	return l.found, errs
}

// complete gives each function constant that has no value the one with these bits; open reports whether there is one.
func (s Source) complete(bits uint64) (c lower.Constants, open bool) {
	c = lower.Constants{}
	for _, f := range s.Program.Constants {
		v, ok := s.Constants[f.Index]
		if !ok {
			b := bits
			if isFloat(f.Type.Kind) {
				b, _ = ir.Eval(ir.Convert, f.Type.Kind, ir.U32, 0, ir.Arith{}, bits, 0, 0, 0)
			}
			v, open = lower.Value{Bits: [4]uint64{b, b, b, b}}, true
		}
		c[f.Index] = v
	}
	return c, open
}

func isFloat(t ir.Type) bool { return t == ir.F32 || t == ir.F16 || t == ir.BF16 }

// kernel looks at a lowered kernel.
func (l *linter) kernel(k *ir.Kernel) {
	r := &rules{linter: l, flow: newFlow(k), added: map[int]bool{}, undone: map[int]bool{}, halves: map[int]bool{}}
	r.flow.visit = r.instr
	r.flow.run()
	r.reciprocals()
	r.products()
	l.barriers(r.flow)
}
