package ntt

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model/modular"
)

// TestPermute holds both ways of permuting to the place of every number.
func TestPermute(t *testing.T) {
	for n := 1; n <= 1<<13; n *= 2 {
		want := make([]uint32, n)
		for k := range want {
			want[modular.BitReversed.Place(k, n)] = uint32(k)
		}
		for name, f := range map[string]func(x []uint32){"permute": permute[uint32], "permuteTiles": permuteTiles[uint32]} {
			if name == "permuteTiles" && n < 64 {
				continue
			}
			x := make([]uint32, n)
			for k := range x {
				x[k] = uint32(k)
			}
			f(x)
			require.Equal(t, want, x, "%s of %d", name, n)
		}
	}
	require.Error(t, BitReverse(make([]uint64, 6)))
}

func BenchmarkBitReverse(b *testing.B) {
	for _, n := range []int{1 << 8, 1 << 10, 1 << 13, 1 << 16} {
		x := make([]uint64, n)
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			for b.Loop() {
				_ = BitReverse(x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/word")
		})
	}
}
