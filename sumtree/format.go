package sumtree

import (
	"slices"
	"strconv"
	"strings"
)

// String returns the shortest form that Parse reads: the name of a shape with its leaf count, such
// as lanes/32/1024, if the tree equals that shape, and the tree in parentheses over leaf numbers
// otherwise. If it equals several, the name with the fewest numbers is taken, then that of the
// shape that made the tree. A tree made by a random shape or permutation has that name, unless it was
// parsed from parentheses.
func (t *Tree) String() string {
	if s, ok := t.name(); ok {
		return s
	}
	return t.Explicit()
}

// Explicit returns the tree in parentheses over leaf numbers, which Parse reads too. The empty tree,
// which has no such form, gives its name.
func (t *Tree) Explicit() string {
	if t.leaves == 0 && len(t.nodes) == 0 {
		return t.String()
	}
	w := writer{t: t, top: -1}
	w.push(piece{r: t.root, to: t.root})
	for len(w.stack) > 0 {
		p := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		switch {
		case p.text != "":
			w.WriteString(p.text)
		case p.r < 0:
			w.leaf(p.r)
			if p.to != p.r {
				w.WriteString("..")
				w.leaf(p.to)
			}
		default:
			w.node(p.r)
		}
	}
	if t.leaves != w.top+1 {
		w.WriteString("#" + strconv.Itoa(t.leaves))
	}
	return w.String()
}

// piece is text, a node, a leaf, or a run of leaves from r to to.
type piece struct {
	text  string
	r, to Ref
}

// writer writes a tree in parentheses without recursion.
type writer struct {
	strings.Builder
	t     *Tree
	stack []piece // what is left to write, the next one last
	items []piece
	spine []Ref
	buf   [2]Ref
	top   int // the largest leaf written
}

func (w *writer) push(p ...piece) { w.stack = append(w.stack, p...) }

// leaf writes the number of a leaf.
func (w *writer) leaf(r Ref) {
	w.top = max(w.top, r.Leaf())
	w.WriteString(strconv.Itoa(r.Leaf()))
}

// list writes an opening parenthesis, and pushes operands, of which three or more neighbours become a run, and the closing one.
func (w *writer) list(refs []Ref) {
	w.items = w.items[:0]
	for i := 0; i < len(refs); {
		j := i + 1
		if refs[i] < 0 && j < len(refs) && refs[j] < 0 {
			if d := refs[j] - refs[i]; d == 1 || d == -1 {
				for j < len(refs) && refs[j] < 0 && refs[j]-refs[j-1] == d {
					j++
				}
			}
		}
		if j-i < 3 {
			j = i + 1
		}
		w.items = append(w.items, piece{r: refs[i], to: refs[j-1]})
		i = j
	}
	w.push(piece{text: ")"})
	for i := len(w.items) - 1; i >= 0; i-- {
		w.push(w.items[i])
		if i > 0 {
			w.push(piece{text: " "})
		}
	}
	w.WriteByte('(')
}

// node writes what stands before a node's operands, and pushes those.
func (w *writer) node(r Ref) {
	ref := func(r Ref) piece { return piece{r: r, to: r} }
	t, ops := w.t, w.t.Operands(r, w.buf[:])
	switch k := t.Kind(r); k {
	case Add:
		w.spine = t.spine(r, w.spine[:0])
		w.list(w.spine)
		return
	case Product:
		if right := ops[1]; right >= 0 && t.Kind(right) == Product {
			w.push(piece{text: ")"}, ref(right), piece{text: "("})
		} else {
			w.push(ref(right))
		}
		w.push(piece{text: "*"}, ref(ops[0]))
		return
	case Round:
		w.WriteString(t.Format(r).Name)
	case Fused:
		w.WriteString("fused")
		if a := t.Adder(r).String(); a != "" {
			w.WriteString("{" + a + "}")
		}
	case Opaque:
		w.WriteString("opaque")
		if name := t.Name(r); name != "" {
			w.WriteString(strconv.Quote(name))
		}
	default:
		w.WriteString(k.String())
	}
	w.list(ops)
}

// spine appends to refs the operands of a sum from the left whose last addition is r.
func (t *Tree) spine(r Ref, refs []Ref) []Ref {
	from := len(refs)
	for r >= 0 && t.Kind(r) == Add {
		refs = append(refs, t.nodes[r].R)
		r = t.nodes[r].L
	}
	refs = append(refs, r)
	slices.Reverse(refs[from:])
	return refs
}
