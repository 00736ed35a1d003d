package enclosure

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/nn"
	"gamma/model"
	"gamma/model/formula"
)

// ranking is a formula of kernels/nn with the sizes at which its enclosures are measured.
type ranking struct {
	e     *formula.Expr
	claim formula.Claim
	out   formula.Type
	sizes map[string]int
	p     *Program
}

// sizesOf returns the sizes for a kernel.
func sizesOf(name string) map[string]int {
	name = strings.TrimPrefix(name, "nn.")
	switch {
	case strings.HasPrefix(name, "MatMul"):
		return map[string]int{"m": 4, "n": 4, "k": 256}
	case strings.HasPrefix(name, "AttentionCausal"):
		return map[string]int{"t": 16, "s": 16, "d": 32, "e": 16}
	case strings.HasPrefix(name, "Attention"):
		return map[string]int{"t": 8, "s": 64, "d": 32, "e": 32}
	case strings.HasPrefix(name, "Softmax"), name == "LogSumExp":
		return map[string]int{"n": 1024}
	case strings.Contains(name, "Norm"), name == "StdDev":
		return map[string]int{"r": 1, "n": 768}
	}
	return map[string]int{"n": 256}
}

func newRanking(t testing.TB, k nn.Kernel) *ranking {
	c := &ranking{e: k.Formula, claim: k.Claim.WithDefaults(), out: k.Out, sizes: map[string]int{}}
	all := sizesOf(k.Name)
	for _, in := range k.Formula.Inputs() {
		for _, x := range in.Axes() {
			require.NotZero(t, all[x], "%s has an axis %s", k.Name, x)
			c.sizes[x] = all[x]
		}
	}
	if !c.out.IsStored() {
		c.out = c.e.Type()
	}
	if c.out.IsReal() && c.out.Float.IsZero() {
		c.out.Float = c.claim.Format
	}
	var err error
	c.p, err = Compile(c.e, c.claim, c.out)
	require.NoError(t, err)
	return c
}

// sizesText writes sizes: "k 256, m 4, n 4".
func (c *ranking) sizesText() string {
	var list []string
	for x, n := range c.sizes {
		list = append(list, fmt.Sprintf("%s %d", x, n))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// pattern fills an array: along one axis the first element is big and the others are small, each times 1 ± a part of spread.
type pattern struct {
	axis               int // -1: all are big; -2: normally distributed, times big
	big, small, spread float64
}

func (p pattern) fill(rng *rand.Rand, in *formula.Expr, sizes map[string]int) Array {
	n := in.Node()
	a := Array{Shape: []int{}}
	total, inner := 1, 1
	for k, x := range n.Axes {
		a.Shape = append(a.Shape, sizes[x])
		total *= sizes[x]
		if k > p.axis {
			inner *= sizes[x]
		}
	}
	a.Values = make([]float64, total)
	for i := range a.Values {
		x := p.big
		switch {
		case p.axis == -2:
			x *= rng.NormFloat64()
		case p.axis >= 0 && i/inner%a.Shape[p.axis] != 0:
			x = p.small
		}
		if p.spread > 0 {
			x *= 1 + p.spread*(2*rng.Float64()-1)
		}
		if n.Type.Int {
			lo, hi := n.Type.Range()
			x = min(max(math.RoundToEven(x), lo), hi)
		} else {
			x = roundTo(n.Type.Float, x)
		}
		a.Values[i] = x
	}
	return a
}

// inputs fills all arrays by patterns, one for each input.
func (c *ranking) inputs(seed uint64, patterns []pattern) map[string]Array {
	rng := rand.New(rand.NewPCG(seed, 16))
	in := map[string]Array{}
	for i, e := range c.p.inputs {
		in[e.Node().Name] = patterns[i].fill(rng, e, c.sizes)
	}
	return in
}

// ordinary are normally distributed arrays.
func (c *ranking) ordinary(seed uint64) map[string]Array {
	patterns := make([]pattern, len(c.p.inputs))
	for i, e := range c.p.inputs {
		patterns[i] = pattern{axis: -2, big: 1}
		switch name := e.Node().Name; {
		case e.Type().Int:
			patterns[i].big = 40
		case name == "gamma":
			patterns[i].axis = -1
		case name == "beta":
			patterns[i] = pattern{axis: -1}
		}
	}
	return c.inputs(seed, patterns)
}

// driven is what steered evaluations of one input reach.
type driven struct {
	ratio  float64 // the largest error/bound
	target int     // of this element
}

// drive steers evaluations of an input towards both ends of the enclosures of a few elements, the widest among them, and fails if any element of any
// evaluation is outside of its own. Elements count if their half-width is least u of the largest, or more.
func (c *ranking) drive(t testing.TB, in map[string]Array, least float64) driven {
	res, err := c.p.Run(in)
	require.NoError(t, err)
	best := driven{}
	large := largest(res)
	var base *direct
	widest := 0
	for i := range res.Lo {
		if res.Width(i) > res.Width(widest) {
			widest = i
		}
	}
	targets := []int{0, len(res.Lo) - 1, len(res.Lo) / 2, widest}
	slices.Sort(targets)
	for _, target := range slices.Compact(targets) {
		if w := c.halfWidth(res, target, large); !(w >= least) || math.IsInf(w, 0) || w == 0 || res.MayBeNaN(target) {
			continue
		}
		if base == nil {
			base = c.steered(in, &steering{})
		}
		adj := base.adjoints(c.e, target)
		for _, want := range []float64{1, -1} {
			v := c.steered(in, &steering{adj, want}).values[c.e].v
			for i, x := range v {
				if c.out.IsReal() {
					x = roundTo(c.out.Float, x)
				}
				require.True(t, res.Allows(i, x), "element %d is %v, outside of [%v, %v], for element %d, %v: %s\n%s", i, x, res.Lo[i], res.Hi[i], target, want, c.e, in)
				if i != target {
					continue
				}
				if r := part(res, i, x); r > best.ratio {
					best = driven{r, target}
				}
			}
		}
	}
	return best
}

// part returns how far x is from the exact value, of how far it may be on that side.
func part(res *Result, i int, x float64) float64 {
	end, near := res.Hi[i], res.ExactHi[i]
	if x < near {
		end, near = res.Lo[i], res.ExactLo[i]
	}
	if x >= res.ExactLo[i] && x <= res.ExactHi[i] || end == near || math.IsInf(end, 0) {
		return 0
	}
	return (x - near) / (end - near)
}

// steered evaluates the formula under a steering.
func (c *ranking) steered(in map[string]Array, s *steering) *direct {
	sizes, _ := c.p.size(in)
	d := &direct{rng: rand.New(rand.NewPCG(1, 1)), claim: c.claim, sizes: sizes, in: in, values: map[*formula.Expr]*grid{}, steer: s}
	nodes := c.e.Nodes()
	for i, e := range nodes {
		d.evaluate(e, i == len(nodes)-1 && c.out.Float == c.claim.Format)
	}
	return d
}

func largest(res *Result) float64 {
	large := 0.0
	for i := range res.ExactLo {
		if m := max(math.Abs(res.ExactLo[i]), math.Abs(res.ExactHi[i])); !math.IsInf(m, 0) {
			large = max(large, m)
		}
	}
	return large
}

// halfWidth returns the half-width of element i in u of the largest element, u = 2^-p of the results' format; of integers in ones.
func (c *ranking) halfWidth(res *Result, i int, large float64) float64 {
	if !c.out.IsReal() {
		return res.Width(i)
	}
	return res.Width(i) / (large * math.Ldexp(1, -c.out.Float.P))
}

// ordinaryRows is how many ordinary inputs are measured.
const ordinaryRows = 4

// widths are half-widths on ordinary inputs, in u of the largest element.
type widths struct {
	median, most float64
	node         string  // whose local error costs most of it
	share        float64 // by what part the half-widths, on average, are less where that error is absent
}

func (c *ranking) widths(t testing.TB) (w widths) {
	nodes := c.e.Nodes()
	without := make([]float64, len(nodes)) // sums of half-widths without the error of a node
	var all []float64
	full := 0.0
	for seed := range uint64(ordinaryRows) {
		in := c.ordinary(seed)
		res, err := c.p.Run(in)
		require.NoError(t, err)
		large := largest(res)
		for i := range res.Lo {
			all = append(all, c.halfWidth(res, i, large))
		}
		unit := large
		if c.out.IsReal() {
			unit *= math.Ldexp(1, -c.out.Float.P)
		}
		full += c.widthWithout(t, in, -1) / unit
		for k := range nodes {
			without[k] += c.widthWithout(t, in, k) / unit
		}
	}
	slices.Sort(all)
	w.median, w.most = all[len(all)/2], all[len(all)-1]
	if w.most == 0 {
		return w
	}
	rounded := 0.0
	for _, x := range all {
		rounded += x
	}
	w.node, w.share = "the result's rounding", (rounded-full)/rounded
	for k, e := range nodes {
		if s := (full - without[k]) / full; s > w.share+0x1p-20 {
			w.node, w.share = label(e, 2), s
		}
	}
	return w
}

// widthWithout returns the sum of the elements' half-widths, before the result is rounded, where the local error of step finer is 2^-20 of what it
// is; of no step for -1.
func (c *ranking) widthWithout(t testing.TB, in map[string]Array, finer int) (sum float64) {
	p := c.p
	sizes, err := p.size(in)
	require.NoError(t, err)
	p.pool.reset()
	r := &run{p: p, sizes: sizes, in: in, arrays: make([]*array, len(p.steps)), maps: map[[2]*array][]int32{}}
	f, claimed, out := p.f, p.claim.Format, p.out
	finest := func(f model.Format) model.Format {
		f.P += 20
		f.MaxFinite = (f.MaxFinite+1)<<20 - 1
		return f
	}
	for i := range p.steps {
		stored := p.steps[i].Type
		if i == finer {
			g := finest(claimed)
			p.f, p.claim.Format = newFormat(g), g
			if p.steps[i].Op == formula.OpStore && stored.IsReal() {
				p.steps[i].Type.Float = finest(stored.Float)
			}
		}
		if i == len(p.steps)-1 {
			p.out = format{} // all of the last step's error counts here
		}
		err := r.step(i)
		p.f, p.claim.Format, p.out, p.steps[i].Type = f, claimed, out, stored
		require.NoError(t, err)
	}
	a := r.arrays[len(r.arrays)-1]
	for i := range a.n {
		sum += (a.hi[i] - a.lo[i]) / 2
	}
	return sum
}

// label writes a node, down to so many levels.
func label(e *formula.Expr, depth int) string {
	n := e.Node()
	switch {
	case n.Op == formula.OpInput:
		return n.Name
	case n.Op == formula.OpConst || len(n.Args) == 0:
		return e.String()
	case depth == 0:
		return "…"
	}
	var list []string
	for _, a := range n.Args {
		list = append(list, label(a, depth-1))
	}
	return n.Op.String() + "(" + strings.Join(list, ", ") + ")"
}

// value draws what a pattern holds: few numbers do nothing, most are of any magnitude, and some are such that n-1 of them beside one err most.
func value(rng *rand.Rand) float64 {
	sign := float64(1 - 2*rng.IntN(2))
	near := 1 + math.Ldexp(sign, -2-rng.IntN(12))
	switch rng.IntN(10) {
	case 0:
		return 0
	case 1, 2:
		return sign
	case 3:
		return -24 * math.Ln2 * near // exp of it is about u
	case 4:
		return 0x1p-24 * near
	case 5:
		return 0x1p-12 * near // its square is about u
	}
	return sign * math.Exp2(32*rng.Float64()-24)
}

func (c *ranking) drawn(rng *rand.Rand) []pattern {
	patterns := make([]pattern, len(c.p.inputs))
	for i := range patterns {
		patterns[i] = c.pattern(rng, i)
	}
	return patterns
}

func (c *ranking) pattern(rng *rand.Rand, i int) pattern {
	p := pattern{axis: rng.IntN(len(c.p.inputs[i].Axes())+2) - 2, big: value(rng)}
	switch p.axis {
	case -1:
	case -2:
		p.big = math.Abs(p.big)
	default:
		p.small = value(rng)
	}
	if rng.IntN(4) == 0 {
		p.spread = math.Ldexp(1, -rng.IntN(24))
	}
	return p
}

// changed returns patterns of which one is another or, mostly, has a number a little off.
func (c *ranking) changed(rng *rand.Rand, old []pattern) []pattern {
	patterns := slices.Clone(old)
	i := rng.IntN(len(patterns))
	p := &patterns[i]
	off := 1 + math.Ldexp(float64(1-2*rng.IntN(2)), -rng.IntN(22))
	switch rng.IntN(8) {
	case 0:
		*p = c.pattern(rng, i)
	case 1:
		p.spread = math.Ldexp(1, -rng.IntN(24))
	case 2:
		p.spread = 0
	case 3, 4:
		p.big *= off
	default:
		p.small *= off
	}
	return patterns
}

// found is the worst input that a search met.
type found struct {
	patterns []pattern
	driven
}

// searchSeed is what all searches follow from.
const searchSeed = 1

// search draws patterns, and changes the best of them for the better.
func (c *ranking) search(t testing.TB, least float64) found {
	rng := rand.New(rand.NewPCG(searchSeed, 17))
	var list []found
	try := func(p []pattern) found { return found{p, c.drive(t, c.inputs(searchSeed, p), least)} }
	for range searchDraws {
		list = append(list, try(c.drawn(rng)))
	}
	slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(b.ratio, a.ratio) })
	list = list[:searchClimbs]
	for k := range list {
		for range searchSteps {
			if f := try(c.changed(rng, list[k].patterns)); f.ratio >= list[k].ratio {
				list[k] = f
			}
		}
	}
	return slices.MaxFunc(list, func(a, b found) int { return cmp.Compare(a.ratio, b.ratio) })
}

// Bounds of a search, which -update-inputs runs.
const (
	searchDraws  = 150
	searchClimbs = 3 // how many of them are climbed from
	searchSteps  = 150
	largeWidth   = 64 // u of the largest element: where long sums decide, wider elements show how near their bound comes to what is reached
)

var (
	update       = flag.Bool("update", false, "write testdata/tightness.txt anew, and search inputs for kernels of which none are on file")
	updateInputs = flag.Bool("update-inputs", false, "search all inputs of testdata/tightness-inputs.txt anew, which takes minutes")
)

const inputsFile = "testdata/tightness-inputs.txt"

// text writes a pattern: what is along the first element's axis, how large that and the others are, and how far they spread.
func (p pattern) text(axes []string) string {
	along := map[int]string{-1: "all", -2: "normal"}[p.axis]
	if p.axis >= 0 {
		along = axes[p.axis]
	}
	return fmt.Sprintf("%s %x %x %x", along, p.big, p.small, p.spread)
}

// readPattern reads what text wrote.
func readPattern(axes, words []string) (p pattern, err error) {
	switch p.axis = slices.Index(axes, words[0]); {
	case words[0] == "all":
		p.axis = -1
	case words[0] == "normal":
		p.axis = -2
	case p.axis < 0:
		return p, fmt.Errorf("there is no axis %s", words[0])
	}
	for i, x := range []*float64{&p.big, &p.small, &p.spread} {
		if *x, err = strconv.ParseFloat(words[i+1], 64); err != nil {
			return p, err
		}
	}
	return p, nil
}

// onFile returns the patterns on file, by kernel; none of one whose inputs are others now.
func onFile(t testing.TB) map[string][]pattern {
	text, err := os.ReadFile(inputsFile)
	require.NoError(t, err, "run with -update-inputs to search them")
	list, other := map[string][]pattern{}, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		w := strings.Fields(line)
		require.Len(t, w, 6, line)
		k, ok := nn.Find(w[0])
		if other[w[0]] = other[w[0]] || !ok; other[w[0]] {
			continue
		}
		inputs, i := k.Formula.Inputs(), len(list[w[0]])
		if other[w[0]] = i >= len(inputs) || inputs[i].Node().Name != w[1]; other[w[0]] {
			continue
		}
		p, err := readPattern(inputs[i].Axes(), w[2:])
		require.NoError(t, err, line)
		list[w[0]] = append(list[w[0]], p)
	}
	for name, patterns := range list {
		if k, _ := nn.Find(name); other[name] || len(patterns) != len(k.Formula.Inputs()) {
			delete(list, name)
		}
	}
	return list
}

// searched writes the worst inputs that searches meet, kernel by kernel, beside those that are known.
func searched(t testing.TB, known map[string][]pattern) {
	var b strings.Builder
	same := map[string][]pattern{}
	for _, k := range nn.All() {
		c := newRanking(t, k)
		w := c.widths(t)
		if w.most == 0 {
			continue
		}
		key := formula.Print(c.e) + c.out.String() + fmt.Sprint(c.claim)
		if same[key] == nil {
			same[key] = known[k.Name]
		}
		if same[key] == nil {
			f := c.search(t, min(w.median, largeWidth))
			t.Logf("%s: %.3f, element %d", k.Name, f.ratio, f.target)
			same[key] = f.patterns
		}
		for i, p := range same[key] {
			in := c.p.inputs[i]
			fmt.Fprintf(&b, "%s %s %s\n", k.Name, in.Node().Name, p.text(in.Axes()))
		}
	}
	require.NoError(t, os.MkdirAll("testdata", 0o755))
	require.NoError(t, os.WriteFile(inputsFile, []byte(b.String()), 0o644))
}

// reached says of which kernels the attack has to come how near to the end of an enclosure.
var reached = map[string]float64{
	"nn.Softmax": 0.85, "nn.LayerNorm": 0.85, "nn.RMSNorm": 0.85, "nn.GELU": 0.85, "nn.GELUTanh": 0.85, "nn.MatMul": 0.85, "nn.Attention": 0.5,
}

// TestTightness holds to a file, for every kernel of kernels/nn, how wide its enclosures are on ordinary inputs, which operation of its formula costs
// most of that, and how near conforming evaluations come to the end of an enclosure: steered ones, of ordinary inputs and of those that a search
// has found. No kernel is run. That nothing leaves its enclosure is tested on the way.
func TestTightness(t *testing.T) {
	switch {
	case *updateInputs:
		searched(t, nil)
	case *update:
		searched(t, onFile(t))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Half-widths of enclosures, in u of the largest element of the result, where inputs are normally distributed (integers: deviation 40; gamma 1,\n"+
		"beta 0): their median and the greatest. Then the operation whose own error costs most, and by which part the half-widths are less without it.\n"+
		"Then the greatest error/bound that conforming evaluations reach which choose orders and roundings: on such inputs, and on chosen ones.\n\n")
	fmt.Fprintf(&b, "%-20s %-24s %8s %8s  %-42s %5s %8s %6s\n", "kernel", "sizes", "median", "most", "costs most", "part", "ordinary", "chosen")
	inputs := onFile(t)
	for _, k := range nn.All() {
		c := newRanking(t, k)
		w := c.widths(t)
		fmt.Fprintf(&b, "%-20s %-24s ", strings.TrimPrefix(k.Name, "nn."), c.sizesText())
		if w.most == 0 {
			fmt.Fprintf(&b, "%8d %8d  exact\n", 0, 0)
			continue
		}
		ordinary := 0.0
		for seed := range uint64(2) {
			ordinary = max(ordinary, c.drive(t, c.ordinary(seed), 0).ratio)
		}
		require.NotNil(t, inputs[k.Name], "no inputs for %s are on file; run with -update", k.Name)
		chosen := c.drive(t, c.inputs(searchSeed, inputs[k.Name]), min(w.median, largeWidth)).ratio
		require.GreaterOrEqual(t, chosen, reached[k.Name], "%s: how near the attack comes to the end of the enclosure", k.Name)
		fmt.Fprintf(&b, "%8.3g %8.3g  %-42s %4.0f%% %8.2f %6.2f\n", w.median, w.most, w.node, 100*w.share, ordinary, chosen)
	}
	const file = "testdata/tightness.txt"
	if *update || *updateInputs {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run with -update to write it")
	require.Equal(t, string(want), b.String(), "%s has changed; look at it, then run with -update", file)
}
