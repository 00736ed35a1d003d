package engine

import (
	"fmt"
	"reflect"

	"gamma/corpus"
	"gamma/props/internal/verdict"
)

// Report is what is known of a violation, of any kind: its text for people, one line of JSON, and what all kinds have in common.
type Report interface {
	Text() string
	JSON() ([]byte, error)
	Common() *Violation
}

// JudgeOf returns the engine of a subject, outside of a test, and a law of its kind as the engine sees it.
func JudgeOf[J, C any](l *LawOf[J, C], make Opener) (*Engine, *AnyLaw, error) {
	own := Erase(l)
	e, err := judgeOf(own, make)
	return e, own, err
}

func judgeOf(l *AnyLaw, make Opener) (*Engine, error) {
	set, err := ReadSettings()
	if err != nil {
		return nil, err
	}
	if !l.Judges {
		return nil, fmt.Errorf("props: law %q has no Judge function", l.ID)
	}
	j, err := make(set)
	if err != nil {
		return nil, err
	}
	e, ok := j.(*Engine)
	if !ok || !e.has(l) {
		return nil, fmt.Errorf("props: law %s is one of another kind than %s, which is %s", l.ID, j.Base().Name, j.Base().What)
	}
	return e, nil
}

// inputs returns what a body holds for a law, each input accepted by the subject.
func (e *Engine) inputs(l *AnyLaw, b corpus.Body) ([]Piece[any], error) {
	name := e.Base().Name
	if v := reflect.ValueOf(b); !v.IsValid() || v.IsNil() {
		return nil, fmt.Errorf("props: there is no case to judge %s on: it is nil", name)
	}
	pieces, err := e.Pieces(l, &CaseFile{Path: "the case", Body: b})
	if err != nil {
		return nil, fmt.Errorf("props: a case for %s: %w", name, err)
	}
	if len(pieces) == 0 {
		return nil, fmt.Errorf("props: a case for %s has no row", name)
	}
	for _, p := range pieces {
		if err := e.Accepts(l, p.In); err != nil {
			return nil, err
		}
	}
	return pieces, nil
}

func (e *Engine) JudgeBody(l *AnyLaw, b corpus.Body) (v verdict.Verdict, err error) {
	defer e.Base().Guard.Own()()
	pieces, err := e.inputs(l, b)
	if err != nil {
		return v, err
	}
	if why := e.Applies(l); why != "" {
		v = verdict.NotMet(why)
		v.Law = l.ID
		return v, nil
	}
	before, err := e.earlierOf(b.Head().Before)
	if err != nil {
		return v, err
	}
	t := e.Trial()
	for _, p := range pieces {
		for i := range before {
			t.Judge(before[i].law, before[i].in)
		}
		at, n := e.Setting(p.In)
		if why := e.Base().Device.leftOutOf(at, n); why != "" {
			v = verdict.NotMet(why)
			v.Law = l.ID
			continue
		}
		if v = t.Judge(l, p.In); v.Fails() {
			break
		}
	}
	return v, nil
}

func (e *Engine) SearchBody(l *AnyLaw, n int) (b corpus.Body, judged int, v verdict.Verdict, err error) {
	if why := e.Applies(l); why != "" {
		return nil, 0, verdict.Verdict{Outcome: verdict.Vacuous, Law: l.ID, Reason: why}, nil
	}
	in, v, st, err := e.Find(l, n)
	if err == nil && v.Fails() {
		b = e.Body(l, in)
	}
	return b, st.Cases, v, err
}

func (e *Engine) ExamineBody(l *AnyLaw, b corpus.Body) (Report, error) {
	defer e.Base().Guard.Own()()
	if why := e.Applies(l); why != "" {
		return nil, fmt.Errorf("props: law %s says nothing about %s: %s", l.ID, e.Base().Name, why)
	}
	pieces, err := e.inputs(l, b)
	if err != nil {
		return nil, err
	}
	e.Base().Set.Save = "off"
	return e.Examine(l, pieces[0].In, &LawStats{}), nil
}
