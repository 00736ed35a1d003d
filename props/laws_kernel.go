package props

import (
	"fmt"
	"slices"

	"gamma/model"
)

// kernelLaws are the laws of kernels on a device: those of what its checkers find, and of the order of its threads.
var kernelLaws = append(foundLaws[*Trial, model.Claim](), Law{
	ID: model.KernelSchedule, Op: OpAny, OnDevice: true,
	Statement:  "every order of threads, simdgroups and threadgroups gives the same bits",
	Hypotheses: "the claim says Repeats; the device can be told an order",
	Source:     "the claim",
	Kills:      []string{"sum by atomics", "slot reused before it is read"},
	Applies: func(c *model.Claim) string {
		return unless(c.Repeats, "the claim does not say Repeats")
	},
	Judge: judgeSchedule,
})

// foundLaws are the laws of kernels on a device that its checkers decide, whatever the result is.
func foundLaws[J, C any](families ...string) []LawOf[J, C] {
	list := []LawOf[J, C]{
		{
			ID:         model.KernelRace,
			Statement:  "no two threads access the same memory, one of them writing, without a barrier of its kind or atomics between them",
			Hypotheses: "the device looks for races",
			Source:     "[MSL 4.0] memory consistency; the device's checkers",
			Kills:      []string{"missing barrier", "barrier with the wrong mem_flags", "slot reused before it is read", "threadgroup barrier across threadgroups"},
			Found:      judgeFindings(model.FindingRace),
		},
		{
			ID:         model.KernelBounds,
			Statement:  "every access lies inside its object and is aligned",
			Hypotheses: "the device looks for it",
			Source:     "[MSL 4.0] address spaces; the device's checkers",
			Kills:      []string{"read behind the last element"},
			Found:      judgeFindings(model.FindingOutOfBounds, model.FindingMisaligned),
		},
		{
			ID:         model.KernelInit,
			Statement:  "nothing is read before it is written",
			Hypotheses: "the device looks for it",
			Source:     "[MSL 4.0] address spaces; the device's checkers",
			Kills:      []string{"threadgroup memory that some thread leaves out"},
			Found:      judgeFindings(model.FindingUninitialised),
		},
		{
			ID:         model.KernelBarrier,
			Statement:  "every thread of a threadgroup reaches each of its barriers, or none does; so with simdgroups",
			Hypotheses: "the device looks for it",
			Source:     "[MSL 4.0] synchronization functions; the device's checkers",
			Kills:      []string{"barrier in one branch"},
			Found:      judgeFindings(model.FindingBarrier),
		},
		{
			ID:         model.KernelIntegers,
			Statement:  "no operation on integers is undefined (division by zero, wide shift, signed overflow, conversion out of range), no shuffle reads an inactive lane",
			Hypotheses: "the device looks for it",
			Source:     "[MSL 4.0] operators and SIMD functions; the device's checkers",
			Kills:      []string{"shift by the width of the type"},
			Found:      judgeFindings(model.FindingInteger, model.FindingInactiveLane),
		},
	}
	for i := range list {
		l := &list[i]
		l.Op, l.Families = OpAny, families
	}
	return list
}

// judgeFindings returns the judgement of a law that some kinds of findings violate.
func judgeFindings(kinds ...model.FindingKind) func([]model.Finding) Verdict {
	return func(found []model.Finding) Verdict {
		var mine []model.Finding
		for _, f := range found {
			if slices.Contains(kinds, f.Kind) {
				mine = append(mine, f)
			}
		}
		switch {
		case len(mine) > 0:
		case stepsFinding(found) != nil:
			return vacuous("the kernel did not end, so that not all of it was looked at; the laws of values judge that")
		default:
			return holds("", 0)
		}
		return violated(fmt.Sprintf("%s at %s: %s", mine[0].Kind, mine[0].Pos, mine[0].Text), &Witness{Findings: mine})
	}
}

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
	run := func(order string, seed uint64) (uint64, *breakage) {
		b := plain
		b.Order, b.Seed = order, seed
		t.at.Behaviour = b
		return t.again(t.rawX, t.y)
	}
	want, b := run("", 0)
	if b != nil {
		return broken(b)
	}
	tries := []struct {
		order string
		seed  uint64
	}{{own.Behaviour.Order, own.Behaviour.Seed}, {"reverse", 0}, {"stages", t.c.Seed}, {"accesses", t.c.Seed}, {"accesses", t.c.Seed + 1}, {"stages", t.c.Seed + 1}}
	for _, o := range tries {
		if i := slices.Index(orders, o.order); i < 1 || i > most {
			continue
		}
		got, b := run(o.order, o.seed)
		if b != nil {
			return broken(b)
		}
		if got != want {
			out := t.claim.Out
			return violated(fmt.Sprintf("in order %s with seed %d the result has other bits than in program order", o.order, o.seed),
				&Witness{Got: got, own: true, WantText: describe(out, want) + ", in program order"})
		}
	}
	return holds("", 0)
}
