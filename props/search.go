package props

import (
	"fmt"

	"gamma/corpus"
	"gamma/model"
)

// Report is what is known of a violation, of any kind: its text for people, one line of JSON, and what all kinds have in common.
type Report interface {
	Text() string
	JSON() ([]byte, error)
	Common() *Violation
}

// judge is an engine of laws of one kind, whatever its inputs are.
type judge[J, C any] interface {
	judged
	judgeBody(l *LawOf[J, C], b corpus.Body) (Verdict, error)
	searchBody(l *LawOf[J, C], n int) (b corpus.Body, judged int, v Verdict, err error)
	examineBody(l *LawOf[J, C], b corpus.Body) (Report, error)
	report(l *LawOf[J, C], n int) (f failure, judged int, err error)
}

// judgeOf returns the engine of a subject, outside of a test, for a law of its kind.
func judgeOf[J, C any](l *LawOf[J, C], s Subject) (judge[J, C], error) {
	set, err := readSettings()
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fmt.Errorf("props: there is no subject to judge by %s: it is nil", l.ID)
	}
	if !l.judges() {
		return nil, fmt.Errorf("props: law %q has no Judge function", l.ID)
	}
	j, err := s.judged(set)
	if err != nil {
		return nil, err
	}
	e, ok := j.(judge[J, C])
	if !ok {
		return nil, fmt.Errorf("props: law %s is one of another kind than %s, which is %s", l.ID, j.base().name, j.base().what)
	}
	return e, nil
}

// Judge judges one case and needs no testing package. The case is what a file of the subject's kind holds: a *corpus.Case for kernels
// that take vectors, a *corpus.Table for operations on words, a *corpus.Residues for residues and transforms; its law, its kernel and
// what it expects do not count. Of several rows the first that fails counts, or else the last. A case that the subject cannot run is an
// error, and a kernel that breaks is a Verdict. A law that says nothing about the subject's claim gives a Vacuous one.
func Judge[J, C any](l LawOf[J, C], s Subject, c corpus.Body) (Verdict, error) {
	// With an error comes no judgement: its Outcome must not read as Holds.
	none := Verdict{Outcome: Vacuous, Law: l.ID, Reason: "not judged: see the error"}
	e, err := judgeOf(&l, s)
	if err != nil {
		return none, err
	}
	v, err := e.judgeBody(&l, c)
	if err != nil {
		return none, err
	}
	return v, nil
}

// Search draws inputs for a law that count for n cases, or rows, judges the subject on each, and returns the first that fails, as a file
// holds it and nil if none fails, how many were judged, and the last verdict. It needs no testing package, neither reduces nor saves,
// and draws the same inputs each time unless -gamma.seed says otherwise.
func Search[J, C any](l LawOf[J, C], s Subject, n int) (c corpus.Body, judged int, v Verdict, err error) {
	e, err := judgeOf(&l, s)
	if err != nil {
		return nil, 0, Verdict{Outcome: Vacuous, Law: l.ID, Reason: "no case was drawn"}, err
	}
	return e.searchBody(&l, n)
}

// Find searches as Search does, and returns the report of the first violation, reduced and not saved, or nil, and how many inputs were
// judged.
func Find[J, C any](l LawOf[J, C], s Subject, n int) (f Report, judged int, err error) {
	e, err := judgeOf(&l, s)
	if err != nil {
		return nil, 0, err
	}
	found, judged, err := e.report(&l, n)
	if found != nil {
		f = found
	}
	return f, judged, err
}

// Examine reduces and explains a case that fails, and returns the report of it. It saves nothing. The case is as for Judge.
func Examine[J, C any](l LawOf[J, C], s Subject, c corpus.Body) (Report, error) {
	e, err := judgeOf(&l, s)
	if err != nil {
		return nil, err
	}
	return e.examineBody(&l, c)
}

// LawByID returns the law called id of a list, such as Laws or WordLaws returns.
func LawByID[J, C any](list []LawOf[J, C], id model.LawID) (LawOf[J, C], error) {
	for _, l := range list {
		if l.ID == id {
			return l, nil
		}
	}
	return LawOf[J, C]{}, fmt.Errorf("props: no law of %d is called %q; props.Laws and its like list those there are", len(list), id)
}

// inputs returns what a body holds for a law, each input accepted by the subject.
func (e *engine[J, C, I]) inputs(l *LawOf[J, C], b corpus.Body) ([]piece[I], error) {
	name := e.base().name
	if isNil(b) {
		return nil, fmt.Errorf("props: there is no case to judge %s on: it is nil", name)
	}
	pieces, err := e.pieces(l, &caseFile{Path: "the case", Body: b})
	if err != nil {
		return nil, fmt.Errorf("props: a case for %s: %w", name, err)
	}
	if len(pieces) == 0 {
		return nil, fmt.Errorf("props: a case for %s has no row", name)
	}
	for _, p := range pieces {
		if err := e.accepts(l, p.in); err != nil {
			return nil, err
		}
	}
	return pieces, nil
}

func isNil(b corpus.Body) bool {
	switch b := b.(type) {
	case nil:
		return true
	case *corpus.Case:
		return b == nil
	case *corpus.Table:
		return b == nil
	case *corpus.Residues:
		return b == nil
	}
	return false
}

func (e *engine[J, C, I]) judgeBody(l *LawOf[J, C], b corpus.Body) (v Verdict, err error) {
	if why := e.applies(l); why != "" && !isNil(b) {
		v = vacuous(why)
		v.Law = l.ID
		return v, nil
	}
	pieces, err := e.inputs(l, b)
	if err != nil {
		return v, err
	}
	t := e.trial()
	for _, p := range pieces {
		at, n := e.setting(p.in)
		if why := e.base().device.leftOutOf(at, n); why != "" {
			v = vacuous(why)
			v.Law = l.ID
			continue
		}
		if v = t.judge(l, p.in); v.fails() {
			break
		}
	}
	return v, nil
}

func (e *engine[J, C, I]) searchBody(l *LawOf[J, C], n int) (b corpus.Body, judged int, v Verdict, err error) {
	if why := e.applies(l); why != "" {
		return nil, 0, Verdict{Outcome: Vacuous, Law: l.ID, Reason: why}, nil
	}
	in, v, st, err := e.find(l, n)
	if err == nil && v.fails() {
		b = e.body(l, in)
	}
	return b, st.Cases, v, err
}

func (e *engine[J, C, I]) examineBody(l *LawOf[J, C], b corpus.Body) (Report, error) {
	if why := e.applies(l); why != "" {
		return nil, fmt.Errorf("props: law %s says nothing about %s: %s", l.ID, e.base().name, why)
	}
	pieces, err := e.inputs(l, b)
	if err != nil {
		return nil, err
	}
	e.base().set.save = "off"
	return e.examine(l, pieces[0].in, &lawStats{}), nil
}
