package eft

import (
	"gamma/kernels"
	"gamma/model/word"
)

// Kernel is one transform over batches of rows, with its claim. Both functions take len(src) = rows·Claim.Op.In() and
// len(dst) = rows·Claim.Op.Out(); see kernels.Batch for other lengths and slices that overlap.
type Kernel struct {
	Name  string // "eft.TwoSum"
	Claim word.Claim
	Run32 func(dst, src []float32)
	Run64 func(dst, src []float64)
}

// All returns every transform.
func All() []Kernel {
	return []Kernel{
		pair("TwoSum", "2Sum", word.TwoSum, TwoSum[float32], TwoSum[float64]),
		pair("TwoSumLeft", "2SumLeft", word.TwoSum, TwoSumLeft[float32], TwoSumLeft[float64]),
		pair("FastTwoSum", "Fast2Sum", word.TwoSum, FastTwoSum[float32], FastTwoSum[float64]),
		{
			Name: "eft.Split", Claim: word.Claim{Op: word.Split, Algorithm: "Veltkamp", Exact: true},
			Run32: kernels.Batch(1, 2, func(z, x []float32) { z[0], z[1] = Split(x[0]) }),
			Run64: kernels.Batch(1, 2, func(z, x []float64) { z[0], z[1] = Split(x[0]) }),
		},
		pair("TwoProductDekker", "Dekker", word.TwoProduct, TwoProductDekker[float32], TwoProductDekker[float64]),
		pair("TwoProductFMA", "2ProdFMA", word.TwoProduct, TwoProductFMA[float32], TwoProductFMA[float64]),
	}
}

// Find returns the kernel called name, and ok = false if there is none.
func Find(name string) (k Kernel, ok bool) {
	for _, k := range All() {
		if k.Name == name {
			return k, true
		}
	}
	return Kernel{}, false
}

// pair returns the kernel of a transform of two words.
func pair(name, algorithm string, op word.Op, f func(a, b float32) (s, e float32), g func(a, b float64) (s, e float64)) Kernel {
	return Kernel{
		Name: "eft." + name, Claim: word.Claim{Op: op, Algorithm: algorithm, Exact: true, InPlace: true},
		Run32: kernels.Batch(2, 2, func(z, x []float32) { z[0], z[1] = f(x[0], x[1]) }),
		Run64: kernels.Batch(2, 2, func(z, x []float64) { z[0], z[1] = g(x[0], x[1]) }),
	}
}
