package model_test

import "math/bits"

// mixed sums exact terms that enter the numbers of acc, over all trees at once, and rounds the sum
// to out. All integers count the same unit; the quanta may differ.
type mixed struct {
	acc, out toy
	same     bool // out is acc: no conversion
	mean     bool
	wideMean bool // the quotient is taken in acc
	enter    []leafOf
}

// leafOf is an exact term x with one number v that it may enter as; credit is what of the error is
// owed to a flushed factor.
type leafOf struct{ x, v, credit int64 }

// leaves appends x as acc reads it; flush reads it as zero, too.
func (m *mixed) leaf(x int64, flush bool, credit int64) {
	r0, r1 := m.acc.round(x)
	m.enter = append(m.enter, leafOf{x: x, v: r0})
	if r1 != r0 {
		m.enter = append(m.enter, leafOf{x: x, v: r1})
	}
	if flush {
		m.enter = append(m.enter, leafOf{x: x, credit: credit})
	}
}

// sums returns the fronts of acc's numbers after 1 to n leaves.
func (m *mixed) sums(n int) []map[int64]front {
	first := map[int64]front{}
	for _, l := range m.enter {
		first[l.v] = first[l.v].with(point{l.v - l.x - l.credit, max(l.x, -l.x)})
	}
	list := []map[int64]front{first}
	most := int64(1) << m.acc.top
	for k := 2; k <= n; k++ {
		next := map[int64]front{}
		for i := 1; i <= k/2; i++ {
			for a, f := range list[i-1] {
				for b, g := range list[k-i-1] {
					r0, r1 := m.acc.round(m.acc.operand(a) + m.acc.operand(b))
					for _, r := range []int64{r0, r1} {
						if max(r, -r) > most {
							continue
						}
						to := next[r]
						for _, p := range f {
							for _, q := range g {
								to = to.with(point{p.e + q.e + r - a - b, p.a + q.a})
							}
						}
						next[r] = to
						if r0 == r1 {
							break
						}
					}
				}
			}
		}
		list = append(list, next)
	}
	return list
}

// results returns the fronts of n·(mean) or of the sum, as the claim has it.
func (m *mixed) results(sums map[int64]front, n int64) map[int64]front {
	out := map[int64]front{}
	for s, f := range sums {
		for _, r := range m.ends(s, n) {
			to := out[r]
			for _, p := range f {
				to = to.with(point{p.e + r - s, p.a})
			}
			out[r] = to
		}
	}
	return out
}

// ends returns what the sum s may end as, times n for a mean.
func (m *mixed) ends(s, n int64) []int64 {
	narrow := func(x int64) []int64 {
		if m.same {
			return []int64{x}
		}
		r0, r1 := m.out.round(m.acc.operand(x))
		return []int64{r0, r1}
	}
	if !m.mean {
		return narrow(s)
	}
	var ends []int64
	if m.wideMean {
		q0, q1 := m.acc.quotient(m.acc.operand(s), n)
		for _, q := range []int64{q0, q1} {
			for _, r := range narrow(q) {
				ends = append(ends, n*r)
			}
		}
		return ends
	}
	for _, x := range narrow(s) {
		q0, q1 := m.out.quotient(m.out.operand(x), n)
		ends = append(ends, n*q0, n*q1)
	}
	return ends
}

// quotient returns the outcomes of rounding x/n, by rounding x as if numbers and quantum were n
// times as large.
func (t toy) quotient(x, n int64) (r0, r1 int64) {
	neg := x < 0
	m := max(x, -x)
	ulp := t.quantum
	if k := bits.Len64(uint64(m/n)) - t.p; k > 0 {
		ulp = max(ulp, int64(1)<<k)
	}
	lo := m / n / ulp * ulp
	if rest := m - lo*n; rest != 0 {
		// The half way point is kept and nothing else: a quarter, half or three quarters of ulp.
		switch {
		case 2*rest < ulp*n:
			return t.between(neg, lo, ulp, 1)
		case 2*rest == ulp*n:
			return t.between(neg, lo, ulp, 2)
		}
		return t.between(neg, lo, ulp, 3)
	}
	return t.between(neg, lo, ulp, 0)
}

// between returns the outcomes of rounding lo + quarters/4·ulp.
func (t toy) between(neg bool, lo, ulp, quarters int64) (r0, r1 int64) {
	fine := t
	fine.quantum *= 4
	x := 4*lo + quarters*ulp
	if neg {
		x = -x
	}
	r0, r1 = fine.round(x)
	return r0 / 4, r1 / 4
}
