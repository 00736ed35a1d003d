package round_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/round"
)

// nanIn returns the NaN that b of src becomes in dst, as Convert documents it.
func nanIn(dst, src model.Format, b uint64) uint64 {
	var sign uint64
	if src.Signbit(b) {
		sign = dst.SignBit()
	}
	if dst.NaNs != model.NaNIEEE || src.NaNs != model.NaNIEEE {
		return sign | dst.NaNBits()
	}
	// The fraction as a number in [0, 1), its first bit set, cut to the bits that dst has.
	frac := b&(1<<(src.P-1)-1) | 1<<(src.P-2)
	scaledUp := frac << (63 - src.P + 1)
	return sign | dst.InfBits() | scaledUp>>(63-dst.P+1)
}

// checkConvert compares the conversion of b with the twin to's under every direction and flush.
func checkConvert(t *testing.T, to, from *twin, b uint64) {
	x := []uint64{b}
	_, err := to.compare("convert from "+from.f.Name, x, from.hasSubnormal(x), func(in bool) exact {
		e := from.read(b, in)
		if e.nan {
			e.bits = nanIn(to.f, from.f, b)
		}
		return e
	}, func(a round.Arith) uint64 { return round.Convert(a, from.f, b) })
	if err != nil {
		t.Fatal(err)
	}
}

func TestConvertExhaustively(t *testing.T) {
	named := []model.Format{model.Toy(2), model.Toy(3), model.Toy(4), model.E4M3, model.E5M2, model.Binary16, model.BFloat16}
	targets := append(model.Formats(), model.Toy(2), model.Toy(3), model.Toy(4), saturating(model.E4M3), saturating(model.E5M2))
	var to []*twin
	for _, f := range targets {
		to = append(to, newTwin(f))
	}
	for _, f := range named {
		from := newTwin(f)
		for _, dst := range to {
			t.Run(f.Name+"/"+dst.f.Name, func(t *testing.T) {
				step := 1
				if f.Bits() == 16 && dst.f.Bits() > 16 && !thorough {
					step = 7 // into a wider format nothing but subnormals and specials is of interest
				}
				for b := 0; b < 1<<f.Bits(); b += step {
					checkConvert(t, dst, from, uint64(b))
				}
			})
		}
	}
}

func TestConvertDrawn(t *testing.T) {
	for i, f := range []model.Format{model.Binary64, model.Binary32, model.Toy(12)} {
		from, d := newTwin(f), newDrawer(f, uint64(200+i))
		for _, g := range append(model.Formats(), model.Toy(2), saturating(model.E4M3)) {
			to := newTwin(g)
			t.Run(f.Name+"/"+g.Name, func(t *testing.T) {
				for _, b := range edges(f) {
					checkConvert(t, to, from, b)
				}
				for range level(800, 200_000) {
					checkConvert(t, to, from, d.any())
					// Near the target's numbers, and near the middles between them.
					g := d.IntN(1 << min(g.Bits()-1, 62))
					if b := uint64(g); to.f.IsFinite(b) && b <= to.f.MaxBits() {
						near := round.Arith{F: f}.FromRat(to.magnitude(b))
						if d.IntN(2) == 0 {
							near = round.Arith{F: f}.FromRat(to.middle(b))
						}
						checkConvert(t, to, from, d.near(near))
					}
				}
			})
		}
	}
}

// TestRoundingTwiceDiffers holds conversions and fma against the ways that round twice.
func TestRoundingTwiceDiffers(t *testing.T) {
	half, single := round.Arith{F: model.Binary16}, round.Arith{F: model.Binary32}
	bits := func(x float64) uint64 { return math.Float64bits(x) }

	// 1 + 2^-11 + 2^-40 lies above a tie of binary16; binary32 makes it the tie, which goes to 1.
	x := bits(0x1.0020000001p0)
	require.EqualValues(t, 0x3c01, round.Convert(half, model.Binary64, x))
	require.EqualValues(t, 0x3c00, round.Convert(half, model.Binary32, round.Convert(single, model.Binary64, x)))

	// Just below the tie between 1+2^-10 and 1+2^-9, and 65519.999…, just below overflow.
	require.EqualValues(t, 0x3c01, round.Convert(half, model.Binary64, bits(0x1.005fffffffp0)))
	require.EqualValues(t, 0x7bff, round.Convert(half, model.Binary64, bits(0x1.ffdfffffffp15)))
	require.EqualValues(t, 0x7c00, round.Convert(half, model.Binary64, bits(0x1.ffep15)))

	// A subnormal rounds at its own place only: P bits of 2^-25·(1+2^-11+…) would be the tie 2^-25.
	require.EqualValues(t, 1, round.Convert(half, model.Binary64, bits(0x1.001p-25)))
	require.EqualValues(t, 0, round.Convert(half, model.Binary64, bits(0x1p-25)))

	// fma in binary32: (1+2^-12)² + 2^-80 lies above a tie, at which binary64 would put it.
	require.EqualValues(t, 0x3f801001, single.Fma(0x3f800800, 0x3f800800, uint64(math.Float32bits(0x1p-80))))
	require.EqualValues(t, 0x3f801000, math.Float32bits(float32(math.FMA(0x1.001p0, 0x1.001p0, 0x1p-80))))

	// And rounded to odd in between it is right again, in every format and direction.
	require.EqualValues(t, 0x3f801000, single.Fma(0x3f800800, 0x3f800800, uint64(math.Float32bits(-0x1p-80))))
	require.EqualValues(t, 0x3f801000, single.Fma(0x3f800800, 0x3f800800, 0))
}

func TestConvertNaNs(t *testing.T) {
	single := round.Arith{F: model.Binary32}
	for _, c := range []struct {
		dst, src model.Format
		b, want  uint64
	}{
		{model.Binary32, model.Binary64, 0x7ff0000000000001, 0x7fc00000}, // its payload is cut away
		{model.Binary32, model.Binary64, 0xfff4000020000000, 0xffe00001},
		{model.Binary64, model.Binary32, 0xff800001, 0xfff8000020000000},
		{model.Binary16, model.BFloat16, 0x7f81, 0x7e08},
		{model.BFloat16, model.Binary16, 0xfc01, 0xffc0},
		{model.E4M3, model.Binary32, 0xff812345, 0xff},
		{model.Binary32, model.E4M3, 0xff, 0xffc00000},
		{model.E4M3, model.E4M3, 0x7f, 0x7f},
		{model.Binary32, model.Binary32, 0xff800001, 0xffc00001},
	} {
		a := single
		a.F = c.dst
		require.Equal(t, c.want, round.Convert(a, c.src, c.b), "%s to %s", c.src, c.dst)
		require.Equal(t, c.want, nanIn(c.dst, c.src, c.b), "the twin, %s to %s", c.src, c.dst)
	}
}

// checkExact compares FromRat, and FromDyadic if x is dyadic, with the twin.
func checkExact(t *testing.T, tw *twin, x *big.Rat) {
	e := exact{x: x, neg: x.Sign() < 0}
	var p place
	if e.number() {
		p = tw.locate(e)
	}
	shift := x.Denom().BitLen() - 1
	dyadic := x.Denom().TrailingZeroBits() == uint(shift)
	for _, fl := range allOutputs {
		for _, r := range allRoundings {
			a := round.Arith{F: tw.f, R: r, Fl: fl}
			want := tw.settle(e, p, r, fl)
			if got := a.FromRat(x); got != want {
				t.Fatalf("%s %s flush=%s: FromRat(%v) = %#x, want %#x", tw.f, r, fl, x, got, want)
			}
			if !dyadic {
				continue
			}
			abs := new(big.Int).Abs(x.Num())
			wide := new(big.Int).Lsh(abs, 100)
			require.Equal(t, want, a.FromDyadic(false, x.Num(), -shift))
			require.Equal(t, want, a.FromDyadic(x.Sign() < 0, abs, -shift))
			require.Equal(t, want, a.FromDyadic(x.Sign() < 0, wide, -shift-100))
		}
	}
}

func TestFromExact(t *testing.T) {
	for i, f := range append(model.Formats(), model.Toy(2), model.Toy(3), saturating(model.E4M3)) {
		t.Run(f.Name, func(t *testing.T) {
			tw := newTwin(f)
			d := rand.New(rand.NewPCG(uint64(i), 5))
			checkExact(t, tw, new(big.Rat))
			for range level(300, 50_000) {
				b := d.Uint64N(f.MaxBits() + 1)
				x := tw.magnitude(b)
				if d.IntN(2) == 0 {
					x = tw.middle(b)
				}
				// On the number or middle, or off it by next to nothing, dyadic or not.
				tiny := scaled(1, f.Emin-f.P-d.IntN(300))
				switch d.IntN(5) {
				case 0:
					tiny = new(big.Rat)
				case 1:
					tiny.Neg(tiny)
				case 2:
					tiny.Quo(tiny, big.NewRat(3, 1))
				case 3:
					tiny.Quo(tiny, big.NewRat(-7, 1))
				}
				x = new(big.Rat).Add(x, tiny)
				if d.IntN(2) == 0 {
					x.Neg(x)
				}
				checkExact(t, tw, x)
			}
			for range level(300, 50_000) { // any quotient
				num, den := big.NewInt(d.Int64()), big.NewInt(d.Int64()+1)
				num.Lsh(num, d.UintN(uint(2*f.Emax)))
				den.Lsh(den, d.UintN(uint(2*f.Emax)))
				checkExact(t, tw, new(big.Rat).SetFrac(num, den))
			}
		})
	}
}

// TestFromDyadicFarAway takes exponents to both ends of int.
func TestFromDyadicFarAway(t *testing.T) {
	wide := new(big.Int).Lsh(big.NewInt(3), 1000)
	for _, f := range append(model.Formats(), model.Toy(2)) {
		for _, r := range allRoundings {
			a := round.Arith{F: f, R: r}
			tw := newTwin(f)
			for _, neg := range []bool{false, true} {
				sign := int64(1)
				if neg {
					sign = -1
				}
				huge := exact{neg: neg, x: new(big.Rat).Mul(big.NewRat(sign, 1), scaled(1, f.Emax+1))}
				wantHuge := tw.settle(huge, tw.locate(huge), r, model.Flush{})
				slight := exact{neg: neg, x: new(big.Rat).Mul(big.NewRat(sign, 1), scaled(1, f.Emin-f.P-1))}
				wantSlight := tw.settle(slight, tw.locate(slight), r, model.Flush{})
				for _, m := range []*big.Int{big.NewInt(1), wide} {
					for _, e := range []int{math.MaxInt, math.MaxInt - 1001, 1 << 30, f.Emax + 1} {
						require.Equal(t, wantHuge, a.FromDyadic(neg, m, e))
					}
					for _, e := range []int{math.MinInt, math.MinInt + 1001, -1 << 30, f.Emin - f.P - 1003} {
						require.Equal(t, wantSlight, a.FromDyadic(neg, m, e))
					}
				}
				zero := uint64(0)
				if neg {
					zero = f.SignBit()
				}
				require.Equal(t, zero, a.FromDyadic(neg, new(big.Int), math.MinInt))
			}
		}
	}
}
