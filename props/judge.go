package props

import (
	"testing"

	"gamma/corpus"
	"gamma/props/internal/check"
	"gamma/props/internal/engine"
	"gamma/props/judge"
)

// FuzzAll is Fuzz for several subjects in one target: the first byte of an input chooses one.
func FuzzAll[S Subject](f *testing.F, subjects ...S) {
	f.Helper()
	list := make([]engine.Opener, len(subjects))
	for i, s := range subjects {
		list[i] = s.Judged
	}
	check.FuzzAll(f, list...)
}

// Judge judges one case and needs no test, as [judge.Judge] does.
func Judge[J, C any](l LawOf[J, C], s Subject, c corpus.Body) (Verdict, error) {
	return judge.Judge(l, s, c)
}

// Search draws inputs for a law that count for n cases, or rows, and returns the first that fails, as [judge.Search] does.
func Search[J, C any](l LawOf[J, C], s Subject, n int) (c corpus.Body, judged int, v Verdict, err error) {
	return judge.Search(l, s, n)
}

// Find searches as Search does, and returns the report of the first violation, reduced and not saved, as [judge.Find] does.
func Find[J, C any](l LawOf[J, C], s Subject, n int) (f Report, judged int, err error) {
	return judge.Find(l, s, n)
}

// Examine reduces and explains a case that fails, and returns the report of it, as [judge.Examine] does.
func Examine[J, C any](l LawOf[J, C], s Subject, c corpus.Body) (Report, error) {
	return judge.Examine(l, s, c)
}
