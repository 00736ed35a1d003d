package engine

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/props/internal/draw"
)

// A kernel that takes strides, the distances between neighbours in memory, is lent arrays whose elements lie further apart than they must, with
// values between them that it must not use. How far follows from the seed of an input, so that a case on file has its strides.

// gaps are how much further apart than they must neighbours lie, by the seed, in units.
var gaps = [...]int{0, 0, 1, 1, 2, 3, 7, 61}

// mostBetween is how many places lie at most between the elements of an array, if one unit does not need more.
const mostBetween = 1 << 13

// Gap returns how many units more than they must n neighbours of array i of a call lie apart. A seed of 0 has dense arrays.
func Gap(i int, seed uint64, unit, n int) int {
	if seed == 0 {
		return 0
	}
	gap := gaps[draw.Mix(seed+uint64(i)<<48)%uint64(len(gaps))]
	for gap > 1 && gap*unit*n > mostBetween {
		gap /= 2
	}
	return gap
}

// DenseSeed returns a seed for which some arrays of a call are dense and begin where they did; ok is false if they are dense already.
func DenseSeed(seed uint64, arrays []int) (dense uint64, ok bool) {
	gapped := func(seed uint64) bool {
		return slices.ContainsFunc(arrays, func(i int) bool { return Gap(i, seed, 0, 0) > 0 })
	}
	if !gapped(seed) {
		return seed, false
	}
	for k := uint64(1); k < 1<<20; k++ {
		if s := seed&(1<<40-1) + k<<40; !gapped(s) {
			return s, true
		}
	}
	return seed, false
}

// Between returns what lies between elements of a format: NaN, or where that might be passed over, as fmax does, one of the greatest numbers.
func Between(f model.Format, h uint64) uint64 {
	b := f.MaxBits()
	if h&2 != 0 {
		b |= f.SignBit()
	}
	if nan := f.NaNBits(); h&1 != 0 && f.IsNaN(nan) {
		b = nan
	}
	return b
}

// Bounds of the search for inputs that fail for the same reason.
const (
	MoreFailing = 2 // beside the one that was found
	MostDraws   = 400
)

// OnlyThere reports whether an input fails as it lies in memory, and passes as it lies elsewhere, and so do others that next draws and that fail.
func OnlyThere[I any](in I, fails, passesElsewhere func(in I) bool, next func() I) bool {
	seen := 0
	for k := 0; k < MostDraws && seen <= MoreFailing; k++ {
		if fails(in) {
			if !passesElsewhere(in) {
				return false
			}
			seen++
		}
		in = next()
	}
	return seen > MoreFailing
}

// StrideCause says that an input fails for its strides alone, and so do others that next draws; "" if that is not so. denser returns an input with
// dense arrays, and false of one that has them.
func StrideCause[I any](in I, fails func(in I) bool, denser func(in I) (I, bool), next func() I) string {
	if !OnlyThere(in, fails, func(in I) bool { dense, ok := denser(in); return ok && !fails(dense) }, next) {
		return ""
	}
	return fmt.Sprintf("it is right where arrays are dense, and wrong where memory lies between their elements, which it takes for theirs. So it is for %d other inputs that fail.", MoreFailing)
}
