package formula_test

import (
	"maps"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
)

// reading reads one element of a formula off its definition, in binary64: enough to see which elements a helper of the library takes,
// and which operations it makes of them.
type reading struct {
	t      *testing.T
	size   map[string]int       // of axes
	inputs map[string][]float64 // slowest axis first
}

// of returns the element of e at a position along each axis.
func (r reading) of(e *formula.Expr, pos map[string]int) float64 {
	n := e.Node()
	arg := func(i int) float64 { return r.of(n.Args[i], pos) }
	switch n.Op {
	case formula.OpInput:
		i := 0
		for _, a := range n.Axes {
			i = i*r.size[a] + pos[a]
		}
		return r.inputs[n.Name][i]
	case formula.OpConst:
		return n.Value
	case formula.OpIndex:
		if len(n.Args) > 0 {
			require.EqualValues(r.t, r.size[n.Axes[0]], arg(0), "the size of %s", n.Axes[0])
		}
		return float64(pos[n.Axes[0]])
	case formula.OpLen:
		return float64(r.size[n.Axes[0]])
	case formula.OpGather:
		if i := int(arg(1)); i >= 0 && i < r.size[n.Axes[0]] {
			return r.of(n.Args[0], moved(pos, n.Axes[0], i))
		}
		return arg(2)
	case formula.OpSum, formula.OpMax, formula.OpDot:
		return r.reduce(e, n.Axes, pos, math.NaN())
	case formula.OpSelect:
		if arg(0) != 0 {
			return arg(1)
		}
		return arg(2)
	}
	return r.arithmetic(n.Op, arg)
}

// reduce folds the elements along axes into what there is so far, NaN if that is nothing.
func (r reading) reduce(e *formula.Expr, axes []string, pos map[string]int, so float64) float64 {
	n := e.Node()
	if len(axes) == 0 {
		v := r.of(n.Args[0], pos)
		if n.Op == formula.OpDot {
			v *= r.of(n.Args[1], pos)
		}
		switch {
		case math.IsNaN(so):
			return v
		case n.Op == formula.OpMax:
			return math.Max(so, v)
		}
		return so + v
	}
	for i := range r.size[axes[0]] {
		so = r.reduce(e, axes[1:], moved(pos, axes[0], i), so)
	}
	return so
}

func (r reading) arithmetic(op formula.Op, arg func(int) float64) float64 {
	switch op {
	case formula.OpAdd:
		return arg(0) + arg(1)
	case formula.OpSub:
		return arg(0) - arg(1)
	case formula.OpMul:
		return arg(0) * arg(1)
	case formula.OpDiv:
		return arg(0) / arg(1)
	case formula.OpQuo:
		return math.Floor(arg(0) / arg(1))
	case formula.OpMod:
		return arg(0) - arg(1)*math.Floor(arg(0)/arg(1))
	case formula.OpMaximum:
		return math.Max(arg(0), arg(1))
	case formula.OpOrder:
		return arg(0)
	case formula.OpNeg:
		return -arg(0)
	case formula.OpAbs:
		return math.Abs(arg(0))
	case formula.OpExp:
		return math.Exp(arg(0))
	case formula.OpLog:
		return math.Log(arg(0))
	case formula.OpStore:
		return math.RoundToEven(arg(0))
	case formula.OpLess:
		if arg(0) < arg(1) {
			return 1
		}
		return 0
	}
	require.Fail(r.t, "not read here", op)
	return 0
}

func moved(pos map[string]int, axis string, i int) map[string]int {
	pos = maps.Clone(pos)
	pos[axis] = i
	return pos
}

// every calls f for each position along e's axes.
func (r reading) every(e *formula.Expr, f func(got float64, p func(axis string) int)) {
	require.NoError(r.t, e.Err())
	var walk func(axes []string, pos map[string]int)
	walk = func(axes []string, pos map[string]int) {
		if len(axes) == 0 {
			f(r.of(e, pos), func(axis string) int { return pos[axis] })
			return
		}
		require.Positive(r.t, r.size[axes[0]], "the test gives axis %s a size", axes[0])
		for i := range r.size[axes[0]] {
			walk(axes[1:], moved(pos, axes[0], i))
		}
	}
	walk(e.Axes(), map[string]int{})
}

// numbers returns n small integers that differ from their neighbours.
func numbers(n, seed int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64((i*7+seed)%23 - 9)
	}
	return v
}

// TestLayoutsTakeTheElementsTheyName reads the helpers that move elements.
func TestLayoutsTakeTheElementsTheyName(t *testing.T) {
	const m, n = 3, 10
	x, data := f32("x", "m", "n"), numbers(m*n, 1)
	at := func(i, j int) float64 {
		if j < 0 || j >= n {
			return 0
		}
		return data[i*n+j]
	}
	r := reading{t, map[string]int{"m": m, "n": n, "s": 4, "p": n + 5, "g": 3, "j": 4, "k": m * n}, map[string][]float64{"x": data}}
	r.every(formula.Slice(x, "n", "s", formula.Integer(8), formula.Integer(4)), func(got float64, p func(string) int) {
		require.Equal(t, at(p("m"), 8+p("s")), got)
	})
	r.every(formula.Pad(x, "n", "p", 2, 3, formula.Const(0)), func(got float64, p func(string) int) {
		require.Equal(t, at(p("m"), p("p")-2), got)
	})
	for _, by := range []int{-2, 0, 3} {
		r.every(formula.Shift(x, "n", by, formula.Const(0)), func(got float64, p func(string) int) {
			require.Equal(t, at(p("m"), p("n")-by), got)
		})
	}
	r.every(formula.Reverse(x, "n"), func(got float64, p func(string) int) {
		require.Equal(t, at(p("m"), n-1-p("n")), got)
	})
	split := formula.SplitAxis(x, "n", "g", "j", 4)
	r.every(split, func(got float64, p func(string) int) {
		require.Equal(t, at(p("m"), 4*p("g")+p("j")), got)
	})
	r.every(formula.JoinAxes(split, "g", "j", formula.Index("n")), func(got float64, p func(string) int) {
		require.Equal(t, at(p("m"), p("n")), got, "split and joined")
	})
	r.every(formula.JoinAxes(x, "m", "n", formula.IndexOf("k", formula.Mul(formula.Len("m"), formula.Len("n")))), func(got float64, p func(string) int) {
		require.Equal(t, data[p("k")], got)
	})
}

// TestConvolutionsTakeTheirWindows reads them against loops.
func TestConvolutionsTakeTheirWindows(t *testing.T) {
	const h, w, c, o = 4, 5, 2, 3
	x, k := numbers(h*w*c, 2), numbers(3*3*c*o, 5)
	r := reading{t, map[string]int{"h": h, "w": w, "c": c, "o": o, "r": 3, "s": 3, "j": 3}, map[string][]float64{"x": x, "k": k, "d": numbers(3*c, 4)}}
	r.every(formula.Conv2D(f32("x", "h", "w", "c"), f32("k", "r", "s", "c", "o"), 1), func(got float64, p func(string) int) {
		want := 0.0
		for i := range 3 {
			for j := range 3 {
				for ch := range c {
					if y, z := p("h")+i-1, p("w")+j-1; y >= 0 && y < h && z >= 0 && z < w {
						want += x[(y*w+z)*c+ch] * k[((i*3+j)*c+ch)*o+p("o")]
					}
				}
			}
		}
		require.Equal(t, want, got)
	})
	r.every(formula.DepthwiseConv(f32("x", "h", "w", "c"), f32("d", "j", "c"), "w", "j", 2), func(got float64, p func(string) int) {
		want := 0.0
		for j := range 3 {
			if z := p("w") + j - 2; z >= 0 && z < w {
				want += x[(p("h")*w+z)*c+p("c")] * r.inputs["d"][j*c+p("c")]
			}
		}
		require.Equal(t, want, got)
	})
}

// TestRowsOfTheLibrary reads the formulas whose elements depend on positions: masks, look-ups, groups and halves.
func TestRowsOfTheLibrary(t *testing.T) {
	const m, n, d = 3, 10, 4
	near := func(want, got float64, text string) {
		require.LessOrEqual(t, math.Abs(want-got), 1e-12*math.Abs(want), "%s: %g, not %g", text, got, want)
	}
	x := numbers(m*n, 3)
	r := reading{t, map[string]int{"m": m, "n": n, "t": m, "s": n, "d": d, "e": 2, "g": 3, "n_in_g": 4}, map[string][]float64{
		"x": x, "c": numbers(m*n, 6), "s": numbers(m*n, 8), "q": numbers(m*d, 1), "k": numbers(n*d, 2), "v": numbers(n*2, 3), "label": {4, 0, 99},
	}}
	r.every(formula.CrossEntropy(f32("x", "m", "n"), formula.Input("label", formula.Int(32), "m"), "n"), func(got float64, p func(string) int) {
		i, sum := p("m"), 0.0
		for j := range n {
			sum += math.Exp(x[i*n+j])
		}
		if label := int(r.inputs["label"][i]); label < n {
			near(math.Log(sum)-x[i*n+label], got, "cross-entropy")
		} else {
			require.Equal(t, math.Inf(1), got, "no such class")
		}
	})
	r.every(formula.Rotary(f32("x", "m", "n"), f32("c", "m", "n"), f32("s", "m", "n"), "n"), func(got float64, p func(string) int) {
		i, j := p("m")*n, p("n")
		turned := x[i+(j+n/2)%n]
		if j < n/2 {
			turned = -turned
		}
		near(x[i+j]*r.inputs["c"][i+j]+turned*r.inputs["s"][i+j], got, "rotary")
	})
	for _, causal := range []bool{false, true} {
		attention := formula.Attention(f32("q", "t", "d"), f32("k", "s", "d"), f32("v", "s", "e"), formula.Const(0.125), causal)
		r.every(attention, func(got float64, p func(string) int) {
			var sum, out float64
			for s := range n {
				score := 0.0
				for i := range d {
					score += r.inputs["q"][p("t")*d+i] * r.inputs["k"][s*d+i]
				}
				if w := math.Exp(score * 0.125); !causal || s <= p("t") {
					sum, out = sum+w, out+w*r.inputs["v"][s*2+p("e")]
				}
			}
			require.LessOrEqual(t, math.Abs(out/sum-got), 1e-11, "attention, causal %v", causal)
		})
	}
	peak := func(i, from, to int) (peak float64) {
		for j := from; j < min(to, n); j++ {
			peak = max(peak, math.Abs(x[i*n+j]))
		}
		return max(peak, 1e-3) / 448
	}
	q, scale := formula.QuantizeGroups(f32("x", "m", "n"), formula.Float(model.E4M3), 1e-3, "n", "g", 4)
	r.every(scale, func(got float64, p func(string) int) {
		require.Equal(t, peak(p("m"), 4*p("g"), 4*p("g")+4), got)
	})
	r.every(q, func(got float64, p func(string) int) {
		j := p("n") / 4 * 4
		require.Equal(t, math.RoundToEven(x[p("m")*n+p("n")]/peak(p("m"), j, j+4)), got)
	})
	q, scale = formula.QuantizeRows(f32("x", "m", "n"), formula.Float(model.E4M3), 1e-3, "n")
	r.every(scale, func(got float64, p func(string) int) { require.Equal(t, peak(p("m"), 0, n), got) })
	r.every(formula.Dequantize(q, scale), func(got float64, p func(string) int) {
		s := peak(p("m"), 0, n)
		require.Equal(t, math.RoundToEven(x[p("m")*n+p("n")]/s)*s, got)
	})
}
