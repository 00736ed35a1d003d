package dft

import (
	"math"
	"math/big"
	"math/bits"
	"sync"
)

// Plan transforms n points.
type Plan struct {
	n, m int     // points, and those of the power of two
	w    []root  // exp(-2πi·k/m), k < m/2
	rev  []int32 // bits of indices reversed
	// Of lengths that are no powers of two, by Bluestein's algorithm: the chirp exp(-πi·j²/n), and the transform of its conjugate, over m.
	chirp, kernel []root

	perN, perRoot fixed // 1/n, 1/√n
}

// plans holds the plans that were made: they are constants.
var plans sync.Map

// For returns the plan for n points, n >= 1. It may be used by several goroutines.
func For(n int) *Plan {
	if p, ok := plans.Load(n); ok {
		return p.(*Plan)
	}
	if n < 1 || n > MaxN {
		panic(panicPoints)
	}
	p := newPlan(n)
	plans.Store(n, p)
	return p
}

// MaxN is the greatest number of points that has a plan.
const MaxN = 1 << 22

func newPlan(n int) *Plan {
	p := &Plan{n: n, m: n}
	if n&(n-1) != 0 {
		p.m = 1 << bits.Len(uint(2*n-2))
	}
	p.w = roots(p.m, max(1, p.m/2))
	for i := range p.w {
		p.w[i] = p.w[i].conj()
	}
	p.rev = make([]int32, p.m)
	for i := range p.rev {
		p.rev[i] = int32(bits.Reverse64(uint64(i)) >> (65 - bits.Len(uint(p.m))) & uint64(p.m-1))
	}
	one := new(big.Int).Lsh(big.NewInt(1), rootBits)
	p.perN = fromBig(one.Div(one, big.NewInt(int64(n))))
	square := new(big.Int).Lsh(big.NewInt(1), 2*rootBits)
	p.perRoot = fromBig(square.Sqrt(square.Div(square, big.NewInt(int64(n)))))
	if p.m != n {
		p.bluestein()
	}
	return p
}

// bluestein makes the chirp and its transform.
func (p *Plan) bluestein() {
	all := roots(2*p.n, 2*p.n)
	p.chirp = make([]root, p.n)
	b := &Spectrum{re: make([]fixed, p.m), im: make([]fixed, p.m)}
	quiet := bits.Len(uint(p.m)) // values of b are 2^-quiet·2^190, so that their sums have room
	for j := range p.chirp {
		back := &all[uint64(j)*uint64(j)%uint64(2*p.n)]
		p.chirp[j] = back.conj()
		c, d := back.parts()
		for _, at := range []int{j, (p.m - j) % p.m} {
			b.re[at], b.im[at] = shiftRight(c, quiet), shiftRight(d, quiet)
		}
	}
	re, im := make([]fixed, p.m), make([]fixed, p.m)
	for i, r := range p.rev {
		re[i], im[i] = b.re[r], b.im[r]
	}
	p.passes(re, im, false)
	p.kernel = make([]root, p.m)
	for k := range p.kernel { // B = value·2^quiet, over m = 2^(quiet-1)
		p.kernel[k] = newRoot(add(re[k], re[k]), add(im[k], im[k]))
	}
}

func shiftRight(v fixed, k int) fixed {
	return fromBig(new(big.Int).Rsh(v.big(), uint(k)))
}

// Spectrum is a transform: N complex numbers in fixed point. Sums and norms of it are scaled by a power of two, 2^Shift, so that none of them
// overflows or underflows.
type Spectrum struct {
	Shift int
	Err   float64 // bounds |error| of each value, times 2^Shift

	re, im []fixed
	unit   int // a value is re·2^-unit
	work   [4][]fixed
}

// Transform computes X_k = s·Σ_j x_j·exp(∓2πi·j·k/n), - unless inverse, where s is 1, 1/n for perN = 1 and 1/√n for 2. The parts of x_j are re[j] + lo re[j],
// which are finite; im, reLo and imLo may be nil.
//
// Error:  |computed - X_k| <= Err·2^-Shift. Units are so chosen that all |x_j| <= 2^(188-L), 2^L >= n, or for Bluestein's algorithm 2^(187-L-M), 2^M = m: then no
// sum of values exceeds 2^189 units. Each part of x_j errs by two units at most, two words, and x_j by 3. A butterfly a ± w·b makes of errors E errors 2E + 201 (see
// root.times), so that values of m points err by m·(3+201) at most. By Bluestein's algorithm: y errs by 3 + 201, Y by m·(204+201). The kernel is the transform of the conjugate chirp b, scaled
// by 2^-(M+1), whose values err by 51 units of 2^-190 then and in the end by m·(51+201), twice that as parts of the kernel, over m: of Y, below 2^(188-M), they make products
// that err by 126·m units, or less. So Z errs by 405m + 126m + 201, z by m times as much and m·201 more, X by 201 more: by less than 1000·m², as |kernel| <= 1. The scale's
// product errs by 30 units, 1 for its constant.
func (p *Plan) Transform(dst *Spectrum, inverse bool, scale int, re, im, reLo, imLo []float64) {
	parts := [4][]float64{re, im, reLo, imLo}
	top := -2000
	for _, list := range parts[:2] {
		for _, x := range list {
			if x != 0 {
				top = max(top, exponent(x))
			}
		}
	}
	if top == -2000 {
		top = 0
	}
	room := 188 - bits.Len(uint(p.n-1))
	if p.chirp != nil {
		room -= 1 + bits.Len(uint(p.m-1))
	}
	dst.Shift, dst.unit = -top, room-top
	for i := range dst.work {
		dst.work[i] = grow(dst.work[i], p.m)
	}
	a, b := dst.work[0], dst.work[1]
	load := func(j int) (x, y fixed) {
		var v [4]fixed
		for i, list := range parts {
			if list != nil {
				v[i], _ = fromFloat(list[j], dst.unit)
			}
		}
		x, y = add(v[0], v[2]), add(v[1], v[3])
		if inverse { // the conjugate of the transform of the conjugate
			y = neg(y)
		}
		return x, y
	}
	units := float64(204 * p.m)
	if p.chirp == nil {
		for i, r := range p.rev {
			a[i], b[i] = load(int(r))
		}
		p.passes(a, b, false)
	} else {
		a, b = p.convolve(dst, load)
		units = float64(1000 * p.m * p.m)
	}
	a, b = a[:p.n], b[:p.n]
	if scale > 0 {
		by, factor := p.perN, 1/float64(p.n)
		if scale == 2 {
			by, factor = p.perRoot, 1/math.Sqrt(float64(p.n))
		}
		for k := range a {
			a[k], b[k] = mul(a[k], by), mul(b[k], by)
		}
		units = float64(units*factor*(1+0x1p-50)) + 32
	}
	if inverse {
		for k := range b {
			b[k] = neg(b[k])
		}
	}
	dst.re, dst.im = a, b
	dst.Err = math.Ldexp(float64(units*(1+0x1p-50)), dst.Shift-dst.unit)
}

// convolve returns the transform by Bluestein's algorithm.
func (p *Plan) convolve(dst *Spectrum, load func(j int) (x, y fixed)) (a, b []fixed) {
	a, b = dst.work[0], dst.work[1]
	y, z := dst.work[2], dst.work[3]
	for i, r := range p.rev {
		if a[i], b[i] = (fixed{}), (fixed{}); int(r) < p.n {
			x, im := load(int(r))
			a[i], b[i] = p.chirp[r].times(x, im)
		}
	}
	p.passes(a, b, false)
	for i, r := range p.rev {
		y[i], z[i] = p.kernel[r].times(a[r], b[r])
	}
	p.passes(y, z, true)
	for k := range p.n {
		a[k], b[k] = p.chirp[k].times(y[k], z[k])
	}
	return a, b
}

// passes transforms m points in place, from bit-reversed order to natural order, with the exponents' sign turned if inverse.
func (p *Plan) passes(re, im []fixed, inverse bool) {
	if p.m < 2 {
		return
	}
	for i := 0; i < p.m; i += 2 {
		re[i], re[i+1] = add(re[i], re[i+1]), sub(re[i], re[i+1])
		im[i], im[i+1] = add(im[i], im[i+1]), sub(im[i], im[i+1])
	}
	for half := 2; half < p.m; half *= 2 {
		step := p.m / (2 * half)
		for j := range half {
			w := &p.w[j*step]
			var back root
			if inverse {
				back = w.conj()
				w = &back
			}
			switch {
			case j == 0:
				for i := 0; i < p.m; i += 2 * half {
					butterfly(re, im, i, i+half, re[i+half], im[i+half])
				}
			case 2*j == half && !inverse:
				for i := j; i < p.m; i += 2 * half { // times -i
					butterfly(re, im, i, i+half, im[i+half], neg(re[i+half]))
				}
			default:
				for i := j; i < p.m; i += 2 * half {
					x, y := w.times(re[i+half], im[i+half])
					butterfly(re, im, i, i+half, x, y)
				}
			}
		}
	}
}

func butterfly(re, im []fixed, i, j int, x, y fixed) {
	re[i], re[j] = add(re[i], x), sub(re[i], x)
	im[i], im[j] = add(im[i], y), sub(im[i], y)
}

// N returns the number of values.
func (s *Spectrum) N() int { return len(s.re) }

// At returns X_k in binary64, times 2^Shift; its error is 2^-52 of it and Err.
func (s *Spectrum) At(k int) (re, im float64) {
	return s.re[k].float(s.unit - s.Shift), s.im[k].float(s.unit - s.Shift)
}

// Off returns the parts of x - X_k, times 2^Shift, where x has the parts re + reLo and im + imLo. Where a part of x is no number, or so large that X_k is nothing
// beside it, that is what is returned.
//
// Error:  2^-51 of each part, two units of 192 bits, which are less than Err, and Err.
func (s *Spectrum) Off(k int, re, im, reLo, imLo float64) (x, y float64) {
	return s.off(s.re[k], re, reLo), s.off(s.im[k], im, imLo)
}

func (s *Spectrum) off(exact fixed, hi, lo float64) float64 {
	a, ok := fromFloat(hi, s.unit)
	b, too := fromFloat(lo, s.unit)
	if !ok || !too {
		return math.Ldexp(hi, s.Shift) + math.Ldexp(lo, s.Shift)
	}
	return sub(add(a, b), exact).float(s.unit - s.Shift)
}

// exponent returns the least e with |x| < 2^e.
func exponent(x float64) int {
	_, e := math.Frexp(x)
	return e
}

func grow(s []fixed, n int) []fixed {
	if cap(s) < n {
		return make([]fixed, n)
	}
	return s[:n]
}
