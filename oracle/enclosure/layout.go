package enclosure

import (
	"math"
	"slices"
	"strconv"

	"gamma/model/formula"
	"gamma/oracle/real"
)

// input makes the array of an input, whose elements are points, or NaN.
func (r *run) input(s *step) (*array, error) {
	z, err := r.newArray(s.axes, true)
	if err != nil {
		return nil, err
	}
	copy(z.lo, r.in[s.Name].Values)
	for i, x := range z.lo {
		if x != x {
			z.lo[i] = 0
			z.setNaN(i, never)
		}
	}
	if z.nan == nil {
		return z, nil
	}
	// What may be NaN is no point.
	w, err := r.newArray(s.axes, false)
	if err != nil {
		return nil, err
	}
	for i, x := range z.lo {
		w.set(i, point(x))
		if z.nan[i] == never {
			w.lo[i], w.hi[i], w.diag[i] = math.Inf(-1), math.Inf(1), math.Inf(1)
			w.wlo[i], w.whi[i] = math.Inf(-1), math.Inf(1)
		}
	}
	w.nan = z.nan
	return w, nil
}

// constant makes the array of a constant: the decimal, which a kernel may hold rounded.
func (r *run) constant(s *step) (*array, error) {
	z, err := r.newArray(nil, false)
	if err != nil {
		return nil, err
	}
	x := point(s.Value)
	if s.typ.Int {
		z.set(0, x)
		z.exact = true
		return z, nil
	}
	if !decimalIsExact(s.Value) {
		x = outward(s.Value, s.Value)
	}
	kept, l := r.rounded(s, x, x)
	z.lo[0], z.hi[0], z.clo[0], z.chi[0], z.diag[0] = kept.lo, kept.hi, x.lo, x.hi, l
	if kept.isPoint() {
		z.set(0, kept)
		z.diag[0] = 0
		z.exact = true
	} else if r.p.claim.Exactly {
		w := x.widen(l)
		z.wlo[0], z.whi[0] = w.lo, w.hi
	}
	return z, nil
}

// decimalIsExact reports whether the shortest decimal that reads as x is x.
func decimalIsExact(x float64) bool {
	if math.IsInf(x, 0) || x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return true
	}
	short := strconv.FormatFloat(x, 'f', -1, 64)
	return short == strconv.FormatFloat(x, 'f', 1100, 64)[:len(short)] && allZero(strconv.FormatFloat(x, 'f', 1100, 64)[len(short):])
}

func allZero(s string) bool {
	for i := range s {
		if s[i] != '0' {
			return false
		}
	}
	return true
}

// position makes the array of an index or a length.
func (r *run) position(s *step) (*array, error) {
	z, err := r.newArray(s.axes, true)
	if err != nil {
		return nil, err
	}
	if s.Op == formula.OpIndex {
		for i := range z.lo {
			z.lo[i] = float64(i)
		}
		return z, nil
	}
	z.lo[0] = float64(r.sizes[s.Axes[0]])
	return z, nil
}

// alone returns a without symbols: their errors are those of each element.
func (r *run) alone(a *array) *array {
	if len(a.symbols) == 0 {
		return a
	}
	b := *a
	b.diag = r.p.pool.floats(a.n)
	for i := range b.diag {
		b.diag[i] = a.error(i)
	}
	b.symbols, b.own = nil, nil
	return &b
}

// moved returns an array of s.axes whose element i is element at[i] of a, or what fill has at i where at[i] is negative; certain says that all places are.
func (r *run) moved(s *step, a *array, at []int, fill *array, fillAt []int32, certain bool) (*array, error) {
	exact := certain && a.exact && (fill == nil || fill.exact)
	z, err := r.newArray(s.axes, exact)
	if err != nil {
		return nil, err
	}
	if r.p.long && !exact {
		z.long = make([]real.Interval, z.n)
	}
	for i, k := range at {
		from := a
		if k < 0 {
			from, k = fill, fillPlace(fillAt, i)
		}
		z.lo[i] = from.lo[k]
		if from.nan != nil {
			z.setNaN(i, from.nan[k])
		}
		if exact {
			continue
		}
		z.hi[i], z.clo[i], z.chi[i] = from.hi[k], from.clo[k], from.chi[k]
		z.wlo[i], z.whi[i] = from.wlo[k], from.whi[k]
		if from.long != nil {
			z.long[i] = from.long[k]
		}
		if !from.exact {
			z.diag[i] = from.diag[k]
		}
	}
	return z, nil
}

// fillPlace returns where the fill of element i is.
func fillPlace(at []int32, i int) int {
	if at == nil {
		return i
	}
	return int(at[i])
}

// reorder evaluates a renaming or a new order of axes.
func (r *run) reorder(s *step) (*array, error) {
	a := r.arrays[s.args[0]]
	axes := slices.Clone(s.axes)
	if s.Op == formula.OpRename {
		axes[slices.Index(axes, s.To)] = s.Axes[0]
	}
	shape := make([]int, len(axes))
	for i, x := range axes {
		shape[i] = r.sizes[x]
	}
	at := make([]int, a.n)
	walk(shape, strides(a, axes), func(i, k int) { at[i] = k })
	return r.moved(s, r.alone(a), at, nil, nil, true)
}

// gather evaluates a look-up along an axis. Where the index depends on a rounding, the element is one of those at its places.
func (r *run) gather(s *step) (*array, error) {
	a, index, fill := r.alone(r.arrays[s.args[0]]), r.arrays[s.args[1]], r.alone(r.arrays[s.args[2]])
	shape := make([]int, len(s.axes))
	for i, x := range s.axes {
		shape[i] = r.sizes[x]
	}
	stride := strides(a, s.axes)
	along := strides(a, s.Axes)[0]
	for i, x := range s.axes {
		if x == s.Axes[0] {
			stride[i] = 0 // the index says where along it
		}
	}
	z := &array{axes: s.axes, shape: shape, n: 1}
	for _, n := range shape {
		z.n *= n
	}
	base, at := make([]int, z.n), make([]int, z.n)
	walk(z.shape, stride, func(i, k int) { base[i] = k })
	where, fillAt := r.indices(index, z), r.indices(fill, z)
	size, certain := r.sizes[s.Axes[0]], true
	for i := range at {
		k := fillPlace(where, i)
		certain = certain && index.lo[k] == index.hi[k] && index.clo[k] == index.lo[k] && index.chi[k] == index.lo[k]
		if at[i] = -1; index.lo[k] >= 0 && index.lo[k] < float64(size) {
			at[i] = base[i] + int(index.lo[k])*along
		}
	}
	to, err := r.moved(s, a, at, fill, fillAt, certain)
	if err != nil || certain {
		return to, err
	}
	for i := range at {
		k := fillPlace(where, i)
		places := index.t(k)
		if places.isPoint() && index.c(k) == places {
			continue
		}
		held := look{a, fill, base[i], along, fillPlace(fillAt, i), size}
		t, w, _, o := held.up(places)
		_, _, c, _ := held.up(index.c(k))
		to.lo[i], to.hi[i], to.wlo[i], to.whi[i], to.clo[i], to.chi[i] = t.lo, t.hi, w.lo, w.hi, c.lo, c.hi
		if to.nan != nil {
			to.nan[i] = number
		}
		to.setNaN(i, o)
		if to.long != nil {
			to.long[i] = real.Interval{}
		}
		to.diag[i] = math.Inf(1) // no derivative leads from one element to another
		r.settle(to, i)
	}
	return to, nil
}

// look is a look-up along an axis of a, of whose elements the first is at base.
type look struct {
	a, fill             *array
	base, along, filler int
	size                int
}

// up returns what lies at the places of an index: of what is held, of the path to it, exactly, and whether it may be NaN.
func (l *look) up(places interval) (t, w, c interval, o outcome) {
	all, none := never, true
	add := func(a *array, k int) {
		if a.nan != nil {
			o |= a.nan[k]
			all &= a.nan[k]
		} else {
			all = number
		}
		if none {
			t, w, c, none = a.t(k), a.w(k), a.c(k), false
			return
		}
		t, w, c = t.hull(a.t(k)), w.hull(a.w(k)), c.hull(a.c(k))
	}
	first, last := max(math.Floor(places.lo), 0), min(places.hi, float64(l.size-1))
	for p := first; p <= last; p++ {
		add(l.a, l.base+int(p)*l.along)
	}
	if places.lo < 0 || places.hi >= float64(l.size) {
		add(l.fill, l.filler)
	}
	if all == never {
		return t, w, c, never
	}
	return t, w, c, o & maybe
}
