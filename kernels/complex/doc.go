// Package complex multiplies complex numbers, of single words in four ways and of double words in three, and has the kernels of
// Fourier convolution that round once. Start here: Number and DD, whose methods are named after the algorithms of package word that
// they are, bit for bit; All lists them with their claims.
//
// # Vectors
//
// A vector of single words holds re, im, re, im, …; one of double words re.Hi, re.Lo, im.Hi, im.Lo, …, as a float4 of a shader
// does. Functions on vectors panic if lengths do not match, or if dst overlaps an operand; dst may start at the same word as an
// operand if a result has no more words than an operand.
//
// # Special values
//
// Special values are not corrected: a product with an infinite or NaN part, or one that overflows, has the parts that its steps
// give, as for Go's complex64. Where a step of a double-word algorithm is infinite or NaN, so are results that depend on it: those that are
// rounded at the end claim word.SpecialNotFinite.
package complex
