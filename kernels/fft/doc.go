// Package fft computes discrete Fourier transforms on the CPU. Start here: New makes a Plan for a fourier.Transform, NewReal one for real input or
// output; Transform, Batch, R2C and C2R run it.
//
//	plan, err := fft.New[complex64](fourier.Transform{N: 1 << 12})
//	err = plan.Transform(dst, src)
//
// # Arithmetic
//
// The type of the numbers says in what format all is computed: complex64 in binary32, complex128 in binary64, Double in double words of binary64.
// Option Wide takes and returns binary32 and computes in binary64, so that each part of a result is rounded once. Direct computes by definition,
// with Kahan's sums in binary64.
//
// Twiddle factors are computed from k·n mod N, exact integers, in double words by package trig, and rounded once to the format; a double word keeps
// 2^-100. So is the factor 1/N or 1/√N.
//
// # Error
//
// In the 2-norm, relative to that of the exact result, with u the unit roundoff of the format, a pass of radix 2, 4 or 8 is one, two or three stages, of which each
// errs by a factor of (1+u)·(1+μ)·(1+ρ) at most: u for the sum of two numbers, μ = u for a twiddle's own error, ρ for the complex product: √5·u,
// and 2u where Algorithm says that it is fused. What a pass of radix 4 or 8 does inside, products with √2/2·(1-i), is one sum, one product
// and one constant: (1+u)²·(1+u). N points of a power of two so stay within
//
//	((1+u)·(1+μ)·(1+ρ))^log2(N) - 1.
//
// A pass of an odd radix r errs by a factor of 1 + √(2r)·(r+7)/2·u·(1+ru) and its twiddles' (1+μ)·(1+ρ): each part of each value is a sum of r terms with two roundings
// of their own, a constant's error, and at most (r+1)/2 roundings of partial sums, and so errs by (r+7)/2·u times the sum of |x_j|, which is at most
// √r times the 2-norm. Both parts are √2 times that.
//
// In double words u² is in place of u: a sum errs by 3√2·u² (see number.go), a product by 13√2·u², twiddles by 2^-100.
//
// A transform by Bluestein's convolution has the errors of two transforms of Length points and of four products, multiplied by the largest value of
// the chirp's transform over √N, which is below 3 for all N that tests have tried; no theorem is claimed.
//
// A factor that is not a power of two multiplies each value, with an error of (1+u)² in all.
//
// Source: [BJMNP 2020] for a stage; [BPZ 2007] and [JKLM 2017] for ρ; [JMP 2017] for double words.
//
// # Special values
//
// NaN and infinities spoil values of their own row of a batch, and no others.
package fft
