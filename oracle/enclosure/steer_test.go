package enclosure

import (
	"cmp"
	"math"
	"slices"

	"gamma/model/formula"
)

// steering makes a direct evaluation err one way: each operation by as much as the claim lets it, in the direction that moves one element of the
// result up, or down, as the derivative of that element by the operation's result says.
type steering struct {
	adjoint map[*formula.Expr][]float64 // of the element, by elements of each node; nil: nothing errs
	want    float64                     // 1 for up, -1 for down
}

// sign returns which way element i of node e has to err.
func (s *steering) sign(e *formula.Expr, i int) float64 {
	if s == nil || s.adjoint == nil {
		return 0
	}
	switch d := s.adjoint[e][i] * s.want; {
	case d > 0:
		return 1
	case d < 0:
		return -1
	}
	return 0
}

// steered is kept for a steered evaluation: in a sum the rounding to the claim's format, or none; elsewhere half an ulp, which is what the claim
// says, and for the root what rounding to the result's format leaves.
func (d *direct) steered(z float64, last bool) float64 {
	f := d.claim.Format
	r := roundTo(f, z)
	switch {
	case d.claim.Exactly:
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
	return z + d.push*(1-0x1p-20)*ulpIn(f, z)/2
}

// mostTried is how many of the remaining terms piled compares.
const mostTried = 12

// piled adds terms to a running sum that begins with the largest, each time the one whose addition errs most the way that is wanted. Where none
// does, the addition is not rounded.
func (d *direct) piled(x []float64) float64 {
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
			if e := d.push * (roundTo(d.claim.Format, z) - z); e > most {
				best, most = i, e
			}
		}
		s = d.kept(plus(s, left[best]), false)
		left = slices.Delete(left, best, best+1)
	}
	return s
}

// adjoints returns the derivatives of element target of root, by the elements of each node, at the values that d found. Where one does not
// exist it is 0.
func (d *direct) adjoints(root *formula.Expr, target int) map[*formula.Expr][]float64 {
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

// middle returns a number of x, 0 if x has no end.
func (x interval) middle() float64 {
	if m := x.lo/2 + x.hi/2; m-m == 0 {
		return m
	}
	return 0
}

func (d *direct) backElementwise(e *formula.Expr, adj map[*formula.Expr][]float64) {
	n, z, g := e.Node(), d.values[e], adj[e]
	var at []func([]int) int
	for _, a := range n.Args {
		at = append(at, d.places(d.values[a], z.axes))
	}
	d.each(z.axes, func(i int, index []int) {
		if g[i] == 0 {
			return
		}
		var x [3]interval
		for k, a := range n.Args {
			x[k] = point(d.values[a].v[at[k](index)])
		}
		var by [3]interval
		if n.Op == formula.OpStore {
			by[0] = point(1)
		} else {
			by[0], by[1], by[2] = derivatives(n.Op, x[0], x[1], x[2], point(z.v[i]))
		}
		for k, a := range n.Args {
			adj[a][at[k](index)] += g[i] * by[k].middle()
		}
	})
}

func (d *direct) backReduction(e *formula.Expr, adj map[*formula.Expr][]float64) {
	n, z, g := e.Node(), d.values[e], adj[e]
	all := append(slices.Clone(z.axes), n.Axes...)
	var at []func([]int) int
	var v [][]float64
	for _, a := range n.Args {
		at = append(at, d.places(d.values[a], all))
		v = append(v, d.values[a].v)
	}
	d.each(z.axes, func(i int, index []int) {
		if g[i] == 0 {
			return
		}
		full := make([]int, len(all))
		copy(full, index)
		found := false
		d.each(n.Axes, func(_ int, inner []int) {
			copy(full[len(index):], inner)
			j := at[0](full)
			switch n.Op {
			case formula.OpSum:
				adj[n.Args[0]][j] += g[i]
			case formula.OpDot:
				k := at[1](full)
				adj[n.Args[0]][j] += g[i] * v[1][k]
				adj[n.Args[1]][k] += g[i] * v[0][j]
			case formula.OpMax, formula.OpMin:
				if !found && v[0][j] == z.v[i] {
					found = true
					adj[n.Args[0]][j] += g[i]
				}
			case formula.OpProd:
				if v[0][j] != 0 {
					adj[n.Args[0]][j] += g[i] * z.v[i] / v[0][j]
				}
			}
		})
	})
}

func (d *direct) backScan(e *formula.Expr, adj map[*formula.Expr][]float64) {
	n, z, g := e.Node(), d.values[e], adj[e]
	a := n.Args[0]
	at := d.places(d.values[a], z.axes)
	along := slices.Index(z.axes, n.Axes[0])
	d.each(z.axes, func(i int, index []int) {
		if g[i] == 0 {
			return
		}
		one := slices.Clone(index)
		for one[along] = range d.sizes[n.Axes[0]] {
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
func (d *direct) backLayout(e *formula.Expr, adj map[*formula.Expr][]float64) {
	n := e.Node()
	source := n.Args[0]
	own := *d
	own.steer = nil
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
	own.evaluate(e, false)
	for i, place := range own.values[e].v {
		if place >= 0 {
			adj[source][int(place)] += adj[e][i]
		}
	}
}
