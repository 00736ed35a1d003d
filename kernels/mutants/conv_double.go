package mutants

import (
	"gamma/kernels/conv"
	"gamma/kernels/dd"
	"gamma/kernels/fft"
	"gamma/kernels/nn"
	"gamma/kernels/trig"
)

// doubleFault is a fault of a long convolution in double words: a change of what one step of it computes. What is nil is right.
type doubleFault struct {
	root    func(w fft.Double) fft.Double    // a twiddle factor
	product func(x, w fft.Double) fft.Double // of a butterfly
	spectra func(x fft.Double) fft.Double    // a value of a row's spectrum
	finish  func(y dd.DD64, bias, gate float64) float32
}

// doubleConvolution is the pipeline of package conv in double words, with a fault: by complex transforms of radix 2, each in one piece.
func doubleConvolution(a nn.Arrays, f doubleFault) {
	batch, width, n := a.Size("b"), a.Size("c"), a.Size("n")
	points := conv.Points(n)
	if f.product == nil {
		f.product = fft.Double.Times3
	}
	if f.finish == nil {
		f.finish = func(y dd.DD64, bias, gate float64) float32 { return dd.Narrow(y.PlusFP(bias).TimesFP3(gate)) }
	}
	roots := make([]fft.Double, points)
	for k := range roots {
		cos, sin := trig.Twiddle(-k, points)
		if roots[k] = (fft.Double{Re: cos, Im: sin}); f.root != nil {
			roots[k] = f.root(roots[k])
		}
	}
	for row := range batch * width {
		c := row % width
		h, v := make([]fft.Double, points), make([]fft.Double, points)
		for j := range n {
			h[j].Re = h[j].Re.PlusFP(float64(a.Float32("k")[c*n+j]))
			later := &h[(points-j)%points].Re
			*later = later.PlusFP(float64(a.Float32("r")[c*n+j]))
			for tap := range 3 {
				if s := j + tap - 2; s >= 0 {
					v[j].Re = v[j].Re.PlusFP(float64(float64(a.Float32("w")[3*c+tap]) * float64(a.Float32("x")[row*n+s])))
				}
			}
		}
		h, v = doubleTransform(h, roots, f.product), doubleTransform(v, roots, f.product)
		for i, k := range h {
			if f.spectra != nil {
				v[i] = f.spectra(v[i])
			}
			v[i] = v[i].Times3(k)
			v[i].Im = v[i].Im.Neg()
		}
		for t, y := range doubleTransform(v, roots, f.product)[:n] { // the inverse is the conjugate of the conjugate's transform
			scaled := dd.DD64{Hi: y.Re.Hi / float64(points), Lo: y.Re.Lo / float64(points)}
			a.Float32("dst")[row*n+t] = f.finish(scaled, float64(a.Float32("bias")[c]), float64(a.Float32("gate")[row*n+t]))
		}
	}
}

// doubleTransform returns the transform of x; the roots of unity are those of a multiple of its points.
func doubleTransform(x, roots []fft.Double, product func(x, w fft.Double) fft.Double) []fft.Double {
	n := len(x)
	if n == 1 {
		return x
	}
	var halves [2][]fft.Double
	for i, v := range x {
		halves[i%2] = append(halves[i%2], v)
	}
	even, odd := doubleTransform(halves[0], roots, product), doubleTransform(halves[1], roots, product)
	y := make([]fft.Double, n)
	for k, u := range even {
		v := product(odd[k], roots[k*len(roots)/n])
		y[k] = u.Plus(v)
		y[k+n/2] = u.Plus(fft.Double{Re: v.Re.Neg(), Im: v.Im.Neg()})
	}
	return y
}

// toBinary64 drops the second words.
func toBinary64(x fft.Double) fft.Double {
	return fft.Double{Re: dd.FromWord(x.Re.Hi), Im: dd.FromWord(x.Im.Hi)}
}

// doubleConvolutions returns mutants of the pipeline in double words.
func doubleConvolutions(of func(profile, name, fault string, run func(a nn.Arrays))) {
	double := func(name, fault string, f doubleFault) {
		of("double_double", name, fault, func(a nn.Arrays) { doubleConvolution(a, f) })
	}
	double("DoubleTwiddle64", "twiddle factors in binary64", doubleFault{root: toBinary64})
	double("DoubleLowWord", "the second word of the imaginary part is lost in a butterfly's product", doubleFault{product: func(x, w fft.Double) fft.Double {
		y := x.Times3(w)
		y.Im.Lo = 0
		return y
	}})
	double("DoubleSpectra64", "spectra of rows are rounded to binary64", doubleFault{spectra: toBinary64})
	double("DoubleTwice", "the sum with the bias is rounded to binary32 before the gate", doubleFault{finish: func(y dd.DD64, bias, gate float64) float32 {
		return float32(float64(dd.Narrow(y.PlusFP(bias))) * gate)
	}})
	of("double_double", "DoubleExtended", "the pipeline extended: binary64 where double words are claimed", kernelOf("extended"))
}
