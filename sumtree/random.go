package sumtree

import (
	"math/bits"
	"math/rand/v2"
)

// source draws from one PCG. Its bounded draw is its own, so that the same seed gives the same tree
// with every version of math/rand/v2.
type source struct{ pcg rand.PCG }

// The second words of the PCG's seed, so that a shape and its permutation with the same seed do
// not draw the same numbers.
const (
	streamSplits  = 0x73706c697473
	streamShapes  = 0x736861706573
	streamNary    = 0x6e617279
	streamPermute = 0x7065726d
)

func newSource(seed, stream uint64) *source {
	s := new(source)
	s.pcg.Seed(seed, stream)
	return s
}

// below returns a number uniform in [0, n), n > 0, without bias (Lemire's method).
func (s *source) below(n uint64) uint64 {
	hi, lo := bits.Mul64(s.pcg.Uint64(), n)
	if lo < n {
		for least := -n % n; lo < least; {
			hi, lo = bits.Mul64(s.pcg.Uint64(), n)
		}
	}
	return hi
}

// permutation returns a uniform permutation of 0 to n-1 (Fisher and Yates).
func (s *source) permutation(n int) []int32 {
	p := make([]int32, n)
	for i := range p {
		j := s.below(uint64(i) + 1)
		p[i] = p[j]
		p[j] = int32(i)
	}
	return p
}

// randomSplits returns the tree on n >= 2 leaves that splits every range of m leaves after one of
// its first m-1, each with probability 1/(m-1).
func randomSplits(n int, seed uint64) []Node {
	type job struct{ lo, hi, base int32 } // leaves [lo, hi) go to the nodes from base on
	var (
		nodes = make([]Node, n-1)
		s     = newSource(seed, streamSplits)
		stack = make([]job, 0, 64)
		j     = job{0, int32(n), 0}
	)
	for {
		m := j.hi - j.lo
		at := j.base + m - 2
		if m == 2 {
			nodes[at] = Node{^Ref(j.lo), ^Ref(j.lo + 1)}
			if len(stack) == 0 {
				return nodes
			}
			j = stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			continue
		}
		cut := j.lo + 1 + int32(s.below(uint64(m-1)))
		left, right := cut-j.lo, j.hi-cut
		node := Node{Ref(j.base + left - 2), Ref(at - 1)}
		if left == 1 {
			node.L = ^Ref(j.lo)
		}
		if right == 1 {
			node.R = ^Ref(cut)
		}
		nodes[at] = node
		switch {
		case left == 1:
			j = job{cut, j.hi, j.base}
		case right == 1:
			j = job{j.lo, cut, j.base}
		default:
			stack = append(stack, job{cut, j.hi, j.base + left - 1})
			j = job{j.lo, cut, j.base}
		}
	}
}

// randomShapes returns a tree on n >= 2 leaves, each of the Catalan number of binary shapes with
// the same probability.
//
// Cycle lemma: of the 2n-1 rotations of a word of n leaves and n-1 additions exactly one is the
// postfix form of a tree, and the rotations differ from each other; so a uniform word gives a
// uniform tree. With +1 for a leaf and -1 for an addition the postfix form is the rotation whose
// partial sums are all positive; it starts after the last place where the sum is least.
func randomShapes(n int, seed uint64) []Node {
	var (
		s     = newSource(seed, streamShapes)
		total = 2*n - 1
		word  = make([]uint64, (total+63)/64) // bit set: leaf
		left  = uint64(n)                     // leaves to place
		sum   = 0
		least = 0
		start = 0
	)
	for i := range total {
		if s.below(uint64(total-i)) < left {
			word[i>>6] |= 1 << (i & 63)
			left--
			sum++
		} else {
			sum--
		}
		if sum <= least {
			least, start = sum, i+1
		}
	}
	var (
		nodes = make([]Node, 0, n-1)
		stack = make([]Ref, n)
		depth = 0
		leaf  = 0
	)
	for _, r := range [2][2]int{{start, total}, {0, start}} {
		for i := r[0]; i < r[1]; i++ {
			if word[i>>6]>>(i&63)&1 != 0 {
				stack[depth] = ^Ref(leaf)
				leaf++
				depth++
				continue
			}
			depth--
			nodes = append(nodes, Node{stack[depth-1], stack[depth]})
			stack[depth-1] = Ref(len(nodes) - 1)
		}
	}
	return nodes
}

// randomNary returns the tree on n >= 2 leaves that splits every range into 2 to k parts, the
// number and then each next cut uniform among those that leave a leaf for every part, and adds
// the parts from the left.
func randomNary(n, k int, seed uint64) []Node {
	type job struct{ lo, hi, base int32 }
	var (
		nodes = make([]Node, n-1)
		s     = newSource(seed, streamNary)
		stack = []job{{0, int32(n), 0}}
	)
	for len(stack) > 0 {
		j := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		m := int(j.hi - j.lo)
		parts := 2 + int(s.below(uint64(min(k, m)-1)))
		// The parts' nodes come first, then the additions of the parts.
		at := j.base + int32(m-parts)
		var acc Ref
		lo, base := j.lo, j.base
		for p := range parts {
			rest := parts - p - 1
			size := int32(1 + s.below(uint64(int(j.hi-lo)-rest)))
			if rest == 0 {
				size = j.hi - lo
			}
			r := ^Ref(lo)
			if size > 1 {
				r = Ref(base + size - 2)
				stack = append(stack, job{lo, lo + size, base})
			}
			if p == 0 {
				acc = r
			} else {
				nodes[at] = Node{acc, r}
				acc = Ref(at)
				at++
			}
			lo += size
			base += size - 1
		}
	}
	return nodes
}
