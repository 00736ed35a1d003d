package round_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/round"
)

// Results written out by hand, in binary32 where no other format is named: the rules of the package
// comment one by one, with nothing shared with the twin.
func TestSpecialValuesByHand(t *testing.T) {
	const (
		zero, negZero = 0x00000000, 0x80000000
		one, negOne   = 0x3f800000, 0xbf800000
		inf, negInf   = 0x7f800000, 0xff800000
		max, negMax   = 0x7f7fffff, 0xff7fffff
		tiny, negTiny = 0x00000001, 0x80000001
		quiet1        = 0x7fc00001
		quiet2        = 0xffc00002
		signal1       = 0x7f800001
		signal2       = 0xff800002
		nan           = 0x7fc00000
		normal        = 0x00800000
	)
	up, down, toZero := model.TowardPositive, model.TowardNegative, model.TowardZero
	even, away := model.NearestEven, model.NearestAway
	single := func(r model.Rounding) round.Arith { return round.Arith{F: model.Binary32, R: r} }
	flush := func(f model.Flush) round.Arith { return round.Arith{F: model.Binary32, Fl: f} }
	e4m3 := func(r model.Rounding) round.Arith { return round.Arith{F: model.E4M3, R: r} }
	sat := func(f model.Format) round.Arith { return round.Arith{F: saturating(f)} }
	for _, c := range []struct {
		a    round.Arith
		op   string
		x    []uint64
		want uint64
	}{
		// NaNs: signaling first, then left to right; made quiet, payload and sign kept.
		{single(even), "add", []uint64{quiet1, quiet2}, quiet1},
		{single(even), "sub", []uint64{quiet2, quiet1}, quiet2},
		{single(even), "sub", []uint64{one, quiet1}, quiet1},
		{single(even), "mul", []uint64{quiet1, signal2}, 0xffc00002},
		{single(even), "div", []uint64{signal1, signal2}, 0x7fc00001},
		{single(even), "sqrt", []uint64{signal2}, 0xffc00002},
		{single(even), "fma", []uint64{inf, zero, quiet2}, quiet2},
		{single(even), "fma", []uint64{quiet1, quiet2, signal2}, 0xffc00002},
		{single(even), "fma", []uint64{one, quiet2, quiet1}, quiet2},

		// Invalid operations.
		{single(even), "add", []uint64{inf, negInf}, nan},
		{single(even), "sub", []uint64{negInf, negInf}, nan},
		{single(even), "mul", []uint64{negZero, inf}, nan},
		{single(even), "mul", []uint64{inf, zero}, nan},
		{single(even), "div", []uint64{zero, negZero}, nan},
		{single(even), "div", []uint64{inf, negInf}, nan},
		{single(even), "sqrt", []uint64{negTiny}, nan},
		{single(even), "sqrt", []uint64{negInf}, nan},
		{single(even), "fma", []uint64{inf, zero, one}, nan},
		{single(even), "fma", []uint64{inf, one, negInf}, nan},
		{single(even), "fma", []uint64{zero, inf, inf}, nan},

		// Infinities.
		{single(down), "add", []uint64{inf, negMax}, inf},
		{single(even), "sub", []uint64{one, inf}, negInf},
		{single(even), "mul", []uint64{negInf, negTiny}, inf},
		{single(even), "div", []uint64{one, negInf}, negZero},
		{single(even), "div", []uint64{negInf, negZero}, inf},
		{single(toZero), "div", []uint64{negOne, zero}, negInf},
		{single(even), "sqrt", []uint64{inf}, inf},
		{single(even), "fma", []uint64{max, max, negInf}, negInf},
		{single(even), "fma", []uint64{negInf, one, negMax}, negInf},

		// Zeros.
		{single(even), "add", []uint64{one, negOne}, zero},
		{single(away), "add", []uint64{one, negOne}, zero},
		{single(up), "add", []uint64{one, negOne}, zero},
		{single(toZero), "add", []uint64{one, negOne}, zero},
		{single(down), "add", []uint64{one, negOne}, negZero},
		{single(down), "sub", []uint64{one, one}, negZero},
		{single(down), "add", []uint64{zero, zero}, zero},
		{single(up), "add", []uint64{negZero, negZero}, negZero},
		{single(even), "add", []uint64{negZero, zero}, zero},
		{single(down), "add", []uint64{negZero, zero}, negZero},
		{single(even), "sub", []uint64{negZero, zero}, negZero},
		{single(even), "sqrt", []uint64{negZero}, negZero},
		{single(down), "fma", []uint64{one, one, negOne}, negZero},
		{single(even), "fma", []uint64{negZero, one, negZero}, negZero},
		{single(even), "fma", []uint64{negZero, one, zero}, zero},
		{single(even), "fma", []uint64{negTiny, tiny, zero}, negZero},
		{single(down), "fma", []uint64{negTiny, tiny, zero}, negTiny},
		{single(even), "mul", []uint64{negTiny, tiny}, negZero},

		// Overflow in every direction.
		{single(even), "add", []uint64{max, max}, inf},
		{single(away), "add", []uint64{negMax, negMax}, negInf},
		{single(up), "add", []uint64{max, tiny}, inf},
		{single(up), "add", []uint64{negMax, negMax}, negMax},
		{single(down), "add", []uint64{max, max}, max},
		{single(down), "add", []uint64{negMax, negTiny}, negInf},
		{single(toZero), "mul", []uint64{max, max}, max},
		{single(toZero), "mul", []uint64{negMax, max}, negMax},
		{single(even), "add", []uint64{max, 0x72ffffff}, max}, // half an ulp less a little
		{single(even), "add", []uint64{max, 0x73000000}, inf}, // half an ulp

		// E4M3: 448 is the last number, 464 the tie with what would be 480.
		{e4m3(even), "add", []uint64{0x7e, 0x58}, 0x7e}, // 448+16
		{e4m3(even), "add", []uint64{0x7e, 0x59}, 0x7f}, // 448+18
		{e4m3(away), "add", []uint64{0x7e, 0x58}, 0x7f},
		{e4m3(even), "add", []uint64{0xfe, 0xfe}, 0xff},
		{e4m3(toZero), "add", []uint64{0xfe, 0xfe}, 0xfe},
		{e4m3(up), "add", []uint64{0x7e, 0x01}, 0x7f},
		{e4m3(up), "add", []uint64{0xfe, 0xfe}, 0xfe},
		{e4m3(even), "div", []uint64{0x38, 0x00}, 0x7f},
		{e4m3(toZero), "div", []uint64{0xb8, 0x00}, 0xff},
		{e4m3(even), "add", []uint64{0xff, 0x38}, 0xff},
		{e4m3(even), "mul", []uint64{0x7f, 0xff}, 0x7f},
		{e4m3(even), "sqrt", []uint64{0xb8}, 0x7f},

		// Saturation.
		{sat(model.E4M3), "add", []uint64{0xfe, 0xfe}, 0xfe},
		{sat(model.E4M3), "div", []uint64{0x38, 0x80}, 0xfe},
		{sat(model.E5M2), "mul", []uint64{0x7b, 0x7b}, 0x7b},
		{sat(model.E5M2), "add", []uint64{0x7c, 0x3c}, 0x7b},
		{sat(model.E5M2), "add", []uint64{0x7c, 0xfc}, 0x7e},

		// Flushes.
		{flush(model.Flush{In: true}), "add", []uint64{tiny, tiny}, zero},
		{flush(model.Flush{In: true}), "div", []uint64{one, negTiny}, negInf},
		{flush(model.Flush{In: true}), "sqrt", []uint64{negTiny}, negZero},
		{flush(model.Flush{In: true}), "mul", []uint64{inf, tiny}, nan},
		{flush(model.Flush{In: true}), "sub", []uint64{normal, 0x00800001}, negTiny},
		{flush(model.Flush{Out: true}), "sub", []uint64{normal, 0x00800001}, negZero},
		{flush(model.Flush{Out: true}), "add", []uint64{0x00400000, 0x00400000}, normal},
		{flush(model.Flush{Out: true}), "mul", []uint64{0x00800001, 0x3f7fffff}, normal},
		{flush(model.Flush{Out: true, Before: true}), "mul", []uint64{0x00800001, 0x3f7ffffe}, zero},
		{flush(model.Flush{Out: true}), "mul", []uint64{0x00ffffff, 0x3f000000}, zero},
		{flush(model.Flush{}), "mul", []uint64{0x00ffffff, 0x3f000000}, normal},
		{flush(model.Flush{Before: true}), "mul", []uint64{0x00ffffff, 0x3f000000}, normal},
	} {
		require.Equal(t, c.want, apply(c.a, c.op, c.x), "%s %s flush=%s %s%#x", c.a.F, c.a.R, c.a.Fl, c.op, c.x)
	}
}
