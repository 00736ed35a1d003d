package shaders

import (
	"fmt"

	"gamma/model"
	"gamma/sumtree"
)

// treeOf returns the schedule of sum_tree for n leaves: G threadgroups of W threads, and for G > 1 one more of W threads
// over their sums.
func treeOf(n int, l model.Launch) *sumtree.Tree {
	switch g, w := l.Groups.X, l.Threads.X; {
	case n <= 1 || g*w == 1:
		return sumtree.Left().Tree(n)
	case g == 1:
		return sumtree.ShuffleDown(w).Tree(n)
	case g <= w:
		return sumtree.Simd(w, g*w).Tree(n)
	}
	return groupsTree(n, l.Groups.X, l.Threads.X)
}

// operand is a node of a tree under construction; the zero value is an empty operand, which adds nothing.
type operand struct {
	ref  sumtree.Ref
	some bool
}

// adder makes additions of operands.
type adder struct{ sumtree.Builder }

func (b *adder) leaf(i, n int) operand {
	if i >= n {
		return operand{}
	}
	return operand{b.Leaf(i), true}
}

func (b *adder) add(x, y operand) operand {
	switch {
	case !x.some:
		return y
	case !y.some:
		return x
	}
	return operand{b.Add(x.ref, y.ref), true}
}

// stride adds v[j], v[j+w], v[j+2w], … from the left for each of w threads j.
func (b *adder) stride(v []operand, w int) []operand {
	sums := make([]operand, w)
	for i, x := range v {
		sums[i%w] = b.add(sums[i%w], x)
	}
	return sums
}

// halve adds the upper half of v to the lower until one is left; len(v) is a power of two.
func (b *adder) halve(v []operand) operand {
	for half := len(v) / 2; half > 0; half /= 2 {
		for i := range half {
			v[i] = b.add(v[i], v[i+half])
		}
	}
	return v[0]
}

// tree returns the tree of n leaves whose result is x.
func (b *adder) tree(n int, x operand) *sumtree.Tree {
	if !x.some {
		return sumtree.Left().Tree(n)
	}
	b.Leaves(n)
	t, err := b.Build(x.ref)
	if err != nil {
		panic(noTree(n, err))
	}
	return t
}

// groupsTree is treeOf for any number of groups.
func groupsTree(n, groups, w int) *sumtree.Tree {
	var b adder
	leaves := make([]operand, n)
	for i := range leaves {
		leaves[i] = b.leaf(i, n)
	}
	threads := b.stride(leaves, groups*w)
	sums := make([]operand, groups)
	for g := range sums {
		sums[g] = b.halve(threads[g*w : (g+1)*w])
	}
	if groups == 1 {
		return b.tree(n, sums[0])
	}
	return b.tree(n, b.halve(b.stride(sums, w)))
}

// float4Tree returns the schedule of sum_float4: thread j adds, component by component, the vectors of four leaves j, j+W, …,
// then its components pairwise, and then the threads by halving.
func float4Tree(n int, l model.Launch) *sumtree.Tree {
	w := l.Threads.X
	var b adder
	part := make([]operand, 4*w)
	for i := range n {
		at := i / 4 % w * 4
		part[at+i%4] = b.add(part[at+i%4], b.leaf(i, n))
	}
	threads := make([]operand, w)
	for j := range threads {
		c := part[4*j:]
		threads[j] = b.add(b.add(c[0], c[1]), b.add(c[2], c[3]))
	}
	return b.tree(n, b.halve(threads))
}

// tilesTree returns the schedule of sum_tiles for n leaves: G threadgroups of W threads, and for G > 1 one more of W threads over their
// sums.
func tilesTree(n int, l model.Launch) *sumtree.Tree {
	var b adder
	v := make([]operand, n)
	for i := range v {
		v[i] = b.leaf(i, n)
	}
	for groups, w := l.Groups.X, l.Threads.X; len(v) > 1; groups = 1 {
		v = b.tiles(v, groups, w)
	}
	if n == 0 {
		return b.tree(n, operand{})
	}
	return b.tree(n, v[0])
}

// tiles adds v as sum_tiles does, and returns the sums of the threadgroups.
func (b *adder) tiles(v []operand, groups, w int) []operand {
	part := make([]operand, 16*w*groups)
	for i, x := range v {
		four, tile := i/4, i/(16*w)
		thread := tile%groups*w + four%w
		at := 16*thread + four/w%4*4 + i%4
		part[at] = b.add(part[at], x)
	}
	sums := make([]operand, groups)
	for g := range sums {
		threads := make([]operand, w)
		for j := range threads {
			var s [4]operand
			for c := range s {
				p := part[16*(g*w+j)+c:]
				s[c] = b.add(b.add(p[0], p[4]), b.add(p[8], p[12]))
			}
			threads[j] = b.add(b.add(s[0], s[1]), b.add(s[2], s[3]))
		}
		sums[g] = b.halve(threads)
	}
	return sums
}

// maxThreads is the largest number of threads that Metal allows in a threadgroup; a pipeline may allow fewer.
const maxThreads = 1024

// line returns an error unless a launch has one dimension and at least one thread.
func line(l model.Launch) error {
	g, t := l.Groups, l.Threads
	switch {
	case g.X < 1 || t.X < 1 || g.Y != 1 || g.Z != 1 || t.Y != 1 || t.Z != 1:
		return fmt.Errorf("launch %s: use one dimension, with Y and Z 1, and at least one threadgroup of one thread", l)
	case t.X > maxThreads:
		return fmt.Errorf("launch %s: a threadgroup has at most %d threads", l, maxThreads)
	case g.X > maxLeaves/maxThreads:
		return fmt.Errorf("launch %s: use at most %d threadgroups", l, maxLeaves/maxThreads)
	}
	return nil
}

// The Fits of the kernels.

func oneThread(_ int, l model.Launch) error {
	if err := line(l); err != nil {
		return err
	}
	if l.Groups.X != 1 || l.Threads.X != 1 {
		return fmt.Errorf("launch %s: the kernel is for one thread; use %s", l, model.Launch1D(1, 1))
	}
	return nil
}

func oneGroup(_ int, l model.Launch) error {
	if err := line(l); err != nil {
		return err
	}
	if l.Groups.X != 1 {
		return fmt.Errorf("launch %s: the kernel is for one threadgroup; use %s", l, model.Launch1D(1, l.Threads.X))
	}
	return nil
}

func powerGroups(_ int, l model.Launch) error {
	if err := line(l); err != nil {
		return err
	}
	if w := l.Threads.X; w&(w-1) != 0 {
		return fmt.Errorf("launch %s: threads are added by halving; use a power of two of them in a threadgroup", l)
	}
	return nil
}

// tileGroups requires few enough threads that element numbers stay below 2^32.
func tileGroups(n int, l model.Launch) error {
	if err := powerGroups(n, l); err != nil {
		return err
	}
	if t := l.Groups.X * l.Threads.X; t > maxLeaves/16 {
		return fmt.Errorf("launch %s: %d threads take 16 elements each, more than 2^31; use at most %d threadgroups", l, t, maxLeaves/16/l.Threads.X)
	}
	return nil
}

func powerGroup(n int, l model.Launch) error {
	if err := oneGroup(n, l); err != nil {
		return err
	}
	return powerGroups(n, l)
}

// chainGroup requires two products a thread: with one, halving would add a rounded product, which a schedule of fused products
// fuses.
func chainGroup(n int, l model.Launch) error {
	if err := powerGroup(n, l); err != nil {
		return err
	}
	if w := l.Threads.X; w > 1 && n < 2*w {
		return fmt.Errorf("launch %s: %d products are fewer than two a thread; use at most %d threads", l, n, max(n/2, 1))
	}
	return nil
}

func enoughThreads(n int, l model.Launch) error {
	if err := line(l); err != nil {
		return err
	}
	if t := l.Groups.X * l.Threads.X; t < n {
		return fmt.Errorf("launch %s: %d threads are too few, one a leaf is needed; use %d threadgroups", l, t, (n+l.Threads.X-1)/l.Threads.X)
	}
	return nil
}

// The Launches of the kernels.

func serialLaunches(int) []model.Launch { return []model.Launch{model.Launch1D(1, 1)} }

// launches1 returns one threadgroup of each number of threads.
func launches1(threads ...int) []model.Launch {
	list := make([]model.Launch, len(threads))
	for i, w := range threads {
		list[i] = model.Launch1D(1, w)
	}
	return list
}

func powerLaunches(int) []model.Launch { return launches1(1, 2, 4, 8, 16, 32, 64, 128, 256) }

func simdLaunches(int) []model.Launch {
	return launches1(1, 2, 4, 8, 16, 31, 32, 33, 64, 96, 100, 128, 256)
}

func groupLaunches(n int) []model.Launch {
	list := powerLaunches(n)
	for _, gw := range [][2]int{{2, 1}, {3, 1}, {2, 2}, {3, 2}, {5, 4}, {4, 16}, {2, 32}, {3, 32}, {8, 32}, {7, 64}, {4, 256}} {
		list = append(list, model.Launch1D(gw[0], gw[1]))
	}
	return list
}

func tileLaunches(int) []model.Launch {
	list := launches1(1, 2, 8, 32, 64, 256)
	for _, gw := range [][2]int{{2, 1}, {3, 1}, {5, 2}, {3, 4}, {2, 32}, {7, 32}, {3, 64}, {20, 1}} {
		list = append(list, model.Launch1D(gw[0], gw[1]))
	}
	return list
}

func rowLaunches(int) []model.Launch {
	return []model.Launch{
		model.Launch1D(1, 1), model.Launch1D(1, 8), model.Launch1D(1, 32), model.Launch1D(2, 32), model.Launch1D(3, 64), model.Launch1D(1, 256),
	}
}

func chainLaunches(n int) []model.Launch {
	list := powerLaunches(n)
	for len(list) > 1 && 2*list[len(list)-1].Threads.X > n {
		list = list[:len(list)-1]
	}
	return list
}

func leafLaunches(n int) []model.Launch {
	var list []model.Launch
	for _, w := range []int{1, 32, 64, 256} {
		if g := max((n+w-1)/w, 1); w > 1 || g <= 64 {
			list = append(list, model.Launch1D(g, w))
		}
	}
	return list
}
