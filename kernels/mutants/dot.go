package mutants

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"gamma/kernels"
	"gamma/model"
)

// products returns the rounded products of x and y.
func products(x, y []float32) []float32 {
	p := make([]float32, len(x))
	for i := range p {
		p[i] = float32(x[i] * y[i])
	}
	return p
}

// dots returns faulty dot products.
func dots() []Mutant { return slices.Concat(dotFactors(), dotOrders(), dotResults(), dotHalves()) }

// fusedChain claims a chain of fused multiply-adds from the left.
func fusedChain() model.Claim {
	c := claim("left")
	c.Fusion = model.FusedChain
	return c
}

// commuting returns a claim with Commutes set.
func commuting(c model.Claim) model.Claim {
	c.Commutes = true
	return c
}

// dotFactors returns dot products that lose, mix up or round factors and products.
func dotFactors() []Mutant {
	return []Mutant{
		dot32("DotDropsLast", "the last product is dropped", model.DotEnclosure, 1, claim(""), func(x, y []float32) float32 {
			n := max(len(x)-1, 0)
			return kernels.DotSerial(x[:n], y[:n])
		}),
		dot32("DotUnpaired", "x_i meets y_(i+1), the last x_i the last y", model.DotEnclosure, 2, claim(""), func(x, y []float32) float32 {
			if len(y) == 0 {
				return 0
			}
			return kernels.DotSerial(x, append(slices.Clone(y[1:]), y[len(y)-1]))
		}),
		dot32("DotIgnoresTail", "products after the last whole eight are ignored", model.DotIntegers, 9, claim(""), func(x, y []float32) float32 {
			n := len(x)
			if n > 8 {
				n &^= 7
			}
			return kernels.DotLanes(x[:n], y[:n])
		}),
		dot32("DotRoundsInputs", "the factors are rounded to bfloat16", model.DotEnclosure, 1, claim(""), func(x, y []float32) float32 {
			return kernels.DotSerial(mapped(x, bfloat), mapped(y, bfloat))
		}),
		dot32("DotRoundsProducts", "the products are rounded to bfloat16", model.DotEnclosure, 1, claim(""), func(x, y []float32) float32 {
			return kernels.SumSerial(mapped(products(x, y), bfloat))
		}),
		dot32("DotFlushesFactors", "subnormal factors become zero, and the claim does not say so", model.DotEnclosure, 1, claim(""), func(x, y []float32) float32 {
			return kernels.DotSerial(mapped(x, flush), mapped(y, flush))
		}, model.DotRepeat),
	}
}

// dotOrders returns dot products whose order, fusion or accumulator is not the claimed one.
func dotOrders() []Mutant {
	lying := claim("")
	lying.Height = func(n int) int { return bits.Len(uint(max(n-1, 0))) }
	return []Mutant{
		dot32("DotSerialAsPairwise", "a serial dot product claims the height of a pairwise one", model.DotHeight, 4, lying, kernels.DotSerial[float32],
			model.DotEnclosure, model.DotMember, model.DotIntegers, model.DotSpecial, model.DotRepeat),
		dot32("DotReverseAsSerial", "the products are added from the right, the claim says from the left", model.DotTree, 3, claim("left"), func(x, y []float32) float32 {
			return kernels.SumReverse(products(x, y))
		}, model.DotEnclosure, model.DotMember, model.DotIntegers, model.DotSpecial),
		dot32("DotFusedAsUnfused", "the products are fused, the claim says that they are rounded", model.DotTree, 2, claim("left"), kernels.DotFMA,
			model.DotIntegers, model.DotSpecial),
		dot32("DotUnfusedAsChain", "the products are rounded, the claim says that they are fused", model.DotTree, 2, fusedChain(), kernels.DotSerial[float32],
			model.DotIntegers, model.DotSpecial),
		// float32(math.FMA(…)) is wrong only where binary64 makes a tie of the exact value.
		dot32("DotFMARoundedTwice", "every fused multiply-add is rounded to binary64 and then to binary32", model.DotTree, 2, fusedChain(), func(x, y []float32) float32 {
			if len(x) == 0 {
				return 0
			}
			s := float32(x[0] * y[0])
			for i := 1; i < len(x); i++ {
				s = float32(math.FMA(float64(x[i]), float64(y[i]), float64(s))) // gamma:allow double-rounding: the planted fault
			}
			return s
		}, model.DotIntegers, model.DotSpecial),
		dot32("DotDoubleAsSingle", "the accumulator is binary64, the claim says binary32", model.DotMember, 2, claim(""), kernels.DotDouble,
			model.DotEnclosure, model.DotIntegers, model.DotSpecial, model.DotRepeat),
	}
}

// dotResults returns dot products with faults in results, special values, repeatability and compensation.
func dotResults() []Mutant {
	var calls atomic.Uint64
	return []Mutant{
		// As SumOneUlpOff: less than 4u·|S| off, and n·u·A allows more from four products on.
		dot32("DotOneUlpOff", "the last step rounds away from zero though it is exact", model.DotIntegers, 8, claim(""), func(x, y []float32) float32 {
			s := kernels.DotExact(x, y)
			if len(x) < 8 || math.Abs(float64(s)) < 0x1p-100 || math.Abs(float64(s)) >= 0x1p127 {
				return s
			}
			return math.Float32frombits(math.Float32bits(s) + 1)
		}, model.DotEnclosure, model.DotSpecial, model.DotRepeat),
		dot32("DotSkipsZeros", "a zero of x skips its product with an infinity or NaN, which would be NaN", model.DotSpecial, 1, claim(""), func(x, y []float32) float32 {
			var p []float32
			for i, v := range x {
				if v != 0 || y[i]-y[i] == 0 {
					p = append(p, float32(v*y[i]))
				}
			}
			return kernels.SumSerial(p)
		}, model.DotEnclosure, model.DotMember, model.DotIntegers, model.DotRepeat),
		dot32("DotStartsFromZero", "the running sum starts from +0, the claim says that negative zeros stay negative", model.DotSpecial, 1, fusedChain(), func(x, y []float32) float32 {
			var s float32
			for i, v := range x {
				s = kernels.FMA(v, y[i], s)
			}
			return s
		}, model.DotEnclosure, model.DotIntegers, model.DotRepeat),
		dot32("Dot2Infinity", "the error words of an infinite dot product are added to it", model.DotSpecial, 2, scheme(model.Sum2), func(x, y []float32) float32 {
			s, c := dot2(x, y, true, true)
			if c == 0 {
				return s
			}
			return s + c
		}, model.DotEnclosure, model.DotIntegers, model.DotCompensated, model.DotRepeat),
		dot32("DotAlternates", "every second call adds from the right", model.DotRepeat, 3, claim(""), func(x, y []float32) float32 {
			if calls.Add(1)%2 == 0 {
				return kernels.SumReverse(products(x, y))
			}
			return kernels.DotSerial(x, y)
		}, model.DotEnclosure, model.DotMember, model.DotIntegers, model.DotSpecial),
		dot32("DotSerialCommutes", "a serial dot product claims to commute", model.DotPermute, 3, commuting(claim("")), kernels.DotSerial[float32],
			model.DotEnclosure, model.DotMember, model.DotIntegers, model.DotSpecial, model.DotRepeat),
		dot32("Dot2DropsProductErrors", "the errors of the products are not collected", model.DotCompensated, 2, scheme(model.Sum2), func(x, y []float32) float32 {
			return repaid(dot2(x, y, false, true))
		}, model.DotIntegers, model.DotSpecial, model.DotRepeat),
		dot32("Dot2DropsSumErrors", "the errors of the additions are not collected", model.DotCompensated, 2, scheme(model.Sum2), func(x, y []float32) float32 {
			return repaid(dot2(x, y, true, false))
		}, model.DotIntegers, model.DotSpecial, model.DotRepeat),
		dot32("DotDoubleAsExact", "a dot product in binary64 claims to be the exact one, rounded once", model.DotRounded, 2, commuting(scheme(model.Rounded)), kernels.DotDouble,
			model.DotRepeat),
		dot32("Dot2AsExact", "Dot2 claims to be the exact dot product, rounded once", model.DotRounded, 2, commuting(scheme(model.Rounded)), kernels.Dot2,
			model.DotRepeat),
	}
}

// dotHalves returns dot products of binary16 whose accumulator is not the claimed one.
func dotHalves() []Mutant {
	wide := claim("left")
	wide.In, wide.Acc, wide.Out = model.Binary16, model.Binary32, model.Binary32
	narrow := wide
	narrow.Acc, narrow.Out = model.Binary16, model.Binary16
	return []Mutant{
		{
			Kernel: kernels.Kernel{Name: "mutants.DotHalfNarrowAsWide", Claim: wide, DotBits: func(x, y []uint16) uint64 {
				return uint64(math.Float32bits(kernels.HalfToFloat32(uint16(kernels.DotHalfNarrow(x, y)))))
			}},
			Fault: "the accumulator is binary16, the claim says binary32", Kills: model.DotTree, MinN: 1,
		},
		{
			Kernel: kernels.Kernel{Name: "mutants.DotHalfFusesProducts", Claim: narrow, DotBits: func(x, y []uint16) uint64 {
				var s uint16
				for i := range x {
					p := float32(kernels.HalfToFloat32(x[i]) * kernels.HalfToFloat32(y[i]))
					if i == 0 {
						s = kernels.HalfFromFloat32(p)
						continue
					}
					s = kernels.HalfFromFloat32(kernels.HalfToFloat32(s) + p)
				}
				return uint64(s)
			}},
			Fault: "products keep binary32 until they are added, the claim says binary16", Kills: model.DotTree, MinN: 2,
		},
	}
}

// dot2 returns Dot2's running sum and the sum of its errors, of products and of additions.
func dot2(x, y []float32, ofProducts, ofSums bool) (p, c float32) {
	for i, v := range x {
		h := float32(v * y[i])
		r := float32(float64(float64(v)*float64(y[i])) - float64(h))
		if !ofProducts {
			r = 0
		}
		if i == 0 {
			p, c = h, r
			continue
		}
		var q float32
		p, q = twoSum(p, h)
		if !ofSums {
			q = 0
		}
		c += q + r
	}
	return p, c
}
