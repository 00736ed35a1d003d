package kernels

import (
	"math"

	"gamma/model"
)

func halves() []Kernel {
	claim := func(in, acc, out model.Format, tree string) model.Claim {
		c := plain(in, tree)
		c.Acc, c.Out = acc, out
		return c
	}
	b32, b16, bf16 := model.Binary32, model.Binary16, model.BFloat16
	return []Kernel{
		{Name: "kernels.SumHalfWide", Claim: claim(b16, b32, b16, "left"), SumBits: SumHalfWide},
		{Name: "kernels.SumHalfTo32", Claim: claim(b16, b32, b32, "left"), SumBits: SumHalfTo32},
		{Name: "kernels.SumHalfNarrow", Claim: claim(b16, b16, b16, "left"), SumBits: SumHalfNarrow},
		{Name: "kernels.SumHalfPairwise", Claim: claim(b16, b16, b16, "pairwise"), SumBits: SumHalfPairwise},
		{Name: "kernels.SumBFloatWide", Claim: claim(bf16, b32, bf16, "left"), SumBits: SumBFloatWide},
		{Name: "kernels.SumBFloatTo32", Claim: claim(bf16, b32, b32, "left"), SumBits: SumBFloatTo32},
		{Name: "kernels.SumBFloatNarrow", Claim: claim(bf16, bf16, bf16, "left"), SumBits: SumBFloatNarrow},
		{Name: "kernels.SumBFloatPairwise", Claim: claim(bf16, bf16, bf16, "pairwise"), SumBits: SumBFloatPairwise},
		{Name: "kernels.DotHalfWide", Claim: claim(b16, b32, b16, "left"), DotBits: DotHalfWide},
		{Name: "kernels.DotHalfTo32", Claim: claim(b16, b32, b32, "left"), DotBits: DotHalfTo32},
		{Name: "kernels.DotHalfNarrow", Claim: claim(b16, b16, b16, "left"), DotBits: DotHalfNarrow},
		{Name: "kernels.DotBFloatWide", Claim: claim(bf16, b32, bf16, "left"), DotBits: DotBFloatWide},
		{Name: "kernels.DotBFloatTo32", Claim: claim(bf16, b32, b32, "left"), DotBits: DotBFloatTo32},
		{Name: "kernels.DotBFloatNarrow", Claim: claim(bf16, bf16, bf16, "left"), DotBits: DotBFloatNarrow},
	}
}

// halfFloat is a 16-bit format with its conversions. A NaN stays a NaN.
type halfFloat struct {
	widen  func(uint16) float32
	narrow func(float32) uint16
}

var (
	half   = halfFloat{HalfToFloat32, HalfFromFloat32}
	bfloat = halfFloat{BFloatToFloat32, BFloatFromFloat32}
)

// add returns a + b, rounded once to the format.
//
// Rounding: the sum is rounded to binary32 and then to p bits, p = 11 or 8, which is the same as
// rounding once, because 24 >= 2p+2, and because a sum in the format's subnormal range is exact
// (both operands are multiples of the least subnormal, which binary32 has too).
// Source: [Figueroa 1995].
func (f halfFloat) add(a, b uint16) uint16 { return f.narrow(f.widen(a) + f.widen(b)) }

// multiply returns a·b, rounded once to the format.
//
// Rounding: a product has 2p bits at most, and binary32 holds it exactly for binary16. For
// bfloat16, whose exponents are binary32's, it is exact from 2^-134 up to 2^128; above, both
// roundings give infinity, and below, at most the tie 2^-134 between zero and the least subnormal,
// so that the second rounding gives zero as the exact product does.
func (f halfFloat) multiply(a, b uint16) uint16 {
	return f.narrow(float32(f.widen(a) * f.widen(b)))
}

// sumWide returns the sum from left to right in binary32.
func (f halfFloat) sumWide(x []uint16) float32 {
	if len(x) == 0 {
		return 0
	}
	s := f.widen(x[0])
	for _, v := range x[1:] {
		s += f.widen(v)
	}
	return s
}

// sumNarrow returns the sum from left to right in the format itself.
func (f halfFloat) sumNarrow(x []uint16) uint16 {
	if len(x) == 0 {
		return 0
	}
	s := x[0]
	for _, v := range x[1:] {
		s = f.add(s, v)
	}
	return s
}

// sumPairwise returns the pairwise sum in the format itself.
func (f halfFloat) sumPairwise(x []uint16) uint16 {
	switch n := len(x); n {
	case 0:
		return 0
	case 1:
		return x[0]
	default:
		return f.add(f.sumPairwise(x[:n/2]), f.sumPairwise(x[n/2:]))
	}
}

// dotWide returns the dot product from left to right, products and sums rounded to binary32.
func (f halfFloat) dotWide(x, y []uint16) float32 {
	sameLength(len(x), len(y))
	if len(x) == 0 {
		return 0
	}
	s := float32(f.widen(x[0]) * f.widen(y[0]))
	for i := 1; i < len(x); i++ {
		s += float32(f.widen(x[i]) * f.widen(y[i]))
	}
	return s
}

// dotNarrow returns the dot product from left to right, products and sums rounded to the format.
func (f halfFloat) dotNarrow(x, y []uint16) uint16 {
	sameLength(len(x), len(y))
	if len(x) == 0 {
		return 0
	}
	s := f.multiply(x[0], y[0])
	for i := 1; i < len(x); i++ {
		s = f.add(s, f.multiply(x[i], y[i]))
	}
	return s
}

// SumHalfWide returns the sum of binary16 leaves from left to right in binary32, rounded to
// binary16.
//
// Error: (n-1)·u·A of binary32, then u16·|S|.
func SumHalfWide(x []uint16) uint64 { return uint64(HalfFromFloat32(half.sumWide(x))) }

// SumHalfTo32 is SumHalfWide without the last rounding: its result is an encoding of binary32.
func SumHalfTo32(x []uint16) uint64 { return uint64(math.Float32bits(half.sumWide(x))) }

// SumHalfNarrow returns the sum of binary16 leaves from left to right in binary16. It stalls:
// adding 1.0 one by one does not go beyond 2048.
func SumHalfNarrow(x []uint16) uint64 { return uint64(half.sumNarrow(x)) }

// SumHalfPairwise returns the pairwise sum of binary16 leaves in binary16.
func SumHalfPairwise(x []uint16) uint64 { return uint64(half.sumPairwise(x)) }

// SumBFloatWide returns the sum of bfloat16 leaves from left to right in binary32, rounded to
// bfloat16.
func SumBFloatWide(x []uint16) uint64 { return uint64(BFloatFromFloat32(bfloat.sumWide(x))) }

// SumBFloatTo32 is SumBFloatWide without the last rounding: its result is an encoding of binary32.
func SumBFloatTo32(x []uint16) uint64 { return uint64(math.Float32bits(bfloat.sumWide(x))) }

// SumBFloatNarrow returns the sum of bfloat16 leaves from left to right in bfloat16. Adding
// 1.0 one by one does not go beyond 256.
func SumBFloatNarrow(x []uint16) uint64 { return uint64(bfloat.sumNarrow(x)) }

// SumBFloatPairwise returns the pairwise sum of bfloat16 leaves in bfloat16.
func SumBFloatPairwise(x []uint16) uint64 { return uint64(bfloat.sumPairwise(x)) }

// DotHalfWide returns the dot product of binary16 vectors from left to right in binary32, rounded
// to binary16. The products, of 22 bits, are exact.
func DotHalfWide(x, y []uint16) uint64 { return uint64(HalfFromFloat32(half.dotWide(x, y))) }

// DotHalfTo32 is DotHalfWide without the last rounding.
func DotHalfTo32(x, y []uint16) uint64 { return uint64(math.Float32bits(half.dotWide(x, y))) }

// DotHalfNarrow returns the dot product of binary16 vectors from left to right, every product and
// sum rounded to binary16.
func DotHalfNarrow(x, y []uint16) uint64 { return uint64(half.dotNarrow(x, y)) }

// DotBFloatWide returns the dot product of bfloat16 vectors from left to right in binary32,
// rounded to bfloat16. The products, of 16 bits, are exact unless they leave binary32's range.
func DotBFloatWide(x, y []uint16) uint64 { return uint64(BFloatFromFloat32(bfloat.dotWide(x, y))) }

// DotBFloatTo32 is DotBFloatWide without the last rounding.
func DotBFloatTo32(x, y []uint16) uint64 { return uint64(math.Float32bits(bfloat.dotWide(x, y))) }

// DotBFloatNarrow returns the dot product of bfloat16 vectors from left to right, every product
// and sum rounded to bfloat16.
func DotBFloatNarrow(x, y []uint16) uint64 { return uint64(bfloat.dotNarrow(x, y)) }

// HalfToFloat32 returns the binary16 number h as a float32, exactly. A NaN keeps its payload.
func HalfToFloat32(h uint16) float32 {
	sign := uint32(h>>15) << 31
	e, m := uint32(h>>10&31), uint32(h&1023)
	switch e {
	case 0:
		v := float32(float32(m) * 0x1p-24)
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | m<<13)
	}
	return math.Float32frombits(sign | (e+112)<<23 | m<<13)
}

// HalfFromFloat32 returns f rounded to binary16, to nearest with ties to even.
//
// Special: 65520 (0x1.ffep15) and above overflow to infinity; a NaN is quieted and keeps the top
// ten bits of its payload.
func HalfFromFloat32(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	b &= 1<<31 - 1
	switch {
	case b > 0x7f800000:
		return sign | 0x7e00 | uint16(b>>13&1023)
	case b >= 0x47800000: // 2^16
		return sign | 0x7c00
	case b >= 0x38800000: // 2^-14: the carry out of the significand raises the exponent
		b += 0xfff + b>>13&1
		return sign | uint16((b-112<<23)>>13)
	case b < 0x33000000: // 2^-25
		return sign
	}
	m := b&0x7fffff | 1<<23 // f = m·2^(e-150), the result's unit is 2^-24
	drop := 126 - b>>23
	q := m >> drop
	rest, tie := m&(1<<drop-1), uint32(1)<<(drop-1)
	if rest > tie || rest == tie && q&1 != 0 {
		q++
	}
	return sign | uint16(q)
}

// BFloatToFloat32 returns the bfloat16 number h as a float32, exactly. A NaN keeps its payload.
func BFloatToFloat32(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// BFloatFromFloat32 returns f rounded to bfloat16, to nearest with ties to even.
//
// Special: overflow goes to infinity; a NaN is quieted and keeps the top seven bits of its payload.
func BFloatFromFloat32(f float32) uint16 {
	b := math.Float32bits(f)
	if b&(1<<31-1) > 0x7f800000 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}
