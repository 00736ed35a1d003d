package spectra

import (
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"
	"slices"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/fourier"
	"gamma/props/internal/draw"
)

func ldexp(x float64, e int) float64 { return math.Ldexp(x, e) }

// sample is a row that the kernel transformed, in numbers of about 1, scaled by a power of two: the input in natural order, the exact result in binary64, what was computed, each in the result's places, and how far two
// results may lie apart that are explained by the same numbers.
type sample struct {
	t     *Trial
	n     int
	x     []complex128 // N numbers, as the exact transform takes them
	exact []complex128 // all N values, of half a spectrum too, without the scale
	s     float64      // the scale
	got   []complex128
	room  float64
}

// fault is a hypothesis: what the kernel would give for an input if it had this single fault, in natural order, N values with the scale; nil where it makes no sense.
type fault struct {
	text    string
	predict func(s *sample) []complex128
}

// explains reports whether a fault gives what the kernel gave.
func (f *fault) explains(s *sample) bool {
	want := f.predict(s)
	if want == nil {
		return false
	}
	off, size, exact := 0.0, 0.0, 0.0
	square := func(z complex128) float64 { return float64(real(z)*real(z)) + float64(imag(z)*imag(z)) }
	for k, got := range s.got {
		d := got - want[k]
		if s.t.out.real {
			d = complex(real(d), 0)
		}
		off += square(d)
		size += square(want[k])
		exact += square(times(s.exact[k], s.s))
	}
	grown := 1.0 // a result that is larger has larger errors
	if exact > 0 {
		grown = max(1, size/exact)
	}
	return off <= float64(s.room*s.room*grown)
}

// cause says what single fault explains an input as it was drawn and others, "" if none of those that are known does, or nothing is compared with exact results. How far one twiddle
// factor is off is fitted to what is left of the input, small, too.
func (r *run) cause(l *Law, c, small *corpus.Arrays) string {
	switch {
	case r.claim.Order == fourier.OwnOrder:
		return ""
	case l.ID == model.FFTPure:
		return r.inPlace(c)
	case !judgedByValues(l):
		return ""
	}
	first, ok := r.sampled(l, c, false)
	if !ok || len(first) == 0 || !slices.ContainsFunc(first, func(s sample) bool { return !right.explains(&s) }) {
		return "" // no fault is large enough to be told from roundings
	}
	_, n := sizesOf(c)
	all := first
	for _, in := range r.others(l, c) {
		more, ok := r.sampled(l, in, false)
		if !ok {
			return ""
		}
		all = append(all, more...)
	}
	if len(all) == len(first) {
		return ""
	}
	for _, list := range []func() []fault{
		func() []fault { return r.faults(n) },
		func() []fault { return wrongFactor(slices.Concat(all[len(first):], first)) },
		func() []fault { return wrongFactor(r.shortest(l, c, small)) },
	} {
		for _, f := range list() {
			fits := true
			for i := range all {
				fits = fits && f.explains(&all[i])
			}
			if fits {
				return "kernel: " + f.text + "."
			}
		}
	}
	return ""
}

// right is that there is no fault.
var right = fault{predict: func(s *sample) (y []complex128) {
	for _, x := range s.exact {
		y = append(y, times(x, s.s))
	}
	return y
}}

// others draws inputs beside c that a cause has to explain as well; none if there are none that the kernel takes.
func (r *run) others(l *Law, c *corpus.Arrays) []*corpus.Arrays {
	_, n := sizesOf(c)
	return r.drawn(l, c, n, n, r.atLeast(n))
}

// shortest returns rows of the length of what is left of c, small, or of the shortest power of two that is transformed wrongly, where c is too long for single factors to be tried:
// a transform of radix 4 may be right at half of a length at which it is wrong, so that c is not reduced to it.
func (r *run) shortest(l *Law, c, small *corpus.Arrays) []sample {
	if _, n := sizesOf(c); n <= mostFactors {
		return nil
	}
	_, n := sizesOf(small)
	for next := 8; next <= 2*mostFactors; n, next = next, 2*next {
		if n > mostFactors {
			continue
		}
		for _, in := range r.drawn(l, c, n) {
			if list, ok := r.sampled(l, in, false); ok && !right.explains(&list[0]) {
				return list
			}
		}
	}
	return nil
}

// drawn draws an input of each size, which runs as c does; none if there is one that the kernel does not take.
func (r *run) drawn(l *Law, c *corpus.Arrays, sizes ...int) (list []*corpus.Arrays) {
	source, err := r.Source(l, true)
	if err != nil {
		return nil
	}
	for i, size := range sizes {
		in := source.(*drawer).made(familyByName["uniform"], 1, size, draw.Splitmix(draw.Mix(uint64(i+1))), 0)
		in.Seed, in.Behaviour, in.Launch = c.Seed, c.Behaviour, c.Launch
		if r.Accepts(l, in) != nil {
			return nil
		}
		list = append(list, in)
	}
	return list
}

// inPlace says that dst = src is what is wrong, if an input and others are transformed rightly from one slice to another, and wrongly in place; else "".
func (r *run) inPlace(c *corpus.Arrays) string {
	l := &laws[0]
	others := r.others(l, c)
	if !r.claim.InPlace || len(others) == 0 {
		return ""
	}
	for _, in := range append(others, c) {
		apart, ok := r.sampled(l, in, false)
		if !ok || slices.ContainsFunc(apart, func(s sample) bool { return !right.explains(&s) }) {
			return ""
		}
		if together, ok := r.sampled(l, in, true); ok && !slices.ContainsFunc(together, func(s sample) bool { return !right.explains(&s) }) {
			return ""
		}
	}
	return "kernel: dst = src is what it cannot do: in place its results are wrong, and from one slice to another those of the same inputs are right."
}

// atLeast returns a claimed length that tells faults apart which are one for very short transforms: n if that is long enough.
func (r *run) atLeast(n int) int {
	for size := 64; size > max(n, 8); size-- {
		if r.claim.Has(size) {
			return size
		}
	}
	return n
}

// sampled runs the kernel on an input, with dst = src if aliased is set, and returns its rows; ok is false if it broke, or a number is not finite.
func (r *run) sampled(l *Law, c *corpus.Arrays, aliased bool) (list []sample, ok bool) {
	t := r.Trial().(*Trial)
	if t.Judge(l, c); t.special || len(t.y[0]) == 0 {
		return nil, false
	}
	if aliased && t.once(t.at, t.Transform, t.rows, c.Seed, true, &t.x, t.N, &t.y) != nil {
		return nil, false
	}
	for row := range t.rows {
		e := t.measure(row)
		unscaled := t.Transform
		unscaled.Scale = fourier.Unscaled
		t.transform(&t.x, row, t.N, unscaled)
		s := sample{t: t, n: t.N, s: 1}
		switch t.Scale {
		case fourier.ByN:
			s.s = 1 / float64(t.N)
		case fourier.ByRootN:
			s.s = 1 / math.Sqrt(float64(t.N))
		}
		norm := 0.0
		for k := range t.N {
			x := complex(math.Ldexp(t.whole[0][k], e.shift), 0)
			if t.whole[1] != nil {
				x += complex(0, math.Ldexp(t.whole[1][k], e.shift))
			}
			a, b := t.exact.At(k)
			s.x = append(s.x, x)
			s.exact = append(s.exact, complex(math.Ldexp(a, e.shift-t.exact.Shift), math.Ldexp(b, e.shift-t.exact.Shift)))
			norm += float64(real(x)*real(x)) + float64(imag(x)*imag(x))
		}
		for k := range t.out.count {
			i := k
			if t.Sign == fourier.Forward && t.Data == fourier.Complex {
				i = t.index(k)
			}
			y := t.Y(row, i)
			if !isFinite(y) {
				return nil, false
			}
			s.got = append(s.got, complex(math.Ldexp(real(y), e.shift), math.Ldexp(imag(y), e.shift)))
		}
		s.room = e.limit + float64(0x1p-46*float64(t.N)*s.s*math.Sqrt(norm))
		list = append(list, s)
	}
	return list, true
}

// faults are the hypotheses for n points, the plainer ones first, but for those of single factors.
func (r *run) faults(n int) (list []fault) {
	scaled := func(x []complex128, f float64) []complex128 {
		y := make([]complex128, len(x))
		for k := range x {
			y[k] = times(x[k], f)
		}
		return y
	}
	is := func(text string, of func(s *sample) []complex128) { list = append(list, fault{text, of}) }
	is("the exponent has the other sign: the results are those of the transform the other way", func(s *sample) []complex128 {
		return moved(scaled(s.exact, s.s), func(k int) int { return (s.n - k) % s.n })
	})
	is("the results are conjugates of the right ones", func(s *sample) []complex128 {
		y := scaled(s.exact, s.s)
		for k := range y {
			y[k] = cmplx.Conj(y[k])
		}
		return y
	})
	for _, f := range []struct {
		text string
		of   func(n float64) float64
	}{
		{"N times too large: a factor 1/N is missing, or one of N too much", func(n float64) float64 { return n }},
		{"N times too small: a factor 1/N is too much", func(n float64) float64 { return 1 / n }},
		{"√N times too large", math.Sqrt},
		{"√N times too small", func(n float64) float64 { return 1 / math.Sqrt(n) }},
		{"twice too large", func(float64) float64 { return 2 }},
		{"twice too small", func(float64) float64 { return 0.5 }},
		{"of the opposite sign", func(float64) float64 { return -1 }},
	} {
		is("the results are "+f.text, func(s *sample) []complex128 { return scaled(s.exact, float64(s.s*f.of(float64(s.n)))) })
	}
	for _, o := range orders {
		if o.of(n) == nil {
			continue
		}
		is("the results stand in "+o.text, func(s *sample) []complex128 {
			if p := o.of(s.n); p != nil {
				return moved(scaled(s.exact, s.s), p)
			}
			return nil
		})
		is("the input is taken in "+o.text, func(s *sample) []complex128 {
			if p := o.of(s.n); p != nil && s.n == n {
				return scaled(transformed(moved(s.x, p), s.t.Sign, nil), s.s)
			}
			return nil
		})
	}
	if n > mostSimulated || r.claim.Real {
		return list
	}
	if inside := r.claim.Inside; inside.Format != model.Binary32 || inside.Double() {
		for _, how := range []staged{{single: true}, {single: true, frequency: true}, {single: true, direct: true}} {
			is("the twiddle factors are rounded to binary32, and the rest is not", func(s *sample) []complex128 {
				f := how
				if f.stage = -1; s.n > mostSimulated {
					return nil
				}
				return scaled(transformed(s.x, s.t.Sign, &f), s.s)
			})
		}
	}
	if n&(n-1) != 0 {
		return list
	}
	for stage := -1; stage < log2(n); stage++ {
		for _, frequency := range []bool{false, true} {
			for what, text := range []string{dropped: "is left out", untwisted: "has no twiddle factors", twisted: "has conjugates of its twiddle factors"} {
				name := "the stage of N points"
				if stage >= 0 {
					name = fmt.Sprintf("the stage of %d points", 2<<stage)
				}
				is(fmt.Sprintf("%s %s (decimation in %s)", name, text, decimations[frequency]), func(s *sample) []complex128 {
					f := staged{stage: stage, what: stageFault(what), frequency: frequency}
					if stage < 0 {
						f.stage = log2(s.n) - 1
					}
					if s.n > mostSimulated || s.n&(s.n-1) != 0 {
						return nil
					}
					return scaled(transformed(s.x, s.t.Sign, &f), s.s)
				})
			}
		}
	}
	return list
}

var decimations = map[bool]string{false: "time", true: "frequency"}

// orders are ways in which numbers are found in wrong places; of returns where number k is, nil if the length has no such order.
var orders = []struct {
	text string
	of   func(n int) func(k int) int
}{
	{"bit-reversed order", func(n int) func(k int) int { return digits(n, 1) }},
	{"the order of reversed digits to the base 4", func(n int) func(k int) int { return digits(n, 2) }},
	{"the order of reversed digits to the base 8", func(n int) func(k int) int { return digits(n, 3) }},
	{"an order with its halves exchanged", func(n int) func(k int) int {
		return func(k int) int { return (k + n/2) % n }
	}},
	{"transposed order, as of a matrix whose sides are about √N", func(n int) func(k int) int {
		a := int(math.Sqrt(float64(n)))
		for ; a > 1 && n%a != 0; a-- {
		}
		if a < 2 {
			return nil
		}
		return func(k int) int { return k%a*(n/a) + k/a }
	}},
}

// digits returns the order of reversed digits of so many bits.
func digits(n, wide int) func(k int) int {
	l := log2(n)
	if n&(n-1) != 0 || l%wide != 0 || l == wide {
		return nil
	}
	return func(k int) (r int) {
		for range l / wide {
			r = r<<wide | k&(1<<wide-1)
			k >>= wide
		}
		return r
	}
}

// moved returns y with y_k = x_p(k).
func moved(x []complex128, p func(k int) int) []complex128 {
	y := make([]complex128, len(x))
	for k := range y {
		y[k] = x[p(k)]
	}
	return y
}

// mostSimulated is the longest transform that is simulated stage by stage.
const mostSimulated = 1 << 10

// stageFault is what is wrong with a stage.
type stageFault uint8

const (
	dropped stageFault = iota
	untwisted
	twisted
)

// staged is a fault of one stage.
type staged struct {
	stage     int
	what      stageFault
	frequency bool
	single    bool // all factors are rounded to binary32
	direct    bool // the sums are those of the definition
}

// transformed returns the unscaled transform, in binary64 by stages of radix 2 if n is a power of two and else by definition, with a fault. It looks for causes alone: verdicts are
// not reached by it.
func transformed(x []complex128, sign fourier.Sign, f *staged) []complex128 {
	n := len(x)
	roots := circle(n)
	root := func(k int) complex128 {
		w := roots[k%n]
		if f != nil && f.single {
			w = complex(float64(float32(real(w))), float64(float32(imag(w))))
		}
		if sign == fourier.Inverse {
			w = cmplx.Conj(w)
		}
		return w
	}
	if n&(n-1) != 0 || f != nil && f.direct {
		y := make([]complex128, n)
		for k := range y {
			for j, v := range x {
				y[k] += product(v, root(j*k))
			}
		}
		return y
	}
	reversed := func(k int) int { return int(bits.Reverse64(uint64(k)) >> (65 - bits.Len(uint(n)))) }
	l := log2(n)
	frequency := f != nil && f.frequency
	y := moved(x, func(k int) int { return k })
	if !frequency && n > 1 {
		y = moved(x, reversed)
	}
	for i := range l {
		stage := i
		if frequency {
			stage = l - 1 - i
		}
		half := 1 << stage
		fault := f != nil && f.stage == stage
		if fault && f.what == dropped {
			continue
		}
		for j := range half {
			w := root(j * (n / (2 * half)))
			if fault && f.what == untwisted {
				w = 1
			} else if fault {
				w = cmplx.Conj(w)
			}
			for at := j; at < n; at += 2 * half {
				a, b := y[at], y[at+half]
				if frequency {
					y[at], y[at+half] = a+b, product(a-b, w)
				} else {
					b = product(b, w)
					y[at], y[at+half] = a+b, a-b
				}
			}
		}
	}
	if frequency && n > 1 {
		y = moved(y, reversed)
	}
	return y
}

// circle returns exp(-2πi·k/n).
func circle(n int) []complex128 {
	w := make([]complex128, n)
	for k := range w {
		sin, cos := math.Sincos(float64(-2 * math.Pi * float64(k) / float64(n)))
		w[k] = complex(cos, sin)
	}
	return w
}

// product returns v·w without a fused operation.
func product(v, w complex128) complex128 {
	return complex(float64(real(v)*real(w))-float64(imag(v)*imag(w)), float64(real(v)*imag(w))+float64(imag(v)*real(w)))
}
