// Package kernels holds the CPU kernels under test: sums and dot products that people could use,
// each with the claim that its author makes for it. Start here: All lists the kernels, Find looks
// one up by its name, and each function's doc comment says what it computes and what it promises.
//
// The kernels round, fuse and add by code of their own; they share names with the judge, through
// package model, and no arithmetic. Kernels take T = float32 or float64 where the algorithm is the
// same for both, and encodings where the format is narrower than Go's.
//
// # What all of them keep
//
// The empty sum is +0 and a sum of only -0 is -0, since a running sum starts from the first leaf
// and not from +0. Any NaN gives NaN, and infinities of both signs do; infinities of one sign give
// that infinity. Where an intermediate sum overflows, a compensated kernel gives what the plain
// additions of the same order give, and never a NaN that the leaves do not call for.
//
// Products are written T(x*y) + z, because Go may fuse x*y + z. Where a kernel means to fuse, it
// calls FMA or math.FMA.
package kernels
