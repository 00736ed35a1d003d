package formulas

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gamma/corpus"
	"gamma/props/internal/engine"
	"gamma/props/internal/reduce"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// Failure is a violation of a law by a kernel that computes a formula: the reduced input, and the result.
type Failure struct {
	engine.FailureOf[*Call, Kernel]
	Case     *corpus.Arrays
	Original int      // elements of all inputs as they were drawn
	Got      []uint64 // the result
	Element  int      // the one that the verdict is about

	name    string // of that element
	strides string // how far apart neighbours lie
	of      func(bits uint64) report.Number
	table   []report.Number // of that element
}

// elements returns how many elements the inputs have together.
func elements(c *corpus.Arrays) (n int) {
	for i := range c.Inputs {
		n += len(c.Inputs[i].Bits)
	}
	return n
}

// Examine makes axes shorter and elements plainer in an input that fails, judges what is left once more, and saves it.
func (r *run) Examine(l *Law, c *corpus.Arrays, st *engine.LawStats) engine.Failure {
	t := r.Trial().(*Trial)
	x := engine.Examine(r, t, l, c)
	x.Reduce(0, func(m *reduce.Loop[*corpus.Arrays]) { r.Shrink(l, m) })
	f := r.Failure(l, x.Small, x.Last, t).(*Failure)
	f.Cases, f.Seen, f.Original, f.Flaky, f.Recipe = st.Cases, st.Seen, elements(c), x.Flaky(), recipe(c)
	if x.Last.Outcome == verdict.Violated && !f.Flaky {
		f.Cause = cmp.Or(r.narrow(l, c), r.strideCause(l, c), r.cause(l, c))
	}
	r.Save(&f.Violation, r.Body(l, f.Case), "the case", nil)
	return f
}

// Shrink leaves the fewest places of each axis, and makes values and strides plainer.
func (r *run) Shrink(_ *Law, m *reduce.Loop[*corpus.Arrays]) {
	m.Until(func() {
		for _, axis := range r.axes {
			base := m.Cur
			n, _ := base.Size(axis)
			m.Ends(n, func(lo, hi int) (*corpus.Arrays, bool) {
				return along(base, axis, func(i int) bool { return i >= lo && i < hi }), hi > lo // nothing at all is another fault
			})
			base = m.Cur
			n, _ = base.Size(axis)
			m.Settle(max(n-1, 0), m.Impatient(n, reduce.PhaseMisses), func(drop []bool) *corpus.Arrays { // the first stays
				return along(base, axis, func(i int) bool { return i == 0 || !drop[i-1] })
			})
		}
	}, func() { plainer(m) }, func() { r.plainerStrides(m) }, m.Plain)
}

// narrow says which index or count has too few bits for the rows of an input, or its elements where each is a row, "" if none does.
func (r *run) narrow(l *Law, c *corpus.Arrays) string {
	n, _ := c.Size(r.batch)
	if r.batch == "" || r.k.Formula == nil || n < engine.NarrowRows || r.k.CallOn != nil || l.Found != nil {
		return ""
	}
	t := r.Trial().(*Trial)
	if v := t.Judge(l, along(c, r.batch, func(i int) bool { return i < engine.NarrowParts })); v.Fails() {
		return ""
	}
	unit := "row"
	if len(r.k.Formula.Axes()) == 1 {
		unit = "element"
	}
	if text := engine.NarrowCalls(&calls{t: t}, unit, n); text != "" {
		return "kernel: " + text
	}
	return ""
}

// recipe returns the recipes of an input.
func recipe(c *corpus.Arrays) string {
	var list []string
	for i := range c.Inputs {
		if a := &c.Inputs[i]; a.Gen != "" {
			list = append(list, strings.TrimSpace(a.Name+": "+a.Gen))
		}
	}
	return strings.Join(list, "; ")
}

// along returns an input with some places of an axis alone.
func along(c *corpus.Arrays, axis string, keep func(i int) bool) *corpus.Arrays {
	next := *c
	next.Axes, next.Inputs = slices.Clone(c.Axes), slices.Clone(c.Inputs)
	var order []int
	for i := range next.Axes {
		if x := &next.Axes[i]; x.Name == axis {
			order = make([]int, 0, x.Size)
			for k := range x.Size {
				if keep(k) {
					order = append(order, k)
				}
			}
			x.Size = len(order)
		}
	}
	for i := range next.Inputs {
		if a := &next.Inputs[i]; slices.Contains(a.Axes, axis) {
			a.Bits, a.Gen = picked(c, a, slices.Index(a.Axes, axis), order), ""
		}
	}
	return &next
}

// plainer makes elements 0 or simple numbers, input by input.
func plainer(m *reduce.Loop[*corpus.Arrays]) {
	with := func(c *corpus.Arrays, i int, bits []uint64) *corpus.Arrays {
		next := *c
		next.Inputs = slices.Clone(c.Inputs)
		next.Inputs[i].Bits, next.Inputs[i].Gen = slices.Clone(bits), ""
		return &next
	}
	for i := range m.Cur.Inputs {
		if a := &m.Cur.Inputs[i]; a.Type.IsReal() {
			m.Simplify(reduce.Values[*corpus.Arrays]{
				Of:   func(c *corpus.Arrays) []reduce.Value { return reduce.Numbers(a.Type.Float, c.Inputs[i].Bits) },
				With: func(c *corpus.Arrays, bits []uint64) *corpus.Arrays { return with(c, i, bits) },
				Zero: true,
			})
			continue
		}
		m.Replace(func(c *corpus.Arrays) []uint64 { return c.Inputs[i].Bits },
			func(c *corpus.Arrays, bits []uint64) *corpus.Arrays { return with(c, i, bits) }, 0, 1)
	}
}

func (r *run) Failure(l *Law, c *corpus.Arrays, v verdict.Verdict, t engine.Trial[*Call, Kernel, *corpus.Arrays]) engine.Failure {
	own := t.(*Trial)
	at, _ := r.Setting(c)
	f := &Failure{
		FailureOf: r.Failing("formula", l, v, at, r.claimText(), recipe(c), nil), Case: r.Body(l, c).(*corpus.Arrays), Original: elements(c),
		Got: slices.Clone(own.got), Element: own.failing, of: r.number,
	}
	f.strides = r.strideText(c)
	if v.Outcome == verdict.Violated && len(own.allowed) > 0 && own.failing < len(own.got) {
		f.name, f.table = own.elementText(own.failing), own.numbers(own.failing)
	}
	return f
}

// number writes one result.
func (r *run) number(bits uint64) report.Number {
	if r.out.IsReal() {
		return report.Encoded("", r.out.Float, bits)
	}
	return report.Number{Decimal: formatted(value(r.out, bits), 64)}
}

// numbers is what a report says of an element of the result.
func (t *Trial) numbers(i int) []report.Number {
	got := t.number(t.got[i])
	got.Label = "computed"
	rows := []report.Number{got}
	if t.law.Calls != nil || engine.IsOwn(laws, t.law) {
		return rows
	}
	lo, hi := t.limits(i)
	number := func(label string, x float64, note string) report.Number {
		n := report.Number{Label: label, Decimal: t.text(x), Note: note}
		if x-x == 0 && t.out.IsReal() {
			n.Hex = report.TidyHex(fmt.Sprintf("%x", x))
		}
		return n
	}
	x, far := t.value[i], ""
	if end := max(lo, min(hi, x)); t.out.IsReal() && x-x == 0 && end-end == 0 && x != end {
		far = report.Rough(math.Abs(x-end)/ulp(t.out.Float, end), 3) + " ulps from what was computed"
	}
	least, greatest := far, ""
	if x > hi {
		least, greatest = "", far
	}
	rows = append(rows, number("at least", lo, least), number("at most", hi, greatest))
	for _, r := range t.allowed {
		if r.MayBeNaN(i) {
			rows = append(rows, report.Number{Label: "or", Decimal: "NaN"})
			break
		}
	}
	if r := t.allowed[0]; !r.MustBeNaN(i) {
		exact := report.Number{Label: "exact", Decimal: formatted(r.ExactLo[i], 64)}
		if r.ExactLo[i] != r.ExactHi[i] {
			mid := float64(r.ExactLo[i]/2) + float64(r.ExactHi[i]/2)
			exact.Decimal, exact.Note = strconv.FormatFloat(mid, 'g', 12, 64), ""
		}
		rows = append(rows, exact)
	}
	return rows
}

// formatted writes a number with as many digits as tell it from its neighbours of so many bits.
func formatted(x float64, bits int) string {
	switch {
	case x != x:
		return "NaN"
	case math.IsInf(x, 0):
		return strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64), "+")
	}
	return strconv.FormatFloat(x, 'g', -1, bits)
}

// mostListed is how many elements of an array a report lists.
const mostListed = 16

// Text returns the report in plain text: the law, the inputs, what came out, and a command that runs the case again.
func (f *Failure) Text() string {
	r := f.Head(engine.HeadFinding(&f.Verdict))
	f.WriteFound(r)
	var sizes []string
	for _, x := range f.Case.Axes {
		sizes = append(sizes, fmt.Sprintf("%s %d", x.Name, x.Size))
	}
	r.WriteParts([2]string{"sizes", strings.Join(sizes, ", ")}, [2]string{"strides", f.strides})
	var rows []report.Number
	for i := range f.Case.Inputs {
		a := &f.Case.Inputs[i]
		listed := 0
		for k, b := range a.Bits {
			if b == 0 && len(a.Bits) > mostListed {
				continue
			}
			if listed++; listed > mostListed {
				rows = append(rows, report.Number{Label: "…", Decimal: fmt.Sprintf("%d elements in all", len(a.Bits))})
				break
			}
			n := report.Number{Label: fmt.Sprintf("%s[%d]", a.Name, k)}
			if a.Type.IsReal() {
				e := report.Encoded("", a.Type.Float, b)
				n.Hex, n.Decimal = e.Hex, e.Decimal
			} else {
				n.Decimal, _ = a.Text(b)
			}
			rows = append(rows, n)
		}
	}
	rows = append(rows, f.table...)
	r.Table(rows)
	if r.WriteStack(f.Stack); len(rows)+len(f.Stack) > 0 {
		r.Blank()
	}
	f.Terms(r)
	r.Blank()
	return f.Finish(r, report.Reduced(f.Original, elements(f.Case), "element"), f.Cause)
}

// JSON returns the report for machines: one line, without a newline at its end.
func (f *Failure) JSON() ([]byte, error) {
	type array struct {
		Name     string   `json:"name"`
		Type     string   `json:"type"`
		Axes     []string `json:"axes"`
		Elements []string `json:"elements"`
	}
	sizes, inputs := map[string]int{}, []array{}
	for _, x := range f.Case.Axes {
		sizes[x.Name] = x.Size
	}
	for i := range f.Case.Inputs {
		a := &f.Case.Inputs[i]
		list := make([]string, len(a.Bits))
		for k, b := range a.Bits {
			list[k], _ = a.Text(b)
		}
		inputs = append(inputs, array{a.Name, a.Type.String(), a.Axes, list})
	}
	got := make([]string, len(f.Got))
	for i, b := range f.Got {
		n := f.of(b)
		if got[i] = n.Hex; got[i] == "" {
			got[i] = n.Decimal
		}
	}
	return engine.LineOf(struct {
		engine.JSONViolation
		Sizes   map[string]int `json:"sizes"`
		Inputs  []array        `json:"inputs"`
		Got     []string       `json:"got"`
		Element int            `json:"element"`
		Cause   string         `json:"cause,omitempty"`
	}{f.InJSON(), sizes, inputs, got, f.Element, f.CauseOr(f.Cause)})
}
