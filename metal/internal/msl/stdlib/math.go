package stdlib

import (
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// one returns the builder of a function that is an operation of one operand.
func one(op ir.Op) func(*call) (typed.Expr, error) {
	return func(c *call) (typed.Expr, error) {
		return &typed.Unary{Node: c.node(c.result), Op: op, X: c.args[0], FastFn: c.fast, PreciseFn: c.precise}, nil
	}
}

// two returns the builder of a function that is an operation of two operands.
func two(op ir.Op) func(*call) (typed.Expr, error) {
	return func(c *call) (typed.Expr, error) {
		return &typed.Binary{Node: c.node(c.result), Op: op, L: c.args[0], R: c.args[1], FastFn: c.fast, PreciseFn: c.precise}, nil
	}
}

// composed returns the builder of a function that is an expression of its arguments, each of which it may use any number of times.
func composed(body func(c *call, v []typed.Expr) typed.Expr) func(*call) (typed.Expr, error) {
	return func(c *call) (typed.Expr, error) {
		return c.inline(c.result, func(v []typed.Expr) typed.Expr { return body(c, v) }), nil
	}
}

// once returns the builder of a function that is an expression using each of its arguments once.
func once(body func(c *call, v []typed.Expr) typed.Expr) func(*call) (typed.Expr, error) {
	return func(c *call) (typed.Expr, error) { return body(c, c.args), nil }
}

func init() {
	for name, op := range map[string]ir.Op{
		"acos": ir.Acos, "acosh": ir.Acosh, "asin": ir.Asin, "asinh": ir.Asinh, "atan": ir.Atan, "atanh": ir.Atanh, "ceil": ir.Ceil,
		"cos": ir.Cos, "cosh": ir.Cosh, "cospi": ir.CosPi, "exp": ir.Exp, "exp2": ir.Exp2, "exp10": ir.Exp10, "fabs": ir.Abs,
		"abs": ir.Abs, "floor": ir.Floor, "fract": ir.Fract, "log": ir.Log, "log2": ir.Log2, "log10": ir.Log10, "rint": ir.Rint,
		"round": ir.Round, "rsqrt": ir.Rsqrt, "sin": ir.Sin, "sinh": ir.Sinh, "sinpi": ir.SinPi, "sqrt": ir.Sqrt, "tan": ir.Tan,
		"tanh": ir.Tanh, "tanpi": ir.TanPi, "trunc": ir.Trunc,
	} {
		define(name, line{sig: "T -> T", kinds: halfFloat, spec: true, build: one(op)})
	}
	for name, op := range map[string]ir.Op{
		"atan2": ir.Atan2, "copysign": ir.CopySign, "divide": ir.Div, "fdim": ir.Fdim, "fmax": ir.Max, "fmin": ir.Min, "max": ir.Max,
		"min": ir.Min, "fmod": ir.Fmod, "pow": ir.Pow, "powr": ir.Powr, "nextafter": ir.NextAfter,
	} {
		define(name, line{sig: "T T -> T", kinds: halfFloat, spec: true, build: two(op)})
	}
	three := func(names string, body func(c *call, v []typed.Expr) typed.Expr) {
		define(names, line{sig: "T T T -> T", kinds: halfFloat, spec: true, build: once(body)})
	}
	three("fma", func(c *call, v []typed.Expr) typed.Expr {
		return &typed.Ternary{Node: c.node(c.result), Op: ir.Fma, A: v[0], B: v[1], C: v[2]}
	})
	three("min3 fmin3", fold(ir.Min))
	three("max3 fmax3", fold(ir.Max))
	three("clamp", clamp)
	define("median3 fmedian3", line{sig: "T T T -> T", kinds: halfFloat, spec: true, build: composed(median)})
	define("saturate", line{sig: "T -> T", kinds: halfFloat, spec: true, build: once(func(c *call, v []typed.Expr) typed.Expr {
		return clamp(c, []typed.Expr{v[0], c.literal(c.typ, 0), c.literal(c.typ, 1)})
	})})
	mix := composed(func(c *call, v []typed.Expr) typed.Expr {
		return c.binary(ir.Add, v[0], c.binary(ir.Mul, c.binary(ir.Sub, v[1], v[0]), v[2]))
	})
	define("mix", line{sig: "T T T -> T", kinds: halfFloat, spec: true, build: mix})
	define("sign", line{sig: "T -> T", kinds: halfFloat, spec: true, build: composed(sign)})
	define("step", line{sig: "T T -> T", kinds: halfFloat, spec: true, build: composed(func(c *call, v []typed.Expr) typed.Expr {
		return c.choose(c.compare(ir.Lt, v[1], v[0]), c.literal(c.typ, 0), c.literal(c.typ, 1))
	})})
	define("smoothstep", line{sig: "T T T -> T", kinds: halfFloat, spec: true, build: composed(smoothstep)})

	define("ldexp", line{sig: "T I -> T", kinds: halfFloat, spec: true, build: two(ir.Ldexp)})
	define("ilogb", line{sig: "T -> I", kinds: halfFloat, spec: true, build: one(ir.Ilogb)})
	second := func(c *call) (typed.Expr, error) {
		bare, _, _ := space(c.name)
		return &typed.TwoResults{
			Node: c.node(c.result), Kind: bare, X: c.args[0], Out: c.places[1], FastFn: c.fast, PreciseFn: c.precise,
		}, nil
	}
	define("modf sincos", line{sig: "T &T -> T", kinds: halfFloat, spec: true, build: second})
	define("frexp", line{sig: "T &I -> T", kinds: halfFloat, spec: true, build: second})

	for name, op := range map[string]ir.Op{
		"isnan": ir.IsNaN, "isinf": ir.IsInf, "isfinite": ir.IsFinite, "isnormal": ir.IsNormal, "signbit": ir.SignBit,
	} {
		define(name, line{sig: "T -> B", kinds: halfFloat, build: one(op)})
	}
	define("isunordered", line{sig: "T T -> B", kinds: halfFloat, build: once(unordered)})
	define("isordered", line{sig: "T T -> B", kinds: halfFloat, build: once(func(c *call, v []typed.Expr) typed.Expr {
		return c.unary(ir.Not, unordered(c, v))
	})})
	define("select", line{
		sig: "T T B -> T", kinds: append(append([]ir.Type{ir.Bool, ir.BF16}, integers...), halfFloat...),
		build: once(func(c *call, v []typed.Expr) typed.Expr { return c.choose(v[2], v[1], v[0]) }),
	})
	define("all", line{sig: "T -> b", kinds: boolean, build: composed(foldElems(ir.And))})
	define("any", line{sig: "T -> b", kinds: boolean, build: composed(foldElems(ir.Or))})
}

// fold joins three operands from the left.
func fold(op ir.Op) func(c *call, v []typed.Expr) typed.Expr {
	return func(c *call, v []typed.Expr) typed.Expr { return c.binary(op, c.binary(op, v[0], v[1]), v[2]) }
}

// foldElems joins the elements of a vector from the left.
func foldElems(op ir.Op) func(c *call, v []typed.Expr) typed.Expr {
	return func(c *call, v []typed.Expr) typed.Expr {
		x := c.elem(v[0], 0)
		for i := 1; i < c.width(); i++ {
			x = c.binary(op, x, c.elem(v[0], i))
		}
		return x
	}
}

// clamp is min(max(x, low), high).
func clamp(c *call, v []typed.Expr) typed.Expr {
	return c.binary(ir.Min, c.binary(ir.Max, v[0], v[1]), v[2])
}

// median is max(min(a, b), min(max(a, b), c)).
func median(c *call, v []typed.Expr) typed.Expr {
	return c.binary(ir.Max, c.binary(ir.Min, v[0], v[1]), c.binary(ir.Min, c.binary(ir.Max, v[0], v[1]), v[2]))
}

// sign is ±1 of numbers, ±0 of zeros and 0 of a NaN.
func sign(c *call, v []typed.Expr) typed.Expr {
	zero, x := c.literal(c.typ, 0), v[0]
	signed := c.choose(c.compare(ir.Eq, x, zero), x, zero)
	return c.choose(c.compare(ir.Lt, zero, x), c.literal(c.typ, 1), c.choose(c.compare(ir.Lt, x, zero), c.literal(c.typ, -1), signed))
}

// smoothstep is t·t·(3-2t), t being (x-a)/(b-a) between 0 and 1.
func smoothstep(c *call, v []typed.Expr) typed.Expr {
	t := c.binary(ir.Div, c.binary(ir.Sub, v[2], v[0]), c.binary(ir.Sub, v[1], v[0]))
	t = clamp(c, []typed.Expr{t, c.literal(c.typ, 0), c.literal(c.typ, 1)})
	return c.with([]typed.Expr{t}, c.typ, func(v []typed.Expr) typed.Expr {
		t := v[0]
		return c.binary(ir.Mul, c.binary(ir.Mul, t, t),
			c.binary(ir.Sub, c.literal(c.typ, 3), c.binary(ir.Mul, c.literal(c.typ, 2), t)))
	})
}

// unordered reports whether one of two operands is a NaN.
func unordered(c *call, v []typed.Expr) typed.Expr {
	return c.binary(ir.Or, c.test(ir.IsNaN, v[0]), c.test(ir.IsNaN, v[1]))
}
