package props

import (
	"fmt"
	"slices"

	"gamma/corpus"
)

// wrappingFamilies are ways to draw term i of a sum of k-bit integers; what is above k bits is cut off. place is that of one term.
var wrappingFamilies = []struct {
	name string
	term func(rng *splitmix, i, k, place int) uint64
}{
	{"random", func(rng *splitmix, _, _, _ int) uint64 { return rng.next() }},
	{"ones", func(*splitmix, int, int, int) uint64 { return 1 }},
	{"greatest", func(*splitmix, int, int, int) uint64 { return ^uint64(0) }},
	{"index", func(_ *splitmix, i, _, _ int) uint64 { return uint64(i) + 1 }},
	{"halves", func(_ *splitmix, i, k, _ int) uint64 { return 1<<(k-1) - uint64(i&1) }},
	{"single", func(rng *splitmix, i, k, place int) uint64 {
		return [...]uint64{1, ^uint64(0), 1 << (k - 1), 1 << (k / 2), rng.next()}[rng.below(5)] * (1 - uint64(min(1, max(i-place, place-i))))
	}},
	{"sparse", func(rng *splitmix, _, _, _ int) uint64 { return rng.next() * (1 - uint64(min(1, rng.below(8)))) }},
	{"high", func(rng *splitmix, _, k, _ int) uint64 { return rng.next() << (k - k/4) }},
	{"carries", func(rng *splitmix, _, k, _ int) uint64 { return 1<<(k/2) - 1 - rng.next()&1 }},
}

// wrappingDrawer draws terms for one law and one sum.
type wrappingDrawer struct {
	r     *wrappingRun
	seed  uint64
	sizes []int // those from short on are drawn rarely
	short int
	c     corpus.Integers
}

func (r *wrappingRun) source(l *WrappingLaw, _ bool) (source[*corpus.Integers], error) {
	d := &wrappingDrawer{r: r, seed: r.set.seedFor(string(l.ID), r.name), sizes: []int{r.w.MinN}}
	limit := r.set.maxN
	if dev := r.device; dev != nil && dev.MaxN > 0 {
		limit = min(limit, dev.MaxN)
	}
	if r.w.MaxN > 0 {
		limit = min(limit, r.w.MaxN)
	}
	if limit < r.w.MinN {
		return nil, fmt.Errorf("props: %s claims sums of %d terms or more, and at most %d are drawn: look at -gamma.maxn", r.name, r.w.MinN, limit)
	}
	other := func(n int) bool { return n <= r.w.MinN || n > limit }
	d.sizes = append(d.sizes, slices.DeleteFunc(slices.Clone(boundarySizes), other)...)
	d.short = len(d.sizes)
	d.sizes = append(append(d.sizes, slices.DeleteFunc(slices.Clone(longSizes), other)...), limit)
	return d, nil
}

func (d *wrappingDrawer) draws() int { return d.r.checks(d.r.set.checks) }
func (d *wrappingDrawer) each() int  { return 1 }

func (d *wrappingDrawer) make(w draw, _ int) (*corpus.Integers, bool) {
	return d.expand(w.seed ^ uint64(w.family)<<48 ^ uint64(w.a)<<40 ^ uint64(w.b)<<32), true
}

func (d *wrappingDrawer) next(rng *splitmix) (*corpus.Integers, int) { return d.expand(rng.next()), 1 }

// expand turns a draw into terms, which are valid until the next.
func (d *wrappingDrawer) expand(seed uint64) *corpus.Integers {
	rng := splitmix(mix(seed ^ d.seed))
	n, k := d.sizes[rng.below(d.short)], d.r.w.Bits
	if rng.below(longEvery) == 0 {
		n = d.sizes[rng.below(len(d.sizes))]
	}
	f := &wrappingFamilies[rng.below(len(wrappingFamilies))]
	place := [...]int{0, n - 1, n - 1 - rng.below(8), rng.below(n + 1)}[rng.below(4)]
	d.c = corpus.Integers{Bits: k, X: grow(d.c.X, n), Recipe: fmt.Sprintf("%s n=%d seed=%d", f.name, n, seed)}
	for i := range d.c.X {
		d.c.X[i] = f.term(&rng, i, k, place) & greatestWord(k)
	}
	return d.set(rng.next() >> 48)
}

// set gives the case its seed, and on a device what it runs under.
func (d *wrappingDrawer) set(seed uint64) *corpus.Integers {
	if d.c.Seed = seed; d.r.device != nil {
		at := d.r.device.drawSetting(len(d.c.X), mix(seed))
		d.c.Behaviour, d.c.Launch = at.Behaviour, at.Launch
	}
	return &d.c
}

// decode makes terms of a seed and of bytes that list them.
func (r *wrappingRun) decode(b *decoder, l *WrappingLaw) *corpus.Integers {
	src, _ := r.source(l, false) // targets has seen that there is no error
	d, seed, width := src.(*wrappingDrawer), uint64(b.byte()), r.w.Bits/8
	most := min(maxFuzzN, d.sizes[len(d.sizes)-1])
	d.c = corpus.Integers{Bits: r.w.Bits, X: make([]uint64, max(r.w.MinN, min(len(*b)/width, most)))}
	for i := range d.c.X {
		d.c.X[i] = b.word(width)
	}
	return d.set(seed)
}

func (r *wrappingRun) seeds() (list [][]byte) {
	for i := range 40 { // subject, law, seed, terms
		list = append(list, append([]byte{byte(i), byte(i), byte(i)}, slices.Repeat([]byte{byte(i), 255, 128}, 8*(i&7))...))
	}
	return list
}
