package props

import (
	"fmt"

	"gamma/corpus"
	"gamma/model"
)

// Search draws up to so many cases for a law, judges the subject on each, and returns the first that fails, how many were
// drawn, and the last verdict. It needs no testing package, neither reduces nor saves, and draws the same cases each time
// unless -gamma.seed says otherwise. The case is nil if none fails.
func Search(l Law, s Subject, checks int) (c *corpus.Case, cases int, v Verdict, err error) {
	e, err := vectorEngine(l, s)
	if err != nil {
		return nil, 0, Verdict{Outcome: Vacuous, Law: l.ID, Reason: "no case was drawn"}, err
	}
	if why := e.applies(&l); why != "" {
		return nil, 0, Verdict{Outcome: Vacuous, Law: l.ID, Reason: why}, nil
	}
	c, v, st, err := e.find(&l, checks)
	if !v.fails() {
		c = nil
	}
	return c, st.Cases, v, err
}

// Examine reduces and explains a case that fails, and returns the report of it. It saves nothing.
func Examine(l Law, s Subject, c *corpus.Case) (*Failure, error) {
	e, err := vectorEngine(l, s)
	if err != nil {
		return nil, err
	}
	name := e.base().name
	if c == nil {
		return nil, fmt.Errorf("props: there is no case to examine %s on: it is nil", name)
	}
	if err := e.accepts(&l, c); err != nil {
		return nil, err
	}
	if why := e.applies(&l); why != "" {
		return nil, fmt.Errorf("props: law %s says nothing about %s: %s", l.ID, name, why)
	}
	e.base().set.save = "off"
	return e.examine(&l, c, nil).(*Failure), nil
}

// vectorEngine returns the engine of a subject that takes vectors, outside of a test.
func vectorEngine(l Law, s Subject) (*engine[*Trial, model.Claim, *corpus.Case], error) {
	set, err := readSettings()
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fmt.Errorf("props: there is no subject to search by %s: it is nil", l.ID)
	}
	if !l.judges() {
		return nil, fmt.Errorf("props: law %q has no Judge function", l.ID)
	}
	j, err := s.judged(set)
	if err != nil {
		return nil, err
	}
	e, ok := j.(*engine[*Trial, model.Claim, *corpus.Case])
	if !ok {
		return nil, fmt.Errorf("props: law %s is about kernels that take vectors, and %s is %s", l.ID, j.base().name, j.base().what)
	}
	return e, nil
}
