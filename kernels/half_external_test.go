package kernels_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/model"
)

var halfFormats = []struct {
	f      model.Format
	widen  func(uint16) float32
	narrow func(float32) uint16
	sum    func([]uint16) uint64
	dot    func(x, y []uint16) uint64
}{
	{model.Binary16, kernels.HalfToFloat32, kernels.HalfFromFloat32, kernels.SumHalfNarrow, kernels.DotHalfNarrow},
	{model.BFloat16, kernels.BFloatToFloat32, kernels.BFloatFromFloat32, kernels.SumBFloatNarrow, kernels.DotBFloatNarrow},
}

func TestWideningIsExact(t *testing.T) {
	for _, h := range halfFormats {
		for b := range 1 << 16 {
			v := float64(h.widen(uint16(b)))
			switch h.f.Class(uint64(b)) {
			case model.ClassNaN:
				require.True(t, math.IsNaN(v))
				require.True(t, h.f.IsNaN(uint64(h.narrow(float32(v)))))
			case model.ClassInf:
				require.True(t, math.IsInf(v, 0))
				require.Equal(t, uint16(b), h.narrow(float32(v)))
			default:
				require.Zero(t, h.f.Rat(uint64(b)).Cmp(new(big.Rat).SetFloat64(v)), "%#x", b)
				require.Equal(t, h.f.Signbit(uint64(b)), math.Signbit(v))
				require.Equal(t, uint16(b), h.narrow(float32(v)))
			}
		}
	}
}

// TestNarrowingRoundsToNearestEven tries every number of the format, every midpoint between
// neighbours and the midpoint's neighbours: since narrowing is monotone, which the thorough test
// confirms over all of binary32, that decides it everywhere.
func TestNarrowingRoundsToNearestEven(t *testing.T) {
	for _, h := range halfFormats {
		for b := range h.f.InfBits() {
			lo := float64(h.widen(uint16(b)))
			hi := float64(h.widen(uint16(b + 1)))
			if math.IsInf(hi, 0) {
				hi = math.Ldexp(1, h.f.Emax+1)
			}
			mid := float32((lo + hi) / 2)
			require.Equal(t, (lo+hi)/2, float64(mid))
			even := uint16(b + b&1)
			for _, c := range []struct {
				v    float32
				want uint16
			}{
				{mid, even},
				{math.Nextafter32(mid, 0), uint16(b)},
				{math.Nextafter32(mid, float32(math.Inf(1))), uint16(b + 1)},
			} {
				require.Equal(t, c.want, h.narrow(c.v), "%s of %x", h.f, c.v)
				require.Equal(t, c.want|0x8000, h.narrow(-c.v), "%s of %x", h.f, -c.v)
			}
		}
		require.Equal(t, uint16(h.f.InfBits()), h.narrow(math.MaxFloat32))
		if thorough() {
			prev := uint16(0)
			for b := uint32(0); b <= 0x7f800000; b++ {
				next := h.narrow(math.Float32frombits(b))
				if next != prev && next != prev+1 {
					require.Fail(t, "not monotone", "%#x", b)
				}
				prev = next
			}
		}
	}
}

// nearest reports whether b is v rounded to nearest even in f.
func nearest(f model.Format, b uint64, v *big.Rat) bool {
	at := func(b uint64) *big.Rat { // an infinity stands for the number that would follow
		if f.IsInf(b) {
			r := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(f.Emax+1)))
			if f.Signbit(b) {
				r.Neg(r)
			}
			return r
		}
		return f.Rat(b)
	}
	if f.IsNaN(b) {
		return false
	}
	dist := func(b uint64) *big.Rat { r := new(big.Rat).Sub(at(b), v); return r.Abs(r) }
	d := dist(b)
	if f.IsInf(b) && new(big.Rat).Abs(v).Cmp(new(big.Rat).Abs(at(b))) >= 0 {
		return f.Signbit(b) == (v.Sign() < 0)
	}
	for _, o := range []uint64{f.Next(b), f.Prev(b)} {
		switch c := d.Cmp(dist(o)); {
		case o&^f.SignBit() == b&^f.SignBit():
		case c > 0, c == 0 && b&1 == 1:
			return false
		}
	}
	return true
}

func TestNarrowAdditionsAndProductsRoundOnce(t *testing.T) {
	rng := source(20)
	n := 40_000
	if thorough() {
		n = 3_000_000
	}
	for _, h := range halfFormats {
		for i := range n {
			a, b := uint16(rng.Uint32()), uint16(rng.Uint32())
			if i%3 == 0 { // exponents close to each other
				b = a ^ uint16(rng.IntN(1<<(h.f.P+1)))
			}
			if i%7 == 0 { // small products of bfloat16
				a, b = a&0xbfff, b&0xbfff
			}
			if !h.f.IsFinite(uint64(a)) || !h.f.IsFinite(uint64(b)) {
				continue
			}
			ra, rb := h.f.Rat(uint64(a)), h.f.Rat(uint64(b))
			require.True(t, nearest(h.f, h.sum([]uint16{a, b}), new(big.Rat).Add(ra, rb)), "%s %#x + %#x", h.f, a, b)
			require.True(t, nearest(h.f, h.dot([]uint16{a}, []uint16{b}), new(big.Rat).Mul(ra, rb)), "%s %#x · %#x", h.f, a, b)
		}
	}
}

func TestBFloatProductsNearTheLeastSubnormalRoundOnce(t *testing.T) {
	f := model.BFloat16
	for shift := uint64(0x0300); shift <= 0x0700; shift += 0x80 { // 2^-6 to 2^-14 times 2^-126
		for a := uint64(0x80); a < 0x100; a++ {
			for b := uint64(0x80); b < 0x100; b += 3 {
				x, y := uint16(0x3f00+a-shift), uint16(b)
				p := kernels.DotBFloatNarrow([]uint16{x}, []uint16{y})
				exact := new(big.Rat).Mul(f.Rat(uint64(x)), f.Rat(uint64(y)))
				require.True(t, nearest(f, p, exact), "%#x·%#x", x, y)
			}
		}
	}
}

func TestNarrowSumsStall(t *testing.T) {
	ones := make([]uint16, 5000)
	for i := range ones {
		ones[i] = 0x3c00
	}
	require.Equal(t, uint64(kernels.HalfFromFloat32(2048)), kernels.SumHalfNarrow(ones))
	require.Equal(t, uint64(kernels.HalfFromFloat32(5000)), kernels.SumHalfWide(ones))
	for i := range ones {
		ones[i] = 0x3f80
	}
	require.Equal(t, uint64(kernels.BFloatFromFloat32(256)), kernels.SumBFloatNarrow(ones))
	require.Equal(t, uint64(math.Float32bits(5000)), kernels.SumBFloatTo32(ones))
}
