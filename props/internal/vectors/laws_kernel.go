package vectors

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// KernelLaws are the laws of kernels on a device: those of what its checkers find, and of the order of its threads.
var KernelLaws = append(engine.FoundLaws[*Trial, model.Claim](), Law{
	ID: model.KernelSchedule, Op: engine.OpAny, OnDevice: true,
	Statement:  "every order of threads, simdgroups and threadgroups gives the same bits",
	Hypotheses: "the claim says Repeats; the device can be told an order",
	Source:     "the claim",
	Kills:      []string{"sum by atomics", "slot reused before it is read"},
	Applies: func(c *model.Claim) string {
		return Unless(c.Repeats, "the claim does not say Repeats")
	},
	Judge: judgeSchedule,
})

// judgeSchedule runs the kernel in program order and in others, each drawn order from several seeds. What else the behaviour
// draws from its seed stays plain, so that the order alone differs.
func judgeSchedule(t *Trial) verdict.Verdict {
	d := t.sub.Device
	most := slices.Index(engine.Orders, d.Admits.Order)
	if most <= 0 {
		return verdict.NotMet("the claim admits program order alone")
	}
	own := t.At
	defer func() { t.At = own }()
	plain := own.Behaviour
	plain.Order, plain.Seed, plain.ULP, plain.Poison = "", 0, false, false
	if !d.Strict {
		plain.Contract, plain.Rewrites = model.ContractOff, model.Rewrites{}
	}
	run := func(order string, seed uint64) (uint64, *verdict.Breakage) {
		b := plain
		b.Order, b.Seed = order, seed
		t.At.Behaviour = b
		return t.again(t.rawX, t.y)
	}
	want, b := run("", 0)
	if b != nil {
		return verdict.Breaks(b)
	}
	tries := []struct {
		order string
		seed  uint64
	}{{own.Behaviour.Order, own.Behaviour.Seed}, {"reverse", 0}, {"stages", t.C.Seed}, {"accesses", t.C.Seed}, {"accesses", t.C.Seed + 1}, {"stages", t.C.Seed + 1}}
	for _, o := range tries {
		if i := slices.Index(engine.Orders, o.order); i < 1 || i > most {
			continue
		}
		got, b := run(o.order, o.seed)
		if b != nil {
			return verdict.Breaks(b)
		}
		if got != want {
			out := t.Claimed.Out
			return verdict.Fails(fmt.Sprintf("in order %s with seed %d the result has other bits than in program order", o.order, o.seed),
				&verdict.Witness{Got: got, Own: true, WantText: report.Describe(out, want) + ", in program order"})
		}
	}
	return verdict.Held("", 0)
}
