package complex

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestByFourIsOneByOne holds vectors of four, where there are any, to the loop in Go, for every remainder and with special values.
func TestByFourIsOneByOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 40 {
		for range 200 {
			x, y := make([]float32, 4*n), make([]float32, 4*n)
			for i := range x {
				for _, v := range [][]float32{x, y} {
					v[i] = math.Float32frombits(rng.Uint32())
					if i%4 != 0 || rng.IntN(8) != 0 {
						v[i] = float32(math.Ldexp(rng.Float64()-0.5, 3-24*(i%2)))
					}
				}
			}
			want, got := make([]float32, 4*n), make([]float32, 4*n)
			oneByOne(want, x, y)
			MultiplyDD(got, x, y)
			for i, w := range want {
				if g := got[i]; math.Float32bits(g) != math.Float32bits(w) && (g == g || w == w) {
					t.Fatalf("word %d of %d: %x, not %x", i, 4*n, g, w)
				}
			}
			MultiplyDD(x, x, y)
			for i, g := range got {
				require.True(t, x[i] == g || g != g && x[i] != x[i])
			}
		}
	}
}

// TestCut holds the halves that MultiplyDD splits into to their widths.
func TestCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 10_000 {
		v := math.Float32frombits(rng.Uint32()&^0x7f800000 | uint32(rng.IntN(255))<<23)
		h := cut(v)
		l := v - h
		require.Equal(t, v, h+l)
		require.Equal(t, float64(v), float64(h)+float64(l))
		for _, w := range []float32{h, l} {
			f, _ := math.Frexp(float64(w))
			m := math.Abs(math.Ldexp(f, 12))
			require.Equal(t, m, math.Trunc(m), "%x", w)
		}
	}
}

// BenchmarkOneByOne times MultiplyDD's loop in Go alone.
func BenchmarkOneByOne(b *testing.B) {
	const n = 1024
	rng := rand.New(rand.NewPCG(3, 1))
	x, y, dst := make([]float32, 4*n), make([]float32, 4*n), make([]float32, 4*n)
	for i := range x {
		x[i], y[i] = float32(math.Ldexp(1+rng.Float64(), -24*(i%2)-i%2)), float32(math.Ldexp(1+rng.Float64(), -24*(i%2)-i%2))
	}
	for b.Loop() {
		oneByOne(dst, x, y)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/product")
}
