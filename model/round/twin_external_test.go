package round_test

import (
	"fmt"
	"math"
	"math/big"
	"os"

	"gamma/model"
	"gamma/model/round"
)

// This file is the slow twin: results as exact rationals, and one rounding by looking at the two
// neighbours. It knows a format only through model.Format's Rat and classes.

// thorough asks for the long tests.
var thorough = os.Getenv("GAMMA_LEVEL") == "thorough"

// level returns the number of cases to try.
func level(short, long int) int {
	if thorough {
		return long
	}
	return short
}

var (
	allRoundings = []model.Rounding{model.NearestEven, model.NearestAway, model.TowardPositive, model.TowardNegative, model.TowardZero}
	allOutputs   = []model.Flush{{}, {Out: true}, {Out: true, Before: true}}
	allOps       = []string{"add", "sub", "mul", "div", "sqrt", "fma"}
)

// operands returns how many operands op has.
func operands(op string) int {
	switch op {
	case "sqrt":
		return 1
	case "fma":
		return 3
	}
	return 2
}

// apply calls the method under test.
func apply(a round.Arith, op string, x []uint64) uint64 {
	switch op {
	case "add":
		return a.Add(x[0], x[1])
	case "sub":
		return a.Sub(x[0], x[1])
	case "mul":
		return a.Mul(x[0], x[1])
	case "div":
		return a.Div(x[0], x[1])
	case "sqrt":
		return a.Sqrt(x[0])
	case "fma":
		return a.Fma(x[0], x[1], x[2])
	}
	panic("no operation " + op)
}

// saturating returns f with overflow to ±MaxFinite.
func saturating(f model.Format) model.Format {
	f.Name += "-sat"
	f.Overflow = model.OverflowSaturate
	return f
}

// exact is a result before it is rounded.
type exact struct {
	nan     bool
	bits    uint64 // of a NaN
	inf     bool
	neg     bool
	cancels bool     // a zero sum of terms of both signs
	x       *big.Rat // of a number: its signed value, or the radicand if root is set
	root    bool
}

type twin struct {
	f model.Format
	// Of small formats, by encoding: the value, and the middle between it and the next.
	values, middles []*big.Rat
	normal          *big.Rat // 2^Emin
	last            *big.Rat // its predecessor in a format of precision P and unbounded exponent
	lastMiddle      *big.Rat // the middle of the two
}

var twins = map[model.Format]*twin{}

func newTwin(f model.Format) *twin {
	if t := twins[f]; t != nil {
		return t
	}
	t := &twin{f: f, normal: scaled(1, f.Emin), last: scaled(1<<f.P-1, f.Emin-f.P)}
	t.lastMiddle = middle(t.last, t.normal)
	if f.Bits() <= 16 {
		var values, middles []*big.Rat
		for b := uint64(0); b <= f.MaxBits(); b++ {
			values = append(values, f.Rat(b))
			middles = append(middles, middle(f.Rat(b), t.magnitude(b+1)))
		}
		t.values, t.middles = values, middles
	}
	twins[f] = t
	return t
}

// magnitude returns the value of a finite encoding without sign; MaxBits+1 stands for the number
// that would follow if exponents had no bound.
func (t *twin) magnitude(b uint64) *big.Rat {
	if b == t.f.MaxBits()+1 {
		return scaled(t.f.MaxFinite+1, t.f.Emax-t.f.P+1)
	}
	if t.values != nil {
		return t.values[b]
	}
	return t.f.Rat(b)
}

// scaled returns m·2^e.
func scaled(m uint64, e int) *big.Rat {
	n := new(big.Int).SetUint64(m)
	if e >= 0 {
		return new(big.Rat).SetInt(n.Lsh(n, uint(e)))
	}
	return new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), uint(-e)))
}

// read is an operand as a result of its own, flushed if it is subnormal and in is set.
func (t *twin) read(b uint64, in bool) exact {
	neg := t.f.Signbit(b)
	switch c := t.f.Class(b); {
	case c == model.ClassNaN:
		return exact{nan: true, bits: b}
	case c == model.ClassInf:
		return exact{inf: true, neg: neg}
	case c == model.ClassZero, c == model.ClassSubnormal && in:
		return exact{neg: neg, x: new(big.Rat)}
	}
	x := t.magnitude(b &^ t.f.SignBit())
	if neg {
		x = new(big.Rat).Neg(x)
	}
	return exact{neg: neg, x: x}
}

func (t *twin) invalid() exact { return exact{nan: true, bits: t.f.NaNBits()} }

func (e exact) negated() exact {
	e.neg = !e.neg
	if e.x != nil {
		e.x = new(big.Rat).Neg(e.x)
	}
	return e
}

func (e exact) isZero() bool { return e.x != nil && e.x.Sign() == 0 }

func (t *twin) sum(a, b exact) exact {
	switch {
	case a.nan:
		return a
	case a.inf && b.inf && a.neg != b.neg:
		return t.invalid()
	case a.inf:
		return a
	case b.inf:
		return b
	}
	s := new(big.Rat).Add(a.x, b.x)
	if s.Sign() == 0 {
		return exact{x: s, neg: a.neg && b.neg, cancels: a.neg != b.neg}
	}
	return exact{x: s, neg: s.Sign() < 0}
}

func (t *twin) product(a, b exact) exact {
	neg := a.neg != b.neg
	switch {
	case a.inf && b.isZero(), a.isZero() && b.inf:
		return t.invalid()
	case a.inf || b.inf:
		return exact{inf: true, neg: neg}
	}
	return exact{x: new(big.Rat).Mul(a.x, b.x), neg: neg}
}

func (t *twin) quotient(a, b exact) exact {
	neg := a.neg != b.neg
	switch {
	case a.inf && b.inf, a.isZero() && b.isZero():
		return t.invalid()
	case a.inf, b.isZero():
		return exact{inf: true, neg: neg}
	case b.inf:
		return exact{x: new(big.Rat), neg: neg}
	}
	return exact{x: new(big.Rat).Quo(a.x, b.x), neg: neg}
}

// compute returns the exact result of op.
func (t *twin) compute(op string, bits []uint64, in bool) exact {
	x := make([]exact, len(bits))
	for i, b := range bits {
		x[i] = t.read(b, in)
	}
	for _, wantSignaling := range []bool{true, false} {
		for _, e := range x {
			if e.nan && t.f.IsSignaling(e.bits) == wantSignaling {
				if t.f.NaNs == model.NaNIEEE {
					e.bits |= 1 << (t.f.P - 2)
				}
				return e
			}
		}
	}
	switch op {
	case "add":
		return t.sum(x[0], x[1])
	case "sub":
		return t.sum(x[0], x[1].negated())
	case "mul":
		return t.product(x[0], x[1])
	case "div":
		return t.quotient(x[0], x[1])
	case "fma":
		return t.sum(t.product(x[0], x[1]), x[2])
	case "sqrt":
		switch {
		case x[0].isZero(), x[0].inf && !x[0].neg:
			return x[0]
		case x[0].neg:
			return t.invalid()
		}
		x[0].root = true
		return x[0]
	}
	panic("no operation " + op)
}

// place says where a positive number lies among the numbers of a format; it decides every rounding.
type place struct {
	lo     uint64 // the encoding of the greatest number that is not greater
	onLo   bool   // equal to lo
	half   int    // compared with the middle of lo and its successor
	beyond bool   // at or above the number that would follow MaxFinite
	// Of a number below 2^Emin: compared with twin.last and twin.lastMiddle.
	below          bool
	last, lastHalf int
}

// locate finds the place of |e.x|, or of its root.
func (t *twin) locate(e exact) place {
	abs := new(big.Rat).Abs(e.x)
	// compare returns the sign of the number minus c.
	compare := func(c *big.Rat) int {
		if e.root {
			return abs.Cmp(new(big.Rat).Mul(c, c))
		}
		return abs.Cmp(c)
	}
	p := place{lo: t.guess(abs, e.root)}
	for compare(t.magnitude(p.lo)) < 0 {
		p.lo--
	}
	for p.lo < t.f.MaxBits() && compare(t.magnitude(p.lo+1)) >= 0 {
		p.lo++
	}
	p.onLo = compare(t.magnitude(p.lo)) == 0
	p.beyond = p.lo == t.f.MaxBits() && compare(t.magnitude(p.lo+1)) >= 0
	p.half = compare(t.middle(p.lo))
	if p.below = compare(t.normal) < 0; p.below {
		p.last = compare(t.last)
		p.lastHalf = compare(t.lastMiddle)
	}
	return p
}

// middle returns the middle between lo and its successor.
func (t *twin) middle(lo uint64) *big.Rat {
	if t.middles != nil {
		return t.middles[lo]
	}
	return middle(t.magnitude(lo), t.magnitude(lo+1))
}

func middle(a, b *big.Rat) *big.Rat {
	m := new(big.Rat).Add(a, b)
	return m.Quo(m, big.NewRat(2, 1))
}

// guess returns some encoding near x, or near its root; locate corrects it.
func (t *twin) guess(x *big.Rat, root bool) uint64 {
	v, _ := x.Float64()
	if root {
		v = math.Sqrt(v)
	}
	frac, exp := math.Frexp(v)
	switch {
	case v == 0:
		return 0
	case math.IsInf(v, 0) || exp-1 > t.f.Emax:
		return t.f.MaxBits()
	case exp-1 < t.f.Emin:
		return uint64(math.Ldexp(v, t.f.P-1-t.f.Emin))
	}
	return min(t.f.MaxBits(), uint64(exp-1-t.f.Emin)<<(t.f.P-1)+uint64(math.Ldexp(frac, t.f.P)))
}

// settle rounds: the encoding that e has under the direction and flush of results, p being its place.
func (t *twin) settle(e exact, p place, r model.Rounding, fl model.Flush) uint64 {
	f := t.f
	sign := uint64(0)
	if e.neg {
		sign = f.SignBit()
	}
	infinite := func() uint64 {
		switch {
		case f.Overflow == model.OverflowSaturate:
			return sign | f.MaxBits()
		case f.HasInf:
			return sign | f.InfBits()
		}
		return sign | f.NaNBits()
	}
	switch {
	case e.nan:
		return e.bits
	case e.inf:
		return infinite()
	case e.cancels && r == model.TowardNegative:
		return f.SignBit()
	case e.cancels:
		return 0
	case e.isZero():
		return sign
	}
	outward := r == model.TowardPositive && !e.neg || r == model.TowardNegative && e.neg
	if fl.Out && p.below {
		up := !fl.Before && p.last > 0 && (outward || r.Nearest() && p.lastHalf >= 0)
		if up {
			return sign | f.MinNormalBits()
		}
		return sign
	}
	goesUp := false
	switch {
	case p.beyond:
		goesUp = outward || r.Nearest()
	case p.onLo:
	case r == model.NearestEven:
		goesUp = p.half > 0 || p.half == 0 && p.lo%2 == 1
	case r == model.NearestAway:
		goesUp = p.half >= 0
	default:
		goesUp = outward
	}
	switch {
	case !goesUp:
		return sign | p.lo
	case p.lo < f.MaxBits():
		return sign | (p.lo + 1)
	case f.Overflow == model.OverflowNaN:
		return sign | f.NaNBits()
	}
	return infinite()
}

// number reports whether e has to be rounded.
func (e exact) number() bool { return !e.nan && !e.inf && !e.isZero() }

// failure is a result that differs from the twin's.
type failure struct {
	a         round.Arith
	op        string
	x         []uint64
	got, want uint64
}

func (f *failure) Error() string {
	return fmt.Sprintf("%s %s flush=%s: %s%#x = %#x, want %#x", f.a.F, f.a.R, f.a.Fl, f.op, f.x, f.got, f.want)
}

// check compares op on x with the twin in every direction under every flush; it returns the number
// of results compared.
func (t *twin) check(op string, x []uint64) (int, error) {
	return t.compare(op, x, t.hasSubnormal(x), func(in bool) exact { return t.compute(op, x, in) },
		func(a round.Arith) uint64 { return apply(a, op, x) })
}

func (t *twin) hasSubnormal(x []uint64) bool {
	for _, b := range x {
		if t.f.Class(b) == model.ClassSubnormal {
			return true
		}
	}
	return false
}

// compare rounds what result gives, with and without flushed operands, in every direction under
// every flush of results, and compares with got.
//
// In the short test, flushes that can change nothing are tried to nearest even alone.
func (t *twin) compare(op string, x []uint64, subnormal bool, result func(in bool) exact, got func(round.Arith) uint64) (int, error) {
	n := 0
	var e exact
	var p place
	for _, in := range []bool{false, true} {
		if !in || subnormal { // else it is the same again
			e = result(in)
			if p = (place{}); e.number() {
				p = t.locate(e)
			}
		}
		for _, fl := range allOutputs {
			fl.In = in
			idle := in && !subnormal || fl.Out && !p.below
			for _, r := range allRoundings {
				if idle && r != model.NearestEven && !thorough {
					continue
				}
				a := round.Arith{F: t.f, R: r, Fl: fl}
				if got, want := got(a), t.settle(e, p, r, fl); got != want {
					return n, &failure{a, op, x, got, want}
				}
				n++
			}
		}
	}
	return n, nil
}

// value returns e's value, infinities as numbers beyond every format's range.
func value(e exact) *big.Rat {
	if !e.inf {
		return e.x
	}
	v := scaled(1, 1<<12)
	if e.neg {
		v.Neg(v)
	}
	return v
}
