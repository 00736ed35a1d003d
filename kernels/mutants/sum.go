package mutants

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"gamma/kernels"
	"gamma/model"
	"gamma/sumtree"
)

// without returns x without its element i.
func without(x []float32, i int) []float32 {
	return append(slices.Clone(x[:i]), x[i+1:]...)
}

// bfloat rounds v to bfloat16.
func bfloat(v float32) float32 { return kernels.BFloatToFloat32(kernels.BFloatFromFloat32(v)) }

// half rounds v to binary16.
func half(v float32) float32 { return kernels.HalfToFloat32(kernels.HalfFromFloat32(v)) }

// flush replaces a subnormal number by a zero of its sign.
func flush(v float32) float32 {
	if math.Float32bits(v)&0x7f800000 == 0 {
		return float32(math.Copysign(0, float64(v)))
	}
	return v
}

// serialBy returns the sum from left to right, every partial sum passed through f.
func serialBy(x []float32, f func(float32) float32) float32 {
	if len(x) == 0 {
		return 0
	}
	s := f(x[0])
	for _, v := range x[1:] {
		s = f(s + v)
	}
	return s
}

// mapped returns f of each leaf.
func mapped(x []float32, f func(float32) float32) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = f(v)
	}
	return y
}

// leaves returns sums that lose, repeat or change leaves.
func leaves() []Mutant {
	serial := kernels.SumSerial[float32]
	return []Mutant{
		sum32("SumDropsLast", "the last leaf is dropped", model.SumEnclosure, 1, claim(""), func(x []float32) float32 {
			return serial(x[:max(len(x)-1, 0)])
		}),
		sum32("SumDropsFirst", "the first leaf of two or more is dropped", model.SumEnclosure, 2, claim(""), func(x []float32) float32 {
			if len(x) > 1 {
				x = x[1:]
			}
			return serial(x)
		}),
		sum32("SumDropsMiddle", "the middle leaf of three or more is dropped", model.SumEnclosure, 3, claim(""), func(x []float32) float32 {
			if len(x) > 2 {
				x = without(x, len(x)/2)
			}
			return serial(x)
		}),
		sum32("SumDoublesLast", "the last leaf is added twice", model.SumEnclosure, 1, claim(""), func(x []float32) float32 {
			if len(x) == 0 {
				return 0
			}
			return serial(x) + x[len(x)-1]
		}),
		sum32("SumDoublesBlockEdge", "leaf 64 ends one block and starts the next", model.SumEnclosure, 65, claim(""), func(x []float32) float32 {
			if len(x) <= 64 {
				return serial(x)
			}
			return serial(x[:65]) + serial(x[64:])
		}),
		sum32("SumLosesLastLane", "the last of eight lanes is never stored, when their lengths differ", model.SumIntegers, 9, claim(""), func(x []float32) float32 {
			if len(x)%8 == 0 || len(x) < 8 {
				return kernels.SumLanes(x)
			}
			kept := slices.Clone(x)
			for i := 7; i < len(kept); i += 8 {
				kept[i] = 0
			}
			return kernels.SumLanes(kept)
		}),
		sum32("SumIgnoresTail", "leaves after the last whole eight are ignored", model.SumIntegers, 9, claim(""), func(x []float32) float32 {
			if len(x) > 8 {
				x = x[:len(x)&^7]
			}
			return kernels.SumLanes(x)
		}),
		sum32("SumHalvesByFloor", "the stride of a halving loop is floor(n/2), which drops leaves", model.SumEnclosure, 3, claim(""), func(x []float32) float32 {
			y := slices.Clone(x)
			for len(y) > 1 {
				h := len(y) / 2
				for i := range h {
					y[i] += y[i+h]
				}
				y = y[:h]
			}
			return serial(y)
		}),
		sum32("SumLengthMod65536", "the length is kept in 16 bits", model.SumEnclosure, 1<<16, claim(""), func(x []float32) float32 {
			return serial(x[:uint16(len(x))])
		}),
		sum32("SumStopsAt2To24", "a counter in binary32 stalls at 2^24", model.SumEnclosure, 1<<24+1, claim(""), func(x []float32) float32 {
			return serial(x[:min(len(x), 1<<24)])
		}),
		sum32("SumTakesMax", "the largest leaf is returned", model.SumEnclosure, 2, claim(""), func(x []float32) float32 {
			if len(x) == 0 {
				return 0
			}
			s := x[0]
			for _, v := range x {
				s = max(s, v)
			}
			return s
		}),
		sum32("SumWritesInput", "partial sums are left in the input, which is then no longer the input", model.SumRepeat, 2, claim(""), func(x []float32) float32 {
			for i := 1; i < len(x); i++ {
				x[i] += x[i-1]
			}
			if len(x) == 0 {
				return 0
			}
			return x[len(x)-1]
		}),
		// The exact sum, moved by one ulp, errs by less than 4u·|S|, which is at most (n-1)·v·A for
		// six leaves and more; tiny sums are not changed, because they have no relative error.
		sum32("SumOneUlpOff", "the last step rounds away from zero though it is exact", model.SumIntegers, 8, claim(""), func(x []float32) float32 {
			s := kernels.SumExact(x)
			if len(x) < 8 || math.Abs(float64(s)) < 0x1p-100 || math.Abs(float64(s)) >= 0x1p127 {
				return s
			}
			return math.Float32frombits(math.Float32bits(s) + 1)
		}, model.SumEnclosure, model.SumSpecial, model.SumRepeat),
	}
}

// orders returns sums whose order or height is not the claimed one.
func orders() []Mutant {
	serial := kernels.SumSerial[float32]
	lying := claim("")
	lying.Height = func(n int) int { return bits.Len(uint(max(n-1, 0))) }
	var split func(x []float32) float32
	split = func(x []float32) float32 {
		n := len(x)
		if n <= 8 {
			return serial(x)
		}
		return split(x[:(n+1)/2]) + split(x[(n+1)/2:])
	}
	commutes := claim("")
	commutes.Commutes = true
	var calls atomic.Uint64
	return []Mutant{
		// A serial sum keeps every bound of any order; only leaves built to round the same way at
		// every step show its height.
		sum32("SumSerialAsPairwise", "a serial sum claims the height of a pairwise one", model.SumHeight, 4, lying, serial,
			model.SumEnclosure, model.SumMember, model.SumIntegers, model.SumSpecial, model.SumRepeat),
		sum32("SumBlocks65As64", "blocks of 65 leaves claim to be blocks of 64", model.SumTree, 66, claim("blocked/64"), func(x []float32) float32 {
			if len(x) == 0 {
				return 0
			}
			s := serial(x[:min(65, len(x))])
			for i := 65; i < len(x); i += 65 {
				s += serial(x[i:min(i+65, len(x))])
			}
			return s
		}, model.SumEnclosure, model.SumIntegers, model.SumSpecial),
		// The same height, and a value that some tree reaches. The budget of the claimed tree, leaf by
		// leaf, may still find it.
		sum32("SumSplitsByCeil", "an odd range gives its left half one leaf more, not its right half", model.SumTree, 9, claim("pairwise/8"), split,
			model.SumEnclosure, model.SumMember, model.SumIntegers, model.SumSpecial),
		sum32("SumReverseAsSerial", "the leaves are added from the right, the claim says from the left", model.SumTree, 3, claim("left"), kernels.SumReverse[float32],
			model.SumEnclosure, model.SumMember, model.SumIntegers, model.SumSpecial),
		sum32("SumSwapsNeighbours", "leaves 2 and 3 are added in each other's place", model.SumTree, 4, claim("left"), func(x []float32) float32 {
			if len(x) > 3 {
				x = slices.Clone(x)
				x[2], x[3] = x[3], x[2]
			}
			return serial(x)
		}, model.SumEnclosure, model.SumMember, model.SumIntegers, model.SumSpecial),
		sum32("SumLanes7As8", "seven lanes claim to be eight", model.SumTree, 8, claim("lanes/8"), func(x []float32) float32 {
			return kernels.SumFollowing(sumtree.Lanes(7).Tree(len(x)), x)
		}, model.SumEnclosure, model.SumMember, model.SumIntegers, model.SumSpecial),
		{
			Kernel: kernels.Kernel{Name: "mutants.SumFollowsLeft", Claim: claim(""), SumTree: func(_ *sumtree.Tree, x []float32) float32 {
				return serial(x)
			}},
			Fault: "the given tree is ignored, the leaves added from the left", Kills: model.SumTree, MinN: 3,
			Survives: []model.LawID{model.SumEnclosure, model.SumMember, model.SumIntegers, model.SumSpecial},
		},
		{
			Kernel: kernels.Kernel{Name: "mutants.SumRowsOffByOne", Claim: claim("lanes/8"), Rows32: func(dst, x []float32, n int) {
				kernels.SumRows(dst, x, n)
				if len(dst) > 1 && n > 0 { // the last row starts one leaf early
					end := len(x) - 1
					dst[len(dst)-1] = kernels.SumLanes(x[end-n : end])
				}
			}},
			Fault: "the last row starts one leaf early", Kills: model.SumTree, MinN: 1,
		},
		sum32("SumSerialCommutes", "a serial sum claims to commute", model.SumPermute, 3, commutes, serial,
			model.SumEnclosure, model.SumMember, model.SumIntegers, model.SumSpecial, model.SumRepeat),
		// Sorting by magnitude makes all orders equal but those of leaves x and -x.
		sum32("SumSortsUnsigned", "leaves are sorted by magnitude, stably: x and -x keep their order", model.SumPermute, 3, commutes, func(x []float32) float32 {
			y := slices.Clone(x)
			slices.SortStableFunc(y, func(a, b float32) int {
				return int(math.Float32bits(a)&^(1<<31)) - int(math.Float32bits(b)&^(1<<31))
			})
			return serial(y)
		}, model.SumEnclosure, model.SumMember, model.SumIntegers, model.SumSpecial, model.SumRepeat),
		// A bin whose grid is 2^(e-26) errs by n·2^-26 of the largest leaf and rounds once: less than
		// (n-1)·v·A for four leaves and more. Ties go by the last bit of what was added before.
		sum32("SumTiesByState", "leaves are cut by the running bin, not by a constant", model.SumPermute, 4, commutes, func(x []float32) float32 {
			var largest float64
			for _, v := range x {
				largest = max(largest, math.Abs(float64(v)))
			}
			if len(x) < 4 || largest == 0 || largest-largest != 0 || largest > 0x1p100 || len(x) > 1<<24 {
				return kernels.SumBinned(x)
			}
			_, e := math.Frexp(largest)
			start := math.Ldexp(1.5, e+26)
			a := start
			for _, v := range x {
				a += float64(v)
			}
			return float32(a - start)
		}, model.SumEnclosure, model.SumIntegers, model.SumRepeat),
		sum32("SumAlternates", "every second call adds from the right", model.SumRepeat, 3, claim(""), func(x []float32) float32 {
			if calls.Add(1)%2 == 0 {
				return kernels.SumReverse(x)
			}
			return serial(x)
		}, model.SumEnclosure, model.SumMember, model.SumIntegers, model.SumSpecial),
	}
}

// formats are sums with too few bits somewhere.
func formats() []Mutant {
	serial := kernels.SumSerial[float32]
	rounded := scheme(model.Rounded)
	rounded.Commutes, rounded.OverflowSafe = true, true
	almost := scheme(model.Rounded)
	wide := func(tree string, acc, out model.Format) model.Claim {
		c := claim(tree)
		c.In, c.Acc, c.Out = model.Binary16, acc, out
		return c
	}
	return []Mutant{
		sum32("SumAccumulatesBFloat", "the accumulator is bfloat16, the claim says binary32", model.SumEnclosure, 1, claim(""), func(x []float32) float32 {
			return serialBy(x, bfloat)
		}),
		sum32("SumAccumulatesHalf", "the accumulator is binary16, the claim says binary32", model.SumEnclosure, 1, claim(""), func(x []float32) float32 {
			return serialBy(x, half)
		}),
		sum32("SumRoundsInputs", "leaves are rounded to bfloat16", model.SumEnclosure, 1, claim(""), func(x []float32) float32 {
			return serial(mapped(x, bfloat))
		}),
		sum32("SumRoundsResult", "the result is rounded to bfloat16", model.SumEnclosure, 1, claim(""), func(x []float32) float32 {
			return bfloat(serial(x))
		}),
		// Right on normal numbers, integers and special values.
		sum32("SumFlushes", "subnormal leaves and results become zero, and the claim does not say so", model.SumEnclosure, 1, claim(""), func(x []float32) float32 {
			return serialBy(mapped(x, flush), flush)
		}, model.SumRepeat),
		// A sum in binary64 is nearer to the exact one than any binary32 tree need be.
		sum32("SumDoubleAsSingle", "the accumulator is binary64, the claim says binary32", model.SumMember, 3, claim(""), kernels.SumDouble,
			model.SumEnclosure, model.SumIntegers, model.SumSpecial, model.SumRepeat),
		{
			Kernel: kernels.Kernel{Name: "mutants.SumHalfNarrowAsWide", Claim: wide("left", model.Binary32, model.Binary16), SumBits: kernels.SumHalfNarrow},
			Fault:  "the accumulator is binary16, the claim says binary32: 1.0 stalls at 2048", Kills: model.SumTree, MinN: 3,
		},
		{
			Kernel: kernels.Kernel{Name: "mutants.SumHalfByBFloat", Claim: wide("", model.Binary32, model.Binary16), SumBits: func(x []uint16) uint64 {
				s := math.Float32frombits(uint32(kernels.SumHalfTo32(x)))
				return uint64(kernels.HalfFromFloat32(bfloat(s)))
			}},
			Fault: "the result is rounded to bfloat16 on its way to binary16", Kills: model.SumEnclosure, MinN: 1,
		},
		{
			Kernel: kernels.Kernel{Name: "mutants.SumHalfTruncates", Claim: wide("left", model.Binary32, model.Binary16), SumBits: func(x []uint16) uint64 {
				s := math.Float32frombits(uint32(kernels.SumHalfTo32(x)))
				h := kernels.HalfFromFloat32(s)
				if v := kernels.HalfToFloat32(h); v-v == 0 && math.Abs(float64(v)) > math.Abs(float64(s)) {
					h--
				}
				return uint64(h)
			}},
			Fault: "the result is truncated to binary16, not rounded", Kills: model.SumTree, MinN: 2,
		},
		sum32("SumDoubleAsExact", "a sum in binary64 claims to be the exact one, rounded once", model.SumRounded, 3, rounded, kernels.SumDouble,
			model.SumRepeat),
		// Exact, but rounded to 53 bits and then to 24: wrong only just beside ties.
		sum32("SumExactTwiceRounded", "the exact sum is rounded to binary64 and then to binary32", model.SumRounded, 3, almost, twiceRounded,
			model.SumIntegers, model.SumSpecial, model.SumRepeat),
	}
}

// twiceRounded is the exact sum rounded to binary64, as the result in binary32 and what is left, and
// then to binary32.
func twiceRounded(x []float32) float32 {
	s := kernels.SumExact(x)
	if s-s != 0 || s == 0 {
		return s
	}
	rest := kernels.SumExact(append(slices.Clone(x), -s))
	return float32(float64(s) + float64(rest))
}

// specials are sums that are right on finite vectors.
func specials() []Mutant {
	return []Mutant{
		sum32("SumStartsFromZero", "the running sum starts from +0, the claim says that negative zeros stay negative", model.SumSpecial, 1, claim(""), func(x []float32) float32 {
			var s float32
			for _, v := range x {
				s += v
			}
			return s
		}, model.SumEnclosure, model.SumIntegers, model.SumRepeat),
		sum32("SumLanesPadsZero", "lanes without a leaf add +0", model.SumSpecial, 1, claim(""), func(x []float32) float32 {
			var r [8]float32
			for i, v := range x {
				if i < 8 {
					r[i] = v
				} else {
					r[i%8] += v
				}
			}
			return kernels.SumSerial(r[:])
		}, model.SumEnclosure, model.SumIntegers, model.SumRepeat),
		sum32("SumDropsNaN", "NaNs are skipped", model.SumSpecial, 1, claim(""), func(x []float32) float32 {
			return kernels.SumSerial(slices.DeleteFunc(slices.Clone(x), func(v float32) bool { return v != v }))
		}, model.SumEnclosure, model.SumMember, model.SumIntegers, model.SumRepeat),
		sum32("SumInfinityForNaN", "the first infinity among the leaves is returned, whatever follows it", model.SumSpecial, 2, claim(""), func(x []float32) float32 {
			for _, v := range x {
				if v-v != 0 {
					return v
				}
			}
			return kernels.SumSerial(x)
		}, model.SumEnclosure, model.SumIntegers, model.SumRepeat),
		sum32("SumSaturates", "an infinite result becomes the largest finite number", model.SumSpecial, 1, claim(""), func(x []float32) float32 {
			return min(max(kernels.SumSerial(x), -math.MaxFloat32), math.MaxFloat32)
		}, model.SumRepeat),
		sum32("SumKahanInfinity", "Inf - Inf in Kahan's correction makes a NaN of an infinite sum", model.SumSpecial, 2, scheme(model.Kahan), func(x []float32) float32 {
			var s, c float32
			for i, v := range x {
				if i == 0 {
					s = v
					continue
				}
				y := v - c
				t := s + y
				c = (t - s) - y
				s = t
			}
			return s
		}, model.SumEnclosure, model.SumIntegers, model.SumCompensated, model.SumRepeat),
		sum32("Sum2Infinity", "the error words of an infinite sum are added to it", model.SumSpecial, 2, scheme(model.Sum2), func(x []float32) float32 {
			s, c := sum2(x, twoSum)
			if c == 0 {
				return s
			}
			return s + c
		}, model.SumEnclosure, model.SumIntegers, model.SumCompensated, model.SumRepeat),
	}
}
