package props_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/round"
	"gamma/oracle"
	"gamma/props"
)

var directions = []model.Rounding{model.NearestEven, model.NearestAway, model.TowardPositive, model.TowardNegative, model.TowardZero}

// arithmeticOf wraps package round.
func arithmeticOf(a round.Arith) props.Arithmetic {
	name := "round." + a.F.Name + "/" + a.R.String()
	if a.Fl.Any() {
		name += "/flush=" + a.Fl.String()
	}
	p := props.Arithmetic{
		Name: name, Format: a.F, Rounding: a.R, Flush: a.Fl, Payloads: true,
		Add: a.Add, Sub: a.Sub, Mul: a.Mul, Div: a.Div, Fma: a.Fma, Sqrt: a.Sqrt, Compare: a.Compare,
		Toward: func(r model.Rounding) props.Arithmetic { return arithmeticOf(round.Arith{F: a.F, R: r, Fl: a.Fl}) },
	}
	for _, to := range model.Formats() {
		if to.Name != a.F.Name {
			dst := round.Arith{F: to, R: a.R, Fl: a.Fl}
			p.Conversions = append(p.Conversions, props.Conversion{To: to, Run: func(b uint64) uint64 { return round.Convert(dst, a.F, b) }})
		}
	}
	return p
}

func f32(b uint64) float32 { return math.Float32frombits(uint32(b)) }

func b32(x float32) uint64 { return uint64(math.Float32bits(x)) }

// over32 makes an operation over numbers one over encodings.
func over32(op func(x, y float32) float32) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 { return b32(op(f32(a), f32(b))) }
}

// order32 is Go's own comparison.
func order32(a, b uint64) (int, bool) {
	x, y := f32(a), f32(b)
	switch {
	case x < y:
		return -1, true
	case x > y:
		return 1, true
	}
	return 0, x == y
}

// float32Arithmetic is the machine's binary32, with the oracle's fma.
func float32Arithmetic() props.Arithmetic {
	return props.Arithmetic{
		Name: "float32", Format: model.Binary32,
		Add:  over32(func(x, y float32) float32 { return x + y }),
		Sub:  over32(func(x, y float32) float32 { return x - y }),
		Mul:  over32(func(x, y float32) float32 { return float32(x * y) }),
		Div:  over32(func(x, y float32) float32 { return x / y }),
		Fma:  func(a, b, c uint64) uint64 { return b32(oracle.Fma32(f32(a), f32(b), f32(c))) },
		Sqrt: func(a uint64) uint64 { return b32(float32(math.Sqrt(float64(f32(a))))) },
		Conversions: []props.Conversion{
			{To: model.Binary64, Run: func(a uint64) uint64 { return math.Float64bits(float64(f32(a))) }},
		},
		Compare: order32,
		Minimum: over32(func(x, y float32) float32 { return min(x, y) }),
		Maximum: over32(func(x, y float32) float32 { return max(x, y) }),
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
	return b32(min(f32(a), f32(b)))
}

// float64Arithmetic is the machine's binary64.
func float64Arithmetic() props.Arithmetic {
	of, f := math.Float64bits, math.Float64frombits
	return props.Arithmetic{
		Name: "float64", Format: model.Binary64,
		Add:  func(a, b uint64) uint64 { return of(f(a) + f(b)) },
		Sub:  func(a, b uint64) uint64 { return of(f(a) - f(b)) },
		Mul:  func(a, b uint64) uint64 { return of(float64(f(a) * f(b))) },
		Div:  func(a, b uint64) uint64 { return of(f(a) / f(b)) },
		Fma:  func(a, b, c uint64) uint64 { return of(math.FMA(f(a), f(b), f(c))) },
		Sqrt: func(a uint64) uint64 { return of(math.Sqrt(f(a))) },
		Conversions: []props.Conversion{
			{To: model.Binary32, Run: func(a uint64) uint64 { return uint64(math.Float32bits(float32(f(a)))) }},
		},
		Minimum: func(a, b uint64) uint64 { return of(min(f(a), f(b))) },
		Maximum: func(a, b uint64) uint64 { return of(max(f(a), f(b))) },
	}
}

// TestPropRound judges the arithmetic of the machine and of package round, in every format,
// direction and way to flush, by the laws of single operations.
func TestPropRound(t *testing.T) {
	var list []props.Arithmetic
	list = append(list, float32Arithmetic(), float64Arithmetic())
	for _, r := range directions {
		list = append(list, arithmeticOf(round.Arith{F: model.Toy(3), R: r}))
	}
	for _, a := range []round.Arith{
		{F: model.Binary64},
		{F: model.Binary32, R: model.NearestAway},
		{F: model.Binary32, R: model.TowardPositive},
		{F: model.Binary16},
		{F: model.Binary16, R: model.TowardZero},
		{F: model.BFloat16},
		{F: model.E5M2},
		{F: model.E4M3},
		{F: model.E4M3, R: model.TowardNegative},
		{F: model.Toy(4), Fl: model.Flush{In: true}},
		{F: model.Toy(4), Fl: model.Flush{Out: true}, R: model.TowardPositive},
		{F: model.Toy(4), Fl: model.Flush{Out: true, Before: true}},
		{F: model.Toy(4), Fl: model.Flush{In: true, Out: true}},
	} {
		list = append(list, arithmeticOf(a))
	}
	props.CheckAll(t, list...)
}

// TestPropRoundExhaustively judges every operand and every pair of small formats, by the laws that take
// so many.
func TestPropRoundExhaustively(t *testing.T) {
	for p := 2; p <= 8; p++ {
		f := model.Toy(p)
		all := uint64(1) << f.Bits()
		for _, r := range directions {
			for _, l := range arithmeticOf(round.Arith{F: f, R: r}).Battery().Laws {
				var x [2]uint64
				pairs := uint64(1)
				switch {
				case l.Operands == 2 && p <= 2:
					pairs = all
				case l.Operands != 1:
					continue
				}
				for x[0] = range all {
					for x[1] = range pairs {
						if v := l.Judge(x[:l.Operands]); v.Outcome == props.Violated || v.Outcome == props.Broken {
							t.Fatalf("%s %s, %#x: %s", f, r, x[:l.Operands], v)
						}
					}
				}
			}
		}
	}
}

// TestRoundedTwice: the report of an operation that rounds to binary64 first says so, of the halfway case that it shows.
func TestRoundedTwice(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	twice := props.Arithmetic{Name: "twice", Format: model.Binary32, Fma: func(a, b, c uint64) uint64 {
		p := float64(f32(a)) * float64(f32(b))
		return b32(float32(p + float64(f32(c))))
	}}
	away := props.Arithmetic{Name: "away", Format: model.Binary32, Mul: round.Arith{F: model.Binary32, R: model.NearestAway}.Mul}
	for _, c := range []struct {
		a    props.Arithmetic
		want string
	}{{twice, "It was rounded twice: in binary64 the exact result is"}, {away, ""}} {
		for _, l := range c.a.Battery().Laws {
			if l.ID != "round.fma" && l.ID != "round.mul" {
				continue
			}
			f, err := c.a.Battery().Find(l)
			require.NoError(t, err)
			require.NotNil(t, f)
			if c.want != "" {
				require.Contains(t, strings.Join(strings.Fields(f.Text()), " "), c.want)
			} else {
				require.NotContains(t, f.Text(), "twice:")
			}
		}
	}
}
