package enclosure

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
)

// tiny returns a format of precision p with normal numbers from 2^emin to below 2^(emax+1).
func tiny(p, emin, emax int) model.Format {
	return model.Format{
		Name: fmt.Sprintf("tiny%d", p), P: p, Emin: emin, Emax: emax, ExpBits: 4, MaxFinite: 1<<p - 1,
		HasInf: true, NaNs: model.NaNIEEE, Overflow: model.OverflowInf,
	}
}

// lattice rounds by a table of all numbers of a format: nothing of the judge's.
type lattice struct {
	numbers []float64 // ascending
	even    []bool
	limit   float64
}

func newLattice(f model.Format) *lattice {
	l := &lattice{}
	add := func(m uint64, e int) {
		x := math.Ldexp(float64(m), e-f.P+1)
		l.numbers = append(l.numbers, x)
		l.even = append(l.even, m%2 == 0)
		if m > 0 {
			l.numbers = append(l.numbers, -x)
			l.even = append(l.even, m%2 == 0)
		}
	}
	for m := uint64(0); m < 1<<(f.P-1); m++ {
		add(m, f.Emin)
	}
	for e := f.Emin; e <= f.Emax; e++ {
		for m := uint64(1) << (f.P - 1); m < 1<<f.P; m++ {
			add(m, e)
		}
	}
	order := make([]int, len(l.numbers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		if l.numbers[i] < l.numbers[j] {
			return -1
		}
		return 1
	})
	var sorted lattice
	for _, i := range order {
		sorted.numbers, sorted.even = append(sorted.numbers, l.numbers[i]), append(sorted.even, l.even[i])
	}
	g := sorted.numbers[len(order)-1]
	sorted.limit = g + (g-sorted.numbers[len(order)-2])/2
	return &sorted
}

func (l *lattice) round(x float64) float64 {
	if x != x || math.Abs(x) >= l.limit {
		if x != x {
			return x
		}
		return math.Inf(int(math.Copysign(1, x)))
	}
	i, found := slices.BinarySearch(l.numbers, x)
	switch {
	case found:
		return x
	case i == 0:
		return l.numbers[0]
	case i == len(l.numbers):
		return l.numbers[i-1]
	}
	lo, hi := l.numbers[i-1], l.numbers[i]
	switch {
	case x-lo < hi-x:
		return lo
	case x-lo > hi-x:
		return hi
	case l.even[i-1]:
		return lo
	}
	return hi
}

// fitting enumerates the results of every conforming evaluation of a formula on arrays of at most a few elements.
type fitting struct {
	p       *Program
	f       *lattice
	finer   []*lattice
	numbers map[string]Array
	sizes   map[string]int
	values  [][]float64
	ulp     func(float64) float64
	emit    func([]float64)
}

func newConforming(p *Program, f model.Format) *fitting {
	c := &fitting{p: p, f: newLattice(f)}
	c.finer = []*lattice{newLattice(tiny(f.P+8, f.Emin, f.Emax)), newLattice(tiny(f.P+1, f.Emin, f.Emax))}
	c.ulp = func(x float64) float64 {
		_, e := math.Frexp(x)
		return math.Ldexp(1, max(e-1, f.Emin)-f.P+1)
	}
	return c
}

// stored returns what may be kept of an exact result z of step s.
func (c *fitting) stored(s *step, z float64) []float64 {
	if s.promise.Ulps > 0 && z == z && !math.IsInf(z, 0) {
		reach := s.promise.Ulps * c.ulp(z)
		var within []float64
		for _, x := range c.f.numbers {
			if math.Abs(x-z) <= reach {
				within = append(within, x)
			}
		}
		if z+reach >= c.f.limit {
			within = append(within, math.Inf(1))
		}
		if !c.p.claim.Exactly {
			within = append(within, z, z-reach*(1-0x1p-40), z+reach*(1-0x1p-40))
		}
		return within
	}
	r := c.f.round(z)
	switch {
	case !c.p.claim.Exactly:
		all := []float64{r, z}
		all = append(all, c.finer[0].round(z), c.f.round(c.finer[0].round(z)))
		if !s.last {
			all = append(all, c.finer[1].round(z)) // not to be rounded again
		}
		return distinct(all)
	case s.fusible:
		return distinct([]float64{r, z})
	}
	return []float64{r}
}

func distinct(x []float64) []float64 {
	slices.Sort(x)
	return slices.CompactFunc(x, func(a, b float64) bool { return a == b || a != a && b != b })
}

// sums returns what the terms may add up to, in any order.
func (c *fitting) sums(s *step, terms [][]float64) []float64 {
	n := len(terms)
	plain := &step{}
	table := make([][]float64, 1<<n)
	for set := 1; set < 1<<n; set++ {
		for k := range n {
			if set == 1<<k {
				table[set] = terms[k]
			}
		}
		for left := (set - 1) & set; left > 0; left = (left - 1) & set {
			if left < set&^left {
				continue
			}
			for _, x := range table[left] {
				for _, y := range table[set&^left] {
					table[set] = append(table[set], c.stored(plain, x+y)...)
				}
			}
		}
		table[set] = distinct(table[set])
	}
	return table[1<<n-1]
}

// exactly applies an operation to numbers.
func exactly(op formula.Op, x, y, w float64) float64 {
	switch op {
	case formula.OpAdd:
		return x + y
	case formula.OpSub:
		return x - y
	case formula.OpMul:
		return x * y
	case opSquare:
		return x * x
	case formula.OpDiv:
		return x / y
	case formula.OpFMA:
		return x*y + w // exact in binary64 for such formats
	case formula.OpSqrt:
		return math.Sqrt(x)
	case formula.OpRsqrt:
		return 1 / math.Sqrt(x)
	case formula.OpExp:
		return math.Exp(x)
	case formula.OpTanh:
		return math.Tanh(x)
	case formula.OpLog:
		return math.Log(x)
	case formula.OpErf:
		return math.Erf(x)
	case formula.OpAbs:
		return math.Abs(x)
	case formula.OpNeg:
		return -x
	case formula.OpMaximum:
		return math.Max(x, y)
	case formula.OpLess:
		return truthOf(x < y)
	case formula.OpLessEqual:
		return truthOf(x <= y)
	case formula.OpSelect:
		if x == 1 {
			return y
		}
		return w
	case formula.OpFloor:
		return math.Floor(x)
	case formula.OpUfp:
		if x == 0 || x != x || math.IsInf(x, 0) {
			return math.Abs(x)
		}
		_, e := math.Frexp(x)
		return math.Ldexp(1, e-1)
	case formula.OpRound:
		return math.RoundToEven(x)
	}
	panic(op.String())
}

// options returns, for each element of step i, what it may hold, given the values of the steps before.
func (c *fitting) options(s *step, z *array) [][]float64 {
	r := &run{p: c.p, sizes: c.sizes, maps: map[[2]*array][]int32{}}
	fake := func(k int) *array {
		a := &array{axes: c.p.steps[k].axes, n: 1}
		for _, x := range a.axes {
			a.shape = append(a.shape, c.sizes[x])
			a.n *= c.sizes[x]
		}
		return a
	}
	out := make([][]float64, z.n)
	switch s.Op {
	case formula.OpInput:
		for i, x := range c.numbers[s.Name].Values {
			out[i] = []float64{x}
		}
		return out
	case formula.OpConst:
		return [][]float64{c.stored(s, s.Value)}
	case formula.OpLen:
		return [][]float64{{float64(c.sizes[s.Axes[0]])}}
	case formula.OpSum, formula.OpMax:
		a := fake(s.args[0])
		g := r.groups(a, z, s.Axes)
		for i := range out {
			var terms [][]float64
			m := math.Inf(-1)
			for _, off := range g.offset {
				x := c.values[s.args[0]][g.base[i]+off]
				terms = append(terms, []float64{x})
				m = math.Max(m, x)
			}
			out[i] = []float64{m}
			if s.Op == formula.OpSum {
				out[i] = c.sums(s, terms)
			}
		}
		return out
	case formula.OpDot:
		a, b := fake(s.args[0]), fake(s.args[1])
		ga, gb := r.groups(a, z, s.Axes), r.groups(b, z, s.Axes)
		for i := range out {
			var terms [][]float64
			for k := range ga.offset {
				p := c.values[s.args[0]][ga.base[i]+ga.offset[k]] * c.values[s.args[1]][gb.base[i]+gb.offset[k]]
				terms = append(terms, c.stored(&step{fusible: true}, p))
			}
			out[i] = c.sums(s, terms)
		}
		return out
	}
	var at [3][]int32
	for k, a := range s.args {
		at[k] = r.indices(fake(a), z)
	}
	rounds := (&elements{step: s}).rounds()
	for i := range out {
		var x [3]float64
		for k, a := range s.args {
			j := i
			if at[k] != nil {
				j = int(at[k][i])
			}
			x[k] = c.values[a][j]
		}
		v := exactly(s.Op, x[0], x[1], x[2])
		out[i] = []float64{v}
		if rounds && !(v == 0 && math.IsInf(x[0], 0)) { // exp(-∞) is 0, by definition
			out[i] = c.stored(s, v)
		}
	}
	return out
}

// from enumerates the values of step i and those after it.
func (c *fitting) from(i int) {
	if i == len(c.p.steps) {
		c.emit(c.values[i-1])
		return
	}
	s := &c.p.steps[i]
	z := &array{axes: s.axes, n: 1}
	for _, x := range s.axes {
		z.shape = append(z.shape, c.sizes[x])
		z.n *= c.sizes[x]
	}
	options := c.options(s, z)
	c.values[i] = make([]float64, z.n)
	c.choose(i, options, 0)
}

func (c *fitting) choose(i int, options [][]float64, k int) {
	if k == len(options) {
		c.from(i + 1)
		return
	}
	for _, v := range options[k] {
		c.values[i][k] = v
		c.choose(i, options, k+1)
	}
}

// all visits the results on one input.
func (c *fitting) all(in map[string]Array, emit func([]float64)) {
	c.numbers, c.emit = in, emit
	c.sizes, _ = c.p.size(in)
	c.values = make([][]float64, len(c.p.steps))
	c.from(0)
}

// toyFormula is a formula small enough for all evaluations on all inputs.
type toyFormula struct {
	name string
	e    *formula.Expr
	n    int // of axis n
	ulps float64
	from int // the first of its inputs that is taken
}

func toyFormulas() []toyFormula {
	x := formula.Vector("x")
	a, b, c := formula.Scalar("a"), formula.Scalar("b"), formula.Scalar("c")
	n := formula.Len("n")
	mean := formula.Div(formula.Sum(x), n)
	d := formula.Sub(x, mean)
	variance := formula.Div(formula.Sum(formula.Mul(d, d)), n)
	square := formula.Mul(x, x)
	e := formula.Exp(formula.Sub(x, formula.Max(x)))
	one := formula.Const(1)
	s := formula.Add(a, b)
	return []toyFormula{
		{"sum", formula.Sum(x), 3, 0, 0},
		{"a*b+c", formula.Add(formula.Mul(a, b), c), 0, 0, 0},
		{"a*b-c*a", formula.Sub(formula.Mul(a, b), formula.Mul(c, a)), 0, 0, 0},
		{"fma", formula.FMA(a, b, c), 0, 0, 0},
		{"a/(b+c)", formula.Div(a, formula.Add(b, c)), 0, 0, 0},
		{"x/sum", formula.Div(x, formula.Sum(x)), 3, 0, 0},
		{"x-mean", d, 3, 0, 0},
		{"norm", formula.Div(x, formula.Sqrt(formula.Sum(square))), 2, 0, 0},
		{"variance", variance, 3, 0, 0},
		{"one-pass variance", formula.Sub(formula.Div(formula.Sum(square), n), formula.Mul(mean, mean)), 2, 0, 0},
		{"layer norm 2", formula.Mul(d, formula.Rsqrt(formula.Add(variance, formula.Const(0.5)))), 2, 0, 0},
		{"softmax 2", formula.Div(e, formula.Sum(e)), 2, 1, 0},
		{"softmax 3", formula.Div(e, formula.Sum(e)), 3, 0, 0},
		{"silu", formula.Div(a, formula.Add(one, formula.Exp(formula.Neg(a)))), 0, 2, 0},
		{"gelu", formula.Mul(formula.Mul(formula.Const(0.5), a), formula.Add(one, formula.Tanh(a))), 0, 1, 0},
		{"a/(b+c)²", formula.Div(a, formula.Mul(formula.Add(b, c), formula.Add(b, c))), 0, 0, 0},
		{"1/(a+b)³", formula.Div(formula.Div(one, formula.Mul(s, s)), s), 0, 0, 0},
		{"exp((a+b)²)", formula.Exp(formula.Mul(s, s)), 0, 0, 0},
		{"select", formula.Select(formula.Less(formula.Add(a, b), c), formula.Sub(a, c), formula.Mul(a, b)), 0, 0, 0},
		{"floor", formula.Floor(formula.Div(a, formula.Add(b, c))), 0, 0, 0},
		{"ufp", formula.Div(a, formula.Ufp(formula.Add(b, c))), 0, 0, 0},
		{"|a-b|*max", formula.Mul(formula.Abs(formula.Sub(a, b)), formula.Maximum(formula.Add(a, c), b)), 0, 0, 0},
	}
}

// inputs visits every input of a formula in the numbers of l, scattered and from one of them on, until visit returns false.
func inputs(p *Program, l *lattice, n, from int, visit func(map[string]Array) bool) {
	in := map[string]Array{}
	var slots []*float64
	for _, e := range p.Inputs() {
		a := Array{Values: []float64{0}}
		if len(e.Axes()) > 0 {
			a = Array{Shape: []int{n}, Values: make([]float64, n)}
		}
		in[e.Node().Name] = a
		for k := range a.Values {
			slots = append(slots, &a.Values[k])
		}
	}
	total := 1
	for range slots {
		total *= len(l.numbers)
	}
	// The number of inputs is a power of an odd number of numbers below 2^10, so that a power of two is a stride that meets each once.
	at := from % total
	for range total {
		rest := at
		for _, s := range slots {
			*s = l.numbers[rest%len(l.numbers)]
			rest /= len(l.numbers)
		}
		if !visit(in) {
			return
		}
		at = (at + 1<<10) % total
	}
}

// results returns how many results a test may look at: all, where long tests are asked for.
func results() int {
	switch {
	case os.Getenv("GAMMA_LEVEL") == "thorough":
		return math.MaxInt
	case testing.Short():
		return 1_000
	}
	return 4_000
}

func TestExhaustive(t *testing.T) {
	for _, f := range []model.Format{tiny(2, -2, 2), tiny(3, -1, 1)} {
		for _, toy := range toyFormulas() {
			for way := range 4 {
				exact, long := way&1 == 0, way&2 != 0
				t.Run(fmt.Sprintf("%s/%s/exactly=%t/long=%t", f.Name, toy.name, exact, long), func(t *testing.T) {
					t.Parallel()
					outside, results, tight, judged := sound(t, f, toy, exact, long, flawless, results(), true)
					require.Zero(t, outside)
					require.Positive(t, results)
					t.Logf("%d results, none outside; the enclosure is their hull on %d of %d elements", results, tight, judged)
				})
			}
		}
	}
}

// sound evaluates a formula in every conforming way on inputs of f, and counts results outside the enclosures by each method, with exact values enclosed
// as for claims in binary64 if long says so.
func sound(t *testing.T, f model.Format, toy toyFormula, exact, long bool, fl flaw, most int, tell bool) (outside, results, tight, judged int) {
	claim := formula.Claim{Format: f, Exactly: exact}
	claim.Functions.Name = "toy"
	for _, op := range []formula.Op{formula.OpExp, formula.OpTanh, formula.OpRsqrt} {
		claim.Functions.Ops[op].Ulps = toy.ulps
	}
	var programs [3]*Program
	for m := range programs {
		p, err := Compile(toy.e, claim, formula.Float(f))
		require.NoError(t, err)
		p.method, p.flaw, p.long = method(m), fl, long
		programs[m] = p
	}
	c := newConforming(programs[0], f)
	inputs(programs[0], c.f, toy.n, toy.from, func(in map[string]Array) bool {
		var r [3]*Result
		for m, p := range programs {
			got, err := p.Run(in)
			require.NoError(t, err)
			r[m] = got
		}
		lo, hi := make([]float64, len(r[0].Lo)), make([]float64, len(r[0].Lo))
		for i := range lo {
			lo[i], hi[i] = math.Inf(1), math.Inf(-1)
		}
		c.all(in, func(result []float64) {
			for i, x := range result {
				x = c.f.round(x)
				results++
				lo[i], hi[i] = math.Min(lo[i], x), math.Max(hi[i], x)
				for m := range r {
					if !r[m].Allows(i, x) {
						outside++
						if tell && outside < 3 {
							t.Errorf("method %d: %v gives element %d = %v, outside [%v, %v], NaN %t; steps %v", m, in, i, x, r[m].Lo[i], r[m].Hi[i], r[m].MayBeNaN(i), c.values)
						}
					}
				}
			}
		})
		for i := range lo {
			judged++
			if lo[i] == r[0].Lo[i] && hi[i] == r[0].Hi[i] {
				tight++
			}
		}
		return results < most && (tell || outside == 0)
	})
	return outside, results, tight, judged
}

// TestFlaws plants one unsoundness at a time, and wants a result outside an enclosure.
func TestFlaws(t *testing.T) {
	for fl := halfRounding; fl <= noOverflow; fl++ {
		t.Run(fmt.Sprint(fl), func(t *testing.T) {
			t.Parallel()
			for _, most := range []int{80, 1_000, 80_000} { // a formula that finds it by few results comes before one that takes many
				for _, toy := range toyFormulas() {
					for _, exact := range []bool{true, false} {
						if outside, _, _, _ := sound(t, tiny(3, -1, 1), toy, exact, false, fl, most, false); outside > 0 {
							t.Logf("found by %s, exactly %t, in %d results", toy.name, exact, most)
							return
						}
					}
				}
			}
			require.Fail(t, "no formula found it")
		})
	}
}

// TestTightPath plants derivatives over T in the place of W. It takes a claim that says Exactly, where T is rounded to numbers of the format and W is not; an error
// below a tie that is much less than u times the rounding's; and a second tie, since that of a product adds half an ulp to its bound as well.
//
// In 4 bits, y = 1.5·7 - exp(-5) is 10.4933 and rounds to 10, whatever is within an ulp of exp(-5), so that T is 10 alone. Half an ulp of y is 1/2, and y² = 100 is
// 10.1 below its exact value: more than 1/2 of the derivative 20 at T, and less than that of 21 at the other end of the path. 100 is a tie, and rounds to 96.
func TestTightPath(t *testing.T) {
	f := tiny(4, -12, 8)
	a, b, c, d := formula.Scalar("a"), formula.Scalar("b"), formula.Scalar("c"), formula.Scalar("d")
	y := formula.FMA(a, b, formula.Neg(formula.Exp(c)))
	e := formula.LessEqual(formula.Mul(y, y), d)
	in := map[string]Array{}
	for name, x := range map[string]float64{"a": 1.5, "b": 7, "c": -5, "d": 96} {
		in[name] = Array{Values: []float64{x}}
	}
	claim := formula.Claim{Format: f, Exactly: true}
	claim.Functions.Name = "toy"
	claim.Functions.Ops[formula.OpExp].Ulps = 1
	for _, long := range []bool{false, true} {
		for _, fl := range []flaw{flawless, tight} {
			for _, m := range []method{both, plain, meanValue} {
				if fl == tight && m != both {
					continue // plain intervals have no derivatives, and the mean-value form alone has no T that is tighter
				}
				p, err := Compile(e, claim, formula.Type{})
				require.NoError(t, err)
				p.method, p.flaw, p.long = m, fl, long
				r, err := p.Run(in)
				require.NoError(t, err)
				results := 0
				newConforming(p, f).all(in, func(result []float64) {
					results++
					require.EqualValues(t, 1, result[0])
				})
				require.Greater(t, results, 1)
				require.Equal(t, fl == flawless, r.Allows(0, 1), "flaw %d, method %d, long %t: %v to %v", fl, m, long, r.Lo, r.Hi)
			}
		}
	}
}

func truthOf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
