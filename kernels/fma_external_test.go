package kernels_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
)

// exactFMA returns x·y + z of finite numbers, rounded once, by math/big.
func exactFMA(x, y, z float32) float32 {
	p := new(big.Float).SetPrec(900).SetFloat64(float64(x))
	p.Mul(p, big.NewFloat(float64(y)))
	p.Add(p, big.NewFloat(float64(z)))
	f, _ := p.Float32()
	return f
}

func TestFMARoundsOnce(t *testing.T) {
	rng := source(19)
	n := 200_000
	if thorough() {
		n = 5_000_000
	}
	twice := 0
	for i := range n {
		x, y := math.Float32frombits(rng.Uint32()), math.Float32frombits(rng.Uint32())
		z := math.Float32frombits(rng.Uint32())
		p := float32(x * y)
		switch i % 7 {
		case 0: // z near the product
			z = math.Float32frombits(math.Float32bits(-p) + uint32(rng.IntN(5)) - 2)
		case 1: // a tie, disturbed far below
			x = float32(1<<23 + rng.IntN(1<<23))
			y = 1 + 0x1p-23*float32(rng.IntN(4))
			z = float32(math.Ldexp(float64(1<<23+rng.IntN(1<<23)), rng.IntN(52)-26))
		case 2: // a subnormal result
			x = float32(math.Ldexp(rng.Float64(), -70))
			y = float32(math.Ldexp(rng.Float64()-0.5, -rng.IntN(85)))
			z = math.Float32frombits(rng.Uint32() & 0x80ffffff)
		case 3: // half an ulp of z, up to a little
			y = float32(math.Ldexp(1+0x1p-23*float64(rng.IntN(3)), -24-rng.IntN(2)))
			x = float32(math.Ldexp(1-0x1p-24*float64(rng.IntN(3)), 0))
			z = 1 + 0x1p-23*float32(rng.IntN(1<<23))
		case 4: // a tie less k²·2^-46 of half an ulp, which binary64 sees, half sees or does not see
			k := float64(1 + rng.IntN(1<<(1+rng.IntN(11))))
			x = float32(math.Ldexp(1+k*0x1p-23, -12))
			y = float32(math.Ldexp(1-k*0x1p-23, -12)) * float32(1-2*rng.IntN(2))
			z = (1 + 0x1p-23*float32(rng.IntN(1<<23))) * float32(1-2*rng.IntN(2))
		case 5: // the same of subnormal results, whose middles are other numbers of binary64
			k := float64(1 + rng.IntN(1<<(1+rng.IntN(11))))
			x = float32(math.Ldexp(1+k*0x1p-23, -75))
			y = float32(math.Ldexp(1-k*0x1p-23, -75)) * float32(1-2*rng.IntN(2))
			z = math.Float32frombits(rng.Uint32()>>(9+rng.IntN(4))) * float32(1-2*rng.IntN(2))
		}
		if x-x != 0 || y-y != 0 || z-z != 0 {
			continue
		}
		want, got := exactFMA(x, y, z), kernels.FMA(x, y, z)
		require.Equal(t, want, got, "%x·%x + %x", x, y, z)
		if float32(math.FMA(float64(x), float64(y), float64(z))) != want {
			twice++
		}
	}
	require.Positive(t, twice, "no case tells one rounding from two")
}

func TestFMAOfSpecialValues(t *testing.T) {
	inf := float32(math.Inf(1))
	nzero := float32(math.Copysign(0, -1))
	require.Equal(t, inf, kernels.FMA(inf, 2, 3))
	require.Equal(t, -inf, kernels.FMA(3, 2, -inf))
	require.Equal(t, -inf, kernels.FMA(math.MaxFloat32, math.MaxFloat32, -inf))
	require.True(t, math.IsNaN(float64(kernels.FMA(inf, 0, 1))))
	require.True(t, math.IsNaN(float64(kernels.FMA(inf, 1, -inf))))
	require.Equal(t, uint32(1)<<31, math.Float32bits(kernels.FMA(nzero, 1, nzero)))
	require.Equal(t, uint32(0), math.Float32bits(kernels.FMA(1, 1, -1)))
	require.Equal(t, inf, kernels.FMA(math.MaxFloat32, 2, -math.MaxFloat32+0x1p104))
	require.Equal(t, float32(math.MaxFloat32), kernels.FMA(math.MaxFloat32, 2, -math.MaxFloat32))
}
