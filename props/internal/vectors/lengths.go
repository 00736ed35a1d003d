package vectors

import (
	"slices"

	"gamma/model"
)

// lengths are those of a law's vectors: multiples of step from least to most.
type lengths struct{ least, most, step int }

// lengthsFor returns the lengths of vectors that a law draws for the subject, at most limit. A kernel that takes no vector so short is
// given its shortest.
func (s *Kernel) lengthsFor(l *Law, limit int) lengths {
	c := &s.Claim
	if l.MaxN > 0 {
		limit = min(limit, l.MaxN)
	}
	if c.MaxN > 0 {
		limit = min(limit, c.MaxN)
	}
	if d := s.Device; d != nil && d.MaxN > 0 {
		limit = min(limit, d.MaxN)
	}
	r := lengths{least: leastLength(c, c.MinN), step: max(c.Multiple, 1)}
	r.most = max(r.least, limit-limit%r.step)
	return r
}

// leastLength returns the least length of at least n that a claim admits, upper limits aside.
func leastLength(c *model.Claim, n int) int {
	n = max(n, c.MinN)
	if k := c.Multiple; k > 1 && n%k != 0 {
		n += k - n%k
	}
	return n
}

// fit returns the greatest of the lengths that is at most n, and the least if none is.
func (r *lengths) fit(n int) int {
	n = min(n, r.most)
	return max(r.least, n-n%r.step)
}

// boundaries returns those of a list, and of the same numbers times step, that are among the lengths, ascending but for those that
// extra lists. The list is never empty.
func (r *lengths) boundaries(list, extra []int) (sizes []int) {
	add := func(n int) {
		if n >= r.least && n <= r.most && n%r.step == 0 {
			sizes = append(sizes, n)
		}
	}
	for _, n := range list {
		add(n * r.step)
	}
	for _, n := range extra {
		add(n)
	}
	if len(sizes) == 0 || r.step > 1 && !slices.Contains(sizes, r.least) {
		sizes = append(sizes, r.least)
	}
	return sizes
}
