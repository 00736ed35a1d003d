package mutants

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/conv"
	"gamma/kernels/nn"
)

// operands are arrays by name.
type operands struct {
	nn.Arrays
	n      int
	arrays map[string][]float32
}

func (o operands) Float32(name string) []float32 { return o.arrays[name] }

func (o operands) Size(axis string) int { return map[string]int{"b": 2, "c": 3, "n": o.n}[axis] }

// TestDoubleConvolution holds the pipeline in double words that mutants change, without a fault, to that of package conv, and each mutant to its fault: some
// result differs.
func TestDoubleConvolution(t *testing.T) {
	p, err := conv.Load("double_double")
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(15, 0))
	differs := map[string]bool{}
	for n := 1; n <= 48; n++ {
		o := operands{n: n, arrays: map[string][]float32{}}
		for _, a := range []struct {
			name       string
			size, span int
		}{{"x", 6 * n, 50}, {"gate", 6 * n, 1}, {"k", 3 * n, 50}, {"r", 3 * n, 50}, {"bias", 3, 1}, {"w", 9, 1}} {
			for range a.size { // of exponents far apart, so that small results lie beside great ones
				o.arrays[a.name] = append(o.arrays[a.name], float32(float32(rng.NormFloat64())*float32(int64(1)<<rng.IntN(a.span))))
			}
		}
		result := func(run func(a nn.Arrays)) []float32 {
			y := make([]float32, 6*n)
			run(replaced{o, "dst", y})
			return y
		}
		want := result(p.Kernel().Run)
		require.Equal(t, want, result(func(a nn.Arrays) { doubleConvolution(a, doubleFault{}) }), "n = %d", n)
		doubleConvolutions(func(_, name, _ string, run func(a nn.Arrays)) {
			got := result(run)
			for i := range got {
				differs[name] = differs[name] || got[i] != want[i]
			}
		})
	}
	require.Len(t, differs, 5)
	for name, d := range differs {
		require.True(t, d, name)
	}
}
