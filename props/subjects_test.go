package props_test

import (
	"testing"

	"gamma/kernels"
	"gamma/kernels/dd"
	"gamma/props"
)

// subject is what a Reduction and a Dot have in common.
type subject interface {
	props.Subject
	Check(t *testing.T)
	Replay(t *testing.T)
}

// everyKernel returns the kernels that sum: those of package kernels, and those of dd, which kernels cannot import.
func everyKernel() []kernels.Kernel { return append(kernels.All(), dd.Sums()...) }

// subjectOf wraps one of our kernels as a user would wrap his own.
func subjectOf(k kernels.Kernel) subject {
	if k.IsDot() {
		return props.Dot{
			Name: k.Name, Claim: k.Claim,
			Run: k.Dot32, Run64: k.Dot64, RunBits: k.DotBits, RunSquares: k.Squares32, RunRows: k.DotRows32,
		}
	}
	return props.Reduction{
		Name: k.Name, Claim: k.Claim,
		Run: k.Sum32, Run64: k.Sum64, RunBits: k.SumBits, RunTree: k.SumTree, RunRows: k.Rows32,
	}
}
