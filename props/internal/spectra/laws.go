package spectra

import (
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"
	"slices"

	"gamma/model"
	"gamma/model/fourier"
	"gamma/oracle/dft"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// Law is a law about discrete Fourier transforms.
type Law = engine.LawOf[*Trial, fourier.Claim]

// laws holds the built-in laws.
var laws = engine.BuiltIn([]Law{{
	ID:         model.FFTError,
	Statement:  "‖computed - X‖₂ <= b·s·√N·‖x‖₂, and by √N more in the 1-norm; b is proved for the claim's method, formats and twiddle factors",
	Hypotheses: "the input is finite; no step overflows",
	Source:     "[Gamma Y1]",
	Kills: []string{
		"the other sign", "1/N missing or twice", "a conjugate", "bits not reversed", "a stage dropped", "one wrong twiddle factor", "single precision in a double transform",
	},
	Applies: ordered,
	Judge:   judgeError,
}, {
	ID:         model.FFTEntry,
	Statement:  "|computed_k - X_k| <= b·s·‖x‖₁ for each k",
	Hypotheses: "the input is finite; no step overflows; no Bluestein's algorithm, of which nothing is proved for single results",
	Source:     "[Gamma Y1]",
	Kills:      []string{"one result a little wrong"},
	Families:   []string{"impulse", "impulses", "wide", "constant", "tone"},
	Applies:    ordered,
	Judge:      judgeEntry,
}, {
	ID:         model.FFTTypical,
	Statement:  "‖computed - X‖₂ <= g·u·√log₂N·‖X‖₂, where roundings that are independent of each other exceed it once in 2^50 inputs",
	Hypotheses: "N is at least 64, and a power of two unless the claim's Radix says which prime factors have passes, of which none is above 13; input uniform in [-1/2, 1/2); rounding errors as if independent, their sums as if normal; twiddle factors rounded to nearest, unless the claim's Twiddle is above 0.7072",
	Source:     "[Gamma Y2]",
	Kills:      []string{"angles in single precision", "twiddle factors by a recurrence", "a single-precision constant"},
	Families:   []string{"uniform"},
	Applies:    typicalOf,
	Judge:      judgeTypical,
}, {
	ID:         model.FFTExact,
	Statement:  "the transforms of c, c, c, … and c, -c, c, … have one number that is not 0, s·N·c, and that of c, 0, 0, … is s·c everywhere, without any error",
	Hypotheses: "by passes or the definition; N is a power of two, except for c, 0, 0, …; s is a power of two or 1; nothing overflows or underflows",
	Source:     "[IEEE 754-2019] §4.3: a number that the format holds is not rounded; c-c = 0, and products by 0 and 1",
	Kills:      []string{"the first twiddle factor is not 1"},
	Families:   []string{"constant", "alternating", "first"},
	Cost:       2,
	Applies: func(c *fourier.Claim) string {
		if c.Inexact {
			return "the claim says Inexact"
		}
		return ordered(c)
	},
	Judge: judgeExact,
}, {
	ID:         model.FFTTwiddle,
	Statement:  "|w̃_k - exp(-2πi·k/N)| <= Claim.Twiddle·U for each factor of the table",
	Hypotheses: "the subject shows its table",
	Source:     "the claim",
	Kills:      []string{"an angle rounded to single precision", "a recurrence", "one wrong factor"},
	Families:   []string{"impulse"},
	Cost:       4,
	Judge:      judgeTwiddle,
}, {
	ID:         model.FFTSymmetric,
	Statement:  "X_(N-k) = conj X_k, and X_0 and X_(N/2) are real, to the bit",
	Hypotheses: "the input is real and finite",
	Source:     "the claim",
	Kills:      []string{"a spectrum of real numbers that is symmetric but for roundings"},
	Cost:       4,
	Applies: func(c *fourier.Claim) string {
		switch {
		case !c.Symmetric:
			return "the claim does not say Symmetric"
		case !c.Offers(fourier.Forward):
			return "the claim offers no forward transform"
		}
		return ordered(c)
	},
	Judge: judgeSymmetric,
}, {
	ID:         model.FFTRoundtrip,
	Statement:  "‖I(F(x)) - f·x‖₂ <= ((1+b₁)(1+b₂)-1)·f·‖x‖₂, and so for F(I(x)); f is 1, or N without norm: exactly one factor 1/N of a pair, or none",
	Hypotheses: "both directions are offered, and take what the other gives; the input is finite; no step overflows",
	Source:     "[Gamma Y1], and the norms of both",
	Kills:      []string{"an order that the inverse does not take", "1/N twice", "1/N missing"},
	Cost:       4,
	Applies:    both,
	Judge:      judgeRoundtrip,
}, {
	ID:         model.FFTConvolution,
	Statement:  "I(F(a)·F(b)) is the cyclic convolution of a and b, times s²·s'·N, within the errors of the three and of the product",
	Hypotheses: "as of fft.roundtrip; one word a number; b has two numbers that are not 0",
	Source:     "[Cooley-Tukey 1965]; [Gamma Y1]",
	Kills:      []string{"an order in which products are of different places"},
	Cost:       4,
	Applies: func(c *fourier.Claim) string {
		if c.In.Double() || c.Out.Double() {
			return "numbers are double words, of which the law makes no products"
		}
		return both(c)
	},
	Judge: judgeConvolution,
}}, relationLaws, []Law{{
	ID:         model.FFTSpecial,
	Statement:  "a NaN or an infinity makes every result of its row NaN or infinite, and rows without one are as in law fft.error",
	Hypotheses: "one row has a NaN or an infinity",
	Source:     "[IEEE 754-2019] §6: each result is a sum of products of all inputs",
	Kills:      []string{"a NaN dropped", "a NaN in the next row"},
	Families:   []string{"special"},
	Cost:       4,
	Applies: func(c *fourier.Claim) string {
		if c.Finite {
			return "the claim says Finite"
		}
		return ""
	},
	Judge: judgeSpecial,
}, refuses()}, stateLaws(), deviceLaws, engine.FoundLaws[*Trial, fourier.Claim]("uniform"))

var _ = engine.Cover(
	engine.Covered{Name: "fft.definition", Law: model.FFTError, How: "at small lengths as at all others by the sums of the definition, to 190 bits"},
	engine.Covered{Name: "fft.impulse", Law: model.FFTEntry, How: "on single numbers at every place, whose transform is c·exp(∓2πi·jk/N); of one at 0 law fft.exact allows no error"},
	engine.Covered{Name: "fft.inplace", Law: model.FFTPure, How: "by calls with dst = src beside calls with two slices, where the claim says InPlace"},
	engine.Covered{Name: "fft.rows", Law: model.FFTIndependent, How: "by the same row among others, zeros and copies"},
	engine.Covered{Name: "fft.scale", Law: model.FFTRoundtrip, How: "since a pair gives the input times the one factor that the claim's Norm says"},
)

// Laws returns the built-in laws of discrete Fourier transforms.
func Laws() []Law { return slices.Clone(laws) }

// stateLaws are the laws of calls.
func stateLaws() []Law {
	list := engine.StateLaws[*Trial, fourier.Claim]("fft",
		[]string{"scratch that is not cleared", "right for the first calls", "dst = src"}, []string{"a neighbour's row"}, nil)
	for i := range list {
		list[i].Judge = func(*Trial) verdict.Verdict {
			return verdict.Breaks(verdict.Broke(verdict.LawPanicked, "it is judged in calls"))
		}
	}
	list[1].Applies = func(c *fourier.Claim) string {
		if !c.Batched {
			return "the claim does not say Batched: a call has one row"
		}
		return ""
	}
	return list
}

// ordered says why nothing is known of where results stand, "" if it is.
func ordered(c *fourier.Claim) string {
	if c.Order == fourier.OwnOrder {
		return "results stand in an order of the kernel's own; fft.linear, fft.parseval, fft.roundtrip and fft.convolution judge those"
	}
	return ""
}

// both says why there is no pair of transforms, "" if there is.
func both(c *fourier.Claim) string {
	switch {
	case c.OneWay:
		return "the claim offers one direction alone"
	case c.In != c.Out:
		return "the inverse transform takes other numbers than the forward one gives"
	}
	return ""
}

// finite is the verdict on an input that is not finite; ok says that it is.
func (t *Trial) finite() (v verdict.Verdict, ok bool) {
	if t.special {
		return verdict.NotMet("the input has a NaN or an infinity"), false
	}
	return v, true
}

// fails is the verdict on a result that is too far from the exact one.
func (t *Trial) fails(e *deviation, reason string) verdict.Verdict {
	t.failing = *e
	return verdict.Fails(reason, &verdict.Witness{N: t.N, Own: true, GotText: text(e.got, t.out.real), WantText: text(e.want, t.out.real)})
}

func judgeError(t *Trial) verdict.Verdict {
	if v, ok := t.finite(); !ok {
		return v
	}
	held := verdict.Held(t.bound.Name, 0)
	for row := range t.rows {
		v := t.row(row)
		if v.Outcome != verdict.Holds {
			return v
		}
		held.Ratio = max(held.Ratio, v.Ratio)
	}
	t.near = held.Ratio
	return held
}

// row judges one row by its 2-norm.
func (t *Trial) row(row int) verdict.Verdict {
	e := t.measure(row)
	if why := t.overflows(&e); why != "" {
		return verdict.Overflows(why)
	}
	if float64(e.l2*(1-slack))-float64(math.Sqrt(float64(t.N))*e.oracle*(1+slack)) > e.limit {
		return t.fails(&e, fmt.Sprintf("%s: the error's 2-norm is %.3g times the bound, %.3g of ‖X‖₂; it is greatest at %s%d, which is %s, and exactly %s",
			t.Transform, e.l2/e.limit, t.bound.L2, t.letter(), e.worst, text(e.got, t.out.real), text(e.want, t.out.real)))
	}
	t.note(&e)
	t.farther("‖X‖₂", e.out2, e.l2, e.limit)
	ratio := 0.0
	if e.l2 > 0 {
		ratio = min(1, e.l2/e.limit)
	}
	return verdict.Held(t.bound.Name, ratio)
}

// letter is what numbers of the result are called.
func (t *Trial) letter() string {
	if t.Sign == fourier.Inverse {
		return "x_"
	}
	return "X_"
}

func judgeEntry(t *Trial) verdict.Verdict {
	if v, ok := t.finite(); !ok {
		return v
	}
	if math.IsInf(t.bound.Max, 1) {
		return verdict.NotMet("nothing is proved of single results of " + t.bound.Name)
	}
	held := verdict.Held(t.bound.Name, 0)
	for row := range t.rows {
		e := t.measure(row)
		if why := t.overflows(&e); why != "" {
			return verdict.Overflows(why)
		}
		if float64(e.max*(1-slack))-e.oracle > e.limitMax {
			return t.fails(&e, fmt.Sprintf("%s: %s%d is %s, and exactly %s: the error is %.3g times what is proved of a single result, %.3g of ‖x‖₁",
				t.Transform, t.letter(), e.worst, text(e.got, t.out.real), text(e.want, t.out.real), e.max/e.limitMax, t.bound.Max))
		}
		t.farther("s·‖x‖₁", float64(t.factor()*e.norm1), e.max, e.limitMax)
		if e.max > 0 {
			held.Ratio = max(held.Ratio, min(1, e.max/e.limitMax))
		}
	}
	t.near = held.Ratio
	return held
}

// leastTypical is the least length for which errors are as the law of large numbers has them.
const leastTypical = 64

func typicalOf(c *fourier.Claim) string {
	most := c.MaxN
	switch {
	case c.WorstCase:
		return "the claim says WorstCase"
	case c.Method != fourier.Passes && !c.Compensated || c.Own != nil || c.Stages != nil:
		return "it is about transforms by passes, and by compensated sums, whose bound is the derived one"
	case c.Inside.Double():
		return "it is about arithmetic in one word"
	case most > 0 && most < leastTypical:
		return "it is about 64 points and more"
	}
	return ordered(c)
}

// excess returns the factor by which the square of an error may exceed its mean.
//
// ‖error‖₂² is taken to be a sum of d squares of independent normal numbers of one variance, of which P(sum > (1+t)·mean) <= exp(-d/2·(t - ln(1+t)))
// (Chernoff); d is 2N, or N of real data. t makes that 2^-50: of a million inputs in a run the law fails a kernel of the model with a probability below 10^-9. It is a
// model and no theorem: a claim that says WorstCase leaves it out. Where N is small the tail is heavier: the greatest of 4,000 inputs of 81 points, by passes of radix 3, has 1.67 times the mean, as with 0.65·d squares. The
// third by which the model is above what is measured of such passes covers that: of 81 points the gate has 3.05 times the mean, and 0.65·d squares exceed 2.6 times once in 2^50.
//
// Source: [Gamma Y2]; the order √log₂N is that of [Gentleman-Sande 1966].
func excess(tr fourier.Transform) float64 {
	d := float64(2 * tr.N)
	if tr.Data != fourier.Complex {
		d /= 2
	}
	need := 2 * 50 * math.Ln2 / d
	t := math.Sqrt(float64(2*need)) + need // an upper bound to begin with
	for range 60 {                         // t - ln(1+t) is convex: Newton comes from above
		t -= float64((t-math.Log1p(t)-need)*(1+t)) / t
	}
	return 1 + t
}

func judgeTypical(t *Trial) verdict.Verdict {
	if v, ok := t.finite(); !ok {
		return v
	}
	variance, ok := t.claim.Typical(t.Transform)
	if t.N < leastTypical || !ok {
		return verdict.NotMet("N is below 64, or no power of two and the claim's Radix does not say what its passes handle, or one handles a prime factor above 13")
	}
	gate := float64(math.Sqrt(float64(variance*excess(t.Transform))) * t.claim.Out.U())
	held := verdict.Held("typical", 0)
	for row := range t.rows {
		e := t.measure(row)
		if why := t.overflows(&e); why != "" {
			return verdict.Overflows(why)
		}
		if e.out2 == 0 || !uniformly(&e, t.N) {
			return verdict.NotMet("the input is not as if drawn from [-1/2, 1/2)")
		}
		ratio := e.l2 / e.out2 / gate
		if !(ratio <= 1) {
			v := t.fails(&e, fmt.Sprintf("%s: the error's 2-norm is %.3g·%s·√log₂N of ‖X‖₂, and independent roundings exceed %.3g once in 2^50 inputs",
				t.Transform, e.l2/e.out2/t.claim.Out.U()/math.Sqrt(math.Log2(float64(t.N))), unitText(t.claim.Out), gate/t.claim.Out.U()/math.Sqrt(math.Log2(float64(t.N)))))
			return v
		}
		held.Ratio = max(held.Ratio, ratio)
	}
	t.near = held.Ratio
	return held
}

// uniformly reports whether an input is spread over its length: a reduction must not go where the model says nothing.
func uniformly(e *deviation, n int) bool {
	return e.norm1 > float64(0.75*math.Sqrt(float64(n))*e.norm2)
}

// exactly returns the one result of an input for which none is rounded: number k is want(k). ok = false says that the input is not such.
func (t *Trial) exactly(row int) (want func(k int) complex128, ok bool) {
	n := t.N
	x := make([]complex128, n)
	t.expand(&t.x, row, n, t.Transform)
	for k := range x {
		x[k] = complex(t.whole[0][k], 0)
		if t.whole[1] != nil {
			x[k] += complex(0, t.whole[1][k])
		}
		for i := 2; i < 4; i++ {
			if t.whole[i] != nil && t.whole[i][k] != 0 {
				return nil, false
			}
		}
	}
	power := n&(n-1) == 0
	s, two := 1.0, true
	switch t.Scale {
	case fourier.ByN:
		s, two = 1/float64(n), power
	case fourier.ByRootN:
		s, two = 1/math.Sqrt(float64(n)), power && bits.TrailingZeros(uint(n))%2 == 0
	}
	same := func(of func(k int) complex128) bool {
		for k := range x {
			if x[k] != of(k) {
				return false
			}
		}
		return true
	}
	c := x[0]
	at := func(place int) func(k int) complex128 {
		return func(k int) complex128 {
			if k == place {
				return times(c, float64(s*float64(n)))
			}
			return 0
		}
	}
	passes := power && t.claim.Method == fourier.Passes
	switch {
	case !two || t.claim.Radix > 0 && t.bound.Growth > 2 && !power: // Bluestein's
	case same(func(k int) complex128 {
		if k == 0 {
			return c
		}
		return 0
	}):
		return func(int) complex128 { return times(c, s) }, true
	case passes && same(func(int) complex128 { return c }):
		return at(0), true
	case passes && same(func(k int) complex128 { return alternately(c, k) }):
		return at(n / 2), true
	}
	return nil, false
}

// times returns z·f.
func times(z complex128, f float64) complex128 {
	return complex(float64(real(z)*f), float64(imag(z)*f))
}

func judgeExact(t *Trial) verdict.Verdict {
	if v, ok := t.finite(); !ok {
		return v
	}
	for row := range t.rows {
		want, ok := t.exactly(row)
		if !ok {
			return verdict.NotMet("the input is not one whose transform has no rounding")
		}
		e := t.measure(row)
		if why := t.overflows(&e); why != "" {
			return verdict.Overflows(why)
		}
		for k := range t.out.count {
			i := k
			if t.Sign == fourier.Forward && t.Data == fourier.Complex {
				i = t.index(k)
			}
			w := want(k)
			if t.out.real {
				w = complex(real(w), 0)
			}
			for _, part := range []float64{real(w), imag(w)} {
				if part != 0 && math.Abs(part) < math.Ldexp(1, t.claim.Out.Format.Emin+t.claim.Out.Format.P) {
					return verdict.NotMet("a result or an operand may underflow")
				}
			}
			if got := t.Y(row, i); got != w {
				e.worst, e.got, e.want = k, got, w
				return t.fails(&e, fmt.Sprintf("%s: %s%d is %s, and %s without any rounding", t.Transform, t.letter(), k, text(got, t.out.real), text(w, t.out.real)))
			}
		}
	}
	return verdict.Held("", 0)
}

func judgeTwiddle(t *Trial) verdict.Verdict {
	var table []complex128
	if b := t.tableOf(t.N, &table); b != nil {
		return verdict.Breaks(b)
	}
	if len(table) == 0 || t.N == 1 {
		return verdict.NotMet("there is no table for this length")
	}
	one := make([]float64, t.N)
	one[1] = 1
	dft.For(t.N).Transform(&t.exact, false, 0, one, nil, nil, nil)
	limit, held := float64(t.claim.Twiddle*t.claim.Inside.U()), verdict.Held("Claim.Twiddle", 0)
	for k, w := range table {
		a, b := t.exact.Off(k%t.N, real(w), imag(w), 0, 0)
		off := math.Ldexp(math.Hypot(a, b), -t.exact.Shift)
		if float64(off*(1-slack))-math.Ldexp(t.exact.Err, -t.exact.Shift) > limit || off != off {
			p, q := t.exact.At(k % t.N)
			want := complex(math.Ldexp(p, -t.exact.Shift), math.Ldexp(q, -t.exact.Shift))
			e := deviation{worst: k, got: w, want: want}
			return t.fails(&e, fmt.Sprintf("twiddle factor %d of %d points is %s, and exp(-2πi·%d/%d) is %s: the error is %.3g times what is claimed, %.3g %s",
				k, t.N, text(w, false), k, t.N, text(want, false), off/limit, t.claim.Twiddle, unitText(t.claim.Inside)))
		}
		held.Ratio = max(held.Ratio, min(1, off/limit))
	}
	return held
}

// tableOf asks the subject for its table.
func (t *Trial) tableOf(n int, table *[]complex128) (b *verdict.Breakage) {
	defer func() {
		if p := recover(); p != nil {
			b = verdict.Panicked(verdict.KernelPanicked, "Twiddles panicked: %v", p)
		}
	}()
	*table = t.f.Twiddles(n)
	return nil
}

func judgeSymmetric(t *Trial) verdict.Verdict {
	if v, ok := t.finite(); !ok {
		return v
	}
	if t.Sign != fourier.Forward {
		return verdict.NotMet("the law is about forward transforms")
	}
	n := t.N
	for row := range t.rows {
		for k := range t.out.count {
			j := (n - k) % n
			if t.out.half {
				if j = k; k > 0 && 2*k != n {
					continue
				}
			}
			a, b := t.Y(row, t.index(k)), t.Y(row, t.index(j))
			if a == complex(real(b), -imag(b)) || !isFinite(a) || !isFinite(b) {
				continue
			}
			e := deviation{worst: k, got: a, want: complex(real(b), -imag(b)), beside: "conjugate"}
			return t.fails(&e, fmt.Sprintf("%s of real numbers: X_%d is %s, and X_%d is %s", t.Transform, k, text(a, false), j, text(b, false)))
		}
	}
	return verdict.Held("", 0)
}

// isFinite reports whether both parts of z are finite; cmplx.IsNaN is false of an infinity beside a NaN.
func isFinite(z complex128) bool { return !cmplx.IsNaN(z) && !cmplx.IsInf(z) }

// there returns the transform the other way.
func (t *Trial) there() fourier.Transform { return t.claim.Transform(t.N, fourier.Inverse-t.Sign) }

// distance compares rows of numbers z with f·want, whose words are hi + lo, in the 2-norm, scaled by shift; norm is that of f·want.
func (t *Trial) distance(z *values, row, stride, count, shift int, f float64, want func(k int) (re, im, reLo, imLo float64)) (off, norm float64, worst int) {
	most := -1.0
	for k := range count {
		i := row*stride + k
		re, im, reLo, imLo := want(k)
		d := 0.0
		for part, w := range [2][2]float64{{re, reLo}, {im, imLo}} {
			a, b := math.Ldexp(w[0], shift), math.Ldexp(w[1], shift)
			got, low := math.Ldexp(z[part][i], shift), 0.0
			if z[part+2] != nil {
				low = math.Ldexp(z[part+2][i], shift)
			}
			x := float64(f*a) - got
			x += math.FMA(f, a, -float64(f*a)) + (float64(f*b) - low)
			d += float64(x * x)
			y := float64(f * (a + b))
			norm += float64(y * y)
		}
		off += d
		if !(d <= most) {
			most, worst = d, k
		}
	}
	return math.Sqrt(off), math.Sqrt(norm), worst
}

func judgeRoundtrip(t *Trial) verdict.Verdict {
	if v, ok := t.finite(); !ok {
		return v
	}
	back := t.there()
	b := t.boundOf(back)
	var z values
	if br := t.once(t.at, back, t.rows, draw.Mix(t.c.Seed), false, &t.y, t.out.count, &z); br != nil {
		return verdict.Breaks(br)
	}
	f := 1.0
	if t.claim.Norm == fourier.NormNone {
		f = float64(t.N)
	}
	held := verdict.Held("both bounds", 0)
	for row := range t.rows {
		t.expand(&t.x, row, t.N, t.Transform)
		whole := t.whole
		norm1, norm2, shift := norms(&whole, t.N)
		grown := float64(norm2 * float64(t.N) * (1 + t.bound.L2) * factorOf(t.Transform)) // at least the 1-norm of the result
		why := t.overflow(norm1, shift, t.bound, factorOf(t.Transform))
		if why == "" {
			why = t.overflow(grown, shift, b, factorOf(back))
		}
		if why != "" {
			return verdict.Overflows(why)
		}
		lo := func(i, k int) float64 {
			if whole[i] == nil {
				return 0
			}
			return whole[i][k]
		}
		off, _, worst := t.distance(&z, row, t.N, t.N, shift, f, func(k int) (re, im, reLo, imLo float64) {
			if t.Sign == fourier.Inverse {
				k = t.index(k)
			}
			return lo(0, k), lo(1, k), lo(2, k), lo(3, k)
		})
		limit := float64((t.bound.L2+b.L2+float64(t.bound.L2*b.L2))*f*norm2*(1+slack)) +
			math.Ldexp(float64(factorOf(back)*math.Sqrt(float64(t.N))*t.bound.Tiny*(1+b.L2))+b.Tiny, shift)
		if float64(off*(1-slack)) > limit || off != off {
			i := row*t.N + worst
			e := deviation{worst: worst, got: complex(z[0][i], z[1][i]), want: times(t.X(row, worst), f)}
			return t.fails(&e, fmt.Sprintf("%s and back, times %g: number %d is %s, and was %s; the error's 2-norm is %.3g times both bounds",
				t.Transform, f, worst, text(e.got, t.in.real), text(e.want, t.in.real), off/limit))
		}
		if off > 0 {
			held.Ratio = max(held.Ratio, min(1, off/limit))
		}
	}
	return held
}

// norms returns the norms of a row, scaled so that its greatest part is about 1.
func norms(x *values, n int) (norm1, norm2 float64, shift int) {
	top := -2000
	for _, list := range x[:2] {
		if list == nil {
			continue
		}
		for _, v := range list[:n] {
			if _, e := math.Frexp(v); v != 0 {
				top = max(top, e)
			}
		}
	}
	if top == -2000 {
		return 0, 0, 0
	}
	for k := range n {
		a, b := math.Ldexp(x[0][k], -top), 0.0
		if x[1] != nil {
			b = math.Ldexp(x[1][k], -top)
		}
		if x[2] != nil {
			a += math.Ldexp(x[2][k], -top)
		}
		if x[3] != nil {
			b += math.Ldexp(x[3][k], -top)
		}
		norm1 += math.Hypot(a, b)
		norm2 += float64(a*a) + float64(b*b)
	}
	return norm1, math.Sqrt(norm2), -top
}

func judgeConvolution(t *Trial) verdict.Verdict {
	if v, ok := t.finite(); !ok {
		return v
	}
	n, back := t.N, t.there()
	if n < 2 {
		return verdict.NotMet("one point has no convolution")
	}
	b2 := t.boundOf(back)
	// b is 1 at 0, and c at p.
	p := 1 + int(t.c.Seed>>4%uint64(n-1))
	c := [...]float64{1, -1, 0.5, 2}[t.c.Seed>>2&3]
	var second, fb, z values
	for i := range second {
		if t.x[i] != nil {
			second[i] = make([]float64, t.rows*n)
		}
	}
	for row := range t.rows {
		second[0][row*n], second[0][row*n+p] = 1, c
	}
	fa := t.y
	t.y = values{}
	if br := t.once(t.at, t.Transform, t.rows, draw.Mix(t.c.Seed), false, &second, n, &fb); br != nil {
		return verdict.Breaks(br)
	}
	product := values{make([]float64, len(fa[0])), make([]float64, len(fa[0]))}
	for i := range product[0] {
		x, y, u, v := fa[0][i], fa[1][i], fb[0][i], fb[1][i]
		product[0][i] = t.rounded(float64(x*u) - float64(y*v))
		product[1][i] = t.rounded(float64(x*v) + float64(y*u))
	}
	if br := t.once(t.at, back, t.rows, t.c.Seed, false, &product, t.out.count, &z); br != nil {
		return verdict.Breaks(br)
	}
	s := factorOf(t.Transform)
	f := float64(s * s * factorOf(back) * float64(n))
	size := 1 + math.Abs(c)
	entry := min(t.bound.Max, float64(t.bound.L2*math.Sqrt(float64(n))))
	rounding := math.Expm1(math.Log1p(float64(math.Sqrt(5)*0x1p-53)) + math.Log1p(t.claim.In.Format.U()))
	rel := math.Expm1(math.Log1p(t.bound.L2) + math.Log1p(entry) + math.Log1p(rounding) + math.Log1p(b2.L2))
	held := verdict.Held("three bounds and the product's", 0)
	for row := range t.rows {
		t.expand(&t.x, row, n, t.Transform)
		whole := t.whole
		norm1, norm2, shift := norms(&whole, n)
		tiny := float64(t.bound.Tiny*size) + float64(b2.Tiny) + math.Ldexp(float64(4*n), t.claim.In.Format.EtaExp())
		if norm2 == 0 || math.Ldexp(float64(norm2*rel), -shift) < float64(0x1p60*float64(n)*tiny) {
			return verdict.NotMet("products may underflow")
		}
		grown := float64(norm2 * float64(n) * size * (1 + rel) * s * s * math.Sqrt(float64(n)))
		why := t.overflow(norm1, shift, t.bound, s)
		if why == "" {
			why = t.overflow(grown, shift, b2, factorOf(back))
		}
		if why != "" {
			return verdict.Overflows(why)
		}
		at := func(i, k int) float64 {
			if whole[i] == nil {
				return 0
			}
			return whole[i][(k+n)%n]
		}
		off, norm, worst := t.distance(&z, row, n, n, shift, f, func(k int) (re, im, reLo, imLo float64) {
			return at(0, k), at(1, k), float64(c * at(0, k-p)), float64(c * at(1, k-p))
		})
		limit := float64(rel*f*size*norm2*(1+slack)) + float64(norm*0x1p-49) + math.Ldexp(float64(float64(n*n)*tiny), shift)
		if float64(off*(1-slack)) > limit || off != off {
			i := row*n + worst
			want := times(complex(at(0, worst)+float64(c*at(0, worst-p)), at(1, worst)+float64(c*at(1, worst-p))), f)
			e := deviation{worst: worst, got: complex(z[0][i], z[1][i]), want: want}
			return t.fails(&e, fmt.Sprintf("the convolution of %d points with 1 at 0 and %g at %d, by three transforms: number %d is %s, and should be %s; the error's 2-norm is %.3g times its bound",
				n, c, p, worst, text(e.got, t.in.real), text(want, t.in.real), off/limit))
		}
		if off > 0 {
			held.Ratio = max(held.Ratio, min(1, off/limit))
		}
	}
	return held
}

// rounded rounds a number to the format of the input.
func (t *Trial) rounded(x float64) float64 {
	if t.claim.In.Format.Bits() == 32 {
		return float64(float32(x))
	}
	return x
}

func judgeSpecial(t *Trial) verdict.Verdict {
	met := false
	for row := range t.rows {
		if !t.rowSpecial(row) {
			if t.claim.Order == fourier.OwnOrder {
				continue
			}
			if v := t.row(row); v.Fails() {
				v.Reason = fmt.Sprintf("row %d, of finite numbers beside a row with a NaN or an infinity: %s", row, v.Reason)
				return v
			}
			continue
		}
		if !t.reaches(row) {
			continue
		}
		met = true
		for k := range t.out.count {
			if y := t.Y(row, k); isFinite(y) {
				e := deviation{worst: k, got: y, want: complex(math.NaN(), math.NaN())}
				return t.fails(&e, fmt.Sprintf("%s of a row with a NaN or an infinity: number %d of the result is finite, %s", t.Transform, k, text(y, t.out.real)))
			}
		}
	}
	if !met {
		return verdict.NotMet("no row has a NaN or an infinity that counts")
	}
	return verdict.Held("", 0)
}

// reaches reports whether a NaN or an infinity of a row is in a number that every result is a sum of.
func (t *Trial) reaches(row int) bool {
	if t.out.real || t.in.real { // a part of a product may be left out
		t.expand(&t.x, row, t.N, t.Transform)
		for _, v := range t.whole[0] {
			if v-v != 0 {
				return t.in.real
			}
		}
		return false
	}
	for i := range 2 {
		for _, v := range t.x[i][row*t.N : (row+1)*t.N] {
			if v-v != 0 {
				return true
			}
		}
	}
	return false
}

// calls is an input that has run, for the laws of calls. Its parts are rows.
type calls struct{ t *Trial }

func (c *calls) Parts() int { return c.t.rows }

func (c *calls) Call(order []int, p engine.Place) (out []uint64, ok bool, b *verdict.Breakage) {
	t := c.t
	seed, aliased := t.c.Seed, p == engine.Aliased
	switch {
	case aliased && (!t.claim.InPlace || t.in.row() != t.out.row() || t.in.Number != t.out.Number), len(order) != 1 && !t.claim.Batched:
		return nil, false, nil
	case p == engine.Elsewhere:
		seed += engine.Shift * 0x1100
	}
	var x, y values
	for i := range t.x {
		if t.x[i] == nil {
			continue
		}
		x[i] = make([]float64, len(order)*t.N)
		for j, row := range order {
			if row != engine.Zeros {
				copy(x[i][j*t.N:], t.x[i][row*t.N:(row+1)*t.N])
			}
		}
	}
	if b = t.once(t.at, t.Transform, len(order), seed, aliased, &x, t.N, &y); b != nil {
		return nil, true, b
	}
	return slices.Clone(t.got), true, nil
}

// Compare fails where the numbers differ, and unless the claim says Repeats one of both is not within the bound.
func (c *calls) Compare(i int, out []uint64, j int, reason string) verdict.Verdict {
	var z values
	c.t.out.unpack(&z, out[j*c.t.out.row():(j+1)*c.t.out.row()], 1)
	return c.t.against(i, &z, 0, c.t.claim.Repeats, reason)
}
