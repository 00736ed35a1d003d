package ir

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

var spaceNames = [...]string{Device: "device", Constant: "constant", Threadgroup: "threadgroup", Thread: "thread"}

// String returns device, constant, threadgroup or thread.
func (s Space) String() string {
	if int(s) < len(spaceNames) {
		return spaceNames[s]
	}
	return fmt.Sprintf("Space(%d)", uint8(s))
}

var fpNames = [...]string{"contract_on", "contract_fast", "reassoc", "nsz", "recip", "nnan", "ninf", "fast"}

// String returns the names of the flags there are, joined by |.
func (f FP) String() string {
	var list []string
	for i, n := range fpNames {
		if f>>i&1 == 1 {
			list = append(list, n)
		}
	}
	return strings.Join(list, "|")
}

// String returns k as text that a person can read and that Parse reads back:
//
//	kernel "scale"
//	at "scale.metal":1:13
//	place "scale.metal":4:5
//	statements 1
//	buffer %1 "x" index=0 device elem=4 align=4 type="device float*"
//	input %2 u32 thread_position_in_grid.0
//	object "tmp" threadgroup size=128 align=4 elem=4
//	{
//	  %3:f32 = const 0x40000000 ; 2
//	  %4:f32 = load [%1 + u32 %2*4]
//	  %5:f32 = mul %3, %4 s1 fp=contract_on
//	  %6:bool = eq f32 %3, %4
//	  if %6 {
//	    leave 0
//	  }
//	  store f32 [%1 + u32 %2*4], %5
//	}
//
// A register's type stands where it is written; an instruction names its own type if the result does not tell it. @n is the
// place, sn the statement. Loops and scopes are `loop n {` and `scope n {`, else is `} else {`. A ; starts a comment.
// An index of a memory operation names its type; *n is Scale, and a last + n or - n is Imm.
func (k *Kernel) String() string {
	w := &writer{k: k, typed: make([]bool, len(k.Regs))}
	w.header()
	w.line("{")
	w.depth = 1
	w.block(k.Body)
	w.depth = 0
	w.line("}")
	return w.s.String()
}

type writer struct {
	k     *Kernel
	s     strings.Builder
	typed []bool // registers whose type was written
	depth int
}

func (w *writer) line(format string, args ...any) {
	for range w.depth {
		w.s.WriteString("  ")
	}
	fmt.Fprintf(&w.s, format, args...)
	w.s.WriteByte('\n')
}

func (w *writer) header() {
	k := w.k
	w.line("kernel %q", k.Name)
	if k.Pos.File != "" || k.Pos.Line != 0 || k.Pos.Column != 0 {
		w.line("at %q:%d:%d", k.Pos.File, k.Pos.Line, k.Pos.Column)
	}
	for _, p := range k.Places {
		w.line("place %q:%d:%d", p.File, p.Line, p.Column)
	}
	for _, s := range k.Texts {
		w.line("text %q", s)
	}
	if k.Statements != 0 {
		w.line("statements %d", k.Statements)
	}
	if k.MaxThreads != 0 {
		w.line("max_threads %d", k.MaxThreads)
	}
	for _, b := range k.Buffers {
		flags := ""
		for _, f := range []struct {
			on   bool
			name string
		}{{b.Whole, "whole"}, {b.ReadOnly, "readonly"}, {b.WriteOnly, "writeonly"}, {b.Optional, "optional"}, {b.Sampler, "sampler"}, {b.Resource, "resource"}, {b.Coherent, "coherent"}} {
			if f.on {
				flags += " " + f.name
			}
		}
		if b.Texture != (Texture{}) {
			flags += fmt.Sprintf(" texture=%q texel=%s", b.Texture, b.Texture.Texel)
		}
		if b.Type != "" {
			flags += " type=" + strconv.Quote(b.Type)
		}
		if p := b.Pos; p.File != "" || p.Line != 0 || p.Column != 0 {
			flags += fmt.Sprintf(" at=%q:%d:%d", p.File, p.Line, p.Column)
		}
		w.line("buffer %%%d %q index=%d %s elem=%d align=%d%s", b.Reg, b.Name, b.Index, b.Space, b.Elem, b.Align, flags)
		w.mark(b.Reg)
	}
	for _, in := range k.Inputs {
		w.line("input %%%d %s %s.%d", in.Reg, w.regType(in.Reg), in.Kind, in.Axis)
		w.mark(in.Reg)
	}
	for _, o := range k.Objects {
		rest := ""
		if o.Elem != 0 {
			rest += fmt.Sprintf(" elem=%d", o.Elem)
		}
		if o.Space == Constant {
			rest += fmt.Sprintf(" data=%q", fmt.Sprintf("%x", o.Data))
		}
		if p := o.Pos; p.File != "" || p.Line != 0 || p.Column != 0 {
			rest += fmt.Sprintf(" at=%q:%d:%d", p.File, p.Line, p.Column)
		}
		w.line("object %q %s size=%d align=%d%s", o.Name, o.Space, o.Size, o.Align, rest)
	}
	named := make([]int, 0, len(k.Names))
	for r := range k.Names {
		named = append(named, int(r))
	}
	sort.Ints(named)
	for _, r := range named {
		w.line("name %%%d %q", r, k.Names[Reg(r)])
	}
	written := map[Reg]bool{}
	k.Body.Each(func(in *Instr) { written[in.Dst], written[in.Dst2] = true, true })
	for r := 1; r < len(k.Regs); r++ {
		if !w.typed[r] && !written[Reg(r)] {
			w.line("reg %%%d:%s", r, k.Regs[r])
			w.typed[r] = true
		}
	}
}

// missing reports whether n is nil, or a nil pointer.
func missing(n Node) bool {
	switch n := n.(type) {
	case *Instr:
		return n == nil
	case *If:
		return n == nil
	case *Loop:
		return n == nil
	case *Scope:
		return n == nil
	case *Leave:
		return n == nil
	}
	return true
}

func (w *writer) regType(r Reg) Type {
	if r > 0 && int(r) < len(w.k.Regs) {
		return w.k.Regs[r]
	}
	return Void
}

func (w *writer) mark(r Reg) {
	if r > 0 && int(r) < len(w.typed) {
		w.typed[r] = true
	}
}

func at(pos int32) string {
	if pos == 0 {
		return ""
	}
	return fmt.Sprintf(" @%d", pos)
}

func (w *writer) block(b Block) {
	for _, n := range b {
		if missing(n) {
			w.line("; no node")
			continue
		}
		switch n := n.(type) {
		case *Instr:
			w.line("%s", w.instr(n))
		case *If:
			w.line("if %%%d%s {", n.Cond, at(n.Pos))
			w.inner(n.Then)
			if len(n.Else) > 0 {
				w.line("} else {")
				w.inner(n.Else)
			}
			w.line("}")
		case *Loop:
			w.line("loop %d%s {", n.Label, at(n.Pos))
			w.inner(n.Body)
			w.line("}")
		case *Scope:
			w.line("scope %d {", n.Label)
			w.inner(n.Body)
			w.line("}")
		case *Leave:
			w.line("leave %d%s", n.Label, at(n.Pos))
		}
	}
}

func (w *writer) inner(b Block) {
	w.depth++
	w.block(b)
	w.depth--
}

func (w *writer) instr(in *Instr) string {
	var s strings.Builder
	op := in.Op
	if op >= opCount {
		return fmt.Sprintf("; operation %d", op)
	}
	info := &Ops[op]
	if in.Dst != 0 || in.Dst2 != 0 {
		fmt.Fprintf(&s, "%%%d", in.Dst)
		if in.Dst != 0 {
			fmt.Fprintf(&s, ":%s", w.regType(in.Dst))
		}
		if in.Dst2 != 0 {
			fmt.Fprintf(&s, ", %%%d:%s", in.Dst2, w.regType(in.Dst2))
		}
		s.WriteString(" = ")
		w.mark(in.Dst)
		w.mark(in.Dst2)
	}
	s.WriteString(info.Name)
	if info.Types != 0 && (in.Dst == 0 || info.Result != OfT && info.Result != OptionalT) {
		fmt.Fprintf(&s, " %s", in.Type)
	}
	if info.From != 0 && !info.Address {
		fmt.Fprintf(&s, " from %s", in.From)
	}
	sep := " "
	list := []Reg{in.A, in.B, in.C, in.D}
	kinds := []Operand{info.A, info.B, info.C, info.D}
	if info.Address {
		s.WriteString(" " + in.address())
		sep, list, kinds = ", ", list[2:], kinds[2:]
	}
	for i, r := range list {
		if kinds[i] != NoOperand {
			fmt.Fprintf(&s, "%s%%%d", sep, r)
			sep = ", "
		}
	}
	comment := ""
	switch {
	case op == Const && in.Type.IsFloat():
		fmt.Fprintf(&s, " %#x", in.Imm)
		comment = " ; " + strconv.FormatFloat(Widen(in.Type, in.Imm), 'g', -1, 64)
	case op == Const && in.Type == Ptr:
		fmt.Fprintf(&s, " %#x", in.Imm)
	case op == Const && in.Type.IsSigned():
		fmt.Fprintf(&s, " %d", in.Type.Signed(in.Imm))
	case info.Imm && !info.Address && (in.Imm != 0 || info.Effect != Lanes):
		fmt.Fprintf(&s, "%s%d", map[bool]string{true: " over ", false: " "}[info.Effect == Lanes], in.Imm)
	}
	if info.Address && in.Align != 0 {
		fmt.Fprintf(&s, " align=%d", in.Align)
	}
	s.WriteString(at(in.Pos))
	if in.Stmt != 0 {
		fmt.Fprintf(&s, " s%d", in.Stmt)
	}
	if in.FP != 0 {
		fmt.Fprintf(&s, " fp=%s", in.FP)
	}
	s.WriteString(comment)
	return s.String()
}

// address returns [%a + type %b*scale + imm].
func (in *Instr) address() string {
	var s strings.Builder
	fmt.Fprintf(&s, "[%%%d", in.A)
	if in.B != 0 {
		fmt.Fprintf(&s, " + %s %%%d*%d", in.From, in.B, in.Scale)
	}
	switch imm := int64(in.Imm); {
	case imm == math.MinInt64 || imm > 0:
		fmt.Fprintf(&s, " + %d", imm)
	case imm < 0:
		fmt.Fprintf(&s, " - %d", -imm)
	}
	s.WriteByte(']')
	return s.String()
}
