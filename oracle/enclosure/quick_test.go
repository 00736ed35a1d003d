package enclosure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"gamma/model/formula"
)

func softmaxFormula() *formula.Expr {
	x := formula.Vector("x")
	e := formula.Exp(formula.Sub(x, formula.Max(x)))
	return formula.Div(e, formula.Sum(e))
}

func layerNorm() *formula.Expr {
	x := formula.Vector("x")
	n := formula.Len("n")
	m := formula.Div(formula.Sum(x), n)
	d := formula.Sub(x, m)
	v := formula.Div(formula.Sum(formula.Mul(d, d)), n)
	return formula.Mul(d, formula.Rsqrt(formula.Add(v, formula.Const(1e-5))))
}

func attention() *formula.Expr {
	q, k, v := formula.Matrix("q", "i", "d"), formula.Matrix("k", "j", "d"), formula.Matrix("v", "j", "c")
	s := formula.Mul(formula.Dot(q, k, "d"), formula.Const(0.1767766952966369))
	e := formula.Exp(formula.Sub(s, formula.Max(s, "j")))
	p := formula.Div(e, formula.Sum(e, "j"))
	return formula.Dot(p, v, "j")
}

func TestQuick(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	row := func(n int) Array {
		a := Array{Shape: []int{n}, Values: make([]float64, n)}
		for i := range a.Values {
			a.Values[i] = float64(float32(rng.NormFloat64()))
		}
		return a
	}
	mat := func(n, m int) Array {
		a := row(n * m)
		a.Shape = []int{n, m}
		return a
	}
	c := formula.Claim{}
	acc := formula.Published
	acc.Name = "test"
	acc.Ops[formula.OpExp].Ulps = 2
	acc.Ops[formula.OpRsqrt].Ulps = 2
	c.Functions = acc
	show := func(name string, e *formula.Expr, in map[string]Array, exactly bool) {
		c.Exactly = exactly
		for _, m := range []method{plain, meanValue, both} {
			p, err := Compile(e, c, formula.Type{})
			if err != nil {
				t.Fatal(err)
			}
			p.method = m
			r, err := p.Run(in)
			if err != nil {
				t.Fatal(err)
			}
			big, wide := 0.0, 0.0
			for i := range r.Lo {
				big = max(big, math.Abs(r.ExactHi[i]))
				wide = max(wide, (r.Hi[i]-r.Lo[i])/2)
				if r.ExactLo[i] > r.Hi[i] || r.ExactHi[i] < r.Lo[i] {
					t.Fatal(i, r.ExactLo[i], r.ExactHi[i], r.Lo[i], r.Hi[i])
				}
			}
			ws := []float64{}
			for i := range r.Lo {
				ws = append(ws, (r.Hi[i]-r.Lo[i])/2/(big*0x1p-24))
			}
			sort.Float64s(ws)
			fmt.Println("median", ws[len(ws)/2], name, "exactly", exactly, "method", m, "half-width in u of largest:", wide/(big*0x1p-24), "exact width", (r.ExactHi[0]-r.ExactLo[0])/r.ExactHi[0])
		}
	}
	for _, ex := range []bool{true, false} {
		show("softmax16", softmaxFormula(), map[string]Array{"x": row(16)}, ex)
		show("softmax1024", softmaxFormula(), map[string]Array{"x": row(1024)}, ex)
		show("layernorm64", layerNorm(), map[string]Array{"x": row(64)}, ex)
		show("layernorm768", layerNorm(), map[string]Array{"x": row(768)}, ex)
		show("attention", attention(), map[string]Array{"q": mat(8, 32), "k": mat(64, 32), "v": mat(64, 32)}, ex)
	}
}

func BenchmarkSoftmax(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := Array{Shape: []int{1024}, Values: make([]float64, 1024)}
	for i := range x.Values {
		x.Values[i] = float64(float32(rng.NormFloat64()))
	}
	p, _ := Compile(softmaxFormula(), formula.Claim{}, formula.Type{})
	for b.Loop() {
		p.Run(map[string]Array{"x": x})
	}
}

func BenchmarkGEMM(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	mat := func(n, m int) Array {
		a := Array{Shape: []int{n, m}, Values: make([]float64, n*m)}
		for i := range a.Values {
			a.Values[i] = float64(float32(rng.NormFloat64()))
		}
		return a
	}
	p, _ := Compile(formula.Dot(formula.Matrix("a", "m", "k"), formula.Matrix("b", "k", "n"), "k"), formula.Claim{}, formula.Type{})
	in := map[string]Array{"a": mat(64, 256), "b": mat(256, 64)}
	for b.Loop() {
		p.Run(in)
	}
}
