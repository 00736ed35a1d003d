package stdlib

import (
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

func init() {
	vector := func(names, sig string, body func(c *call, v []typed.Expr) typed.Expr) {
		define(names, line{sig: sig, kinds: halfFloat, from: 2, to: 4, spec: true, build: composed(body)})
	}
	vector("dot", "T T -> S", func(c *call, v []typed.Expr) typed.Expr { return c.dot(v[0], v[1]) })
	vector("length_squared", "T -> S", func(c *call, v []typed.Expr) typed.Expr { return c.dot(v[0], v[0]) })
	vector("length", "T -> S", func(c *call, v []typed.Expr) typed.Expr { return c.unary(ir.Sqrt, c.dot(v[0], v[0])) })
	vector("distance_squared", "T T -> S", func(c *call, v []typed.Expr) typed.Expr {
		return c.ofDifference(v, func(d typed.Expr) typed.Expr { return c.dot(d, d) })
	})
	vector("distance", "T T -> S", func(c *call, v []typed.Expr) typed.Expr {
		return c.ofDifference(v, func(d typed.Expr) typed.Expr { return c.unary(ir.Sqrt, c.dot(d, d)) })
	})
	vector("normalize", "T -> T", func(c *call, v []typed.Expr) typed.Expr {
		return c.binary(ir.Mul, v[0], c.spread(c.unary(ir.Rsqrt, c.dot(v[0], v[0])), c.width()))
	})
	vector("faceforward", "T T T -> T", func(c *call, v []typed.Expr) typed.Expr {
		back := c.compare(ir.Lt, c.dot(v[2], v[1]), c.literal(c.element(), 0))
		return c.choose(c.spread(back, c.width()), v[0], c.unary(ir.Neg, v[0]))
	})
	vector("reflect", "T T -> T", func(c *call, v []typed.Expr) typed.Expr {
		twice := c.binary(ir.Mul, c.literal(c.element(), 2), c.dot(v[1], v[0]))
		return c.binary(ir.Sub, v[0], c.binary(ir.Mul, c.spread(twice, c.width()), v[1]))
	})
	define("refract", line{sig: "T T S -> T", kinds: halfFloat, from: 2, to: 4, spec: true, build: composed(refract)})
	define("cross", line{sig: "T T -> T", kinds: halfFloat, from: 3, to: 3, spec: true, build: composed(cross)})
}

func (c *call) element() typed.Type { return scalars[c.kind()] }

// dot is the products of the elements, added in the elements' order.
func (c *call) dot(x, y typed.Expr) typed.Expr {
	sum := c.binary(ir.Mul, c.elem(x, 0), c.elem(y, 0))
	for i := 1; i < c.width(); i++ {
		sum = c.binary(ir.Add, sum, c.binary(ir.Mul, c.elem(x, i), c.elem(y, i)))
	}
	return sum
}

// ofDifference gives a function of v[0]-v[1].
func (c *call) ofDifference(v []typed.Expr, body func(d typed.Expr) typed.Expr) typed.Expr {
	d := c.binary(ir.Sub, v[0], v[1])
	return c.with([]typed.Expr{d}, c.result, func(p []typed.Expr) typed.Expr { return body(p[0]) })
}

func cross(c *call, v []typed.Expr) typed.Expr {
	m := &typed.MakeVector{Node: c.node(c.typ)}
	for _, i := range [][2]int{{1, 2}, {2, 0}, {0, 1}} {
		m.Elems = append(m.Elems, c.binary(ir.Sub,
			c.binary(ir.Mul, c.elem(v[0], i[0]), c.elem(v[1], i[1])),
			c.binary(ir.Mul, c.elem(v[0], i[1]), c.elem(v[1], i[0]))))
	}
	return m
}

// refract is eta·i - (eta·(n·i) + √k)·n, k being 1 - eta²·(1 - (n·i)²), and zero if k is below zero.
func refract(c *call, v []typed.Expr) typed.Expr {
	s, n := c.element(), c.width()
	return c.with([]typed.Expr{v[0], v[1], v[2], c.dot(v[1], v[0])}, c.typ, func(p []typed.Expr) typed.Expr {
		eta, d := p[2], p[3]
		k := c.binary(ir.Sub, c.literal(s, 1),
			c.binary(ir.Mul, c.binary(ir.Mul, eta, eta), c.binary(ir.Sub, c.literal(s, 1), c.binary(ir.Mul, d, d))))
		return c.with([]typed.Expr{p[0], p[1], eta, d, k}, c.typ, func(p []typed.Expr) typed.Expr {
			eta, d, k := p[2], p[3], p[4]
			none := c.compare(ir.Lt, k, c.literal(s, 0))
			root := c.unary(ir.Sqrt, c.choose(none, c.literal(s, 0), k))
			out := c.binary(ir.Sub, c.binary(ir.Mul, c.spread(eta, n), p[0]),
				c.binary(ir.Mul, c.spread(c.binary(ir.Add, c.binary(ir.Mul, eta, d), root), n), p[1]))
			return c.choose(c.spread(none, n), c.literal(c.typ, 0), out)
		})
	})
}
