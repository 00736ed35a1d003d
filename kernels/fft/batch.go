package fft

import (
	"errors"
	"fmt"
	"unsafe"

	"gamma/model/fourier"
)

var errOverlap = errors.New("fft: dst and src overlap; they may be apart, or start at the same place with the same layout")

// Rows is where the rows of a batch lie in a slice: number j of row i is at Offset + i·Distance + j·Stride.
type Rows struct {
	Offset   int
	Stride   int // 0 stands for 1
	Distance int // 0 stands for the numbers of a row times Stride: rows one after the other
}

// defaults fills in what is 0, for rows of n numbers.
func (r Rows) defaults(n int) Rows {
	if r.Stride == 0 {
		r.Stride = 1
	}
	if r.Distance == 0 {
		r.Distance = n * r.Stride
	}
	return r
}

// check returns an error unless count rows of n numbers lie in a slice of that length, no number twice.
func (r Rows) check(what string, length, count, n int) error {
	if r.Offset < 0 || r.Stride < 0 || r.Distance < 0 {
		return fmt.Errorf("fft: the rows of %s have offset %d, stride %d and distance %d; none may be negative", what, r.Offset, r.Stride, r.Distance)
	}
	const most = 1 << 40
	if r.Offset > most || r.Stride > most || r.Distance > most || count > most {
		return fmt.Errorf("fft: the rows of %s are longer than any slice", what)
	}
	// Each bound is checked before the next product, which then cannot overflow.
	last := r.Offset
	for _, step := range [2][2]int{{count - 1, r.Distance}, {n - 1, r.Stride}} {
		if step[1] > 0 && step[0] > (length-1-last)/step[1] || last >= length {
			return fmt.Errorf("fft: %d rows of %d numbers with offset %d, stride %d and distance %d do not fit %s of %d numbers",
				count, n, r.Offset, r.Stride, r.Distance, what, length)
		}
		last += step[0] * step[1]
	}
	apart := r.Distance > (n-1)*r.Stride || r.Stride > (count-1)*r.Distance
	if count > 1 && !apart {
		return fmt.Errorf("fft: rows of %d numbers with stride %d and distance %d overlap in %s", n, r.Stride, r.Distance, what)
	}
	return nil
}

// row returns the n numbers of row i if they are one after the other; otherwise it copies them to buffer.
func row[T any](x []T, r Rows, i, n int, buffer []T) []T {
	x = x[r.Offset+i*r.Distance:]
	if r.Stride == 1 {
		return x[:n]
	}
	for j := range buffer {
		buffer[j] = x[j*r.Stride]
	}
	return buffer
}

// batched calls run with each row of src and of dst, of so many numbers.
func batched[D, S any](t fourier.Transform, dst []D, src []S, howMany int, to, from Rows, run func(dst []D, src []S)) error {
	in, out := t.In(), t.Out()
	to, from = to.defaults(out), from.defaults(in)
	if howMany < 1 {
		return fmt.Errorf("fft: a batch of %d rows; it has 1 at least", howMany)
	}
	if err := to.check("dst", len(dst), howMany, out); err != nil {
		return err
	}
	if err := from.check("src", len(src), howMany, in); err != nil {
		return err
	}
	switch meeting(dst, src) {
	case partly:
		return errOverlap
	case same:
		var d D
		var s S
		if to != from || in != out || unsafe.Sizeof(d) != unsafe.Sizeof(s) { // a row may not lie on the next one of src
			return errOverlap
		}
	}
	var into []D
	var outOf []S
	if to.Stride != 1 {
		into = make([]D, out)
	}
	if from.Stride != 1 {
		outOf = make([]S, in)
	}
	for i := range howMany {
		z := dst[to.Offset+i*to.Distance:]
		if to.Stride == 1 {
			run(z[:out], row(src, from, i, in, outOf))
			continue
		}
		run(into, row(src, from, i, in, outOf))
		for j, v := range into {
			z[j*to.Stride] = v
		}
	}
	return nil
}

// Batch sets howMany rows of dst to the transforms of rows of src. What lies between rows is left as it is.
//
// Shape:   rows of N numbers, as to and from say.
// Alias:   dst and src do not overlap, or start at the same place and to is from.
// Otherwise it returns an error, and dst is unchanged.
func (p *Plan[T]) Batch(dst, src []T, howMany int, to, from Rows) error {
	return batched(p.t, dst, src, howMany, to, from, p.run)
}
