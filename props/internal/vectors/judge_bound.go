package vectors

import (
	"fmt"
	"math"
	"math/big"

	"gamma/model"
	"gamma/model/round"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
	"gamma/sumtree"
	"gamma/sumtree/eval"
)

// bounds returns the bounds of the claim for the trial's length that belong to a law, and all of them for
// the law ""; they are valid until the next call.
func (t *Trial) bounds(law model.LawID) []model.Bound {
	if t.unproved() != "" {
		return nil
	}
	h := -1
	switch c := &t.Claimed; {
	case c.Height != nil:
		h = c.Height(t.Length)
	case t.tree != nil && !t.loose():
		h = t.treeHeight()
	}
	all := model.SumBounds
	if t.sub.Op == engine.OpDot {
		all = model.DotBounds
	}
	c := t.Claimed
	if c.Fusion == model.FusedChain && c.Tree == "" && t.tree != nil {
		c.Fusion = model.FusedAny // the schedule is given, and need not be a chain
	}
	list := all(c, t.Length, h)
	t.mine = t.mine[:0]
	for i := range list {
		if list[i].Law == law || law == "" {
			t.mine = append(t.mine, list[i])
		}
	}
	return t.mine
}

// treeHeight returns the height of the trial's schedule, without a Round at its root, which is none of an addition.
func (t *Trial) treeHeight() int {
	if t.height < 0 {
		t.height = t.tree.Height()
		if t.tree.NodeCount() > 0 && !t.tree.Root().IsLeaf() && t.tree.Kind(t.tree.Root()) == sumtree.Round {
			t.height--
		}
	}
	return t.height
}

// maxFinite returns the least of the largest finite numbers of what partial results are rounded to, and of the result.
func (t *Trial) maxFinite() float64 {
	out := t.Claimed.Out
	least := min(report.Value64(t.Claimed.Acc, t.Claimed.Acc.MaxBits()), report.Value64(out, out.MaxBits()))
	for _, f := range t.detour.formats {
		least = min(least, report.Value64(f, f.MaxBits()))
	}
	return least
}

// growth bounds |any partial sum| / A from above: the relative error of n+2 roundings in Acc, and of
// one in each of In and Out, and of the schedule's other roundings, taken generously, since it only separates "cannot overflow" from "may
// overflow".
func (t *Trial) growth() float64 {
	c := &t.Claimed
	sum := float64(c.Acc.U()*float64(t.Length+3)) + c.In.U() + c.Out.U() + t.detour.u
	return float64(math.Exp(float64(2*sum)) * (1 + 0x1p-40))
}

// mayOverflow reports whether sums of terms with magnitudes a in all may leave the finite range at
// any step; factor is the largest multiple of a partial sum that the kernel forms besides.
func (t *Trial) mayOverflow(a, factor float64) bool {
	tiny := float64(float64(t.Length+3+t.detour.nodes) * math.Ldexp(1, max(t.emin(), t.Claimed.In.Emin, -1000)))
	if t.detour.nodes > 0 {
		tiny = float64(tiny * t.growth()) // by the roundings that follow
	}
	return !(float64(a*factor*t.growth())+tiny <= t.maxFinite())
}

// judgeBound judges a finite row by the bounds of one law.
func judgeBound(t *Trial, law model.LawID) verdict.Verdict {
	s := t.Sum()
	if !s.IsFinite() {
		return verdict.NotMet("a term is infinite or no number; the law of special values judges it")
	}
	c := &t.Claimed
	if c.Mean && t.Length == 0 {
		return verdict.NotMet("the mean of nothing is no number")
	}
	got := t.Got()
	if !c.Out.IsFinite(got) {
		return t.judgeOverflow()
	}
	list := t.bounds(law)
	if why := t.unproved(); why != "" {
		return verdict.Unclaimed(why)
	}
	if len(list) == 0 {
		return verdict.Unclaimed(fmt.Sprintf("no bound is proved for this claim and n = %d", t.Length))
	}
	if (!c.Rounding.Nearest() || c.Acc.Overflow == model.OverflowSaturate || c.Out.Overflow == model.OverflowSaturate) &&
		t.mayOverflow(t.abs().Hi, 1) {
		// Directed rounding and saturation turn an overflow into a finite number.
		return verdict.Overflows("a partial sum may overflow to the largest finite number")
	}
	safe := c.OverflowSafe && t.neverOverflows()
	if k := t.multiples(); k > 1 && !safe && t.mayOverflow(t.abs().Hi, k) {
		return verdict.Overflows("an intermediate result of the compensated sum may overflow")
	}
	return t.decide(list)
}

// decide judges E against each of a list of bounds, exactly, and reports the tightest.
func (t *Trial) decide(list []model.Bound) verdict.Verdict {
	e, a := t.errorInterval(), t.abs()
	lo, hi := t.Sum().Interval()
	s := oracle.Enclose(lo, hi).Abs()
	var lost oracle.Interval
	if t.Claimed.Flush.In && t.sub.Op == engine.OpDot {
		lost = oracle.Enclose(t.lost().Interval())
	}
	t.noteAnomaly(e, a)
	note := t.farther(e.Hi, a.Hi)
	best, bestLimit := 0, math.Inf(1)
	unsure := false
	for i := range list {
		lo, hi := oracle.LimitInterval(s, a, lost, list[i])
		if hi < bestLimit {
			best, bestLimit = i, hi
		}
		if note {
			t.reach.Bound(list[i].Name, hi/t.unit(a.Hi))
		}
		if !(e.Hi <= lo) {
			unsure = true
		}
	}
	if unsure {
		if v, bad := t.decideExactly(list); bad {
			return v
		}
	}
	ratio := 0.0
	if e.Hi > 0 {
		ratio = e.Hi / bestLimit
	}
	return verdict.Held(list[best].Name, ratio)
}

// unit returns what errors of sums and their bounds are multiples of, whatever n is: u·Σ|x|, with u of the coarsest format that is rounded to and the terms'
// magnitudes a in all.
func (t *Trial) unit(a float64) float64 {
	return float64(max(t.Claimed.Acc.U(), t.Claimed.Out.U()) * a)
}

// farther notes the error of a row, unless one before it in the case erred more, and reports whether it did.
func (t *Trial) farther(e, a float64) bool {
	unit := t.unit(a)
	if !(unit > 0) || !(e/unit >= t.reach.Error) && t.reach.Unit != "" {
		return false
	}
	t.reach.Forget()
	t.reach.Unit, t.reach.Error = "u·Σ|x|", e/unit
	if t.sub.Op == engine.OpDot {
		t.reach.Unit = "u·Σ|x·y|"
	}
	return true
}

// anomalyLambda makes the probability of an anomaly by chance less than 2·exp(-λ²/2), 7·10^-15.
const anomalyLambda = 8

// noteAnomaly notes whether the error of a plain sum of many terms is larger than independent
// rounding errors of mean zero would make it. Inputs that are built to reach the bounds are anomalous
// by design; random ones are not.
func (t *Trial) noteAnomaly(e, a oracle.Interval) {
	c := &t.Claimed
	if c.Compensation == model.Uncompensated && t.Length >= 100 && c.Rounding.Nearest() && !c.Mean {
		u := max(c.Acc.U(), c.Out.U(), c.In.U())
		t.anomalous = e.Lo > float64(model.AnomalyFactor(t.Length, u, anomalyLambda)*a.Hi)
	}
}

// decideExactly compares E with every bound as rational numbers.
func (t *Trial) decideExactly(list []model.Bound) (v verdict.Verdict, bad bool) {
	e, s, a, lost := t.errorDyadic(), t.Sum().Dyadic(), t.SumAbs(), t.lost()
	for i := range list {
		b := &list[i]
		if oracle.Within(e, s, a, lost, *b) {
			continue
		}
		limit, _ := oracle.Limit(s, a, lost, *b)
		v := verdict.Fails(fmt.Sprintf("the error exceeds %s", b.Name), t.boundWitness(e, limit, b.Source))
		v.Bound, v.Ratio = b.Name, oracle.Ratio(e, s, a, lost, *b)
		return v, true
	}
	return verdict.Verdict{}, false
}

func (t *Trial) boundWitness(e, limit oracle.Dyadic, source string) *verdict.Witness {
	s := t.Sum()
	return &verdict.Witness{
		Exact: s.Dyadic(), Error: e, Limit: limit, HasBound: true, Source: source,
		WantText: report.Describe(t.Claimed.Out, t.roundedExact()) + ", the exact value rounded once",
	}
}

// roundedExact returns the exact result rounded once into Out, by the claim's rounding.
func (t *Trial) roundedExact() uint64 { return t.exactlyRounded(t.Claimed.Rounding) }

// exactlyRounded returns the exact result rounded once into Out: S, or S/n for a mean.
func (t *Trial) exactlyRounded(r model.Rounding) uint64 {
	c := &t.Claimed
	s := t.Sum()
	if !c.Mean || !s.IsFinite() || t.Length == 0 {
		return s.Round(c.Out, r)
	}
	return roundQuotient(s.Dyadic(), t.Length, c.Out, r)
}

// judgeOverflow judges a result that is not finite although every term is.
func (t *Trial) judgeOverflow() verdict.Verdict {
	c := &t.Claimed
	want := t.roundedExact()
	if c.OverflowSafe && t.neverOverflows() {
		return verdict.Fails("the result is not finite though the exact one rounds to a finite number, and the kernel claims to be safe from overflow",
			&verdict.Witness{WantText: report.Describe(c.Out, want)})
	}
	if !t.mayOverflow(t.abs().Hi, 1) {
		return verdict.Fails("the result is not finite though no partial sum can overflow", &verdict.Witness{WantText: report.Describe(c.Out, want)})
	}
	return verdict.Overflows("a partial sum may overflow; the law of special values judges it")
}

// budgetMaxN is the longest vector for which the height laws also compute the budget of the values
// themselves; it takes exact arithmetic at every node.
const budgetMaxN = 256

// judgeHeight judges by the height bound. Where a tree is claimed but not which products are fused,
// so that no bit-exact law applies, it also judges short vectors by the recursive budget over the
// exact subtree sums, with every product rounded: that is no less than the budget of any fusion.
func judgeHeight(t *Trial, law model.LawID) verdict.Verdict {
	v := judgeBound(t, law)
	c := &t.Claimed
	if v.Outcome != verdict.Holds || t.sub.Op != engine.OpDot || c.Fusion != model.FusedAny || t.tree == nil || t.loose() || t.Length > budgetMaxN || t.Length == 0 ||
		c.Mean || c.Acc != c.In || c.Out != c.In {
		return v
	}
	tree, x := t.scheduleOver(t.tree.OverProducts(false))
	if tree == nil {
		return v
	}
	limit, err := eval.RecursiveBudget(tree, round.Arith{F: c.Acc, R: c.Rounding, Fl: c.Flush}, x)
	if err != nil {
		return v // a schedule that this bound does not cover; the height bound has judged
	}
	const name, source = "the recursive budget (1+v)(El+Er) + v|Sl+Sr|", "[Gamma T3]"
	e := t.errorDyadic()
	ratio := 0.0
	if e.Sign() > 0 {
		ratio, _ = new(big.Rat).Quo(e.Rat(), nonZero(limit)).Float64()
	}
	if e.Rat().Cmp(limit) > 0 {
		w := verdict.Fails("the error exceeds "+name+" over the claimed tree", t.boundWitness(e, dyadicAbove(limit), source))
		w.Bound, w.Ratio = name, ratio
		return w
	}
	if ratio > v.Ratio {
		v.Bound, v.Ratio = name, ratio
	}
	return v
}

// nonZero returns r, or the least positive binary64 number in place of zero, for display.
func nonZero(r *big.Rat) *big.Rat {
	if r.Sign() != 0 {
		return r
	}
	return new(big.Rat).SetFloat64(math.SmallestNonzeroFloat64)
}

// dyadicAbove returns a dyadic number at or just above r, for display.
func dyadicAbove(r *big.Rat) oracle.Dyadic {
	const bits = 256
	num := new(big.Int).Lsh(r.Num(), bits)
	q, rem := new(big.Int).QuoRem(num, r.Denom(), new(big.Int))
	if rem.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	return oracle.NewDyadic(q, -bits)
}

// scheduleOver returns a schedule with its leaves: for dot products a tree over products, whose
// slots are the first factors and then the second. It is nil where the schedule is.
func (t *Trial) scheduleOver(tree *sumtree.Tree) (*sumtree.Tree, []uint64) {
	n := t.Length
	if t.sub.Op == engine.OpDot {
		n *= 2
	}
	if tree == nil {
		return nil, nil
	}
	t.slots = draw.Grow(t.slots, n)
	for i := range t.Length {
		t.slots[i] = t.x.At(i)
		if t.sub.Op == engine.OpDot {
			t.slots[t.Length+i] = t.y.At(i)
		}
	}
	return tree, t.slots
}

// plainBinary32 reports whether the trial is a sum in binary32 throughout, to nearest even and
// without flushing, which the native evaluator follows.
func (t *Trial) plainBinary32() bool {
	return t.sub.Op == engine.OpSum && t.nativeIn(model.Binary32)
}
