package words

import (
	"fmt"
	"math/big"
	"slices"

	"gamma/model"
	"gamma/model/word"
	"gamma/oracle"
	"gamma/props/internal/report"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// relativeHypotheses are those of every relative bound.
const relativeHypotheses = "operands are double words, xh = RN(xh+xl); p and the rule for ties are the theorem's; no step of the algorithm overflows or loses bits below the least subnormal number; nothing is flushed"

// doubleLaws are the laws of double-word arithmetic.
var doubleLaws = []WordLaw{
	relativeLaw(model.DDAdd, "|z - (x+y)| <= B·|x+y|, B the algorithm's: 3u²/(1-4u) accurate; 3u² sloppy, for operands of one sign",
		"[MR 2022]; [JMP 2017]", []string{"low words added first", "error term of a sum dropped"}, word.Sum, 2, 2),
	relativeLaw(model.DDAddFP, "|z - (x+y)| <= 2u²·|x+y|", "[MR 2022]", []string{"error term of a sum dropped"}, word.Sum, 2, 1),
	relativeLaw(model.DDMul, "|z - x·y| <= B·|x·y|, B the algorithm's: 5u², 5u², (4u²+u³/2)/(1+u)²",
		"[MR 2022]", []string{"a cross term dropped", "product of the low words dropped"}, word.Product, 2, 2),
	relativeLaw(model.DDMulFP, "|z - x·y| <= B·|x·y|, B the algorithm's: 3/2u²+4u³, 3u², 2u²", "[MR 2022]", []string{"cross term dropped"}, word.Product, 2, 1),
	relativeLaw(model.DDDiv, "|z - x/y| <= B·|x/y|, B the algorithm's: 15u²+56u³, 15u²+56u³, 49/5u²", "[MR 2022]", []string{"low word of the divisor dropped"}, word.Quotient, 2, 2),
	relativeLaw(model.DDDivFP, "|z - x/y| <= B·|x/y|, B the algorithm's: 7/2u², 7/2u², 3u²", "[MR 2022]", []string{"low word of the dividend dropped"}, word.Quotient, 2, 1),
	relativeLaw(model.DDSqrt, "|z - √x| <= 25/8u²·√x", "[LLMPR 2023]", []string{"low word of the operand dropped"}, word.Root, 2, 0),
	{
		ID:         model.DDSloppy,
		Statement:  "|z - (x+y)| <= u²·|xh+yh| + (2u+u²)·|xl+yl|, for operands of any signs; no relative bound: z may be 0 where x+y is not",
		Hypotheses: "operands are double words; p >= 3; no step overflows; nothing is flushed",
		Source:     "[Gamma W13]",
		Kills:      []string{"error term of a sum dropped"},
		Applies: func(c *word.Claim) string {
			return firstOf(opIs(c, word.DWPlusDW), vectors.Unless(c.Algorithm == "SloppyDWPlusDW", "the claimed algorithm has a bound for operands of any signs"))
		},
		Judge: judgeSloppy, Families: sumFamilies,
	},
	{
		ID:         model.DDNormal,
		Statement:  "zh = RN(zh+zl): the result is a double word, ties to even",
		Hypotheses: relativeHypotheses,
		Source:     "[MR 2022] Coq; [Gamma W16]",
		Kills:      []string{"last renormalisation dropped"},
		Applies:    func(c *word.Claim) string { return normalClaim(c) },
		Judge:      judgeNormal,
	},
	{
		ID:         model.DDRounded,
		Statement:  "z = RN(w) for some w that is within the algorithm's bound of the exact result: rounded once, at the end",
		Hypotheses: relativeHypotheses + ". Of a dot product of words the bound is ((1+a)^(n-1)-1)·Σ|x_i·y_i| with a = 3u²/(1-4u)",
		Source:     "[MR 2022]; [Gamma W17]; monotony of rounding",
		Kills:      []string{"rounded twice", "high words alone"},
		Applies: func(c *word.Claim) string {
			return firstOf(
				vectors.Unless(c.Op.Z == 1 && !c.Op.Complex() && (c.Op.X == 2 || c.Op.Function == word.DotProduct), "the result is not rounded to one word"),
				vectors.Unless(c.Op.Function == word.DotProduct || hasBound(c), noBound),
			)
		},
		Judge: JudgeRelative,
	},
	{
		ID: model.DDSpecial,
		Statement: "where an operand or the result is no number, the first word is what the plain operation on the first words returns: a NaN, an infinity, or 0; " +
			"claimed weaker, a word that is not finite. Pairs that are not normalised give finite words",
		Hypotheses: "a NaN or an infinity among the high words; or |xl| <= ulp(xh)/2, and a divisor 0, a root of 0 or less, a magnitude of 2^(Emax+1) or more, or a range in which no step overflows. " +
			"Weaker by Special: word.SpecialNotFinite, by Exact, and where a low word is not finite or a subnormal may be read as 0. Zeros of either sign are one number",
		Source: "[IEEE 754-2019] §6, §7; [Gamma W15]",
		Kills:  []string{"NaN taken for 0", "clamped to the largest number", "a NaN for an infinity"},
		Applies: func(c *word.Claim) string {
			return vectors.Unless(c.Op.X == 2 && !c.Op.Complex(), "the operation is not on double words")
		},
		Judge:    judgeDoubleSpecial,
		Families: specialFamilies,
	},
	{
		ID:         model.DDFlush,
		Statement:  "the bound that holds without flushing holds where no step of the algorithm is subnormal; otherwise the relative error may reach 1",
		Hypotheses: relativeHypotheses + ", but for flushing",
		Source:     "[Gamma W14]",
		Kills:      []string{"error term of a sum dropped"},
		Applies: func(c *word.Claim) string {
			return firstOf(vectors.Unless(c.Op.X >= 2 || c.Op.Complex(), "the operation is not on double words"), vectors.Unless(hasBound(c), noBound))
		},
		Judge:   judgeFlushed,
		Flushes: true,
	},
}

const noBound = "no bound is proved for the claimed algorithm, and the claim has none of its own"

// complexLaws are the laws of complex arithmetic.
var complexLaws = []WordLaw{
	{
		ID:         model.ComplexMul,
		Statement:  "|z - x·y| <= B·|x·y| of the norm: √5u plain, 2u fused, (√2·m(1+a)+a) for double words; Kahan's 2u for each component",
		Hypotheses: relativeHypotheses,
		Source:     "[BPZ 2007]; [JKLM 2017]; [JLM 2013]; [Gamma W6]",
		Kills:      []string{"sign of a product", "cross term dropped"},
		Applies: func(c *word.Claim) string {
			return firstOf(
				vectors.Unless(c.Op.Function == word.ComplexProduct, "the operation is no complex product"),
				vectors.Unless(c.Op.X == 1 || c.Op.Z == c.Op.X, "the result is rounded to fewer words; see complex.rounded"),
				vectors.Unless(hasBound(c), noBound),
			)
		},
		Judge: JudgeRelative,
	},
	{
		ID:         model.ComplexAdd,
		Statement:  "|z - (x+y)| <= 3u²/(1-4u)·|x+y| for each component",
		Hypotheses: relativeHypotheses,
		Source:     "[MR 2022]",
		Kills:      []string{"error term of a sum dropped"},
		Applies: func(c *word.Claim) string {
			return firstOf(
				vectors.Unless(c.Op.Function == word.ComplexSum, "the operation is no complex sum"),
				vectors.Unless(c.Op.Z == c.Op.X, "the result is rounded to fewer words; see complex.rounded"), vectors.Unless(hasBound(c), noBound),
			)
		},
		Judge: JudgeRelative, Families: sumFamilies,
	},
	{
		ID:         model.ComplexRounded,
		Statement:  "z = RN(w), component by component, for some w within the algorithm's bound of the exact result, of the norm: rounded once, at the end",
		Hypotheses: relativeHypotheses,
		Source:     "[Gamma W6]; monotony of rounding",
		Kills:      []string{"rounded twice", "high words alone"},
		Applies: func(c *word.Claim) string {
			return firstOf(vectors.Unless(c.Op.Complex() && c.Op.X > 1 && c.Op.Z == 1, "the result is not rounded to one word"), vectors.Unless(hasBound(c), noBound))
		},
		Judge: JudgeRelative,
	},
	{
		ID: model.ComplexSpecial,
		Statement: "where an operand is no number, or a component's magnitude is 2^(Emax+2) or more, the first word of each component is the infinity that the plain operation returns, " +
			"ac-bd and ad+bc; where that is a NaN, and where claimed weaker, a word that is not finite",
		Hypotheses: "a NaN or an infinity among the words, and no product of two others that may overflow; or an overflow. " +
			"Weaker by Special: word.SpecialNotFinite, by Exact, and where a low word is not finite or a subnormal may be read as 0",
		Source: "[IEEE 754-2019] §6, §7; [Gamma W15]",
		Kills:  []string{"NaN taken for 0", "a NaN for an infinity"},
		Applies: func(c *word.Claim) string {
			if c.Finite {
				return "the claim is about finite numbers alone"
			}
			return vectors.Unless(c.Op.Complex(), "the operation is not on complex numbers")
		},
		Judge:    judgeComplexSpecial,
		Families: specialFamilies,
	},
}

// wordProgramLaws hold an operation to its algorithm bit for bit.
var wordProgramLaws = []WordLaw{
	{
		ID:         model.WordProgram,
		Statement:  "every word is that of the claimed algorithm, run step by step in the format",
		Hypotheses: "the claim is Exact; nothing is flushed. Zeros of either sign are one number, and so are NaNs",
		Source:     "the claim",
		Kills:      []string{"another algorithm within the bound", "fused where it is not"},
		Applies:    func(c *word.Claim) string { return vectors.Unless(c.Exact, "the algorithm is not claimed bit for bit") },
		Judge:      judgeProgram,
		Families:   allWordFamilies,
	},
}

// relativeLaw returns the law of the relative bounds of one operation.
func relativeLaw(id model.LawID, statement, source string, kills []string, f word.Function, x, y int) WordLaw {
	return WordLaw{
		ID: id, Statement: statement, Hypotheses: relativeHypotheses, Source: source, Kills: kills,
		Applies: func(c *word.Claim) string {
			same := c.Op.Function == f || f == word.Sum && c.Op.Function == word.Difference
			return firstOf(
				vectors.Unless(same && c.Op.X == x && c.Op.Y == y && c.Op.Z == 2, fmt.Sprintf("the operation is not a %s of %d and %d words in 2", f, x, y)),
				vectors.Unless(hasBound(c), noBound),
			)
		},
		Judge: JudgeRelative, Families: familiesFor(f),
	}
}

// familiesFor returns the families for bounds of a function. Rows at the ends of the range are few, and mostly vacuous for roots.
func familiesFor(f word.Function) []string {
	switch f {
	case word.Root:
		return numberFamilies
	case word.Sum, word.Difference, word.ComplexSum:
		return sumFamilies
	}
	return slices.Concat(numberFamilies, sumFamilies, numberFamilies)
}

// hasBound reports whether a bound is claimed at all.
func hasBound(c *word.Claim) bool {
	a, ok := word.ByName(c.Algorithm)
	return c.Bound != nil || ok && len(a.Bounds) > 0
}

// normalClaim says why results are not claimed to be normalised.
//
// Proof. Every algorithm of double words ends in Fast2Sum of a word and one that is smaller, as long as p is in its theorem's
// domain: of products at most 3u(1+u)^3 of it, of quotients 4u(1+u)^3, of roots 2u(1+u)^2; of sloppy sums see judgeSloppy. Where
// Fast2Sum is exact, zh = RN(zh+zl). Source: [Gamma W16]; for DWPlusFP, AccurateDWPlusDW, DWTimesFP1 and DWTimesFP3 [MR 2022] Coq.
//
// An algorithm that has bounds for operands of one sign alone, as the sloppy sum, gives double words for those alone, too: as an
// algorithm it does not promise them.
func normalClaim(c *word.Claim) string {
	a, ok := word.ByName(c.Algorithm)
	always := func(b word.Bound) bool { return !b.Same }
	return firstOf(
		vectors.Unless(!c.Unnormalised, "the claim is about the sum of the words alone"),
		vectors.Unless(c.Op.Z == 2 && c.Op.X == 2, "the operation is not on double words"),
		vectors.Unless(ok && (a.Normal || !c.Op.Complex() && slices.ContainsFunc(a.Bounds, always)), "the algorithm is not proved to give double words"),
	)
}

// hypotheses says which hypothesis of the relative bounds a row does not meet, flushing aside.
func (r *WordRow) hypotheses() string {
	if !Finite(r.Format, r.In) {
		return "an operand is not finite"
	}
	if why := r.Normalised(); why != "" {
		return why
	}
	return r.inRange()
}

// JudgeRelative compares the error of a double word with the proven bound of its algorithm.
func JudgeRelative(r *WordRow) verdict.Verdict {
	if r.Claim.Flush.Any() {
		return verdict.Unclaimed("subnormal numbers may be flushed; see dd.flush")
	}
	// The algorithm divides 0 by 0 where x is 0: a NaN will do, and a number only if it is the root.
	if r.Claim.Op.Function == word.Root && Finite(r.Format, r.In) && Finite(r.Format, r.Out) && r.X()[0].Sign() == 0 && r.Normalised() == "" {
		for _, b := range r.Out {
			if b&^r.Format.SignBit() != 0 {
				return r.differ("0", "the root of 0 is a number other than 0")
			}
		}
		return verdict.Held("", 0)
	}
	return judgeFlushed(r)
}

// judgeFlushed judges the relative bound; where the claim flushes, inRange sees to it that nothing is flushed.
func judgeFlushed(r *WordRow) verdict.Verdict {
	dot := r.Claim.Op.Function == word.DotProduct && r.Claim.Bound == nil && r.Alg == nil
	b, none := r.bound()
	if !dot && none.Cause == verdict.NotClaimed {
		return none
	}
	switch why := r.hypotheses(); {
	case why != "":
		return verdict.NotMet(why)
	case dot:
		return judgeDot(r)
	case b == nil:
		return none
	}
	return r.judgeBound(b)
}

// judgeBound holds a row to a bound.
func (r *WordRow) judgeBound(b *word.Bound) verdict.Verdict {
	rounded := r.Claim.Op.Z == 1 && (r.Claim.Op.X > 1 || r.Claim.Op.Function == word.DotProduct)
	limit := r.W.limit(b, rounded)
	switch v := r.W.judge.Judge(r.In, r.Out, limit); {
	case v.State == oracle.WordOperand || v.State == oracle.WordUndefined:
		return verdict.NotMet(v.State.String())
	case v.State == oracle.WordResult:
		return r.differ("finite words", "a result word is not finite")
	case v.Within:
		return verdict.Held(limit.String(), v.Ratio)
	default:
		bad := r.differ("", "the error is larger than the bound")
		bad.Bound, bad.Ratio = limit.String(), v.Ratio
		bad.Witness.Source = b.Source
		return bad
	}
}

// judgeDot judges a dot product of words whose products are exact, which are added up in double words and rounded once.
//
// Proof. Each of the n-1 sums of AccurateDWPlusDW errs by a factor of at most 1+a, a = 3u²/(1-4u); a term goes through n-1 of them
// at most. Products are exact if e_x+e_y >= Emin+P-1. Source: [Gamma W17].
func judgeDot(r *WordRow) verdict.Verdict {
	f, n, x := r.Format, r.Claim.Op.Terms, r.X()
	if !r.Claim.Rounding.Nearest() || f.P < 3 {
		return verdict.Unclaimed("the bound is proved for rounding to nearest alone, and p >= 3")
	}
	v, size := oracle.Dyadic{}, oracle.Dyadic{}
	for i := range n {
		p := x[i].Mul(x[n+i])
		v, size = v.Add(p), size.Add(p.Abs())
	}
	limit := new(big.Rat).Mul(r.W.dotFactor(n), size.Rat())
	a := r.W.a
	a.R, a.Fl = r.Claim.Rounding, model.Flush{}
	exact := v.Rat()
	lo, hi := a.FromRat(new(big.Rat).Sub(exact, limit)), a.FromRat(new(big.Rat).Add(exact, limit))
	below, ok := a.Compare(lo, r.Out[0])
	above, ok2 := a.Compare(r.Out[0], hi)
	if !ok || !ok2 || below > 0 || above > 0 {
		return r.differ(fmt.Sprintf("%s to %s", report.Describe(f, lo), report.Describe(f, hi)), "the result is not the exact one, rounded once")
	}
	return verdict.Held("half an ulp + a(2+a)·Σ|x_i·y_i|", 0)
}

// dotFactor returns (1+a)^(n-1) - 1 for n terms.
func (c *rowContext) dotFactor(n int) *big.Rat {
	if c.dot == nil {
		acc, _ := word.ByName("AccurateDWPlusDW")
		grow := new(big.Rat).Add(big.NewRat(1, 1), acc.Bounds[0].Factor(c.a.F.P))
		c.dot = big.NewRat(1, 1)
		for range n - 1 {
			c.dot.Mul(c.dot, grow)
		}
		c.dot.Sub(c.dot, big.NewRat(1, 1))
	}
	return c.dot
}

// judgeSloppy judges the absolute error of the sloppy sum.
//
// Proof. sh+sl = xh+yh exactly. v = (xl+yl)(1+d1) and w = (sl+v)(1+d2) with |d1|, |d2| <= u, and zh+zl = sh+w exactly: if sh = 0
// or is a multiple of ulp(w), which it is, being a multiple of the lesser ulp of xh and yh where they cancel, and larger than w
// where they do not. So the error is (xl+yl)·d1 + (sl+v)·d2, at most u·|xl+yl| + u·(|sl| + (1+u)|xl+yl|), and |sl| <= u·|xh+yh|.
// Source: [Gamma W13].
func judgeSloppy(r *WordRow) verdict.Verdict {
	f := r.Format
	switch why := r.hypotheses(); {
	case r.Claim.Flush.Any():
		return verdict.Unclaimed("subnormal numbers may be flushed; see dd.flush")
	case !r.Claim.Rounding.Nearest() || f.P < 3:
		return verdict.Unclaimed("the bound is proved for rounding to nearest alone, and p >= 3")
	case why != "":
		return verdict.NotMet(why)
	case !Finite(f, r.Out):
		return r.differ("finite words", "a result word is not finite")
	}
	high := sumOf(f, []uint64{r.In[0], r.In[2]}).Abs()
	low := sumOf(f, []uint64{r.In[1], r.In[3]}).Abs()
	limit := high.Scale(-2 * f.P).Add(low.Scale(1 - f.P)).Add(low.Scale(-2 * f.P))
	return r.within(r.X()[0].Add(r.X()[1]), limit, "u²|xh+yh| + (2u+u²)|xl+yl|", "[Gamma W13]")
}

func judgeNormal(r *WordRow) verdict.Verdict {
	switch why := r.hypotheses(); {
	case r.Claim.Flush.Any():
		return verdict.Unclaimed("subnormal numbers may be flushed")
	case r.Claim.Rounding != model.NearestEven:
		return verdict.Unclaimed("it is proved for rounding to nearest, ties to even, alone")
	case why != "":
		return verdict.NotMet(why)
	case r.Alg == nil || !r.algorithmAdmits():
		return verdict.Unclaimed("the theorem wants a larger p")
	}
	for i := 0; i < len(r.Out); i += 2 {
		if !oracle.NormalDW(r.Format, r.Out[i], r.Out[i+1]) {
			return r.differ("a double word", "the words %d and %d of the result are not normalised: the high one is not their sum, rounded", i, i+1)
		}
	}
	return verdict.Held("", 0)
}

// algorithmAdmits reports whether a bound of the algorithm itself applies to the row: its normal results have the same hypotheses.
func (r *WordRow) algorithmAdmits() bool {
	own := r.Claim.Bound
	r.Claim.Bound = nil
	b, _ := r.bound()
	r.Claim.Bound = own
	return b != nil
}

// highFinite reports whether the first word of every operand is finite.
func (r *WordRow) highFinite() bool {
	k := 0
	for _, n := range r.Claim.Op.Operands() {
		if !r.Format.IsFinite(r.In[k]) {
			return false
		}
		k += n
	}
	return true
}

// noNumber says why there is no exact result of finite operands that do not overlap, or none in range; "" if there is.
func (r *WordRow) noNumber() string {
	f, op := r.Format, &r.Claim.Op
	x, ok := f.UfpExp(r.In[0])
	if !ok {
		x = f.Emin - f.P
	}
	e := x // above the exact result's exponent
	switch op.Function {
	case word.Root:
		return vectors.Unless(r.X()[0].Sign() >= 0, "there is no root")
	case word.Quotient:
		y, ok := f.UfpExp(r.In[op.X])
		if !ok {
			return "there is no quotient"
		}
		e = x - y
	default:
		for _, b := range r.In[op.X:] {
			y, _ := f.UfpExp(b)
			if op.Function == word.Product {
				y += x
			}
			e = max(e, y)
		}
	}
	if e+2 < f.Emax {
		return ""
	}
	d := r.W.judge.Details(r.In, r.Out)
	return vectors.Unless(!beyond(f, d.Exact[0].Lo), "the exact result overflows")
}

// overlap reports whether some operand's low word is more than half an ulp of its high word, of any parity.
func (r *WordRow) overlap() bool {
	f, k := r.Format, 0
	for _, n := range r.Claim.Op.Operands() {
		if n == 2 && !oracle.NormalDW(f, r.In[k], r.In[k+1]) {
			half := oracle.FromInt(1).Scale(f.UlpExp(r.In[k]) - 1)
			if oracle.FromBits(f, r.In[k+1]).Abs().Cmp(half) > 0 {
				return true
			}
		}
		k += n
	}
	return false
}

// beyond reports whether |v| >= 2^(Emax+1).
func beyond(f model.Format, v *big.Rat) bool {
	limit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(f.Emax+1)))
	return new(big.Rat).Abs(v).Cmp(limit) >= 0
}

func judgeProgram(r *WordRow) verdict.Verdict {
	if r.Claim.Flush.Any() {
		return verdict.Unclaimed("subnormal numbers may be flushed, and where is not claimed")
	}
	if r.Claim.Splits {
		if why := r.inRange(); why != "" {
			return verdict.NotMet(why)
		}
	}
	want := r.W.walk(r.In)
	for i, b := range want {
		if !same(r.Format, b, r.Out[i]) {
			return r.differ(fmt.Sprintf("%s = %s", r.Claim.Op.OutNames()[i], report.Describe(r.Format, b)), "word %d of the result is not that of %s", i, r.Alg.Name)
		}
	}
	return verdict.Held("", 0)
}
