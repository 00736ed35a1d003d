package model

// LawID names a law: dotted, lower case, the same string in the subtest, the corpus directory, the
// flag, the documentation and the report.
type LawID string

// The laws of sums and of dot products.
const (
	SumEnclosure   LawID = "sum.enclosure"   // order-free bound (n-1)·v·A
	SumHeight      LawID = "sum.height"      // height bound ((1+v)^h-1)·A
	SumTree        LawID = "sum.tree"        // bit for bit the claimed tree
	SumMember      LawID = "sum.member"      // one of the values reachable by some tree
	SumIntegers    LawID = "sum.integers"    // exact where every partial sum is
	SumSpecial     LawID = "sum.special"     // infinities, NaNs, signed zeros
	SumRepeat      LawID = "sum.repeat"      // same input, same bits
	SumPermute     LawID = "sum.permute"     // permuted input, same bits
	SumCompensated LawID = "sum.compensated" // the scheme's own bound
	SumRounded     LawID = "sum.rounded"     // the exact sum, rounded once

	DotEnclosure   LawID = "dot.enclosure"
	DotHeight      LawID = "dot.height"
	DotTree        LawID = "dot.tree"
	DotMember      LawID = "dot.member"
	DotIntegers    LawID = "dot.integers"
	DotSpecial     LawID = "dot.special"
	DotRepeat      LawID = "dot.repeat"
	DotPermute     LawID = "dot.permute"
	DotCompensated LawID = "dot.compensated"
	DotRounded     LawID = "dot.rounded"
)

// The laws of kernels that run on a device with checkers.
const (
	KernelRace     LawID = "kernel.race"     // no two threads conflict unordered
	KernelBounds   LawID = "kernel.bounds"   // every access inside its object, and aligned
	KernelInit     LawID = "kernel.init"     // nothing read before it is written
	KernelBarrier  LawID = "kernel.barrier"  // every thread of a group reaches each barrier
	KernelIntegers LawID = "kernel.integers" // no undefined operation on integers, no undefined shuffle
	KernelSchedule LawID = "kernel.schedule" // the same bits for every order of threads and groups
)
