package wrapping

import (
	"fmt"
	"testing"

	"gamma/corpus"
	"gamma/props/internal/check"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// Wrapping is a sum of unsigned integers of k bits, modulo 2^k, to be judged. Every order of the additions gives one result. Set Name,
// Bits and one of the functions.
type Wrapping struct {
	// Name is package and function, such as "mykernel.Checksum"; reports and case files use it.
	Name string
	// Bits is k: 8, 16, 32 or 64. Terms and results are below 2^k.
	Bits int

	// Run returns the sum of x. It must neither keep nor change x; the judge notices if it does.
	Run func(x []uint64) uint64
	// RunErr also says why there is no result. RunOn runs on a device as at says, and may return a model.Findings.
	RunErr func(x []uint64) (uint64, error)
	RunOn  func(at verdict.Setting, x []uint64) (uint64, error)
	// Device goes with RunOn. Its Under and Schedule are not for integers.
	Device engine.DeviceClaim

	// MinN and MaxN are the fewest and the most terms that are claimed. MaxN 0: any number.
	MinN, MaxN int
	// Laws are theorems of the user's own, judged beside the built-in ones.
	Laws []WrappingLaw
}

// Check judges the sum: it replays the cases on file, then searches with rapid, law by law.
// The first violation of each law fails the test with a report, and is saved.
func (w Wrapping) Check(t *testing.T) { t.Helper(); check.Check(t, w.Judged) }

// Fuzz judges the sum on terms that Go's fuzzer makes.
func (w Wrapping) Fuzz(f *testing.F) { f.Helper(); check.FuzzAll(f, w.Judged) }

// Replay judges the cases on file alone, without a search.
func (w Wrapping) Replay(t *testing.T) { t.Helper(); check.Replay(t, w.Judged) }

// Judged checks the fields and names the one that is wrong.
func (w Wrapping) Judged(s engine.Settings) (engine.Judged, error) {
	p := &wrappingRun{w: w}
	fail := func(format string, args ...any) (engine.Judged, error) {
		return nil, fmt.Errorf("props: Wrapping %s%w", w.Name, fmt.Errorf(format, args...))
	}
	set, err := engine.Chosen(w, "a Wrapping", "mykernel.Checksum", "Run, RunErr, or for a device RunOn", "Run", "RunErr", "RunOn")
	switch {
	case err != nil:
		return nil, err
	case w.Bits != 8 && w.Bits != 16 && w.Bits != 32 && w.Bits != 64:
		return fail(": Bits is %d; set 8, 16, 32 or 64", w.Bits)
	case w.MinN < 0 || w.MaxN < 0 || w.MaxN > 0 && w.MaxN < w.MinN:
		return fail(": MinN and MaxN are %d and %d; neither is negative, and MaxN is 0 or at least MinN", w.MinN, w.MaxN)
	}
	d, err := w.Device.OfResidues("RunOn", set, "a sum of integers")
	if err != nil {
		return fail("%w", err)
	}
	if err := engine.CheckOwn(w.Laws, wrappingLaws, "wrap.mine", map[string]int{}); err != nil {
		return fail(": %v", err)
	}
	p.run = func(at verdict.Setting, _ uint64, dst, src []uint64) (err error) {
		switch set {
		case "Run":
			dst[0] = w.Run(src)
		case "RunErr":
			dst[0], err = w.RunErr(src)
		default:
			dst[0], err = w.RunOn(at, src)
		}
		return err
	}
	p.Lawful = engine.Lawful[*WrappingTrial, Wrapping]{BuiltIn: wrappingLaws, Own: w.Laws, Says: func(l *WrappingLaw) string { return l.AboutClaim(d, &p.w) }}
	p.Session = engine.NewSession(s, w.Name, d, fmt.Sprintf("sum modulo 2^%d", w.Bits), "case", "a sum of integers modulo 2^k")
	return &engine.Engine[*WrappingTrial, Wrapping, *corpus.Integers]{Kind: p}, nil
}
