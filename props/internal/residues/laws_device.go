package residues

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/report"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// ResidueDeviceLaws are the laws of operations on residues on hardware. Integers are exact on every device, so that a source has one word for a row.
var ResidueDeviceLaws = []ModularLaw{
	{
		ID:         model.DeviceEqual,
		Statement:  "the device gives the words that the reference device gives",
		Hypotheses: "no operation on integers is undefined (kernel.integers)",
		Source:     "arithmetic modulo 2^b is exact",
		Kills:      []string{"results of rows swapped", "one final subtraction missing on the device"},
		Judge:      judgedInRuns,
		Hardware:   true, Compares: true,
	},
	{
		ID:         model.DeviceRepeat,
		Statement:  "many runs of a batch give every row the same words",
		Hypotheses: "no operation on integers is undefined (kernel.integers)",
		Source:     "arithmetic modulo 2^b is exact",
		Kills:      []string{"one word wrong once in a few runs"},
		Judge:      judgedInRuns,
		Hardware:   true,
	},
}

// residueRuns holds how the laws of hardware judge runs of whole batches.
var residueRuns = map[model.LawID]func(t *modularTrial, l *ModularLaw, b *ModularBatch) verdict.Verdict{
	model.DeviceEqual: judgeResiduesEqual, model.DeviceRepeat: judgeResiduesRepeat,
}

func judgedInRuns(*ModularRow) verdict.Verdict {
	return verdict.NotMet("the law judges runs of a device, and not a row")
}

// more runs the batch once more under a setting, and returns the results.
func (t *modularTrial) more(l *ModularLaw, b *ModularBatch, at verdict.Setting) (out []uint64, broke *verdict.Breakage) {
	other := *b
	other.At = at
	t.other.out = draw.Grow(t.other.out, len(t.runs[0].out))
	return t.other.out, verdict.BreakageOf("the kernel", t.run(l, &other, &modularRuns{in: b.In, out: t.other.out}))
}

// beside judges every row beside another run's results.
func (t *modularTrial) beside(b *ModularBatch, out []uint64, where, reason string) verdict.Verdict {
	n, m := len(t.p.Claim.In), len(t.p.Claim.Out)
	for i := range b.Rows {
		mine, other := t.runs[0].out[i*m:(i+1)*m], out[i*m:(i+1)*m]
		if slices.Equal(mine, other) {
			continue
		}
		t.Failing = i
		return verdict.Fails(reason, &verdict.Witness{Row: i, N: n, GotText: report.WordsText(mine), WantText: report.WordsText(other) + ", " + where})
	}
	return verdict.Verdict{}
}

func judgeResiduesEqual(t *modularTrial, l *ModularLaw, b *ModularBatch) verdict.Verdict {
	d := t.p.Device
	out, broke := t.more(l, b, d.OnReference(b.At))
	if broke != nil {
		return verdict.Breaks(broke.On(d.Reference))
	}
	if v := t.beside(b, out, "on "+d.Reference, fmt.Sprintf("on %s the row has other words than on %s, and integers leave no choice", d.KindName(), d.Reference)); v.Fails() {
		return v
	}
	v := verdict.Held("no difference", 0)
	t.See(&v, b.Rows)
	return t.Worst
}

func judgeResiduesRepeat(t *modularTrial, l *ModularLaw, b *ModularBatch) verdict.Verdict {
	for k := 2; k <= vectors.RunsOf(); k++ {
		out, broke := t.more(l, b, b.At)
		if broke != nil {
			return verdict.Breaks(broke)
		}
		if v := t.beside(b, out, fmt.Sprintf("of run %d", k), fmt.Sprintf("run %d on the same batch gives the row other words than the first", k)); v.Fails() {
			return v
		}
	}
	v := verdict.Held("one result", 0)
	t.See(&v, b.Rows)
	t.Distinct = 1
	return t.Worst
}
