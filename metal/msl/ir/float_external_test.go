package ir_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/model"
	"gamma/model/round"
)

var (
	thorough   = os.Getenv("GAMMA_LEVEL") == "thorough"
	floatTypes = []ir.Type{ir.F16, ir.BF16, ir.F32}
	formats    = map[ir.Type]model.Format{ir.F16: model.Binary16, ir.BF16: model.BFloat16, ir.F32: model.Binary32}
)

// ariths are all roundings and ways to flush, the same for all types.
func ariths() []ir.Arith {
	var list []ir.Arith
	for _, r := range []model.Rounding{model.NearestEven, model.TowardZero} {
		for _, f := range []model.Flush{
			{},
			{In: true},
			{Out: true},
			{Out: true, Before: true},
			{In: true, Out: true},
			{In: true, Out: true, Before: true},
		} {
			list = append(list, ir.Arith{Rounding: r, Flush: f, Flush16: f})
		}
	}
	return list
}

func judge(t ir.Type, ar ir.Arith) round.Arith {
	f := ar.Flush16
	if t == ir.F32 {
		f = ar.Flush
	}
	return round.Arith{F: formats[t], R: ar.Rounding, Fl: f}
}

// drawFloat returns an encoding of t: edges, sparse fractions, exponents near each other.
func drawFloat(rng *rand.Rand, t ir.Type) uint64 {
	n := t.Bits()
	man := map[ir.Type]int{ir.F16: 10, ir.BF16: 7, ir.F32: 23}[t]
	exps := n - 1 - man
	var e uint64
	switch rng.IntN(6) {
	case 0:
		e = rng.Uint64N(3)
	case 1:
		e = 1<<exps - 1 - rng.Uint64N(4)
	case 2, 3:
		e = uint64(1<<(exps-1)-1-man) + rng.Uint64N(uint64(2*man)) // near 1
	default:
		e = rng.Uint64N(1 << exps)
	}
	f := rng.Uint64()
	switch rng.IntN(6) {
	case 0:
		f = 0
	case 1:
		f = ^uint64(0)
	case 2:
		f = 1 << rng.IntN(man)
	case 3:
		f = uint64(3) << rng.IntN(man-1)
	case 4:
		f = -(1 << rng.IntN(man))
	}
	return rng.Uint64N(2)<<(n-1) | e&(1<<exps-1)<<man | f&(1<<man-1)
}

func isNaN(t ir.Type, v uint64) bool { return math.IsNaN(ir.Widen(t, v)) }

var canonical = map[ir.Type]uint64{ir.F16: 0x7e00, ir.BF16: 0x7fc0, ir.F32: 0x7fc00000}

func requireSame(t *testing.T, typ ir.Type, want, got uint64, what string, args ...any) {
	t.Helper()
	if isNaN(typ, want) {
		want = canonical[typ]
	}
	if want != got {
		require.Failf(t, "another result", "want %#x, got %#x: "+what, append([]any{want, got}, args...)...)
	}
}

// TestArithmeticAgainstJudge holds + - * / fma sqrt and conversions to package model/round, which works by integers.
func TestArithmeticAgainstJudge(t *testing.T) {
	rounds := 1000
	if thorough {
		rounds = 300000
	}
	rng := rand.New(rand.NewPCG(3, 1))
	for _, typ := range floatTypes {
		for _, ar := range ariths() {
			j := judge(typ, ar)
			for range rounds {
				a, b, c := drawFloat(rng, typ), drawFloat(rng, typ), drawFloat(rng, typ)
				for op, want := range map[ir.Op]uint64{
					ir.Add: j.Add(a, b), ir.Sub: j.Sub(a, b), ir.Mul: j.Mul(a, b), ir.Div: j.Div(a, b),
					ir.Fma: j.Fma(a, b, c), ir.Sqrt: j.Sqrt(a),
				} {
					got, fault := ir.Eval(op, typ, ir.Void, 0, ar, a, b, c, 0)
					require.Zero(t, fault)
					requireSame(t, typ, want, got, "%s %s %#x %#x %#x under %+v", op, typ, a, b, c, ar)
				}
				// A sum that is nearly a product, or a tie.
				c = j.Mul(a, b) ^ 1<<(typ.Bits()-1) ^ rng.Uint64N(2)
				got, _ := ir.Eval(ir.Fma, typ, ir.Void, 0, ar, a, b, c, 0)
				requireSame(t, typ, j.Fma(a, b, c), got, "fma %s %#x %#x %#x under %+v", typ, a, b, c, ar)
				order, ordered := j.Compare(a, b)
				for op, want := range map[ir.Op]bool{
					ir.Eq: ordered && order == 0, ir.Ne: !ordered || order != 0, ir.Lt: ordered && order < 0, ir.Le: ordered && order <= 0,
				} {
					got, _ := ir.Eval(op, typ, ir.Void, 0, ar, a, b, 0, 0)
					require.Equal(t, want, got == 1, "%s %s %#x %#x under %+v", op, typ, a, b, ar)
				}
				for _, to := range floatTypes {
					if to == typ {
						continue
					}
					got, _ := ir.Eval(ir.Convert, to, typ, 0, ar, a, 0, 0, 0)
					src, own := a, ir.Arith{} // lossless to float, and never flushed to half
					if to == ir.BF16 {
						if own = ar; j.Fl.In {
							src = flushed(typ, a)
						}
						own.Rounding = model.NearestEven
					}
					d := judge(to, own)
					d.Fl.In = false
					requireSame(t, to, round.Convert(d, formats[typ], src), got, "%s from %s %#x under %+v", to, typ, a, ar)
				}
			}
		}
	}
}

func flushed(t ir.Type, v uint64) uint64 {
	if x := math.Abs(ir.Widen(t, v)); x < map[ir.Type]float64{ir.F16: 0x1p-14, ir.BF16: 0x1p-126, ir.F32: 0x1p-126}[t] {
		return v & (1 << (t.Bits() - 1))
	}
	return v
}

// TestFmaRoundsOnce holds the counter-example of float32(math.FMA(…)).
func TestFmaRoundsOnce(t *testing.T) {
	x := float32(1 + 0x1p-12)
	require.Equal(t, uint32(0x3f801001), math.Float32bits(ir.Fma32(x, x, 0x1p-60)))
	require.Equal(t, uint32(0x3f801000), math.Float32bits(float32(math.FMA(float64(x), float64(x), 0x1p-60))))
}

// TestIntegerToFloatAgainstJudge: round.Arith.FromDyadic is exact to the bit.
func TestIntegerToFloatAgainstJudge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	for _, ar := range ariths() {
		for range 500 {
			for _, from := range ir.SetIntegers.Types() {
				v := rng.Uint64() >> rng.IntN(64)
				if rng.IntN(3) == 0 {
					v = 1<<rng.IntN(64) + 1<<rng.IntN(64) - rng.Uint64N(2)
				}
				if rng.IntN(4) == 0 { // a tie, or one unit beside it, in 64 bits
					p := []int{24, 11, 8}[rng.IntN(3)]
					v = 1<<63 | rng.Uint64N(2)<<(64-p) | 1<<(63-p) + rng.Uint64N(3) - 1
				}
				v &= from.Mask()
				x := new(big.Int).SetUint64(v)
				if from.IsSigned() {
					x.SetInt64(from.Signed(v))
				}
				for _, to := range floatTypes {
					want := judge(to, ar).FromDyadic(x.Sign() < 0, new(big.Int).Abs(x), 0)
					got, fault := ir.Eval(ir.Convert, to, from, 0, ar, v, 0, 0, 0)
					require.Zero(t, fault)
					require.Equal(t, want, got, "%s from %s %#x under %+v", to, from, v, ar)
				}
			}
		}
	}
}

// TestFloatToInteger: math/big truncates, the type's range decides the fault.
func TestFloatToInteger(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 20000 {
		from := floatTypes[rng.IntN(3)]
		v := drawFloat(rng, from)
		x := ir.Widen(from, v)
		for _, to := range ir.SetIntegers.Types() {
			got, fault := ir.Eval(ir.Convert, to, from, 0, ir.Arith{}, v, 0, 0, 0)
			lo, hi := big.NewInt(0), new(big.Int).SetUint64(to.Mask())
			if to.IsSigned() {
				hi.Rsh(hi, 1)
				lo.Sub(lo.Neg(hi), big.NewInt(1))
			}
			var want *big.Int
			bad := true
			switch {
			case math.IsNaN(x):
				want, bad = big.NewInt(0), false
			case math.IsInf(x, 1):
				want = hi
			case math.IsInf(x, -1):
				want = lo
			default:
				want, _ = new(big.Float).SetFloat64(x).Int(nil)
				bad = want.Cmp(lo) < 0 || want.Cmp(hi) > 0
				if want.Cmp(lo) < 0 {
					want = lo
				} else if want.Cmp(hi) > 0 {
					want = hi
				}
			}
			require.Equal(t, bad, fault == ir.FaultConvert, "%s from %s %v", to, from, x)
			mod := new(big.Int).And(want, new(big.Int).SetUint64(to.Mask()))
			require.Equal(t, mod.Uint64(), got, "%s from %s %v", to, from, x)
		}
	}
}
