package model_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// everyFormat returns the named formats and the toys.
func everyFormat() []model.Format {
	all := model.Formats()
	for p := 2; p <= 12; p++ {
		all = append(all, model.Toy(p))
	}
	return all
}

// sample returns encodings of f: all of them up to 16 bits, else the edges and a few hundred more.
func sample(f model.Format) []uint64 {
	if f.Bits() <= 16 {
		all := make([]uint64, 1<<f.Bits())
		for i := range all {
			all[i] = uint64(i)
		}
		return all
	}
	d := rand.New(rand.NewPCG(1, uint64(f.P)))
	list := []uint64{
		0, 1, 2, f.MinNormalBits() - 1, f.MinNormalBits(), f.MinNormalBits() + 1,
		f.MaxBits() - 1, f.MaxBits(), f.InfBits(), f.InfBits() + 1, f.NaNBits(), f.NaNBits() + 1,
	}
	for range 400 {
		list = append(list, d.Uint64()&(f.SignBit()-1))
	}
	for _, b := range list {
		list = append(list, b|f.SignBit())
	}
	return list
}

// thinned is sample with every 37th encoding of the formats of 13 to 16 bits.
func thinned(f model.Format) []uint64 {
	all := sample(f)
	if len(all) <= 1<<12 {
		return all
	}
	var some []uint64
	for i := 0; i < len(all); i += 37 {
		some = append(some, all[i])
	}
	return some
}

// Numbers from the standards.
func TestConstantsOfTheStandards(t *testing.T) {
	for _, c := range []struct {
		f                   model.Format
		max, normal, least  float64
		maxBits, inf, nan   uint64
		bits, eta, exponent int
	}{
		{model.Binary64, math.MaxFloat64, 0x1p-1022, math.SmallestNonzeroFloat64, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000, 64, -1075, 11},
		{model.Binary32, math.MaxFloat32, 0x1p-126, math.SmallestNonzeroFloat32, 0x7f7fffff, 0x7f800000, 0x7fc00000, 32, -150, 8},
		{model.Binary16, 65504, 0x1p-14, 0x1p-24, 0x7bff, 0x7c00, 0x7e00, 16, -25, 5},
		{model.BFloat16, 0x1.fep127, 0x1p-126, 0x1p-133, 0x7f7f, 0x7f80, 0x7fc0, 16, -134, 8},
		{model.E5M2, 57344, 0x1p-14, 0x1p-16, 0x7b, 0x7c, 0x7e, 8, -17, 5},
		{model.E4M3, 448, 0x1p-6, 0x1p-9, 0x7e, 0, 0x7f, 8, -10, 4},
	} {
		f := c.f
		require.Equal(t, c.max, float(t, f, f.MaxBits()), f.Name)
		require.Equal(t, c.normal, float(t, f, f.MinNormalBits()), f.Name)
		require.Equal(t, c.least, float(t, f, 1), f.Name)
		require.Equal(t, c.maxBits, f.MaxBits(), f.Name)
		require.Equal(t, c.nan, f.NaNBits(), f.Name)
		require.Equal(t, c.bits, f.Bits(), f.Name)
		require.Equal(t, uint64(1)<<(c.bits-1), f.SignBit(), f.Name)
		require.Equal(t, c.eta, f.EtaExp(), f.Name)
		require.Equal(t, c.exponent, f.ExpBits, f.Name)
		require.Equal(t, math.Ldexp(1, -f.P), f.U())
		if f.HasInf {
			require.Equal(t, c.inf, f.InfBits(), f.Name)
		}
		require.Equal(t, f.Name != "e4m3", f.HasInf)
	}
	require.PanicsWithValue(t, "model: e4m3 has no infinity", func() { model.E4M3.InfBits() })
}

// float returns the value of a finite encoding, which must be exact in binary64.
func float(t *testing.T, f model.Format, b uint64) float64 {
	v, exact := f.Rat(b).Float64()
	require.True(t, exact, "%s %#x", f, b)
	return v
}

func TestBinary32And64AreTheMachines(t *testing.T) {
	for _, b := range sample(model.Binary64) {
		v := math.Float64frombits(b)
		checkNative(t, model.Binary64, b, v, math.Float64bits(math.Nextafter(v, math.Inf(1))))
	}
	for _, b := range sample(model.Binary32) {
		v := math.Float32frombits(uint32(b))
		next := math.Float32bits(math.Nextafter32(v, float32(math.Inf(1))))
		checkNative(t, model.Binary32, b, float64(v), uint64(next))
	}
}

func checkNative(t *testing.T, f model.Format, b uint64, v float64, next uint64) {
	require.Equal(t, math.IsNaN(v), f.IsNaN(b))
	require.Equal(t, math.IsInf(v, 0), f.IsInf(b))
	require.Equal(t, math.Signbit(v), f.Signbit(b))
	if math.IsNaN(v) {
		require.Equal(t, b, f.Next(b))
		return
	}
	if v == 0 { // Nextafter leads from both zeros to the least subnormal as well
		next = 1
	}
	require.Equal(t, next, f.Next(b), "%s %#x", f, b)
	if !math.IsInf(v, 0) {
		require.Equal(t, v, float(t, f, b))
	}
}

func TestClasses(t *testing.T) {
	for _, f := range everyFormat() {
		count := map[model.Class]int{}
		signaling := 0
		for _, b := range sample(f) {
			c := f.Class(b)
			count[c]++
			require.Equal(t, c, f.Class(b|^uint64(0)<<(f.Bits()-1)<<1), "bits above the width are ignored")
			require.Equal(t, c, f.Class(b^f.SignBit()), "the sign has no part in it")
			require.Equal(t, c == model.ClassNaN, f.IsNaN(b))
			require.Equal(t, c == model.ClassInf, f.IsInf(b))
			require.Equal(t, c < model.ClassInf, f.IsFinite(b))
			if f.IsSignaling(b) {
				signaling++
				require.True(t, f.IsNaN(b))
			}
		}
		if f.Bits() > 16 {
			continue
		}
		frac := 1 << (f.P - 1)
		want := map[model.Class]int{
			model.ClassZero:      2,
			model.ClassSubnormal: 2 * (frac - 1),
			model.ClassNormal:    2 * (int(f.MaxBits()) - frac + 1),
		}
		if f.HasInf {
			want[model.ClassInf] = 2
			want[model.ClassNaN] = 2 * (frac - 1)
			require.Equal(t, 2*(frac/2-1), signaling, f.Name)
		} else {
			want[model.ClassNaN] = 2
			require.Zero(t, signaling, f.Name)
		}
		require.Equal(t, want, count, f.Name)
		require.False(t, f.IsSignaling(f.NaNBits()))
		require.True(t, f.IsNaN(f.NaNBits()))
	}
}

// Encodings without sign order values, and Next takes one step in that order.
func TestOrderAndNeighbours(t *testing.T) {
	for _, f := range everyFormat() {
		sign := f.SignBit()
		if f.Bits() <= 12 {
			for b := range f.MaxBits() {
				require.Negative(t, f.Rat(b).Cmp(f.Rat(b+1)), "%s %#x", f, b)
			}
		}
		for _, b := range thinned(f) {
			if f.IsNaN(b) {
				require.Equal(t, b, f.Next(b))
				require.Equal(t, b, f.Prev(b))
				continue
			}
			next := f.Next(b)
			require.Equal(t, next^sign, f.Prev(b^sign), "%s %#x", f, b)
			if !f.IsFinite(next) || !f.IsFinite(b) || next == b {
				continue
			}
			require.Positive(t, f.Rat(next).Cmp(f.Rat(b)), "%s %#x", f, b)
			back := f.Prev(next)
			require.Zero(t, f.Rat(back).Cmp(f.Rat(b)), "%s %#x", f, b)
			// Nothing lies between: the distance is the smaller ulp of the two.
			gap := new(big.Rat).Sub(f.Rat(next), f.Rat(b))
			require.Zero(t, gap.Cmp(power(min(f.UlpExp(b), f.UlpExp(next)))), "%s %#x", f, b)
		}
		require.EqualValues(t, 1, f.Next(0))
		require.EqualValues(t, 1, f.Next(sign))
		require.Equal(t, sign|1, f.Prev(0))
		if f.HasInf {
			require.Equal(t, f.InfBits(), f.Next(f.MaxBits()))
			require.Equal(t, f.InfBits(), f.Next(f.InfBits()))
			require.Equal(t, sign|f.MaxBits(), f.Next(sign|f.InfBits()))
		} else {
			require.Equal(t, f.MaxBits(), f.Next(f.MaxBits()))
		}
	}
}

// power returns 2^k.
func power(k int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(k, -k))))
	if k < 0 {
		p.Inv(p)
	}
	return p
}

func TestUlpAndUfp(t *testing.T) {
	for _, f := range everyFormat() {
		for _, b := range thinned(f) {
			if !f.IsFinite(b) {
				require.Panics(t, func() { f.UlpExp(b) })
				require.Panics(t, func() { f.UfpExp(b) })
				continue
			}
			x := f.Rat(b)
			x.Abs(x)
			k, ok := f.UfpExp(b)
			require.Equal(t, x.Sign() != 0, ok)
			if !ok {
				require.Equal(t, f.Emin-f.P+1, f.UlpExp(b))
				continue
			}
			require.LessOrEqual(t, power(k).Cmp(x), 0)
			require.Negative(t, x.Cmp(power(k+1)))
			require.Equal(t, max(k, f.Emin)-f.P+1, f.UlpExp(b))
			require.Equal(t, k >= f.Emin, f.Class(b) == model.ClassNormal)
		}
		require.Equal(t, f.UlpExp(0)-1, f.EtaExp())
	}
}

func TestToys(t *testing.T) {
	for p := 2; p <= 12; p++ {
		f := model.Toy(p)
		require.Equal(t, fmt.Sprint("toy", p), f.String())
		require.Equal(t, p, f.P)
		require.GreaterOrEqual(t, f.Emax-f.Emin+1, 2*p+2, "exponents of normal numbers")
		require.True(t, f.HasInf)
		require.Equal(t, model.ClassSubnormal, f.Class(1))
	}
	for _, p := range []int{-1, 0, 1, 13} {
		require.PanicsWithValue(t, "model: a toy format has a precision of 2 to 12 bits", func() { model.Toy(p) })
	}
}

func TestFormatNames(t *testing.T) {
	for _, f := range everyFormat() {
		got, err := model.FormatByName(f.String())
		require.NoError(t, err)
		require.Equal(t, f, got)
		require.False(t, f.IsZero())
	}
	require.True(t, model.Format{}.IsZero())
	for _, s := range []string{"", "toy1", "toy13", "toy02", "Binary32", "float32", "binary32 "} {
		_, err := model.FormatByName(s)
		require.ErrorContains(t, err, fmt.Sprintf("%q", s))
		require.ErrorContains(t, err, "binary32")
	}
}
