package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/model"
	"gamma/sumtree"
)

// encode returns x in the kernel's 16-bit format.
func encode(f model.Format, x []float64) []uint16 {
	b := make([]uint16, len(x))
	for i, v := range x {
		if f.Name == model.Binary16.Name {
			b[i] = kernels.HalfFromFloat32(float32(v))
		} else {
			b[i] = kernels.BFloatFromFloat32(float32(v))
		}
	}
	return b
}

// decode returns the number that b encodes.
func decode(f model.Format, b uint64) float64 {
	switch f.Name {
	case model.Binary16.Name:
		return float64(kernels.HalfToFloat32(uint16(b)))
	case model.BFloat16.Name:
		return float64(kernels.BFloatToFloat32(uint16(b)))
	}
	return float64(math.Float32frombits(uint32(b)))
}

func narrow(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// sum runs k on x, a dot product against ones; ok = false for a sum of squares.
func sum(k kernels.Kernel, x []float64) (s float64, ok bool) {
	ones := make([]float64, len(x))
	for i := range ones {
		ones[i] = 1
	}
	c := k.Claim.WithDefaults(model.Format{})
	switch {
	case k.Sum32 != nil:
		return float64(k.Sum32(narrow(x))), true
	case k.Sum64 != nil:
		return k.Sum64(x), true
	case k.SumBits != nil:
		return decode(c.Out, k.SumBits(encode(c.In, x))), true
	case k.SumTree != nil:
		return float64(k.SumTree(sumtree.Pairwise(1).Tree(len(x)), narrow(x))), true
	case k.Rows32 != nil:
		dst := make([]float32, 1)
		k.Rows32(dst, narrow(x), len(x))
		return float64(dst[0]), true
	case k.Dot32 != nil:
		return float64(k.Dot32(narrow(x), narrow(ones))), true
	case k.Dot64 != nil:
		return k.Dot64(x, ones), true
	case k.DotBits != nil:
		return decode(c.Out, k.DotBits(encode(c.In, x), encode(c.In, ones))), true
	}
	return 0, false
}

// large is about the largest number of the kernel's accumulator and input.
func large(k kernels.Kernel) float64 {
	switch k.Claim.In.Name {
	case model.Binary64.Name:
		return 1.7e308
	case model.Binary16.Name:
		return 65504
	}
	return 3e38
}

func TestKernelsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range kernels.All() {
		set := 0
		for _, f := range []bool{
			k.Sum32 != nil, k.Sum64 != nil, k.SumBits != nil, k.SumTree != nil, k.Rows32 != nil,
			k.Dot32 != nil, k.Dot64 != nil, k.DotBits != nil, k.Squares32 != nil,
		} {
			if f {
				set++
			}
		}
		require.Equal(t, 1, set, k.Name)
		require.False(t, seen[k.Name], k.Name)
		require.False(t, k.Claim.In.IsZero(), k.Name)
		require.True(t, k.Claim.SignedZero, k.Name)
		seen[k.Name] = true
		found, ok := kernels.Find(k.Name)
		require.True(t, ok)
		require.Equal(t, k.Name, found.Name)
	}
	_, ok := kernels.Find("kernels.Nothing")
	require.False(t, ok)
}

func TestSpecialValues(t *testing.T) {
	inf, nan, nzero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, k := range kernels.All() {
		if _, ok := sum(k, []float64{1}); !ok {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			got := func(x ...float64) float64 {
				s, _ := sum(k, x)
				return s
			}
			same := func(want, got float64, note string) {
				t.Helper()
				if math.IsNaN(want) {
					require.True(t, math.IsNaN(got), "%s: %v", note, got)
					return
				}
				require.Equal(t, math.Float64bits(want), math.Float64bits(got), "%s: want %v, got %v", note, want, got)
			}
			if !k.Claim.Mean {
				same(0, got(), "empty")
				same(0, got(1, -1), "x + -x")
				same(0, got(-1, 1, nzero), "-x + x + -0")
			}
			for _, v := range []float64{0, nzero, 1, -1.5, inf, -inf, nan} {
				same(v, got(v), "one leaf")
			}
			for _, n := range []int{2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 140, 257} {
				zeros := make([]float64, n)
				same(0, got(zeros...), "zeros")
				for i := range zeros {
					zeros[i] = nzero
				}
				same(nzero, got(zeros...), "negative zeros")
				for i := range n {
					zeros[i] = 0
					same(0, got(zeros...), fmt.Sprintf("+0 at %d of -0", i))
					zeros[i] = nzero
				}
				for i := range n {
					x := make([]float64, n)
					for j := range x {
						x[j] = float64(j%3) - 1
					}
					for _, v := range []float64{inf, -inf, nan} {
						x[i] = v
						same(v, got(x...), fmt.Sprintf("%v at %d of %d", v, i, n))
					}
					x[i] = inf
					j := (i + n/2) % n
					x[j] = -inf
					same(nan, got(x...), fmt.Sprintf("+Inf at %d, -Inf at %d", i, j))
					x[j] = nan
					same(nan, got(x...), fmt.Sprintf("+Inf at %d, NaN at %d", i, j))
				}
			}
			same(inf, got(inf, 0), "+Inf, 0")
			same(nan, got(inf, 4, -inf), "+Inf, 4, -Inf")

			big := large(k)
			orders := [][]float64{{big, big, -big}, {big, -big, big}, {-big, big, big}, {big, big, -big, -big, big}}
			for _, x := range orders {
				s := got(x...)
				if k.Claim.Mean {
					s *= float64(len(x))
				}
				one := got(big)
				ok := math.IsInf(s, 0) || math.Abs(s) == math.Abs(one) || k.Claim.Mean && math.Abs(s/one-1) < 0.5
				require.True(t, ok && !math.IsNaN(s), "%v gives %v", x, s)
			}
			if k.Claim.OverflowSafe {
				same(got(big), got(big, big, -big), "overflow on the way")
				same(inf, got(big, big), "overflow")
				same(-inf, got(-big, -big), "overflow")
			}
		})
	}
}

func TestErrorWordThatIsNaNIsNotRepaid(t *testing.T) {
	// s-a of twoSum overflows although s does not: 0xf3c00000 + 0x7f7fffff.
	x := []float64{float64(math.Float32frombits(0xf3c00000)), math.MaxFloat32}
	want := float64(math.Float32frombits(0x7f7ffffe))
	for _, k := range kernels.All() {
		if k.Claim.In.Name != model.Binary32.Name || k.Claim.Mean {
			continue
		}
		if s, ok := sum(k, x); ok {
			require.Equal(t, want, s, k.Name)
			s, _ = sum(k, append(x, 0x1p100, -0x1p100))
			require.True(t, s >= 0x1.fffff8p127 && s <= math.MaxFloat32, "%s: %x", k.Name, s)
			if k.Claim.Compensation != model.Uncompensated {
				require.Equal(t, want, s, k.Name)
			}
		}
	}
}

func TestIntegersAreExact(t *testing.T) {
	rng := source(6)
	for _, n := range []int{1, 5, 31, 64, 65, 129, 200} {
		x := make([]float64, n)
		var want float64
		for i := range x {
			x[i] = float64(rng.IntN(3) - 1)
			want += x[i]
		}
		for _, k := range kernels.All() {
			if s, ok := sum(k, x); ok && !k.Claim.Mean {
				require.Equal(t, want, s, "%s n=%d", k.Name, n)
			}
		}
	}
}

func TestNoKernelWritesToItsInput(t *testing.T) {
	rng := source(7)
	x := spread(rng, 200, 30)
	y := spread(rng, 200, 30)
	keepX, keepY := append([]float32(nil), x...), append([]float32(nil), y...)
	for _, k := range kernels.All() {
		switch {
		case k.Sum32 != nil:
			k.Sum32(x)
		case k.Dot32 != nil:
			k.Dot32(x, y)
		}
		require.Equal(t, keepX, x, k.Name)
		require.Equal(t, keepY, y, k.Name)
	}
}

func TestDotProductsOfSpecialFactors(t *testing.T) {
	inf := float32(math.Inf(1))
	nzero := float32(math.Copysign(0, -1))
	for _, k := range kernels.All() {
		if k.Dot32 == nil {
			continue
		}
		require.True(t, math.IsNaN(float64(k.Dot32([]float32{inf, 1}, []float32{0, 1}))), k.Name)
		require.True(t, math.IsNaN(float64(k.Dot32([]float32{1, 0}, []float32{1, -inf}))), k.Name)
		require.Equal(t, inf, k.Dot32([]float32{-inf, 1}, []float32{-2, 1}), k.Name)
		minus := k.Dot32([]float32{nzero, 1, -1}, []float32{1, nzero, 0})
		require.Equal(t, uint32(1)<<31, math.Float32bits(minus), k.Name)
		got := k.Dot32([]float32{1e30, 1e30, 1e30}, []float32{1e10, -1e10, 1})
		require.False(t, k.Claim.OverflowSafe && got != 1e30, "%s: %v", k.Name, got)
		require.Panics(t, func() { k.Dot32([]float32{1}, nil) }, k.Name)
	}
}
