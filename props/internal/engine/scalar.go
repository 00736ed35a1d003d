package engine

import (
	"gamma/model"
)

// AccModel is the law of exact accumulators: whatever the commands and their order, every observable
// is that of the exact sum.
const AccModel model.LawID = "acc.model"

// The laws of single rounded operations: the local facts on which every bound stands.
const (
	RoundAdd       model.LawID = "round.add"       // the exact sum, rounded once
	RoundSub       model.LawID = "round.sub"       // the exact difference, rounded once
	RoundMul       model.LawID = "round.mul"       // the exact product, rounded once
	RoundDiv       model.LawID = "round.div"       // the exact quotient, rounded once
	RoundFma       model.LawID = "round.fma"       // the exact x·y+z, rounded once
	RoundSqrt      model.LawID = "round.sqrt"      // the exact root, rounded once
	RoundConvert   model.LawID = "round.convert"   // the same number, rounded once into another format
	RoundFaithful  model.LawID = "round.faithful"  // one of the two neighbours
	RoundRelative  model.LawID = "round.relative"  // |d| <= v·|exact|
	RoundResult    model.LawID = "round.result"    // |d| <= u·|result|
	RoundOperand   model.LawID = "round.operand"   // |d| <= min(|a|, |b|)
	RoundSubnormal model.LawID = "round.subnormal" // subnormal sums are exact
	RoundDirection model.LawID = "round.direction" // the error's sign and size in a directed rounding
	RoundBracket   model.LawID = "round.bracket"   // down <= nearest <= up
	RoundCommutes  model.LawID = "round.commutes"  // a+b is b+a, a·b is b·a
	RoundSterbenz  model.LawID = "round.sterbenz"  // a-b is exact for a/2 <= b <= 2a
	RoundMonotone  model.LawID = "round.monotone"  // a <= b gives a+c <= b+c
	RoundNegate    model.LawID = "round.negate"    // -a-b is -(a+b)
	RoundFused     model.LawID = "round.fused"     // fma(a, b, 0) is a·b, fma(a, 1, b) is a+b
	RoundIdentity  model.LawID = "round.identity"  // a+0, a·1, a/1 are a; a-a is 0; a/a is 1
	RoundRoot      model.LawID = "round.root"      // the root of a·a is |a|
	RoundNaN       model.LawID = "round.nan"       // a NaN goes in, a quiet NaN comes out
	RoundInvalid   model.LawID = "round.invalid"   // inf-inf, 0·inf, 0/0, … are NaN
	RoundInfinite  model.LawID = "round.infinite"  // exact infinities, and quotients by them
	RoundZero      model.LawID = "round.zero"      // signs of zeros
	RoundCompare   model.LawID = "round.compare"   // order of numbers; NaNs are in none
	RoundMinMax    model.LawID = "round.minmax"    // minimum, maximum, minNum, maxNum
)
