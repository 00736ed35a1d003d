// Package props is the judge: laws, the engines that draw cases for them, and their reports. Start here.
//
// A subject is a struct literal around a kernel, and its methods do the rest:
//
//	var sum = props.Reduction{Name: "mykernel.Sum", Run: mykernel.Sum}
//
//	func TestPropSum(t *testing.T) { sum.Check(t) }
//	func FuzzPropSum(f *testing.F) { sum.Fuzz(f) }
//
// Check replays the cases on file, then searches: rapid draws recipes, a recipe expands into a case,
// the kernel runs, and each law that applies to the kernel's claim judges the result against the
// exact value and a proven bound. The first violation is reduced to the smallest case, explained,
// printed, and saved below testdata/gamma, from where it is replayed ever after.
//
// [Reduction] is for sums and means, judged by the laws that [judge.Laws] returns, and [Dot] for dot products; [Operation] is for
// error-free transforms, double words and complex numbers ([judge.WordLaws]), judged on batches of rows; [Modular] for operations on
// residues ([judge.ModularLaws]), [NTT] for number-theoretic transforms ([judge.NTTLaws]), [FFT] for Fourier transforms
// ([judge.FFTLaws]), [Wrapping] for sums of integers modulo 2^k ([judge.WrappingLaws]), and [Kernel] for any function on arrays that a
// formula describes, such as a softmax, a norm or a matrix product ([judge.FormulaLaws]). [judge.Judge], [judge.Search], [judge.Find] and
// [judge.Examine] judge a subject outside of a test; programs that should not link package testing find the subjects in package judge, too.
// A [LawOf] is exported so
// that a subject can carry laws of its own.
//
// The judge shares no arithmetic with the judged: this package imports no kernel, shader or device.
package props
