package vectors

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gamma/corpus"
	"gamma/props/internal/reduce"
	"gamma/props/internal/verdict"
	"gamma/sumtree"
)

// draftLeaf is a leaf, or a pair of factors, that is not +0.
type draftLeaf struct {
	at   int
	x, y uint64 // encodings
}

// draft is a case in sparse form.
type draft struct {
	meta   corpus.Case // everything but the values; X and Y hold formats only
	dot    bool
	odd    *corpus.Case // holds the values of a case whose factors do not pair up, which are kept as they are
	n      int
	leaves []draftLeaf // ascending
}

func newDraft(c *corpus.Case) draft {
	d := draft{meta: *c, dot: c.Y.Len() > 0, n: c.X.Len()}
	d.meta.X, d.meta.Y = corpus.Values{Format: c.X.Format}, corpus.Values{Format: c.Y.Format}
	if d.dot && c.Y.Len() != d.n {
		d.odd = c
		return d
	}
	for i := range d.n {
		l := draftLeaf{at: i, x: c.X.At(i)}
		if d.dot {
			l.y = c.Y.At(i)
		}
		if l.x != 0 || l.y != 0 {
			d.leaves = append(d.leaves, l)
		}
	}
	return d
}

// build returns the case with memory of its own.
func (d *draft) build() *corpus.Case {
	c := d.meta
	c.Comments = slices.Clone(c.Comments)
	if d.odd != nil {
		c.X, c.Y = d.odd.X.Clone(), d.odd.Y.Clone()
		return &c
	}
	c.X = corpus.NewValues(d.meta.X.Format, d.n)
	if d.dot {
		c.Y = corpus.NewValues(d.meta.Y.Format, d.n)
	}
	for _, l := range d.leaves {
		c.X.Set(l.at, l.x)
		if d.dot {
			c.Y.Set(l.at, l.y)
		}
	}
	return &c
}

// drafts is what a reduce.Loop asks of drafts.
type drafts struct{}

func (drafts) Setting(d draft) (at verdict.Setting, n int) {
	return verdict.Setting{Behaviour: d.meta.Behaviour, Launch: d.meta.Launch}, d.perRow(d.n)
}

func (drafts) Under(d draft, at verdict.Setting) draft {
	d.meta.Behaviour, d.meta.Launch = at.Behaviour, at.Launch
	return d
}

func (drafts) Record(b []byte, d draft) []byte {
	b = fmt.Appendf(b, "%q %+v %+v %q %d %d %q %q %d;",
		d.meta.Kernel, d.meta.Behaviour, d.meta.Launch, d.meta.Tree, d.meta.Seed, d.meta.Rows, d.meta.Want, d.meta.Gen, d.n)
	for _, l := range d.leaves {
		b = binary.LittleEndian.AppendUint64(b, uint64(l.at))
		b = binary.LittleEndian.AppendUint64(b, l.x)
		if d.dot {
			b = binary.LittleEndian.AppendUint64(b, l.y)
		}
	}
	return b
}

// resized gives d the length n, and its tree as many leaves.
func (d *draft) resized(n int) bool {
	tree, ok := treeOfLength(d.meta.Tree, d.perRow(n))
	if !ok {
		return false
	}
	d.n, d.meta.Tree = n, tree
	return true
}

func (d *draft) rows() int { return max(d.meta.Rows, 1) }

func (d *draft) perRow(n int) int { return n / d.rows() }

// gap returns the number of +0 leaves before leaf i of the list, and after the last one for
// i = len(d.leaves).
func (d *draft) gap(i int) int {
	from, to := 0, d.n
	if i > 0 {
		from = d.leaves[i-1].at + 1
	}
	if i < len(d.leaves) {
		to = d.leaves[i].at
	}
	return to - from
}

// shapeOfTree splits a tree's text into its form, which is "", "dot:" or "fma:", and its shape, and
// reports whether it is a shape with a leaf count.
func shapeOfTree(tree string) (form, shape string, ok bool) {
	i := strings.LastIndexByte(tree, '/')
	if i < 0 {
		return "", "", false
	}
	if _, err := strconv.ParseUint(tree[i+1:], 10, 31); err != nil {
		return "", "", false
	}
	shape = tree[:i]
	if j := strings.IndexByte(shape, ':') + 1; shape[:j] == "dot:" || shape[:j] == "fma:" {
		form, shape = shape[:j], shape[j:]
	}
	if _, err := sumtree.ParseShape(shape); err != nil {
		return "", "", false
	}
	return form, shape, true
}

// treeOfLength returns the tree of the same shape with n leaves, or with n products.
func treeOfLength(tree string, n int) (string, bool) {
	if tree == "" {
		return "", true
	}
	form, shape, ok := shapeOfTree(tree)
	return fmt.Sprintf("%s%s/%d", form, shape, n), ok
}

// values returns the numbers of the leaves.
func (d draft) values() (list []reduce.Value) {
	for _, l := range d.leaves {
		list = append(list, reduce.Value{Format: d.meta.X.Format, Bits: l.x})
		if d.dot {
			list = append(list, reduce.Value{Format: d.meta.Y.Format, Bits: l.y, Group: 1})
		}
	}
	return list
}

// withValues returns d with other numbers, without leaves that became +0.
func (d draft) withValues(bits []uint64) draft {
	d.leaves = slices.Clone(d.leaves)
	for i := range d.leaves {
		if d.leaves[i].x = bits[i*len(bits)/len(d.leaves)]; d.dot {
			d.leaves[i].y = bits[2*i+1]
		}
	}
	d.leaves = slices.DeleteFunc(d.leaves, func(l draftLeaf) bool { return l.x == 0 && l.y == 0 })
	return d
}

// withValue returns d with another number in one place of values.
func (d draft) withValue(k int, b uint64) draft {
	var bits []uint64
	for _, v := range d.values() {
		bits = append(bits, v.Bits)
	}
	bits[k] = b
	return d.withValues(bits)
}
