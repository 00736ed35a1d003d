package shaders

import (
	_ "embed"

	"gamma/model"
	"gamma/model/formula"
)

//go:embed conv.metal
var convSource string

// longConvolutions returns the steps of a long convolution: of rows of n numbers, or of spectra of f complex numbers, whose parts lie along the axis z, for
// a batch b of c channels.
func longConvolutions() []Formula {
	array := func(name string, axes ...string) *formula.Expr {
		return formula.Input(name, formula.Float(model.Binary32), axes...)
	}
	x, scale, index := array("x", "b", "c", "f", "z"), formula.Scalar("scale"), formula.Index
	// Part z of a product is the sum over q of x's part q by the filter's part z + q modulo 2, less where z is 0 and q is 1.
	other := formula.Gather(array("k", "c", "f", "z"), "z", formula.Mod(formula.Add(index("z"), index("q")), formula.Integer(2)), formula.Const(0))
	signed := formula.Mul(other, formula.Select(formula.Less(index("z"), index("q")), formula.Const(-1), formula.Const(1)))
	product := formula.InOrder(formula.Mul(formula.Dot(formula.Rename(x, "z", "q"), signed, "q"), scale), "b", "c", "f", "z")
	finish := formula.Mul(formula.Add(array("y", "b", "c", "n"), array("bias", "c")), array("gate", "b", "c", "n"))
	taps := formula.DepthwiseConv(array("x", "b", "c", "n"), array("w", "c", "tap"), "n", "tap", 2)

	step := func(function string, f *formula.Expr, fixed map[string]int, inputs []string, sizes func(a Arrays) (count int, more []Arg)) Formula {
		k := describe("conv.metal", convSource, function, f, func(p Program) func(*Runner, model.Launch, Arrays) error {
			return func(r *Runner, l model.Launch, a Arrays) error {
				count, more := sizes(a)
				l.Groups = model.Size3{X: (count + l.Threads.X - 1) / l.Threads.X, Y: 1, Z: 1}
				return p.compute(float32s, r, l, a, inputs, nil, append([]Arg{Uint(count)}, more...)...)
			}
		})
		k.Fixed = fixed
		return k
	}
	spectra := func(a Arrays) (int, []Arg) {
		filters := a.Size("c") * a.Size("f")
		return a.Size("b") * filters, []Arg{Uint(filters)}
	}
	rows := func(a Arrays) (int, []Arg) {
		return a.Size("b") * a.Size("c") * a.Size("n"), []Arg{Uint(a.Size("n")), Uint(a.Size("c"))}
	}
	parts := map[string]int{"z": 2}
	extended := step("spectrum_product_extended", product, parts, []string{"x", "k", "scale"}, spectra)
	extended.Claim.Finite = true
	// A device may read subnormal operands as 0. lost is what that takes from one.
	lost := func(v *formula.Expr) *formula.Expr {
		return formula.Select(formula.Less(formula.Abs(v), formula.Const(0x1p-126)), formula.Abs(v), formula.Const(0))
	}
	dot := func(a, b *formula.Expr) *formula.Expr { return formula.Dot(a, b, "q") }
	a, b := formula.Abs(formula.Rename(x, "z", "q")), formula.Abs(other)
	extended.Claim.Within = sumOf(
		formula.Mul(formula.Const(6*0x1p-48), formula.Abs(product)),
		formula.Mul(formula.Const(0x1p-122), formula.Add(formula.Abs(scale), formula.Const(1))),
		formula.Mul(formula.Add(dot(lost(a), b), dot(a, lost(b))), formula.Abs(scale)),
		formula.Mul(dot(a, b), lost(scale)),
	)
	return []Formula{
		step("spectrum_product", product, parts, []string{"x", "k", "scale"}, spectra),
		extended,
		step("bias_gate", formula.InOrder(finish, "b", "c", "n"), nil, []string{"y", "bias", "gate"}, rows),
		step("depthwise3", formula.InOrder(taps, "b", "c", "n"), map[string]int{"tap": 3}, []string{"x", "w"}, rows),
	}
}

// sumOf returns the sum of terms.
func sumOf(terms ...*formula.Expr) *formula.Expr {
	s := terms[0]
	for _, t := range terms[1:] {
		s = formula.Add(s, t)
	}
	return s
}
