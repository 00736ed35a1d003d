// Package rewrite does to a kernel what a compiler may do to its arithmetic: it fuses multiplications and additions,
// reassociates, drops signs of zeros and divides by reciprocals, as far as the flags of each instruction (the pragmas and options
// of the source) and a model.Behaviour (the choice of one device) both allow.
//
// Start here: Apply.
//
// What relaxed and fast mode allow beyond this, and is not done: vectorising a loop's sum, moving arithmetic between
// iterations, and products distributed over sums other than by taking out a common factor.
package rewrite
