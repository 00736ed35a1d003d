package engine

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/props/internal/verdict"
)

// FoundLaws are the laws of kernels on a device that its checkers decide, whatever the result is.
func FoundLaws[J, C any](families ...string) []LawOf[J, C] {
	list := []LawOf[J, C]{
		{
			ID:         model.KernelRace,
			Statement:  "no two threads access the same memory, one of them writing, without a barrier of its kind or atomics between them",
			Hypotheses: "the device looks for races. Plain stores of the same bits are none: C++ leaves them undefined, and every order of them leaves the same memory",
			Source:     "[MSL 4.0] §4.8, §6.9.1 and §6.15; the device's checkers",
			Kills:      []string{"missing barrier", "barrier with the wrong mem_flags", "slot reused before it is read", "threadgroup barrier across threadgroups"},
			Found:      judgeFindings(model.FindingRace),
		},
		{
			ID:         model.KernelBounds,
			Statement:  "every access lies inside its object and is aligned",
			Hypotheses: "the device looks for it",
			Source:     "[MSL 4.0] §1.5: as in [C++17]; the device's checkers",
			Kills:      []string{"read after the last element"},
			Found:      judgeFindings(model.FindingOutOfBounds, model.FindingMisaligned),
		},
		{
			ID:         model.KernelInit,
			Statement:  "nothing is read before it is written",
			Hypotheses: "the device looks for it",
			Source:     "[MSL 4.0] §1.5: as in [C++17]; the device's checkers",
			Kills:      []string{"threadgroup memory that some thread leaves out"},
			Found:      judgeFindings(model.FindingUninitialised),
		},
		{
			ID:         model.KernelBarrier,
			Statement:  "every thread of a threadgroup reaches each of its barriers, or none does; so with simdgroups",
			Hypotheses: "the device looks for it",
			Source:     "[MSL 4.0] §6.9.1; the device's checkers",
			Kills:      []string{"barrier in one branch"},
			Found:      judgeFindings(model.FindingBarrier),
		},
		{
			ID:         model.KernelIntegers,
			Statement:  "no operation on integers is undefined (division by zero, signed overflow, conversion out of range), and no value that a shuffle took from an inactive lane is used",
			Hypotheses: "the device looks for it",
			Source:     "[MSL 4.0] §3.1, §6.3 and §6.9.2; the device's checkers",
			Kills:      []string{"shuffles of threads whose neighbours do not take part"},
			Found:      judgeFindings(model.FindingInteger, model.FindingInactiveLane),
		},
		{
			ID:         model.KernelAssert,
			Statement:  "every assert of the kernel that a thread comes to holds",
			Hypotheses: "the device looks for it, and the source is compiled without NDEBUG",
			Source:     "[C17] 7.2; the device's checkers",
			Kills:      []string{"assertion that the tail is empty"},
			Found:      judgeFindings(model.FindingAssertion),
		},
	}
	for i := range list {
		l := &list[i]
		l.Op, l.Families = OpAny, families
	}
	return list
}

// judgeFindings returns the judgement of a law that some kinds of findings violate.
func judgeFindings(kinds ...model.FindingKind) func([]model.Finding) verdict.Verdict {
	return func(found []model.Finding) verdict.Verdict {
		var mine []model.Finding
		for _, f := range found {
			if slices.Contains(kinds, f.Kind) {
				mine = append(mine, f)
			}
		}
		switch {
		case len(mine) > 0:
		case verdict.StepsFinding(found) != nil:
			return verdict.NotMet("the kernel did not end, so that not all of it was looked at; the laws of values judge that")
		default:
			return verdict.Held("", 0)
		}
		return verdict.Fails(fmt.Sprintf("%s %s: %s", mine[0].Kind, mine[0].At(), mine[0].Text), &verdict.Witness{Findings: mine})
	}
}
