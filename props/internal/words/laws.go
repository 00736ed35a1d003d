package words

import (
	"fmt"
	"math"

	"gamma/model"
	"gamma/model/word"
	"gamma/oracle"
	"gamma/props/internal/report"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// The laws of error-free transforms.
var transformLaws = []WordLaw{
	{
		ID:         model.EFTSum,
		Statement:  "s = RN(a+b) and s+e = a+b, exactly",
		Hypotheses: "rounding to nearest, any rule for ties; a+b does not overflow; the algorithm does not overflow on the way, as it may if one operand, the first of the usual spelling, is the largest number; nothing is flushed",
		Source:     "[Knuth 1997] 4.2.2 Theorem B; [BGM 2017]",
		Kills:      []string{"Fast2Sum on unordered operands", "error term of the other operand", "error term dropped"},
		Applies: func(c *word.Claim) string {
			return firstOf(opIs(c, word.TwoSum), vectors.Unless(!ordered(c), "the claim orders its operands; see eft.fast"))
		},
		Judge: judgeTwoSum, Families: transformFamilies,
	},
	{
		ID:         model.EFTFast,
		Statement:  "s = RN(a+b) and s+e = a+b, exactly",
		Hypotheses: "rounding to nearest; a is a multiple of the ulp of b, as with |a| >= |b|, or b = 0; a+b does not overflow; nothing is flushed. Without order s = RN(a+b) alone",
		Source:     "[Dekker 1971]; [MR 2022] Coq F2Sum_correct",
		Kills:      []string{"error term of the other operand", "error term dropped"},
		Applies: func(c *word.Claim) string {
			return firstOf(opIs(c, word.TwoSum), vectors.Unless(ordered(c), "the claim orders no operands; see eft.sum"))
		},
		Judge: judgeTwoSum, Families: transformFamilies,
	},
	{
		ID:         model.EFTSplit,
		Statement:  "hi+lo = a exactly, hi has at most p-s bits and lo at most s-1, s = ceil(p/2)",
		Hypotheses: "rounding to nearest; (2^s+1)·a does not overflow; nothing is flushed",
		Source:     "[Dekker 1971]",
		Kills:      []string{"splitter of another precision", "low half dropped"},
		Applies:    func(c *word.Claim) string { return opIs(c, word.Split) },
		Judge:      judgeSplit, Families: transformFamilies,
	},
	{
		ID:         model.EFTProduct,
		Statement:  "p = RN(a·b) and p+e = a·b, exactly",
		Hypotheses: "rounding to nearest; a or b is 0, or e_a+e_b >= Emin+P-1; neither a·b nor a split overflows; nothing is flushed. Below that p alone, and with fma |p+e-a·b| <= 2^(Emin-P)",
		Source:     "[Dekker 1971]; [MR 2022] Coq Fast2Mult_accuracy",
		Kills:      []string{"product of the halves dropped", "error of a product that was rounded twice"},
		Applies:    func(c *word.Claim) string { return opIs(c, word.TwoProduct) },
		Judge:      judgeTwoProduct, Families: transformFamilies,
	},
	{
		ID:         model.EFTFlush,
		Statement:  "the transform loses less than 2^Emin where subnormal numbers are flushed; a sum nothing if each operand is 0 or at least 2^(Emin+P-1), a product if e_a+e_b >= Emin+2P-2",
		Hypotheses: "the claim or the behaviour flushes; rounding to nearest; no overflow; operands as the flush reads them; halves of a split product at least 2^(Emin+P-1)",
		Source:     "[Gamma W14]",
		Kills:      []string{"error term dropped"},
		Applies: func(c *word.Claim) string {
			return vectors.Unless(c.Op == word.TwoSum || c.Op == word.TwoProduct || c.Op == word.Split, "the operation is no error-free transform")
		},
		Judge:    judgeTransformFlush,
		Families: edgeFamilies,
		Flushes:  true,
	},
	{
		ID:         model.EFTSpecial,
		Statement:  "the first word is what the operation alone returns: a NaN, or the infinity of its sign; the second is not finite, so that nobody takes the pair for a number",
		Hypotheses: "an operand is not finite, or the operation overflows",
		Source:     "[IEEE 754-2019] §6, §7",
		Kills:      []string{"error term forced to 0"},
		Applies: func(c *word.Claim) string {
			if c.Finite {
				return "the claim is about finite numbers alone"
			}
			return vectors.Unless(c.Op == word.TwoSum || c.Op == word.TwoProduct || c.Op == word.Split, "the operation is no error-free transform")
		},
		Judge:    judgeTransformSpecial,
		Families: specialFamilies,
	},
}

func opIs(c *word.Claim, op word.Op) string {
	return vectors.Unless(c.Op == op, fmt.Sprintf("the operation is not %s", op))
}

// ordered reports whether the claimed algorithm wants |x| >= |y|.
func ordered(c *word.Claim) bool {
	a, ok := word.ByName(c.Algorithm)
	return ok && a.Ordered
}

// plain returns the verdict where the laws of exact transforms do not hold for a row, nil where they do.
func (r *WordRow) plain() *verdict.Verdict {
	var v verdict.Verdict
	switch {
	case !r.Claim.Rounding.Nearest():
		v = verdict.Unclaimed("transforms are exact under rounding to nearest alone")
	case r.Claim.Flush.Any():
		v = verdict.Unclaimed("subnormal numbers may be flushed; see eft.flush and dd.flush")
	case !Finite(r.Format, r.In):
		v = verdict.NotMet("an operand is not finite")
	default:
		return nil
	}
	return &v
}

// words describes the results of a row.
func (r *WordRow) words() string {
	text := ""
	for i, n := range r.Claim.Op.OutNames() {
		if i > 0 {
			text += ", "
		}
		text += n + " = " + report.Describe(r.Format, r.Out[i])
	}
	return text
}

// differ returns a violation whose reason is given, with what was wanted.
func (r *WordRow) differ(want, reason string, args ...any) verdict.Verdict {
	return verdict.Fails(fmt.Sprintf(reason, args...), &verdict.Witness{GotText: r.words(), WantText: want, Out: r.Format, Got: r.Out[0]})
}

// same reports whether two encodings are one number: zeros of either sign are, and so are NaNs.
func same(f model.Format, a, b uint64) bool {
	return a == b || (a|b)&^f.SignBit() == 0 || f.IsNaN(a) && f.IsNaN(b)
}

// exactPair judges z0 = RN(v) and z0+z1 = v.
func (r *WordRow) exactPair(v oracle.Dyadic, source string) verdict.Verdict {
	f := r.Format
	want := v.Round(f, r.Claim.Rounding)
	if !same(f, r.Out[0], want) {
		return r.differ(report.Describe(f, want), "the first word is not the exact result, rounded")
	}
	if !f.IsFinite(r.Out[1]) {
		return r.differ("a finite error term", "the error term is not finite")
	}
	return r.within(v, oracle.Dyadic{}, "the exact result", source)
}

// within judges |z - v| <= limit for the sum z of all result words.
func (r *WordRow) within(v, limit oracle.Dyadic, bound, source string) verdict.Verdict {
	z := sumOf(r.Format, r.Out)
	err := z.Sub(v).Abs()
	if err.Cmp(limit) > 0 {
		ratio := ratioOf(err, limit)
		return verdict.Verdict{
			Outcome: verdict.Violated, Bound: bound, Ratio: ratio, Reason: "the words do not add up to the exact result",
			Witness: &verdict.Witness{GotText: r.words(), Exact: v, Error: err, Limit: limit, HasBound: true, Source: source, Out: r.Format, Got: r.Out[0]},
		}
	}
	return verdict.Held(bound, ratioOf(err, limit))
}

// ratioOf returns a/b, rounded, for reports.
func ratioOf(a, b oracle.Dyadic) float64 {
	if a.IsZero() {
		return 0
	}
	x, _ := a.Exponent()
	v := a.Scale(-x).Float64()
	if b.IsZero() {
		return math.Inf(1)
	}
	y, _ := b.Exponent()
	return math.Ldexp(v/b.Scale(-y).Float64(), x-y)
}

func judgeTwoSum(r *WordRow) verdict.Verdict {
	if none := r.plain(); none != nil {
		return *none
	}
	f := r.Format
	a, b := r.X()[0], r.X()[1]
	v := a.Add(b)
	want := v.Round(f, r.Claim.Rounding)
	switch {
	case !f.IsFinite(want):
		return verdict.NotMet("the sum overflows")
	case !same(f, r.Out[0], want):
		return r.differ(report.Describe(f, want), "the first word is not the sum, rounded")
	case ordered(&r.Claim) && !multipleOfUlp(f, r.In[0], r.In[1]):
		return verdict.NotMet("the operands are not ordered: the first is no multiple of the ulp of the second")
	case !f.IsFinite(r.Out[1]) && !ordered(&r.Claim) && r.spurious():
		return verdict.NotMet("an operand is the largest number, from which the algorithm overflows on the way")
	}
	if other := map[string]string{"2Sum": "2SumLeft", "2SumLeft": "2Sum"}[r.Claim.Algorithm]; other != "" && !f.IsFinite(r.Out[1]) {
		return r.differ("a finite error term", "the error term is not finite; a spelling that takes the other operand from the sum first claims %s", other)
	}
	return r.exactPair(v, "[Knuth 1997]")
}

// spurious reports whether 2Sum overflows though the sum does not. It does from the largest number alone, as the operand that its
// spelling subtracts last; without an algorithm either may be that one.
func (r *WordRow) spurious() bool {
	f := &r.Format
	if r.In[0]&^f.SignBit() != f.MaxBits() && r.In[1]&^f.SignBit() != f.MaxBits() {
		return false
	}
	if r.Alg == nil {
		return true
	}
	r.W.walk(r.In)
	return r.W.overflow
}

// multipleOfUlp reports whether a is a multiple of ulp(b), b = 0 or both are of any order in which Fast2Sum is exact.
func multipleOfUlp(f model.Format, a, b uint64) bool {
	if a&^f.SignBit() == 0 {
		return true // the sum is b
	}
	if b&^f.SignBit() == 0 {
		return true
	}
	_, m, e := f.Decode(a)
	k := f.UlpExp(b) - e
	return k <= 0 || k < 64 && m&(1<<k-1) == 0
}

func judgeSplit(r *WordRow) verdict.Verdict {
	if none := r.plain(); none != nil {
		return *none
	}
	if why := r.inRange(); why != "" {
		return verdict.NotMet("the split overflows: " + why)
	}
	f := r.Format
	if !Finite(f, r.Out) {
		return r.differ("two finite halves", "a half is not finite")
	}
	s := splitBits(f.P)
	for i, most := range []int{f.P - s, s - 1} {
		if n := bitWidth(f, r.Out[i]); n > most {
			return r.differ(fmt.Sprintf("at most %d bits", most), "the %s half has %d bits", [...]string{"high", "low"}[i], n)
		}
	}
	return r.within(r.X()[0], oracle.Dyadic{}, "the exact result", "[Dekker 1971]")
}

// bitWidth returns how many bits the significand of a finite number has, trailing zeros left out.
func bitWidth(f model.Format, b uint64) int {
	m, _ := oracle.FromBits(f, b).Int()
	return m.BitLen()
}

func judgeTwoProduct(r *WordRow) verdict.Verdict {
	if none := r.plain(); none != nil {
		return *none
	}
	f := r.Format
	v := r.X()[0].Mul(r.X()[1])
	want := v.Round(f, r.Claim.Rounding)
	if !f.IsFinite(want) {
		return verdict.NotMet("the product overflows")
	}
	if r.Alg != nil && r.Alg.Splits {
		r.W.walk(r.In)
		if r.W.overflow {
			return verdict.NotMet("a split overflows")
		}
	}
	if !same(f, r.Out[0], want) {
		return r.differ(report.Describe(f, want), "the first word is not the product, rounded")
	}
	if low := productExponent(r); low < f.Emin+f.P-1 {
		if r.Alg == nil || r.Alg.Splits {
			return verdict.NotMet("the exponents of the operands add up to less than Emin+P-1: the error term may underflow")
		}
		if !f.IsFinite(r.Out[1]) {
			return r.differ("a finite error term", "the error term is not finite")
		}
		return r.within(v, oracle.FromInt(1).Scale(f.Emin-f.P), "half the least subnormal number", "[IEEE 754-2019] §4.3")
	}
	if r.Alg == nil && !f.IsFinite(r.Out[1]) && r.dekkerMayOverflow(want) {
		return verdict.NotMet("without an algorithm the product may be Dekker's, whose splits or halves' product overflow there")
	}
	return r.exactPair(v, "[Dekker 1971]")
}

// dekkerMayOverflow reports whether an operand is so large that Veltkamp's split of it overflows, or the product z so large that the
// product of the high halves, which may be rounded up, does.
func (r *WordRow) dekkerMayOverflow(z uint64) bool {
	f := &r.Format
	for _, b := range r.In {
		if e, ok := f.UfpExp(b); ok && e >= f.Emax-splitBits(f.P) {
			return true
		}
	}
	e, ok := f.UfpExp(z)
	return ok && e == f.Emax
}

// productExponent returns e_a+e_b, or a large number if the product is 0.
func productExponent(r *WordRow) int {
	a, ok := r.Format.UfpExp(r.In[0])
	b, ok2 := r.Format.UfpExp(r.In[1])
	if !ok || !ok2 {
		return 1 << 30
	}
	return a + b
}

// readings returns every way in which a flush may read the operands: as they are, or subnormal ones as zeros.
func (r *WordRow) readings() [][]oracle.Dyadic {
	list := [][]oracle.Dyadic{nil}
	for i, b := range r.In {
		kinds := []oracle.Dyadic{r.X()[i]}
		if r.Claim.Flush.In && r.Format.Class(b) == model.ClassSubnormal {
			kinds = append(kinds, oracle.Dyadic{})
		}
		var next [][]oracle.Dyadic
		for _, l := range list {
			for _, k := range kinds {
				next = append(next, append(append([]oracle.Dyadic(nil), l...), k))
			}
		}
		list = next
	}
	return list
}

// judgeTransformFlush judges what is left of exactness under flushing.
//
// Proof. Without flushing every intermediate value of 2Sum and Fast2Sum is a multiple of the lesser ulp of the operands, and so
// is the error term. If that ulp is at least 2^Emin no value is subnormal, and nothing is flushed. Otherwise one value at most
// that is below 2^Emin enters the result, and it is the loss: exhaustively so for p = 3 to 6. An error term of a product is a
// multiple of the product of the operands' ulps. Source: [Gamma W14].
func judgeTransformFlush(r *WordRow) verdict.Verdict {
	f := r.Format
	switch {
	case !r.Claim.Flush.Any():
		return verdict.NotMet("nothing is flushed")
	case !Finite(f, r.In):
		return verdict.NotMet("an operand is not finite")
	case !r.Claim.Rounding.Nearest():
		return verdict.Unclaimed("transforms are exact under rounding to nearest alone")
	}
	if r.Alg != nil {
		if r.W.walk(r.In); r.W.overflow {
			return verdict.NotMet("a step of the algorithm is not finite")
		}
	}
	least := f.Emax
	for _, b := range r.In {
		if e, ok := f.UfpExp(b); ok {
			least = min(least, e)
		}
	}
	if ordered(&r.Claim) && !multipleOfUlp(f, r.In[0], r.In[1]) {
		return verdict.NotMet("the operands are not ordered")
	}
	exact := least >= f.Emin+f.P-1
	if r.Claim.Op == word.TwoProduct {
		split := r.Alg == nil || r.Alg.Splits
		exact = productExponent(r) >= f.Emin+2*f.P-2 && (!split || exact)
		if split && !exact {
			return verdict.NotMet("parts of the operands may be flushed")
		}
	}
	for _, b := range r.In {
		exact = exact && !(r.Claim.Flush.In && f.Class(b) == model.ClassSubnormal)
	}
	if !Finite(f, r.Out) {
		return r.differ("finite words", "a word is not finite")
	}
	if exact {
		return r.within(r.combine(r.X()), oracle.Dyadic{}, "the exact result", "[Gamma W14]")
	}
	limit := oracle.FromInt(1).Scale(f.Emin)
	z := sumOf(f, r.Out)
	var nearest oracle.Dyadic
	var best oracle.Dyadic
	for i, x := range r.readings() {
		v := r.combine(x)
		if err := z.Sub(v).Abs(); i == 0 || err.Cmp(best) < 0 {
			nearest, best = v, err
		}
	}
	v := r.within(nearest, limit, "2^Emin", "[Gamma W14]")
	if v.Outcome == verdict.Holds && best.Cmp(limit) == 0 { // the loss is less than 2^Emin
		return r.differ("a loss below 2^Emin", "the loss is 2^Emin")
	}
	return v
}

// combine returns the exact result of a transform for operands.
func (r *WordRow) combine(x []oracle.Dyadic) oracle.Dyadic {
	switch r.Claim.Op.Function {
	case word.Sum:
		return x[0].Add(x[1])
	case word.Product:
		return x[0].Mul(x[1])
	}
	return x[0]
}

func judgeTransformSpecial(r *WordRow) verdict.Verdict {
	f := r.Format
	if r.Claim.Flush.In {
		for _, b := range r.In {
			if f.Class(b) == model.ClassSubnormal {
				return verdict.NotMet("a subnormal operand may be read as 0")
			}
		}
	}
	a := r.W.a
	a.R, a.Fl = r.Claim.Rounding, model.Flush{}
	var want uint64
	switch r.Claim.Op.Function {
	case word.Sum:
		want = a.Add(r.In[0], r.In[1])
	case word.Product:
		want = a.Mul(r.In[0], r.In[1])
	default:
		if want = r.In[0]; !f.IsFinite(want) && Finite(f, r.Out[:1]) {
			return r.differ("a NaN or an infinity", "the operand is not finite, and the first word is")
		}
	}
	switch {
	case f.IsFinite(want):
		return verdict.NotMet("operands and result are finite")
	case r.Claim.Op.Function != word.Value && !same(f, r.Out[0], want):
		return r.differ(report.Describe(f, want), "the first word is not what the operation alone returns")
	case f.IsFinite(r.Out[1]):
		return r.differ("a NaN or an infinity", "the first word is %s, and the second is finite", report.Describe(f, r.Out[0]))
	}
	return verdict.Held("", 0)
}

// firstOf returns the first reason that is not empty.
func firstOf(reasons ...string) string {
	for _, r := range reasons {
		if r != "" {
			return r
		}
	}
	return ""
}
