package props

import "gamma/props/internal/wrapping"

type (
	// WrappingLaw is a law about sums of integers modulo 2^k.
	WrappingLaw = wrapping.WrappingLaw
	// WrappingTrial is one sum as a law sees it: the first result, and those of the further runs that the law asked for by
	// Again.
	WrappingTrial = wrapping.WrappingTrial
	// WrappingFailure is a violation of a law by a sum of integers: the reduced case, its first result, and the further
	// runs of the law.
	WrappingFailure = wrapping.WrappingFailure
)
