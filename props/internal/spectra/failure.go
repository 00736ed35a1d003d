package spectra

import (
	"cmp"
	"fmt"
	"slices"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/fourier"
	"gamma/props/internal/engine"
	"gamma/props/internal/reduce"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// Failure is a violation of a law by a discrete Fourier transform: the reduced input, and how far its result is from exact.
type Failure struct {
	engine.FailureOf[*Trial, fourier.Claim]
	Case      *corpus.Arrays
	Transform fourier.Transform
	Original  int // numbers of the input as it was drawn
	Got       []uint64

	e         deviation
	bound     fourier.Bound
	real, out bool // the input's numbers, and the result's, are real
}

// numbers returns how many numbers an input has.
func numbers(c *corpus.Arrays) int {
	rows, n := sizesOf(c)
	return rows * n
}

// Promise says what the subject claims.
func (r *run) Promise() engine.Promise { return engine.Promise{Claim: r.claim.String()} }

// Examine leaves rows out of an input that fails, makes it shorter and its numbers plainer, judges what is left once more, and saves it.
func (r *run) Examine(l *Law, c *corpus.Arrays, st *engine.LawStats) engine.Failure {
	t := r.Trial().(*Trial)
	x := engine.Examine(r, t, l, c)
	x.Reduce(0, func(m *reduce.Loop[*corpus.Arrays]) { r.Shrink(l, m) })
	f := r.described(l, x.Small, x.Last, t)
	f.Cases, f.Seen, f.Original, f.Flaky, f.Recipe = st.Cases, st.Seen, numbers(c), x.Flaky(), c.Inputs[0].Gen
	if x.Last.Outcome == verdict.Violated && !f.Flaky {
		f.Cause = r.cause(l, c, f.Case)
	}
	r.Save(&f.Violation, r.Body(l, f.Case), "the case", nil)
	return f
}

// Shrink leaves the fewest rows, of the fewest points, and makes their numbers plainer.
func (r *run) Shrink(_ *Law, m *reduce.Loop[*corpus.Arrays]) {
	m.Until(func() {
		base := m.Cur
		rows, _ := sizesOf(base)
		m.Ends(rows, func(lo, hi int) (*corpus.Arrays, bool) { return r.cut(base, lo, hi, -1), hi > lo })
	}, func() {
		base := m.Cur
		_, n := sizesOf(base)
		sizes := r.shorter(n)
		m.Lower(0, len(sizes), func(i int) (*corpus.Arrays, bool) {
			if i >= len(sizes) {
				return nil, false
			}
			return r.cut(base, 0, -1, sizes[i]), true
		})
	}, func() { plainer(m) }, m.Plain)
}

// shorter returns the claimed lengths below n, in ascending order: all small ones, and large ones by halves.
func (r *run) shorter(n int) (list []int) {
	for k := 1; k < n; k++ {
		if r.claim.Has(k) && (k < 64 || k&(k-1) == 0 || k*2 == n || k+1 == n) {
			list = append(list, k)
		}
	}
	return list
}

// cut returns an input with rows lo to hi alone, and the first n numbers of each; hi and n are -1 for all.
func (r *run) cut(c *corpus.Arrays, lo, hi, n int) *corpus.Arrays {
	rows, was := sizesOf(c)
	if hi < 0 {
		hi = rows
	}
	if n < 0 {
		n = was
	}
	next := *c
	next.Axes = []corpus.Axis{{Name: axisRow, Size: hi - lo}, {Name: axisN, Size: n}}
	next.Inputs = slices.Clone(c.Inputs)
	for i := range next.Inputs {
		a := &next.Inputs[i]
		a.Bits, a.Gen = nil, ""
		for row := lo; row < hi; row++ {
			a.Bits = append(a.Bits, c.Inputs[i].Bits[row*was:row*was+n]...)
		}
	}
	return &next
}

// plainer makes numbers 0 or simple ones. Second words of double words become 0, or stay as they are.
func plainer(m *reduce.Loop[*corpus.Arrays]) {
	with := func(c *corpus.Arrays, i int, bits []uint64) *corpus.Arrays {
		next := *c
		next.Inputs = slices.Clone(c.Inputs)
		next.Inputs[i].Bits = slices.Clone(bits)
		next.Inputs[0].Gen = ""
		return &next
	}
	for i := len(m.Cur.Inputs) - 1; i >= 0; i-- {
		of := func(c *corpus.Arrays) []uint64 { return c.Inputs[i].Bits }
		if i >= 2 {
			m.Replace(of, func(c *corpus.Arrays, bits []uint64) *corpus.Arrays { return with(c, i, bits) }, 0)
			continue
		}
		format := m.Cur.Inputs[i].Type.Float
		m.Simplify(reduce.Values[*corpus.Arrays]{
			Of:   func(c *corpus.Arrays) []reduce.Value { return reduce.Numbers(format, of(c)) },
			With: func(c *corpus.Arrays, bits []uint64) *corpus.Arrays { return with(c, i, bits) },
			Zero: true,
		})
	}
}

func (r *run) Failure(l *Law, c *corpus.Arrays, v verdict.Verdict, t engine.Trial[*Trial, fourier.Claim, *corpus.Arrays]) engine.Failure {
	f := r.described(l, c, v, t)
	if v.Outcome == verdict.Violated {
		f.Cause = r.cause(l, c, c)
	}
	return f
}

// described describes an input as it was judged last, without a cause.
func (r *run) described(l *Law, c *corpus.Arrays, v verdict.Verdict, t engine.Trial[*Trial, fourier.Claim, *corpus.Arrays]) *Failure {
	own := t.(*Trial)
	at, _ := r.Setting(c)
	return &Failure{
		FailureOf: r.Failing("fft", l, v, at, r.claim.String(), c.Inputs[0].Gen, own.found), Case: r.Body(l, c).(*corpus.Arrays), Transform: own.Transform,
		Original: numbers(c), Got: slices.Clone(own.got), e: own.failing, bound: own.bound, real: own.in.real, out: own.out.real,
	}
}

// mostListed is how many numbers of the input a report lists.
const mostListed = 16

// Text returns the report in plain text: the law, the input, what came out, and a command that runs the case again.
func (f *Failure) Text() string {
	r := f.Head(engine.HeadFinding(&f.Verdict))
	f.WriteFound(r)
	rows, n := sizesOf(f.Case)
	sizes := f.Transform.String()
	if rows > 1 {
		sizes += fmt.Sprintf(", %d rows", rows)
	}
	r.WriteParts([2]string{"transform", sizes})
	table := f.listed(rows, n)
	if e := &f.e; f.Verdict.Outcome == verdict.Violated && e.worst >= 0 {
		label := fmt.Sprintf("X_%d", e.worst)
		if f.Transform.Sign == fourier.Inverse {
			label = fmt.Sprintf("x_%d", e.worst)
		}
		table = append(table, report.Number{Label: label, Decimal: text(e.got, f.out), Note: "computed"},
			report.Number{Label: cmp.Or(e.beside, "exact"), Decimal: text(e.want, f.out)})
		if e.judged {
			table = append(table,
				report.Number{Label: "error", Decimal: fmt.Sprintf("%.4g", ldexp(e.l2, -e.shift)), Note: "2-norm, of all results"},
				report.Number{Label: "bound", Decimal: fmt.Sprintf("%.4g", ldexp(e.limit, -e.shift)), Note: f.bound.Name})
		}
	}
	r.Table(table)
	if r.WriteStack(f.Stack); len(table)+len(f.Stack) > 0 {
		r.Blank()
	}
	f.Terms(r)
	r.Blank()
	return f.Finish(r, report.Reduced(f.Original, numbers(f.Case), "number"), f.Cause)
}

// listed returns the numbers of the input that are not 0.
func (f *Failure) listed(rows, n int) (list []report.Number) {
	for i := range f.Case.Inputs {
		a := &f.Case.Inputs[i]
		if f.real && i&1 == 1 {
			continue
		}
		count := 0
		for k, b := range a.Bits {
			if b == 0 && rows*n > 4 {
				continue
			}
			if count++; count > mostListed {
				list = append(list, report.Number{Label: "…", Decimal: fmt.Sprintf("%d numbers in all", len(a.Bits))})
				break
			}
			e := report.Encoded("", a.Type.Float, b)
			label := fmt.Sprintf("%s[%d]", a.Name, k%n)
			if rows > 1 {
				label = fmt.Sprintf("%s[%d,%d]", a.Name, k/n, k%n)
			}
			list = append(list, report.Number{Label: label, Hex: e.Hex, Decimal: e.Decimal})
		}
	}
	return list
}

// JSON returns the report for machines: one line, without a newline at its end.
func (f *Failure) JSON() ([]byte, error) {
	rows, n := sizesOf(f.Case)
	inputs := map[string][]string{}
	for i := range f.Case.Inputs {
		a := &f.Case.Inputs[i]
		for _, b := range a.Bits {
			text, _ := a.Text(b)
			inputs[a.Name] = append(inputs[a.Name], text)
		}
	}
	got := make([]string, len(f.Got))
	for i, b := range f.Got {
		got[i] = fmt.Sprintf("%#x", b)
	}
	return engine.LineOf(struct {
		engine.JSONViolation
		Transform string              `json:"transform"`
		Rows      int                 `json:"rows"`
		N         int                 `json:"n"`
		Inputs    map[string][]string `json:"inputs"`
		Got       []string            `json:"got"`
		Cause     string              `json:"cause,omitempty"`
	}{f.InJSON(), f.Transform.String(), rows, n, inputs, got, f.CauseOr(f.Cause)})
}

// judgedByValues reports whether a law compares results with exact ones, so that a cause can be looked for.
func judgedByValues(l *Law) bool {
	return slices.Contains([]model.LawID{model.FFTError, model.FFTEntry}, l.ID)
}
