package formulas

import (
	"slices"

	"gamma/corpus"
	"gamma/model/formula"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
)

// An integer input that a formula looks elements up by is drawn about the axis that these lie along: of all integers of 32 bits hardly one is inside, or next to its ends.

// guidesOf returns, by the names of integer inputs, the axes along which formulas look elements up by an index that such an input is, or is computed from by
// integer arithmetic.
func guidesOf(list []*formula.Expr) map[string][]string {
	guides := map[string][]string{}
	for _, f := range list {
		for _, e := range f.Nodes() {
			if n := e.Node(); n.Op == formula.OpGather {
				guide(n.Args[1], n.Axes[0], map[*formula.Expr]bool{}, guides)
			}
		}
	}
	return guides
}

// guide notes that the integer inputs in e are an index along axis. A count, a place or a comparison is no arithmetic: what it counts is no index; and what a look-up inside takes as
// its index is that one's.
func guide(e *formula.Expr, axis string, seen map[*formula.Expr]bool, guides map[string][]string) {
	n := e.Node()
	args := n.Args
	switch {
	case seen[e] || !e.Type().Int:
		return
	case n.Op == formula.OpInput:
		if !slices.Contains(guides[n.Name], axis) {
			guides[n.Name] = append(guides[n.Name], axis)
		}
		return
	case n.Op == formula.OpGather:
		args = []*formula.Expr{args[0], args[2]}
	case n.Op.Class() != formula.Elementwise && n.Op.Class() != formula.Layout:
		return
	}
	seen[e] = true
	for _, a := range args {
		guide(a, axis, seen, guides)
	}
}

// guideSize returns the size of one of the axes that input i of c is an index along, which pick chooses; ok is false if there is none.
func (r *run) guideSize(c *corpus.Arrays, i int, pick func(n int) int) (size int, ok bool) {
	axes := r.guides[c.Inputs[i].Name]
	if len(axes) == 0 {
		return 0, false
	}
	axis := axes[pick(len(axes))]
	if size, ok = c.Size(axis); ok {
		return size, true
	}
	sizes, err := r.allSizes(c)
	size, ok = sizes[axis]
	return size, ok && err == nil
}

// fillWhole fills input i of c with integers or truth values: of an index now and then any, and else some about its axis.
func (r *run) fillWhole(c *corpus.Arrays, i int, rng *draw.Splitmix) {
	a := &c.Inputs[i]
	if size, ok := r.guideSize(c, i, rng.Below); ok && rng.Below(8) > 0 {
		fillIndices(a, int64(size), rng)
		return
	}
	fillWhole(a, rng)
}

// fillIndices fills an array with indices along an axis of n elements: places next to its ends, where an index that counts from the end begins, and the type's ends; any inside; one and the
// same; an ascending run, a descending one, another permutation; one about an end among others inside; and what a fault takes for one inside: some that n, or a power of two
// that a narrower integer wraps at, lies between.
func fillIndices(a *corpus.Array, n int64, rng *draw.Splitmix) {
	lo, hi := wholeRange(a)
	length := uint64(max(n, 1))
	inside := func() int64 { return int64(rng.Next() % length) }
	ends := [...]int64{-n - 1, -n, -1, 0, 1, n - 2, n - 1, n, n + 1, lo, hi}
	wraps := [...]int64{-n, n, 1 << 8, 1 << 16, -1 << 8, -1 << 16, 1 << 32}
	way, place, same, step := rng.Below(8), rng.Below(max(1, len(a.Bits))), inside(), uint64(inside())|1
	for gcd(step, length) > 1 {
		step += 2
	}
	for i := range a.Bits {
		v := inside()
		switch end := ends[rng.Below(len(ends))]; way {
		case 0:
			v = end
		case 1:
			v = same
		case 2:
			v = int64(uint64(i) % length)
		case 3:
			v = n - 1 - int64(uint64(i)%length)
		case 4:
			v = int64((uint64(same) + uint64(i)%length*step) % length)
		case 5:
			if i == place {
				v = end
			}
		case 6:
			v += wraps[rng.Below(len(wraps))]
		}
		a.Bits[i] = uint64(max(lo, min(hi, v)))
	}
}

// gcd returns the greatest common divisor of a and b.
func gcd(a, b uint64) uint64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// decodeIndex makes an index along an axis of n elements of bytes: of four of them three are inside, or one or two places beyond an end or the first place counted from the end.
func decodeIndex(a *corpus.Array, n int, b *engine.Decoder) uint64 {
	w := int64(b.Word(2))
	if w >= 3<<14 {
		return element(a.Type, b)
	}
	lo, hi := wholeRange(a)
	return uint64(max(lo, min(hi, w%int64(2*n+5)-int64(n+2))))
}
