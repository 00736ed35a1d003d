package emit

import (
	"fmt"
	"slices"
	"strings"

	"gamma/metal/msl/ir"
)

// arg is a word of the kernel's argument.
func (w *printer) arg(name string) string {
	if w.cuda() {
		return "gm." + name
	}
	return name
}

// word32 is a word of the argument as u32.
func (w *printer) word32(name string, axis int) string {
	return "(u32)" + w.arg(name+"_"+axes[axis])
}

// inputs prints what threads are told: the actual size of the threadgroup, the thread's place in it, buffers and inputs.
func (w *printer) inputs(barriers bool) {
	w.helper("gm_least", "GM_FN u32 gm_least(u32 a, u32 b) { return b < a ? b : a; }\n")
	if w.cuda() {
		w.placesCUDA()
	} else {
		w.placesOpenCL(barriers)
	}
	for i, b := range w.k.Buffers {
		name, value := w.names[b.Reg], w.arg(w.arguments[i])
		if b.Space == ir.Threadgroup && w.cuda() {
			value = "gm_dynamic + " + value
			if b.Optional {
				value = fmt.Sprintf("%s == ~0ull ? (char *)0 : %s", w.arg(w.arguments[i]), value)
			}
			w.helper("gm_dynamic", "extern __shared__ __align__(16) char gm_dynamic[];\n")
		}
		if w.objects[i] != name {
			q := "__global "
			if b.Space == ir.Threadgroup {
				q = "__local "
			}
			if w.cuda() {
				q = ""
			}
			w.put("%schar *const %s = %s;", q, w.objects[i], value)
			value = w.objects[i]
		}
		w.put("%schar *%s = %s; // %s", w.qualifier(b.Reg), name, value, clean(b.Type))
	}
	for _, in := range w.k.Inputs {
		w.put("%s %s = (%s)(%s); // %s", w.k.Regs[in.Reg], w.names[in.Reg], w.k.Regs[in.Reg], w.input(in), in.Kind)
	}
	for i, o := range w.k.Objects {
		name := w.objects[len(w.k.Buffers)+i]
		align, n := max(o.Align, 8), max(o.Size, 1)
		switch {
		case o.Space == ir.Threadgroup && w.cuda():
			w.put("__shared__ __align__(%d) char %s[%d];", max(align, 16), name, n)
		case o.Space == ir.Threadgroup:
			w.put("__local char %s[%d] __attribute__((aligned(%d)));", name, n, max(align, 16))
		case o.Space == ir.Thread && w.cuda():
			w.put("__align__(%d) char %s[%d];", align, name, n)
		case o.Space == ir.Thread:
			w.put("char %s[%d] __attribute__((aligned(%d)));", name, n, align)
		}
	}
}

// placesCUDA prints the place and the size of the threadgroup and the place of the thread. Most grids have no threadgroups that are smaller
// than the others; then there is hardly anything to do.
func (w *printer) placesCUDA() {
	for a, x := range axes {
		w.put("const u32 gm_g%s = blockIdx.%s;", x, x)
		w.put("u32 gm_s%s = %s, gm_t%s = threadIdx.%s;", x, w.word32("group", a), x, x)
	}
	w.put("const u32 gm_thread = gm_tx + gm_sx * (gm_ty + gm_sy * gm_tz);")
	w.put("if (gm.whole == 0) { // it may be at an edge of the grid")
	w.depth++
	for a, x := range axes {
		w.put("gm_s%s = gm_least(%s, %s - gm_g%s * %s);", x, w.word32("group", a), w.word32("grid", a), x, w.word32("group", a))
	}
	w.put("if (gm_thread >= gm_sx * gm_sy * gm_sz) return; // beyond the grid")
	w.renumber()
	w.depth--
	w.put("}")
	w.put("const u32 gm_threads = gm_sx * gm_sy * gm_sz;")
}

// placesOpenCL is placesCUDA in OpenCL, where a kernel with barriers is launched for edges alone.
func (w *printer) placesOpenCL(barriers bool) {
	for a, x := range axes {
		group := w.word32("group", a)
		// Not get_group_id, for an edge of the grid may be launched alone, with an offset.
		w.put("const u32 gm_g%s = (u32)((get_global_id(%d) - get_local_id(%d)) / %s);", x, a, a, group)
		w.put("const u32 gm_s%s = gm_least(%s, %s - gm_g%s * %s);", x, group, w.word32("grid", a), x, group)
	}
	w.put("const u32 gm_threads = gm_sx * gm_sy * gm_sz;")
	local := func(a int) string { return fmt.Sprintf("(u32)get_local_id(%d)", a) }
	w.put("const u32 gm_thread = %s + (u32)get_local_size(0) * (%s + (u32)get_local_size(1) * %s);", local(0), local(1), local(2))
	if !barriers {
		w.put("if (gm_thread >= gm_threads) return; // beyond the grid")
	}
	for a, x := range axes {
		w.put("u32 gm_t%s = %s;", x, local(a))
	}
	w.renumber()
}

// renumber numbers the threads of a smaller threadgroup without gaps.
func (w *printer) renumber() {
	w.put("if (gm_sx != %s || gm_sy != %s) { // at the edge of the grid", w.word32("group", 0), w.word32("group", 1))
	w.put("    gm_tx = gm_thread %% gm_sx;")
	w.put("    gm_ty = gm_thread / gm_sx %% gm_sy;")
	w.put("    gm_tz = gm_thread / (gm_sx * gm_sy);")
	w.put("}")
}

// inputForms are the values of inputs. {x} stands for the axis; {group}, {grid}, {groups} and {origin} for the words of the argument for that axis,
// and {threads} for the threads of a whole threadgroup.
var inputForms = [ir.NumInputs]struct {
	text string
	simd bool // it needs simdgroups of a fixed width, which OpenCL has not
}{
	ir.ThreadPositionInGrid:             {text: "gm_g{x} * {group} + gm_t{x}"},
	ir.ThreadPositionInThreadgroup:      {text: "gm_t{x}"},
	ir.ThreadgroupPositionInGrid:        {text: "gm_g{x}"},
	ir.ThreadsPerGrid:                   {text: "{grid}"},
	ir.ThreadgroupsPerGrid:              {text: "{groups}"},
	ir.ThreadsPerThreadgroup:            {text: "gm_s{x}"},
	ir.DispatchThreadsPerThreadgroup:    {text: "{group}"},
	ir.GridOrigin:                       {text: "{origin}"},
	ir.GridSize:                         {text: "{grid}"},
	ir.ThreadIndexInThreadgroup:         {text: "gm_thread"},
	ir.ThreadIndexInSimdgroup:           {text: "gm_thread & 31u", simd: true},
	ir.SimdgroupIndexInThreadgroup:      {text: "gm_thread >> 5", simd: true},
	ir.SimdgroupsPerThreadgroup:         {text: "(gm_threads + 31u) / 32u", simd: true},
	ir.DispatchSimdgroupsPerThreadgroup: {text: "({threads} + 31u) / 32u", simd: true},
	ir.ThreadsPerSimdgroup:              {text: "32u", simd: true},
	ir.ThreadIndexInQuadgroup:           {text: "gm_thread & 3u"},
	ir.QuadgroupIndexInThreadgroup:      {text: "gm_thread >> 2"},
	ir.QuadgroupsPerThreadgroup:         {text: "(gm_threads + 3u) / 4u"},
	ir.DispatchQuadgroupsPerThreadgroup: {text: "({threads} + 3u) / 4u"},
	ir.MatrixPlaceBefore:                {text: "gm_matrix_place(gm_thread - 1u)", simd: true},
	ir.MatrixWord:                       {text: fmt.Sprintf("%du", ir.MatrixLayout{}.Word()), simd: true},
}

// input is the value of an input.
func (w *printer) input(in ir.Input) string {
	form := inputForms[in.Kind]
	if form.simd && !w.cuda() {
		w.refuse(0, "%s is refused in %s, where no simdgroup has a fixed width", in.Kind, w.o.Dialect)
	}
	if in.Kind == ir.MatrixPlaceBefore {
		w.helper("gm_matrix_place", matrixPlace())
	}
	word := func(name string) string { return w.word32(name, in.Axis) }
	threads := fmt.Sprintf("%s * %s * %s", w.word32("group", 0), w.word32("group", 1), w.word32("group", 2))
	return strings.NewReplacer("{x}", axes[in.Axis], "{group}", word("group"), "{grid}", word("grid"), "{groups}", word("groups"),
		"{origin}", word("origin"), "{threads}", threads).Replace(form.text)
}

// matrixPlace is a function of the lane that gives ir.MatrixLayout.Place.
func matrixPlace() string {
	var terms []string
	for bit := range 5 {
		lane := slices.IndexFunc([]int{1, 2, 4, 8, 16}, func(lane int) bool { return ir.MatrixLayout{}.Place(lane) == 1<<bit })
		terms = append(terms, fmt.Sprintf("(lane >> %d & 1u) << %d", lane, bit))
	}
	return "GM_FN u32 gm_matrix_place(u32 lane) { return " + strings.Join(terms, " | ") + "; }\n"
}

// ctype is the type of a register.
func (w *printer) ctype(r ir.Reg) string {
	if t := w.k.Regs[r]; t != ir.Ptr {
		return t.String()
	}
	return w.qualifier(r) + "char *"
}

// declare declares the registers that are not declared where they are written.
func (w *printer) declare() {
	given := map[ir.Reg]bool{}
	for _, b := range w.k.Buffers {
		given[b.Reg] = true
	}
	for _, in := range w.k.Inputs {
		given[in.Reg] = true
	}
	used := map[ir.Reg]bool{}
	w.k.Body.Each(func(in *ir.Instr) { used[in.Dst], used[in.Dst2] = true, true })
	for r := range w.k.Regs {
		x := ir.Reg(r)
		if r == 0 || given[x] || !used[x] || w.inPlace[x] || w.constants[x] != nil {
			continue
		}
		w.put("%s %s;", w.ctype(x), w.names[x])
	}
}
