package props

import (
	"fmt"

	"gamma/corpus"
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
func judgeOf[J, C any](l *LawOf[J, C], make opener) (judge[J, C], error) {
	set, err := readSettings()
	if err != nil {
		return nil, err
	}
	if !l.judges() {
		return nil, fmt.Errorf("props: law %q has no Judge function", l.ID)
	}
	j, err := make(set)
	if err != nil {
		return nil, err
	}
	e, ok := j.(judge[J, C])
	if !ok {
		return nil, fmt.Errorf("props: law %s is one of another kind than %s, which is %s", l.ID, j.base().name, j.base().what)
	}
	return e, nil
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
	pieces, err := e.inputs(l, b)
	if err != nil {
		return v, err
	}
	if why := e.applies(l); why != "" {
		v = vacuous(why)
		v.Law = l.ID
		return v, nil
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
