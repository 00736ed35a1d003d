package oracle

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gamma/model"

	"github.com/stretchr/testify/require"
)

// place is where a magnitude lies among a format's numbers, found as rationals.
type place struct {
	below uint64 // the largest number that is not greater
	tie   int    // sign of the magnitude less the midpoint of its neighbours
	exact bool
}

func findPlace(f model.Format, abs *big.Rat) place {
	lo, hi := uint64(0), f.MaxBits()
	for lo < hi {
		mid := lo + (hi-lo+1)/2
		if f.Rat(mid).Cmp(abs) <= 0 {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	below := f.Rat(lo)
	gap := new(big.Rat).SetFrac(
		new(big.Int).Lsh(big.NewInt(1), uint(f.UlpExp(lo)+2000)),
		new(big.Int).Lsh(big.NewInt(1), 2000),
	)
	above := gap.Add(gap, below) // beyond the largest number, what would come next
	tie := new(big.Rat).Add(abs, abs).Cmp(new(big.Rat).Add(below, above))
	return place{lo, tie, below.Cmp(abs) == 0}
}

// round rounds a number at p with the given sign.
func (p place) round(f model.Format, r model.Rounding, neg bool) uint64 {
	up := false
	switch r {
	case model.NearestEven:
		up = p.tie > 0 || p.tie == 0 && p.below&1 == 1
	case model.NearestAway:
		up = p.tie >= 0
	case model.TowardPositive:
		up = !p.exact && !neg
	case model.TowardNegative:
		up = !p.exact && neg
	}
	b := p.below
	if up {
		b++
	}
	if b > f.MaxBits() {
		switch {
		case f.Overflow == model.OverflowSaturate:
			b = f.MaxBits()
		case f.HasInf:
			b = f.InfBits()
		default:
			b = f.NaNBits()
		}
	}
	if neg {
		b |= f.SignBit()
	}
	return b
}

// slowRound rounds x to f by looking for its neighbours.
func slowRound(f model.Format, r model.Rounding, x *big.Rat) uint64 {
	return findPlace(f, new(big.Rat).Abs(x)).round(f, r, x.Sign() < 0)
}

// near returns numbers at, between and beside b and its successor in f, in quarters of the gap and
// the least bit more or less.
func near(f model.Format, b uint64) []Dyadic {
	x := FromBits(f, b)
	gap := f.UlpExp(b)
	var list []Dyadic
	for q := range int64(5) {
		y := x.Add(FromInt(q).Scale(gap - 2))
		for _, k := range []int{3, 60, 200} {
			dust := FromInt(1).Scale(gap - 2 - k)
			list = append(list, y.Add(dust), y.Sub(dust))
		}
		list = append(list, y)
	}
	return list
}

func requireRounding(t *testing.T, f model.Format, d Dyadic) {
	t.Helper()
	if d.IsZero() {
		return
	}
	p := findPlace(f, d.Abs().Rat())
	for r := model.NearestEven; r <= model.TowardZero; r++ {
		require.Equal(t, p.round(f, r, d.Sign() < 0), d.Round(f, r), "%v to %v %v", d, f, r)
		require.Equal(t, p.round(f, r, d.Sign() > 0), d.Neg().Round(f, r), "%v to %v %v", d.Neg(), f, r)
	}
}

func TestRoundIntoEveryFormat(t *testing.T) {
	saturating := model.E4M3
	saturating.Name, saturating.Overflow = "e4m3 saturating", model.OverflowSaturate
	formats := append(model.Formats(), saturating)
	for p := 2; p <= 12; p++ {
		formats = append(formats, model.Toy(p))
	}
	r := source(6)
	for _, f := range formats {
		edges := []uint64{
			0, 1, 2, 3, f.MinNormalBits() - 1, f.MinNormalBits(), f.MinNormalBits() + 1,
			f.MaxBits() - 1, f.MaxBits(),
		}
		if f.Bits() <= 8 {
			edges = nil
			for b := range f.MaxBits() + 1 {
				edges = append(edges, b)
			}
		} else {
			for range 15 * effort() {
				edges = append(edges, r.Uint64N(f.MaxBits()+1))
			}
		}
		for _, b := range edges {
			for _, d := range near(f, b) {
				requireRounding(t, f, d)
			}
		}
		for _, e := range []int{-5000, f.EtaExp() - 1, f.EtaExp(), f.Emax, f.Emax + 1, 1023, 1024, 5000} {
			requireRounding(t, f, FromInt(1).Scale(e))
			requireRounding(t, f, FromInt(3).Scale(e-1))
			if f.P < 53 {
				requireRounding(t, f, FromInt(1<<53-1).Scale(e-53))
			}
		}
	}
}

// The accumulators hold what Dyadic rounds: numbers near every midpoint, built from their parts.
func TestAccumulatorsRoundNearTies(t *testing.T) {
	r := source(7)
	for range 2000 * effort() {
		f := model.Formats()[r.IntN(len(model.Formats()))]
		b := r.Uint64N(f.MaxBits())
		x := math.Float64frombits(widen(f, b))
		half := math.Ldexp(1, max(f.UlpExp(b)-1, -1074))
		dust := math.Ldexp(1, max(f.UlpExp(b)-1-r.IntN(500), -1074))
		var a Acc64
		var c AccDot64
		sign := float64(1 - 2*r.IntN(2))
		d := Dyadic{}
		for _, v := range []float64{x, half * float64(r.IntN(3)), dust * float64(r.IntN(3)-1)} {
			a.Add(sign * v)
			c.Add(sign * v)
			d = d.Add(FromFloat64(sign * v))
		}
		requireExact(t, &a, d)
		requireExact(t, &c, d)
		lo, hi := d.Interval()
		requireEnclosed(t, d, Interval{lo, hi})
		require.True(t, lo == hi || hi == math.Nextafter(lo, math.Inf(1)))
	}
}

func TestFma32(t *testing.T) {
	r := source(8)
	check := func(x, y, z float32) {
		t.Helper()
		got := Fma32(x, y, z)
		p := float64(float64(x)*float64(y)) + float64(z) // only its special values are used
		if p-p != 0 || x-x != 0 || y-y != 0 || z-z != 0 {
			want := float32(p)
			require.True(t, math.Float32bits(want) == math.Float32bits(got) || want != want && got != got, "%v·%v + %v = %v", x, y, z, got)
			return
		}
		exact := FromFloat32(x).Mul(FromFloat32(y)).Add(FromFloat32(z))
		want := math.Float32bits(float32(p)) // the sign of a zero
		if !exact.IsZero() {
			want = uint32(slowRound(model.Binary32, model.NearestEven, exact.Rat()))
		}
		require.Equal(t, want, math.Float32bits(got), "%x·%x + %x", x, y, z)
	}
	inf := float32(math.Inf(1))
	specials := []float32{
		0, float32(math.Copysign(0, -1)), 1, -1, inf, -inf, float32(math.NaN()), 0x1p-149, -0x1p-149, 0x1p-126,
		0x1.fffffcp-127, math.MaxFloat32, -math.MaxFloat32, 0x1p-75, 0x1p63, 0x1p64,
	}
	for _, x := range specials {
		for _, y := range specials {
			for _, z := range specials {
				check(x, y, z)
			}
		}
	}
	for range 20000 * effort() {
		x, y, z := hardFma(r)
		check(x, y, z)
	}
}

// hardFma draws operands whose exact result is near a tie of binary32, a subnormal, or anything.
func hardFma(r *rand.Rand) (x, y, z float32) {
	any32 := families32[1].draw
	switch r.IntN(4) {
	case 0:
		return any32(r), any32(r), any32(r)
	case 1: // a few bits each, so that products are short and sums tie
		f := func(spread int) float32 {
			return float32(math.Ldexp(float64(r.IntN(64)-32)+float64(r.IntN(3)-1)*0x1p-18, r.IntN(spread)-spread/2))
		}
		return f(30), f(30), f(60)
	case 2: // z is the product's midpoint's neighbour, the product dust; and the other way round
		z = any32(r)
		_, _, e := model.Binary32.Decode(uint64(math.Float32bits(z)))
		k := e - 1 - r.IntN(60)
		i := max(-149, min(127, k/2))
		return float32(math.Ldexp(1+float64(r.IntN(2))*0x1p-23, i)), float32(math.Ldexp(float64(1-2*r.IntN(2)), max(-149, min(127, k-i)))), z
	}
	// a product at a midpoint: (2^12+1)·(2^12+odd) has 25 bits; z is dust or cancels
	i, j := r.IntN(200)-100, r.IntN(100)-50
	x = float32(math.Ldexp(4097, i))
	y = float32(math.Ldexp(float64(4096+r.IntN(64)), j))
	z = float32(math.Ldexp(float64(r.IntN(3)-1), max(-149, min(127, i+j-r.IntN(60)))))
	return x, y, z
}

func TestFma32BeatsRoundingTwice(t *testing.T) {
	r := source(9)
	differ := 0
	for range 20000 {
		x, y, z := hardFma(r)
		twice := float32(math.FMA(float64(x), float64(y), float64(z)))
		if got := Fma32(x, y, z); got == got && got != twice {
			differ++
		}
	}
	require.Positive(t, differ, "no operands were hard")
}

func TestRoundToOdd(t *testing.T) {
	require.Equal(t, 1.0, RoundToOdd(1, 0))
	require.Equal(t, 1+0x1p-52, RoundToOdd(1, 0x1p-80))
	require.Equal(t, 1-0x1p-53, RoundToOdd(1, -0x1p-80))
	require.Equal(t, -1-0x1p-52, RoundToOdd(-1, -0x1p-80))
	require.Equal(t, -1+0x1p-53, RoundToOdd(-1, 0x1p-80))
	require.Equal(t, 1+0x1p-52, RoundToOdd(1+0x1p-52, 0x1p-53))
	require.Equal(t, 1+0x1p-52, RoundToOdd(1+0x1p-52, -0x1p-54))
}
