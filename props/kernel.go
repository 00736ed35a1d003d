package props

import (
	"testing"

	"gamma/props/internal/check"
	"gamma/props/internal/engine"
	"gamma/props/judge"
)

// Kernel is a function on arrays, judged by a formula that says what it computes. Set Name, Formula and one of the functions;
// [judge.Kernel] says what each field means.
type Kernel judge.Kernel

type (
	// KernelCall is one call of a Kernel: its inputs by name, the sizes of their axes, and the memory for its result, which is called dst.
	KernelCall = judge.KernelCall
	// KernelLaw is a law about kernels that compute a formula.
	KernelLaw = judge.KernelLaw
)

func (k Kernel) Judged(set engine.Settings) (engine.Judged, error) {
	return judge.Kernel(k).Judged(set)
}

// Check judges the kernel: it replays the cases on file, then searches with rapid, law by law.
// The first violation of each law fails the test with a report, and is saved.
func (k Kernel) Check(t *testing.T) { t.Helper(); check.Check(t, k.Judged) }

// Fuzz judges the kernel on inputs that Go's fuzzer makes.
func (k Kernel) Fuzz(f *testing.F) { f.Helper(); check.FuzzAll(f, k.Judged) }

// Replay judges the cases on file alone, without a search.
func (k Kernel) Replay(t *testing.T) { t.Helper(); check.Replay(t, k.Judged) }
