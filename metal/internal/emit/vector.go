package emit

import (
	"fmt"

	"gamma/metal/msl/ir"
)

// vectors are CUDA's types of two and four words, which load and store 8 or 16 bytes at once.
var vectors = map[ir.Type][2]string{
	ir.F32: {"float2", "float4"}, ir.U32: {"uint2", "uint4"}, ir.I32: {"int2", "int4"}, ir.U64: {"ulonglong2", ""}, ir.I64: {"longlong2", ""},
}

// vector returns how many instructions at the start of b load or store the neighbouring words of one vector, and the vector's type; 0
// if they do not. A compiler cannot join them, as it does not know the alignment. Here it is the one that the first instruction requires,
// or follows from where the address begins: a buffer that is aligned so, and a multiple. Where only the multiple is known, base is the
// buffer, whose alignment the text has to ask for.
func (w *printer) vector(b ir.Block) (n int, name string, base ir.Reg) {
	first, ok := b[0].(*ir.Instr)
	if !ok || !w.cuda() || first.Op != ir.Load && first.Op != ir.Store {
		return 0, "", 0
	}
	names, size := vectors[first.Type], uint64(first.Type.Size())
	if names[0] == "" {
		return 0, "", 0
	}
	known, multiple := w.alignment(first)
	for _, n := range []int{4, 2} {
		if names[n/4] == "" || n > len(b) || !neighbours(b[:n], size) {
			continue
		}
		switch bytes := uint64(n) * size; {
		case known%bytes == 0:
			return n, names[n/4], 0
		case multiple%bytes == 0 && first.B != 0: // threads that all load the same gain nothing
			return n, names[n/4], first.A
		}
	}
	return 0, "", 0
}

// alignment returns what the address of in is a multiple of, and what it would be if its buffer began at a multiple of 16; both divide 16.
func (w *printer) alignment(in *ir.Instr) (known, multiple uint64) {
	own := uint64(in.Align)
	if own == 0 {
		own = uint64(in.Type.Size())
	}
	own = min(own, 16)
	step := uint64(16)
	if in.B != 0 {
		step |= uint64(in.Scale)
	}
	step |= in.Imm
	step &= -step
	at, ok := w.begins[in.A]
	if !ok {
		return own, own
	}
	return max(own, min(step, at)), max(own, step)
}

// neighbours reports whether the instructions of b load or store words one after the other.
func neighbours(b ir.Block, size uint64) bool {
	first := b[0].(*ir.Instr)
	for i, x := range b {
		in, ok := x.(*ir.Instr)
		if !ok || in.Op != first.Op || in.Type != first.Type || in.A != first.A || in.B != first.B || in.From != first.From ||
			in.Scale != first.Scale || in.Imm != first.Imm+uint64(i)*size || in.Op == ir.Load && in.Dst == in.B {
			return false
		}
	}
	return true
}

// whole loads or stores n words as one vector, where the text has to ask if base begins at a multiple of 16.
func (w *printer) whole(b ir.Block, name string, base ir.Reg) {
	first := b[0].(*ir.Instr)
	w.cur = first
	at := w.at(first.Pos)
	w.joins++
	v := fmt.Sprintf("gm_vector_%d", w.joins)
	if first.Op == ir.Load {
		if base == 0 {
			w.put("const %s %s = *(const %s *)(%s);%s", name, v, name, w.address(first), at)
		} else {
			w.put("%s %s;%s", name, v, at)
			w.put("if (%s) {", w.begun(base))
			w.put("    %s = *(const %s *)(%s);", v, name, w.address(first))
			w.put("} else {")
			for i, x := range b {
				w.put("    %s.%c = %s;", v, "xyzw"[i], w.load(x.(*ir.Instr)))
			}
			w.put("}")
		}
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
	if base == 0 {
		w.put("*(%s *)(%s) = make_%s(%s);%s", name, w.address(first), name, args, at)
		return
	}
	w.put("if (%s) {%s", w.begun(base), at)
	w.put("    *(%s *)(%s) = make_%s(%s);", name, w.address(first), name, args)
	w.put("} else {")
	w.depth++
	for _, x := range b {
		w.instr(x.(*ir.Instr))
	}
	w.depth--
	w.put("}")
}

// begun asks whether a buffer begins at a multiple of 16.
func (w *printer) begun(base ir.Reg) string { return fmt.Sprintf("((u64)%s & 15) == 0", w.names[base]) }
