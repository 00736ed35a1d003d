package props

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"

	"gamma/corpus"
	"gamma/model"
	"gamma/oracle"
)

// jsonNumber is a number of a report for machines, exact in Hex.
type jsonNumber struct {
	Hex     string `json:"hex"`
	Decimal string `json:"decimal,omitempty"` // "" for NaN and infinities
	Bits    string `json:"bits,omitempty"`    // of an encoding
}

// jsonLeaf is what explain knows of one leaf.
type jsonLeaf struct {
	Leaf  int         `json:"leaf"`
	X     jsonNumber  `json:"x"`
	Y     *jsonNumber `json:"y,omitempty"`
	Value string      `json:"value,omitempty"`
	YNote string      `json:"y_note,omitempty"`
	Place string      `json:"place,omitempty"`
}

// jsonFailure is one line of failures.jsonl.
type jsonFailure struct {
	jsonViolation

	Op string `json:"op"`

	Bound     string   `json:"bound,omitempty"`
	BoundPart string   `json:"bound_part,omitempty"` // the absolute part of the bound, where it decides
	Ratio     *float64 `json:"ratio,omitempty"`      // error/bound; absent if the bound is 0 or there is none
	Format    string   `json:"format,omitempty"`
	Row       int      `json:"row"`
	N         int      `json:"n"` // leaves of a row
	Rows      int      `json:"rows"`

	Got   *jsonNumber `json:"got,omitempty"`
	Exact *jsonNumber `json:"exact,omitempty"`
	Error *jsonNumber `json:"error,omitempty"`
	Limit *jsonNumber `json:"limit,omitempty"`
	Want  string      `json:"want,omitempty"`

	Leaves []jsonLeaf `json:"leaves,omitempty"` // those that explain looked at
	Length string     `json:"length,omitempty"`
	Others string     `json:"others,omitempty"`
	Free   []string   `json:"free,omitempty"`
	Matter []string   `json:"matter,omitempty"`

	Expected     string `json:"expected,omitempty"`
	Observed     string `json:"observed,omitempty"`
	ScheduleNote string `json:"schedule_note,omitempty"`
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

func encodedJSON(f model.Format, b uint64) jsonNumber {
	n := encoded("", f, b)
	return jsonNumber{Hex: n.hex, Decimal: n.decimal, Bits: fmt.Sprintf("0x%0*x", (f.Bits()+3)/4, b)}
}

func dyadicJSON(d oracle.Dyadic) *jsonNumber {
	return &jsonNumber{Hex: tidyHex(d.Hex()), Decimal: d.Decimal(17)}
}

// JSON returns the report for machines: one line, without a newline at its end.
func (f *Failure) JSON() ([]byte, error) {
	v, e := &f.Verdict, &f.Explanation
	kind, cause := f.cause()
	statement, source := f.statement()
	at := Setting{Behaviour: f.Case.Behaviour, Launch: f.Case.Launch}
	j := jsonFailure{
		jsonViolation: f.json(f.Law.ID, statement, f.Law.Hypotheses, source, f.claimText(), f.Original.Gen, at), Op: f.Law.Op.String(),
		Bound: v.Bound, BoundPart: f.part, N: f.rowLength(), Rows: max(f.Case.Rows, 1),
		Length: e.Length, Others: e.Others, Free: e.Free, Matter: e.Matter,
		Expected: f.Expected, Observed: f.Observed, ScheduleNote: f.ScheduleNote, Arithmetic: f.Arithmetic,
		CauseKind: kind, Cause: cause, Hint: f.hint(), Confirmed: f.Confirmed,
		OriginalN: f.Original.N(),
		Evals:     f.Reduction.Evals, Exhausted: f.Reduction.Exhausted,
	}
	if w := v.Witness; w != nil {
		j.Row, j.Format, j.Want = w.Row, w.Out.Name, w.WantText
		got := encodedJSON(w.Out, w.Got)
		j.Got = &got
		if !w.HasBound && f.Confirmed {
			j.Exact = dyadicJSON(f.exact)
		}
		if w.HasBound {
			j.Exact, j.Error, j.Limit = dyadicJSON(w.Exact), dyadicJSON(w.Error), dyadicJSON(w.Limit)
			if !math.IsInf(v.Ratio, 0) && !math.IsNaN(v.Ratio) {
				j.Ratio = &v.Ratio
			}
		}
	}
	for _, n := range e.Leaves {
		l := jsonLeaf{Leaf: n.Leaf, X: encodedJSON(f.Case.X.Format, f.Case.X.At(n.Leaf)), Value: n.Value, YNote: n.Y, Place: n.Place}
		if f.Case.Y.Len() > 0 {
			y := encodedJSON(f.Case.Y.Format, f.Case.Y.At(n.Leaf%f.rowLength()))
			l.Y = &y
		}
		j.Leaves = append(j.Leaves, l)
	}
	c := *f.Case
	c.Law, c.Kernel = f.Law.ID, f.Subject
	if text, err := corpus.Format(&c, replayOptions); err == nil {
		j.Case = string(text)
	}
	return lineOf(j)
}

// failures holds the lines of this process's failures, by the file that they are written to.
var failures struct {
	sync.Mutex
	lines map[string][]byte
}

// failuresName is the file of failures beside the summary.
const failuresName = "failures.jsonl"

// publishFailure adds a failure of any kind to the file of this process's failures, which it writes anew. Nil adds nothing, but
// removes what an earlier process has left.
func publishFailure(f failure) {
	dir, err := runDir()
	if err != nil {
		return
	}
	name := filepath.Join(dir, failuresName)
	failures.Lock()
	defer failures.Unlock()
	if _, ours := failures.lines[name]; !ours {
		if failures.lines == nil {
			failures.lines = map[string][]byte{}
		}
		failures.lines[name] = nil
		_ = os.Remove(name)
	}
	if f == nil {
		return
	}
	line, err := f.JSON()
	if err != nil {
		return
	}
	failures.lines[name] = append(append(failures.lines[name], line...), '\n')
	_ = corpus.WriteFile(name, failures.lines[name])
}
