package conforming

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gamma/model"
	"gamma/model/formula"
)

// Evaluation evaluates a formula once, in binary64, as a kernel may that keeps to the claim: at each operation it chooses at random what the claim leaves
// open, or what a Steering says. It is for claims whose format has at most 26 bits, so that an exact result of two of its numbers, rounded to odd in
// binary64, is known well enough; functions are those of package math, whose errors are far below what any claim promises.
type Evaluation struct {
	Claim  formula.Claim // with its defaults
	Sizes  map[string]int
	Inputs func(name string) []float64
	Rand   *rand.Rand
	// Style says how real results are rounded where the claim leaves that open: to its format, not at all, to a finer one, to that and then to the claim's, or with any error
	// that is allowed, for 0 to 5; for -1 it is drawn anew for each.
	Style    int
	Steering *Steering // nil: choices are random

	values map[*formula.Expr]*grid
	adding bool    // in a sum
	push   float64 // of a steered evaluation: the sign of the errors of the element at hand, or 0 for none
}

// Run evaluates all nodes of a formula, and returns the elements of its result, row-major, rounded to out.
func (d *Evaluation) Run(root *formula.Expr, out formula.Type) []float64 {
	for _, e := range root.Nodes() {
		d.Evaluate(e, e == root && out.Float == d.Claim.Format)
	}
	v := slices.Clone(d.values[root].v)
	for i := range v {
		v[i] = d.Result(out, v[i])
	}
	return v
}

// Result returns what is stored of x, an element of the last node, as a result of type t.
func (d *Evaluation) Result(t formula.Type, x float64) float64 {
	if !t.IsReal() || t.Float.IsZero() {
		return x
	}
	return d.halves(t, []float64{RoundTo(t.Float, x)}, []float64{x}, d.Claim.Flush16.Out)[0]
}

// Values returns the elements of a node that was evaluated.
func (d *Evaluation) Values(e *formula.Expr) []float64 { return d.values[e].v }

// Place returns where the elements of e stand that an array of the given axes, which are e's and perhaps others, has at an index.
func (d *Evaluation) Place(e *formula.Expr, axes []string) func(index []int) int {
	return d.places(d.values[e], axes)
}

// grid is an array of numbers, row-major; of a product that may be fused with an addition also the exact ones.
type grid struct {
	axes    []string
	shape   []int
	v       []float64
	unfused []float64 // the exact products
}

// RoundTo rounds x to nearest even in f: by the processor to binary32, else by integers.
func RoundTo(f model.Format, x float64) float64 {
	if x == 0 || x != x || math.IsInf(x, 0) {
		if math.IsInf(x, 0) {
			return overflowed(f, x)
		}
		return x
	}
	if f == model.Binary32 {
		return float64(float32(x))
	}
	_, e := math.Frexp(x)
	q := max(e-1, f.Emin) - f.P + 1
	n, rest := math.Modf(math.Ldexp(math.Abs(x), -q))
	m := uint64(n)
	if rest > 0.5 || rest == 0.5 && m&1 == 1 {
		m++
	}
	r := math.Ldexp(float64(m), q)
	if r > math.Ldexp(float64(f.MaxFinite), f.Emax-f.P+1) {
		return overflowed(f, x)
	}
	return math.Copysign(r, x)
}

func overflowed(f model.Format, x float64) float64 {
	switch f.Overflow {
	case model.OverflowSaturate:
		return math.Copysign(math.Ldexp(float64(f.MaxFinite), f.Emax-f.P+1), x)
	case model.OverflowNaN:
		return math.NaN()
	}
	return math.Inf(int(math.Copysign(1, x)))
}

// sticky returns s + e, |e| below an ulp of s, rounded to odd: rounded again to few bits, it gives what s + e does.
func sticky(s, e float64) float64 {
	if e == 0 || e != e || s == 0 || math.IsInf(s, 0) || math.Float64bits(s)&1 == 1 {
		return s
	}
	if (e > 0) == (s > 0) {
		return math.Float64frombits(math.Float64bits(s) + 1)
	}
	return math.Float64frombits(math.Float64bits(s) - 1)
}

func plus(a, b float64) float64 {
	s := a + b
	v := s - a
	return sticky(s, (a-(s-v))+(b-v))
}

func product(a, b float64) float64 {
	p := float64(a * b)
	return sticky(p, math.FMA(a, b, -p))
}

func quotientOf(a, b float64) float64 {
	q := a / b
	if rest := math.FMA(-q, b, a); rest == 0 || rest != rest {
		return q
	} else if b < 0 {
		return sticky(q, -rest)
	} else {
		return sticky(q, rest)
	}
}

func root(x float64) float64 {
	s := math.Sqrt(x)
	return sticky(s, math.FMA(-s, s, x))
}

// kept returns what may be held of the result z of an operation: of the root, what is then rounded to the result's format.
func (d *Evaluation) kept(z float64, last bool) float64 {
	f := d.Claim.Format
	if d.Steering != nil {
		return d.steered(z, last)
	}
	r := RoundTo(f, z)
	if d.Claim.Exactly {
		return d.flushed(r)
	}
	style := d.Style
	if style < 0 {
		style = d.Rand.IntN(6)
	}
	finer := f
	switch style {
	case 0:
		return d.flushed(r)
	case 1:
		return d.flushed(z)
	case 2, 3:
		finer.P += 8 + d.Rand.IntN(6)
		if style == 3 {
			finer.Emin, finer.Emax = -126, 127
		}
		finer.MaxFinite = 1<<finer.P - 1
		r = RoundTo(finer, z)
		if d.Rand.IntN(2) == 0 {
			r = RoundTo(f, r)
		}
		return d.flushed(r)
	case 4:
		if !last && r != z && !math.IsInf(r, 0) {
			reach := Ulp(f, z) / 2
			if d.adding {
				// A sum's additions are rounded to some format that has f's numbers, which errs no more than f. One of a few bits more, or nearly none:
				if d.Rand.IntN(2) == 0 {
					finer.P += 1 + d.Rand.IntN(7)
					finer.MaxFinite = 1<<finer.P - 1
					return d.flushed(RoundTo(finer, z))
				}
				reach = min(math.Abs(r-z), reach*0x1p-8)
			}
			return d.flushed(z + float64((float64(2*float64(d.Rand.Float64()))-1)*reach))
		}
	}
	return d.flushed(r)
}

// Ulp returns the distance of f's numbers at z.
func Ulp(f model.Format, z float64) float64 {
	_, e := math.Frexp(z)
	if z == 0 {
		e = -2000
	}
	return math.Ldexp(1, max(e-1, f.Emin)-f.P+1)
}

// zero returns the zero that x becomes where f flushes it. That is x itself where it is one.
func (d *Evaluation) zero(f model.Flush, x float64) float64 {
	if f.AnySign && x != 0 && d.Rand.IntN(2) == 0 {
		x = -x
	}
	return math.Copysign(0, x)
}

func (d *Evaluation) flushed(x float64) float64 {
	if d.Claim.Flush.Out && math.Abs(x) < math.Ldexp(1, d.Claim.Format.Emin) && d.Rand.IntN(4) > 0 {
		return d.zero(d.Claim.Flush, x)
	}
	return x
}

// read returns an operand as an operation reads it.
func (d *Evaluation) read(x float64) float64 {
	if d.Claim.Flush.In && math.Abs(x) < math.Ldexp(1, d.Claim.Format.Emin) && d.Rand.IntN(4) > 0 {
		return d.zero(d.Claim.Flush, x)
	}
	return x
}

// promised returns the result of function op whose exact value is z, of the last operand x.
func (d *Evaluation) promised(op formula.Op, z, x float64, last bool) float64 {
	p := d.Claim.Functions.Ops[op]
	switch {
	case x != x:
		return z
	case p.None || p.To > 0 && !(math.Abs(x) >= p.From && math.Abs(x) <= p.To):
		return []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 1, -1e30, x}[d.Rand.IntN(7)]
	case z != z || math.IsInf(z, 0) || z == 0 && math.IsInf(x, 0):
		return z
	case p == (formula.Promise{}):
		return d.kept(z, last)
	case p == (formula.Promise{InRange: true}):
		return inRange(op, d.kept(z, last))
	}
	k := p.Ulps
	if p.Slope > 0 {
		k += math.Floor(p.Slope * math.Abs(x))
	}
	if p.OfRounded {
		k += 0.5
	}
	reach := k * Ulp(d.Claim.Format, z)
	if p.Abs > 0 && x >= p.Lo && x <= p.Hi {
		reach = p.Abs
	}
	reach = min(reach, math.MaxFloat64) // beyond all numbers it would be no factor
	way := d.push
	if d.Steering == nil {
		way = []float64{-1, 0, 1, float64(2*float64(d.Rand.Float64())) - 1}[d.Rand.IntN(4)]
	}
	w := z + float64(reach*(1-0x1p-20)*way)
	if p.InRange {
		w = inRange(op, w)
	}
	if r := RoundTo(d.Claim.Format, w); d.Claim.Exactly || d.Steering == nil && d.Rand.IntN(2) == 0 {
		if math.Abs(r-z) <= reach*(1-0x1p-20) || math.IsInf(r, 0) {
			return d.flushed(r)
		}
		if d.Claim.Exactly {
			return d.flushed(RoundTo(d.Claim.Format, z)) // none, or not found: the nearest is within every promise
		}
	}
	return d.flushed(w)
}

// inRange returns w, or the number next to it that is in op's range. Of exp and exp2, -0 is not.
func inRange(op formula.Op, w float64) float64 {
	switch op {
	case formula.OpSin, formula.OpCos, formula.OpSinPi, formula.OpCosPi, formula.OpTanh, formula.OpErf:
		return math.Copysign(min(math.Abs(w), 1), w)
	case formula.OpExp, formula.OpExp2:
		return max(w, 0)
	case formula.OpSqrt:
		if w < 0 {
			return 0
		}
	case formula.OpExpm1:
		return max(w, -1)
	}
	return w
}

// meaning returns one of those that m admits: a kernel keeps to it.
func (d *Evaluation) meaning(m formula.Meaning) formula.Meaning {
	if m == formula.AnyMeaning {
		return formula.Meaning(1 + d.Rand.IntN(3))
	}
	return m
}

// greater returns the greater of two, or the less if sign is -1, by one of the meanings.
func (d *Evaluation) greater(m formula.Meaning, x, y, sign float64) float64 {
	x, y = d.read(x), d.read(y)
	switch {
	case x != x || y != y:
		if m == formula.PropagateNaN || x != x && y != y {
			return math.NaN()
		}
		if x != x {
			return y
		}
		return x
	case x == y:
		if d.Rand.IntN(2) == 0 {
			return y
		}
		return x
	case sign*x > sign*y:
		return x
	}
	return y
}

func truthOf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// converted returns x, an operand of a real operation, as a real number: an integer is converted first.
func (d *Evaluation) converted(x float64, t formula.Type, isReal bool) float64 {
	if t.Int && isReal {
		return d.kept(x, false)
	}
	return d.read(x)
}

// scalar evaluates an elementwise operation.
func (d *Evaluation) scalar(e *formula.Expr, x []float64, last bool) float64 {
	n := e.Node()
	isReal := e.Type().IsReal()
	if n.Op != formula.OpSelect && n.Op != formula.OpStore {
		some := isReal
		for _, a := range n.Args {
			some = some || a.Type().IsReal()
		}
		for k, a := range n.Args {
			if n.Op != formula.OpMaximum && n.Op != formula.OpMinimum || a.Type().Int {
				x[k] = d.converted(x[k], a.Type(), some)
			}
		}
	}
	kept := func(z float64) float64 {
		if !isReal {
			return z
		}
		return d.promised(n.Op, z, x[len(n.Args)-1], last)
	}
	switch n.Op {
	case formula.OpAdd:
		return kept(plus(x[0], x[1]))
	case formula.OpSub:
		return kept(plus(x[0], -x[1]))
	case formula.OpMul:
		return kept(product(x[0], x[1]))
	case formula.OpDiv:
		return kept(quotientOf(x[0], x[1]))
	case formula.OpFMA:
		return kept(plus(product(x[0], x[1]), x[2]))
	case formula.OpQuo, formula.OpMod:
		if x[1] == 0 {
			return 0 // nothing is defined
		} else if n.Op == formula.OpQuo {
			return math.Floor(x[0] / x[1])
		}
		return x[0] - float64(x[1]*math.Floor(x[0]/x[1]))
	case formula.OpMaximum:
		return d.greater(d.meaning(n.Meaning), x[0], x[1], 1)
	case formula.OpMinimum:
		return d.greater(d.meaning(n.Meaning), x[0], x[1], -1)
	case formula.OpAbs:
		return math.Abs(x[0])
	case formula.OpNeg:
		return -x[0]
	case formula.OpLess:
		return truthOf(x[0] < x[1])
	case formula.OpLessEqual:
		return truthOf(x[0] <= x[1])
	case formula.OpEqual:
		return truthOf(x[0] == x[1])
	case formula.OpNot:
		return 1 - x[0]
	case formula.OpAnd:
		return float64(x[0] * x[1])
	case formula.OpOr:
		return max(x[0], x[1])
	case formula.OpSelect:
		if x[0] == 1 {
			return x[1]
		}
		return x[2]
	case formula.OpStore:
		return d.store(n, x[0], last)
	case formula.OpPow:
		return kept(math.Pow(x[0], x[1]))
	}
	if f, ok := wholeFunctions[n.Op]; ok {
		return f(x[0])
	}
	return kept(functions[n.Op](x[0]))
}

var wholeFunctions = map[formula.Op]func(float64) float64{
	formula.OpFloor: math.Floor, formula.OpCeil: math.Ceil, formula.OpTrunc: math.Trunc, formula.OpRound: math.RoundToEven,
	formula.OpUfp: func(x float64) float64 {
		if x == 0 || x != x || math.IsInf(x, 0) {
			return math.Abs(x)
		}
		_, e := math.Frexp(x)
		return math.Ldexp(1, e-1)
	},
}

// log2 is math.Log2, but for the numbers next to 1, at which that loses digits.
func log2(x float64) float64 {
	if 0.5 < x && x < 2 {
		return math.Log1p(x-1) / math.Ln2
	}
	return math.Log2(x)
}

// functions are of package math: within three units of binary64, far below what any claim here promises.
var functions = map[formula.Op]func(float64) float64{
	formula.OpSqrt: root, formula.OpRsqrt: func(x float64) float64 { return 1 / math.Sqrt(x) },
	formula.OpExp: math.Exp, formula.OpExp2: math.Exp2, formula.OpExpm1: math.Expm1,
	formula.OpLog: math.Log, formula.OpLog2: log2, formula.OpLog1p: math.Log1p,
	formula.OpSin: math.Sin, formula.OpCos: math.Cos, formula.OpTan: math.Tan,
	formula.OpSinPi: func(x float64) float64 { return halfTurns(x, 0) }, formula.OpCosPi: func(x float64) float64 { return halfTurns(x, 1) },
	formula.OpTanh: math.Tanh, formula.OpErf: math.Erf,
}

// halfTurns returns sin πx, quarter turns further on.
func halfTurns(x float64, quarters int) float64 {
	n := math.RoundToEven(2 * math.Mod(x, 2))
	r := float64((float64(2*math.Mod(x, 2)) - n) * (math.Pi / 2))
	y := math.Sin(r)
	if quarters += int(n); quarters&1 != 0 {
		y = math.Cos(r)
	}
	return float64(math.Copysign(1, float64(1-quarters&2)) * y)
}

// store converts x to a stored type.
func (d *Evaluation) store(n formula.Node, x float64, last bool) float64 {
	t := n.Type
	if t.IsReal() {
		if n.Overflow == formula.Saturate && math.Abs(x) > math.Ldexp(float64(t.Float.MaxFinite), t.Float.Emax-t.Float.P+1) {
			x = math.Copysign(math.Ldexp(float64(t.Float.MaxFinite), t.Float.Emax-t.Float.P+1), x)
		}
		r := d.halves(t, []float64{RoundTo(t.Float, x)}, []float64{x}, d.Claim.Flush16.Out)[0]
		if d.Claim.Exactly || d.Steering == nil && d.Rand.IntN(2) == 0 || d.push*(r-x) > 0 {
			return r
		}
		return x
	}
	lo, hi := t.Range()
	anything := math.Floor(lo + float64((hi-lo)*d.Rand.Float64()))
	if x != x {
		return anything
	}
	x = math.RoundToEven(x) + 0 // integers have no -0
	switch {
	case x >= lo && x <= hi:
		return x
	case n.Overflow == formula.Saturate:
		return min(max(x, lo), hi)
	case n.Overflow == formula.Wrap && math.Abs(x) < 1<<53:
		size := hi - lo + 1
		return x - float64(size*math.Floor((x-lo)/size))
	}
	return anything
}

// places returns where in a the elements stand that an array of the given axes, with element i at index, sees.
func (d *Evaluation) places(a *grid, axes []string) func(index []int) int {
	step := make([]int, len(axes))
	size := 1
	for k := len(a.axes) - 1; k >= 0; k-- {
		step[slices.Index(axes, a.axes[k])] = size
		size *= a.shape[k]
	}
	return func(index []int) int {
		at := 0
		for k, i := range index {
			at += i * step[k]
		}
		return at
	}
}

// Each visits the elements of an array of the given axes.
func (d *Evaluation) Each(axes []string, visit func(i int, index []int)) (shape []int, n int) {
	n = 1
	for _, x := range axes {
		shape = append(shape, d.Sizes[x])
		n *= d.Sizes[x]
	}
	index := make([]int, len(axes))
	for i := range n {
		visit(i, index)
		for k := len(axes) - 1; k >= 0; k-- {
			if index[k]++; index[k] < shape[k] {
				break
			}
			index[k] = 0
		}
	}
	return shape, n
}

// addUp adds terms in an order that o admits.
func (d *Evaluation) addUp(o formula.Order, x []float64, join func(a, b float64) float64, empty float64) float64 {
	return Combined(d, o, x, join, empty)
}

// Admits reports whether Combined has an order for sums of n terms that o admits. It has none for a height below that of lanes and a tree over them, which
// a sum in double words may claim.
func Admits(o formula.Order, n int) bool {
	lanes := min(o.Block, n)
	return lanes <= 0 || (n+lanes-1)/lanes-1+bits.Len(uint(lanes-1)) <= o.Height(n)
}

// Combined joins terms in an order that o admits: any, from the left, a balanced tree, or in lanes and a tree over them.
func Combined[T any](d *Evaluation, o formula.Order, x []T, join func(a, b T) T, empty T) T {
	if len(x) == 0 {
		return empty
	}
	x = slices.Clone(x)
	if lanes := min(o.Block, len(x)); lanes > 0 {
		d.Rand.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		for i := lanes; i < len(x); i++ {
			x[i%lanes] = join(x[i%lanes], x[i])
		}
		x = x[:lanes]
	}
	for len(x) > 1 {
		switch {
		case o.Left:
			x[1] = join(x[0], x[1])
			x = x[1:]
		case o.Log || o.Block > 0:
			var half []T
			for k := 0; k < len(x); k += 2 {
				if k+1 < len(x) {
					half = append(half, join(x[k], x[k+1]))
				} else {
					half = append(half, x[k])
				}
			}
			x = half
		default:
			i := d.Rand.IntN(len(x))
			x[0], x[i] = x[i], x[0]
			j := 1 + d.Rand.IntN(len(x)-1)
			x[j] = join(x[0], x[j])
			x = x[1:]
		}
	}
	return x[0]
}
