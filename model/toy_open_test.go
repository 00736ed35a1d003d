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

// The faults that the tests plant, each with the theorem that it breaks.
var openFaults = []struct{ name, theorem string }{
	{"T1 halved", "T1"},
	{"T1 counts n-2", "T1"},
	{"T2 forgets that errors grow", "T2"},
	{"sorted halved", "sorted"},
	{"sorted forgets the root", "sorted"},
	{"sorted forgets k=2", "sorted"},
	{"sorted takes ulp/2 at the lower end", "sorted"},
	{"sorted sees positive terms only", "sorted"},
	{"sorted forgets errors below", "sorted"},
	{"split halved", "split"},
	{"split drops the factor 2", "split"},
	{"split forgets the joins", "split"},
	{"split takes a term not of the format for one", "split"},
	{"eta dropped", "sorted"},
	{"rounding of products dropped", "sorted"},
	{"flush dropped", "sorted"},
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

// gap returns the greatest error of rounding a number of magnitude at most x that is no loss.
func (t openTwin) gap(x *big.Rat) *big.Rat {
	least := twoToThe(t.Format.Emin)
	if !t.unrounded() {
		least = twice(least)
	}
	if x.Cmp(least) <= 0 {
		return new(big.Rat)
	}
	e := exponent(x)
	before := half(twoToThe(e - t.Format.P)) // up to 2^e
	if e == t.Format.Emin {
		before = new(big.Rat)
	}
	if t.fault == "sorted takes ulp/2 at the lower end" {
		return before
	}
	return maxRat(before, minRat(twoToThe(e-t.Format.P), sumOf(x, negative(twoToThe(e)))))
}

func negative(x *big.Rat) *big.Rat { return new(big.Rat).Neg(x) }

// openTerms are the magnitudes that the theorems use, in descending order.
type openTerms struct {
	n             int
	all           []*big.Rat // greatest magnitudes
	pos, neg      []*big.Rat // parts, as many as terms, in the order of all
	lost, grow, v *big.Rat
	products      *big.Rat // roundings of the products
}

func total(list []*big.Rat) *big.Rat { return sumOf(list...) }

// terms returns what the theorems need.
func (t openTwin) terms(lo, hi []*big.Rat) openTerms {
	n := len(lo)
	w := openTerms{n: n, v: vOf(t.Format.P), grow: ri(1), lost: new(big.Rat), products: new(big.Rat)}
	order := make([]int, n)
	for i := range order {
		order[i] = i
		w.all = append(w.all, maxRat(new(big.Rat).Abs(lo[i]), new(big.Rat).Abs(hi[i])))
	}
	slices.SortStableFunc(order, func(i, j int) int { return w.all[j].Cmp(w.all[i]) })
	all := w.all
	w.all = nil
	for _, i := range order {
		w.all = append(w.all, all[i])
		w.pos = append(w.pos, maxRat(new(big.Rat), hi[i]))
		w.neg = append(w.neg, maxRat(new(big.Rat), negative(lo[i])))
	}
	eta := twoToThe(t.Format.EtaExp())
	if t.fault == "eta dropped" {
		eta = new(big.Rat)
	}
	switch {
	case n == 0:
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
	if t.Products && t.fault != "rounding of products dropped" {
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
	t2 := product(grown(w.v, h), a)
	if t.fault == "T2 forgets that errors grow" {
		t2 = product(unitOf(t.Format.P), ri(h), a, fraction(1, 2))
	}
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
	if t.AtLeast {
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
	joins := new(big.Rat)
	if nt := w.n - nb; nt > 0 {
		factor := sumOf(ri(1), product(ri(2*(nt-1)), w.v))
		switch t.fault {
		case "split drops the factor 2":
			factor = sumOf(ri(1), product(ri(nt-1), w.v))
		case "split forgets the joins":
			factor = product(ri(nt-1), w.v)
		}
		joins = product(factor, sumOf(product(w.grow, total(w.all[nb:])), w.lost))
		if t.unrounded() && t.fault != "split takes a term not of the format for one" {
			joins = sumOf(joins, product(w.v, a), product(ri(nb), twoToThe(t.Format.EtaExp())))
		}
	}
	return t.climb(w, nb, joins, known)
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
		if t.fault == "sorted sees positive terms only" {
			m = p
		}
		below := minRat(c, known)
		if t.fault == "sorted forgets errors below" {
			below = new(big.Rat)
		}
		if t.fault == "sorted forgets the root" && k == nb || t.fault == "sorted forgets k=2" && k == 2 {
			continue
		}
		c = sumOf(c, t.gap(sumOf(product(w.grow, m), w.lost, below)))
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
