package emit

import (
	"fmt"

	"gamma/metal/msl/ir"
)

// vectors are CUDA's types of two and four words, which load and store 8 or 16 bytes at once.
var vectors = map[ir.Type][2]string{
	ir.F32: {"float2", "float4"}, ir.U32: {"uint2", "uint4"}, ir.I32: {"int2", "int4"}, ir.U64: {"ulonglong2", ""}, ir.I64: {"longlong2", ""},
}

// vector returns how many instructions at the start of b load or store the neighbouring words of one vector whose alignment the first
// requires, and the vector's type; 0 if they do not. A compiler cannot join them, as it does not know the alignment.
func (w *printer) vector(b ir.Block) (n int, name string) {
	first, ok := b[0].(*ir.Instr)
	if !ok || !w.cuda() || first.Op != ir.Load && first.Op != ir.Store {
		return 0, ""
	}
	names, size := vectors[first.Type], uint64(first.Type.Size())
	if names[0] == "" {
		return 0, ""
	}
	n = int(min(16, uint64(first.Align)) / size)
	if n != 2 && (n != 4 || names[1] == "") || n > len(b) {
		return 0, ""
	}
	for i, x := range b[:n] {
		in, ok := x.(*ir.Instr)
		if !ok || in.Op != first.Op || in.Type != first.Type || in.A != first.A || in.B != first.B || in.From != first.From ||
			in.Scale != first.Scale || in.Imm != first.Imm+uint64(i)*size || in.Op == ir.Load && in.Dst == in.B {
			return 0, ""
		}
	}
	return n, names[n/4]
}

// whole loads or stores n words as one vector.
func (w *printer) whole(b ir.Block, name string) {
	first := b[0].(*ir.Instr)
	w.cur = first
	at := w.at(first.Pos)
	w.joins++
	v := fmt.Sprintf("gm_vector_%d", w.joins)
	if first.Op == ir.Load {
		w.put("const %s %s = *(const %s *)(%s);%s", name, v, name, w.address(first), at)
		for i, x := range b {
			in := x.(*ir.Instr)
			value := v + "." + "xyzw"[i:i+1]
			if w.inPlace[in.Dst] {
				w.put("%s %s = %s;", w.constant(in.Dst), w.names[in.Dst], value)
			} else {
				w.put("%s = %s;", w.names[in.Dst], value)
			}
		}
		return
	}
	args := ""
	for i, x := range b {
		if i > 0 {
			args += ", "
		}
		args += w.operand(x.(*ir.Instr).C)
	}
	w.put("*(%s *)(%s) = make_%s(%s);%s", name, w.address(first), name, args, at)
}
