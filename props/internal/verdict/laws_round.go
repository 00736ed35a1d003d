package verdict

// Settle gives the reason of a verdict that is still vacuous.
func (v *Verdict) Settle(reason string) {
	if v.Outcome == Vacuous {
		v.Reason = reason
	}
}
