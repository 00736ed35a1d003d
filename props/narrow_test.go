package props

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/formula"
	"gamma/props/judge"
)

// foundText returns the report of a law's violation by a kernel, in one line, "" if there is none.
func foundText[J, C any](t *testing.T, l LawOf[J, C], s judge.Subject) string {
	t.Helper()
	f, _, err := judge.Find(l, s, 2000)
	require.NoError(t, err)
	if f == nil {
		return ""
	}
	return strings.Join(strings.Fields(f.Text()), " ")
}

// TestNarrow: an index or a count that is too narrow for the leaves, rows or elements of a call is named, with its bits, and nothing else that goes wrong
// where there are many.
func TestNarrow(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	t.Setenv("GAMMA_SAVE", "off")
	sum, dot := lawOf(t, judge.Laws(), model.SumEnclosure), lawOf(t, judge.Laws(), model.DotEnclosure)
	serial := kernels.SumSerial[float32]
	of := func(run func(x []float32) float32) string { return foundText(t, sum, Reduction{Name: "k", Run: run}) }
	rows := func(count func(n int) int, row func(i int) int) string {
		return foundText(t, sum, Reduction{Name: "k", RunRows: func(dst, x []float32, n int) {
			for i := range count(len(dst)) {
				k := row(i)
				dst[i] = serial(x[k*n : (k+1)*n])
			}
		}})
	}
	same := func(i int) int { return i }
	negative := func(of func(x []float32, i int) float32, count func(n int) int) string {
		return foundText(t, lawOf(t, judge.FormulaLaws(), model.FormulaEnclosure), Kernel{Name: "k", Formula: formula.Neg(formula.Vector("x")), Run: func(dst, x []float32) {
			for i := range count(len(dst)) {
				dst[i] = -of(x, i)
			}
		}})
	}
	rows16, _ := mutants.FindWord("mutants.TimesRows16")
	for _, c := range []struct{ name, text, says string }{
		{"count of leaves", of(func(x []float32) float32 { return serial(x[:uint16(len(x))]) }), "a count has 16 bits: of n terms it takes the first n mod 2^16"},
		{"count of leaves with a sign", of(func(x []float32) float32 { return serial(x[:max(0, int16(len(x)))]) }), "a count has 16 bits, a sign among them"},
		{"index of a leaf", of(func(x []float32) (s float32) {
			for i := range x {
				s += x[uint16(i)]
			}
			return s
		}), "an index has 16 bits: for term i it takes term i mod 2^16"},
		{"index of 8 bits", of(func(x []float32) (s float32) {
			for i := range x {
				s += x[uint8(i)]
			}
			return s
		}), "an index has 8 bits: for term i it takes term i mod 2^8"},
		{"end", of(func(x []float32) float32 { return serial(x[:min(len(x), 1<<16)]) }), "it ends after 2^16 terms, as if an index had so many bits"},
		{"count of terms", foundText(t, dot, Dot{Name: "k", Run: func(x, y []float32) float32 {
			n := uint16(len(x))
			return kernels.DotSerial(x[:n], y[:n])
		}}), "a count has 16 bits: of n terms it takes the first n mod 2^16"},
		{"count of rows", rows(func(n int) int { return int(uint16(n)) }, same), "a count has 16 bits: of n rows"},
		{"index of a row", rows(same, func(i int) int { return int(uint8(i)) }), "an index has 8 bits: for row i it takes row i mod 2^8"},
		{"rows of words", foundText(t, lawOf(t, judge.WordLaws(), model.DDMul), Operation{Name: "k", Claim: rows16.Claim, Run: rows16.Run32}), "a count has 16 bits: of n rows"},
		{"rows of residues", foundText(t, lawOf(t, judge.ModularLaws(), model.MontValue), Modular{Name: "k", Claim: mulMod().Claim, Run: func(q uint64, dst, src []uint64) error {
			n := int(uint16(len(dst)))
			return mulMod().Run(q, dst[:n], src[:2*n])
		}}), "a count has 16 bits: of n rows"},
		{"elements", negative(func(x []float32, i int) float32 { return x[uint16(i)] }, same), "an index has 16 bits: for element i it takes element i mod 2^16"},
		{"count of elements", negative(func(x []float32, i int) float32 { return x[i] }, func(n int) int { return int(uint16(n)) }), "a count has 16 bits: of n elements"},
		{"leaves are lost where there are more than 2^16", of(func(x []float32) float32 {
			if len(x) > 1<<16 {
				return serial(x[:1<<15]) + serial(x[1<<16:])
			}
			return serial(x)
		}), ""},
		{"another end", of(func(x []float32) float32 { return serial(x[:min(len(x), 50000)]) }), ""},
		{"an end of rows", rows(func(n int) int { return min(n, 300) }, same), ""},
	} {
		require.NotEmpty(t, c.text, c.name)
		if c.says == "" {
			require.NotRegexp(t, `has (8|16) bits|had so many bits`, c.text, c.name)
			continue
		}
		require.Contains(t, c.text, "cause kernel: "+c.says, c.name)
	}
}
