package oracle

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gamma/model"

	"github.com/stretchr/testify/require"
)

// drawBound draws coefficients and quantities of every size, zeros among them.
func drawBound(r *rand.Rand) (e, s, a, lost Dyadic, b model.Bound) {
	draw := func() Dyadic {
		switch r.IntN(4) {
		case 0:
			return Dyadic{}
		case 1:
			return FromInt(int64(r.IntN(9))).Scale(r.IntN(40) - 20)
		case 2:
			return NewDyadic(new(big.Int).SetUint64(r.Uint64()), r.IntN(2200)-1150)
		}
		var x Acc32
		for range 5 {
			x.AddAbs(families32[r.IntN(len(families32))].draw(r))
		}
		return x.Dyadic()
	}
	coefficient := func() float64 {
		switch r.IntN(4) {
		case 0:
			return 0
		case 1:
			return float64(r.IntN(5))
		case 2:
			return math.Ldexp(r.Float64(), r.IntN(60)-60)
		}
		return math.Abs(families64[r.IntN(len(families64))].draw(r))
	}
	s, a, lost = draw(), draw(), draw()
	if r.IntN(2) == 0 {
		s = s.Neg()
	}
	b = model.Bound{S: coefficient(), A: coefficient(), Lost: coefficient(), Abs: coefficient(), AbsExp: r.IntN(2400) - 1200}
	limit, _ := Limit(s, a, lost, b)
	switch r.IntN(4) { // the error at, just below and just above its bound, or anything
	case 0:
		e = limit
	case 1:
		e = draw()
	default:
		e = limit.Mul(FromInt(1).Add(FromInt(int64(r.IntN(3) - 1)).Scale(-r.IntN(200))))
	}
	return e, s, a, lost, b
}

// loose returns an enclosure of d, sometimes a wide one.
func loose(r *rand.Rand, d Dyadic) Interval {
	i := Enclose(d.Interval())
	if r.IntN(3) == 0 && d.Sign() >= 0 {
		i.Lo *= 1 - float64(r.Float64()*0x1p-40)
		i.Hi *= 1 + float64(r.Float64()*0x1p-40)
	}
	return i
}

// ordinary reports whether binary64 holds numbers of the size of every d.
func ordinary(d ...Dyadic) bool {
	for _, x := range d {
		if k, ok := x.Exponent(); ok && (k < -1000 || k > 1000) {
			return false
		}
	}
	return true
}

// Decide never contradicts Within, Within is the inequality in rationals, and most cases that are
// not near are decided.
func TestDecideAndWithinEqualRationals(t *testing.T) {
	r := source(11)
	count := map[Decision]int{}
	far, farUnsure := 0, 0
	for range 20000 * effort() {
		e, s, a, lost, b := drawBound(r)
		limit := new(big.Rat).SetFloat64(b.Abs)
		p := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(b.AbsExp, -b.AbsExp))))
		if b.AbsExp < 0 {
			p.Inv(p)
		}
		limit.Mul(limit, p)
		for _, x := range []struct {
			c float64
			q Dyadic
		}{{b.S, s}, {b.A, a}, {b.Lost, lost}} {
			q := new(big.Rat).Abs(x.q.Rat())
			limit.Add(limit, q.Mul(q, new(big.Rat).SetFloat64(x.c)))
		}
		want := e.Rat().Cmp(limit) <= 0
		require.Equal(t, want, Within(e, s, a, lost, b), "%v, %v, %v, %v within %+v", e, s, a, lost, b)
		tight := Decide(Enclose(e.Interval()), Enclose(s.Interval()), Enclose(a.Interval()), Enclose(lost.Interval()), b)
		for _, got := range []Decision{tight, Decide(loose(r, e), loose(r, s), loose(r, a), loose(r, lost), b)} {
			count[got]++
			if got != Unsure {
				require.Equal(t, want, got == Yes, "%v, %v, %v, %v within %+v", e, s, a, lost, b)
			}
		}
		if ratio := Ratio(e, s, a, lost, b); limit.Sign() > 0 {
			q, _ := new(big.Rat).Quo(e.Rat(), limit).Float64()
			require.Equal(t, q, ratio)
			if lim, _ := limit.Float64(); (ratio < 0.999 || ratio > 1.001) && lim > 0x1p-1000 && ordinary(e, s, a, lost) {
				far++
				if tight == Unsure {
					farUnsure++
				}
			}
		}
	}
	require.Positive(t, count[Yes])
	require.Positive(t, count[No])
	require.Positive(t, count[Unsure])
	require.Zero(t, farUnsure, "of %d cases that are not near", far)
	require.Positive(t, far)
}

func TestBoundSpecials(t *testing.T) {
	zero, one := Dyadic{}, FromInt(1)
	inf := model.Bound{A: math.Inf(1)}
	require.True(t, Within(one, zero, zero, zero, inf))
	require.Equal(t, Yes, Decide(Point(1), Point(0), Point(0), Point(0), inf))
	require.Zero(t, Ratio(one, zero, zero, zero, inf))
	require.True(t, Within(zero, zero, zero, zero, model.Bound{}))
	require.False(t, Within(one, zero, zero, zero, model.Bound{}))
	require.Equal(t, Yes, Decide(Point(0), Point(0), Point(0), Point(0), model.Bound{}))
	require.Equal(t, No, Decide(Point(1), Point(0), Point(0), Point(0), model.Bound{}))
	require.Zero(t, Ratio(zero, zero, zero, zero, model.Bound{}))
	require.True(t, math.IsInf(Ratio(one, zero, zero, zero, model.Bound{}), 1))
	// An error of 1 may still be within 1, one of 2 is not.
	require.Equal(t, Unsure, Decide(Interval{1, 2}, Point(0), Point(0), Point(0), model.Bound{Abs: 1}))
	nan := math.NaN()
	require.Equal(t, Unsure, Decide(Point(nan), Point(1), Point(1), Point(0), model.Bound{A: 1}))
	require.Equal(t, Unsure, Decide(Point(1), Point(1), Point(nan), Point(0), model.Bound{A: 1}))
	require.PanicsWithValue(t, badCoefficient, func() { Within(one, one, one, one, model.Bound{S: nan}) })
	require.PanicsWithValue(t, badCoefficient, func() { Within(one, one, one, one, model.Bound{Abs: -1}) })
	// The least error of binary32 against its own bound: exact, without a call to math/big.
	eta := model.Bound{Abs: 1, AbsExp: -149}
	require.Equal(t, Yes, Decide(Point(0x1p-149), Point(0), Point(0), Point(0), eta))
	require.Equal(t, No, Decide(Point(0x1p-148), Point(0), Point(0), Point(0), eta))
	require.Equal(t, "no unsure yes", No.String()+" "+Unsure.String()+" "+Yes.String())
}

func TestIntervalAbs(t *testing.T) {
	require.Equal(t, Interval{1, 2}, Interval{1, 2}.Abs())
	require.Equal(t, Interval{1, 2}, Interval{-2, -1}.Abs())
	require.Equal(t, Interval{0, 2}, Interval{-2, 1}.Abs())
	require.Equal(t, Interval{0, 3}, Interval{-2, 3}.Abs())
	require.True(t, math.IsNaN(Interval{math.NaN(), 1}.Abs().Lo))
}

// Every directed operation is on its side of the exact result, and next to it or exact.
func TestDirectedOperations(t *testing.T) {
	r := source(14)
	for range 5000 * effort() {
		x, y := math.Abs(families64[r.IntN(6)].draw(r)), math.Abs(families64[r.IntN(6)].draw(r))
		dx, dy := FromFloat64(x), FromFloat64(y)
		for _, c := range []struct {
			exact  Dyadic
			lo, hi float64
		}{
			{dx.Mul(dy), mulDown(x, y), mulUp(x, y)},
			{dx.Add(dy), addDown(x, y), addUp(x, y)},
		} {
			requireEnclosed(t, c.exact, Interval{c.lo, c.hi})
			require.LessOrEqual(t, UlpDistance64(c.lo, c.hi), uint64(2))
		}
	}
	inf := math.Inf(1)
	require.Equal(t, 0.0, mulUp(0, inf))
	require.Equal(t, inf, mulUp(0x1p-1074, inf))
	require.Equal(t, inf, addUp(inf, inf))
	require.Equal(t, math.MaxFloat64, mulDown(0x1p600, 0x1p600))
}
