package fourier

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOneFactor multiplies the factors of a round trip under each convention: they make 1/N exactly once, or never.
func TestOneFactor(t *testing.T) {
	halves := map[Scale]int{Unscaled: 0, ByRootN: 1, ByN: 2}
	for n := NormBackward; n <= NormNone; n++ {
		want := 2
		if n == NormNone {
			want = 0
		}
		require.Equal(t, want, halves[n.Scale(Forward)]+halves[n.Scale(Inverse)], n)
	}
}

func TestTransformNames(t *testing.T) {
	require.Equal(t, "inverse DFT of 8 points, real output, times 1/N", Transform{N: 8, Sign: Inverse, Scale: ByN, Data: RealOutput}.String())
	require.Equal(t, "forward DFT of 1 points, complex", Transform{N: 1}.String())
	require.Equal(t, []int{5, 8, 8, 5}, []int{
		Transform{N: 8, Data: RealInput}.Out(), Transform{N: 8, Data: RealInput}.In(),
		Transform{N: 9, Data: RealOutput}.Out() - 1, Transform{N: 9, Data: RealOutput}.In(),
	})
	for _, bad := range []Transform{{}, {N: 1, Sign: 2}, {N: 1, Scale: 3}, {N: 1, Data: 3}} {
		require.Error(t, bad.Check())
	}
	require.NoError(t, Transform{N: 1}.Check())
}
