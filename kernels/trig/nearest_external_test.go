package trig_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/trig"
	exact "gamma/oracle/real"
)

// rounded returns f(x) rounded to binary32, by way of an interval of 2,048 bits or fewer whose ends round to one number.
func rounded(t *testing.T, f func(exact.Bits, exact.Interval) exact.Interval, x float32) float32 {
	ends := func(y exact.Interval) (lo, hi float32) {
		lo, _ = y.Lo.Float32()
		hi, _ = y.Hi.Float32()
		return lo, hi
	}
	y, ok := exact.Refine(2048, func(b exact.Bits) exact.Interval { return f(b, exact.Point(float64(x))) }, func(y exact.Interval) bool {
		lo, hi := ends(y)
		return lo == hi
	})
	require.True(t, ok, "%x", x)
	lo, _ := ends(y)
	return lo
}

// TestNearest compares the functions that are correctly rounded with values of any length: where binary64 does not decide, beside multiples of π/2, and anywhere.
func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	list := []float32{
		// Hard cases in the sources of CORE-MATH, sinf.c and cosf.c.
		0x1.33333p13, 0x1.75b8a2p-1, 0x1.4f0654p0, 0x1.2d97c8p3, 0x1.2d97c8p2, 0x1.4555p51, 0x1.48a858p54, 0x1.3170fp63, 0x1.2b9622p67,
		// The nearest to a multiple of π/2, of all and of those up to 105,615.
		0x1.f37c8ap95, 0x1.f9cbe2p7, math.Pi, math.Pi / 2, math.MaxFloat32, math.SmallestNonzeroFloat32,
	}
	for range 20_000 {
		list = append(list, math.Float32frombits(rng.Uint32()), float32(8*rng.NormFloat64()))
	}
	for _, x := range list {
		if x-x != 0 {
			continue
		}
		for _, x := range []float32{x, -x} {
			require.Equal(t, rounded(t, exact.Bits.Sin, x), trig.SinNearest32(x), "sin %x", x)
			require.Equal(t, rounded(t, exact.Bits.Cos, x), trig.CosNearest32(x), "cos %x", x)
		}
	}
}

// TestZero: sines keep the sign of zero.
func TestZero(t *testing.T) {
	for _, f := range []func(float32) float32{trig.Sin32, trig.SinNearest32, func(x float32) float32 { return float32(trig.Sin64(float64(x))) }} {
		require.Equal(t, uint32(0), math.Float32bits(f(0)))
		require.Equal(t, uint32(1<<31), math.Float32bits(f(float32(math.Copysign(0, -1)))))
	}
}

// TestHalfTurns: sinpi and cospi are within 2 ulp, exact at multiples of 1/2, and have zeros of the signs that IEEE 754 says.
func TestHalfTurns(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	worst := 0.0
	for range 200_000 {
		x := math.Float32frombits(rng.Uint32())
		if rng.IntN(2) == 0 {
			x = float32(8 * rng.NormFloat64())
		}
		if x-x != 0 {
			continue
		}
		lo, hi := exact.SinPi(float64(x))
		worst = max(worst, errorInUlps(float64(trig.SinPi32(x)), lo, hi, 24))
		lo, hi = exact.CosPi(float64(x))
		worst = max(worst, errorInUlps(float64(trig.CosPi32(x)), lo, hi, 24))
	}
	t.Logf("%.4f ulp", worst)
	require.Less(t, worst, 2.0)
	for k := range 8 {
		for _, x := range []float32{float32(k) / 2, -float32(k) / 2} {
			sin, cos := trig.SinPi32(x), trig.CosPi32(x)
			require.Equal(t, float32([]int{0, 1, 0, -1}[k&3]), float32(math.Copysign(1, float64(x)))*sin, "sinpi %v", x)
			require.Equal(t, float32([]int{1, 0, -1, 0}[k&3]), cos, "cospi %v", x)
			if k&1 == 0 {
				require.Equal(t, math.Signbit(float64(x)), math.Signbit(float64(sin)), "sinpi %v", x)
			} else {
				require.False(t, cos == 0 && math.Signbit(float64(cos)), "cospi %v", x)
			}
		}
	}
}
