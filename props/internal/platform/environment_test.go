package platform

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:noinline
func quotient(x, y float32) float32 { return x / y }

// TestEnvironment changes one field after the other: each changes what Go computes, where the field is one of arithmetic, is named, and is
// put back.
func TestEnvironment(t *testing.T) {
	if !HasEnvironment {
		t.Skip("no control word is read on " + runtime.GOARCH)
	}
	least, tiny := math.Float32frombits(0x00800000), math.Float32frombits(1)
	const third, fifth = float32(1) / 3, float32(1) / 5 // to nearest: above 1/3, and above 1/5
	down := func() bool { return quotient(1, 3) < third && quotient(1, 5) < fifth }
	up := func() bool { return quotient(-1, 3) > -third && quotient(-1, 5) > -fifth }
	flushed := func() bool { return math.Float32bits(quotient(least, 2)) == 0 }
	type change struct {
		bits Environment
		says string
		seen func() bool // by Go's arithmetic
	}
	changes := map[string][]change{
		"amd64": {
			{3 << 13, "the rounding mode at toward zero (MXCSR.RC)", down},
			{1 << 13, "the rounding mode at downward (MXCSR.RC)", down},
			{2 << 13, "the rounding mode at upward (MXCSR.RC)", up},
			{1 << 15, "flush-to-zero on (MXCSR.FTZ)", flushed},
			{1 << 6, "denormals-are-zero on (MXCSR.DAZ)", func() bool { return quotient(tiny, tiny) != 1 }},
			{3 << (x87Shifted + 10), "the x87 rounding mode at toward zero (RC of the x87 control word)", nil},
			{3<<13 | 1<<15, "the rounding mode at toward zero (MXCSR.RC), flush-to-zero on (MXCSR.FTZ)", down},
		},
		"arm64": {
			{3 << 22, "the rounding mode at toward zero (FPCR.RMode)", down},
			{2 << 22, "the rounding mode at downward (FPCR.RMode)", down},
			{1 << 22, "the rounding mode at upward (FPCR.RMode)", up},
			{1 << 24, "flush-to-zero on (FPCR.FZ)", flushed},
			{1 << 25, "default NaNs on (FPCR.DN)", nil},
		},
	}[runtime.GOARCH]
	require.NotEmpty(t, changes)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := ReadEnvironment()
	require.Equal(t, before.Go(), before)
	require.Empty(t, before.Left(before))
	for _, c := range changes {
		(before | c.bits).Write()
		left, seen := ReadEnvironment(), c.seen == nil || c.seen()
		before.Write()
		require.Equal(t, before|c.bits, left, c.says)
		require.Equal(t, c.says, left.Left(before))
		require.True(t, seen, "Go's arithmetic does not know it: %s", c.says)
		require.Equal(t, before, ReadEnvironment())
		if c.seen != nil {
			require.Equal(t, before, left.Go(), c.says)
		}
	}
	if runtime.GOARCH == "amd64" {
		precise := before&^(3<<(x87Shifted+8)) | 2<<(x87Shifted+8)
		require.Equal(t, "the x87 precision at 53 bits (PC of the x87 control word)", precise.Left(before))
	}
}

// x87Shifted is where amd64's environment has the x87 control word.
const x87Shifted = 32
