package model_test

import "math/big"

// toyTree is the max-plus dynamic programme over all inputs, all trees and all permutations at once.
// Rounding errors add up and depend on computed values alone, so that of all ways to reach a
// computed value s with n leaves only the best matters, for an objective that adds up too.
//
// The objective is e - λ·a, which Dinkelbach's iteration brings to the greatest e/a: it is exact,
// in integers, for λ = num/den.
type toyTree struct {
	toy
	nums  []int64
	at    []int32 // index of number x is at[x/unit + offset]
	unit  int64
	leafs []leaf
	sum   []int32 // two outcomes of nums[i]+nums[j] at 2·(i·m+j); -1 is outside the window
	fused bool    // additions may take an exact term instead of a rounded one
	chain bool    // and only the running sum's
	terms []int32 // outcomes of nums[i]+leafs[j].x, as sum
}

// leaf is an exact term x that enters as the number v with error e = v - x.
type leaf struct {
	x    int64
	v    int32
	e, a int64
}

// newToyTree returns the programme over t's numbers with the exact terms given; nil is t's numbers.
func newToyTree(t toy, exact []int64) *toyTree {
	d := &toyTree{toy: t, nums: t.numbers(), unit: t.quantum}
	m := len(d.nums)
	d.at = make([]int32, 2*(int64(1)<<t.top)/d.unit+1)
	for i := range d.at {
		d.at[i] = -1
	}
	for i, x := range d.nums {
		d.at[(x+int64(1)<<t.top)/d.unit] = int32(i)
	}
	d.sum = make([]int32, 2*m*m)
	for i, a := range d.nums {
		for j, b := range d.nums {
			r0, r1 := d.round(d.operand(a) + d.operand(b))
			d.sum[2*(i*m+j)], d.sum[2*(i*m+j)+1] = d.index(r0), d.index(r1)
		}
	}
	if exact == nil {
		for i, x := range d.nums {
			d.leafs = append(d.leafs, leaf{x: x, v: int32(i), a: max(x, -x)})
		}
		return d
	}
	for _, x := range exact {
		r0, r1 := d.round(x)
		for k, r := range []int64{r0, r1} {
			if i := d.index(r); i >= 0 && (k == 0 || r1 != r0) {
				d.leafs = append(d.leafs, leaf{x: x, v: i, e: r - x, a: max(x, -x)})
			}
		}
	}
	return d
}

// fuse lets every addition take an exact term, or if chain is set only additions to a running sum.
func (d *toyTree) fuse(chain bool) *toyTree {
	d.fused, d.chain = true, chain
	for _, s := range d.nums {
		for _, l := range d.leafs {
			r0, r1 := d.round(d.operand(s) + l.x)
			d.terms = append(d.terms, d.index(r0), d.index(r1))
		}
	}
	return d
}

func (d *toyTree) index(x int64) int32 {
	i := (x + int64(1)<<d.top) / d.unit
	if x < -(int64(1)<<d.top) || i >= int64(len(d.at)) {
		return -1
	}
	return d.at[i]
}

// level is the best point for each number; a < 0 marks a number that nothing reaches.
type level []point

func (d *toyTree) newLevel() level {
	l := make(level, len(d.nums))
	for i := range l {
		l[i].a = -1
	}
	return l
}

// offer replaces l[i] by (e, a) if that is better for num/den.
func (l level) offer(i int32, e, a, num, den int64) {
	if i < 0 {
		return
	}
	if q := &l[i]; q.a < 0 || e*den-a*num > q.e*den-q.a*num {
		*q = point{e, a}
	}
}

// first returns the level of single leaves.
func (d *toyTree) first(num, den int64) level {
	l := d.newLevel()
	for _, f := range d.leafs {
		l.offer(f.v, f.e, f.a, num, den)
	}
	return l
}

// join offers to dst every sum of a number of x and one of y.
func (d *toyTree) join(dst, x, y level, num, den int64) {
	m := len(d.nums)
	for i, p := range x {
		if p.a < 0 {
			continue
		}
		row := d.sum[2*i*m : 2*(i+1)*m]
		for j, q := range y {
			if q.a < 0 {
				continue
			}
			exact := d.nums[i] + d.nums[j]
			for k := range 2 {
				if s := row[2*j+k]; s >= 0 {
					dst.offer(s, p.e+q.e+d.nums[s]-exact, p.a+q.a, num, den)
				}
				if row[2*j] == row[2*j+1] {
					break
				}
			}
		}
	}
}

// fuseInto offers to dst every number of x plus one exact term.
func (d *toyTree) fuseInto(dst, x level, num, den int64) {
	m := len(d.leafs)
	for i, p := range x {
		if p.a < 0 {
			continue
		}
		for j, f := range d.leafs {
			for k := range 2 {
				if s := d.terms[2*(i*m+j)+k]; s >= 0 {
					dst.offer(s, p.e+d.nums[s]-d.nums[i]-f.x, p.a+f.a, num, den)
				}
			}
		}
	}
}

// byLeaves returns the levels of 1 to n leaves, over all trees.
func (d *toyTree) byLeaves(n int, num, den int64) []level {
	levels := []level{d.first(num, den)}
	for k := 2; k <= n; k++ {
		l := d.newLevel()
		if d.fused {
			d.fuseInto(l, levels[k-2], num, den)
		}
		for i := 1; i <= k/2 && !d.chain; i++ {
			d.join(l, levels[i-1], levels[k-i-1], num, den)
		}
		levels = append(levels, l)
	}
	return levels
}

// byHeight returns the level of the trees of height at most h.
func (d *toyTree) byHeight(h int, num, den int64) level {
	l := d.first(num, den)
	for range h {
		next := d.newLevel()
		if d.fused {
			d.fuseInto(next, l, num, den)
		}
		if !d.chain {
			d.join(next, l, l, num, den)
		}
		l = next
	}
	return l
}

// pairwise returns the level of the balanced tree over n leaves.
func (d *toyTree) pairwise(n int, num, den int64, memo map[int]level) level {
	if l, ok := memo[n]; ok {
		return l
	}
	var l level
	if n == 1 {
		l = d.first(num, den)
	} else {
		l = d.newLevel()
		d.join(l, d.pairwise(n/2, num, den, memo), d.pairwise(n-n/2, num, den, memo), num, den)
	}
	memo[n] = l
	return l
}

// best returns the point of the level with the greatest e·den - a·num.
func (l level) best(num, den int64) (q point, value int64) {
	q.a = -1
	for _, p := range l {
		if p.a >= 0 && (q.a < 0 || p.e*den-p.a*num > value) {
			q, value = p, p.e*den-p.a*num
		}
	}
	return q, value
}

// supremum returns the greatest e/a, by Dinkelbach's iteration over run's levels from a start that
// is not above it.
func supremum(start *big.Rat, run func(num, den int64) level) *big.Rat {
	num, den := start.Num().Int64(), start.Denom().Int64()
	for {
		q, value := run(num, den).best(num, den)
		if value <= 0 {
			return fraction(num, den)
		}
		r := fraction(q.e, q.a)
		num, den = r.Num().Int64(), r.Denom().Int64()
	}
}

// supLeaves returns the greatest error/A over all trees with n leaves, for n = 1 to most.
func (d *toyTree) supLeaves(most int) []*big.Rat {
	var sups []*big.Rat
	sup := fraction(0, 1)
	for n := 1; n <= most; n++ {
		sup = supremum(sup, func(num, den int64) level { return d.byLeaves(n, num, den)[n-1] })
		sups = append(sups, sup)
	}
	return sups
}

// supHeight returns the greatest error/A over all trees of height at most h.
func (d *toyTree) supHeight(h int) *big.Rat {
	return supremum(fraction(0, 1), func(num, den int64) level { return d.byHeight(h, num, den) })
}

// supPairwise returns the greatest error/A of the balanced tree over n leaves.
func (d *toyTree) supPairwise(n int) *big.Rat {
	return supremum(fraction(0, 1), func(num, den int64) level {
		return d.pairwise(n, num, den, map[int]level{})
	})
}
