package eval

import (
	"math"
	"slices"

	"gamma/model"
	"gamma/model/round"
)

// Limits of the search for reachable values, beyond which it is not complete.
const (
	maxStates = 1 << 20 // sub-multisets of the leaves
	maxPairs  = 1 << 24 // ways to cut a sub-multiset in two
	maxAdds   = 1 << 29 // additions tried
)

// Reachable32 returns every value that some order of additions gives for leaves x in binary32: over
// all binary trees and all permutations of the leaves, in order of their bits, all NaNs as
// 0x7fc00000. complete is false if that was too much: then values holds some of them, or none. At
// most limit values are kept for each part of the leaves.
//
// Special: no leaves give +0, one leaf itself; +0 and -0 are two values.
// Cost:    with n different leaves 3^n/2 pairs of parts, each times the product of their numbers of
// values: n = 12 takes some hundredths of a second, n = 15 is the most. Equal leaves count as one kind.
// Source: [TorchLean] sumTreeResult, without its restriction to finite evaluations: SumTreeResult.
func Reachable32(x []float32, limit int) (values []float32, complete bool) {
	set, complete := reach(singles(Bits32(x), canonical(model.Binary32)), limit, pairOps{add: add32})
	return floats32(set), complete
}

// ReachableBits is Reachable32 in any arithmetic, over encodings of a.F. Each addition may be done in another arithmetic of the same format
// instead, one of also.
func ReachableBits(a round.Arith, x []uint64, limit int, also ...round.Arith) (values []uint64, complete bool) {
	return reach(singles(x, canonical(a.F)), limit, operations(false, a, also)...)
}

// operations returns the ways to combine two parts in each of several arithmetics of one format.
func operations(contract bool, a round.Arith, also []round.Arith) []pairOps {
	nan := canonical(a.F)
	var list []pairOps
	for _, a := range append([]round.Arith{a}, also...) {
		ops := pairOps{add: func(p, q uint64) uint64 { return nan(a.Add(p, q)) }}
		if contract {
			ops.fma = func(x, y, z uint64) uint64 { return nan(a.Fma(x, y, z)) }
		}
		list = append(list, ops)
	}
	return list
}

// ReachableDot32 returns every value of a dot product in binary32: products rounded and added in any
// order, and, if contract is true, any addition of a product perhaps fused with it.
func ReachableDot32(x, y []float32, contract bool, limit int) (values []float32, complete bool) {
	ops := pairOps{add: add32}
	if contract {
		ops.fma = func(p, q, z uint64) uint64 {
			return bits32(fma32(from32(p), from32(q), from32(z)))
		}
	}
	mul := func(p, q uint64) []uint64 { return []uint64{bits32(float32(from32(p) * from32(q)))} }
	set, complete := reach(products(Bits32(x), Bits32(y), mul), limit, ops)
	return floats32(set), complete
}

// ReachableDotBits is ReachableDot32 in any arithmetic. Each operation may be done in another arithmetic of the same format instead, one of also.
func ReachableDotBits(a round.Arith, x, y []uint64, contract bool, limit int, also ...round.Arith) (values []uint64, complete bool) {
	nan := canonical(a.F)
	mul := func(p, q uint64) []uint64 {
		list := []uint64{nan(a.Mul(p, q))}
		for _, a := range also {
			list = append(list, nan(a.Mul(p, q)))
		}
		return list
	}
	return reach(products(x, y, mul), limit, operations(contract, a, also)...)
}

// canonical returns a function that makes every NaN of f the same.
func canonical(f model.Format) func(uint64) uint64 {
	return func(b uint64) uint64 {
		if f.IsNaN(b) {
			return f.NaNBits()
		}
		return b
	}
}

func from32(b uint64) float32 { return math.Float32frombits(uint32(b)) }

func bits32(v float32) uint64 {
	if v != v {
		return 0x7fc00000
	}
	return uint64(math.Float32bits(v))
}

func add32(p, q uint64) uint64 { return bits32(from32(p) + from32(q)) }

func floats32(set []uint64) []float32 {
	out := make([]float32, len(set))
	for i, b := range set {
		out[i] = from32(b)
	}
	return out
}

// kind is a leaf, or a product of leaves, that occurs count times.
type kind struct {
	values []uint64 // what it may be by itself
	x, y   uint64   // factors, where it is a product
	count  int
}

// pairOps are the ways to combine two parts. The results have one NaN only.
type pairOps struct {
	add func(p, q uint64) uint64
	fma func(x, y, z uint64) uint64 // nil: products are not fused
	// keep says which results count, of all ways if it is set in the first; nil: all.
	keep func(uint64) bool
}

// singles groups equal leaves.
func singles(x []uint64, nan func(uint64) uint64) []kind {
	var out []kind
	at := map[uint64]int{}
	for _, b := range x {
		b = nan(b)
		i, ok := at[b]
		if !ok {
			i = len(out)
			at[b] = i
			out = append(out, kind{values: []uint64{b}})
		}
		out[i].count++
	}
	return out
}

// products groups equal products; mul returns what one may be.
func products(x, y []uint64, mul func(p, q uint64) []uint64) []kind {
	if len(x) != len(y) {
		panic(tooFewValues(len(x), len(y)))
	}
	var out []kind
	at := map[[2]uint64]int{}
	for i := range x {
		key := [2]uint64{min(x[i], y[i]), max(x[i], y[i])}
		j, ok := at[key]
		if !ok {
			j = len(out)
			at[key] = j
			out = append(out, kind{values: mul(key[0], key[1]), x: key[0], y: key[1]})
		}
		out[j].count++
	}
	return out
}

// reach returns what the leaves of the given kinds can add up to, in increasing order of bits.
//
// A part is a sub-multiset: digit i of its number, in the mixed radix count+1, says how many of kind
// i are in it. The values of a part are those of single leaves, and every value of a smaller
// part combined with every value of the rest, in each of the given ways. Smaller parts have smaller numbers.
func reach(kinds []kind, limit int, ways ...pairOps) (values []uint64, complete bool) {
	if len(kinds) == 0 {
		return []uint64{0}, true
	}
	stride := make([]int, len(kinds))
	states, pairs := 1, 1.0
	for i, k := range kinds {
		stride[i] = states
		if states > maxStates/(k.count+1) {
			return nil, false
		}
		states *= k.count + 1
		pairs = float64(pairs * (float64((k.count+1)*(k.count+2)) / 2))
	}
	if pairs > maxPairs {
		return nil, false
	}
	var (
		sets  = make([][]uint64, states)
		one   = make(map[int]*kind, len(kinds)) // parts of one leaf
		digit = make([]int, len(kinds))         // of the part
		sub   = make([]int, len(kinds))         // of the smaller part
		seen  hashSet
		adds  = 0
		whole = true
	)
	for i := range kinds {
		one[stride[i]] = &kinds[i]
	}
	for s := 1; s < states; s++ {
		for i := range digit { // count up
			if digit[i]++; digit[i] <= kinds[i].count {
				break
			}
			digit[i] = 0
		}
		seen.reset()
		full := false
		put := func(b uint64) {
			if keep := ways[0].keep; full || keep != nil && !keep(b) {
				return
			}
			if seen.add(b); seen.len() > limit {
				full = true
			}
		}
		if k := one[s]; k != nil {
			for _, b := range k.values {
				put(b)
			}
		}
		clear(sub)
		for p := 0; ; {
			// The next sub-multiset.
			i := 0
			for ; i < len(sub); i++ {
				if sub[i] < digit[i] {
					sub[i]++
					p += stride[i]
					break
				}
				p -= sub[i] * stride[i]
				sub[i] = 0
			}
			if i == len(sub) || full {
				break
			}
			q := s - p
			if p > q || q == 0 {
				continue
			}
			as, bs := sets[p], sets[q]
			if adds += len(as) * len(bs) * len(ways); adds > maxAdds {
				return nil, false
			}
			for i := range ways {
				ways[i].combine(as, bs, one[p], one[q], put)
			}
		}
		sets[s] = seen.sorted(limit)
		whole = whole && !full
	}
	return sets[states-1], whole
}

// combine puts the results of two parts that have the values as and bs; k and l are the products that they are, nil for others.
func (o *pairOps) combine(as, bs []uint64, k, l *kind, put func(uint64)) {
	for _, a := range as {
		for _, b := range bs {
			put(o.add(a, b))
		}
	}
	if o.fma == nil {
		return
	}
	if k != nil {
		for _, b := range bs {
			put(o.fma(k.x, k.y, b))
		}
	}
	if l != nil {
		for _, a := range as {
			put(o.fma(l.x, l.y, a))
		}
	}
}

// hashSet is a set of encodings that is emptied without touching all of it.
type hashSet struct {
	slot []hashSlot // a power of two of them, at most half full
	gen  uint32
	list []uint64
}

type hashSlot struct {
	key uint64
	gen uint32 // in the set if it is the set's
}

func (h *hashSet) len() int { return len(h.list) }

func (h *hashSet) reset() {
	if h.slot == nil {
		h.slot = make([]hashSlot, 256)
	}
	h.gen++
	h.list = h.list[:0]
}

func (h *hashSet) add(key uint64) {
	if !h.insert(key) {
		return
	}
	h.list = append(h.list, key)
	if 2*len(h.list) > len(h.slot) {
		h.slot = make([]hashSlot, 4*len(h.slot))
		for _, k := range h.list {
			h.insert(k)
		}
	}
}

// insert puts key into a slot, and reports whether it was not there.
func (h *hashSet) insert(key uint64) bool {
	mask := uint64(len(h.slot) - 1)
	i := key * 0x9e3779b97f4a7c15
	for i = (i ^ i>>32) & mask; ; i = (i + 1) & mask {
		switch s := &h.slot[i]; {
		case s.gen != h.gen:
			*s = hashSlot{key, h.gen}
			return true
		case s.key == key:
			return false
		}
	}
}

// sorted returns the first limit elements that were added, in increasing order.
func (h *hashSet) sorted(limit int) []uint64 {
	out := slices.Clone(h.list[:min(len(h.list), max(limit, 0))])
	slices.Sort(out)
	return out
}
