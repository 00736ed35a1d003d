package props

import (
	"gamma/props/internal/transforms"
)

// NTT32 makes a function of words in uint64 of one of words in uint32.
func NTT32(f func(dst, src []uint32) error) func(dst, src []uint64) error {
	return func(dst, src []uint64) error {
		in, out := make([]uint32, len(src)), make([]uint32, len(dst))
		for i, w := range src {
			in[i] = uint32(w)
		}
		err := f(out, in)
		for i, w := range out {
			dst[i] = uint64(w)
		}
		return err
	}
}

type (
	// NTTFailure is a violation of a law by a transform, reduced.
	NTTFailure = transforms.NTTFailure
	// NTTLaw is a law about number-theoretic transforms.
	NTTLaw = transforms.NTTLaw
	// NTTCase is one case as a law sees it: a transform, its inputs, and the kernel ready to run.
	NTTCase = transforms.NTTCase
)
