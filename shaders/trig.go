package shaders

import (
	_ "embed"
	"math"

	"gamma/model/formula"
)

//go:embed trig.metal
var trigSource string

//go:embed trig.h
var trigHeader string

// twoUlps is what the functions of trig.h promise, as those of package kernels/trig do, whose steps they have.
var twoUlps = formula.Accuracy{Name: "Cody and Waite, Payne and Hanek, polynomials of degree 7 and 8"}.
	With(formula.OpSin, formula.Promise{Ulps: 2, InRange: true}).
	With(formula.OpCos, formula.Promise{Ulps: 2, InRange: true}).
	With(formula.OpSinPi, formula.Promise{Ulps: 2, InRange: true}).
	With(formula.OpCosPi, formula.Promise{Ulps: 2, InRange: true})

// sine and cosine return the claims of functions that rise from -to to to, and fall from 0 to to, as those of kernels/trig do bit for bit.
func sine(to float64) formula.Claim {
	return formula.Claim{Symmetry: formula.Odd, Rising: []formula.Range{{From: -to, To: to}}}
}

func cosine(to float64) formula.Claim {
	return formula.Claim{Symmetry: formula.Even, Rising: []formula.Range{{From: -to, To: 0}}, Falling: []formula.Range{{From: 0, To: to}}}
}

func circular() []Formula {
	x := formula.Vector("x")
	of := func(function string, e *formula.Expr, c formula.Claim) Formula {
		f := describe("trig.metal", trigSource, function, e, elements(float32s))
		c.Functions = twoUlps
		f.Claim = c
		return f
	}
	return []Formula{
		of("sine", formula.Sin(x), sine(math.Pi/2)),
		of("cosine", formula.Cos(x), cosine(math.Pi)),
		of("sine_half_turns", formula.SinPi(x), sine(0.5)),
		of("cosine_half_turns", formula.CosPi(x), cosine(1)),
	}
}
