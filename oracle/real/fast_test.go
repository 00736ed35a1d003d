package real

import (
	"math"
	"math/rand/v2"
	"testing"
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
	{"tanh", Tanh, Bits.Tanh, math.Inf(-1), []float64{math.Ln2 / 512, 0.5}},
	{"erf", Erf, Bits.Erf, math.Inf(-1), []float64{1. / 16, 1. / 32}},
}

// arguments draws n numbers: a third by exponent, a third from the range where the function does something, a third near its critical points, a few ulps off.
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
