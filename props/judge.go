package props

import (
	"testing"

	"gamma/props/internal/check"
	"gamma/props/internal/engine"
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
