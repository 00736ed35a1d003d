package oracle

import (
	"math"
	"testing"

	"gamma/model"

	"github.com/stretchr/testify/require"
)

// Distances are counted by walking with Next.
func TestUlpDistanceCountsSteps(t *testing.T) {
	for _, f := range []model.Format{model.E5M2, model.Toy(2), model.E4M3} {
		all := uint64(1) << f.Bits()
		for a := range all {
			if f.IsNaN(a) {
				require.Zero(t, UlpDistance(f, a, f.NaNBits()))
				require.Equal(t, uint64(math.MaxUint64), UlpDistance(f, a, 0))
				require.Equal(t, uint64(math.MaxUint64), UlpDistance(f, 0, a))
				continue
			}
			steps := uint64(0)
			for b := a; ; steps++ {
				require.Equal(t, steps, UlpDistance(f, a, b))
				require.Equal(t, steps, UlpDistance(f, b, a))
				bits := steps
				if f.Signbit(a) != f.Signbit(b) {
					bits++
				}
				require.Equal(t, bits, BitDistance(f, a, b))
				next := f.Next(b)
				if next == b {
					break
				}
				b = next
			}
		}
	}
	require.Equal(t, uint64(1), UlpDistance32(1, math.Nextafter32(1, 2)))
	require.Equal(t, uint64(2), UlpDistance32(0x1p-149, -0x1p-149))
	require.Equal(t, uint64(0), UlpDistance64(0, math.Copysign(0, -1)))
	require.Equal(t, uint64(2)*(0x7ff<<52), UlpDistance64(math.Inf(1), math.Inf(-1)))
	require.Equal(t, uint64(1), BitDistance(model.Binary64, 0, 1<<63))
}

func TestUlpError(t *testing.T) {
	f := model.Binary32
	one := uint64(math.Float32bits(1))
	require.Equal(t, 0.0, UlpError(f, one, FromInt(1)))
	require.Equal(t, 0.25, UlpError(f, one, FromFloat64(1+0x1p-25)))
	require.Equal(t, 0.5, UlpError(f, one, FromFloat64(1-0x1p-25))) // the ulp below 1 is half as large
	require.Equal(t, 1.0, UlpError(f, one+1, FromInt(1)))
	require.Equal(t, 1.0, UlpError(f, one, FromBits(f, one+1)))
	require.Equal(t, 1.5, UlpError(f, 1, FromInt(-1).Scale(-150)))
	require.Equal(t, 3.0, UlpError(f, 3, Dyadic{}))
	require.True(t, math.IsInf(UlpError(f, f.InfBits(), FromInt(1)), 1))
	r := source(10)
	for range 2000 * effort() {
		x := FromFloat64(families64[0].draw(r)).Scale(r.IntN(300) - 150)
		b := x.Round(f, model.NearestEven)
		if f.IsFinite(b) {
			require.LessOrEqual(t, UlpError(f, b, x), 0.5)
		}
		b = x.Round(f, model.TowardZero)
		require.True(t, b&^f.SignBit() == f.MaxBits() || UlpError(f, b, x) <= 1)
	}
}
