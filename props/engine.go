package props

import (
	"gamma/model"
	"gamma/props/internal/engine"
)

type (
	// DeviceClaim says, beside the claim, what of a device the claim holds for.
	DeviceClaim = engine.DeviceClaim
	// SubjectSummary is what one Check found, law by law.
	SubjectSummary = engine.SubjectSummary
	// Subject is a kernel with its claim, of any kind: a Reduction, a Dot, an Operation, a Modular, an NTT.
	Subject = engine.Subject
	// Report is what is known of a violation, of any kind: its text for people, one line of JSON, and what all kinds have
	// in common.
	Report = engine.Report
	// LawOf is one theorem as an executable check, about inputs and results of type J and claims of type C.
	LawOf[J, C any] = engine.LawOf[J, C]
	// Op is the operation that a subject claims to compute.
	Op = engine.Op
)

const (
	// OpSum: Σ x_i, or their mean
	OpSum = engine.OpSum
	// OpDot: Σ x_i·y_i
	OpDot = engine.OpDot
	// OpAny: either; of laws alone
	OpAny = engine.OpAny
)

// Weaken returns what is left of a claim under a behaviour, by what the theorems say of it: the rounding of the
// behaviour, with its larger bounds; flushing beside what the claim flushes itself; products fused or not, with
// contraction; no schedule and no compensation under reassociation; no sign of zeros without signed zeros.
func Weaken(c model.Claim, b model.Behaviour, strict bool) model.Claim {
	return engine.Weaken(c, b, strict)
}

// Summary returns the table of all subjects that this process has judged so far, law by law, as summary.txt holds it.
func Summary() string {
	return engine.Summary()
}
