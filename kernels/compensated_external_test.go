package kernels_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
)

func words(bits ...uint32) []float32 {
	x := make([]float32, len(bits))
	for i, b := range bits {
		x[i] = math.Float32frombits(b)
	}
	return x
}

func TestKahanPaysTwiceForALeafAboveTheRunningSum(t *testing.T) {
	// The witness of more than 2u·A, with n = 4.
	x := words(0x33400000, 0x3e800005, 0x3f7fffff, 0xb3800000)
	require.Equal(t, uint32(0x3fa00002), math.Float32bits(kernels.SumKahan(x)))
	require.Equal(t, uint32(0x3fa00001), math.Float32bits(kernels.SumNeumaier(x)))
	require.Equal(t, uint32(0x3f800002), math.Float32bits(kernels.SumKahan(words(0x33400000, 0x3e800000, 0x32800001, 0x3f000001, 0x3e7fffff))))
}

func TestKleinsEndingsDiffer(t *testing.T) {
	x := []float32{1, 0x1p-24, 0x1p-48, -1, -0x1p-24}
	require.Equal(t, float32(0), kernels.SumKlein(x))
	require.Equal(t, float32(0x1p-48), kernels.SumKleinLeft(x))
	require.Equal(t, float32(0x1p-48), kernels.SumK3(x))
}

func TestNeumaierAndSum2AreOneSum(t *testing.T) {
	rng := source(12)
	for range 5000 {
		x := spread(rng, rng.IntN(40), 60)
		require.Equal(t, math.Float32bits(kernels.SumNeumaier(x)), math.Float32bits(kernels.Sum2(x)), "%x", x)
		require.Equal(t, math.Float32bits(kernels.SumNeumaier(x)), math.Float32bits(kernels.SumK(x, 2)), "%x", x)
		y := widen(x)
		for i := range y {
			y[i] *= 1 + rng.Float64()
		}
		require.Equal(t, math.Float64bits(kernels.SumNeumaier(y)), math.Float64bits(kernels.Sum2(y)), "%x", y)
	}
}

// passes is SumK as its paper writes it, over a vector that each pass replaces.
func passes(x []float32, folds int) float32 {
	if len(x) == 0 {
		return 0
	}
	p := append([]float32(nil), x...)
	for range folds - 1 {
		for i := 1; i < len(p); i++ {
			a, b := p[i], p[i-1]
			s := a + b
			z := s - a
			p[i], p[i-1] = s, (a-(s-z))+(b-z)
		}
	}
	last := len(p) - 1
	return kernels.SumSerial(p[:last]) + p[last]
}

func TestSumKIsTheVectorTransformation(t *testing.T) {
	rng := source(13)
	for range 5000 {
		x := spread(rng, rng.IntN(30), 90)
		for _, v := range x { // what is left after the leaves cancel lies in the last folds
			x = append(x, -v, float32(math.Ldexp(float64(v), -100)))
		}
		rng.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		for _, folds := range []int{2, 3, 4, 5, 9} {
			require.Equal(t, passes(x, folds), kernels.SumK(x, folds), "K=%d %x", folds, x)
		}
	}
	require.PanicsWithValue(t, "kernels: SumK needs two folds or more", func() { kernels.SumK([]float32{1}, 1) })
}

func TestFABSumIsSum2OfItsBlocks(t *testing.T) {
	rng := source(14)
	for _, n := range []int{0, 1, 63, 64, 65, 127, 128, 129, 1000} {
		x := spread(rng, n, 30)
		var blocks []float32
		for i := 0; i < n; i += 64 {
			blocks = append(blocks, kernels.SumSerial(x[i:min(i+64, n)]))
		}
		require.Equal(t, kernels.Sum2(blocks), kernels.SumFAB(x), "n=%d", n)
	}
}

// TestCompensationRepays holds each scheme to 2u·|S| + 3·n²·u²·A, which every one of them keeps for
// these sizes and SumSerial does not: the data cancel.
func TestCompensationRepays(t *testing.T) {
	rng := source(15)
	broken := 0
	for range 3000 {
		n := 4 + rng.IntN(60)
		x := spread(rng, n, 40)
		for i := 0; i+1 < n; i += 2 {
			x[i+1] = -x[i] + float32(0x1p-20)*x[i+1]
		}
		exact, abs := new(big.Float).SetPrec(640), 0.0
		for _, v := range x {
			exact.Add(exact, big.NewFloat(float64(v)))
			abs += math.Abs(float64(v))
		}
		keeps := func(s float32) bool {
			e := new(big.Float).Sub(exact, big.NewFloat(float64(s)))
			err, _ := e.Abs(e).Float64()
			size, _ := exact.Float64()
			return err <= 0x1p-23*math.Abs(size)+3*float64(n*n)*0x1p-48*abs
		}
		for i, f := range []func([]float32) float32{
			kernels.SumNeumaier[float32], kernels.Sum2[float32], kernels.SumKlein[float32],
			kernels.SumKleinLeft[float32], kernels.SumK3[float32], kernels.SumK4[float32],
		} {
			require.True(t, keeps(f(x)), "kernel %d %x", i, x)
		}
		if !keeps(kernels.SumSerial(x)) {
			broken++
		}
	}
	require.Positive(t, broken)
}

func TestDot2RepaysProductsAndSums(t *testing.T) {
	x, y := []float32{1 + 0x1p-12, 1 + 0x1p-11, 1}, []float32{1 + 0x1p-12, -1, 0x1p-30}
	// (1+2^-12)² = 1 + 2^-11 + 2^-24 exactly.
	require.Equal(t, float32(0x1p-24+0x1p-30), kernels.Dot2(x, y))
	require.Equal(t, float32(0x1p-30), kernels.DotSerial(x, y))
	rng := source(16)
	for range 3000 {
		n := 1 + rng.IntN(20)
		a, b := spread(rng, n, 10), spread(rng, n, 10)
		if kernels.DotExact(a, b) != kernels.DotSerial(a, b) {
			e := math.Abs(float64(kernels.Dot2(a, b)) - float64(kernels.DotExact(a, b)))
			p := math.Abs(float64(kernels.DotSerial(a, b)) - float64(kernels.DotExact(a, b)))
			require.LessOrEqual(t, e, p)
		}
		d := kernels.Dot2of64(widen(a), widen(b))
		require.Equal(t, kernels.DotExact(a, b), float32(d))
	}
}
