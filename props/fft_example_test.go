package props_test

import (
	"fmt"
	"math"
	"math/cmplx"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/formula"
	"gamma/model/fourier"
	"gamma/props"
	"gamma/props/judge"
)

// DFT is the forward transform by its definition, with one rounding to binary32 at the end.
func DFT(dst, src []complex64) {
	n := len(src)
	for k := range dst {
		var s complex128
		for j, x := range src {
			sin, cos := math.Sincos(-2 * math.Pi * float64(j*k%n) / float64(n))
			a, b := float64(real(x)), float64(imag(x))
			s += complex(float64(a*cos)-float64(b*sin), float64(a*sin)+float64(b*cos))
		}
		dst[k] = complex64(s)
	}
}

var dft = props.FFT{
	Name: "mykernel.DFT", Run: DFT,
	Claim: fourier.Claim{Lengths: fourier.AnyLength, Method: fourier.Direct, Inside: fourier.Number{Format: model.Binary64}, MaxN: 256},
}

// A transform of any length up to 256, by its definition; in a test, dft.Check(t) does the rest.
func ExampleFFT() {
	law, err := judge.LawByID(judge.FFTLaws(), model.FFTError)
	if err != nil {
		fmt.Println(err)
		return
	}
	axes := []corpus.Axis{{Name: "row", Size: 1}, {Name: "n", Size: 3}}
	part := func(name string, x ...float32) corpus.Array {
		a := corpus.Array{Name: name, Type: formula.Float(model.Binary32), Axes: []string{"row", "n"}}
		for _, v := range x {
			a.Bits = append(a.Bits, uint64(math.Float32bits(v)))
		}
		return a
	}
	v, err := judge.Judge(law, dft, &corpus.Arrays{Axes: axes, Inputs: []corpus.Array{part("re", 1, 2, 3), part("im", 0, -1, 0)}})
	fmt.Println(v.Outcome, err)
	_, judged, v, err := judge.Search(law, dft, 100)
	fmt.Println(judged, v.Outcome, err)
	// Output:
	// holds <nil>
	// 100 holds <nil>
}

// A transform whose results are conjugates of the right ones: the report says so.
func ExampleFFT_cause() {
	conjugated := dft
	conjugated.Run = func(dst, src []complex64) {
		DFT(dst, src)
		for k, z := range dst {
			dst[k] = complex64(cmplx.Conj(complex128(z)))
		}
	}
	law, err := judge.LawByID(judge.FFTLaws(), model.FFTError)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, judged, err := judge.Find(law, conjugated, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("after", judged)
	fmt.Println(f.Common().Verdict.Reason)
	fmt.Println(f.Common().Cause)
	// Output:
	// after 1
	// forward DFT of 1 points, complex: the error's 2-norm is 3.36e+07 times the bound, 5.96e-08 of ‖X‖₂; it is greatest at X_0, which is 0-1i, and exactly 0+1i
	// kernel: the results are conjugates of the right ones.
}
