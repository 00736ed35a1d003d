package props

import (
	"testing"

	"gamma/props/internal/battery"
	"gamma/props/internal/check"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
	"gamma/props/judge"
)

// Reduction is a sum, or a mean, to be judged. Set Name and exactly one of the Run functions; [judge.Reduction] says what each field means.
type Reduction judge.Reduction

// Dot is a dot product to be judged. Set Name and exactly one of the Run functions; [judge.Dot] says what each field means.
type Dot judge.Dot

func (r Reduction) Judged(set engine.Settings) (engine.Judged, error) {
	return judge.Reduction(r).Judged(set)
}

func (d Dot) Judged(set engine.Settings) (engine.Judged, error) { return judge.Dot(d).Judged(set) }

// Check judges the reduction: it replays the cases on file, then searches with rapid, law by law.
// The first violation of each law fails the test with a report, and is saved.
func (r Reduction) Check(t *testing.T) { t.Helper(); check.Check(t, r.Judged) }

// Check judges the dot product, as Reduction.Check does.
func (d Dot) Check(t *testing.T) { t.Helper(); check.Check(t, d.Judged) }

// Replay judges the cases on file alone, without a search: those below testdata/gamma that name the subject, and those embedded in
// package corpus.
func (r Reduction) Replay(t *testing.T) { t.Helper(); check.Replay(t, r.Judged) }

// Replay judges the cases on file, as Reduction.Replay does.
func (d Dot) Replay(t *testing.T) { t.Helper(); check.Replay(t, d.Judged) }

// Fuzz judges the reduction on cases that Go's fuzzer makes: every byte string is a case.
func (r Reduction) Fuzz(f *testing.F) { f.Helper(); check.FuzzAll(f, r.Judged) }

// Fuzz judges the dot product, as Reduction.Fuzz does.
func (d Dot) Fuzz(f *testing.F) { f.Helper(); check.FuzzAll(f, d.Judged) }

// Operation is an operation on words to be judged: an error-free transform, arithmetic of double words, a complex product. Set
// Name, Claim.Op and exactly one of the Run functions, which take batches of rows; [judge.Operation] says what each field means. Rows22
// and its like make a batch function of one that takes a row.
type Operation judge.Operation

func (o Operation) Judged(set engine.Settings) (engine.Judged, error) {
	return judge.Operation(o).Judged(set)
}

// Check judges the operation: it replays the rows on file, then searches with rapid, law by law.
// The first violation of each law fails the test with a report, and is saved.
func (o Operation) Check(t *testing.T) { t.Helper(); check.Check(t, o.Judged) }

// Fuzz judges the operation on rows that Go's fuzzer makes: every byte string is a batch.
func (o Operation) Fuzz(f *testing.F) { f.Helper(); check.FuzzAll(f, o.Judged) }

// Replay judges the rows on file alone, without a search.
func (o Operation) Replay(t *testing.T) { t.Helper(); check.Replay(t, o.Judged) }

// Modular is an operation on residues to be judged: a modular product, a reduction, a butterfly, a constant of Montgomery's
// arithmetic. Set Name, Claim, and Run or RunOn; [judge.Modular] says what each field means.
type Modular judge.Modular

func (m Modular) Judged(set engine.Settings) (engine.Judged, error) {
	return judge.Modular(m).Judged(set)
}

// Check judges the operation: it replays the rows on file, then searches with rapid, law by law.
// The first violation of each law fails the test with a report, and is saved.
func (m Modular) Check(t *testing.T) { t.Helper(); check.Check(t, m.Judged) }

// Fuzz judges the operation on rows that Go's fuzzer makes: every byte string is a modulus and a batch.
func (m Modular) Fuzz(f *testing.F) { f.Helper(); check.FuzzAll(f, m.Judged) }

// Replay judges the rows on file alone, without a search.
func (m Modular) Replay(t *testing.T) { t.Helper(); check.Replay(t, m.Judged) }

// Battery judges an operation on residues as a Battery does with scalar operations: by each law first all tuples of special values of
// its operands, at moduli where something changes, the simplest first, then rows that gopter draws and makes smaller. It replays the
// case that -gamma.case names; the others that are on file Check replays.
func (m Modular) Battery(t *testing.T) { t.Helper(); check.Check(t, m.battery) }

func (m Modular) battery(set engine.Settings) (engine.Judged, error) {
	j := judge.Modular(m)
	return battery.OpenResidues(j.Subject, set.For(j))
}

// NTT is a number-theoretic transform to be judged. Set Name, Claim and one of Plan and PlanOn; [judge.NTT] says what each field
// means. NTT32 adapts kernels on uint32.
type NTT judge.NTT

func (n NTT) Judged(set engine.Settings) (engine.Judged, error) { return judge.NTT(n).Judged(set) }

// Check judges the transform: it replays the cases on file, then searches with rapid, law by law. The first violation of each
// law fails the test with a report, and is saved.
func (n NTT) Check(t *testing.T) { t.Helper(); check.Check(t, n.Judged) }

// Fuzz judges the transform on cases that Go's fuzzer makes: every byte string is a case.
func (n NTT) Fuzz(f *testing.F) { f.Helper(); check.FuzzAll(f, n.Judged) }

// Replay judges the cases on file alone, without a search.
func (n NTT) Replay(t *testing.T) { t.Helper(); check.Replay(t, n.Judged) }

// Wrapping is a sum of unsigned integers of k bits, modulo 2^k, to be judged. Every order of the additions gives one result. Set Name,
// Bits and one of the functions; [judge.Wrapping] says what each field means.
type Wrapping judge.Wrapping

func (w Wrapping) Judged(set engine.Settings) (engine.Judged, error) {
	return judge.Wrapping(w).Judged(set)
}

// Check judges the sum: it replays the cases on file, then searches with rapid, law by law.
// The first violation of each law fails the test with a report, and is saved.
func (w Wrapping) Check(t *testing.T) { t.Helper(); check.Check(t, w.Judged) }

// Fuzz judges the sum on terms that Go's fuzzer makes.
func (w Wrapping) Fuzz(f *testing.F) { f.Helper(); check.FuzzAll(f, w.Judged) }

// Replay judges the cases on file alone, without a search.
func (w Wrapping) Replay(t *testing.T) { t.Helper(); check.Replay(t, w.Judged) }

type (
	// Failure is a violation by a kernel that takes vectors: the law, the smallest case, what is known of its cause, and
	// where it was saved.
	Failure = vectors.Failure
	// Law is a law about kernels that take vectors: sums and dot products.
	Law = vectors.Law
	// Trial is one run of a subject on one case, as a law sees it.
	Trial = vectors.Trial
)
