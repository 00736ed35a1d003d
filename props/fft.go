package props

import (
	"testing"

	"gamma/props/internal/check"
	"gamma/props/internal/engine"
	"gamma/props/judge"
)

// FFT is a discrete Fourier transform to be judged. Set Name and one of the functions; [judge.FFT] says what each field means.
type FFT judge.FFT

type (
	// FFTCall is one call of an FFT: which transform, how many of them, and its arrays dst and src.
	FFTCall = judge.FFTCall
	// FFTTrial is one call of an FFT as a law sees it, with its result.
	FFTTrial = judge.FFTTrial
	// FFTLaw is a law about discrete Fourier transforms.
	FFTLaw = judge.FFTLaw
)

func (f FFT) Judged(set engine.Settings) (engine.Judged, error) { return judge.FFT(f).Judged(set) }

// Check judges the transform: it replays the cases on file, then searches with rapid, law by law.
// The first violation of each law fails the test with a report, and is saved.
func (f FFT) Check(t *testing.T) { t.Helper(); check.Check(t, f.Judged) }

// Fuzz judges the transform on inputs that Go's fuzzer makes.
func (f FFT) Fuzz(t *testing.F) { t.Helper(); check.FuzzAll(t, f.Judged) }

// Replay judges the cases on file alone, without a search.
func (f FFT) Replay(t *testing.T) { t.Helper(); check.Replay(t, f.Judged) }
