package oracle

import (
	"math/big"
	"math/bits"
)

// The accumulators are slices of limbs: l stands for the sum of l[i]·2^(32i), times 2^base. Between
// carries a limb may hold anything an int64 does. A carried slice has every limb but the last in
// [0, 2^32), which is unique, and is negative exactly when its last limb is.

const (
	limbBits = 32
	limbMask = 1<<limbBits - 1
)

// carry brings every limb but the last into [0, 2^32) and changes no value.
//
// Domain: |l[i]| <= 2^63 - 2^32.
func carry(l []int64) {
	var c int64
	for i := range l[:len(l)-1] {
		v := l[i] + c
		l[i] = v & limbMask
		c = v >> limbBits
	}
	l[len(l)-1] += c
}

// negate changes the sign of a number, whether carried or not.
func negate(l []int64) {
	for i := range l {
		l[i] = -l[i]
	}
}

// compare returns the sign of a-b for carried numbers of the same length.
func compare(a, b []int64) int {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i] != b[i] {
			if a[i] < b[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// leading is a number cut to its 64 leading bits: ±(m + t)·2^e, where 0 <= t < 1 and t > 0 just
// when sticky, and m's top bit is set unless the number is zero.
type leading struct {
	m      uint64
	e      int
	neg    bool
	sticky bool
}

// lead carries l and returns its leading bits. It leaves the magnitude in l.
func lead(l []int64, base int) leading {
	carry(l)
	neg := l[len(l)-1] < 0
	if neg {
		negate(l)
		carry(l)
	}
	i := len(l) - 1
	for i >= 0 && l[i] == 0 {
		i--
	}
	if i < 0 {
		return leading{}
	}
	if l[i] > limbMask { // only the last limb, after more elements than anyone can add
		i++
	}
	var limb [3]uint64
	for j := range limb {
		if k := i - j; k >= 0 && k < len(l) {
			limb[j] = uint64(l[k])
		}
	}
	if i == len(l) {
		limb[0], limb[1] = limb[1]>>limbBits, limb[1]&limbMask
	}
	w := limb[0]<<limbBits | limb[1]
	n := bits.LeadingZeros64(w)
	w = w<<n | limb[2]>>(limbBits-n)
	sticky := limb[2]<<n&limbMask != 0
	for j := i - 3; j >= 0 && !sticky; j-- {
		sticky = l[j] != 0
	}
	return leading{m: w, e: base + limbBits*(i-1) - n, neg: neg, sticky: sticky}
}

// integer returns the value of carried or uncarried limbs as an integer, a multiple of 2^base.
func integer(l []int64) *big.Int {
	sum, t := new(big.Int), new(big.Int)
	for i := len(l) - 1; i >= 0; i-- {
		sum.Lsh(sum, limbBits)
		sum.Add(sum, t.SetInt64(l[i]))
	}
	return sum
}
