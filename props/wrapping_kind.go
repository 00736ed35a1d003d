package props

import (
	"fmt"
	"slices"
	"strings"

	"gamma/corpus"
	"gamma/model"
)

// wrappingRun is the kind of sums of integers modulo 2^k.
type wrappingRun struct {
	*session
	w      Wrapping
	device *Device
	run    func(at Setting, _ uint64, dst, src []uint64) error
}

func (r *wrappingRun) laws() []WrappingLaw { return slices.Concat(wrappingLaws, r.w.Laws) }
func (r *wrappingRun) shaped() shaped      { return false }

func (r *wrappingRun) applies(l *WrappingLaw) string {
	if why := l.about(r.device); why != "" {
		return why
	}
	return l.appliesTo(&r.w)
}

func (r *wrappingRun) trial() trial[*WrappingTrial, Wrapping, *corpus.Integers] {
	return &WrappingTrial{wrappingRun: r}
}

func (r *wrappingRun) setting(c *corpus.Integers) (at Setting, n int) {
	return Setting{Behaviour: c.Behaviour, Launch: c.Launch}, len(c.X)
}

func (r *wrappingRun) under(c *corpus.Integers, at Setting) *corpus.Integers {
	own := *c
	own.Behaviour, own.Launch = at.Behaviour, at.Launch
	return &own
}

func (r *wrappingRun) accepts(_ *WrappingLaw, c *corpus.Integers) error {
	at, n := r.setting(c)
	switch {
	case n < r.w.MinN || r.w.MaxN > 0 && n > r.w.MaxN:
		return fmt.Errorf("props: %s claims %d terms to %d, where 0 is any number, and not %d", r.name, r.w.MinN, r.w.MaxN, n)
	case slices.ContainsFunc(c.X, func(v uint64) bool { return v > greatestWord(r.w.Bits) }):
		return fmt.Errorf("props: a term for %s has more than %d bits", r.name, r.w.Bits)
	case r.device != nil:
		return r.device.accepts(n, at)
	case at != (Setting{}):
		return fmt.Errorf("props: terms for %s have a behaviour or a launch, and it runs on no device", r.name)
	}
	return nil
}

func (r *wrappingRun) owns(f *caseFile) bool {
	c, ok := f.Body.(*corpus.Integers)
	return ok && c.Kernel == r.name && c.Bits == r.w.Bits
}

func (r *wrappingRun) pieces(_ *WrappingLaw, f *caseFile) ([]piece[*corpus.Integers], error) {
	c, ok := f.Body.(*corpus.Integers)
	if !ok || c == nil {
		return nil, wrongBody(f, (*corpus.Integers)(nil))
	}
	return []piece[*corpus.Integers]{{in: c, rows: 1, place: f.Path, expect: c.Expect}}, nil
}

// served runs the kernel for another process.
func (r *wrappingRun) served() server {
	var own modularCall
	return func(c *call) *reply {
		out := make([]uint64, 1)
		return answer(out, own.run(r.run, c.At, 0, out, slices.Concat(c.In...), 0))
	}
}

func (r *wrappingRun) isolate(ask asker) {
	r.run = func(at Setting, _ uint64, dst, src []uint64) error {
		a := ask(&call{At: at, In: [][]uint64{src}, Out: 1})
		copy(dst, a.Out)
		return a.error()
	}
}

func (r *wrappingRun) isolated(ask asker) kind[*WrappingTrial, Wrapping, *corpus.Integers] {
	own := *r
	own.isolate(ask)
	return &own
}

// record writes the terms of a sum, recall makes a file of them, and body one of a case.
func (r *wrappingRun) record(b []byte, c *corpus.Integers) []byte {
	at, _ := r.setting(c)
	return appendWords(appendWords(appendSetting(b, at), c.Seed), c.X...)
}

func (r *wrappingRun) recall(law model.LawID, text []byte) (corpus.Body, error) {
	at, text, err := cutSetting(text)
	if err != nil {
		return nil, err
	}
	words, err := cutWords(text)
	if err != nil || len(words) == 0 {
		return nil, errCutOff
	}
	c := &corpus.Integers{Header: corpus.Header{Seed: words[0]}, X: words[1:]}
	return r.body(&WrappingLaw{ID: law}, r.under(c, at)), nil
}

func (r *wrappingRun) body(l *WrappingLaw, c *corpus.Integers) corpus.Body {
	own := *c
	own.Law, own.Kernel, own.Bits = l.ID, r.name, r.w.Bits
	return &own
}

// WrappingTrial is one sum as a law sees it: the first result, and those of the further runs that the law asked for by Again.
type WrappingTrial struct {
	*wrappingRun
	Got  uint64
	More []WrappingSum

	c     *corpus.Integers
	law   *WrappingLaw
	at    Setting
	call  modularCall
	found model.Findings
}

// WrappingSum is terms and their sum. X is nil where the terms were none that the kernel takes.
type WrappingSum struct {
	X   []uint64
	Got uint64
}

// X returns the terms. Do not write to them.
func (t *WrappingTrial) X() []uint64 { return t.c.X }

func (t *WrappingTrial) judge(l *WrappingLaw, c *corpus.Integers) (v Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = broken(panicked(LawPanicked, "the law panicked: %v", p))
		}
		v.Law = l.ID
	}()
	at, _ := t.setting(c)
	t.law, t.c, t.at, t.found, t.More = l, c, t.device.setting(at), nil, nil
	var b *breakage
	if t.Got, b = t.sum(t.at, c.X); b != nil {
		return broken(b)
	}
	if l.Found != nil {
		return l.Found(t.found)
	}
	for _, again := range l.Again {
		m, next := WrappingSum{}, *c
		if next.X = again(t); t.accepts(l, &next) == nil {
			m.X = append([]uint64{}, next.X...)
			if m.Got, b = t.sum(t.at, m.X); b != nil {
				return broken(b)
			}
		}
		t.More = append(t.More, m)
	}
	return l.Judge(t)
}

// sum runs the kernel once.
func (t *WrappingTrial) sum(at Setting, x []uint64) (uint64, *breakage) {
	var dst [1]uint64
	found, err := splitFindings(t.call.run(t.run, at, 0, dst[:], x, t.c.Seed))
	t.found = append(t.found, found...)
	if b := endless("the kernel", found); b != nil && err == nil && t.law.Found == nil {
		return 0, b
	}
	if err == nil && dst[0] > greatestWord(t.w.Bits) {
		err = spoilt("the kernel returned %#x, which has more than %d bits", dst[0], t.w.Bits)
	}
	return dst[0], breakageOf("the kernel", err)
}

// hardware compares with the reference device, or with further runs.
func (t *WrappingTrial) hardware() Verdict {
	n, of, at := runsOf()-1, "that of a later run", t.at
	if t.law.Compares {
		n, of, at = 1, "that on "+t.device.Reference, t.device.reference(at)
	}
	for range n {
		got, b := t.sum(at, t.X())
		if b != nil {
			return broken(b)
		}
		if v := t.compare("the sum", t.Got, got, of); v.fails() {
			return v
		}
	}
	return holds("", 0)
}

func (t *WrappingTrial) count(st *lawStats, v *Verdict, c *corpus.Integers) {
	family, _, _ := strings.Cut(c.Recipe, " ")
	st.add(v, family, len(c.X))
}

func (t *WrappingTrial) kept(c *corpus.Integers) *corpus.Integers {
	own := *c
	own.X = slices.Clone(c.X)
	return &own
}
