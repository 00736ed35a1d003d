package mutants_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/word"
	"gamma/oracle"
)

// binary32 is the hardware's arithmetic with the oracle's fused multiply-add.
type binary32 struct{}

func (binary32) Add(a, b float32) float32    { return a + b }
func (binary32) Mul(a, b float32) float32    { return float32(a * b) }
func (binary32) Div(a, b float32) float32    { return a / b }
func (binary32) Fma(a, b, c float32) float32 { return oracle.Fma32(a, b, c) }
func (binary32) Sqrt(a float32) float32      { return float32(math.Sqrt(float64(a))) }
func (binary32) Neg(a float32) float32       { return -a }
func (binary32) One() float32                { return 1 }
func (binary32) Splitter() float32           { return 4097 }

// operands draws a row of normalised numbers, with ties and zeros as low words, some of them tiny and some cancelling.
func operands(rng *rand.Rand, op word.Op) []float32 {
	var row []float32
	e, near := 0, rng.IntN(4) == 0
	switch rng.IntN(8) {
	case 0:
		e = -130
	case 1:
		e = 125
	}
	for _, words := range op.Operands() {
		h := float32(math.Ldexp(1+float64(rng.IntN(1<<23))*0x1p-23, e+rng.IntN(4)))
		if near { // a product of two is next to half an ulp of another
			h = float32(math.Ldexp(1+float64(rng.IntN(5)-2)*0x1p-24, []int{0, -12}[rng.IntN(2)]))
		}
		if rng.IntN(2) == 0 && op.Function != word.Root {
			h = -h
		}
		_, k := math.Frexp(float64(h))
		l := math.Ldexp([]float64{0, 1, 0.5, rng.Float64(), 1 - 0x1p-24}[rng.IntN(5)], k-25)
		if rng.IntN(2) == 0 {
			l = -l
		}
		lo := float32(l)
		if h+lo != h {
			lo /= 2
		}
		row = append(row, []float32{h, lo}[:words]...)
	}
	if n := len(row) / 2; len(row) == 2*n && rng.IntN(3) == 0 && op.Function != word.Root {
		for i, v := range row[:n] {
			row[n+i] = -v * (1 + 0x1p-22*float32(rng.IntN(3)))
		}
	}
	return row
}

// otherFaults counts faults that single rows of numbers do not show: of rows past 2^16, and of an infinity where the algorithm loses it, too, and
// the claim is what the plain product gives.
func otherFaults(m mutants.Word) (shows int) {
	op := m.Claim.Op
	row := make([]float32, op.In())
	row[0], row[op.In()/2] = 2, 3
	got := make([]float32, op.Out())
	m.Run32(got, row)
	const rows = 1<<16 + 1
	all := make([]float32, rows*op.Out())
	if m.Run32(all, slices.Repeat(row, rows)); !slices.Equal(all[(rows-1)*op.Out():], got) {
		shows++
	}
	place := op.In() / 2
	if op.Complex() { // (2+2i)·(3+inf·i)
		row[op.X], place = 2, place+op.Y
	}
	row[place] = float32(math.Inf(1))
	if m.Run32(got, row); m.Claim.Special == word.SpecialPlain && !math.IsInf(float64(got[0]), 0) {
		shows++
	}
	return shows
}

// inPlace returns the results of a kernel that writes them over its operands.
func inPlace[T any](row []T, results int, run func(dst, src []T)) []T {
	row = slices.Clone(row)
	run(row[:results], row)
	return row[:results]
}

// TestWordFaultsShow: every mutant differs from the algorithm that it claims, on numbers that the algorithm is for.
func TestWordFaultsShow(t *testing.T) {
	names := map[string]bool{}
	for i, m := range mutants.Words() {
		require.False(t, names[m.Name], m.Name)
		names[m.Name] = true
		require.NotEmpty(t, m.Fault)
		found, ok := mutants.FindWord(m.Name)
		require.True(t, ok)
		require.Equal(t, m.Claim, found.Claim)
		a, ok := word.ByName(m.Claim.Algorithm)
		require.True(t, ok, m.Name)
		rng := rand.New(rand.NewPCG(uint64(i), 3))
		values, want := make([]float32, a.Op.In()+len(a.Program.Steps)), make([]float32, a.Op.Out())
		got := make([]float32, m.Claim.Op.Out())
		shows := 0
		for range 20_000 {
			row := operands(rng, m.Claim.Op)
			if rng.IntN(4) == 0 { // results far from 1
				for i := range row {
					row[i] *= 0x1p15
				}
			}
			copy(values, row)
			word.Run(a.Program, binary32{}, values, want)
			m.Run32(got, row)
			if m.Claim.InPlace {
				copy(got, inPlace(row, len(got), func(dst, src []float32) { m.Run32(dst, src) }))
			}
			if m.Kills == model.WordIndependent { // whose fault takes another row
				batch := make([]float32, 2*len(got))
				m.Run32(batch, slices.Concat(row, slices.Repeat([]float32{0x1p120}, len(row))))
				copy(got, batch)
			}
			for k, g := range got {
				if w := want[k*len(want)/len(got)]; g != w && (g == g || w == w) {
					shows++
					break
				}
			}
		}
		if shows == 0 {
			shows = otherFaults(m)
		}
		require.Positive(t, shows, "the fault of %s never shows", m.Name)
	}
	require.GreaterOrEqual(t, len(names), 25)
	_, ok := mutants.FindWord("mutants.Nothing")
	require.False(t, ok)
}
