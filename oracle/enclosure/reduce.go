package enclosure

import (
	"math"
	"slices"

	"gamma/model"
	"gamma/model/formula"
)

// terms are what one element of a reduction is made of.
type terms struct {
	lo, hi, wlo, whi, clo, chi, diag []float64
	nan                              []outcome
	exact                            bool
	stored                           bool // numbers of the claim's format, every one
	tame                             bool // finite numbers, none NaN
}

// groups says where the terms of a reduction's elements lie in its operand.
type groups struct {
	base    []int // of each element of the result
	offset  []int // of each term, from there
	inOrder bool  // term k lies k after the base
}

// groups returns those of a reduction of a along axes to z; of the whole of a vector they are what they were for one as long.
func (r *run) groups(a, z *array, axes []string) groups {
	var g groups
	if z.n == 1 && len(a.axes) == 1 && len(axes) == 1 && slices.Equal(a.axes, axes) {
		for len(r.p.iota) <= a.n {
			r.p.iota = append(r.p.iota, len(r.p.iota))
		}
		return groups{base: r.p.iota[:1], offset: r.p.iota[:a.n], inOrder: true}
	}
	g.base = make([]int, z.n)
	walk(z.shape, strides(a, z.axes), func(i, at int) { g.base[i] = at })
	shape := make([]int, len(axes))
	n := 1
	for i, x := range axes {
		shape[i] = r.sizes[x]
		n *= shape[i]
	}
	g.offset = make([]int, n)
	g.inOrder = true
	walk(shape, strides(a, axes), func(i, at int) {
		g.offset[i] = at
		g.inOrder = g.inOrder && at == i
	})
	return g
}

// take returns the terms at base, in slices of a itself where they lie side by side.
func (g *groups) take(a *array, base int, scratch *terms) terms {
	n := len(g.offset)
	if n == 0 {
		return terms{exact: a.exact, stored: a.stored} // where no element lies, a base means nothing
	}
	pick := func(from []float64, into *[]float64) []float64 {
		if from == nil {
			return nil
		}
		if g.inOrder {
			return from[base : base+n]
		}
		if len(*into) < n {
			*into = make([]float64, n)
		}
		for k, off := range g.offset {
			(*into)[k] = from[base+off]
		}
		return (*into)[:n]
	}
	t := terms{exact: a.exact, stored: a.stored, tame: a.tame(math.MaxFloat64)}
	t.lo = pick(a.lo, &scratch.lo)
	if a.exact {
		t.hi, t.clo, t.chi, t.wlo, t.whi = t.lo, t.lo, t.lo, t.lo, t.lo
		return t
	}
	t.hi, t.clo, t.chi, t.diag = pick(a.hi, &scratch.hi), pick(a.clo, &scratch.clo), pick(a.chi, &scratch.chi), pick(a.diag, &scratch.diag)
	t.wlo, t.whi = t.lo, t.hi
	if &a.wlo[0] != &a.lo[0] {
		t.wlo, t.whi = pick(a.wlo, &scratch.wlo), pick(a.whi, &scratch.whi)
	}
	if a.nan != nil {
		t.nan = make([]outcome, n)
		for k, off := range g.offset {
			t.nan[k] = a.nan[base+off]
		}
	}
	return t
}

// total is a sum of numbers, each perhaps rounded, with the means to bound its own error.
type total struct {
	sum, size float64
	n         int
}

func (s *total) add(x float64) {
	s.sum += x
	s.size += math.Abs(x)
	s.n++
}

// slack bounds the error of sum: n-1 additions, each off by at most 2^-53 of a partial sum no greater than size, which is itself off by
// less than a factor 1+n·2^-53; n < 2^40.
func (s *total) slack() float64 {
	if s.n < 2 || s.size == 0 {
		return 0
	}
	return float64(float64(s.n) * 0x1p-52 * s.size)
}

func (s *total) interval() interval {
	if e := s.slack(); e > 0 {
		return clean(interval{down(s.sum - e), up(s.sum + e)})
	}
	return clean(point(s.sum))
}

// sumOf returns the interval of the sum of lo to the sum of hi.
func sumOf(lo, hi []float64) interval {
	var a, b total
	if len(lo) == 0 {
		return point(0)
	}
	if &lo[0] == &hi[0] {
		for _, x := range lo {
			a.sum += x
			a.size += math.Abs(x)
		}
		a.n = len(lo)
		return a.interval()
	}
	hi = hi[:len(lo)]
	var c, d total // every other one, since each addition waits for the one before
	i := 0
	for ; i+2 <= len(lo); i += 2 {
		x, y := lo[i], hi[i]
		a.sum += x
		a.size += math.Abs(x)
		b.sum += y
		b.size += math.Abs(y)
		x, y = lo[i+1], hi[i+1]
		c.sum += x
		c.size += math.Abs(x)
		d.sum += y
		d.size += math.Abs(y)
	}
	if i < len(lo) {
		a.add(lo[i])
		b.add(hi[i])
	}
	a.sum, a.size, b.sum, b.size = a.sum+c.sum, a.size+c.size, b.sum+d.sum, b.size+d.size
	a.n, b.n = len(lo), len(lo)
	return interval{a.interval().lo, b.interval().hi}
}

// sum evaluates a sum or dot product.
func (r *run) sum(s *step) (*array, error) {
	z, err := r.newArray(s.axes, false)
	if err != nil {
		return nil, err
	}
	a := r.arrays[s.args[0]]
	g := r.groups(a, z, s.Axes)
	kept := r.keep(a, z)
	var scratch terms
	for i := range z.n {
		t := g.take(a, g.base[i], &scratch)
		r.addUp(s, z, i, t)
		if r.p.method != plain && !a.exact && len(t.lo) > 0 {
			r.addCoefficients(a, z, i, g.base[i], g.offset, kept)
			r.settle(z, i)
		}
	}
	if a.exact {
		z.exact = z.allPoints()
	}
	return z, nil
}

// keep gives z the symbols of a that do not vary along the axes that are summed, and returns for each symbol of a where it is in z, or -1.
func (r *run) keep(a, z *array) []int {
	kept := make([]int, len(a.symbols))
	p := &r.p.pool
	for k, c := range a.symbols {
		kept[k] = -1
		if !slices.ContainsFunc(c.of.axes, func(x string) bool { return !slices.Contains(z.axes, x) }) {
			kept[k] = len(z.symbols)
			z.symbols = append(z.symbols, coefficient{c.symbol, p.floats(z.n), p.floats(z.n), r.indices(c.of, z)})
		}
	}
	return kept
}

// addCoefficients adds the derivatives of the terms at base, with their signs where the symbol is the same for all, and otherwise as errors.
func (r *run) addCoefficients(a, z *array, i, base int, offset []int, kept []int) {
	for k := range a.symbols {
		c := &a.symbols[k]
		if kept[k] < 0 {
			var t total
			for _, off := range offset {
				t.add(c.reach(base + off))
			}
			z.diag[i] = up(z.diag[i] + t.interval().hi)
			continue
		}
		var lo, hi total
		for _, off := range offset {
			lo.add(c.lo[base+off])
			hi.add(c.hi[base+off])
		}
		d := &z.symbols[kept[k]]
		d.lo[i], d.hi[i] = lo.interval().lo, hi.interval().hi
	}
}

// addUp makes element i of z the sum of the terms t, in an order that s admits.
func (r *run) addUp(s *step, z *array, i int, t terms) {
	n := len(t.lo)
	if n == 0 {
		z.set(i, point(0))
		return
	}
	if !t.tame && r.specialSum(z, i, t) {
		return
	}
	exact := sumOf(t.lo, t.hi)
	bound, most := 0.0, 0.0
	if n > 1 && s.typ.IsReal() {
		bound, most = r.sumBound(s.Order, &t)
	}
	kept := exact.widen(bound)
	center := exact
	if !t.exact {
		center = sumOf(t.clo, t.chi)
	}
	if s.typ.IsReal() {
		kept = r.overflow(z, i, &t, kept, most)
		kept, bound = r.flushed(kept, exact, bound)
	}
	z.lo[i], z.hi[i], z.clo[i], z.chi[i] = kept.lo, kept.hi, center.lo, center.hi
	if r.p.claim.Exactly {
		w := sumOf(t.wlo, t.whi).widen(bound).beyond(kept)
		z.wlo[i], z.whi[i] = w.lo, w.hi
	}
	z.diag[i] = bound
	if !t.exact && r.p.method == plain {
		z.diag[i] = math.Inf(1)
	} else if !t.exact {
		var d total
		for _, x := range t.diag {
			d.add(x)
		}
		z.diag[i] = up(bound + d.interval().hi)
	}
}

// specials is what is known of terms that may be infinite or NaN.
type specials struct {
	mayUp, mayDown, mustUp, mustDown bool
	o                                outcome
	n                                int
	above, below                     float64 // what the finite terms add up to at most
}

// note adds a term.
func (s *specials) note(x interval, o outcome) {
	s.n++
	s.o |= o
	if x.hi > math.MaxFloat64 {
		s.mayUp, s.mustUp = true, s.mustUp || x.lo > math.MaxFloat64
	} else {
		s.above += max(x.hi, 0)
	}
	if x.lo < -math.MaxFloat64 {
		s.mayDown, s.mustDown = true, s.mustDown || x.hi < -math.MaxFloat64
	} else {
		s.below += max(-x.lo, 0)
	}
}

// any reports whether a term may be infinite or NaN.
func (s *specials) any() bool { return s.mayUp || s.mayDown || s.o != number }

// specialSum makes element i the sum of terms some of which may be infinite or NaN, and reports whether any may.
func (r *run) specialSum(z *array, i int, t terms) bool {
	var s specials
	for k := range t.lo {
		o := number
		if t.nan != nil {
			o = t.nan[k]
		}
		s.note(interval{t.lo[k], t.hi[k]}, o)
	}
	if s.any() {
		r.putSpecial(z, i, s)
	}
	return s.any()
}

// putSpecial makes element i what a sum with special terms may be.
func (r *run) putSpecial(z *array, i int, s specials) {
	// Partial sums of the finite terms may overflow, too: n·u·Σ|x| bounds their error.
	slack := float64(2 * float64(s.n) * math.Ldexp(1, -r.p.f.p) * (s.above + s.below))
	mayUp, mayDown := s.mayUp || s.above+slack >= r.p.f.limit, s.mayDown || s.below+slack >= r.p.f.limit
	o := s.o
	switch {
	case s.mustUp && s.mustDown:
		o = never
	case mayUp && mayDown:
		o |= maybe
	}
	x := everything
	switch {
	case o == never:
	case s.mustUp && !mayDown:
		x = point(math.Inf(1))
	case s.mustDown && !mayUp:
		x = point(math.Inf(-1))
	}
	z.setNaN(i, o)
	z.lo[i], z.hi[i], z.clo[i], z.chi[i], z.wlo[i], z.whi[i], z.diag[i] = x.lo, x.hi, x.lo, x.hi, x.lo, x.hi, math.Inf(1)
	if x.isPoint() {
		z.diag[i] = 0
	}
}

// sumBound bounds the error of adding terms in an order that o admits, and the magnitude of every partial sum. Products of a dot product
// come with their own roundings, so that they are terms of any value.
func (r *run) sumBound(o formula.Order, t *terms) (bound, most float64) {
	rules := r.openRules(t)
	if n := len(t.lo); !o.IsOpen() && o.Height(n) < n-1 {
		rules.Height = o.Height(n)
	}
	b := rules.Tight(t.lo, t.hi)
	return r.boundOf(b), b.Partial
}

// openRules says how terms are added.
func (r *run) openRules(t *terms) model.OpenRules {
	claim := &r.p.claim
	return model.OpenRules{Format: claim.Format, AtLeast: !claim.Exactly, Twice: !claim.Exactly, Unrounded: !t.stored, Flush: claim.Flush}
}

// boundOf returns the error of a sum.
func (r *run) boundOf(b model.OpenBound) float64 {
	if r.p.flaw == halfSum {
		b.Max /= 2
	}
	return b.Max
}

// overflow adds to kept the infinities that partial sums, of magnitude up to most, may reach, and the NaN of two that meet.
func (r *run) overflow(z *array, i int, t *terms, kept interval, most float64) interval {
	if most < r.p.f.limit {
		return kept
	}
	var above, below bool
	for k := range t.lo {
		above, below = above || t.hi[k] > 0, below || t.lo[k] < 0
	}
	if above {
		kept.hi = math.Inf(1)
	}
	if below {
		kept.lo = math.Inf(-1)
	}
	if above && below {
		z.setNaN(i, maybe)
	}
	return kept
}
