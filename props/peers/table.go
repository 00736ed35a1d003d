package main

import (
	"gamma/model"
	"gamma/model/formula"
)

// libraries is the table of what is judged.
func libraries() []library {
	var list []library
	list = append(list, blases()...)
	return append(list, numpy(), scipy(), torch(), gsl(), glibc(), sleef(), qd(), flint(), ntl(), fftwTransforms(), kissfftTransforms())
}

// anyOrder is what every sum promises: each term is added once, in an order that nobody says. Its rounding errors are within γ_(n-1) of the sum of magnitudes.
var anyOrder = source{
	"No error is documented. What every sum of floating-point numbers promises, whatever its order, is the bound γ of its number of additions",
	"[Higham 2002] §4.2 and §3.1",
}

// binary64 is the claim of kernels in that format.
var binary64 = model.Claim{In: model.Binary64}

// vector64 and matrix64 are inputs of binary64 numbers.
func array64(name string, axes ...string) *formula.Expr {
	return formula.Input(name, formula.Float(model.Binary64), axes...)
}
