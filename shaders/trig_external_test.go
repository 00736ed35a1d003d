package shaders_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/trig"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/shaders"
)

// vectors are arrays x and dst of as many numbers.
type vectors struct {
	shaders.Arrays
	x, dst []float32
}

func (v vectors) Size(string) int { return len(v.x) }

func (v vectors) Float32(name string) []float32 {
	if name == "dst" {
		return v.dst
	}
	return v.x
}

// TestTrigIsKernels: the shaders give the bits of package kernels/trig up to the largest argument that three constants reduce, and of half turns everywhere. Beyond,
// the two have a reduction each.
func TestTrigIsKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 105615, 105616, math.MaxFloat32, 0x1.f37c8ap95}
	for range 20_000 {
		x = append(x, math.Float32frombits(rng.Uint32()), float32(8*rng.NormFloat64()), float32(math.Round(1000*rng.NormFloat64()))*(math.Pi/4), float32(rng.IntN(1<<20))/4)
	}
	r := shaders.NewRunner(sim.New(sim.Options{Workers: 1}))
	for function, f := range map[string]func(float32) float32{
		"sine": trig.Sin32, "cosine": trig.Cos32, "sine_half_turns": trig.SinPi32, "cosine_half_turns": trig.CosPi32,
	} {
		k, ok := shaders.FindFormula("shaders/trig.metal#" + function)
		require.True(t, ok)
		v := vectors{x: x, dst: make([]float32, len(x))}
		require.NoError(t, k.Run(r, model.Launch1D(1, 64), v))
		same := 0
		for i, x := range x {
			want := f(x)
			if want != want {
				require.True(t, v.dst[i] != v.dst[i], "%s %x", function, x)
				continue
			}
			if math.Float32bits(want) == math.Float32bits(v.dst[i]) {
				same++
				continue
			}
			require.True(t, math.Abs(float64(x)) > 105615 && (function == "sine" || function == "cosine"), "%s %x: %x, and not %x", function, x, v.dst[i], want)
		}
		t.Logf("%s: %d of %d have the same bits", function, same, len(x))
	}
}
