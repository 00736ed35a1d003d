// Package mutants holds shaders that are broken on purpose, each with its fault and the laws that must find it. It is for
// tests: of laws, of the simulator's checks, and of a user's own devices. Start here: All for sums, Operations for operations on words,
// Modulars for operations on residues, NTTs and FFTs for transforms, Formulas for kernels with a formula.
//
// A mutant claims what its twin in package shaders does, a sound kernel of the same kind, so that its claim is false. The source of mutant
// name is name.metal, which describes the fault at its head; those of FFTs, and of Formulas whose name has no file, are the twin's source with one piece of text changed. Shows is an input that shows the fault.
//
// On a device that is not a simulator a mutant may hang, crash or seem correct.
package mutants
