package mutants

import (
	"math"
	"slices"

	"gamma/kernels"
	"gamma/kernels/dd"
	"gamma/kernels/nn"
)

// pairLayers returns mutants of the layers of package dd: most are right in binary32, and lose what the second word is for.
func pairLayers() []Formula {
	of := func(right, name, fault string, run func(a nn.Arrays)) Formula {
		k, ok := nn.Find("dd." + right + "32")
		if !ok {
			panic(noKernel("dd." + right + "32"))
		}
		k.Name, k.Run = "mutants.dd"+right+name, run
		return Formula{Kernel: k, Of: "dd." + right + "32", Fault: fault}
	}
	number := func(right, name, fault string, f func(x []float32) float32) Formula {
		return of(right, name, fault, func(a nn.Arrays) { a.Float32("dst")[0] = f(a.Float32("x")) })
	}
	squares := func(x []float32, m dd.DD32, count int) float32 {
		d := make([]float32, len(x))
		for i, v := range x {
			d[i] = m.Neg().PlusFP(v).Hi
		}
		return dd.Dot(d, d) / float32(count)
	}
	mean := func(x []float32) dd.DD32 { return dd.Total(x).DivFP3(float32(len(x))) }
	layer := func(name, fault string, mean func(x []float32) float32, finish func(z, g, b float32) float32) Formula {
		return of("LayerNorm", name, fault, func(a nn.Arrays) {
			x, dst := a.Float32("x"), a.Float32("dst")
			m := mean(x)
			d := mapped(x, func(v float32) float32 { return v - m })
			s := math.Sqrt(float64(dd.Dot(d, d))/float64(len(x)) + 1e-5)
			for i, v := range d {
				dst[i] = finish(float32(float64(v)/s), a.Float32("gamma")[i], a.Float32("beta")[i])
			}
		})
	}
	linear := func(name, fault string, dot func(x, y []float32) float32) Formula {
		return of("Linear", name, fault, func(a nn.Arrays) {
			for i := range a.Float32("dst") {
				x := a.Float32("x")
				a.Float32("dst")[i] = dot(a.Float32("w")[i*len(x):][:len(x)], x) + a.Float32("bias")[i]
			}
		})
	}
	return []Formula{
		number("Mean", "OneWord", "the sum is in one word", func(x []float32) float32 { return kernels.SumSerial(x) / float32(len(x)) }),
		number("Mean", "Twice", "the sum is rounded before it is divided", func(x []float32) float32 { return dd.Sum(x) / float32(len(x)) }),
		number("Variance", "OneWord", "deviations and their squares are in one word", func(x []float32) float32 {
			m := dd.Mean(x)
			return kernels.SquaresSerial(mapped(x, func(v float32) float32 { return v - m })) / float32(len(x))
		}),
		number("Variance", "High", "the low words of deviations are dropped", func(x []float32) float32 { return squares(x, mean(x), len(x)) }),
		number("Variance", "MeanRounded", "the mean is rounded to one word", func(x []float32) float32 {
			return squares(x, dd.FromWord(dd.Mean(x)), len(x))
		}),
		number("SampleVariance", "N", "the sum is divided by n", dd.Variance[float32]),
		number("SampleVariance", "Scaled", "the variance is rounded, and then multiplied by n/(n-1)", func(x []float32) float32 {
			return float32(dd.Variance(x) * (float32(len(x)) / float32(len(x)-1)))
		}),
		of("Softmax", "OneWord", "it is in one word", func(a nn.Arrays) { nn.Softmax(a.Float32("dst"), a.Float32("x")) }),
		of("Softmax", "Rounded", "exponentials are rounded to one word", func(a nn.Arrays) {
			x, dst := a.Float32("x"), a.Float32("dst")
			if len(x) == 0 {
				return
			}
			m := slices.Max(x)
			e := mapped(x, func(v float32) float32 { return exp32(v - m) })
			s := dd.Total(e)
			for i, v := range e {
				dst[i] = dd.FromWord(v).Div2(s).Hi
			}
		}),
		layer("OneWord", "deviations are in one word", dd.Mean[float32], func(z, g, b float32) float32 { return float32(z*g) + b }),
		layer("SumOneWord", "the mean's sum is in one word", func(x []float32) float32 { return kernels.SumSerial(x) / float32(len(x)) }, func(z, g, b float32) float32 {
			return float32(float64(float64(z)*float64(g)) + float64(b))
		}),
		linear("BiasAfter", "the bias is added to the rounded product", dd.Dot[float32]),
		linear("OneWord", "sums are in one word", kernels.DotSerial[float32]),
		linear("Products", "products are rounded to one word", func(x, y []float32) float32 { return dd.Sum(products(x, y)) }),
		of("MatMul", "OneWord", "sums are in one word", func(a nn.Arrays) {
			nn.MatMul(a.Float32("dst"), a.Float32("a"), a.Float32("b"), a.Size("m"), a.Size("n"), a.Size("k"))
		}),
	}
}
