package foreign

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"gamma/model/fourier"
	"gamma/model/modular"
	"gamma/props/process"
)

// Sum is for the field RunErr of a props.Reduction: a function of one const array of float and its length that returns a float, or writes it to an array.
func (l *Library) Sum(declaration string) func(x []float32) (float32, error) {
	return sum[float32](l, declaration)
}

// Sum64 is for Run64Err: the same with double.
func (l *Library) Sum64(declaration string) func(x []float64) (float64, error) {
	return sum[float64](l, declaration)
}

// SumStrided is for RunStridedErr: with an increment beside the length, as in float sum(int n, const float *x, int incx).
func (l *Library) SumStrided(declaration string) func(n int, x []float32, incx int) (float32, error) {
	return sumStrided[float32](l, declaration)
}

// SumStrided64 is for Run64StridedErr.
func (l *Library) SumStrided64(declaration string) func(n int, x []float64, incx int) (float64, error) {
	return sumStrided[float64](l, declaration)
}

// Dot is for the field RunErr of a props.Dot: a function of two const arrays of float. Increments, as BLAS has, are 1.
func (l *Library) Dot(declaration string) func(x, y []float32) (float32, error) {
	return dot[float32](l, declaration)
}

// Dot64 is for Run64Err: the same with double.
func (l *Library) Dot64(declaration string) func(x, y []float64) (float64, error) {
	return dot[float64](l, declaration)
}

// DotStrided is for RunStridedErr, as in float cblas_sdot(int n, const float *x, int incx, const float *y, int incy).
func (l *Library) DotStrided(declaration string) func(n int, x []float32, incx int, y []float32, incy int) (float32, error) {
	return dotStrided[float32](l, declaration)
}

// DotStrided64 is for Run64StridedErr.
func (l *Library) DotStrided64(declaration string) func(n int, x []float64, incx int, y []float64, incy int) (float64, error) {
	return dotStrided[float64](l, declaration)
}

// bindAs looks a function up and binds it.
func (l *Library) bindAs(declaration string, w want) *bound {
	f, err := l.function(declaration)
	if err == nil {
		var b *bound
		if b, err = f.bind(w); err == nil {
			return b
		}
	}
	return must(l, (*bound)(nil), err)
}

// scalar is what a function returns one number of.
type scalar interface{ float32 | float64 }

// one runs a function that returns one number.
func one[T scalar](b *bound, n int, strides []int, in ...process.Array) (T, error) {
	var v [1]T
	err := b.run(&arguments{n: n, strides: strides, in: in, out: process.Vector("", v[:])})
	return v[0], err
}

func sum[T scalar](l *Library, declaration string) func(x []T) (T, error) {
	b := l.bindAs(declaration, want{element: reflect.TypeFor[T](), inputs: 1, result: true})
	return func(x []T) (T, error) { return one[T](b, len(x), nil, process.Vector("x", x)) }
}

func sumStrided[T scalar](l *Library, declaration string) func(n int, x []T, incx int) (T, error) {
	b := l.bindAs(declaration, want{element: reflect.TypeFor[T](), inputs: 1, strides: 1, result: true})
	return func(n int, x []T, incx int) (T, error) {
		return one[T](b, n, []int{incx}, process.Vector("x", x))
	}
}

func dot[T scalar](l *Library, declaration string) func(x, y []T) (T, error) {
	b := l.bindAs(declaration, want{element: reflect.TypeFor[T](), inputs: 2, result: true})
	return func(x, y []T) (T, error) {
		return one[T](b, len(x), nil, process.Vector("x", x), process.Vector("y", y))
	}
}

func dotStrided[T scalar](l *Library, declaration string) func(n int, x []T, incx int, y []T, incy int) (T, error) {
	b := l.bindAs(declaration, want{element: reflect.TypeFor[T](), inputs: 2, strides: 2, result: true})
	return func(n int, x []T, incx int, y []T, incy int) (T, error) {
		return one[T](b, n, []int{incx, incy}, process.Vector("x", x), process.Vector("y", y))
	}
}

// SumBits is for RunBitsErr: a function of encodings, const uint16_t *x, that returns one in an unsigned integer, or a float or double.
func (l *Library) SumBits(declaration string) func(x []uint16) (uint64, error) {
	b := l.bindAs(declaration, want{element: reflect.TypeFor[uint16](), inputs: 1, result: true, any: true})
	return func(x []uint16) (uint64, error) { return b.bits(len(x), process.Vector("x", x)) }
}

// DotBits is for RunBitsErr of a props.Dot.
func (l *Library) DotBits(declaration string) func(x, y []uint16) (uint64, error) {
	b := l.bindAs(declaration, want{element: reflect.TypeFor[uint16](), inputs: 2, result: true, any: true})
	return func(x, y []uint16) (uint64, error) {
		return b.bits(len(x), process.Vector("x", x), process.Vector("y", y))
	}
}

// bits runs a function that returns one number, and returns its encoding.
func (b *bound) bits(n int, in ...process.Array) (uint64, error) {
	t := b.Return
	for _, p := range b.Params {
		if p.Array && !p.Const && t == nil {
			t = p.Type
		}
	}
	out := process.Array{Dims: []int{1}, Data: reflect.MakeSlice(reflect.SliceOf(t), 1, 1).Interface()}
	if err := b.run(&arguments{n: n, in: in, out: out}); err != nil {
		return 0, err
	}
	return process.Bits(b.Name, out)
}

// Operation is for the field RunErr of a props.Operation whose rows have in words, as in void two_sum(float *dst, const float *src, size_t rows).
func (l *Library) Operation(declaration string, in int) func(dst, src []float32) error {
	return operation[float32](l, declaration, in)
}

// Operation64 is for Run64Err: the same with double.
func (l *Library) Operation64(declaration string, in int) func(dst, src []float64) error {
	return operation[float64](l, declaration, in)
}

func operation[T scalar](l *Library, declaration string, in int) func(dst, src []T) error {
	b := l.bindAs(declaration, want{element: reflect.TypeFor[T](), inputs: 1})
	return func(dst, src []T) error {
		return b.run(&arguments{n: len(src) / in, in: []process.Array{process.Vector("src", src)}, out: process.Vector("dst", dst)})
	}
}

// Modular is for the field Run of a props.Modular whose claim is c, as in void mul(uint64_t q, uint64_t *dst, const uint64_t *src, size_t rows). Words
// may also be uint32_t, for a claim of at most 32 bits.
func (l *Library) Modular(declaration string, c modular.Claim) func(q uint64, dst, src []uint64) error {
	run, in := l.residues(declaration, c.Bits, modulusNames), len(c.In)
	return func(q uint64, dst, src []uint64) error { return run(dst, src, len(src)/in, int64(q)) }
}

// NTT is for the field Plan of a props.NTT whose claim is c: a function of words, of their number, of the modulus, of the root and of the direction, -1 forward and 1
// inverse, as in int ntt(uint64_t q, uint64_t root, uint64_t *dst, const uint64_t *src, size_t n, int direction). Words are as for Modular. Claim Unchecked, since nothing is
// asked of the function until a transform runs.
func (l *Library) NTT(declaration string, c modular.TransformClaim) func(t modular.Transform) (modular.Transforms, error) {
	run := l.residues(declaration, c.Bits, modulusNames, rootNames, directionNames)
	return func(t modular.Transform) (modular.Transforms, error) {
		return process.Transforms(&c, func(direction int64, dst, src []uint64) error {
			return run(dst, src, t.N, int64(t.Modulus), int64(t.Root), direction)
		}), nil
	}
}

// residues binds a function of words of b bits, which are uint64_t, or uint32_t if b allows it. What it returns takes n, the length, and the further integers: a modulus that
// its parameter cannot hold is refused here, as no caller in C can pass it.
func (l *Library) residues(declaration string, b int, ints ...[]string) func(dst, src []uint64, n int, further ...int64) error {
	f, err := Parse(declaration)
	narrow, most := false, uint64(math.MaxUint64)
	for _, p := range f.Params {
		switch {
		case err != nil:
		case p.Array:
			narrow = narrow || b <= 32 && p.Type.Kind() == reflect.Uint32
		case slices.Contains(modulusNames, strings.ToLower(p.Name)):
			bits := p.Type.Bits()
			if p.Type.Kind() >= reflect.Int && p.Type.Kind() <= reflect.Int64 {
				bits--
			}
			most = math.MaxUint64 >> (64 - bits)
		}
	}
	w := want{element: reflect.TypeFor[uint64](), inputs: 1, ints: ints}
	if narrow {
		w.element = reflect.TypeFor[uint32]()
	}
	of := l.bindAs(declaration, w)
	return func(dst, src []uint64, n int, further ...int64) error {
		c := &arguments{n: n, ints: further, in: []process.Array{process.Vector("src", src)}, out: process.Vector("dst", dst)}
		switch {
		case uint64(further[0]) > most:
			return fmt.Errorf("foreign: the modulus %d is above %d, the greatest that %s can be given", uint64(further[0]), most, of.Name)
		case !narrow:
			return of.run(c)
		}
		in, out := make([]uint32, len(src)), make([]uint32, len(dst))
		for i, v := range src {
			in[i] = uint32(v)
		}
		c.in[0], c.out = process.Vector("src", in), process.Vector("dst", out)
		err := of.run(c)
		for i, v := range out {
			dst[i] = uint64(v)
		}
		return err
	}
}

// FFT is for the field Plan of a props.FFT: a function of complex numbers as pairs of floats, of their number, and of the exponent's sign, -1 or 1, as in
// int fft(float *dst, const float *src, size_t n, int sign). As of all functions whose result is an array, an
// int that is not 0 says that it failed, as for a length that it does not have.
func (l *Library) FFT(declaration string) func(t fourier.Transform) (func(dst, src []complex64) error, error) {
	return fft[float32, complex64](l, declaration)
}

// FFT64 is for Plan64: the same with double.
func (l *Library) FFT64(declaration string) func(t fourier.Transform) (func(dst, src []complex128) error, error) {
	return fft[float64, complex128](l, declaration)
}

func fft[T scalar, C complex64 | complex128](l *Library, declaration string) func(t fourier.Transform) (func(dst, src []C) error, error) {
	b := l.bindAs(declaration, want{element: reflect.TypeFor[T](), inputs: 1, ints: [][]string{signNames}})
	parts := func(name string, v []C) process.Array {
		return process.Vector(name, unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(v))), 2*len(v)))
	}
	return func(t fourier.Transform) (func(dst, src []C) error, error) {
		sign := []int64{-1}
		if t.Sign == fourier.Inverse {
			sign[0] = 1
		}
		return func(dst, src []C) error {
			return b.run(&arguments{n: t.N, ints: sign, in: []process.Array{parts("src", src)}, out: parts("dst", dst)})
		}, nil
	}
}
