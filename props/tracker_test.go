package props

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels"
	"gamma/kernels/mutants"
	"gamma/kernels/nn"
	"gamma/model"
	"gamma/props/internal/own"
	"gamma/props/judge"
)

// trackers are what public trackers tell of tests of kernels by a tolerance: faults that pass them, and right kernels that fail. Kernels are re-created after the
// descriptions.
var trackers = []struct {
	bullet string
	right  []string // kernels that pass
	faults []trackedFault
}{
	{"bfloat16 output of a norm with rotary factors, by atol=0.06, fails once in a hundred right runs", []string{"nn.RMSNormRotary"}, []trackedFault{
		{name: "mutants.RMSNormRotaryTruncates"}, {name: "mutants.RMSNormRotaryEarly"},
	}},
	{"RMS norm and then fp8 by row: a few codes of right results differ by one", []string{"nn.RMSNormE4M3"}, []trackedFault{{name: "mutants.RMSNormE4M3CodeOff"}}},
	{"attention that returns noise between 0.5 and 1 passes atol=0.5, rtol=0.2", []string{"nn.Attention", "nn.AttentionCausal"}, []trackedFault{
		{name: "mutants.AttentionNoise", first: true}, {name: "mutants.AttentionCausalNoise", first: true},
	}},
	{"derivatives off by 5·10^-3 and 3·10^-3 and tanhshrink by 662 ulp pass rtol=0.05", []string{"nn.TanhGrad", "nn.GELUGrad", "nn.TanhShrink"}, []trackedFault{
		{name: "mutants.TanhGradOff"}, {name: "mutants.GELUGradOff"}, {name: "mutants.TanhShrinkOff"},
	}},
	{"bfloat16 matrix products with cancelling columns fail rtol=1e-2 though right", []string{"nn.MatMulBFloat16", "nn.MatMulTiledBFloat16"}, []trackedFault{
		{name: "mutants.MatMulTileDroppedBFloat16"}, {name: "mutants.MatMulTileDoubledBFloat16"}, {name: "mutants.MatMulBFloatSumBFloat16"},
	}},
	{"softmax without the maximum", nil, []trackedFault{{name: "mutants.SoftmaxNoMax", cause: "without the maximum that is subtracted"}}},
	{"a standard deviation that overflows", nil, []trackedFault{{name: "mutants.StdDevOverflows", cause: "without scaling by a power of two, so that squares overflow or vanish"}}},
	{"a cumulative maximum that drops NaN", nil, []trackedFault{{name: "mutants.CumMaxDropsNaN", cause: "a greatest or least element that passes over NaN", special: true}}},
	{"argmax that takes the last of ties", nil, []trackedFault{{name: "mutants.ArgMaxLastTie", cause: "with the last of equal elements"}}},
	{"a variance in one pass", nil, []trackedFault{{name: "mutants.LayerNormOnePass", cause: "with E[x²] - E[x]² as the variance"}}},
	{"a partial simdgroup in a norm", nil, []trackedFault{
		{name: "mutants.RMSNormPartialGroup", cause: "without the last partial group of the terms of a sum"},
		{name: "mutants.LayerNormPartialGroup", cause: "without the last partial group of the terms of a sum"},
	}},
	{"inf·0 when partial norms are combined", nil, []trackedFault{{name: "mutants.L2NormInfTimesZero", cause: "as 0·Inf is where partial results are scaled by one"}}},
}

// trackedFault is a mutant that has to be found.
type trackedFault struct {
	name    string
	first   bool   // by the first input of normally distributed numbers
	cause   string // what its report says is the cause, "" for anything
	special bool   // only inputs with NaN show it
}

// TestPublicTrackers holds, bullet by bullet, that right kernels pass, that each fault is found, and that its report names the cause where one is listed.
func TestPublicTrackers(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	t.Setenv("GAMMA_SAVE", "off")
	l, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
	require.NoError(t, err)
	for _, c := range trackers {
		t.Run(c.bullet, func(t *testing.T) {
			for _, name := range c.right {
				k, ok := nn.Find(name)
				require.True(t, ok, name)
				found, _, v, err := judge.Search(l, own.Formula(k), 400)
				require.NoError(t, err)
				require.Nil(t, found, "%s is right: %s", name, v.Reason)
			}
			for _, f := range c.faults {
				m, ok := mutants.FindFormula(f.name)
				require.True(t, ok, f.name)
				l := l
				if f.special {
					if l, err = judge.LawByID(judge.FormulaLaws(), model.FormulaSpecial); err != nil {
						t.Fatal(err)
					}
				}
				found, judged, _, err := judge.Search(l, own.Formula(m.Kernel), 400)
				require.NoError(t, err)
				require.NotNil(t, found, "%s survives %d inputs: %s", f.name, judged, m.Fault)
				if f.first {
					onFirst(t, l, m)
				}
				if f.cause != "" {
					cause, err := causeOf(m)
					require.NoError(t, err)
					require.Contains(t, cause, f.cause, f.name)
				}
			}
		})
	}
}

// onFirst holds that the first input shows a fault, if it is normally distributed, whatever its seed.
func onFirst(t *testing.T, l KernelLaw, m mutants.Formula) {
	t.Helper()
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(14, seed))
		c, values := arraysOf(m.Kernel, map[string]int{"t": 4 + rng.IntN(29), "s": 4 + rng.IntN(29), "d": 8, "e": 8})
		for i := range c.Inputs {
			for j := range values[c.Inputs[i].Name] {
				values[c.Inputs[i].Name][j] = float32(rng.NormFloat64())
			}
		}
		store(c, values)
		v, err := judge.Judge(l, own.Formula(m.Kernel), c)
		require.NoError(t, err)
		require.Equal(t, Violated, v.Outcome, "%s passes an input from seed %d", m.Kernel.Name, seed)
	}
}

// arraysOf returns arrays for the inputs of a kernel, of binary32 numbers, and their values.
func arraysOf(k nn.Kernel, sizes map[string]int) (c *corpus.Arrays, values map[string][]float32) {
	c, values = &corpus.Arrays{}, map[string][]float32{}
	for _, in := range k.Formula.Inputs() {
		e := in.Node()
		size := 1
		for _, axis := range e.Axes {
			if _, ok := c.Size(axis); !ok {
				c.Axes = append(c.Axes, corpus.Axis{Name: axis, Size: sizes[axis]})
			}
			size *= sizes[axis]
		}
		c.Inputs = append(c.Inputs, corpus.Array{Name: e.Name, Type: e.Type, Axes: e.Axes, Bits: make([]uint64, size)})
		values[e.Name] = make([]float32, size)
	}
	return c, values
}

// store writes values to the arrays of their names.
func store(c *corpus.Arrays, values map[string][]float32) {
	for i := range c.Inputs {
		for j, v := range values[c.Inputs[i].Name] {
			c.Inputs[i].Bits[j] = uint64(math.Float32bits(v))
		}
	}
}

// TestRotaryRows judges rows of a norm with rotary factors in bfloat16 by themselves: 10^4, and 10^6 at level thorough. None may fail. A kernel as right, which
// computes in binary64, differs from it by more than 0.06 now and then, where a tolerance would fail one of the two.
func TestRotaryRows(t *testing.T) {
	const n, batch = 64, 100
	rows := 10_000
	if thorough() {
		rows = 1_000_000
	}
	k, ok := nn.Find("nn.RMSNormRotary")
	require.True(t, ok)
	s := own.Formula(k)
	l, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(14, 6))
	c, values := arraysOf(k, map[string]int{"r": batch, "n": n})
	apart, dst := 0, make([]uint16, batch*n)
	for range rows / batch {
		drawRotary(rng, values, n)
		store(c, values)
		v, err := judge.Judge(l, s, c)
		require.NoError(t, err)
		require.Equal(t, Holds, v.Outcome, v.Reason)
		nn.RMSNormRotary(dst, values["x"], values["gamma"], values["cos"], values["sin"], 1e-5, n)
		for r := range batch {
			if rotaryApart(dst[r*n:][:n], values, r, n) > 0.06 {
				apart++
			}
		}
	}
	t.Logf("%d rows of %d elements without a violation; in %d of them a kernel in binary64 differs by more than 0.06", rows, n, apart)
	require.Positive(t, apart, "the tolerance sees no difference, and the test shows nothing")
}

// drawRotary draws rows of queries at some positions of a text: the factors are of the angle position/10000^(2i/n) for both halves.
func drawRotary(rng *rand.Rand, values map[string][]float32, n int) {
	for i := range values["gamma"] {
		values["gamma"][i] = float32(float64(8 * math.Exp(rng.NormFloat64())))
	}
	position := rng.IntN(4096)
	for j := range values["x"] {
		values["x"][j] = float32(rng.NormFloat64())
		angle := float64(position+j/n) * math.Pow(10000, -float64(2*(j%n%(n/2)))/float64(n))
		values["cos"][j], values["sin"][j] = float32(math.Cos(angle)), float32(math.Sin(angle))
	}
}

// rotaryApart returns by how much a row differs at most from that of a kernel in binary64.
func rotaryApart(dst []uint16, values map[string][]float32, r, n int) (most float64) {
	x, cos, sin := values["x"][r*n:][:n], values["cos"][r*n:][:n], values["sin"][r*n:][:n]
	squares := 0.0
	for _, v := range x {
		squares += float64(float64(v) * float64(v))
	}
	scale := 1 / math.Sqrt(squares/float64(n)+1e-5)
	y := func(i int) float64 { return float64(float64(x[i])*scale) * float64(values["gamma"][i]) }
	for i := range x {
		partner := y((i + n/2) % n)
		if i < n/2 {
			partner = -partner
		}
		z := kernels.BFloatFromFloat32(float32(float64(y(i)*float64(cos[i])) + float64(partner*float64(sin[i]))))
		most = max(most, math.Abs(float64(kernels.BFloatToFloat32(z))-float64(kernels.BFloatToFloat32(dst[i]))))
	}
	return most
}
