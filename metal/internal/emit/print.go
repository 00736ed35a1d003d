package emit

import (
	"fmt"
	"slices"
	"strings"

	"gamma/metal"
	"gamma/metal/msl/ir"
	"gamma/metal/msl/rewrite"
	"gamma/model"
)

// Print returns the text of k. An error names the place and what is refused.
//
// Contraction and the algebra of Behaviour.Rewrites are chosen here, by package rewrite, as the simulator's engines have it; what
// is left is printed so strictly that a compiler can choose nothing more. So a kernel gives the same bits on a device as on the
// simulator of that behaviour, library functions aside. Flushing is printed as code, since no compiler's flag says
// whether what is tiny is decided before or after rounding; so it is slow, and exact. Behaviour's Order, ULP and Poison are the
// device's own business and change nothing.
//
// CUDA: the words of Params are the members of the struct that is the one argument. Lane operations take warps of 32 threads, and the
// lanes that are active are followed through the structure of the code by ballots, for MSL's structure to hold though threads
// diverge. At the edge of a grid the threads of a smaller threadgroup are numbered without gaps, as on the simulator.
//
// OpenCL: each word of Params is an argument of its own, in order: buffers as memory objects, threadgroup arguments by their
// length as local memory, the others as ulong. binary64 is needed. Barriers want all threads that are launched: where there are any, the edges
// of a grid that is not a multiple of the threadgroup have to be launched alone, by their global offset and in threadgroups of their own
// size. What stands in the way, and is refused: lane operations and simdgroup_barrier (OpenCL has
// neither their active masks nor a fixed width), and pointers that may point into different address spaces.
//
// Refused in both: orders and equality of pointers that may point to several objects, pointers as bits, and the byte offset of
// such a pointer; textures and samplers; pointers that the host has stored in a buffer. What a kernel logs or asserts is left out. An access outside an object is the kernel's fault; it is not caught.
func Print(k *ir.Kernel, o Options) (p *Program, err error) {
	if o.Dialect > OpenCL {
		return nil, fmt.Errorf("emit: there is no dialect with the number %d; use CUDA or OpenCL", o.Dialect)
	}
	if err := ir.Verify(k); err != nil {
		return nil, err
	}
	b := o.Behaviour
	if b.Rounding != model.NearestEven && b.Rounding != model.TowardZero {
		return nil, fmt.Errorf("emit: %s: kernel %s: MSL does not round by %s; use rne or zero", k.Pos, k.Name, b.Rounding)
	}
	if b.SIMDWidth != 0 && b.SIMDWidth != width {
		return nil, &metal.Refusal{Err: fmt.Errorf("emit: %s: kernel %s: a simdgroup of %d lanes is refused: a warp has %d", k.Pos, k.Name, b.SIMDWidth, width)}
	}
	for _, x := range k.Buffers {
		if x.Texture.Dimensions > 0 || x.Sampler {
			return nil, &metal.Refusal{Err: fmt.Errorf("emit: %s: kernel %s: textures and samplers are refused: %s is a %s, which the simulator has", x.Pos, k.Name, x.Name, x.Type)}
		}
	}
	code, err := rewrite.Apply(k, model.Behaviour{Contract: b.Contract, Rewrites: b.Rewrites, Seed: b.Seed})
	if err != nil {
		return nil, err
	}
	if code != k {
		ir.Optimise(code)
	}
	w := &printer{
		k: code, o: o, ar: ir.ArithOf(b), names: map[ir.Reg]string{}, taken: map[string]bool{}, constants: map[ir.Reg]*ir.Instr{},
		helped: map[string]bool{}, begins: map[ir.Reg]uint64{},
	}
	p, err = w.program()
	if err == nil && slices.ContainsFunc(k.Buffers, func(b ir.Buffer) bool { return b.Resource }) {
		w.refuse(0, "an argument buffer is refused: where the pointers in it point is not known here")
		return nil, w.err
	}
	return p, err
}

// width is the number of lanes of a warp.
const width = 32

// printer holds what is known while a kernel is printed.
type printer struct {
	k  *ir.Kernel
	o  Options
	ar ir.Arith

	names     map[ir.Reg]string
	objects   []string // names of buffers and objects
	arguments []string // of buffers
	taken     map[string]bool
	constants map[ir.Reg]*ir.Instr // registers that only ever hold one constant
	inPlace   map[ir.Reg]bool      // declared where they are written
	points    []set                // of each register, the objects that it may point to
	bare      map[ir.Reg]bool      // binary32 that only arithmetic uses, to which all NaN are one
	begins    map[ir.Reg]uint64    // registers that hold a buffer's first byte, and what the buffer begins at a multiple of
	helped    map[string]bool
	help      strings.Builder // helpers, before the kernel
	body      strings.Builder
	depth     int
	line      int // of the source, last named in a comment
	cur       *ir.Instr
	err       error
	level     []level
	tracked   bool
	joins     int
	apart     int // depth in constructs whose lanes are not followed
}

// refuse notes the first thing that cannot be printed.
func (w *printer) refuse(pos int32, format string, args ...any) {
	if w.err != nil {
		return
	}
	at := w.k.Pos
	if pos > 0 && int(pos) < len(w.k.Places) {
		at = w.k.Places[pos]
	}
	w.err = &metal.Refusal{Err: fmt.Errorf("emit: %s: kernel %s: %s", at, w.k.Name, fmt.Sprintf(format, args...))}
}

func (w *printer) cuda() bool { return w.o.Dialect == CUDA }

// put writes a line.
func (w *printer) put(format string, args ...any) {
	w.body.WriteString(strings.Repeat("    ", w.depth))
	fmt.Fprintf(&w.body, format, args...)
	w.body.WriteByte('\n')
}

// at is the comment that names the place, if it is on another line than the last.
func (w *printer) at(pos int32) string {
	if pos <= 0 || int(pos) >= len(w.k.Places) || w.k.Places[pos].Line == w.line {
		return ""
	}
	p := w.k.Places[pos]
	w.line = p.Line
	return fmt.Sprintf(" // %s:%d:%d", clean(p.File), p.Line, p.Column)
}

// clean makes a text fit for a comment.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '\\' || r > '~' {
			return '_'
		}
		return r
	}, s)
}

// helper adds a helper's text once.
func (w *printer) helper(name, text string) {
	if !w.helped[name] {
		w.helped[name] = true
		w.help.WriteString("\n" + text)
	}
}

func (w *printer) program() (*Program, error) {
	w.name()
	w.follow()
	lanes, barriers, fenced := false, false, false
	w.k.Body.Each(func(in *ir.Instr) {
		fenced = fenced || fences(in)
		barriers = barriers || in.Op == ir.Barrier
		lanes = lanes || ir.Ops[in.Op].Effect == ir.Lanes || in.Op == ir.SimdBarrier
	})
	w.tracked = lanes
	if lanes && !w.cuda() {
		w.k.Body.Each(func(in *ir.Instr) {
			if ir.Ops[in.Op].Effect == ir.Lanes || in.Op == ir.SimdBarrier {
				w.refuse(in.Pos, "%s is refused in %s, which has neither the active lanes of MSL nor a simdgroup of fixed width", in.Op, w.o.Dialect)
			}
		})
	}
	p := &Program{Entry: w.o.Entry, Barriers: barriers}
	if p.Entry == "" {
		p.Entry = identifier(w.k.Name)
		if reserved(p.Entry) {
			p.Entry += "_"
		}
	}
	if w.cuda() {
		p.Flags = []string{"--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"}
	} else if p.Flags = []string{"-cl-std=CL1.2"}; fenced { // version 1.2 has no scopes
		p.Flags[0] = "-cl-std=CL3.0"
	}
	w.depth = 1
	w.inputs(barriers)
	w.declare()
	if w.tracked {
		w.put("i32 gm_left = 0; // label + 1 of what is being left")
		w.put("u32 gm_lanes = gm_threads - gm_thread / 32 * 32 < 32 ? (1u << (gm_threads - gm_thread / 32 * 32)) - 1 : 0xffffffffu;")
		w.level = []level{{mask: "gm_lanes"}}
	}
	w.block(w.k.Body)
	if w.err != nil {
		return nil, w.err
	}
	w.assemble(p)
	return p, w.err
}

// assemble joins the parts of the text.
func (w *printer) assemble(p *Program) {
	var s strings.Builder
	fmt.Fprintf(&s, "// Kernel %s of %s, printed as %s by Gamma.\n// Behaviour: %s\n\n", clean(w.k.Name), clean(w.k.Pos.String()), w.o.Dialect, w.o.Behaviour)
	if w.cuda() {
		s.WriteString(typesCUDA)
	} else {
		s.WriteString(typesOpenCL)
	}
	s.WriteString(w.help.String() + "\n")
	var args []string
	word := func(kind ParamKind, i int, name, comment string) {
		p.Params = append(p.Params, Param{Kind: kind, Index: i})
		switch {
		case w.cuda() && kind == BufferAddress:
			args = append(args, fmt.Sprintf("    char *%s; // %s", name, comment))
		case w.cuda():
			args = append(args, fmt.Sprintf("    u64 %s; // %s", name, comment))
		case kind == BufferAddress:
			args = append(args, "    __global char *"+name)
		case kind == ThreadgroupOffset:
			args = append(args, "    __local char *"+name)
		default:
			args = append(args, "    ulong "+name)
		}
	}
	for i, b := range w.k.Buffers {
		if b.Space == ir.Threadgroup {
			word(ThreadgroupOffset, i, w.arguments[i], "byte of dynamic threadgroup memory")
		} else {
			word(BufferAddress, i, w.arguments[i], clean(b.Type))
		}
	}
	for a := range 3 {
		word(GridThreads, a, "grid_"+axes[a], "threads of the grid")
	}
	for a := range 3 {
		word(Threadgroups, a, "groups_"+axes[a], "threadgroups of the grid")
	}
	for a := range 3 {
		word(ThreadsPerThreadgroup, a, "group_"+axes[a], "threads of a threadgroup, nominally")
	}
	for a := range 3 {
		word(GridOrigin, a, "origin_"+axes[a], "of the grid")
	}
	if w.cuda() {
		word(Whole, 0, "whole", "1: no threadgroup is smaller")
	}
	n := len(w.k.Buffers)
	for i, o := range w.k.Objects {
		name := w.objects[n+i]
		if o.Space != ir.Constant {
			continue
		}
		qualifier := "static __device__ __constant__ __align__(%d) unsigned char %s[%d] = {"
		if !w.cuda() {
			qualifier = "__constant __attribute__((aligned(%d))) uchar %s[%d] = {"
		}
		fmt.Fprintf(&s, qualifier, max(o.Align, 8), name, max(o.Size, 1))
		for j, b := range o.Data {
			if j%16 == 0 {
				s.WriteString("\n    ")
			}
			fmt.Fprintf(&s, "%d, ", b)
		}
		if o.Size == 0 {
			s.WriteString("0")
		}
		s.WriteString("\n};\n")
	}
	most := w.k.MaxThreads
	if most == 0 || most > 1024 {
		most = 1024
	}
	if w.cuda() {
		fmt.Fprintf(&s, "struct gm_arguments {\n%s\n};\n\n", strings.Join(args, "\n"))
		fmt.Fprintf(&s, "extern \"C\" __global__ void __launch_bounds__(%d) %s(const gm_arguments gm)\n{\n", most, p.Entry)
	} else {
		fmt.Fprintf(&s, "__kernel void %s(\n%s)\n{\n", p.Entry, strings.Join(args, ",\n"))
	}
	s.WriteString(w.body.String() + "}\n")
	p.Text = s.String()
	at := 0
	for _, o := range w.k.Objects {
		if o.Space == ir.Threadgroup {
			a := max(o.Align, 16)
			at = (at+a-1)/a*a + o.Size
		}
	}
	p.Static = at
}

var axes = [3]string{"x", "y", "z"}
