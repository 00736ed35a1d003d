package word_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model/word"
)

// hardware is binary64 as the processor has it.
type hardware struct{}

func (hardware) Add(a, b float64) float64    { return a + b }
func (hardware) Mul(a, b float64) float64    { return float64(a * b) }
func (hardware) Div(a, b float64) float64    { return a / b }
func (hardware) Fma(a, b, c float64) float64 { return math.FMA(a, b, c) }
func (hardware) Sqrt(a float64) float64      { return math.Sqrt(a) }
func (hardware) Neg(a float64) float64       { return -a }
func (hardware) One() float64                { return 1 }
func (hardware) Splitter() float64           { return 1<<27 + 1 }

func run(p *word.Program, in ...float64) []float64 {
	values, out := make([]float64, len(p.Inputs)+len(p.Steps)), make([]float64, len(p.Results))
	copy(values, in)
	word.Run(p, hardware{}, values, out)
	return out
}

func rat(words ...float64) *big.Rat {
	sum := new(big.Rat)
	for _, w := range words {
		sum.Add(sum, new(big.Rat).SetFloat64(w))
	}
	return sum
}

// double draws a double word whose low word is near half an ulp of the high one half of the time.
func double(rng *rand.Rand) (h, l float64) {
	h = math.Ldexp(1+rng.Float64(), rng.IntN(20)-10)
	if rng.IntN(2) == 0 {
		h = -h
	}
	l = math.Ldexp(h, -53) * (2*rng.Float64() - 1)
	return h + l, l - ((h + l) - h)
}

// TestAlgorithms holds every program to every one of its bounds, in binary64 by exact numbers.
func TestAlgorithms(t *testing.T) {
	for _, a := range word.Algorithms() {
		require.NoError(t, a.Op.Check(), a.Name)
		require.Len(t, a.Program.Inputs, a.Op.In(), a.Name)
		require.Len(t, a.Program.Results, a.Op.Out(), a.Name)
		require.Len(t, a.Op.InNames(), a.Op.In())
		require.Len(t, a.Op.OutNames(), a.Op.Out())
		rng := rand.New(rand.NewPCG(1, 2))
		for range 2000 {
			var in []float64
			for _, words := range a.Op.Operands() {
				h, l := double(rng)
				if a.Op.Function == word.Root && h < 0 || len(a.Bounds) > 0 && a.Bounds[0].Same && h < 0 {
					h, l = -h, -l
				}
				in = append(in, []float64{h, l}[:words]...)
			}
			if a.Ordered && math.Abs(in[0]) < math.Abs(in[1]) {
				in[0], in[1] = in[1], in[0]
			}
			out := run(a.Program, in...)
			for _, b := range a.Bounds {
				within(t, a, b, in, out)
			}
		}
	}
}

func within(t *testing.T, a *word.Algorithm, b word.Bound, in, out []float64) {
	var x []*big.Rat
	k := 0
	for _, words := range a.Op.Operands() {
		x = append(x, rat(in[k:k+words]...))
		k += words
	}
	mul := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	var want []*big.Rat
	switch a.Op.Function {
	case word.Value:
		want = x
	case word.Sum:
		want = []*big.Rat{x[0].Add(x[0], x[1])}
	case word.Product:
		want = []*big.Rat{mul(x[0], x[1])}
	case word.Quotient:
		want = []*big.Rat{new(big.Rat).Quo(x[0], x[1])}
	case word.ComplexSum:
		want = []*big.Rat{x[0].Add(x[0], x[2]), x[1].Add(x[1], x[3])}
	case word.ComplexProduct:
		re, im := mul(x[0], x[2]), mul(x[0], x[3])
		want = []*big.Rat{re.Sub(re, mul(x[1], x[3])), im.Add(im, mul(x[1], x[2]))}
	case word.Root:
		// (z-√x)² <= f²x, with √x to 300 bits: the test is of programs, not of the last bit.
		root, _ := new(big.Float).SetPrec(300).Sqrt(new(big.Float).SetPrec(300).SetRat(x[0])).Rat(nil)
		want = []*big.Rat{root}
	}
	errs, sizes := new(big.Rat), new(big.Rat)
	for i, w := range want {
		d := new(big.Rat).Sub(rat(out[i*a.Op.Z:(i+1)*a.Op.Z]...), w)
		if !b.Normwise {
			limit := new(big.Rat)
			if b.Factor != nil {
				limit = mul(b.Factor(53), w)
			}
			require.LessOrEqual(t, d.Abs(d).Cmp(limit.Abs(limit)), 0, "%s %v -> %v", a.Name, in, out)
		}
		errs.Add(errs, mul(d, d))
		sizes.Add(sizes, mul(w, w))
	}
	if b.Normwise {
		require.LessOrEqual(t, errs.Cmp(sizes.Mul(sizes, b.Factor(53))), 0, "%s %v -> %v", a.Name, in, out)
	}
}

// TestContractions finds DWTimesDW2 among the ways in which a compiler may fuse DWTimesDW1.
func TestContractions(t *testing.T) {
	one, _ := word.ByName("DWTimesDW1")
	two, _ := word.ByName("DWTimesDW2")
	require.Empty(t, one.Program.Contractions(false, 100), "each product stands in a statement of its own")
	variants := one.Program.Contractions(true, 100)
	require.Len(t, variants, 11, "three ways for cl2, two each for the sums of ch and cl3 and of zh and -ch, less the program itself")
	rng := rand.New(rand.NewPCG(3, 4))
	equal := make([]int, len(variants))
	for range 1000 {
		xh, xl := double(rng)
		yh, yl := double(rng)
		b := run(two.Program, xh, xl, yh, yl)
		for i, v := range variants {
			if a := run(v, xh, xl, yh, yl); a[0] == b[0] && a[1] == b[1] {
				equal[i]++
			}
		}
	}
	require.Contains(t, equal, 1000, "one variant is DWTimesDW2")
	require.NotEqual(t, 1000, slices.Min(equal), "one, with x and y exchanged, is not")

	plain, _ := word.ByName("ComplexPlain")
	require.Len(t, plain.Program.Contractions(false, 100), 8, "each part has two products to fuse, or none")
	require.Len(t, plain.Program.Contractions(false, 5), 5)
}

func TestParse(t *testing.T) {
	for src, want := range map[string]string{
		"func(a)":                             "no return",
		"func(a); b = a +":                    "too early",
		"func(a); b = c; return b":            "c has no value yet",
		"func(a); return a; b = a":            "after return",
		"func(a); b, c = a; return b":         "2 names for 1 values",
		"func(a); b = f(a); return b":         "no function f",
		"func(a); return a a":                 "left over",
		"return (" + strings.Repeat("(", 200): "nested deeper",
	} {
		_, err := word.Parse(src, nil)
		require.ErrorContains(t, err, want, src)
	}
	p, err := word.Parse("func(a, b); t = -a*b + (a - b)/sqrt(a)\nreturn t, -t", nil)
	require.NoError(t, err)
	out := run(p, 4, 2)
	require.Equal(t, []float64{-7, 7}, out)
	require.Contains(t, p.String(), "t0 = -a * b\n")
	require.False(t, p.NeedsFma())
	long := "func(a); b = a" + strings.Repeat(" + a", 2000) + "; return b"
	_, err = word.Parse(long, nil)
	require.ErrorContains(t, err, "steps")
}

func FuzzParse(f *testing.F) {
	f.Add("func(a, b); s = a + b; v = s - a; e = (a - (s - v)) + (b - v); return s, e")
	f.Add("func(a); x, y = f(a, 1); return fma(a, -x, splitter)")
	f.Fuzz(func(t *testing.T, src string) {
		two, _ := word.ByName("2Sum")
		p, err := word.Parse(src, func(string) *word.Program { return two.Program })
		if (p == nil) != (err != nil) {
			t.Fatalf("a program is %v with error %v", p != nil, err)
		}
		if p == nil {
			return
		}
		in := make([]float64, len(p.Inputs))
		if got := run(p, in...); len(got) != len(p.Results) {
			t.Fatalf("%d results", len(got))
		}
		_ = p.String()
	})
}
