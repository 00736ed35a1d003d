package enclosure

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/nn"
	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/conforming"
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
	case name == "Embedding":
		return map[string]int{"v": 256, "d": 8, "n": 32}
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

// ordinary are normally distributed arrays.
func (c *ranking) ordinary(seed uint64) map[string]Array {
	rng := rand.New(rand.NewPCG(seed, 16))
	in := map[string]Array{}
	for _, e := range c.p.inputs {
		n := e.Node()
		a := Array{Shape: []int{}}
		total := 1
		for _, x := range n.Axes {
			a.Shape = append(a.Shape, c.sizes[x])
			total *= c.sizes[x]
		}
		a.Values = make([]float64, total)
		for i := range a.Values {
			switch {
			case n.Name == "gamma":
				a.Values[i] = 1
			case n.Name == "beta":
			case n.Type.Int:
				lo, hi := n.Type.Range()
				a.Values[i] = min(max(math.RoundToEven(40*rng.NormFloat64()), lo), hi)
			default:
				a.Values[i] = conforming.RoundTo(n.Type.Float, rng.NormFloat64())
			}
		}
		in[n.Name] = a
	}
	return in
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

var update = flag.Bool("update", false, "write testdata/tightness.txt anew")

// TestTightness holds to a file, for every kernel of kernels/nn, how wide its enclosures are on ordinary inputs, and which operation of its formula costs
// most of that. How near conforming evaluations come to their ends, TestAttackReaches of package props says.
func TestTightness(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "Half-widths of enclosures, in u of the largest element of the result, where inputs are normally distributed (integers: deviation 40; gamma 1,\n"+
		"beta 0): their median and the greatest. Then the operation whose own error costs most, and by which part the half-widths are less without it.\n\n")
	fmt.Fprintf(&b, "%-20s %-24s %8s %8s  %-42s %5s\n", "kernel", "sizes", "median", "most", "costs most", "part")
	for _, k := range nn.All() {
		c := newRanking(t, k)
		w := c.widths(t)
		fmt.Fprintf(&b, "%-20s %-24s ", strings.TrimPrefix(k.Name, "nn."), c.sizesText())
		if w.most == 0 {
			fmt.Fprintf(&b, "%8d %8d  exact\n", 0, 0)
			continue
		}
		fmt.Fprintf(&b, "%8.3g %8.3g  %-42s %4.0f%%\n", w.median, w.most, w.node, 100*w.share)
	}
	const file = "testdata/tightness.txt"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run with -update to write it")
	require.Equal(t, string(want), b.String(), "%s has changed; look at it, then run with -update", file)
}
