package sumtree

import (
	"bufio"
	"container/heap"
	"fmt"
	"html"
	"io"
)

// The measures of a drawing, in pixels.
const (
	svgSlot   = 30 // width of a leaf
	svgLevel  = 44 // from a node to its operands
	svgMargin = 24
	svgRadius = 11
)

// svgStyle colours nodes by their kind.
const svgStyle = `text{font:11px sans-serif;text-anchor:middle;dominant-baseline:central}` +
	`.edge{stroke:#888;fill:none}.leaf{fill:#333}.fold{fill:#eee;stroke:#888}.node{stroke:#333}` +
	`.add{fill:#cfe3ff}.product{fill:#ffe1b8}.fma{fill:#ffd0d0}.round{fill:#e6d5ff}.fused{fill:#c9f0d2}` +
	`.any{fill:#fff3b0}.opaque{fill:#ccc}`

// bySize is a heap of nodes with the most leaves first.
type bySize struct {
	refs []Ref
	ext  []extent
}

func (h *bySize) Len() int { return len(h.refs) }
func (h *bySize) Less(i, j int) bool {
	a, b := h.ext[h.refs[i]].leaves, h.ext[h.refs[j]].leaves
	return a > b || a == b && h.refs[i] > h.refs[j]
}
func (h *bySize) Swap(i, j int) { h.refs[i], h.refs[j] = h.refs[j], h.refs[i] }
func (h *bySize) Push(x any)    { h.refs = append(h.refs, x.(Ref)) }
func (h *bySize) Pop() any {
	r := h.refs[len(h.refs)-1]
	h.refs = h.refs[:len(h.refs)-1]
	return r
}

// unfoldLargest returns the nodes that a drawing with at most most leaves and folded subtrees shows
// with their operands, the largest first.
func (t *Tree) unfoldLargest(most int, ext []extent) map[Ref]bool {
	open := map[Ref]bool{}
	h := &bySize{ext: ext}
	if t.root >= 0 {
		heap.Push(h, t.root)
	}
	var buf [2]Ref
	for shown := 1; h.Len() > 0; {
		r := heap.Pop(h).(Ref)
		ops := t.Operands(r, buf[:])
		if shown+len(ops)-1 > most {
			continue
		}
		shown += len(ops) - 1
		open[r] = true
		for _, o := range ops {
			if o >= 0 {
				heap.Push(h, o)
			}
		}
	}
	return open
}

// svgItem is a leaf, a node or a folded subtree with its place.
type svgItem struct {
	r    Ref
	x, y int
	up   int // the item above
	next int // operand to place
	from int // first slot below
}

// WriteSVG draws t as an SVG picture with the root on top, at most maxLeaves leaves and folded
// subtrees side by side, where the largest are unfolded first. A folded subtree is a triangle with
// its number of leaves.
func (t *Tree) WriteSVG(w io.Writer, maxLeaves int) error {
	b := bufio.NewWriter(w)
	if t.leaves == 0 && len(t.nodes) == 0 {
		fmt.Fprintf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"><title>the empty sum</title></svg>\n", 2*svgMargin, 2*svgMargin)
		return b.Flush()
	}
	ext := t.extents()
	open := t.unfoldLargest(maxLeaves, ext)
	var (
		items = []svgItem{{r: t.root, up: -1}}
		stack = []int{0}
		slots = 0
		depth = 0
		buf   [2]Ref
	)
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		it := &items[at]
		if it.r < 0 || !open[it.r] {
			it.x = 2 * slots // in half slots
			slots++
			stack = stack[:len(stack)-1]
			continue
		}
		ops := t.Operands(it.r, buf[:])
		if it.next == 0 {
			it.from = slots
		}
		if it.next == len(ops) {
			it.x = it.from + slots - 1
			stack = stack[:len(stack)-1]
			continue
		}
		o := ops[it.next]
		it.next++
		y := it.y + 1
		depth = max(depth, y)
		items = append(items, svgItem{r: o, y: y, up: at})
		stack = append(stack, len(items)-1)
	}
	px := func(it svgItem) (int, int) {
		return svgMargin + svgSlot/2 + it.x*svgSlot/2, svgMargin + svgRadius + it.y*svgLevel
	}
	title, named := t.name()
	if !named {
		title = fmt.Sprintf("tree of %s", counted(t.leaves))
	}
	width := 2*svgMargin + slots*svgSlot
	height := 2*svgMargin + 2*svgRadius + depth*svgLevel + svgLevel/2
	fmt.Fprintf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", width, height, width, height)
	fmt.Fprintf(b, "<title>%s</title>\n<style>%s</style>\n", html.EscapeString(title), svgStyle)
	for _, it := range items[1:] {
		x1, y1 := px(items[it.up])
		x2, y2 := px(it)
		fmt.Fprintf(b, "<path class=\"edge\" d=\"M%d %dL%d %d\"/>\n", x1, y1, x2, y2)
	}
	for _, it := range items {
		x, y := px(it)
		switch {
		case it.r < 0:
			fmt.Fprintf(b, "<rect x=\"%d\" y=\"%d\" width=\"26\" height=\"16\" fill=\"#fff\"/><text class=\"leaf\" x=\"%d\" y=\"%d\">%d</text>\n", x-13, y-8, x, y, it.r.Leaf())
		case !open[it.r]:
			fmt.Fprintf(b, "<path class=\"fold\" d=\"M%d %dl%d %dh%dz\"><title>%s, height %d</title></path><text x=\"%d\" y=\"%d\">%d</text>\n",
				x, y-svgRadius, svgSlot/2-2, 2*svgRadius, 4-svgSlot, counted(int(ext[it.r].leaves)), ext[it.r].height, x, y+2*svgRadius, ext[it.r].leaves)
		default:
			label := t.label(it.r)
			short, rx := []rune(label), svgRadius
			if len(short) > 2 {
				rx = svgSlot/2 + 2
			}
			if len(short) > 4 {
				short = append(short[:3:3], '…')
			}
			fmt.Fprintf(b, "<ellipse class=\"node %s\" cx=\"%d\" cy=\"%d\" rx=\"%d\" ry=\"%d\"><title>%s</title></ellipse><text x=\"%d\" y=\"%d\">%s</text>\n",
				t.Kind(it.r), x, y, rx, svgRadius, html.EscapeString(label), x, y, html.EscapeString(string(short)))
		}
	}
	fmt.Fprintln(b, "</svg>")
	return b.Flush()
}
