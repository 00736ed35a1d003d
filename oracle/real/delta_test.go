package real

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// sum is what a fast function computes before it rounds: s + t, and the power of two that it multiplies by afterwards.
type sum struct {
	name  string
	of    func(x float64) (s, t float64, k int)
	slow  func(Bits, Interval) Interval
	delta float64 // the bound on |s + t - y|/|y|, in units of 2^-62, as the comments prove
	draw  func(r *rand.Rand) float64
}

func span(lo, hi float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return lo + (hi-lo)*r.Float64() }
}

// sizes draws numbers of all exponents from lo up to hi, of both signs.
func sizes(lo, hi int) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		return math.Ldexp(1+r.Float64(), lo+r.IntN(hi-lo)) * float64(1-2*r.IntN(2))
	}
}

var sums = []sum{
	{"exp", func(x float64) (s, t float64, k int) {
		n, r := expReduce(x)
		s, t = power(n, r)
		return s, t, whole7(n)
	}, Bits.Exp, 11, span(-745, 709)},
	{"exp2", func(x float64) (s, t float64, k int) {
		n, r := exp2Reduce(x)
		s, t = power(n, r)
		return s, t, whole7(n)
	}, Bits.Exp2, 11, span(-1074, 1023)},
	{"expm1", plain(expm1Sum), Bits.Expm1, 16, sizes(-53, 5)},
	{"log", plain(func(x float64) (s, t float64) { return logSum(x, 0) }), Bits.Log, 11, span(0.5, 2)},
	{"log near 1", plain(func(x float64) (s, t float64) { return logSum(1+x, 0) }), func(b Bits, x Interval) Interval { return b.Log(plusOne(x)) }, 11, func(r *rand.Rand) float64 { return 1 + sizes(-40, -6)(r) - 1 }},
	{"log of all sizes", plain(func(x float64) (s, t float64) { return logSum(math.Abs(x), 0) }), func(b Bits, x Interval) Interval { return b.Log(Abs(x)) }, 11, sizes(-1074, 1024)},
	{"log2", plain(func(x float64) (s, t float64) { return log2Sum(logReduce(x)) }), Bits.Log2, 16, span(0.5, 2)},
	{"log1p", plain(func(x float64) (s, t float64) { u, v := twoSum(1, x); return logSum(u, v/u) }), Bits.Log1p, 16, func(r *rand.Rand) float64 { return math.Ldexp(1+r.Float64(), r.IntN(60)-7) }},
	{"tanh", plain(func(x float64) (s, t float64) { s, t = expm1Sum(2 * x); return quotient(s, t, 2) }), Bits.Tanh, 17, sizes(-27, 4)},
	{"tan", plain(func(x float64) (s, t float64) { k, r, rl, _ := reduceAngle(x); return tanSum(k, r, rl) }), Bits.Tan, 16, sizes(-27, 10)},
	{"log, wide", plain(logWide), Bits.Log, 0.0825, span(0.5, 2)},
	{"log near 1, wide", plain(func(x float64) (s, t float64) { return logWide(1 + x) }), func(b Bits, x Interval) Interval { return b.Log(plusOne(x)) }, 0.0825, func(r *rand.Rand) float64 { return 1 + sizes(-40, -6)(r) - 1 }},
	{"sin", plain(func(x float64) (s, t float64) { k, r, rl, _ := reduceAngle(x); return sinSum(k, r, rl) }), Bits.Sin, 2, sizes(-27, 10)},
	{"cos", plain(func(x float64) (s, t float64) { k, r, rl, _ := reduceAngle(x); return sinSum(k+1, r, rl) }), Bits.Cos, 2, sizes(-27, 10)},
	{"sin of all sizes", plain(func(x float64) (s, t float64) { k, r, rl, _ := reduceAngle(x); return sinSum(k, r, rl) }), Bits.Sin, 2, sizes(10, 1023)},
	{"sinpi", plain(func(x float64) (s, t float64) { k, r, rl := halfTurn(x); return sinSum(k, r, rl) }), Bits.SinPi, 2, sizes(-60, 20)},
	{"cospi", plain(func(x float64) (s, t float64) { k, r, rl := halfTurn(x); return sinSum(k+1, r, rl) }), Bits.CosPi, 2, sizes(-60, 20)},
	{"erf", plain(erfSum), Bits.Erf, 8, span(1./16, 6)},
	{"small erf", plain(erfSmall), Bits.Erf, 8, sizes(-100, -4)},
}

func plain(f func(float64) (s, t float64)) func(float64) (s, t float64, k int) {
	return func(x float64) (s, t float64, k int) { s, t = f(x); return s, t, 0 }
}

// worst returns the largest |s + t - y|/|y| over n draws, in units of 2^-62.
func (f sum) worst(n int, r *rand.Rand) float64 {
	worst := 0.
	for range n {
		x := f.draw(r)
		s, t, k := f.of(x)
		const b = Bits(160)
		y := f.slow(b, Point(x))
		_, d := scale(Abs(b.Sub(b.Div(scale(b.Add(Point(s), Point(t)), k), y), whole(1))), 62).Float64()
		worst = max(worst, d)
	}
	return worst
}

// TestDelta holds what is summed, before its one rounding, to the bounds that the comments prove.
func TestDelta(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, f := range sums {
		w := f.worst(*cases, r)
		t.Logf("%s: %.3g of %g units of 2^-62", f.name, w, f.delta)
		require.LessOrEqual(t, w, f.delta, f.name)
	}
}

// TestHalfTheBoundIsTooLittle: the bound of Exp, halved, is passed, so that TestDelta can fail.
func TestHalfTheBoundIsTooLittle(t *testing.T) {
	for _, f := range sums[:2] {
		require.Greater(t, f.worst(20000, rand.New(rand.NewPCG(13, 14))), f.delta/2, f.name)
	}
}

// TestPlanted changes one entry of a table, where one ulp of it is more than its function's bound, or takes the low word of one away, and sees
// TestDelta's comparison fail.
func TestPlanted(t *testing.T) {
	ulp := func(p *float64) { *p = math.Nextafter(*p, 2) }
	zero := func(p *float64) { *p = 0 }
	named := func(name string) sum {
		for _, f := range sums {
			if f.name == name {
				return f
			}
		}
		panic(name)
	}
	for _, p := range []struct {
		sum    string
		what   string
		entry  *float64
		change func(*float64)
		lo, hi float64 // where the entry is used
	}{
		{"exp", "2^(5/128)", &powerTable[5][0], ulp, 4.6 / 128 * math.Ln2, 5.4 / 128 * math.Ln2},
		{"exp", "the low word of 2^(77/128)", &powerTable[77][1], zero, 76.6 / 128 * math.Ln2, 77.4 / 128 * math.Ln2},
		{"exp2", "2^(127/128)", &powerTable[127][0], ulp, 126.6 / 128, 127.4 / 128},
		{"expm1", "the low word of 2^(100/128)", &powerTable[100][1], zero, 99.6 / 128 * math.Ln2, 100.4 / 128 * math.Ln2},
		{"log", "-ln c", &logTable[100][1], ulp, logEdge(100), logEdge(101)},
		{"log", "the low part of -ln c", &logTable[100][2], zero, logEdge(100), logEdge(101)},
		{"log2", "-log2 c", &logTable[100][3], ulp, logEdge(100), logEdge(101)},
		{"log2", "the low part of -log2 c", &logTable[30][4], zero, logEdge(30), logEdge(31)},
		{"tan", "the low word of cos 20/32", &circleTable[20][3], zero, 19.6 / 32, 20.4 / 32},
		{"log, wide", "the low part of -ln c", &logTable[20][2], zero, logEdge(20), logEdge(21)},
		{"sin", "sin 20/32", &circleTable[20][0], ulp, 19.6 / 32, 20.4 / 32},
		{"sin", "the low word of sin 20/32", &circleTable[20][1], zero, 19.6 / 32, 20.4 / 32},
		{"cos", "sin 20/32", &circleTable[20][0], ulp, 19.6 / 32, 20.4 / 32},
		{"cos", "the low word of cos 3/32", &circleTable[3][3], zero, 2.6 / 32, 3.4 / 32},
		{"erf", "erf c", &erfTable[9][0], ulp, 9. / 16, 10. / 16},
		{"erf", "the low word of erf c", &erfTable[9][1], zero, 9. / 16, 10. / 16},
		{"erf", "the slope at c", &erfTable[3][2], ulp, 3. / 16, 4. / 16},
		{"erf", "the low word of the slope at c", &erfTable[1][3], zero, 1. / 16, 2. / 16},
		{"erf", "the coefficient of degree 10", &erfTable[1][12], zero, 1. / 16, 2. / 16},
	} {
		f := named(p.sum)
		f.draw = span(p.lo, p.hi)
		run := func() float64 { return f.worst(300, rand.New(rand.NewPCG(15, 16))) }
		require.LessOrEqual(t, run(), f.delta, "%s: %s, unchanged", p.sum, p.what)
		was := *p.entry
		p.change(p.entry)
		w := run()
		*p.entry = was
		require.Greater(t, w, f.delta, "%s: %s, changed", p.sum, p.what)
	}
	f := named("sin of all sizes")
	twoOverPi[9] ^= 1 << 40
	w := f.worst(300, rand.New(rand.NewPCG(15, 16)))
	twoOverPi[9] ^= 1 << 40
	require.Greater(t, w, f.delta, "a bit of 2/π, changed")
}

// logEdge returns the lower end of interval i of logTable.
func logEdge(i uint64) float64 { return math.Float64frombits(logFrom + i<<45) }

// TestErfTruncation bounds, over each interval of erfTable, what Erf's comment says of them: by Taylor's theorem and the recurrence of erfRow in intervals, what the polynomial leaves
// out is below 2^-61.4 of erf; and its terms of degree 2 and more are below 2^-9.2 of it.
func TestErfTruncation(t *testing.T) {
	b := Bits(80)
	for i := 1; i < 96; i++ {
		x := Between(float64(i)/16, float64(i+1)/16)
		before, g := whole(0), b.Mul(b.Div(whole(2), b.Sqrt(b.Pi())), b.Exp(Neg(b.Sqr(x))))
		for n := int64(1); n <= erfDegree; n++ {
			g, before = b.Div(b.Mul(whole(-2), b.Add(b.Mul(x, g), before)), whole(n)), g
		}
		left := b.Div(Abs(b.Div(g, whole(erfDegree+1))), b.Erf(x)) // times (1/32)^11
		_, hi := scale(left, -5*(erfDegree+1)).Float64()
		require.Less(t, hi, math.Exp2(-61.4), "interval %d", i)
		rest := 0.
		for n := 2; n <= erfDegree; n++ {
			rest += math.Ldexp(math.Abs(erfTable[i][n+2]), -5*n)
		}
		least, _ := Erf(float64(i) / 16)
		require.Less(t, rest, math.Exp2(-9.2)*least, "interval %d", i)
	}
}

// TestLogReduction: r stays within what logReduce says at both ends of each interval, between which it is linear, and r + rl is c·z - 1.
func TestLogReduction(t *testing.T) {
	for i := range uint64(128) {
		for _, z := range []float64{logEdge(i), math.Nextafter(logEdge(i+1), 0)} {
			e, row, r, rl := logReduce(z)
			require.True(t, e == 0 && row == &logTable[i], "%x", z)
			limit := math.Exp2(-7.5)
			switch {
			case row[0] == 1:
				limit = 0x1p-7
			case z < 1:
				limit = 0x1p-8
			}
			require.LessOrEqual(t, math.Abs(r), limit, "%x", z)
			exact := long.Sub(long.Mul(Point(row[0]), Point(z)), whole(1))
			require.Zero(t, long.Add(Point(r), Point(rl)).Lo.Cmp(exact.Lo), "%x", z)
		}
	}
}
