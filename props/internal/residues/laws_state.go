package residues

import (
	"slices"

	"gamma/model/modular"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// stateLaws are the laws of calls: of state that is kept between them, and of rows that depend on each other.
var stateLaws = func() []ModularLaw {
	list := engine.StateLaws[*ModularRow]("mont",
		[]string{"a carry kept from the call before"}, []string{"one inversion for a batch, spoilt by a zero"},
		func(c *modular.Claim) string {
			return vectors.Unless(len(c.In) > 0, "the operation has no operands, and so one row a modulus")
		})
	for i := range list {
		list[i].Judge = judgedInRuns
	}
	return list
}()

// modularCalls is a batch that has run, for these laws.
type modularCalls struct {
	t *modularTrial
	l *ModularLaw
	b *ModularBatch
}

func (c modularCalls) Parts() int { return c.b.Rows }

func (c modularCalls) Call(order []int, p engine.Place) (out []uint64, ok bool, broke *verdict.Breakage) {
	t := c.t
	in := engine.Rows(c.b.In, len(t.p.Claim.In), order)
	if p == engine.Aliased && !t.p.Claim.InPlace || t.p.Accepts(c.l, c.b.At, c.b.Q, in, len(order)) != nil {
		return nil, false, nil
	}
	r, own := modularRuns{in: in, out: make([]uint64, len(order)*len(t.p.Claim.Out))}, *c.b
	own.Rows, own.inPlace = len(order), p == engine.Aliased
	if p == engine.Elsewhere {
		own.seed += engine.Shift
	}
	return r.out, true, verdict.BreakageOf("the kernel", t.run(c.l, &own, &r))
}

// Compare fails where the words differ and one of the two is not what division gives: lazy words of one residue may be several.
func (c modularCalls) Compare(i int, out []uint64, j int, reason string) verdict.Verdict {
	t, m := c.t, len(c.t.p.Claim.Out)
	mine, other := t.runs[0].out[i*m:(i+1)*m], out[j*m:(j+1)*m]
	if slices.Equal(mine, other) {
		return verdict.Held("", 0)
	}
	t.Failing = i
	row := *t.load(c.b, i, 0)
	value := ModularLaw{Judge: judgeResidueValue}
	first := judgeResidues(&value, &row)
	row.Out = other
	if second := judgeResidues(&value, &row); !first.Fails() && !second.Fails() {
		return verdict.Held("", 0)
	}
	return verdict.Fails(reason, &verdict.Witness{Row: i, N: len(t.p.Claim.In), GotText: report.WordsText(mine), WantText: report.WordsText(other) + " in the later call"})
}
