// Package nn holds the layers of neural networks as CPU kernels: activations, softmax, norms, matrix products, attention, scans,
// quantisation and look-up, each with the formula that it computes as a variable beside it. Start here: All lists the kernels with their claims,
// Float16 and BFloat16 have some of them for numbers of 16 bits, Binary64 for those of 64, DoubleWord those of package dd, and Find looks one up by its name.
//
// They are a package of their own since none is a sum or a dot product: a result is an array, and what bounds its error is the
// enclosure of its formula, not a theorem of package model. Each function's comment says what it computes; how far a result may be off is
// the set that formula and claim allow for the input at hand.
//
// Arithmetic is binary32, but in Binary64, and products are written float32(x*y) + z, because Go may fuse x*y + z. Elementary functions are those of
// package math, in binary64, and rounded once: see Rounded.
//
// # What all of them promise
//
// A result depends on its row alone, inputs are not written, and dst is written wholly. dst may be an input of the same length unless a
// comment says otherwise; it may not overlap one in another way. Lengths that do not fit panic.
package nn
