package vectors

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/round"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// probe returns values for the trial's row that are small integers, none of them 0, and their terms: x[i], |x[i]| or x[i]·y[i]. Their sum
// is exact in every order of additions, so that a kernel that loses a term is off by that term. With seed 0 all are positive, and no
// terms that are lost cancel. ok is false where the formats are too narrow for as many.
func (t *Trial) probe(seed uint64) (x, y corpus.Values, terms []int64, ok bool) {
	c := &t.Claimed
	rng := draw.Splitmix(draw.Mix(seed))
	integer := func(most int) int64 {
		v := int64(1 + rng.Below(most))
		if !t.sub.Magnitudes && seed > 0 && rng.Below(2) == 1 {
			v = -v
		}
		return v
	}
	set := func(v *corpus.Values, i int, k int64) {
		v.Set(i, round.Convert(round.Arith{F: c.In}, model.Binary64, math.Float64bits(float64(k))))
	}
	x = corpus.NewValues(c.In, t.Length)
	if t.sub.Op == engine.OpDot && !t.sub.Squares {
		y = corpus.NewValues(c.In, t.Length)
	}
	terms = make([]int64, t.Length)
	for i := range terms {
		k, m := integer(3), int64(1)
		switch {
		case t.sub.Squares:
			m = k
		case t.sub.Op == engine.OpDot:
			m = integer(1)
			set(&y, i, m)
		}
		set(&x, i, k)
		terms[i] = k * m
	}
	if t.sub.Squares {
		y = x
	}
	return x, y, terms, 9*t.Length < 1<<min(c.Acc.P, c.Out.P)
}

// off runs the kernel on a probe and returns by how much its result differs from the sum of the terms. ok is false where there is no
// such number.
func (t *Trial) off(seed uint64) (diff int64, terms []int64, ok bool) {
	x, y, terms, ok := t.probe(seed)
	if !ok {
		return 0, nil, false
	}
	got, broke := t.Rerun(x, y)
	if broke != "" || !t.Claimed.Out.IsFinite(got) {
		return 0, nil, false
	}
	want := int64(0)
	for _, v := range terms {
		want += v
	}
	d := oracle.FromBits(t.Claimed.Out, got).Sub(oracle.FromInt(want))
	f := d.Float64()
	return int64(f), terms, f == math.Trunc(f) && math.Abs(f) < 1<<52
}

// explained returns those of some places of whose terms two probes are off by factor times.
func (t *Trial) explained(factor int64, places []int) []int {
	for seed := range uint64(2) {
		diff, terms, ok := t.off(seed + 1)
		places = slices.DeleteFunc(slices.Clone(places), func(i int) bool { return !ok || diff != factor*terms[i] })
	}
	return places
}

// probed returns a trial of the original case, whose rows have its length; nil if it is the reduced one or cannot be run.
func (f *Failure) probed(t *Trial) *Trial {
	if f.Original == nil || f.Original == f.Case || f.Original.X.Len() == f.Case.X.Len() || f.Original.Rows > 1 || t.sub.Accepts(f.Original) != nil {
		return nil
	}
	o := NewTrial(t.sub)
	o.Judge(&f.Law, f.Original)
	if o.Length != f.Original.X.Len() {
		return nil
	}
	return o
}

// noteProbes asks the kernel for sums of small integers. A single fault that explains the reduced case is named only if it explains
// two others of its length, and two of the length at which it was found; and lengths at which the kernel is right and wrong in
// turn are named.
func (f *Failure) noteProbes(t *Trial) {
	start := time.Now()
	if i, factor := f.fault(); factor != 0 {
		f.refuted = len(t.explained(factor, []int{i})) == 0
		if o := f.probed(t); o != nil && !f.refuted {
			all := make([]int, o.Length)
			for k := range all {
				all[k] = k
			}
			f.refuted = len(o.explained(factor, all)) == 0
		}
	}
	if f.index = f.narrow(t); f.index != "" || t.Rows > 1 || t.sub.Device != nil || t.Claimed.Mean {
		return
	}
	right, wrong := map[int]bool{}, 0
	for n := 1; n <= probedLengths; n++ {
		c := t.sub.blank(n, t.At)
		if t.sub.Accepts(c) != nil || time.Since(start) > maxRerunTime {
			return
		}
		o := NewTrial(t.sub)
		o.Law = &f.Law
		o.Start(c, n)
		diff, _, ok := o.off(0)
		if !ok {
			return
		}
		if right[n] = diff == 0; !right[n] {
			wrong++
		}
	}
	f.Lengths = lengthsText(right, wrong)
}

// narrow says which index or count of the kernel has too few bits, "" if none does: by sums of small integers, of rows by rows that are told apart.
func (f *Failure) narrow(t *Trial) string {
	switch {
	case t.sub.Device != nil || t.Claimed.Mean || f.Law.Found != nil || f.Original == nil:
		return ""
	case !t.sub.Rows:
		sums := map[int]*heard{}
		return engine.Narrow("term", f.Original.N(), func(n int, which func(i int) int) bool {
			o := sums[n]
			if o == nil {
				o = t.observe(n)
				sums[n] = o
			}
			return o.fits(which)
		})
	case f.Original.Rows > 1:
		n := f.Original.N() / f.Original.Rows
		few := *f.Original
		few.Rows = min(few.Rows, engine.NarrowParts)
		few.X = few.X.Slice(0, few.Rows*n)
		if !t.sub.shared && few.Y.Len() > 0 {
			few.Y = few.Y.Slice(0, few.Rows*n)
		}
		o := NewTrial(t.sub)
		if v := o.Judge(&f.Law, &few); v.Outcome == verdict.Holds {
			return engine.NarrowCalls(vectorCalls{o}, "row", f.Original.Rows)
		}
	}
	return ""
}

// heard is what a kernel gives for the terms of two probes of one length.
type heard struct {
	terms [2][]int64
	got   [2]int64
}

// observe calls the kernel with two probes of n leaves; nil if that cannot be done.
func (t *Trial) observe(n int) *heard {
	c := t.sub.blank(n, t.At)
	if t.sub.Accepts(c) != nil {
		return nil
	}
	o, own := &heard{}, NewTrial(t.sub)
	own.Law = t.Law
	own.Start(c, n)
	for seed := range uint64(2) {
		diff, terms, ok := own.off(seed + 1)
		if !ok {
			return nil
		}
		o.terms[seed], o.got[seed] = terms, diff
		for _, v := range terms {
			o.got[seed] += v
		}
	}
	return o
}

// fits reports whether both results are the sums of the terms of which(0), which(1), …, and nothing for one below 0.
func (o *heard) fits(which func(i int) int) bool {
	if o == nil {
		return false
	}
	for k, terms := range o.terms {
		sum := int64(0)
		for i := range terms {
			if at := which(i); at >= 0 {
				sum += terms[at]
			}
		}
		if sum != o.got[k] {
			return false
		}
	}
	return true
}

// probedLengths is up to which length noteProbes looks for those at which a kernel is right.
const probedLengths = 40

// lengthsText says in what way lengths from 1 on are right and wrong, "" if in none that is known.
func lengthsText(right map[int]bool, wrong int) string {
	fits := func(rule func(n int) bool) bool {
		for n, ok := range right {
			if ok != rule(n) {
				return false
			}
		}
		return true
	}
	if wrong == 0 || wrong == len(right) {
		return ""
	}
	for m := 2; 3*m <= len(right); m++ {
		if fits(func(n int) bool { return n%m == 0 }) {
			return fmt.Sprintf("it is right at lengths that are multiples of %d, and wrong at the others up to %d: look at how the rest of n/%[1]d is added.", m, len(right))
		}
		if fits(func(n int) bool { return n%m == 0 || n < m }) {
			return fmt.Sprintf("it is right below %d and at multiples of %[1]d, and wrong at the other lengths up to %d: look at how the rest of n/%[1]d is added.", m, len(right))
		}
	}
	for m := 1; m < len(right); m++ {
		switch {
		case fits(func(n int) bool { return n <= m }):
			return fmt.Sprintf("it is right at lengths up to %d, and wrong at those from %d to %d.", m, m+1, len(right))
		case fits(func(n int) bool { return n > m }):
			return fmt.Sprintf("it is wrong at lengths up to %d, and right at those from %d to %d.", m, m+1, len(right))
		}
	}
	return ""
}
