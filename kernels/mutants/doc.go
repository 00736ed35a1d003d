// Package mutants holds deliberately broken kernels, each with its fault and the law that must kill
// it. It is for tests: the kill matrix runs every law of a family on every mutant. Start here: All,
// and Words for operations on words.
//
// A mutant claims what a sound kernel of its kind would claim, so that its claim is the lie. Faults
// stand in files by kind: sum.go (orders, leaves, formats, special values), scheme.go (compensated
// sums), dot.go, mean.go and word.go (error-free transforms, double words, complex products).
package mutants
