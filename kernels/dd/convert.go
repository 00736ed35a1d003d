package dd

import (
	"math"

	"gamma/kernels"
	"gamma/kernels/eft"
)

// FromFloat64 returns v in two words: hi = RN(v), lo = RN(v-hi), normalised. For DD64 the result is v itself.
//
// Rounding: v - hi has at most 53-24 bits more than a word, and loses what does not fit into lo: v is exact if it has 48 bits, or
// none below the smallest number. lo may come out as half an ulp of an odd hi; then hi goes to its even neighbour and lo changes
// its sign, which keeps the value.
// Special:  a v that rounds to more than the largest word and half its ulp is infinite; infinities and NaN are {v, 0}; -0 is {-0, 0}.
func FromFloat64[T kernels.Float](v float64) DD[T] {
	hi := T(v)
	if hi-hi != 0 || hi == 0 {
		return DD[T]{Hi: hi}
	}
	return fromParts(hi, T(v-float64(hi)))
}

// fromParts returns hi + lo normalised, for |lo| at most half an ulp of hi.
func fromParts[T kernels.Float](hi, lo T) DD[T] {
	s, e := eft.FastTwoSum(hi, lo)
	if s-s != 0 {
		return DD[T]{Hi: s}
	}
	return DD[T]{s, e}
}

// Narrow returns x rounded once to binary32, by way of the binary64 number that is x rounded to odd: of the two neighbours of x the one whose last bit is 1,
// and x itself if it has no second word.
//
// Source: [Boldo-Melquiond 2008] Theorem 3.
func Narrow(x DD64) float32 {
	b := math.Float64bits(x.Hi)
	switch {
	case x.Lo == 0 || b&1 != 0:
	case (x.Lo > 0) == (x.Hi > 0):
		b++
	default:
		b--
	}
	return float32(math.Float64frombits(b))
}

// Float64 returns x rounded once to float64. A DD32 whose words lie within 53 bits of each other is exact.
func (x DD[T]) Float64() float64 { return float64(x.Hi) + float64(x.Lo) }

// FromInt64 returns n in two words, rounded as by FromUint64. For DD64 the result is exact; for DD32 it is if |n| <= 2^48.
func FromInt64[T kernels.Float](n int64) DD[T] {
	if n < 0 {
		return FromUint64[T](-uint64(n)).Neg()
	}
	return FromUint64[T](uint64(n))
}

// FromUint64 returns n in two words: hi = RN(n), lo = RN(n-hi), normalised. For DD64 the result is exact; for DD32 it is if n <= 2^48.
func FromUint64[T kernels.Float](n uint64) DD[T] {
	hi := T(n)
	if hi == 0 {
		return DD[T]{}
	}
	// n - hi is less than 2^40, and the difference of the integers wraps to it, for hi = 2^64 too, whose integer is 0.
	var whole uint64
	if hi < 0x1p64 {
		whole = uint64(hi)
	}
	return fromParts(hi, T(int64(n-whole)))
}

// Int64 returns the integer part of x, rounded toward zero as Go's conversions do, and ok = false with n = 0 if x is not finite or
// its integer part is not an int64. Any pair stands for the exact sum of its words.
func (x DD[T]) Int64() (n int64, ok bool) {
	x = x.Renormalise()
	hi, lo := float64(x.Hi), float64(x.Lo)
	if math.IsNaN(hi) || math.Abs(hi) > 0x1p63 {
		return 0, false
	}
	if hi != math.Trunc(hi) {
		// The next integer is an ulp of hi or more away, and lo at most half of one.
		return int64(hi), true
	}
	// Toward zero is down for what is positive. lo is less than 2^40, or 2^10 where it is a float64.
	if hi > 0 {
		lo = math.Floor(lo)
	} else {
		lo = math.Ceil(lo)
	}
	switch {
	case hi == 0x1p63 && lo < 0:
		return math.MaxInt64 + (int64(lo) + 1), true
	case hi == 0x1p63 || hi == -0x1p63 && lo < 0:
		return 0, false
	}
	return int64(hi) + int64(lo), true
}
