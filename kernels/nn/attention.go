package nn

import (
	"math"

	"gamma/kernels"
	"gamma/model/formula"
)

// The formulas of attention: of queries q, t rows of d elements, keys k, s rows of d, and values v, s rows of e.
var (
	AttentionFormula       = attentionFormula(false)
	CausalAttentionFormula = attentionFormula(true)
)

func attentionFormula(causal bool) *formula.Expr {
	scale := formula.Div(formula.Const(1), formula.Sqrt(formula.Len("d")))
	return formula.Attention(formula.Matrix("q", "t", "d"), formula.Matrix("k", "s", "d"), formula.Matrix("v", "s", "e"), scale, causal)
}

func attentions() []Kernel {
	return []Kernel{
		{Name: "nn.Attention", Formula: AttentionFormula, Min: oneOf("s", "d"), Run: Heads(Attention)},
		{Name: "nn.AttentionCausal", Formula: CausalAttentionFormula, Min: oneOf("s", "d"), Run: Heads(AttentionCausal)},
	}
}

// Heads returns the Run of an attention.
func Heads(f func(dst, q, k, v []float32, t, s, d, e int)) func(Arrays) {
	return func(a Arrays) {
		f(a.Float32("dst"), a.Float32("q"), a.Float32("k"), a.Float32("v"), a.Size("t"), a.Size("s"), a.Size("d"), a.Size("e"))
	}
}

func checkAttention(dst, q, k, v, t, s, d, e int) {
	sameLength("dst", dst, t*e)
	sameLength("q", q, t*d)
	sameLength("k", k, s*d)
	sameLength("v", v, s*e)
}

// Attention writes Σ_j p_ij·v_j for each query q_i, where p_i is the softmax of the scores q_i·k_j/√d.
//
// Shape:   dst is t by e, q t by d, k s by d, v s by e, by rows; it panics otherwise.
// Error:   that of the scores, (d+2)·u·Σ|q·k|/√d, enters relatively; then Softmax's, and (s-1)·u·Σp_ij·|v_j|.
// Special: a row with a score that is NaN or +Inf is NaN.
// Alias:   dst overlaps none of the inputs.
// Cost:    s scores of memory.
func Attention(dst, q, k, v []float32, t, s, d, e int) {
	checkAttention(len(dst), len(q), len(k), len(v), t, s, d, e)
	scale := 1 / sqrt(float32(d))
	p := make([]float32, s)
	for i := range t {
		for j := range s {
			p[j] = float32(kernels.DotLanes(q[i*d:][:d], k[j*d:][:d]) * scale)
		}
		Softmax(p, p)
		MatMul(dst[i*e:][:e], p, v, 1, e, s)
	}
}

// AttentionCausal is Attention in which query i sees keys 0 to i alone, in one pass over the keys: when a score is greater than all before it,
// the sums so far are multiplied by a power of e. They are in binary64 as SoftmaxOnline's is, and are divided at the end.
//
// Shape, Alias: as Attention's.
// Error:   that of the scores, as Attention's, an ulp or so of each power of e, and one rounding.
// Special: as Attention's, of the keys that a query sees: the others, and their values, may be anything.
// Cost:    e numbers of memory.
// Source:  [Milakov-Gimelshein 2018].
func AttentionCausal(dst, q, k, v []float32, t, s, d, e int) {
	checkAttention(len(dst), len(q), len(k), len(v), t, s, d, e)
	scale := 1 / sqrt(float32(d))
	sums := make([]float64, e)
	for i := range t {
		clear(sums)
		m, total := float32(math.Inf(-1)), 0.0
		for j := range min(i+1, s) {
			score := float32(kernels.DotLanes(q[i*d:][:d], k[j*d:][:d]) * scale)
			before, now := 1.0, weight(score)
			switch {
			case score > m:
				before, m = math.Exp(float64(m)-float64(score)), score
			case score != m:
				now = math.Exp(float64(score) - float64(m))
			case score == float32(math.Inf(-1)):
				now = 0 // nothing but -Inf so far
			}
			total = float64(total*before) + now
			for c, x := range v[j*e:][:e] {
				sums[c] = float64(sums[c]*before) + float64(now*float64(x))
			}
		}
		for c, x := range sums {
			dst[i*e+c] = float32(x / total)
		}
	}
}
