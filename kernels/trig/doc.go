// Package trig holds sine and cosine as CPU kernels, and the twiddle factors of Fourier transforms. Start here: Sin32 and Cos32, Sin64 and
// Cos64, Twiddle; All lists the functions of one binary32 number with their formulas and claims.
//
// # Reduction
//
// An argument x is brought to r = x - k·π/2 with |r| about π/4 at most, k the integer nearest to x·2/π, ties to even. Two ways are used:
//
//   - Cody and Waite's: π/2 is split into constants that are subtracted one after another by fused multiply-adds, three of binary32 or two of
//     binary64. It serves while k·(π/2 - Σ constants) is small against r.
//   - Payne and Hanek's: of 2/π only the bits that matter for x are multiplied, as integers, so that any x is reduced.
//
// The quadrant k mod 4 says which of ±sin r and ±cos r the result is. Both have a polynomial each.
//
// # The seed
//
// The three-constant reduction and the binary32 polynomials are those of the document that this project calls a seed,
// [Suiche 2025], which read them from NVIDIA's compiler output. Its text gives the constants twice, and the two do not agree: the
// machine's words 0x3FC90FDA, 0x33A22168 and 0x27C234C5 sum to π/2 - 9.5e-23, and the decimal constants beside them to π/2 + 8.74e-8. This
// package has the words; the decimal ones are a mutant. A test computes the seed's own versions and its table: see seed-claims.md.
package trig
