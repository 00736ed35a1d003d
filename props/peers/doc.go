// Package peers judges the sums, dot products, Fourier and number-theoretic transforms of other people's libraries by the same laws as
// our own kernels. It is a module of its own, so that Gamma's users do not depend on what it judges.
//
// Run it in its directory: go test -v . -count=1
//
// Faults of theirs that are known and open stand below testdata/gamma as cases with
// `expect violated`; a replay fails when one starts to pass.
package peers
