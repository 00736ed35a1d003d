package mutants

import (
	"math"
	"slices"

	"gamma/kernels"
	"gamma/kernels/dd"
	"gamma/kernels/nn"
)

// wide returns mutants of the kernels in binary64: mistakes, and what is right in binary32.
func wide() []Formula {
	return slices.Concat(wideSoftmaxes(), wideNorms(), wideProducts(), widePairs())
}

// to32 rounds to binary32, and as64 leaves a number as it is.
func to32(x float64) float64 { return float64(float32(x)) }
func as64(x float64) float64 { return x }

// squares64 returns the sum of squares.
func squares64(x []float64) (s float64) {
	for _, v := range x {
		s += float64(v * v)
	}
	return s
}

// deviation64 returns the root of a mean square with epsilon.
func deviation64(s, n float64) float64 { return math.Sqrt(s/n + 1e-5) }

func wideSoftmaxes() []Formula {
	softmax := func(name, fault string, exp, add func(float64) float64, from func(x []float64) float64, last int) Formula {
		return of("Softmax64", name, fault, func(a nn.Arrays) {
			dst, x := a.Float64("dst"), a.Float64("x")
			m, s := from(x), 0.0
			for i, v := range x {
				dst[i] = exp(v - m)
				if i < len(x)-last || len(x) <= last {
					s = add(s + dst[i])
				}
			}
			for i := range dst {
				dst[i] /= s
			}
		})
	}
	return []Formula{
		softmax("Exp32", "the exponential is that of binary32", func(t float64) float64 { return to32(math.Exp(t)) }, as64, slices.Max, 0),
		softmax("Sum32", "the sum is in binary32", math.Exp, to32, slices.Max, 0),
		softmax("NoMax", "the greatest element is not subtracted", math.Exp, as64, func([]float64) float64 { return 0 }, 0),
		softmax("Max32", "differences to the greatest element are in binary32", func(t float64) float64 { return math.Exp(to32(t)) }, as64, slices.Max, 0),
		softmax("LastMissing", "the last element is left out of the sum", math.Exp, as64, slices.Max, 1),
		softmax("Exp2", "2^(t·log2 e) with a rounded product", func(t float64) float64 { return math.Exp2(float64(t * math.Log2E)) }, as64, slices.Max, 0),
	}
}

func wideNorms() []Formula {
	norm := func(name, fault string, deviation func(squares, n float64) float64, finish func(v, scale, gamma float64) float64, add func(float64) float64) Formula {
		return of("RMSNorm64", name, fault, func(a nn.Arrays) {
			dst, x, n := a.Float64("dst"), a.Float64("x"), a.Size("n")
			for at := 0; at < len(x); at += n {
				s := 0.0
				for _, v := range x[at:][:n] {
					s = add(s + float64(v*v))
				}
				scale := 1 / deviation(s, float64(n))
				for i, v := range x[at:][:n] {
					dst[at+i] = finish(v, scale, a.Float64("gamma")[i])
				}
			}
		})
	}
	scaled := func(v, scale, gamma float64) float64 { return float64(float64(v*scale) * gamma) }
	layer := func(name, fault string, read func(float64) float64, spread func(d, x []float64, mean float64) float64, finish func(z, g, b float64) float64) Formula {
		return of("LayerNorm64", name, fault, func(a nn.Arrays) {
			dst, x, n := a.Float64("dst"), a.Float64("x"), a.Size("n")
			for at := 0; at < len(x); at += n {
				row, sum := x[at:][:n], 0.0
				for _, v := range row {
					sum += v
				}
				mean := read(sum / float64(n))
				d := make([]float64, n)
				for i, v := range row {
					d[i] = v - mean
				}
				scale := 1 / spread(d, row, mean)
				for i, v := range d {
					dst[at+i] = finish(float64(v*scale), a.Float64("gamma")[i], a.Float64("beta")[i])
				}
			}
		})
	}
	twoPass := func(d, _ []float64, _ float64) float64 { return deviation64(squares64(d), float64(len(d))) }
	affine := func(z, g, b float64) float64 { return float64(z*g) + b }
	return []Formula{
		norm("Sum32", "squares are added in binary32", deviation64, scaled, to32),
		norm("NoEpsilon", "epsilon is missing", func(s, n float64) float64 { return math.Sqrt(s / n) }, scaled, as64),
		norm("EpsilonOutside", "epsilon is added outside the root", func(s, n float64) float64 { return math.Sqrt(s/n) + 1e-5 }, scaled, as64),
		norm("Epsilon32", "epsilon is that of binary32", func(s, n float64) float64 { return math.Sqrt(s/n + to32(1e-5)) }, scaled, as64),
		norm("Scale32", "the reciprocal root is in binary32", deviation64, func(v, scale, gamma float64) float64 { return scaled(v, to32(scale), gamma) }, as64),
		norm("Result32", "the result is rounded to binary32", deviation64, func(v, scale, gamma float64) float64 { return to32(scaled(v, scale, gamma)) }, as64),
		layer("Mean32", "the mean is in binary32", to32, twoPass, affine),
		layer("OnePass", "the variance is E[x²] - E[x]²", as64, func(_, x []float64, mean float64) float64 {
			return math.Sqrt(max(squares64(x)/float64(len(x))-float64(mean*mean), 0) + 1e-5)
		}, affine),
		layer("NMinusOne", "the variance is divided by n-1", as64, func(d, _ []float64, _ float64) float64 {
			return deviation64(squares64(d), float64(max(len(d)-1, 1)))
		}, affine),
		layer("NoBeta", "beta is not added", as64, twoPass, func(z, g, _ float64) float64 { return float64(z * g) }),
		layer("Result32", "the result is rounded to binary32", as64, twoPass, func(z, g, b float64) float64 { return to32(affine(z, g, b)) }),
	}
}

func wideProducts() []Formula {
	product := func(name, fault string, read, add func(float64) float64, times func(l, k int) float64) Formula {
		return of("MatMul64", name, fault, func(a nn.Arrays) {
			x, y, m, n, k := a.Float64("a"), a.Float64("b"), a.Size("m"), a.Size("n"), a.Size("k")
			for i := range m {
				for j := range n {
					s := 0.0
					for l := range k {
						s = add(s + float64(float64(read(x[i*k+l])*y[l*n+j])*times(l, k)))
					}
					a.Float64("dst")[i*n+j] = s
				}
			}
		})
	}
	once := func(int, int) float64 { return 1 }
	return []Formula{
		product("Sum32", "sums are in binary32", as64, to32, once),
		product("Input32", "an input is rounded to binary32", to32, as64, once),
		product("TermLost", "the last product is left out", as64, as64, func(l, k int) float64 {
			if l == k-1 {
				return 0
			}
			return 1
		}),
		product("FirstTwice", "the first product is added twice", as64, as64, func(l, _ int) float64 {
			if l == 0 {
				return 2
			}
			return 1
		}),
		product("Sign", "every 32nd product is subtracted", as64, as64, func(l, _ int) float64 {
			if l%32 == 31 {
				return -1
			}
			return 1
		}),
	}
}

// widePairs returns mutants of the layers of package dd.
func widePairs() []Formula {
	pair := func(right, name, fault string, run func(a nn.Arrays)) Formula {
		k, ok := nn.Find("dd." + right + "64")
		if !ok {
			panic(noKernel("dd." + right + "64"))
		}
		k.Name, k.Run = "mutants.dd"+right+"64"+name, run
		return Formula{Kernel: k, Of: "dd." + right + "64", Fault: fault}
	}
	mean := func(name, fault string, f func(x []float64) float64) Formula {
		return pair("MeanRounded", name, fault, func(a nn.Arrays) { a.Float64("dst")[0] = f(a.Float64("x")) })
	}
	linear := func(name, fault string, dot func(x, y []float64, bias float64) float64) Formula {
		return pair("Linear", name, fault, func(a nn.Arrays) {
			for i := range a.Float64("dst") {
				x := a.Float64("x")
				a.Float64("dst")[i] = dot(a.Float64("w")[i*len(x):][:len(x)], x, a.Float64("bias")[i])
			}
		})
	}
	return []Formula{
		mean("OneWord", "the sum is in one word", func(x []float64) float64 { return kernels.SumSerial(x) / float64(len(x)) }),
		mean("Twice", "the sum is rounded before it is divided", func(x []float64) float64 { return dd.Sum(x) / float64(len(x)) }),
		mean("Reciprocal", "the sum is multiplied by 1/n", func(x []float64) float64 { return dd.Total(x).TimesFP3(1 / float64(len(x))).Hi }),
		linear("BiasAfter", "the bias is added to the rounded product", func(x, y []float64, bias float64) float64 { return dd.Dot(x, y) + bias }),
		linear("OneWord", "sums are in one word", func(x, y []float64, bias float64) float64 { return kernels.DotSerial(x, y) + bias }),
		pair("MatMul", "OneWord", "sums are in one word", func(a nn.Arrays) {
			nn.MatMul64(a.Float64("dst"), a.Float64("a"), a.Float64("b"), a.Size("m"), a.Size("n"), a.Size("k"))
		}),
	}
}
