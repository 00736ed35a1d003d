package sumtree

// OverProducts returns t, a tree of additions over n terms, as the schedule of a dot product: each
// leaf i becomes x_i·y_i, with slots 0 to n-1 for x and n to 2n-1 for y. With fuse, an addition of a
// product becomes a fused multiply-add, as FmaTree does. It is nil if t has other nodes.
func (t *Tree) OverProducts(fuse bool) *Tree {
	if _, plain := t.Plain(); !plain || t.leaves > maxRef/2 {
		return nil
	}
	return dot(t, fuse)
}
