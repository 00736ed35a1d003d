package shaders_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/round"
	"gamma/shaders"
	"gamma/sumtree"
	"gamma/sumtree/eval"
)

var thorough = os.Getenv("GAMMA_LEVEL") == "thorough"

// drawn returns n floats of a family, by name: wide exponents, cancelling pairs, integers, numbers near the subnormal ones, zeros.
func drawn(family string, n int, rng *rand.Rand) []float32 {
	x := make([]float32, n)
	for i := range x {
		switch family {
		case "wide":
			x[i] = float32(math.Ldexp(rng.Float64()-0.5, rng.IntN(40)-20))
		case "cancel":
			x[i] = float32(math.Ldexp(1+rng.Float64(), rng.IntN(8)))
			if i%2 == 1 {
				x[i] = -x[i-1] * (1 + 0x1p-23*float32(rng.IntN(4)))
			}
		case "integers":
			x[i] = float32(rng.IntN(1<<10) - 1<<9)
		case "tiny":
			x[i] = math.Float32frombits(rng.Uint32()&0x80ffffff | uint32(rng.IntN(2))<<23)
		case "zeros":
			x[i] = float32(math.Copysign(0, -1))
			if rng.IntN(4*n) == 0 {
				x[i] = 0
			}
		case "special":
			x[i] = []float32{float32(math.Inf(1)), 1, 0x1.fffffep127, -0x1.fffffep127, float32(math.Inf(-1)), float32(math.NaN())}[min(rng.IntN(3*n)/n*rng.IntN(3), 5)]
		}
	}
	return x
}

var families = []string{"wide", "cancel", "integers", "tiny", "zeros", "special"}

// narrowed returns the encodings of x in a 16-bit format.
func narrowed(f model.Format, x []float32) []uint16 {
	h := make([]uint16, len(x))
	for i, v := range x {
		h[i] = uint16(round.Convert(round.Arith{F: f}, model.Binary32, uint64(math.Float32bits(v))))
	}
	return h
}

// result runs k over n terms of x and y, whatever its shape.
func result(r *shaders.Runner, k shaders.Kernel, l model.Launch, t *sumtree.Tree, x, y []float32) (uint32, error) {
	var v float32
	var err error
	switch {
	case k.Sum32 != nil:
		v, err = k.Sum32(r, l, x)
	case k.SumTree != nil:
		v, err = k.SumTree(r, t, x)
	case k.SumBits != nil:
		var bits uint64
		bits, err = k.SumBits(r, l, narrowed(k.Claim.In, x))
		v = math.Float32frombits(uint32(bits))
	case k.Rows32 != nil:
		dst := make([]float32, 2)
		err = k.Rows32(r, l, dst, append(append([]float32(nil), x...), x...), len(x))
		v = dst[0]
		if math.Float32bits(dst[0]) != math.Float32bits(dst[1]) && v == v {
			return 0, fmt.Errorf("equal rows have the sums %x and %x", dst[0], dst[1])
		}
	default:
		v, err = k.Dot32(r, l, x, y)
	}
	return math.Float32bits(v), err
}

// replayed returns the value of a tree over the slots of a kernel under a behaviour. Leaves meet one more addition, of -0, where
// the kernel starts its sums from that.
func replayed(k shaders.Kernel, t *sumtree.Tree, b model.Behaviour, x, y []float32) (uint32, error) {
	ar := round.Arith{F: model.Binary32, R: b.Rounding, Fl: b.Flush}
	var leaves []uint64
	minus := uint64(1) << 31
	for i, v := range x {
		leaf := uint64(math.Float32bits(v))
		if k.SumBits != nil {
			from := ar
			from.Fl = model.Flush{In: b.Flush16.In, Out: b.Flush.Out}
			leaf = round.Convert(from, k.Claim.In, uint64(narrowed(k.Claim.In, x[i:i+1])[0]))
		}
		if !k.IsDot() && k.Claim.Tree != "left" && k.SumTree == nil {
			leaf = ar.Add(leaf, minus)
		}
		leaves = append(leaves, leaf)
	}
	if k.IsDot() {
		leaves = append(leaves, eval.Bits32(y)...)
	}
	v, err := eval.Bits(t, ar, leaves)
	return uint32(v), err
}

// agree reports whether two results are the same: all NaNs are.
func agree(a, b uint32) bool {
	nan := func(v uint32) bool { return v&0x7fffffff > 0x7f800000 }
	return a == b || nan(a) && nan(b)
}

// behaviours are legal devices, with the math modes in which the source is compiled.
var behaviours = []struct {
	text string
	mode metal.MathMode
}{
	{"rne ftz=off contract=off", metal.MathSafe},
	{"rne ftz=off contract=off", metal.MathFast},
	{"rne ftz=off contract=fast", metal.MathSafe},
	{"rne ftz=off contract=fast reassoc nsz recip nnan ninf seed=3", metal.MathFast},
	{"rne ftz=off contract=on reassoc nsz seed=4", metal.MathRelaxed},
	{"rne ftz=off contract=off order=reverse", metal.MathSafe},
	{"rne ftz=off contract=off order=stages seed=5", metal.MathSafe},
	{"rne ftz=off contract=off order=accesses seed=6", metal.MathSafe},
	{"rne ftz=off contract=off order=accesses poison seed=7", metal.MathSafe},
	{"rne ftz=on contract=off", metal.MathSafe},
	{"zero ftz=off contract=off ulp seed=8", metal.MathSafe},
	{"rne ftz=off contract=off ulp seed=10", metal.MathFast},
	{"rne ftz=off contract=off simd=4", metal.MathSafe},
	{"rne ftz=off contract=off simd=8 order=stages seed=9", metal.MathSafe},
	{"rne ftz=off contract=off simd=16", metal.MathSafe},
	{"rne ftz=off contract=off simd=64", metal.MathSafe},
}

// each calls f for every kernel, behaviour, size and launch, with a runner on a checking simulator.
func each(t *testing.T, f func(t *testing.T, r *shaders.Runner, k shaders.Kernel, b model.Behaviour, o metal.CompileOptions, n int, l model.Launch, rng *rand.Rand)) {
	device := sim.New(sim.Options{})
	defer device.Release()
	for _, k := range shaders.All() {
		t.Run(k.Function, func(t *testing.T) {
			for i, bm := range behaviours {
				b, err := model.ParseBehaviour(bm.text)
				require.NoError(t, err)
				options := metal.CompileOptions{MathMode: bm.mode}
				r := shaders.NewRunnerWith(device.With(b), options)
				rng := rand.New(rand.NewPCG(uint64(i), 1))
				for _, n := range []int{1, 2, 3, 31, 32, 33, 255, 257, 1000} {
					launches := []model.Launch{{}}
					if k.Launches != nil {
						launches = k.Launches(n)
					}
					for j, l := range launches {
						// A few of the launches for each size and behaviour, all of them over the sizes.
						if !thorough && !(b.Plain() && n < 256) && (i+j+n)%5 != 0 {
							continue
						}
						f(t, r, k, b, options, n, l, rng)
					}
				}
				r.Release()
			}
		})
	}
}

// TestBits compares results with the replay of the schedule, bit for bit, under every behaviour that the claim admits; where no
// schedule is claimed, with the tree that a symbolic run finds for the same behaviour. No check of the simulator finds anything.
func TestBits(t *testing.T) {
	each(t, func(t *testing.T, r *shaders.Runner, k shaders.Kernel, b model.Behaviour, o metal.CompileOptions, n int, l model.Launch, rng *rand.Rand) {
		if k.Claim.Compensation != model.Uncompensated {
			return
		}
		family := families[rng.IntN(len(families))]
		x, y := drawn(family, n, rng), drawn(families[rng.IntN(len(families))], n, rng)
		at := fmt.Sprintf("%s, %d leaves %s, %s, %s", k.Name, n, family, l, b)
		var tree *sumtree.Tree
		var err error
		switch {
		case k.SumTree != nil:
			tree = sumtree.RandomSplits(rng.Uint64()).Tree(n)
		case k.Schedule != nil:
			tree = k.Tree(n, l)
		}
		if tree == nil {
			if n > 257 {
				return
			}
			tree, err = symbols{options: &o, b: b}.tree(k, n, l, nil)
			require.NoError(t, err, at)
			require.NoError(t, tree.Check(), at)
		}
		got, err := result(r, k, l, tree, x, y)
		require.NoError(t, err, at)
		if k.Schedule == nil && k.SumTree == nil && !k.IsDot() {
			if n > 5 {
				requireInteger(t, r, k, l, n, at)
				return
			}
			ar := round.Arith{F: model.Binary32, R: b.Rounding, Fl: b.Flush}
			leaves := eval.Bits32(x)
			for i := range leaves {
				leaves[i] = ar.Add(leaves[i], 1<<31) // the sums start from -0
			}
			values, complete, err := eval.BitsSet(tree, ar, leaves, 1<<16)
			require.NoError(t, err, at)
			require.True(t, complete, at)
			for _, v := range values {
				if agree(uint32(v), got) || !k.Claim.SignedZero && v<<33 == 0 && got<<1 == 0 {
					return
				}
			}
			t.Errorf("%s: the result %#x is none of the order's values %#x", at, got, values)
			return
		}
		want, err := replayed(k, tree, b, x, y)
		require.NoError(t, err, at)
		if !agree(got, want) {
			t.Errorf("%s: the result is %#x and the schedule gives %#x", at, got, want)
		}
	})
}

// requireInteger adds integers, whose sum is exact in every order.
func requireInteger(t *testing.T, r *shaders.Runner, k shaders.Kernel, l model.Launch, n int, at string) {
	x := make([]float32, n)
	var want float32
	for i := range x {
		x[i] = float32(i*i%101 - 50)
		want += x[i]
	}
	got, err := result(r, k, l, nil, x, nil)
	require.NoError(t, err, at)
	require.Equal(t, math.Float32bits(want+0), got, at)
}

// TestSchemes compares the compensated sums with the Go kernels of the same schemes, bit for bit, on a compiler that reassociates
// wherever the source lets it.
func TestSchemes(t *testing.T) {
	device := sim.New(sim.Options{Behaviour: model.Behaviour{
		Contract: model.ContractFast, Rewrites: model.Rewrites{Reassociate: true, NoSignedZeros: true},
	}})
	r := shaders.NewRunnerWith(device, metal.CompileOptions{MathMode: metal.MathFast})
	for name, twin := range map[string]func([]float32) float32{"kahan": kernels.SumKahan[float32], "twosum": kernels.Sum2[float32]} {
		k, ok := shaders.Find("shaders/sum.metal#" + name)
		require.True(t, ok)
		rng := rand.New(rand.NewPCG(1, 2))
		for _, n := range sizes {
			for _, family := range families {
				x := drawn(family, n, rng)
				got, err := k.Sum32(r, model.Launch1D(1, 1), x)
				require.NoError(t, err)
				want := twin(x)
				require.True(t, agree(math.Float32bits(got), math.Float32bits(want)), "%s %s %d: %x, and %x in Go", name, family, n, got, want)
			}
		}
	}
}

// TestContraction: a compiler that may fuse changes the bits of dot_open, and those of no other kernel.
func TestContraction(t *testing.T) {
	device := sim.New(sim.Options{Behaviour: model.Behaviour{Contract: model.ContractFast}})
	r := shaders.NewRunnerWith(device, metal.CompileOptions{MathMode: metal.MathFast})
	// The second product is 1 + 2^-11 + 2^-24, which rounds to 1 + 2^-11.
	x, y := []float32{1 + 0x1p-11, 1 + 0x1p-12}, []float32{-1, 1 + 0x1p-12}
	for name, want := range map[string]float32{"tree": 0, "fma": 0x1p-24, "open": 0x1p-24} {
		k, ok := shaders.Find("shaders/dot.metal#" + name)
		require.True(t, ok)
		got, err := k.Dot32(r, model.Launch1D(1, 1), x, y)
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
}
