package props

import (
	"fmt"

	"gamma/corpus"
)

// Search draws up to so many cases for a law, judges the subject on each, and returns the first that fails, how many were
// drawn, and the last verdict. It needs no testing package, neither reduces nor saves, and draws the same cases each time
// unless -gamma.seed says otherwise. The case is nil if none fails.
func Search(l Law, s Subject, checks int) (c *corpus.Case, cases int, v Verdict, err error) {
	v = Verdict{Outcome: Vacuous, Law: l.ID, Reason: "no case was drawn"}
	r, err := newSearch(l, s)
	if err != nil {
		return nil, 0, v, err
	}
	if why := r.sub.applies(&l); why != "" {
		v.Reason = why
		return nil, 0, v, nil
	}
	d, trial := newDrawer(r, &l), newTrial(r.sub)
	rng := splitmix(r.set.seedFor("search "+string(l.ID), r.sub.name))
	for cases < checks {
		c := d.drawWith(&rng)
		cases++
		if v = trial.judge(&l, c); v.fails() {
			return d.keep(c), cases, v, nil
		}
	}
	return nil, cases, v, nil
}

// Examine reduces and explains a case that fails, and returns the report of it. It saves nothing.
func Examine(l Law, s Subject, c *corpus.Case) (*Failure, error) {
	r, err := newSearch(l, s)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, fmt.Errorf("props: there is no case to examine %s on: it is nil", r.sub.name)
	}
	if err := r.sub.accepts(c); err != nil {
		return nil, err
	}
	if why := r.sub.applies(&l); why != "" {
		return nil, fmt.Errorf("props: law %s says nothing about %s: %s", l.ID, r.sub.name, why)
	}
	r.set.save = "off"
	return r.examine(&l, c, nil), nil
}

// newSearch returns a run that is no test's.
func newSearch(l Law, s Subject) (*run, error) {
	set, err := readSettings()
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fmt.Errorf("props: there is no subject to search by %s: it is nil", l.ID)
	}
	if l.Judge == nil {
		return nil, fmt.Errorf("props: law %q has no Judge function", l.ID)
	}
	sub, err := s.subject()
	if err != nil {
		return nil, err
	}
	return &run{sub: sub, set: set, sum: &SubjectSummary{}, rec: &recorder{}}, nil
}

// drawWith draws a case from a generator of numbers in rapid's place.
func (d *drawer) drawWith(rng *splitmix) *corpus.Case {
	r := rng.next()
	rec := Recipe{Family: d.families[rng.below(len(d.families))], A: uint8(r), B: uint8(r >> 8), Seed: rng.next()}
	return d.make(rec, int(r>>16&0xffff), int(r>>32&0xffff))
}
