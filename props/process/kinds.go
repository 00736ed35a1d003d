package process

import (
	"fmt"
	"math"

	"gamma/model/fourier"
	"gamma/model/modular"
	"gamma/props/internal/verdict"
	"gamma/props/judge"
)

// one calls a function that returns a number, given as an array without dimensions or of one element.
func one[T Element](p *Process, function string, in ...Array) (T, error) {
	var v [1]T
	err := p.Call(function, in, Array{Data: v[:]})
	return v[0], err
}

// Sum is for the field RunErr of a props.Reduction: the function gets x and returns a number of its type.
func (p *Process) Sum(function string) func(x []float32) (float32, error) {
	return func(x []float32) (float32, error) { return one[float32](p, function, Vector("x", x)) }
}

// Sum64 is for Run64Err.
func (p *Process) Sum64(function string) func(x []float64) (float64, error) {
	return func(x []float64) (float64, error) { return one[float64](p, function, Vector("x", x)) }
}

// SumBits is for RunBitsErr: the function gets encodings, and returns one, or a number of binary32 or binary64.
func (p *Process) SumBits(function string) func(x []uint16) (uint64, error) {
	return func(x []uint16) (uint64, error) { return p.bits(function, Vector("x", x)) }
}

// SumStrided is for RunStridedErr: the function gets n, x and incx.
func (p *Process) SumStrided(function string) func(n int, x []float32, incx int) (float32, error) {
	return func(n int, x []float32, incx int) (float32, error) {
		return one[float32](p, function, Number("n", int64(n)), Vector("x", x), Number("incx", int64(incx)))
	}
}

// Dot is for the field RunErr of a props.Dot: the function gets x and y and returns a number of their type.
func (p *Process) Dot(function string) func(x, y []float32) (float32, error) {
	return func(x, y []float32) (float32, error) {
		return one[float32](p, function, Vector("x", x), Vector("y", y))
	}
}

// Dot64 is for Run64Err.
func (p *Process) Dot64(function string) func(x, y []float64) (float64, error) {
	return func(x, y []float64) (float64, error) {
		return one[float64](p, function, Vector("x", x), Vector("y", y))
	}
}

// DotBits is for RunBitsErr, as SumBits is.
func (p *Process) DotBits(function string) func(x, y []uint16) (uint64, error) {
	return func(x, y []uint16) (uint64, error) { return p.bits(function, Vector("x", x), Vector("y", y)) }
}

// bits calls a function that returns one number, and returns its encoding.
func (p *Process) bits(function string, in ...Array) (bits uint64, err error) {
	err = p.call(function, in, func(got []Array) error {
		if len(got) != 1 {
			return verdict.Spoilt("%s returned %d arrays, and not one number", function, len(got))
		}
		bits, err = Bits(function, got[0])
		return err
	})
	return bits, err
}

// Bits returns the encoding that a function returned: a number in an unsigned integer, or a binary32 or binary64 number.
func Bits(function string, a Array) (uint64, error) {
	if n := count(a.Data); n != 1 {
		return 0, verdict.Spoilt("%s returned %d numbers, and not one", function, n)
	}
	switch v := a.Data.(type) {
	case []uint8:
		return uint64(v[0]), nil
	case []uint16:
		return uint64(v[0]), nil
	case []uint32:
		return uint64(v[0]), nil
	case []uint64:
		return v[0], nil
	case []float32:
		return uint64(math.Float32bits(v[0])), nil
	case []float64:
		return math.Float64bits(v[0]), nil
	}
	is, _, _ := code(a.Data)
	return 0, verdict.Spoilt("%s returned a number of type %s, and not an encoding in u1, u2, u4 or u8, or a number in f4 or f8", function, is)
}

// Operation is for the field RunErr of a props.Operation whose rows have in words and give out: the function gets an array of rows, and returns one.
func (p *Process) Operation(function string, in, out int) func(dst, src []float32) error {
	return rows[float32](p, function, in, out)
}

// Operation64 is for Run64Err.
func (p *Process) Operation64(function string, in, out int) func(dst, src []float64) error {
	return rows[float64](p, function, in, out)
}

func rows[T Element](p *Process, function string, in, out int) func(dst, src []T) error {
	return func(dst, src []T) error {
		return p.Call(function, []Array{{"src", []int{len(src) / in, in}, src}}, Array{Dims: []int{len(dst) / out, out}, Data: dst})
	}
}

// Modular is for the field Run of a props.Modular whose claim is c: the function gets the modulus and an array of rows, and returns one.
func (p *Process) Modular(function string, c modular.Claim) func(q uint64, dst, src []uint64) error {
	in, out := len(c.In), len(c.Out)
	return func(q uint64, dst, src []uint64) error {
		return p.Call(function, []Array{Number("q", q), {"src", []int{len(src) / in, in}, src}}, Array{Dims: []int{len(dst) / out, out}, Data: dst})
	}
}

// FFT is for the field Plan of a props.FFT: the function gets src and the sign of the exponent, -1 or 1, and returns as many numbers, scaled as the
// claim says.
func (p *Process) FFT(function string) func(t fourier.Transform) (func(dst, src []complex64) error, error) {
	return fft[complex64](p, function)
}

// FFT64 is for Plan64.
func (p *Process) FFT64(function string) func(t fourier.Transform) (func(dst, src []complex128) error, error) {
	return fft[complex128](p, function)
}

func fft[T Element](p *Process, function string) func(t fourier.Transform) (func(dst, src []T) error, error) {
	return func(t fourier.Transform) (func(dst, src []T) error, error) {
		sign := int64(-1)
		if t.Sign == fourier.Inverse {
			sign = 1
		}
		return func(dst, src []T) error {
			return p.Call(function, []Array{Vector("src", src), Number("sign", sign)}, Vector("dst", dst))
		}, nil
	}
}

// NTT is for the field Plan of a props.NTT whose claim is c: the function gets the modulus, the root, src and the direction, -1 forward and 1 inverse, and returns as many words. Claim
// Unchecked, since nothing is asked of the program until a transform runs.
func (p *Process) NTT(function string, c modular.TransformClaim) func(t modular.Transform) (modular.Transforms, error) {
	return func(t modular.Transform) (modular.Transforms, error) {
		return Transforms(&c, func(direction int64, dst, src []uint64) error {
			return p.Call(function, []Array{Number("q", t.Modulus), Number("root", t.Root), Vector("src", src), Number("direction", direction)}, Vector("dst", dst))
		}), nil
	}
}

// Transforms returns what a claim offers of a kernel that takes the direction, -1 forward and 1 inverse.
func Transforms(c *modular.TransformClaim, run func(direction int64, dst, src []uint64) error) (of modular.Transforms) {
	if c.Forward.Offered() {
		of.Forward = func(dst, src []uint64) error { return run(-1, dst, src) }
	}
	if c.Inverse.Offered() {
		of.Inverse = func(dst, src []uint64) error { return run(1, dst, src) }
	}
	return of
}

// KernelStrided is for the field Call of a props.Kernel with this field Strided. An array of Strided is passed as it lies, without shape, and so is dst, after the inputs, if it is one of them.
// At last come the layouts of these arrays, in that order: the size of each axis, and then how many elements lie from one element to its neighbour along each. The function returns the result, where dst
// is strided with the elements between as they were.
func (p *Process) KernelStrided(function string, strided map[string]string) func(c *judge.KernelCall) error {
	return func(c *judge.KernelCall) error {
		var in, apart []Array
		var dst Array
		for _, name := range append(c.Inputs(), "dst") {
			a := Array{Name: name, Dims: []int{count(c.Array(name))}, Data: c.Array(name)}
			_, is := strided[name]
			if is {
				var sizes, strides []int64
				for _, axis := range c.Axes(name) {
					sizes, strides = append(sizes, int64(c.Size(axis))), append(strides, int64(c.Stride(name, axis)))
				}
				apart = append(apart, Vector("layout_"+name, append(sizes, strides...)))
			} else if shaped, err := Shaped(c, name); err != nil {
				return err
			} else {
				a = shaped
			}
			if name == "dst" {
				dst = a
			}
			if is || name != "dst" {
				in = append(in, a)
			}
		}
		return p.Call(function, append(in, apart...), dst)
	}
}

// Kernel is for the field Call of a props.Kernel: the function gets the inputs of the formula, in its order and shaped by its axes, and returns the
// result. It is not for kernels with the field Strided.
func (p *Process) Kernel(function string) func(c *judge.KernelCall) error {
	return func(c *judge.KernelCall) error {
		var in []Array
		for _, name := range c.Inputs() {
			a, err := Shaped(c, name)
			if err != nil {
				return err
			}
			in = append(in, a)
		}
		dst, err := Shaped(c, "dst")
		if err != nil {
			return err
		}
		return p.Call(function, in, dst)
	}
}

// Shaped returns an array of a call in its shape.
func Shaped(c *judge.KernelCall, name string) (Array, error) {
	a := Array{Name: name, Data: c.Array(name)}
	size := 1
	for _, axis := range c.Axes(name) {
		a.Dims = append(a.Dims, c.Size(axis))
		size *= c.Size(axis)
	}
	if n := count(a.Data); n != size {
		return a, fmt.Errorf("process: %s is strided, with %d elements for a shape of %v; use KernelStrided", name, n, a.Dims)
	}
	return a, nil
}
