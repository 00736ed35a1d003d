package vectors

import (
	"fmt"
	"strings"

	"gamma/corpus"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// Stride returns how many elements lie from one of n leaves to the next in a vector that a strided kernel is given: one of fewer than two leaves has 1.
func Stride(v corpus.Values, n int) int {
	if n < 2 {
		return 1
	}
	return (v.Len() - 1) / (n - 1)
}

// stride returns the distance of neighbours in vector i of a case with n leaves.
func stride(i int, c *corpus.Case, n int) int { return 1 + engine.Gap(i, c.Seed, 1, n) }

// spread returns the memory of vector i of the case, as a strided kernel is given it: leaves, and between them what it must not use.
func (t *Trial) spread(i int, v corpus.Values) corpus.Values {
	n := v.Len()
	inc := stride(i, t.C, n)
	if inc == 1 || n < 2 || n != t.Length {
		return v
	}
	s := corpus.NewValues(v.Format, (n-1)*inc+1)
	for k := range s.Len() {
		if k%inc == 0 {
			s.Set(k, v.At(k/inc))
		} else {
			s.Set(k, engine.Between(v.Format, draw.Mix(t.C.Seed^uint64(k))))
		}
	}
	return s
}

// denser returns a case whose vectors are dense and begin where they did, and false if they are dense already.
func denser(c *corpus.Case) (*corpus.Case, bool) {
	vectors := []int{0, 1}
	if c.Y.Len() == 0 {
		vectors = vectors[:1]
	}
	next, ok := *c, false
	next.Seed, ok = engine.DenseSeed(c.Seed, vectors)
	return &next, ok
}

// strideText says in a report how far neighbours lie apart in the vectors of a case, "" if they are dense.
func (s *Kernel) strideText(c *corpus.Case) string {
	var list []string
	for i, v := range []corpus.Values{c.X, c.Y} {
		if inc := stride(i, c, v.Len()); s.strided && v.Len() > 1 && inc > 1 {
			list = append(list, fmt.Sprintf("%s %d", [...]string{"x", "y"}[i], inc))
		}
	}
	return strings.Join(list, ", ")
}

// noteMemory notes the strides of the reduced case of a strided kernel, and whether they are what it fails for, or where in memory it lies.
func (f *Failure) noteMemory(r *Run, l *Law) {
	if f.Strides = r.Sub.strideText(f.Case); l.Judge == nil || f.Verdict.Outcome != verdict.Violated || engine.IsOwn(BuiltIn, l) {
		return
	}
	t, d := NewTrial(r.Sub), NewDrawer(r, l)
	rng := draw.Splitmix(r.Set.SeedFor("strides "+string(l.ID), r.Name))
	fails := func(c *corpus.Case) bool { v := t.Judge(l, c); return v.Fails() }
	next := func() *corpus.Case {
		c, _ := d.Next(&rng)
		return c
	}
	if f.Strides != "" {
		f.dense = engine.StrideCause(f.Original, fails, denser, next)
	}
	elsewhere := func(c *corpus.Case) (passes bool) {
		for t.moved = 1; t.moved < places && !passes; t.moved++ {
			passes = !fails(c)
		}
		t.moved = 0
		return passes
	}
	if f.dense == "" && r.Sub.Device == nil && elsewhere(f.Case) && engine.OnlyThere(f.Original, fails, elsewhere, next) {
		f.Fault = "It depends on where in memory the leaves lie: at another address the same leaves give a right one."
	}
}
