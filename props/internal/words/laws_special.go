package words

import (
	"slices"

	"gamma/model"
	"gamma/model/word"
	"gamma/oracle"
	"gamma/props/internal/report"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// judgeDoubleSpecial judges what operations on double words do beyond numbers.
//
// Proof of the weaker statement, which published algorithms keep. A word that is not finite takes part in the first operation on it, whose
// result is not finite, and so on to the end: an infinity is lost only as a divisor, and every quotient is multiplied by its divisor
// again, which gives a NaN. So with steps that overflow; and if the exact result is 2^(Emax+1) or more and no step has overflown, the
// last sum does, since its error is far below the half ulp between the largest number and the threshold. Source: [Gamma W15].
func judgeDoubleSpecial(r *WordRow) verdict.Verdict {
	f, op := r.Format, &r.Claim.Op
	if !r.Claim.Rounding.Nearest() {
		return verdict.Unclaimed("overflow is looked at under rounding to nearest alone")
	}
	must := ""
	if !Finite(f, r.In) {
		if r.highFinite() {
			return verdict.NotMet("no high word is infinite or a NaN, and a low one is: the operands are no double words")
		}
		must = "an operand is not finite"
	} else {
		if r.overlap() {
			return verdict.NotMet("the words of an operand overlap: the low one is more than half an ulp of the high one")
		}
		must = r.noNumber()
	}
	root := op.Function == word.Root && must == "" && r.X()[0].Sign() == 0
	switch plain := r.plainSpecial(); {
	case must == "" && !root:
	case plain != nil:
		return r.likePlain(0, must, *plain)
	case root:
		return verdict.NotMet("the root of 0 may be a NaN")
	case op.Function == word.Quotient && Finite(f, r.In[:op.X]) && !Finite(f, r.In[op.X:]) && !slices.ContainsFunc(r.In[op.X:], f.IsNaN):
		return verdict.NotMet("the divisor is infinite: 0 is as good as a NaN")
	default:
		return r.notFinite(0, must)
	}
	if r.Claim.Flush.Any() {
		const why = "operands and result are numbers, and some may be flushed"
		if r.Claim.Finite {
			return verdict.Unclaimed(why)
		}
		return verdict.NotMet(why)
	}
	if r.splitMayOverflow() {
		return verdict.Overflows("operands and result are numbers, and a split may overflow")
	}
	if r.Alg != nil {
		if r.W.walk(r.In); r.W.overflow {
			return verdict.NotMet("operands and result are numbers, and a step of the algorithm overflows")
		}
	} else if !r.farFromEnds() {
		return verdict.NotMet("operands and result are numbers near the ends of the range")
	}
	if !Finite(f, r.Out) {
		return r.differ("finite words", "operands and exact result are numbers, and a result word is none")
	}
	return verdict.Held("", 0)
}

// specialAsPlain reports whether what is claimed of a row without a number as its result is what the plain operation on its first words
// returns. Low words beside a number have to be normalised, and all finite.
func (r *WordRow) specialAsPlain() bool {
	f := &r.Format
	if r.Claim.Special != word.SpecialPlain || r.Claim.Exact || !f.HasInf {
		return false
	}
	k := 0
	for _, n := range r.Claim.Op.Operands() {
		for j, b := range r.In[k : k+n] {
			if j > 0 && !f.IsFinite(b) || r.Claim.Flush.In && f.Class(b) == model.ClassSubnormal {
				return false
			}
		}
		if n == 2 && f.IsFinite(r.In[k]) && !oracle.NormalDW(*f, r.In[k], r.In[k+1]) {
			return false
		}
		k += n
	}
	return true
}

// plainSpecial returns what the plain operation on the first words returns, of an overflow the infinity with the sign of the exact result; nil
// if no more is claimed than a word that is not finite.
func (r *WordRow) plainSpecial() *uint64 {
	if !r.specialAsPlain() || Finite(r.Format, r.In) && r.splitMayOverflow() {
		return nil
	}
	f, op, a := r.Format, &r.Claim.Op, r.W.a
	a.R, a.Fl = r.Claim.Rounding, model.Flush{}
	var want uint64
	x, y := r.In[0], uint64(0)
	if op.Y > 0 {
		y = r.In[op.X]
	}
	switch op.Function {
	case word.Sum:
		want = a.Add(x, y)
	case word.Difference:
		want = a.Add(x, y^f.SignBit())
	case word.Product:
		want = a.Mul(x, y)
	case word.Quotient:
		want = a.Div(x, y)
	case word.Root:
		want = a.Sqrt(x)
	default:
		return nil
	}
	if Finite(f, r.In) && f.IsFinite(want) && want&^f.SignBit() != 0 { // the high words' own result is just below what overflows
		want = f.InfBits() | want&f.SignBit()
	}
	return &want
}

// likePlain holds the first word of component i to what the plain operation returns.
func (r *WordRow) likePlain(i int, must string, want uint64) verdict.Verdict {
	f := r.Format
	out := r.Out[i*r.Claim.Op.Z : (i+1)*r.Claim.Op.Z]
	if must == "" {
		must = "the operand is 0"
	}
	switch {
	case !same(f, out[0], want):
		return r.differ(report.Describe(f, want), "%s, and the first word%s is not what the plain operation on the first words returns. "+
			"An operation that promises no more than a word that is not finite claims Special: word.SpecialNotFinite", must, r.component(i))
	case f.IsFinite(want) && !Finite(f, out):
		return r.differ("finite words", "%s, and a word after the first is not finite", must)
	}
	return verdict.Held("", 0)
}

// notFinite holds the first word of component i to the weaker promise.
func (r *WordRow) notFinite(i int, must string) verdict.Verdict {
	if r.Format.IsFinite(r.Out[i*r.Claim.Op.Z]) {
		return r.differ("a NaN or an infinity", "%s, and the first word%s is finite", must, r.component(i))
	}
	return verdict.Held("", 0)
}

// component names component i of complex results.
func (r *WordRow) component(i int) string {
	if !r.Claim.Op.Complex() {
		return ""
	}
	return " of the " + [...]string{"real", "imaginary"}[i] + " part"
}

// judgeComplexSpecial judges what operations on complex numbers do beyond numbers, component by component.
//
// Proof of the weaker statement, for an operand that is not finite as in judgeDoubleSpecial: every component of a product is computed of all
// four parts, and one of a sum of the two that it adds. For an overflow: if no step of the component overflows, its terms are below 2^(Emax+1)
// and the errors of its steps, a few u of them, below 2^Emax, so that the result is beyond the largest number, and the last step does
// overflow. Where the plain operation gives a NaN, an infinity is as good: [C17] Annex G.5.1 asks for it.
func judgeComplexSpecial(r *WordRow) verdict.Verdict {
	f := r.Format
	if !r.Claim.Rounding.Nearest() {
		return verdict.Unclaimed("overflow is looked at under rounding to nearest alone")
	}
	if r.splitMayOverflow() {
		return verdict.Overflows("a split may overflow")
	}
	v := verdict.NotMet("operands and components are numbers")
	strict := r.specialAsPlain()
	for i := range 2 {
		must := r.noComponent(i)
		if must == "" {
			continue
		}
		w := r.notFinite(i, must)
		if want := r.plainComponent(i); !w.Fails() && strict && f.IsInf(want) {
			w = r.likePlain(i, must, want)
		}
		if w.Fails() {
			return w
		}
		v = w
	}
	return v
}

// firsts returns the places of the first words that component i is computed of, x's and y's by turns: a sum of products, or of two words.
func (r *WordRow) firsts(i int) []int {
	op := &r.Claim.Op
	x, y := func(k int) int { return k * op.X }, func(k int) int { return 2*op.X + k*op.Y }
	if op.Function == word.ComplexSum {
		return []int{x(i), y(i)}
	}
	return []int{x(0), y(i), x(1), y(1 - i)}
}

// plainComponent returns component i of the plain operation on the first words.
func (r *WordRow) plainComponent(i int) uint64 {
	a, at := r.W.a, r.firsts(i)
	a.R, a.Fl = r.Claim.Rounding, model.Flush{}
	if len(at) == 2 {
		return a.Add(r.In[at[0]], r.In[at[1]])
	}
	p, q := a.Mul(r.In[at[0]], r.In[at[1]]), a.Mul(r.In[at[2]], r.In[at[3]])
	if i == 0 {
		q ^= r.Format.SignBit()
	}
	return a.Add(p, q)
}

// noComponent says why component i of the exact result is no number in range, "" if it is.
func (r *WordRow) noComponent(i int) string {
	at := r.firsts(i)
	words := func(k int) []uint64 {
		if k&1 == 0 {
			return r.In[at[k] : at[k]+r.Claim.Op.X]
		}
		return r.In[at[k] : at[k]+r.Claim.Op.Y]
	}
	for k := range at {
		if !Finite(r.Format, words(k)) {
			return "an operand is not finite"
		}
	}
	if !Finite(r.Format, r.In) || r.overlap() { // low words that overlap high ones have no errors that are small
		return ""
	}
	number := func(k int) oracle.Dyadic { return sumOf(r.Format, words(k)) }
	sum := oracle.Dyadic{}
	switch {
	case len(at) == 2:
		sum = number(0).Add(number(1))
	case i == 0:
		sum = number(0).Mul(number(1)).Sub(number(2).Mul(number(3)))
	default:
		sum = number(0).Mul(number(1)).Add(number(2).Mul(number(3)))
	}
	return vectors.Unless(sum.Abs().Cmp(oracle.FromInt(1).Scale(r.Format.Emax+2)) < 0, "the exact component overflows")
}
