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
