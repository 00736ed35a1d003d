package enclosure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/conforming"
)

// randomFormula makes formulas of up to twenty operations over axes i and j.
type randomFormula struct {
	rng  *rand.Rand
	f    model.Format // of the inputs
	pool []*formula.Expr
}

var unaryOps = []formula.Op{
	formula.OpAbs, formula.OpNeg, formula.OpSqrt, formula.OpRsqrt, formula.OpExp, formula.OpExp2, formula.OpExpm1, formula.OpLog, formula.OpLog2,
	formula.OpLog1p, formula.OpSin, formula.OpCos, formula.OpTan, formula.OpSinPi, formula.OpCosPi, formula.OpTanh, formula.OpErf, formula.OpFloor, formula.OpCeil,
	formula.OpTrunc, formula.OpRound, formula.OpUfp,
}

// pick returns an expression that suits, later ones more often; nil if none does.
func (g *randomFormula) pick(suits func(*formula.Expr) bool) *formula.Expr {
	for range 30 {
		k := len(g.pool) - 1 - int(math.Abs(g.rng.NormFloat64())*4)
		if k < 0 {
			k = g.rng.IntN(len(g.pool))
		}
		if suits(g.pool[k]) {
			return g.pool[k]
		}
	}
	return nil
}

func isReal(e *formula.Expr) bool   { return e.Type().IsReal() }
func isInt(e *formula.Expr) bool    { return e.Type().Int }
func isBool(e *formula.Expr) bool   { return e.Type().Bool }
func isNumber(e *formula.Expr) bool { return !e.Type().Bool }
func hasAxis(e *formula.Expr) bool  { return len(e.Axes()) > 0 }

// along returns one of e's axes.
func (g *randomFormula) along(e *formula.Expr) string { return e.Axes()[g.rng.IntN(len(e.Axes()))] }

func (g *randomFormula) order() formula.Order {
	return []formula.Order{{}, {}, formula.Sequential, formula.Pairwise}[g.rng.IntN(4)]
}

// next returns a random operation on what there is, or nil.
func (g *randomFormula) next() *formula.Expr {
	args := func(k int, suits func(*formula.Expr) bool) []*formula.Expr {
		var a []*formula.Expr
		for range k {
			a = append(a, g.pick(suits))
		}
		if slices.Contains(a, nil) {
			return nil
		}
		return a
	}
	node := func(op formula.Op, a []*formula.Expr) *formula.Expr {
		if a == nil {
			return nil
		}
		return formula.New(formula.Node{Op: op, Args: a})
	}
	rng := g.rng
	switch rng.IntN(16) {
	case 0, 1:
		op := unaryOps[rng.IntN(len(unaryOps))]
		return node(op, args(1, isReal))
	case 2, 3, 4:
		op := []formula.Op{formula.OpAdd, formula.OpSub, formula.OpMul, formula.OpMul, formula.OpDiv}[rng.IntN(5)]
		return node(op, args(2, []func(*formula.Expr) bool{isReal, isReal, isNumber}[rng.IntN(3)]))
	case 5:
		return node([]formula.Op{formula.OpFMA, formula.OpPow}[rng.IntN(2)], nil)
	case 6:
		if rng.IntN(2) == 0 {
			return node(formula.OpFMA, args(3, isReal))
		}
		return node(formula.OpPow, args(2, isReal))
	case 7:
		a := args(2, isReal)
		if a == nil {
			return nil
		}
		m := formula.Meaning(rng.IntN(4))
		return formula.New(formula.Node{Op: []formula.Op{formula.OpMaximum, formula.OpMinimum}[rng.IntN(2)], Args: a, Meaning: m})
	case 8:
		if rng.IntN(3) == 0 {
			return node([]formula.Op{formula.OpAnd, formula.OpOr}[rng.IntN(2)], args(2, isBool))
		}
		return node([]formula.Op{formula.OpLess, formula.OpLessEqual, formula.OpEqual}[rng.IntN(3)], args(2, isNumber))
	case 9:
		c, a := args(1, isBool), args(2, isReal)
		if c == nil || a == nil {
			return nil
		}
		return formula.Select(c[0], a[0], a[1])
	case 10:
		return g.store(args(1, isReal))
	case 11, 12:
		return g.reduction(args(1, hasAxis))
	case 13:
		a := args(2, isNumber)
		if a == nil || !hasAxis(a[0]) {
			return nil
		}
		return formula.Dot(a[0], a[1], g.along(a[0])).Ordered(g.order())
	case 14:
		return g.scan(args(1, hasAxis))
	}
	return g.layout(args(1, hasAxis))
}

func (g *randomFormula) store(a []*formula.Expr) *formula.Expr {
	if a == nil {
		return nil
	}
	t := []formula.Type{
		formula.Float(model.Binary16), formula.Float(model.BFloat16), formula.Float(model.E4M3), formula.Float(model.E5M2),
		formula.Int(8), formula.Uint(8), formula.Int(32), formula.Float(model.Binary32),
	}[g.rng.IntN(8)]
	over := formula.Overflow(g.rng.IntN(2))
	if t.Int {
		over = formula.Overflow(g.rng.IntN(3))
	}
	return formula.Store(a[0], t, over)
}

func (g *randomFormula) reduction(a []*formula.Expr) *formula.Expr {
	if a == nil {
		return nil
	}
	ops := []formula.Op{formula.OpSum, formula.OpSum, formula.OpProd, formula.OpMax, formula.OpMin, formula.OpArgMax, formula.OpArgMin}
	if isBool(a[0]) {
		ops = []formula.Op{formula.OpAny, formula.OpAll, formula.OpCount}
	}
	n := formula.Node{Op: ops[g.rng.IntN(len(ops))], Args: a, Axes: []string{g.along(a[0])}}
	switch n.Op {
	case formula.OpSum, formula.OpProd:
		n.Order = g.order()
	case formula.OpMax, formula.OpMin:
		n.Meaning = formula.Meaning(g.rng.IntN(4))
	case formula.OpArgMax, formula.OpArgMin:
		n.Ties = formula.Ties(g.rng.IntN(3))
	}
	return formula.New(n)
}

func (g *randomFormula) scan(a []*formula.Expr) *formula.Expr {
	if a == nil || isBool(a[0]) {
		return nil
	}
	n := formula.Node{Op: formula.OpScanSum + formula.Op(g.rng.IntN(4)), Args: a, Axes: []string{g.along(a[0])}}
	n.Exclusive, n.Reverse = g.rng.IntN(2) == 0, g.rng.IntN(2) == 0
	switch n.Op {
	case formula.OpScanMax, formula.OpScanMin:
		n.Meaning = formula.Meaning(g.rng.IntN(4))
	default:
		n.Order = g.order()
	}
	return formula.New(n)
}

func (g *randomFormula) layout(a []*formula.Expr) *formula.Expr {
	if a == nil || isBool(a[0]) {
		return nil
	}
	e := a[0]
	axis := g.along(e)
	fill := formula.Const(g.rng.NormFloat64())
	if isInt(e) {
		fill = formula.Integer(3)
	}
	switch g.rng.IntN(4) {
	case 0:
		return formula.Shift(e, axis, g.rng.IntN(5)-2, fill)
	case 2:
		index := g.pick(isInt) // which may depend on roundings
		if index == nil {
			return nil
		}
		return formula.Gather(e, axis, index, fill)
	case 1:
		return formula.Reverse(e, axis)
	}
	axes := slices.Clone(e.Axes())
	slices.Reverse(axes)
	return formula.InOrder(e, axes...)
}

// draw returns a formula, and its inputs' names.
func (g *randomFormula) draw() *formula.Expr {
	f := formula.Float(g.f)
	a, x, y, s := formula.Input("a", f, "i", "j"), formula.Input("x", f, "i"), formula.Input("y", f, "j"), formula.Input("s", f)
	g.pool = []*formula.Expr{
		formula.Const(0.1), formula.Const(2), formula.Len("i"), formula.Index("i"), formula.Input("w", formula.Float(model.Binary32), "i"),
		formula.Input("q", formula.Int(16), "i"), s, a, y, x,
	}
	want := 1 + g.rng.IntN(20)
	for tries := 0; want > 0 && tries < 200; tries++ {
		if e := g.next(); e != nil && e.Err() == nil {
			g.pool = append(g.pool, e)
			want--
		}
	}
	return g.pool[len(g.pool)-1]
}

// randomInputs fills arrays for e with numbers of a kind that changes from case to case.
func randomInputs(rng *rand.Rand, e *formula.Expr, number func(kind int) float64) map[string]Array {
	sizes := map[string]int{"i": rng.IntN(10), "j": rng.IntN(10)}
	if rng.IntN(2) == 0 {
		sizes["i"], sizes["j"] = 1+rng.IntN(4), 1+rng.IntN(3)
	}
	in := map[string]Array{}
	kind := rng.IntN(8)
	for _, x := range e.Inputs() {
		n := x.Node()
		a := Array{}
		total := 1
		for _, axis := range n.Axes {
			a.Shape = append(a.Shape, sizes[axis])
			total *= sizes[axis]
		}
		for range total {
			if n.Type.Int {
				a.Values = append(a.Values, float64((rng.IntN(65536)-32768)>>rng.IntN(16)))
				continue
			}
			a.Values = append(a.Values, conforming.RoundTo(n.Type.Float, number(kind)))
		}
		in[n.Name] = a
	}
	return in
}

func randomNumber(rng *rand.Rand, kind int) float64 {
	z := rng.NormFloat64()
	switch kind {
	case 0, 1:
		return z
	case 2:
		return math.Ldexp(z, rng.IntN(40)-24)
	case 3:
		return float64(rng.IntN(9)-4) / 2
	case 4:
		return math.Ldexp(z, -15-rng.IntN(9))
	case 5:
		return 1 + z/64
	case 6:
		return 100 * math.Abs(z)
	}
	switch rng.IntN(8) {
	case 0:
		return []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 65504, 0x1p-24, -0x1p-14}[rng.IntN(8)]
	}
	return math.Ldexp(z, rng.IntN(12)-6)
}

// randomClaim returns a claim in binary16, and the type of the result.
func randomClaim(rng *rand.Rand, e *formula.Expr) (formula.Claim, formula.Type) {
	c := formula.Claim{Format: model.Binary16, Functions: formula.Published}
	if rng.IntN(3) == 0 {
		c.Exactly, c.Unfused = true, rng.IntN(2) == 0
	}
	if rng.IntN(4) == 0 {
		c.Flush = model.Flush{In: rng.IntN(2) == 0, Out: true, Before: rng.IntN(2) == 0, AnySign: rng.IntN(2) == 0}
	}
	if rng.IntN(4) == 0 {
		c.Format, c.Flush16 = model.Binary32, model.Flush{In: rng.IntN(3) > 0, Out: rng.IntN(3) > 0, AnySign: rng.IntN(2) == 0}
	}
	if p := formula.Platforms(); rng.IntN(2) == 0 {
		c.Functions = p[rng.IntN(len(p))]
	}
	if rng.IntN(2) == 0 {
		for _, op := range formula.Functions() {
			p := c.Functions.Ops[op]
			p.InRange = true
			c.Functions = c.Functions.With(op, p)
		}
	}
	if !e.Type().IsReal() {
		return c, formula.Type{}
	}
	out := formula.Float(model.Binary16)
	if rng.IntN(4) == 0 {
		out = formula.Float([]model.Format{model.BFloat16, model.E4M3, model.E5M2, model.Binary32}[rng.IntN(4)])
	}
	return c, out
}

// outside is a result that the judge does not allow: of which node, and how it was reached.
type outside struct {
	node *formula.Expr
	text string
	trial
}

func (o *outside) String() string {
	return fmt.Sprintf("%s\n%s\nclaim: %s, exactly %t, unfused %t, flush %v, of halves %v, functions %s\nmethod %d, long %t\ninputs: %v",
		o.text, formula.Print(o.node), o.claim.Format, o.claim.Exactly, o.claim.Unfused, o.claim.Flush, o.claim.Flush16, o.claim.Functions.Name, o.method, o.long, o.in)
}

// judged counts what a test looked at.
type judged struct{ results, inner, narrow atomic.Int64 }

// trial is one formula, how it is judged, and on what.
type trial struct {
	e      *formula.Expr
	claim  formula.Claim
	out    formula.Type
	in     map[string]Array
	method method
	flaw   flaw
	long   bool // exact values are enclosed as for claims in binary64
}

// randomTrial draws one.
func randomTrial(rng *rand.Rand) trial {
	g := randomFormula{rng: rng, f: model.Binary16}
	e := g.draw()
	c, out := randomClaim(rng, e)
	return trial{e: e, claim: c, out: out, in: randomInputs(rng, e, func(kind int) float64 { return randomNumber(rng, kind) }), method: method(rng.IntN(3)), long: rng.IntN(4) == 0}
}

// run compares each node of so many evaluations with its set. The first node outside is reported: those before it, which it is made of, are
// inside.
func (r trial) run(t testing.TB, rng *rand.Rand, runs int, n *judged) (found *outside) {
	p, err := Compile(r.e, r.claim, r.out)
	require.NoError(t, err)
	p.flaw, p.long = r.flaw, r.long
	if r.method != both || r.long {
		p.method = r.method
	}
	sizes, err := p.size(r.in)
	if err != nil {
		return nil // no input has the axis of an index
	}
	nodes := r.e.Nodes()
	at := r.e
	defer func() {
		if err := recover(); err != nil {
			found = &outside{at, fmt.Sprintf("panic: %v", err), r}
		}
	}()
	p.pool.reset()
	v := &run{p: p, sizes: sizes, in: r.in, arrays: make([]*array, len(p.steps)), maps: map[[2]*array][]int32{}}
	for i := range p.steps {
		at = nodes[i]
		if err := v.step(i); err != nil {
			return nil // an axis without a size
		}
	}
	arrays := slices.Clone(v.arrays)
	res := v.result()
	for k := range runs {
		d := &conforming.Evaluation{Claim: r.claim, Sizes: sizes, Inputs: given(r.in), Rand: rng, Style: rng.IntN(7) - 1}
		if k%3 == 0 {
			d.Steering = r.steering(*d)
		}
		for i, node := range nodes[:len(nodes)-1] {
			d.Evaluate(node, false)
			a := arrays[i]
			for k, v := range d.Values(node) {
				if node.Type().Int && math.Abs(v) >= 1<<53 {
					continue // this evaluation is not exact there
				}
				n.inner.Add(1)
				if v != v && (a.nan == nil || a.nan[k] == number) || v == v && (a.nan != nil && a.nan[k] == never || v < a.lo[k] || v > a.hi[k]) {
					return &outside{node, fmt.Sprintf("element %d holds %v, outside [%v, %v]", k, v, a.lo[k], a.hi[k]), r}
				}
			}
		}
		d.Evaluate(r.e, r.out.Float == r.claim.Format)
		for k, v := range d.Values(r.e) {
			v = d.Result(r.out, v)
			if r.e.Type().Int && math.Abs(v) >= 1<<53 {
				continue
			}
			n.results.Add(1)
			if res.Hi[k]-res.Lo[k] <= 0x1p-6*math.Abs(res.Lo[k]) {
				n.narrow.Add(1)
			}
			if !res.Allows(k, v) {
				return &outside{r.e, fmt.Sprintf("element %d is %v, outside [%v, %v], NaN %t", k, v, res.Lo[k], res.Hi[k], res.MayBeNaN(k)), r}
			}
		}
	}
	return nil
}

// steering returns one for d towards an end of one element of the result, any; nil if there is no element.
func (r trial) steering(d conforming.Evaluation) *conforming.Steering {
	d.Steering = &conforming.Steering{}
	n := len(d.Run(r.e, r.out))
	if n == 0 {
		return nil
	}
	return &conforming.Steering{Adjoints: d.Adjoints(r.e, d.Rand.IntN(n)), Way: float64(1 - 2*d.Rand.IntN(2))}
}

// given returns inputs as evaluations read them.
func given(in map[string]Array) func(name string) []float64 {
	return func(name string) []float64 { return in[name].Values }
}

// smaller returns a formula with fewer nodes of which a result is outside, if one is found: o's node alone, and then with one node at a time
// replaced by one of its operands.
func smaller(t testing.TB, rng *rand.Rand, o *outside) *outside {
	best := o
	try := func(e *formula.Expr) bool {
		if e.Err() != nil || len(e.Nodes()) >= len(best.node.Nodes()) {
			return false
		}
		r := best.trial
		r.e, r.out = e, formula.Type{}
		if e.Type().IsReal() {
			r.out = formula.Float(r.claim.Format)
		}
		found := r.run(t, rng, 400, &judged{})
		if found != nil {
			best = found
		}
		return found != nil
	}
	shrunk := func() bool {
		for _, n := range best.node.Nodes() {
			for _, a := range n.Node().Args {
				if try(replaced(best.node, n, a)) {
					return true
				}
			}
		}
		return false
	}
	for shrunk() {
	}
	return best
}

// replaced returns e with one node in place of another.
func replaced(e, from, to *formula.Expr) *formula.Expr {
	made := map[*formula.Expr]*formula.Expr{}
	for _, n := range e.Nodes() {
		if n == from {
			made[n] = to
			continue
		}
		node, changed := n.Node(), false
		node.Args = slices.Clone(node.Args)
		for k, a := range node.Args {
			node.Args[k] = made[a]
			changed = changed || made[a] != a
		}
		made[n] = n
		if changed {
			made[n] = formula.New(node)
		}
	}
	return made[e]
}

// seeds is how many parts a test of random formulas has, which run side by side.
const seeds = 16

// inParts judges so many results in parts, or as many as GAMMA_CHECKS says: each from a seed of its own, the first of which GAMMA_SEED says. Where the test's
// time is nearly over, late says so. It reports whether no part failed.
func inParts(t *testing.T, salt uint64, quick, thorough int64, part func(t *testing.T, rng *rand.Rand, most int64, late func() bool)) bool {
	most := quick
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		most = thorough
	}
	if n, err := strconv.ParseInt(os.Getenv("GAMMA_CHECKS"), 10, 64); err == nil {
		most = n
	}
	first, _ := strconv.ParseUint(os.Getenv("GAMMA_SEED"), 0, 64)
	end, limited := t.Deadline()
	late := func() bool { return limited && time.Until(end) < 15*time.Second }
	return t.Run("seeds", func(t *testing.T) {
		for seed := first; seed < first+seeds; seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				part(t, rand.New(rand.NewPCG(seed, salt)), most/seeds, late)
			})
		}
	})
}

// TestRandom evaluates random formulas in binary16 under random conforming choices, every third time under ones that are steered to an end, and finds every result, and what every node holds, inside:
// 10^8 results where long tests are asked for.
func TestRandom(t *testing.T) {
	var n judged
	if !inParts(t, 14, 50_000, 100_000_000, func(t *testing.T, rng *rand.Rand, most int64, late func() bool) {
		var mine judged
		for mine.results.Load() < most && !late() {
			if o := randomTrial(rng).run(t, rng, 10, &mine); o != nil {
				require.Fail(t, "a result is outside", "%s", smaller(t, rng, o))
			}
		}
		n.results.Add(mine.results.Load())
		n.inner.Add(mine.inner.Load())
		n.narrow.Add(mine.narrow.Load())
	}) {
		return
	}
	require.NotZero(t, n.results.Load(), "the time was over before a result was judged")
	t.Logf("%d results and %d values of nodes before them, none outside; %d results have an enclosure narrower than 2^-6 of them", n.results.Load(), n.inner.Load(), n.narrow.Load())
}

// TestRandomFlaws plants one unsoundness at a time, and wants a random formula to find it.
func TestRandomFlaws(t *testing.T) {
	for fl := halfRounding; fl <= sameSign; fl++ {
		if fl == lowerUlp {
			continue // TestFlaws finds it: a random interval seldom reaches over a power of two
		}
		t.Run(fmt.Sprint(fl), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(uint64(fl), 15))
			var n judged
			for n.results.Load() < 200_000 {
				r := randomTrial(rng)
				r.flaw = fl
				if o := r.run(t, rng, 10, &n); o != nil {
					t.Logf("found after %d results and %d values of nodes before them, by %s", n.results.Load(), n.inner.Load(), o.node)
					return
				}
			}
			require.Fail(t, "no formula found it")
		})
	}
}
