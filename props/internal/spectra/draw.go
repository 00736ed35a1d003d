package spectra

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/fourier"
	"gamma/oracle/dft"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
)

// mostPoints is the longest transform that is judged, and mostNumbers how many numbers one input has at most.
const (
	mostPoints  = 1 << 20
	mostNumbers = 1 << 17
	mostWide    = 1 << 20 // of one that has more rows than an index counts
)

// filler makes a row of complex numbers.
type filler struct {
	rng   *draw.Splitmix
	f     model.Format
	n     int
	roots []complex128 // exp(-2πi·k/n), rounded
	x, y  []float64
}

// unit returns a number from [-1/2, 1/2).
func (w *filler) unit() float64 { return float64(float64(w.rng.Next()>>11)*0x1p-53) - 0.5 }

// value returns 1, -1, a small integer, or a number of any digits.
func (w *filler) value() float64 {
	return [...]float64{1, -1, float64(w.rng.Below(9) + 1), math.Ldexp(w.unit(), 2)}[w.rng.Below(4)]
}

// each fills the row.
func (w *filler) each(f func(k int) complex128) {
	for k := range w.x {
		z := f(k)
		w.x[k], w.y[k] = real(z), imag(z)
	}
}

// scaled multiplies the row by a power of two.
func (w *filler) scaled(e int) {
	for k := range w.x {
		w.x[k], w.y[k] = math.Ldexp(w.x[k], e), math.Ldexp(w.y[k], e)
	}
}

// family is a way to draw inputs.
type family struct {
	name, text string
	special    bool // it has NaNs or infinities
	turns      bool // it needs roots
	plain      bool // second words of double words are 0
	fill       func(w *filler)
}

func uniform(w *filler) { w.each(func(int) complex128 { return complex(w.unit(), w.unit()) }) }

// families are all there are.
var families = []family{
	{name: "impulse", text: "one number", fill: func(w *filler) {
		w.impulse(w.rng.Below(w.n))
	}},
	{name: "impulses", text: "two numbers, of one magnitude or of several", fill: func(w *filler) {
		w.impulse(w.rng.Below(w.n))
		k := w.rng.Below(w.n)
		w.x[k], w.y[k] = math.Ldexp(w.value(), -4*w.rng.Below(6)), w.value()
	}},
	{name: "first", plain: true, text: "one number, at 0", fill: func(w *filler) { w.impulse(0) }},
	{name: "constant", plain: true, text: "one number everywhere", fill: func(w *filler) {
		z := complex(w.value(), w.value())
		w.each(func(int) complex128 { return z })
	}},
	{name: "alternating", plain: true, text: "one number and its opposite", fill: func(w *filler) {
		z := complex(w.value(), w.value())
		w.each(func(k int) complex128 { return alternately(z, k) })
	}},
	{name: "tone", text: "exp(2πi·jk/N) of one frequency, rounded", turns: true, fill: func(w *filler) {
		k := w.rng.Below(w.n)
		w.each(func(j int) complex128 { return w.roots[(w.n-j*k%w.n)%w.n] })
	}},
	{name: "chirp", text: "exp(-2πi·j²/N), rounded: a spectrum of one magnitude", turns: true, fill: func(w *filler) {
		w.each(func(j int) complex128 { return w.roots[j*j%w.n] })
	}},
	{name: "uniform", text: "parts from [-1/2, 1/2), as of benchFFT", fill: uniform},
	{name: "integers", text: "small integers", fill: func(w *filler) {
		w.each(func(int) complex128 { return complex(float64(w.rng.Below(17)-8), float64(w.rng.Below(17)-8)) })
	}},
	{name: "wide", text: "magnitudes from 2^-30 to 2^30", fill: func(w *filler) {
		w.each(func(int) complex128 {
			return complex(math.Ldexp(w.unit(), w.rng.Below(61)-30), math.Ldexp(w.unit(), w.rng.Below(61)-30))
		})
	}},
	{name: "cancelling", text: "the second half is the first with the other sign, but for some last digits", fill: func(w *filler) {
		uniform(w)
		for k := w.n / 2; k < w.n; k++ {
			off := 1 + math.Ldexp(float64(w.rng.Below(9)-4), 1-w.f.P)
			w.x[k], w.y[k] = float64(-w.x[k-w.n/2]*off), -w.y[k-w.n/2]
		}
	}},
	{name: "dc", text: "noise of 2^-12 beside 1", fill: func(w *filler) {
		w.each(func(int) complex128 { return complex(1+math.Ldexp(w.unit(), -12), math.Ldexp(w.unit(), -12)) })
	}},
	{name: "sparse", text: "zeros, and one number in eight", fill: func(w *filler) {
		w.each(func(int) complex128 {
			z := complex(w.value(), w.value())
			if w.rng.Below(8) > 0 {
				return 0
			}
			return z
		})
	}},
	{name: "subnormal", text: "parts about the least normal number", fill: func(w *filler) {
		uniform(w)
		w.scaled(w.f.Emin + 2 - w.rng.Below(12))
	}},
	{name: "large", text: "parts so large that the 1-norm is half of the largest number or less", fill: func(w *filler) {
		uniform(w)
		w.scaled(w.f.Emax - 3 - log2(w.n))
	}},
	{name: "special", text: "one NaN or infinity, in one of the rows", special: true, fill: uniform},
}

// alternately returns z for even k and -z for odd ones.
func alternately(z complex128, k int) complex128 {
	if k&1 == 1 {
		return -z
	}
	return z
}

// log2 returns ⌈log₂ n⌉.
func log2(n int) (l int) {
	for 1<<l < n {
		l++
	}
	return l
}

func (w *filler) impulse(k int) {
	clear(w.x)
	clear(w.y)
	w.x[k], w.y[k] = w.value(), w.value()
	if w.rng.Below(3) == 0 {
		w.y[k] = 0
	}
}

var familyByName = func() map[string]*family {
	m := map[string]*family{}
	for i := range families {
		m[families[i].name] = &families[i]
	}
	return m
}()

// drawer draws inputs for one law and one kernel.
type drawer struct {
	engine.Seeded[*corpus.Arrays]
	r        *run
	law      *Law
	seed     uint64
	families []*family
	sizes    []int // those from short on are drawn rarely
	short    int
	turns    map[int][]complex128
}

// drawsPer is how many inputs of a sum are drawn for one of a transform.
const drawsPer = 8

func (r *run) Source(l *Law, _ bool) (engine.Source[*corpus.Arrays], error) {
	d := &drawer{r: r, law: l, seed: r.Set.SeedFor(string(l.ID), r.Name), turns: map[int][]complex128{}}
	for i := range families {
		f := &families[i]
		if l.Families == nil && !f.special || slices.Contains(l.Families, f.name) {
			d.families = append(d.families, f)
		}
	}
	limit := r.Device.Most(draw.Most(r.Set.MaxN, r.claim.MaxN))
	d.lengths(limit)
	if len(d.sizes) == 0 {
		return nil, fmt.Errorf("props: %s claims lengths that are %s, from %d on, and none of them is at most %d: look at -gamma.maxn", r.Name, r.claim.Lengths, r.claim.MinN, limit)
	}
	d.N, d.From = max(1, r.Checks(max(1, r.Set.Checks/drawsPer))), d.expand
	d.Every = l.Every(d.N)
	return d, nil
}

// lengths finds the lengths that are drawn: those that the law says something about.
func (d *drawer) lengths(limit int) {
	r := d.r
	near, far := draw.Sizes(1, limit, 14, 21, 25, 27, 35, 37, 49, 81, 101, 105, 120, 125, 210, 243, 343, 360, 625, 720, 997, 2520)
	most := mostNumbers
	if related(d.law) {
		most = mostRelated
	}
	for n := 1 << 11; n <= min(limit, most); n *= 2 {
		far = append(far, n)
	}
	list := slices.Concat(near, far, []int{limit, r.claim.MinN})
	slices.Sort(list)
	for _, n := range slices.Compact(list) {
		if n >= 1 && n <= min(limit, most) && r.claim.Has(n) && d.about(n) {
			d.sizes = append(d.sizes, n)
		}
	}
	if d.short = sort.SearchInts(d.sizes, 1<<10+2); d.short == 0 {
		d.short = len(d.sizes)
	}
}

// about reports whether the law says something about n points.
func (d *drawer) about(n int) bool {
	power, t := n&(n-1) == 0, d.r.claim.Transform(n, d.r.claim.Sign)
	switch d.law.ID {
	case model.FFTTypical:
		_, ok := d.r.claim.Typical(t)
		return ok && n >= leastTypical
	case model.FFTShift:
		return n > 1
	case model.FFTEntry:
		return !math.IsInf(d.r.claim.Bound(t).Max, 1)
	case model.FFTExact:
		return power && (t.Scale != fourier.ByRootN || log2(n)%2 == 0) || d.r.claim.Lengths != fourier.PowersOfTwo && d.r.claim.MinN > 1
	}
	return true
}

// rare is in how many draws one length is any of those above 1,025 points.
const rare = 40

// expand turns a draw into an input.
func (d *drawer) expand(seed uint64) *corpus.Arrays {
	rng := draw.Splitmix(draw.Mix(seed ^ d.seed))
	n := d.sizes[rng.Below(d.short)]
	if rng.Below(rare) == 0 {
		n = d.sizes[rng.Below(len(d.sizes))]
	}
	f := d.families[rng.Below(len(d.families))]
	rows := 1
	if d.r.claim.Batched {
		rows = min(max(1, mostNumbers/n), [...]int{1, 2, 3, 1 + rng.Below(6)}[rng.Below(4)])
	}
	return d.made(f, rows, n, rng, seed)
}

// made returns an input of a family.
func (d *drawer) made(f *family, rows, n int, rng draw.Splitmix, seed uint64) *corpus.Arrays {
	c := d.r.blank(rows, n)
	w := &filler{rng: &rng, f: d.r.claim.In.Format, n: n, x: make([]float64, n), y: make([]float64, n)}
	if f.turns {
		w.roots = d.rootsOf(n)
	}
	s := side{Number: fourier.Number{Format: w.f}}
	for row := range rows {
		f.fill(w)
		for part, list := range [2][]float64{w.x, w.y} {
			if part == 1 && d.r.claim.Real && d.r.claim.OneWay {
				continue // the input is real
			}
			for k, v := range list {
				c.Inputs[part].Bits[row*n+k] = s.bits(v)
				if d.r.claim.In.Double() && !f.plain {
					hi := s.value(s.bits(v))
					c.Inputs[part+2].Bits[row*n+k] = s.bits(math.Ldexp(float64(hi*w.unit()), -w.f.P))
				}
			}
		}
	}
	if f.special {
		row, k, part := rng.Below(rows), rng.Below(n), rng.Below(2)
		if d.r.claim.Real {
			part = 0
		}
		c.Inputs[part].Bits[row*n+k] = s.bits([...]float64{math.NaN(), math.Inf(1), math.Inf(-1)}[rng.Below(3)])
		if d.r.claim.In.Double() {
			c.Inputs[part+2].Bits[row*n+k] = 0
		}
	}
	c.Inputs[0].Gen = fmt.Sprintf("%s rows=%d n=%d seed=%d", f.name, rows, n, seed)
	return d.r.Seed(c, n, rng.Next()>>24)
}

// Round returns how many inputs there are beyond those that are drawn: of more rows than an index counts.
func (d *drawer) Round() int {
	if !d.r.claim.Batched {
		return 0
	}
	return engine.WideCounts
}

// Beyond makes input k of them, of the shortest rows that are no single numbers.
func (d *drawer) Beyond(k int, far bool, rng *draw.Splitmix) (*corpus.Arrays, bool) {
	n := d.sizes[0]
	if n == 1 && len(d.sizes) > 1 {
		n = d.sizes[1]
	}
	rows, ok := d.r.Device.WideRows(k%engine.WideCounts, n, far, rng)
	if !ok || rows*n > mostWide {
		return nil, false
	}
	return d.made(d.families[rng.Below(len(d.families))], rows, n, *rng, rng.Next()), true
}

// rootsOf returns exp(-2πi·k/n), rounded: the transform of an impulse at 1, or for laws that ask for no exact transform those of a circle.
func (d *drawer) rootsOf(n int) []complex128 {
	if w, ok := d.turns[n]; ok {
		return w
	}
	w := make([]complex128, n)
	d.turns[n] = w
	if related(d.law) {
		circle := dft.CircleOf(n)
		for k := range w {
			var s dft.Sum
			s.Start(1)
			s.Add(&dft.Number{1}, circle, k)
			w[k] = complex(s.Parts(0))
		}
		return w
	}
	one := make([]float64, n)
	one[1%n] = 1
	var s dft.Spectrum
	dft.For(n).Transform(&s, false, 0, one, nil, nil, nil)
	for k := range w {
		a, b := s.At(k)
		w[k] = complex(math.Ldexp(a, -s.Shift), math.Ldexp(b, -s.Shift))
	}
	return w
}

// Toward makes the drawer draw from these families, and of these lengths if it draws them.
func (d *drawer) Toward(names []string, sizes []int) {
	var some []*family
	for _, f := range d.families {
		if slices.Contains(names, f.name) {
			some = append(some, f)
		}
	}
	if len(some) > 0 {
		d.families = some
	}
	var known []int
	for _, n := range sizes {
		if slices.Contains(d.sizes, n) {
			known = append(known, n)
		}
	}
	if len(known) > 0 {
		d.sizes, d.short = known, len(known)
	}
}

// An attack starts from so many inputs, and changes the best of them for so many steps.
const (
	climbShare = 8 // of the draws
	climbSteps = 25
	climbMost  = 256
)

// Climb changes inputs so that the error's norm comes nearer to its bound.
func (d *drawer) Climb(judge func(c *corpus.Arrays) (ratio float64, enough bool)) {
	if d.law.ID != model.FFTError {
		return
	}
	rng := draw.Splitmix(draw.Mix(d.seed ^ 0xa77ac4))
	own := *d
	own.sizes = slices.DeleteFunc(slices.Clone(d.sizes[:d.short]), func(n int) bool { return n > climbMost || n < 2 })
	if own.short = len(own.sizes); own.short == 0 {
		return
	}
	start := func() (c *corpus.Arrays, ok bool) {
		c = own.expand(rng.Next())
		c.Inputs[0].Gen = ""
		return c, true
	}
	half := max(1, d.Draws()/climbShare/2)
	climbs := (half + climbSteps - 1) / climbSteps
	engine.Attack(engine.Ascent{Starts: half, Climbs: climbs, Steps: half / climbs}, start, func(c *corpus.Arrays) *corpus.Arrays { return d.changed(c, &rng) }, judge)
}

// changed returns an input with a number a little off, another one, a copy of one in the place of another, or all of them turned or scaled.
func (d *drawer) changed(c *corpus.Arrays, rng *draw.Splitmix) *corpus.Arrays {
	c = c.Clone()
	s := side{Number: fourier.Number{Format: d.r.claim.In.Format}}
	a := &c.Inputs[rng.Below(2)]
	if d.r.claim.Real && d.r.claim.OneWay {
		a = &c.Inputs[0]
	}
	i := rng.Below(len(a.Bits))
	off := 1 + math.Ldexp(float64(1-2*rng.Below(2)), -rng.Below(s.Format.P)-1)
	switch rng.Below(5) {
	case 0, 1:
		a.Bits[i] = s.bits(float64(s.value(a.Bits[i]) * off))
	case 2:
		a.Bits[i] = s.bits(float64(rng.Below(5) - 2))
	case 3:
		a.Bits[i] = a.Bits[rng.Below(len(a.Bits))]
	default:
		for k, b := range a.Bits {
			a.Bits[k] = s.bits(float64(s.value(b) * off))
		}
	}
	for k := 2; k < len(c.Inputs); k++ { // double words stay normalised
		for i, b := range c.Inputs[k].Bits {
			if lo := s.value(b); math.Abs(lo) > math.Ldexp(math.Abs(s.value(c.Inputs[k-2].Bits[i])), -s.Format.P) {
				c.Inputs[k].Bits[i] = 0
			}
		}
	}
	return c
}

// Decode makes an input of bytes: a seed, a length, rows, and elements.
func (r *run) Decode(b *engine.Decoder, l *Law) *corpus.Arrays {
	seed, at, rows := uint64(b.Byte()), int(b.Byte()), 1
	if count := int(b.Byte()) % 4; r.claim.Batched {
		rows += count
	}
	n := r.claim.MinN
	if src, err := r.Source(l, false); err == nil {
		d := src.(*drawer)
		if n = d.sizes[at%d.short]; rows*n > draw.MaxFuzzN {
			n = d.sizes[0]
		}
	}
	c := r.blank(rows, n)
	s := side{Number: fourier.Number{Format: r.claim.In.Format}}
	width := s.Format.Bits() / 8
	for i := range c.Inputs {
		for k := range c.Inputs[i].Bits {
			w := b.Word(width)
			if v := s.value(w); i >= 2 && !(math.Abs(v) <= math.Ldexp(math.Abs(s.value(c.Inputs[i-2].Bits[k])), -s.Format.P)) {
				w = 0
			}
			c.Inputs[i].Bits[k] = w
		}
	}
	return r.Seed(c, n, seed)
}

func (r *run) Seeds() (list [][]byte) {
	for i := range 40 { // subject, law, seed, length, rows, elements
		b := []byte{byte(i), byte(i), byte(i), byte(i / 2), byte(i / 3)}
		for k := range i & 31 {
			v := math.Float32bits(float32(k*k%7) - 2.5)
			b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
		list = append(list, b)
	}
	return list
}
