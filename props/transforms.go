package props

import (
	"gamma/props/internal/transforms"
)

type (
	// NTTFailure is a violation of a law by a transform, reduced.
	NTTFailure = transforms.NTTFailure
	// NTTLaw is a law about number-theoretic transforms.
	NTTLaw = transforms.NTTLaw
	// NTTCase is one case as a law sees it: a transform, its inputs, and the kernel ready to run.
	NTTCase = transforms.NTTCase
)

// NTTLaws returns the built-in laws of transforms.
func NTTLaws() []NTTLaw {
	return transforms.NTTLaws()
}
