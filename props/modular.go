package props

import (
	"gamma/model/modular"
	"gamma/props/internal/battery"
	"gamma/props/internal/residues"
	"gamma/props/judge"
)

// FindByBattery looks for a violation of one law as Modular.Battery does, and needs no test: it returns the report of the
// first one, not saved, or nil.
func FindByBattery(l ModularLaw, m Modular) (*ModularFailure, error) {
	return battery.FindByBattery(l, judge.Modular(m).Subject)
}

type (
	// ModularFailure is a violation of a law by a row of residues, reduced.
	ModularFailure = residues.ModularFailure
	// ModularLaw is a law about operations on residues, a pure function of a modulus, a row, and further rows that it asks
	// for: its claim, its operands and its results.
	ModularLaw = residues.ModularLaw
	// ModularRow is one row as a law sees it.
	ModularRow = residues.ModularRow
	// ModularRun is the operands of a row that a law asked for, and their results.
	ModularRun = residues.ModularRun
)

// JudgeResidues judges one row modulo q that is already computed: the results out of an operation with this claim for
// the operands in.
func JudgeResidues(l ModularLaw, c modular.Claim, q uint64, in, out []uint64, more ...ModularRun) (Verdict, error) {
	return residues.JudgeResidues(l, c, q, in, out, more...)
}
