package shaders_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/round"
	"gamma/model/word"
	"gamma/shaders"
)

// judge is the arithmetic of the judge in binary32, on encodings.
type judge struct{ round.Arith }

func (judge) Neg(a uint64) uint64 { return a ^ 1<<31 }
func (judge) One() uint64         { return 0x3f800000 }
func (judge) Splitter() uint64    { return uint64(math.Float32bits(4097)) }

// programs of operations that round an algorithm's result once more, or that no algorithm names.
func programOf(t *testing.T, o shaders.Operation) (p *word.Program, results []int) {
	t.Helper()
	if o.Claim.Op == word.Dot3Round {
		return dot3(t), []int{0}
	}
	a, ok := word.ByName(o.Claim.Algorithm)
	require.True(t, ok, o.Name)
	for i := range a.Op.Out() {
		// Of each component the first words.
		if i%a.Op.Z < o.Claim.Op.Z {
			results = append(results, i)
		}
	}
	return a.Program, results
}

// dot3 is the program of depthwise3_extended.
func dot3(t *testing.T) *word.Program {
	p, err := word.Parse(`func(a, b, c, x, y, z)
		ph, pl = 2ProdFMA(a, x); qh, ql = 2ProdFMA(b, y); rh, rl = 2ProdFMA(c, z)
		sh, sl = AccurateDWPlusDW(ph, pl, qh, ql); th, tl = AccurateDWPlusDW(sh, sl, rh, rl); return th, tl`,
		func(name string) *word.Program {
			if a, ok := word.ByName(name); ok {
				return a.Program
			}
			return nil
		})
	require.NoError(t, err)
	return p
}

// operands draws rows: double words with low words at ties and zero, wide exponents, numbers near the subnormal ones.
func operands(o word.Op, n int, rng *rand.Rand) []float32 {
	var x []float32
	for range n {
		wide := []int{2, 20, 100}[rng.IntN(3)]
		for _, words := range o.Operands() {
			h := float32(math.Ldexp(1+rng.Float64(), rng.IntN(2*wide)-wide))
			if rng.IntN(3) == 0 {
				h = math.Float32frombits(math.Float32bits(h) &^ (1<<uint(rng.IntN(24)) - 1))
			}
			if rng.IntN(2) == 0 && o.Function != word.Root {
				h = -h
			}
			if rng.IntN(50) == 0 {
				h = math.Float32frombits(rng.Uint32())
			}
			x = append(x, h)
			if words == 2 {
				half := float64(h) * 0x1p-24
				if e := math.Float32bits(h) >> 23 & 0xff; e > 0 {
					half = math.Ldexp(1, int(e)-127-24)
				}
				x = append(x, float32(half*[]float64{0, 1, -1, 2*rng.Float64() - 1, 2*rng.Float64() - 1, rng.Float64() * 0x1p-10}[rng.IntN(6)]))
			}
		}
	}
	return x
}

// TestOperationBits: every operation gives the bits of its algorithm, in the arithmetic of the device, whatever the compiler may
// fuse and reorder, and no check of the simulator finds anything.
func TestOperationBits(t *testing.T) {
	device := sim.New(sim.Options{})
	defer device.Release()
	for _, o := range shaders.Operations() {
		t.Run(o.Name, func(t *testing.T) {
			p, results := programOf(t, o)
			values, out := make([]uint64, len(p.Inputs)+len(p.Steps)), make([]uint64, len(p.Results))
			for i, bm := range behaviours {
				b, err := model.ParseBehaviour(bm.text)
				require.NoError(t, err)
				r := shaders.NewRunnerWith(device.With(b), metal.CompileOptions{MathMode: bm.mode, MathFunctions: metal.MathFunctions(i % 2)})
				rng := rand.New(rand.NewPCG(uint64(i), 1))
				ar := judge{round.Arith{F: model.Binary32, R: b.Rounding, Fl: b.Flush}}
				for _, n := range []int{1, 33, 100} {
					l := o.Launches(n)[rng.IntN(len(o.Launches(n)))]
					src, dst := operands(o.Claim.Op, n, rng), make([]float32, n*o.Claim.Op.Out())
					require.NoError(t, o.Run(r, l, dst, src), "%d rows, %s, %s", n, l, b)
					for k := range n {
						row := src[k*len(p.Inputs):][:len(p.Inputs)]
						for j, v := range row {
							values[j] = uint64(math.Float32bits(v))
						}
						word.Run(p, ar, values, out)
						for j, w := range results {
							got := math.Float32bits(dst[k*len(results)+j])
							if !agree(got, uint32(out[w])) {
								t.Fatalf("%s, row %x of %d, %s, %s: word %d is %08x and %08x by the algorithm", b, row, n, l, o.Name, j, got, out[w])
							}
						}
					}
				}
				r.Release()
			}
		})
	}
}

// TestOperations: names are unique and found, claims fit their operations, each compiles in every math mode, and rows and
// launches that do not fit are refused.
func TestOperations(t *testing.T) {
	d := sim.New(sim.Options{})
	defer d.Release()
	var seen []string
	for _, o := range shaders.Operations() {
		require.NotContains(t, seen, o.Name)
		seen = append(seen, o.Name)
		found, ok := shaders.FindOperation(o.Name)
		require.True(t, ok)
		require.Equal(t, o.Function, found.Function)
		require.NoError(t, o.Claim.Op.Check())
		for _, mode := range []metal.MathMode{metal.MathSafe, metal.MathRelaxed, metal.MathFast} {
			for _, version := range []metal.LanguageVersion{metal.Version31, metal.Version40} {
				r := shaders.NewRunnerWith(d, metal.CompileOptions{MathMode: mode, LanguageVersion: version})
				_, err := r.Pipeline(o.Program)
				require.NoError(t, err, o.Name)
				r.Release()
			}
		}
		r := shaders.NewRunner(d)
		in, out := o.Claim.Op.In(), o.Claim.Op.Out()
		require.NoError(t, o.Run(nil, model.Launch1D(1, 1), nil, nil))
		require.ErrorContains(t, o.Run(r, model.Launch1D(1, 1), make([]float32, 2*out), make([]float32, 2*in)), "1 threads are too few")
		require.ErrorContains(t, o.Run(r, model.Launch1D(1, 2), make([]float32, out), make([]float32, 2*in)), "are not rows of")
		require.ErrorContains(t, o.Run(r, model.Launch{}, make([]float32, out), make([]float32, in)), o.Name+": launch")
		for _, n := range []int{0, 1, 31, 32, 33, 1000} {
			for _, l := range o.Launches(n) {
				require.NoError(t, o.Fits(n, l))
			}
		}
		r.Release()
	}
	for _, a := range word.Algorithms() {
		require.True(t, slices.ContainsFunc(shaders.Operations(), func(o shaders.Operation) bool { return o.Claim.Algorithm == a.Name && o.Claim.Exact }),
			"no shader is %s", a.Name)
	}
	_, ok := shaders.FindOperation("shaders/dd.metal#none")
	require.False(t, ok)
}
