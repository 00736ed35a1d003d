package vectors

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"gamma/model"
	"gamma/props/internal/reduce"
)

// factor names the x or the y of a leaf in the list.
type factor struct {
	leaf int
	y    bool
}

func (d *draft) factors() []factor {
	var fs []factor
	for i := range d.leaves {
		fs = append(fs, factor{i, false})
		if d.dot {
			fs = append(fs, factor{i, true})
		}
	}
	return fs
}

func (d *draft) format(f factor) model.Format {
	if f.y {
		return d.meta.Y.Format
	}
	return d.meta.X.Format
}

func (d *draft) value(f factor) uint64 {
	if f.y {
		return d.leaves[f.leaf].y
	}
	return d.leaves[f.leaf].x
}

func (d *draft) setValue(f factor, b uint64) {
	if f.y {
		d.leaves[f.leaf].y = b
	} else {
		d.leaves[f.leaf].x = b
	}
}

// valued returns d with other values of some factors.
func (d draft) valued(some []factor, value func(fm model.Format, b uint64) uint64) draft {
	d.leaves = slices.Clone(d.leaves)
	for _, fa := range some {
		d.setValue(fa, value(d.format(fa), d.value(fa)))
	}
	return d
}

// normal returns d without leaves that became +0.
func (d draft) normal() draft {
	d.leaves = slices.DeleteFunc(d.leaves, func(l draftLeaf) bool { return l.x == 0 && l.y == 0 })
	return d
}

// apply gives as many factors as it can the value that f makes of theirs, where that is simpler.
func (r *reducer) apply(f func(fm model.Format, b uint64) uint64) {
	base := r.Cur
	var items []factor
	for _, fa := range base.factors() {
		fm, b := base.format(fa), base.value(fa)
		if valueCost(fm, f(fm, b)) < valueCost(fm, b) {
			items = append(items, fa)
		}
	}
	reduce.Change(r.Loop, items, reduce.StepMisses, func(some []factor) draft { return base.valued(some, f).normal() })
}

// simplify makes the values simpler, until that gets no further or takes too long without success.
func (r *reducer) simplify() {
	steps := []func(){
		func() {
			if r.Cur.dot {
				r.apply(func(model.Format, uint64) uint64 { return 0 })
			}
		},
		func() { r.apply(func(f model.Format, _ uint64) uint64 { return oneBits(f) }) },
		func() { r.apply(func(f model.Format, b uint64) uint64 { return oneBits(f) | b&f.SignBit() }) },
		func() { r.apply(func(f model.Format, b uint64) uint64 { return b &^ f.SignBit() }) },
		func() { r.apply(plainSpecial) },
		func() { r.apply(func(f model.Format, b uint64) uint64 { return truncated(f, b, 1) }) },
		r.narrow,
		func() { r.scale(false) },
		func() {
			if r.Cur.dot {
				r.scale(true)
			}
		},
		r.centre,
		r.merge,
	}
	start := r.Evals
	for i, step := range steps {
		steps[i] = func() {
			if !r.Tired(start, reduce.PhaseMisses) {
				step()
			}
		}
	}
	r.Until(steps...)
}

// narrow takes significand bits away, from all values and from each.
func (r *reducer) narrow() {
	base, widest := r.Cur, 0
	for _, fa := range base.factors() {
		widest = max(widest, width(base.format(fa), base.value(fa)))
	}
	r.Lower(1, widest, func(w int) (draft, bool) {
		return base.valued(base.factors(), func(fm model.Format, b uint64) uint64 { return truncated(fm, b, w) }), true
	})
	r.each(func(fm model.Format, b uint64) (int, func(int) (uint64, bool)) {
		return width(fm, b), func(w int) (uint64, bool) {
			if w == 0 {
				return 0, false
			}
			return stubbed(fm, b, w), true
		}
	}, 1)
	r.apply(outerBits)
}

// centre moves each exponent towards 0.
func (r *reducer) centre() {
	r.each(func(fm model.Format, b uint64) (int, func(int) (uint64, bool)) {
		s := offCentre(fm, b)
		return max(s, -s), func(v int) (uint64, bool) {
			if s < 0 {
				v = -v
			}
			return shifted(fm, b, v-s)
		}
	}, 0)
}

// each lowers for every value in turn the number that measure returns with it, down to least;
// measure also returns the value for a lower number.
func (r *reducer) each(measure func(fm model.Format, b uint64) (int, func(v int) (uint64, bool)), least int) {
	start := r.Evals
	for _, fa := range r.Cur.factors() {
		if r.Done() || len(r.Cur.leaves) > reduce.ManyItems && r.Tired(start, reduce.StepMisses) {
			return
		}
		base := r.Cur
		from, to := measure(base.format(fa), base.value(fa))
		r.Lower(least, from, func(v int) (draft, bool) {
			b, ok := to(v)
			return base.valued([]factor{fa}, func(model.Format, uint64) uint64 { return b }), ok
		})
	}
}

// scale multiplies all x, or all y, by a power of two: so that the least bit of all becomes 1, the
// values being integers; or else so that the largest value lies between 1 and 2.
func (r *reducer) scale(y bool) {
	base := r.Cur
	low, high, cost := math.MaxInt, math.MinInt, 0
	var fs []factor
	for _, fa := range base.factors() {
		fm, b := base.format(fa), base.value(fa)
		if fa.y != y || !fm.IsFinite(b) || b&^fm.SignBit() == 0 {
			continue
		}
		_, m, e := oddPart(fm, b)
		low, high = min(low, e), max(high, e+bits.Len64(m)-1)
		cost += valueCost(fm, b)
		fs = append(fs, fa)
	}
	if len(fs) < 2 {
		return // centre does it
	}
	at := func(s int) (draft, bool) {
		all, sum := true, 0
		d := base.valued(fs, func(fm model.Format, b uint64) uint64 {
			b, ok := shifted(fm, b, s)
			all = all && ok
			sum += valueCost(fm, b)
			return b
		})
		return d, all && sum < cost
	}
	for _, s := range []int{-low, -high} {
		if d, ok := at(s); ok && r.Try(d) {
			return
		}
	}
	// Not all the way.
	sign := cmp.Compare(0, high)
	r.Lower(0, max(high, -high), func(v int) (draft, bool) { return at(sign * (max(high, -high) - v)) })
}

// merge gives as many values as it can the simplest one among them.
func (r *reducer) merge() {
	base := r.Cur
	least := map[bool]uint64{}
	for _, fa := range base.factors() {
		b, fm := base.value(fa), base.format(fa)
		if v, ok := least[fa.y]; b != 0 && (!ok || valueCost(fm, b) < valueCost(fm, v)) {
			least[fa.y] = b
		}
	}
	for _, y := range []bool{false, true} {
		v := least[y]
		var items []factor
		for _, fa := range base.factors() {
			if fm := base.format(fa); fa.y == y && valueCost(fm, v) < valueCost(fm, base.value(fa)) {
				items = append(items, fa)
			}
		}
		if v == 0 || v == oneBits(base.format(factor{0, y})) {
			continue // tried before
		}
		from := r.Cur
		reduce.Change(r.Loop, items, reduce.StepMisses, func(some []factor) draft {
			return from.valued(some, func(model.Format, uint64) uint64 { return v })
		})
	}
}
