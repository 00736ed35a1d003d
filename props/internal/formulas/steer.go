package formulas

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gamma/corpus"
	"gamma/model/formula"
	"gamma/oracle/conforming"
	"gamma/oracle/enclosure"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
)

// A steered attack evaluates one input for each steerShare that are drawn: half of them to start from, and steerSteps or so changes of each of the best. It has
// one part in steerTime of the time that a law has. Axes that are not rows' have steerMost elements together.
const (
	steerShare = 4
	steerSteps = 80
	steerTime  = 10
	steerMost  = 1 << 10
	steerLarge = 1 << 13 // beyond it there is no steered attack: a sum of n terms takes n² steps
)

// steerEnough is what a steered attack ends at: the enclosure is tight.
const steerEnough = 0.95

// wideEnough is the half-width, in u of the largest element, from which on an enclosure counts however wide ordinary ones are: beside that of a long sum the
// last rounding says nothing.
const wideEnough = 64

// steered looks for inputs, and evaluations of the formula that keep to the claim and choose the order of sums and all roundings, that come near to the end of an enclosure: how
// tight enclosures are, whatever the kernel does.
type steered struct {
	d     *drawer
	t     *Trial
	least float64 // the half-width from which on an enclosure counts, in u of the largest element
}

// steer returns the worst input for a steered evaluation that it finds, nil if none counts, and notes what that reached.
func (d *drawer) steer(rng *draw.Splitmix) *corpus.Arrays {
	if f := d.r.k.Claim.WithDefaults().Format; f.P > 26 {
		return nil // what evaluates, in binary64, could not tell
	}
	s := &steered{d: d, t: &Trial{run: d.r}}
	if elements(s.sized()) > steerLarge {
		return nil // as the claim wants it
	}
	s.ordinary(rng)
	var worst *corpus.Arrays
	end := time.Now().Add(d.r.Set.Budget / steerTime)
	half := max(1, d.Draws()/steerShare/2)
	climbs := (half + steerSteps - 1) / steerSteps
	engine.Attack(engine.Ascent{Starts: half, Climbs: climbs, Steps: half / climbs},
		func() (*corpus.Arrays, bool) { return s.start(rng), true },
		func(c *corpus.Arrays) *corpus.Arrays { return s.changed(c, rng) },
		func(c *corpus.Arrays) (float64, bool) {
			ratio := s.reach(c)
			if ratio > d.r.steered {
				d.r.steered, worst = ratio, c
			}
			return ratio, ratio >= steerEnough || time.Now().After(end)
		})
	return worst
}

// sized returns an input without elements, whose rows are as few as can be and as long as steerMost lets them.
func (s *steered) sized() *corpus.Arrays {
	c := s.d.r.blank()
	rows := batchAxes(s.d.r.k.Formula)
	long, most := max(1, len(c.Axes)-len(rows)), float64(steerMost)
	if slices.ContainsFunc(s.d.r.k.Formula.Nodes(), func(e *formula.Expr) bool { return e.Node().Op.Class() == formula.Scan }) {
		most /= 4 // each element of a scan is a sum
	}
	for i := range c.Axes {
		a := &c.Axes[i]
		claim := s.d.r.claimed(a.Name)
		if a.Size = 1; !slices.Contains(rows, a.Name) {
			a.Size = int(math.Pow(most, 1/float64(long)) + 0x1p-20)
		}
		a.Size = max(a.Size-a.Size%claim.step, claim.step, claim.least)
		if claim.most > 0 {
			a.Size = min(a.Size, claim.most)
		}
	}
	for i := range c.Inputs {
		n, _ := c.Len(c.Inputs[i].Axes)
		c.Inputs[i].Bits = make([]uint64, n)
	}
	return c
}

// normal fills an array with normally distributed numbers.
func (s *steered) normal(a *corpus.Array, rng *draw.Splitmix) {
	r := families.Recipe{Family: normal, N: len(a.Bits), Seed: rng.Next() >> 24}
	x, _ := (&families.Expander{}).Expand(r, a.Type.Float)
	for k := range a.Bits {
		a.Bits[k] = x.At(k)
	}
}

// start draws an input. One array has one number, and others that err most beside it; most of the others leave that as it is, which one number alone does.
func (s *steered) start(rng *draw.Splitmix) *corpus.Arrays {
	c := s.sized()
	about := rng.Below(len(c.Inputs))
	for i := range c.Inputs {
		a := &c.Inputs[i]
		way := rng.Below(8)
		switch {
		case !a.Type.IsReal():
			s.d.r.fillWhole(c, i, rng)
		case len(a.Bits) == 0:
		case i == about || way < 2:
			peak(a, chosen(a.Type.Float, rng), afterFirst(c, a, rng), rng)
		case way < 3:
			s.normal(a, rng)
		default:
			x := chosen(a.Type.Float, rng)
			if way > 4 {
				x = 1
			}
			put(a, func(int) float64 { return x })
		}
	}
	return c
}

// changed returns an input in which the numbers beside the first are all a little off, or which changes as those of other attacks.
func (s *steered) changed(c *corpus.Arrays, rng *draw.Splitmix) *corpus.Arrays {
	if rng.Below(2) == 0 {
		return changed(c, rng)
	}
	c = anew(c)
	if a := &c.Inputs[rng.Below(len(c.Inputs))]; a.Type.IsReal() {
		scaleLater(c, a, rng)
	}
	return c
}

// usual draws a normally distributed input.
func (s *steered) usual(rng *draw.Splitmix) *corpus.Arrays {
	c := s.sized()
	for i := range c.Inputs {
		if a := &c.Inputs[i]; a.Type.IsReal() {
			s.normal(a, rng)
		} else {
			s.d.r.fillWhole(c, i, rng)
		}
	}
	return c
}

// ordinary finds how wide enclosures are on normally distributed inputs.
func (s *steered) ordinary(rng *draw.Splitmix) {
	var all []float64
	for range 4 {
		r := s.enclosure(s.usual(rng))
		if r == nil {
			continue
		}
		for i, u := 0, s.unit(r); i < len(r.Lo); i++ {
			all = append(all, r.Width(i)/u)
		}
	}
	if s.least = wideEnough; len(all) > 0 {
		slices.Sort(all)
		s.least = min(s.least, all[len(all)/2])
	}
}

// enclosure returns what the claim allows on an input, nil if the formula has no sizes for it.
func (s *steered) enclosure(c *corpus.Arrays) *enclosure.Result {
	r, err := s.d.r.programs[freedom{}][0].Run(s.t.arrays(c))
	if err != nil {
		return nil
	}
	return r
}

// unit returns u of the largest element, u = 2^-p of the results' format; of integers 1.
func (s *steered) unit(r *enclosure.Result) float64 {
	out := s.d.r.out
	if !out.IsReal() {
		return 1
	}
	large := 0.0
	for i := range r.ExactLo {
		if m := max(math.Abs(r.ExactLo[i]), math.Abs(r.ExactHi[i])); !math.IsInf(m, 0) {
			large = max(large, m)
		}
	}
	return math.Ldexp(large, -out.Float.P)
}

// reach steers evaluations of an input towards both ends of the enclosures of its widest element and of its last, and returns the largest error/bound; -1 if
// neither counts. An element of an evaluation outside of its enclosure is noted, and ends the attack.
func (s *steered) reach(c *corpus.Arrays) float64 {
	r := s.enclosure(c)
	if r == nil || len(r.Lo) == 0 || s.t.special {
		return -1
	}
	widest, unit := 0, s.unit(r)
	for i := range r.Lo {
		if r.Width(i) > r.Width(widest) {
			widest = i
		}
	}
	best := -1.0
	var base *conforming.Evaluation
	targets := []int{widest, len(r.Lo) - 1}
	for _, target := range slices.Compact(targets) {
		if s.d.r.wrong != "" {
			return -1
		}
		if w := r.Width(target); !(w >= s.least*unit) || w == 0 || math.IsInf(w, 0) || r.MayBeNaN(target) {
			continue
		}
		root := s.d.r.k.Formula
		if base == nil {
			base = s.evaluation(c, &conforming.Steering{})
			if !admitted(root, base.Sizes) {
				return -1
			}
			base.Run(root, s.d.r.out)
		}
		adjoints := base.Adjoints(root, target)
		for _, way := range []float64{1, -1} {
			for i, x := range s.evaluation(c, &conforming.Steering{Adjoints: adjoints, Way: way}).Run(root, s.d.r.out) {
				if !r.Allows(i, x) {
					s.d.r.wrong = outsideEnclosure(root, i, x, r.Lo[i], r.Hi[i])
					return -1
				}
				if i == target {
					best = max(best, reached(r, i, x))
				}
			}
		}
	}
	return best
}

// evaluation returns one of the input that was enclosed last.
func (s *steered) evaluation(c *corpus.Arrays, by *conforming.Steering) *conforming.Evaluation {
	sizes, err := s.d.r.allSizes(c)
	if err != nil {
		panic(err) // the enclosure has them
	}
	return &conforming.Evaluation{
		Claim: s.d.r.k.Claim.WithDefaults(), Sizes: sizes, Inputs: func(name string) []float64 { return s.t.in[name].Values },
		Rand: rand.New(rand.NewPCG(1, 1)), Steering: by,
	}
}

// admitted reports whether there are evaluations for all sums of a formula at such sizes.
func admitted(root *formula.Expr, sizes map[string]int) bool {
	return !slices.ContainsFunc(root.Nodes(), func(e *formula.Expr) bool {
		n := 1
		for _, axis := range e.Node().Axes {
			n *= sizes[axis]
		}
		return !conforming.Admits(e.Node().Order, n)
	})
}

// outsideEnclosure says that Gamma contradicts itself.
func outsideEnclosure(e *formula.Expr, i int, x, lo, hi float64) string {
	return "props: an evaluation of " + e.String() + " that keeps to the claim gives " + formatted(x, 64) + " for element " + formatted(float64(i), 64) +
		", outside of its enclosure from " + formatted(lo, 64) + " to " + formatted(hi, 64) + ": Gamma is wrong, not the kernel"
}
