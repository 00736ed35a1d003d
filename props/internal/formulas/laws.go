package formulas

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/enclosure"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// Law is a law about kernels that compute a formula.
type Law = engine.LawOf[*Call, Kernel]

// laws holds the built-in laws.
var laws = engine.BuiltIn([]Law{{
	ID:         model.FormulaEnclosure,
	Statement:  "each element lies in the enclosure of all that an evaluation of the formula may give under the claim",
	Hypotheses: "the inputs are finite",
	Source:     "[Moore-Kearfott-Cloud 2009] ch. 5, 6, with the claim's error of each operation",
	Kills: []string{
		"softmax without the maximum", "a tail dropped", "the wrong count", "a neighbour's row", "zeros", "a constant", "the input",
		"half precision inside", "wrong but for round sizes",
	},
	Applies: func(k *Kernel) string {
		if k.Claim.Within != nil {
			return "the claim says Within"
		}
		return valued(k)
	},
	Judge: (*Call).finite,
}, {
	ID:         model.PipelineOneRounding,
	Statement:  "each element is the formula's exact value, off by at most the claim's Within, and rounded once to nearest",
	Hypotheses: "the claim says Within; the inputs are finite",
	Source:     "[IEEE 754-2019] §4.3.1, after the claim's bound",
	Kills: []string{
		"another rounding between stages", "no scaling, and twice", "a bias before the inverse", "the wrong stream as gate", "taps in the other order",
		"no padding", "an average for a sum",
	},
	Applies: func(k *Kernel) string {
		if k.Claim.Within == nil {
			return "the claim has no Within"
		}
		return valued(k)
	},
	Judge: (*Call).finite,
}, {
	ID:         model.PipelineRoundings,
	Statement:  "at each of the claim's Points, one a case, the kernel rounds or does not, as the claim says",
	Hypotheses: "the claim has Points",
	Source:     "the claim",
	Kills:      []string{"another rounding between stages"},
	Cost:       4,
	Applies: func(k *Kernel) string {
		if len(k.Claim.Points) == 0 {
			return "the claim has no Points"
		}
		return valued(k)
	},
	Judge: func(c *Call) verdict.Verdict { return c.t.roundings() },
}, {
	ID:         model.FormulaExact,
	Statement:  "each element whose enclosure is a point is that number",
	Hypotheses: "the formula adds, multiplies, compares and selects; an element's operations are exact on the input",
	Source:     "[IEEE 754-2019] §4.3: a number that the format holds is not rounded",
	Kills:      []string{"an accumulator narrower than claimed", "a term dropped"},
	Families:   []string{"small"},
	Cost:       4,
	Applies:    inexact,
	Judge:      func(c *Call) verdict.Verdict { return c.t.exact() },
}, {
	ID:         model.FormulaSpecial,
	Statement:  "where inputs are NaN or infinite, each element is one that the formula allows",
	Hypotheses: "an input is NaN or infinite",
	Source:     "[IEEE 754-2019] §6, §7, operation by operation",
	Kills:      []string{"a NaN dropped", "a masked row that is not NaN"},
	Families:   specialNames(),
	Cost:       4,
	Applies: func(k *Kernel) string {
		real := func(e *formula.Expr) bool { return e.Type().IsReal() }
		switch {
		case k.Formula == nil:
			return valued(k)
		case k.Claim.Finite:
			return "the claim says Finite"
		case !slices.ContainsFunc(k.Formula.Inputs(), real):
			return "no input is a floating-point number"
		}
		return ""
	},
	Judge: func(c *Call) verdict.Verdict {
		if !c.t.special {
			return verdict.NotMet("no input has a NaN or an infinity")
		}
		return c.t.judged()
	},
}}, zeroLaws, variableLaws, stateLaws(), engine.FoundLaws[*Call, Kernel](), []Law{{
	ID:         model.KernelSchedule,
	OnDevice:   true,
	Statement:  "every order of threads, simdgroups and threadgroups gives the same bits",
	Hypotheses: "the kernel says Repeats, has no formula, or claims one in which no choice is left; the device can be told an order",
	Source:     "the claim",
	Kills:      []string{"a sum by atomics", "a barrier missing"},
	Applies:    (*Kernel).choice,
	Judge:      func(c *Call) verdict.Verdict { return c.t.scheduled() },
	Cost:       4,
}}, deviceLaws)

// Laws returns the built-in laws of kernels that compute a formula.
func Laws() []Law { return slices.Clone(laws) }

// valued says why nothing is claimed of values, "" if something is.
func valued(k *Kernel) string {
	if k.Formula == nil {
		return "the kernel has no formula"
	}
	return ""
}

// inexact says why no result of a formula is exact on integers, "" if some may be.
func inexact(k *Kernel) string {
	if k.Formula == nil {
		return valued(k)
	}
	for _, e := range k.Formula.Nodes() {
		switch n := e.Node(); n.Op {
		case formula.OpDiv, formula.OpSqrt, formula.OpRsqrt, formula.OpExp, formula.OpExp2, formula.OpExpm1, formula.OpLog, formula.OpLog2, formula.OpLog1p,
			formula.OpSin, formula.OpCos, formula.OpTan, formula.OpSinPi, formula.OpCosPi, formula.OpTanh, formula.OpErf, formula.OpPow:
			return fmt.Sprintf("the formula has %s, which is not exact", n.Op)
		case formula.OpConst:
			if n.Value != math.Trunc(n.Value) {
				return fmt.Sprintf("the formula has the constant %g, which is no integer", n.Value)
			}
		}
	}
	return ""
}

// finite judges each element by its enclosure, on finite inputs.
func (c *Call) finite() verdict.Verdict {
	if c.t.special {
		return verdict.NotMet("an input has a NaN or an infinity")
	}
	return c.t.judged()
}

// roundings runs the kernel on the input of one of the claim's Points, which the case's seed chooses: it returns the exact values, off by at most Within and rounded
// once, where it rounds neither there nor at a later point, and something else where it rounds there.
func (t *Trial) roundings() verdict.Verdict {
	points := t.k.Claim.Points
	at := int(t.c.Seed % uint64(len(points)))
	p := &points[at]
	if !p.Rounds && slices.ContainsFunc(points[at:], func(later formula.Point) bool { return later.Rounds }) {
		return verdict.NotMet("the claim says that the kernel rounds at a later point, which may change the results of this one")
	}
	own := t.c
	defer func() { t.c = own }()
	c, err := t.point(p)
	if err != nil {
		panic(err) // it was checked
	}
	t.c = c
	t.enclose(t.c)
	r := t.allowed[0]
	t.got = draw.Grow(t.got, len(r.Lo))
	if b := t.once(t.c, t.got); b != nil {
		return verdict.Breaks(b)
	}
	t.value = values(t.value, t.out, t.got)
	known, differs, wrong, want := false, false, -1, 0.0
	for i, x := range t.value {
		once := float64(float32(r.ExactLo[i]))
		if once != float64(float32(r.ExactHi[i])) {
			continue // the enclosure of the exact value says too little
		}
		if known = true; x == once {
			continue
		}
		differs = true
		if t.k.Claim.Within == nil || !r.Allows(i, x) {
			wrong, want = i, once
		}
	}
	switch {
	case !known:
		return verdict.NotMet("point " + p.Name + " has no exact value that is known well enough to round it; choose other numbers for it")
	case wrong >= 0 && !p.Rounds:
		return t.outside(wrong, fmt.Sprintf("on the input of point %s, %s is %s, and the exact value, rounded once, is %s: the kernel rounds there or after it, and "+
			"the claim says once, at last", p.Name, t.elementText(wrong), t.text(t.value[wrong]), t.text(want)))
	case !differs && p.Rounds:
		return t.outside(0, fmt.Sprintf("on the input of point %s each element is the exact value, rounded once: the claim says that the kernel rounds there", p.Name))
	}
	return verdict.Held("", 0)
}

// overflows reports whether the claim leaves an input out, since something overflows.
func (t *Trial) overflows() bool {
	return slices.ContainsFunc(t.allowed, func(r *enclosure.Result) bool { return r.Overflows })
}

// judged judges each element by its enclosure, on inputs that the claim is about.
func (t *Trial) judged() verdict.Verdict {
	if t.overflows() {
		return verdict.Unclaimed("something overflows, and the claim says Finite")
	}
	return t.inside()
}

// exact judges the elements whose enclosures are points.
func (t *Trial) exact() verdict.Verdict {
	points := 0
	if t.overflows() {
		return verdict.Unclaimed("something overflows, and the claim says Finite")
	}
	for i, x := range t.value {
		point := true
		for _, r := range t.allowed {
			point = point && r.Lo[i] == r.Hi[i] && r.Lo[i] == t.allowed[0].Lo[i] && !r.MayBeNaN(i)
		}
		if !point {
			continue
		}
		points++
		if x != t.allowed[0].Lo[i] {
			return t.outside(i, "")
		}
	}
	if points == 0 && len(t.value) > 0 {
		return verdict.NotMet("no element's operations are all exact")
	}
	return verdict.Held("", 0)
}

// outside is the verdict on element i, which is not among what is allowed.
func (t *Trial) outside(i int, reason string) verdict.Verdict {
	t.failing = i
	lo, hi := t.limits(i)
	if reason == "" {
		reason = t.reason(i, lo, hi)
	}
	w := &verdict.Witness{N: len(t.got), Got: t.got[i], Out: t.out.Float, GotText: t.text(t.value[i]), WantText: t.text(lo) + " to " + t.text(hi)}
	if !t.out.IsReal() {
		w.Own = true
	}
	return verdict.Fails(reason, w)
}

// limits returns the least and the greatest number that element i may be: NaN if it can be none.
func (t *Trial) limits(i int) (lo, hi float64) {
	lo, hi = math.NaN(), math.NaN()
	for _, r := range t.allowed {
		if r.MustBeNaN(i) {
			continue
		}
		if lo != lo || r.Lo[i] < lo {
			lo = r.Lo[i]
		}
		if hi != hi || r.Hi[i] > hi {
			hi = r.Hi[i]
		}
	}
	return lo, hi
}

// reason says in a sentence how element i lies beside what is allowed.
func (t *Trial) reason(i int, lo, hi float64) string {
	x, what := t.value[i], t.elementText(i)
	is := fmt.Sprintf("%s is %s", what, t.text(x))
	switch {
	case lo != lo:
		return is + ", and the formula gives NaN alone"
	case lo == hi:
		return is + ", and the formula allows " + t.text(lo) + " alone"
	case x != x:
		return is + fmt.Sprintf(", and the formula allows numbers alone: %s to %s", t.text(lo), t.text(hi))
	case x > hi:
		return is + ", above everything that the formula allows: at most " + t.text(hi)
	case x < lo:
		return is + ", below everything that the formula allows: at least " + t.text(lo)
	}
	return is + ", between what one formula allows and what another does"
}

// text writes a result in decimal.
func (t *Trial) text(x float64) string {
	bits := 32
	if t.out.Float.Bits() > 32 || !t.out.IsReal() {
		bits = 64
	}
	return formatted(x, bits)
}

// elementText names element i of the result: "element 5 of 1000", or "element 2,5 of 4×1000".
func (t *Trial) elementText(i int) string {
	shape := t.allowed[0].Shape
	if len(shape) == 0 {
		return "the result"
	}
	at := make([]string, len(shape))
	of := make([]string, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		at[k], of[k] = fmt.Sprint(i%shape[k]), fmt.Sprint(shape[k])
		i /= shape[k]
	}
	return fmt.Sprintf("element %s of %s", strings.Join(at, ","), strings.Join(of, "×"))
}

// ulp returns the distance of the numbers of a format about x, which is finite.
func ulp(f model.Format, x float64) float64 {
	_, e := math.Frexp(x)
	if x == 0 {
		e = f.Emin
	}
	return math.Ldexp(1, max(e-1, f.Emin)-f.P+1)
}

// stateLaws are the laws of calls: of state that is kept between them, and of rows that depend on each other.
func stateLaws() []Law {
	list := engine.StateLaws[*Call, Kernel]("formula", []string{"the result of the call before", "right for the first calls"}, []string{"a neighbour's row"}, nil)
	for i := range list {
		list[i].Judge = func(c *Call) verdict.Verdict {
			return verdict.Breaks(verdict.Broke(verdict.LawPanicked, "it is judged in calls"))
		}
	}
	list[1].Hypotheses = "the formula has an axis of rows that do not depend on each other, and the kernel can be called with two"
	list[1].Applies = func(k *Kernel) string {
		if k.Formula == nil {
			return valued(k)
		}
		if batchAxis(k.Formula) == "" {
			return "the formula has no axis of rows that do not depend on each other"
		}
		return ""
	}
	return list
}

// calls is an input that has run, for these laws. Its parts are the rows along the batch axis, or the whole.
type calls struct{ t *Trial }

func (c *calls) Parts() int {
	if c.t.batch == "" {
		return 1
	}
	n, _ := c.t.c.Size(c.t.batch)
	return n
}

func (c *calls) Call(order []int, p engine.Place) (out []uint64, ok bool, b *verdict.Breakage) {
	t := c.t
	next := t.c.Clone()
	switch p {
	case engine.Aliased:
		if len(t.k.InPlace) == 0 {
			return nil, false, nil
		}
		name := t.k.InPlace[next.Seed%uint64(len(t.k.InPlace))]
		t.over = 1 + slices.Index(t.names(), name)
		defer func() { t.over = 0 }()
	case engine.Elsewhere: // every array
		next.Seed += engine.Shift * 0x11_1111_1111
	}
	if t.batch == "" {
		if len(order) != 1 {
			return nil, false, nil
		}
		for i := range next.Inputs {
			if order[0] == engine.Zeros {
				clear(next.Inputs[i].Bits)
			}
		}
		if t.Accepts(t.law, next) != nil {
			return nil, false, nil
		}
		out = make([]uint64, len(t.got))
		return out, true, t.once(next, out)
	}
	for i := range next.Axes {
		if next.Axes[i].Name == t.batch {
			next.Axes[i].Size = len(order)
		}
	}
	for i := range next.Inputs {
		a := &next.Inputs[i]
		if k := slices.Index(a.Axes, t.batch); k >= 0 {
			a.Bits, a.Gen = picked(t.c, a, k, order), ""
		}
	}
	if t.Accepts(t.law, next) != nil || c.Parts() == 0 {
		return nil, false, nil
	}
	out = make([]uint64, len(t.got)/c.Parts()*len(order))
	return out, true, t.once(next, out)
}

// picked returns the elements of an array of c whose place along its axis k is order[0], order[1], …; zeros for Zeros.
func picked(c *corpus.Arrays, a *corpus.Array, k int, order []int) []uint64 {
	size, _ := c.Size(a.Axes[k])
	inner := 1
	for _, axis := range a.Axes[k+1:] {
		n, _ := c.Size(axis)
		inner *= n
	}
	list := make([]uint64, 0, len(a.Bits)/max(size, 1)*len(order))
	if size*inner == 0 {
		outer := 1
		for _, axis := range a.Axes[:k] {
			n, _ := c.Size(axis)
			outer *= n
		}
		return make([]uint64, outer*len(order)*inner)
	}
	for at := 0; at < len(a.Bits); at += size * inner {
		for _, i := range order {
			if i == engine.Zeros {
				list = append(list, make([]uint64, inner)...)
				continue
			}
			list = append(list, a.Bits[at+i*inner:at+(i+1)*inner]...)
		}
	}
	return list
}

// Compare fails where the bits differ and one of the two is not what the claim allows: an open order leaves a choice.
func (c *calls) Compare(i int, out []uint64, j int, reason string) verdict.Verdict {
	t := c.t
	if t.k.Formula == nil {
		for k := range t.got {
			if t.got[k] != out[k] {
				t.failing = k
				return verdict.Fails(fmt.Sprintf("%s: byte %d of %d is %#x, and then %#x", reason, k, len(out), t.got[k], out[k]),
					&verdict.Witness{N: len(out), Got: t.got[k], Own: true, WantText: fmt.Sprintf("%#x in the later call", out[k])})
			}
		}
		return verdict.Held("", 0)
	}
	inner, parts, others := len(t.got), c.Parts(), 1
	if t.batch != "" {
		inner = t.inner(t.c, t.batch)
		others = len(out) / max(1, len(t.got)/parts)
	}
	for outer := 0; outer*parts*inner < len(t.got); outer++ {
		for k := range inner {
			mine, other := (outer*parts+i)*inner+k, (outer*others+j)*inner+k
			x, y := t.value[mine], value(t.out, out[other])
			if t.got[mine] == out[other] || x != x && y != y {
				continue
			}
			if len(t.allowed) == 0 {
				t.enclose(t.c)
			}
			if t.overflows() || t.allows(mine, x) && t.allows(mine, y) {
				continue
			}
			v := t.outside(mine, fmt.Sprintf("%s: %s is %s, and then %s", reason, t.elementText(mine), t.text(x), t.text(y)))
			v.Witness.WantText = report.Describe(t.out.Float, out[other]) + " in the later call"
			return v
		}
	}
	return verdict.Held("", 0)
}
