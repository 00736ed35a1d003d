package props

import (
	"fmt"
	"slices"

	"gamma/model"
)

// The laws of operations on residues on hardware. Integers are exact on every device, so that a source has one word for a row.
var residueDeviceLaws = []ModularLaw{
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
var residueRuns = map[model.LawID]func(t *modularTrial, l *ModularLaw, b *modularBatch) Verdict{
	model.DeviceEqual: judgeResiduesEqual, model.DeviceRepeat: judgeResiduesRepeat,
}

func judgedInRuns(*ModularRow) Verdict {
	return vacuous("the law judges runs of a device, and not a row")
}

// more runs the batch once more under a setting, and returns the results.
func (t *modularTrial) more(l *ModularLaw, b *modularBatch, at Setting) (out []uint64, broke *breakage) {
	other := *b
	other.at = at
	t.other.out = grow(t.other.out, len(t.runs[0].out))
	return t.other.out, breakageOf("the kernel", t.run(l, &other, &modularRuns{in: b.in, out: t.other.out}))
}

// beside judges every row beside another run's results.
func (t *modularTrial) beside(b *modularBatch, out []uint64, where, reason string) Verdict {
	n, m := len(t.p.claim.In), len(t.p.claim.Out)
	for i := range b.rows {
		mine, other := t.runs[0].out[i*m:(i+1)*m], out[i*m:(i+1)*m]
		if slices.Equal(mine, other) {
			continue
		}
		t.failing = i
		return violated(reason, &Witness{Row: i, N: n, GotText: wordsText(mine), WantText: wordsText(other) + ", " + where})
	}
	return Verdict{}
}

// wordsText writes words in hex.
func wordsText(words []uint64) string {
	text := ""
	for i, w := range words {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%#x", w)
	}
	return text
}

func judgeResiduesEqual(t *modularTrial, l *ModularLaw, b *modularBatch) Verdict {
	d := t.p.device
	out, broke := t.more(l, b, d.reference(b.at))
	if broke != nil {
		return broken(broke.on(d.Reference))
	}
	if v := t.beside(b, out, "on "+d.Reference, fmt.Sprintf("on %s the row has other words than on %s, and integers leave no choice", d.kind(), d.Reference)); v.fails() {
		return v
	}
	v := holds("no difference", 0)
	t.see(&v, b.rows)
	return t.worst
}

func judgeResiduesRepeat(t *modularTrial, l *ModularLaw, b *modularBatch) Verdict {
	for k := 2; k <= runsOf(); k++ {
		out, broke := t.more(l, b, b.at)
		if broke != nil {
			return broken(broke)
		}
		if v := t.beside(b, out, fmt.Sprintf("of run %d", k), fmt.Sprintf("run %d on the same batch gives the row other words than the first", k)); v.fails() {
			return v
		}
	}
	v := holds("one result", 0)
	t.see(&v, b.rows)
	t.distinct = 1
	return t.worst
}
