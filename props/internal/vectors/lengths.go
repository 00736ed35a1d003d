package vectors

import (
	"gamma/model"
	"gamma/props/internal/draw"
)

// lengths are those of a law's vectors: multiples of step from least to most.
type lengths struct{ least, most, step int }

// lengthsFor returns the lengths of vectors that a law draws for the subject, at most limit. A kernel that takes no vector so short is
// given its shortest.
func (s *Kernel) lengthsFor(l *Law, limit int) lengths {
	c := &s.Claim
	limit = s.Device.Most(draw.Most(limit, l.MaxN, c.MaxN))
	r := lengths{least: leastLength(c, c.MinN), step: max(c.Multiple, 1)}
	r.most = max(r.least, limit-limit%r.step)
	return r
}

// leastLength returns the least length of at least n that a claim admits, upper limits aside.
func leastLength(c *model.Claim, n int) int {
	n = max(n, c.MinN)
	return n + draw.Missing(n, c.Multiple)
}

// fit returns the greatest of the lengths that is at most n, and the least if none is.
func (r *lengths) fit(n int) int {
	n = min(n, r.most)
	return max(r.least, n-n%r.step)
}

// sizes returns boundary sizes, as multiples of step, the given ones that are among the lengths, and long ones. There is one at least.
func (r *lengths) sizes(more ...int) (sizes, long []int) {
	if r.step == 1 {
		sizes, long = draw.Sizes(r.least, r.most, more...)
	} else {
		tiles, _ := draw.Sizes((r.least+r.step-1)/r.step, r.most/r.step)
		for _, n := range tiles {
			sizes = append(sizes, n*r.step)
		}
		for _, n := range more {
			sizes = append(sizes, r.fit(n))
		}
		_, far := draw.Sizes(r.least, r.most)
		for _, n := range far {
			long = append(long, r.fit(n))
		}
	}
	if len(sizes) == 0 {
		sizes = []int{r.least}
	}
	return sizes, long
}
