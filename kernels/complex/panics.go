package complex

import (
	"fmt"

	"gamma/kernels"
)

// The sentences of this package's panics, each a programmer's mistake.

func productDoesNotFit(dst, x, y, out, in int) string {
	return fmt.Sprintf("complex: vectors of %d and %d words do not make %d words of results: a number has %d words in and %d out", x, y, dst, in, out)
}

func scaleDoesNotFit(dst, x, out int) string {
	return fmt.Sprintf("complex: a vector of %d words does not scale to %d words: a double word has 2 words in and %d out", x, dst, out)
}

func badSize(n int) string {
	return fmt.Sprintf("complex: a Fourier transform has one point or more, not %d", n)
}

func stencilDoesNotFit(dst, x, w int) string {
	return fmt.Sprintf("complex: %d taps, three for each channel, do not filter %d words in rows of one length into %d", w, x, dst)
}

const (
	overlaps        = "complex: dst overlaps an operand; they may only start at the same word"
	stencilOverlaps = "complex: dst overlaps the taps"
)

// fits panics if x and y do not hold numbers of in words that make those of out words in dst, or if dst overlaps them.
func fits[T kernels.Float](dst, x, y []T, out, in int) {
	if len(x) != len(y) || len(x)%in != 0 || len(x)/in*out != len(dst) {
		panic(productDoesNotFit(len(dst), len(x), len(y), out, in))
	}
	alias(dst, x, out, in)
	alias(dst, y, out, in)
}

// alias panics if dst, out words a result, overlaps x, in words an operand, so that a result would destroy a later operand.
func alias[T kernels.Float](dst, x []T, out, in int) {
	if kernels.Overlap(dst, x) && (&dst[0] != &x[0] || out > in) {
		panic(overlaps)
	}
}
