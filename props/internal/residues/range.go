package residues

import (
	"fmt"

	"gamma/model/modular"
)

// CheckRecurrence holds the steps that a claim declares to the ranges that it claims, at the least and at the greatest of its moduli that
// are judged: where a step may leave its words, or a bound is above a range, the claim is not proved.
func CheckRecurrence(c *modular.Claim, list []uint64) error {
	if c.Recurrence == nil {
		return nil
	}
	for _, q := range []uint64{list[0], list[len(list)-1]} {
		if _, err := c.Bounds(q); err != nil {
			return fmt.Errorf("Claim.Recurrence does not keep the ranges that are claimed, modulo %d: %w. Fix the steps, widen the ranges, or lower Claim.Moduli.Max", q, err)
		}
	}
	return nil
}

// followsRecurrence says in what the results are not those of the steps that the claim declares, or "".
func (r *ModularRow) followsRecurrence() string {
	s := r.Claim.Recurrence
	if s == nil {
		return ""
	}
	r.res.steps = r.res.steps[:0]
	for i, w := range r.Claim.In {
		if !w.Shoup {
			r.res.steps = append(r.res.steps, r.In[i])
		}
	}
	want, err := s.Run(r.Modulus, r.Claim.Bits, r.res.steps)
	if err != nil {
		return fmt.Sprintf("the declared steps leave their words: %v", err)
	}
	for i, w := range want {
		if r.Out[i] != w {
			return fmt.Sprintf("%s is not what the declared steps give, %d = %#x: another algorithm ran, and its ranges are not proved", r.Claim.Out[i].Name, w, w)
		}
	}
	return ""
}
