package formulas

import (
	"math"
	"slices"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/formula"
	"gamma/model/round"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
)

// An attack judges one input for each climbShare that are drawn: half of them to start from, and climbSteps or so changes of each of the best. Starts
// have from climbLeast to climbMost elements, if one of so many draws does; every other one is normally distributed.
const (
	climbShare = 10
	climbSteps = 25
	climbLeast = 1 << 8
	climbMost  = 1 << 11
	climbDraws = 10
)

// Climb changes inputs so that an element comes nearer to the end of its enclosure.
func (d *drawer) Climb(judge func(c *corpus.Arrays) (ratio float64, enough bool)) {
	real := func(e *formula.Expr) bool { return e.Type().IsReal() }
	if d.law.ID != model.FormulaEnclosure || !slices.ContainsFunc(d.r.inputs, real) {
		return
	}
	rng := draw.Splitmix(draw.Mix(d.seed ^ 0xa77ac4))
	if worst := d.steer(&rng); worst != nil {
		if _, enough := judge(d.r.Seed(worst, d.r.greatest(worst), rng.Next()>>24)); enough {
			return
		}
	}
	own, ordinary := *d, *d
	ordinary.families = []string{normal}
	drawers := [2]*drawer{&own, &ordinary}
	start := func() (c *corpus.Arrays, ok bool) {
		drawers[0], drawers[1] = drawers[1], drawers[0]
		for range climbDraws {
			c, _ = drawers[0].Next(&rng)
			if n := elements(c); n >= climbLeast && n <= climbMost {
				break
			}
		}
		return anew(c), true
	}
	half := max(1, d.Draws()/climbShare/2)
	climbs := (half + climbSteps - 1) / climbSteps
	engine.Attack(engine.Ascent{Starts: half, Climbs: climbs, Steps: half / climbs}, start, func(c *corpus.Arrays) *corpus.Arrays { return changed(c, &rng) }, judge)
}

// Climb does nothing: a sweep judges every input there is.
func (*sweep) Climb(func(c *corpus.Arrays) (ratio float64, enough bool)) {}

// anew returns a copy of an input without recipes: what an attack judges counts for no family.
func anew(c *corpus.Arrays) *corpus.Arrays {
	c = c.Clone()
	for i := range c.Inputs {
		c.Inputs[i].Gen = ""
	}
	return c
}

// changed returns an input with one or two changes of its arrays of floating-point numbers.
func changed(c *corpus.Arrays, rng *draw.Splitmix) *corpus.Arrays {
	c = anew(c)
	for range 1 + rng.Below(2) {
		if a := &c.Inputs[rng.Below(len(c.Inputs))]; a.Type.IsReal() && len(a.Bits) > 0 {
			change(c, a, rng)
		}
	}
	return c
}

// change changes an array: one number, all of them, how they stand, or all but the first along one axis.
func change(c *corpus.Arrays, a *corpus.Array, rng *draw.Splitmix) {
	f, n := a.Type.Float, len(a.Bits)
	place := rng.Below(n)
	off := slightly(f, rng)
	switch rng.Below(9) {
	case 0, 1: // a number a little off, or another
		x := float64(value(a.Type, a.Bits[place]) * off)
		if rng.Below(4) == 0 {
			x = chosen(f, rng)
		}
		put(&corpus.Array{Type: a.Type, Bits: a.Bits[place : place+1]}, func(int) float64 { return x })
	case 2: // all of them a little off
		put(a, func(i int) float64 { return float64(value(a.Type, a.Bits[i]) * off) })
	case 3: // one in the place of some others
		for range 1 + rng.Below(n) {
			a.Bits[rng.Below(n)] = a.Bits[place]
		}
	case 4: // large numbers before small ones, or after them
		down := rng.Below(2) == 0
		slices.SortStableFunc(a.Bits, func(x, y uint64) int {
			if down {
				x, y = y, x
			}
			return compareMagnitudes(value(a.Type, x), value(a.Type, y))
		})
	case 5: // all but the first along an axis a little off
		scaleLater(c, a, rng)
	default:
		big := chosen(f, rng)
		if rng.Below(2) == 0 {
			big = value(a.Type, a.Bits[0])
		}
		peak(a, big, afterFirst(c, a, rng), rng)
	}
}

// slightly draws a factor near 1.
func slightly(f model.Format, rng *draw.Splitmix) float64 {
	return 1 + math.Ldexp(float64(1-2*rng.Below(2)), -rng.Below(f.P)-1)
}

// scaleLater makes all numbers but the first along an axis of an array a little greater or less.
func scaleLater(c *corpus.Arrays, a *corpus.Array, rng *draw.Splitmix) {
	later, off := afterFirst(c, a, rng), slightly(a.Type.Float, rng)
	put(a, func(i int) float64 {
		x := value(a.Type, a.Bits[i])
		if later(i) {
			x = float64(x * off)
		}
		return x
	})
}

// put gives an array numbers, rounded to its type.
func put(a *corpus.Array, x func(i int) float64) {
	for i := range a.Bits {
		a.Bits[i] = round.Convert(round.Arith{F: a.Type.Float}, model.Binary64, math.Float64bits(x(i)))
	}
}

// afterFirst returns of elements whether they are not the first along an axis of the array, any. Where there is one element along it, or no axis, none is.
func afterFirst(c *corpus.Arrays, a *corpus.Array, rng *draw.Splitmix) func(i int) bool {
	if len(a.Axes) == 0 {
		return func(int) bool { return false }
	}
	axis := rng.Below(len(a.Axes))
	inner, _ := c.Len(a.Axes[axis+1:])
	size, _ := c.Size(a.Axes[axis])
	return func(i int) bool { return i/inner%size != 0 }
}

// peak fills an array with a number, and others later that err most beside it; now and then with that alone.
func peak(a *corpus.Array, big float64, later func(i int) bool, rng *draw.Splitmix) {
	small := chosen(a.Type.Float, rng)
	alone := rng.Below(4) == 0
	put(a, func(i int) float64 {
		if later(i) && !alone {
			return small
		}
		return big
	})
}

func compareMagnitudes(x, y float64) int {
	switch x, y = math.Abs(x), math.Abs(y); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// chosen draws a number: 0 or 1, one of any magnitude from 2^-p to 2^8, or one of which many beside a 1 err most: about u, about its root, and
// about its logarithm.
func chosen(f model.Format, rng *draw.Splitmix) float64 {
	sign := float64(1 - 2*rng.Below(2))
	near := float64(sign * (1 + math.Ldexp(float64(1-2*rng.Below(2)), -2-rng.Below(f.P))))
	switch rng.Below(8) {
	case 0:
		return 0
	case 1, 2:
		return sign
	case 3:
		return float64(float64(-f.P) * math.Ln2 * math.Abs(near))
	case 4:
		return math.Ldexp(near, -f.P)
	case 5:
		return math.Ldexp(near, -f.P/2)
	}
	return math.Ldexp(near, 8-rng.Below(f.P+8))
}
