package main

import (
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/stat"

	"gamma/model"
	"gamma/props/judge"
)

func vector32(x []float32) blas32.Vector { return blas32.Vector{N: len(x), Inc: 1, Data: x} }

func vector64(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// strided32 copies x into every third element of a longer vector, to reach gonum's other kernels.
func strided32(x []float32) blas32.Vector {
	const inc = 3
	data := make([]float32, len(x)*inc+1)
	for i, v := range x {
		data[i*inc] = v
	}
	return blas32.Vector{N: len(x), Inc: inc, Data: data}
}

var repeats = model.Claim{Repeats: true}

// sums are gonum's sums. Their order is not documented, so that none is claimed. Nor do those repeat that begin with single elements up to an aligned address,
// as its assembly for amd64 does: the same elements at another address give other bits, inside the bound.
var sums = []judge.Reduction{
	{Name: "gonum.floats.Sum", Run64: floats.Sum},
	{
		Name: "gonum.floats.SumCompensated", Run64: floats.SumCompensated,
		Claim: model.Claim{Repeats: true, Compensation: model.Sum2},
	},
	{
		Name: "gonum.blas32.Asum", Magnitudes: true, Claim: repeats,
		Run: func(x []float32) float32 { return blas32.Asum(vector32(x)) },
	},
	{
		Name: "gonum.blas32.Asum(stride)", Magnitudes: true, Claim: repeats,
		Run: func(x []float32) float32 { return blas32.Asum(strided32(x)) },
	},
	{
		Name: "gonum.blas64.Asum", Magnitudes: true, Claim: repeats,
		Run64: func(x []float64) float64 { return blas64.Asum(vector64(x)) },
	},
	{
		Name: "gonum.floats.Norm1", Magnitudes: true, Claim: repeats,
		Run64: func(x []float64) float64 { return floats.Norm(x, 1) },
	},
	{
		// The one way from outside to gonum's assembly for the L1 norm: the largest row sum of a
		// band matrix that has one row.
		Name: "gonum.lapack64.Langb", Magnitudes: true, Claim: repeats,
		Run64: func(x []float64) float64 {
			if len(x) == 0 {
				return 0
			}
			row := blas64.Band{Rows: 1, Cols: len(x), KU: len(x) - 1, Stride: len(x), Data: x}
			return lapack64.Langb(lapack.MaxRowSum, row)
		},
	},
	{
		Name: "gonum.stat.Mean", Claim: model.Claim{Mean: true},
		Run64: func(x []float64) float64 { return stat.Mean(x, nil) },
	},
}

// dots are gonum's dot products.
var dots = []judge.Dot{
	{
		Name: "gonum.blas32.Dot", // by alignment, too
		Run:  func(x, y []float32) float32 { return blas32.Dot(vector32(x), vector32(y)) },
	},
	{
		Name: "gonum.blas32.Dot(stride)", Claim: repeats,
		Run: func(x, y []float32) float32 { return blas32.Dot(strided32(x), strided32(y)) },
	},
	{
		Name: "gonum.blas32.SDDot", Claim: model.Claim{Acc: model.Binary64},
		Run: func(x, y []float32) float32 { return blas32.SDDot(0, vector32(x), vector32(y)) },
	},
	{Name: "gonum.floats.Dot", Run64: floats.Dot, Claim: repeats},
	{
		Name: "gonum.blas64.Dot", Claim: repeats,
		Run64: func(x, y []float64) float64 { return blas64.Dot(vector64(x), vector64(y)) },
	},
}
