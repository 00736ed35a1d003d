package formulas

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gamma/corpus"
	"gamma/model/formula"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// Call is one call of a kernel: its inputs, the sizes of their axes, and the memory for its result. An array is asked for by the name of the
// formula's input, and Result is the name of the result, which may be one of Kernel.InPlace. A kernel must neither keep an array, nor change one but the result. The elements of an
// array lie one after the other, except for those of Kernel.Strided.
//
// It is also what a law sees after the call, with the result in its place.
type Call struct {
	r      *run
	c      *corpus.Arrays // of laws; nil in the kernel's own calls
	t      *Trial         // the same
	sizes  []int
	seed   uint64 // says where the elements lie
	arrays []any  // of inputs, then the result
}

// Result is the name of the result among a call's arrays. No input is called so.
const Result = "dst"

// Size returns the size of an axis of the formula's inputs.
func (c *Call) Size(axis string) int {
	i := slices.Index(c.r.axes, axis)
	if i < 0 {
		panic(fmt.Sprintf("props: the inputs of %s have no axis %q; they have %v", c.r.Name, axis, c.r.axes))
	}
	return c.sizes[i]
}

// Array returns an array as a slice of numbers or truth values of its type.
func (c *Call) Array(name string) any {
	i := len(c.r.inputs)
	if name != Result {
		i = slices.IndexFunc(c.r.inputs, func(e *formula.Expr) bool { return e.Node().Name == name })
	}
	if i < 0 {
		panic(fmt.Sprintf("props: the formula of %s has no input %q", c.r.Name, name))
	}
	return c.arrays[i]
}

// of returns an array, whose elements are T.
func of[T engine.Element](c *Call, name string) []T {
	a := c.Array(name)
	v, ok := a.([]T)
	if !ok {
		panic(fmt.Sprintf("props: %s of %s is a %T, and not a %T", name, c.r.Name, a, v))
	}
	return v
}

// Float32 returns an array of binary32 numbers.
func (c *Call) Float32(name string) []float32 { return of[float32](c, name) }

// Float64 returns an array of binary64 numbers.
func (c *Call) Float64(name string) []float64 { return of[float64](c, name) }

// Encodings returns an array of encodings of a narrower format.
func (c *Call) Encodings(name string) []uint16 { return of[uint16](c, name) }

// Bool returns an array of truth values.
func (c *Call) Bool(name string) []bool { return of[bool](c, name) }

// Int8 returns an array of integers of 8 bits; so do those below for other widths, with and without a sign.
func (c *Call) Int8(name string) []int8 { return of[int8](c, name) }

func (c *Call) Int16(name string) []int16   { return of[int16](c, name) }
func (c *Call) Int32(name string) []int32   { return of[int32](c, name) }
func (c *Call) Int64(name string) []int64   { return of[int64](c, name) }
func (c *Call) Uint8(name string) []uint8   { return of[uint8](c, name) }
func (c *Call) Uint16(name string) []uint16 { return of[uint16](c, name) }
func (c *Call) Uint32(name string) []uint32 { return of[uint32](c, name) }
func (c *Call) Uint64(name string) []uint64 { return of[uint64](c, name) }

// storage is how the elements of a type lie in memory.
type storage struct {
	plain  func(bits []uint64) any
	lend   func(l *engine.Lending, what string, bits []uint64, results, at int) any // of which the call writes so many results over the first
	result func(l *engine.Lending, junk []uint64, at int) any                       // which holds that before the call
	read   func(v any, bits []uint64)
}

// storageOf makes a storage of elements T, which fill makes of their bits, and read makes bits.
func storageOf[T engine.Element](fill func(v []T, bits []uint64), read func(bits []uint64, v []T)) *storage {
	return &storage{
		plain: func(list []uint64) any {
			v := make([]T, len(list))
			fill(v, list)
			return v
		},
		lend: func(l *engine.Lending, what string, list []uint64, results, at int) any {
			return engine.LendFilled(l, "element", what, len(list), results, at, func(v []T) { fill(v, list) })
		},
		result: func(l *engine.Lending, junk []uint64, at int) any {
			v := engine.LendResult[T](l, "element", "the result", len(junk), at)
			fill(v, junk)
			return v
		},
		read: func(v any, list []uint64) { read(list, v.([]T)) },
	}
}

// integers is the storage of integers, whose bits are those of 64-bit ones.
func integers[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64]() *storage {
	return storageOf(func(v []T, bits []uint64) {
		for i, b := range bits {
			v[i] = T(b)
		}
	}, func(bits []uint64, v []T) {
		for i, x := range v {
			bits[i] = uint64(x)
		}
	})
}

// Storages by type.
var (
	ofFloat32 = storageOf(func(v []float32, bits []uint64) {
		for i, b := range bits {
			v[i] = math.Float32frombits(uint32(b))
		}
	}, func(bits []uint64, v []float32) {
		for i, x := range v {
			bits[i] = uint64(math.Float32bits(x))
		}
	})
	ofFloat64 = storageOf(func(v []float64, bits []uint64) {
		for i, b := range bits {
			v[i] = math.Float64frombits(b)
		}
	}, func(bits []uint64, v []float64) {
		for i, x := range v {
			bits[i] = math.Float64bits(x)
		}
	})
	ofBool = storageOf(func(v []bool, bits []uint64) {
		for i, b := range bits {
			v[i] = b&1 != 0
		}
	}, func(bits []uint64, v []bool) {
		for i, x := range v {
			bits[i] = 0
			if x {
				bits[i] = 1
			}
		}
	})
	ofSigned   = map[int]*storage{8: integers[int8](), 16: integers[int16](), 32: integers[int32](), 64: integers[int64]()}
	ofUnsigned = map[int]*storage{8: integers[uint8](), 16: integers[uint16](), 32: integers[uint32](), 64: integers[uint64]()}
)

func stored(t formula.Type) *storage {
	switch {
	case t.Bool:
		return ofBool
	case t.Int && t.Signed:
		return ofSigned[t.Bits]
	case t.Int:
		return ofUnsigned[t.Bits]
	case t.Float.Bits() == 32 && t.Float.P == 24:
		return ofFloat32
	case t.Float.Bits() == 64:
		return ofFloat64
	}
	return ofUnsigned[16]
}

// value returns an element as a number, exactly: integers of 64 bits are at most 2^53.
func value(t formula.Type, bits uint64) float64 {
	switch {
	case t.IsReal():
		return report.Value64(t.Float, bits)
	case t.Signed:
		return float64(int64(bits))
	}
	return float64(bits)
}

// values returns elements as numbers, in dst if that is large enough.
func values(dst []float64, t formula.Type, bits []uint64) []float64 {
	dst = draw.Grow(dst, len(bits))
	if t.Float.Bits() == 32 && t.Float.P == 24 {
		for i, b := range bits {
			dst[i] = float64(math.Float32frombits(uint32(b)))
		}
		return dst
	}
	if t.IsReal() && t.Float.Bits() <= 16 {
		table := report.WidenTable(t.Float)
		for i, b := range bits {
			dst[i] = float64(table[b])
		}
		return dst
	}
	for i, b := range bits {
		dst[i] = value(t, b)
	}
	return dst
}

// work runs a kernel once: sizes are those of the axes, in the order of run.axes, and dst and src are the bits of elements.
type work func(at verdict.Setting, p place, sizes []int, dst []uint64, src [][]uint64) error

// place says where the elements of a call lie.
type place struct {
	seed uint64
	over int // 1 and the number of the input over which the result is written; 0: it has memory of its own
}

// memory is what a kernel's calls are lent.
type memory struct {
	engine.Lending
	junk  uint64
	words []uint64
}

// here returns what runs the kernel in this process, on copies of its inputs, and notices what it does to them.
func (r *run) here() work {
	m := &memory{}
	return func(at verdict.Setting, p place, sizes []int, dst []uint64, src [][]uint64) error {
		seed := p.seed
		c := &Call{r: r, sizes: sizes, seed: seed, arrays: make([]any, 0, len(src)+1)}
		for i, e := range r.inputs {
			list, results := src[i], 0
			if i == p.over-1 {
				results = len(dst)
			}
			if r.k.Strided != nil {
				l := r.layout(i, seed, c.Size)
				list = l.spread(e.Type(), list, seed)
			}
			c.arrays = append(c.arrays, stored(e.Type()).lend(&m.Lending, "input "+e.Node().Name, list, results, int(seed>>(4*(i&7))&15)))
		}
		out, to, was := stored(r.out), layout{extent: len(dst), dense: true}, []uint64(nil)
		if r.k.Strided != nil {
			to = r.layout(len(src), seed, c.Size)
		}
		if p.over > 0 {
			c.arrays = append(c.arrays, c.arrays[p.over-1])
		} else {
			m.words = draw.Grow(m.words, to.extent)
			for i := range m.words {
				m.junk++
				m.words[i] = draw.Mix(m.junk)
			}
			c.arrays = append(c.arrays, out.result(&m.Lending, m.words, int(seed>>32&15)))
		}
		if !to.dense {
			was = make([]uint64, to.extent)
			out.read(c.arrays[len(src)], was)
		}
		err := r.guarded(at, c)
		var b *verdict.Breakage
		if errors.As(err, &b) {
			m.Forget()
			return err
		}
		if b = m.Returned("the kernel"); b != nil {
			return b
		}
		if to.dense {
			out.read(c.arrays[len(src)], dst)
			return err
		}
		now := make([]uint64, to.extent)
		out.read(c.arrays[len(src)], now)
		if b = to.gather(dst, now, was); b != nil {
			return b
		}
		return err
	}
}

// guarded calls the kernel and makes a breakage of a panic.
func (r *run) guarded(at verdict.Setting, c *Call) (err error) {
	defer r.Guard.End(r.Guard.Begin(), &err)
	defer func() {
		if p := recover(); p != nil {
			err = verdict.Panicked(verdict.KernelPanicked, "the kernel panicked: %v", p)
		}
	}()
	switch {
	case r.k.Call != nil:
		return r.k.Call(c)
	case r.k.CallOn != nil:
		if err = r.k.CallOn(at, c); verdict.Refused(err) {
			return verdict.BreakageOf("the kernel", err)
		}
		return err
	}
	if r.k.Run64 != nil {
		r.k.Run64(c.Float64(Result), c.arrays[0].([]float64))
		return nil
	}
	r.k.Run(c.Float32(Result), c.arrays[0].([]float32))
	return nil
}

// Served runs the kernel for another process.
func (r *run) Served() engine.Server {
	return func(q *engine.Call) *engine.Reply {
		out := make([]uint64, q.Out)
		if len(q.Numbers) != len(r.axes)+2 || len(q.In) != len(r.inputs) {
			return &engine.Reply{Broke: verdict.Broke(verdict.KernelFailed, "the child process was sent the inputs of another formula")}
		}
		var sizes []int
		for _, n := range q.Numbers[2:] {
			sizes = append(sizes, int(n))
		}
		return engine.Answer(out, r.work(q.At, place{q.Numbers[0], int(q.Numbers[1])}, sizes, out, q.In))
	}
}

func (r *run) Isolated(ask engine.Asker) engine.Kind[*Call, Kernel, *corpus.Arrays] {
	own := *r
	own.work = func(at verdict.Setting, p place, sizes []int, dst []uint64, src [][]uint64) error {
		numbers := []uint64{p.seed, uint64(p.over)}
		for _, n := range sizes {
			numbers = append(numbers, uint64(n))
		}
		a := ask(&engine.Call{At: at, Numbers: numbers, In: src, Out: len(dst)})
		copy(dst, a.Out)
		return a.Error()
	}
	return &own
}
