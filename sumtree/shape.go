package sumtree

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Limits of what Parse and Builder make.
const (
	// MaxLeaves is the largest leaf count that Parse accepts.
	MaxLeaves = 1 << 26
	// MaxNodes is the largest node count of a Builder.
	MaxNodes = 1 << 26
)

// Shape is a family of trees, one for every leaf count. The zero value is left. Shapes compare
// with ==.
type Shape struct {
	family family
	param  int // width, block, base or arity
	second int // threads, of simd
	seed   uint64
	order  order
	by     uint64 // seed of the permutation
}

type family uint8

const (
	famLeft family = iota
	famRight
	famPairwise
	famBlocked
	famLanes
	famChunks
	famXor
	famDown
	famSimd
	famHalving
	famKary
	famNumpy
	famSplits
	famShapes
	famNary
)

// order says how the leaves are assigned to the slots of the shape.
type order uint8

const (
	inOrder order = iota
	reversed
	permuted
)

// familyNames and the number of parameters after the name, the seed included.
var familyNames = [...]struct {
	name   string
	params int
	seeded bool
}{
	famLeft:     {"left", 0, false},
	famRight:    {"right", 0, false},
	famPairwise: {"pairwise", 1, false},
	famBlocked:  {"blocked", 1, false},
	famLanes:    {"lanes", 1, false},
	famChunks:   {"chunks", 1, false},
	famXor:      {"xor", 1, false},
	famDown:     {"down", 1, false},
	famSimd:     {"simd", 2, false},
	famHalving:  {"halving", 0, false},
	famKary:     {"kary", 1, false},
	famNumpy:    {"numpy", 0, false},
	famSplits:   {"random/splits", 0, true},
	famShapes:   {"random/shapes", 0, true},
	famNary:     {"random/nary", 1, true},
}

// Left adds from the left: ((x0 + x1) + x2) + …
func Left() Shape { return Shape{} }

// Right adds from the right: x0 + (x1 + (x2 + …)).
func Right() Shape { return Shape{family: famRight} }

// Pairwise splits a range of m > base leaves into floor(m/2) and the rest, and adds up to base
// leaves from the left.
func Pairwise(base int) Shape { return mustShape(Shape{family: famPairwise, param: base}) }

// Blocked adds blocks of b leaves from the left, then the blocks' sums from the left.
func Blocked(b int) Shape { return mustShape(Shape{family: famBlocked, param: b}) }

// Lanes adds leaves j, j+w, j+2w, … from the left for each of w lanes j, then the lanes pairwise.
// Lanes that get no leaf take no part.
func Lanes(w int) Shape { return mustShape(Shape{family: famLanes, param: w}) }

// Chunks cuts n leaves into chunks of ceil(n/w), adds each from the left, then the chunks pairwise.
func Chunks(w int) Shape { return mustShape(Shape{family: famChunks, param: w}) }

// ShuffleXor adds leaves j, j+w, j+2w, … from the left for each of w lanes j, w a power of two, then the
// lanes by shuffle-xor with masks w/2, …, 2, 1, as lane 0 sees it. Lanes that get no leaf take no
// part. With ascending masks the tree is that of Lanes.
func ShuffleXor(w int) Shape { return mustShape(Shape{family: famXor, param: w}) }

// ShuffleDown is ShuffleXor with shuffle-down and offsets w/2, …, 2, 1. Lane 0 sees the same tree; the other
// lanes, whose results differ, are not described.
func ShuffleDown(w int) Shape { return mustShape(Shape{family: famDown, param: w}) }

// Simd adds leaves j, j+t, j+2t, … from the left for each of t threads j, then the threads of each
// simdgroup of w by shuffle-xor, then the simdgroups' results by shuffle-xor.
func Simd(w, t int) Shape { return mustShape(Shape{family: famSimd, param: w, second: t}) }

// Halving adds x[i] += x[i+ceil(m/2)] while m > 1 values are left.
func Halving() Shape { return Shape{family: famHalving} }

// Kary adds runs of k neighbours from the left, then runs of k results, until one is left.
func Kary(k int) Shape { return mustShape(Shape{family: famKary, param: k}) }

// Numpy adds as NumPy does: 8 lanes in blocks of up to 128, above that pairwise, split at a
// multiple of 8.
func Numpy() Shape { return Shape{family: famNumpy} }

// RandomSplits splits every range of m leaves at one of its m-1 places, each equally likely.
func RandomSplits(seed uint64) Shape { return Shape{family: famSplits, seed: seed} }

// RandomShapes is one of the binary trees with n leaves, each equally likely. Its height grows as √n.
func RandomShapes(seed uint64) Shape { return Shape{family: famShapes, seed: seed} }

// RandomNary splits every range into 2 to k parts, and adds the parts from the left.
func RandomNary(k int, seed uint64) Shape {
	return mustShape(Shape{family: famNary, param: k, seed: seed})
}

// Reverse returns s over the leaves from the last to the first.
func (s Shape) Reverse() Shape {
	s.order, s.by = reversed, 0
	return s
}

// Permute returns s over the leaves in a random order, each equally likely.
func (s Shape) Permute(seed uint64) Shape {
	s.order, s.by = permuted, seed
	return s
}

// maxParam limits widths, blocks, bases and arities, so that no arithmetic on them overflows.
const maxParam = 1 << 30

// check returns an error if a parameter of s is out of its domain.
func (s Shape) check() error {
	least := 1
	if s.family == famKary || s.family == famNary {
		least = 2
	}
	if p := familyNames[s.family].params; p > 0 && (s.param < least || s.param > maxParam) {
		return fmt.Errorf("the parameter of %s is between %d and %d, not %d",
			familyNames[s.family].name, least, maxParam, s.param)
	}
	switch s.family {
	case famXor, famDown:
		if s.param&(s.param-1) != 0 {
			return fmt.Errorf("the width of %s is a power of two, not %d", familyNames[s.family].name, s.param)
		}
	case famSimd:
		if s.param&(s.param-1) != 0 || s.second < s.param || s.second > maxParam || s.second%s.param != 0 {
			return fmt.Errorf("simd/W/T has a power of two W and a multiple T of it, not %d and %d", s.param, s.second)
		}
	}
	return nil
}

// mustShape panics if a shape's parameters are out of their domain.
func mustShape(s Shape) Shape {
	if s.check() == nil {
		return s
	}
	switch s.family {
	case famXor, famDown, famSimd:
		panic(badShapeWarp)
	}
	panic(badShapeWidth)
}

// String returns the name that ParseShape reads.
func (s Shape) String() string {
	var b strings.Builder
	b.WriteString(familyNames[s.family].name)
	switch {
	case s.family == famPairwise && s.param == 1:
	case s.family == famSimd:
		fmt.Fprintf(&b, "/%d/%d", s.param, s.second)
	case familyNames[s.family].params > 0:
		fmt.Fprintf(&b, "/%d", s.param)
	}
	if familyNames[s.family].seeded {
		fmt.Fprintf(&b, "/%d", s.seed)
	}
	switch s.order {
	case reversed:
		b.WriteString("@reverse")
	case permuted:
		fmt.Fprintf(&b, "@perm/%d", s.by)
	}
	return b.String()
}

// ParseShape is the inverse of Shape.String: left, right, pairwise, pairwise/BASE, blocked/B,
// lanes/W, chunks/W, xor/W, down/W, simd/W/T, halving, kary/K, numpy, random/splits/SEED,
// random/shapes/SEED, random/nary/K/SEED, each optionally followed by @reverse or @perm/SEED.
func ParseShape(name string) (Shape, error) {
	s, err := parseShape(name)
	if err != nil {
		return Shape{}, fmt.Errorf("sumtree: shape %.100q: %w", name, err)
	}
	return s, nil
}

func parseShape(name string) (s Shape, err error) {
	base, suffix, has := strings.Cut(name, "@")
	if has {
		seed, isPerm := strings.CutPrefix(suffix, "perm/")
		switch {
		case suffix == "reverse":
			s.order = reversed
		case isPerm:
			s.order = permuted
			if s.by, err = number(seed, 64); err != nil {
				return s, err
			}
		default:
			return s, fmt.Errorf("the leaves are permuted by @reverse or @perm/SEED, not by @%.40s", suffix)
		}
	}
	found := false
	var words []string
	for i, f := range familyNames {
		rest, ok := strings.CutPrefix(base, f.name)
		if !ok || rest != "" && rest[0] != '/' {
			continue
		}
		found = true
		s.family = family(i)
		if rest != "" {
			words = strings.Split(rest[1:], "/")
		}
		break
	}
	if !found {
		return s, fmt.Errorf("no such family; there are left, right, pairwise, pairwise/BASE, blocked/B, lanes/W, " +
			"chunks/W, xor/W, down/W, simd/W/T, halving, kary/K, numpy, random/splits/SEED, random/shapes/SEED and random/nary/K/SEED")
	}
	f := familyNames[s.family]
	want := f.params
	if f.seeded {
		want++
	}
	if s.family == famPairwise && len(words) == 0 {
		s.param = 1
		return s, nil
	}
	if len(words) != want {
		return s, fmt.Errorf("%s takes %d numbers, not %d", f.name, want, len(words))
	}
	if f.seeded {
		if s.seed, err = number(words[want-1], 64); err != nil {
			return s, err
		}
	}
	for i, p := range []*int{&s.param, &s.second}[:f.params] {
		v, err := number(words[i], 31)
		if err != nil {
			return s, err
		}
		*p = int(v)
	}
	return s, s.check()
}

// number reads a decimal number of at most bits bits in its only spelling.
func number(s string, width int) (uint64, error) {
	v, err := strconv.ParseUint(s, 10, width)
	if err != nil || s != strconv.FormatUint(v, 10) {
		return 0, fmt.Errorf("%.40q is not a decimal number below 2^%d, without sign and leading zeros", s, width)
	}
	return v, nil
}

// Permutation returns the leaf in each of n slots, or nil if slot i holds leaf i.
func (s Shape) Permutation(n int) []int32 {
	switch s.order {
	case reversed:
		p := make([]int32, n)
		for i := range p {
			p[i] = int32(n - 1 - i)
		}
		return p
	case permuted:
		return newSource(s.by, streamPermute).permutation(n)
	}
	return nil
}

// Tree returns the tree of the family with n leaves.
//
// Domain: 0 <= n <= 2^31-1; it panics otherwise.
// Cost:   8 bytes and a few nanoseconds a leaf.
func (s Shape) Tree(n int) *Tree {
	if n < 0 || n > maxRef {
		panic(badLeafCount(n))
	}
	t := &Tree{leaves: n, root: LeafRef(0), origin: &named{form: formSum, shape: s}}
	if n < 2 {
		return t
	}
	t.nodes = s.nodes(n)
	t.root = Ref(len(t.nodes) - 1)
	if p := s.Permutation(n); p != nil {
		for i, nd := range t.nodes {
			if nd.L < 0 {
				t.nodes[i].L = ^Ref(p[^nd.L])
			}
			if nd.R < 0 {
				t.nodes[i].R = ^Ref(p[^nd.R])
			}
		}
	}
	return t
}

// nodes returns the nodes for n >= 2 leaves in the shape's own order.
func (s Shape) nodes(n int) []Node {
	switch s.family {
	case famRight:
		return rightNodes(n)
	case famPairwise:
		return pairwiseNodes(n, s.param)
	case famBlocked:
		return blockedNodes(n, s.param)
	case famLanes:
		return lanesNodes(n, s.param)
	case famChunks:
		return chunksNodes(n, s.param)
	case famXor, famDown:
		return warpNodes(n, s.param)
	case famSimd:
		return simdNodes(n, s.param, s.second)
	case famHalving:
		return halvingNodes(n)
	case famKary:
		return karyNodes(n, s.param)
	case famNumpy:
		return numpyNodes(n)
	case famSplits:
		return randomSplits(n, s.seed)
	case famShapes:
		return randomShapes(n, s.seed)
	case famNary:
		return randomNary(n, s.param, s.seed)
	}
	return leftNodes(n)
}

// ceilDiv returns ceil(a/b) of positive numbers.
func ceilDiv(a, b int) int { return (a + b - 1) / b }

// ceilLog2 returns ceil(log2(n)), n >= 1.
func ceilLog2(n int) int { return bits.Len(uint(n - 1)) }

// Height returns the height of Tree(n): in closed form, except for numpy and random shapes, whose
// tree it builds. The tests compare the closed forms with the trees for every n to 4096.
func (s Shape) Height(n int) int {
	if n < 2 {
		return 0
	}
	p := s.param
	switch s.family {
	case famLeft, famRight:
		return n - 1
	case famPairwise:
		return pairwiseHeight(n, p)
	case famBlocked:
		if n <= p {
			return n - 1
		}
		return p - 1 + ceilDiv(n, p) - 1
	case famLanes:
		return lanesHeight(n, p)
	case famChunks:
		c := ceilDiv(n, p)
		return c - 1 + ceilLog2(ceilDiv(n, c))
	case famXor, famDown:
		return ceilDiv(n, p) - 1 + ceilLog2(min(n, p))
	case famSimd:
		return ceilDiv(n, s.second) - 1 + ceilLog2(min(n, p)) + ceilLog2(ceilDiv(min(n, s.second), p))
	case famHalving:
		return ceilLog2(n)
	case famKary:
		h := 0
		for m := n; m > 1; m = ceilDiv(m, p) {
			h += min(m, p) - 1
		}
		return h
	}
	return s.Tree(n).Height()
}

// pairwiseHeight returns the height of pairwise/base: the deepest block is one of the largest or
// one of those that were split once less.
func pairwiseHeight(n, base int) int {
	k, j := 0, 0
	for ceilDiv(n, 1<<k) > base {
		k++
	}
	for n>>j > base {
		j++
	}
	return max(k+ceilDiv(n, 1<<k)-1, j+n>>j-1)
}

// lanesHeight returns the height of lanes/w. The first n mod w lanes are longer by one leaf, and
// the pairwise tree over the lanes has two depths if their number is not a power of two; the sum of
// both maxima is reached if a long lane is as deep as any.
func lanesHeight(n, w int) int {
	k := min(n, w)
	long := n % w // lanes of ceil(n/w) leaves; all of them if 0
	if n < w || long == 0 {
		return ceilDiv(n, w) - 1 + ceilLog2(k)
	}
	first, m := 0, k // the first lane of greatest depth
	for m > 1 {
		if half := m / 2; ceilLog2(half) == ceilLog2(m)-1 {
			m = half
		} else {
			first += half
			m -= half
		}
	}
	if first < long {
		return ceilDiv(n, w) - 1 + ceilLog2(k)
	}
	return ceilDiv(n, w) - 2 + ceilLog2(k)
}

// RandomShape draws a shape for about n leaves: every family is equally likely, its parameters small,
// near a power of two or near n, and one in four permuted.
func RandomShape(rng *rand.Rand, n int) Shape {
	s := Shape{family: family(rng.IntN(len(familyNames)))}
	size := func(least int) int {
		switch rng.IntN(3) {
		case 0:
			return least + rng.IntN(7)
		case 1:
			return max(least, 1<<rng.IntN(9)+rng.IntN(3)-1)
		}
		return least + rng.IntN(max(n, 1))
	}
	switch s.family {
	case famPairwise, famBlocked, famLanes, famChunks:
		s.param = size(1)
	case famKary:
		s.param = size(2)
	case famNary:
		s.param = 2 + rng.IntN(7)
	case famXor, famDown:
		s.param = 1 << rng.IntN(7)
	case famSimd:
		s.param = 1 << rng.IntN(7)
		s.second = s.param * (1 + rng.IntN(32))
	}
	if familyNames[s.family].seeded {
		s.seed = rng.Uint64()
	}
	switch rng.IntN(8) {
	case 0:
		s = s.Reverse()
	case 1:
		s = s.Permute(rng.Uint64())
	}
	return s
}

// Random draws a shape of the same family as s with another seed if it has one, and with
// another seed for the permutation of its leaves if they are permuted.
func (s Shape) Random(rng *rand.Rand) Shape {
	if familyNames[s.family].seeded {
		s.seed = rng.Uint64()
	}
	if s.order == permuted {
		s.by = rng.Uint64()
	}
	return s
}
