package reduce

import (
	"math/bits"
	"slices"
)

// Settle changes as many of m items as it can: with returns the input in which the items marked are changed, and must not keep its
// argument.
//
// It looks for the shortest run of items from the first that must stay, so that the last of them is needed beside those found before; then
// the items after it are changed for good. The input that is left to work on has failed at every step, and each needed item costs one
// binary search, which starts at the distance where the last search ended.
//
// It ends early, with the items that it did not come to unchanged, and reports that, when quit says so of the number of items known to be
// needed.
func (r *Loop[I]) Settle(m int, quit func(needed int) bool, with func(change []bool) I) (quitted bool) {
	change := make([]bool, m)
	needed := make([]bool, m)
	probe := func(from int) bool {
		for i := range change {
			change[i] = i >= from && !needed[i]
		}
		return r.Try(with(change))
	}
	if m == 0 || probe(0) || m == 1 {
		return false
	}
	if m <= 8 {
		clear(change)
		for i := range change {
			change[i] = true
			if !r.Try(with(change)) {
				change[i] = false
			}
		}
		return false
	}
	count, gap := 0, m/2
	for c := m; c > 0; c-- {
		lo, hi := -1, c // items before hi stay; lo is too few
		if count <= 8 || count&(count-1) == 0 {
			if count > 0 && probe(0) {
				return false
			}
			lo = 0
		}
		if quit(count) {
			return true
		}
		for hi-lo > 1 {
			if r.Done() {
				return false
			}
			h := hi - gap
			if h <= lo {
				h = lo + (hi-lo)/2
			}
			if probe(h) {
				hi, gap = h, 2*gap
			} else {
				lo, gap = h, m
			}
		}
		if hi == 0 {
			return false
		}
		gap = c - hi + 1
		needed[hi-1] = true
		count++
		c = hi
	}
	return false
}

// Change changes as many items as it can, and gives up after so many evaluations without success if there are many items: with returns the
// input in which those that it is given are changed.
func Change[I, E any](r *Loop[I], items []E, misses int, with func(some []E) I) {
	r.Settle(len(items), r.Impatient(len(items), misses), func(change []bool) I {
		var some []E
		for i, e := range items {
			if change[i] {
				some = append(some, e)
			}
		}
		return with(some)
	})
}

// Replace gives as many words as it can the first of plain values, of those left as many as it can the next, and so on. of returns the words of an
// input, and with the input with others.
func (r *Loop[I]) Replace(of func(in I) []uint64, with func(in I, words []uint64) I, plain ...uint64) {
	for k, v := range plain {
		base, words := r.Cur, of(r.Cur)
		var items []int
		for i, w := range words {
			if !slices.Contains(plain[:k+1], w) {
				items = append(items, i)
			}
		}
		Change(r, items, StepMisses, func(some []int) I {
			own := slices.Clone(words)
			for _, i := range some {
				own[i] = v
			}
			return with(base, own)
		})
	}
}

// manyItems is from how many items on Impatient gives up the sooner, the more there are: making a candidate and running it take time for each.
const manyItems = 1 << 12

// Impatient is a quit of Settle for m items: it gives up after limit candidates without success, if there are many items, and sooner if there are thousands.
func (r *Loop[I]) Impatient(m, limit int) func(int) bool {
	if m > manyItems {
		limit = max(limit*manyItems/m, limit/16)
	}
	start := r.Tries()
	return func(int) bool { return m > ManyItems && r.Tired(start, limit) }
}

// Rows leaves one of m rows of a call, the one that fails if that fails alone, and else as few as it can: without returns the input
// without the rows marked, and must not keep its argument.
func (r *Loop[I]) Rows(m, failing int, without func(drop []bool) I) {
	if m < 2 {
		return
	}
	drop := make([]bool, m)
	for i := range drop {
		drop[i] = i != failing
	}
	if !r.Try(without(drop)) {
		r.Settle(m, r.Impatient(m, PhaseMisses), without)
	}
}

// Without returns list without the groups marked, each of size items.
func Without[S ~[]E, E any](list S, size int, drop []bool) (left S) {
	for i, dropped := range drop {
		if !dropped {
			left = append(left, list[i*size:(i+1)*size]...)
		}
	}
	return left
}

// Ends keeps, of n items, the shortest run of the first or of the last ones that fails, among the lengths at which kernels change what
// they do and those that a binary search comes to. part returns the input with the items from lo to hi-1, of which one is an end.
func (r *Loop[I]) Ends(n int, part func(lo, hi int) (I, bool)) {
	below := 0
	first := func(v int) (I, bool) { return part(0, v) }
	last := func(v int) (I, bool) { return part(n-v, n) }
	for _, v := range partLengths(n) {
		for _, at := range []func(int) (I, bool){first, last} {
			if !r.tryAt(at, v) {
				continue
			}
			for v-below > 1 && !r.Done() {
				if mid := below + (v-below)/2; r.tryAt(at, mid) {
					v = mid
				} else {
					below = mid
				}
			}
			return
		}
		if below = v; r.Done() {
			return
		}
	}
}

// partLengths returns, in ascending order, lengths below n at which kernels change what they do: small ones, powers of two and their
// neighbours, and those that share a remainder or a divisor with n.
func partLengths(n int) []int {
	var out []int
	for v := 1; v <= 9; v++ {
		out = append(out, v, n/v)
	}
	for p := 2; p < n; p *= 2 {
		out = append(out, p-1, p, p+1, n%p, p+n%p)
	}
	for v := 10; v <= 64; v++ {
		if n%v == 0 {
			out = append(out, v)
		}
	}
	out = slices.DeleteFunc(out, func(v int) bool { return v <= 0 || v >= n })
	slices.Sort(out)
	return slices.Compact(out)
}

// maxChunks is the number of chunks in a list up to which Chunks tries each, and those halfway between.
const maxChunks = 16

// Chunks removes chunks of items, from the largest power of two down, so that the number of items keeps its remainder modulo their size.
// count returns how many items the current input has, and without returns it without those from lo to hi-1.
func (r *Loop[I]) Chunks(count func() int, without func(lo, hi int) (I, bool)) {
	for size := 1 << bits.Len(uint(max(count()-1, 0))) / 2; size > 0 && count() <= maxChunks*size; size /= 2 {
		for at := 0; at+size <= count() && size < count() && !r.Done(); {
			if in, ok := without(at, at+size); !ok || !r.Try(in) {
				at += max(1, size/2)
			}
		}
	}
}
