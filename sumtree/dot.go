package sumtree

// form says what the slots of a shape hold.
type form uint8

const (
	formSum form = iota // leaves
	formDot             // rounded products
	formFma             // products, fused into the additions where they can be
)

var formPrefix = [...]string{formSum: "", formDot: "dot:", formFma: "fma:"}

// named is a tree's short name, less its leaf count.
type named struct {
	form  form
	shape Shape
}

// tree returns the tree that the name stands for, with n terms.
func (nm named) tree(n int) *Tree {
	switch nm.form {
	case formDot:
		return nm.shape.DotTree(n)
	case formFma:
		return nm.shape.FmaTree(n)
	}
	return nm.shape.Tree(n)
}

// DotTree returns the schedule of a dot product of n terms whose products are rounded and then
// added as Tree(n) adds leaves. Leaf slots 0 to n-1 are x, slots n to 2n-1 are y.
func (s Shape) DotTree(n int) *Tree {
	t := dot(s.Tree(checkTerms(n)), false)
	t.origin = &named{formDot, s}
	return t
}

// FmaTree is DotTree with every addition of a product made a fused multiply-add. Where both
// operands of an addition are products the left one is rounded first and the right one fused, so
// that left gives fma(x2,y2, fma(x1,y1, x0·y0)).
func (s Shape) FmaTree(n int) *Tree {
	t := dot(s.Tree(checkTerms(n)), true)
	t.origin = &named{formFma, s}
	return t
}

func checkTerms(n int) int {
	if n < 0 || n > maxRef/2 {
		panic(badLeafCount(2 * n))
	}
	return n
}

// dot replaces each leaf i of a tree of additions by x_i·y_i.
func dot(sum *Tree, fuse bool) *Tree {
	n := sum.leaves
	t := &Tree{leaves: 2 * n, root: LeafRef(0)}
	if n == 0 {
		return t
	}
	t.nodes = make([]Node, 0, 2*n-1)
	t.kinds = make([]Kind, 0, 2*n-1)
	put := func(k Kind, l, r Ref) Ref {
		t.nodes = append(t.nodes, Node{l, r})
		t.kinds = append(t.kinds, k)
		return Ref(len(t.nodes) - 1)
	}
	product := func(r Ref) Ref { return put(Product, r, LeafRef(r.Leaf()+n)) }
	fma := func(x, z Ref) Ref {
		from := int32(len(t.kids))
		t.kids = append(t.kids, x, LeafRef(x.Leaf()+n), z)
		t.spans = append(t.spans, span{from, from + 3})
		return put(Fma, Ref(len(t.spans)-1), 0)
	}
	if sum.root < 0 {
		t.root = product(sum.root)
		return t
	}
	at := make([]Ref, len(sum.nodes)) // where each node went
	for i, nd := range sum.nodes {
		l, r := nd.L, nd.R
		if l >= 0 {
			l = at[l]
		}
		if r >= 0 {
			r = at[r]
		}
		switch {
		case fuse && r < 0:
			if l < 0 {
				l = product(l)
			}
			at[i] = fma(r, l)
		case fuse && l < 0:
			at[i] = fma(l, r)
		default:
			if l < 0 {
				l = product(l)
			}
			if r < 0 {
				r = product(r)
			}
			at[i] = put(Add, l, r)
		}
	}
	t.root = at[sum.root]
	return t
}
