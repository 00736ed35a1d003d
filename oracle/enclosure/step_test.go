package enclosure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
)

// belief is what an enclosure may say of an operand of one element: its exact value, T from lo to hi, and whether NaN is possible. D is the greatest distance of T
// from the exact value, which is what settle leaves, and W the hull of both.
type belief struct {
	exact, lo, hi float64
	nan           bool
}

// beliefs returns everything that may be said of an operand with these numbers as ends, and the infinities. Where results are rounded exactly, the exact value need not
// be in T.
func beliefs(numbers []float64, exactly, nan bool) (all []belief) {
	for i, lo := range numbers {
		for _, hi := range numbers[i:] {
			for _, c := range numbers {
				if !exactly && (c < lo || c > hi) {
					continue
				}
				all = append(all, belief{c, lo, hi, false})
				if nan {
					all = append(all, belief{c, lo, hi, true})
				}
			}
		}
	}
	return all
}

// hull is what an operation may give on one tuple of operands' values, or on many.
type hull struct {
	lo, hi float64 // of the results that are numbers; +Inf, -Inf if there is none
	nan    bool
}

func (h *hull) add(x float64) {
	if x != x {
		h.nan = true
		return
	}
	h.lo, h.hi = math.Min(h.lo, x), math.Max(h.hi, x)
}

var nothing = hull{lo: math.Inf(1), hi: math.Inf(-1)}

// oneStep is one operation on operands of which beliefs are given, without what gave them.
type oneStep struct {
	p        *Program
	at       int          // the step of p
	values   [3][]float64 // of each operand, ascending, -0 and +0; NaN last, but for truth values
	believed [3][]belief
	results  []hull // by the places of the values: what conforming evaluations may store
	exact    []float64
	sums     bool // the operands are the terms of one sum
	r        *run
	list     [3][]int
}

// ofUlps are the operations that are promised so many ulps.
var ofUlps = []formula.Op{formula.OpExp, formula.OpTanh, formula.OpRsqrt}

// stepOf returns the operation of a formula whose root uses it once.
func stepOf(t testing.TB, e, root *formula.Expr, f model.Format, stored bool, ulps float64, m method, fl flaw, ends []float64) *oneStep {
	claim := formula.Claim{Format: f, Exactly: stored}
	claim.Functions.Name = "toy"
	for _, op := range ofUlps {
		claim.Functions.Ops[op].Ulps = ulps
	}
	p, err := Compile(root, claim, formula.Type{})
	require.NoError(t, err)
	p.method, p.flaw = m, fl
	o := &oneStep{p: p, at: slices.Index(root.Nodes(), e), sums: e.Node().Op == formula.OpSum}
	s := &p.steps[o.at]
	for k := range o.values {
		switch {
		case k >= len(s.args) && !o.sums:
			o.values[k], o.believed[k] = []float64{0}, []belief{{}}
		case !o.sums && p.steps[s.args[k]].typ.Bool:
			o.values[k], o.believed[k] = []float64{0, 1}, beliefs([]float64{0, 1}, stored, false)
		default:
			o.values[k] = append(withInfinities(newLattice(tiny(f.P+1, f.Emin, f.Emax)).numbers), math.NaN())
			o.believed[k] = beliefs(ends, stored, true)
		}
	}
	c := newConforming(p, f)
	for _, x := range o.values[0] {
		for _, y := range o.values[1] {
			for _, w := range o.values[2] {
				h := nothing
				z := x + y + w
				if o.sums {
					for _, v := range c.sums(s, [][]float64{{x}, {y}, {w}}) {
						h.add(v)
					}
				} else {
					z = exactly(s.Op, x, y, w)
					kept := []float64{z}
					if (&elements{step: s}).rounds() && !(z == 0 && math.IsInf(x, 0)) {
						kept = c.stored(s, z)
					}
					for _, v := range kept {
						h.add(v)
					}
				}
				o.results, o.exact = append(o.results, h), append(o.exact, z)
			}
		}
	}
	o.r = &run{p: p, sizes: map[string]int{"n": 3}, arrays: make([]*array, len(p.steps)), maps: map[[2]*array][]int32{}}
	return o
}

// withInfinities returns numbers with the infinities and both zeros.
func withInfinities(numbers []float64) []float64 {
	all := []float64{math.Inf(-1)}
	for _, x := range numbers {
		if x == 0 {
			all = append(all, math.Copysign(0, -1))
		}
		all = append(all, x)
	}
	return append(all, math.Inf(1))
}

// places returns which of operand k's values lie in a belief's T, or in the hull of T and the exact value.
func (o *oneStep) places(k int, b belief, wide bool) (from, to int, nan bool) {
	lo, hi := b.lo, b.hi
	if wide {
		lo, hi = min(lo, b.exact), max(hi, b.exact)
	}
	v := o.values[k]
	from = slices.IndexFunc(v, func(x float64) bool { return x >= lo })
	to = from
	for to < len(v) && v[to] <= hi {
		to++
	}
	return from, to, b.nan
}

// over returns what the operation may store over all values that operands may hold, and what it is exactly over these.
func (o *oneStep) over(b [3]belief, wide bool) (stored, exact hull) {
	stored, exact = nothing, nothing
	list := &o.list
	for k := range list {
		list[k] = list[k][:0]
		from, to, nan := o.places(k, b[k], wide)
		for i := from; i < to; i++ {
			list[k] = append(list[k], i)
		}
		if nan && !wide {
			list[k] = append(list[k], len(o.values[k])-1)
		}
	}
	n1, n2 := len(o.values[1]), len(o.values[2])
	for _, i := range list[0] {
		for _, j := range list[1] {
			for _, k := range list[2] {
				at := (i*n1+j)*n2 + k
				h := &o.results[at]
				stored.lo, stored.hi, stored.nan = math.Min(stored.lo, h.lo), math.Max(stored.hi, h.hi), stored.nan || h.nan
				exact.add(o.exact[at])
			}
		}
	}
	return stored, exact
}

// distance returns how far x is from c, less the rounding errors of this test's own arithmetic.
func distance(x, c float64) float64 {
	if x == c {
		return 0
	}
	return math.Abs(x-c) - 0x1p-48*(math.Abs(x)+math.Abs(c))
}

// hold gives operands what is believed of them, runs the step, and says what of its result is not so; "" if all is.
func (o *oneStep) hold(t testing.TB, b [3]belief) string {
	s, r := &o.p.steps[o.at], o.r
	o.p.pool.reset()
	clear(r.maps)
	if o.sums {
		r.arrays[s.args[0]] = o.array([]string{"n"}, b[:]...)
	} else {
		for k, a := range s.args {
			r.arrays[a] = o.array(nil, b[k])
		}
	}
	require.NoError(t, r.step(o.at))
	z := r.arrays[o.at]
	outcome := number
	if z.nan != nil {
		outcome = z.nan[0]
	}
	stored, _ := o.over(b, false)
	switch some := stored.lo <= stored.hi; {
	case stored.nan && outcome == number:
		return "may be NaN"
	case some && outcome == never:
		return "may be a number"
	case some && (stored.lo < z.lo[0]-slack(z.lo[0]) || stored.hi > z.hi[0]+slack(z.hi[0])):
		return fmt.Sprintf("may be %v or %v, outside of T from %v to %v", stored.lo, stored.hi, z.lo[0], z.hi[0])
	case outcome == never || o.p.method == plain:
		return ""
	case z.lo[0] == z.hi[0] && z.clo[0] == z.lo[0] && z.chi[0] == z.lo[0]:
		return "" // all evaluations hold one number, from which errors count
	}
	var point [3]belief
	for k := range point {
		point[k] = belief{exact: b[k].exact, lo: b[k].exact, hi: b[k].exact}
	}
	_, exact := o.over(point, false)
	if exact.nan || exact.lo > exact.hi {
		return ""
	}
	for _, c := range []float64{exact.lo, exact.hi} {
		if c < z.clo[0]-slack(c) || c > z.chi[0]+slack(c) {
			return fmt.Sprintf("is %v exactly, outside of C from %v to %v", c, z.clo[0], z.chi[0])
		}
	}
	if exact.lo == exact.hi && !z.exact && stored.lo <= stored.hi {
		for _, x := range []float64{stored.lo, stored.hi} {
			if d := z.error(0); distance(x, exact.lo) > d {
				return fmt.Sprintf("may be %v, which is further than D = %v from %v", x, d, exact.lo)
			}
		}
	}
	if !o.p.claim.Exactly || z.exact {
		return ""
	}
	_, way := o.over(b, true)
	for _, x := range []float64{stored.lo, stored.hi, way.lo, way.hi} {
		if d := z.meanValue(0); stored.lo <= stored.hi && !math.IsInf(d, 1) && (x < z.wlo[0]-slack(x) || x > z.whi[0]+slack(x)) {
			return fmt.Sprintf("may be %v on the way, outside of W from %v to %v", x, z.wlo[0], z.whi[0])
		}
	}
	return ""
}

// slack bounds the rounding errors of this test's own arithmetic at x.
func slack(x float64) float64 {
	if math.IsInf(x, 0) {
		return 0
	}
	return 0x1p-48 * math.Abs(x)
}

// array returns an array of whose elements so much is believed.
func (o *oneStep) array(axes []string, b ...belief) *array {
	exact := !slices.ContainsFunc(b, func(b belief) bool { return b.lo != b.hi || b.exact != b.lo || b.nan })
	a, _ := o.r.newArray(axes, exact)
	for i, b := range b[:a.n] {
		if exact {
			a.lo[i] = b.exact
			continue
		}
		a.lo[i], a.hi[i], a.clo[i], a.chi[i] = b.lo, b.hi, b.exact, b.exact
		a.wlo[i], a.whi[i] = min(b.lo, b.exact), max(b.hi, b.exact)
		if b.nan {
			a.setNaN(i, maybe)
		}
		if a.diag[i] = a.remainder(i); o.p.method == plain {
			a.diag[i] = math.Inf(1)
		}
	}
	return a
}

// stepFormulas returns operations on operands that may be anything, each with a formula that uses it.
func stepFormulas() (steps [][2]*formula.Expr) {
	a, b, c := formula.Neg(formula.Scalar("a")), formula.Neg(formula.Scalar("b")), formula.Neg(formula.Scalar("c"))
	for _, op := range ofOne {
		steps = append(steps, [2]*formula.Expr{op(a)})
	}
	for _, op := range ofTwo {
		steps = append(steps, [2]*formula.Expr{op(a, b)})
	}
	fused := formula.Mul(a, b)
	less := formula.Less(a, b)
	steps = append(steps, [2]*formula.Expr{formula.Mul(a, a)}, [2]*formula.Expr{fused, formula.Add(fused, c)},
		[2]*formula.Expr{less, formula.Select(less, a, b)}, [2]*formula.Expr{formula.FMA(a, b, c)},
		[2]*formula.Expr{formula.Select(less, b, c)}, [2]*formula.Expr{formula.Sum(formula.Neg(formula.Vector("x")))})
	for i := range steps {
		if steps[i][1] == nil {
			steps[i][1] = formula.Neg(steps[i][0])
		}
	}
	return steps
}

// TestEveryStep is the step of an induction: whatever is known of an operation's operands, if it is so, then what the enclosure says of the result is so. With
// TestEveryFormula, which holds the first two operations of all formulas to all conforming evaluations, it stands for formulas of any number of operations, of which
// there are too many: 10^7 of three, and 10^10 of four. Both have the same operations; this one has sums of three terms in any order besides.
//
// What is known of an operand is an exact value, an interval T, both with numbers of the format or infinities as ends, whether NaN is possible, and the error that these
// leave. The operand holds any number of one bit more in T. So two things are left to the other tests: ends that are no numbers of the format, which errors leave, and errors that a broadcast shares, which no
// formula of scalars has. The thorough level takes all tuples of operands for operations on one and two in 2 bits, and of others as many as
// there is time for.
func TestEveryStep(t *testing.T) {
	for _, f := range []model.Format{tiny(2, -1, 1), tiny(3, 0, 1)} {
		for i, s := range stepFormulas() {
			for _, exactly := range []bool{true, false} {
				for _, m := range []method{both, plain} {
					t.Run(fmt.Sprintf("%s/%s/exactly=%t/method=%d", f.Name, s[0], exactly, m), func(t *testing.T) {
						t.Parallel()
						for ulps := range 2 {
							if op := s[0].Node().Op; ulps > 0 && !slices.Contains(ofUlps, op) {
								continue
							}
							tuples, of, wrong := everyStep(t, s, f, exactly, float64(ulps), m, flawless, uint64(i))
							require.Empty(t, wrong)
							t.Logf("%d of %d tuples of operands, %d ulp", tuples, of, ulps)
						}
					})
				}
			}
		}
	}
}

// TestStepFlaws plants one unsoundness at a time, and wants a step that is wrong.
func TestStepFlaws(t *testing.T) {
	for _, fl := range []flaw{halfRounding, lowerUlp, noUnderflow, firstBranch, halfUlps, halfSum, centreDerivative, noOverflow, lowerJump, noNaN} {
		t.Run(fmt.Sprint(fl), func(t *testing.T) {
			t.Parallel()
			for i, s := range stepFormulas() {
				for _, exactly := range []bool{true, false} {
					if tuples, _, wrong := everyStep(t, s, tiny(3, 0, 1), exactly, 1, both, fl, uint64(i)); wrong != "" {
						t.Logf("found after %d: %s, exactly %t", tuples, wrong, exactly)
						return
					}
				}
			}
			require.Fail(t, "no step found it")
		})
	}
}

// everyStep holds a step to what it may give on all tuples of operands, or as many as there is time for; it returns how many those are, and of how many, and what is wrong
// with the last.
func everyStep(t testing.TB, s [2]*formula.Expr, f model.Format, exactly bool, ulps float64, m method, fl flaw, seed uint64) (tuples, of int, wrong string) {
	ends := slices.DeleteFunc(withInfinities(newLattice(f).numbers), func(x float64) bool { return x == 0 && math.Signbit(x) })
	o := stepOf(t, s[0], s[1], f, exactly, ulps, m, fl, ends)
	of = len(o.believed[0]) * len(o.believed[1]) * len(o.believed[2])
	most := 300
	if fl != flawless {
		most = 2000
	}
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		most = 2_000_000
		if f.P == 2 && len(o.believed[2]) == 1 {
			most = of
		}
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	for tuples < min(of, most) {
		var b [3]belief
		k := tuples
		for j, all := range o.believed {
			if b[j] = all[k%len(all)]; of > most {
				b[j] = all[rng.IntN(len(all))]
				if rng.IntN(2) == 0 {
					b[j].lo, b[j].hi = b[j].exact, b[j].exact
				}
			}
			k /= len(all)
		}
		tuples++
		if what := o.hold(t, b); what != "" {
			return tuples, of, fmt.Sprintf("%s of %+v %s", s[0], b, what)
		}
	}
	return tuples, of, ""
}
