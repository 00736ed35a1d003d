package eft_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/kernels/eft"
	"gamma/oracle"
)

// exact returns the sum of words.
func exact(words ...float32) *big.Rat {
	sum := new(big.Rat)
	for _, w := range words {
		sum.Add(sum, new(big.Rat).SetFloat64(float64(w)))
	}
	return sum
}

// draw returns any finite word, next to powers of two half of the time.
func draw(rng *rand.Rand) float32 {
	b := rng.Uint32()
	if rng.IntN(2) == 0 {
		b = b&0xff800000 + uint32(rng.IntN(7)) - 3
	}
	v := math.Float32frombits(b)
	if v-v != 0 {
		return 1
	}
	return v
}

func TestSumsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	unordered := 0
	for range 30_000 {
		a, b := draw(rng), draw(rng)
		if rng.IntN(2) == 0 {
			_, e := math.Frexp(float64(a))
			b = float32(math.Ldexp(rng.Float64()-0.5, e-rng.IntN(30)))
		}
		s := a + b
		if s-s != 0 || s-a-(s-a) != 0 || s-b-(s-b) != 0 {
			continue
		}
		want := exact(a, b)
		for _, f := range []func(a, b float32) (s, e float32){eft.TwoSum[float32], eft.TwoSumLeft[float32]} {
			s, e := f(a, b)
			require.Equal(t, 0, want.Cmp(exact(s, e)), "%x + %x", a, b)
			require.Equal(t, a+b, s)
		}
		s, e := eft.FastTwoSum(a, b)
		if math.Abs(float64(a)) >= math.Abs(float64(b)) || a == 0 {
			require.Equal(t, 0, want.Cmp(exact(s, e)), "%x + %x", a, b)
		} else if want.Cmp(exact(s, e)) != 0 {
			unordered++
		}
	}
	require.Positive(t, unordered)
}

func TestProductsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	below := 0
	for range 40_000 {
		a, b := draw(rng), draw(rng)
		if rng.IntN(4) == 0 { // near the edge of underflow
			b = float32(math.Ldexp(1+rng.Float64(), -103-math.Ilogb(float64(a))+rng.IntN(5)-3))
		}
		p, e := eft.TwoProductFMA(a, b)
		require.Equal(t, math.Float32bits(float32(a*b)), math.Float32bits(p))
		if p-p != 0 {
			require.NotZero(t, e-e)
			continue
		}
		require.Equal(t, math.Float32bits(oracle.Fma32(a, b, -p)), math.Float32bits(e), "%x·%x", a, b)
		q, d := eft.TwoProductDekker(a, b)
		require.Equal(t, p, q)
		want := new(big.Rat).Mul(exact(a), exact(b))
		if a == 0 || b == 0 || math.Ilogb(float64(a))+math.Ilogb(float64(b)) >= -103 {
			require.Equal(t, 0, want.Cmp(exact(p, e)), "%x·%x", a, b)
			if max(math.Abs(float64(a)), math.Abs(float64(b))) < 0x1p115 && math.Abs(float64(p)) <= 0x1p127 {
				require.Equal(t, e, d, "%x·%x", a, b)
			}
			continue
		}
		if want.Cmp(exact(p, e)) != 0 {
			below++
		}
		if math.Abs(float64(a)) < 0x1p115 && math.Abs(float64(b)) < 0x1p115 {
			off := want.Sub(want, exact(q, d))
			require.LessOrEqual(t, off.Abs(off).Cmp(new(big.Rat).SetFloat64(0x1p-148)), 0, "%x·%x: %x", a, b, d)
		}
	}
	require.Positive(t, below)
}

func TestSplitHalves(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 20_000 {
		a := draw(rng)
		if math.Abs(float64(a)) >= 0x1p115 {
			continue
		}
		h, l := eft.Split(a)
		require.Equal(t, 0, exact(a).Cmp(exact(h, l)))
		require.LessOrEqual(t, bits(float64(h)), 12)
		require.LessOrEqual(t, bits(float64(l)), 11)
		w := float64(a) * (1 + 0x1p-29*rng.Float64())
		hh, ll := eft.Split(w)
		require.Equal(t, w, hh+ll)
		require.LessOrEqual(t, bits(hh), 26)
		require.LessOrEqual(t, bits(ll), 26)
	}
	h, l := eft.Split[float32](math.MaxFloat32)
	require.True(t, h != h && l != l, "the product with the splitter overflows")
	h, l = eft.Split[float32](0x1.fffffep114)
	require.Equal(t, float32(0x1.fffffep114), h+l)
}

// bits returns the width of v's significand from its first to its last one.
func bits(v float64) int {
	if v == 0 {
		return 0
	}
	b := math.Float64bits(v)&(1<<52-1) | 1<<52
	n := 53
	for ; b&1 == 0; b >>= 1 {
		n--
	}
	return n
}

// TestSpecialValues has the cases in which a step overflows although the sum does not.
func TestSpecialValues(t *testing.T) {
	const small = -0x1.8p104
	s, e := eft.TwoSum[float32](math.MaxFloat32, small)
	require.True(t, s-s == 0 && e != e)
	s, e = eft.TwoSum[float32](small, math.MaxFloat32)
	require.Equal(t, 0, exact(math.MaxFloat32, small).Cmp(exact(s, e)))
	s, e = eft.TwoSumLeft[float32](small, math.MaxFloat32)
	require.True(t, s-s == 0 && e != e)
	s, e = eft.TwoSumLeft[float32](math.MaxFloat32, small)
	require.Equal(t, 0, exact(math.MaxFloat32, small).Cmp(exact(s, e)))
	s, e = eft.FastTwoSum[float32](math.MaxFloat32, small)
	require.Equal(t, 0, exact(math.MaxFloat32, small).Cmp(exact(s, e)))
	inf := float32(math.Inf(1))
	for _, f := range []func(a, b float32) (s, e float32){eft.TwoSum[float32], eft.TwoSumLeft[float32], eft.FastTwoSum[float32]} {
		s, e := f(math.MaxFloat32, math.MaxFloat32)
		require.Equal(t, inf, s)
		require.NotZero(t, e-e)
		s, _ = f(inf, -inf)
		require.True(t, s != s)
	}
	require.Equal(t, 24, eft.Precision[float32]())
	require.Equal(t, 53, eft.Precision[float64]())
	require.Equal(t, float32(3), eft.Sqrt[float32](9))
	require.Equal(t, oracle.Fma32(0.9474001, 4.639901e-7, -0.24325085), eft.FMA[float32](0.9474001, 4.639901e-7, -0.24325085))
	require.Equal(t, math.FMA(1+0x1p-52, 1-0x1p-52, -1), eft.FMA(1+0x1p-52, 1-0x1p-52, -1.0))
	_, ok := eft.Find("eft.Nothing")
	require.False(t, ok)
	k, ok := eft.Find("eft.TwoSum")
	require.True(t, ok)
	dst := make([]float32, 2)
	k.Run32(dst, []float32{1, 0x1p-30})
	require.Equal(t, []float32{1, 0x1p-30}, dst)
	require.False(t, kernels.Overlap(dst, nil))
}
