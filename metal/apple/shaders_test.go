package apple

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/shaders"
)

// conformShaders runs shaders whose order of operations is fixed on the device, and on the simulator under the behaviour that the self-test
// found: bit for bit the same. A kernel that the one refuses is refused by the other.
func conformShaders(t *testing.T, d metal.Device) {
	b := d.Properties().Behaviour
	peer := sim.New(sim.Options{Behaviour: b, NoChecks: true})
	defer peer.Release()
	mine, theirs := shaders.NewRunner(d), shaders.NewRunner(peer)
	defer mine.Release()
	defer theirs.Release()
	rng := rand.New(rand.NewPCG(3, 4))
	draw := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(math.Ldexp(rng.Float64()-0.5, rng.IntN(20)-10))
		}
		return x
	}
	compared := 0
	check := func(name string, run func(r *shaders.Runner) (string, error)) {
		want, err := run(theirs)
		got, err2 := run(mine)
		require.Equal(t, err == nil, err2 == nil, "%s: %v on the simulator, %v on the device", name, err, err2)
		require.Equal(t, want, got, name)
		compared++
	}
	for _, k := range shaders.All() {
		if !k.Strict || k.Schedule == nil {
			continue // the order is open, or the compiler's
		}
		for _, n := range []int{1, 33, 300} {
			l := k.Launches(n)[0]
			x, y := draw(n), draw(n)
			check(fmt.Sprintf("%s n=%d %s", k.Name, n, l), func(r *shaders.Runner) (string, error) {
				switch {
				case k.Sum32 != nil:
					s, err := k.Sum32(r, l, x)
					return fmt.Sprintf("%08x", math.Float32bits(s)), err
				case k.Dot32 != nil:
					s, err := k.Dot32(r, l, x, y)
					return fmt.Sprintf("%08x", math.Float32bits(s)), err
				case k.SumBits != nil:
					bits := make([]uint16, n) // small whole numbers of either format
					for i := range bits {
						bits[i] = 0x3c00 + uint16(i%64)
					}
					s, err := k.SumBits(r, l, bits)
					return fmt.Sprintf("%x", s), err
				}
				return "", nil
			})
		}
	}
	for _, o := range shaders.Operations() {
		l, rows := model.Launch1D(2, 32), 64
		if !o.Strict || o.Fits(rows, l) != nil {
			continue
		}
		src := draw(rows * o.Claim.Op.In())
		check(o.Name, func(r *shaders.Runner) (string, error) {
			dst := make([]float32, rows*o.Claim.Op.Out())
			err := o.Run(r, l, dst, src)
			return fmt.Sprintf("%x", floats(dst...)), err
		})
	}
	t.Logf("%d launches compared under %s", compared, b)
	require.Greater(t, compared, 40)
}
