// Package dd implements double-word arithmetic, also called double-double: a number is the unevaluated sum of two words. Start here: DD,
// whose methods are named after the algorithms of package word that they are, bit for bit. All lists those with their claims.
//
// Plus, Minus, Times, Over and Root are for general use: each is one of the algorithms inside its domain, with
// the special values of the plain operation. FromFloat64, FromInt64, FromUint64, FromPair and Parse convert to double words;
// Float64, Int64, Text and String convert from them.
//
// Total, Sum, Mean, Dot, Linear, MatMul, Variance, SampleVariance, Softmax and LayerNorm take and return words: they accumulate
// in double words and round each result once, at the end. Sums lists those that the laws of sums and dot products judge, and
// seed-claims.md compares what documents that this project started from claim about double words with what holds.
//
// # Normalised pairs
//
// A pair is a double word when it is normalised: Hi = RN(Hi+Lo). So |Lo| is at most half an ulp of Hi, and with |Lo| half an ulp
// Hi is even. The algorithms' bounds hold for normalised operands without overflow and underflow; what they return is then
// normalised again. For other operands an algorithm computes what its steps give, and nothing more is promised. Comparison, conversion and
// formatting treat any pair as the exact sum of its words.
//
// # Special values
//
// A pair stands for a NaN if a word is NaN or its words are infinities of both signs, and otherwise for an infinity if a word is
// infinite or Hi+Lo overflows. The algorithms give an infinite or NaN result in forms that follow from their steps, often NaN, and claim
// these bits; Plus, Times and the others give {v, 0} where v is the result of the plain operation on the high words, and claim that.
package dd
