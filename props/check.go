package props

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gamma/corpus"
	"gamma/model"
	"gamma/sumtree"
)

// Check judges the reduction: it replays the cases on file, then searches with rapid, law by law.
// The first violation of each law fails the test with a report, and is saved.
func (r Reduction) Check(t *testing.T) { t.Helper(); check(t, r.judged) }

// Check judges the dot product, as Reduction.Check does.
func (d Dot) Check(t *testing.T) { t.Helper(); check(t, d.judged) }

// Replay judges the cases on file alone, without a search: those below testdata/gamma that name the subject, and those embedded in
// package corpus.
func (r Reduction) Replay(t *testing.T) { t.Helper(); replay(t, r.judged) }

// Replay judges the cases on file, as Reduction.Replay does.
func (d Dot) Replay(t *testing.T) { t.Helper(); replay(t, d.judged) }

// applies says why a law has nothing to say about the subject, and "" if it has.
func (s *subject) applies(l *Law) string {
	switch {
	case l.Op != s.op && l.Op != OpAny:
		return fmt.Sprintf("the law is one of a %s", l.Op)
	case l.about(s.device) != "":
		return l.about(s.device)
	case l.ID == model.DeviceOrder && (s.squares || s.magnitudes):
		return "the terms have no signs, so that none masks others"
	case l.ID == model.KernelSchedule && s.device.Hardware:
		return hardwareOrder
	case s.silent != "" && !l.OnDevice && l.Found == nil:
		return s.silent
	}
	c := s.claim
	if c.Tree == "" && (s.follows || s.ownSchedule()) {
		c.Tree = "left" // the schedule comes with the case, or from a function: some tree is claimed
	}
	return l.appliesTo(&c)
}

// drawer draws cases for one law and one subject.
type drawer struct {
	r        *run
	law      *Law
	families []string
	sizes    []int
	long     []int
	seed     uint64
	exp      expander
	drawn    int
	recipe   Recipe
	text     []byte
	c        corpus.Case
}

// boundarySizes are lengths at which kernels change what they do: tiles, SIMD groups, powers of two.
var boundarySizes = []int{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17, 23, 31, 32, 33, 47, 63, 64, 65, 96, 100, 127, 128, 129,
	191, 255, 256, 257, 300, 511, 512, 513, 777, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097,
}

// rowCounts are how many rows are drawn for kernels that reduce many.
var rowCounts = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64}

// longSizes are drawn once in longEvery cases: they cost as much as all the others together.
var longSizes = []int{8191, 8193, 16385, 32769, 65519, 65520, 65535, 65536, 65537, 70001}

const longEvery = 128

func newDrawer(r *run, l *Law) *drawer {
	d := &drawer{r: r, law: l, families: l.Families, seed: r.set.seedFor(string(l.ID), r.sub.name)}
	if d.families == nil {
		d.families = familyNames()
	}
	limit := r.set.maxN
	if l.MaxN > 0 {
		limit = min(limit, l.MaxN)
	}
	if m := r.sub.claim.MaxN; m > 0 {
		limit = min(limit, m)
	}
	if d := r.sub.device; d != nil && d.MaxN > 0 {
		limit = min(limit, d.MaxN)
	}
	sizes := boundarySizes
	if b := r.sub.claim.Block; b > 0 { // where block sums, not leaves, begin to matter
		sizes = slices.Concat(sizes, []int{b - 1, b, b + 1, 2*b + 1, b*b + b + 1, 2*b*b + b + 1})
	}
	least := r.sub.claim.MinN
	if least > 0 {
		sizes = slices.Concat(sizes, []int{least, least + 1, 2*least + 1})
	}
	for _, n := range sizes {
		if n >= least && n <= limit {
			d.sizes = append(d.sizes, n)
		}
	}
	for _, n := range longSizes {
		if n >= least && n <= limit {
			d.long = append(d.long, n)
		}
	}
	return d
}

// even spreads a place over all there are: rapid prefers small numbers, and so would draw the first family most of the time.
func even(place int, a, b uint8, seed uint64) int {
	return int(mix(seed^uint64(place)<<40^uint64(a)<<16^uint64(b)<<8) & 0xffff)
}

// draws returns how often an engine draws.
func (d *drawer) draws() int { return d.r.checks(d.r.set.checks) }

// each returns how many cases a draw stands for.
func (d *drawer) each() int { return 1 }

// make expands a draw into a case, which is valid until the next; of a law whose cases cost much it skips most.
func (d *drawer) make(w draw, _ int) (c *corpus.Case, ok bool) {
	if d.drawn++; d.drawn%d.law.every(d.draws()) != 0 {
		return nil, false
	}
	rec := Recipe{A: w.a, B: w.b, Seed: w.seed}
	rec.Family = d.families[even(w.family, rec.A, rec.B, rec.Seed)*len(d.families)>>16]
	return d.expand(rec, w.size, w.shape), true
}

// next draws a case from a generator of numbers.
func (d *drawer) next(rng *splitmix) (*corpus.Case, int) {
	r := rng.next()
	rec := Recipe{Family: d.families[rng.below(len(d.families))], A: uint8(r), B: uint8(r >> 8), Seed: rng.next()}
	return d.expand(rec, int(r>>16&0xffff), int(r>>32&0xffff)), 1
}

// expand turns draws of any engine into a case.
func (d *drawer) expand(rec Recipe, place, shape int) *corpus.Case {
	h := mix(rec.Seed ^ d.seed ^ uint64(place)<<32 ^ uint64(shape)<<48)
	rec.Seed = h >> 20 // short in case files
	rec.A ^= uint8(h)
	rec.B ^= uint8(h >> 8)
	place = int(uint16(place) ^ uint16(h>>4))
	switch last := d.sizes[len(d.sizes)-1]; {
	case len(d.sizes) == 1:
		rec.N = last
	case len(d.long) > 0 && h>>57 < 128/longEvery:
		rec.N = d.long[place*len(d.long)>>16]
	case place&7 == 1 && last > 12: // any length, short ones as often as long ones
		rec.N = max(d.r.sub.claim.MinN, int(math.Exp2(float64(float64(place>>3)/(1<<13)*math.Log2(float64(last+1)))))-1)
	case place&3 == 0 && last > 12:
		rec.N = max(d.r.sub.claim.MinN, place>>2*min(last, 300)>>14) // anywhere between the boundaries
	default:
		rec.N = d.sizes[place>>2*len(d.sizes)>>14]
	}
	rec.Dot, rec.Squares = d.r.sub.op == OpDot && !d.r.sub.squares, d.r.sub.squares
	if d.r.sub.rows {
		rec.Rows = rowCounts[int(h>>40)%len(rowCounts)]
		most := 4096
		if dev := d.r.sub.device; dev != nil && dev.MaxN > 0 {
			most = min(most, dev.MaxN)
		}
		rec.N = max(d.r.sub.claim.MinN, min(rec.N, 1+most/rec.Rows))
	}
	d.recipe = rec
	d.text = rec.append(d.text[:0])
	d.c = corpus.Case{Law: d.law.ID, Kernel: d.r.sub.name, Seed: h >> 56, Rows: rec.Rows, Gen: string(d.text)}
	if rec.Rows <= 1 {
		d.c.Rows = 0
	}
	d.c.X, d.c.Y = d.exp.expand(rec, d.r.sub.claim.In)
	if d.r.sub.shared {
		shareRows(d.c.Y, rec.N)
	}
	if d.r.sub.follows {
		d.c.Tree = drawTree(shape, h, rec.N)
	}
	if d.r.sub.device != nil {
		rng := splitmix(mix(h))
		d.r.sub.device.draw(&d.c, rec.N, &rng)
	}
	return &d.c
}

// shareRows repeats the first n elements in every row of y: the kernel takes one vector for all rows,
// and so a case reduced to any one row means the same.
func shareRows(y corpus.Values, n int) {
	for at := n; at < y.Len(); at += n {
		put(y.Slice(at, at+n), y.Slice(0, n))
	}
}

// drawTree returns the name of a schedule over n leaves.
func drawTree(draw int, h uint64, n int) string {
	shapes := []sumtree.Shape{
		sumtree.Left(), sumtree.Right(), sumtree.Pairwise(1), sumtree.Pairwise(8), sumtree.Blocked(7), sumtree.Blocked(128),
		sumtree.Lanes(4), sumtree.Lanes(32), sumtree.Chunks(5), sumtree.ShuffleXor(32), sumtree.ShuffleDown(32), sumtree.Kary(3),
		sumtree.Numpy(), sumtree.RandomSplits(h >> 50), sumtree.RandomShapes(h >> 50), sumtree.RandomSplits(h >> 40).Permute(h >> 55),
	}
	return shapes[draw*len(shapes)>>16].Tree(n).String()
}
