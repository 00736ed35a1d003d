package wrapping

import (
	"fmt"
	"slices"

	"gamma/corpus"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/residues"
)

// wrappingFamilies are ways to draw term i of a sum of k-bit integers; what is above k bits is cut off. place is that of one term.
var wrappingFamilies = []struct {
	name string
	term func(rng *draw.Splitmix, i, k, place int) uint64
}{
	{"random", func(rng *draw.Splitmix, _, _, _ int) uint64 { return rng.Next() }},
	{"ones", func(*draw.Splitmix, int, int, int) uint64 { return 1 }},
	{"greatest", func(*draw.Splitmix, int, int, int) uint64 { return ^uint64(0) }},
	{"index", func(_ *draw.Splitmix, i, _, _ int) uint64 { return uint64(i) + 1 }},
	{"halves", func(_ *draw.Splitmix, i, k, _ int) uint64 { return 1<<(k-1) - uint64(i&1) }},
	{"single", func(rng *draw.Splitmix, i, k, place int) uint64 {
		return [...]uint64{1, ^uint64(0), 1 << (k - 1), 1 << (k / 2), rng.Next()}[rng.Below(5)] * (1 - uint64(min(1, max(i-place, place-i))))
	}},
	{"sparse", func(rng *draw.Splitmix, _, _, _ int) uint64 { return rng.Next() * (1 - uint64(min(1, rng.Below(8)))) }},
	{"high", func(rng *draw.Splitmix, _, k, _ int) uint64 { return rng.Next() << (k - k/4) }},
	{"carries", func(rng *draw.Splitmix, _, k, _ int) uint64 { return 1<<(k/2) - 1 - rng.Next()&1 }},
}

// wrappingDrawer draws terms for one law and one sum.
type wrappingDrawer struct {
	engine.Seeded[*corpus.Integers]
	r     *wrappingRun
	seed  uint64
	sizes []int // those from short on are drawn rarely
	short int
	c     corpus.Integers
}

func (r *wrappingRun) Source(l *WrappingLaw, _ bool) (engine.Source[*corpus.Integers], error) {
	limit := r.Device.Most(draw.Most(r.Set.MaxN, r.w.MaxN))
	all := r.w.lengths(limit)
	if limit < all.Least {
		return nil, fmt.Errorf("props: %s claims sums of %d terms or more, and at most %d are drawn: look at -gamma.maxn", r.Name, all.Least, limit)
	}
	more := draw.LengthsOf(all.Least+1, limit, r.w.Multiple)
	sizes, long := more.Sizes()
	if more.Least > all.Most { // there is one alone
		sizes = nil
	}
	d := &wrappingDrawer{r: r, seed: r.Set.SeedFor(string(l.ID), r.Name), short: 1 + len(sizes)}
	d.N, d.From, d.sizes = r.Checks(r.Set.Checks), d.expand, slices.Concat([]int{all.Least}, sizes, long, []int{all.Most})
	return d, nil
}

// expand turns a draw into terms, which are valid until the next.
func (d *wrappingDrawer) expand(seed uint64) *corpus.Integers {
	rng := draw.Splitmix(draw.Mix(seed ^ d.seed))
	n, k := d.sizes[rng.Below(d.short)], d.r.w.Bits
	if rng.Below(draw.LongEvery) == 0 {
		n = d.sizes[rng.Below(len(d.sizes))]
	}
	f := &wrappingFamilies[rng.Below(len(wrappingFamilies))]
	place := [...]int{0, n - 1, n - 1 - rng.Below(8), rng.Below(n + 1)}[rng.Below(4)]
	d.c = corpus.Integers{Bits: k, X: draw.Grow(d.c.X, n), Recipe: fmt.Sprintf("%s n=%d seed=%d", f.name, n, seed)}
	for i := range d.c.X {
		d.c.X[i] = f.term(&rng, i, k, place) & residues.GreatestWord(k)
	}
	return d.r.Seed(&d.c, n, rng.Next()>>48)
}

// Decode makes terms of a seed and of bytes that list them.
func (r *wrappingRun) Decode(b *engine.Decoder, _ *WrappingLaw) *corpus.Integers {
	seed, width := uint64(b.Byte()), r.w.Bits/8
	all := r.w.lengths(r.Device.Most(draw.Most(draw.MaxFuzzN, r.Set.MaxN)))
	n := all.Fit(len(*b) / width)
	c := &corpus.Integers{Bits: r.w.Bits, X: make([]uint64, n)}
	for i := range c.X {
		c.X[i] = b.Word(width)
	}
	return r.Seed(c, n, seed)
}

func (r *wrappingRun) Seeds() (list [][]byte) {
	for i := range 40 { // subject, law, seed, terms
		list = append(list, append([]byte{byte(i), byte(i), byte(i)}, slices.Repeat([]byte{byte(i), 255, 128}, 8*(i&7))...))
	}
	return list
}
