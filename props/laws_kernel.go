package props

import (
	"fmt"
	"slices"

	"gamma/model"
)

// The laws of kernels on a device. Those of findings judge what its checkers report, and say nothing of the result.
var kernelLaws = []Law{
	{
		ID: model.KernelRace, Op: OpAny, Findings: true,
		Statement:  "no two threads access the same memory, one of them writing, without a barrier of its kind or atomics between them",
		Hypotheses: "the device looks for races",
		Source:     "[MSL 4.0] memory consistency; the device's checkers",
		Kills:      []string{"missing barrier", "barrier with the wrong mem_flags", "slot reused before it is read", "threadgroup barrier across threadgroups"},
		Judge:      judgeFindings(model.FindingRace),
	},
	{
		ID: model.KernelBounds, Op: OpAny, Findings: true,
		Statement:  "every access lies inside its object and is aligned",
		Hypotheses: "the device looks for it",
		Source:     "[MSL 4.0] address spaces; the device's checkers",
		Kills:      []string{"read behind the last element"},
		Judge:      judgeFindings(model.FindingOutOfBounds, model.FindingMisaligned),
	},
	{
		ID: model.KernelInit, Op: OpAny, Findings: true,
		Statement:  "nothing is read before it is written",
		Hypotheses: "the device looks for it",
		Source:     "[MSL 4.0] address spaces; the device's checkers",
		Kills:      []string{"threadgroup memory that some thread leaves out"},
		Judge:      judgeFindings(model.FindingUninitialised),
	},
	{
		ID: model.KernelBarrier, Op: OpAny, Findings: true,
		Statement:  "every thread of a threadgroup reaches each of its barriers, or none does; so with simdgroups",
		Hypotheses: "the device looks for it",
		Source:     "[MSL 4.0] synchronization functions; the device's checkers",
		Kills:      []string{"barrier in one branch"},
		Judge:      judgeFindings(model.FindingBarrier),
	},
	{
		ID: model.KernelIntegers, Op: OpAny, Findings: true,
		Statement:  "no operation on integers is undefined (division by zero, wide shift, signed overflow, conversion out of range), no shuffle reads an inactive lane",
		Hypotheses: "the device looks for it",
		Source:     "[MSL 4.0] operators and SIMD functions; the device's checkers",
		Kills:      []string{"shift by the width of the type"},
		Judge:      judgeFindings(model.FindingInteger, model.FindingInactiveLane),
	},
	{
		ID: model.KernelSchedule, Op: OpAny, OnDevice: true,
		Statement:  "every order of threads, simdgroups and threadgroups gives the same bits",
		Hypotheses: "the claim says Repeats; the device can be told an order",
		Source:     "the claim",
		Kills:      []string{"sum by atomics", "slot reused before it is read"},
		Applies: func(c *model.Claim) string {
			return unless(c.Repeats, "the claim does not say Repeats")
		},
		Judge: judgeSchedule,
	},
}

// judgeFindings returns the judgement of a law that some kinds of findings violate.
func judgeFindings(kinds ...model.FindingKind) func(*Trial) Verdict {
	return func(t *Trial) Verdict {
		var mine []model.Finding
		for _, f := range t.found {
			if slices.Contains(kinds, f.Kind) {
				mine = append(mine, f)
			}
		}
		switch {
		case len(mine) > 0:
		case t.endless() != nil:
			return vacuous("the kernel did not end, so that not all of it was looked at; the laws of values judge that")
		default:
			return holds("", 0)
		}
		return violated(fmt.Sprintf("%s at %s: %s", mine[0].Kind, mine[0].Pos, mine[0].Text), &Witness{Findings: mine})
	}
}

// endless returns the finding that the kernel used up its steps, nil if it did not.
func (t *Trial) endless() *model.Finding {
	for i := range t.found {
		if t.found[i].Kind == model.FindingSteps {
			return &t.found[i]
		}
	}
	return nil
}

// aboutFindings reports whether l judges findings; a nil law does not.
func (l *Law) aboutFindings() bool { return l != nil && l.Findings }

// judgeSchedule runs the kernel in program order and in others, each drawn order from several seeds. What else the behaviour
// draws from its seed stays plain, so that the order alone differs.
func judgeSchedule(t *Trial) Verdict {
	d := t.sub.device
	most := slices.Index(orders, d.Admits.Order)
	if most <= 0 {
		return vacuous("the claim admits program order alone")
	}
	own := t.at
	defer func() { t.at = own }()
	plain := own.Behaviour
	plain.Order, plain.Seed, plain.ULP, plain.Poison = "", 0, false, false
	if !d.Strict {
		plain.Contract, plain.Rewrites = model.ContractOff, model.Rewrites{}
	}
	run := func(order string, seed uint64) (uint64, string) {
		b := plain
		b.Order, b.Seed = order, seed
		t.at.Behaviour = b
		return t.Rerun(t.rawX, t.y)
	}
	want, reason := run("", 0)
	if reason != "" {
		return broken(reason)
	}
	tries := []struct {
		order string
		seed  uint64
	}{{own.Behaviour.Order, own.Behaviour.Seed}, {"reverse", 0}, {"stages", t.c.Seed}, {"accesses", t.c.Seed}, {"accesses", t.c.Seed + 1}, {"stages", t.c.Seed + 1}}
	for _, o := range tries {
		if i := slices.Index(orders, o.order); i < 1 || i > most {
			continue
		}
		got, reason := run(o.order, o.seed)
		if reason != "" {
			return broken(reason)
		}
		if got != want {
			out := t.claim.Out
			return violated(fmt.Sprintf("in order %s with seed %d the result has other bits than in program order", o.order, o.seed),
				&Witness{Got: got, own: true, WantText: describe(out, want) + ", in program order"})
		}
	}
	return holds("", 0)
}
