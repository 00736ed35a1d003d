package ntt

// loops are a plan's inner loops: butterflies of one stage, and passes over all words.
//
// A butterfly that decimates in time maps x, y to x+w·y, x-w·y; one that decimates in frequency maps x, y to x+y, (x-y)·w. In
// an inner stage of distance t, blocks of 2t words follow each other, and the butterfly of places k and k+t of each block
// has factor t+k. In an outer stage of m blocks, all butterflies of block i have factor m+i.
//
// Source:  [Cooley-Tukey 1965], [Gentleman-Sande 1966].
type loops interface {
	timeInner(x []uint64, w factors, t int)
	timeOuter(x []uint64, w factors, m int)
	frequencyInner(x []uint64, w factors, t int)
	frequencyOuter(x []uint64, w factors, m int)
	// multiply multiplies each x by w, with a factor for each word or one factor for all.
	multiply(x []uint64, w factors)
	// reduce reduces the results of butterflies in time, or of those in frequency, to [0, q).
	reduce(x []uint64, inTime bool)
}

// halves returns the words at places from to from+t, and the t words after them.
func halves(x []uint64, from, t int) (a, b []uint64) {
	a = x[from : from+t]
	return a, x[from+t : from+2*t][:len(a)]
}

// at returns the factor of place k; a single factor is that of all places.
func (w factors) at(k int) uint64 { return w.w[min(k, len(w.w)-1)] }

// quotient returns Shoup's quotient of the factor of place k.
func (w factors) quotient(k int) uint64 { return w.s[min(k, len(w.s)-1)] }
