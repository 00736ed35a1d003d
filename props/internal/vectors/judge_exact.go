package vectors

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"sort"

	"gamma/corpus"
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

// sameResult compares encodings of f as results: any NaN equals any NaN, and unless signed zeros
// are claimed, -0 equals +0.
func sameResult(f model.Format, signedZero bool, a, b uint64) bool {
	if a == b {
		return true
	}
	if f.IsNaN(a) {
		return f.IsNaN(b)
	}
	return !signedZero && (a|b)&^f.SignBit() == 0
}

// judgeTree judges a result bit for bit against the schedule's.
func judgeTree(t *Trial) verdict.Verdict {
	c := &t.Claimed
	if c.Mean && t.Length == 0 {
		return verdict.NotMet("the mean of nothing is no number")
	}
	if c.Mixed && t.Length > 0 {
		return judgeMixedTree(t)
	}
	wants, err := t.replays()
	if err != nil {
		return verdict.NotMet(err.Error())
	}
	for _, want := range wants {
		if sameResult(c.Out, c.SignedZero, t.Got(), want) {
			return verdict.Held("", 0)
		}
	}
	if c.Flush.Any() && t.meetsTiny() {
		return verdict.NotMet("a number met may be flushed, and the claim leaves open which are")
	}
	want := wants[0]
	w := &verdict.Witness{WantText: report.Describe(c.Out, want) + ", the schedule replayed"}
	return verdict.Fails("the result is not the one of the claimed schedule", w)
}

// replays evaluates the trial's schedule in every way that the claim leaves open: a kernel that may
// flush can do so or not, and a mean whose sum is wider than its result may be divided before or after
// the sum is rounded to the result's format.
func (t *Trial) replays() ([]uint64, error) {
	c := &t.Claimed
	if t.loose() {
		return nil, fmt.Errorf("the behaviour lets the compiler reassociate additions, so that no schedule is claimed")
	}
	want, err := t.replay()
	if err != nil {
		return nil, err
	}
	wants := []uint64{want}
	if c.Flush.Any() {
		if want, err = t.replayAs(model.Flush{}, false); err == nil {
			wants = append(wants, want)
		}
	}
	if c.Mean && c.Out != c.Acc {
		if want, err = t.replayAs(c.Flush, true); err == nil {
			wants = append(wants, want)
		}
	}
	return wants, nil
}

// meetsTiny reports whether a factor, a leaf or a sum of leaves may be subnormal in a format that the
// kernel meets: unless every term is a multiple of the least normal numbers.
func (t *Trial) meetsTiny() bool {
	c := &t.Claimed
	if c.Mean {
		return true
	}
	for i := range t.Length {
		if c.In.Class(t.x.At(i)) == model.ClassSubnormal || t.sub.Op == engine.OpDot && c.In.Class(t.y.At(i)) == model.ClassSubnormal {
			return true
		}
		if !c.In.IsFinite(t.x.At(i)) || t.sub.Op == engine.OpDot && !c.In.IsFinite(t.y.At(i)) {
			return true
		}
	}
	k, any := t.commonUnit()
	return any && k < max(c.In.Emin, t.emin())
}

// replay evaluates the trial's schedule by the judge's own arithmetic.
func (t *Trial) replay() (uint64, error) { return t.replayAs(t.Claimed.Flush, false) }

// replayAs is replay with the given flushing; with roundFirst the sum is rounded to Out before a mean
// is taken of it.
func (t *Trial) replayAs(flush model.Flush, roundFirst bool) (uint64, error) {
	if t.tree == nil {
		return 0, fmt.Errorf("no schedule is claimed")
	}
	if _, plain := t.tree.Plain(); plain && t.sub.Op == engine.OpSum {
		if t.plainBinary32() {
			v, scratch, err := eval.Float32(t.tree, t.x.F32, t.scratch32)
			t.scratch32 = scratch
			return uint64(math.Float32bits(v)), err
		}
		if t.nativeIn(model.Binary64) {
			v, scratch, err := eval.Float64(t.tree, t.x.F64, t.scratch64)
			t.scratch64 = scratch
			return math.Float64bits(v), err
		}
	}
	return t.replayBits(flush, roundFirst)
}

// nativeIn reports whether In, Acc and Out are f and the trial rounds as the hardware does.
func (t *Trial) nativeIn(f model.Format) bool {
	c := &t.Claimed
	return c.In == f && c.Acc == f && c.Out == f && c.Rounding == model.NearestEven && !c.Flush.Any() && !c.Mean
}

// replayBits evaluates the schedule in the claim's formats by integer arithmetic.
func (t *Trial) replayBits(flush model.Flush, roundFirst bool) (uint64, error) {
	c := &t.Claimed
	acc := round.Arith{F: c.Acc, R: c.Rounding, Fl: flush}
	out := round.Arith{F: c.Out, R: c.Rounding, Fl: flush}
	schedule := t.tree
	if t.sub.Op == engine.OpDot {
		schedule = t.dotTree()
	}
	tree, leaves := t.scheduleOver(schedule)
	if tree == nil {
		return 0, fmt.Errorf("no schedule is known for fusion %q", c.Fusion)
	}
	if c.Acc != c.In {
		for i, b := range leaves {
			leaves[i] = round.Convert(acc, c.In, b)
		}
	}
	if !c.Mean {
		return evaluated(tree, acc, out, leaves)
	}
	wide := acc
	if roundFirst {
		wide = out
	}
	got, err := evaluated(tree, acc, wide, leaves)
	if err != nil {
		return 0, err
	}
	return meanOf(got, wide, out, t.Length)
}

// meanOf divides a sum by n in the accumulator's format or the result's, whichever is wider.
func meanOf(sum uint64, acc, out round.Arith, n int) (uint64, error) {
	wide := acc
	if out.F.P > acc.F.P {
		wide = out
	}
	d := wide.FromDyadic(false, oracleInt(n), 0)
	if !wide.F.IsFinite(d) || report.Value64(wide.F, d) != float64(n) {
		return 0, fmt.Errorf("the divisor %d is no number of %s", n, wide.F)
	}
	q := wide.Div(round.Convert(wide, acc.F, sum), d)
	return round.Convert(out, wide.F, q), nil
}

// dotTree returns the trial's schedule over products, rounded or fused as claimed, or nil.
func (t *Trial) dotTree() *sumtree.Tree {
	switch t.Claimed.Fusion {
	case model.Unfused:
		return t.tree.OverProducts(false)
	case model.FusedChain:
		return t.tree.OverProducts(true)
	}
	return nil
}

// memberCap is how many different values a subset of the leaves may have before the exact set is
// given up, memberMaxN the longest vector it is computed for, and memberDrawN the longest one drawn.
const (
	memberCap   = 1 << 10
	memberMaxN  = 12
	memberDrawN = 8
)

// judgeMember judges whether the result is one that some order of the additions gives.
func judgeMember(t *Trial) verdict.Verdict {
	set, none := t.Members()
	if none != nil {
		return *none
	}
	return t.among(set, t.Got())
}

// among judges whether a result is one of a set; the sign of a zero is judged by the law of special values.
func (t *Trial) among(set []uint64, got uint64) verdict.Verdict {
	out := t.Claimed.Out
	for _, v := range set {
		if sameResult(out, false, got, v) {
			return verdict.Held("", 0)
		}
	}
	return verdict.Fails("no order of the additions gives this result", &verdict.Witness{WantText: report.DescribeSet(out, set)})
}

// Members returns every result that some order of the row's additions gives, or the vacuous verdict that says why that says
// little or is too much to compute.
func (t *Trial) Members() (set []uint64, none *verdict.Verdict) {
	not := func(v verdict.Verdict) ([]uint64, *verdict.Verdict) { return nil, &v }
	if t.Length > memberMaxN {
		return not(verdict.NotMet(fmt.Sprintf("the set of reachable values is computed up to %d leaves", memberMaxN)))
	}
	if t.Length == 0 {
		return not(verdict.NotMet("the empty sum has no order"))
	}
	if !t.Sum().IsFinite() {
		return not(verdict.NotMet("a term is infinite or no number"))
	}
	c := &t.Claimed
	if c.Out != c.Acc {
		return not(verdict.NotMet("the result is rounded once more, so that the set says little"))
	}
	if why := t.unproved(); why != "" {
		return not(verdict.NotMet(why))
	}
	if c.Flush.Any() && t.meetsTiny() {
		return not(verdict.NotMet("a number met may be flushed, and the claim leaves open which are"))
	}
	if c.OverflowSafe && t.mayOverflow(t.abs().Hi, 1) {
		return not(verdict.Overflows("a partial sum may overflow, and the kernel claims to be safe from that"))
	}
	if c.Mixed && t.entersRounded() {
		return not(verdict.NotMet("leaves are rounded when they enter the accumulator, by the device or by the host"))
	}
	set, complete := t.reachable(t.ariths(c.Acc))
	if !complete {
		return not(verdict.NotMet(fmt.Sprintf("more than %d values are reachable by some subset of the leaves", memberCap)))
	}
	return set, nil
}

// entersRounded reports whether some leaf or factor is another number in the accumulator's format, by one of the roundings.
func (t *Trial) entersRounded() bool {
	c := &t.Claimed
	for i := range t.Length {
		if len(t.converted(c.Acc, c.In, t.x.At(i))) > 1 || t.sub.Op == engine.OpDot && len(t.converted(c.Acc, c.In, t.y.At(i))) > 1 {
			return true
		}
	}
	return false
}

// reachable returns every value that some tree over some permutation of the terms gives, each operation in one of the arithmetics.
func (t *Trial) reachable(ariths []round.Arith) (set []uint64, complete bool) {
	arith, also := ariths[0], ariths[1:]
	x := make([]uint64, t.Length)
	for i := range x {
		x[i] = round.Convert(arith, t.Claimed.In, t.x.At(i))
	}
	if t.sub.Op == engine.OpSum {
		return eval.ReachableBits(arith, x, memberCap, also...)
	}
	y := make([]uint64, t.Length)
	for i := range y {
		y[i] = round.Convert(arith, t.Claimed.In, t.y.At(i))
	}
	if c := &t.Claimed; c.Fusion == model.FusedChain && t.tree == nil {
		return chained(ariths, x, y)
	}
	return eval.ReachableDotBits(arith, x, y, t.Claimed.Fusion != model.Unfused, memberCap, also...)
}

// chained returns every value that a chain of fused multiply-adds over some order of the products
// gives, by the subsets of products that are in the running sum; the first product is rounded, or
// added to zero, which is the same but for the sign of a zero.
func chained(ariths []round.Arith, x, y []uint64) (set []uint64, complete bool) {
	values := make([]map[uint64]bool, 1<<len(x))
	for s := 1; s < len(values); s++ {
		values[s] = map[uint64]bool{}
		for i := range x {
			rest := s &^ (1 << i)
			if rest == s {
				continue
			}
			for _, arith := range ariths {
				if rest == 0 {
					values[s][arith.Mul(x[i], y[i])] = true
				}
				for v := range values[rest] {
					values[s][arith.Fma(x[i], y[i], v)] = true
				}
			}
		}
		if len(values[s]) > memberCap {
			return nil, false
		}
	}
	return slices.Sorted(maps.Keys(values[len(values)-1])), true
}

// judgeIntegers judges results that every order of the additions computes exactly: all terms are
// multiples of some 2^k, and their magnitudes sum to at most 2^(k+P).
func judgeIntegers(t *Trial) verdict.Verdict {
	if !t.Sum().IsFinite() {
		return verdict.NotMet("a term is infinite or no number")
	}
	c := &t.Claimed
	if c.Mean && t.Length == 0 {
		return verdict.NotMet("the mean of nothing is no number")
	}
	k, any := t.commonUnit()
	if any {
		if c.Flush.Any() && t.meetsTiny() {
			return verdict.NotMet("a number met may be flushed")
		}
		if c.Compensation == model.Binned && t.binnedBits() < c.Acc.P {
			return verdict.Unclaimed("the bins hold fewer bits than the leaves may span")
		}
		if t.detour.cut {
			return verdict.NotMet("an adder of the schedule drops bits of exact sums, too")
		}
		least, p := c.Acc.Emin-c.Acc.P+1, c.Acc.P
		for _, f := range t.detour.formats {
			least, p = max(least, f.Emin-f.P+1), min(p, f.P)
		}
		if k < least {
			return verdict.NotMet("a term is smaller than the accumulator's least number, or that of another format of partial sums")
		}
		limit := oracle.FromInt(1).Scale(k + p)
		if hi := t.abs().Hi; !(hi <= math.Ldexp(1, min(k+p, 1023))) && t.SumAbs().Cmp(limit) > 0 {
			return verdict.NotMet("the magnitudes sum to more than 2^P units, so that a partial sum may round")
		}
		if t.mayOverflow(t.abs().Hi, 1) {
			return verdict.Overflows("a partial sum may overflow")
		}
	}
	wants := t.roundedOnce()
	if t.isAmong(false, wants) {
		return verdict.Held("exact", 0)
	}
	if c.Mean && c.Out != c.Acc { // the claim leaves open where the exact sum is rounded and divided
		list, err := t.finished([]uint64{t.Sum().Round(c.Acc, c.Rounding)}) // exactly
		switch {
		case t.isAmong(false, list):
			return verdict.Held("exact", 0)
		case err != nil:
			return verdict.NotMet(err.Error())
		}
	}
	v := verdict.Fails("every partial sum is exact, and the result is not the exact one", &verdict.Witness{
		Exact: t.Sum().Dyadic(), WantText: report.DescribeSet(c.Out, wants),
	})
	return v
}

// binnedBits returns how far below the largest leaf's bin the claimed bins reach at least.
func (t *Trial) binnedBits() int {
	c := &t.Claimed
	width := c.Block
	if width == 0 {
		width = c.Acc.P
	}
	return width * (c.Folds - 1)
}

// commonUnit returns the largest k such that every term is a multiple of 2^k, and any = false if all
// terms are zero.
func (t *Trial) commonUnit() (k int, any bool) {
	in := t.Claimed.In
	unit := func(b uint64) (int, bool) {
		_, m, e := in.Decode(b)
		if m == 0 {
			return 0, false
		}
		return e + bits.TrailingZeros64(m), true
	}
	k = math.MaxInt
	if t.sub.Op == engine.OpSum && t.x.F32 != nil {
		for _, v := range t.x.F32 {
			b := math.Float32bits(v) &^ (1 << 31)
			if b == 0 {
				continue
			}
			m, e := b&(1<<23-1), int(b>>23)
			if e == 0 {
				e = 1
			} else {
				m |= 1 << 23
			}
			k, any = min(k, e-150+bits.TrailingZeros32(m)), true
		}
		return k, any
	}
	for i := range t.Length {
		e, ok := unit(t.x.At(i))
		if ok && t.sub.Op == engine.OpDot {
			var f int
			f, ok = unit(t.y.At(i))
			e += f
		}
		if ok {
			k, any = min(k, e), true
		}
	}
	return k, any
}

// judgeRepeat runs the kernel again on the same input.
func judgeRepeat(t *Trial) verdict.Verdict {
	c := &t.Claimed
	for i := range 3 {
		got, b := t.again(t.rawX, t.y)
		if b != nil {
			return verdict.Breaks(b)
		}
		if !sameResult(c.Out, true, got, t.Got()) {
			return verdict.Fails(fmt.Sprintf("run %d on the same input gives other bits than the first", i+2),
				&verdict.Witness{WantText: report.Describe(c.Out, got) + ", another run's result"})
		}
	}
	return verdict.Held("", 0)
}

// judgePermute runs the kernel on permutations of its input.
func judgePermute(t *Trial) verdict.Verdict {
	c := &t.Claimed
	t.perm = draw.Grow(t.perm, t.Length)
	rng := draw.Splitmix(draw.Mix(t.C.Seed + 1))
	names := [...]string{"reversed", "shuffled", "in order of magnitude"}
	for i, name := range names {
		for j := range t.perm {
			t.perm[j] = j
		}
		switch i {
		case 0:
			for j := range t.perm {
				t.perm[j] = t.Length - 1 - j
			}
		case 1:
			for j := t.Length - 1; j > 0; j-- {
				k := rng.Below(j + 1)
				t.perm[j], t.perm[k] = t.perm[k], t.perm[j]
			}
		case 2:
			sign := c.In.SignBit()
			sort.Slice(t.perm, func(a, b int) bool { return t.x.At(t.perm[a])&^sign < t.x.At(t.perm[b])&^sign })
		}
		t.px = permuted(t.px, t.rawX, t.perm)
		t.py = permuted(t.py, t.y, t.perm)
		got, b := t.again(t.px, t.py)
		if b != nil {
			return verdict.Breaks(b)
		}
		if !sameResult(c.Out, true, got, t.Got()) {
			return verdict.Fails(fmt.Sprintf("the leaves %s give other bits than the leaves as they come", name),
				&verdict.Witness{WantText: report.Describe(c.Out, got) + ", the result of the leaves " + name})
		}
	}
	return verdict.Held("", 0)
}

func permuted(dst, src corpus.Values, perm []int) corpus.Values {
	dst = copyTo(dst, src)
	if src.Len() == 0 {
		return dst
	}
	for i, p := range perm {
		dst.Set(i, src.At(p))
	}
	return dst
}

// judgeRounded judges a result that is claimed to be the exact one, rounded once.
func judgeRounded(t *Trial) verdict.Verdict {
	c := &t.Claimed
	if c.Flush.Any() && t.Length > 0 && (t.meetsTiny() || c.Out.Class(t.roundedExact()) == model.ClassSubnormal) {
		return verdict.NotMet("a number met may be flushed")
	}
	if c.Mean && t.Length == 0 {
		return verdict.NotMet("the mean of nothing is no number")
	}
	wants := t.roundedOnce()
	if t.isAmong(c.SignedZero, wants) {
		return verdict.Held("", 0)
	}
	return verdict.Fails("the result is not the exact one rounded once", &verdict.Witness{WantText: report.DescribeSet(c.Out, wants)})
}
