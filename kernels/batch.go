package kernels

import "unsafe"

// Batch returns the kernel that runs step on every row of a batch: step reads the in words of x and writes the out words of z.
//
// Shape: len(src) = rows·in and len(dst) = rows·out; it panics otherwise.
// Alias: dst and src may start at the same word if out <= in; it panics if they overlap in any other way.
func Batch[T Float](in, out int, step func(z, x []T)) func(dst, src []T) {
	return func(dst, src []T) {
		if len(src)%in != 0 || len(dst)%out != 0 || len(src)/in != len(dst)/out {
			panic(batchDoesNotFit(len(src), in, len(dst), out))
		}
		if Overlap(dst, src) && (&dst[0] != &src[0] || out > in) {
			panic(batchOverlaps)
		}
		for len(src) > 0 {
			step(dst[:out:out], src[:in:in])
			dst, src = dst[out:], src[in:]
		}
	}
}

// Overlap reports whether x and y share a word. Kernels that write to one of them check this, since the result would depend on the
// order of their steps.
func Overlap[T Float](x, y []T) bool {
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	// Slices are contiguous, and the garbage collector does not move heap objects: addresses can be compared.
	first := func(s []T) uintptr { return uintptr(unsafe.Pointer(&s[0])) }
	last := func(s []T) uintptr { return uintptr(unsafe.Pointer(&s[len(s)-1])) }
	return first(x) <= last(y) && first(y) <= last(x)
}
