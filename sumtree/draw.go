package sumtree

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// extent is what a folded drawing shows of each node: the number of leaves below it, with
// repetitions, and its height.
type extent struct{ leaves, height int32 }

func (t *Tree) extents() []extent {
	ext := make([]extent, len(t.nodes))
	var buf [2]Ref
	for i := range t.nodes {
		e := extent{}
		for _, o := range t.Operands(Ref(i), buf[:]) {
			if o < 0 {
				e.leaves++
				continue
			}
			e.leaves += ext[o].leaves
			e.height = max(e.height, ext[o].height)
		}
		e.height += t.roundings(Ref(i))
		ext[i] = e
	}
	return ext
}

// counted returns "1 leaf" or "n leaves".
func counted(n int) string {
	if n == 1 {
		return "1 leaf"
	}
	return strconv.Itoa(n) + " leaves"
}

// label returns what node r is called in drawings.
func (t *Tree) label(r Ref) string {
	switch k := t.Kind(r); k {
	case Add:
		return "+"
	case Product:
		return "×"
	case Round:
		return t.Format(r).Name
	case Fused:
		return "fused{" + t.Adder(r).String() + "}"
	case Opaque:
		return "opaque" + strconv.Quote(t.Name(r))
	default:
		return k.String()
	}
}

// part is the content of one line of a text drawing: a node, or a row of leaves.
type part struct {
	r      Ref
	leaves []Ref
}

// parts returns what the node r adds or takes, from the left: a sum from the left, as long as its
// left operand is the larger, as one row of terms, neighbouring leaves together.
func (t *Tree) parts(r Ref, ext []extent) []part {
	var buf [2]Ref
	ops := t.Operands(r, buf[:])
	if t.Kind(r) == Add {
		size := func(r Ref) int32 {
			if r < 0 {
				return 1
			}
			return ext[r].leaves
		}
		ops = []Ref{ops[1], ops[0]}
		for l := ops[1]; l >= 0 && t.Kind(l) == Add && size(l) > size(ops[len(ops)-2]); l = ops[len(ops)-1] {
			ops = append(ops[:len(ops)-1], t.nodes[l].R, t.nodes[l].L)
		}
		slices.Reverse(ops)
	}
	var out []part
	for _, o := range ops {
		if o < 0 && len(out) > 0 && out[len(out)-1].leaves != nil {
			last := &out[len(out)-1]
			last.leaves = append(last.leaves, o)
			continue
		}
		p := part{r: o}
		if o < 0 {
			p.leaves = []Ref{o}
		}
		out = append(out, p)
	}
	return out
}

// rowWidth is the most characters of a row of leaves.
const rowWidth = 60

// row returns leaves in a row, with runs as a..b, truncated if it is too long.
func row(leaves []Ref) string {
	var b strings.Builder
	for i := 0; i < len(leaves); {
		j := i + 1
		for j < len(leaves) && leaves[j] == leaves[j-1]-1 {
			j++
		}
		if j-i < 3 {
			j = i + 1
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		if b.Len() > rowWidth {
			fmt.Fprintf(&b, "… %d (%d leaves)", leaves[len(leaves)-1].Leaf(), len(leaves))
			break
		}
		b.WriteString(strconv.Itoa(leaves[i].Leaf()))
		if j-i > 1 {
			b.WriteString(".." + strconv.Itoa(leaves[j-1].Leaf()))
		}
		i = j
	}
	return b.String()
}

// WriteText draws t in about maxLines lines at most: a line that names the tree, then the root, with
// each node above its operands. A sum from the left whose left operand is the larger is drawn as one
// node with several operands, neighbouring leaves share a line, and subtrees that do not fit are
// replaced by their sizes.
func (t *Tree) WriteText(w io.Writer, maxLines int) error {
	b := bufio.NewWriter(w)
	name, named := t.name()
	if !named {
		name = "tree"
	}
	fmt.Fprintf(b, "%s: %s, height %d\n", name, counted(t.leaves), t.Height())
	switch {
	case t.root < 0 && t.leaves > 0:
		fmt.Fprintf(b, "%d\n", t.root.Leaf())
		fallthrough
	case t.root < 0:
		return b.Flush()
	}
	ext := t.extents()
	open := t.unfold(maxLines-2, ext)
	type line struct {
		prefix, branch string
		p              part
		more           int // operands left out here
	}
	stack := []line{{p: part{r: t.root}}}
	for len(stack) > 0 {
		l := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		b.WriteString(l.prefix + l.branch)
		switch {
		case l.more > 0:
			fmt.Fprintf(b, "… %d more operands\n", l.more)
			continue
		case l.p.leaves != nil:
			b.WriteString(row(l.p.leaves) + "\n")
			continue
		}
		parts, isOpen := open[l.p.r]
		b.WriteString(t.label(l.p.r))
		switch {
		case !isOpen:
			fmt.Fprintf(b, " … %s, height %d\n", counted(int(ext[l.p.r].leaves)), ext[l.p.r].height)
			continue
		case len(parts) == 1 && parts[0].leaves != nil:
			b.WriteString(" " + row(parts[0].leaves) + "\n")
			continue
		}
		b.WriteByte('\n')
		prefix := l.prefix
		switch l.branch {
		case "├─ ":
			prefix += "│  "
		case "└─ ":
			prefix += "   "
		}
		shown := parts
		if len(parts) > mostParts {
			shown = parts[:mostParts]
		}
		lines := make([]line, 0, len(shown)+1)
		for _, p := range shown {
			lines = append(lines, line{prefix: prefix, branch: "├─ ", p: p})
		}
		if more := len(parts) - len(shown); more > 0 {
			lines = append(lines, line{prefix: prefix, branch: "├─ ", more: more})
		}
		lines[len(lines)-1].branch = "└─ "
		slices.Reverse(lines)
		stack = append(stack, lines...)
	}
	return b.Flush()
}

// mostParts is how many operands of one node a text drawing shows.
const mostParts = 16

// unfold returns the nodes that a drawing of room lines shows with their operands, the ones nearest
// to the root first.
func (t *Tree) unfold(room int, ext []extent) map[Ref][]part {
	open := map[Ref][]part{}
	queue := []Ref{t.root}
	for len(queue) > 0 {
		r := queue[0]
		queue = queue[1:]
		parts := t.parts(r, ext)
		inline := len(parts) == 1 && parts[0].leaves != nil
		need := min(len(parts), mostParts+1)
		if inline {
			need = 0
		}
		if need > room {
			continue
		}
		room -= need
		open[r] = parts
		for _, p := range parts[:min(len(parts), mostParts)] {
			if p.leaves == nil {
				queue = append(queue, p.r)
			}
		}
	}
	return open
}
