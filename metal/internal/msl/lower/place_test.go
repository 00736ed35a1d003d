package lower

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// A constant index as large as 2^62 elements of 4 bytes must not come back as displacement 0.
func TestFarDisplacementsStay(t *testing.T) {
	require.Equal(t, int64(28), far(8, 5, 4))
	require.Equal(t, int64(-12), far(8, -5, 4))
	require.Equal(t, int64(farAway), far(0, 1<<62, 4))
	require.Equal(t, int64(-farAway), far(4, math.MinInt64, 4))
	require.Equal(t, int64(farAway), far(farAway-4, 1, 8))
	require.Equal(t, int64(farAway), far(farAway, -(1<<62), 4), "what left its object does not come back")
	require.Equal(t, int64(3), far(3, 1<<62, 0))
}
