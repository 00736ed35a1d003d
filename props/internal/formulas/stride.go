package formulas

import (
	"fmt"
	"maps"
	"slices"

	"gamma/corpus"
	"gamma/model/formula"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/reduce"
	"gamma/props/internal/verdict"
)

// layout says where the elements of an array lie in the memory that a call is lent.
type layout struct {
	axes          []string
	shape, stride []int
	extent        int // from the first element to the last, that one included
	dense         bool
}

// axesOf returns the axes of array i: of the inputs, and then the result.
func (r *run) axesOf(i int) (name string, axes []string) {
	if i == len(r.inputs) {
		if r.k.Formula == nil {
			return Result, nil
		}
		return Result, r.k.Formula.Axes()
	}
	n := r.inputs[i].Node()
	return n.Name, n.Axes
}

// layout returns where array i lies for a seed. Neighbours along its axis of Strided are gap units further apart than in a dense array. A unit is
// what the sizes of the axes inside are multiples of, so that the distance is one, too.
func (r *run) layout(i int, seed uint64, size func(axis string) int) layout {
	name, axes := r.axesOf(i)
	at := r.k.Strided[name]
	l := layout{axes: axes, shape: make([]int, len(axes)), stride: make([]int, len(axes)), extent: 1, dense: true}
	next, unit := 1, 1
	for k := len(axes) - 1; k >= 0; k-- {
		if axes[k] == at {
			if gap := engine.Gap(i, seed, unit, size(at)); gap > 0 {
				next += gap * unit
				l.dense = false
			}
		}
		l.shape[k], l.stride[k] = size(axes[k]), next
		next *= l.shape[k]
		unit *= max(1, r.k.Multiple[axes[k]], r.k.Fixed[axes[k]])
	}
	for k, n := range l.shape {
		if n == 0 {
			l.extent = 0
			break
		}
		l.extent += (n - 1) * l.stride[k]
	}
	return l
}

// places calls visit with the place of each element in memory, in row-major order.
func (l *layout) places(visit func(i, at int)) {
	total := 1
	for _, n := range l.shape {
		total *= n
	}
	index, at := make([]int, len(l.shape)), 0
	for i := range total {
		visit(i, at)
		for k := len(index) - 1; k >= 0; k-- {
			at += l.stride[k]
			if index[k]++; index[k] < l.shape[k] {
				break
			}
			at -= index[k] * l.stride[k]
			index[k] = 0
		}
	}
}

// spread returns the memory of an array: its elements, and between them what a kernel must not use: NaN, or where that might be passed over, as
// fmax does, the greatest numbers of the type.
func (l *layout) spread(t formula.Type, bits []uint64, seed uint64) []uint64 {
	if l.dense {
		return bits
	}
	all := make([]uint64, l.extent)
	for i := range all {
		all[i] = between(t, draw.Mix(seed^uint64(i)))
	}
	l.places(func(i, at int) { all[at] = bits[i] })
	return all
}

// between returns one of the values between elements of a type.
func between(t formula.Type, h uint64) uint64 {
	if !t.IsReal() {
		return h >> 1 // storage takes the lowest bits
	}
	return engine.Between(t.Float, h)
}

// gather takes the elements of a result from its memory. One between them that is not as it was, was written.
func (l *layout) gather(dst, now, was []uint64) *verdict.Breakage {
	is := make([]bool, len(now))
	l.places(func(i, at int) { dst[i], is[at] = now[at], true })
	for i, element := range is {
		if !element && now[i] != was[i] {
			return verdict.Spoilt("the kernel wrote to place %d of the memory of the result, which lies between its elements: of shape %v, with neighbours %v apart", i, l.shape, l.stride)
		}
	}
	return nil
}

// Between calls visit with each run of places in the memory of a call's result that lies between its elements.
func Between(c *Call, visit func(from, to int)) {
	l := c.r.layout(len(c.r.inputs), c.seed, c.Size)
	if l.dense {
		return
	}
	next := 0 // the place after the last element
	l.places(func(_, at int) {
		if at > next {
			visit(next, at)
		}
		next = at + 1
	})
}

// Stride returns how many elements lie from one element of an array to its neighbour along an axis. It is what the sizes of the axes after that
// one say, except for the arrays of Strided.
func (c *Call) Stride(array, axis string) int {
	for i := range len(c.r.inputs) + 1 {
		if name, axes := c.r.axesOf(i); name == array {
			seed := c.seed
			if c.t != nil { // a law sees dense arrays
				seed = 0
			}
			if l := c.r.layout(i, seed, c.Size); slices.Contains(axes, axis) {
				return l.stride[slices.Index(axes, axis)]
			}
			panic(fmt.Sprintf("props: %s of %s has no axis %q; it has %v", array, c.r.Name, axis, axes))
		}
	}
	panic(fmt.Sprintf("props: the formula of %s has no input %q", c.r.Name, array))
}

// checkStrided checks the field.
func (r *run) checkStrided() error {
	k := &r.k
	switch {
	case len(k.Strided) == 0:
		return nil
	case k.Run != nil || k.Run64 != nil || k.Formula == nil:
		return fmt.Errorf("it sets Strided, which goes with Formula and Call or CallOn: a kernel learns the distances by Call.Stride")
	}
	for _, array := range slices.Sorted(maps.Keys(k.Strided)) {
		found := false
		for i := range len(r.inputs) + 1 {
			name, axes := r.axesOf(i)
			found = found || name == array && slices.Contains(axes, k.Strided[array])
		}
		if !found {
			return fmt.Errorf("its field Strided says that %s has an axis %q, and it has not", array, k.Strided[array])
		}
	}
	for _, axis := range k.Formula.Axes() {
		if k.Strided[Result] != "" && !slices.Contains(r.axes, axis) {
			return fmt.Errorf("its field Strided has %s, whose axis %s is of no input", Result, axis)
		}
	}
	return nil
}

// denser returns an input with a seed for which all arrays are dense and begin where they did, and false if they are dense already.
func (r *run) denser(c *corpus.Arrays) (*corpus.Arrays, bool) {
	var strided []int
	for i := range len(r.inputs) + 1 {
		if name, _ := r.axesOf(i); r.k.Strided[name] != "" {
			strided = append(strided, i)
		}
	}
	next, ok := *c, false
	next.Seed, ok = engine.DenseSeed(c.Seed, strided)
	return &next, ok
}

// plainerStrides makes arrays dense, if the input fails then.
func (r *run) plainerStrides(m *reduce.Loop[*corpus.Arrays]) {
	if next, ok := r.denser(m.Cur); ok {
		m.Try(next)
	}
}

// strideText says in a report how far neighbours are apart, "" if arrays are dense.
func (r *run) strideText(c *corpus.Arrays) (text string) {
	for i := range len(r.inputs) + 1 {
		name, _ := r.axesOf(i)
		axis := r.k.Strided[name]
		if axis == "" {
			continue
		}
		l := r.layout(i, c.Seed, func(axis string) int { n, _ := c.Size(axis); return n })
		if l.dense {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s along %s %d", name, axis, l.stride[slices.Index(l.axes, axis)])
	}
	return text
}

// strideCause reports whether it is the strides that an input and two others fail for.
func (r *run) strideCause(l *Law, c *corpus.Arrays) string {
	if len(r.k.Strided) == 0 || l.Judge == nil || engine.IsOwn(laws, l) {
		return ""
	}
	t := r.Trial().(*Trial)
	src, err := r.Source(l, true)
	if err != nil {
		return ""
	}
	rng := draw.Splitmix(r.Set.SeedFor("strides "+string(l.ID), r.Name))
	text := engine.StrideCause(c, func(c *corpus.Arrays) bool { v := t.Judge(l, c); return v.Fails() }, r.denser, func() *corpus.Arrays {
		c, _ := src.Next(&rng)
		return c
	})
	if text == "" {
		return ""
	}
	return "kernel: " + text
}

// Inputs returns the names of the formula's inputs, in its order.
func (c *Call) Inputs() []string { return c.r.names() }

// Axes returns the axes of an array, the outermost first.
func (c *Call) Axes(array string) []string {
	for i := range len(c.r.inputs) + 1 {
		if name, axes := c.r.axesOf(i); name == array {
			return axes
		}
	}
	panic(fmt.Sprintf("props: the formula of %s has no input %q", c.r.Name, array))
}
