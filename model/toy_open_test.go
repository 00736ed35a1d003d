package model_test

import (
	"math/big"
	"slices"

	"gamma/model"
)

// openTwin computes the bounds of model.OpenRules term by term in rational numbers, each as its theorem says, from
// all terms in order. Fault plants one mistake.
type openTwin struct {
	model.OpenRules
	fault string
}

// The faults that the tests plant, each with the theorem that it breaks and the trials that show it.
var openFaults = []struct{ fault, theorem, where string }{
	{"T1 halved", "T1", "floats"},
	{"T1 counts n-2", "T1", "floats"},
	{"T2 halved", "T2", "floats"},
	{"T2 one less high", "T2", "floats"},
	{"sorted halved", "sorted", "floats"},
	{"the root forgotten", "sorted", "floats"},
	{"k=2 forgotten", "sorted", "floats"},
	{"ulp/2 at the lower end", "sorted", "floats"},
	{"positive terms only", "sorted", "floats"},
	{"upper ends forgotten", "sorted", "intervals"},
	{"errors below forgotten", "sorted", "floats"},
	{"split halved", "split", "floats"},
	{"factor 2 dropped", "split", "floats"},
	{"joins forgotten", "split", "floats"},
	{"terms off the format forgotten", "split", "unrounded"},
	{"a format forgotten", "split", "floats, at least"},
	{"wider formats forgotten", "split", "floats, at least"},
	{"eta dropped", "sorted", "unrounded"},
	{"rounding of products dropped", "sorted", "products"},
	{"flush dropped", "sorted", "flush"},
	{"second roundings forgotten", "sorted", "twice"},
	{"second roundings forgotten", "T2", "twice"},
	{"ulp/2 at once", "sorted", "twice"},
	{"steps halved", "steps", "floats"},
	{"the term itself is a step", "steps", "floats"},
}

func twice(x *big.Rat) *big.Rat { return new(big.Rat).Add(x, x) }

func half(x *big.Rat) *big.Rat { return new(big.Rat).Quo(x, ri(2)) }

func minRat(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) <= 0 {
		return x
	}
	return y
}

func maxRat(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) >= 0 {
		return x
	}
	return y
}

// twoToThe returns 2^k.
func twoToThe(k int) *big.Rat {
	p := new(big.Int).Lsh(big.NewInt(1), uint(max(k, -k)))
	if k < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// exponent returns e with 2^e <= x < 2^(e+1).
func exponent(x *big.Rat) int {
	e := x.Num().BitLen() - x.Denom().BitLen()
	if twoToThe(e).Cmp(x) > 0 {
		e--
	}
	return e
}

func (t openTwin) unrounded() bool { return t.Unrounded || t.Products }

// grid returns the greatest power of two of which all terms are multiples, and 0 for terms that are not known.
func (t openTwin) grid(lo, hi []*big.Rat) *big.Rat {
	grid := new(big.Rat)
	for i, x := range lo {
		if x.Cmp(hi[i]) != 0 {
			return new(big.Rat)
		}
		if x.Sign() == 0 {
			continue
		}
		g := twoToThe(int(x.Num().TrailingZeroBits()) - x.Denom().BitLen() + 1)
		if grid.Sign() == 0 || g.Cmp(grid) < 0 {
			grid = g
		}
	}
	return grid
}

// gap returns the greatest error of rounding a number of magnitude at most x that is no loss.
func (t openTwin) gap(w openTerms, x *big.Rat) *big.Rat {
	least := twoToThe(t.Format.Emin)
	if !w.unrounded {
		least = twice(least)
	}
	least = maxRat(least, product(w.grid, twoToThe(t.Format.P)))
	if x.Cmp(least) <= 0 {
		return new(big.Rat)
	}
	e := exponent(x)
	top, steep := twoToThe(e-t.Format.P), ri(1)
	if t.Twice && t.fault != "second roundings forgotten" {
		steep = new(big.Rat).SetFrac64(257, 255)
		if t.fault == "ulp/2 at once" {
			steep = new(big.Rat)
		}
		top = product(top, new(big.Rat).SetFrac64(257, 256))
	}
	before := half(top) // up to 2^e
	if e == t.Format.Emin {
		before = new(big.Rat)
	}
	if t.fault == "ulp/2 at the lower end" {
		return before
	}
	return maxRat(before, minRat(top, product(steep, sumOf(x, negative(twoToThe(e))))))
}

func negative(x *big.Rat) *big.Rat { return new(big.Rat).Neg(x) }

// openTerms are the magnitudes that the theorems use, in descending order.
type openTerms struct {
	n             int
	all           []*big.Rat // greatest magnitudes
	pos, neg      []*big.Rat // parts, as many as terms, in the order of all
	lost, grow, v *big.Rat
	products      *big.Rat // roundings of the products
	grid          *big.Rat
	unrounded     bool // sums may lose η
}

func total(list []*big.Rat) *big.Rat { return sumOf(list...) }

// terms returns what the theorems need.
func (t openTwin) terms(lo, hi []*big.Rat) openTerms {
	n := len(lo)
	if t.fault == "upper ends forgotten" {
		hi = lo
	}
	w := openTerms{n: n, v: vOf(t.Format.P), grow: ri(1), lost: new(big.Rat), products: new(big.Rat)}
	order := make([]int, n)
	for i := range order {
		order[i] = i
		w.all = append(w.all, maxRat(new(big.Rat).Abs(lo[i]), new(big.Rat).Abs(hi[i])))
	}
	slices.SortStableFunc(order, func(i, j int) int { return w.all[j].Cmp(w.all[i]) })
	w.grid = t.grid(lo, hi)
	w.unrounded = t.unrounded() && w.grid.Cmp(twoToThe(t.Format.EtaExp()+1)) < 0
	all := w.all
	w.all = nil
	for _, i := range order {
		w.all = append(w.all, all[i])
		w.pos = append(w.pos, maxRat(new(big.Rat), hi[i]))
		w.neg = append(w.neg, maxRat(new(big.Rat), negative(lo[i])))
	}
	eta := twoToThe(t.Format.EtaExp())
	if t.Twice && t.fault != "second roundings forgotten" {
		w.v = product(twoToThe(-t.Format.P), new(big.Rat).SetFrac64(257, 256))
		eta = product(eta, new(big.Rat).SetFrac64(257, 256))
	}
	if t.fault == "eta dropped" {
		eta = new(big.Rat)
	}
	switch {
	case n == 0 || !w.unrounded:
	case t.Products && t.AtLeast:
		w.lost = product(ri(2*n-1), eta)
	case t.Products:
		w.lost = product(ri(n), eta)
	case t.Unrounded:
		w.lost = product(ri(n-1), eta)
	}
	if t.Flush.Any() && t.fault != "flush dropped" {
		w.lost = sumOf(w.lost, product(ri(n), twoToThe(t.Format.Emin)))
	}
	exact := maxRat(total(w.pos), total(w.neg)).Cmp(product(w.grid, twoToThe(t.Format.P))) <= 0
	if t.Products && !exact && t.fault != "rounding of products dropped" {
		w.grow = sumOf(ri(1), w.v)
		w.products = product(w.v, total(w.all))
	}
	return w
}

// bounds returns each theorem's bound of the whole error.
func (t openTwin) bounds(lo, hi []*big.Rat) map[string]*big.Rat {
	w := t.terms(lo, hi)
	a := sumOf(product(w.grow, total(w.all)), w.lost)
	list := map[string]*big.Rat{}
	put := func(name string, d *big.Rat) {
		if t.fault == name+" halved" {
			d = half(d)
		}
		list[name] = sumOf(d, w.lost, w.products)
	}
	if w.n == 0 {
		put("T1", new(big.Rat))
		return list
	}
	h := w.n - 1
	if t.Height > 0 {
		h = min(h, t.Height)
	}
	if t.fault == "T2 one less high" {
		h--
	}
	t2 := product(grown(w.v, h), a)
	known := t2
	if !t.AtLeast {
		k := w.n - 1
		if t.fault == "T1 counts n-2" {
			k--
		}
		t1 := product(ri(max(k, 0)), w.v, a)
		known = minRat(known, t1)
		put("T1", t1)
	}
	put("T2", t2)
	sorted := t.climb(w, w.n, new(big.Rat), known)
	put("sorted", sorted)
	if w.n > 1 {
		if d := t.steps(w, a, lo, hi); d != nil {
			put("steps", d)
		}
	}
	if t.AtLeast && t.Formats == 0 {
		return list
	}
	known = minRat(known, sorted)
	var split *big.Rat
	for nb := 1; nb <= w.n; nb++ {
		d := t.split(w, nb, a, known)
		if split == nil || d.Cmp(split) < 0 {
			split = d
		}
	}
	put("split", split)
	return list
}

// split returns the split bound for the nb greatest terms, not below known where that is used inside.
func (t openTwin) split(w openTerms, nb int, a, known *big.Rat) *big.Rat {
	if t.AtLeast && t.fault != "wider formats forgotten" {
		return t.splitAtLeast(w, nb, a, known)
	}
	joins := new(big.Rat)
	if nt := w.n - nb; nt > 0 {
		factor := sumOf(ri(1), product(ri(2*(nt-1)), w.v))
		switch t.fault {
		case "factor 2 dropped":
			factor = sumOf(ri(1), product(ri(nt-1), w.v))
		case "joins forgotten":
			factor = product(ri(nt-1), w.v)
		}
		joins = product(factor, sumOf(product(w.grow, total(w.all[nb:])), w.lost))
		if t.unrounded() && t.fault != "terms off the format forgotten" {
			joins = sumOf(joins, product(w.v, a), product(ri(nb), twoToThe(t.Format.EtaExp())))
		}
	}
	return t.climb(w, nb, joins, known)
}

// splitAtLeast returns the split bound where additions may be rounded to wider formats.
func (t openTwin) splitAtLeast(w openTerms, nb int, a, known *big.Rat) *big.Rat {
	tau := sumOf(product(w.grow, total(w.all[nb:])), w.lost)
	rho := grown(w.v, w.n-nb-1)
	m := maxRat(total(w.pos), total(w.neg))
	both := product(ri(nb-1), t.gap(w, sumOf(product(w.grow, m), w.lost, known)))
	off := new(big.Rat)
	if t.unrounded() && t.fault != "terms off the format forgotten" {
		off = sumOf(product(w.v, a), product(ri(2*nb), twoToThe(t.Format.EtaExp())))
	}
	f := t.Formats
	if t.fault == "a format forgotten" {
		f--
	}
	rest := sumOf(product(sumOf(ri(1), rho), tau), off, both)
	return sumOf(product(rho, tau), both, product(sumOf(twoToThe(f), ri(-1)), rest))
}

// steps returns the step bound; nil where its hypotheses do not hold.
func (t openTwin) steps(w openTerms, a *big.Rat, lo, hi []*big.Rat) *big.Rat {
	v, delta := w.v, new(big.Rat)
	if t.Twice {
		delta = twoToThe(-8)
	}
	below := sumOf(product(grown(v, w.n-1), a), w.lost)
	full := sumOf(maxRat(total(w.pos), total(w.neg)), below)
	if t.Products || t.Format.P > 26 || full.Sign() == 0 {
		return nil
	}
	e := exponent(full)
	if twoToThe(e).Cmp(full) < 0 {
		e++
	}
	g := twoToThe(e - 1 - t.Format.P)
	eta := twoToThe(t.Format.EtaExp())
	if g.Cmp(product(ri(8), eta)) < 0 || t.Flush.Any() && half(g).Cmp(twoToThe(t.Format.Emin)) < 0 {
		return nil
	}
	delta = product(delta, g)
	if t.fault == "second rounding forgotten" {
		delta = new(big.Rat)
	}
	high := 0
	m := openTwin{OpenRules: t.OpenRules}.greatest(w)
	for k := 1; k <= w.n; k++ {
		if sumOf(m[k-1], below).Cmp(twoToThe(e-1)) > 0 {
			high++
		}
	}
	count := func(room *big.Rat) int {
		if room.Sign() <= 0 {
			return w.n
		}
		q := new(big.Rat).Quo(a, room)
		return int(new(big.Int).Quo(q.Num(), q.Denom()).Int64())
	}
	joins := func(s *big.Rat) int {
		room := sumOf(product(s, twoToThe(t.Format.P-1)), negative(below))
		return max(min(count(room), w.n/2)-1, 0)
	}
	n := joins(g) + joins(half(g)) + min(count(sumOf(twoToThe(e-1), negative(below))), w.n)
	if t.fault == "coarse steps forgotten" {
		high = 0
	}
	sum := maxRat(t.distances(lo, hi, g, delta, high), t.distances(negatives(hi), negatives(lo), g, delta, high))
	sum = sumOf(sum, product(ri(n), half(g)))
	if w.n > 3 {
		sum = sumOf(sum, product(v, a))
	}
	return sum
}

func negatives(list []*big.Rat) []*big.Rat {
	var r []*big.Rat
	for _, x := range list {
		r = append(r, negative(x))
	}
	return r
}

// greatest returns all m_k.
func (t openTwin) greatest(w openTerms) []*big.Rat {
	descending := func(list []*big.Rat) []*big.Rat {
		list = slices.Clone(list)
		slices.SortFunc(list, func(x, y *big.Rat) int { return y.Cmp(x) })
		return list
	}
	pos, neg := descending(w.pos), descending(w.neg)
	var m []*big.Rat
	p, q := new(big.Rat), new(big.Rat)
	for k := range w.n {
		p, q = sumOf(p, pos[k]), sumOf(q, neg[k])
		m = append(m, maxRat(p, q))
	}
	return m
}

// distances returns the greatest Σ q_j over some terms and Σ p_j over high others.
func (t openTwin) distances(lo, hi []*big.Rat, g, delta *big.Rat, high int) *big.Rat {
	// distance returns that from lo to the least multiple of s that is more than delta above hi, or that of any number between.
	few := len(lo) < 4 // no addition joins two subtrees with two terms each
	distance := func(lo, hi, s *big.Rat) *big.Rat {
		above := func(x *big.Rat) *big.Rat {
			x = new(big.Rat).Quo(sumOf(x, delta), s)
			k := new(big.Int).Div(x.Num(), x.Denom())
			if t.fault != "the term itself is a step" || new(big.Rat).SetInt(k).Cmp(x) != 0 {
				k.Add(k, big.NewInt(1))
			}
			return product(new(big.Rat).SetInt(k), s)
		}
		d := sumOf(above(lo), negative(lo))
		if above(lo).Cmp(above(hi)) != 0 {
			d = sumOf(s, delta)
		}
		if few || t.fault == "half steps forgotten" {
			return d
		}
		return maxRat(d, half(sumOf(s, delta)))
	}
	sum := new(big.Rat)
	var more []*big.Rat
	for i := range lo {
		p, q := distance(lo[i], hi[i], g), distance(lo[i], hi[i], half(g))
		sum = sumOf(sum, q)
		more = append(more, sumOf(p, negative(q)))
	}
	slices.SortFunc(more, func(x, y *big.Rat) int { return y.Cmp(x) })
	return sumOf(append(more[:high], sum)...)
}

// climb returns the sorted bound over the nb greatest terms; the others' parts are in each m_k.
func (t openTwin) climb(w openTerms, nb int, c, known *big.Rat) *big.Rat {
	descending := func(list []*big.Rat) []*big.Rat {
		list = slices.Clone(list)
		slices.SortFunc(list, func(x, y *big.Rat) int { return y.Cmp(x) })
		return list
	}
	pos, neg := descending(w.pos[:nb]), descending(w.neg[:nb])
	p, q := sumOf(total(w.pos[nb:]), pos[0]), sumOf(total(w.neg[nb:]), neg[0])
	for k := 2; k <= nb; k++ {
		p, q = sumOf(p, pos[k-1]), sumOf(q, neg[k-1])
		m := maxRat(p, q)
		if t.fault == "positive terms only" {
			m = p
		}
		below := minRat(c, known)
		if t.fault == "errors below forgotten" {
			below = new(big.Rat)
		}
		if t.fault == "the root forgotten" && k == nb || t.fault == "k=2 forgotten" && k == 2 {
			continue
		}
		c = sumOf(c, t.gap(w, sumOf(product(w.grow, m), w.lost, below)))
	}
	return c
}

// least returns the least of the theorems' bounds.
func (t openTwin) least(lo, hi []*big.Rat) *big.Rat {
	var least *big.Rat
	for _, b := range t.bounds(lo, hi) {
		if least == nil || b.Cmp(least) < 0 {
			least = b
		}
	}
	return least
}

// openToy sums all subsets of a few terms over all trees, with every outcome that a rounding may have.
type openToy struct {
	toy
	finer  []toy // wider formats that a rounding may go to instead
	exact  bool  // a rounding may be absent
	first  *toy  // a wider format that a rounding may go to first; nil for none
	height int   // of the tree, at most; 0 is any
	split  [64][][2]int
	states [64][]openState
	// greatest is the greatest magnitude of what an addition rounded, farthest the greatest error of the sum itself.
	greatest, farthest int64
}

// openState is a computed value, and the greatest sum of errors' magnitudes on any way to it.
type openState struct{ value, d int64 }

// newOpenToy returns the programme for up to 6 terms.
func newOpenToy(t toy) *openToy {
	o := &openToy{toy: t}
	for s := 1; s < 64; s++ {
		for a := (s - 1) & s; a > s&^a; a = (a - 1) & s {
			o.split[s] = append(o.split[s], [2]int{a, s &^ a})
		}
	}
	return o
}

// with returns list with q, if it has nothing worse.
func with(list []openState, q openState) []openState {
	for i := range list {
		if list[i].value == q.value {
			list[i].d = max(list[i].d, q.d)
			return list
		}
	}
	return append(list, q)
}

// outcomes adds to list what rounding x may give, where d was lost before.
func (o *openToy) outcomes(list []openState, x, d int64) []openState {
	add := func(r int64) { list = with(list, openState{r, d + max(r-x, x-r)}) }
	both := func(r0, r1 int64) { add(r0); add(r1) }
	both(o.round(x))
	for _, f := range o.finer {
		both(f.round(x))
	}
	if o.first != nil {
		x0, x1 := o.first.round(x)
		both(o.round(x0))
		both(o.round(x1))
	}
	if o.exact {
		add(x)
	}
	return list
}

// enter returns what an exact term may be when it is added: itself, or with products rounded.
func (o *openToy) enter(x int64, product bool) []openState {
	list := []openState{{value: x}}
	if product {
		list = o.outcomes(list, x, 0)
	}
	return list
}

// worst returns the greatest sum of the errors' magnitudes over all trees over the terms, whose sum is exact.
func (o *openToy) worst(leaves [][]openState, exact int64) int64 {
	n := len(leaves)
	o.greatest = 0
	all := 1<<n - 1
	for s := 1; s <= all; s++ {
		o.states[s] = o.states[s][:0]
	}
	for i, l := range leaves {
		o.states[1<<i] = append(o.states[1<<i], l...)
	}
	if o.height == 0 {
		for s := 1; s <= all; s++ {
			o.join(s, &o.states)
		}
	} else {
		for range o.height {
			before := o.states
			for s := range before {
				before[s] = slices.Clone(before[s])
			}
			for s := 1; s <= all; s++ {
				o.join(s, &before)
			}
		}
	}
	d := int64(-1)
	o.farthest = 0
	for _, q := range o.states[all] {
		d = max(d, q.d)
		o.farthest = max(o.farthest, q.value-exact, exact-q.value)
	}
	return d
}

// join adds the sums over subset s of the subsets' states in from.
func (o *openToy) join(s int, from *[64][]openState) {
	for _, part := range o.split[s] {
		for _, a := range from[part[0]] {
			for _, b := range from[part[1]] {
				x, y := o.operand(a.value), o.operand(b.value)
				lost := max(a.value-x, x-a.value) + max(b.value-y, y-b.value)
				o.greatest = max(o.greatest, x+y, -x-y)
				o.states[s] = o.outcomes(o.states[s], x+y, a.d+b.d+lost)
			}
		}
	}
}

// multisets calls visit with every step-th multiset of n of the ascending numbers whose greatest magnitude is positive.
func multisets(numbers []int64, n, step int, visit func(terms []int64) bool) {
	terms := make([]int64, n)
	count := 0
	var choose func(i, from int) bool
	choose = func(i, from int) bool {
		if i == n {
			if -terms[0] > terms[n-1] {
				return true
			}
			count++
			return count%step != 0 || visit(terms)
		}
		for j := from; j < len(numbers); j++ {
			terms[i] = numbers[j]
			if !choose(i+1, j) {
				return false
			}
		}
		return true
	}
	choose(0, 0)
}

// openCase is one exhaustive trial: rules, numbers and roundings.
type openCase struct {
	name      string
	rules     model.OpenRules
	programme *openToy
	numbers   []int64
	n, step   int
	wide      bool // terms are known to lie between their neighbours among the numbers
}

// ends returns the intervals in which the terms are known to lie.
func (c openCase) ends(terms []int64) (lo, hi []int64) {
	if !c.wide {
		return terms, terms
	}
	for _, x := range terms {
		i, _ := slices.BinarySearch(c.numbers, x)
		lo, hi = append(lo, c.numbers[max(i-1, 0)]), append(hi, c.numbers[min(i+1, len(c.numbers)-1)])
	}
	return lo, hi
}

// run calls judge with the terms and the worst sum of errors of every multiset.
func (c openCase) run(judge func(terms []int64, worst int64) bool) {
	leaves := make([][]openState, c.n)
	entered := map[int64][]openState{}
	for _, x := range c.numbers {
		entered[x] = c.programme.enter(x, c.rules.Products)
	}
	multisets(c.numbers, c.n, c.step, func(terms []int64) bool {
		exact := int64(0)
		for i, x := range terms {
			leaves[i] = entered[x]
			exact += x
		}
		return judge(terms, c.programme.worst(leaves, exact))
	})
}
