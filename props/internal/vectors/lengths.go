package vectors

import (
	"gamma/model"
	"gamma/props/internal/draw"
)

// lengthsFor returns the lengths of vectors that a law draws for the subject, at most limit. A kernel that takes no vector so short is
// given its shortest.
func (s *Kernel) lengthsFor(l *Law, limit int) draw.Lengths {
	c := &s.Claim
	return draw.LengthsOf(c.MinN, s.Device.Most(draw.Most(limit, l.MaxN, c.MaxN)), c.Multiple)
}

// leastLength returns the least length of at least n that a claim admits, upper limits aside.
func leastLength(c *model.Claim, n int) int {
	n = max(n, c.MinN)
	return n + draw.Missing(n, c.Multiple)
}
