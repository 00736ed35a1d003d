package residues

import (
	"fmt"
	"slices"
	"strings"

	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// residueDeviceLaws are the laws of operations on residues on hardware. Integers are exact on every device, so that a source has one word for a row.
var residueDeviceLaws = engine.IntegerLaws(ModularLaw{
	Statement: "the device gives the words that the reference device gives",
	Kills:     []string{"results of rows swapped", "one final subtraction missing on the device"},
	Judge:     judgedInRuns,
}, ModularLaw{
	Statement: "many runs of a batch give every row the same words",
	Kills:     []string{"one word wrong once in a few runs"},
	Judge:     judgedInRuns,
})

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

// judgeRuns judges a batch by a law of hardware.
func (t *modularTrial) judgeRuns(l *ModularLaw, b *ModularBatch) verdict.Verdict {
	d := t.p.Device
	v := d.Beside(b.At, l.Compares, func(at verdict.Setting, where string) verdict.Verdict {
		out, broke := t.more(l, b, at)
		if broke != nil {
			return verdict.Breaks(broke)
		}
		reason := strings.TrimPrefix(where, "of ") + " on the same batch gives the row other words than the first"
		if l.Compares {
			reason = fmt.Sprintf("on %s the row has other words than %s, and integers leave no choice", d.KindName(), where)
		}
		return t.beside(b, out, where, reason)
	})
	if v.Outcome != verdict.Holds {
		return v
	}
	t.See(&v, b.Rows)
	if !l.Compares {
		t.Distinct = 1
	}
	return t.Worst
}
