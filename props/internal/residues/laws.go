package residues

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/report"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// residueSource is where the truth of residues comes from.
const residueSource = "definition of arithmetic modulo q, by division"

// residueLaws are the laws of operations on residues.
var residueLaws = []ModularLaw{
	{
		ID:         model.MontValue,
		Statement:  "z ≡ f(x, …)·R^k (mod q) for every result z, where f is the claimed function of the residues that the operands stand for",
		Hypotheses: "a modulus of the claim; operands in their ranges",
		Source:     residueSource + "; [Montgomery 1985]; [Harvey 2014]",
		Kills: []string{
			"carry dropped", "carry test wrong", "% on partial products", "(2^64 mod q) as (2^32 mod q)²", "sign of q' wrong",
			"Goldilocks reduction losing a carry",
		},
		Applies: func(c *modular.Claim) string {
			return vectors.Unless(!isConstant(c), "the operation gives a constant of the modulus; see mont.constants")
		},
		Judge: judgeResidueValue,
	},
	{
		ID:         model.MontRange,
		Statement:  "0 <= z < f·q for every result z of range f",
		Hypotheses: "a modulus of the claim; operands in their ranges",
		Source:     "the claim; [Harvey 2014] §3",
		Kills:      []string{"no final subtraction", "> for >= in a sum", "> for >= in a difference", "one correction of Barrett's missing"},
		Applies: func(c *modular.Claim) string {
			return vectors.Unless(slices.ContainsFunc(c.Out, func(w modular.Word) bool { return !w.Integer && w.Range != 0 }), "the results may be any words")
		},
		Families: []string{"edges", "limits", "mirror", "carries", "random", "sparse", "limits"},
		Judge:    judgeResidueRange,
	},
	{
		ID:         model.MontConstants,
		Statement:  "R^k mod q is ≡ R^k and reduced; q·z ≡ ±1 (mod R) for z = ±1/q mod R; q·z <= x·R < q·(z+1) for z = ⌊x·R/q⌋",
		Hypotheses: "a modulus of the claim; a reduced x",
		Source:     "definitions; [Montgomery 1985]; [Harvey 2014] §3",
		Kills:      []string{"R² wrong", "a step of Newton's method missing", "sign of q' wrong", "Shoup factor rounded up"},
		Applies: func(c *modular.Claim) string {
			return vectors.Unless(isConstant(c), "the operation gives no constant of the modulus; see mont.value")
		},
		Judge: judgeResidueConstant,
	},
	{
		ID:         model.MontIdentity,
		Statement:  "operands that stand for 0, 1 and -1 give what they must (x·1 = x, x·0 = 0, x+0 = x, x-x = 0, x^0 = 1, …), and x·y ≡ y·x, x+y ≡ y+x",
		Hypotheses: "an operand stands for one of these, or the operation is a sum or a product of two words of one kind",
		Source:     "axioms of a commutative ring",
		Kills:      []string{"no final subtraction", "result in another domain", "q-1 not folded"},
		Applies: func(c *modular.Claim) string {
			return vectors.Unless(!isConstant(c) && c.Function != modular.Wide, "the operation has no neutral operands")
		},
		Families: []string{"neutral", "edges", "neutral", "mirror", "neutral"},
		Again:    []func(r *ModularRow) []uint64{swappedOperands},
		Judge:    judgeResidueIdentity,
	},
	{
		ID:         model.MontClosure,
		Statement:  "results are operands: a chain of five operations, each on the results of the one before, ends at the residues that division gives",
		Hypotheses: "the results have the powers of the operands, and ranges that are not wider",
		Source:     "induction over mont.value and mont.range",
		Kills:      []string{"result wider than the operands may be", "one correction of Barrett's missing"},
		Applies:    closes,
		Again:      []func(r *ModularRow) []uint64{nextInChain, nextInChain, nextInChain, nextInChain},
		Judge:      judgeResidueClosure,
	},
	{
		ID:         model.MontDistributes,
		Statement:  "f(a+b, c) ≡ f(a, c) + f(b, c) (mod q): (a+b)·c = a·c + b·c, and so for sums, differences and butterflies",
		Hypotheses: "words of the claimed powers; a+b is reduced",
		Source:     "axioms of a commutative ring",
		Kills:      []string{"carry dropped", "% on partial products", "(2^64 mod q) as (2^32 mod q)²"},
		Applies: func(c *modular.Claim) string {
			return vectors.Unless(isLinear(c.Function), "the operation is not linear in its operands")
		},
		Families: []string{"random", "carries", "edges", "limits", "mirror", "sparse"},
		Again:    []func(r *ModularRow) []uint64{otherAddend, sumOfOperands},
		Judge:    judgeResidueDistributes,
	},
	{
		ID:         model.MontInverse,
		Statement:  "x·(1/x) ≡ 1 (mod q), and 1/(1/x) ≡ x where a result can be an operand",
		Hypotheses: "x has no factor in common with q",
		Source:     "definition of the inverse",
		Kills:      []string{"inverse of a negative not folded", "exponent q-3 for q-2"},
		Applies: func(c *modular.Claim) string {
			return vectors.Unless(c.Function == modular.Inverse, "the operation is no inverse")
		},
		Again: []func(r *ModularRow) []uint64{invertedAgain},
		Judge: judgeResidueInverse,
	},
	{
		ID:         model.MontRefuses,
		Statement:  "a modulus that is not claimed gives an error, and no result",
		Hypotheses: "the modulus is even, too small, too large, not prime, or none of the list, where the claim says so",
		Source:     "the claim",
		Kills:      []string{"even moduli accepted", "moduli above the limit accepted", "composites accepted"},
		Applies: func(c *modular.Claim) string {
			return vectors.Unless(c.Moduli.Refuses(), "the claim obliges the operation to refuse no modulus")
		},
		Refuses: true,
		Judge:   judgeResidueRefusal,
	},
}

// isConstant reports whether a claim is one of constants, which depend on the modulus and at most on one word.
func isConstant(c *modular.Claim) bool {
	return c.Function.OfModulus() || c.Function == modular.ShoupQuotient
}

// isLinear reports whether a function is linear in some operands.
func isLinear(f modular.Function) bool { return linearOperands(f) > 0 }

// linearOperands returns in how many of the first operands together a function is linear, the others being the same.
func linearOperands(f modular.Function) int {
	switch f {
	case modular.Identity, modular.Negative, modular.Product:
		return 1
	case modular.Sum, modular.Difference, modular.ForwardButterfly, modular.InverseButterfly:
		return 2
	}
	return 0
}

// operands returns the places of the words that are no Shoup factors.
func operandsOf(c *modular.Claim) (places []int) {
	for i := range c.In {
		if !c.In[i].Shoup {
			places = append(places, i)
		}
	}
	return places
}

// x returns the residue that operand k stands for, Shoup's factors not counted; of integers it is the integer.
func (r *ModularRow) x(k int) uint64 {
	for i := range r.Claim.In {
		w := &r.Claim.In[i]
		switch {
		case w.Shoup:
			continue
		case k > 0:
			k--
			continue
		case w.Integer:
			return r.In[i]
		}
		return r.res.value(r.In[i], w.Power)
	}
	panic("props: there is no such operand")
}

// z returns the residue that result i of out stands for.
func (r *ModularRow) z(out []uint64, i int) uint64 { return r.res.value(out[i], r.Claim.Out[i].Power) }

// differ returns a violation.
func (r *ModularRow) differ(reason string, args ...any) verdict.Verdict {
	return verdict.Fails(fmt.Sprintf(reason, args...), &verdict.Witness{})
}

func judgeResidueValue(r *ModularRow) verdict.Verdict {
	want, why := r.Want()
	if why != "" {
		return verdict.NotMet(why)
	}
	for i, w := range want {
		z := r.Out[i]
		if !r.Claim.Out[i].Integer {
			z %= r.Modulus
		}
		if z != w {
			return r.differ("%s is not %s", wordName(r.Claim.Out, i, "z"), wantedOf(r.Claim.Function))
		}
	}
	return verdict.Held("", 0)
}

// wantedOf names the result of a function of the operands.
func wantedOf(f modular.Function) string {
	switch f {
	case modular.Identity:
		return "the residue that the operand stands for"
	case modular.Wide:
		return "the double word, modulo q"
	case modular.ForwardButterfly, modular.InverseButterfly:
		return "what division gives"
	case modular.Negative, modular.Inverse:
		return fmt.Sprintf("the %s of the operand", f)
	}
	return fmt.Sprintf("the %s of the operands", f)
}

func judgeResidueRange(r *ModularRow) verdict.Verdict {
	most, name := 0.0, ""
	for i, z := range r.Out {
		limit := r.res.out[i]
		if limit == 0 {
			if w := r.Claim.Out[i]; name == "" && !w.Integer && w.Range != 0 { // all words are below it
				name = timesModulus(w.Range)
			}
			continue
		}
		if z >= limit {
			return r.differ("%s is not below %s", wordName(r.Claim.Out, i, "z"), timesModulus(r.Claim.Out[i].Range))
		}
		if ratio := float64(z) / float64(limit); ratio >= most {
			most, name = ratio, timesModulus(r.Claim.Out[i].Range)
		}
	}
	if why := r.followsRecurrence(); why != "" {
		return r.differ("%s", why)
	}
	return verdict.Held(name, most)
}

func judgeResidueConstant(r *ModularRow) verdict.Verdict {
	want, why := r.Want()
	if why != "" {
		return verdict.NotMet(why)
	}
	z := r.Out[0]
	switch {
	case r.Claim.Out[0].Integer:
		if z != want[0] {
			return r.differ("%s is not the %s", wordName(r.Claim.Out, 0, "z"), r.Claim.Function)
		}
	case z%r.Modulus != want[0]:
		return r.differ("%s is not ≡ R^%d (mod q)", wordName(r.Claim.Out, 0, "z"), r.Claim.Out[0].Power)
	case r.res.out[0] != 0 && z >= r.res.out[0]:
		return r.differ("%s is not below %s", wordName(r.Claim.Out, 0, "z"), timesModulus(r.Claim.Out[0].Range))
	}
	return verdict.Held("", 0)
}

// copyOfIn returns a copy of the operands, which is valid until the next call.
func (r *ModularRow) copyOfIn() []uint64 {
	r.res.next = append(r.res.next[:0], r.In...)
	return r.res.next
}

// swappedOperands returns a row with its two operands exchanged, of sums and products of two words of one kind.
func swappedOperands(r *ModularRow) []uint64 {
	c := r.Claim
	if c.Function != modular.Sum && c.Function != modular.Product || len(r.In) != 2 {
		return nil
	}
	a, b := c.In[0], c.In[1]
	if a.Power != b.Power || a.Range != b.Range {
		return nil
	}
	next := r.copyOfIn()
	next[0], next[1] = r.In[1], r.In[0]
	return next
}

// known returns the results of operands among which are 0, 1 or -1, and false of others.
func (r *ModularRow) known() (want []uint64, ok bool) {
	q := r.Modulus
	neg := func(v uint64) uint64 { return oracle.SubMod(0, v, q) }
	one, minus := 1%q, neg(1%q)
	x := r.x(0)
	var y, w uint64
	n := r.Claim.Function.In()
	if n > 1 {
		y = r.x(1)
	}
	if n > 2 {
		w = r.x(2)
	}
	both := func() []uint64 { return []uint64{oracle.AddMod(x, y, q), oracle.SubMod(x, y, q)} }
	v := uint64(0)
	switch r.Claim.Function {
	case modular.Identity:
		v, ok = x, x == 0 || x == one || x == minus
	case modular.Negative:
		v, ok = neg(x), x == 0 || x == one || x == minus
	case modular.Inverse:
		v, ok = x, x == one || x == minus
	case modular.Sum:
		switch {
		case y == 0:
			v, ok = x, true
		case x == 0:
			v, ok = y, true
		case x == neg(y):
			v, ok = 0, true
		}
	case modular.Difference:
		switch {
		case y == 0:
			v, ok = x, true
		case x == 0:
			v, ok = neg(y), true
		case x == y:
			v, ok = 0, true
		}
	case modular.Product:
		switch {
		case x == 0 || y == 0:
			v, ok = 0, true
		case y == one:
			v, ok = x, true
		case x == one:
			v, ok = y, true
		case y == minus:
			v, ok = neg(x), true
		case x == minus:
			v, ok = neg(y), true
		}
	case modular.Power:
		switch {
		case y == 0:
			v, ok = one, true
		case y == 1 || x == 0 || x == one:
			v, ok = x, true
		case x == minus:
			v, ok = []uint64{one, minus}[y&1], true
		}
	case modular.ForwardButterfly:
		switch {
		case y == 0 || w == 0:
			return []uint64{x, x}, true
		case w == one:
			return both(), true
		}
	case modular.InverseButterfly:
		switch {
		case w == 0 || x == y:
			return []uint64{oracle.AddMod(x, y, q), 0}, true
		case w == one:
			return both(), true
		}
	}
	return []uint64{v}, ok
}

func judgeResidueIdentity(r *ModularRow) verdict.Verdict {
	want, known := r.known()
	if known {
		for i, v := range want {
			if r.z(r.Out, i) != v {
				return r.differ("%s does not stand for %d, which it must where an operand is 0, 1 or -1, or two are equal or opposite", wordName(r.Claim.Out, i, "z"), v)
			}
		}
	}
	if other := r.More[0].Out; other != nil {
		if r.z(other, 0) != r.z(r.Out, 0) {
			return r.differ("the operands exchanged give another residue")
		}
		known = true
	}
	if !known {
		return verdict.NotMet("no operand stands for 0, 1 or -1")
	}
	return verdict.Held("", 0)
}

// closes says why results of a claim are no operands, or "".
func closes(c *modular.Claim) string {
	switch c.Function {
	case modular.Identity, modular.Sum, modular.Difference, modular.Negative, modular.Product, modular.Inverse, modular.Power, modular.ForwardButterfly,
		modular.InverseButterfly:
	default:
		return "results are no operands of the operation"
	}
	places := operandsOf(c)
	for i, out := range c.Out {
		in := c.In[places[i]]
		switch {
		case in.Power != out.Power:
			return "results have another power of R than operands"
		case in.Range != 0 && (out.Range == 0 || out.Range > in.Range):
			return "results have a wider range than operands"
		case places[i]+1 < len(c.In) && c.In[places[i]+1].Shoup:
			return "an operand comes with Shoup's factor, and results do not"
		}
	}
	return ""
}

// last returns the results that were computed last, nil if those were not to be had.
func (r *ModularRow) last() []uint64 {
	if n := len(r.More); n > 0 {
		return r.More[n-1].Out
	}
	return r.Out
}

// nextInChain returns the row with its first operands replaced by the results that were computed last.
func nextInChain(r *ModularRow) []uint64 {
	out := r.last()
	if out == nil {
		return nil
	}
	next := r.copyOfIn()
	for i, z := range out {
		next[r.res.places[i]] = z
	}
	return next
}

func judgeResidueClosure(r *ModularRow) verdict.Verdict {
	places := r.res.places
	ideal := ModularRow{Claim: r.Claim, Modulus: r.Modulus, In: r.copyOfIn(), res: r.res}
	for step := 0; ; step++ {
		want, why := ideal.Want()
		if why != "" {
			return verdict.NotMet(why)
		}
		out := r.Out
		if step > 0 {
			if out = r.More[step-1].Out; out == nil {
				return r.differ("the results after %s are no operands any more", report.Plural(step, "operation"))
			}
		}
		for i, w := range want {
			if out[i]%r.Modulus != w {
				return r.differ("after %s %s is another residue than division gives", report.Plural(step+1, "operation"), wordName(r.Claim.Out, i, "z"))
			}
			ideal.In[places[i]] = w
		}
		if step == len(r.More) {
			return verdict.Held("", 0)
		}
	}
}

// otherAddend returns a row with other first operands, made of the row's words: it is (b, c) where the row is (a, c). Of products it is
// the second factor that is split where the words of the row say so, and that has no Shoup factor.
func otherAddend(r *ModularRow) []uint64 {
	next := r.copyOfIn()
	for _, i := range r.split() {
		v := draw.Mix(r.In[i] ^ r.Modulus)
		l := r.res.in[i]
		switch {
		case v>>62 == 0: // near the end of the range
			next[i] = (l - 1 - v&7) & GreatestWord(r.Claim.Bits)
			if l != 0 && l < 9 {
				next[i] = l - 1
			}
		case l != 0:
			next[i] = v % l
		default:
			next[i] = v & GreatestWord(r.Claim.Bits)
		}
	}
	return next
}

// split returns the places of the operands that are sums.
func (r *ModularRow) split() []int {
	places := r.res.places
	if r.Claim.Function == modular.Product && draw.Mix(r.In[0])&1 == 0 && (places[1]+1 == len(r.In) || !r.Claim.In[places[1]+1].Shoup) {
		return places[1:2]
	}
	return places[:linearOperands(r.Claim.Function)]
}

// sumOfOperands returns the row whose operands are a+b, reduced.
func sumOfOperands(r *ModularRow) []uint64 {
	next := r.copyOfIn()
	for _, i := range r.split() {
		next[i] = oracle.AddMod(r.In[i]%r.Modulus, r.More[0].In[i]%r.Modulus, r.Modulus)
	}
	return next
}

func judgeResidueDistributes(r *ModularRow) verdict.Verdict {
	for i := range r.Out {
		a, b, sum := r.z(r.Out, i), r.z(r.More[0].Out, i), r.z(r.More[1].Out, i)
		if oracle.AddMod(a, b, r.Modulus) != sum {
			return r.differ("%s of a+b is not the sum of those of a and b", wordName(r.Claim.Out, i, "z"))
		}
	}
	return verdict.Held("", 0)
}

// invertedAgain returns the result as an operand, where it can be one.
func invertedAgain(r *ModularRow) []uint64 {
	if closes(r.Claim) != "" {
		return nil
	}
	if _, ok := oracle.InvMod(r.Out[0]%r.Modulus, r.Modulus); !ok {
		return nil
	}
	return []uint64{r.Out[0]}
}

func judgeResidueInverse(r *ModularRow) verdict.Verdict {
	x, z := r.x(0), r.z(r.Out, 0)
	if _, ok := oracle.InvMod(x, r.Modulus); !ok {
		return verdict.NotMet("the operand has a factor in common with q")
	}
	if oracle.MulMod(x, z, r.Modulus) != 1%r.Modulus {
		return r.differ("x·(1/x) is not 1")
	}
	if again := r.More[0].Out; again != nil && r.z(again, 0) != x {
		return r.differ("the inverse of the inverse is not x")
	}
	return verdict.Held("", 0)
}

func judgeResidueRefusal(r *ModularRow) verdict.Verdict {
	if r.Err != nil {
		return verdict.Held("", 0)
	}
	return r.differ("no error for a modulus that is not claimed: %v", Admitted(r.Claim, r.Modulus))
}
