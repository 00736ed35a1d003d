// Package kernels holds the CPU kernels under test: sums and dot products for real use,
// each with its author's claim. Start here: All lists the kernels, Find looks
// one up by its name, and each function's doc comment says what it computes and what it promises.
//
// The kernels have their own code to round, fuse and add; through package model they share names
// with the judge, but no arithmetic. Kernels take T = float32 or float64 where the algorithm is the
// same for both, and encodings where the format is narrower than Go's.
//
// # What all of them promise
//
// The empty sum is +0 and a sum of only -0 is -0, since a running sum starts from the first leaf
// and not from +0. Any NaN gives NaN, as do infinities of both signs; infinities of one sign give
// that infinity. Where an intermediate sum overflows, a compensated kernel returns what the
// plain additions of the same order do, and never a NaN that they do not.
//
// Products are written T(x*y) + z, because Go may fuse x*y + z. Where a kernel means to fuse, it
// calls FMA or math.FMA.
package kernels
