package conforming

import (
	"math"
	"slices"

	"gamma/model/formula"
)

// operand returns what e's operand k holds: of a product that may be fused with this addition perhaps the exact product, but not of both.
func (d *Evaluation) operand(e *formula.Expr, k int, fused *bool) []float64 {
	g := d.values[e.Node().Args[k]]
	switch e.Node().Op {
	case formula.OpAdd, formula.OpSub, formula.OpSum, formula.OpScanSum:
		if g.unfused != nil && !*fused && d.Steering == nil && d.Rand.IntN(2) == 0 {
			*fused = true
			return g.unfused
		}
	}
	return d.halves(e.Node().Args[k].Type(), g.v, g.v, d.Claim.Flush16.In)
}

// halves returns numbers as they are read or written, some of those that are subnormal as 0 if flush says that it may be: what has 16 bits, in a claim about a wider
// format. A number is tiny if it was before it was rounded.
func (d *Evaluation) halves(t formula.Type, v, before []float64, flush bool) []float64 {
	if !flush || !t.IsReal() || t.Float.Bits() != 16 || d.Claim.Format.Bits() <= 16 {
		return v
	}
	v = slices.Clone(v)
	for i, x := range v {
		if min(math.Abs(x), math.Abs(before[i])) < math.Ldexp(1, t.Float.Emin) && d.Rand.IntN(2) == 0 {
			v[i] = d.zero(d.Claim.Flush16, x)
		}
	}
	return v
}

// Evaluate finds what node e holds, whose operands have been evaluated. last says that it is the formula's result and rounded to the claim's format at last.
func (d *Evaluation) Evaluate(e *formula.Expr, last bool) {
	n := e.Node()
	z := &grid{axes: e.Axes()}
	if d.values == nil {
		d.values = map[*formula.Expr]*grid{}
	}
	d.values[e] = z
	put := func(value func(i int, index []int) float64) {
		var size int
		z.shape, size = d.Each(z.axes, func(int, []int) {})
		z.v = make([]float64, size)
		d.Each(z.axes, func(i int, index []int) {
			d.push = d.Steering.sign(e, i)
			z.v[i] = value(i, index)
			if e.Type().Int {
				z.v[i] += 0 // integers have no -0
			}
		})
	}
	switch n.Op.Class() {
	case formula.Elementwise:
		d.elementwise(e, last, z, put)
	case formula.Reduction:
		d.reduce(e, last, z, put)
	case formula.Scan:
		d.scan(e, last, z, put)
	case formula.Layout:
		a := d.values[n.Args[0]]
		switch n.Op {
		case formula.OpGather:
			index, fill := d.values[n.Args[1]], d.values[n.Args[2]]
			whole := slices.Clone(z.axes) // the axis of a that is looked up along, last, if it is no axis of the result
			if !slices.Contains(whole, n.Axes[0]) {
				whole = append(whole, n.Axes[0])
			}
			moved, filled := a.v, fill.v
			if e.Type() != n.Args[0].Type() { // halves are read here, since later operations see real numbers
				moved, filled = d.operand(e, 0, nil), d.operand(e, 2, nil)
			}
			atA, atI, atF := d.places(a, whole), d.places(index, z.axes), d.places(fill, z.axes)
			along := slices.Index(whole, n.Axes[0])
			put(func(_ int, at []int) float64 {
				p := index.v[atI(at)]
				if !(p >= 0 && p < float64(d.Sizes[n.Axes[0]])) {
					return filled[atF(at)]
				}
				full := make([]int, len(whole))
				copy(full, at)
				full[along] = int(p)
				return moved[atA(full)]
			})
		default:
			if n.Op == formula.OpRename {
				a = &grid{axes: slices.Clone(a.axes), shape: a.shape, v: a.v}
				a.axes[slices.Index(a.axes, n.Axes[0])] = n.To
			}
			at := d.places(a, z.axes)
			put(func(_ int, index []int) float64 { return a.v[at(index)] })
		}
	default:
		put(func(i int, _ []int) float64 {
			switch n.Op {
			case formula.OpInput:
				return d.Inputs(n.Name)[i]
			case formula.OpIndex:
				return float64(i)
			case formula.OpLen:
				return float64(d.Sizes[n.Axes[0]])
			}
			if e.Type().Int {
				return n.Value
			}
			return d.kept(n.Value, last)
		})
	}
}

func (d *Evaluation) elementwise(e *formula.Expr, last bool, z *grid, put func(func(int, []int) float64)) {
	n := e.Node()
	var at []func([]int) int
	var v [][]float64
	fused := false
	for k, a := range n.Args {
		at = append(at, d.places(d.values[a], z.axes))
		v = append(v, d.operand(e, k, &fused))
	}
	x := make([]float64, len(n.Args))
	put(func(_ int, index []int) float64 {
		for k := range x {
			x[k] = v[k][at[k](index)]
		}
		return d.scalar(e, x, last)
	})
	if n.Op == formula.OpMul && e.Type().IsReal() && !d.Claim.Unfused {
		v := z.v
		put(func(_ int, index []int) float64 {
			for k, a := range n.Args {
				x[k] = d.converted(d.values[a].v[at[k](index)], a.Type(), true)
			}
			return product(x[0], x[1])
		})
		z.v, z.unfused = v, z.v
	}
}

// rows returns for each element of a reduction along n's axes the terms of its operands, side by side.
func (d *Evaluation) rows(e *formula.Expr, z *grid, fused *bool) func(index []int) [][]float64 {
	n := e.Node()
	all := append(slices.Clone(z.axes), n.Axes...)
	var at []func([]int) int
	var v [][]float64
	for k, a := range n.Args {
		at = append(at, d.places(d.values[a], all))
		v = append(v, d.operand(e, k, fused))
	}
	return func(index []int) [][]float64 {
		out := make([][]float64, len(v))
		full := make([]int, len(all))
		copy(full, index)
		d.Each(n.Axes, func(_ int, inner []int) {
			copy(full[len(index):], inner)
			for k := range v {
				out[k] = append(out[k], v[k][at[k](full)])
			}
		})
		return out
	}
}

// fold reduces the terms of one element.
func (d *Evaluation) fold(e *formula.Expr, x []float64, last bool) float64 {
	n := e.Node()
	isReal := e.Type().IsReal()
	round := func(z float64) float64 {
		if isReal {
			return d.kept(z, last)
		}
		return z
	}
	d.adding = true
	defer func() { d.adding = false }()
	sign := 1.0
	switch n.Op {
	case formula.OpSum, formula.OpDot, formula.OpScanSum:
		if d.Steering != nil && isReal && n.Order.IsOpen() {
			return d.piled(x)
		}
		return d.addUp(n.Order, x, func(a, b float64) float64 { return round(plus(d.read(a), d.read(b))) }, 0)
	case formula.OpProd, formula.OpScanProd:
		return d.addUp(n.Order, x, func(a, b float64) float64 { return round(product(d.read(a), d.read(b))) }, 1)
	case formula.OpMin, formula.OpScanMin:
		sign = -1
		fallthrough
	case formula.OpMax, formula.OpScanMax:
		m := d.meaning(n.Meaning)
		return d.addUp(formula.Order{}, x, func(a, b float64) float64 { return d.greater(m, a, b, sign) }, math.Inf(int(-sign)))
	case formula.OpArgMin:
		sign = -1
		fallthrough
	case formula.OpArgMax:
		return d.argument(n.Ties, x, sign)
	case formula.OpAny:
		return d.addUp(formula.Order{}, x, math.Max, 0)
	case formula.OpAll:
		return d.addUp(formula.Order{}, x, math.Min, 1)
	}
	return d.addUp(formula.Order{}, x, func(a, b float64) float64 { return a + b }, 0)
}

func (d *Evaluation) argument(ties formula.Ties, x []float64, sign float64) float64 {
	var best []int
	for i := range x {
		if x[i] != x[i] {
			return float64(d.Rand.IntN(len(x)))
		}
		switch {
		case len(best) == 0 || sign*x[i] > sign*x[best[0]]:
			best = []int{i}
		case x[i] == x[best[0]]:
			best = append(best, i)
		}
	}
	switch {
	case len(best) == 0:
		return 0
	case ties == formula.FirstTie:
		return float64(best[0])
	case ties == formula.LastTie:
		return float64(best[len(best)-1])
	}
	return float64(best[d.Rand.IntN(len(best))])
}

func (d *Evaluation) reduce(e *formula.Expr, last bool, z *grid, put func(func(int, []int) float64)) {
	fused := false
	terms := d.rows(e, z, &fused)
	put(func(_ int, index []int) float64 {
		x := terms(index)
		if e.Node().Op == formula.OpDot {
			return d.fold(e, d.products(e, x[0], x[1]), last)
		}
		return d.fold(e, x[0], last)
	})
}

// products returns the terms of a dot product, each rounded or, as fused, not.
func (d *Evaluation) products(e *formula.Expr, x, y []float64) []float64 {
	z := make([]float64, len(x))
	args := e.Node().Args
	for k := range x {
		if !e.Type().IsReal() {
			z[k] = float64(x[k] * y[k])
			continue
		}
		z[k] = product(d.converted(x[k], args[0].Type(), true), d.converted(y[k], args[1].Type(), true))
		if d.Claim.Unfused || d.Steering != nil || d.Rand.IntN(2) == 0 || d.Claim.Exactly && len(x) == 1 {
			z[k] = d.kept(z[k], false)
		}
	}
	return z
}

func (d *Evaluation) scan(e *formula.Expr, last bool, z *grid, put func(func(int, []int) float64)) {
	n := e.Node()
	fused := false
	v := d.operand(e, 0, &fused)
	at := d.places(d.values[n.Args[0]], z.axes)
	along := slices.Index(z.axes, n.Axes[0])
	put(func(_ int, index []int) float64 {
		from, to := 0, index[along]
		if n.Reverse {
			from, to = index[along], d.Sizes[n.Axes[0]]-1
		}
		if n.Exclusive && n.Reverse {
			from++
		} else if n.Exclusive {
			to--
		}
		var x []float64
		one := slices.Clone(index)
		for one[along] = from; one[along] <= to; one[along]++ {
			x = append(x, v[at(one)])
		}
		if n.Reverse {
			slices.Reverse(x)
		}
		return d.fold(e, x, last)
	})
}
