package wrapping

import (
	"fmt"
	"slices"
	"strings"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/residues"
	"gamma/props/internal/verdict"
)

// wrappingRun is the kind of sums of integers modulo 2^k.
type wrappingRun struct {
	engine.Bodies[*WrappingTrial, Wrapping, corpus.Integers, *corpus.Integers]
	w   Wrapping
	run residues.Words
}

func (r *wrappingRun) Trial() engine.Trial[*WrappingTrial, Wrapping, *corpus.Integers] {
	return &WrappingTrial{wrappingRun: r}
}

func (r *wrappingRun) Setting(c *corpus.Integers) (at verdict.Setting, n int) {
	return verdict.Setting{Behaviour: c.Behaviour, Launch: c.Launch}, len(c.X)
}

func (r *wrappingRun) Accepts(_ *WrappingLaw, c *corpus.Integers) error {
	at, n := r.Setting(c)
	switch {
	case n < r.w.MinN || r.w.MaxN > 0 && n > r.w.MaxN:
		return fmt.Errorf("props: %s claims %d terms to %d, where 0 is any number, and not %d", r.Name, r.w.MinN, r.w.MaxN, n)
	case slices.ContainsFunc(c.X, func(v uint64) bool { return v > residues.GreatestWord(r.w.Bits) }):
		return fmt.Errorf("props: a term for %s has more than %d bits", r.Name, r.w.Bits)
	}
	return r.Device.Runs("terms for "+r.Name, n, at)
}

func (r *wrappingRun) Owns(f *engine.CaseFile) bool {
	return r.Bodies.Owns(f) && f.Body.(*corpus.Integers).Bits == r.w.Bits
}

func (r *wrappingRun) Served() engine.Server { return r.run.Served() }

func (r *wrappingRun) Isolated(ask engine.Asker) engine.Kind[*WrappingTrial, Wrapping, *corpus.Integers] {
	own := *r
	own.run = r.run.Elsewhere(ask)
	return &own
}

// Record writes the seed and the terms of a sum.
func (r *wrappingRun) Record(b []byte, c *corpus.Integers) []byte {
	return engine.AppendWords(engine.AppendWords(b, c.Seed), c.X...)
}

func (r *wrappingRun) Recorded(text []byte) (*corpus.Integers, error) {
	words, err := engine.CutWords(text, 1)
	if err != nil {
		return nil, err
	}
	return &corpus.Integers{Header: corpus.Header{Seed: words[0]}, Bits: r.w.Bits, X: words[1:]}, nil
}

// WrappingTrial is one sum as a law sees it: the first result, and those of the further runs that the law asked for by Again.
type WrappingTrial struct {
	*wrappingRun
	Got  uint64
	More []WrappingSum

	c     *corpus.Integers
	law   *WrappingLaw
	at    verdict.Setting
	call  residues.ModularCall
	found model.Findings
}

// WrappingSum is terms and their sum. X is nil where the terms were none that the kernel takes.
type WrappingSum struct {
	X   []uint64
	Got uint64
}

// X returns the terms. Do not write to them.
func (t *WrappingTrial) X() []uint64 { return t.c.X }

func (t *WrappingTrial) Judge(l *WrappingLaw, c *corpus.Integers) (v verdict.Verdict) {
	defer verdict.Catch(&v, l.ID, verdict.LawPanicked, "the law panicked: %v")
	at, _ := t.Setting(c)
	t.law, t.c, t.at, t.found, t.More = l, c, t.Device.Setting(at), nil, nil
	var b *verdict.Breakage
	if t.Got, b = t.sum(t.at, c.X); b != nil {
		return verdict.Breaks(b)
	}
	if l.Found != nil {
		return l.Found(t.found)
	}
	for _, again := range l.Again {
		m, next := WrappingSum{}, *c
		if next.X = again(t); t.Accepts(l, &next) == nil {
			m.X = append([]uint64{}, next.X...)
			if m.Got, b = t.sum(t.at, m.X); b != nil {
				return verdict.Breaks(b)
			}
		}
		t.More = append(t.More, m)
	}
	return l.Judge(t)
}

// sum runs the kernel once.
func (t *WrappingTrial) sum(at verdict.Setting, x []uint64) (uint64, *verdict.Breakage) {
	var dst [1]uint64
	err := t.Device.Findings("the kernel", t.call.Run(t.run, at, 0, dst[:], x, t.c.Seed), t.law.Found != nil, &t.found)
	if err == nil && dst[0] > residues.GreatestWord(t.w.Bits) {
		err = verdict.Spoilt("the kernel returned %#x, which has more than %d bits", dst[0], t.w.Bits)
	}
	return dst[0], verdict.BreakageOf("the kernel", err)
}

// hardware judges the sum beside other runs.
func (t *WrappingTrial) hardware() verdict.Verdict {
	return t.Device.Beside(t.at, t.law.Compares, func(at verdict.Setting, where string) verdict.Verdict {
		got, b := t.sum(at, t.X())
		if b != nil {
			return verdict.Breaks(b)
		}
		return t.compare("the sum", t.Got, got, "that "+where)
	})
}

func (t *WrappingTrial) Count(st *engine.LawStats, v *verdict.Verdict, c *corpus.Integers) {
	family, _, _ := strings.Cut(c.Recipe, " ")
	st.Add(v, family, len(c.X))
}

func (t *WrappingTrial) Kept(c *corpus.Integers) *corpus.Integers {
	own := *c
	own.X = slices.Clone(c.X)
	return &own
}
