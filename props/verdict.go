package props

import (
	"gamma/props/internal/verdict"
)

type (
	// Setting is what a kernel on a device runs under: one behaviour among those that its claim admits, and one launch.
	Setting = verdict.Setting
	// Outcome is how a law judges a case.
	Outcome = verdict.Outcome
	// Verdict is a law's judgement of one case.
	Verdict = verdict.Verdict
	// Witness is what a violation compares, exactly.
	Witness = verdict.Witness
)

const (
	// Holds: the statement is true
	Holds = verdict.Holds
	// Violated: the statement is false: the kernel, the claim or the law is wrong
	Violated = verdict.Violated
	// Vacuous: a hypothesis of the law is not met, so that it says nothing
	Vacuous = verdict.Vacuous
	// Broken: the kernel gave no result that can be judged: panic, error, spoilt input
	Broken = verdict.Broken
)
