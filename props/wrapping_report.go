package props

import (
	"fmt"
	"slices"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/oracle"
)

// WrappingFailure is a violation of a law by a sum of integers: the reduced case, its first result, and the further runs of the law.
type WrappingFailure struct {
	Violation
	Law      WrappingLaw
	Case     *corpus.Integers
	Original int // terms as they were drawn
	Got      uint64
	More     []WrappingSum
}

// examine leaves terms out of a case that fails, makes them and the behaviour plainer, judges what is left once more, and saves it.
func (r *wrappingRun) examine(l *WrappingLaw, c *corpus.Integers, st *lawStats) failure {
	t, end := r.trial(), time.Now().Add(reduceTime)
	judge := func(c *corpus.Integers) Verdict {
		return insist(l.Hardware, func() Verdict { return judgeRepeatedly(t, l, c) })
	}
	small, v := c, judge(c)
	try := func(x []uint64, b model.Behaviour) bool {
		next := r.under(small, Setting{Behaviour: b, Launch: small.Launch})
		next.X = x
		ok := v.fails() && time.Now().Before(end) && r.accepts(l, next) == nil && judge(next).Outcome == v.Outcome
		if ok {
			small = next
		}
		return ok
	}
	for size := len(c.X); size > 0; size /= 2 {
		for at := 0; at+size <= len(small.X); {
			if !try(slices.Concat(small.X[:at], small.X[at+size:]), small.Behaviour) {
				at += size
			}
		}
	}
	for i := range small.X {
		for _, plain := range []uint64{greatestWord(r.w.Bits), 1, 0} {
			x := slices.Clone(small.X)
			x[i] = plain
			try(x, small.Behaviour)
		}
	}
	if !r.device.onHardware() {
		plainest(small.Behaviour, func(b model.Behaviour) bool { return try(small.X, b) })
	}
	f := r.failure(l, small, judge(small), t).(*WrappingFailure)
	f.Cases, f.seen, f.Original, f.Flaky = st.Cases, st.seen, len(c.X), !f.Verdict.fails()
	f.save(r.set)
	return f
}

func (r *wrappingRun) failure(l *WrappingLaw, c *corpus.Integers, v Verdict, t trial[*WrappingTrial, Wrapping, *corpus.Integers]) failure {
	own := t.(*WrappingTrial)
	f := &WrappingFailure{r.violation("wrapping", v), *l, r.body(l, c).(*corpus.Integers), len(c.X), own.Got, own.More}
	if l.Found == nil {
		f.Found = slices.Clone(own.found)
	}
	if v.Outcome == Violated {
		f.Cause = f.hint()
	}
	return f
}

// want returns the sum modulo 2^k.
func (f *WrappingFailure) want() uint64 { return oracle.SumIntegers(f.Case.Bits, f.Case.X) }

// hint says by what single fault the result comes about, "" if it is none of those it knows.
func (f *WrappingFailure) hint() string {
	wrong := (f.Got - f.want()) & greatestWord(f.Case.Bits)
	for w := 8; w < f.Case.Bits; w *= 2 {
		if wrong != 0 && f.Got == oracle.SumIntegers(w, f.Case.X) {
			return fmt.Sprintf("kernel: the result is the sum modulo 2^%d.", w)
		}
	}
	if i := slices.Index(f.Case.X, -wrong&greatestWord(f.Case.Bits)); i >= 0 && wrong != 0 {
		return fmt.Sprintf("kernel: the result is that of all terms without x%d, or another as great.", i)
	}
	return ""
}

// save writes the case to the directory of the settings.
func (f *WrappingFailure) save(s settings) {
	if s.save == "off" {
		f.NotSaved = "-gamma.save=off"
		return
	}
	c, text := *f.Case, f.Verdict.Reason
	if f.passedAgain() {
		text = flakyText("the case", f.seen)
	}
	c.Isolate, c.Comments = f.Verdict.Cause.isolated(), append([]string{text}, foundOn(f.Device)...)
	if c.Recipe != "" {
		c.Comments = append(c.Comments, "Drawn as "+c.Recipe+".")
	}
	file, err := corpus.Save(s.save, &c, replayOptions)
	if f.File = file; err != nil {
		f.NotSaved = err.Error()
	}
}

// Text returns the report in plain text: the law, the terms, what came out, and a command that runs the case again.
func (f *WrappingFailure) Text() string {
	var r report
	r.wrap("", f.headline(f.Law.ID, "a case", headFinding(&f.Verdict)))
	r.blank()
	r.writeLaw(f.Law.Statement, f.Law.Hypotheses, f.Law.Source, f.claim())
	f.writeSetting(&r, Setting{Behaviour: f.Case.Behaviour, Launch: f.Case.Launch})
	r.blank()
	f.writeFound(&r)
	var rows []number
	for i, v := range f.Case.X {
		if v != 0 && len(rows) < 16 {
			rows = append(rows, integerNumber(fmt.Sprintf("x%d", i), v, ""))
		}
	}
	if f.Verdict.Outcome == Violated && f.Law.Found == nil {
		rows = append(rows, integerNumber("computed", f.Got, ""), integerNumber("expected", f.want(), ""))
		for k, m := range f.More {
			rows = append(rows, integerNumber(fmt.Sprintf("run %d", k+2), m.Got, "of "+plural(len(m.X), "term")))
		}
	}
	r.wrap("terms", fmt.Sprintf("%d; listed are the first that are not 0", len(f.Case.X)))
	r.table(rows)
	r.blank()
	r.writeStack(f.Stack)
	smaller := ""
	if f.Original > len(f.Case.X) {
		smaller = fmt.Sprintf("reduced from %s to %d", plural(f.Original, "term"), len(f.Case.X))
	}
	return f.end(&r, f.Law.ID, f.foundBy("case", f.Case.Recipe, smaller), f.cause())
}

func (f *WrappingFailure) cause() string { return f.causeOr(isOwn(wrappingLaws, &f.Law), f.Cause) }
func (f *WrappingFailure) claim() string { return fmt.Sprintf("sums modulo 2^%d", f.Case.Bits) }

// JSON returns the report for machines: one line, without a newline at its end.
func (f *WrappingFailure) JSON() ([]byte, error) {
	at := Setting{Behaviour: f.Case.Behaviour, Launch: f.Case.Launch}
	return lineOf(struct {
		jsonViolation
		Bits  int      `json:"bits"`
		Terms []uint64 `json:"terms"`
		Got   uint64   `json:"got"`
		Cause string   `json:"cause,omitempty"`
	}{f.json(f.Law.ID, f.Law.Statement, f.Law.Hypotheses, f.Law.Source, f.claim(), f.Case.Recipe, at), f.Case.Bits, f.Case.X, f.Got, f.cause()})
}
