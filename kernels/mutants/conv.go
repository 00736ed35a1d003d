package mutants

import (
	"slices"

	"gamma/kernels/conv"
	"gamma/kernels/fft"
	"gamma/kernels/nn"
	"gamma/model/fourier"
)

// longFault is a fault of a long convolution: a change of what one step of it holds. What is nil is right.
type longFault struct {
	points  func(n int) int                    // of the transforms
	reverse func(j, n int) int                 // where the filter for later elements has its element j, of n points
	filter  func(h []float64)                  // both filters, padded
	stream  func(v []float64)                  // after the taps
	spectra func(p []complex128)               // of a row
	product func(p []complex128, bias float64) // of spectra
	inverse func(y []float64)
	finish  func(y, bias, gate float64) float32
}

// longConvolution is the pipeline of package conv in binary64, with a fault.
func longConvolution(a nn.Arrays, f longFault) {
	batch, width, n := a.Size("b"), a.Size("c"), a.Size("n")
	points := conv.Points(n)
	if f.points != nil {
		points = f.points(n)
	}
	if f.reverse == nil {
		f.reverse = func(j, n int) int { return (n - j) % n }
	}
	if f.finish == nil {
		f.finish = func(y, bias, gate float64) float32 { return float32(float64((y + bias) * gate)) }
	}
	h, v, p, q := make([]float64, points), make([]float64, points), make([]complex128, fourier.Half(points)), make([]complex128, fourier.Half(points))
	for row := range batch * width {
		c := row % width
		clear(h)
		clear(v)
		for j := range n {
			h[j%points] += float64(a.Float32("k")[c*n+j])
			h[f.reverse(j, points)] += float64(a.Float32("r")[c*n+j])
			for tap := range 3 {
				if s := j + tap - 2; s >= 0 {
					v[j] += float64(float64(a.Float32("w")[3*c+tap]) * float64(a.Float32("x")[row*n+s]))
				}
			}
		}
		call(f.filter, h)
		call(f.stream, v)
		spectrum(p, v)
		call(f.spectra, p)
		spectrum(q, h)
		for i, k := range q {
			p[i] = complex(float64(real(p[i])*real(k))-float64(imag(p[i])*imag(k)), float64(real(p[i])*imag(k))+float64(imag(p[i])*real(k)))
		}
		if f.product != nil {
			f.product(p, float64(a.Float32("bias")[c]))
		}
		back, err := fft.NewReal[float64, complex128](fourier.Transform{N: points, Sign: fourier.Inverse, Data: fourier.RealOutput, Scale: fourier.ByN})
		if err != nil {
			panic(err)
		}
		if err := back.C2R(v, p); err != nil {
			panic(err)
		}
		call(f.inverse, v)
		for t := range n {
			a.Float32("dst")[row*n+t] = f.finish(v[t%points], float64(a.Float32("bias")[c]), float64(a.Float32("gate")[row*n+t]))
		}
	}
}

func call[T any](f func([]T), x []T) {
	if f != nil {
		f(x)
	}
}

func spectrum(dst []complex128, x []float64) {
	plan, err := fft.NewReal[float64, complex128](fourier.Transform{N: len(x), Data: fourier.RealInput})
	if err != nil {
		panic(err)
	}
	if err := plan.R2C(dst, x); err != nil {
		panic(err)
	}
}

// toBinary32 rounds numbers to binary32.
func toBinary32(x []float64) {
	for i, v := range x {
		x[i] = float64(float32(v))
	}
}

func toComplex64(x []complex128) {
	for i, v := range x {
		x[i] = complex128(complex64(v))
	}
}

func scaled(p []complex128, by float64) {
	for i, v := range p {
		p[i] = complex(float64(by*real(v)), float64(by*imag(v)))
	}
}

// longConvolutions returns mutants of the pipelines of package conv.
func longConvolutions() (list []Formula) {
	of := func(profile, name, fault string, run func(a nn.Arrays)) {
		p, err := conv.Load(profile)
		if err != nil {
			panic(err)
		}
		k := p.Kernel()
		right := k.Name
		k.Name, k.Run = "mutants.Conv"+name, run
		list = append(list, Formula{Kernel: k, Of: right, Fault: fault})
	}
	extended := func(name, fault string, f longFault) {
		of("extended", name, fault, func(a nn.Arrays) { longConvolution(a, f) })
	}
	changed := func(name, fault, array string, change func(a nn.Arrays, x []float32)) {
		of("extended", name, fault, func(a nn.Arrays) {
			x := slices.Clone(a.Float32(array))
			change(a, x)
			longConvolution(replaced{a, array, x}, longFault{})
		})
	}
	extended("RoundsStream", "the stream is rounded to binary32", longFault{stream: toBinary32})
	extended("RoundsSpectrum", "spectra of rows are rounded to binary32", longFault{spectra: toComplex64})
	extended("RoundsFilter", "the sum of both filters is rounded to binary32", longFault{filter: toBinary32})
	extended("RoundsProduct", "products of spectra are rounded to binary32", longFault{product: func(p []complex128, _ float64) { toComplex64(p) }})
	extended("RoundsInverse", "the inverse is rounded to binary32", longFault{inverse: toBinary32})
	extended("RoundsBias", "the sum with the bias is rounded to binary32 before the gate", longFault{finish: func(y, bias, gate float64) float32 {
		return float32(float32(y+bias) * float32(gate))
	}})
	extended("NoScaling", "no factor of 1/N", longFault{product: func(p []complex128, _ float64) { scaled(p, float64(2*len(p)-2)) }})
	extended("DoubleScaling", "1/N twice", longFault{product: func(p []complex128, _ float64) { scaled(p, 1/float64(2*len(p)-2)) }})
	extended("Average", "half of the sum", longFault{product: func(p []complex128, _ float64) { scaled(p, 0.5) }})
	extended("NoPadding", "transforms of n points: the convolution wraps around", longFault{points: func(n int) int { return max(1, conv.Points(n)/2) }})
	extended("ReverseLater", "the filter for later elements begins one element late", longFault{reverse: func(j, n int) int { return n - 1 - j }})
	extended("NoConjugate", "the filter for later elements acts on earlier ones", longFault{reverse: func(j, _ int) int { return j }})
	extended("NyquistLost", "the last value of the product is 0", longFault{product: func(p []complex128, _ float64) { p[len(p)-1] = 0 }})
	extended("GateFirst", "the bias is added after the gate", longFault{finish: func(y, bias, gate float64) float32 { return float32(float64(y*gate) + bias) }})
	changed("GateStream", "the gate is the input's stream", "gate", func(a nn.Arrays, x []float32) { copy(x, a.Float32("x")) })
	changed("TapsOrder", "the taps are in the other order", "w", func(_ nn.Arrays, w []float32) {
		for ; len(w) > 0; w = w[3:] {
			w[0], w[2] = w[2], w[0]
		}
	})
	changed("ChannelZero", "the bias of channel 0 for all", "bias", func(_ nn.Arrays, b []float32) { fill(b, b[0]) })
	extended("BiasBefore", "the bias is added to each value of the product, before the inverse", longFault{
		product: func(p []complex128, bias float64) {
			for i := range p {
				p[i] += complex(bias, 0)
			}
		},
		finish: func(y, _, gate float64) float32 { return float32(float64(y * gate)) },
	})
	of("mlx_stable", "Sum", "the sum of both filters for their average", func(a nn.Arrays) { longConvolution(a, longFault{}) })
	for _, other := range []string{"torch_like", "seed_extended"} {
		of("extended", map[string]string{"torch_like": "Plain", "seed_extended": "Seed"}[other], "the pipeline "+other, kernelOf(other))
	}
	doubleConvolutions(of)
	of("torch_like", "Finer", "it rounds once, where four roundings are claimed", func(a nn.Arrays) { longConvolution(a, longFault{}) })
	return list
}

func kernelOf(profile string) func(a nn.Arrays) {
	p, err := conv.Load(profile)
	if err != nil {
		panic(err)
	}
	return p.Kernel().Run
}
