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

// Judge is an engine of laws of one kind, whatever its inputs are.
type Judge[J, C any] interface {
	Judged
	JudgeBody(l *LawOf[J, C], b corpus.Body) (verdict.Verdict, error)
	SearchBody(l *LawOf[J, C], n int) (b corpus.Body, judged int, v verdict.Verdict, err error)
	ExamineBody(l *LawOf[J, C], b corpus.Body) (Report, error)
	Report(l *LawOf[J, C], n int) (f Failure, judged int, err error)
}

// Whole is an engine for those who know what its inputs are. Packages that hold one as this interface do not compile its methods again.
type Whole[J, C, I any] interface {
	Judge[J, C]
	Kind[J, C, I]
	Asked() []LawOf[J, C]
	LawOf(f *CaseFile) (LawOf[J, C], error)
	ReplayFile(t TB, f *CaseFile)
	Find(l *LawOf[J, C], n int) (in I, v verdict.Verdict, st *LawStats, err error)
	Found(l *LawOf[J, C]) (Failure, error)
	Judge(t Trial[J, C, I], l *LawOf[J, C], in I) verdict.Verdict
}

// JudgeOf returns the engine of a subject, outside of a test, for a law of its kind.
func JudgeOf[J, C any](l *LawOf[J, C], make Opener) (Judge[J, C], error) {
	set, err := ReadSettings()
	if err != nil {
		return nil, err
	}
	if !l.Judges() {
		return nil, fmt.Errorf("props: law %q has no Judge function", l.ID)
	}
	j, err := make(set)
	if err != nil {
		return nil, err
	}
	e, ok := j.(Judge[J, C])
	if !ok {
		return nil, fmt.Errorf("props: law %s is one of another kind than %s, which is %s", l.ID, j.Base().Name, j.Base().What)
	}
	return e, nil
}

// inputs returns what a body holds for a law, each input accepted by the subject.
func (e *Engine[J, C, I]) inputs(l *LawOf[J, C], b corpus.Body) ([]Piece[I], error) {
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

func (e *Engine[J, C, I]) JudgeBody(l *LawOf[J, C], b corpus.Body) (v verdict.Verdict, err error) {
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
			t.Judge(&before[i].law, before[i].in)
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

func (e *Engine[J, C, I]) SearchBody(l *LawOf[J, C], n int) (b corpus.Body, judged int, v verdict.Verdict, err error) {
	if why := e.Applies(l); why != "" {
		return nil, 0, verdict.Verdict{Outcome: verdict.Vacuous, Law: l.ID, Reason: why}, nil
	}
	in, v, st, err := e.Find(l, n)
	if err == nil && v.Fails() {
		b = e.Body(l, in)
	}
	return b, st.Cases, v, err
}

func (e *Engine[J, C, I]) ExamineBody(l *LawOf[J, C], b corpus.Body) (Report, error) {
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
