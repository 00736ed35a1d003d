package word

import (
	"fmt"
	"strings"
)

// StepOp is one rounded operation of a program.
type StepOp uint8

const (
	StepAdd   StepOp = iota // A+B
	StepMul                 // A·B
	StepDiv                 // A/B
	StepFma                 // A·B+C, rounded once
	StepSqrt                // √A
	StepOne                 // the number 1
	StepSplit               // Veltkamp's 2^ceil(p/2)+1
)

// Operand is an earlier value of a program: an input or the result of a step, negated if Neg is set.
type Operand struct {
	Value int // inputs first, then the steps
	Neg   bool
}

// Step is one operation of a program. A-B is a StepAdd whose B has Neg set.
type Step struct {
	Op      StepOp
	A, B, C Operand
	// Statement numbers the statement the step stands in: a compiler that contracts within statements fuses only steps of one.
	Statement int
}

// Program is a straight-line program: inputs, steps, and which values are its results.
type Program struct {
	Inputs  []string
	Steps   []Step
	Results []Operand
}

// Arithmetic provides the operations of a program that Run evaluates.
type Arithmetic[T any] interface {
	Add(a, b T) T
	Mul(a, b T) T
	Div(a, b T) T
	Fma(a, b, c T) T
	Sqrt(a T) T
	Neg(a T) T
	One() T
	Splitter() T // 2^ceil(p/2)+1
}

// Run evaluates the program on one row. values is memory for len(p.Inputs)+len(p.Steps) values and holds the inputs first; the
// results are written to out.
func Run[T any, A Arithmetic[T]](p *Program, a A, values, out []T) {
	get := func(o Operand) T {
		if o.Neg {
			return a.Neg(values[o.Value])
		}
		return values[o.Value]
	}
	n := len(p.Inputs)
	for i := range p.Steps {
		s := &p.Steps[i]
		var v T
		switch s.Op {
		case StepAdd:
			v = a.Add(get(s.A), get(s.B))
		case StepMul:
			v = a.Mul(get(s.A), get(s.B))
		case StepDiv:
			v = a.Div(get(s.A), get(s.B))
		case StepFma:
			v = a.Fma(get(s.A), get(s.B), get(s.C))
		case StepSqrt:
			v = a.Sqrt(get(s.A))
		case StepOne:
			v = a.One()
		case StepSplit:
			v = a.Splitter()
		}
		values[n+i] = v
	}
	for i, r := range p.Results {
		out[i] = get(r)
	}
}

// NeedsFma reports whether a step is fused.
func (p *Program) NeedsFma() bool {
	for i := range p.Steps {
		if p.Steps[i].Op == StepFma {
			return true
		}
	}
	return false
}

// Contractions returns up to limit programs, one for each non-empty choice of contractions: an addition with a product as an
// operand becomes a fused multiply-add. A product that is also used elsewhere is kept, as compilers do. Unless across is set, only
// operations of one statement are fused.
func (p *Program) Contractions(across bool, limit int) []*Program {
	n := len(p.Inputs)
	type choice struct{ step, side int }
	var all []choice
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Op != StepAdd {
			continue
		}
		for side, o := range []Operand{s.A, s.B} {
			if k := o.Value - n; k >= 0 && p.Steps[k].Op == StepMul && (across || p.Steps[k].Statement == s.Statement) {
				all = append(all, choice{i, side})
			}
		}
	}
	var out []*Program
	var walk func(k int, q *Program, any bool)
	walk = func(k int, q *Program, any bool) {
		if len(out) >= limit {
			return
		}
		if k == len(all) {
			if any {
				out = append(out, q)
			}
			return
		}
		walk(k+1, q, any)
		c := all[k]
		s := q.Steps[c.step]
		if s.Op != StepAdd {
			return // the other side is fused already
		}
		o, other := s.A, s.B
		if c.side == 1 {
			o, other = s.B, s.A
		}
		m := q.Steps[o.Value-n]
		fused := &Program{Inputs: q.Inputs, Steps: append([]Step(nil), q.Steps...), Results: q.Results}
		a := m.A
		a.Neg = a.Neg != o.Neg
		fused.Steps[c.step] = Step{Op: StepFma, A: a, B: m.B, C: other, Statement: s.Statement}
		walk(k+1, fused, true)
	}
	walk(0, p, false)
	return out
}

// String writes the program, one statement a step.
func (p *Program) String() string {
	n := len(p.Inputs)
	var b strings.Builder
	name := func(o Operand) string {
		s := ""
		if o.Neg {
			s = "-"
		}
		if o.Value < n {
			return s + p.Inputs[o.Value]
		}
		return fmt.Sprintf("%st%d", s, o.Value-n)
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		fmt.Fprintf(&b, "t%d = ", i)
		switch s.Op {
		case StepAdd:
			if s.B.Neg {
				fmt.Fprintf(&b, "%s - %s", name(s.A), name(Operand{Value: s.B.Value}))
			} else {
				fmt.Fprintf(&b, "%s + %s", name(s.A), name(s.B))
			}
		case StepMul:
			fmt.Fprintf(&b, "%s * %s", name(s.A), name(s.B))
		case StepDiv:
			fmt.Fprintf(&b, "%s / %s", name(s.A), name(s.B))
		case StepFma:
			fmt.Fprintf(&b, "fma(%s, %s, %s)", name(s.A), name(s.B), name(s.C))
		case StepSqrt:
			fmt.Fprintf(&b, "sqrt(%s)", name(s.A))
		case StepOne:
			b.WriteString("1")
		case StepSplit:
			b.WriteString("2^ceil(p/2) + 1")
		}
		b.WriteString("\n")
	}
	b.WriteString("return ")
	for i, r := range p.Results {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name(r))
	}
	b.WriteString("\n")
	return b.String()
}
