package real

import (
	"math"
	"math/big"
)

// SinPi encloses sin πx. It is exact at multiples of 1/2.
func (b Bits) SinPi(x Interval) Interval { return b.wave(x, 0, 2, b.halfTurns, halfTurnQuadrant) }

// CosPi encloses cos πx = sin π(x + 1/2).
func (b Bits) CosPi(x Interval) Interval { return b.wave(x, 1, 2, b.halfTurns, halfTurnQuadrant) }

// halfTurnQuadrant returns ⌊2x⌋.
func halfTurnQuadrant(x *big.Float) *big.Int { return floor(new(big.Float).SetMantExp(x, 1)) }

// halfTurns encloses sin(πx + shift·π/2) for a number x: 2x = n + g with |g| <= 1/2, both exactly.
func (b Bits) halfTurns(x *big.Float, shift int64) Interval {
	if x.Sign() == 0 {
		return whole(shift & 1)
	}
	e := x.MantExp(nil)
	wide := func() *big.Float { return new(big.Float).SetPrec(x.MinPrec() + uint(max(e, -e)) + 8) }
	twice := wide().SetMantExp(x, 1)
	n := floor(wide().Add(twice, big.NewFloat(0.5)))
	g := twice.Sub(twice, wide().SetInt(n))
	k := new(big.Int).And(n, big.NewInt(3)).Int64() + shift
	if g.Sign() == 0 {
		return whole([...]int64{0, 1, 0, -1}[k&3])
	}
	return b.settle(func(w Bits) Interval { return clip(w.turned(k, w.Mul(exactly(g), scale(w.Pi(), -1)))) })
}

// SinPi encloses sin πx.
//
// Domain:  every x. Multiples of 1/2 give 0, 1 and -1 exactly; infinities give NaN. Never beyond 1 in magnitude.
// Error:   the ends are the neighbours of a number with δ <= 2^-60.
func SinPi(x float64) (lo, hi float64) { return halfTurns(x, 0, Bits.SinPi) }

// CosPi encloses cos πx. As [SinPi].
func CosPi(x float64) (lo, hi float64) { return halfTurns(x, 1, Bits.CosPi) }

// halfTurns encloses sin(πx + shift·π/2).
func halfTurns(x float64, shift int, slow func(Bits, Interval) Interval) (lo, hi float64) {
	if x-x != 0 {
		return math.NaN(), math.NaN()
	}
	k, r, rl := halfTurn(x)
	switch k += shift; {
	case x == 0 && shift == 0:
		return x, x
	case r == 0:
		v := [...]float64{0, 1, 0, -1}[k&3]
		return v, v
	case math.Abs(r) < 0x1p-900: // rl may have underflown
		return slow(64, Point(x)).Float64()
	}
	lo, hi = around(sinSum(k, r, rl))
	return max(lo, -1), min(hi, 1)
}

// halfTurn returns πx = k·π/2 + r + rl modulo 2π, |r| <= π/4 + 2^-50, off by less than 2^-103 of r unless |r| < 2^-900: 2x is an integer and at most one half,
// exactly, which is multiplied by π/2 in two words.
func halfTurn(x float64) (k int, r, rl float64) {
	if math.Abs(x) >= 0x1p53 { // it is even
		return 0, 0, 0
	}
	n := math.RoundToEven(x + x)
	g := x + x - n
	h := float64(g * halfPiHi)
	r, rl = normal(h, math.FMA(g, halfPiHi, -h)+float64(g*halfPiLo))
	return int(int64(n) & 3), r, rl
}

// SinPiRange encloses sin πx over [lo, hi], as [SinRange] does sin x: [-1, 1] if hi - lo > 1.
func SinPiRange(lo, hi float64) (least, most float64) {
	return waveRange(lo, hi, 1, 0, SinPi, halfTurnsPast)
}

// CosPiRange is [SinPiRange] for cos πx.
func CosPiRange(lo, hi float64) (least, most float64) {
	return waveRange(lo, hi, 1, 1, CosPi, halfTurnsPast)
}

// halfTurnsPast returns ⌊2x⌋ modulo 4, for finite x.
func halfTurnsPast(x float64) int {
	if math.Abs(x) >= 0x1p53 {
		return 0
	}
	return int(int64(math.Floor(x+x)) & 3)
}
