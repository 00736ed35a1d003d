package conv

import (
	"gamma/kernels"
	"gamma/kernels/dd"
	"gamma/kernels/eft"
	"gamma/kernels/fft"
)

// arithmetic is what a pipeline computes outside of its transforms, in the format F of all that is held.
type arithmetic[F fft.Real, C fft.Number] struct {
	earlier  func(h []F, k []float32, average bool)                   // h_j = k_j, or half of it
	later    func(h []F, r []float32, average bool)                   // r_j, or half of it, is added to h_(-j)
	held     func(v []F, x []float32)                                 // v = x
	stream   func(v []F, x []float32, w [3]float32)                   // the stream of 3 taps
	sums     func(dst, x []C)                                         // x is added to dst
	products func(dst, x []C)                                         // dst is multiplied by x
	finish   func(dst []float32, y []F, bias float32, gate []float32) // (y + bias)·gate, rounded; a nil gate is ones
}

// words is the arithmetic of words, with each operation rounded, and the profile's stream.
func words[F kernels.Float, C complex64 | complex128](p Profile, product func(x, y C) C) arithmetic[F, C] {
	half := func(average bool) F {
		if average {
			return 0.5
		}
		return 1
	}
	return arithmetic[F, C]{
		earlier: func(h []F, k []float32, average bool) {
			f := half(average)
			for j, v := range k {
				h[j] = F(F(v) * f)
			}
		},
		later: func(h []F, r []float32, average bool) {
			f := half(average)
			for j, v := range r {
				h[(len(h)-j)%len(h)] += F(F(v) * f)
			}
		},
		held: func(v []F, x []float32) {
			for t, a := range x {
				v[t] = F(a)
			}
		},
		stream: func(v []F, x []float32, w [3]float32) {
			for t := range x {
				a, b, d := before(x, t, 2), before(x, t, 1), x[t]
				if p.Taps {
					v[t] = F(float64(float64(w[0])*float64(a)) + float64(float64(w[1])*float64(b)) + float64(float64(w[2])*float64(d)))
				} else {
					v[t] = F(plainStream(w, a, b, d))
				}
			}
		},
		sums: func(dst, x []C) {
			for i, v := range x {
				dst[i] += v
			}
		},
		products: func(dst, x []C) {
			for i, v := range x {
				dst[i] = product(dst[i], v)
			}
		},
		finish: func(dst []float32, y []F, bias float32, gate []float32) {
			for t := range dst {
				v := y[t] + F(bias)
				if gate != nil {
					v = F(v * F(gate[t]))
				}
				dst[t] = float32(v)
			}
		},
	}
}

// plainProduct returns x·y with each operation rounded.
func plainProduct[C complex64 | complex128](x, y C) C {
	switch x := any(x).(type) {
	case complex64:
		y := any(y).(complex64)
		return any(complex(float32(real(x)*real(y))-float32(imag(x)*imag(y)), float32(real(x)*imag(y))+float32(imag(x)*real(y)))).(C)
	case complex128:
		y := any(y).(complex128)
		return any(complex(float64(real(x)*real(y))-float64(imag(x)*imag(y)), float64(real(x)*imag(y))+float64(imag(x)*real(y)))).(C)
	}
	panic("conv: no such type")
}

// before returns x_(t-by), and 0 before the first.
func before(x []float32, t, by int) float32 {
	if t < by {
		return 0
	}
	return x[t-by]
}

// plainStream returns an element of the stream in binary32.
func plainStream(w [3]float32, a, b, d float32) float32 {
	return float32(float32(w[0]*a)+float32(w[1]*b)) + float32(w[2]*d)
}

// doubles is the arithmetic of double words of binary64, with the profile's stream: products of binary32 numbers are words, and the sum of two of them is a double word.
//
// Error:  with u = 2^-53, 2u² of an element of the stream, of a sum with the bias and of a product with the gate; 3u²/(1-4u) of each part of a sum of
// spectra; (4√2+3)u² of a product.
// Source: [JMP 2017] Algorithms 4, 6, 9 and 12.
func doubles(p Profile) arithmetic[dd.DD64, fft.Double] {
	of := func(v float32, average bool) dd.DD64 {
		if average {
			return dd.FromWord(float64(v) / 2)
		}
		return dd.FromWord(float64(v))
	}
	return arithmetic[dd.DD64, fft.Double]{
		earlier: func(h []dd.DD64, k []float32, average bool) {
			for j, v := range k {
				h[j] = of(v, average)
			}
		},
		later: func(h []dd.DD64, r []float32, average bool) {
			for j, v := range r {
				at := &h[(len(h)-j)%len(h)]
				*at = at.PlusFP(of(v, average).Hi)
			}
		},
		held: func(v []dd.DD64, x []float32) {
			for t, a := range x {
				v[t] = dd.FromWord(float64(a))
			}
		},
		stream: func(v []dd.DD64, x []float32, w [3]float32) {
			for t := range x {
				a, b, d := before(x, t, 2), before(x, t, 1), x[t]
				if !p.Taps {
					v[t] = dd.FromWord(float64(plainStream(w, a, b, d)))
					continue
				}
				h, l := eft.TwoSum(float64(float64(w[0])*float64(a)), float64(float64(w[1])*float64(b)))
				v[t] = dd.DD64{Hi: h, Lo: l}.PlusFP(float64(float64(w[2]) * float64(d)))
			}
		},
		sums: func(dst, x []fft.Double) {
			for i, v := range x {
				dst[i] = dst[i].Plus(v)
			}
		},
		products: func(dst, x []fft.Double) {
			for i, v := range x {
				dst[i] = dst[i].Times3(v)
			}
		},
		finish: func(dst []float32, y []dd.DD64, bias float32, gate []float32) {
			for t := range dst {
				v := y[t].PlusFP(float64(bias))
				if gate != nil {
					v = v.TimesFP3(float64(gate[t]))
				}
				dst[t] = dd.Narrow(v)
			}
		},
	}
}
