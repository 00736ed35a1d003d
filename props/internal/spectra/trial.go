package spectra

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/fourier"
	"gamma/oracle/dft"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// Trial runs inputs and judges them. It keeps its memory from input to input. Laws see the transform after the call.
type Trial struct {
	*run
	fourier.Transform
	law     *Law
	c       *corpus.Arrays
	at      verdict.Setting
	in, out side
	rows    int
	x, y    values // input, n numbers a row as the case has them, and result
	bound   fourier.Bound
	src     []uint64
	got     []uint64
	found   model.Findings
	special bool // an input is a NaN or an infinity

	exact   dft.Spectrum
	whole   values    // a row of the input as the exact transform takes it
	failing deviation // of the row that the verdict is about
	differs bool      // another run gave other numbers

	near  float64      // error/bound of the input that was judged last
	reach engine.Reach // and its error, of the same row
	sizes map[int]tops // by length, of the summary
}

// tops are the greatest errors met at a length, relative to the exact result in the norms of 1, 2 and ∞, in units of U of the result.
type tops struct{ l1, l2, max float64 }

// Kept returns a copy of an input that outlives the next draw.
func (t *Trial) Kept(c *corpus.Arrays) *corpus.Arrays { return c.Clone() }

// Near returns error/bound of the input that was judged last, for an attack.
func (t *Trial) Near() float64 { return t.near }

// Count adds the verdict on an input to the statistics of a law.
func (t *Trial) Count(st *engine.LawStats, v *verdict.Verdict, c *corpus.Arrays) {
	_, n := sizesOf(c)
	st.Add(v, familyOf(c), n)
	if v.Outcome == verdict.Holds {
		st.Reached(n, &t.reach)
	}
	switch {
	case v.Outcome != verdict.Holds:
	case st.Law == model.DeviceRepeat && t.claim.Repeats:
		st.MaxDistinct = 1
	case st.Law == model.DeviceEqual && t.differs:
		st.Differ++
	}
}

// familyOf returns the family that an input was drawn from.
func familyOf(c *corpus.Arrays) string {
	family, _, _ := strings.Cut(c.Inputs[0].Gen, " ")
	return family
}

// sign returns which transform of an input is judged: the one that is offered, or by the seed one of the two.
func (r *run) sign(c *corpus.Arrays) fourier.Sign {
	if r.claim.OneWay {
		return r.claim.Sign
	}
	return fourier.Sign(c.Seed & 1)
}

// Judge runs the kernel on an input and judges what it gives.
func (t *Trial) Judge(l *Law, c *corpus.Arrays) (v verdict.Verdict) {
	defer verdict.Catch(&v, l.ID, verdict.LawPanicked, "the law panicked: %v")
	at, n := t.Setting(c)
	sign := t.sign(c)
	if (l.ID == model.FFTRoundtrip || l.ID == model.FFTShift) && t.claim.Real || l.ID == model.FFTConvolution {
		sign = fourier.Forward
	}
	t.law, t.c, t.at, t.found, t.near = l, c, t.Device.Setting(at), nil, -1
	t.Transform = t.claim.Transform(n, sign)
	t.in, t.out = sides(&t.claim, t.Transform)
	t.rows, _ = sizesOf(c)
	t.bound = t.boundOf(t.Transform)
	t.failing = deviation{}
	t.reach.Forget()
	if b := t.at.Behaviour; (b.Rounding != 0 || b.Rewrites != (model.Rewrites{}) && !t.Device.Strict) && l.Found == nil {
		return verdict.Unclaimed("what a bound is worth under another rounding, or where a compiler rewrites, is not stated")
	}
	t.load()
	if l.ID == model.FFTTwiddle {
		return l.Judge(t)
	}
	if b := t.once(t.at, t.Transform, t.rows, c.Seed, false, &t.x, n, &t.y); b != nil {
		return verdict.Breaks(b)
	}
	switch {
	case l.Found != nil:
		return l.Found(t.found)
	case l.Calls != nil:
		return l.Calls(&calls{t})
	}
	return l.Judge(t)
}

// boundOf returns what is proved of a transform where it runs.
func (t *Trial) boundOf(tr fourier.Transform) fourier.Bound {
	c := t.claim
	b := t.at.Behaviour
	c.Flush = engine.JoinFlush(c.Flush, b.Flush)
	c.Contracted = c.Contracted || b.Contract != model.ContractOff && !t.Device.Strict
	return c.Bound(tr)
}

// load reads the input of the case.
func (t *Trial) load() {
	t.special = false
	plain := side{Number: fourier.Number{Format: t.claim.In.Format}}
	for i := range t.x {
		t.x[i] = nil
	}
	for i := range t.c.Inputs {
		a := &t.c.Inputs[i]
		t.x[i] = draw.Grow(t.x[i], len(a.Bits))
		for k, b := range a.Bits {
			v := plain.value(b)
			t.x[i][k] = v
			t.special = t.special || v-v != 0
		}
	}
	if t.law.ID == model.FFTSymmetric && !t.claim.Real { // of real numbers
		clear(t.x[1])
		if t.x[3] != nil {
			clear(t.x[3])
		}
	}
}

// once runs a transform of rows of x, stride numbers apart, and reads the result.
func (t *Trial) once(at verdict.Setting, tr fourier.Transform, rows int, seed uint64, aliased bool, x *values, stride int, y *values) *verdict.Breakage {
	in, out := sides(&t.claim, tr)
	t.src, t.got = draw.Grow(t.src, rows*in.row()), draw.Grow(t.got, rows*out.row())
	in.pack(t.src, x, rows, stride)
	err := t.Device.Findings("the kernel", t.work(request{at, tr, rows, seed, aliased}, t.got, t.src), t.law.Found != nil, &t.found)
	if b := verdict.BreakageOf("the kernel", err); b != nil {
		return b
	}
	out.unpack(y, t.got, rows)
	return nil
}

// Rows returns how many transforms the call had.
func (t *Trial) Rows() int { return t.rows }

// X returns number k of the input of a row, rounded to binary64 if it is a double word.
func (t *Trial) X(row, k int) complex128 {
	i := row*t.N + k
	x := complex(t.x[0][i], t.x[1][i])
	if t.x[2] != nil {
		x += complex(t.x[2][i], t.x[3][i])
	}
	if t.in.real {
		return complex(real(x), 0)
	}
	return x
}

// Y returns number k of the result of a row, as the kernel has placed it.
func (t *Trial) Y(row, k int) complex128 {
	i := row*t.out.count + k
	y := complex(t.y[0][i], t.y[1][i])
	if t.y[2] != nil {
		y += complex(t.y[2][i], t.y[3][i])
	}
	return y
}

// Bound returns what is proved of the transform's errors.
func (t *Trial) Bound() fourier.Bound { return t.bound }

// deviation is how far the result of one row is from exact, in numbers scaled by 2^shift.
type deviation struct {
	judged    bool
	row       int
	shift     int
	l1, l2    float64 // of the error
	max       float64
	worst     int     // where the greatest error is
	norm1     float64 // of the input
	norm2     float64
	out1      float64 // of the exact result, without the scale's
	out2      float64
	outMax    float64
	limit     float64 // of l2
	limitMax  float64 // of max
	oracle    float64 // the exact transform's own error of each value
	got, want complex128
	beside    string // what want is, if it is not the exact number
}

// index returns where number k of the spectrum of a complex transform stands.
func (t *Trial) index(k int) int {
	if t.claim.Order == fourier.BitReversed && t.N > 1 {
		return int(bits.Reverse64(uint64(k)) >> (65 - bits.Len(uint(t.N))))
	}
	return k
}

// expand makes a row of the input as the exact transform takes it: N complex numbers in natural order.
func (t *Trial) expand(x *values, row, stride int, tr fourier.Transform) {
	n := tr.N
	for i := range x {
		if x[i] == nil || i&1 == 1 && tr.Data == fourier.RealInput {
			t.whole[i] = nil
			continue
		}
		w, v := draw.Grow(t.whole[i], n), x[i][row*stride:]
		t.whole[i] = w
		switch {
		case tr.Data == fourier.RealOutput:
			for k := range fourier.Half(n) {
				w[k] = v[k]
				if k > 0 && i&1 == 0 {
					w[n-k] = v[k]
				} else if k > 0 {
					w[n-k] = -v[k]
				}
			}
			if i&1 == 1 {
				w[0] = 0
				if n%2 == 0 {
					w[n/2] = 0
				}
			}
		case tr.Sign == fourier.Inverse:
			for k := range n {
				w[k] = v[t.index(k)]
			}
		default:
			copy(w, v[:n])
		}
	}
}

// transform computes the exact transform of a row.
func (t *Trial) transform(x *values, row, stride int, tr fourier.Transform) {
	t.expand(x, row, stride, tr)
	scale := map[fourier.Scale]int{fourier.Unscaled: 0, fourier.ByN: 1, fourier.ByRootN: 2}[tr.Scale]
	dft.For(tr.N).Transform(&t.exact, tr.Sign == fourier.Inverse, scale, t.whole[0], t.whole[1], t.whole[2], t.whole[3])
}

// slack covers the errors of sums of up to 2^24 squares in binary64, their root, and of what is proved to 2^-51.
const slack = 0x1p-27

// measure compares the result of a row with the exact one.
func (t *Trial) measure(row int) deviation {
	t.transform(&t.x, row, t.N, t.Transform)
	e := deviation{judged: true, row: row, shift: t.exact.Shift, oracle: t.exact.Err}
	for k := range t.N {
		a, b := 0.0, 0.0
		for i, list := range t.whole {
			if list != nil && i&1 == 0 {
				a += math.Ldexp(list[k], e.shift)
			} else if list != nil {
				b += math.Ldexp(list[k], e.shift)
			}
		}
		e.norm2 += float64(a*a) + float64(b*b)
		e.norm1 += math.Hypot(a, b)
	}
	e.norm2 = math.Sqrt(e.norm2)
	scale := t.factor()
	e.limit = float64(t.bound.L2*scale*math.Sqrt(float64(t.N))*e.norm2*(1+slack)) + math.Ldexp(t.bound.Tiny, e.shift)
	e.limitMax = float64(t.bound.Max*scale*e.norm1*(1+slack)) + math.Ldexp(t.bound.Tiny, e.shift)
	lo := func(i, k int) float64 {
		if t.y[i] == nil {
			return 0
		}
		return t.y[i][k]
	}
	for k := range t.out.count {
		i := row*t.out.count + k
		if t.Sign == fourier.Forward && t.Data == fourier.Complex {
			i = row*t.out.count + t.index(k)
		}
		a, b := t.exact.Off(k, t.y[0][i], t.y[1][i], lo(2, i), lo(3, i))
		p, q := t.exact.At(k)
		if t.out.real {
			b, q = 0, 0
		}
		weight := 1.0 // of the values that follow by symmetry, too
		if t.out.half && k > 0 && 2*k != t.N {
			weight = 2
		}
		off, is := float64(a*a)+float64(b*b), float64(p*p)+float64(q*q)
		e.l2 += float64(weight * off)
		e.out2 += float64(weight * is)
		off, is = math.Sqrt(off), math.Sqrt(is)
		e.l1 += float64(weight * off)
		e.out1 += float64(weight * is)
		e.outMax = max(e.outMax, is)
		if !(off <= e.max) {
			e.max, e.worst = off, k
			if off != off {
				e.max = math.Inf(1)
			}
		}
	}
	e.l2, e.out2 = math.Sqrt(e.l2), math.Sqrt(e.out2)
	if e.l2 != e.l2 {
		e.l1, e.l2 = math.Inf(1), math.Inf(1)
	}
	k := e.worst
	p, q := t.exact.At(k)
	e.want = complex(math.Ldexp(p, -e.shift), math.Ldexp(q, -e.shift))
	if t.out.real {
		e.want = complex(real(e.want), 0)
	}
	if t.Sign == fourier.Forward && t.Data == fourier.Complex {
		k = t.index(k)
	}
	e.got = t.Y(row, k)
	return e
}

// factor returns s, rounded up.
func (t *Trial) factor() float64 { return factorOf(t.Transform) }

func factorOf(tr fourier.Transform) float64 {
	switch tr.Scale {
	case fourier.ByN:
		return float64(1 / float64(tr.N) * (1 + 0x1p-50))
	case fourier.ByRootN:
		return float64(1 / math.Sqrt(float64(tr.N)) * (1 + 0x1p-50))
	}
	return 1
}

// overflows says why a step of the transform of a row may overflow, "" if none does.
func (t *Trial) overflows(e *deviation) string {
	return t.overflow(e.norm1, e.shift, t.bound, factorOf(t.Transform))
}

func (t *Trial) overflow(norm1 float64, shift int, b fourier.Bound, scale float64) string {
	grown := float64(norm1 * (1 + slack) * (1 + b.L2))
	largest := func(f model.Format) float64 { return math.Ldexp(float64(f.MaxFinite), f.Emax-f.P+1+shift) }
	if inside := t.claim.Inside.Format; float64(b.Growth*grown) >= largest(inside) {
		return fmt.Sprintf("a step may overflow: %.3g times the 1-norm of the input reaches the end of %s", b.Growth, inside)
	}
	if out := t.claim.Out.Format; float64(grown*scale) >= largest(out) {
		return fmt.Sprintf("a result may overflow: the 1-norm of the input reaches the end of %s", out)
	}
	return ""
}

// rowSpecial reports whether a row of the input has a NaN or an infinity.
func (t *Trial) rowSpecial(row int) bool {
	for _, list := range t.x {
		if list == nil {
			continue
		}
		for _, v := range list[row*t.N : (row+1)*t.N] {
			if v-v != 0 {
				return true
			}
		}
	}
	return false
}

// Measure says what errors were met, by lengths, in the norms that benchmarks of transforms have.
func (t *Trial) Measure(st *engine.LawStats) {
	for _, n := range []int{64, 1024, 4096} {
		if s, ok := t.sizes[n]; ok {
			st.Measure(fmt.Sprintf("greatest relative errors of %d points, in %s: {x} in the 1-norm, {x} in the 2-norm, {x} in the ∞-norm", n, unitText(t.claim.Out)), nil, s.l1, s.l2, s.max)
		}
	}
}

func unitText(n fourier.Number) string {
	if n.Double() {
		return "u²"
	}
	return "u"
}

// note keeps the greatest errors met.
func (t *Trial) note(e *deviation) {
	if !(e.out2 > 0) || math.IsInf(e.l2, 1) {
		return
	}
	if t.sizes == nil {
		t.sizes = map[int]tops{}
	}
	s, u := t.sizes[t.N], t.claim.Out.U()
	s.l1, s.l2, s.max = max(s.l1, e.l1/e.out1/u), max(s.l2, e.l2/e.out2/u), max(s.max, e.max/e.outMax/u)
	t.sizes[t.N] = s
}

// farther notes the error of a row and its bound, both in units of a norm, unless a row before it in the input erred more.
func (t *Trial) farther(norm string, unit, e, limit float64) {
	unit = float64(unit * t.claim.Out.U())
	if !(unit > 0) || e/unit < t.reach.Error {
		return
	}
	t.reach.Forget()
	t.reach.Unit, t.reach.Error = "u·"+norm, e/unit
	t.reach.Bound(t.bound.Name, limit/unit)
}

// text writes a complex number in the digits that tell its parts from all others of their format: binary32, or else binary64.
func text(z complex128, real bool) string {
	part := func(v float64) string {
		size := 64
		if float64(float32(v)) == v {
			size = 32
		}
		return strconv.FormatFloat(v, 'g', -1, size)
	}
	a, b := part(realOf(z)), part(imagOf(z))
	if real {
		return a
	}
	if !strings.HasPrefix(b, "-") {
		b = "+" + b
	}
	return a + cmp.Or(b, "+0") + "i"
}

func realOf(z complex128) float64 { return real(z) }
func imagOf(z complex128) float64 { return imag(z) }
