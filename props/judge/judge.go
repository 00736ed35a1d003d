package judge

import (
	"fmt"

	"gamma/corpus"
	"gamma/props/internal/engine"
	"gamma/props/internal/residues"
	"gamma/props/internal/transforms"
	"gamma/props/internal/vectors"
	"gamma/props/internal/words"
)

func (r Reduction) Judged(set engine.Settings) (engine.Judged, error) {
	return vectors.Open(r.Kernel, set.For(r))
}

func (d Dot) Judged(set engine.Settings) (engine.Judged, error) {
	return vectors.Open(d.Kernel, set.For(d))
}

func (o Operation) Judged(set engine.Settings) (engine.Judged, error) {
	return words.Open(o.Subject, set.For(o))
}

func (m Modular) Judged(set engine.Settings) (engine.Judged, error) {
	return residues.Open(m.Subject, set.For(m))
}

func (n NTT) Judged(set engine.Settings) (engine.Judged, error) {
	return transforms.Open(n.Subject, set.For(n))
}

// ready returns the engine of a subject, outside of a test, and a law of its kind as it sees it.
func ready[J, C any](l *LawOf[J, C], s Subject) (*engine.Engine, *engine.AnyLaw, error) {
	if s == nil {
		return nil, nil, fmt.Errorf("props: there is no subject to judge by %s: it is nil", l.ID)
	}
	return engine.JudgeOf(l, s.Judged)
}

// Judge judges one case and needs no test. The case is what a file of the subject's kind holds: a *corpus.Case for kernels
// that take vectors, a *corpus.Table for operations on words, a *corpus.Residues for residues and transforms; its law, its kernel and
// what it expects do not count. Of several rows the first that fails counts, or else the last. A case that the subject cannot run is an
// error, and a kernel that breaks is a Verdict. A law that says nothing about the subject's claim gives a Vacuous one.
func Judge[J, C any](l LawOf[J, C], s Subject, c corpus.Body) (Verdict, error) {
	// With an error comes no judgement: its Outcome must not read as Holds.
	none := Verdict{Outcome: Vacuous, Law: l.ID, Reason: "not judged: see the error"}
	e, law, err := ready(&l, s)
	if err != nil {
		return none, err
	}
	v, err := e.JudgeBody(law, c)
	if err != nil {
		return none, err
	}
	return v, nil
}

// Search draws inputs for a law that count for n cases, or rows, judges the subject on each, and returns the first that fails, as a file
// holds it and nil if none fails, how many were judged, and the last verdict. It needs no test, neither reduces nor saves,
// and draws the same inputs each time unless -gamma.seed says otherwise.
func Search[J, C any](l LawOf[J, C], s Subject, n int) (c corpus.Body, judged int, v Verdict, err error) {
	e, law, err := ready(&l, s)
	if err != nil {
		return nil, 0, Verdict{Outcome: Vacuous, Law: l.ID, Reason: "no case was drawn"}, err
	}
	return e.SearchBody(law, n)
}

// Find searches as Search does, and returns the report of the first violation, reduced and not saved, or nil, and how many inputs were
// judged.
func Find[J, C any](l LawOf[J, C], s Subject, n int) (f Report, judged int, err error) {
	e, law, err := ready(&l, s)
	if err != nil {
		return nil, 0, err
	}
	found, judged, err := e.Report(law, n)
	if found != nil {
		f = found
	}
	return f, judged, err
}

// Examine reduces and explains a case that fails, and returns the report of it. It saves nothing. The case is as for Judge.
func Examine[J, C any](l LawOf[J, C], s Subject, c corpus.Body) (Report, error) {
	e, law, err := ready(&l, s)
	if err != nil {
		return nil, err
	}
	return e.ExamineBody(law, c)
}
