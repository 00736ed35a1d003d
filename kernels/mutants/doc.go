// Package mutants holds deliberately broken kernels, each with its fault and the law that must kill
// it. It is for tests: the kill matrix runs every law of a family on every mutant. Start here: All,
// Words for operations on words, NTTs for number-theoretic transforms, and Formulas for kernels that compute a formula, with cheats.
//
// A mutant claims what a sound kernel of its kind would claim, so that its claim is false. Faults
// are in files by kind: sum.go (orders, leaves, formats, special values), scheme.go (compensated
// sums), dot.go, mean.go, word.go (error-free transforms, double words, complex products), ntt.go, and
// formula.go with those beside it.
package mutants
