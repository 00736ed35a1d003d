package battery

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gamma/model"
	"gamma/model/round"
	"gamma/props/internal/check"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/sumtree"
	"gamma/sumtree/eval"
)

// One test for each definition and theorem of the seed page, torchlean-reductions.txt, named after it.
// A statement is checked on thousands of drawn trees and inputs, in exact rationals, against an
// inductive tree and recursive definitions written here as the page reads. Then it is checked again
// with planted wrong definitions, each of which must be refuted: so no test here is one that cannot
// fail.

// inductive is TorchLean's SumTree: a leaf, or a node with two subtrees.
type inductive struct {
	leaf int
	l, r *inductive
}

// inductiveOf reads a tree of additions, and one of a dot product, whose leaves are products, as one
// over its terms.
func inductiveOf(t *sumtree.Tree) *inductive {
	var read func(r sumtree.Ref) *inductive
	read = func(r sumtree.Ref) *inductive {
		if r.IsLeaf() {
			return &inductive{leaf: r.Leaf()}
		}
		kids := t.Operands(r, nil)
		if t.Kind(r) == sumtree.Product {
			return &inductive{leaf: kids[0].Leaf()}
		}
		return &inductive{l: read(kids[0]), r: read(kids[1])}
	}
	return read(t.Root())
}

func (t *inductive) leaves() []int {
	if t.l == nil {
		return []int{t.leaf}
	}
	return append(t.l.leaves(), t.r.leaves()...)
}

func (t *inductive) leafCount() int {
	if t.l == nil {
		return 1
	}
	return t.l.leafCount() + t.r.leafCount()
}

// fold evaluates t with a value at leaves and an operation at nodes.
func fold[V any](t *inductive, leaf func(i int) V, node func(a, b V) V) V {
	if t.l == nil {
		return leaf(t.leaf)
	}
	return node(fold(t.l, leaf, node), fold(t.r, leaf, node))
}

func plus(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }

func absRat(a *big.Rat) *big.Rat { return new(big.Rat).Abs(a) }

// world is what a theorem is about: one tree, its leaves in some arithmetic, and the definitions.
// Planted faults replace definitions.
type world struct {
	rng  *rand.Rand
	tree *sumtree.Tree // over n leaves, or n products
	ind  *inductive
	dot  bool
	n    int
	a    round.Arith
	x    []uint64   // leaves, or the factors, 2n of them
	real []*big.Rat // a rational for each leaf or term, where the theorem is about reals
	u    *big.Rat   // 2^-P, or any u >= 0 where the theorem is about one

	leaves     func(t *sumtree.Tree) []int
	leafCount  func(t *sumtree.Tree) int
	growth     func(u *big.Rat, n int) *big.Rat
	evalRound  func(w *world, add func(a, b *big.Rat) *big.Rat, leaf []*big.Rat) *big.Rat
	exactSum   func(w *world) *big.Rat // of the leaves x
	sumAbs     func(w *world) *big.Rat
	evalIEEE   func(w *world) uint64
	finiteEval func(w *world) bool
	result     func(w *world, r uint64) eval.Answer
	local      func(add func(a, b *big.Rat) *big.Rat, u *big.Rat, pairs [][2]*big.Rat) (ok bool, at int)
}

// definitions puts in the definitions of the packages under test.
func (w *world) definitions() {
	w.leaves = (*sumtree.Tree).Leaves
	w.leafCount = (*sumtree.Tree).LeafCount
	w.growth = growth
	w.local = eval.LocalAddBound
	w.evalRound = func(w *world, add func(a, b *big.Rat) *big.Rat, leaf []*big.Rat) *big.Rat {
		v, err := eval.EvalRound(w.plainTree(), add, leaf)
		must(err)
		return v
	}
	w.exactSum = func(w *world) *big.Rat {
		v, err := eval.ExactSum(w.plainTree(), w.a.F, w.terms())
		must(err)
		return v
	}
	w.sumAbs = func(w *world) *big.Rat {
		v, err := eval.SumAbs(w.plainTree(), w.a.F, w.terms())
		must(err)
		return v
	}
	w.evalIEEE = func(w *world) uint64 {
		b, err := eval.Bits(w.tree, w.a, w.x)
		must(err)
		return b
	}
	w.finiteEval = func(w *world) bool {
		ok, _, err := eval.FiniteEval(w.tree, w.a, w.x)
		must(err)
		return ok
	}
	w.result = func(w *world, r uint64) eval.Answer {
		if w.dot {
			return eval.DotTreeResult(w.a, w.x[:w.n], w.x[w.n:], r, false, 1<<12)
		}
		return eval.SumTreeResult(w.a, w.x, r, 1<<12)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// growth is (1+u)^(n-1), exactly.
func growth(u *big.Rat, n int) *big.Rat {
	g, f := big.NewRat(1, 1), new(big.Rat).Add(big.NewRat(1, 1), u)
	for range n - 1 {
		g.Mul(g, f)
	}
	return g
}

// plainTree is the tree over the terms: of a dot product, over the rounded products.
func (w *world) plainTree() *sumtree.Tree {
	if !w.dot {
		return w.tree
	}
	var b sumtree.Builder
	b.Leaves(w.n)
	t, err := b.Build(fold(w.ind, b.Leaf, b.Add))
	must(err)
	return t
}

// terms are the leaves, or the rounded products that a dot product adds.
func (w *world) terms() []uint64 {
	if !w.dot {
		return w.x
	}
	return eval.Products(w.a, w.x)
}

// toReal returns the values of terms. Domain: they are finite.
func (w *world) toReal() []*big.Rat {
	var list []*big.Rat
	for _, b := range w.terms() {
		list = append(list, w.a.F.Rat(b))
	}
	return list
}

// roundAdd is fp32Round(a + b), in any format: the sum of two reals, rounded.
func (w *world) roundAdd(p, q *big.Rat) *big.Rat {
	return w.a.F.Rat(w.a.FromRat(plus(p, q)))
}

// bound is (growth u n - 1)·A.
func (w *world) bound(a *big.Rat) *big.Rat {
	g := w.growth(w.u, w.n)
	return g.Mul(g.Sub(g, big.NewRat(1, 1)), a)
}

// shapeOf says what a theorem is about.
type shapeOf struct {
	dot, small bool
	// reals draws rational leaves and any u; otherwise leaves are encodings and u = 2^-P.
	reals bool
}

// drawWorld draws a tree, a format and leaves.
func drawWorld(seed uint64, k shapeOf) *world {
	rng := rand.New(rand.NewPCG(seed, 0x746f7263686c65))
	w := &world{rng: rng, dot: k.dot}
	w.definitions()
	switch rng.IntN(8) {
	case 0:
		w.n = 1
	case 1:
		w.n = 17 + rng.IntN(24)
	default:
		w.n = 1 + rng.IntN(16)
	}
	if k.small {
		w.n = 1 + rng.IntN(5)
	}
	shape := sumtree.RandomShape(rng, w.n)
	switch rng.IntN(4) {
	case 0:
		shape = sumtree.RandomShapes(rng.Uint64() >> 40).Permute(rng.Uint64() >> 40)
	case 1:
		shape = sumtree.RandomSplits(rng.Uint64() >> 40)
	}
	if k.dot {
		w.tree = shape.DotTree(w.n)
	} else {
		w.tree = shape.Tree(w.n)
	}
	w.ind = inductiveOf(w.tree)
	formats := []model.Format{model.Binary32, model.Binary32, model.Binary16, model.BFloat16, model.Toy(2), model.Toy(3), model.Toy(5)}
	w.a = round.Arith{F: formats[rng.IntN(len(formats))]}
	if rng.IntN(4) == 0 {
		w.a.R = model.NearestAway
	}
	w.u = new(big.Rat).SetFloat64(w.a.F.U())
	if k.reals {
		w.u = big.NewRat(int64(rng.IntN(4)), int64(1)<<rng.IntN(12))
		if rng.IntN(3) == 0 {
			w.u = big.NewRat(int64(1+rng.IntN(9)), int64(1+rng.IntN(99)))
		}
		for range w.n {
			w.real = append(w.real, big.NewRat(rng.Int64N(2001)-1000, 1+rng.Int64N(40)))
		}
		if rng.IntN(3) == 0 { // one term, and zeros
			i := rng.IntN(w.n)
			for j := range w.real {
				if j != i {
					w.real[j] = new(big.Rat)
				}
			}
		}
		return w
	}
	n := w.n
	if k.dot {
		n *= 2
	}
	f := w.a.F
	top := int(f.MaxBits() >> (f.P - 1))
	window, centre := 1+rng.IntN(top), rng.IntN(top+1)
	if rng.IntN(3) == 0 {
		window = 1 + min(rng.IntN(2*f.P), top)
	}
	for range n {
		e := max(0, min(top, centre+rng.IntN(window)-window/2))
		b := min(uint64(e)<<(f.P-1)|rng.Uint64()&(1<<(f.P-1)-1), f.MaxBits())
		w.x = append(w.x, b|f.SignBit()*rng.Uint64N(2))
	}
	if rng.IntN(5) == 0 {
		table := SpecialValues(f)
		if rng.IntN(2) == 0 {
			table = table[:8] // zeros, ones, infinities, NaNs
		}
		w.x[rng.IntN(n)] = table[rng.IntN(len(table))]
	}
	return w
}

// unmet is what a theorem returns of a world that does not meet its hypotheses.
const unmet = "unmet"

// plant is a wrong definition that a test must refute.
type plant struct {
	name string
	put  func(w *world)
}

// theorem checks a statement on drawn worlds: it returns "", what is wrong, or unmet. Then each plant
// has to be refuted by a world among as many, or among ten thousand.
func theorem(t *testing.T, k shapeOf, ok func(w *world) string, plants ...plant) {
	t.Helper()
	set, err := engine.ReadSettings()
	require.NoError(t, err)
	checks, seed := set.Checks, set.SeedFor("torchlean", t.Name())
	if k.small {
		checks = (checks + 1) / 2 // some take every tree into account
	}
	require.NotEmpty(t, plants, "a theorem's test has to be able to fail")
	search := func(checks int, put func(w *world)) (wrong string, met int) {
		said := check.CheckRapid(checks, func(rt *rapid.T) {
			w := drawWorld(draw.Mix(rapid.Uint64().Draw(rt, "world")+seed)^uint64(check.GenPlace.Draw(rt, "place")), k)
			said := ok
			if put != nil {
				put(w)
				said = outOfDomain(ok)
			}
			switch s := said(w); s {
			case "":
				met++
			case unmet:
			default:
				wrong = fmt.Sprintf("%s %s, tree %s, leaves %x: %s", w.a.F, w.a.R, w.tree, w.x, s)
				rt.Fatalf("refuted")
			}
		})
		if wrong == "" {
			require.Empty(t, said, "the engine stopped")
		}
		return wrong, met
	}
	wrong, met := search(checks, nil)
	require.Empty(t, wrong)
	require.GreaterOrEqual(t, 5*met, checks, "worlds that meet the hypotheses")
	for _, p := range plants { // a search ends with the first that refutes
		wrong, _ := search(max(checks, 10_000), p.put)
		require.NotEmpty(t, wrong, "planted and not refuted: %s", p.name)
	}
	t.Logf("%d of %d worlds met the hypotheses; refuted: %d planted faults", met, checks, len(plants))
}

// outOfDomain is ok for a wrong definition: where that makes an infinity of finite terms, whose value as
// a real number ok asks for, the definition is refuted.
func outOfDomain(ok func(w *world) string) func(w *world) string {
	return func(w *world) (said string) {
		defer func() {
			if p := recover(); p != nil {
				said = fmt.Sprint("out of the domain: ", p)
			}
		}()
		return ok(w)
	}
}

// Faults to plant.
var (
	plantGrowthShort = plant{"(1+u)^(n-2) for growth", func(w *world) {
		w.growth = func(u *big.Rat, n int) *big.Rat { return growth(u, max(n-1, 1)) }
	}}
	plantGrowthOfHeight = plant{"growth of the height less one", func(w *world) {
		w.growth = func(u *big.Rat, _ int) *big.Rat { return growth(u, max(w.ind.height(), 1)) }
	}}
	plantLeafLost = plant{"the tree's last leaf lost", func(w *world) {
		w.leaves = func(t *sumtree.Tree) []int { l := t.Leaves(); return l[:len(l)-1] }
		w.leafCount = func(t *sumtree.Tree) int { return t.LeafCount() - 1 }
		w.exactSum = func(w *world) *big.Rat { return w.sumOf(w.toReal()[:w.n-1]) }
		w.evalRound = func(w *world, add func(a, b *big.Rat) *big.Rat, leaf []*big.Rat) *big.Rat {
			leaf = slices.Clone(leaf)
			leaf[w.n-1] = new(big.Rat)
			return fold(w.ind, func(i int) *big.Rat { return leaf[i] }, add)
		}
	}}
	plantOtherTree = plant{"another tree: the leaves from the left", func(w *world) {
		w.evalRound = func(w *world, add func(a, b *big.Rat) *big.Rat, leaf []*big.Rat) *big.Rat {
			s := leaf[0]
			for _, v := range leaf[1:] {
				s = add(s, v)
			}
			return s
		}
		w.evalIEEE = func(w *world) uint64 {
			terms := w.terms()
			s := terms[0]
			for _, b := range terms[1:] {
				s = w.a.Add(s, b)
			}
			return s
		}
	}}
	plantSignedMagnitudes = plant{"leaves themselves for their magnitudes", func(w *world) {
		w.sumAbs = func(w *world) *big.Rat { return w.sumOf(w.toReal()) }
	}}
	plantTruncating = plant{"truncation for rounding to nearest", func(w *world) {
		a := w.a
		w.evalIEEE = func(w *world) uint64 {
			b, err := eval.Bits(w.tree, round.Arith{F: a.F, R: model.TowardZero}, w.x)
			must(err)
			return b
		}
	}}
	plantFlushing = plant{"plantFlushing of subnormal results", func(w *world) {
		w.evalIEEE = func(w *world) uint64 {
			b, err := eval.Bits(w.tree, round.Arith{F: w.a.F, R: w.a.R, Fl: model.Flush{Out: true}}, w.x)
			must(err)
			return b
		}
	}}
	plantLeavesFinite = plant{"finite leaves for a finite evaluation", func(w *world) {
		w.finiteEval = func(w *world) bool {
			return !slices.ContainsFunc(w.terms(), func(b uint64) bool { return !w.a.F.IsFinite(b) })
		}
	}}
	plantAnyResult = plant{"every result for one that a tree gives", func(w *world) {
		w.result = func(*world, uint64) eval.Answer { return eval.Yes }
	}}
)

func (t *inductive) height() int {
	return fold(t, func(int) int { return 0 }, func(a, b int) int { return 1 + max(a, b) })
}

// sumOf adds reals.
func (w *world) sumOf(x []*big.Rat) *big.Rat {
	s := new(big.Rat)
	for _, v := range x {
		s.Add(s, v)
	}
	return s
}

// allFinite reports whether every term has a value.
func (w *world) allFinite() bool {
	return !slices.ContainsFunc(w.terms(), func(b uint64) bool { return !w.a.F.IsFinite(b) })
}

// The definitions.

func TestPropDefinitionSumTree(t *testing.T) {
	theorem(t, shapeOf{reals: true}, func(w *world) string {
		back, err := sumtree.Parse(w.tree.Explicit())
		must(err)
		var print func(t *inductive) string
		print = func(t *inductive) string {
			if t.l == nil {
				return fmt.Sprint("leaf ", t.leaf)
			}
			return "node (" + print(t.l) + ") (" + print(t.r) + ")"
		}
		switch {
		case w.tree.NodeCount() != w.leafCount(w.tree)-1:
			return "a binary tree of n leaves has n-1 nodes"
		case print(w.ind) != print(inductiveOf(back)):
			return "Repr: the text of a tree is another tree"
		}
		return ""
	}, plantLeafLost)
}

func TestPropDefinitionLeaves(t *testing.T) {
	theorem(t, shapeOf{reals: true}, func(w *world) string {
		if got, want := w.leaves(w.tree), w.ind.leaves(); !slices.Equal(got, want) {
			return fmt.Sprintf("leaves %v, from left to right %v", got, want)
		}
		return ""
	}, plantLeafLost, plant{"leaves in order of their numbers", func(w *world) {
		w.leaves = func(t *sumtree.Tree) []int { return slices.Sorted(slices.Values(t.Leaves())) }
	}})
}

func TestPropDefinitionLeafCount(t *testing.T) {
	theorem(t, shapeOf{reals: true}, func(w *world) string {
		if got := w.leafCount(w.tree); got != w.ind.leafCount() || got != len(w.tree.Leaves()) {
			return fmt.Sprint("leafCount ", got)
		}
		return ""
	}, plantLeafLost)
}

func TestPropDefinitionGrowth(t *testing.T) {
	theorem(t, shapeOf{}, func(w *world) string {
		// The executable bound is growth - 1, rounded up by at most 2^-50 of it.
		exact := new(big.Rat).Sub(w.growth(w.u, w.n), big.NewRat(1, 1))
		up := new(big.Rat).SetFloat64(model.Growth(w.n, w.a.F.U()))
		loose := new(big.Rat).Mul(exact, new(big.Rat).Add(big.NewRat(1, 1), big.NewRat(1, 1<<50)))
		if up.Cmp(exact) < 0 || up.Cmp(loose) > 0 {
			return fmt.Sprintf("model.Growth(%d, %s) is %s, and the formula %s", w.n, w.u, up.FloatString(20), exact.FloatString(20))
		}
		return ""
	}, plantGrowthShort, plantGrowthOfHeight)
}

func TestPropDefinitionEvalRound(t *testing.T) {
	theorem(t, shapeOf{reals: true}, func(w *world) string {
		// An operation that neither commutes nor associates shows the tree.
		odd := func(a, b *big.Rat) *big.Rat {
			s := new(big.Rat).Mul(a, big.NewRat(2, 3))
			return s.Add(s, b)
		}
		got := w.evalRound(w, odd, w.real)
		if want := fold(w.ind, func(i int) *big.Rat { return w.real[i] }, odd); got.Cmp(want) != 0 {
			return fmt.Sprintf("%s instead of %s", got, want)
		}
		return ""
	}, plantOtherTree, plantLeafLost)
}

func TestPropDefinitionExactSum(t *testing.T) { definitionExactSum(t, shapeOf{}) }

func TestPropDefinitionExactSumIEEE(t *testing.T) { definitionExactSum(t, shapeOf{small: true}) }

// TestPropDefinitionExactSumDotIEEE: the exact sum of the rounded products.
func TestPropDefinitionExactSumDotIEEE(t *testing.T) { definitionExactSum(t, shapeOf{dot: true}) }

func definitionExactSum(t *testing.T, k shapeOf) {
	t.Helper()
	theorem(t, k, func(w *world) string {
		if !w.allFinite() {
			return unmet
		}
		x := w.toReal()
		if got, want := w.exactSum(w), fold(w.ind, func(i int) *big.Rat { return x[i] }, plus); got.Cmp(want) != 0 {
			return fmt.Sprintf("%s instead of %s", got, want)
		}
		return ""
	}, plantLeafLost, plant{"the magnitudes' sum", func(w *world) { w.exactSum = w.sumAbs }})
}

func TestPropDefinitionSumAbs(t *testing.T) { definitionSumAbs(t, shapeOf{}) }

func TestPropDefinitionSumAbsIEEE(t *testing.T) { definitionSumAbs(t, shapeOf{small: true}) }

// TestPropDefinitionSumAbsDotIEEE: the sum of the rounded products' magnitudes.
func TestPropDefinitionSumAbsDotIEEE(t *testing.T) { definitionSumAbs(t, shapeOf{dot: true}) }

func definitionSumAbs(t *testing.T, k shapeOf) {
	t.Helper()
	theorem(t, k, func(w *world) string {
		if !w.allFinite() {
			return unmet
		}
		x := w.toReal()
		if got, want := w.sumAbs(w), fold(w.ind, func(i int) *big.Rat { return absRat(x[i]) }, plus); got.Cmp(want) != 0 {
			return fmt.Sprintf("%s instead of %s", got, want)
		}
		return ""
	}, plantSignedMagnitudes)
}

// TestPropDefinitionEvalIEEE: add at nodes; also natively in binary32.
func TestPropDefinitionEvalIEEE(t *testing.T) {
	definitionEvalIEEE(t, shapeOf{})
}

// TestPropDefinitionEvalDotIEEE: mul at leaves, add at nodes.
func TestPropDefinitionEvalDotIEEE(t *testing.T) {
	definitionEvalIEEE(t, shapeOf{dot: true})
}

func definitionEvalIEEE(t *testing.T, k shapeOf) {
	t.Helper()
	theorem(t, k, func(w *world) string {
		terms := w.terms()
		got, want := w.evalIEEE(w), fold(w.ind, func(i int) uint64 { return terms[i] }, w.a.Add)
		if !report.SameBits(w.a.F, got, want) {
			return fmt.Sprintf("%#x instead of %#x", got, want)
		}
		if w.a.F.Name == "binary32" && w.a.R == model.NearestEven {
			x := make([]float32, len(w.x))
			for i, b := range w.x {
				x[i] = math.Float32frombits(uint32(b))
			}
			native, _, err := eval.Float32(w.tree, x, nil)
			must(err)
			if !report.SameBits(w.a.F, uint64(math.Float32bits(native)), want) {
				return fmt.Sprintf("natively %v instead of %#x", native, want)
			}
		}
		return ""
	}, plantOtherTree, plantTruncating, plantFlushing)
}

// TestPropDefinitionEvalRealIEEE: rounded addition of reals at the nodes.
func TestPropDefinitionEvalRealIEEE(t *testing.T) { definitionEvalReal(t, shapeOf{}) }

// TestPropDefinitionEvalRealDotIEEE: the same over the rounded products.
func TestPropDefinitionEvalRealDotIEEE(t *testing.T) { definitionEvalReal(t, shapeOf{dot: true}) }

func definitionEvalReal(t *testing.T, k shapeOf) {
	t.Helper()
	theorem(t, k, func(w *world) string {
		if !w.finiteEvalByHand() {
			return unmet
		}
		x := w.toReal()
		if got, want := w.evalRound(w, w.roundAdd, x), fold(w.ind, func(i int) *big.Rat { return x[i] }, w.roundAdd); got.Cmp(want) != 0 {
			return fmt.Sprintf("%s instead of %s", got, want)
		}
		return ""
	}, plantOtherTree, plantLeafLost)
}

// finiteEvalByHand is FiniteEvalSumTree, and FiniteEvalDot, by recursion.
func (w *world) finiteEvalByHand() bool {
	terms := w.terms()
	finite := true
	see := func(b uint64) uint64 {
		finite = finite && w.a.F.IsFinite(b)
		return b
	}
	fold(w.ind, func(i int) uint64 { return see(terms[i]) }, func(a, b uint64) uint64 { return see(w.a.Add(a, b)) })
	return finite
}

func TestPropDefinitionFiniteEvalSumTree(t *testing.T) { definitionFinite(t, shapeOf{}) }

func TestPropDefinitionFiniteEvalDot(t *testing.T) { definitionFinite(t, shapeOf{dot: true}) }

func definitionFinite(t *testing.T, k shapeOf) {
	t.Helper()
	theorem(t, k, func(w *world) string {
		want := w.finiteEvalByHand()
		for _, b := range w.x { // of a dot product's factors too: no finite product has another
			want = want && w.a.F.IsFinite(b)
		}
		if got := w.finiteEval(w); got != want {
			return fmt.Sprintf("finite %t instead of %t", got, want)
		}
		return ""
	}, plantLeavesFinite, plant{"finite nodes for a finite evaluation", func(w *world) {
		w.finiteEval = func(w *world) bool { return w.n == 1 || w.finiteEvalByHand() }
	}})
}

// TestPropDefinitionLocalAddBound: for all pairs of reals; here for pairs that are given.
func TestPropDefinitionLocalAddBound(t *testing.T) {
	theorem(t, shapeOf{reals: true}, func(w *world) string {
		w.real = append(w.real, w.real...)
		var pairs [][2]*big.Rat
		for i := 0; i+1 < len(w.real); i += 2 {
			pairs = append(pairs, [2]*big.Rat{w.real[i], w.real[i+1]})
		}
		off := w.rng.IntN(len(pairs) + 1)
		k := 0
		add := func(a, b *big.Rat) *big.Rat { // at the edge of the envelope, and once outside
			e := new(big.Rat).Mul(w.u, plus(absRat(a), absRat(b)))
			if k++; k-1 == off {
				e.Add(e, big.NewRat(1, 1<<40))
			}
			return e.Add(e, plus(a, b))
		}
		ok, at := w.local(add, w.u, pairs)
		if want := off == len(pairs); ok != want || !ok && at != off {
			return fmt.Sprintf("ok %t at %d, and the first pair outside is %d of %d", ok, at, off, len(pairs))
		}
		return ""
	}, plant{"the first pair alone", func(w *world) {
		w.local = func(add func(a, b *big.Rat) *big.Rat, u *big.Rat, pairs [][2]*big.Rat) (bool, int) {
			return eval.LocalAddBound(add, u, pairs[:1])
		}
	}}, plant{"u·|a+b| for u·(|a|+|b|)", func(w *world) {
		w.local = func(add func(a, b *big.Rat) *big.Rat, u *big.Rat, pairs [][2]*big.Rat) (bool, int) {
			for i, p := range pairs {
				s := plus(p[0], p[1])
				d := add(p[0], p[1])
				if absRat(d.Sub(d, s)).Cmp(new(big.Rat).Mul(u, absRat(s))) > 0 {
					return false, i
				}
			}
			return true, 0
		}
	}})
}

// The theorems.

// TestPropTheoremLeafCountPos: 0 < leafCount t.
func TestPropTheoremLeafCountPos(t *testing.T) {
	theorem(t, shapeOf{reals: true}, func(w *world) string {
		if w.leafCount(w.tree) <= 0 {
			return "no leaves"
		}
		return ""
	}, plantLeafLost)
}

// TestPropTheoremLeafCountGeOne: 1 <= leafCount t; a tree and its two subtrees have that many.
func TestPropTheoremLeafCountGeOne(t *testing.T) {
	theorem(t, shapeOf{reals: true}, func(w *world) string {
		if w.leafCount(w.tree) < 1 {
			return "fewer than one leaf"
		}
		if w.n > 1 && (w.ind.l.leafCount() < 1 || w.ind.r.leafCount() < 1 || w.ind.l.leafCount()+w.ind.r.leafCount() != w.leafCount(w.tree)) {
			return "the subtrees' leaves are not the tree's"
		}
		return ""
	}, plantLeafLost)
}

// TestPropTheoremGrowthOne: growth u 1 = 1, for every u.
func TestPropTheoremGrowthOne(t *testing.T) {
	theorem(t, shapeOf{reals: true}, func(w *world) string {
		if g := w.growth(w.u, 1); g.Cmp(big.NewRat(1, 1)) != 0 {
			return fmt.Sprintf("growth %s 1 = %s", w.u, g)
		}
		if model.Growth(1, w.a.F.U()) != 0 {
			return "model.Growth(1, u) is not 0"
		}
		return ""
	}, plant{"(1+u)^n for growth", func(w *world) {
		w.growth = func(u *big.Rat, n int) *big.Rat { return growth(u, n+1) }
	}})
}

// TestPropTheoremGrowthMono: 0 <= u and m <= n give growth u m <= growth u n. The hypothesis is
// needed: for -1 < u < 0 growth decreases.
func TestPropTheoremGrowthMono(t *testing.T) {
	theorem(t, shapeOf{reals: true}, func(w *world) string {
		m := 1 + w.rng.IntN(w.n)
		if w.growth(w.u, m).Cmp(w.growth(w.u, w.n)) > 0 {
			return fmt.Sprintf("growth %s %d > growth %s %d", w.u, m, w.u, w.n)
		}
		if model.Growth(m, w.a.F.U()) > model.Growth(w.n, w.a.F.U()) {
			return "model.Growth decreases"
		}
		return ""
	}, plant{"a negative u", func(w *world) { w.u = big.NewRat(-1, 3) }}, plant{"growth of the parity", func(w *world) {
		w.growth = func(u *big.Rat, n int) *big.Rat { return growth(u, 1+n%2) }
	}})
}

// TestPropTheoremSumAbsNonneg: 0 <= sumAbs leafVal t.
func TestPropTheoremSumAbsNonneg(t *testing.T) {
	theorem(t, shapeOf{}, func(w *world) string {
		if !w.allFinite() {
			return unmet
		}
		if a := w.sumAbs(w); a.Sign() < 0 {
			return fmt.Sprint("sumAbs = ", a)
		}
		return ""
	}, plantSignedMagnitudes)
}

// TestPropTheoremAbsExactSumLeSumAbs: |exactSum leafVal t| <= sumAbs leafVal t.
func TestPropTheoremAbsExactSumLeSumAbs(t *testing.T) {
	theorem(t, shapeOf{}, func(w *world) string {
		if !w.allFinite() {
			return unmet
		}
		if s, a := w.exactSum(w), w.sumAbs(w); absRat(s).Cmp(a) > 0 {
			return fmt.Sprintf("|%s| > %s", s, a)
		}
		return ""
	}, plantSignedMagnitudes, plant{"a leaf without its magnitude", func(w *world) {
		w.sumAbs = func(w *world) *big.Rat {
			s := new(big.Rat)
			for _, v := range w.toReal()[1:] {
				s.Add(s, absRat(v))
			}
			return s
		}
	}})
}

// TestPropTheoremEvalRoundEnclosureOfLocalAddBound: if |roundAdd a b - (a+b)| <= u(|a|+|b|) for all
// reals, then |evalRound - exactSum| <= (growth u n - 1)·sumAbs. Here roundAdd errs by a fraction of
// the envelope that depends on its operands, so that the hypothesis holds for all reals, whatever u:
// by all of it upward, which reaches the enclosure, or by any part to either side.
func TestPropTheoremEvalRoundEnclosureOfLocalAddBound(t *testing.T) {
	theorem(t, shapeOf{reals: true}, func(w *world) string {
		style := w.rng.IntN(3)
		roundAdd := func(a, b *big.Rat) *big.Rat {
			e := new(big.Rat).Mul(w.u, plus(absRat(a), absRat(b)))
			switch style {
			case 1: // by any part, which the sum decides
				h := new(big.Int).Mod(new(big.Int).Add(a.Num(), b.Denom()), big.NewInt(17))
				e.Mul(e, big.NewRat(h.Int64()-8, 8))
			case 2:
				e.Neg(e)
			}
			return e.Add(e, plus(a, b))
		}
		a := new(big.Rat)
		for _, v := range w.real {
			a.Add(a, absRat(v))
		}
		got := w.evalRound(w, roundAdd, w.real)
		err := absRat(got.Sub(got, w.sumOf(w.real)))
		if limit := w.bound(a); err.Cmp(limit) > 0 {
			return fmt.Sprintf("u = %s, n = %d: the error is %s, the enclosure %s", w.u, w.n, err.FloatString(9), limit.FloatString(9))
		}
		return ""
	}, plantGrowthShort, plantGrowthOfHeight, plantLeafLost)
}

// TestPropTheoremEvalRoundEnclosureIsReached shows that no smaller growth would do: the deepest leaf
// of a sum from the left, alone, reaches the enclosure.
func TestPropTheoremEvalRoundEnclosureIsReached(t *testing.T) {
	for n := 1; n <= 40; n++ {
		u := big.NewRat(1, int64(n+2))
		add := func(a, b *big.Rat) *big.Rat {
			e := new(big.Rat).Mul(u, plus(absRat(a), absRat(b)))
			return e.Add(e, plus(a, b))
		}
		x := make([]*big.Rat, n)
		for i := range x {
			x[i] = new(big.Rat)
		}
		x[0].SetInt64(1)
		got, err := eval.EvalRound(sumtree.Left().Tree(n), add, x)
		require.NoError(t, err)
		require.Zero(t, got.Cmp(growth(u, n)), "n = %d", n)
		if n > 1 {
			require.Positive(t, got.Cmp(growth(u, n-1)), "n = %d", n)
		}
	}
}

// TestPropTheoremIsFiniteEvalIEEEOfFiniteEvalSumTree: a finite evaluation has a finite result.
func TestPropTheoremIsFiniteEvalIEEEOfFiniteEvalSumTree(t *testing.T) { theoremFinite(t, shapeOf{}) }

// TestPropTheoremIsFiniteEvalDotIEEEOfFiniteEvalDot: the same for dot products.
func TestPropTheoremIsFiniteEvalDotIEEEOfFiniteEvalDot(t *testing.T) {
	theoremFinite(t, shapeOf{dot: true})
}

func theoremFinite(t *testing.T, k shapeOf) {
	t.Helper()
	theorem(t, k, func(w *world) string {
		if !w.finiteEval(w) {
			return unmet
		}
		if r := w.evalIEEE(w); !w.a.F.IsFinite(r) {
			return fmt.Sprintf("the result is %#x", r)
		}
		return ""
	}, plantLeavesFinite)
}

// TestPropTheoremToRealEvalIEEEEqEvalRealIEEEOfFiniteEvalSumTree: the value of a finite evaluation is
// that of the real-valued model, in which every node rounds the sum of two reals.
func TestPropTheoremToRealEvalIEEEEqEvalRealIEEEOfFiniteEvalSumTree(t *testing.T) {
	theoremRefines(t, shapeOf{})
}

// TestPropTheoremToRealEvalDotIEEEEqEvalRealDotIEEEOfFiniteEvalDot: the same for dot products.
func TestPropTheoremToRealEvalDotIEEEEqEvalRealDotIEEEOfFiniteEvalDot(t *testing.T) {
	theoremRefines(t, shapeOf{dot: true})
}

func theoremRefines(t *testing.T, k shapeOf) {
	t.Helper()
	theorem(t, k, func(w *world) string {
		if !w.finiteEval(w) {
			return unmet
		}
		got, x := w.a.F.Rat(w.evalIEEE(w)), w.toReal()
		if want := fold(w.ind, func(i int) *big.Rat { return x[i] }, w.roundAdd); got.Cmp(want) != 0 {
			return fmt.Sprintf("%s instead of %s", got, want)
		}
		return ""
	}, plantOtherTree, plantTruncating, plantFlushing)
}

// TestPropTheoremSumTreeResultEnclosure: every result that some tree over some permutation gives, with
// a finite evaluation, lies within (growth u n - 1)·A of the exact sum. At u = 2^-P the page's
// hypothesis cannot be met (TestPropLocalAddBoundFailsOverReals); it is met by the operands that occur,
// which is what is asked here of the witness tree.
func TestPropTheoremSumTreeResultEnclosure(t *testing.T) { theoremResult(t, shapeOf{small: true}) }

// TestPropTheoremDotTreeResultEnclosure: the same for dot products, relative to the exact sum of the
// rounded products.
func TestPropTheoremDotTreeResultEnclosure(t *testing.T) {
	theoremResult(t, shapeOf{dot: true, small: true})
}

func theoremResult(t *testing.T, k shapeOf) {
	t.Helper()
	theorem(t, k, func(w *world) string {
		if !w.allFinite() {
			return unmet
		}
		// The result of the drawn tree is one of them, and so is each one that can be reached; numbers
		// beside these are not.
		values, complete := eval.ReachableBits(w.a, w.terms(), 1<<12)
		if !complete {
			return unmet
		}
		exact, limit := w.exactSum(w), w.bound(w.sumAbs(w))
		if w.finiteEvalByHand() {
			r := fold(w.ind, func(i int) uint64 { return w.terms()[i] }, w.a.Add)
			if w.result(w, r) != eval.Yes {
				return fmt.Sprintf("%#x is the result of a tree, and denied", r)
			}
			values = append(values, r)
		}
		met := false
		for _, v := range values {
			for _, r := range []uint64{v, w.a.F.Next(v), w.a.F.Prev(v), v + 1<<(w.a.F.P-1)} {
				if !w.a.F.IsFinite(r) || w.result(w, r) != eval.Yes {
					continue
				}
				met = true
				d := w.a.F.Rat(r)
				if absRat(d.Sub(d, exact)).Cmp(limit) > 0 {
					return fmt.Sprintf("result %#x: the error is %s, the enclosure %s", r, absRat(d).FloatString(12), limit.FloatString(12))
				}
			}
		}
		if !met {
			return unmet
		}
		return ""
	}, plantAnyResult, plant{"no growth", func(w *world) {
		w.growth = func(*big.Rat, int) *big.Rat { return big.NewRat(1, 1) }
	}}, plantLeafLost)
}

// TestPropLocalAddBoundFailsOverReals is the counterexample that makes the page's enclosure vacuous
// at u = 2^-24: its hypothesis asks |round(a+b) - (a+b)| <= u(|a|+|b|) of all reals, and for a+b near
// zero, no number of the format, the relative error is 1. So it is in every format, and for every
// u < 1.
func TestPropLocalAddBoundFailsOverReals(t *testing.T) {
	two := func(k int) *big.Rat {
		r := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(k, -k))))
		if k < 0 {
			r.Inv(r)
		}
		return r
	}
	for _, f := range append(model.Formats(), model.Toy(2), model.Toy(5)) {
		a := round.Arith{F: f}
		roundAdd := func(p, q *big.Rat) *big.Rat { return f.Rat(a.FromRat(plus(p, q))) }
		// a = 2^(η-1) is a quarter of the least subnormal, b = 0.
		x, zero := two(f.EtaExp()-1), new(big.Rat)
		require.Zero(t, roundAdd(x, zero).Sign(), "%s: it rounds to zero: the relative error is 1", f)
		almostOne := new(big.Rat).Sub(big.NewRat(1, 1), two(-200))
		for _, u := range []*big.Rat{two(-f.P), two(-1), almostOne} {
			ok, at := eval.LocalAddBound(roundAdd, u, [][2]*big.Rat{{two(0), two(0)}, {x, zero}})
			require.False(t, ok, "%s, u = %s", f, u)
			require.Equal(t, 1, at)
		}
		ok, _ := eval.LocalAddBound(roundAdd, big.NewRat(1, 1), [][2]*big.Rat{{x, zero}})
		require.True(t, ok, "%s: with u = 1 the hypothesis says nothing, and holds", f)

		// The same sum of operands that are large beside it is inside the envelope: it is the small ones
		// that break it, and no number of the format is as small.
		p := plus(two(f.Emin), x)
		ok, _ = eval.LocalAddBound(roundAdd, two(-f.P), [][2]*big.Rat{{p, new(big.Rat).Neg(two(f.Emin))}})
		require.True(t, ok, "%s", f)

		// And so the conclusion fails as well for leaves that are reals: one addition.
		tree := sumtree.Left().Tree(2)
		got, err := eval.EvalRound(tree, roundAdd, []*big.Rat{x, zero})
		require.NoError(t, err)
		e := absRat(got.Sub(got, x))
		g := growth(two(-f.P), 2)
		require.Positive(t, e.Cmp(g.Mul(g.Sub(g, big.NewRat(1, 1)), x)), "%s: the enclosure is exceeded", f)
	}
}

// TestPropLocalAddBoundHoldsOverOperandsMet is the repaired form: of the operands that the additions of
// a finite evaluation meet the hypothesis is true, since they are numbers of the format, whose sums are
// exact where they are subnormal; and the enclosure follows.
func TestPropLocalAddBoundHoldsOverOperandsMet(t *testing.T) {
	theorem(t, shapeOf{}, func(w *world) string {
		run, err := eval.Trace(w.tree, w.a, w.x)
		must(err)
		if ok, _ := run.Finite(); !ok {
			return unmet
		}
		if ok, at := run.LocalAddBound(); !ok {
			return fmt.Sprintf("node %d breaks the bound", at)
		}
		// The premise by hand, over the pairs that the nodes meet.
		f := w.a.F
		for r := range w.tree.NodeCount() {
			kids := w.tree.Operands(sumtree.Ref(r), nil)
			a, b := f.Rat(run.Bits(kids[0])), f.Rat(run.Bits(kids[1]))
			d := f.Rat(run.Bits(sumtree.Ref(r)))
			d.Sub(d, plus(a, b))
			if limit := new(big.Rat).Mul(w.u, plus(absRat(a), absRat(b))); absRat(d).Cmp(limit) > 0 {
				return fmt.Sprintf("node %d: the error %s is more than %s", r, d, limit)
			}
		}
		got := f.Rat(w.evalIEEE(w))
		if e, limit := absRat(got.Sub(got, w.exactSum(w))), w.bound(w.sumAbs(w)); e.Cmp(limit) > 0 {
			return fmt.Sprintf("the error is %s, the enclosure %s", e.FloatString(12), limit.FloatString(12))
		}
		return ""
	}, plantLeafLost, plantSignedMagnitudes, plant{"no growth", func(w *world) {
		w.growth = func(*big.Rat, int) *big.Rat { return big.NewRat(1, 1) }
	}}, plant{"an arithmetic that truncates", func(w *world) { w.a.R = model.TowardZero }},
		plant{"an arithmetic that flushes", func(w *world) { w.a.Fl.Out = true }})
}

// TestPropLocalAddBoundHoldsOverAllPairs asks it of every pair of numbers of small formats; rounding
// toward zero does not have it.
func TestPropLocalAddBoundHoldsOverAllPairs(t *testing.T) {
	for _, p := range []int{2, 3} {
		f := model.Toy(p)
		u := big.NewRat(1, 1<<p)
		var values []uint64
		for b := range uint64(1) << f.Bits() {
			if f.IsFinite(b) {
				values = append(values, b)
			}
		}
		for _, r := range []model.Rounding{model.NearestEven, model.NearestAway, model.TowardZero} {
			a := round.Arith{F: f, R: r}
			broken := ""
			for _, x := range values {
				for _, y := range values {
					s := a.Add(x, y)
					if !f.IsFinite(s) || broken != "" {
						continue
					}
					p, q := f.Rat(x), f.Rat(y)
					d := f.Rat(s)
					d.Sub(d, plus(p, q))
					if absRat(d).Cmp(new(big.Rat).Mul(u, plus(absRat(p), absRat(q)))) > 0 {
						broken = fmt.Sprintf("%s %s: %#x + %#x = %#x", f, r, x, y, s)
					}
				}
			}
			require.Equal(t, r.Nearest(), broken == "", broken)
		}
	}
}
