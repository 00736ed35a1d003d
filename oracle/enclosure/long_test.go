package enclosure

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/conforming"
	"gamma/oracle/real"
)

// deep evaluates a formula once under a claim in binary64, in math/big, and chooses at random at each operation what a conforming kernel may do.
type deep struct {
	*conforming.Evaluation
	adding bool
	held   map[*formula.Expr][]*big.Float
	free   map[*formula.Expr][]*big.Float // exact products
}

// special ends an evaluation in which something is no number, or which does what deep does not.
type special struct{}

const deepBits = 300

func wide() *big.Float { return new(big.Float).SetPrec(deepBits) }

// in64 rounds x to binary64.
func in64(x *big.Float) *big.Float {
	v, _ := x.Float64()
	if math.IsInf(v, 0) {
		panic(special{})
	}
	return wide().SetFloat64(v)
}

func ulp64(x *big.Float) *big.Float {
	e := x.MantExp(nil) - 1
	if x.Sign() == 0 {
		e = -1022
	}
	return wide().SetMantExp(big.NewFloat(1), max(e, -1022)-52)
}

// kept returns what may be held of the exact result z.
func (d *deep) kept(z *big.Float, last bool) *big.Float {
	way := d.Rand.IntN(5)
	if d.Claim.Exactly || in64(z).Cmp(z) == 0 {
		way = 0
	}
	switch finer := new(big.Float).SetPrec(61 + uint(d.Rand.IntN(12))).Set(z); {
	case way == 1:
		return z
	case way == 2:
		return finer
	case way == 3:
		return in64(finer)
	case way == 4 && !last && !d.adding:
		return wide().Add(z, wide().Mul(ulp64(z), big.NewFloat(d.Rand.Float64()-0.5)))
	}
	return in64(z)
}

// promised returns a result within the promise for op, whose exact value is z.
func (d *deep) promised(op formula.Op, z *big.Float, last bool) *big.Float {
	p := d.Claim.Functions.Ops[op]
	if p.Ulps == 0 {
		return d.kept(z, last)
	}
	k := p.Ulps
	if p.OfRounded {
		k += 0.5
	}
	reach := wide().Mul(ulp64(z), big.NewFloat(k))
	way := []float64{-1, 0, 1, 2*d.Rand.Float64() - 1}[d.Rand.IntN(4)]
	x := wide().Add(z, wide().Mul(reach, big.NewFloat(way*(1-0x1p-20))))
	if d.Claim.Exactly || d.Rand.IntN(2) == 0 {
		if r := in64(x); wide().Abs(wide().Sub(r, z)).Cmp(reach) <= 0 {
			return r
		}
		return in64(z)
	}
	return x
}

// value evaluates an elementwise operation.
func (d *deep) value(e *formula.Expr, x []*big.Float, last bool) *big.Float {
	n, z := e.Node(), wide()
	kept := func(z *big.Float) *big.Float {
		if !e.Type().IsReal() {
			return z
		}
		return d.promised(n.Op, z, last)
	}
	truth := func(b bool) *big.Float { return big.NewFloat(truthOf(b)) }
	switch n.Op {
	case formula.OpAdd:
		return kept(z.Add(x[0], x[1]))
	case formula.OpSub:
		return kept(z.Sub(x[0], x[1]))
	case formula.OpMul:
		return kept(z.Mul(x[0], x[1]))
	case formula.OpFMA:
		return kept(z.Add(wide().SetPrec(2*deepBits).Mul(x[0], x[1]), x[2]))
	case formula.OpDiv:
		if x[1].Sign() != 0 {
			return kept(z.Quo(x[0], x[1]))
		}
	case formula.OpMaximum, formula.OpMinimum:
		if (x[0].Cmp(x[1]) > 0) == (n.Op == formula.OpMaximum) {
			return x[0]
		}
		return x[1]
	case formula.OpAbs:
		return z.Abs(x[0])
	case formula.OpNeg:
		return z.Neg(x[0])
	case formula.OpLess:
		return truth(x[0].Cmp(x[1]) < 0)
	case formula.OpLessEqual:
		return truth(x[0].Cmp(x[1]) <= 0)
	case formula.OpEqual:
		return truth(x[0].Cmp(x[1]) == 0)
	case formula.OpSelect:
		return x[2-x[0].Sign()]
	case formula.OpStore:
		if n.Type.Float == model.Binary32 && n.Overflow != formula.Saturate && (d.Claim.Exactly || d.Rand.IntN(2) == 0) {
			if v, _ := x[0].Float32(); !math.IsInf(float64(v), 0) {
				return wide().SetFloat64(float64(v))
			}
		} else if n.Type.Float == model.Binary32 && n.Overflow != formula.Saturate {
			return x[0]
		}
	case formula.OpSqrt:
		if x[0].Sign() >= 0 {
			return kept(z.Sqrt(x[0]))
		}
	}
	at := longFunctions[n.Op]
	if at == nil {
		panic(special{})
	}
	if least := map[formula.Op]int{formula.OpRsqrt: 1, formula.OpLog: 1, formula.OpLog2: 1}[n.Op]; x[0].Sign() < least && least > 0 || n.Op == formula.OpLog1p && x[0].Cmp(big.NewFloat(-1)) <= 0 {
		panic(special{})
	}
	y := at(deepBits, real.Interval{Lo: x[0], Hi: x[0]})
	if y.Lo.IsInf() || y.Hi.IsInf() || y.Hi.MantExp(nil) > 1<<16 || y.Lo.MantExp(nil) < -1<<16 {
		panic(special{})
	}
	return kept(z.Set(y.Lo))
}

// evaluate finds what node e holds.
func (d *deep) evaluate(e *formula.Expr, last bool) {
	n := e.Node()
	at, axes := d.Place, e.Axes()
	fused := false
	operand := func(k int) []*big.Float {
		a := n.Args[k]
		switch n.Op {
		case formula.OpAdd, formula.OpSub, formula.OpSum, formula.OpScanSum:
			if d.free[a] != nil && !fused && d.Rand.IntN(2) == 0 {
				fused = true
				return d.free[a]
			}
		}
		return d.held[a]
	}
	v := make([]*big.Float, len(d.Values(e)))
	put := func(value func(i int, index []int) *big.Float) {
		d.Each(axes, func(i int, index []int) { v[i] = value(i, index) })
	}
	switch n.Op.Class() {
	case formula.Elementwise:
		put(func(i int, index []int) *big.Float {
			x := make([]*big.Float, len(n.Args))
			for k, a := range n.Args {
				x[k] = operand(k)[at(a, axes)(index)]
			}
			if n.Op == formula.OpMul && e.Type().IsReal() && !d.Claim.Unfused {
				d.free[e] = append(d.free[e], wide().Mul(x[0], x[1]))
			}
			fused = false
			return d.value(e, x, last)
		})
	case formula.Reduction:
		all := append(slices.Clone(axes), n.Axes...)
		x := operand(0)
		put(func(_ int, index []int) *big.Float {
			var terms []*big.Float
			full := append(slices.Clone(index), make([]int, len(n.Axes))...)
			d.Each(n.Axes, func(_ int, inner []int) {
				copy(full[len(index):], inner)
				t := x[at(n.Args[0], all)(full)]
				if n.Op == formula.OpDot {
					t = wide().Mul(t, d.held[n.Args[1]][at(n.Args[1], all)(full)])
					if d.Claim.Unfused || d.Rand.IntN(2) == 0 || d.Claim.Exactly && len(d.Values(n.Args[0])) == 1 {
						t = d.kept(t, false)
					}
				}
				terms = append(terms, t)
			})
			return d.joined(e, terms, last)
		})
	case formula.Scan:
		x, along := operand(0), slices.Index(axes, n.Axes[0])
		put(func(_ int, index []int) *big.Float {
			from, to := 0, index[along]
			if n.Reverse {
				from, to = index[along], d.Sizes[n.Axes[0]]-1
			}
			if n.Exclusive && n.Reverse {
				from++
			} else if n.Exclusive {
				to--
			}
			var terms []*big.Float
			one := slices.Clone(index)
			for one[along] = from; one[along] <= to; one[along]++ {
				terms = append(terms, x[at(n.Args[0], axes)(one)])
			}
			if n.Reverse {
				slices.Reverse(terms)
			}
			return d.joined(e, terms, last)
		})
	case formula.Leaf:
		put(func(i int, _ []int) *big.Float {
			if n.Op == formula.OpConst && e.Type().IsReal() {
				c, _ := wide().SetString(decimal(n.Value))
				return d.kept(c, last)
			}
			if x := d.Values(e)[i]; x-x == 0 {
				return wide().SetFloat64(x)
			}
			panic(special{})
		})
	default:
		panic(special{})
	}
	d.held[e] = v
}

// joined reduces the terms of one element.
func (d *deep) joined(e *formula.Expr, x []*big.Float, last bool) *big.Float {
	op := e.Node().Op
	round := func(z *big.Float) *big.Float {
		if e.Type().IsReal() {
			return d.kept(z, last)
		}
		return z
	}
	d.adding = true
	defer func() { d.adding = false }()
	var f func(a, b *big.Float) *big.Float
	var empty *big.Float
	switch op {
	case formula.OpSum, formula.OpDot, formula.OpScanSum:
		empty, f = wide(), func(a, b *big.Float) *big.Float { return round(wide().Add(a, b)) }
	case formula.OpProd, formula.OpScanProd:
		empty, f = wide().SetInt64(1), func(a, b *big.Float) *big.Float { return round(wide().Mul(a, b)) }
	case formula.OpMax, formula.OpScanMax, formula.OpMin, formula.OpScanMin:
		f = func(a, b *big.Float) *big.Float {
			if (a.Cmp(b) > 0) == (op == formula.OpMax || op == formula.OpScanMax) {
				return a
			}
			return b
		}
	}
	if f == nil || len(x) == 0 && empty == nil {
		panic(special{})
	}
	return conforming.Combined(d.Evaluation, e.Node().Order, x, f, empty)
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// TestRandomBinary64 evaluates random formulas in binary64 in math/big, under random conforming choices, and finds every result inside:
//
//	GAMMA_SEED=1 GAMMA_CHECKS=100000000 go test ./oracle/enclosure -run TestRandomBinary64$ -v -timeout 200s
//
// judges as many as it can within the time, and says how many.
func TestRandomBinary64(t *testing.T) {
	var results, narrow atomic.Int64
	if !inParts(t, 64, 20_000, 2_000_000, func(t *testing.T, rng *rand.Rand, most int64, late func() bool) {
		found, n, near := deepResults(t, rng, int(most), late, nil)
		require.Empty(t, found)
		results.Add(int64(n))
		narrow.Add(int64(near))
	}) {
		return
	}
	t.Logf("%d results, none outside; %d have an enclosure of at most 64 numbers", results.Load(), narrow.Load())
}

// deepResults evaluates so many results of random formulas, in programs that plant may change, and returns the first that is outside. It ends where it is late.
func deepResults(t testing.TB, rng *rand.Rand, most int, late func() bool, plant func(*Program)) (found string, results, narrow int) {
	for results < most && !late() {
		g := randomFormula{rng: rng, f: model.Binary64}
		e := g.draw()
		claim, _ := randomClaim(rng, e)
		claim.Format, claim.Flush = model.Binary64, model.Flush{}
		claim.Functions = []formula.Accuracy{formula.Published, formula.CUDA, formula.CorrectlyRounded}[rng.IntN(3)]
		in := randomInputs(rng, e, func(kind int) float64 {
			switch x := rng.NormFloat64(); kind {
			case 3:
				return math.Ldexp(x, -1022-rng.IntN(50))
			case 4:
				return math.Ldexp(x, rng.IntN(2040)-1020)
			default:
				return randomNumber(rng, kind)
			}
		})
		out := formula.Type{}
		if isReal(e) {
			out = formula.Float(model.Binary64)
		}
		p, err := Compile(e, claim, out)
		require.NoError(t, err)
		require.True(t, p.long)
		if plant != nil {
			plant(p)
		}
		res, err := p.Run(in)
		if err != nil {
			continue // an axis without a size
		}
		sizes, _ := p.size(in)
		for range 8 {
			got := deeply(e, &conforming.Evaluation{Claim: claim.WithDefaults(), Sizes: sizes, Inputs: given(in), Rand: rng})
			if got == nil {
				break
			}
			for k, x := range got {
				v := x
				if e.Type().Int && math.Abs(v) >= 1<<53 {
					continue
				}
				results++
				if res.Hi[k]-res.Lo[k] <= 64*conforming.Ulp(model.Binary64, v) {
					narrow++
				}
				if !res.Allows(k, v) {
					return formula.Print(e) + "\n" + (&outside{e, "", trial{e: e, claim: claim, in: in}}).String() +
						"\n" + decimal(v) + " is not from " + decimal(res.Lo[k]) + " to " + decimal(res.Hi[k]), results, narrow
				}
			}
		}
	}
	return "", results, narrow
}

// deeply returns the results of one evaluation, nil if something is special.
func deeply(e *formula.Expr, one *conforming.Evaluation) (out []float64) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(special); !ok {
				panic(p)
			}
		}
	}()
	d := &deep{one, false, map[*formula.Expr][]*big.Float{}, map[*formula.Expr][]*big.Float{}}
	for _, n := range e.Nodes() {
		one.Evaluate(n, n == e) // for the shapes alone
		d.evaluate(n, n == e)
	}
	for _, x := range d.held[e] {
		if e.Type().IsReal() {
			x = in64(x)
		}
		v, _ := x.Float64()
		out = append(out, v)
	}
	return out
}

// TestRandomBinary64Flaws plants one unsoundness at a time, and wants a random formula in binary64 to find it.
func TestRandomBinary64Flaws(t *testing.T) {
	flaws := []flaw{halfRounding, halfUlps, ofExact}
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		flaws = append(flaws, halfSum, noUnderflow) // after 111,942 and 75,644 results; TestStepFlaws finds both
	}
	for _, fl := range flaws {
		found, results, _ := deepResults(t, rand.New(rand.NewPCG(64, 14)), 200_000, func() bool { return false }, func(p *Program) { p.flaw = fl })
		require.NotEmpty(t, found, "flaw %d", fl)
		t.Logf("flaw %d is found after %d results", fl, results)
	}
}

// TestExactBinary64: where a claim leaves no choice, the one result in binary64 is the machine's.
func TestExactBinary64(t *testing.T) {
	of := func(name string) *formula.Expr { return formula.Input(name, formula.Float(model.Binary64)) }
	a, b, c := of("a"), of("b"), of("c")
	e := formula.Sub(formula.Div(formula.Mul(formula.Add(a, b), formula.Const(0.1)), formula.Sqrt(formula.Abs(c))), formula.FMA(a, b, c))
	claim := formula.Claim{Format: model.Binary64, Exactly: true, Unfused: true}
	p, err := Compile(e, claim, formula.Type{})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(64, 15))
	for range 2000 {
		x, y, z := rng.NormFloat64(), rng.NormFloat64(), math.Ldexp(rng.NormFloat64(), rng.IntN(40)-20)
		r, err := p.Run(map[string]Array{"a": {Values: []float64{x}}, "b": {Values: []float64{y}}, "c": {Values: []float64{z}}})
		require.NoError(t, err)
		sum := x + y
		want := float64(sum*0.1)/math.Sqrt(math.Abs(z)) - math.FMA(x, y, z)
		require.Equal(t, []float64{want, want}, []float64{r.Lo[0], r.Hi[0]}, "a = %v, b = %v, c = %v", x, y, z)
	}
}

// TestLongConverted: what exact values of more bits say of a quotient does not forget that an integer is rounded as it is read.
func TestLongConverted(t *testing.T) {
	half := formula.Float(model.Binary16)
	p, err := Compile(formula.Div(formula.Input("s", half), formula.Input("q", formula.Int(16))), formula.Claim{Format: model.Binary16, Exactly: true}, half)
	require.NoError(t, err)
	for _, p.long = range []bool{false, true} {
		r, err := p.Run(map[string]Array{"s": {Values: []float64{-1.2626953125}}, "q": {Values: []float64{7307}}})
		require.NoError(t, err)
		require.True(t, r.Allows(0, -0x1.6a4p-13), "%v: 7307 is read as 7308", p.long) // and by 7307 it would be -0x1.6a8p-13
		require.False(t, r.Allows(0, -0x1.6a8p-13))
	}
}

// TestLongBesideNaN: a difference that is NaN in all evaluations has an exact value, and what ignores NaN is nevertheless its other operand. TestRandom found these numbers.
func TestLongBesideNaN(t *testing.T) {
	e, err := formula.Parse("a binary16[i]\ny binary16[j]\nt1 = pow(fma(a, a, sum(y, j)), a)\nresult round(minimum(t1, sub(t1, t1); fmax))")
	require.NoError(t, err)
	p, err := Compile(e, formula.Claim{Format: model.Binary16, Exactly: true, Unfused: true, Flush: model.Flush{Out: true, Before: true}}, formula.Type{})
	require.NoError(t, err)
	p.long = true
	r, err := p.Run(map[string]Array{"a": {Shape: []int{1}, Values: []float64{24.609375}}, "y": {Shape: []int{3}, Values: []float64{-1.251953125, -0.002841949462890625, -8.8046875}}})
	require.NoError(t, err)
	require.True(t, r.Allows(0, math.Inf(1)))
}
