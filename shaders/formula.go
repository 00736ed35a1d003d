package shaders

import (
	_ "embed"
	"encoding/binary"
	"slices"

	"gamma/metal"
	"gamma/model"
	"gamma/model/formula"
)

//go:embed group.h
var groupHeader string

// Formula is a kernel whose result a formula describes, with its claim and the code that launches it. That code moves bits and computes nothing.
type Formula struct {
	Program
	// Formula says what dst is: its inputs are those of Arrays, and their axes its sizes.
	Formula *formula.Expr
	// Claim holds for every launch of Launches and every behaviour that Admits allows, with what that flushes.
	Claim formula.Claim
	Out   formula.Type   // of the results; the zero value is the formula's own, binary32 for real numbers
	Min   map[string]int // the least sizes of axes that are claimed; 0 where none is set
	Fixed map[string]int // the only sizes that are claimed

	// Run computes dst with threadgroups of l.Threads, as many as there are rows or tiles. If it fails, dst is unchanged.
	Run func(r *Runner, l model.Launch, a Arrays) error

	// Launches returns launches for n elements of the largest input to try, of one threadgroup; Fits says why the claim does not hold for one.
	Launches func(n int) []model.Launch
	Fits     func(n int, l model.Launch) error

	// Admits, Widths and MaxN are as those of Kernel.
	Admits model.Behaviour
	Widths []int
	MaxN   int

	host func(p Program) func(*Runner, model.Launch, Arrays) error
}

// Of returns f by another program, which takes the same arguments.
func (f Formula) Of(p Program) Formula {
	f.Program, f.Run = p, f.host(p)
	return f
}

// Arrays is what a kernel of a formula runs on: arrays and sizes of axes by their names in the formula, and dst for the result.
type Arrays interface {
	Size(axis string) int
	Float32(name string) []float32
	Encodings(name string) []uint16
	Int8(name string) []int8
	Uint8(name string) []uint8
	Int32(name string) []int32
}

// element is how the numbers of a kernel's arrays lie in memory: inputs and results alike, but for positions among numbers of binary32.
type element struct {
	width int // bytes
	bytes func(a Arrays, name string) []byte
	store func(a Arrays, bytes []byte) // to dst
}

var (
	float32s = element{4, func(a Arrays, name string) []byte { return floatBytes(a.Float32(name)) }, func(a Arrays, bytes []byte) {
		readFloats(a.Float32("dst"), bytes)
	}}
	float16s = element{2, func(a Arrays, name string) []byte { return halfBytes(a.Encodings(name)) }, func(a Arrays, bytes []byte) {
		for i := range a.Encodings("dst") {
			a.Encodings("dst")[i] = binary.LittleEndian.Uint16(bytes[2*i:])
		}
	}}
	positions = element{4, func(a Arrays, name string) []byte {
		if name == "dst" {
			return make([]byte, 4*len(a.Int32(name)))
		}
		return floatBytes(a.Float32(name))
	}, func(a Arrays, bytes []byte) {
		for i := range a.Int32("dst") {
			a.Int32("dst")[i] = int32(uint32At(bytes, i))
		}
	}}
)

// Formulas returns every kernel that a formula describes, source by source.
func Formulas() []Formula {
	return slices.Concat(softmaxes(), onlines(), norms(), activations(), circular(), scans(), products(), quantised(), attentions(), halves(), longConvolutions(), blocks(), simdgroups(), grouped(), sorts())
}

// FindFormula returns the kernel called name, and ok = false if there is none.
func FindFormula(name string) (f Formula, ok bool) {
	for _, f := range Formulas() {
		if f.Name == name {
			return f, true
		}
	}
	return Formula{}, false
}

// describe returns the kernel function of a source, which may include the headers and runs as host says. It has the functions of metal::precise, and
// its compiler may contract.
func describe(file, source, function string, f *formula.Expr, host func(p Program) func(*Runner, model.Launch, Arrays) error) Formula {
	k := Formula{
		Formula: f, Claim: formula.Claim{Functions: formula.MetalPrecise}, Launches: rowGroups, Fits: anyThreads, Admits: anything(), Widths: widths, host: host,
	}
	// Of other roundings and of rewrites a formula's claim says nothing.
	k.Admits.Rounding, k.Admits.Rewrites = model.NearestEven, model.Rewrites{}
	return k.Of(Program{
		Name: "shaders/" + file + "#" + function, Source: source, Function: function, Options: metal.CompileOptions{Headers: Headers()},
	})
}

// inHalf returns the kernel function_half of the source of f, whose inputs and results are binary16 numbers, which it computes with in binary32.
func (f Formula) inHalf(host func(p Program) func(*Runner, model.Launch, Arrays) error) Formula {
	f.Out, f.host = formula.Float(model.Binary16), host
	f.Formula = f.Formula.Replace(func(e *formula.Expr) *formula.Expr {
		if n := e.Node(); n.Op == formula.OpInput {
			return formula.Input(n.Name, f.Out, n.Axes...)
		}
		return nil
	})
	p := f.Program
	p.Name, p.Function = p.Name+"_half", p.Function+"_half"
	return f.Of(p)
}

// both returns the kernels of a function of a source for numbers of binary32 and, as function_half, of binary16.
func both(file, source, function string, e *formula.Expr, host func(e element) func(p Program) func(*Runner, model.Launch, Arrays) error) []Formula {
	f := describe(file, source, function, e, host(float32s))
	return []Formula{f, f.inHalf(host(float16s))}
}

// byRows makes the Run of a shader of rows, as Program.rowsBy does.
func byRows(words []int, inputs ...string) func(e element) func(p Program) func(*Runner, model.Launch, Arrays) error {
	return func(e element) func(p Program) func(*Runner, model.Launch, Arrays) error {
		return func(p Program) func(*Runner, model.Launch, Arrays) error { return p.rowsBy(e, words, inputs) }
	}
}

func rowGroups(int) []model.Launch {
	return []model.Launch{model.Launch1D(1, 1), model.Launch1D(1, 7), model.Launch1D(1, 32), model.Launch1D(1, 96)}
}

// rows runs a shader that takes dst, the inputs, the length of a row and memory for as many numbers as the first input has for every name of more, in that
// order, with a threadgroup for each row and 4 bytes of threadgroup memory a thread.
func (p Program) rows(e element, inputs []string, more ...string) func(*Runner, model.Launch, Arrays) error {
	return p.rowsBy(e, []int{1}, inputs, more...)
}

// rowsBy is rows with arrays of threadgroup memory of so many times 4 bytes a thread.
func (p Program) rowsBy(e element, words []int, inputs []string, more ...string) func(*Runner, model.Launch, Arrays) error {
	return func(r *Runner, l model.Launch, a Arrays) error {
		n := a.Size("n")
		if n == 0 {
			return nil
		}
		x := e.bytes(a, inputs[0])
		l.Groups = model.Size3{X: len(x) / e.width / n, Y: 1, Z: 1}
		tail := []Arg{Uint(n)}
		for _, name := range more {
			tail = append(tail, Arg{Data: &Data{Name: name, Length: len(x)}})
		}
		var shared []int
		for _, w := range words {
			shared = append(shared, 4*w*l.Threads.X)
		}
		return p.compute(e, r, l, a, inputs, shared, tail...)
	}
}

// compute runs a shader that takes dst, the inputs and more, in that order.
func (p Program) compute(e element, r *Runner, l model.Launch, a Arrays, inputs []string, shared []int, more ...Arg) error {
	dst := len(e.bytes(a, "dst"))
	if dst == 0 {
		return nil
	}
	out := Output("dst", dst)
	args := []Arg{{Data: out}}
	for _, name := range inputs {
		in := Input(name, e.bytes(a, name))
		if len(in.Bytes) == 0 {
			in = &Data{Name: name, Length: 4} // there are no empty buffers
		}
		args = append(args, Arg{Data: in})
	}
	err := r.Run(p, Dispatch{Launch: l, Args: append(args, more...), Shared: shared})
	if Completed(err) {
		e.store(a, out.Bytes)
	}
	return err
}
