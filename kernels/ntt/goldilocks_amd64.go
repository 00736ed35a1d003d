package ntt

import "math/bits"

// goldilocksTail is the length of the pieces whose last four layers run on two registers of AVX-512. Two are done at a time, so shorter vectors
// than two are left to Go.
const goldilocksTail = 16

// goldilocksVector reports whether n words are transformed with AVX-512.
func goldilocksVector(n int) bool { return cpu.AVX512 && n >= 2*goldilocksTail }

// goldilocksOdd reports whether one layer is left over when those before the tail go in pairs.
func goldilocksOdd(n int) bool { return bits.TrailingZeros(uint(n/goldilocksTail))%2 == 1 }

// goldilocksDown runs the layers of forward with the factors w.
func goldilocksDown(x, w []uint64) {
	n := len(x)
	if !goldilocksVector(n) {
		goldilocksDownGo(x, w)
		return
	}
	m := 1
	if goldilocksOdd(n) {
		goldilocksDownFirst512(&x[0], &w[0], n)
		m = 2
	}
	for ; m < n/goldilocksTail; m *= 4 {
		goldilocksDownPass512(&x[0], &w[0], n, m)
	}
	goldilocksDownTail512(&x[0], &w[0], n)
}

// goldilocksUp runs the layers of inverse with the factors w.
func goldilocksUp(x, w []uint64) {
	n := len(x)
	if !goldilocksVector(n) {
		goldilocksUpGo(x, w)
		return
	}
	goldilocksUpTail512(&x[0], &w[0], n)
	for m := n / goldilocksTail / 4; m > 0; m /= 4 {
		goldilocksUpPass512(&x[0], &w[0], n, m)
	}
	if goldilocksOdd(n) {
		goldilocksUpLast512(&x[0], &w[0], n)
	}
}

// goldilocksScale multiplies each word by w.
func goldilocksScale(x []uint64, w uint64) {
	if !goldilocksVector(len(x)) {
		goldilocksScaleGo(x, w)
		return
	}
	goldilocksScale512(&x[0], len(x), w)
}

// goldilocksDownFirst512 runs the layer of forward with one node, n >= 32.
//
//go:noescape
func goldilocksDownFirst512(x, w *uint64, n int)

// goldilocksDownPass512 runs the layers of forward with m and 2m nodes, n >= 32m.
//
//go:noescape
func goldilocksDownPass512(x, w *uint64, n, m int)

// goldilocksDownTail512 runs the last four layers of forward, n >= 32.
//
//go:noescape
func goldilocksDownTail512(x, w *uint64, n int)

// goldilocksUpTail512 runs the first four layers of inverse, n >= 32.
//
//go:noescape
func goldilocksUpTail512(x, w *uint64, n int)

// goldilocksUpPass512 runs the layers of inverse with 2m and m nodes, n >= 32m.
//
//go:noescape
func goldilocksUpPass512(x, w *uint64, n, m int)

// goldilocksUpLast512 runs the layer of inverse with one node, n >= 32.
//
//go:noescape
func goldilocksUpLast512(x, w *uint64, n int)

// goldilocksScale512 multiplies words by w, n a multiple of 16 and not 0.
//
//go:noescape
func goldilocksScale512(x *uint64, n int, w uint64)
