package vectors

import (
	"math"

	"gamma/corpus"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// jsonLeaf is what explain knows of one leaf.
type jsonLeaf struct {
	Leaf  int                `json:"leaf"`
	X     report.JSONNumber  `json:"x"`
	Y     *report.JSONNumber `json:"y,omitempty"`
	Value string             `json:"value,omitempty"`
	YNote string             `json:"y_note,omitempty"`
	Place string             `json:"place,omitempty"`
}

// JSONFailure is one line of failures.jsonl.
type JSONFailure struct {
	engine.JSONViolation

	Op string `json:"op"`

	Bound     string   `json:"bound,omitempty"`
	BoundPart string   `json:"bound_part,omitempty"` // the absolute part of the bound, where it decides
	Ratio     *float64 `json:"ratio,omitempty"`      // error/bound; absent if the bound is 0 or there is none
	Format    string   `json:"format,omitempty"`
	Row       int      `json:"row"`
	N         int      `json:"n"` // leaves of a row
	Rows      int      `json:"rows"`

	Got   *report.JSONNumber `json:"got,omitempty"`
	Exact *report.JSONNumber `json:"exact,omitempty"`
	Error *report.JSONNumber `json:"error,omitempty"`
	Limit *report.JSONNumber `json:"limit,omitempty"`
	Want  string             `json:"want,omitempty"`

	Leaves []jsonLeaf `json:"leaves,omitempty"` // those that explain looked at
	Length string     `json:"length,omitempty"`
	Others string     `json:"others,omitempty"`
	Free   []string   `json:"free,omitempty"`
	Matter []string   `json:"matter,omitempty"`

	Expected     string `json:"expected,omitempty"`
	Observed     string `json:"observed,omitempty"`
	ScheduleNote string `json:"schedule_note,omitempty"`
	Strides      string `json:"strides,omitempty"`
	Arithmetic   string `json:"arithmetic,omitempty"`

	CauseKind string `json:"cause_kind"`
	Cause     string `json:"cause"`
	Hint      string `json:"hint,omitempty"`
	Confirmed bool   `json:"oracle_confirmed"`

	OriginalN int    `json:"original_n"`
	Evals     int    `json:"evals"`
	Exhausted bool   `json:"exhausted,omitempty"`
	Case      string `json:"case,omitempty"` // in the format of case files
}

// JSON returns the report for machines: one line, without a newline at its end.
func (f *Failure) JSON() ([]byte, error) {
	v, e := &f.Verdict, &f.Explanation
	kind, cause := f.Cause()
	statement, source := f.Statement()
	at := verdict.Setting{Behaviour: f.Case.Behaviour, Launch: f.Case.Launch}
	j := JSONFailure{
		JSONViolation: f.CommonJSON(f.Law.ID, statement, f.Law.Hypotheses, source, f.claimText(), f.Original.Gen, at), Op: f.Law.Op.String(),
		Bound: v.Bound, BoundPart: f.part, N: f.rowLength(), Rows: max(f.Case.Rows, 1),
		Length: e.Length, Others: e.Others, Free: e.Free, Matter: e.Matter,
		Expected: f.Expected, Observed: f.Observed, ScheduleNote: f.ScheduleNote, Strides: f.Strides, Arithmetic: f.Arithmetic,
		CauseKind: kind, Cause: cause, Hint: f.Hint(), Confirmed: f.Confirmed,
		OriginalN: f.Original.N(),
		Evals:     f.Reduction.Evals, Exhausted: f.Reduction.Exhausted,
	}
	if w := v.Witness; w != nil {
		j.Row, j.Format, j.Want = w.Row, w.Out.Name, w.WantText
		got := report.EncodedJSON(w.Out, w.Got)
		j.Got = &got
		if !w.HasBound && f.Confirmed && !engine.IsOwn(BuiltIn, &f.Law) {
			j.Exact = report.DyadicJSON(f.exact)
		}
		if w.HasBound {
			j.Exact, j.Error, j.Limit = report.DyadicJSON(w.Exact), report.DyadicJSON(w.Error), report.DyadicJSON(w.Limit)
			if !math.IsInf(v.Ratio, 0) && !math.IsNaN(v.Ratio) {
				j.Ratio = &v.Ratio
			}
		}
	}
	for _, n := range e.Leaves {
		l := jsonLeaf{Leaf: n.Leaf, X: report.EncodedJSON(f.Case.X.Format, f.Case.X.At(n.Leaf)), Value: n.Value, YNote: n.Y, Place: n.Place}
		if f.Case.Y.Len() > 0 {
			y := report.EncodedJSON(f.Case.Y.Format, f.Case.Y.At(n.Leaf%f.rowLength()))
			l.Y = &y
		}
		j.Leaves = append(j.Leaves, l)
	}
	c := *f.Case
	c.Law, c.Kernel = f.Law.ID, f.Subject
	if text, err := corpus.Format(&c, engine.ReplayOptions); err == nil {
		j.Case = string(text)
	}
	return engine.LineOf(j)
}
