package eval

import (
	"fmt"
	"math"

	"gamma/sumtree"
)

// Float32 returns the result of t over leaves x in binary32, rounding to nearest even, and scratch
// grown for the next call. For trees of additions it is [TorchLean]'s evalIEEE, for those of
// products and additions its evalDotIEEE.
//
// Domain:   len(x) = t.LeafCount(); it panics otherwise. Trees with nodes other than Add, Product,
// Fma, and Round from and to binary32, give an error: Bits evaluates more.
// Rounding: each node once, on the hardware; Fma by two-sum in binary64 and round to odd.
// Special:  the empty sum is +0; infinities and NaNs as IEEE 754 has them.
// Cost:     of the order of the nodes, no allocation if scratch has room for them.
func Float32(t *sumtree.Tree, x, scratch []float32) (result float32, grown []float32, err error) {
	if len(x) != t.LeafCount() {
		panic(tooFewValues(t.LeafCount(), len(x)))
	}
	if len(x) == 0 {
		return 0, scratch, nil
	}
	if n := t.NodeCount(); cap(scratch) < n {
		scratch = make([]float32, n)
	}
	v := scratch[:t.NodeCount()]
	nodes, plain := t.Plain()
	if !plain {
		if err := float32Nodes(t, x, v); err != nil {
			return 0, scratch, err
		}
	}
	if plain {
		addNodes(nodes, x, v)
	}
	if r := t.Root(); r.IsLeaf() {
		return x[r.Leaf()], scratch, nil
	}
	return v[t.Root()], scratch, nil
}

// addNodes evaluates additions into v.
func addNodes[T float32 | float64](nodes []sumtree.Node, x, v []T) {
	for i, nd := range nodes {
		var l, r T
		if nd.L >= 0 {
			l = v[nd.L]
		} else {
			l = x[^nd.L]
		}
		if nd.R >= 0 {
			r = v[nd.R]
		} else {
			r = x[^nd.R]
		}
		v[i] = l + r
	}
}

// float32Nodes evaluates a tree of several kinds of node into v.
func float32Nodes(t *sumtree.Tree, x, v []float32) error {
	get := func(r sumtree.Ref) float32 {
		if r >= 0 {
			return v[r]
		}
		return x[^r]
	}
	var buf [2]sumtree.Ref
	for i := range v {
		r := sumtree.Ref(i)
		ops := t.Operands(r, buf[:])
		switch k := t.Kind(r); {
		case k == sumtree.Add:
			v[i] = get(ops[0]) + get(ops[1])
		case k == sumtree.Product:
			v[i] = float32(get(ops[0]) * get(ops[1]))
		case k == sumtree.Fma:
			v[i] = fma32(get(ops[0]), get(ops[1]), get(ops[2]))
		case k == sumtree.Round && t.Format(r).Name == "binary32":
			v[i] = get(ops[0])
		default:
			return notNative(t, r, "binary32")
		}
	}
	return nil
}

// notNative returns the error for a node that the hardware does not have.
func notNative(t *sumtree.Tree, r sumtree.Ref, format string) error {
	return fmt.Errorf("eval: node %d, %s, is not a native operation of %s; use Bits", r, t.Kind(r), format)
}

// fma32 returns x·y + z, rounded once into binary32, to nearest even.
//
// The product is exact in binary64. The sum of two binary64 numbers is rounded to odd: toward zero,
// with the last bit set if anything was lost. Rounding that into binary32, which has 29 bits fewer,
// gives what one rounding of the exact value gives.
func fma32(x, y, z float32) float32 {
	p, c := float64(float64(x)*float64(y)), float64(z)
	s := p + c
	if math.IsNaN(s) || math.IsInf(s, 0) {
		return float32(s)
	}
	t := s - p
	lost := (p - (s - t)) + (c - t)
	if b := math.Float64bits(s); lost != 0 && b&1 == 0 {
		// s is not exact and even: its neighbour on the side of what was lost is odd.
		if (lost > 0) == (s > 0) {
			b++
		} else {
			b--
		}
		s = math.Float64frombits(b)
	}
	return float32(s)
}

// Float64 is Float32 in binary64, with the hardware's fused multiply-add.
func Float64(t *sumtree.Tree, x, scratch []float64) (result float64, grown []float64, err error) {
	if len(x) != t.LeafCount() {
		panic(tooFewValues(t.LeafCount(), len(x)))
	}
	if len(x) == 0 {
		return 0, scratch, nil
	}
	if n := t.NodeCount(); cap(scratch) < n {
		scratch = make([]float64, n)
	}
	v := scratch[:t.NodeCount()]
	nodes, plain := t.Plain()
	if !plain {
		if err := float64Nodes(t, x, v); err != nil {
			return 0, scratch, err
		}
	}
	if plain {
		addNodes(nodes, x, v)
	}
	if r := t.Root(); r.IsLeaf() {
		return x[r.Leaf()], scratch, nil
	}
	return v[t.Root()], scratch, nil
}

// float64Nodes is float32Nodes in binary64.
func float64Nodes(t *sumtree.Tree, x, v []float64) error {
	get := func(r sumtree.Ref) float64 {
		if r >= 0 {
			return v[r]
		}
		return x[^r]
	}
	var buf [2]sumtree.Ref
	for i := range v {
		r := sumtree.Ref(i)
		ops := t.Operands(r, buf[:])
		switch k := t.Kind(r); {
		case k == sumtree.Add:
			v[i] = get(ops[0]) + get(ops[1])
		case k == sumtree.Product:
			v[i] = float64(get(ops[0]) * get(ops[1]))
		case k == sumtree.Fma:
			v[i] = math.FMA(get(ops[0]), get(ops[1]), get(ops[2]))
		case k == sumtree.Round && t.Format(r).Name == "binary64":
			v[i] = get(ops[0])
		default:
			return notNative(t, r, "binary64")
		}
	}
	return nil
}
