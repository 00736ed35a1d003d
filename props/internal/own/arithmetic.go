package own

import (
	"math"

	"gamma/model"
	"gamma/model/round"
	"gamma/oracle"
	"gamma/props/internal/battery"
)

// Directions are all directions of rounding.
var Directions = []model.Rounding{model.NearestEven, model.NearestAway, model.TowardPositive, model.TowardNegative, model.TowardZero}

// Arithmetic wraps package round.
func Arithmetic(a round.Arith) battery.Arithmetic {
	name := "round." + a.F.Name + "/" + a.R.String()
	if a.Fl.Any() {
		name += "/flush=" + a.Fl.String()
	}
	p := battery.Arithmetic{
		Name: name, Format: a.F, Rounding: a.R, Flush: a.Fl, Payloads: true,
		Add: a.Add, Sub: a.Sub, Mul: a.Mul, Div: a.Div, Fma: a.Fma, Sqrt: a.Sqrt, Compare: a.Compare,
		Toward: func(r model.Rounding) battery.Arithmetic { return Arithmetic(round.Arith{F: a.F, R: r, Fl: a.Fl}) },
	}
	for _, to := range model.Formats() {
		if to.Name != a.F.Name {
			dst := round.Arith{F: to, R: a.R, Fl: a.Fl}
			p.Conversions = append(p.Conversions, battery.Conversion{To: to, Run: func(b uint64) uint64 { return round.Convert(dst, a.F, b) }})
		}
	}
	return p
}

// F32 returns the number that an encoding stands for.
func F32(b uint64) float32 { return math.Float32frombits(uint32(b)) }

// B32 returns the encoding of a number.
func B32(x float32) uint64 { return uint64(math.Float32bits(x)) }

// Over32 makes an operation over numbers one over encodings.
func Over32(op func(x, y float32) float32) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 { return B32(op(F32(a), F32(b))) }
}

// order32 is Go's own comparison.
func order32(a, b uint64) (int, bool) {
	x, y := F32(a), F32(b)
	switch {
	case x < y:
		return -1, true
	case x > y:
		return 1, true
	}
	return 0, x == y
}

// Float32 is the machine's binary32, with the oracle's fma.
func Float32() battery.Arithmetic {
	return battery.Arithmetic{
		Name: "float32", Format: model.Binary32,
		Add:  Over32(func(x, y float32) float32 { return x + y }),
		Sub:  Over32(func(x, y float32) float32 { return x - y }),
		Mul:  Over32(func(x, y float32) float32 { return float32(x * y) }),
		Div:  Over32(func(x, y float32) float32 { return x / y }),
		Fma:  func(a, b, c uint64) uint64 { return B32(oracle.Fma32(F32(a), F32(b), F32(c))) },
		Sqrt: func(a uint64) uint64 { return B32(float32(math.Sqrt(float64(F32(a))))) },
		Conversions: []battery.Conversion{
			{To: model.Binary64, Run: func(a uint64) uint64 { return math.Float64bits(float64(F32(a))) }},
		},
		Compare: order32,
		Minimum: Over32(func(x, y float32) float32 { return min(x, y) }),
		Maximum: Over32(func(x, y float32) float32 { return max(x, y) }),
		MinNum:  minNum,
	}
}

// minNum is IEEE 754-2008's minNum.
func minNum(a, b uint64) uint64 {
	f := model.Binary32
	switch {
	case f.IsSignaling(a) || f.IsSignaling(b), f.IsNaN(a) && f.IsNaN(b):
		return f.NaNBits()
	case f.IsNaN(a):
		return b
	case f.IsNaN(b):
		return a
	}
	return B32(min(F32(a), F32(b)))
}

// Float64 is the machine's binary64.
func Float64() battery.Arithmetic {
	of, f := math.Float64bits, math.Float64frombits
	return battery.Arithmetic{
		Name: "float64", Format: model.Binary64,
		Add:  func(a, b uint64) uint64 { return of(f(a) + f(b)) },
		Sub:  func(a, b uint64) uint64 { return of(f(a) - f(b)) },
		Mul:  func(a, b uint64) uint64 { return of(float64(f(a) * f(b))) },
		Div:  func(a, b uint64) uint64 { return of(f(a) / f(b)) },
		Fma:  func(a, b, c uint64) uint64 { return of(math.FMA(f(a), f(b), f(c))) },
		Sqrt: func(a uint64) uint64 { return of(math.Sqrt(f(a))) },
		Conversions: []battery.Conversion{
			{To: model.Binary32, Run: func(a uint64) uint64 { return uint64(math.Float32bits(float32(f(a)))) }},
		},
		Minimum: func(a, b uint64) uint64 { return of(min(f(a), f(b))) },
		Maximum: func(a, b uint64) uint64 { return of(max(f(a), f(b))) },
	}
}
