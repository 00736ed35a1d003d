package vectors

import (
	"fmt"
	"math"
	"slices"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
	"gamma/sumtree"
)

// Applies says why a law has nothing to say about the subject, and "" if it has.
func (s *Kernel) Applies(l *Law) string {
	switch {
	case l.Op != s.Op && l.Op != engine.OpAny:
		return fmt.Sprintf("the law is one of a %s", l.Op)
	case l.About(s.Device) != "":
		return l.About(s.Device)
	case l.ID == model.DeviceOrder && (s.Squares || s.Magnitudes):
		return "the terms have no signs, so that none masks others"
	case (l.ID == model.SumIndependent || l.ID == model.DotIndependent) && !s.Rows:
		return "the kernel takes one vector a call"
	case l.ID == model.KernelSchedule && s.Device.Hardware:
		return engine.HardwareOrder
	case s.silent != "" && !l.OnDevice && l.Found == nil:
		return s.silent
	case l.Thorough && s.shortAlone(true) != "":
		return s.shortAlone(true)
	case l.MaxN > 0 && leastLength(&s.Claim, 1) > l.MaxN:
		return fmt.Sprintf("the law looks at up to %d leaves, and the claim takes no vector so short", l.MaxN)
	}
	c := s.Claim
	if c.Tree == "" && (s.Follows || s.ownSchedule()) {
		c.Tree = "left" // the schedule comes with the case, or from a function: some tree is claimed
	}
	return l.AppliesTo(&c)
}

// Drawer draws cases for one law and one subject.
type Drawer struct {
	r        *Run
	law      *Law
	families []string
	Sizes    []int
	Long     []int
	lengths  draw.Lengths
	seed     uint64
	exp      families.Expander
	limit    int // of lengths
	drawn    int
	recipe   families.Recipe
	text     []byte
	c        corpus.Case
}

// rowCounts are how many rows are drawn for kernels that reduce many.
var rowCounts = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64}

// NewDrawer returns the source of cases for one law, from the law's families or all.
func NewDrawer(r *Run, l *Law) *Drawer {
	d := &Drawer{r: r, law: l, families: l.Families, seed: r.Set.SeedFor(string(l.ID), r.Sub.Name)}
	if d.families == nil {
		d.families = families.DrawnNames()
	}
	d.families = d.admitted(d.families)
	d.lengths = r.Sub.lengthsFor(l, r.Set.MaxN)
	c := &r.Sub.Claim
	var more []int
	if b := c.Block; b > 0 { // where block sums, not leaves, begin to matter
		more = append(more, b-1, b, b+1, 2*b+1, b*b+b+1, 2*b*b+b+1)
	}
	if least := c.MinN; least > 0 {
		more = append(more, least, least+1, 2*least+1)
	}
	d.Sizes, d.Long = d.lengths.Sizes(more...)
	d.limit = d.lengths.Most
	return d
}

// Draws returns how often an engine draws.
func (d *Drawer) Draws() int { return d.r.Checks(d.r.Set.Checks) }

// Make expands a draw into a case, which is valid until the next; of a law whose cases cost much it skips most.
func (d *Drawer) Make(w engine.Draw, _ int) (c *corpus.Case, ok bool) {
	if d.drawn++; d.drawn%d.law.Every(d.Draws()) != 0 || d.Few() && d.drawn > longCases {
		return nil, false
	}
	rec := families.Recipe{A: w.A, B: w.B, Seed: w.Seed}
	rec.Family = d.families[draw.Even(w.Family, rec.A, rec.B, rec.Seed)*len(d.families)>>16]
	return d.expand(rec, w.Size, w.Shape), true
}

// Few reports whether the law judges few cases, whatever is asked for.
func (d *Drawer) Few() bool { return d.law.Thorough }

// Next draws a case from a generator of numbers.
func (d *Drawer) Next(rng *draw.Splitmix) (*corpus.Case, int) {
	r := rng.Next()
	rec := families.Recipe{Family: d.families[rng.Below(len(d.families))], A: uint8(r), B: uint8(r >> 8), Seed: rng.Next()}
	return d.expand(rec, int(r>>16&0xffff), int(r>>32&0xffff)), 1
}

// Toward makes the drawer draw from these families, or from all if there are none, and often of these sizes.
func (d *Drawer) Toward(names []string, sizes []int) {
	if d.families = names; len(names) == 0 {
		d.families = d.admitted(families.FamilyNames())
	}
	if len(sizes) > 0 {
		d.Sizes, d.Long = sizes, nil
	}
}

// admitted returns the families of a list that the claim is about.
func (d *Drawer) admitted(names []string) []string {
	if !d.r.Sub.Claim.Finite {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return families.FamilyByName[name].Special })
}

// expand turns draws of any engine into a case.
func (d *Drawer) expand(rec families.Recipe, place, shape int) *corpus.Case {
	h := draw.Mix(rec.Seed ^ d.seed ^ uint64(place)<<32 ^ uint64(shape)<<48)
	rec.Seed = h >> 20 // short in case files
	rec.A ^= uint8(h)
	rec.B ^= uint8(h >> 8)
	place = int(uint16(place) ^ uint16(h>>4))
	switch last := d.Sizes[len(d.Sizes)-1]; {
	case len(d.Sizes) == 1:
		rec.N = last
	case len(d.Long) > 0 && h>>57 < 128/draw.LongEvery:
		rec.N = d.Long[place*len(d.Long)>>16]
	case place&7 == 1 && last > 12: // any length, short ones as often as long ones
		rec.N = int(math.Exp2(float64(float64(place>>3)/(1<<13)*math.Log2(float64(last+1))))) - 1
	case place&3 == 0 && last > 12:
		rec.N = place >> 2 * min(last, 300) >> 14 // anywhere between the boundaries
	default:
		rec.N = d.Sizes[place>>2*len(d.Sizes)>>14]
	}
	if d.r.Sub.Rows {
		rec.Rows = rowCounts[int(h>>40)%len(rowCounts)]
		rec.N = min(rec.N, 1+d.r.Sub.Device.Most(4096)/rec.Rows)
	}
	return d.caseOf(rec, shape, h)
}

// caseOf makes the case of a recipe; shape and h draw what else it has.
func (d *Drawer) caseOf(rec families.Recipe, shape int, h uint64) *corpus.Case {
	rec.N = d.lengths.Fit(rec.N)
	rec.Dot, rec.Squares = d.r.Sub.Op == engine.OpDot && !d.r.Sub.Squares, d.r.Sub.Squares
	d.recipe = rec
	d.text = rec.Append(d.text[:0])
	d.c = corpus.Case{Law: d.law.ID, Kernel: d.r.Sub.Name, Seed: h >> 56, Rows: rec.Rows, Gen: string(d.text)}
	if rec.Rows <= 1 {
		d.c.Rows = 0
	}
	d.c.X, d.c.Y = d.exp.Expand(rec, d.r.Sub.Claim.In)
	if d.r.Sub.shared {
		shareRows(d.c.Y, rec.N)
	}
	if d.r.Sub.Follows {
		d.c.Tree = drawTree(shape, h, rec.N)
	}
	at := d.r.Sub.Device.DrawSetting(rec.N, draw.Mix(h))
	d.c.Behaviour, d.c.Launch = at.Behaviour, at.Launch
	return &d.c
}

// shareRows repeats the first n elements in every row of y: the kernel takes one vector for all rows,
// and so a case reduced to any one row means the same.
func shareRows(y corpus.Values, n int) {
	for at := n; at < y.Len(); at += n {
		Put(y.Slice(at, at+n), y.Slice(0, n))
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
