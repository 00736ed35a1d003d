package attack

import (
	"math"

	"gamma/model/word"
)

// pile is a sum of exact terms, as if in twice the precision of binary64.
type pile struct{ hi, lo float64 }

func (p *pile) add(x float64) {
	s := p.hi + x
	z := s - p.hi
	p.lo += (p.hi - (s - z)) + (x - z)
	p.hi = s
}

func (p *pile) value() float64 { return p.hi + p.lo }

// addWords adds sign·Σw.
func (p *pile) addWords(w []float32, sign float64) {
	for _, v := range w {
		p.add(float64(sign * float64(v)))
	}
}

// addProduct adds sign·Σv·Σw; each product of two words is exact.
func (p *pile) addProduct(v, w []float32, sign float64) {
	for _, a := range v {
		s := float64(sign * float64(a))
		for _, b := range w {
			p.add(float64(s * float64(b)))
		}
	}
}

func plain(w []float32) float64 {
	sum := float64(w[0])
	for _, v := range w[1:] {
		sum += float64(v)
	}
	return sum
}

// Scorer returns the function that estimates error/bound at precision p of a row, or -1 for a result that is not finite. Where the
// bound is 0 it returns the relative error.
func Scorer(op word.Op, bound word.Bound, p int) func(in, out []float32) float64 {
	limit := 1.0
	if bound.Factor != nil {
		limit, _ = bound.Factor(p).Float64()
		if bound.Normwise {
			limit = math.Sqrt(limit)
		}
	}
	inverse := 1 / limit
	x, y := op.X, op.Y
	score := func(err, size float64) float64 {
		s := float64(math.Abs(err/size) * inverse)
		switch {
		case s < math.Inf(1):
			return s
		case size == 0 && err == 0:
			return 0
		}
		return -1
	}
	switch op.Function {
	case word.Value:
		return func(in, out []float32) float64 {
			var p pile
			p.addWords(in, 1)
			p.addWords(out, -1)
			return score(p.value(), plain(in))
		}
	case word.Sum, word.Difference:
		sign := 1.0
		if op.Function == word.Difference {
			sign = -1
		}
		return func(in, out []float32) float64 {
			var p pile
			p.addWords(in[:x], 1)
			p.addWords(in[x:], sign)
			exact := p.value()
			p.addWords(out, -1)
			return score(p.value(), exact)
		}
	case word.Product:
		return func(in, out []float32) float64 {
			var p pile
			p.addWords(out[:1], -1)
			p.addProduct(in[:x], in[x:], 1)
			p.addWords(out[1:], -1)
			return score(p.value(), float64(plain(in[:x])*plain(in[x:])))
		}
	case word.Quotient: // z - x/y = -(x-zy)/y, of which the part of x/y is (x-zy)/x
		return func(in, out []float32) float64 {
			var p pile
			p.addWords(in[:x], 1)
			p.addProduct(out, in[x:], -1)
			return score(p.value(), plain(in[:x]))
		}
	case word.Root: // z - √x = (z²-x)/(z+√x)
		return func(in, out []float32) float64 {
			var p pile
			p.addWords(in, 1)
			p.addProduct(out, out, -1)
			root := math.Sqrt(plain(in))
			return score(p.value()/(plain(out)+root), root)
		}
	case word.ComplexSum, word.ComplexProduct:
		re, im := componentErrors(op)
		return func(in, out []float32) float64 {
			e0, w0 := re(in, out)
			e1, w1 := im(in, out)
			if bound.Normwise {
				return score(math.Sqrt(float64(e0*e0)+float64(e1*e1)), math.Sqrt(float64(w0*w0)+float64(w1*w1)))
			}
			a, b := score(e0, w0), score(e1, w1)
			if a < 0 || b < 0 {
				return -1
			}
			return max(a, b)
		}
	case word.DotProduct:
		return func(in, out []float32) float64 {
			var p pile
			v, w := in[:op.Terms*x], in[op.Terms*x:]
			for i := range op.Terms {
				p.addProduct(v[i*x:(i+1)*x], w[i*y:(i+1)*y], 1)
			}
			exact := p.value()
			p.addWords(out, -1)
			return score(p.value(), exact)
		}
	}
	panic("props: no score for a " + op.Function.String())
}

// componentErrors returns the errors of both components of a complex operation, and their exact values.
func componentErrors(op word.Op) (re, im func(in, out []float32) (err, exact float64)) {
	x, y, z := op.X, op.Y, op.Z
	if op.Function == word.ComplexSum {
		part := func(i int) func(in, out []float32) (float64, float64) {
			return func(in, out []float32) (float64, float64) {
				var p pile
				p.addWords(in[i*x:(i+1)*x], 1)
				p.addWords(in[2*x+i*y:2*x+(i+1)*y], 1)
				exact := p.value()
				p.addWords(out[i*z:(i+1)*z], -1)
				return p.value(), exact
			}
		}
		return part(0), part(1)
	}
	re = func(in, out []float32) (float64, float64) {
		var p pile
		p.addProduct(in[:x], in[2*x:2*x+y], 1)
		p.addProduct(in[x:2*x], in[2*x+y:], -1)
		exact := p.value()
		p.addWords(out[:z], -1)
		return p.value(), exact
	}
	im = func(in, out []float32) (float64, float64) {
		var p pile
		p.addProduct(in[:x], in[2*x+y:], 1)
		p.addProduct(in[x:2*x], in[2*x:2*x+y], 1)
		exact := p.value()
		p.addWords(out[z:], -1)
		return p.value(), exact
	}
	return re, im
}
