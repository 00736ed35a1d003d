// Package oracle computes the truth: exact sums and dot products, results rounded once, and exact
// comparison of an error with its bound. Start here.
//
// Sums are held in superaccumulators, fixed-point numbers wide enough for every finite input, so
// that nothing is ever rounded before the end:
//
//	Acc32     sums of binary32 and of every narrower format
//	Acc64     sums of binary64; products of binary32, which are exact in binary64
//	AccDot64  products of binary64
//
// All three take elements in any order, merge, subtract and negate; follow IEEE 754 for NaN,
// infinities and signed zeros; and round once, into any format and direction. Any number of
// elements may be added. The zero value is an empty sum.
//
// Dyadic is an exact number m·2^e on top of math/big: slow and obvious. SumTwin and DotTwin are
// the accumulators' independent twins.
//
// A law first asks Decide, which compares float64 enclosures and answers yes, no or unsure, but
// never wrongly; then, if unsure, Within, which compares exact numbers.
//
// Residues are in the files modular*.go: MulMod and its siblings, IsPrime and the search for primes
// and roots, Transform, schoolbook products of polynomials, and Residues, the judge of rows of a
// modular.Claim. They reduce only by division, with bits.Div64; math/big is their twin.
//
// This package shares no arithmetic with any kernel.
package oracle
