package sumtree

import (
	"strconv"
	"strings"
)

// text returns the name for n terms.
func (nm named) text(n int) string {
	return formPrefix[nm.form] + nm.shape.String() + "/" + strconv.Itoa(n)
}

// cost orders names by how many numbers and suffixes they have.
func (nm named) cost() int {
	s := nm.shape.String()
	return strings.Count(s, "/") + strings.Count(s, "@")
}

// name returns the short name of t with the fewest numbers: its origin's, or one of a shape without
// a seed that gives the same tree; the first in the order of candidates if several do.
func (t *Tree) name() (string, bool) {
	best, found := named{}, false
	propose := func(nm named) {
		if !found || nm.cost() < best.cost() {
			best, found = nm, true
		}
	}
	fm, terms := t.terms()
	if terms == nil {
		return "", false
	}
	n := terms.leaves
	if t.origin != nil {
		propose(*t.origin)
	}
	if n < 2 {
		propose(named{fm, Left()})
		return best.text(n), true
	}
	height := terms.Height()
	for _, o := range []order{inOrder, reversed} {
		for _, s := range candidates(terms, o) {
			s.order = o
			nm := named{fm, s}
			if found && nm.cost() >= best.cost() || s.family != famNumpy && s.Height(n) != height {
				continue
			}
			if nm.tree(n).Equal(t) {
				propose(nm)
			}
		}
	}
	if !found {
		return "", false
	}
	return best.text(n), true
}

// terms returns t as a tree of additions over terms: t itself if it is plain, and with products
// x_i·y_i for terms if it is a dot product in the convention of DotTree or FmaTree; nil otherwise.
// Fused additions lose the order of their operands, which the caller compares afterwards.
func (t *Tree) terms() (form, *Tree) {
	if t.kinds == nil {
		if len(t.nodes) != max(t.leaves-1, 0) {
			return formSum, nil
		}
		return formSum, t
	}
	n := t.leaves / 2
	if t.leaves%2 != 0 {
		return formSum, nil
	}
	fm := formDot
	out := &Tree{leaves: n}
	at := make([]Ref, len(t.nodes))
	var buf [2]Ref
	for i := range t.nodes {
		ops := t.Operands(Ref(i), buf[:])
		k := t.kinds[i]
		switch k {
		case Product, Fma:
			if ops[0] >= 0 || ops[0].Leaf() >= n || ops[1] != LeafRef(ops[0].Leaf()+n) {
				return fm, nil
			}
			if k == Product {
				at[i] = ops[0]
				continue
			}
			fm = formFma
			if ops[2] < 0 {
				return fm, nil
			}
			out.nodes = append(out.nodes, Node{at[ops[2]], ops[0]})
		case Add:
			if ops[0] < 0 || ops[1] < 0 {
				return fm, nil
			}
			out.nodes = append(out.nodes, Node{at[ops[0]], at[ops[1]]})
		default:
			return fm, nil
		}
		at[i] = Ref(len(out.nodes) - 1)
	}
	out.root = at[t.root]
	if len(out.nodes) != n-1 {
		return fm, nil
	}
	return fm, out
}

// candidates returns the shapes that a tree of additions may have, judged by the neighbours that
// its first leaf meets.
func candidates(t *Tree, o order) []Shape {
	n := t.leaves
	slot := func(r Ref) Ref {
		if r < 0 && o == reversed {
			return LeafRef(n - 1 - r.Leaf())
		}
		return r
	}
	// The path of the leaf in slot 0 up to the root, in evaluation order.
	at := LeafRef(0)
	step, run, counting := 0, 0, true
	for i, nd := range t.nodes {
		l, r := slot(nd.L), slot(nd.R)
		if r == at {
			l, r = r, l
		}
		if l != at {
			continue
		}
		if at == LeafRef(0) && r < 0 {
			step = r.Leaf()
		}
		if counting = counting && r == LeafRef(run+1); counting {
			run++
		}
		at = Ref(i)
	}
	out := []Shape{
		Left(), Right(), Pairwise(1), Numpy(), Halving(),
		Pairwise(run + 1), Pairwise(run + 2), Blocked(run + 1),
	}
	pow2 := func(w int) bool { return w > 0 && w&(w-1) == 0 }
	if step > 0 {
		out = append(out, Lanes(step))
	}
	out = append(out, Chunks(ceilDiv(n, run+1)))
	for _, w := range []int{step, 1 << ceilLog2(n)} {
		if pow2(w) {
			out = append(out, ShuffleXor(w))
		}
	}
	out = append(out, Kary(max(run+1, 2)))
	for w := 2; w <= step && step%w == 0; w *= 2 {
		out = append(out, Simd(w, step))
	}
	if w := 2 * step; pow2(w) {
		out = append(out, Simd(w, ceilDiv(n, w)*w))
	}
	return out
}
