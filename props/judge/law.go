package judge

import (
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/formulas"
	"gamma/props/internal/residues"
	"gamma/props/internal/spectra"
	"gamma/props/internal/transforms"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
	"gamma/props/internal/words"
	"gamma/props/internal/wrapping"
)

type (
	// Subject is a kernel with its claim, of any kind.
	Subject = engine.Subject
	// DeviceClaim says, beside the claim, what of a device the claim holds for.
	DeviceClaim = engine.DeviceClaim
	// Setting is what a kernel on a device runs under: one behaviour among those that its claim admits, and one launch.
	Setting = verdict.Setting
	// Verdict is a law's judgement of one case.
	Verdict = verdict.Verdict
	// Report is what is known of a violation: its text for people, one line of JSON, and what all kinds have in common.
	Report = engine.Report

	// LawOf is one theorem as an executable check, and each kind of kernels has its own.
	LawOf[J, C any] = engine.LawOf[J, C]
	Law             = vectors.Law
	WordLaw         = words.WordLaw
	WordRow         = words.WordRow // one row as a WordLaw sees it
	ModularLaw      = residues.ModularLaw
	NTTLaw          = transforms.NTTLaw
	WrappingLaw     = wrapping.WrappingLaw

	// Wrapping is a sum of unsigned integers of k bits, modulo 2^k, to be judged. Its laws speak of it, so that it is defined beside them:
	// "go doc gamma/props/internal/wrapping.Wrapping" shows its fields.
	Wrapping = wrapping.Wrapping

	// Kernel is a function on arrays, judged by a formula that says what it computes. Its laws speak of it, so that it is defined beside them:
	// "go doc gamma/props/internal/formulas.Kernel" shows its fields.
	Kernel = formulas.Kernel
	// KernelCall is one call of a Kernel: its inputs by name, the sizes of their axes, and the memory for its result, which is called dst.
	KernelCall = formulas.Call
	// KernelLaw is a law about kernels that compute a formula.
	KernelLaw = formulas.Law

	// FFTCall is one call of an FFT: which transform, how many of them, and its arrays dst and src.
	FFTCall = spectra.Call
	// FFTTrial is one call of an FFT as a law sees it, with its result.
	FFTTrial = spectra.Trial
	// FFTLaw is a law about discrete Fourier transforms.
	FFTLaw = spectra.Law
)

// A law holds for a case or is violated, is vacuous if one of its hypotheses is not met, and broken if there is no result to be judged.
const (
	Holds    = verdict.Holds
	Violated = verdict.Violated
	Vacuous  = verdict.Vacuous
	Broken   = verdict.Broken
)

// Laws returns the built-in laws of sums and dot products, WordLaws those of operations on words, ModularLaws of operations on residues,
// NTTLaws of number-theoretic transforms, WrappingLaws of sums modulo 2^k, FormulaLaws of kernels that compute a formula, and FFTLaws of Fourier transforms.
func Laws() []Law                 { return vectors.Laws() }
func WordLaws() []WordLaw         { return words.WordLaws() }
func ModularLaws() []ModularLaw   { return residues.ModularLaws() }
func NTTLaws() []NTTLaw           { return transforms.NTTLaws() }
func WrappingLaws() []WrappingLaw { return wrapping.WrappingLaws() }
func FormulaLaws() []KernelLaw    { return formulas.Laws() }
func FFTLaws() []FFTLaw           { return spectra.Laws() }

// LawByID returns the law called id of a list, such as Laws returns.
func LawByID[J, C any](list []LawOf[J, C], id model.LawID) (LawOf[J, C], error) {
	return engine.LawByID(list, id)
}
