package real

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// digits reads a decimal constant of the literature, cut off after its last digit: the number lies between it and one unit more of that digit.
func digits(t *testing.T, s string) Interval {
	t.Helper()
	lo, ok := new(big.Rat).SetString(s)
	require.True(t, ok)
	_, after, _ := strings.Cut(s, ".")
	unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(after))), nil))
	b := Bits(400)
	return Interval{b.Rat(lo).Lo, b.Rat(unit.Add(lo, unit)).Hi}
}

// TestConstants compares with constants to 50 digits, as Abramowitz and Stegun's tables and OEIS print them.
func TestConstants(t *testing.T) {
	b := Bits(192)
	for _, c := range []struct {
		name string
		have Interval
		want string
	}{
		{"π, A000796", b.Pi(), "3.14159265358979323846264338327950288419716939937510"},
		{"ln 2, A002162", b.Ln2(), "0.69314718055994530941723212145817656807550013436025"},
		{"e, A001113", b.Exp(Point(1)), "2.71828182845904523536028747135266249775724709369995"},
		{"ln 10, A002392", b.Log(Point(10)), "2.30258509299404568401799145468436420760110148862877"},
		{"√2, A002193", b.Sqrt(Point(2)), "1.41421356237309504880168872420969807856967187537694"},
		{"√2 by exp2", b.Exp2(Point(0.5)), "1.41421356237309504880168872420969807856967187537694"},
		{"log2 3, A020857", b.Log2(Point(3)), "1.58496250072115618145373894394781650875981440769248"},
		{"sin 1, A049469", b.Sin(Point(1)), "0.84147098480789650665250232163029899962256306079837"},
		{"cos 1, A049470", b.Cos(Point(1)), "0.54030230586813971740093660744297660373231042061792"},
		{"tan 1, A049471", b.Tan(Point(1)), "1.55740772465490223050697480745836017308725077238152"},
		{"tanh 1, A073744", b.Tanh(Point(1)), "0.76159415595576488811945828260479359041276859725793"},
		{"erf 1", b.Erf(Point(1)), "0.84270079294971486934122063508260925929606699796630"},
		{"sin 10^22", Neg(b.Sin(Point(1e22))), "0.85220084976718880177270589375302936826176215041004"},
		{"sin 2^127", b.Sin(Point(0x1p127)), "0.62338551295587024037042880109712648900183331172621"},
	} {
		require.True(t, c.have.Narrow(180), c.name)
		require.True(t, c.have.Inside(digits(t, c.want)), "%s: %.60g is not %s…", c.name, c.have.Lo, c.want)
	}
}

// TestExact: where the value has few bits, the interval is that number.
func TestExact(t *testing.T) {
	is := func(want float64, x Interval) {
		t.Helper()
		require.True(t, x.isPoint() && x.Contains(big.NewFloat(want)), "[%v, %v] is not %v", x.Lo, x.Hi, want)
	}
	for _, b := range []Bits{64, 200} {
		is(1, b.Exp(Point(0)))
		is(0, b.Expm1(Point(0)))
		is(0, b.Log(Point(1)))
		is(0, b.Log1p(Point(0)))
		is(0, b.Sin(Point(0)))
		is(1, b.Cos(Point(0)))
		is(0, b.Tan(Point(0)))
		is(0, b.Tanh(Point(0)))
		is(0, b.Erf(Point(0)))
		is(1, b.Erfc(Point(0)))
		for k := -1074; k < 1024; k += 7 {
			is(math.Ldexp(1, k), b.Exp2(Point(float64(k))))
			is(float64(k), b.Log2(Point(math.Ldexp(1, k))))
		}
		for i := range 200 {
			is(float64(i), b.Sqrt(Point(float64(i*i))))
		}
		is(0.125, b.Rsqrt(Point(64)))
		is(-1594323, b.Pow(Point(-3), Point(13)))
		is(1./1024, b.Pow(Point(-2), Point(-10)))
		is(1, b.Pow(Point(7), Point(0)))
		is(1, b.Pow(Point(1), Point(0.3)))
	}
}

// slowFunctions are all functions of one argument, with package math's, which comes within a few ulps of them.
var slowFunctions = []struct {
	name  string
	slow  func(Bits, Interval) Interval
	math  func(float64) float64
	least float64
}{
	{"exp", Bits.Exp, math.Exp, -700},
	{"exp2", Bits.Exp2, math.Exp2, -700},
	{"expm1", Bits.Expm1, math.Expm1, -700},
	{"log", Bits.Log, math.Log, 0},
	{"log2", Bits.Log2, math.Log2, 0},
	{"log1p", Bits.Log1p, math.Log1p, -1},
	{"sqrt", Bits.Sqrt, math.Sqrt, 0},
	{"rsqrt", Bits.Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }, 0},
	{"sin", Bits.Sin, math.Sin, -700},
	{"cos", Bits.Cos, math.Cos, -700},
	{"tan", Bits.Tan, math.Tan, -700},
	{"sinpi", Bits.SinPi, func(x float64) float64 {
		s, c := math.Sincos((2*x - math.RoundToEven(2*x)) * (math.Pi / 2))
		return [...]float64{s, c, -s, -c}[int(math.RoundToEven(2*x))&3]
	}, -700},
	{"cospi", Bits.CosPi, func(x float64) float64 {
		s, c := math.Sincos((2*x - math.RoundToEven(2*x)) * (math.Pi / 2))
		return [...]float64{c, -s, -c, s}[int(math.RoundToEven(2*x))&3]
	}, -700},
	{"tanh", Bits.Tanh, math.Tanh, -700},
	{"erf", Bits.Erf, math.Erf, -20},
	{"erfc", Bits.Erfc, math.Erfc, -20},
}

// TestNested: on arguments of all sizes, an interval of more bits lies within one of fewer, each is as narrow as its bits allow, and package
// math's value is within 16 ulps: its tan leaves out x³/3 where that is 14.
func TestNested(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, f := range slowFunctions {
		for range 150 {
			x := math.Ldexp(r.Float64()+0.5, r.IntN(40)-30)
			if f.least < 0 && r.IntN(2) == 0 {
				x = -x
			}
			if x <= f.least || math.Abs(x) > math.Abs(f.least) && f.least < -1 {
				continue
			}
			coarse, fine, finest := f.slow(64, Point(x)), f.slow(160, Point(x)), f.slow(333, Point(x))
			require.True(t, coarse.Narrow(62) && fine.Narrow(158) && finest.Narrow(331), "%s(%x)", f.name, x)
			require.True(t, fine.Inside(coarse) && finest.Inside(fine), "%s(%x)", f.name, x)
			lo, _ := coarse.Float64()
			v := f.math(x)
			ulp := math.Nextafter(math.Abs(v), math.Inf(1)) - math.Abs(v)
			require.LessOrEqual(t, math.Abs(v-lo), 16*ulp, "%s(%x): %v, package math says %v", f.name, x, lo, v)
		}
	}
}

// meet fails if two enclosures of one value have nothing in common, or are wide.
func meet(t *testing.T, what string, x float64, a, b Interval) {
	t.Helper()
	require.True(t, a.Lo.Cmp(b.Hi) <= 0 && b.Lo.Cmp(a.Hi) <= 0, "%s at %x: [%v, %v] and [%v, %v]", what, x, a.Lo, a.Hi, b.Lo, b.Hi)
	require.True(t, a.Narrow(80) && b.Narrow(80), "%s at %x is wide", what, x)
}

// TestIdentities computes one value by two ways that share little.
func TestIdentities(t *testing.T) {
	b := Bits(160)
	r := rand.New(rand.NewPCG(9, 10))
	one := Point(1)
	for range 200 {
		v := math.Ldexp(r.Float64()+0.5, r.IntN(12)-8)
		x := Point(v)
		e := b.Exp(x)
		meet(t, "ln e^x = x", v, b.Log(e), x)
		meet(t, "e^x·e^-x = 1", v, b.Mul(e, b.Exp(Neg(x))), one)
		meet(t, "2^x = e^(x ln 2)", v, b.Exp2(x), b.Exp(b.Mul(x, b.Ln2())))
		meet(t, "e^x - 1", v, b.Sub(e, one), b.Expm1(x))
		meet(t, "sin² + cos² = 1", v, b.Add(b.Sqr(b.Sin(x)), b.Sqr(b.Cos(x))), one)
		meet(t, "sin 2x = 2·sin x·cos x", v, b.Sin(scale(x, 1)), scale(b.Mul(b.Sin(x), b.Cos(x)), 1))
		meet(t, "sin(x + 2^70·π)", v, b.Sin(Bits(400).Add(x, scale(Bits(400).Pi(), 70))), b.Sin(x))
		meet(t, "tan = sin/cos", v, b.Tan(x), b.Div(b.Sin(x), b.Cos(x)))
		meet(t, "tanh", v, b.Tanh(x), b.Div(b.Sub(e, b.Exp(Neg(x))), b.Add(e, b.Exp(Neg(x)))))
		meet(t, "ln x = -ln 1/x", v, b.Log(x), Neg(b.Log(b.Div(one, x))))
		meet(t, "ln(1+x)", v, b.Log1p(x), b.Log(b.Add(one, x)))
		meet(t, "√x² = x", v, b.Sqr(b.Sqrt(x)), x)
		meet(t, "1/√x", v, b.Mul(b.Rsqrt(x), b.Sqrt(x)), one)
		meet(t, "x^0.3·x^0.7 = x", v, b.Mul(b.Pow(x, Point(0.25)), b.Pow(x, Point(0.75))), x)
		if v < 5 {
			meet(t, "erf + erfc = 1", v, b.Add(b.Erf(x), b.Erfc(x)), one)
		}
	}
	// The two ways to erfc: the series and what is left out of the asymptotic one, near where they take turns.
	for _, v := range []float64{12, 13, 14} {
		x := Point(v)
		meet(t, "erfc", v, Bits(160).erfcFar(x.Lo), Bits(900).Sub(one, Bits(900).erfOf(x.Lo)))
	}
}

// TestArithmetic compares intervals with exact rationals at their ends and inside, for all signs.
func TestArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	b := Bits(12)
	rat := func(x *big.Float) *big.Rat { q, _ := x.Rat(nil); return q }
	for range 4000 {
		draw := func() (Interval, []*big.Rat) {
			p, q := float64(r.IntN(2001)-1000)/64, float64(r.IntN(2001)-1000)/64
			x := Between(min(p, q), max(p, q))
			return x, []*big.Rat{rat(x.Lo), rat(x.Hi), new(big.Rat).SetFloat64(p + (q-p)/4)}
		}
		x, xs := draw()
		y, ys := draw()
		for _, o := range []struct {
			name string
			is   Interval
			f    func(z, x, y *big.Rat) *big.Rat
		}{
			{"+", b.Add(x, y), (*big.Rat).Add},
			{"-", b.Sub(x, y), (*big.Rat).Sub},
			{"·", b.Mul(x, y), (*big.Rat).Mul},
			{"/", b.Div(x, y), (*big.Rat).Quo},
			{"max", Max(x, y), func(_, x, y *big.Rat) *big.Rat { return [...]*big.Rat{y, y, x}[x.Cmp(y)+1] }},
			{"min", Min(x, y), func(_, x, y *big.Rat) *big.Rat { return [...]*big.Rat{x, y, y}[x.Cmp(y)+1] }},
			{"left, in the hull", Hull(x, y), func(_, x, _ *big.Rat) *big.Rat { return x }},
			{"right, in the hull", Hull(x, y), func(_, _, y *big.Rat) *big.Rat { return y }},
			{"²", b.Sqr(x), func(z, x, _ *big.Rat) *big.Rat { return z.Mul(x, x) }},
		} {
			for _, p := range xs {
				for _, q := range ys {
					if o.name == "/" && q.Sign() == 0 {
						continue
					}
					v := o.f(new(big.Rat), p, q)
					if o.is.Lo.IsInf() && o.is.Hi.IsInf() {
						require.True(t, o.name == "/" && y.Contains(new(big.Float)))
						continue
					}
					require.True(t, rat(o.is.Lo).Cmp(v) <= 0 && v.Cmp(rat(o.is.Hi)) <= 0, "%v %s %v = %v, outside [%v, %v]", p, o.name, q, v, o.is.Lo, o.is.Hi)
				}
			}
		}
	}
}

// TestHulls: intervals of the functions that are not monotone hold their extremes, and poles give the whole line.
func TestHulls(t *testing.T) {
	b := Bits(80)
	at := func(f func(Bits, Interval) Interval, lo, hi, wantLo, wantHi float64) {
		t.Helper()
		l, _ := f(b, Between(lo, hi)).Float64()
		_, h := f(b, Between(lo, hi)).Float64()
		require.True(t, l == wantLo && h == wantHi, "[%v, %v], not [%v, %v]", l, h, wantLo, wantHi)
	}
	lo1, _ := Bits(80).Sin(Point(1)).Float64()
	at(Bits.Sin, 1, 2, lo1, 1)
	_, hi6 := Bits(80).Sin(Point(6)).Float64()
	at(Bits.Sin, 4, 6, -1, hi6)
	at(Bits.Sin, 1, 7.5, -1, 1)
	at(Bits.Sin, 0, 8, -1, 1)
	at(Bits.Cos, 3, 6.5, -1, 1)
	at(Bits.Tan, 1, 2, math.Inf(-1), math.Inf(1))
	at(Bits.Log, 0, 1, math.Inf(-1), 0)
	at(Bits.Rsqrt, 0, 4, 0.5, math.Inf(1))
	at(Bits.Exp, math.Inf(-1), 0, 0, 1)
	at(Bits.Erfc, math.Inf(-1), math.Inf(1), 0, 2)
	at(Bits.Tanh, math.Inf(-1), math.Inf(1), -1, 1)
	at(Bits.Erf, math.Inf(-1), math.Inf(1), -1, 1)
	at(Bits.Exp, math.Inf(-1), 1e300, 0, math.Inf(1))
}

// TestRefine raises the length until the interval is narrow enough, and says when it never is.
func TestRefine(t *testing.T) {
	sum := func(b Bits) Interval { return b.Sub(b.Exp(Point(0x1p-300)), Point(1)) }
	x, ok := Refine(4096, sum, func(x Interval) bool { return x.Narrow(53) })
	require.True(t, ok && x.Inside(Between(0x1p-300, 0x1.0000000000001p-300)))
	_, ok = Refine(256, sum, func(x Interval) bool { return x.Narrow(53) })
	require.False(t, ok)
}

// TestIntervalsHoldPoints: what a function gives over an interval holds what it gives at the ends and inside.
func TestIntervalsHoldPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	b := Bits(60)
	for range 60 {
		p, q := math.Ldexp(r.Float64()-0.5, r.IntN(8)-3), math.Ldexp(r.Float64()-0.5, r.IntN(8)-3)
		for _, f := range slowFunctions {
			lo, hi := min(p, q), max(p, q)
			if f.least == 0 || f.least == -1 {
				lo, hi = min(math.Abs(p), math.Abs(q)), max(math.Abs(p), math.Abs(q))
			}
			over := f.slow(b, Between(lo, hi))
			for i := range 5 {
				x := lo + (hi-lo)*float64(i)/4
				y := f.slow(100, Point(min(max(x, lo), hi)))
				require.True(t, y.Inside(over), "%s over [%v, %v]: [%v, %v], at %v [%v, %v]", f.name, lo, hi, over.Lo, over.Hi, x, y.Lo, y.Hi)
			}
		}
		lo, hi := min(math.Abs(p), math.Abs(q)), max(math.Abs(p), math.Abs(q))
		e := 4 * (r.Float64() - 0.5)
		over := b.Pow(Between(lo, hi), Between(e, e+1))
		require.True(t, Bits(100).Pow(Point((lo+hi)/2), Point(e+0.5)).Inside(over), "pow")
		n := float64(r.IntN(9) - 4)
		if n < 0 && p*q <= 0 {
			continue
		}
		over = b.Pow(Between(min(p, q), max(p, q)), Point(n))
		require.True(t, Bits(100).Pow(Point((p+q)/2), Point(n)).Inside(over), "pow of an integer")
	}
}

// BenchmarkSlow measures each function at one argument, to 96 bits.
func BenchmarkSlow(b *testing.B) {
	for _, f := range slowFunctions {
		b.Run(f.name, func(b *testing.B) {
			for b.Loop() {
				f.slow(96, Point(1.37))
			}
		})
	}
}

// TestArctanOne: the sums in integers enclose what those in intervals do.
func TestArctanOne(t *testing.T) {
	for _, b := range []Bits{64, 96, 320, 1024, 4096} {
		for _, k := range []int64{3, 5, 239} {
			for _, alternates := range []bool{false, true} {
				x, y := b.arctan(b.ratio(1, k), alternates), b.arctanOne(k, alternates)
				require.True(t, y.Inside(x) && y.Lo.Cmp(y.Hi) < 0, "%d bits: %v, %v", b, x, y)
				wide := new(big.Float).Sub(y.Hi, y.Lo)
				require.Less(t, wide.MantExp(nil), y.Hi.MantExp(nil)-int(b)+2, "%d bits: %v", b, y)
			}
		}
	}
}

// TestSubFromZero: 0 - y is rounded outwards where y has more bits than the result, on both sides of 0.
func TestSubFromZero(t *testing.T) {
	for _, text := range []string{"0x1.0000000000000000000000001p+3", "-0x1.fffffffffffffffffffffffff8p-7"} {
		y, _, err := big.ParseFloat(text, 0, 200, big.ToNearestEven)
		require.NoError(t, err)
		z := Bits(80).Sub(whole(0), Interval{y, y})
		want := new(big.Float).Neg(y)
		require.Negative(t, z.Lo.Cmp(want), text)
		require.Positive(t, z.Hi.Cmp(want), text)
	}
}
