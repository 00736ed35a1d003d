package sumtree

import (
	"slices"
	"strconv"
	"strings"
)

// String returns the shortest form that Parse reads: the name of a shape with its leaf count, such
// as lanes/32/1024, if the tree equals that shape, and the tree in parentheses over leaf numbers
// otherwise. If it equals several, the name with the fewest numbers is taken, then that of the
// shape that made the tree. What a random shape or permutation made is known by that name; once
// parsed from parentheses it is not.
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
	// What is left to write, the next last: text, a leaf or node, or a run of leaves.
	type piece struct {
		text string
		r    Ref
		to   Ref // end of the run that starts at r, if it differs from r
	}
	var (
		b     strings.Builder
		stack []piece
		items []piece
		buf   [2]Ref
		top   = -1
	)
	ref := func(r Ref) piece { return piece{r: r, to: r} }
	list := func(refs []Ref) {
		items = items[:0]
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
			items = append(items, piece{r: refs[i], to: refs[j-1]})
			i = j
		}
		stack = append(stack, piece{text: ")"})
		for i := len(items) - 1; i >= 0; i-- {
			stack = append(stack, items[i])
			if i > 0 {
				stack = append(stack, piece{text: " "})
			}
		}
		b.WriteByte('(')
	}
	number := func(r Ref) {
		top = max(top, r.Leaf())
		b.WriteString(strconv.Itoa(r.Leaf()))
	}
	var spine []Ref
	stack = append(stack, ref(t.root))
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case p.text != "":
			b.WriteString(p.text)
			continue
		case p.r < 0:
			number(p.r)
			if p.to != p.r {
				b.WriteString("..")
				number(p.to)
			}
			continue
		}
		ops := t.Operands(p.r, buf[:])
		switch k := t.Kind(p.r); k {
		case Add:
			spine = t.spine(p.r, spine[:0])
			list(spine)
			continue
		case Product:
			if right := ops[1]; right >= 0 && t.Kind(right) == Product {
				stack = append(stack, piece{text: ")"}, ref(right), piece{text: "("})
			} else {
				stack = append(stack, ref(right))
			}
			stack = append(stack, piece{text: "*"}, ref(ops[0]))
			continue
		case Round:
			b.WriteString(t.Format(p.r).Name)
		case Fused:
			b.WriteString("fused")
			if a := t.Adder(p.r).String(); a != "" {
				b.WriteString("{" + a + "}")
			}
		case Opaque:
			b.WriteString("opaque")
			if name := t.Name(p.r); name != "" {
				b.WriteString(strconv.Quote(name))
			}
		default:
			b.WriteString(k.String())
		}
		list(ops)
	}
	if t.leaves != top+1 {
		b.WriteString("#" + strconv.Itoa(t.leaves))
	}
	return b.String()
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
