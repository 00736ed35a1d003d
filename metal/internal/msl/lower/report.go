package lower

import (
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// report emits an assertion, or what a kernel logs: an instruction for each four values, at the place of the first of them.
func (l *lowerer) report(e *typed.ReportExpr) {
	if e.Op == ir.Assert {
		c := l.scalar(e.Args[0])
		if c.kind == constantOperand && c.bits != 0 {
			return
		}
		l.emit(ir.Instr{Op: e.Op, A: l.reg(c), Imm: l.text(e.Texts[0])}, e.Pos)
		return
	}
	var words []ir.Reg
	var places []typed.Pos
	for i, v := range l.all(e.Args) {
		for _, o := range v {
			words = append(words, l.reg(l.word(o, e.Args[i].At())))
			places = append(places, e.Args[i].At())
		}
	}
	for i, text := range e.Texts {
		in := ir.Instr{Op: e.Op, Type: ir.U64, Imm: l.text(text)}
		at := e.Pos
		if i > 0 && 4*i < len(places) {
			at = places[4*i]
		}
		for j, r := range [...]*ir.Reg{&in.A, &in.B, &in.C, &in.D} {
			if k := 4*i + j; k < len(words) {
				*r = words[k]
			}
		}
		l.emit(in, at)
	}
}

// word is the bits of an integer of 64 bits or of a float.
func (l *lowerer) word(o operand, at typed.Pos) operand {
	if o.typ == ir.F32 {
		o = l.bitcast(o, ir.U32, at)
	}
	return l.convert(o, ir.U64, at)
}

// text returns the index of a text of the kernel.
func (l *lowerer) text(s string) uint64 {
	for i, t := range l.k.Texts {
		if t == s {
			return uint64(i)
		}
	}
	l.k.Texts = append(l.k.Texts, s)
	return uint64(len(l.k.Texts) - 1)
}
