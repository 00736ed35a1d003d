package enclosure

import (
	"math"
	"math/bits"
	"slices"

	"gamma/model"
)

// dot evaluates a sum of products.
func (r *run) dot(s *step) (*array, error) {
	z, err := r.newArray(s.axes, false)
	if err != nil {
		return nil, err
	}
	a, b := r.arrays[s.args[0]], r.arrays[s.args[1]]
	ga, gb := r.groups(a, z, s.Axes), r.groups(b, z, s.Axes)
	n := len(ga.offset)
	t := terms{lo: make([]float64, n), hi: make([]float64, n), clo: make([]float64, n), chi: make([]float64, n), diag: make([]float64, n)}
	t.wlo, t.whi = t.lo, t.hi
	if r.p.claim.Exactly {
		t.wlo, t.whi = make([]float64, n), make([]float64, n)
	}
	if a.nan != nil || b.nan != nil {
		t.nan = make([]outcome, n)
	}
	if n > 1 && r.pointsAlone(s, a, b) {
		r.dotOfPoints(s, z, a, b, &ga, &gb)
		return z, nil
	}
	keptA, keptB := r.keepBoth(a, b, z)
	for i := range z.n {
		if n == 0 {
			z.set(i, point(0))
			continue
		}
		for k := range n {
			r.product(s, &t, k, a, ga.base[i]+ga.offset[k], b, gb.base[i]+gb.offset[k])
		}
		r.addUp(s, z, i, t)
		r.productCoefficients(z, i, a, b, ga.base[i], gb.base[i], ga.offset, gb.offset, keptA)
		r.productCoefficients(z, i, b, a, gb.base[i], ga.base[i], gb.offset, ga.offset, keptB)
		r.settle(z, i)
	}
	if a.exact && b.exact {
		z.exact = z.allPoints()
	}
	return z, nil
}

// pointsAlone reports whether all products of a and b are exact in binary64, and nothing about them is special.
func (r *run) pointsAlone(s *step, a, b *array) bool {
	for k, x := range []*array{a, b} {
		if r.p.steps[s.args[k]].typ.Int && !x.tame(math.Ldexp(1, r.p.f.p)) {
			return false
		}
	}
	return a.exact && b.exact && s.typ.IsReal() && !r.p.claim.Exactly && !r.p.claim.Flush.Any() &&
		a.tame(0x1p400) && b.tame(0x1p400) && a.short() && b.short()
}

// short reports whether every element is zero or at least 2^-400 in magnitude, and has at most 26 significant bits.
func (a *array) short() bool {
	for _, x := range a.lo {
		if x != 0 && (math.Abs(x) < 0x1p-400 || math.Float64bits(x)<<37>>37 != 0) {
			return false
		}
	}
	return true
}

// dotOfPoints evaluates sums of products of points, as a matrix product's first layer is.
func (r *run) dotOfPoints(s *step, z, a, b *array, ga, gb *groups) {
	rules := model.OpenRules{Format: r.p.claim.Format, AtLeast: true, Twice: !r.p.claim.Exactly, Products: true}
	if n := len(ga.offset); !s.Order.IsOpen() && s.Order.Height(n) < n-1 {
		rules.Height = s.Order.Height(n)
	}
	rows, columns := gathered{a: a, g: ga}, gathered{a: b, g: gb}
	grid := float64(a.grid() * b.grid())
	if grid < float64(r.p.f.least*r.p.f.ulp(1)) { // the least subnormal number
		grid = 0
	}
	for i := range z.n {
		var open model.OpenSum
		x, y := rows.at(ga.base[i]), columns.at(gb.base[i])
		open.AddProducts(x, y)
		bound := rules.Bound(&open)
		if bound.Partial < r.p.f.limit && bound.Partial*r.p.f.ulp(1)/2 <= grid { // all partial sums are multiples of grid that the format has
			sum := 0.0
			for k, v := range x {
				sum += float64(v * y[k])
			}
			z.set(i, point(sum))
			z.diag[i] = 0
			continue
		}
		var c interval
		c.lo, c.hi = open.Exact()
		c = outward(c.lo, c.hi)
		l := r.boundOf(bound)
		t := c.widen(l)
		if bound.Partial >= r.p.f.limit {
			products := make([]float64, len(x))
			for k, v := range x {
				products[k] = float64(v * y[k])
			}
			t, l = r.overflow(z, i, &terms{lo: products, hi: products}, t, bound.Partial), math.Inf(1)
		}
		z.lo[i], z.hi[i], z.clo[i], z.chi[i], z.diag[i] = t.lo, t.hi, c.lo, c.hi, l
	}
	z.exact = z.allPoints()
}

// grid returns the greatest power of two of which all elements are multiples, which are normal numbers in binary64; +Inf if all are zero.
func (a *array) grid() float64 {
	g := math.Inf(1)
	for _, x := range a.lo {
		if b := math.Float64bits(x) &^ (1 << 63); b != 0 {
			last := float64(math.Float64frombits(b>>52<<52) * 0x1p-52)
			g = min(g, float64(last*float64(uint64(1)<<bits.TrailingZeros64(b|1<<52))))
		}
	}
	return g
}

// gathered holds the points of each group of an array, side by side.
type gathered struct {
	a    *array
	g    *groups
	rows [][]float64 // by base; nil while it was not asked for
}

func (v *gathered) at(base int) []float64 {
	n := len(v.g.offset)
	if v.g.inOrder {
		return v.a.lo[base : base+n]
	}
	if v.rows == nil {
		v.rows = make([][]float64, len(v.a.lo))
	}
	if v.rows[base] == nil {
		row := make([]float64, n)
		for k, off := range v.g.offset {
			row[k] = v.a.lo[base+off]
		}
		v.rows[base] = row
	}
	return v.rows[base]
}

// product makes term k the product of element i of a and element j of b, rounded or not.
func (r *run) product(s *step, t *terms, k int, a *array, i int, b *array, j int) {
	ta, tb := r.operand(a.t(i), r.p.steps[s.args[0]].typ, s.convert), r.operand(b.t(j), r.p.steps[s.args[1]].typ, s.convert)
	z := ta.mul(tb)
	l := 0.0
	if s.typ.IsReal() && !z.isInfinity() && !(z.isPoint() && r.p.f.holds(z.lo)) {
		l = r.p.f.ulps(r.p.f.twice/2, z.magnitude())
	}
	x, _ := r.p.f.around(z, func(z interval) float64 { return r.p.f.ulps(r.p.f.twice/2, z.magnitude()) })
	if l == 0 {
		x = z
	}
	if s.typ.IsReal() {
		x = r.p.f.overflows(x)
		x, l = r.flushed(x, z, l)
	}
	t.lo[k], t.hi[k] = x.lo, x.hi
	c := a.c(i).mul(b.c(j))
	t.diag[k] = l
	if !a.exact || !b.exact {
		wa, wb := a.w(i), b.w(j)
		if !a.exact {
			t.diag[k] = up(t.diag[k] + up(times(wb.magnitude(), a.diag[i])))
		}
		if !b.exact {
			t.diag[k] = up(t.diag[k] + up(times(wa.magnitude(), b.diag[j])))
		}
		if r.p.claim.Exactly {
			w := wa.mul(wb).widen(l)
			t.wlo[k], t.whi[k] = w.lo, w.hi
		}
	} else {
		t.wlo[k], t.whi[k] = x.lo, x.hi
	}
	if r.alters(a.t(i), r.p.steps[s.args[0]].typ, s.convert) || r.alters(b.t(j), r.p.steps[s.args[1]].typ, s.convert) {
		t.diag[k] = math.Inf(1) // what was read is not what is held
		if r.p.claim.Exactly {
			w := (interval{t.wlo[k], t.whi[k]}).hull(c).hull(x)
			t.wlo[k], t.whi[k] = w.lo, w.hi
		}
	}
	t.clo[k], t.chi[k] = c.lo, c.hi
	if t.nan != nil {
		t.nan[k] = number
		if a.nan != nil {
			t.nan[k] |= a.nan[i]
		}
		if b.nan != nil {
			t.nan[k] |= b.nan[j]
		}
	}
	if ta.infinite() && tb.contains(0) || tb.infinite() && ta.contains(0) {
		if t.nan == nil {
			t.nan = make([]outcome, len(t.lo))
		}
		t.nan[k] |= certain(ta, tb)
	}
}

// keepBoth gives z the symbols of both operands that do not vary along the axes that are summed, each once.
func (r *run) keepBoth(a, b, z *array) (keptA, keptB []int) {
	keptA = r.keep(a, z)
	before := len(z.symbols)
	keptB = r.keep(b, z)
	for k, at := range keptB {
		if at < 0 {
			continue
		}
		for old := range before {
			if z.symbols[old].symbol == b.symbols[k].symbol {
				keptB[k] = old // the copy that keep made stays zero
			}
		}
	}
	return keptA, keptB
}

// productCoefficients adds the derivatives of a sum of products a·b by a's symbols.
func (r *run) productCoefficients(z *array, i int, a, b *array, baseA, baseB int, offA, offB []int, kept []int) {
	for k := range a.symbols {
		c := &a.symbols[k]
		var lo, hi, reach total
		for m := range offA {
			at := baseA + offA[m]
			w := b.w(baseB + offB[m])
			if kept[k] < 0 {
				reach.add(up(times(w.magnitude(), c.reach(at))))
				continue
			}
			d := interval{c.lo[at], c.hi[at]}.mul(w)
			lo.add(d.lo)
			hi.add(d.hi)
		}
		if kept[k] < 0 {
			z.diag[i] = up(z.diag[i] + reach.interval().hi)
			continue
		}
		d := &z.symbols[kept[k]]
		sum := interval{d.lo[i], d.hi[i]}.add(interval{lo.interval().lo, hi.interval().hi})
		d.lo[i], d.hi[i] = sum.lo, sum.hi
	}
}

// extreme evaluates a maximum or minimum along axes.
func (r *run) extreme(s *step, sign float64) (*array, error) {
	a := r.arrays[s.args[0]]
	z, err := r.newArray(s.axes, a.exact && !r.p.claim.Flush.In)
	if err != nil {
		return nil, err
	}
	g := r.groups(a, z, s.Axes)
	if a.exact && g.inOrder && len(g.offset) > 0 && a.nan == nil && !r.p.claim.Flush.In {
		for i := range z.n {
			most := float64(sign * math.Inf(-1))
			for _, x := range a.lo[g.base[i] : g.base[i]+len(g.offset)] {
				if float64(sign*x) > float64(sign*most) {
					most = x
				}
			}
			z.lo[i] = most
		}
		return z, nil
	}
	typ := r.p.steps[s.args[0]].typ
	for i := range z.n {
		m, c, w, far := newGreatest(s.Meaning), point(math.Inf(-1)), point(math.Inf(-1)), 0.0
		for _, off := range g.offset {
			k := g.base[i] + off
			o := number
			if a.nan != nil {
				o = a.nan[k]
			}
			x := r.operand(a.t(k), typ, false)
			if m.add(x.signed(sign), o); o == never {
				continue
			}
			if !z.exact {
				c, w = c.greater(a.c(k).signed(sign)), w.greater(a.w(k).signed(sign))
				far = max(far, a.error(k))
			}
			if o != number || r.alters(a.t(k), typ, false) {
				far = math.Inf(1)
			}
		}
		z.setNaN(i, m.outcome())
		t := m.t.signed(sign)
		c, w = c.signed(sign), w.hull(m.t).signed(sign)
		z.lo[i], z.hi[i] = t.lo, t.hi
		if !z.exact {
			z.clo[i], z.chi[i], z.diag[i] = c.lo, c.hi, far
			z.wlo[i], z.whi[i] = w.lo, w.hi
			r.settle(z, i)
		}
	}
	if a.exact {
		z.exact = z.exact || z.allPoints()
	}
	return z, nil
}

func (x interval) signed(sign float64) interval {
	if sign < 0 {
		return x.neg()
	}
	return x
}

func (x interval) greater(y interval) interval { return interval{max(x.lo, y.lo), max(x.hi, y.hi)} }

// argument evaluates an argmax or argmin: from the least to the greatest index at which the extreme may be.
func (r *run) argument(s *step, sign float64) (*array, error) {
	a := r.arrays[s.args[0]]
	z, err := r.newArray(s.axes, false)
	if err != nil {
		return nil, err
	}
	g := r.groups(a, z, s.Axes)
	read := func(k int) interval { return r.operand(a.t(k), r.p.steps[s.args[0]].typ, false) }
	pick := func(i int, at func(int) interval) interval {
		best := math.Inf(-1)
		for _, off := range g.offset {
			best = max(best, at(g.base[i]+off).signed(sign).lo)
		}
		first, last, decided := -1, -1, true
		for k, off := range g.offset {
			if x := at(g.base[i] + off).signed(sign); x.hi >= best {
				decided = decided && x.isPoint()
				last = k
				if first < 0 {
					first = k
				}
			}
		}
		switch {
		case decided && s.Ties == 0:
			last = first
		case decided && s.Ties == 1:
			first = last
		}
		return interval{float64(max(first, 0)), float64(max(last, 0))}
	}
	for i := range z.n {
		t, c := pick(i, read), pick(i, a.c)
		if a.nan != nil && slices.ContainsFunc(g.offset, func(off int) bool { return a.nan[g.base[i]+off] != number }) {
			t = interval{0, float64(max(len(g.offset)-1, 0))} // what an argmax does with NaN is not stated
		}
		z.whole(i, t, c)
	}
	z.exact = a.exact && z.allPoints()
	return z, nil
}

// whole makes element i of integers what lies in t, and exactly in c.
func (a *array) whole(i int, t, c interval) {
	a.lo[i], a.hi[i], a.wlo[i], a.whi[i], a.clo[i], a.chi[i] = t.lo, t.hi, t.lo, t.hi, c.lo, c.hi
	a.diag[i] = max(t.hi-c.lo, c.hi-t.lo)
}

// connective evaluates any, all and count.
func (r *run) connective(s *step, start float64, join func(x, y float64) float64) (*array, error) {
	a := r.arrays[s.args[0]]
	z, err := r.newArray(s.axes, false)
	if err != nil {
		return nil, err
	}
	g := r.groups(a, z, s.Axes)
	for i := range z.n {
		t, c := point(start), point(start)
		for _, off := range g.offset {
			k := g.base[i] + off
			t = interval{join(t.lo, a.lo[k]), join(t.hi, a.hi[k])}
			c = interval{join(c.lo, a.clo[k]), join(c.hi, a.chi[k])}
		}
		z.whole(i, t, c)
	}
	z.exact = a.exact && z.allPoints()
	return z, nil
}

// prod evaluates a product along axes.
func (r *run) prod(s *step) (*array, error) {
	a := r.alone(r.arrays[s.args[0]])
	z, err := r.newArray(s.axes, false)
	if err != nil {
		return nil, err
	}
	g := r.groups(a, z, s.Axes)
	var scratch terms
	for i := range z.n {
		r.multiplyUp(s, z, i, g.take(a, g.base[i], &scratch))
	}
	return z, nil
}

// multiplyUp makes element i of z the product of the terms t in any order.
//
// Each multiplication gives ab(1+δ) + e with |δ| <= w and |e| <= η, half an ulp of the subnormal numbers. Let P and L be the products of |x_k| and of
// max(|x_k|, 1) over some m terms. If nothing overflows, any tree over them gives their product with an error of at most
//
//	((1+w)^(m-1) - 1)·P + E(m)·L,  E(m) <= (m-1)·η·(1+w)^(2m) if that is at most w for all n terms
//
// and 0 for E where no partial product is below the normal numbers. Proof, by induction: with g(m) = (1+w)^(m-1), two factors that are off by
// (g(a)-1)·P + E(a)·L and (g(b)-1)·P + E(b)·L have a product that is off by (g(a)g(b)-1)·P + (g(a)E(b) + g(b)E(a) + E(a)E(b))·L, which rounding multiplies by
// 1+w at most and adds w·P and η <= η·L to. (1+w)g(a)g(b) = g(a+b). E(b) <= w gives g(b)+E(b) <= (1+w)^b, and so E(a+b) <= (1+w)^a·E(b) + (1+w)^(b+1)·E(a) + η, which
// is at most (a-1 + b-1 + 1)·η·(1+w)^(2(a+b)). Where results or operands may be flushed, a node adds the least normal number to η, and a term by itself is off by as
// much: 2m-1 takes the place of m-1.
//
// A partial product is at most ((1+w)^(n-1) + E(n))·L; if that may overflow nothing is said. Products have the exact ones' sign.
func (r *run) multiplyUp(s *step, z *array, i int, t terms) {
	p := newProduct()
	for k := range t.lo {
		p.times(&t, k)
	}
	r.putProduct(s, z, i, &p)
}

// product is what is known of the factors so far: their product in T and in C, what bounds partial products, and special values.
type product struct {
	n              int
	x, c           interval
	large, small   interval // products of what is above 1 in magnitude, and below
	infinite, zero bool     // a factor may be infinite, or is 0
	o              outcome
}

func newProduct() product {
	return product{x: point(1), c: point(1), large: point(1), small: point(1)}
}

// times adds factor k of t.
func (p *product) times(t *terms, k int) {
	f := interval{t.lo[k], t.hi[k]}
	m := f.abs()
	p.n++
	p.x, p.c = p.x.mul(f), p.c.mul(interval{t.clo[k], t.chi[k]})
	p.large, p.small = p.large.mul(point(max(m.hi, 1))), p.small.mul(point(min(m.lo, 1)))
	p.infinite, p.zero = p.infinite || f.infinite(), p.zero || m.hi == 0
	if t.nan != nil {
		p.o |= t.nan[k]
	}
}

// putProduct makes element i of z what a product of these factors, in any order, may be.
func (r *run) putProduct(s *step, z *array, i int, p *product) {
	x, c, o, n := p.x, p.c, p.o, p.n
	if !s.typ.IsReal() && p.infinite {
		x, o = everything, o|maybe // the greatest of no integers is among them
	}
	if s.typ.IsReal() && n > 1 {
		rounding, tiny := r.p.compound(n-1), 0.0
		if !(down(float64(p.small.lo*down(1-rounding))) >= r.p.f.least) {
			tiny = r.underflow(n)
		}
		switch {
		case !(up(float64(p.large.hi*up(up(1+rounding)+tiny))) < r.p.f.limit):
			x, o = everything, o|maybe
		case p.zero:
			x = point(0)
		default:
			y := x.widen(up(up(float64(rounding*x.magnitude())) + up(float64(tiny*p.large.hi))))
			if x.lo >= 0 {
				y.lo = max(y.lo, 0)
			}
			if x.hi <= 0 {
				y.hi = min(y.hi, 0)
			}
			x = y
		}
	}
	z.setNaN(i, o)
	z.lo[i], z.hi[i], z.wlo[i], z.whi[i], z.clo[i], z.chi[i] = x.lo, x.hi, x.lo, x.hi, c.lo, c.hi
	z.diag[i] = math.Inf(1)
	r.settle(z, i)
}

// underflow returns E(n) of multiplyUp, which is infinite where its hypothesis fails.
func (r *run) underflow(n int) float64 {
	if r.p.flaw == noUnderflow {
		return 0
	}
	eta, times := r.p.f.ulps(r.p.f.twice/2, 0), float64(n-1)
	if r.p.claim.Flush.Any() {
		eta, times = up(eta+r.p.f.least), float64(2*n-1)
	}
	e := up(float64(up(float64(times*eta)) * up(1+r.p.compound(2*n))))
	if !(e <= r.p.unit()) {
		return math.Inf(1)
	}
	return e
}

// unit returns w, the relative error of one rounding. [Gamma O5]
func (p *Program) unit() float64 { return math.Ldexp(p.f.twice, -p.f.p) }

// mostCompounds bounds how many values compound keeps.
const mostCompounds = 1 << 16

// compound returns (1+w)^h - 1, rounded up, which is model.HeightFactor(h, w/(1-w)). A scan asks for all h, and row after row for the same.
func (p *Program) compound(h int) float64 {
	w := p.unit()
	if h >= mostCompounds {
		return model.HeightFactor(h, up(w/(1-w)))
	}
	for len(p.compounds) <= h {
		p.compounds = append(p.compounds, -1)
	}
	if p.compounds[h] < 0 {
		p.compounds[h] = model.HeightFactor(h, up(w/(1-w)))
	}
	return p.compounds[h]
}
