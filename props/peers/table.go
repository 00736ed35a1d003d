package main

import (
	"gamma/model"
	"gamma/model/formula"
)

// libraries is the table of what is judged.
func libraries() []library {
	var list []library
	list = append(list, blases()...)
	list = append(list, numpy(), scipy(), torch(), gsl(), gslFunctions(), glibc(), sleef(), qd(), flint(), ntl(), fftwTransforms(), kissfftTransforms())
	return append(list, modules()...)
}

// anyOrder is what every sum promises: each term is added once, in an order that nobody says. Its rounding errors are within γ_(n-1) of the sum of magnitudes.
var anyOrder = source{
	"No error is documented. What every sum of floating-point numbers promises, whatever its order, is the bound γ of its number of additions",
	"[Higham 2002] §4.2 and §3.1",
}

// array64 is an input of binary64 numbers.
func array64(name string, axes ...string) *formula.Expr {
	return formula.Input(name, formula.Float(model.Binary64), axes...)
}

// modules are the libraries in Go that this program links.
func modules() []library {
	order := source{"No order and no error is documented; what every sum and product promises is claimed", "gonum's package documentation; [Higham 2002] §4.2"}
	scale := source{"\"This transform is unnormalized\"; no accuracy is documented, so that the proven bound of passes is claimed", "gonum.org/v1/gonum/dsp/fourier"}
	var g []claim
	found := map[string]string{
		"gonum.floats.SumCompensated": "The compensation subtracts infinities: of one infinite number, and of numbers whose sum overflows, the result is NaN. TestByHand/gonum.",
		"gonum.lapack64.Langb":        "The assembly subtracts infinities: of two infinite numbers the norm is NaN. TestByHand/gonum.",
	}
	for _, s := range sums {
		g = append(g, claim{Name: s.Name, Make: goes(s), Says: "a sum in any order", From: order, Found: found[s.Name]})
	}
	for _, d := range dots {
		g = append(g, claim{Name: d.Name, Make: goes(d), Says: "a dot product in any order", From: order})
	}
	c, r := cmplxFFT(), realFFT("gonum.fourier.FFT", 5)
	g = append(g, claim{Name: c.Name, Make: goes(c), Says: "complex transforms of any length", From: scale}, claim{Name: r.Name, Make: goes(r), Says: "real transforms of lengths with prime factors up to 5", From: scale})
	ranges := source{"Values and coefficients are in the ranges that the methods document, of moduli below 2^61", "github.com/tuneinsight/lattigo/v6/ring, SubRing"}
	var l []claim
	for _, s := range lattigo {
		s.Claim.Moduli.Unchecked = true // what NewRing refuses is a claim of its own
		l = append(l, claim{Name: s.Name, Make: goes(s), Says: "the negacyclic transform, exactly", From: ranges})
	}
	for _, s := range lattigoWrong() {
		l = append(l, claim{Name: s.Name, Make: goes(s), Says: s.says, From: source{s.text, "github.com/tuneinsight/lattigo/v6/ring"}, Found: s.found})
	}
	field := source{"\"FFT computes (recursively) the discrete Fourier transform\" in the field, by decimation in frequency or time", "github.com/consensys/gnark-crypto/field, package fft"}
	var k []claim
	for _, s := range gnark {
		k = append(k, claim{Name: s.Name, Make: goes(s), Says: "the cyclic transform, exactly", From: field})
	}
	return []library{
		{Name: "gonum", Module: "gonum.org/v1/gonum", Claims: g},
		{Name: "Lattigo", Module: "github.com/tuneinsight/lattigo/v6", Claims: l},
		{Name: "gnark-crypto", Module: "github.com/consensys/gnark-crypto", Claims: k},
	}
}
