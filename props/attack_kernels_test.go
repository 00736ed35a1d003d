package props

import (
	"math"

	"gamma/model/word"
)

// fma3 is a·b+c rounded once: to odd in binary64, then to nearest.
func fma3(a, b, c float32) float32 {
	p, q := float64(a)*float64(b), float64(c)
	s := p + q
	v := s - q
	e := (p - v) + (q - (s - v))
	if bits := math.Float64bits(s); e != 0 && bits&1 == 0 {
		if (e > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}

func root32(a float32) float32 { return float32(math.Sqrt(float64(a))) }

// hardware32 is binary32 as the processor has it, for word.Run.
type hardware32 struct{}

func (hardware32) Add(a, b float32) float32 { return a + b }

func (hardware32) Mul(a, b float32) float32 { return float32(a * b) }

func (hardware32) Div(a, b float32) float32 { return a / b }

func (hardware32) Fma(a, b, c float32) float32 { return fma3(a, b, c) }

func (hardware32) Sqrt(a float32) float32 { return root32(a) }

func (hardware32) Neg(a float32) float32 { return -a }

func (hardware32) One() float32 { return 1 }

func (hardware32) Splitter() float32 { return 1<<12 + 1 }

// programRows runs a program over the hardware's binary32.
func programRows(p *word.Program) func(dst, src []float32) {
	values := make([]float32, len(p.Inputs)+len(p.Steps))
	return func(dst, src []float32) {
		for len(src) > 0 {
			copy(values, src[:len(p.Inputs)])
			word.Run(p, hardware32{}, values, dst[:len(p.Results)])
			src, dst = src[len(p.Inputs):], dst[len(p.Results):]
		}
	}
}
