package vectors

import (
	"slices"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// stateLaws returns the laws of calls, of an operation: of state that is kept between them, and of rows that depend on each other.
func stateLaws(op engine.Op) []Law {
	list := engine.StateLaws[*Trial, model.Claim](op.String(), []string{"order by address", "order kept from the call before"}, []string{"order by place in the batch", "order by another row"}, nil)
	for i := range list {
		list[i].Op = op
		list[i].Hypotheses = "the claim decides the bits; elsewhere one of two results that differ lies outside the claim's bounds"
	}
	return list
}

// vectorCalls is a case that has run, for these laws.
type vectorCalls struct{ t *Trial }

// mostDoubled is how many leaves a call has at most that is longer than the case.
const mostDoubled = 1 << 20

func (c vectorCalls) Parts() int { return c.t.Rows }

// Call calls the kernel with some of the case's rows; one that reduces one row with one after the other.
func (c vectorCalls) Call(order []int, p engine.Place) (out []uint64, ok bool, b *verdict.Breakage) {
	t, own, n := c.t, *c.t.C, c.t.Length
	rows := len(order)
	if p == engine.Aliased || rows > t.Rows && (rows*n > mostDoubled || !t.sub.Rows && t.sub.Follows) {
		return nil, false, nil
	}
	if own.Rows = rows; !t.sub.Rows {
		own.Rows, n = 0, n*rows
	}
	if !t.sub.Follows {
		own.Tree = ""
	}
	if own.X = c.rows(t.C.X, order); t.sub.shared {
		own.Y = t.C.Y.Slice(0, n)
	} else {
		own.Y = c.rows(t.C.Y, order)
	}
	if t.sub.Accepts(&own) != nil {
		return nil, false, nil
	}
	defer t.Move(p)()
	defer func(n int) { t.Length = n }(t.Length)
	t.Length, out = n, make([]uint64, max(own.Rows, 1))
	return out, true, t.Run(own.X, own.Y, out)
}

// rows returns some rows of v, those that are all zeros included.
func (c vectorCalls) rows(v corpus.Values, order []int) corpus.Values {
	n := c.t.Length
	if v.Len() == 0 {
		return v
	}
	some := corpus.NewValues(v.Format, n*len(order))
	for j, i := range order {
		if i != engine.Zeros {
			Put(some.Slice(j*n, (j+1)*n), v.Slice(i*n, (i+1)*n))
		}
	}
	return some
}

// Compare fails where the bits differ and the claim decides them, or one of the two is outside of its bounds.
func (c vectorCalls) Compare(i int, out []uint64, j int, reason string) verdict.Verdict {
	t, f := c.t, c.t.Claimed.Out
	if sameResult(f, true, t.results[i], out[j]) {
		return verdict.Held("", 0)
	}
	t.selectRow(i)
	outside := func(result uint64) bool {
		v := t.inside(result)
		return v.Fails()
	}
	if t.arbitrary() || t.Undecided() != "" && !slices.ContainsFunc([]uint64{t.results[i], out[j]}, outside) {
		return verdict.Held("", 0)
	}
	v := verdict.Fails(reason, &verdict.Witness{WantText: report.Describe(f, out[j]) + ", in the later call"})
	t.located(v.Witness, i)
	return v
}
