package judge

import (
	"gamma/corpus"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
)

// results lends a kernel the memory for its results: anywhere among sixteen elements, by its input, so that a case has its place when it is judged
// again; and guarded before and after.
type results[T float32 | float64] struct {
	lent engine.Lending
	bits func(T) uint64
}

// run calls a kernel of x whose results go to dst, and hold v before.
func (r *results[T]) run(dst []uint64, x corpus.Values, v T, call func(dst []T) error) error {
	place := uint64(len(dst))
	if x.Len() > 0 {
		place ^= x.At(0)
	}
	out := engine.LendResult[T](&r.lent, "result", "its results", len(dst), int(draw.Mix(place)&15))
	for i := range out {
		out[i] = v
	}
	err := r.call(func() error { return call(out) })
	for i, v := range out {
		dst[i] = r.bits(v)
	}
	return err
}

// inPlace calls a kernel of x whose results go over its first elements.
func (r *results[T]) inPlace(dst []uint64, x []T, call func(dst, src []T) error) error {
	src := engine.LendInPlace(&r.lent, "word", "its operands", x, len(dst), len(dst)&15)
	out := src[:len(dst)]
	err := r.call(func() error { return call(out, src) })
	for i, v := range out {
		dst[i] = r.bits(v)
	}
	return err
}

// call calls a kernel and looks at what it was lent.
func (r *results[T]) call(kernel func() error) error {
	returned := false
	defer func() {
		if !returned {
			r.lent.Forget()
		}
	}()
	err := kernel()
	returned = true
	if b := r.lent.Returned("the kernel"); b != nil {
		return b
	}
	return err
}
