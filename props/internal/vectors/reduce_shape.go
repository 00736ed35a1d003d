package vectors

import (
	"slices"

	"gamma/props/internal/reduce"
	"gamma/sumtree"
)

// crop looks for a part of each row that fails by itself: the first or the last leaves, the shortest part first, or what is left without some
// chunks. It reports whether the case got smaller.
func (r *reducer) crop() bool {
	before := r.Accepted
	_, named := treeOfLength(r.Cur.meta.Tree, 0)
	_, written := r.Cur.writtenOut()
	base, cols := r.Cur, r.Cur.perRow(r.Cur.n)
	if !named && !written || base.n != base.rows()*cols {
		return false
	}
	r.Ends(cols, func(lo, hi int) (draft, bool) {
		if lo > 0 {
			return base.withoutColumns(0, lo)
		}
		return base.withoutColumns(hi, cols)
	})
	r.Chunks(func() int { return r.Cur.perRow(r.Cur.n) }, func(lo, hi int) (draft, bool) { return r.Cur.withoutColumns(lo, hi) })
	return r.Accepted != before
}

// withoutColumns returns d without the leaves from lo to hi-1 of each row.
func (d *draft) withoutColumns(lo, hi int) (draft, bool) {
	if t, ok := d.writtenOut(); ok {
		drop := make([]bool, d.n)
		for i := lo; i < hi; i++ {
			drop[i] = true
		}
		return d.without(t, drop), true
	}
	old, out := d.perRow(d.n), *d
	cols := old - (hi - lo)
	out.leaves = make([]draftLeaf, 0, len(d.leaves))
	for _, l := range d.leaves {
		row, col := l.at/old, l.at%old
		switch {
		case col >= hi:
			col -= hi - lo
		case col >= lo:
			continue
		}
		l.at = row*cols + col
		out.leaves = append(out.leaves, l)
	}
	return out, out.resized(d.rows() * cols)
}

// oneRow leaves one row, or as few as it can.
func (r *reducer) oneRow() {
	base, cols := r.Cur, r.Cur.perRow(r.Cur.n)
	if _, named := treeOfLength(base.meta.Tree, 0); !named || base.n != base.rows()*cols {
		return
	}
	failing := 0
	if len(base.leaves) > 0 && cols > 0 {
		failing = base.leaves[0].at / cols
	}
	r.Rows(base.rows(), failing, func(drop []bool) draft {
		d, place := base, make([]int, len(drop)) // in the result
		d.leaves, d.meta.Rows = nil, 0
		for i, dropped := range drop {
			if place[i] = d.meta.Rows; !dropped {
				d.meta.Rows++
			}
		}
		for _, l := range base.leaves {
			if row := l.at / cols; !drop[row] {
				l.at -= (row - place[row]) * cols
				d.leaves = append(d.leaves, l)
			}
		}
		if d.n = d.meta.Rows * cols; d.meta.Rows == 1 {
			d.meta.Rows = 0
		}
		return d
	})
}

// fewerColumns removes columns from the end of several rows that are +0 in each.
func (r *reducer) fewerColumns() {
	base, cols := r.Cur, r.Cur.perRow(r.Cur.n)
	if base.rows() == 1 || base.n != base.rows()*cols {
		return
	}
	r.Lower(0, cols, func(v int) (draft, bool) {
		d, ok := base.withoutColumns(v, cols)
		return d, ok && len(d.leaves) == len(base.leaves)
	})
}

// shorten removes leaves and moves those that count towards the front.
func (r *reducer) shorten() {
	if _, ok := treeOfLength(r.Cur.meta.Tree, 0); !ok || r.Cur.rows() > 1 {
		r.prune()
		return
	}
	for before := -1; before != r.Accepted && !r.Done(); {
		before = r.Accepted
		if r.compact(true) { // only what counts is left
			return
		}
		if !r.compact(false) {
			for i := 0; i < len(r.Cur.leaves) && !r.Done(); i++ {
				r.narrowGap(i, false)
			}
		}
		r.narrowGap(len(r.Cur.leaves), true)
		r.closeGaps()
		for i := 0; i <= len(r.Cur.leaves) && !r.Done(); i++ {
			r.narrowGap(i, true)
		}
		for !r.Done() && r.Cur.n > 1 {
			if d, ok := r.Cur.halved(); !ok || !r.Try(d) {
				break
			}
		}
		if r.Cur.n <= 1 || len(r.Cur.leaves) == 0 {
			return
		}
	}
}

// narrowGap makes gap i smaller.
func (r *reducer) narrowGap(i int, remove bool) {
	base := r.Cur
	r.Squeeze(base.gap(i), func(v int) (draft, bool) { return base.withGap(i, v, remove) })
}

// prune removes +0 leaves from a case whose tree is written out, and from its tree. The tree that is
// left may be one that has a name.
func (r *reducer) prune() {
	base := r.Cur
	t, ok := base.writtenOut()
	if !ok {
		return
	}
	var zeros []int
	for i, from := 0, 0; i <= len(base.leaves); i++ {
		for at := from; at < from+base.gap(i); at++ {
			zeros = append(zeros, at)
		}
		if i < len(base.leaves) {
			from = base.leaves[i].at + 1
		}
	}
	reduce.Change(r.Loop, zeros, reduce.PhaseMisses, func(some []int) draft {
		drop := make([]bool, base.n)
		for _, at := range some {
			drop[at] = true
		}
		return base.without(t, drop)
	})
}

// writtenOut returns the tree of a case that has one in parentheses, if it adds one leaf a place.
func (d *draft) writtenOut() (*sumtree.Tree, bool) {
	if _, ok := treeOfLength(d.meta.Tree, 0); ok || d.rows() > 1 {
		return nil, false
	}
	t, err := sumtree.Parse(d.meta.Tree)
	if err != nil || t.LeafCount() != d.n {
		return nil, false
	}
	_, plain := t.Plain()
	return t, plain
}

// without returns d without the leaves marked; in its tree t, which is one of additions, what was
// added to them stands alone.
func (d *draft) without(t *sumtree.Tree, drop []bool) draft {
	out := *d
	out.leaves = make([]draftLeaf, 0, len(d.leaves))
	place := make([]int, d.n) // in the result
	out.n = 0
	for i, dropped := range drop {
		if place[i] = out.n; !dropped {
			out.n++
		}
	}
	for _, l := range d.leaves {
		if !drop[l.at] {
			l.at = place[l.at]
			out.leaves = append(out.leaves, l)
		}
	}

	type operand struct {
		ref  sumtree.Ref
		gone bool
	}
	var b sumtree.Builder
	b.Leaves(out.n)
	nodes, _ := t.Plain()
	made := make([]operand, 0, len(nodes))
	get := func(r sumtree.Ref) operand {
		if !r.IsLeaf() {
			return made[r]
		}
		if i := r.Leaf(); i < len(drop) && !drop[i] {
			return operand{ref: b.Leaf(place[i])}
		}
		return operand{gone: true}
	}
	for _, nd := range nodes {
		left, right := get(nd.L), get(nd.R)
		switch {
		case left.gone:
			left = right
		case !right.gone:
			left = operand{ref: b.Add(left.ref, right.ref)}
		}
		made = append(made, left)
	}
	out.meta.Tree = sumtree.Left().Tree(out.n).String()
	if root := get(t.Root()); !root.gone {
		if tree, err := b.Build(root.ref); err == nil {
			out.meta.Tree = tree.String()
		}
	}
	return out
}

// compact moves all leaves that are not +0 to the front, and cuts the rest off or keeps the length.
// It reports whether the current draft has that form now.
func (r *reducer) compact(cut bool) bool {
	d := r.Cur
	k := len(d.leaves)
	d.leaves = slices.Clone(d.leaves)
	for i := range d.leaves {
		d.leaves[i].at = i
	}
	if cut {
		d.resized(k)
	}
	if d.n == r.Cur.n && (k == 0 || r.Cur.leaves[k-1].at == k-1) {
		return true
	}
	return r.Try(d)
}

// withGap returns d with v leaves +0 in gap i: leaves are removed, or stand after the last.
func (d *draft) withGap(i, v int, remove bool) (draft, bool) {
	out := *d
	out.leaves = slices.Clone(d.leaves)
	off := d.gap(i) - v
	for j := i; j < len(out.leaves); j++ {
		out.leaves[j].at -= off
	}
	return out, v >= 0 && (!remove || out.resized(d.n-off))
}

// closeGaps removes the +0 leaves of as many gaps as it can.
func (r *reducer) closeGaps() {
	base := r.Cur
	var gaps []int
	for i := range len(base.leaves) + 1 {
		if base.gap(i) > 0 {
			gaps = append(gaps, i)
		}
	}
	reduce.Change(r.Loop, gaps, reduce.PhaseMisses, func(some []int) draft {
		d := base
		for _, i := range some {
			d, _ = d.withGap(i, 0, true)
		}
		return d
	})
}

// halved returns d with every place and the length divided by two.
func (d *draft) halved() (draft, bool) {
	out := *d
	out.leaves = slices.Clone(d.leaves)
	for i := range out.leaves {
		if out.leaves[i].at /= 2; i > 0 && out.leaves[i].at == out.leaves[i-1].at {
			return out, false
		}
	}
	n := d.n / 2
	if k := len(out.leaves); k > 0 && out.leaves[k-1].at >= n {
		return out, false
	}
	return out, out.resized(n)
}
