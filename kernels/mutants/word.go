package mutants

import (
	"math"

	"gamma/kernels"
	"gamma/kernels/complex"
	"gamma/kernels/dd"
	"gamma/kernels/eft"
	"gamma/model"
	"gamma/model/word"
)

// Word is an operation on words with one fault. Its claim is that of a sound operation of its kind.
type Word struct {
	Name  string
	Fault string // what is wrong, in a few words
	Claim word.Claim
	Run32 func(dst, src []float32)
	Kills model.LawID // the law that must find it
}

// Words returns every mutant of error-free transforms, double words and complex products.
func Words() []Word {
	var all []Word
	for _, family := range [][]Word{transforms(), doubleSums(), doubleProducts(), doubleQuotients(), complexes(), wordCalls()} {
		all = append(all, family...)
	}
	return all
}

// FindWord returns the mutant called name, and ok = false if there is none.
func FindWord(name string) (m Word, ok bool) {
	for _, m := range Words() {
		if m.Name == name {
			return m, true
		}
	}
	return Word{}, false
}

// mutantOf returns a mutant of the algorithm, which claims its bounds, of special values no more than a word that is not finite, and its bits
// too if the law that kills is word.program.
func mutantOf(name, fault, algorithm string, kills model.LawID, step func(z, x []float32)) Word {
	a, ok := word.ByName(algorithm)
	if !ok {
		panic(noAlgorithm(algorithm))
	}
	return Word{
		Name: "mutants." + name, Fault: fault, Kills: kills,
		Claim: word.Claim{Op: a.Op, Algorithm: algorithm, Exact: kills == "word.program", Special: word.SpecialNotFinite},
		Run32: kernels.Batch(a.Op.In(), a.Op.Out(), step),
	}
}

func transforms() []Word {
	sum := func(name, fault, algorithm string, f func(a, b, s float32) float32) Word {
		kills := model.LawID("eft.sum")
		if algorithm == "Fast2Sum" {
			kills = "eft.fast"
		}
		return mutantOf(name, fault, algorithm, kills, func(z, x []float32) {
			s := x[0] + x[1]
			z[0], z[1] = s, f(x[0], x[1], s)
		})
	}
	split := func(name, fault string, constant float32) Word {
		return mutantOf(name, fault, "Veltkamp", "eft.split", func(z, x []float32) {
			c := float32(constant * x[0])
			h := c + (x[0] - c)
			z[0], z[1] = h, x[0]-h
		})
	}
	special := mutantOf("TwoSumSilent", "the error word is forced to 0 where it is not finite", "2Sum", "eft.special", func(z, x []float32) {
		if z[0], z[1] = eft.TwoSum(x[0], x[1]); z[1]-z[1] != 0 {
			z[1] = 0
		}
	})
	return []Word{
		sum("TwoSumFast", "Fast2Sum where 2Sum is needed", "2Sum", func(a, b, s float32) float32 { return b - (s - a) }),
		sum("TwoSumReassociated", "the error is (a+b)-s, which a compiler makes of it", "2Sum", func(a, b, s float32) float32 { return (a + b) - s }),
		sum("TwoSumOneTerm", "the error of the first operand is left out", "2SumLeft", func(a, b, s float32) float32 { return b - (s - a) }),
		sum("TwoSumNegative", "the error has the wrong sign", "2Sum", func(a, b, _ float32) float32 {
			_, e := eft.TwoSum(a, b)
			return -e
		}),
		sum("FastTwoSumOther", "the error is that of the other order of operands", "Fast2Sum", func(a, b, s float32) float32 { return a - (s - b) }),
		sum("FastTwoSumDropped", "the error is 0", "Fast2Sum", func(_, _, _ float32) float32 { return 0 }),
		special,
		split("SplitOfDouble", "the splitter is that of float64", 1<<27+1),
		split("SplitShort", "the splitter is 2^11+1: the high half has 13 bits", 1<<11+1),
		mutantOf("SplitByBits", "the low 12 bits are cleared: the low half has up to 12 bits", "Veltkamp", "eft.split", func(z, x []float32) {
			h := math.Float32frombits(math.Float32bits(x[0]) &^ 0xfff)
			z[0], z[1] = h, x[0]-h
		}),
		mutantOf("DekkerShort", "the product of the low halves is left out", "Dekker", "eft.product", func(z, x []float32) {
			ah, al := eft.Split(x[0])
			bh, bl := eft.Split(x[1])
			p := float32(x[0] * x[1])
			z[0], z[1] = p, ((float32(ah*bh)-p)+float32(ah*bl))+float32(al*bh)
		}),
		mutantOf("ProductUnfused", "the fused multiply-add is a product and a difference in float32", "2ProdFMA", "eft.product", func(z, x []float32) {
			z[0], z[1] = unfused(x[0], x[1])
		}),
	}
}

// unfused is TwoProductFMA with its fused multiply-add in two operations.
func unfused(a, b float32) (p, e float32) {
	p = float32(a * b)
	return p, float32(a*b) - p
}

// fma2 rounds twice: to float64 and then to float32.
func fma2(a, b, c float32) float32 {
	return float32(math.FMA(float64(a), float64(b), float64(c))) // gamma:allow double-rounding: the planted fault
}

// pairOf returns the mutant step of an operation on two double words.
func pairOf(f func(x, y dd.DD32) (h, l float32)) func(z, x []float32) {
	return func(z, x []float32) { z[0], z[1] = f(dd.DD32{Hi: x[0], Lo: x[1]}, dd.DD32{Hi: x[2], Lo: x[3]}) }
}

// wordOf returns the mutant step of an operation on a double word and a word.
func wordOf(f func(x dd.DD32, y float32) (h, l float32)) func(z, x []float32) {
	return func(z, x []float32) { z[0], z[1] = f(dd.DD32{Hi: x[0], Lo: x[1]}, x[2]) }
}

// accurate is the accurate sum up to its last step: zh, zl = FastTwoSum(vh, w).
func accurate(x, y dd.DD32, first func(a, b float32) (s, e float32)) (vh, w float32) {
	sh, sl := first(x.Hi, y.Hi)
	th, tl := eft.TwoSum(x.Lo, y.Lo)
	vh, vl := eft.FastTwoSum(sh, sl+th)
	return vh, tl + vl
}

// flushed returns v, or 0 if it is subnormal.
func flushed(v float32) float32 {
	if v > -0x1p-126 && v < 0x1p-126 {
		return 0
	}
	return v
}

func doubleSums() []Word {
	const accurateSum = "AccurateDWPlusDW"
	return []Word{
		mutantOf("PlusSloppy", "the sloppy sum in the place of the accurate one", accurateSum, "dd.add", pairOf(func(x, y dd.DD32) (h, l float32) {
			z := x.SloppyPlus(y)
			return z.Hi, z.Lo
		})),
		mutantOf("PlusFast", "Fast2Sum of the high words, in whatever order", accurateSum, "dd.add", pairOf(func(x, y dd.DD32) (h, l float32) {
			return eft.FastTwoSum(accurate(x, y, eft.FastTwoSum[float32]))
		})),
		mutantOf("PlusUnnormalised", "the last renormalisation is missing", accurateSum, "dd.normal", pairOf(func(x, y dd.DD32) (h, l float32) {
			return accurate(x, y, eft.TwoSum[float32])
		})),
		mutantOf("PlusSwapped", "high and low word are exchanged", accurateSum, "dd.normal", pairOf(func(x, y dd.DD32) (h, l float32) {
			z := x.AccuratePlus(y)
			return z.Lo, z.Hi
		})),
		mutantOf("PlusHigh", "the low word is 0", accurateSum, "dd.add", pairOf(func(x, y dd.DD32) (h, l float32) {
			return x.AccuratePlus(y).Hi, 0
		})),
		mutantOf("PlusLowMinus", "the low word of y is subtracted", accurateSum, "dd.add", pairOf(func(x, y dd.DD32) (h, l float32) {
			z := x.AccuratePlus(dd.DD32{Hi: y.Hi, Lo: -y.Lo})
			return z.Hi, z.Lo
		})),
		mutantOf("PlusConverted", "the sum is made in float64 and converted without the fix for ties", accurateSum, "dd.normal", pairOf(func(x, y dd.DD32) (h, l float32) {
			v := x.Float64() + y.Float64()
			h = float32(v)
			return h, float32(v - float64(h))
		})),
		mutantOf("PlusFlushes", "subnormal results are flushed, which the claim does not say", accurateSum, "dd.add", pairOf(func(x, y dd.DD32) (h, l float32) {
			z := x.AccuratePlus(y)
			return flushed(z.Hi), flushed(z.Lo)
		})),
		mutantOf("SloppyWithoutError", "the error of the high words' sum is left out", "SloppyDWPlusDW", "dd.sloppy", pairOf(func(x, y dd.DD32) (h, l float32) {
			return eft.FastTwoSum(x.Hi+y.Hi, x.Lo+y.Lo)
		})),
		mutantOf("PlusFPFast", "Fast2Sum where 2Sum is needed", "DWPlusFP", "dd.addfp", wordOf(func(x dd.DD32, y float32) (h, l float32) {
			sh, sl := eft.FastTwoSum(x.Hi, y)
			return eft.FastTwoSum(sh, x.Lo+sl)
		})),
		mutantOf("PlusFPWithoutLow", "the low word of x is left out", "DWPlusFP", "dd.addfp", wordOf(func(x dd.DD32, y float32) (h, l float32) {
			return eft.TwoSum(x.Hi, y)
		})),
	}
}

func doubleProducts() []Word {
	cross := func(x, y dd.DD32) float32 { return float32(x.Hi*y.Lo) + float32(x.Lo*y.Hi) }
	return []Word{
		mutantOf("TimesWithoutCross", "one of the products of a high and a low word is left out", "DWTimesDW1", "dd.mul", pairOf(func(x, y dd.DD32) (h, l float32) {
			ch, cl := eft.TwoProductFMA(x.Hi, y.Hi)
			return eft.FastTwoSum(ch, cl+float32(x.Hi*y.Lo))
		})),
		mutantOf("TimesSwappedLow", "the cross products take the low word of their own number", "DWTimesDW1", "dd.mul", pairOf(func(x, y dd.DD32) (h, l float32) {
			ch, cl := eft.TwoProductFMA(x.Hi, y.Hi)
			return eft.FastTwoSum(ch, cl+(float32(x.Hi*x.Lo)+float32(y.Hi*y.Lo)))
		})),
		mutantOf("TimesUnfused", "the fused multiply-add is a product and a difference in float32", "DWTimesDW2", "dd.mul", pairOf(func(x, y dd.DD32) (h, l float32) {
			ch, cl := unfused(x.Hi, y.Hi)
			return eft.FastTwoSum(ch, cl+cross(x, y))
		})),
		mutantOf("TimesShortcut", "where both low words are 0, so is the result's", "DWTimesDW2", "dd.mul", pairOf(func(x, y dd.DD32) (h, l float32) {
			if x.Lo == 0 && y.Lo == 0 {
				return float32(x.Hi * y.Hi), 0
			}
			z := x.Times2(y)
			return z.Hi, z.Lo
		})),
		mutantOf("TimesClamped", "a product that overflows becomes the largest number", "DWTimesDW3", "dd.special", pairOf(func(x, y dd.DD32) (h, l float32) {
			z := x.Times3(y)
			if math.IsInf(float64(z.Hi), 0) || math.IsNaN(float64(z.Hi)) {
				return math.MaxFloat32, 0
			}
			return z.Hi, z.Lo
		})),
		plain(mutantOf("TimesInfinityLost", "an infinite operand gives a NaN, as in the algorithm, where the plain product is claimed", "DWTimesDW3", "dd.special", pairOf(func(x, y dd.DD32) (h, l float32) {
			if z := x.Times(y); !math.IsInf(float64(x.Hi), 0) && !math.IsInf(float64(y.Hi), 0) {
				return z.Hi, z.Lo
			}
			z := x.Times3(y)
			return z.Hi, z.Lo
		}))),
		mutantOf("TimesFar", "the low words are dropped where the product lies between 2^24 and 2^60", "DWTimesDW3", "dd.mul", pairOf(func(x, y dd.DD32) (h, l float32) {
			z := x.Times3(y)
			if a := math.Abs(float64(z.Hi)); a >= 1<<24 && a < 1<<60 {
				z.Lo = 0
			}
			return z.Hi, z.Lo
		})),
		rowsLost(mutantOf("TimesRows16", "rows are counted in 16 bits, and those after them not written", "DWTimesDW3", "dd.mul", pairOf(func(x, y dd.DD32) (h, l float32) {
			z := x.Times3(y)
			return z.Hi, z.Lo
		}))),
		mutantOf("TimesUnnormalised", "the last renormalisation is missing", "DWTimesDW2", "dd.normal", pairOf(func(x, y dd.DD32) (h, l float32) {
			ch, cl := eft.TwoProductFMA(x.Hi, y.Hi)
			return ch, cl + eft.FMA(x.Lo, y.Hi, float32(x.Hi*y.Lo))
		})),
		mutantOf("TimesNegativeLow", "the low word has the wrong sign", "DWTimesDW3", "dd.mul", pairOf(func(x, y dd.DD32) (h, l float32) {
			z := x.Times3(y)
			return z.Hi, -z.Lo
		})),
		mutantOf("Times1As3", "DWTimesDW1 in the place of DWTimesDW3", "DWTimesDW3", "word.program", pairOf(func(x, y dd.DD32) (h, l float32) {
			z := x.Times1(y)
			return z.Hi, z.Lo
		})),
		mutantOf("Times1Contracted", "DWTimesDW1, one of whose products the compiler fused", "DWTimesDW1", "word.program", pairOf(func(x, y dd.DD32) (h, l float32) {
			z := x.Times2(y)
			return z.Hi, z.Lo
		})),
		mutantOf("TimesFP2As1", "DWTimesFP2 in the place of DWTimesFP1, whose bound is half as large", "DWTimesFP1", "dd.mulfp", wordOf(func(x dd.DD32, y float32) (h, l float32) {
			z := x.TimesFP2(y)
			return z.Hi, z.Lo
		})),
		mutantOf("TimesFPWithoutLow", "the product of the low word is left out", "DWTimesFP3", "dd.mulfp", wordOf(func(x dd.DD32, y float32) (h, l float32) {
			return eft.TwoProductFMA(x.Hi, y)
		})),
		mutantOf("TimesFPWithoutError", "the error of the high product is left out", "DWTimesFP2", "dd.mulfp", wordOf(func(x dd.DD32, y float32) (h, l float32) {
			return eft.FastTwoSum(float32(x.Hi*y), float32(x.Lo*y))
		})),
	}
}

func doubleQuotients() []Word {
	return []Word{
		mutantOf("DivUncorrected", "the quotient of the high words, with no correction", "DWDivDW2", "dd.div", pairOf(func(x, y dd.DD32) (h, l float32) {
			return x.Hi / y.Hi, 0
		})),
		mutantOf("DivByHigh", "the low word of the divisor is left out", "DWDivDW2", "dd.div", pairOf(func(x, y dd.DD32) (h, l float32) {
			z := x.DivFP3(y.Hi)
			return z.Hi, z.Lo
		})),
		mutantOf("DivOneStep", "the reciprocal is not refined", "DWDivDW3", "dd.div", pairOf(func(x, y dd.DD32) (h, l float32) {
			z := x.TimesFP3(1 / y.Hi)
			return z.Hi, z.Lo
		})),
		mutantOf("DivFPReciprocal", "1/y is rounded before it is multiplied", "DWDivFP3", "dd.divfp", wordOf(func(x dd.DD32, y float32) (h, l float32) {
			z := x.TimesFP3(1 / y)
			return z.Hi, z.Lo
		})),
		mutantOf("DivFPWithoutLow", "the low word of the dividend is left out", "DWDivFP3", "dd.divfp", wordOf(func(x dd.DD32, y float32) (h, l float32) {
			z := dd.FromWord(x.Hi).DivFP3(y)
			return z.Hi, z.Lo
		})),
		mutantOf("DivFPUnfused", "the remainder's product is rounded", "DWDivFP3", "dd.divfp", wordOf(func(x dd.DD32, y float32) (h, l float32) {
			th := x.Hi / y
			ph, pl := unfused(th, y)
			return eft.FastTwoSum(th, (((x.Hi-ph)-pl)+x.Lo)/y)
		})),
		mutantOf("SqrtUncorrected", "the root of the high word, with no correction", "SQRTDWtoDW", "dd.sqrt", func(z, x []float32) {
			z[0], z[1] = eft.Sqrt(x[0]), 0
		}),
		mutantOf("SqrtTwiceCorrected", "the correction is divided by the root and not by twice that", "SQRTDWtoDW", "dd.sqrt", func(z, x []float32) {
			s := eft.Sqrt(x[0])
			z[0], z[1] = eft.FastTwoSum(s, (x[1]+eft.FMA(-s, s, x[0]))/s)
		}),
		mutantOf("SqrtWithoutLow", "the low word is left out", "SQRTDWtoDW", "dd.sqrt", func(z, x []float32) {
			r := dd.FromWord(x[0]).Sqrt()
			z[0], z[1] = r.Hi, r.Lo
		}),
		rounded(mutantOf("ScaleByReciprocal", "1/N is rounded before it is multiplied, in one word", "DWDivFP3", "dd.rounded", nil), word.DWDivFPRound, func(z, x []float32) {
			z[0] = float32(x[0] * (1 / x[2]))
		}),
		rounded(mutantOf("ScaleHigh", "the low word is rounded away before the division", "DWDivFP3", "dd.rounded", nil), word.DWDivFPRound, func(z, x []float32) {
			z[0] = x[0] / x[2]
		}),
	}
}

// plain returns a mutant that claims of special values what the plain operation returns.
func plain(m Word) Word {
	m.Claim.Special = word.SpecialPlain
	return m
}

// rowsLost returns an operation whose index of rows is 16 bits wide.
func rowsLost(m Word) Word {
	run, in, out := m.Run32, m.Claim.Op.In(), m.Claim.Op.Out()
	m.Run32 = func(dst, src []float32) {
		rows := len(src) / in & (1<<16 - 1)
		run(dst[:rows*out], src[:rows*in])
	}
	return m
}

// rounded returns the mutant as one of an operation whose result is rounded to a word.
func rounded(m Word, op word.Op, step func(z, x []float32)) Word {
	m.Claim.Op = op
	m.Run32 = kernels.Batch(op.In(), op.Out(), step)
	return m
}

type (
	single = complex.Number[float32]
	double = complex.DD[float32]
)

// singles returns the mutant step of a product of complex numbers of single words.
func singles(f func(x, y single) single) func(z, x []float32) {
	return func(z, x []float32) {
		r := f(single{Re: x[0], Im: x[1]}, single{Re: x[2], Im: x[3]})
		z[0], z[1] = r.Re, r.Im
	}
}

func doubleOf(x []float32) double {
	return double{Re: dd.DD32{Hi: x[0], Lo: x[1]}, Im: dd.DD32{Hi: x[2], Lo: x[3]}}
}

// doubles returns the mutant step of an operation on complex numbers of double words.
func doubles(f func(x, y double) double) func(z, x []float32) {
	return func(z, x []float32) {
		r := f(doubleOf(x), doubleOf(x[4:]))
		z[0], z[1], z[2], z[3] = r.Re.Hi, r.Re.Lo, r.Im.Hi, r.Im.Lo
	}
}

func complexes() []Word {
	return []Word{
		mutantOf("ComplexConjugate", "the imaginary products are subtracted", "ComplexPlain", "complex.mul", singles(func(x, y single) single {
			return single{Re: x.TimesPlain(y).Re, Im: float32(x.Re*y.Im) - float32(x.Im*y.Re)}
		})),
		mutantOf("Complex3AsPlain", "three products, whose error is more than twice the bound", "ComplexPlain", "complex.mul", singles(single.Times3)),
		mutantOf("ComplexPlainAsKahan", "no error is repaid, and a part may cancel", "ComplexKahan", "complex.mul", singles(single.TimesPlain)),
		mutantOf("ComplexFMAAsKahan", "one rounding error is not repaid, and a part may cancel", "ComplexKahan", "complex.mul", singles(single.TimesFMA)),
		mutantOf("ComplexKahanAsExtended", "each part is rounded twice, and may err by 2u", "ComplexExtended", "complex.mul", singles(single.TimesKahan)),
		mutantOf("ComplexFMARoundedTwice", "the fused multiply-adds round to float64 and then to float32", "ComplexFMA", "word.program", singles(func(x, y single) single {
			return single{Re: fma2(x.Re, y.Re, -float32(x.Im*y.Im)), Im: fma2(x.Re, y.Im, float32(x.Im*y.Re))}
		})),
		plain(mutantOf("ComplexInfinityLost", "an infinite part gives a NaN, as in the algorithm, where the plain product is claimed", "ComplexKahan", "complex.special", singles(single.TimesKahan))),
		mutantOf("ComplexNaNZero", "a part that is a NaN becomes 0", "ComplexPlain", "complex.special", singles(func(x, y single) single {
			z := x.TimesPlain(y)
			if z.Re != z.Re {
				z.Re = 0
			}
			return z
		})),
		mutantOf("ComplexDWSign", "the real part adds its products", "ComplexDW3", "complex.mul", doubles(func(x, y double) double {
			return double{Re: x.Re.Times3(y.Re).AccuratePlus(x.Im.Times3(y.Im)), Im: x.Times3(y).Im}
		})),
		mutantOf("ComplexDWSloppy", "sloppy sums in the place of accurate ones", "ComplexDW3", "word.program", doubles(func(x, y double) double {
			return double{
				Re: x.Re.Times3(y.Re).SloppyPlus(x.Im.Times3(y.Im).Neg()),
				Im: x.Re.Times3(y.Im).SloppyPlus(x.Im.Times3(y.Re)),
			}
		})),
		mutantOf("ComplexDWHighNegated", "the sign of a product changes in its high word alone", "ComplexDW2", "complex.mul", doubles(func(x, y double) double {
			z, p := x.Times2(y), x.Im.Times2(y.Im)
			z.Re = x.Re.Times2(y.Re).AccuratePlus(dd.DD32{Hi: -p.Hi, Lo: p.Lo})
			return z
		})),
		mutantOf("ComplexDWPlusCrossed", "the low words of y's parts are exchanged", "ComplexDWPlus", "complex.add", doubles(func(x, y double) double {
			y.Re.Lo, y.Im.Lo = y.Im.Lo, y.Re.Lo
			return x.Plus(y)
		})),
		rounded(mutantOf("ComplexExtendedPlain", "the high words are multiplied in float32", "ComplexDW3", "complex.rounded", nil), word.ComplexDWTimesRound, func(z, x []float32) {
			r := single{Re: x[0], Im: x[2]}.TimesPlain(single{Re: x[4], Im: x[6]})
			z[0], z[1] = r.Re, r.Im
		}),
		rounded(mutantOf("ComplexExtendedTwiceRounded", "every product is rounded before the last addition", "ComplexDW3", "complex.rounded", nil), word.ComplexDWTimesRound, func(z, x []float32) {
			u, k := doubleOf(x), doubleOf(x[4:])
			z[0] = u.Re.Times3(k.Re).Hi - u.Im.Times3(k.Im).Hi
			z[1] = u.Re.Times3(k.Im).Hi + u.Im.Times3(k.Re).Hi
		}),
	}
}

// wordCalls are mutants whose results depend on more than a row's operands.
func wordCalls() []Word {
	a, ok := word.ByName("2Sum")
	if !ok {
		panic(noAlgorithm("2Sum"))
	}
	rows := func(name, fault string, kills model.LawID, run func(dst, src []float32)) Word {
		return Word{Name: "mutants." + name, Fault: fault, Kills: kills, Claim: word.Claim{Op: a.Op, Algorithm: a.Name}, Run32: run}
	}
	sums := func(dst, src []float32) {
		for i := 0; i < len(src); i += 2 {
			dst[i], dst[i+1] = eft.TwoSum(src[i], src[i+1])
		}
	}
	var kept float32
	inPlace := rows("TwoSumRereads", "an operand is read once more where the sum is stored: in place it is another", "word.pure", func(dst, src []float32) {
		for i := 0; i < len(src); i += 2 {
			b := src[i+1]
			dst[i], _ = eft.TwoSum(src[i], b)
			_, dst[i+1] = eft.TwoSum(src[i], b)
		}
	})
	inPlace.Claim.InPlace = true
	return []Word{
		inPlace,
		rows("TwoSumKeepsError", "the first row's error term is that of the last row of the call before", "word.pure", func(dst, src []float32) {
			sums(dst, src)
			if n := len(dst); n > 0 {
				last := dst[n-1]
				dst[1], kept = kept, last
			}
		}),
		rows("TwoSumOneScale", "error terms are dropped that are small beside the largest sum of the batch", "word.independent", func(dst, src []float32) {
			sums(dst, src)
			var top float32
			for i := 0; i < len(dst); i += 2 {
				top = max(top, dst[i], -dst[i])
			}
			for i := 1; i < len(dst); i += 2 {
				if max(dst[i], -dst[i]) < float32(top*0x1p-40) {
					dst[i] = 0
				}
			}
		}),
	}
}
