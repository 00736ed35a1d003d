package oracle

import (
	"math"

	"gamma/model/word"
)

// wordTerms is a sum of binary64 numbers, none of which was rounded.
type wordTerms struct {
	n int
	t [maxWordTerms]float64
}

// maxWordTerms holds a complex product of four words a component, and a dot product of 64 terms of one.
const maxWordTerms = 68

// add appends sign·w for every word.
func (s *wordTerms) add(sign float64, words []float32) bool {
	for _, w := range words {
		if s.n == maxWordTerms {
			return false
		}
		s.t[s.n] = float64(sign * float64(w))
		s.n++
	}
	return true
}

// mul appends sign·x·y for every two words, exactly.
func (s *wordTerms) mul(sign float64, x, y []float32) bool {
	for _, v := range x {
		for _, w := range y {
			if s.n == maxWordTerms {
				return false
			}
			s.t[s.n] = float64(sign * float64(float64(v)*float64(w)))
			s.n++
		}
	}
	return true
}

// value returns the sum and a bound of its error, and resets it.
//
// Three passes of 2Sum leave the sum as it is and nearly sort it: the last term is the sum, the others are what it lacks. Adding n
// terms then errs by at most γ_(n-1) times the sum of their magnitudes, and n·2^-52 times that as computed is more.
//
// Source: [Ogita-Rump-Oishi 2005] Algorithm 4.3, for the passes alone.
func (s *wordTerms) value() (v, err float64) {
	t := s.t[:s.n]
	for range 3 {
		for i := 1; i < len(t); i++ {
			t[i], t[i-1] = twoSum64(t[i], t[i-1])
		}
	}
	var sum float64
	for _, x := range t {
		v += x
		sum += math.Abs(x)
	}
	s.n = 0
	return v, float64(float64(len(t)) * 0x1p-52 * sum)
}

// least returns a lower bound of the sum's magnitude, up to a factor 1-2^-52, and resets it.
func (s *wordTerms) least() float64 {
	v, err := s.value()
	return math.Abs(v) - err
}

// rowTerms is what terms computes of a row, with an index for each component.
type rowTerms struct {
	wordTerms
	d, size [2]float64 // |error| or more, |exact| or less; times |y| of a quotient
	half    float64    // what half an ulp is multiplied by
	norm    float64    // the square of the exact result's norm, or less; negative if it is that of size
	fits    bool
}

// finish sets d[c] to a bound of the sum's magnitude, and resets the sum.
func (s *rowTerms) finish(c int) {
	v, err := s.value()
	s.d[c] = math.Abs(v) + err
}

// terms decides a row in binary64 and returns approximately its error over limit, or ok = false. See Rows32 for the proof.
func (j *WordJudge) terms(in, out []float32, limit *WordLimit) (ratio float64, ok bool) {
	o, factor := j.op, limit.below
	var s rowTerms
	s.half, s.norm, s.fits = 1, -1, true
	switch o.Function {
	case word.ComplexSum, word.ComplexProduct:
		a, b, c, e := in[:o.X], in[o.X:2*o.X], in[2*o.X:2*o.X+o.Y], in[2*o.X+o.Y:]
		re, im := out[:o.Z], out[o.Z:]
		if o.Function == word.ComplexSum {
			for i, p := range [2][3][]float32{{re, a, c}, {im, b, e}} {
				s.add(1, p[0])
				s.add(-1, p[1])
				s.add(-1, p[2])
				s.finish(i)
				s.add(1, p[1])
				s.add(1, p[2])
				s.size[i] = s.least()
			}
			break
		}
		s.add(1, re)
		s.mul(-1, a, c)
		s.mul(1, b, e)
		s.finish(0)
		s.add(1, im)
		s.mul(-1, a, e)
		s.mul(-1, b, c)
		s.finish(1)
		if limit.normwise { // |xy| = |x||y|, without cancellation
			var sq [4]float64
			for i, p := range [4][]float32{a, b, c, e} {
				s.add(1, p)
				v := s.least()
				sq[i] = product(v, v)
			}
			s.norm = float64((sq[0] + sq[1]) * (sq[2] + sq[3]))
			break
		}
		s.mul(1, a, c)
		s.mul(-1, b, e)
		s.size[0] = s.least()
		s.mul(1, a, e)
		s.mul(1, b, c)
		s.size[1] = s.least()
	case word.DotProduct:
		s.dot(o, in, out)
	case word.Root:
		s.root(in, out)
		s.fits = s.fits && !limit.rounded && !limit.normwise
		factor = limit.rootFactor()
	default:
		s.real(o.Function, in[:o.X], in[o.X:], out)
	}
	if !s.fits {
		return 0, false
	}
	if limit.normwise {
		if s.norm < 0 {
			for c := range j.parts {
				s.norm = max(s.norm, 0) + product(s.size[c], s.size[c])
			}
		}
		return j.termsNorm(out, s.d, s.norm, s.half, limit)
	}
	for c := range j.parts {
		b := float64(factor * max(s.size[c], 0))
		dc := s.d[c]
		if limit.rounded {
			b = float64((float64(half32(out[c])*s.half) + b) * (1 - 0x1p-48))
			dc = float64(dc * (1 + 0x1p-51)) // an end need not belong to z
		}
		if !(dc <= b && b <= math.MaxFloat64) || math.IsNaN(s.size[c]) {
			return 0, false
		}
		if s.d[c] > 0 {
			ratio = max(ratio, float64(s.d[c]/b))
		}
	}
	return ratio, true
}

// real takes a value, sum, difference, product or quotient of x and y.
func (s *rowTerms) real(function word.Function, x, y, out []float32) {
	switch function {
	case word.Value:
		s.fits = s.add(1, out) && s.add(-1, x)
		s.finish(0)
		s.add(1, x)
		s.size[0] = s.least()
	case word.Sum, word.Difference:
		sign := 1.0
		if function == word.Difference {
			sign = -1
		}
		s.add(1, out)
		s.add(-1, x)
		s.add(-sign, y)
		s.finish(0)
		s.add(1, x)
		s.add(sign, y)
		s.size[0] = s.least()
	case word.Product:
		s.add(1, out)
		s.mul(-1, x, y)
		s.finish(0)
		s.add(1, x)
		s.size[0] = s.least()
		s.add(1, y)
		s.size[0] = product(s.size[0], s.least())
	case word.Quotient:
		s.mul(1, out, y)
		s.add(-1, x)
		s.finish(0)
		s.add(1, x)
		s.size[0] = s.least()
		s.add(1, y)
		s.half = s.least()
		s.fits = s.half > 0
	}
}

// root takes a square root of x: its square is compared with x.
func (s *rowTerms) root(x, out []float32) {
	s.mul(1, out, out)
	s.add(-1, x)
	s.finish(0)
	s.add(1, x)
	v, err := s.value()
	s.size[0] = v - err
	s.add(1, out)
	v, err = s.value()
	s.fits = v-err >= 0 && s.size[0] >= 0
}

// dot takes a dot product.
func (s *rowTerms) dot(o word.Op, in, out []float32) {
	x, y := in[:o.Terms*o.X], in[o.Terms*o.X:]
	s.fits = s.add(1, out)
	for i := range o.Terms {
		s.fits = s.fits && s.mul(-1, x[i*o.X:(i+1)*o.X], y[i*o.Y:(i+1)*o.Y])
	}
	s.finish(0)
	for i := range o.Terms {
		s.mul(1, x[i*o.X:(i+1)*o.X], y[i*o.Y:(i+1)*o.Y])
	}
	s.size[0] = s.least()
}

// termsNorm decides a row whose limit is normwise.
func (j *WordJudge) termsNorm(out []float32, d [2]float64, norm, half float64, limit *WordLimit) (ratio float64, ok bool) {
	var sum float64
	for c := range j.parts {
		r := d[c]
		if limit.rounded {
			r = max(float64(d[c]*(1+0x1p-51))-float64(float64(half32(out[c])*half)*(1-0x1p-50)), 0)
			ratio = max(ratio, float64(d[c]/(float64(half32(out[c])*half)+float64(limit.b*math.Sqrt(norm)))))
		}
		sum += float64(r * r)
	}
	b := float64(limit.below * norm)
	if !(sum <= b && b <= math.MaxFloat64) {
		return 0, false
	}
	if sum > 0 {
		ratio = max(ratio, math.Sqrt(float64(sum/b)))
	}
	return ratio, true
}

// product multiplies lower bounds, 0 for those below.
func product(a, b float64) float64 { return float64(max(a, 0) * max(b, 0)) }
