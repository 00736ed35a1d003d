package complex

import (
	"gamma/kernels"
	"gamma/kernels/dd"
	"gamma/model/word"
)

// Kernel is one operation over batches of rows, with its claim. Both functions take len(src) = rows·Claim.Op.In() and
// len(dst) = rows·Claim.Op.Out(); see kernels.Batch for other lengths and slices that overlap.
type Kernel struct {
	Name  string // "complex.Times3"
	Claim word.Claim
	Run32 func(dst, src []float32)
	Run64 func(dst, src []float64)
}

// All returns every operation. Those that round once at the end claim the algorithm that computes the unrounded result, and of special
// values no more than a word that is not finite; Depthwise3Extended claims no algorithm, since its bound is of the sum of magnitudes: see
// Dot3Extended.
func All() []Kernel {
	round := func(algorithm string, op word.Op) word.Claim {
		return word.Claim{Op: op, Algorithm: algorithm, Special: word.SpecialNotFinite, InPlace: true}
	}
	return []Kernel{
		single("TimesPlain", "ComplexPlain", Number[float32].TimesPlain, Number[float64].TimesPlain),
		single("TimesFMA", "ComplexFMA", Number[float32].TimesFMA, Number[float64].TimesFMA),
		single("TimesKahan", "ComplexKahan", Number[float32].TimesKahan, Number[float64].TimesKahan),
		single("Times3", "Complex3", Number[float32].Times3, Number[float64].Times3),
		single("TimesExtended", "ComplexExtended", Number[float32].TimesExtended, Number[float64].TimesExtended),
		double("Plus", "ComplexDWPlus", word.ComplexDWPlus, DD[float32].Plus, DD[float64].Plus),
		double("DD.Times1", "ComplexDW1", word.ComplexDWTimes, DD[float32].Times1, DD[float64].Times1),
		double("DD.Times2", "ComplexDW2", word.ComplexDWTimes, DD[float32].Times2, DD[float64].Times2),
		double("DD.Times3", "ComplexDW3", word.ComplexDWTimes, DD[float32].Times3, DD[float64].Times3),
		{
			Name: "complex.ComplexMultiplyExtended", Claim: round("ComplexDW3", word.ComplexDWTimesRound),
			Run32: kernels.Batch(8, 2, func(z, x []float32) { ComplexMultiplyExtended(z, x[:4], x[4:]) }),
			Run64: kernels.Batch(8, 2, func(z, x []float64) { ComplexMultiplyExtended(z, x[:4], x[4:]) }),
		},
		{
			Name: "complex.FFTScaleExtended", Claim: round("DWDivFP3", word.DWDivFPRound),
			Run32: kernels.Batch(3, 1, scale[float32]), Run64: kernels.Batch(3, 1, scale[float64]),
		},
		{
			Name: "complex.Depthwise3Extended", Claim: word.Claim{Op: word.Dot3Round, InPlace: true},
			Run32: kernels.Batch(6, 1, dot3[float32]), Run64: kernels.Batch(6, 1, dot3[float64]),
		},
	}
}

// Find returns the kernel called name, and ok = false if there is none.
func Find(name string) (k Kernel, ok bool) {
	for _, k := range All() {
		if k.Name == name {
			return k, true
		}
	}
	return Kernel{}, false
}

// scale is the step of FFTScaleExtended for a size that is a word.
func scale[T kernels.Float](z, x []T) { z[0] = dd.DD[T]{Hi: x[0], Lo: x[1]}.DivFP3(x[2]).Hi }

// dot3 is the step of Depthwise3Extended: three words of the row and three taps.
func dot3[T kernels.Float](z, x []T) { z[0] = Dot3Extended([3]T(x), [3]T(x[3:])) }

// single returns the kernel of a product of single words.
func single(name, algorithm string, f func(x, y Number[float32]) Number[float32], g func(x, y Number[float64]) Number[float64]) Kernel {
	return Kernel{
		Name: "complex." + name, Claim: word.Claim{Op: word.ComplexTimes, Algorithm: algorithm, Exact: true, InPlace: true},
		Run32: rowsOfSingles(f), Run64: rowsOfSingles(g),
	}
}

// double returns the kernel of an operation on double words.
func double(name, algorithm string, op word.Op, f func(x, y DD[float32]) DD[float32], g func(x, y DD[float64]) DD[float64]) Kernel {
	return Kernel{
		Name: "complex." + name, Claim: word.Claim{Op: op, Algorithm: algorithm, Exact: true, InPlace: true},
		Run32: rowsOfDoubles(f), Run64: rowsOfDoubles(g),
	}
}

func rowsOfSingles[T kernels.Float](f func(x, y Number[T]) Number[T]) func(dst, src []T) {
	return kernels.Batch(4, 2, func(z, x []T) {
		r := f(Number[T]{x[0], x[1]}, Number[T]{x[2], x[3]})
		z[0], z[1] = r.Re, r.Im
	})
}

func rowsOfDoubles[T kernels.Float](f func(x, y DD[T]) DD[T]) func(dst, src []T) {
	return kernels.Batch(8, 4, func(z, x []T) { f(at(x), at(x[4:])).put(z) })
}
