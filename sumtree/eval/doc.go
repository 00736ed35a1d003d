// Package eval evaluates the trees of package sumtree: natively in binary32 and binary64, in any
// format and rounding, and exactly. Start here. Only the judge imports it.
//
//   - Float32 and Float64 run a tree on the hardware; Bits runs it in any round.Arith; EvalRound
//     runs it with any rounded addition of rationals, as in the theorems of [TorchLean].
//   - ExactSum and SumAbs are S and A, slow and plain, with math/big.
//   - FiniteEval, LocalAddBound, RecursiveBudget and HalfUlps examine the operands that occur.
//   - Reachable32, ReachableBits, ReachableDot32 and SumTreeResult quantify over every tree and
//     every permutation.
//
// Nothing here is recursive: a tree may be as high as its number of leaves.
package eval
