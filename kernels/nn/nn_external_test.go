package nn_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/nn"
)

// TestNames holds that kernels have one name each, by which they are found, and a formula without a mistake.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range nn.All() {
		require.False(t, seen[k.Name], k.Name)
		seen[k.Name] = true
		require.NoError(t, k.Formula.Err(), k.Name)
		_, ok := nn.Find(k.Name)
		require.True(t, ok, k.Name)
	}
	_, ok := nn.Find("nn.Nothing")
	require.False(t, ok)
}

// TestE4M3 compares conversions with the definition: the value of each code by its fields, and of each number the nearest, in ties the even code.
func TestE4M3(t *testing.T) {
	value := func(c int) float64 {
		if e := c >> 3; e > 0 {
			return math.Ldexp(float64(8+c&7), e-10)
		}
		return math.Ldexp(float64(c), -9)
	}
	for c := range 0x7f {
		require.Equal(t, value(c), float64(nn.E4M3ToFloat32(uint8(c))), "%#x", c)
		require.Equal(t, -value(c), float64(nn.E4M3ToFloat32(uint8(c|0x80))), "%#x", c)
		require.Equal(t, uint8(c), nn.E4M3FromFloat32(float32(value(c))))
		if c == 0x7e {
			break
		}
		middle := float32((value(c) + value(c+1)) / 2)
		require.Equal(t, uint8(c+c&1), nn.E4M3FromFloat32(middle), "%v", middle)
		require.Equal(t, uint8(c), nn.E4M3FromFloat32(math.Nextafter32(middle, 0)))
		require.Equal(t, uint8(c+1)|0x80, nn.E4M3FromFloat32(-math.Nextafter32(middle, 1000)))
	}
	require.Equal(t, uint8(0x7e), nn.E4M3FromFloat32(1e30))
	require.Equal(t, uint8(0xfe), nn.E4M3FromFloat32(float32(math.Inf(-1))))
	require.Equal(t, uint8(0x7f), nn.E4M3FromFloat32(float32(math.NaN()))&0x7f)
	require.True(t, math.IsNaN(float64(nn.E4M3ToFloat32(0x7f))))
}

// TestLengthsThatDoNotFit holds that a programmer's mistake panics with a sentence.
func TestLengthsThatDoNotFit(t *testing.T) {
	x := make([]float32, 4)
	require.PanicsWithValue(t, "nn: dst has 3 elements, and has to have 4", func() { nn.Softmax(x[:3], x) })
	require.PanicsWithValue(t, "nn: 4 elements are not rows of 3", func() { nn.LayerNorm(x, x, x[:3], x[:3], 1e-5, 3) })
	require.PanicsWithValue(t, "nn: dst has 4 elements, and has to have 2", func() { nn.Embedding(x, x, []int32{0}, 2, 2) })
	require.PanicsWithValue(t, "nn: epsilon is 0, and has to be above 0", func() { nn.LayerNorm(x, x, x, x, 0, 4) })
}

func ExampleEmbedding() {
	rows := make([]float32, 6)
	nn.Embedding(rows, []float32{1, 2, 3, 4}, []int32{1, 2, -1}, 2, 2)
	fmt.Println(rows)
	// Output: [3 4 0 0 0 0]
}

func ExampleSoftmax() {
	p := make([]float32, 3)
	nn.Softmax(p, []float32{95, 95, float32(math.Inf(-1))})
	fmt.Println(p)
	// Output: [0.5 0.5 0]
}
