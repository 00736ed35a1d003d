package conforming

import (
	"cmp"
	"math"
	"slices"

	"gamma/model/formula"
)

// Steering makes an Evaluation err one way: each operation by as much as the claim lets it, in the direction that moves one element of the
// result up, or down, as the derivative of that element by the operation's result says; and sums are added in an order in which errors add up.
type Steering struct {
	Adjoints map[*formula.Expr][]float64 // of the element, by elements of each node, as Evaluation.Adjoints returns them; nil: nothing errs
	Way      float64                     // 1 for up, -1 for down
}

// sign returns which way element i of node e has to err.
func (s *Steering) sign(e *formula.Expr, i int) float64 {
	if s == nil || s.Adjoints == nil {
		return 0
	}
	switch d := s.Adjoints[e][i] * s.Way; {
	case d > 0:
		return 1
	case d < 0:
		return -1
	}
	return 0
}

// steered is kept for a steered evaluation: in a sum the rounding to the claim's format, or none; elsewhere half an ulp, which is what the claim
// says, and for the root what rounding to the result's format leaves.
func (d *Evaluation) steered(z float64, last bool) float64 {
	f := d.Claim.Format
	r := RoundTo(f, z)
	switch {
	case d.Claim.Exactly:
		return d.flushed(r)
	case r == z || math.IsInf(r, 0) || z != z || d.push == 0:
		return z
	case d.adding:
		if d.push*(r-z) > 0 {
			return r
		}
		return z
	case last:
		return z
	}
	return z + float64(d.push*(1-0x1p-20)*Ulp(f, z)/2)
}

// mostTried is how many of the remaining terms piled compares.
const mostTried = 12

// piled adds terms to a running sum that begins with the largest, each time the one whose addition errs most the way that is wanted. Where none
// does, the addition is not rounded.
func (d *Evaluation) piled(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	left := slices.Clone(x)
	slices.SortStableFunc(left, func(a, b float64) int { return cmp.Compare(math.Abs(b), math.Abs(a)) })
	s := left[0]
	left = left[1:]
	for len(left) > 0 {
		best, most := 0, math.Inf(-1)
		for k := range min(mostTried, len(left)) {
			i := k * len(left) / min(mostTried, len(left))
			z := plus(s, left[i])
			if e := d.push * (RoundTo(d.Claim.Format, z) - z); e > most {
				best, most = i, e
			}
		}
		s = d.kept(plus(s, left[best]), false)
		left = slices.Delete(left, best, best+1)
	}
	return s
}

// Adjoints returns the derivatives of element target of root, by the elements of each node, at the values that the evaluation found. Where one does not
// exist it is 0.
func (d *Evaluation) Adjoints(root *formula.Expr, target int) map[*formula.Expr][]float64 {
	nodes := root.Nodes()
	adj := map[*formula.Expr][]float64{}
	for _, e := range nodes {
		adj[e] = make([]float64, len(d.values[e].v))
	}
	adj[root][target] = 1
	for _, e := range slices.Backward(nodes) {
		if !slices.ContainsFunc(adj[e], func(g float64) bool { return g != 0 }) {
			continue
		}
		switch e.Node().Op.Class() {
		case formula.Elementwise:
			d.backElementwise(e, adj)
		case formula.Reduction:
			d.backReduction(e, adj)
		case formula.Scan:
			d.backScan(e, adj)
		case formula.Layout:
			d.backLayout(e, adj)
		}
	}
	return adj
}

func (d *Evaluation) backElementwise(e *formula.Expr, adj map[*formula.Expr][]float64) {
	n, z, g := e.Node(), d.values[e], adj[e]
	var at []func([]int) int
	for _, a := range n.Args {
		at = append(at, d.places(d.values[a], z.axes))
	}
	d.Each(z.axes, func(i int, index []int) {
		if g[i] == 0 {
			return
		}
		var x [3]float64
		for k, a := range n.Args {
			x[k] = d.values[a].v[at[k](index)]
		}
		by := derivatives(n.Op, x, z.v[i])
		for k, a := range n.Args {
			if by[k]-by[k] == 0 {
				adj[a][at[k](index)] += float64(g[i] * by[k])
			}
		}
	})
}

func (d *Evaluation) backReduction(e *formula.Expr, adj map[*formula.Expr][]float64) {
	n, z, g := e.Node(), d.values[e], adj[e]
	all := append(slices.Clone(z.axes), n.Axes...)
	var at []func([]int) int
	var v [][]float64
	for _, a := range n.Args {
		at = append(at, d.places(d.values[a], all))
		v = append(v, d.values[a].v)
	}
	d.Each(z.axes, func(i int, index []int) {
		if g[i] == 0 {
			return
		}
		full := make([]int, len(all))
		copy(full, index)
		found := false
		d.Each(n.Axes, func(_ int, inner []int) {
			copy(full[len(index):], inner)
			j := at[0](full)
			switch n.Op {
			case formula.OpSum:
				adj[n.Args[0]][j] += g[i]
			case formula.OpDot:
				k := at[1](full)
				adj[n.Args[0]][j] += float64(g[i] * v[1][k])
				adj[n.Args[1]][k] += float64(g[i] * v[0][j])
			case formula.OpMax, formula.OpMin:
				if !found && v[0][j] == z.v[i] {
					found = true
					adj[n.Args[0]][j] += g[i]
				}
			case formula.OpProd:
				if v[0][j] != 0 {
					adj[n.Args[0]][j] += float64(g[i]*z.v[i]) / v[0][j]
				}
			}
		})
	})
}

func (d *Evaluation) backScan(e *formula.Expr, adj map[*formula.Expr][]float64) {
	n, z, g := e.Node(), d.values[e], adj[e]
	a := n.Args[0]
	at := d.places(d.values[a], z.axes)
	along := slices.Index(z.axes, n.Axes[0])
	d.Each(z.axes, func(i int, index []int) {
		if g[i] == 0 {
			return
		}
		one := slices.Clone(index)
		for one[along] = range d.Sizes[n.Axes[0]] {
			before := one[along] < index[along] != n.Reverse && one[along] != index[along]
			if !before && (n.Exclusive || one[along] != index[along]) {
				continue
			}
			j := at(one)
			switch n.Op {
			case formula.OpScanSum:
				adj[a][j] += g[i]
			default:
				if d.values[a].v[j] == z.v[i] {
					adj[a][j] += g[i]
					return
				}
			}
		}
	})
}

// backLayout moves the derivatives as the operation moves numbers: it is evaluated once more, on places in the place of elements.
func (d *Evaluation) backLayout(e *formula.Expr, adj map[*formula.Expr][]float64) {
	n := e.Node()
	source := n.Args[0]
	own := *d
	own.Steering = nil
	own.values = map[*formula.Expr]*grid{}
	for _, a := range n.Args {
		own.values[a] = d.values[a]
	}
	numbered := func(a *formula.Expr, number func(i int) float64) {
		g := *d.values[a]
		g.v, g.unfused = make([]float64, len(g.v)), nil
		for i := range g.v {
			g.v[i] = number(i)
		}
		own.values[a] = &g
	}
	numbered(source, func(i int) float64 { return float64(i) })
	if n.Op == formula.OpGather {
		numbered(n.Args[2], func(int) float64 { return -1 })
	}
	own.Evaluate(e, false)
	for i, place := range own.values[e].v {
		if place >= 0 {
			adj[source][int(place)] += adj[e][i]
		}
	}
}

// derivatives returns the partial derivatives of an elementwise operation by its operands x, its value being z: NaN or infinite where there is none, and 0
// of a jump.
func derivatives(op formula.Op, x [3]float64, z float64) (by [3]float64) {
	switch op {
	case formula.OpAdd:
		return [3]float64{1, 1}
	case formula.OpSub:
		return [3]float64{1, -1}
	case formula.OpMul:
		return [3]float64{x[1], x[0]}
	case formula.OpFMA:
		return [3]float64{x[1], x[0], 1}
	case formula.OpDiv:
		return [3]float64{1 / x[1], -z / x[1]}
	case formula.OpMaximum, formula.OpMinimum:
		if (x[0] > x[1]) == (op == formula.OpMaximum) {
			return [3]float64{1}
		}
		return [3]float64{0, 1}
	case formula.OpSelect:
		return [3]float64{0, x[0], 1 - x[0]}
	case formula.OpPow:
		return [3]float64{float64(x[1] * math.Pow(x[0], x[1]-1)), float64(z * math.Log(x[0]))}
	}
	return [3]float64{slope(op, x[0], z)}
}

// slope returns the derivative of a function of one number at x, its value being z.
func slope(op formula.Op, x, z float64) float64 {
	switch op {
	case formula.OpStore:
		return 1
	case formula.OpNeg:
		return -1
	case formula.OpAbs:
		return math.Copysign(1, x)
	case formula.OpSqrt:
		return 0.5 / z
	case formula.OpRsqrt:
		return -0.5 * z / x
	case formula.OpExp:
		return z
	case formula.OpExp2:
		return float64(z * math.Ln2)
	case formula.OpExpm1:
		return z + 1
	case formula.OpLog:
		return 1 / x
	case formula.OpLog2:
		return 1 / (x * math.Ln2)
	case formula.OpLog1p:
		return 1 / (1 + x)
	case formula.OpSin:
		return math.Cos(x)
	case formula.OpCos:
		return -math.Sin(x)
	case formula.OpTan:
		return 1 + float64(z*z)
	case formula.OpSinPi:
		return float64(math.Pi * halfTurns(x, 1))
	case formula.OpCosPi:
		return float64(-math.Pi * halfTurns(x, 0))
	case formula.OpTanh:
		return 1 - float64(z*z)
	case formula.OpErf:
		return float64(2 / math.SqrtPi * math.Exp(float64(-x*x)))
	}
	return 0
}
