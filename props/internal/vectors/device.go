package vectors

import (
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/sumtree"
)

// under returns the claim as a behaviour leaves it, and what it leaves out altogether: "" or why the laws of values say nothing. Of a
// subject on hardware it was left so when the subject was made.
func (s *Kernel) under(b model.Behaviour) (c model.Claim, silent string) {
	if s.Device != nil && s.Device.Hardware {
		return s.Claim, s.silent
	}
	return s.weakened(b)
}

// weakened is under, of a claim that nothing has weakened yet.
func (s *Kernel) weakened(b model.Behaviour) (c model.Claim, silent string) {
	c = s.Claim
	d := s.Device
	if d == nil || b.Plain() {
		return c, ""
	}
	if d.Under != nil {
		in, acc, out := c.In, c.Acc, c.Out
		c = d.Under(c, b)
		c.In, c.Acc, c.Out = in, acc, out
	} else {
		c = engine.Weaken(c, b, d.Strict)
	}
	// Go rounds to nearest even: no other rounding of the device is that of host code.
	c.Mixed = c.Mixed || !d.HostCopies && c.Rounding != s.Claim.Rounding
	if s.Op == engine.OpSum {
		c.Fusion = model.Unfused // a sum has no products to fuse
	}
	if !d.Strict && d.Under == nil && b.Rewrites.Reassociate && c.Compensation != model.Uncompensated {
		return c, "no bound is proved for a compensated sum whose additions may be reassociated"
	}
	return c, ""
}

// loose reports whether the behaviour lets the compiler reorder additions, so that the trial's schedule is not claimed.
func (t *Trial) loose() bool {
	return t.sub.Device != nil && !t.sub.Device.Strict && t.At.Behaviour.Rewrites.Reassociate
}

// scheduleOf returns the tree that a function of the subject gives.
func (s *Kernel) scheduleOf(n int, l model.Launch) *sumtree.Tree {
	if s.Device != nil && s.Device.Schedule != nil {
		return s.Device.Schedule(n, l)
	}
	return s.Schedule(n)
}

// ownSchedule reports whether the schedule comes of a function.
func (s *Kernel) ownSchedule() bool {
	return s.Schedule != nil || s.Device != nil && s.Device.Schedule != nil
}

// arbitrary reports whether the row may meet NaNs or infinities that the behaviour lets the compiler take for impossible.
func (t *Trial) arbitrary() bool {
	r := t.At.Behaviour.Rewrites
	if !r.NoNaNs && !r.NoInfs || t.sub.Device == nil || t.sub.Device.Strict || t.Law.Found != nil || t.own {
		return false
	}
	return !t.finite() || t.mayOverflow(t.abs().Hi, 1)
}
