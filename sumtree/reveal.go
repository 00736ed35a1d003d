package sumtree

import (
	"fmt"
	"slices"
)

// Reveal returns the tree by which sum adds n numbers, in the form of Sorted, found by calls alone:
// between n-1 and n(n-1)/2 of them.
//
// With 2^127 in leaf i, -2^127 in leaf j and ones elsewhere, the first of the two big terms swamps
// every one that it meets before the other cancels it: what comes out counts the leaves outside
// the least subtree that holds both. From those counts for one leaf follow its neighbours on the
// way to the root, and each neighbour is a smaller problem of the same kind. Operands that meet in
// one addition of more than two terms come out as an AnyOrder node.
//
// Domain: n <= 2^24, so that counts are exact. sum must add in binary32 or wider, in an order that
// does not depend on the values, and neither flush nor compensate.
// Error:  counts that no tree gives, as from exact or compensated sums, are an error. A tree may
// still be wrong, or right with other roundings than plain additions have: replay it on
// random data before you believe it.
// Source: [FPRev 2025] for the idea.
func Reveal(n int, sum func([]float32) float32) (*Tree, error) {
	return RevealScaled(n, 0x1p127, 1, 1<<24, sum)
}

// RevealScaled is Reveal with other numbers in the place of 2^127 and 1, for narrow formats: limit
// multiples of unit must be exact, and their sum must vanish beside mask. For binary16, mask 2^15,
// unit 2^-24 and limit 2^11 will do, if subnormals are kept.
func RevealScaled(n int, mask, unit float32, limit int, sum func([]float32) float32) (*Tree, error) {
	switch {
	case n < 0:
		return nil, fmt.Errorf("sumtree: cannot reveal a tree of %d leaves", n)
	case n > limit:
		return nil, fmt.Errorf("sumtree: cannot reveal a tree of %d leaves: counts are exact to %d", n, limit)
	case n < 2:
		return Left().Tree(n), nil
	}
	p := prober{n: n, mask: mask, unit: unit, sum: sum, x: make([]float32, n)}
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	root, err := p.reveal(all)
	if err != nil {
		return nil, fmt.Errorf("sumtree: %w", err)
	}
	return p.b.Build(root)
}

type prober struct {
	n          int
	mask, unit float32
	sum        func([]float32) float32
	x          []float32
	b          Builder
}

// under returns how many leaves the least subtree with leaves i and j has.
func (p *prober) under(i, j int32) (int, error) {
	for k := range p.x {
		p.x[k] = p.unit
	}
	p.x[i], p.x[j] = p.mask, -p.mask
	count := p.sum(p.x) / p.unit
	c := int(count)
	if float32(c) != count || c < 0 || c > p.n-2 {
		return 0, fmt.Errorf("masking leaves %d and %d leaves %v of the other %d: no count, so not one tree of plain additions", i, j, count, p.n-2)
	}
	return p.n - c, nil
}

// side is a set of leaves that hang at one node on the way of a leaf to the root.
type side struct {
	under   int     // leaves below the node
	members []int32 // in increasing order
}

// path is the way of one leaf up, as far as it is built.
type path struct {
	limit int     // leaves below the node where the way ends
	first int32   // the leaf
	sides []side  // from the leaf upwards
	rest  []int32 // members of other operands of the node where the way ends
	acc   Ref     // what is built
	kids  []Ref   // operands of the node that is being built
}

// probe finds the way of the least leaf of set up to the node below which limit leaves are.
func (p *prober) probe(set []int32, limit int) (path, error) {
	first := set[0]
	w := path{limit: limit, first: first, acc: LeafRef(int(first))}
	type probed struct {
		under int
		leaf  int32
	}
	found := make([]probed, 0, len(set)-1)
	for _, j := range set[1:] {
		u, err := p.under(first, j)
		if err != nil {
			return w, err
		}
		if u > limit {
			return w, fmt.Errorf("leaves %d and %d meet above %d leaves, though both hang below a node of %d: not one tree", first, j, u, limit)
		}
		found = append(found, probed{u, j})
	}
	slices.SortStableFunc(found, func(a, b probed) int { return a.under - b.under })
	for k, f := range found {
		set[k+1] = f.leaf
	}
	count := 1
	for k := 0; k < len(found); {
		end := k
		for end < len(found) && found[end].under == found[k].under {
			end++
		}
		members := set[k+1 : end+1 : end+1]
		if found[k].under == limit {
			w.rest = members
			break
		}
		if count += len(members); count != found[k].under {
			return w, fmt.Errorf("leaf %d meets %d leaves where there should be %d: not one tree of plain additions", first, found[k].under, count)
		}
		w.sides = append(w.sides, side{found[k].under, members})
		k = end
	}
	return w, nil
}

// reveal returns the subtree over all leaves. It keeps its own stack.
func (p *prober) reveal(all []int32) (Ref, error) {
	top, err := p.probe(all, p.n+1)
	if err != nil {
		return 0, err
	}
	stack := []path{top}
	for {
		w := &stack[len(stack)-1]
		if len(w.sides) > 0 {
			s := w.sides[0]
			w.kids = append(w.kids[:0], w.acc)
			next, err := p.probe(s.members, s.under)
			if err != nil {
				return 0, err
			}
			stack = append(stack, next)
			continue
		}
		done := *w
		stack = stack[:len(stack)-1]
		if len(stack) == 0 {
			return done.acc, nil
		}
		up := &stack[len(stack)-1]
		up.kids = append(up.kids, done.acc)
		if len(done.rest) > 0 {
			next, err := p.probe(done.rest, done.limit)
			if err != nil {
				return 0, err
			}
			stack = append(stack, next)
			continue
		}
		if len(up.kids) == 2 {
			up.acc = p.b.Add(up.kids[0], up.kids[1])
		} else {
			up.acc = p.b.AnyOrder(up.kids...)
		}
		up.sides = up.sides[1:]
	}
}
