package props

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels/complex"
	"gamma/kernels/dd"
	"gamma/kernels/eft"
	"gamma/model"
	"gamma/model/word"
	"gamma/props/internal/check"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/words"
	"gamma/props/judge"
)

// times3 is a sound subject to be changed.
func times3() Operation {
	k, _ := dd.Find("dd.Times3")
	return Operation{Name: k.Name, Claim: k.Claim, Run: k.Run32}
}

// TestOperationErrors names the field that is wrong.
func TestOperationErrors(t *testing.T) {
	for want, change := range map[string]func(o *Operation){
		"has no Name":                          func(o *Operation) { o.Name = "" },
		"sets no Run function":                 func(o *Operation) { o.Run = nil },
		"both Run and Run64":                   func(o *Operation) { o.Run64 = func(_, _ []float64) {} },
		"Claim.Op is not set":                  func(o *Operation) { o.Claim.Op = word.Op{} },
		"a number has 1 to 4":                  func(o *Operation) { o.Claim.Op.X = 9 },
		"no algorithm of word":                 func(o *Operation) { o.Claim.Algorithm = "Karatsuba" },
		"DWPlusFP computes sum":                func(o *Operation) { o.Claim.Algorithm = "DWPlusFP" },
		"no Claim.Algorithm says":              func(o *Operation) { o.Claim = word.Claim{Op: word.TwoSum, Exact: true} },
		"one of DWTimesDW1, DWTimesDW2, DWT":   func(o *Operation) { o.Claim.Algorithm, o.Claim.Exact = "", false },
		"returns 2 words where Claim.Op has 1": func(o *Operation) { o.Claim.Op.Z = 1 },
		"Claim.Bound is one of the norm":       func(o *Operation) { o.Claim.Bound = &word.Bound{Text: "u", Normwise: true} },
		"Claim.Bound has no Text":              func(o *Operation) { o.Claim.Bound = &word.Bound{} },
		"Claim.Rounding is":                    func(o *Operation) { o.Claim.Rounding = 99 },
		"sets Device beside Run":               func(o *Operation) { o.Device.Strict = true },
		"has no ID":                            func(o *Operation) { o.Laws = []WordLaw{{}} },
		"has no Judge function":                func(o *Operation) { o.Laws = []WordLaw{{ID: "dd.mine"}} },
		"has the ID of a built-in law":         func(o *Operation) { o.Laws = []WordLaw{{ID: model.DDMul, Judge: words.JudgeRelative}} },
		"draws from family \"odd\"": func(o *Operation) {
			o.Laws = []WordLaw{{ID: "dd.mine", Judge: words.JudgeRelative, Families: []string{"odd"}}}
		},
		"Device.Under is set": func(o *Operation) {
			o.onDevice()
			o.Device.Under = func(c model.Claim, _ model.Behaviour) model.Claim { return c }
		},
		"Device.Admits.Order is \"sideways\"": func(o *Operation) { o.onDevice(); o.Device.Admits.Order = "sideways" },
	} {
		o := times3()
		change(&o)
		_, err := o.Subject()
		require.ErrorContains(t, err, want)
	}
	_, err := times3().Subject()
	require.NoError(t, err)
	l, err := judge.LawByID(judge.WordLaws(), model.DDMul)
	require.NoError(t, err)
	for want, row := range map[string][]uint64{"3 words are no rows of 4": {1, 2, 3}, "0 words are no rows": nil, "is no encoding of binary32": {1, 2, 3, 1 << 40}} {
		_, err := judge.Judge(l, times3(), rowOf(Setting{}, row...))
		require.ErrorContains(t, err, want)
	}
	_, err = judge.Judge(l, times3(), rowOf(Setting{Launch: model.Launch1D(1, 1)}, make([]uint64, 4)...))
	require.ErrorContains(t, err, "it runs on no device")
	_, err = JudgeWords(l, word.Claim{Op: word.DWTimesDW}, model.Binary32, make([]uint64, 3), make([]uint64, 2))
	require.ErrorContains(t, err, "has 4 words and 2 results")
	_, err = judge.LawByID(judge.WordLaws(), "dd.none")
	require.ErrorContains(t, err, "is called \"dd.none\"")
}

// onDevice makes an operation one on a device that runs its Go function.
func (o *Operation) onDevice() {
	run := o.Run
	o.Run, o.RunOn = nil, func(_ Setting, dst, src []float32) error { run(dst, src); return nil }
}

// TestOperationBreaks turns what a kernel does wrong beside its result into a verdict.
func TestOperationBreaks(t *testing.T) {
	l, err := judge.LawByID(judge.WordLaws(), model.EFTSum)
	require.NoError(t, err)
	row := []uint64{0x3f800000, 0x33000000}
	for want, run := range map[string]func(dst, src []float32) error{
		"the kernel panicked: no":               func(_, _ []float32) error { panic("no") },
		"the kernel returned an error: too hot": func(_, _ []float32) error { return errors.New("too hot") },
		"the kernel changed leaf 1":             func(dst, src []float32) error { eft.All()[0].Run32(dst, src); src[1] = 3; return nil },
		"index out of range":                    func(dst, _ []float32) error { dst[len(dst)-1+1] = 1; return nil },
	} {
		v, err := judge.Judge(l, Operation{Name: "broken", Claim: word.Claim{Op: word.TwoSum, Algorithm: "2Sum"}, RunErr: run}, rowOf(Setting{}, row...))
		require.NoError(t, err)
		require.Equal(t, Broken, v.Outcome, want)
		require.Contains(t, v.Reason, want)
	}
	// What is not written is junk that no law takes for a result.
	v, err := judge.Judge(l, Operation{Name: "lazy", Claim: word.Claim{Op: word.TwoSum, Algorithm: "2Sum"}, Run: func(_, _ []float32) {}}, rowOf(Setting{}, row...))
	require.NoError(t, err)
	require.Equal(t, Violated, v.Outcome)
}

// wordVerdicts are rows of binary32, and how laws judge them.
var wordVerdicts = []struct {
	law     model.LawID
	claim   word.Claim
	in, out []float64
	want    Outcome
	reason  string
}{
	{"eft.sum", word.Claim{Op: word.TwoSum}, []float64{1, 0x1p-30}, []float64{1, 0x1p-30}, Holds, ""},
	{"eft.sum", word.Claim{Op: word.TwoSum}, []float64{1, 0x1p-30}, []float64{1, 0}, Violated, "do not add up"},
	{"eft.sum", word.Claim{Op: word.TwoSum}, []float64{1, 0x1p-30}, []float64{0x1.000002p0, 0x1p-30 - 0x1p-23}, Violated, "not the sum, rounded"},
	{"eft.sum", word.Claim{Op: word.TwoSum}, []float64{math.MaxFloat32, -0x1.8p103}, []float64{math.MaxFloat32 - 0x1p104, math.NaN()}, Vacuous, "largest number"},
	{"eft.sum", word.Claim{Op: word.TwoSum, Algorithm: "2Sum"}, []float64{-0x1.8p103, math.MaxFloat32}, []float64{math.MaxFloat32 - 0x1p104, math.NaN()}, Violated, "not finite"},
	{"eft.sum", word.Claim{Op: word.TwoSum}, []float64{math.MaxFloat32, math.MaxFloat32}, []float64{math.Inf(1), math.NaN()}, Vacuous, "overflows"},
	{"eft.sum", word.Claim{Op: word.TwoSum, Rounding: model.TowardZero}, []float64{1, 1}, []float64{2, 0}, Vacuous, "nearest"},
	{"eft.sum", word.Claim{Op: word.TwoSum, Flush: model.Flush{Out: true}}, []float64{1, 1}, []float64{2, 0}, Vacuous, "eft.flush"},
	{"eft.fast", word.Claim{Op: word.TwoSum, Algorithm: "Fast2Sum"}, []float64{0x1p-30, 1}, []float64{1, 0}, Vacuous, "not ordered"},
	{"eft.fast", word.Claim{Op: word.TwoSum, Algorithm: "Fast2Sum"}, []float64{0x1p-30, 1}, []float64{0, 1}, Violated, "not the sum"},
	{"eft.fast", word.Claim{Op: word.TwoSum, Algorithm: "Fast2Sum"}, []float64{2, 3}, []float64{5, 0}, Holds, ""},
	{"eft.split", word.Claim{Op: word.Split}, []float64{0x1.002002p0}, []float64{0x1.002p0, 0x1p-23}, Holds, ""},
	{"eft.split", word.Claim{Op: word.Split}, []float64{0x1.001002p0}, []float64{0x1.001p0, 0x1p-23}, Violated, "high half has 13 bits"},
	{"eft.split", word.Claim{Op: word.Split, Algorithm: "Veltkamp"}, []float64{math.MaxFloat32}, []float64{math.Inf(1), math.NaN()}, Vacuous, "split overflows"},
	{"eft.product", word.Claim{Op: word.TwoProduct}, []float64{0x1.000002p0, 0x1.000002p0}, []float64{0x1.000004p0, 0x1p-46}, Holds, ""},
	{"eft.product", word.Claim{Op: word.TwoProduct, Algorithm: "Dekker"}, []float64{0x1.000002p-60, 0x1.000002p-60}, []float64{0x1.000004p-120, 0}, Vacuous, "less than Emin+P-1"},
	{"eft.product", word.Claim{Op: word.TwoProduct, Algorithm: "2ProdFMA"}, []float64{0x1.000002p-60, 0x1.000002p-60}, []float64{0x1.000004p-120, 0}, Holds, ""},
	{"eft.product", word.Claim{Op: word.TwoProduct, Algorithm: "2ProdFMA"}, []float64{0x1.000002p-60, 0x1.000002p-60}, []float64{0x1.000004p-120, 0x1p-149}, Violated, "do not add up"},
	{"eft.flush", word.Claim{Op: word.TwoSum, Flush: model.Flush{Out: true}}, []float64{0x1p-103, 0x1.000002p-79}, []float64{0x1.000002p-79, 0}, Violated, "do not add up"},
	{"eft.flush", word.Claim{Op: word.TwoSum, Flush: model.Flush{Out: true}}, []float64{0x1.000002p-126, 0x1p-102}, []float64{0x1.000002p-102, 0}, Holds, ""},
	{"eft.flush", word.Claim{Op: word.TwoSum, Flush: model.Flush{In: true, Out: true}}, []float64{0x1p-127, 0x1p-127}, []float64{0, 0}, Holds, ""},
	{"eft.flush", word.Claim{Op: word.TwoSum}, []float64{1, 1}, []float64{2, 0}, Vacuous, "nothing is flushed"},
	{"eft.special", word.Claim{Op: word.TwoSum}, []float64{math.Inf(1), 1}, []float64{math.Inf(1), math.NaN()}, Holds, ""},
	{"eft.special", word.Claim{Op: word.TwoSum}, []float64{math.Inf(1), 1}, []float64{math.Inf(1), 0}, Violated, "second is finite"},
	{"eft.special", word.Claim{Op: word.TwoSum}, []float64{math.Inf(1), math.Inf(-1)}, []float64{math.Inf(1), math.NaN()}, Violated, "operation alone returns"},
	{"eft.special", word.Claim{Op: word.TwoSum}, []float64{1, 1}, []float64{2, 0}, Vacuous, "finite"},
	{"dd.mul", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1"}, []float64{1, 0, 3, 0}, []float64{3, 0}, Holds, ""},
	{"dd.mul", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1"}, []float64{1, 0, 3, 0}, []float64{3, 0x1p-40}, Violated, "larger than the bound"},
	{"dd.mul", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1"}, []float64{1, 0, 3, 0}, []float64{3, math.Inf(1)}, Violated, "not finite"},
	{"dd.mul", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1"}, []float64{1, 1, 3, 0}, []float64{6, 0}, Vacuous, "not normalised"},
	{"dd.mul", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1"}, []float64{0x1.000002p0, 0x1p-24, 1, 0}, []float64{0x1.000002p0, 0x1p-24}, Vacuous, "not normalised"},
	{"dd.mul", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1"}, []float64{0x1.000004p0, 0x1p-24, 1, 0}, []float64{0x1.000004p0, 0x1p-24}, Holds, ""},
	{"dd.mul", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1"}, []float64{0x1.000002p-70, 0, 0x1.000002p-70, 0}, []float64{0x1.000004p-140, 0}, Vacuous, "underflows"},
	{"dd.mul", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1"}, []float64{0x1p-70, 0, 0x1p-70, 0}, []float64{0x1p-140, 0}, Holds, ""},
	{"dd.mul", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1"}, []float64{0x1p100, 0, 0x1p100, 0}, []float64{math.Inf(1), math.NaN()}, Vacuous, "not finite"},
	{"dd.mul", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW3", Rounding: model.TowardZero}, []float64{1, 0, 1, 0}, []float64{1, 0}, Vacuous, "nearest"},
	{"dd.mul", word.Claim{Op: word.DWTimesDW, Bound: &word.Bound{Text: "own"}}, []float64{1, 0, 3, 0}, []float64{3, 0x1p-60}, Violated, "larger than the bound"},
	{"dd.mul", word.Claim{Op: word.DWTimesDW, Bound: &word.Bound{Text: "own"}}, []float64{0x1p-60, 0, 0x1p-60, 0}, []float64{0x1p-120, 0}, Vacuous, "near the ends"},
	{"dd.add", word.Claim{Op: word.DWPlusDW, Algorithm: "SloppyDWPlusDW"}, []float64{2, 0, -1, 0}, []float64{1, 0}, Vacuous, "one sign"},
	{"dd.add", word.Claim{Op: word.DWPlusDW, Algorithm: "AccurateDWPlusDW"}, []float64{0x1p-140, 0, 0x1p-149, 0}, []float64{0x1p-140, 0}, Violated, "larger"},
	{"dd.sqrt", word.Claim{Op: word.DWSqrt, Algorithm: "SQRTDWtoDW"}, []float64{-1, 0}, []float64{math.NaN(), math.NaN()}, Vacuous, "not finite"},
	{"dd.sqrt", word.Claim{Op: word.DWSqrt, Algorithm: "SQRTDWtoDW"}, []float64{4, 0}, []float64{2, 0}, Holds, ""},
	{"dd.normal", word.Claim{Op: word.DWPlusDW, Algorithm: "AccurateDWPlusDW"}, []float64{1, 0, 2, 0}, []float64{2, 1}, Violated, "not normalised"},
	{"dd.normal", word.Claim{Op: word.DWPlusDW, Algorithm: "AccurateDWPlusDW"}, []float64{1, 0, 0x1p-24, 0}, []float64{0x1.000002p0, -0x1p-24}, Violated, "not normalised"},
	{"dd.rounded", word.Claim{Op: word.DWDivFPRound, Algorithm: "DWDivFP3"}, []float64{1, 0, 3}, []float64{float64(float32(1) / 3)}, Holds, ""},
	{"dd.rounded", word.Claim{Op: word.DWDivFPRound, Algorithm: "DWDivFP3"}, []float64{1, 0, 3}, []float64{float64(math.Nextafter32(float32(1)/3, 0))}, Violated, "larger"},
	{"dd.rounded", word.Claim{Op: word.Dot3Round}, []float64{1, 0x1p30, -0x1p30, 1, 1, 1}, []float64{1}, Holds, ""},
	{"dd.rounded", word.Claim{Op: word.Dot3Round}, []float64{1, 0x1p30, -0x1p30, 1, 1, 1}, []float64{0}, Violated, "rounded once"},
	{"dd.special", word.Claim{Op: word.DWPlusDW}, []float64{math.Inf(1), 0, 1, 0}, []float64{0, 0}, Violated, "operand is not finite"},
	{"dd.special", word.Claim{Op: word.DWPlusDW}, []float64{1, math.NaN(), 1, 0}, []float64{math.NaN(), math.NaN()}, Vacuous, "no double words"},
	{"dd.special", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1"}, []float64{0x1p100, 0, 0x1p100, 0}, []float64{math.MaxFloat32, 0}, Violated, "overflows"},
	{"dd.special", word.Claim{Op: word.DWDivDW, Algorithm: "DWDivDW1"}, []float64{1, 0, 0, 0}, []float64{0, 0}, Violated, "no quotient"},
	{"dd.special", word.Claim{Op: word.DWSqrt, Algorithm: "SQRTDWtoDW"}, []float64{-1, 0}, []float64{0, 0}, Violated, "no root"},
	{"dd.special", word.Claim{Op: word.DWPlusDW, Algorithm: "AccurateDWPlusDW"}, []float64{0x1.000002p0, 0x1p-24, 1, 0}, []float64{math.NaN(), 0}, Violated, "result word is none"},
	{"dd.special", word.Claim{Op: word.DWPlusDW, Algorithm: "AccurateDWPlusDW"}, []float64{1, 1, 1, 0}, []float64{3, 0}, Vacuous, "overlap"},
	{"dd.special", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1"}, []float64{2, 0, math.Inf(-1), 0}, []float64{math.Inf(-1), math.NaN()}, Holds, ""},
	{"dd.special", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1"}, []float64{2, 0, math.Inf(-1), 0}, []float64{math.NaN(), math.NaN()}, Violated, "claims Special: word.SpecialNotFinite"},
	{"dd.special", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1"}, []float64{2, 0, math.Inf(-1), 0}, []float64{math.Inf(1), math.NaN()}, Violated, "not what the plain operation"},
	{"dd.special", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1"}, []float64{2, 0, math.Inf(1), math.NaN()}, []float64{math.NaN(), math.NaN()}, Holds, ""},
	{"dd.special", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1"}, []float64{-0x1p100, 0, 0x1p100, 0}, []float64{math.Inf(1), math.NaN()}, Violated, "not what the plain operation"},
	{"dd.special", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1", Special: word.SpecialNotFinite}, []float64{2, 0, math.Inf(1), 0}, []float64{math.NaN(), math.NaN()}, Holds, ""},
	{"dd.special", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1", Special: word.SpecialNotFinite}, []float64{2, 0, math.Inf(1), 0}, []float64{math.MaxFloat32, 0}, Violated, "first word is finite"},
	{"dd.special", word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1", Exact: true}, []float64{2, 0, math.Inf(1), 0}, []float64{math.NaN(), math.NaN()}, Holds, ""},
	{"dd.special", word.Claim{Op: word.DWDivDW, Algorithm: "DWDivDW1"}, []float64{2, 0, math.Inf(1), 0}, []float64{0, 0}, Holds, ""},
	{"dd.special", word.Claim{Op: word.DWDivDW, Algorithm: "DWDivDW1"}, []float64{2, 0, math.Inf(1), 0}, []float64{math.NaN(), math.NaN()}, Violated, "not what the plain operation"},
	{"dd.special", word.Claim{Op: word.DWDivDW, Algorithm: "DWDivDW1"}, []float64{2, 0, math.Inf(1), 0}, []float64{0, math.NaN()}, Violated, "a word after the first"},
	{"dd.special", word.Claim{Op: word.DWDivDW, Algorithm: "DWDivDW1", Special: word.SpecialNotFinite}, []float64{2, 0, math.Inf(1), 0}, []float64{math.NaN(), math.NaN()}, Vacuous, "as good as a NaN"},
	{"dd.special", word.Claim{Op: word.DWSqrt, Algorithm: "SQRTDWtoDW"}, []float64{0, 0}, []float64{math.NaN(), math.NaN()}, Violated, "the operand is 0"},
	{"dd.special", word.Claim{Op: word.DWSqrt, Algorithm: "SQRTDWtoDW", Special: word.SpecialNotFinite}, []float64{0, 0}, []float64{math.NaN(), math.NaN()}, Vacuous, "may be a NaN"},
	{"complex.special", word.Claim{Op: word.ComplexTimes, Algorithm: "ComplexPlain"}, []float64{math.Inf(1), 0, 1, 0}, []float64{math.Inf(1), math.NaN()}, Holds, ""},
	{"complex.special", word.Claim{Op: word.ComplexTimes, Algorithm: "ComplexPlain"}, []float64{math.Inf(1), 0, 1, 0}, []float64{math.Inf(1), math.Inf(1)}, Holds, ""},
	{"complex.special", word.Claim{Op: word.ComplexTimes, Algorithm: "ComplexPlain"}, []float64{math.Inf(1), 0, 1, 0}, []float64{math.NaN(), math.NaN()}, Violated, "of the real part"},
	{"complex.special", word.Claim{Op: word.ComplexTimes, Algorithm: "ComplexPlain"}, []float64{math.Inf(1), 0, 1, 0}, []float64{math.Inf(1), 0}, Violated, "of the imaginary part is finite"},
	{"complex.special", word.Claim{Op: word.ComplexTimes, Algorithm: "ComplexPlain", Special: word.SpecialNotFinite}, []float64{math.Inf(1), 0, 1, 0}, []float64{math.NaN(), math.NaN()}, Holds, ""},
	{"complex.special", word.Claim{Op: word.ComplexTimes, Algorithm: "ComplexPlain"}, []float64{0x1p100, 0, 0x1p100, 0}, []float64{math.Inf(1), 0}, Holds, ""},
	{"complex.special", word.Claim{Op: word.ComplexTimes, Algorithm: "ComplexPlain"}, []float64{0x1p100, 0, 0x1p100, 0}, []float64{math.MaxFloat32, 0}, Violated, "overflows"},
	{"complex.special", word.Claim{Op: word.ComplexTimes, Algorithm: "ComplexPlain"}, []float64{1, 1, 1, -1}, []float64{2, 0}, Vacuous, "numbers"},
	{"complex.special", word.Claim{Op: word.ComplexDWPlus, Algorithm: "ComplexDWPlus"}, []float64{math.Inf(1), 0, 1, 0, 1, 0, 1, 0}, []float64{math.Inf(1), math.NaN(), 2, 0}, Holds, ""},
	{"complex.special", word.Claim{Op: word.ComplexDWPlus, Algorithm: "ComplexDWPlus"}, []float64{math.Inf(1), 0, 1, 0, 1, 0, 1, 0}, []float64{math.NaN(), math.NaN(), 2, 0}, Violated, "claims Special"},
	{"dd.flush", word.Claim{Op: word.DWPlusDW, Algorithm: "AccurateDWPlusDW", Flush: model.Flush{Out: true}}, []float64{1, 0, 0x1p-40, 0}, []float64{1, 0}, Violated, "larger"},
	{"dd.flush", word.Claim{Op: word.DWPlusDW, Algorithm: "AccurateDWPlusDW", Flush: model.Flush{Out: true}}, []float64{1, 0, 0x1p-130, 0}, []float64{1, 0}, Vacuous, "may be flushed"},
	{"dd.flush", word.Claim{Op: word.DWPlusDW, Algorithm: "AccurateDWPlusDW", Flush: model.Flush{Out: true}}, []float64{0x1.000002p-126, 0, -0x1p-126, 0}, []float64{0, 0}, Vacuous, "may be flushed"},
	{"word.program", word.Claim{Op: word.TwoSum, Algorithm: "2Sum", Exact: true}, []float64{1, 0x1p-30}, []float64{1, 0x1p-30}, Holds, ""},
	{"word.program", word.Claim{Op: word.TwoSum, Algorithm: "2Sum", Exact: true}, []float64{1, 0x1p-30}, []float64{1, 0}, Violated, "not that of 2Sum"},
	{"complex.mul", word.Claim{Op: word.ComplexTimes, Algorithm: "ComplexPlain"}, []float64{1, 1, 1, -1}, []float64{2, 0}, Holds, ""},
	{"complex.mul", word.Claim{Op: word.ComplexTimes, Algorithm: "ComplexPlain"}, []float64{1, 1, 1, -1}, []float64{2, 0x1p-21}, Violated, "larger"},
	{"complex.mul", word.Claim{Op: word.ComplexTimes, Algorithm: "Complex3"}, []float64{1, 1, 1, -1}, []float64{9, 9}, Vacuous, "no bound"},
	{"dd.mul", word.Claim{Op: word.TwoSum}, []float64{1, 1}, []float64{2, 0}, Vacuous, "the operation is not"},
}

// TestWordVerdicts judges rows one by one: what each law says where its hypotheses end.
func TestWordVerdicts(t *testing.T) {
	for _, c := range wordVerdicts {
		l, err := judge.LawByID(judge.WordLaws(), c.law)
		require.NoError(t, err)
		v, err := JudgeWords(l, c.claim, model.Binary32, bits32Of(c.in), bits32Of(c.out))
		require.NoError(t, err)
		require.Equal(t, c.want, v.Outcome, "%s of %v for %v -> %v: %v", c.law, c.claim, c.in, c.out, v)
		require.Contains(t, v.Reason, c.reason)
	}
	// Below its least p the theorem says nothing.
	l, err := judge.LawByID(judge.WordLaws(), model.DDMul)
	require.NoError(t, err)
	v, err := JudgeWords(l, word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW3"}, model.BFloat16, make([]uint64, 4), []uint64{0, 1})
	require.NoError(t, err)
	require.Equal(t, Violated, v.Outcome, "%v", v)
	toy, err := model.FormatByName("toy4")
	require.NoError(t, err)
	v, err = JudgeWords(l, word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW3"}, toy, make([]uint64, 4), []uint64{0, 1})
	require.NoError(t, err)
	require.Equal(t, Vacuous, v.Outcome, "%v", v)
	require.Contains(t, v.Reason, "p >= 5")
}

func bits32Of(x []float64) []uint64 {
	var b []uint64
	for _, v := range x {
		b = append(b, uint64(math.Float32bits(float32(v))))
	}
	return b
}

// TestSloppyReachesOne holds the witness on file to what its comment says: the relative error is 1.
func TestSloppyReachesOne(t *testing.T) {
	for _, f := range embeddedOf[*corpus.Table]() {
		if f.Body.Law != model.DDSloppy {
			continue
		}
		k, ok := dd.Find(f.Body.Kernel)
		require.True(t, ok)
		in, out := make([]float32, 4), make([]float32, 2)
		for i, b := range f.Body.Rows[0].Words {
			in[i] = math.Float32frombits(uint32(b))
		}
		k.Run32(out, in)
		require.Equal(t, []float32{0, 0}, out)
		require.Equal(t, 0x1p-48, (float64(in[0])+float64(in[2]))+(float64(in[1])+float64(in[3])))
		return
	}
	t.Fatal("no table of dd.sloppy is embedded")
}

// TestScreens compares what screens decide in bulk with what Judge says row by row.
func TestScreens(t *testing.T) {
	var all []Operation
	for _, k := range dd.All() {
		all = append(all, Operation{Name: k.Name, Claim: k.Claim, Run: k.Run32})
	}
	for _, k := range complex.All() {
		all = append(all, Operation{Name: k.Name, Claim: k.Claim, Run: k.Run32})
	}
	for _, o := range all {
		// Errors of every size, so that all outcomes occur.
		run := o.Run
		o.Run = func(dst, src []float32) {
			run(dst, src)
			for i := range dst {
				if h := draw.Mix(uint64(math.Float32bits(dst[i]))); h>>61 == 0 {
					dst[i] = math.Float32frombits(math.Float32bits(dst[i]) + uint32(h&3))
				}
			}
		}
		p, err := o.Subject()
		require.NoError(t, err)
		for _, l := range judge.WordLaws() {
			if words.ScreenOf(&l) == nil || p.Applies(&l) != "" {
				continue
			}
			d := words.NewWordDrawer(words.NewWordRun(p, engine.Settings{}), &l)
			a, b := words.NewWordTrial(p), words.NewWordTrial(p)
			b.Slow = true
			rng := draw.Splitmix(5)
			for range 12 {
				in := d.Expand(int(rng.Next()&0xffff), uint8(rng.Next()), uint8(rng.Next()), rng.Next(), 60).In
				for i := range 60 {
					one := in.Slice(i*p.Claim.Op.In(), (i+1)*p.Claim.Op.In()).Clone()
					v, w := a.Judge(&l, &words.WordCase{In: one}), b.Judge(&l, &words.WordCase{In: one})
					require.Equal(t, w.Outcome, v.Outcome, "%s %s: %v and %v", o.Name, l.ID, v, w)
					require.InDelta(t, math.Min(w.Ratio, 2), math.Min(v.Ratio, 2), 1e-4, "%s %s: %v and %v", o.Name, l.ID, v, w) // a ratio is for reports
				}
			}
		}
	}
}

// TestOperationOnDevice judges a device that behaves as it is told: laws fall silent where the behaviour takes away their grounds.
func TestOperationOnDevice(t *testing.T) {
	o := times3()
	run := o.Run
	o.Run = nil
	seen := map[bool]int{}
	o.RunOn = func(at Setting, dst, src []float32) error {
		run(dst, src)
		seen[at.Behaviour.Plain()]++
		if at.Behaviour.Rewrites.Reassociate {
			clear(dst) // whatever it likes
		}
		return nil
	}
	o.Device.Admits = model.Behaviour{Rewrites: model.Rewrites{Reassociate: true}, Contract: model.ContractFast}
	for _, id := range []model.LawID{model.DDMul, model.DDNormal, model.WordProgram} {
		l, err := judge.LawByID(judge.WordLaws(), id)
		require.NoError(t, err)
		f, judged, err := foundAs[*WordFailure](judge.Find(l, o, 5000))
		require.NoError(t, err)
		require.Nil(t, f)
		require.Positive(t, judged)
	}
	require.NotZero(t, seen[false])
	o.Device.Strict = true // then it may not
	l, err := judge.LawByID(judge.WordLaws(), model.DDMul)
	require.NoError(t, err)
	f, _, err := foundAs[*WordFailure](judge.Find(l, o, 5000))
	require.NoError(t, err)
	require.NotNil(t, f)
	require.True(t, f.Setting.Behaviour.Rewrites.Reassociate, "the behaviour matters")
	require.Equal(t, model.ContractOff, f.Setting.Behaviour.Contract, "and nothing else of it")
	require.Contains(t, f.Text(), "behaviour   rne ftz=off contract=off reassoc")

	for _, c := range []struct {
		alg    string
		b      model.Behaviour
		silent bool
	}{
		{"2Sum", model.Behaviour{Contract: model.ContractFast}, false},
		{"DWTimesDW3", model.Behaviour{Contract: model.ContractStatement}, true},
		{"AccurateDWPlusDW", model.Behaviour{Contract: model.ContractFast}, false},
		{"AccurateDWPlusDW", model.Behaviour{Rewrites: model.Rewrites{Reassociate: true}}, true},
		{"AccurateDWPlusDW", model.Behaviour{Rewrites: model.Rewrites{Reciprocal: true}}, false},
		{"DWDivFP3", model.Behaviour{Rewrites: model.Rewrites{Reciprocal: true}}, true},
		{"SQRTDWtoDW", model.Behaviour{ULP: true}, true},
		{"DWTimesFP2", model.Behaviour{ULP: true}, false},
	} {
		_, silent := WeakenWord(word.Claim{Algorithm: c.alg}, c.b, false)
		require.Equal(t, c.silent, silent != "", "%s under %v: %s", c.alg, c.b, silent)
	}
	weak, _ := WeakenWord(word.Claim{Algorithm: "2Sum"}, model.Behaviour{Rounding: model.TowardZero, Flush: model.Flush{Out: true}}, true)
	require.Equal(t, word.Claim{Algorithm: "2Sum", Rounding: model.TowardZero, Flush: model.Flush{Out: true}}, weak)
}

// TestOperationFindings joins the laws of kernels: what a device's checkers find is theirs to judge.
func TestOperationFindings(t *testing.T) {
	o := times3()
	run := o.Run
	o.Run, o.RunOn = nil, func(_ Setting, dst, src []float32) error {
		run(dst, src)
		if len(dst) > 2 {
			return model.Findings{{Kind: model.FindingOutOfBounds, Kernel: "times3", Text: "a read after the last row", Index: -1}}
		}
		return nil
	}
	o.Device.Checked = true
	found := 0
	for _, l := range judge.WordLaws() {
		if l.Found == nil {
			continue
		}
		f, _, err := foundAs[*WordFailure](judge.Find(l, o, 1000))
		require.NoError(t, err)
		if f != nil {
			found++
			require.Equal(t, model.KernelBounds, l.ID)
			require.Len(t, f.Rows, 2, "the smallest batch that shows it")
			require.Contains(t, f.Text(), "a read after the last row")
		}
	}
	require.Equal(t, 1, found)
}

// wordReport is the report of a fault, reduced and saved below the working directory.
func wordReport(t *testing.T, o Operation, id model.LawID) *WordFailure {
	t.Helper()
	p, err := o.Subject()
	require.NoError(t, err)
	l, err := judge.LawByID(judge.WordLaws(), id)
	require.NoError(t, err)
	r := words.NewWordRun(p, engine.Settings{Seed: engine.FixedSeed, SeedText: "fixed", Save: engine.SaveDirName})
	d, trial := words.NewWordDrawer(r, &l), words.NewWordTrial(p)
	rng := draw.Splitmix(9)
	for range 100 {
		c := d.Expand(int(rng.Next()&0xffff), uint8(rng.Next()), uint8(rng.Next()), rng.Next(), 256)
		c.At, c.Seed = Setting{}, 1
		if v := trial.Judge(&l, c); v.Fails() {
			return r.Examine(&l, trial.Kept(c), &engine.LawStats{Cases: 17}).(*WordFailure)
		}
	}
	t.Fatal("no row drawn shows the fault")
	return nil
}

// highAlone is a product of double words that leaves the cross products out.
func highAlone() Operation {
	o := times3()
	o.Name, o.Claim.Exact = "mykernel.Times", false
	o.Run = Rows42(func(xh, _, yh, _ float32) (float32, float32) { return eft.TwoProductFMA(xh, yh) })
	return o
}

// TestWordReport reduces a fault to a row that a reader can follow, and writes it in text and for machines.
func TestWordReport(t *testing.T) {
	t.Chdir(t.TempDir())
	f := wordReport(t, highAlone(), model.DDMul)
	require.Len(t, f.Rows, 1)
	text := f.Text()
	for _, want := range []string{
		"mykernel.Times violates dd.mul: the error is ", "× the bound ((4u²+u³/2)/(1+u)²)", "source      [MR 2022] Theorem 2.8",
		"xh   ", "xl   ", "yh   ", "yl   ", "zh   ", "zl   ", "exact  ", "error  ", "bound  ", "simplified in",
		"-gamma.case=", "saved as    " + filepath.Join(engine.SaveDirName, "dd.mul", "dd.mul-mykernel-times-"),
	} {
		require.Contains(t, text, want)
	}
	for _, line := range strings.Split(text, "\n") {
		if !strings.Contains(line, "reproduce") {
			require.LessOrEqual(t, len([]rune(line)), report.ReportWidth, line)
		}
	}
	zeros := 0
	for _, b := range f.Rows[0] {
		if b == 0 {
			zeros++
		}
	}
	require.Equal(t, 1, zeros, "one low word alone shows it: %v", text)
	line, err := f.JSON()
	require.NoError(t, err)
	require.Contains(t, string(line), `"law":"dd.mul"`)
	require.Contains(t, string(line), `"operands":[{"name":"xh","hex":"0x1p+0"`)
	require.NotContains(t, string(line), "\n")

	// The replay fails as long as the fault is there; as a known open fault it passes, and fails once the fault is fixed.
	file := f.File
	require.NoError(t, replays(t, times3As("mykernel.Times")))
	require.ErrorContains(t, replays(t, highAlone()), "mykernel.Times violates dd.mul")
	old, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(old), " holds", " violated", 1)), 0o600))
	require.NoError(t, replays(t, highAlone()))
	require.ErrorContains(t, replays(t, times3As("mykernel.Times")), "does not fail it any more")
	// A row that is recorded to reach a ratio must reach it.
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(old), " holds", " holds reaches 0.9", 1)), 0o600))
	require.ErrorContains(t, replays(t, times3As("mykernel.Times")), "is recorded to reach 0.9 of its bound")
	other := filepath.Join(engine.SaveDirName, "other.cases") // whose name says nothing about its content
	require.NoError(t, os.Rename(file, other))
	require.NoError(t, os.WriteFile(other, []byte(strings.Replace(string(old), "law dd.mul", "law dd.add", 1)), 0o600))
	require.ErrorContains(t, replays(t, highAlone()), "law dd.add says nothing about mykernel.Times any more")
	require.NoError(t, os.WriteFile(other, old[:len(old)-1], 0o600))
	require.ErrorContains(t, replays(t, highAlone()), "has no newline at its end")
}

func times3As(name string) Operation {
	o := times3()
	o.Name, o.Claim.Exact = name, false
	return o
}

// replays replays what is on file for an operation and returns what fails.
func replays(t *testing.T, o Operation) error {
	t.Helper()
	p, err := o.Subject()
	require.NoError(t, err)
	r := words.NewWordRun(p, engine.Settings{})
	files, errs := r.OnFile(r.Owns)
	q := &check.QuietTB{}
	for i := range files {
		engine.New(r).ReplayFile(recorderTB{TB: t, q: q}, &files[i])
	}
	if q.HasFailed {
		errs = append(errs, errors.New(q.Text.String()))
	}
	return errors.Join(errs...)
}

// recorderTB is a test that keeps its errors to itself.
type recorderTB struct {
	testing.TB
	q *check.QuietTB
}

func (r recorderTB) Errorf(f string, a ...any) { r.q.Errorf(f, a...) }

func (r recorderTB) Error(a ...any) { r.q.Error(a...) }

func (r recorderTB) Logf(string, ...any) {}

// TestBatchFault reduces a fault that only batches of some length show to the shortest one.
func TestBatchFault(t *testing.T) {
	t.Chdir(t.TempDir())
	o := times3As("mykernel.Tiles")
	run := o.Run
	o.Run = func(dst, src []float32) {
		run(dst, src)
		if len(dst) > 8 { // the rows after the fourth of a tile
			dst[8] = 1
		}
	}
	f := wordReport(t, o, model.DDMul)
	require.Len(t, f.Rows, 5)
	require.Equal(t, 4, f.Row)
	require.Contains(t, f.Text(), "of a batch of 5; alone it does not fail")
	tables, errs := corpus.Load[*corpus.Table](os.DirFS("."), corpus.Options{})
	require.Empty(t, errs)
	require.Len(t, tables, 1)
	require.True(t, tables[0].Body.Batch)
	require.ErrorContains(t, replays(t, o), "violates dd.mul")
}

// TestEmbeddedTables judges every row that package corpus carries, and finds the kernel of each.
func TestEmbeddedTables(t *testing.T) {
	kernels := map[string]Operation{}
	for _, k := range eft.All() {
		kernels[k.Name] = Operation{Name: k.Name, Claim: k.Claim, Run: k.Run32}
	}
	for _, k := range dd.All() {
		kernels[k.Name] = Operation{Name: k.Name, Claim: k.Claim, Run: k.Run32}
	}
	for _, k := range complex.All() {
		kernels[k.Name] = Operation{Name: k.Name, Claim: k.Claim, Run: k.Run32}
	}
	for _, f := range embeddedOf[*corpus.Table]() {
		o, ok := kernels[f.Body.Kernel]
		if strings.HasPrefix(f.Body.Kernel, "shaders/") {
			continue // package props/device replays it
		}
		require.True(t, ok, "%s: no kernel here is called %s, so that its rows are not judged", f.Path, f.Body.Kernel)
		if f.Body.Format.Name == model.Binary64.Name {
			continue // TestPropOperation replays it
		}
		p, err := o.Subject()
		require.NoError(t, err)
		r := words.NewWordRun(p, engine.Settings{})
		engine.New(r).ReplayFile(t, asFile(f))
		require.Len(t, r.Sum.Laws, 1)
		require.Equal(t, len(f.Body.Rows), r.Sum.Laws[0].Replayed)
	}
}

// TestWordFamilies holds the rows drawn to what their family says: double words where laws need them, and every draw repeats.
func TestWordFamilies(t *testing.T) {
	k, _ := dd.Find("dd.AccuratePlus")
	for _, o := range []Operation{{Name: "a", Claim: k.Claim, Run: k.Run32}, {Name: "b", Claim: k.Claim, Run64: k.Run64}} {
		p, err := o.Subject()
		require.NoError(t, err)
		var e, again words.WordExpander
		for _, f := range words.WordFamilies() {
			for a := range 16 {
				r := words.WordRecipe{Family: f.Name, Rows: 256, A: uint8(16 * a), B: uint8(16*a + 7), Seed: uint64(a)}
				in := e.Expand(r, p)
				require.True(t, in.Equal(again.Expand(r, p)), r)
				trial := words.NewWordTrial(p)
				trial.In, trial.Rows, trial.Results = in, 256, make([]uint64, 512)
				odd := 0
				for i := range 256 {
					row := trial.Load(i)
					if f.Name != "specials" {
						require.True(t, words.Finite(p.Format, row.In), "%v: row %d", r, i)
					}
					if words.Finite(p.Format, row.In) && row.Normalised() != "" {
						odd++
					}
				}
				switch f.Name {
				case "unnormalised":
					require.Equal(t, 256, odd, r)
				case "specials", "edges", "spread":
				default:
					require.Zero(t, odd, "%v has rows that are no double words", r)
				}
			}
		}
	}
}

func FuzzOperation(f *testing.F) {
	k, _ := dd.Find("dd.Times3")
	s, _ := eft.Find("eft.TwoSum")
	FuzzAll(f,
		Operation{Name: k.Name, Claim: k.Claim, Run: k.Run32}, Operation{Name: k.Name, Claim: k.Claim, Run64: k.Run64},
		Operation{Name: s.Name, Claim: s.Claim, Run: s.Run32}, Operation{Name: s.Name, Claim: s.Claim, Run64: s.Run64})
}

// TestReportNamesWhatRan: the bits of DWTimesDW2 under a claim of DWTimesDW3 are named in the report; an algorithm that is as
// claimed, or none that is known, is not.
func TestReportNamesWhatRan(t *testing.T) {
	t.Chdir(t.TempDir())
	two, _ := word.ByName("DWTimesDW2")
	o := times3()
	o.Run = func(dst, src []float32) {
		values := make([]float32, len(two.Program.Inputs)+len(two.Program.Steps))
		for i := 0; i < len(src)/4; i++ {
			copy(values, src[4*i:4*i+4])
			word.Run(two.Program, hardware32{}, values, dst[2*i:2*i+2])
		}
	}
	f := wordReport(t, o, model.WordProgram)
	require.Equal(t, "the operation ran DWTimesDW2 where DWTimesDW3 was written", f.Ran)
	require.Contains(t, f.Text(), "operation ran DWTimesDW2\n            where DWTimesDW3 was written.")
	line, err := f.JSON()
	require.NoError(t, err)
	require.Contains(t, string(line), `"ran":"the operation ran DWTimesDW2`)
	require.Empty(t, wordReport(t, highAlone(), model.DDMul).Ran)
}

// TestRootOfZero: 0 and a NaN are roots of 0, 17 is none.
func TestRootOfZero(t *testing.T) {
	l, err := judge.LawByID(judge.WordLaws(), model.DDSqrt)
	require.NoError(t, err)
	for z, want := range map[float32]Outcome{0: Holds, 17: Violated, float32(math.NaN()): Vacuous} {
		o := Operation{Name: "k", Run: func(dst, _ []float32) { dst[0], dst[1] = z, 0 }, Claim: word.Claim{Op: word.DWSqrt, Algorithm: "SQRTDWtoDW"}}
		v, err := judge.Judge(l, o, rowOf(Setting{}, []uint64{0, 0}...))
		require.NoError(t, err)
		require.Equal(t, want, v.Outcome, v.String())
	}
}
