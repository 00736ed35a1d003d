package model_test

import (
	"math/big"
	"math/bits"

	"gamma/model"
)

// The exhaustive tests of the bounds use toy numbers: int64 multiples of a unit, at most p
// significant bits, and multiples of quantum, which is the least subnormal number. Leaves of
// products are finer than quantum. Rounding is by shifts of integers, independent of model/round.

// direction is a rounding rule of toy numbers; the last two are sets of outcomes.
type direction int

const (
	rne direction = iota
	rna
	up
	down
	zero
	anyTie       // either neighbour at a tie
	anyNeighbour // either neighbour of an inexact number
	truncOrNear  // toward zero or to nearest, either neighbour at a tie
)

var directionNames = [...]string{"rne", "rna", "up", "down", "zero", "any tie", "any neighbour", "toward zero or to nearest"}

func (d direction) String() string { return directionNames[d] }

// toy is the arithmetic of toy numbers with |x| <= 2^top.
type toy struct {
	p       int
	quantum int64 // a power of two
	top     int
	dir     direction
	flush   model.Flush
}

// normal returns the least normal number.
func (t toy) normal() int64 { return t.quantum << (t.p - 1) }

// round returns the outcomes of rounding x, equal but for sets of outcomes.
func (t toy) round(x int64) (r0, r1 int64) {
	neg := x < 0
	m := max(x, -x)
	if t.flush.Out && t.flush.Before && m < t.normal() {
		return 0, 0
	}
	ulp := t.quantum
	if n := bits.Len64(uint64(m)) - t.p; n > 0 {
		ulp = max(ulp, int64(1)<<n)
	}
	lo := m &^ (ulp - 1)
	hi := lo
	if rest := m - lo; rest != 0 {
		above, both := false, false
		switch t.dir {
		case rne:
			above = 2*rest > ulp || 2*rest == ulp && lo&ulp != 0
		case rna:
			above = 2*rest >= ulp
		case up:
			above = !neg
		case down:
			above = neg
		case zero:
		case anyTie:
			above, both = 2*rest >= ulp, 2*rest == ulp
		case anyNeighbour:
			above, both = true, true
		case truncOrNear:
			above = 2*rest >= ulp
			both = above
		}
		if above {
			hi = lo + ulp
		}
		if !both {
			lo = hi
		}
	}
	if t.flush.Out {
		if lo < t.normal() {
			lo = 0
		}
		if hi < t.normal() {
			hi = 0
		}
	}
	if neg {
		return -lo, -hi
	}
	return lo, hi
}

// one returns the outcome of rounding x where there is only one.
func (t toy) one(x int64) int64 {
	r, _ := t.round(x)
	return r
}

// operand returns what an operation reads for x.
func (t toy) operand(x int64) int64 {
	if t.flush.In && max(x, -x) < t.normal() {
		return 0
	}
	return x
}

// twoSum returns fl(a+b) and the rest, which is a toy number for rounding to nearest.
func (t toy) twoSum(a, b int64) (s, e int64) {
	s = t.one(a + b)
	return s, a + b - s
}

// numbers returns all toy numbers of the window, ascending.
func (t toy) numbers() []int64 {
	var list []int64
	for m := int64(0); m <= int64(1)<<t.top; {
		list = append(list, m)
		ulp := t.quantum
		if n := bits.Len64(uint64(m)) - t.p; n > 0 {
			ulp = max(ulp, int64(1)<<n)
		}
		m += ulp
	}
	n := len(list)
	all := make([]int64, 0, 2*n-1)
	for i := n - 1; i > 0; i-- {
		all = append(all, -list[i])
	}
	return append(all, list...)
}

// format returns the toy's format where its unit is quantum.
func (t toy) format() model.Format { return wide(t.p, 0) }

// wide returns a format of precision p and enough range, whose least subnormal number is 2^grid.
func wide(p, grid int) model.Format {
	emin := grid + p - 1
	return model.Format{
		Name: "wide", P: p, Emin: emin, Emax: emin + 60, ExpBits: 7, MaxFinite: 1<<p - 1, HasInf: true,
	}
}

// rounding returns the claim's word for d.
func (d direction) rounding() model.Rounding {
	switch d {
	case rna, anyTie:
		return model.NearestAway
	case up, anyNeighbour:
		return model.TowardPositive
	case down:
		return model.TowardNegative
	case zero, truncOrNear:
		return model.TowardZero
	}
	return model.NearestEven
}

// point is a result whose signed error computed - exact is e, over terms whose magnitudes sum to a.
type point struct{ e, a int64 }

// front is a set of points of which none has both a smaller error and a larger sum than another,
// ascending in both. A bound that grows with a and not with e holds for all inputs if it does for
// those of the front; errors below zero are mirrored by those above, and are dropped where e
// cannot recover.
type front []point

// with returns f with q, if no point makes it superfluous.
func (f front) with(q point) front {
	i := len(f)
	for i > 0 && f[i-1].a > q.a {
		i--
	}
	if i > 0 && f[i-1].e >= q.e {
		return f
	}
	j := i
	for j < len(f) && f[j].e <= q.e {
		j++
	}
	if i > 0 && f[i-1].a == q.a {
		i--
	}
	switch {
	case j == i+1:
		f[i] = q
		return f
	case j > i:
		f[i] = q
		return append(f[:i+1], f[j:]...)
	}
	f = append(f, point{})
	copy(f[i+1:], f[i:])
	f[i] = q
	return f
}

// fraction returns a/b.
func fraction(a, b int64) *big.Rat { return big.NewRat(a, b) }
