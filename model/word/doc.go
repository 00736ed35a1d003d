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
// Keys in brackets are those of package model.
package word
