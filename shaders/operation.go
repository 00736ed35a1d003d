package shaders

import (
	_ "embed"
	"fmt"
	"math"

	"gamma/metal"
	"gamma/model"
	"gamma/model/word"
)

var (
	//go:embed eft.h
	eftHeader string
	//go:embed dd.h
	ddHeader string
)

// Operation is an operation on words on a device, with its claim and the code that launches it. The claim holds for every launch
// that Fits and every behaviour that Admits allows, in the arithmetic of the behaviour.
type Operation struct {
	Program
	Claim word.Claim
	// Admits, Strict and Widths are as in Kernel.
	Admits model.Behaviour
	Strict bool
	Widths []int
	// Host, if not nil, runs a batch with other arguments than those of Program.Operate.
	Host func(r *Runner, l model.Launch, dst, src []float32) error
}

// Operations returns every operation, source by source.
func Operations() []Operation {
	return append(append(append(transforms(), doubleWords()...), complexes()...), convolutions()...)
}

// FindOperation returns the operation called name, and ok = false if there is none.
func FindOperation(name string) (o Operation, ok bool) {
	for _, o := range Operations() {
		if o.Name == name {
			return o, true
		}
	}
	return Operation{}, false
}

// Run computes the rows of src into dst.
//
// Shape:   len(src) = rows·Claim.Op.In() and len(dst) = rows·Claim.Op.Out().
// Alias:   any: the device has copies. If it fails, dst is unchanged.
func (o Operation) Run(r *Runner, l model.Launch, dst, src []float32) error {
	in, out := o.Claim.Op.In(), o.Claim.Op.Out()
	rows := len(src) / in
	if len(src) != rows*in || len(dst) != rows*out {
		return fmt.Errorf("%s: %d words of operands and %d of results are not rows of %d and %d", o.Name, len(src), len(dst), in, out)
	}
	if err := o.fits(o.Fits(rows, l)); err != nil || rows == 0 {
		return err
	}
	if o.Host != nil {
		return o.Host(r, l, dst, src)
	}
	bytes, err := o.Operate(r, l, rows, 4*len(dst), floatBytes(src))
	if Completed(err) {
		readFloats(dst, bytes)
	}
	return err
}

// Fits returns an error if a launch cannot run the given number of rows.
func (o Operation) Fits(rows int, l model.Launch) error { return enoughThreads(rows, l) }

// Launches returns launches to try for the given number of rows, the smallest first.
func (o Operation) Launches(rows int) []model.Launch {
	var list []model.Launch
	for _, w := range []int{32, 1, 7, 256} {
		if g := max((rows+w-1)/w, 1); g <= 64 {
			list = append(list, model.Launch1D(g, w))
		}
	}
	// One threadgroup too many: its threads have no row.
	return append(list, model.Launch1D((rows+31)/32+1, 32))
}

// Operate runs n rows with a kernel that takes the arguments of eft_two_sum: the operands, results bytes of results and n in
// buffers 0 to 2. It returns the results.
func (p Program) Operate(r *Runner, l model.Launch, n, results int, operands []byte) ([]byte, error) {
	if err := p.counts(n); err != nil {
		return nil, err
	}
	z := Output("z", results)
	err := r.Run(p, Dispatch{Launch: l, Args: []Arg{{Data: Input("x", operands)}, {Data: z}, Uint(n)}})
	return z.Bytes, err
}

// readFloats fills dst from what a device stored.
func readFloats(dst []float32, bytes []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(uint32At(bytes, i))
	}
}

// Headers returns, by name, the headers that sources may include: eft.h and dd.h to compute with words, group.h to join the threads of a threadgroup, trig.h for sines and cosines.
func Headers() map[string]string {
	return map[string]string{"eft.h": eftHeader, "dd.h": ddHeader, "group.h": groupHeader, "trig.h": trigHeader}
}

// operation returns the operation of a function of a source in file, which may include the headers.
func operation(file, source, function, name string, c word.Claim) Operation {
	return Operation{
		Program: Program{
			Name: "shaders/" + file + "#" + name, Source: source, Function: function,
			Options: metal.CompileOptions{Headers: Headers()},
		},
		Claim: c, Admits: anything(), Strict: true, Widths: widths,
	}
}

// exactly returns the claim of an algorithm, bit for bit.
func exactly(algorithm string, op word.Op) word.Claim {
	return word.Claim{Op: op, Algorithm: algorithm, Exact: true}
}
