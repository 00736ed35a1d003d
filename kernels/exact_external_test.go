package kernels_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
)

// anyFinite returns n finite leaves with random bits, of which some cancel.
func anyFinite(rng *rand.Rand, n int) []float32 {
	x := make([]float32, 0, n)
	for len(x) < n {
		v := math.Float32frombits(rng.Uint32())
		switch rng.IntN(6) {
		case 0:
			v = math.Float32frombits(rng.Uint32() &^ 0x7f800000) // subnormal
		case 1:
			if len(x) > 0 {
				v = -x[rng.IntN(len(x))]
			}
		case 2:
			v = float32(math.Ldexp(1, rng.IntN(277)-149))
		}
		if v-v == 0 {
			x = append(x, v)
		}
	}
	return x
}

func TestExactSumsAgainstBig(t *testing.T) {
	rng := source(8)
	for range 20000 {
		x := anyFinite(rng, rng.IntN(12))
		require.Equal(t, exactSum(x), kernels.SumExact(x), "%x", x)
	}
	for range 50 {
		x := anyFinite(rng, 3000)
		require.Equal(t, exactSum(x), kernels.SumExact(x))
	}
	ties := []float32{1, 0x1p-24, 0x1p-149}
	require.Equal(t, float32(1+0x1p-23), kernels.SumExact(ties))
	require.Equal(t, float32(1), kernels.SumExact(ties[:2]))
	require.True(t, math.IsInf(float64(kernels.SumExact([]float32{math.MaxFloat32, 0x1p103})), 1))
}

func TestExactDotsAgainstBig(t *testing.T) {
	rng := source(9)
	for range 20000 {
		n := rng.IntN(8)
		x, y := anyFinite(rng, n), anyFinite(rng, n)
		if n > 1 {
			x[n-1], y[n-1] = -x[0], y[0]
		}
		s := new(big.Float).SetPrec(900)
		for i := range x {
			p := new(big.Float).SetPrec(64).SetFloat64(float64(x[i]))
			s.Add(s, p.Mul(p, new(big.Float).SetFloat64(float64(y[i]))))
		}
		want, _ := s.Float32()
		require.Equal(t, want, kernels.DotExact(x, y), "%x %x", x, y)
	}
}

func TestBinnedSumDoesNotDependOnOrderOrPartition(t *testing.T) {
	rng := source(10)
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for round := range 3000 {
		n := rng.IntN(60)
		x := anyFinite(rng, n)
		if round%2 == 0 {
			x = spread(rng, n, 100)
		}
		if round%10 == 0 && n > 2 {
			x[rng.IntN(n)] = []float32{inf, -inf, nan}[rng.IntN(3)]
			x[rng.IntN(n)] = []float32{inf, -inf, 0}[rng.IntN(3)]
		}
		want := math.Float32bits(kernels.SumBinned(x))
		exact := math.Float32bits(kernels.SumExact(x))
		for range 4 {
			rng.Shuffle(n, func(i, j int) { x[i], x[j] = x[j], x[i] })
			require.Equal(t, want, math.Float32bits(kernels.SumBinned(x)), "%x", x)
			require.Equal(t, exact, math.Float32bits(kernels.SumExact(x)), "%x", x)

			parts := make([]kernels.Binned, 1+rng.IntN(5))
			for rest := x; len(rest) > 0; {
				m := 1 + rng.IntN(len(rest))
				parts[rng.IntN(len(parts))].Add(rest[:m])
				rest = rest[m:]
			}
			for len(parts) > 1 {
				i := rng.IntN(len(parts) - 1)
				parts[i].Merge(&parts[len(parts)-1])
				parts = parts[:len(parts)-1]
			}
			require.Equal(t, want, math.Float32bits(parts[0].Float32()), "%x", x)
		}
	}
}

func TestBinnedSumKeepsItsBound(t *testing.T) {
	rng := source(11)
	lossy := 0
	for range 20000 {
		x := spread(rng, 2+rng.IntN(30), 120)
		if rng.IntN(2) == 0 {
			x[0] = -x[1] // cancel what hides the dropped bins
		}
		exact, largest := new(big.Float).SetPrec(700), 0.0
		for _, v := range x {
			exact.Add(exact, big.NewFloat(float64(v)))
			largest = max(largest, math.Abs(float64(v)))
		}
		got := kernels.SumBinned(x)
		err := new(big.Float).SetPrec(700).Sub(big.NewFloat(float64(got)), exact)
		err.Abs(err)
		// E <= u/(1+u)·|S| + (1+u/(1+u))·n·2^-48·max; times (1+u), (1+u)·E <= u·|S| + (1+2u)·n·2^-48·max.
		term := func(a *big.Float, b float64) *big.Float {
			return new(big.Float).SetPrec(700).Mul(a, big.NewFloat(b))
		}
		bound := term(new(big.Float).Abs(exact), 0x1p-24)
		drop := term(big.NewFloat(largest), float64(len(x))*0x1p-48)
		bound.Add(bound, term(drop, 1+0x1p-23))
		require.LessOrEqual(t, term(err, 1+0x1p-24).Cmp(bound), 0, "%x", x)
		if got != kernels.SumExact(x) {
			lossy++
		}
	}
	require.Positive(t, lossy, "the data never reached below the kept bins")
}

func TestBinnedSumOfALongRun(t *testing.T) {
	n := 1<<21 + 77
	x := make([]float32, n)
	for i := range x {
		x[i] = 0x1.fffffep0
		if i%3 == 0 {
			x[i] = 0x1.2345p-30
		}
	}
	require.Equal(t, kernels.SumExact(x), kernels.SumBinned(x))
}
