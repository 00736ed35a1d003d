package emit

import (
	"fmt"
	"strings"

	"gamma/metal/msl/ir"
)

// pointer is a constant pointer.
func (w *printer) pointer(c *ir.Instr) string {
	p := ir.Pointer(c.Imm)
	if p.Object() < 0 {
		return "0"
	}
	return fmt.Sprintf("(%s + %d)", w.object(p.Object()), p.Offset())
}

// address is the address of in as a pointer to char.
func (w *printer) address(in *ir.Instr) string {
	s := w.operand(in.A)
	if s == "0" {
		s = "(" + w.qualifier(in.A) + "char *)0"
	}
	if in.B != 0 {
		index := "(i64)" + w.operand(in.B)
		if in.Scale != 1 {
			index += fmt.Sprintf(" * %d", in.Scale)
		}
		s += " + " + index
	}
	if d := int64(in.Imm); d > 0 {
		s += fmt.Sprintf(" + %d", d)
	} else if d < 0 {
		s += fmt.Sprintf(" - %d", -d)
	}
	return s
}

// place is the memory of type t at in's address, as something to read or write.
func (w *printer) access(in *ir.Instr) string {
	q := w.qualifier(in.A)
	t := in.Type.String()
	size := uint64(in.Type.Size())
	switch in.Type {
	case ir.Bool:
		t = "u8"
	case ir.Ptr:
		t = "u64"
	}
	a := w.operand(in.A)
	if a == "0" {
		a = "0ul"
	}
	if size == uint64(in.Scale) && in.B != 0 && in.Imm%size == 0 { // an element of an array
		index := w.operand(in.B)
		if n := int64(in.Imm) / int64(size); n != 0 {
			index = fmt.Sprintf("(i64)%s + %d", index, n)
		}
		return fmt.Sprintf("((%s%s *)%s)[%s]", q, t, a, index)
	}
	if in.B == 0 && in.Imm == 0 {
		return fmt.Sprintf("*(%s%s *)%s", q, t, a)
	}
	return fmt.Sprintf("*(%s%s *)(%s)", q, t, w.address(in))
}

// load prints what a load gives.
func (w *printer) load(in *ir.Instr) string {
	switch in.Type {
	case ir.Bool:
		return "(" + w.access(in) + " & 1) != 0"
	case ir.Ptr:
		return fmt.Sprintf("(%schar *)%s", w.qualifier(in.Dst), w.access(in))
	}
	return w.access(in)
}

// nativeAtomics are CUDA's own, of U32 and U64, and of I32 where the sign matters. Floats go by compare and exchange: the
// hardware's addition flushes subnormals in global memory, whatever the flags.
var nativeAtomics = map[ir.Op]string{
	ir.AtomicAdd: "atomicAdd", ir.AtomicMin: "atomicMin", ir.AtomicMax: "atomicMax",
	ir.AtomicAnd: "atomicAnd", ir.AtomicOr: "atomicOr", ir.AtomicXor: "atomicXor", ir.AtomicXchg: "atomicExch",
}

// atomic is an atomic operation as a call of a helper, which gives the value before; of a compare-and-exchange, the bits of that.
func (w *printer) atomic(in *ir.Instr) string {
	t, op, q := in.Type, in.Op, w.qualifier(in.A)
	raw := ir.U32
	if t.Size() == 8 {
		raw = ir.U64
	}
	name := "gm_" + op.String() + "_" + t.String() + strings.TrimSpace(q)
	get, put := "(%s)old", "(%s)v"
	switch t {
	case ir.F32:
		get, put = "gm_f32(old)", "gm_bits32(v)"
	default:
		get, put = fmt.Sprintf("(%s)old", t), fmt.Sprintf("(%s)v", raw)
	}
	volatile := fmt.Sprintf("(volatile %s%s *)", q, raw)
	cas := fmt.Sprintf("atomicCAS((%s *)p, old, now)", raw)
	if !w.cuda() {
		cas = fmt.Sprintf("atomic_cmpxchg(%sp, old, now)", volatile)
		if raw == ir.U64 {
			cas = fmt.Sprintf("atom_cmpxchg(%sp, old, now)", volatile)
			w.helper("int64", "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n")
		}
	}
	first := fmt.Sprintf("    %s old = *%sp, seen = old;\n", raw, volatile)
	if t == ir.Bool { // a byte of a word
		return w.atomicByte(in, name, q, cas)
	}
	params, args := fmt.Sprintf("%schar *p", q), w.address(in)
	if op != ir.AtomicLoad {
		params += fmt.Sprintf(", %s v", t)
		args += ", " + w.operand(in.C)
	}
	var body string
	switch f, ok := nativeAtomics[op]; {
	case op == ir.AtomicLoad:
		body = fmt.Sprintf("    %s old = *%sp;\n    return %s;\n", raw, volatile, get)
	case op == ir.AtomicStore:
		body = fmt.Sprintf("    *%sp = %s;\n    return v;\n", volatile, put)
	case op == ir.AtomicCAS:
		params += fmt.Sprintf(", %s expected, bool *stored", t)
		args += ", " + w.operand(in.D) + ", &gm_stored"
		expected := strings.Replace(put, "v", "expected", 1)
		body = fmt.Sprintf("    %s want = %s, old = want, now = %s;\n    old = %s;\n    *stored = old == want;\n    return %s;\n", raw, expected, put, cas, get)
	case w.cuda() && ok && t != ir.F32:
		u := "(" + raw.String() + " *)p, v"
		if t == ir.I32 {
			u = "(i32 *)p, v"
		}
		body = fmt.Sprintf("    return %s(%s);\n", f, u)
	default:
		now := "v"
		if op != ir.AtomicXchg {
			now = w.pure(ir.Ops[op].Fold, t, in, "was", "v", "", "")
		}
		body = first + "    do {\n        old = seen;\n" +
			fmt.Sprintf("        %s was = %s;\n        v_ = %s;\n        %s now = %s;\n        seen = %s;\n    } while (seen != old);\n    return %s;\n",
				t, get, now, raw, strings.Replace(put, "v", "v_", 1), cas, get)
		body = fmt.Sprintf("    %s v_;\n", t) + body
	}
	w.helper(name, fmt.Sprintf("GM_FN %s %s(%s)\n{\n%s}\n", t, name, params, body))
	return fmt.Sprintf("%s(%s)", name, args)
}

// atomicByte is an atomic operation on a Bool, by the aligned word that holds its byte.
func (w *printer) atomicByte(in *ir.Instr, name, q, cas string) string {
	op := in.Op
	params, args := fmt.Sprintf("%schar *at", q), w.address(in)
	if op != ir.AtomicLoad {
		params += ", bool v"
		args += ", " + w.operand(in.C)
	}
	now := "v"
	switch op {
	case ir.AtomicCAS:
		params += ", bool expected, bool *stored"
		args += ", " + w.operand(in.D) + ", &gm_stored"
		now = "was == expected ? v : was"
	case ir.AtomicAnd, ir.AtomicOr, ir.AtomicXor:
		now = w.pure(ir.Ops[op].Fold, ir.Bool, in, "was", "v", "", "")
	case ir.AtomicLoad:
		now = "was"
	}
	integer := "u64"
	if !w.cuda() {
		integer = "ulong"
	}
	stored := ""
	if op == ir.AtomicCAS {
		stored = "    *stored = was == expected;\n"
	}
	w.helper(name, fmt.Sprintf(`GM_FN bool %s(%s)
{
    u32 shift = (u32)((%s)at & 3) * 8;
    %schar *p = at - ((%s)at & 3);
    u32 old, seen = *(volatile %su32 *)p;
    bool was;
    do {
        old = seen;
        was = (old >> shift & 1) != 0;
        u32 now = (old & ~(0xffu << shift)) | (u32)(%s) << shift;
        seen = %s;
    } while (seen != old);
%s    return was;
}
`, name, params, integer, q, integer, q, now, cas, stored))
	return fmt.Sprintf("%s(%s)", name, args)
}
