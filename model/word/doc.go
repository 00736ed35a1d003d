// Package word describes operations on words as plain data. A word is one floating-point number; a number may be given by several
// words, as their unevaluated sum: a double word, or double-double, is two. Start here.
//
//   - Op says what is computed, exactly: a function and how many words each operand and result has.
//   - Program says how: a straight-line program of rounded operations.
//   - Algorithm joins both to the bounds that theorems grant. Algorithms lists error-free transforms, double-word arithmetic and
//     complex products.
//
// Nothing here rounds. Run walks a program over any arithmetic that it is given, so that the judge runs it over formats of three
// bits, a test over the hardware's, and a fingerprint over every way in which a compiler may have fused it.
//
// # Notation
//
// A double word is a pair (xh, xl) with xh = RN(xh+xl), and u = 2^-p. Bounds are factors of the exact result's magnitude.
//
// # Sources
//
//	[Dekker 1971]   A floating-point technique for extending the available precision, Numer. Math. 18, 224-242.
//	[Knuth 1997]    The Art of Computer Programming, vol. 2, 3rd ed., 4.2.2.
//	[JMP 2017]      Joldes, Muller, Popescu, Tight and rigorous error bounds for basic building blocks of double-word arithmetic,
//	                ACM TOMS 44(2). Numbers such as Algorithm 10 are its own.
//	[MR 2022]       Muller, Rideau, Formalization of double-word arithmetic, and comments on "Tight and rigorous error bounds …",
//	                ACM TOMS 48(1), with a Coq development, whose constants these are.
//	[LLMPR 2023]    Lefèvre, Louvet, Muller, Picot, Rideau, Accurate calculation of Euclidean norms using double-word arithmetic,
//	                ACM TOMS 49(1).
//	[BPZ 2007]      Brent, Percival, Zimmermann, Error bounds on complex floating-point multiplication, Math. Comp. 76.
//	[JKLM 2017]     Jeannerod, Kornerup, Louvet, Muller, Error bounds on complex floating-point multiplication with an FMA,
//	                Math. Comp. 86.
//	[JLM 2013]      Jeannerod, Louvet, Muller, Further analysis of Kahan's algorithm for the accurate computation of 2x2
//	                determinants, Math. Comp. 82.
//	[Gamma W6], …   derived in the doc comment that names them; W1 to W5 stand in package model, W13 to W17 in props.
package word
