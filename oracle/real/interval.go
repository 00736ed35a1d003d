package real

import (
	"math"
	"math/big"
)

// An Interval is the set of real numbers from Lo to Hi, both included. An infinite end says that the set has no bound there: Lo is never +Inf, Hi
// never -Inf. Nothing changes an Interval once it is made, so that values may be shared.
type Interval struct{ Lo, Hi *big.Float }

// Bits is the length of the significands that an operation rounds its results to, outward. Operations are methods of Bits, and each encloses
// every value that its operation takes on its arguments: arguments may have more bits, and enter exactly.
//
// Domain: at least 8 bits, and magnitudes from 2^-2^30 to 2^2^30: math/big rounds to 0 below 2^-2^31 whatever its mode.
type Bits uint

// Point returns the interval that holds x alone.
//
// Domain: finite x; it panics otherwise.
func Point(x float64) Interval {
	if math.IsInf(x, 0) || x != x {
		panic(panicNotFinite)
	}
	return exactly(big.NewFloat(x))
}

// Between returns [lo, hi].
//
// Domain: lo <= hi, and no NaN; it panics otherwise.
func Between(lo, hi float64) Interval {
	if !(lo <= hi) || lo == math.Inf(1) || hi == math.Inf(-1) {
		panic(panicNoInterval)
	}
	return Interval{big.NewFloat(lo), big.NewFloat(hi)}
}

// Rat encloses the ratio x.
func (b Bits) Rat(x *big.Rat) Interval { return Interval{b.down().SetRat(x), b.up().SetRat(x)} }

// ratio encloses p/q.
func (b Bits) ratio(p, q int64) Interval {
	return b.Div(whole(p), whole(q))
}

func exactly(x *big.Float) Interval { return Interval{x, x} }

func whole(i int64) Interval { return exactly(new(big.Float).SetInt64(i)) }

// down and up make a number that its first assignment rounds to b bits, towards -Inf and +Inf.
func (b Bits) down() *big.Float {
	return new(big.Float).SetMode(big.ToNegativeInf).SetPrec(uint(b))
}

func (b Bits) up() *big.Float {
	return new(big.Float).SetMode(big.ToPositiveInf).SetPrec(uint(b))
}

// Round rounds both ends outward to b bits.
func (b Bits) Round(x Interval) Interval { return Interval{b.down().Set(x.Lo), b.up().Set(x.Hi)} }

// isPoint says whether x holds one number.
func (x Interval) isPoint() bool { return x.Lo == x.Hi || x.Lo.Cmp(x.Hi) == 0 }

// Contains says whether v lies in x.
func (x Interval) Contains(v *big.Float) bool { return x.Lo.Cmp(v) <= 0 && v.Cmp(x.Hi) <= 0 }

// Inside says whether x lies in y.
func (x Interval) Inside(y Interval) bool { return y.Lo.Cmp(x.Lo) <= 0 && x.Hi.Cmp(y.Hi) <= 0 }

// Float64 returns the narrowest binary64 interval that holds x.
func (x Interval) Float64() (lo, hi float64) {
	lo, acc := x.Lo.Float64()
	if acc == big.Above {
		lo = math.Nextafter(lo, math.Inf(-1))
	}
	hi, acc = x.Hi.Float64()
	if acc == big.Below {
		hi = math.Nextafter(hi, math.Inf(1))
	}
	return lo, hi
}

// Narrow says whether x is a single number, or its width is at most 2^-bits times each number in it.
func (x Interval) Narrow(bits Bits) bool {
	if x.isPoint() {
		return true
	}
	if x.Lo.IsInf() || x.Hi.IsInf() || x.Lo.Sign() != x.Hi.Sign() || x.Lo.Sign() == 0 {
		return false
	}
	width := Bits(16).up().Sub(x.Hi, x.Lo)
	least := min(x.Lo.MantExp(nil), x.Hi.MantExp(nil)) // the magnitude is 2^(least-1) at least
	return width.MantExp(nil) <= least-1-int(bits)
}

// Refine evaluates f with more and more bits, from twice 64 to limit, until enough is content with the interval; it returns the last one, and
// whether it is enough.
func Refine(limit Bits, f func(Bits) Interval, enough func(Interval) bool) (Interval, bool) {
	for b := min(Bits(128), limit); ; b = min(2*b, limit) {
		y := f(b)
		if ok := enough(y); ok || b == limit {
			return y, ok
		}
	}
}

// Neg returns -x, exactly.
func Neg(x Interval) Interval { return Interval{new(big.Float).Neg(x.Hi), new(big.Float).Neg(x.Lo)} }

// Abs returns |x|, exactly.
func Abs(x Interval) Interval {
	switch {
	case x.Lo.Sign() >= 0:
		return x
	case x.Hi.Sign() <= 0:
		return Neg(x)
	}
	return Interval{new(big.Float), magnitude(x)}
}

// Max returns the interval of max(v, w) over v in x and w in y, exactly.
func Max(x, y Interval) Interval { return Interval{larger(x.Lo, y.Lo), larger(x.Hi, y.Hi)} }

// Min returns the interval of min(v, w) over v in x and w in y, exactly.
func Min(x, y Interval) Interval { return Neg(Max(Neg(x), Neg(y))) }

// Hull returns the narrowest interval that holds x and y.
func Hull(x, y Interval) Interval { return Interval{Min(x, y).Lo, larger(x.Hi, y.Hi)} }

func larger(x, y *big.Float) *big.Float {
	if x.Cmp(y) > 0 {
		return x
	}
	return y
}

// magnitude returns the largest |v| of x.
func magnitude(x Interval) *big.Float { return larger(new(big.Float).Neg(x.Lo), x.Hi) }

// scale returns x·2^k, exactly.
func scale(x Interval, k int) Interval {
	return Interval{new(big.Float).SetMantExp(x.Lo, k), new(big.Float).SetMantExp(x.Hi, k)}
}

// Add encloses x + y.
func (b Bits) Add(x, y Interval) Interval {
	return Interval{b.down().Add(x.Lo, y.Lo), b.up().Add(x.Hi, y.Hi)}
}

// Sub encloses x - y. It adds -y: big.Float's Sub rounds y before it turns the sign where x is 0, and so to the other side.
func (b Bits) Sub(x, y Interval) Interval { return b.Add(x, Neg(y)) }

// product sets z to x·y, where 0 times an end without bound is 0: the end itself is not in the interval.
func product(z, x, y *big.Float) *big.Float {
	if x.Sign() == 0 || y.Sign() == 0 {
		return z.SetInt64(0)
	}
	return z.Mul(x, y)
}

// Mul encloses x·y. A product is monotone in each factor, so that its extremes are products of ends; signs say which.
func (b Bits) Mul(x, y Interval) Interval {
	switch {
	case x.Hi.Sign() < 0:
		return Neg(b.Mul(Neg(x), y))
	case y.Hi.Sign() < 0:
		return Neg(b.Mul(x, Neg(y)))
	case x.Lo.Sign() >= 0 && y.Lo.Sign() >= 0:
		return Interval{product(b.down(), x.Lo, y.Lo), product(b.up(), x.Hi, y.Hi)}
	case x.Lo.Sign() >= 0:
		return Interval{product(b.down(), x.Hi, y.Lo), product(b.up(), x.Hi, y.Hi)}
	case y.Lo.Sign() >= 0:
		return Interval{product(b.down(), x.Lo, y.Hi), product(b.up(), x.Hi, y.Hi)}
	}
	return Hull(Interval{product(b.down(), x.Lo, y.Hi), product(b.up(), x.Lo, y.Lo)}, Interval{product(b.down(), x.Hi, y.Lo), product(b.up(), x.Hi, y.Hi)})
}

// Sqr encloses x², which is narrower than x·x where x holds both signs.
func (b Bits) Sqr(x Interval) Interval {
	x = Abs(x)
	return b.Mul(x, x)
}

// Div encloses x/y; the whole line if y holds 0.
func (b Bits) Div(x, y Interval) Interval {
	if y.Hi.Sign() < 0 {
		x, y = Neg(x), Neg(y)
	}
	if y.Lo.Sign() <= 0 {
		return Interval{new(big.Float).SetInf(true), new(big.Float).SetInf(false)}
	}
	below, above := y.Hi, y.Lo
	if x.Lo.Sign() < 0 {
		below = y.Lo
	}
	if x.Hi.Sign() < 0 {
		above = y.Hi
	}
	return Interval{b.down().Quo(x.Lo, below), b.up().Quo(x.Hi, above)}
}

// Sqrt encloses the square roots of x.
//
// Domain: x >= 0; it panics otherwise.
func (b Bits) Sqrt(x Interval) Interval {
	if x.Lo.Sign() < 0 {
		panic(panicDomain)
	}
	return b.increasing(x, b.sqrt)
}

// Rsqrt encloses 1/√x; without a bound above if x holds 0.
func (b Bits) Rsqrt(x Interval) Interval {
	y := (b + 8).Sqrt(x)
	if y.Lo.Sign() == 0 && y.Hi.Sign() > 0 {
		return Interval{b.down().Quo(big.NewFloat(1), y.Hi), new(big.Float).SetInf(false)}
	}
	return b.Div(whole(1), y)
}

// sqrt encloses √x by the integer square root: x = n·2^(2k) with an integer n of 2b+2 bits or more, where x may have lost bits below n; then
// ⌊√n⌋·2^k <= √x < (⌊√n⌋+1)·2^k, and the left is exact if n is a square and lost nothing.
func (b Bits) sqrt(x *big.Float) Interval {
	if x.Sign() == 0 || x.IsInf() {
		return exactly(x)
	}
	e := x.MantExp(nil) - int(2*b+4) // x = n·2^e with n of 2b+4 bits
	e -= e & 1
	n, acc := new(big.Float).SetMantExp(x, -e).Int(nil)
	root := new(big.Int).Sqrt(n)
	lo := new(big.Float).SetMantExp(new(big.Float).SetInt(root), e/2)
	if acc == big.Exact && new(big.Int).Mul(root, root).Cmp(n) == 0 {
		return b.Round(exactly(lo))
	}
	root.Add(root, big.NewInt(1))
	return b.Round(Interval{lo, new(big.Float).SetMantExp(new(big.Float).SetInt(root), e/2)})
}

// increasing encloses an increasing function over x, given what encloses it at a point.
func (b Bits) increasing(x Interval, f func(*big.Float) Interval) Interval {
	lo := f(x.Lo)
	if x.isPoint() {
		return lo
	}
	return Interval{lo.Lo, f(x.Hi).Hi}
}

// settle evaluates f with more and more bits until the interval is narrower than the rounding to b bits, and rounds it. It ends if f converges to
// a number that is not 0, or gives 0 itself.
func (b Bits) settle(f func(Bits) Interval) Interval {
	for w := b + 32; ; w += w / 2 {
		if y := f(w); y.Narrow(b + 8) {
			return b.Round(y)
		}
	}
}
