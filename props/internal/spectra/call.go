package spectra

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"gamma/corpus"
	"gamma/model/fourier"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// Call is one call of a transform: Rows transforms, one after the other. Its arrays are called "dst" and "src", of which a kernel must neither
// keep one nor change src, unless they are one. How numbers lie in a row is said by the claim: its Layout, and the words of its numbers.
type Call struct {
	fourier.Transform
	Rows     int
	name     string
	dst, src any
}

// array returns an array by its name.
func array[T float32 | float64](c *Call, name string) []T {
	a := c.src
	switch name {
	case "dst":
		a = c.dst
	case "src":
	default:
		panic(fmt.Sprintf("props: a call of %s has the arrays dst and src, and not %q", c.name, name))
	}
	v, ok := a.([]T)
	if !ok {
		panic(fmt.Sprintf("props: %s of %s is a %T, and not a %T", name, c.name, a, v))
	}
	return v
}

// Float32 returns an array of binary32 numbers.
func (c *Call) Float32(name string) []float32 { return array[float32](c, name) }

// Float64 returns an array of binary64 numbers.
func (c *Call) Float64(name string) []float64 { return array[float64](c, name) }

// Complex64 returns an array of interleaved binary32 numbers.
func (c *Call) Complex64(name string) []complex64 {
	v := array[float32](c, name)
	return unsafe.Slice((*complex64)(unsafe.Pointer(unsafe.SliceData(v))), len(v)/2)
}

// Complex128 returns an array of interleaved binary64 numbers.
func (c *Call) Complex128(name string) []complex128 {
	v := array[float64](c, name)
	return unsafe.Slice((*complex128)(unsafe.Pointer(unsafe.SliceData(v))), len(v)/2)
}

// side is how the numbers of one side of a transform lie in memory.
type side struct {
	fourier.Number
	layout fourier.Layout
	n      int // of the transform
	count  int // numbers
	real   bool
	half   bool // values 0 … ⌊n/2⌋ of a conjugate-even spectrum
}

// sides returns those of the input and of the result.
func sides(c *fourier.Claim, t fourier.Transform) (in, out side) {
	in = side{c.In, c.Layout, t.N, t.In(), t.Data == fourier.RealInput, t.Data == fourier.RealOutput}
	out = side{c.Out, c.Layout, t.N, t.Out(), t.Data == fourier.RealOutput, t.Data == fourier.RealInput}
	return in, out
}

// parts returns how many parts of numbers a row has.
func (s side) parts() int {
	switch {
	case s.real, s.half && s.layout == fourier.HalfComplex:
		return s.n
	}
	return 2 * s.count
}

// row returns how many words a row has.
func (s side) row() int { return s.parts() * s.Words }

// at returns where a part of number k lies in a row, -1 if it has no place since it is 0.
func (s side) at(k, part int) int {
	switch {
	case s.real && part == 1:
		return -1
	case s.real:
		return k
	case s.half && s.layout == fourier.HalfComplex:
		if part == 0 {
			return k
		}
		if k == 0 || 2*k == s.n {
			return -1
		}
		return s.n - k
	case s.layout == fourier.Split:
		return part*s.count + k
	}
	return 2*k + part
}

// values are numbers of rows: their parts, and of double words the second words, or nil. Each has so many numbers a row.
type values [4][]float64

// pack writes rows of numbers as words; x has stride numbers a row.
func (s side) pack(dst []uint64, x *values, rows, stride int) {
	for row := range rows {
		for k := range s.count {
			for part := range 2 {
				at := s.at(k, part)
				if at < 0 {
					continue
				}
				for w := range s.Words {
					dst[row*s.row()+at*s.Words+w] = s.bits(x[part+2*w][row*stride+k])
				}
			}
		}
	}
}

// unpack reads words as rows of numbers.
func (s side) unpack(x *values, src []uint64, rows int) {
	for i := range 2 * s.Words {
		x[i] = draw.Grow(x[i], rows*s.count)
	}
	for i := 2 * s.Words; i < len(x); i++ {
		x[i] = nil
	}
	for row := range rows {
		for k := range s.count {
			for part := range 2 {
				at := s.at(k, part)
				for w := range s.Words {
					v := 0.0
					if at >= 0 {
						v = s.value(src[row*s.row()+at*s.Words+w])
					}
					x[part+2*w][row*s.count+k] = v
				}
			}
		}
	}
}

func (s side) bits(v float64) uint64 {
	if s.Format.Bits() == 32 {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

func (s side) value(b uint64) float64 {
	if s.Format.Bits() == 32 {
		return float64(math.Float32frombits(uint32(b)))
	}
	return math.Float64frombits(b)
}

// request is what a kernel is asked for.
type request struct {
	at      verdict.Setting
	t       fourier.Transform
	rows    int
	seed    uint64 // says where the arrays lie
	aliased bool   // dst is src
}

// work runs a kernel once, on words as they lie in memory.
type work func(q request, dst, src []uint64) error

// lent is an array that a kernel is lent.
type lent struct {
	of   any
	read func(dst []uint64)
}

// lend lends an array of words of a side: src, or if that is nil one of n words to be written, which hold junk.
func lend[T float32 | float64](l *engine.Lending, what string, src []uint64, n, at int, of func(uint64) T, bits func(T) uint64, junk *uint64, both bool) lent {
	var v []T
	if src != nil && !both {
		list := make([]T, len(src))
		for i, b := range src {
			list[i] = of(b)
		}
		v = engine.Lend(l, "number", what, list, at)
	} else {
		v = engine.LendResult[T](l, "number", what, n, at)
		for i := range v {
			if both {
				v[i] = of(src[i])
				continue
			}
			*junk++
			v[i] = of(draw.Mix(*junk))
		}
	}
	return lent{v, func(dst []uint64) {
		for i, x := range v {
			dst[i] = bits(x)
		}
	}}
}

func float32Of(b uint64) float32   { return math.Float32frombits(uint32(b)) }
func bits32Of(v float32) uint64    { return uint64(math.Float32bits(v)) }
func float64Of(b uint64) float64   { return math.Float64frombits(b) }
func bits64Of(v float64) uint64    { return math.Float64bits(v) }
func place(seed uint64, i int) int { return int(seed >> (8 + 4*i) & 15) }

// here returns what runs the kernel in this process, on a copy of its input, and notices what it does to that.
func (r *run) here() work {
	var l engine.Lending
	var junk uint64
	kernel := r.kernel()
	return func(q request, dst, src []uint64) error {
		of := func(s side, what string, from []uint64, n, at int, both bool) lent {
			if s.Format.Bits() == 32 {
				return lend(&l, what, from, n, at, float32Of, bits32Of, &junk, both)
			}
			return lend(&l, what, from, n, at, float64Of, bits64Of, &junk, both)
		}
		in, out := sides(&r.claim, q.t)
		c := &Call{Transform: q.t, Rows: q.rows, name: r.Name}
		var result lent
		if q.aliased {
			result = of(out, "its data", src, len(dst), place(q.seed, 0), true)
			c.src = result.of
		} else {
			c.src = of(in, "its input", src, len(src), place(q.seed, 0), false).of
			result = of(out, "its result", nil, len(dst), place(q.seed, 1), false)
		}
		c.dst = result.of
		err := r.guarded(kernel, q.at, c)
		var b *verdict.Breakage
		if errors.As(err, &b) {
			l.Forget()
			return err
		}
		if b = l.Returned("the kernel"); b != nil {
			return b
		}
		result.read(dst)
		return err
	}
}

// guarded calls the kernel and makes a breakage of a panic.
func (r *run) guarded(kernel func(at verdict.Setting, c *Call) error, at verdict.Setting, c *Call) (err error) {
	defer r.Guard.End(r.Guard.Begin(), &err)
	defer func() {
		if p := recover(); p != nil {
			err = verdict.Panicked(verdict.KernelPanicked, "the kernel panicked: %v", p)
		}
	}()
	if err = kernel(at, c); verdict.Refused(err) {
		return verdict.BreakageOf("the kernel", err)
	}
	return err
}

// kernel adapts the function that is set.
func (r *run) kernel() func(at verdict.Setting, c *Call) error {
	plain := func(f func(c *Call)) func(verdict.Setting, *Call) error {
		return func(_ verdict.Setting, c *Call) error { f(c); return nil }
	}
	f := &r.f
	switch {
	case f.Run != nil:
		return plain(func(c *Call) { f.Run(c.Complex64("dst"), c.Complex64("src")) })
	case f.Run64 != nil:
		return plain(func(c *Call) { f.Run64(c.Complex128("dst"), c.Complex128("src")) })
	case f.RunSplit != nil:
		return plain(func(c *Call) {
			dst, src := c.Float32("dst"), c.Float32("src")
			n := c.N
			f.RunSplit(dst[:n:n], dst[n:], src[:n:n], src[n:])
		})
	case f.RunReal != nil:
		return plain(func(c *Call) { f.RunReal(c.Complex64("dst"), c.Float32("src")) })
	case f.RunReal64 != nil:
		return plain(func(c *Call) { f.RunReal64(c.Complex128("dst"), c.Float64("src")) })
	case f.Plan != nil:
		return planned(f.Plan, func(c *Call, run func(dst, src []complex64) error) error {
			return run(c.Complex64("dst"), c.Complex64("src"))
		})
	case f.Plan64 != nil:
		return planned(f.Plan64, func(c *Call, run func(dst, src []complex128) error) error {
			return run(c.Complex128("dst"), c.Complex128("src"))
		})
	case f.Call != nil:
		return func(_ verdict.Setting, c *Call) error { return f.Call(c) }
	}
	return f.CallOn
}

// planned asks for a plan once for each transform.
func planned[F any](plan func(t fourier.Transform) (F, error), run func(c *Call, f F) error) func(verdict.Setting, *Call) error {
	known := map[fourier.Transform]F{}
	return func(_ verdict.Setting, c *Call) error {
		f, ok := known[c.Transform]
		if !ok {
			var err error
			if f, err = plan(c.Transform); err != nil {
				return err
			}
			known[c.Transform] = f
		}
		return run(c, f)
	}
}

// Served runs the kernel for another process.
func (r *run) Served() engine.Server {
	return func(c *engine.Call) *engine.Reply {
		if len(c.Numbers) != 5 || len(c.In) != 1 {
			return &engine.Reply{Broke: verdict.Broke(verdict.KernelFailed, "the child process was sent the input of another kind")}
		}
		out := make([]uint64, c.Out)
		q := request{c.At, r.claim.Transform(int(c.Numbers[0]), fourier.Sign(c.Numbers[1])), int(c.Numbers[2]), c.Numbers[3], c.Numbers[4] != 0}
		return engine.Answer(out, r.work(q, out, c.In[0]))
	}
}

func (r *run) Isolated(ask engine.Asker) engine.Kind[*Trial, fourier.Claim, *corpus.Arrays] {
	own := *r
	own.work = func(q request, dst, src []uint64) error {
		aliased := uint64(0)
		if q.aliased {
			aliased = 1
		}
		a := ask(&engine.Call{At: q.at, Numbers: []uint64{uint64(q.t.N), uint64(q.t.Sign), uint64(q.rows), q.seed, aliased}, In: [][]uint64{src}, Out: len(dst)})
		copy(dst, a.Out)
		return a.Error()
	}
	return &own
}
