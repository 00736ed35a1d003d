package dd

import (
	"gamma/kernels"
	"gamma/model/word"
)

// Kernel is one operation over batches of rows, with its claim. Both functions take len(src) = rows·Claim.Op.In() and
// len(dst) = rows·Claim.Op.Out(); see kernels.Batch for other lengths and slices that overlap.
type Kernel struct {
	Name  string // "dd.Times3"
	Claim word.Claim
	Run32 func(dst, src []float32)
	Run64 func(dst, src []float64)
}

// All returns every algorithm of double words.
func All() []Kernel {
	return []Kernel{
		withWord("PlusFP", "DWPlusFP", word.DWPlusFP, DD32.PlusFP, DD64.PlusFP),
		withPair("SloppyPlus", "SloppyDWPlusDW", word.DWPlusDW, DD32.SloppyPlus, DD64.SloppyPlus),
		withPair("AccuratePlus", "AccurateDWPlusDW", word.DWPlusDW, DD32.AccuratePlus, DD64.AccuratePlus),
		withWord("TimesFP1", "DWTimesFP1", word.DWTimesFP, DD32.TimesFP1, DD64.TimesFP1),
		withWord("TimesFP2", "DWTimesFP2", word.DWTimesFP, DD32.TimesFP2, DD64.TimesFP2),
		withWord("TimesFP3", "DWTimesFP3", word.DWTimesFP, DD32.TimesFP3, DD64.TimesFP3),
		withPair("Times1", "DWTimesDW1", word.DWTimesDW, DD32.Times1, DD64.Times1),
		withPair("Times2", "DWTimesDW2", word.DWTimesDW, DD32.Times2, DD64.Times2),
		withPair("Times3", "DWTimesDW3", word.DWTimesDW, DD32.Times3, DD64.Times3),
		withWord("DivFP1", "DWDivFP1", word.DWDivFP, DD32.DivFP1, DD64.DivFP1),
		withWord("DivFP2", "DWDivFP2", word.DWDivFP, DD32.DivFP2, DD64.DivFP2),
		withWord("DivFP3", "DWDivFP3", word.DWDivFP, DD32.DivFP3, DD64.DivFP3),
		withPair("Div1", "DWDivDW1", word.DWDivDW, DD32.Div1, DD64.Div1),
		withPair("Div2", "DWDivDW2", word.DWDivDW, DD32.Div2, DD64.Div2),
		withPair("Div3", "DWDivDW3", word.DWDivDW, DD32.Div3, DD64.Div3),
		{
			Name: "dd.Sqrt", Claim: claim("SQRTDWtoDW", word.DWSqrt),
			Run32: alone(DD32.Sqrt), Run64: alone(DD64.Sqrt),
		},
		withPair("Plus", "AccurateDWPlusDW", word.DWPlusDW, DD32.Plus, DD64.Plus).bounded(),
		withPair("Times", "DWTimesDW3", word.DWTimesDW, DD32.Times, DD64.Times).bounded(),
		withPair("Over", "DWDivDW2", word.DWDivDW, DD32.Over, DD64.Over).bounded(),
		{
			Name: "dd.Root", Claim: word.Claim{Op: word.DWSqrt, Algorithm: "SQRTDWtoDW", InPlace: true},
			Run32: alone(DD32.Root), Run64: alone(DD64.Root),
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

// claim returns the claim of an operation that is the algorithm, bit for bit.
func claim(algorithm string, op word.Op) word.Claim {
	return word.Claim{Op: op, Algorithm: algorithm, Exact: true, InPlace: true}
}

// bounded returns k with a claim only to the algorithm's bounds: where a step overflows, its bits differ.
func (k Kernel) bounded() Kernel {
	k.Claim.Exact = false
	return k
}

// withWord returns the kernel of an operation on a double word and a word.
func withWord(name, algorithm string, op word.Op, f func(x DD32, y float32) DD32, g func(x DD64, y float64) DD64) Kernel {
	return Kernel{Name: "dd." + name, Claim: claim(algorithm, op), Run32: rows21(f), Run64: rows21(g)}
}

// withPair returns the kernel of an operation on two double words.
func withPair(name, algorithm string, op word.Op, f func(x, y DD32) DD32, g func(x, y DD64) DD64) Kernel {
	return Kernel{Name: "dd." + name, Claim: claim(algorithm, op), Run32: rows22(f), Run64: rows22(g)}
}

func alone[T kernels.Float](f func(x DD[T]) DD[T]) func(dst, src []T) {
	return kernels.Batch(2, 2, func(z, x []T) {
		r := f(DD[T]{x[0], x[1]})
		z[0], z[1] = r.Hi, r.Lo
	})
}

func rows21[T kernels.Float](f func(x DD[T], y T) DD[T]) func(dst, src []T) {
	return kernels.Batch(3, 2, func(z, x []T) {
		r := f(DD[T]{x[0], x[1]}, x[2])
		z[0], z[1] = r.Hi, r.Lo
	})
}

func rows22[T kernels.Float](f func(x, y DD[T]) DD[T]) func(dst, src []T) {
	return kernels.Batch(4, 2, func(z, x []T) {
		r := f(DD[T]{x[0], x[1]}, DD[T]{x[2], x[3]})
		z[0], z[1] = r.Hi, r.Lo
	})
}
