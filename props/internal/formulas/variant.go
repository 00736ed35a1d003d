package formulas

import (
	"fmt"
	"math"
	"slices"

	"gamma/model/formula"
)

// fitsFormula is how a cause begins that is another formula.
const fitsFormula = "the results fit the formula "

// rewriting is a fault as another expression for a node: of gives it, and the fault in words, or nil.
type rewriting struct {
	of func(e *formula.Expr) (*formula.Expr, string)
	// each says that the fault is in one node; otherwise it is in all that it applies to.
	each bool
	// special says that only an input with a NaN shows it.
	special bool
	// rounds says that without rounding it is the same as the formula.
	rounds bool
}

// named returns a rewriting of all nodes, in constant words.
func named(text string, change func(n formula.Node) *formula.Expr) rewriting {
	return rewriting{of: func(e *formula.Expr) (*formula.Expr, string) { return change(e.Node()), text }}
}

// rewritings are the faults of a formula that are looked for.
var rewritings = []rewriting{
	named("without the maximum that is subtracted", func(n formula.Node) *formula.Expr {
		if n.Op == formula.OpSub && n.Args[1].Node().Op == formula.OpMax {
			return n.Args[0]
		}
		return nil
	}),
	{of: named("with E[x²] - E[x]² as the variance", onePass).of, rounds: true},
	named("with epsilon outside of the root", outsideRoot),
	named("without scaling by a power of two, so that squares overflow or vanish", func(n formula.Node) *formula.Expr {
		if n.Op == formula.OpUfp {
			return formula.Const(1)
		}
		return nil
	}),
	named("with the last of equal elements", func(n formula.Node) *formula.Expr {
		if (n.Op == formula.OpArgMax || n.Op == formula.OpArgMin) && n.Ties == formula.FirstTie {
			n.Ties = formula.LastTie
			return formula.New(n)
		}
		return nil
	}),
	{of: named("with a greatest or least element that passes over NaN", passing).of, special: true},
	{of: dropped, each: true},
	{of: swapped, each: true},
	{of: maskOff(func(a, b *formula.Expr) *formula.Expr { return formula.Less(formula.Add(a, formula.Integer(1)), b) }), each: true},
	{of: maskOff(func(a, b *formula.Expr) *formula.Expr { return formula.Less(a, formula.Add(b, formula.Integer(1))) }), each: true},
	// The same, where the first place stays seen: a row of which nothing is seen has no softmax.
	{of: maskOff(func(a, b *formula.Expr) *formula.Expr {
		return formula.Less(formula.Maximum(a, formula.Integer(1)), formula.Add(b, formula.Integer(1)))
	}), each: true},
	{of: func(e *formula.Expr) (*formula.Expr, string) {
		if n := e.Node(); ofPlaces(e) {
			return formula.Less(n.Args[0], n.Args[0]), "without the mask" // which holds nowhere
		}
		return nil, ""
	}, each: true},
}

// rewritten returns variants in which an operation of the formula is another, or is left out.
func (r *run) rewritten() (list []variant) {
	f := r.k.Formula
	for _, w := range rewritings {
		if !w.each {
			text := ""
			e := f.Replace(func(e *formula.Expr) *formula.Expr {
				changed, why := w.of(e)
				if changed != nil {
					text = why
				}
				return changed
			})
			if text == "" {
				continue
			}
			for _, v := range r.fitting(fitsFormula+text, e, r.k.Claim) {
				if w.special {
					v.shows = func(t *Trial, o *observed) bool {
						t.arrays(o.c)
						return t.special
					}
				}
				v.rounds = w.rounds
				list = append(list, v)
			}
			continue
		}
		for _, old := range f.Nodes() {
			if changed, text := w.of(old); changed != nil {
				list = append(list, r.fitting(fitsFormula+text, replaced(f, old, changed), r.k.Claim)...)
			}
		}
	}
	return list
}

// replaced returns f with one node replaced.
func replaced(f, old, changed *formula.Expr) *formula.Expr {
	return f.Replace(func(e *formula.Expr) *formula.Expr {
		if e == old {
			return changed
		}
		return nil
	})
}

// onePass returns E[x²] - E[x]² for a mean of squares of deviations.
func onePass(n formula.Node) *formula.Expr {
	if n.Op != formula.OpDiv || n.Args[0].Node().Op != formula.OpSum {
		return nil
	}
	sum := n.Args[0].Node()
	square := sum.Args[0].Node()
	if square.Op != formula.OpMul || square.Args[0] != square.Args[1] {
		return nil
	}
	deviation := square.Args[0].Node()
	scaled := func(e *formula.Expr) *formula.Expr { return e }
	if deviation.Op == formula.OpDiv { // by a unit that keeps squares from overflowing
		unit := deviation.Args[1]
		scaled = func(e *formula.Expr) *formula.Expr { return formula.Div(e, unit) }
		deviation = deviation.Args[0].Node()
	}
	if deviation.Op != formula.OpSub {
		return nil
	}
	x, mean := scaled(deviation.Args[0]), scaled(deviation.Args[1])
	return formula.Sub(formula.Div(formula.Sum(formula.Mul(x, x), sum.Axes...), n.Args[1]), formula.Mul(mean, mean))
}

// passing returns a greatest or least element of those that are no NaN; if all are, that of nothing.
func passing(n formula.Node) *formula.Expr {
	end := math.Inf(-1)
	switch n.Op {
	case formula.OpMin, formula.OpScanMin:
		end = math.Inf(1)
	case formula.OpMax, formula.OpScanMax:
	default:
		return nil
	}
	x := n.Args[0]
	if n.Meaning == formula.IgnoreNaN || n.Meaning == formula.CMeaning || !x.Type().IsReal() {
		return nil
	}
	n.Args = []*formula.Expr{formula.Select(formula.Equal(x, x), x, formula.Const(end))}
	return formula.New(n)
}

// outsideRoot returns √x + ε, or its reciprocal, for a root of x + ε.
func outsideRoot(n formula.Node) *formula.Expr {
	if n.Op != formula.OpRsqrt && n.Op != formula.OpSqrt || n.Args[0].Node().Op != formula.OpAdd || !isConstant(n.Args[0].Node().Args[1]) {
		return nil
	}
	in := n.Args[0].Node()
	root := formula.Add(formula.Sqrt(in.Args[0]), in.Args[1])
	if n.Op == formula.OpRsqrt {
		return formula.Div(formula.Const(1), root)
	}
	return root
}

// isConstant reports whether e is one number for all elements, which depends on scalar inputs and on sizes alone.
func isConstant(e *formula.Expr) bool {
	return !slices.ContainsFunc(e.Nodes(), func(e *formula.Expr) bool {
		op := e.Node().Op
		return len(e.Axes()) > 0 || op.Class() == formula.Reduction || op == formula.OpIndex
	})
}

// isFactor reports whether e, of an operation on more axes, is a scale: a constant, or an input for some axes.
func isFactor(e *formula.Expr, axes []string) bool {
	return isConstant(e) || e.Node().Op == formula.OpInput && len(e.Axes()) < len(axes)
}

// nameOf returns what a factor or term is called.
func nameOf(e *formula.Expr) string {
	switch n := e.Node(); {
	case n.Op == formula.OpInput:
		return n.Name
	case n.Op == formula.OpConst:
		return e.String()
	}
	return "that is constant"
}

// dropped leaves out an operation.
func dropped(e *formula.Expr) (*formula.Expr, string) {
	switch n := e.Node(); {
	case n.Op == formula.OpRsqrt:
		return formula.Div(formula.Const(1), n.Args[0]), "without the root of a reciprocal"
	case n.Op.Class() == formula.Elementwise && len(n.Args) == 1 && n.Op != formula.OpStore && n.Op != formula.OpUfp:
		return n.Args[0], "without " + n.Op.String()
	case n.Op == formula.OpDiv && n.Args[1].Node().Op == formula.OpLen:
		size := n.Args[1].Node().Axes[0]
		return formula.Div(n.Args[0], formula.Sub(n.Args[1], formula.Integer(1))), fmt.Sprintf("with %s-1 in the place of %s in a division", size, size)
	case n.Op == formula.OpMul && isFactor(n.Args[0], e.Axes()):
		return n.Args[1], "without the factor " + nameOf(n.Args[0])
	case (n.Op == formula.OpMul || n.Op == formula.OpDiv) && isFactor(n.Args[1], e.Axes()):
		return n.Args[0], "without the factor " + nameOf(n.Args[1])
	case n.Op == formula.OpAdd && n.Args[1].Node().Op == formula.OpInput:
		return n.Args[0], "without adding " + nameOf(n.Args[1])
	case n.Op == formula.OpAdd && isConstant(n.Args[1]):
		return n.Args[0], "without adding " + nameOf(n.Args[1])
	}
	return nil, ""
}

// applied returns the operation of one operand that e is, a square among them, as a function, and its operand.
func applied(e *formula.Expr) (apply func(*formula.Expr) *formula.Expr, name string, operand *formula.Expr) {
	switch n := e.Node(); {
	case n.Op == formula.OpMul && n.Args[0] == n.Args[1]:
		return func(x *formula.Expr) *formula.Expr { return formula.Mul(x, x) }, "the square", n.Args[0]
	case n.Op.Class() == formula.Elementwise && len(n.Args) == 1 && n.Op != formula.OpStore && n.Op != formula.OpUfp,
		len(n.Args) == 1 && (n.Op == formula.OpSum || n.Op == formula.OpMax || n.Op == formula.OpMin):
		return func(x *formula.Expr) *formula.Expr {
			n.Args = []*formula.Expr{x}
			return formula.New(n)
		}, n.Op.String(), n.Args[0]
	}
	return nil, "", nil
}

// swapped has two operations of one operand in the other order: the greatest magnitude is then the magnitude of the greatest.
func swapped(e *formula.Expr) (*formula.Expr, string) {
	outer, second, in := applied(e)
	if outer == nil {
		return nil, ""
	}
	inner, first, x := applied(in)
	if inner == nil {
		return nil, ""
	}
	return inner(outer(x)), "with " + second + " before " + first
}

// ofPlaces reports whether e compares places along axes.
func ofPlaces(e *formula.Expr) bool {
	n := e.Node()
	return (n.Op == formula.OpLess || n.Op == formula.OpLessEqual) && slices.ContainsFunc(n.Args, func(a *formula.Expr) bool { return a.Node().Op == formula.OpIndex })
}

// maskOff has another comparison of places.
func maskOff(change func(a, b *formula.Expr) *formula.Expr) func(e *formula.Expr) (*formula.Expr, string) {
	return func(e *formula.Expr) (*formula.Expr, string) {
		n := e.Node()
		if n.Op != formula.OpLess || !ofPlaces(e) {
			return nil, ""
		}
		return change(n.Args[0], n.Args[1]), "with the mask shifted by one place"
	}
}

// share is a part of the terms of a sum, by their places i of n, in groups of w, and how often it counts.
type share struct {
	text  string
	alike string
	// in says which terms these are, and times how often they count: not at all, or twice.
	in    func(i, n, w *formula.Expr) *formula.Expr
	twice bool
}

// shares are the parts of sums that kernels lose or add twice.
var shares = func() []share {
	whole := func(n, w *formula.Expr) *formula.Expr { return formula.Mul(formula.Quo(n, w), w) }
	last := func(n, w *formula.Expr) *formula.Expr {
		return whole(formula.Sub(n, formula.Integer(1)), w) // where the last group begins, whole or not
	}
	from := func(i, at *formula.Expr) *formula.Expr { return formula.LessEqual(at, i) }
	first := func(i, _, w *formula.Expr) *formula.Expr { return formula.Less(i, w) }
	second := func(i, _, w *formula.Expr) *formula.Expr {
		return formula.And(from(i, w), formula.Less(i, formula.Add(w, w)))
	}
	const lost, doubled = "without one tile of the terms of a sum", "with one tile of the terms of a sum added twice"
	partial := "without the last partial group of the terms of a sum"
	return []share{
		{partial, tail, func(i, n, w *formula.Expr) *formula.Expr { return from(i, whole(n, w)) }, false},
		{partial + ", if there is a whole one", tail, func(i, n, w *formula.Expr) *formula.Expr {
			return formula.And(from(i, whole(n, w)), formula.LessEqual(w, n))
		}, false},
		{"without the last group of the terms of a sum, as where one simdgroup fewer is added", tail, func(i, n, w *formula.Expr) *formula.Expr { return from(i, last(n, w)) }, false},
		{"with the last tile of the terms of a sum alone, as where acc = stands for acc +=", "", func(i, n, w *formula.Expr) *formula.Expr { return formula.Less(i, last(n, w)) }, false},
		{lost, "", first, false},
		{lost, "", second, false},
		{doubled, "", first, true},
		{doubled, "", second, true},
		{doubled, "", func(i, n, w *formula.Expr) *formula.Expr { return from(i, last(n, w)) }, true},
	}
}()

// partial returns variants in which a part of the terms of one sum is left out, or is added twice.
func (r *run) partial() (list []variant) {
	for _, old := range r.k.Formula.Nodes() {
		n := old.Node()
		if n.Op != formula.OpSum && n.Op != formula.OpDot || len(n.Axes) != 1 {
			continue
		}
		axis, x := n.Axes[0], n.Args[0]
		for width := 4; width <= 64; width *= 2 {
			for _, s := range shares {
				in := s.in(formula.Index(axis), formula.Len(axis), formula.Integer(int64(width)))
				zero, two := formula.Const(0), formula.Const(2)
				if !x.Type().IsReal() {
					zero, two = formula.Integer(0), formula.Integer(2)
				}
				other := zero
				if s.twice {
					other = formula.Mul(two, x)
				}
				changed := n
				changed.Args = slices.Clone(n.Args)
				changed.Args[0] = formula.Select(in, other, x)
				for _, v := range r.fitting(fitsFormula+s.text, replaced(r.k.Formula, old, formula.New(changed)), r.k.Claim) {
					v.alike = s.alike
					shows := v.shows
					v.shows = func(t *Trial, o *observed) bool {
						size, _ := o.c.Size(axis)
						return size > width && shows(t, o)
					}
					list = append(list, v)
				}
			}
		}
	}
	return list
}
