package spectra

import (
	"fmt"
	"math"
	"math/big"

	"gamma/model"
	"gamma/model/fourier"
	"gamma/oracle"
	"gamma/oracle/dft"
	"gamma/props/internal/draw"
	"gamma/props/internal/verdict"
)

// relationLaws are the laws of what transforms of related inputs have to do with each other, and a result with its input. They ask for no exact transform: so they
// say something of lengths for which that takes too long, and fft.linear and fft.parseval of results in an order that is not known.
//
// Each is proved from the claim's bound alone. F is the exact transform, G the computed one, ‖G(x) - F(x)‖₂ <= ε(x) = L2·s·√N·‖x‖₂ + Tiny. Where F satisfies an
// equation, G does but for the ε of its terms, by the triangle inequality, since a factor of magnitude 1 changes no norm. What is done to inputs rounds nothing: numbers
// are replaced by zeros, moved, and multiplied by powers of i. What is left of an equation is computed in fixed point of 192 bits, or exactly. fft.error is the stronger law
// where it can judge: for x, p and q it implies these.
var relationLaws = []Law{{
	ID:         model.FFTLinear,
	Statement:  "‖F(x) - c·F(p) - F(q)‖₂ <= ε(x) + ε(p) + ε(q), where x = c·p + q, p or q is 0 at each place, c is 1, -1, i or -i, and ε(x) is b·s·√N·‖x‖₂; and so for I",
	Hypotheses: "the input is finite; no step overflows; c is 1 or -1 of real data",
	Source:     "the definition: Σ x_j·exp(-2πi·jk/N) is linear in x; [Gamma Y1] for each term",
	Kills:      []string{"numbers below a threshold dropped", "an order of results that depends on the input"},
	Cost:       4,
	Judge:      judgeLinear,
}, {
	ID:         model.FFTShift,
	Statement:  "‖F(y) - exp(-2πi·dk/N)·F(x)‖₂ <= 2·b·s·√N·‖x‖₂, where y_j = x_(j-d); and so for I, with the other sign",
	Hypotheses: "N >= 2; the input is finite; no step overflows; the input is not half a spectrum, which has no shift",
	Source:     "the definition, with j-d for j; [Gamma Y1] for both",
	Kills:      []string{"an index of a twiddle factor that wraps in long transforms", "the other sign"},
	Cost:       4,
	Applies: func(c *fourier.Claim) string {
		if c.Real && !c.Offers(fourier.Forward) {
			return "the input is half a spectrum, which has no shift"
		}
		return ordered(c)
	},
	Judge: judgeShift,
}, {
	ID:         model.FFTParseval,
	Statement:  "|‖F(x)‖₂ - s·√N·‖x‖₂| <= b·s·√N·‖x‖₂; and so for I",
	Hypotheses: "the input is finite; no step overflows",
	Source:     "the definition: Σ_k exp(2πi·(j-l)·k/N) is N for j = l and 0 else; [Gamma Y1]",
	Kills:      []string{"a factor missing where the order is not known", "a twiddle factor whose magnitude is not 1"},
	Cost:       4,
	Judge:      judgeParseval,
}}

// mostRelated is the longest transform for which relations are drawn, if -gamma.maxn admits it.
const mostRelated = 1 << 22

// related reports whether a law asks for no exact transform.
func related(l *Law) bool {
	return l.ID == model.FFTLinear || l.ID == model.FFTShift || l.ID == model.FFTParseval
}

// sized is a row's norms, scaled by 2^shift.
type sized struct {
	norm1, norm2 float64
	shift        int
}

// size returns the norms of a row of an input.
func (t *Trial) size(x *values, row int) (z sized) {
	t.expand(x, row, t.N, t.Transform)
	z.norm1, z.norm2, z.shift = norms(&t.whole, t.N)
	return z
}

// epsilon returns ε of a row, scaled by 2^shift.
func (t *Trial) epsilon(z *sized, shift int) float64 {
	norm := math.Ldexp(z.norm2, shift-z.shift)
	return float64(t.bound.L2*t.factor()*math.Sqrt(float64(t.N))*norm*(1+slack)) + math.Ldexp(t.bound.Tiny, shift)
}

// number returns number k of a row of results.
func (t *Trial) number(y *values, row, k int) (z dft.Number) {
	for i, list := range y {
		if list != nil {
			z[i] = list[row*t.out.count+k]
		}
	}
	return z
}

// top returns the exponent of the greatest part of a row in lists of results.
func (t *Trial) top(row int, lists ...*values) int {
	most := 0.0
	for _, y := range lists {
		for _, list := range y[:2] {
			for _, v := range list[row*t.out.count : (row+1)*t.out.count] {
				most = max(most, math.Abs(v))
			}
		}
	}
	_, e := math.Frexp(most)
	return e
}

// weight returns how many values of the spectrum number k stands for.
func (t *Trial) weight(k int) int {
	if t.out.half && k > 0 && 2*k != t.N {
		return 2
	}
	return 1
}

// left returns the 2-norm of what is left of a relation between results of a row, add(k) summed up for each number k, and where most is left; limit is what it may be. All are
// scaled by 2^shift.
func (t *Trial) left(row, shift int, lists []*values, add func(s *dft.Sum, k int)) (off, oracle float64, worst int) {
	var s dft.Sum
	top, most := t.top(row, lists...), -1.0
	for k := range t.out.count {
		s.Start(top)
		add(&s, k)
		a, b := s.Parts(shift)
		d := float64(float64(t.weight(k)) * (float64(a*a) + float64(b*b)))
		off += d
		if !(d <= most) {
			most, worst = d, k
		}
	}
	return math.Sqrt(off), float64(math.Sqrt(float64(t.N)) * s.Err(shift)), worst
}

// relate judges what is left of a relation.
func (t *Trial) relate(held *verdict.Verdict, off, oracle, limit float64, fail func() verdict.Verdict) (v verdict.Verdict, ok bool) {
	if float64(off*(1-slack))-float64(oracle*(1+slack)) > limit || off != off {
		return fail(), false
	}
	if off > 0 {
		held.Ratio = max(held.Ratio, min(1, off/limit))
	}
	return v, true
}

// split returns p and q with x = c·p + q, c = i^quarters: at each place one of both is 0, as a bit says that the case's seed decides.
func (t *Trial) split(quarters int) (p, q values) {
	for i := range t.x {
		if t.x[i] != nil {
			p[i], q[i] = make([]float64, len(t.x[i])), make([]float64, len(t.x[i]))
		}
	}
	for k := range t.x[0] {
		to := &q
		if draw.Mix(t.c.Seed^uint64(k))&1 == 0 {
			to = &p
		}
		for i := range to {
			if to[i] != nil {
				to[i][k] = t.x[i][k]
			}
		}
	}
	for i := 0; i < 4; i += 2 { // 1/c is (-i)^quarters
		if p[i] == nil {
			continue
		}
		for range quarters {
			for k, v := range p[i] {
				p[i][k], p[i+1][k] = p[i+1][k], -v
			}
		}
	}
	return p, q
}

// judgeLinear runs the two parts of the input, and compares.
func judgeLinear(t *Trial) verdict.Verdict {
	if v, ok := t.finite(); !ok {
		return v
	}
	quarters := int(t.c.Seed >> 4 & 3)
	if t.claim.Real {
		quarters &= 2
	}
	p, q := t.split(quarters)
	var yp, yq values
	for _, run := range []struct{ x, y *values }{{&p, &yp}, {&q, &yq}} {
		if br := t.once(t.at, t.Transform, t.rows, draw.Mix(t.c.Seed), false, run.x, t.N, run.y); br != nil {
			return verdict.Breaks(br)
		}
	}
	circle := dft.CircleOf(4)
	held := verdict.Held("three bounds", 0)
	for row := range t.rows {
		z, zp, zq := t.size(&t.x, row), t.size(&p, row), t.size(&q, row)
		if why := t.overflow(z.norm1, z.shift, t.bound, t.factor()); why != "" {
			return verdict.Overflows(why)
		}
		off, own, worst := t.left(row, z.shift, []*values{&t.y, &yp, &yq}, func(s *dft.Sum, k int) {
			x, y1, y2 := t.number(&t.y, row, k), t.number(&yp, row, k), t.number(&yq, row, k)
			s.Add(&x, nil, 0)
			s.Sub(&y1, circle, -quarters)
			s.Sub(&y2, nil, 0)
		})
		limit := t.epsilon(&z, z.shift) + t.epsilon(&zp, z.shift) + t.epsilon(&zq, z.shift)
		if v, ok := t.relate(&held, off, own, limit, func() verdict.Verdict {
			y1, y2 := t.number(&yp, row, worst), t.number(&yq, row, worst)
			sum := turned(complex(y1[0], y1[1]), quarters) + complex(y2[0], y2[1])
			e := deviation{worst: worst, got: t.Y(row, worst), want: sum, beside: "p and q"}
			c := [...]string{"1", "i", "-1", "-i"}[quarters]
			return t.fails(&e, fmt.Sprintf("%s of x = %s·p + q: number %d is %s, and %s times that of p, plus that of q, %s; what is left has a 2-norm %.3g times the three bounds",
				t.Transform, c, worst, text(e.got, t.out.real), c, text(sum, t.out.real), off/limit))
		}); !ok {
			return v
		}
	}
	return held
}

// turned returns z·i^quarters.
func turned(z complex128, quarters int) complex128 {
	for range quarters {
		z = complex(-imag(z), real(z))
	}
	return z
}

// judgeShift runs the input some places further on, and compares.
func judgeShift(t *Trial) verdict.Verdict {
	if v, ok := t.finite(); !ok {
		return v
	}
	n := t.N
	if n < 2 {
		return verdict.NotMet("one point has no shift")
	}
	d := [...]int{1, n / 2, 1 + int(t.c.Seed>>6%uint64(n-1)), n - 1}[t.c.Seed>>4&3]
	place := func(j int) int { return j }
	if t.Sign == fourier.Inverse && t.Data == fourier.Complex {
		place = t.index
	}
	var x, y values
	for i := range t.x {
		if t.x[i] == nil {
			continue
		}
		x[i] = make([]float64, len(t.x[i]))
		for row := range t.rows {
			for j := range n {
				x[i][row*n+place((j+d)%n)] = t.x[i][row*n+place(j)]
			}
		}
	}
	if br := t.once(t.at, t.Transform, t.rows, draw.Mix(t.c.Seed), false, &x, n, &y); br != nil {
		return verdict.Breaks(br)
	}
	circle, sign := dft.CircleOf(n), 1
	if t.Sign == fourier.Inverse {
		sign = -1
	}
	held := verdict.Held("two bounds", 0)
	for row := range t.rows {
		z := t.size(&t.x, row)
		if why := t.overflow(z.norm1, z.shift, t.bound, t.factor()); why != "" {
			return verdict.Overflows(why)
		}
		at := func(k int) int {
			if t.Sign == fourier.Forward && t.Data == fourier.Complex {
				return t.index(k)
			}
			return k
		}
		off, own, worst := t.left(row, z.shift, []*values{&t.y, &y}, func(s *dft.Sum, k int) {
			was, is := t.number(&t.y, row, at(k)), t.number(&y, row, at(k))
			s.Add(&is, nil, 0)
			s.Sub(&was, circle, sign*int(uint64(d)*uint64(k)%uint64(n)))
		})
		limit := 2 * t.epsilon(&z, z.shift)
		if v, ok := t.relate(&held, off, own, limit, func() verdict.Verdict {
			is, was := t.number(&y, row, at(worst)), t.Y(row, at(worst))
			e := deviation{worst: worst, got: complex(is[0], is[1]), want: was, beside: "before it"}
			return t.fails(&e, fmt.Sprintf("%s of an input %d places further on: %s%d is %s, was %s, and has to be that times exp(%+dπi·%d·%d/%d); what is left has a 2-norm %.3g times both bounds",
				t.Transform, d, t.letter(), worst, text(e.got, t.out.real), text(was, t.out.real), -2*sign, d, worst, n, off/limit))
		}); !ok {
			return v
		}
	}
	return held
}

// squares adds the squares of the parts of numbers to a sum, times their weight.
func squares(sum *oracle.AccDot64, lists *values, from, count int, weight func(k int) int) {
	for part := range 2 {
		hi, lo := lists[part], lists[part+2]
		if hi == nil {
			continue
		}
		for k := range count {
			for range weight(k) {
				x := hi[from+k]
				if sum.AddProduct(x, x); lo != nil {
					y := lo[from+k]
					sum.AddProduct(x, y)
					sum.AddProduct(x, y)
					sum.AddProduct(y, y)
				}
			}
		}
	}
}

// judgeParseval compares the squares of both norms, which are sums of products and so computed exactly: |√P - √R| = |P - R|/(√P + √R).
func judgeParseval(t *Trial) verdict.Verdict {
	if v, ok := t.finite(); !ok {
		return v
	}
	held := verdict.Held(t.bound.Name, 0)
	for row := range t.rows {
		z := t.size(&t.x, row)
		if why := t.overflow(z.norm1, z.shift, t.bound, t.factor()); why != "" {
			return verdict.Overflows(why)
		}
		var p, r oracle.AccDot64
		squares(&r, &t.whole, 0, t.N, func(int) int { return 1 })
		squares(&p, &t.y, row*t.out.count, t.out.count, t.weight)
		off, limit := math.Inf(1), t.epsilon(&z, z.shift)
		if p.IsFinite() {
			off = t.apart(p.Dyadic(), r.Dyadic(), z.shift)
		}
		if v, ok := t.relate(&held, off, 0, limit, func() verdict.Verdict {
			e := deviation{worst: -1}
			return t.fails(&e, fmt.Sprintf("%s: ‖X‖₂ differs from s·√N·‖x‖₂ by %.3g times the bound, %.3g of it", t.Transform, off/limit, t.bound.L2))
		}); !ok {
			return v
		}
	}
	return held
}

// apart returns |√P - √R|, times 2^shift, for ‖X̃‖₂² = P and R = s²·N·‖x‖₂².
//
// Error:  2^-60 of it, and a rounding.
func (t *Trial) apart(p, x oracle.Dyadic, shift int) float64 {
	n := oracle.FromInt(int64(t.N))
	r, by := x, oracle.FromInt(1) // by·P and by·R
	switch t.Scale {
	case fourier.Unscaled:
		r = x.Mul(n)
	case fourier.ByN:
		by = n
	}
	num := func(d oracle.Dyadic) *big.Float { return new(big.Float).SetPrec(80).Set(d.Float()) }
	d := num(p.Mul(by).Sub(r).Abs())
	if d.Sign() == 0 {
		return 0
	}
	root := func(d oracle.Dyadic) *big.Float { return new(big.Float).SetPrec(80).Sqrt(num(d)) }
	// |by·P - by·R| / (√(by·P) + √(by·R)) = √by·|√P - √R|
	d.Quo(d, new(big.Float).SetPrec(80).Add(root(p.Mul(by)), root(r)))
	d.Quo(d, root(by))
	d.SetMantExp(d, shift)
	f, _ := d.Float64()
	return f
}
