package stdlib

import (
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

func init() {
	for name, op := range map[string]ir.Op{
		"clz": ir.Clz, "ctz": ir.Ctz, "popcount": ir.Popcount, "reverse_bits": ir.ReverseBits,
	} {
		define(name, line{sig: "T -> T", kinds: integers, build: one(op)})
	}
	define("abs", line{sig: "T -> T", kinds: integers, build: once(func(c *call, v []typed.Expr) typed.Expr {
		if !isSigned(c.kind()) {
			return v[0]
		}
		return c.unary(ir.Abs, v[0])
	})})
	for name, op := range map[string]ir.Op{
		"addsat": ir.AddSat, "subsat": ir.SubSat, "hadd": ir.HAdd, "rhadd": ir.RHAdd, "mulhi": ir.MulHi, "max": ir.Max, "min": ir.Min,
		"rotate": ir.Rotate,
	} {
		define(name, line{sig: "T T -> T", kinds: integers, build: two(op)})
	}
	define("absdiff", line{sig: "T T -> U", kinds: integers, build: once(func(c *call, v []typed.Expr) typed.Expr {
		return convert(c.binary(ir.AbsDiff, v[0], v[1]), c.result)
	})})
	three := func(names string, kinds []ir.Type, body func(c *call, v []typed.Expr) typed.Expr) {
		define(names, line{sig: "T T T -> T", kinds: kinds, build: once(body)})
	}
	three("clamp", integers, clamp)
	three("min3", integers, fold(ir.Min))
	three("max3", integers, fold(ir.Max))
	define("median3", line{sig: "T T T -> T", kinds: integers, build: composed(median)})
	three("madhi", integers, func(c *call, v []typed.Expr) typed.Expr {
		return c.wrapping(ir.Add, c.binary(ir.MulHi, v[0], v[1]), v[2])
	})
	define("madsat", line{sig: "T T T -> T", kinds: integers, build: composed(madsat)})
	three("mad24", words, func(c *call, v []typed.Expr) typed.Expr {
		return c.wrapping(ir.Add, c.wrapping(ir.Mul, c.low24(v[0]), c.low24(v[1])), v[2])
	})
	define("mul24", line{sig: "T T -> T", kinds: words, build: once(func(c *call, v []typed.Expr) typed.Expr {
		return c.wrapping(ir.Mul, c.low24(v[0]), c.low24(v[1]))
	})})
	define("extract_bits", line{sig: "T u u -> T", kinds: integers, build: once(func(c *call, v []typed.Expr) typed.Expr {
		n := c.width()
		return &typed.Ternary{Node: c.node(c.typ), Op: ir.ExtractBits, A: v[0], B: c.spread(v[1], n), C: c.spread(v[2], n)}
	})})
	define("insert_bits", line{sig: "T T u u -> T", kinds: integers, build: once(func(c *call, v []typed.Expr) typed.Expr {
		n := c.width()
		return &typed.Quaternary{
			Node: c.node(c.typ), Op: ir.InsertBits, A: v[0], B: v[1], C: c.spread(v[2], n), D: c.spread(v[3], n),
		}
	})})
}

// spread makes a vector of n elements of a scalar; n = 1 leaves it.
func (c *call) spread(x typed.Expr, n int) typed.Expr {
	return convert(x, wide(kindOf(x.ExprType()), n))
}

// wrapping is an operation of two integers that wraps: it is done without signs.
func (c *call) wrapping(op ir.Op, l, r typed.Expr) typed.Expr {
	t := l.ExprType()
	k, n := shape(t)
	u := wide(unsignedOf(k), n)
	return convert(c.binary(op, convert(l, u), convert(r, u)), t)
}

// low24 is the low 24 bits, with their sign.
func (c *call) low24(x typed.Expr) typed.Expr {
	u := scalars[ir.U32]
	n := c.width()
	return &typed.Ternary{
		Node: c.node(c.typ), Op: ir.ExtractBits, A: x,
		B: c.spread(c.literal(u, 0), n), C: c.spread(c.literal(u, 24), n),
	}
}

// madsat is a·b+c, the nearest value of the type.
func madsat(c *call, v []typed.Expr) typed.Expr {
	k, n := shape(c.typ)
	if bitsOf(k) < 64 {
		w := ir.I64
		if !isSigned(k) {
			w = ir.U64
		}
		t := wide(w, n)
		x := c.binary(ir.Add, c.binary(ir.Mul, convert(v[0], t), convert(v[1], t)), convert(v[2], t))
		low, high := limits(k)
		x = c.binary(ir.Min, x, c.literal(t, high))
		if isSigned(k) {
			x = c.binary(ir.Max, x, c.literal(t, low))
		}
		return convert(x, c.typ)
	}
	s, u := wide(ir.I64, n), wide(ir.U64, n)
	low := c.binary(ir.Mul, convert(v[0], u), convert(v[1], u))
	high := convert(c.binary(ir.MulHi, v[0], v[1]), u)
	return c.with([]typed.Expr{low, high, v[2]}, c.typ, func(p []typed.Expr) typed.Expr {
		low, high, z := p[0], p[1], p[2]
		sum := c.binary(ir.Add, low, convert(z, u))
		carry := convert(c.compare(ir.Lt, sum, low), u)
		if !isSigned(k) {
			over := c.compare(ir.Ne, c.binary(ir.Or, high, carry), c.literal(u, 0))
			return c.choose(over, c.literal(u, -1), sum)
		}
		high = c.binary(ir.Add, c.binary(ir.Add, high, convert(c.binary(ir.Shr, z, c.literal(s, 63)), u)), carry)
		return c.with([]typed.Expr{convert(sum, s), convert(high, s)}, c.typ, func(p []typed.Expr) typed.Expr {
			sum, high := p[0], p[1]
			least, most := limits(k)
			fits := c.compare(ir.Eq, high, c.binary(ir.Shr, sum, c.literal(s, 63)))
			end := c.choose(c.compare(ir.Lt, high, c.literal(s, 0)), c.literal(s, least), c.literal(s, most))
			return c.choose(fits, sum, end)
		})
	})
}

// limits returns the least and the greatest value of an integer kind; of ulong the greatest is -1, its bits.
func limits(k ir.Type) (low, high int64) {
	b := bitsOf(k)
	switch {
	case isSigned(k):
		return -1 << (b - 1), 1<<(b-1) - 1
	case b == 64:
		return 0, -1
	}
	return 0, 1<<b - 1
}
