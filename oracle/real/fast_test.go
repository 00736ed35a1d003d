package real

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// function is one of the fast half with its slow twin.
type function struct {
	name  string
	fast  func(float64) (lo, hi float64)
	slow  func(Bits, Interval) Interval
	least float64   // arguments lie at or above it: the function has no real values below
	near  []float64 // the neighbourhoods of multiples of each are tried
}

var functions = []function{
	{"exp", Exp, Bits.Exp, math.Inf(-1), []float64{math.Ln2 / 256, math.Ln2 / 2}},
	{"exp2", Exp2, Bits.Exp2, math.Inf(-1), []float64{1. / 256, 0.5}},
	{"expm1", Expm1, Bits.Expm1, math.Inf(-1), []float64{math.Ln2 / 256, math.Ln2 / 2}},
	{"log", Log, Bits.Log, 0, []float64{1. / 256}},
	{"log2", Log2, Bits.Log2, 0, []float64{1. / 256}},
	{"log1p", Log1p, Bits.Log1p, -1, []float64{1. / 256}},
	{"sin", Sin, Bits.Sin, math.Inf(-1), []float64{math.Pi / 2, 1. / 64}},
	{"cos", Cos, Bits.Cos, math.Inf(-1), []float64{math.Pi / 2, 1. / 64}},
	{"tan", Tan, Bits.Tan, math.Inf(-1), []float64{math.Pi / 2, 1. / 64}},
	{"sinpi", SinPi, Bits.SinPi, math.Inf(-1), []float64{0.5, 0.25, 1. / 64}},
	{"cospi", CosPi, Bits.CosPi, math.Inf(-1), []float64{0.5, 0.25, 1. / 64}},
	{"tanh", Tanh, Bits.Tanh, math.Inf(-1), []float64{math.Ln2 / 512, 0.5}},
	{"sqrt", Sqrt, Bits.Sqrt, 0, []float64{0.5}},
	{"rsqrt", Rsqrt, Bits.Rsqrt, 0, []float64{0.5}},
	{"erf", Erf, Bits.Erf, math.Inf(-1), []float64{1. / 16, 1. / 32}},
}

// arguments draws n numbers: a third by exponent, a third from the range where the function does something, a third near its critical points, a
// few ulps off.
func (f function) arguments(n int, r *rand.Rand, yield func(float64)) {
	ulps := func(x float64) float64 { return math.Float64frombits(math.Float64bits(x) + uint64(r.IntN(5)-2)) }
	for i := range n {
		var x float64
		switch i % 6 {
		case 0:
			x = math.Float64frombits(r.Uint64N(2046 << 52))
		case 1:
			x = math.Ldexp(1+r.Float64(), r.IntN(24)-14)
		case 2:
			x = ulps(f.near[r.IntN(len(f.near))] * float64(1+r.IntN(1<<r.IntN(18))))
		case 3:
			x = 8 * r.Float64()
		case 4: // near 1, and near powers of two
			x = ulps(math.Ldexp(1, r.IntN(2098)-1074))
			if r.IntN(2) == 0 {
				x = 1 + math.Ldexp(r.Float64()-0.5, -r.IntN(50))
			}
		case 5: // near overflow and underflow of the exponentials
			x = ulps([]float64{708, 709.782712893384, 745.1332191019412, 744.4400719213812, 1022, 1024, 1074, 1075, 40, 20, 18.8, 6, 37.5}[r.IntN(13)]) + float64(r.IntN(2))*(r.Float64()-0.5)
		}
		if r.IntN(2) == 0 {
			x = -x
		}
		if x < f.least {
			x = -x
		}
		if x == f.least || x == 0 || math.IsInf(x, 0) || x != x {
			continue
		}
		yield(x)
	}
}

// TestFastHoldsSlow: each enclosure holds the slow half's interval, and is a few ulps wide.
func TestFastHoldsSlow(t *testing.T) {
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			bad := 0
			f.arguments(*cases, r, func(x float64) {
				lo, hi := f.fast(x)
				if wrong := misses(lo, hi, func(b Bits) Interval { return f.slow(b, Point(x)) }); wrong != "" && bad < 5 {
					bad++
					t.Errorf("%s(%x = %v) = [%x, %x]: %s", f.name, x, x, lo, hi, wrong)
				}
			})
		})
	}
}

// TestFastPow is TestFastHoldsSlow for two arguments: any, and those whose power is neither 0 nor infinite.
func TestFastPow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	bad := 0
	for i := range *cases {
		x := math.Float64frombits(r.Uint64N(2046<<52) + 1)
		switch i % 4 {
		case 0:
			x = 1 + math.Ldexp(r.Float64()-0.5, -r.IntN(50))
		case 1:
			x = math.Ldexp(1+r.Float64(), r.IntN(20)-10)
		}
		y := (r.Float64()*2 - 1) * 746 / math.Log(x)
		switch {
		case i%5 == 0:
			y = math.Round(y)
		case i%7 == 0:
			y = math.Ldexp(r.Float64()-0.5, r.IntN(60)-30)
		}
		if x == 1 || y == 0 || math.IsInf(y, 0) {
			continue
		}
		negative := y == math.Trunc(y) && r.IntN(2) == 0
		if negative {
			x = -x
		}
		lo, hi := Pow(x, y)
		if wrong := misses(lo, hi, func(b Bits) Interval { return b.Pow(Point(x), Point(y)) }); wrong != "" && bad < 5 {
			bad++
			t.Errorf("pow(%x, %x) = [%x, %x]: %s", x, y, lo, hi, wrong)
		}
	}
}

// BenchmarkFast measures each function on ordinary arguments, drawn beforehand.
func BenchmarkFast(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	var x [1024]float64
	for _, f := range functions {
		for i := range x {
			x[i] = r.NormFloat64() * 3
			if f.least == 0 || f.least == -1 {
				x[i] = math.Abs(x[i])
			}
		}
		b.Run(f.name, func(b *testing.B) {
			var sum float64
			for i := 0; b.Loop(); i++ {
				lo, _ := f.fast(x[i&1023])
				sum += lo
			}
		})
	}
	b.Run("pow", func(b *testing.B) {
		var sum float64
		for i := 0; b.Loop(); i++ {
			lo, _ := Pow(x[i&1023]*x[i&1023], 1.7)
			sum += lo
		}
	})
	b.Run("sin/huge", func(b *testing.B) {
		var sum float64
		for i := 0; b.Loop(); i++ {
			lo, _ := Sin(x[i&1023] * 0x1p1000)
			sum += lo
		}
	})
}

var (
	inf, nan       = math.Inf(1), math.NaN()
	below1, above1 = math.Nextafter(1, 0), math.Nextafter(1, 2)
)

const most, least = math.MaxFloat64, math.SmallestNonzeroFloat64

// specials are results that are known: limits, exact values, and the ends of the range.
var specials = []struct {
	name   string
	f      func(float64) (lo, hi float64)
	x      float64
	lo, hi float64
}{
	{"exp", Exp, 0, 1, 1},
	{"exp", Exp, inf, inf, inf},
	{"exp", Exp, -inf, 0, 0},
	{"exp", Exp, 709.7827128933841, most, inf},
	{"exp", Exp, 1e300, most, inf},
	{"exp", Exp, -745.2, 0, least},
	{"exp", Exp, -1e300, 0, least},
	{"exp", Exp, least, below1, above1},
	{"exp2", Exp2, 10, 1024, 1024},
	{"exp2", Exp2, -1074, least, least},
	{"exp2", Exp2, -1075, 0, least},
	{"exp2", Exp2, 1024, most, inf},
	{"exp2", Exp2, inf, inf, inf},
	{"exp2", Exp2, -inf, 0, 0},
	{"exp2", Exp2, 1023, 0x1p1023, 0x1p1023},
	{"exp2", Exp2, -1022, 0x1p-1022, 0x1p-1022},
	{"exp2", Exp2, 0, 1, 1},
	{"exp2", Exp2, -1e300, 0, least},
	{"expm1", Expm1, 0, 0, 0},
	{"expm1", Expm1, inf, inf, inf},
	{"expm1", Expm1, -inf, -1, -1},
	{"expm1", Expm1, -50, -1, -below1},
	{"expm1", Expm1, 710, most, inf},
	{"expm1", Expm1, least, least, 2 * least},
	{"log", Log, 1, 0, 0},
	{"log", Log, 0, -inf, -inf},
	{"log", Log, -1, nan, nan},
	{"log", Log, inf, inf, inf},
	{"log", Log, -inf, nan, nan},
	{"log2", Log2, 1, 0, 0},
	{"log2", Log2, 8, 3, 3},
	{"log2", Log2, least, -1074, -1074},
	{"log2", Log2, 0, -inf, -inf},
	{"log2", Log2, -1, nan, nan},
	{"log2", Log2, inf, inf, inf},
	{"log1p", Log1p, 0, 0, 0},
	{"log1p", Log1p, -1, -inf, -inf},
	{"log1p", Log1p, -2, nan, nan},
	{"log1p", Log1p, inf, inf, inf},
	{"log1p", Log1p, -inf, nan, nan},
	{"log1p", Log1p, least, 0, least},
	{"log1p", Log1p, -least, -2 * least, -least},
	{"sin", Sin, 0, 0, 0},
	{"sin", Sin, inf, nan, nan},
	{"sin", Sin, least, 0, least},
	{"sin", Sin, -least, -least, 0},
	{"cos", Cos, 0, 1, 1},
	{"cos", Cos, -inf, nan, nan},
	{"cos", Cos, least, below1, 1},
	{"sinpi", SinPi, 0, 0, 0},
	{"sinpi", SinPi, -0.5, -1, -1},
	{"sinpi", SinPi, 0x1.8p52, 0, 0},
	{"sinpi", SinPi, inf, nan, nan},
	{"cospi", CosPi, 0x1.00001p20, -1, -1},
	{"cospi", CosPi, 3, -1, -1},
	{"cospi", CosPi, 1.5, 0, 0},
	{"cospi", CosPi, least, below1, 1},
	{"cospi", CosPi, -inf, nan, nan},
	{"tan", Tan, 0, 0, 0},
	{"tan", Tan, inf, nan, nan},
	{"tan", Tan, least, least, 2 * least},
	{"tanh", Tanh, 0, 0, 0},
	{"tanh", Tanh, inf, 1, 1},
	{"tanh", Tanh, -inf, -1, -1},
	{"tanh", Tanh, 30, below1, 1},
	{"tanh", Tanh, -1e300, -1, -below1},
	{"tanh", Tanh, least, 0, least},
	{"sqrt", Sqrt, 9, 3, 3},
	{"sqrt", Sqrt, 0, 0, 0},
	{"sqrt", Sqrt, inf, inf, inf},
	{"sqrt", Sqrt, -1, nan, nan},
	{"sqrt", Sqrt, 0x1p-1074, 0x1p-537, 0x1p-537},
	{"rsqrt", Rsqrt, 16, 0.25, 0.25},
	{"rsqrt", Rsqrt, 0x1p-1074, 0x1p537, 0x1p537},
	{"rsqrt", Rsqrt, 0, inf, inf},
	{"rsqrt", Rsqrt, inf, 0, 0},
	{"rsqrt", Rsqrt, -1, nan, nan},
	{"erf", Erf, 0, 0, 0},
	{"erf", Erf, inf, 1, 1},
	{"erf", Erf, -inf, -1, -1},
	{"erf", Erf, 7, below1, 1},
	{"erf", Erf, -least, -2 * least, 0},
}

// TestFastSpecial: limits at infinity, NaN, zeros, and the ends of the range.
func TestFastSpecial(t *testing.T) {
	for _, c := range specials {
		lo, hi := c.f(c.x)
		if c.lo != c.lo {
			require.True(t, lo != lo && hi != hi, "%s(%v) = [%v, %v]", c.name, c.x, lo, hi)
			continue
		}
		require.True(t, lo == c.lo && hi == c.hi, "%s(%v) = [%v, %v], not [%v, %v]", c.name, c.x, lo, hi, c.lo, c.hi)
	}
	for _, f := range functions {
		lo, hi := f.fast(nan)
		require.True(t, lo != lo && hi != hi, f.name)
	}
	for _, c := range [][3]float64{{0, 2, 0}, {0, -1, inf}, {-2, inf, inf}, {1, nan, 1}, {nan, 0, 1}, {-1, 3, -1}, {-1, inf, 1}, {-0.5, -inf, inf}, {-8, 1. / 3, nan}, {inf, -1, 0}, {2, nan, nan}} {
		lo, hi := Pow(c[0], c[1])
		require.True(t, lo == c[2] && hi == c[2] || c[2] != c[2] && lo != lo && hi != hi, "pow(%v, %v) = [%v, %v]", c[0], c[1], lo, hi)
	}
	lo, hi := Pow(-10, 401)
	require.True(t, lo == -inf && hi == -most)
	lo, hi = Pow(-10, -401)
	require.True(t, lo == -least && hi == 0)
	lo, hi = Pow(2, 0x1p1000)
	require.True(t, lo == most && hi == inf)
}

// TestFastNearMultiples: the binary64 numbers that are nearest to multiples of π/2, which the slow half is asked for, and their neighbours.
func TestFastNearMultiples(t *testing.T) {
	slow := 0
	for _, x := range []float64{0x1.6ac5b262ca1ffp849, math.Ldexp(6381956970095103, 797), 0x1.951f8e9b0d0f9p+60, math.Pi, math.Pi / 2, 3 * math.Pi / 2, 22, 355, 1e22} {
		for _, x := range []float64{x, -x, math.Nextafter(x, 0), math.Nextafter(x, math.MaxFloat64)} {
			if _, _, _, ok := reduceAngle(x); !ok {
				slow++
			}
			for _, f := range functions[6:9] {
				lo, hi := f.fast(x)
				require.Empty(t, misses(lo, hi, func(b Bits) Interval { return f.slow(b, Point(x)) }), "%s(%x)", f.name, x)
			}
		}
	}
	require.Positive(t, slow, "arguments that are too near for the fast reduction")
}

// TestRanges: the hull over an interval holds sin and cos of every number tried in it, and is no wider than the slow half's by more than two
// units in the last place.
func TestRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for i := range *cases {
		lo := math.Ldexp(r.Float64()-0.5, r.IntN(60)-20)
		hi := lo + math.Ldexp(r.Float64(), r.IntN(10)-7)
		switch i % 4 {
		case 0: // at a multiple of π/2
			lo = math.Round(lo) * (math.Pi / 2)
		case 1:
			hi = math.Round(hi) * (math.Pi / 2)
		}
		lo, hi = min(lo, hi), max(lo, hi)
		for _, f := range []struct {
			name string
			fast func(lo, hi float64) (least, most float64)
			slow func(Bits, Interval) Interval
		}{{"sin", SinRange, Bits.Sin}, {"cos", CosRange, Bits.Cos}} {
			least, most := f.fast(lo, hi)
			y := f.slow(80, Between(lo, hi))
			require.True(t, y.Inside(Between(least, most)), "%s over [%x, %x]: [%x, %x], exactly [%v, %v]", f.name, lo, hi, least, most, y.Lo, y.Hi)
			if hi-lo < 3 {
				l, m := y.Float64()
				step := func(x float64) float64 { return math.Nextafter(math.Abs(x), 2) - math.Abs(x) }
				require.True(t, l-least <= 2*step(least) && most-m <= 2*step(most), "%s over [%x, %x] is [%x, %x], exactly [%x, %x]", f.name, lo, hi, least, most, l, m)
			}
		}
	}
	for _, x := range [][2]float64{{0, math.Inf(1)}, {0, 4}, {math.NaN(), 1}, {2, 1}, {-1e308, 1e308}} {
		lo, hi := SinRange(x[0], x[1])
		require.True(t, lo == -1 && hi == 1)
	}
}
