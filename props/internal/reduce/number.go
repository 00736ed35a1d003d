package reduce

import "math/bits"

// tryAt tries the input for a number, if there is one.
func (r *Loop[I]) tryAt(at func(v int) (I, bool), v int) bool {
	in, ok := at(v)
	return ok && r.Try(in)
}

// Lower returns the least v >= to for which at(v) is seen to fail, from where it does: to, or what a binary search finds if from-1 fails
// too.
func (r *Loop[I]) Lower(to, from int, at func(v int) (I, bool)) int {
	if from <= to {
		return from
	}
	if r.tryAt(at, to) {
		return to
	}
	if from-1 == to || !r.tryAt(at, from-1) {
		return from
	}
	lo, hi := to, from-1
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; r.tryAt(at, mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// Squeeze is Lower to 0. It also finds out whether only v modulo some period counts: first powers of two, then multiples of smaller
// numbers.
func (r *Loop[I]) Squeeze(v int, at func(v int) (I, bool)) {
	try := func(v int) bool { return r.tryAt(at, v) }
	if v == 0 || try(0) {
		return
	}
	if v <= 6 {
		for w := 1; w < v; w++ {
			if try(w) {
				return
			}
		}
		return
	}
	v = r.Lower(0, v, at)
	if v < 3 {
		return
	}
	residue := func(p int) int { return (v-1)%p + 1 }
	top := bits.Len(uint(v-1)) - 1 // 2^top < v
	if try(v - 1<<top) {
		v -= 1 << top
		lo, hi := 0, top
		for hi-lo > 1 {
			if mid := (lo + hi) / 2; try(residue(1 << mid)) {
				hi = mid
			} else {
				lo = mid
			}
		}
		if w := residue(1 << hi); try(w) {
			v = w
		}
		// A shorter period may do as far as some length is needed.
		for t := 0; 1<<t < v; t++ {
			if step := 1 << t; try(v - step) {
				least, steps := residue(step), (v-1)/step
				r.Lower(0, steps-1, func(k int) (I, bool) { return at(least + k*step) })
				return
			}
		}
		return
	}
	for _, multiple := range []int{2520, 420, 60, 12} {
		if multiple >= v {
			continue
		}
		if try(residue(multiple)) {
			v = residue(multiple)
			for p := 3; p < v; p++ {
				if multiple%p == 0 && try(residue(p)) {
					return
				}
			}
		}
		return
	}
}
