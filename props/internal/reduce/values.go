package reduce

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"gamma/model"
)

// Value is a number of an input: its encoding in a format. Numbers of one group have one format, and are scaled together.
type Value struct {
	Format model.Format
	Bits   uint64
	Group  int
}

// Values says which numbers an input has, and returns an input with others in their places.
type Values[I any] struct {
	Of   func(in I) []Value
	With func(in I, bits []uint64) I
	// Zero: numbers that do not matter become 0. Digits: of inputs of few numbers, single bits of significands are tried, and all numbers at once.
	Zero, Digits bool
}

// Numbers returns numbers of one format and group.
func Numbers(f model.Format, bits []uint64) (list []Value) {
	for _, b := range bits {
		list = append(list, Value{Format: f, Bits: b})
	}
	return list
}

// simplifier makes the numbers of an input simpler.
type simplifier[I any] struct {
	*Loop[I]
	Values[I]
}

// Simplify makes numbers simpler (1, powers of two, few bits, small exponents, positive, equal ones), until that gets no further or takes too
// long without success.
func (r *Loop[I]) Simplify(v Values[I]) {
	s := &simplifier[I]{r, v}
	steps := []func(){
		func() { s.apply(func(v Value) uint64 { return One(v.Format) }) },
		func() { s.apply(func(v Value) uint64 { return One(v.Format) | v.Bits&v.Format.SignBit() }) },
		func() { s.apply(func(v Value) uint64 { return v.Bits &^ v.Format.SignBit() }) },
		func() { s.apply(func(v Value) uint64 { return plainSpecial(v.Format, v.Bits) }) },
		func() { s.apply(func(v Value) uint64 { return Truncated(v.Format, v.Bits, 1) }) },
		s.narrow,
		func() { s.scale(0) },
		func() { s.scale(1) },
		s.centre,
		s.merge,
	}
	if v.Zero {
		steps = slices.Insert(steps, 0, func() { s.apply(func(Value) uint64 { return 0 }) })
	}
	if v.Digits {
		steps = append(steps, func() { s.scale(-1) }, s.digits)
	}
	start := r.Tries()
	for i, step := range steps {
		steps[i] = func() {
			if !r.Tired(start, PhaseMisses) {
				step()
			}
		}
	}
	r.Until(steps...)
}

// changed returns base, whose numbers are list, with other ones in some places.
func (s *simplifier[I]) changed(base I, list []Value, some []int, to func(v Value) uint64) I {
	all := make([]uint64, len(list))
	for i := range list {
		all[i] = list[i].Bits
	}
	for _, i := range some {
		all[i] = to(list[i])
	}
	return s.With(base, all)
}

// apply gives as many numbers as it can the value that to makes of theirs, where that is simpler.
func (s *simplifier[I]) apply(to func(v Value) uint64) {
	base, list := s.Cur, s.Of(s.Cur)
	var items []int
	for i, v := range list {
		if cost(v.Format, to(v)) < cost(v.Format, v.Bits) {
			items = append(items, i)
		}
	}
	Change(s.Loop, items, StepMisses, func(some []int) I { return s.changed(base, list, some, to) })
}

// narrow takes significand bits away, from all values and from each.
func (s *simplifier[I]) narrow() {
	s.shorten(Truncated)
	s.each(1, func(v Value) (int, func(int) (uint64, bool)) {
		return Width(v.Format, v.Bits), func(w int) (uint64, bool) { return stubbed(v.Format, v.Bits, w), w > 0 }
	})
	s.apply(func(v Value) uint64 { return outerBits(v.Format, v.Bits) })
}

// shorten makes all significands shorter at once: to returns a value with one of w bits.
func (s *simplifier[I]) shorten(to func(f model.Format, b uint64, w int) uint64) {
	base, list := s.Cur, s.Of(s.Cur)
	var all []int
	widest := 0
	for i, v := range list {
		all, widest = append(all, i), max(widest, Width(v.Format, v.Bits))
	}
	s.Lower(1, widest, func(w int) (I, bool) {
		return s.changed(base, list, all, func(v Value) uint64 { return to(v.Format, v.Bits, w) }), true
	})
}

// centre moves each exponent towards 0.
func (s *simplifier[I]) centre() {
	s.each(0, func(v Value) (int, func(int) (uint64, bool)) {
		off := offCentre(v.Format, v.Bits)
		return max(off, -off), func(to int) (uint64, bool) {
			if off < 0 {
				to = -to
			}
			return Shifted(v.Format, v.Bits, to-off)
		}
	})
}

// each lowers for every value in turn the number that measure returns with it, down to least; measure also returns the value for a lower
// number.
func (s *simplifier[I]) each(least int, measure func(v Value) (int, func(v int) (uint64, bool))) {
	s.one(func(base I, list []Value, i int) {
		from, to := measure(list[i])
		s.Lower(least, from, func(v int) (I, bool) {
			b, ok := to(v)
			return s.changed(base, list, []int{i}, func(Value) uint64 { return b }), ok
		})
	})
}

// one simplifies one number after the other.
func (s *simplifier[I]) one(step func(base I, list []Value, i int)) {
	start := s.Tries()
	list, accepted := s.Of(s.Cur), s.Accepted
	for i := 0; i < len(list) && !s.Done() && (len(list) <= ManyItems || !s.Tired(start, StepMisses)); i++ {
		if step(s.Cur, list, i); s.Accepted != accepted {
			list, accepted = s.Of(s.Cur), s.Accepted
		}
	}
}

// digits makes all significands shorter at once, and clears as many bits of each as it can.
func (s *simplifier[I]) digits() {
	s.shorten(stubbed)
	s.one(func(base I, list []Value, i int) {
		var set []int
		for k := range list[i].Format.P - 1 {
			if list[i].Bits>>k&1 == 1 && list[i].Format.IsFinite(list[i].Bits) {
				set = append(set, k)
			}
		}
		Change(s.Loop, set, StepMisses, func(some []int) I {
			return s.changed(base, list, []int{i}, func(v Value) uint64 {
				for _, k := range some {
					v.Bits &^= 1 << k
				}
				return v.Bits
			})
		})
	})
}

// scale multiplies all numbers of a group, or all there are for -1, by a power of two: so that the least bit of all becomes 1, the values being integers; or else so
// that the largest value lies between 1 and 2.
func (s *simplifier[I]) scale(group int) {
	base, list := s.Cur, s.Of(s.Cur)
	low, high, was := math.MaxInt, math.MinInt, 0
	var some []int
	for i, v := range list {
		if group >= 0 && v.Group != group || Width(v.Format, v.Bits) == 0 {
			continue
		}
		_, m, e := oddPart(v.Format, v.Bits)
		low, high = min(low, e), max(high, e+bits.Len64(m)-1)
		was += cost(v.Format, v.Bits)
		some = append(some, i)
	}
	if len(some) < 2 {
		return // centre does it
	}
	at := func(by int) (I, bool) {
		all, sum := true, 0
		in := s.changed(base, list, some, func(v Value) uint64 {
			b, ok := Shifted(v.Format, v.Bits, by)
			all = all && ok
			sum += cost(v.Format, b)
			return b
		})
		return in, all && sum < was
	}
	if s.tryAt(at, -low) || s.tryAt(at, -high) {
		return
	}
	// Not all the way.
	sign := cmp.Compare(0, high)
	s.Lower(0, max(high, -high), func(v int) (I, bool) { return at(sign * (max(high, -high) - v)) })
}

// merge gives as many numbers of each group as it can the simplest one among them.
func (s *simplifier[I]) merge() {
	for group := range 2 {
		base, list := s.Cur, s.Of(s.Cur)
		least, items := -1, []int(nil)
		for i, v := range list {
			if v.Group == group && v.Bits != 0 && (least < 0 || cost(v.Format, v.Bits) < cost(v.Format, list[least].Bits)) {
				least = i
			}
		}
		if least < 0 || list[least].Bits == One(list[least].Format) {
			continue // tried before
		}
		for i, v := range list {
			if v.Group == group && cost(v.Format, list[least].Bits) < cost(v.Format, v.Bits) {
				items = append(items, i)
			}
		}
		Change(s.Loop, items, StepMisses, func(some []int) I {
			return s.changed(base, list, some, func(Value) uint64 { return list[least].Bits })
		})
	}
}
