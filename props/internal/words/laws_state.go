package words

import (
	"slices"

	"gamma/model/word"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// stateLaws are the laws of calls: of state that is kept between them, and of rows that depend on each other.
var stateLaws = func() []WordLaw {
	list := engine.StateLaws[*WordRow, word.Claim]("word", []string{"an error term kept from the call before"}, []string{"error terms dropped that are small beside those of other rows"}, nil)
	for i := range list {
		list[i].Judge, list[i].Families = judgedInBatches, everyWordFamily
	}
	return list
}()

// wordCalls is a batch that has run, for these laws.
type wordCalls struct{ w *wordTrial }

func (c wordCalls) Parts() int { return c.w.Rows }

func (c wordCalls) Call(order []int, p engine.Place) (out []uint64, ok bool, broke *verdict.Breakage) {
	w := c.w
	words := engine.Rows(vectors.BitsOf(w.In), w.p.Claim.Op.In(), order)
	if p == engine.Aliased && w.p.Sub.InPlace == nil || w.p.accepts(words, w.t.At) != nil {
		return nil, false, nil
	}
	out = make([]uint64, len(order)*w.p.Claim.Op.Out())
	defer w.t.Move(p)()
	return out, true, w.call(vectors.ValuesOf(w.p.Format, words), out)
}

// Compare fails where the results differ and the claim decides all their bits, or one of the two violates a law of values: an operation that
// claims a bound alone may compute a row in more ways than one.
func (c wordCalls) Compare(i int, out []uint64, j int, reason string) verdict.Verdict {
	w, m := c.w, c.w.p.Claim.Op.Out()
	other := out[j*m : (j+1)*m]
	if slices.EqualFunc(w.Results[i*m:(i+1)*m], other, func(a, b uint64) bool { return report.SameBits(w.p.Format, a, b) }) {
		return verdict.Held("", 0)
	}
	w.Failing = i
	mine := *w.Load(i)
	later := mine
	later.Out = other
	decided := w.claim.Exact && !w.claim.Splits && mine.MayFlush() == ""
	for k := 0; !decided && k < len(valueLaws); k++ {
		if l := &valueLaws[k]; w.p.Applies(l) == "" {
			first, second := l.Judge(&mine), l.Judge(&later)
			decided = first.Fails() || second.Fails()
		}
	}
	if !decided {
		return verdict.Held("", 0)
	}
	v := mine.differ(later.words()+" in the later call", "%s", reason)
	v.Witness.Row, v.Witness.N = i, w.p.Claim.Op.In()
	return v
}
