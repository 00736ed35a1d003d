package draw

import "slices"

// BoundarySizes are lengths at which kernels change what they do: tiles, SIMD groups, powers of two.
var BoundarySizes = []int{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17, 23, 31, 32, 33, 47, 63, 64, 65, 96, 100, 127, 128, 129,
	191, 255, 256, 257, 300, 511, 512, 513, 777, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097,
}

// LongSizes are drawn once in LongEvery cases: they cost as much as all the others together.
var LongSizes = []int{8191, 8193, 16385, 32769, 65519, 65520, 65535, 65536, 65537, 70001}

// LongEvery is in how many cases one is long, and MaxFuzzN the longest vector that is made of a fuzzer's bytes.
const (
	LongEvery = 128
	MaxFuzzN  = 1 << 12
)

// Sizes returns the lengths from least to most: boundary sizes and the ones given, and long sizes.
func Sizes(least, most int, more ...int) (sizes, long []int) {
	other := func(n int) bool { return n < least || n > most }
	return slices.DeleteFunc(slices.Concat(BoundarySizes, more), other), slices.DeleteFunc(slices.Clone(LongSizes), other)
}

// Most returns n, or the least of the limits if that is less; a limit of 0 is none.
func Most(n int, limits ...int) int {
	for _, l := range limits {
		if l > 0 {
			n = min(n, l)
		}
	}
	return n
}

// Missing returns how many of n are missing to a multiple of k; none if k is not above 1.
func Missing(n, k int) int {
	if k > 1 && n%k != 0 {
		return k - n%k
	}
	return 0
}

// Lengths are the multiples of Step from Least to Most: those of the vectors that a subject takes.
type Lengths struct{ Least, Most, Step int }

// LengthsOf returns the multiples of step, 0 for all numbers, from least to most; the first from least on at least.
func LengthsOf(least, most, step int) Lengths {
	r := Lengths{Least: least + Missing(least, step), Step: max(step, 1)}
	r.Most = max(r.Least, most-most%r.Step)
	return r
}

// Fit returns the greatest of the lengths that is at most n, and the least if none is.
func (r *Lengths) Fit(n int) int {
	n = min(n, r.Most)
	return max(r.Least, n-n%r.Step)
}

// Sizes returns boundary sizes, as multiples of Step, the given ones that are among the lengths, and long ones. There is one at least.
func (r *Lengths) Sizes(more ...int) (sizes, long []int) {
	if r.Step == 1 {
		sizes, long = Sizes(r.Least, r.Most, more...)
	} else {
		tiles, _ := Sizes((r.Least+r.Step-1)/r.Step, r.Most/r.Step)
		for _, n := range tiles {
			sizes = append(sizes, n*r.Step)
		}
		for _, n := range more {
			sizes = append(sizes, r.Fit(n))
		}
		_, far := Sizes(r.Least, r.Most)
		for _, n := range far {
			long = append(long, r.Fit(n))
		}
	}
	if len(sizes) == 0 {
		sizes = []int{r.Least}
	}
	return sizes, long
}
