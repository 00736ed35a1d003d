package mutants

import (
	"math"
	"slices"

	"gamma/kernels"
	"gamma/kernels/nn"
)

// Faults of kernels that reduce rows: softmax, norms, scans.

func exp32(x float32) float32 { return float32(math.Exp(float64(x))) }

// softmaxBy writes f(x_i-m)/s, where s is what sum makes of these terms and m is the greatest element.
func softmaxBy(f func(float32) float32, sum func(m float32, e []float32) float32) func(dst, x []float32) {
	return func(dst, x []float32) {
		m := slices.Max(x)
		for i, v := range x {
			dst[i] = f(v - m)
		}
		s := sum(m, dst)
		for i := range dst {
			dst[i] /= s
		}
	}
}

func serial(_ float32, e []float32) float32 { return kernels.SumSerial(e) }

// padding is how many lanes a row of n elements leaves empty in its last group of 32.
func padding(n int) int { return (32 - n%32) % 32 }

func softmaxes() []Formula {
	online := func(rescale func(old, m float32) float32) func(dst, x []float32) {
		return func(dst, x []float32) {
			m, s := x[0], float32(1)
			for _, v := range x[1:] {
				if v > m {
					s, m = float32(s*rescale(m, v))+1, v
				} else {
					s += exp32(v - m)
				}
			}
			for i, v := range x {
				dst[i] = exp32(v-m) / s
			}
		}
	}
	logSum := func(name, fault string, f func(m float32, s float32, n int) float32) Formula {
		return number("LogSumExp", name, fault, func(x []float32) float32 {
			m := slices.Max(x)
			return f(m, kernels.SumSerial(mapped(x, func(v float32) float32 { return exp32(v - m) })), len(x))
		})
	}
	return []Formula{
		vector("Softmax", "TailLeak", "lanes beyond the row hold its last element, and are added", softmaxBy(exp32, func(_ float32, e []float32) float32 {
			return kernels.SumSerial(e) + float32(float32(padding(len(e)))*e[len(e)-1])
		})),
		vector("Softmax", "MaskedZero", "lanes beyond the row are read as 0 and not as -Inf", softmaxBy(exp32, func(m float32, e []float32) float32 {
			return kernels.SumSerial(e) + float32(float32(padding(len(e)))*exp32(-m))
		})),
		vector("Softmax", "NoMax", "the greatest element is not subtracted", func(dst, x []float32) {
			copy(dst, mapped(x, exp32))
			s := kernels.SumSerial(dst)
			for i := range dst {
				dst[i] /= s
			}
		}),
		vector("Softmax", "BFloatSum", "the sum is in bfloat16", softmaxBy(exp32, func(_ float32, e []float32) float32 { return serialBy(e, bfloat) })),
		vector("Softmax", "HalfSum", "the sum is in binary16", softmaxBy(exp32, func(_ float32, e []float32) float32 { return serialBy(e, half) })),
		vector("Softmax", "Exp3Ulp", "an exponential of 3 ulp, the claim says 1", softmaxBy(func(t float32) float32 {
			if t == 0 {
				return 1
			}
			return math.Float32frombits(math.Float32bits(exp32(t)) + 3)
		}, serial)),
		vector("Softmax", "Exp2", "2^(t·log2 e) with a rounded product, claimed as an exponential within 1 ulp", softmaxBy(func(t float32) float32 {
			return float32(math.Exp2(float64(float32(t * math.Log2E))))
		}, serial)),
		vector("Softmax", "OneInMany", "one element in 10^5 has an error of 2^-16", func(dst, x []float32) {
			nn.Softmax(dst, x)
			for i, v := range x {
				if h := (math.Float32bits(v) ^ uint32(i+1)*0x85ebca6b) * 0x9e3779b1 >> 8; h%100000 == 0 {
					dst[i] = float32(dst[i] * (1 + 0x1p-16))
				}
			}
		}),
		vector("Softmax", "Rereads", "exponentials are stored and then summed from the input again, which in place they have replaced", func(dst, x []float32) {
			m := slices.Max(x)
			for i, v := range x {
				dst[i] = exp32(v - m)
			}
			s := float32(0)
			for _, v := range x {
				s += exp32(v - m)
			}
			for i := range dst {
				dst[i] /= s
			}
		}),
		vector("Softmax", "LastMissing", "the last element is left out of the sum", softmaxBy(exp32, func(_ float32, e []float32) float32 {
			return max(kernels.SumSerial(e[:len(e)-1]), 0x1p-100)
		})),
		vector("SoftmaxOnline", "NoRescale", "the sum is not rescaled after a new greatest element", online(func(_, _ float32) float32 { return 1 })),
		vector("SoftmaxOnline", "RescaledTwice", "the sum is rescaled twice", online(func(old, m float32) float32 { return float32(exp32(old-m) * exp32(old-m)) })),
		logSum("NoMax", "the greatest element is subtracted, and not added again", func(_, s float32, _ int) float32 { return float32(math.Log(float64(s))) }),
		logSum("Mean", "the mean in place of the sum", func(m, s float32, n int) float32 { return m + float32(math.Log(float64(s/float32(n)))) }),
		logSum("Log2", "log2 in place of the natural logarithm", func(m, s float32, _ int) float32 { return m + float32(math.Log2(float64(s))) }),
		number("LogSumExp", "Overflows", "the greatest element is not subtracted", func(x []float32) float32 {
			return float32(math.Log(float64(kernels.SumSerial(mapped(x, exp32)))))
		}),
	}
}

// normed is a norm of rows with its parts to be put in.
type normed struct {
	sum      func(x []float32) float32
	variance func(x, d []float32, n int) float32 // of a row and its deviations
	scale    func(v float32) float32
}

func rightNorm() normed {
	return normed{
		kernels.SumSerial[float32],
		func(_, d []float32, n int) float32 { return kernels.SquaresSerial(d) / float32(n) },
		func(v float32) float32 { return 1 / float32(math.Sqrt(float64(v+1e-5))) },
	}
}

// layer returns a mutant of a layer norm, changed by change.
func layer(right, name, fault string, change func(p *normed)) Formula {
	p := rightNorm()
	change(&p)
	return of(right, name, fault, func(a nn.Arrays) {
		dst, x, gamma, beta, n := a.Float32("dst"), a.Float32("x"), a.Float32("gamma"), a.Float32("beta"), a.Size("n")
		for i := 0; i < len(x); i += n {
			row := x[i : i+n]
			mean := p.sum(row) / float32(n)
			d := mapped(row, func(v float32) float32 { return v - mean })
			scale := p.scale(p.variance(row, d, n))
			for j, v := range d {
				dst[i+j] = float32(float32(v*scale)*gamma[j]) + beta[j]
			}
		}
	})
}

// rms returns a mutant of an RMS norm of x + residual.
func rms(name, fault string, change func(p *normed), out func(h, x float32) float32) Formula {
	p := rightNorm()
	change(&p)
	return of("RMSNorm", name, fault, func(a nn.Arrays) {
		dst, x, residual, gamma, n := a.Float32("dst"), a.Float32("x"), a.Float32("residual"), a.Float32("gamma"), a.Size("n")
		for i := 0; i < len(x); i += n {
			h := make([]float32, n)
			for j := range h {
				h[j] = x[i+j] + residual[i+j]
			}
			scale := p.scale(p.variance(h, h, n))
			for j, v := range h {
				dst[i+j] = float32(float32(out(v, x[i+j])*scale) * gamma[j])
			}
		}
	})
}

// partialGroup returns x without the elements after the last whole 32, if there are as many.
func partialGroup(x []float32) []float32 {
	if len(x) < 32 {
		return x
	}
	return x[:len(x)&^31]
}

func epsilonOutside(v float32) float32 { return 1 / (float32(math.Sqrt(float64(v))) + 1e-5) }

func norms() []Formula {
	h := func(h, _ float32) float32 { return h }
	same := func(*normed) {}
	onePass := func(p *normed) {
		p.variance = func(x, _ []float32, n int) float32 {
			m := kernels.SumSerial(x) / float32(n)
			return max(0, kernels.SquaresSerial(x)/float32(n)-float32(m*m))
		}
	}
	lessOne := func(p *normed) {
		p.variance = func(_, d []float32, n int) float32 { return kernels.SquaresSerial(d) / float32(max(n-1, 1)) }
	}
	outside := func(p *normed) { p.scale = epsilonOutside }
	partial := func(p *normed) {
		p.variance = func(_, d []float32, n int) float32 { return kernels.SquaresSerial(partialGroup(d)) / float32(n) }
	}
	narrow := func(p *normed) {
		p.variance = func(_, d []float32, n int) float32 {
			return serialBy(mapped(d, func(v float32) float32 { return float32(v * v) }), bfloat) / float32(n)
		}
	}
	noRoot := func(p *normed) { p.scale = func(v float32) float32 { return 1 / (v + 1e-5) } }
	noEpsilon := func(p *normed) { p.scale = func(v float32) float32 { return 1 / float32(math.Sqrt(float64(v))) } }
	return []Formula{
		layer("LayerNorm", "OnePass", "the variance is E[x²] - E[x]²", onePass),
		layer("LayerNorm", "EpsilonOutside", "epsilon is added outside the root", outside),
		layer("LayerNorm", "NMinusOne", "the variance is divided by n-1", lessOne),
		layer("LayerNorm", "BFloatSum", "squares are added in bfloat16", narrow),
		layer("LayerNorm", "PartialGroup", "the last partial group of 32 lanes is left out of the variance", partial),
		layer("LayerNorm", "PartialMean", "the last partial group of 32 lanes is left out of the mean", func(p *normed) {
			p.sum = func(x []float32) float32 { return kernels.SumSerial(partialGroup(x)) }
		}),
		layer("LayerNorm", "NoRoot", "the square root is forgotten", noRoot),
		layer("LayerNormWelford", "NMinusOne", "the variance is divided by n-1", lessOne),
		layer("LayerNormWelford", "OldMean", "squares of deviations from the mean before the update", func(p *normed) {
			p.variance = func(x, _ []float32, n int) float32 {
				var mean, s float32
				for i, v := range x {
					d := v - mean
					mean += d / float32(i+1)
					s += float32(d * d)
				}
				return s / float32(n)
			}
		}),
		rms("NoRoot", "the square root is forgotten", noRoot, h),
		rms("NMinusOne", "the mean of squares is divided by n-1", lessOne, h),
		rms("NoEpsilon", "epsilon is missing", noEpsilon, h),
		rms("EpsilonOutside", "epsilon is added outside the root", outside, h),
		rms("BFloatSum", "squares are added in bfloat16", narrow, h),
		rms("PartialGroup", "the last partial group of 32 lanes is left out", partial, h),
		rms("Residual", "x is scaled, and not x + residual", same, func(_, x float32) float32 { return x }),
	}
}

func scaledNorms() []Formula {
	root := func(x float32) float32 { return float32(math.Sqrt(float64(x))) }
	deviations := func(x []float32) []float32 {
		m := kernels.SumSerial(x) / float32(len(x))
		return mapped(x, func(v float32) float32 { return v - m })
	}
	top := func(x []float32) (m float32) {
		for _, v := range x {
			m = max(m, v, -v)
		}
		return m
	}
	return []Formula{
		vector("L2Normalize", "NoRoot", "the square root is forgotten", func(dst, x []float32) {
			s := kernels.SquaresSerial(x)
			copy(dst, mapped(x, func(v float32) float32 { return v / s }))
		}),
		vector("L2Normalize", "L1", "the sum of magnitudes in place of the norm", func(dst, x []float32) {
			s := kernels.SumSerial(mapped(x, func(v float32) float32 { return max(v, -v) }))
			copy(dst, mapped(x, func(v float32) float32 { return v / s }))
		}),
		vector("L2Normalize", "PartialGroup", "the last partial group of 32 lanes is left out", func(dst, x []float32) {
			s := root(kernels.SquaresSerial(partialGroup(x)))
			copy(dst, mapped(x, func(v float32) float32 { return v / s }))
		}),
		number("L2Norm", "Overflows", "squares are not scaled", func(x []float32) float32 { return root(kernels.SquaresSerial(x)) }),
		number("L2Norm", "InfTimesZero", "blocks are scaled by the reciprocal of their greatest element, and one of zeros gives Inf·0", func(x []float32) float32 {
			var s float32
			m := top(x)
			for ; len(x) > 0; x = x[min(64, len(x)):] {
				b := x[:min(64, len(x))]
				k := top(b)
				r := mapped(b, func(v float32) float32 { return float32(v * (1 / k)) })
				s += float32(kernels.SquaresSerial(r) * float32((k/m)*(k/m)))
			}
			return float32(m * root(s))
		}),
		number("L2Norm", "NoRoot", "the square root is forgotten", func(x []float32) float32 {
			v := nn.L2Norm(x)
			return float32(v * v)
		}),
		number("L2Norm", "PartsUnscaled", "the blocks' sums are added as if their scales were one", func(x []float32) float32 {
			var s float32
			m := max(top(x), 0x1p-149)
			for ; len(x) > 0; x = x[min(64, len(x)):] {
				b := x[:min(64, len(x))]
				k := max(top(b), 0x1p-149)
				s += kernels.SquaresSerial(mapped(b, func(v float32) float32 { return v / k }))
			}
			return float32(m * root(s))
		}),
		number("StdDev", "Overflows", "squares are not scaled", func(x []float32) float32 {
			return root(kernels.SquaresSerial(deviations(x)) / float32(len(x)))
		}),
		number("StdDev", "NMinusOne", "the variance is divided by n-1", func(x []float32) float32 {
			return float32(nn.StdDev(x) * root(float32(len(x))/float32(max(len(x)-1, 1))))
		}),
		number("StdDev", "OnePass", "the variance is E[x²] - E[x]²", func(x []float32) float32 {
			m, n := kernels.SumSerial(x)/float32(len(x)), float32(len(x))
			return root(max(0, kernels.SquaresSerial(x)/n-float32(m*m)))
		}),
		number("StdDev", "NoRoot", "the square root is forgotten", func(x []float32) float32 { return float32(nn.StdDev(x) * nn.StdDev(x)) }),
	}
}

func scans() []Formula {
	return []Formula{
		vector("CumSum", "Exclusive", "each sum is of the elements before it", func(dst, x []float32) {
			var s float32
			for i, v := range x {
				dst[i] = s
				s += v
			}
		}),
		vector("CumSum", "NoCarry", "sums begin anew every 64 elements", func(dst, x []float32) {
			for i := 0; i < len(x); i += 64 {
				nn.CumSum(dst[i:min(i+64, len(x))], x[i:min(i+64, len(x))])
			}
		}),
		vector("CumSum", "BFloat", "the running sum is in bfloat16", func(dst, x []float32) {
			var s float32
			for i, v := range x {
				s = bfloat(s + v)
				dst[i] = s
			}
		}),
		vector("CumMax", "DropsNaN", "NaN is passed over", func(dst, x []float32) {
			m := float32(math.Inf(-1))
			for i, v := range x {
				if v > m {
					m = v
				}
				dst[i] = m
			}
		}),
		vector("CumMax", "FromZero", "the running maximum starts from 0", func(dst, x []float32) {
			var m float32
			for i, v := range x {
				m = max(m, v)
				dst[i] = m
			}
		}),
		vector("CumMax", "NoCarry", "maxima begin anew every 64 elements", func(dst, x []float32) {
			for i := 0; i < len(x); i += 64 {
				nn.CumMax(dst[i:min(i+64, len(x))], x[i:min(i+64, len(x))])
			}
		}),
		place("LastTie", "the last of equal elements", func(x []float32) (at int) {
			for i, v := range x {
				if v >= x[at] {
					at = i
				}
			}
			return at
		}),
		place("Abs", "the greatest magnitude", func(x []float32) int {
			return nn.ArgMax(mapped(x, func(v float32) float32 { return max(v, -v) }))
		}),
		place("Min", "the least element", func(x []float32) int { return nn.ArgMax(mapped(x, func(v float32) float32 { return -v })) }),
		place("InGroup", "the index inside a group of 32", func(x []float32) int { return nn.ArgMax(x) % 32 }),
		place("LastLost", "the last element is left out", func(x []float32) int { return nn.ArgMax(x[:max(1, len(x)-1)]) }),
		place("BFloat", "elements are compared in bfloat16", func(x []float32) int { return nn.ArgMax(mapped(x, bfloat)) }),
	}
}

// place returns a mutant of ArgMax.
func place(name, fault string, f func(x []float32) int) Formula {
	return of("ArgMax", name, fault, func(a nn.Arrays) { a.Int32("dst")[0] = int32(f(a.Float32("x"))) })
}
