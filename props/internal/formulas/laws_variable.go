package formulas

import (
	"cmp"
	"fmt"
	"slices"

	"gamma/model"
	"gamma/model/formula"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// variableLaws are the laws of functions of one number: of what a claim says of all their values together. Neither asks the oracle.
var variableLaws = []Law{{
	ID:        model.FormulaSymmetry,
	Statement: "f(-x) = -f(x) of an odd function, f(-x) = f(x) of an even one, bit for bit",
	Hypotheses: "the claim says Odd or Even; f(x) is no NaN; of a claim that says Finite, nothing overflows at x and -x. Where it admits flushing, zeros of both signs are one number; where the sign of " +
		"a flushed zero is open, so are results of both signs that it decides",
	Source: "the claim; sin, tan, tanh and erf are odd, cos is even",
	Kills:  []string{"the half between two integers rounded up, where the reduction of an argument has to round to even"},
	Applies: func(k *Kernel) string {
		if k.Formula == nil || k.Claim.Symmetry == formula.NoSymmetry {
			return cmp.Or(valued(k), "the claim says neither Odd nor Even")
		}
		return ""
	},
	Judge: func(c *Call) verdict.Verdict { return c.t.symmetric() },
	Cost:  2,
}, {
	ID:         model.FormulaMonotone,
	Statement:  "x < y implies f(x) <= f(y) where the claim says that f rises, f(x) >= f(y) where it says that f falls",
	Hypotheses: "the claim has a range, Rising or Falling, with two numbers of the input and of their neighbours on both sides; neither result is NaN",
	Source:     "the claim",
	Kills:      []string{"a step down where two polynomials meet, of less than the promised ulps"},
	Applies: func(k *Kernel) string {
		if k.Formula == nil || len(k.Claim.Rising)+len(k.Claim.Falling) == 0 {
			return cmp.Or(valued(k), "the claim has no range, Rising or Falling")
		}
		return ""
	},
	Judge: func(c *Call) verdict.Verdict { return c.t.monotone() },
	Cost:  3,
}}

// What is asked of functions of one number, and enclosures judge. Of the quadrant: an enclosure of sin x or cos x comes from the exact argument and its exact reduction modulo
// π/2, and is as wide as the claim's error. The value of another quadrant, or of another sign, lies outside of it wherever it differs by more than the claim admits; nearer, as about odd multiples of
// π/4 and, of absolute errors, about zeros, the claim leaves the choice. So a law of signs and quadrants alone would find nothing more, on the same inputs.
var _ = engine.Cover(
	engine.Covered{Name: "formula.quadrant", Law: model.FormulaEnclosure, How: "since the enclosure is of the argument's own quadrant, by exact reduction, and results of another one or of the other sign lie outside"},
	engine.Covered{Name: "formula.range", Law: model.FormulaEnclosure, How: "where the claim's Functions say InRange: enclosures of sin and cos end at -1 and 1"},
	engine.Covered{Name: "formula.rounded", Law: model.FormulaEnclosure, How: "where the claim's Functions are CorrectlyRounded and it says Exactly: enclosures are the one nearest number"},
	engine.Covered{Name: "formula.ulps", Law: model.FormulaEnclosure, How: "since enclosures are as wide as the ulps that the claim's Functions admit"},
)

// enclosed reports whether a law is judged by enclosures: all that judge a call's values but those of functions of one number, unless the claim says Finite.
func (k *Kernel) enclosed(l *Law) bool {
	return l.Calls == nil && (k.Claim.Finite || l.ID != model.FormulaSymmetry && l.ID != model.FormulaMonotone)
}

// ofOneNumber says why an element of a kernel's result is no function of one number, the element of its input in the same place, "" if it is.
func (r *run) ofOneNumber() string {
	if len(r.inputs) != 1 || len(r.axes) != 1 || !r.inputs[0].Type().IsReal() {
		return "it takes more than one vector of numbers"
	}
	for _, e := range slices.Concat([]*formula.Expr{r.k.Formula}, r.k.Claim.AnyOf) {
		for _, e := range e.Nodes() {
			switch n := e.Node(); {
			case n.Op == formula.OpInput || n.Op == formula.OpConst || n.Op.Class() == formula.Elementwise:
			default:
				return fmt.Sprintf("an element of its result depends on more than one of its input: the formula has %s", n.Op)
			}
		}
	}
	return ""
}

// checkVariable checks what is claimed of a function of one number.
func (r *run) checkVariable() error {
	c := &r.k.Claim
	ranges := slices.Concat(c.Rising, c.Falling)
	if c.Symmetry == formula.NoSymmetry && len(ranges) == 0 {
		return nil
	}
	if why := r.ofOneNumber(); why != "" || !r.out.IsReal() {
		return fmt.Errorf("its Claim sets Symmetry, Rising or Falling, which are for functions of one number, and %s", cmp.Or(why, "its results are "+r.out.String()))
	}
	if c.Symmetry > formula.Even {
		return fmt.Errorf("its Claim sets Symmetry to %d; set formula.Odd or formula.Even", c.Symmetry)
	}
	for _, x := range ranges {
		if !(x.From < x.To) {
			return fmt.Errorf("its Claim has the range %s, Rising or Falling; a range has two numbers, the lesser first", x)
		}
	}
	return nil
}

// variableText says what is claimed of a function of one number, "" if nothing is.
func variableText(c *formula.Claim) (text string) {
	if c.Symmetry != formula.NoSymmetry {
		text = fmt.Sprintf("; %s, bit for bit", c.Symmetry)
	}
	for _, x := range c.Rising {
		text += "; rising on " + x.String()
	}
	for _, x := range c.Falling {
		text += "; falling on " + x.String()
	}
	return text
}

// again runs the kernel on the input changed element by element. It returns a verdict, and false, where the kernel breaks and where the claim leaves the changed
// input out.
func (t *Trial) again(change func(bits uint64) uint64) (in, out []uint64, v verdict.Verdict, ok bool) {
	next := t.c.Clone()
	a := &next.Inputs[0]
	a.Gen = ""
	for i, bits := range a.Bits {
		a.Bits[i] = change(bits)
	}
	if t.k.Claim.Finite {
		t.enclose(next)
		over := t.overflows()
		if t.enclose(t.c); over {
			return nil, nil, verdict.Unclaimed("something overflows on the changed input, and the claim says Finite"), false
		}
	}
	out = make([]uint64, len(t.got))
	if b := t.once(next, out); b != nil {
		return nil, nil, verdict.Breaks(b), false
	}
	return a.Bits, out, v, true
}

// symmetric judges the results by those of the negated input.
func (t *Trial) symmetric() verdict.Verdict {
	if t.overflows() {
		return verdict.Unclaimed("something overflows, and the claim says Finite")
	}
	sign := t.c.Inputs[0].Type.Float.SignBit()
	_, mirrored, v, ok := t.again(func(bits uint64) uint64 { return bits ^ sign })
	if !ok {
		return v
	}
	device := t.freedom(t.at.Behaviour)
	flush := engine.JoinFlush(t.k.Claim.Flush, device.flush)
	open := flush.OpenSign() || engine.JoinFlush(t.k.Claim.Flush16, device.flush16).OpenSign()
	flip, flushes := uint64(0), flush.Any() || open
	if t.k.Claim.Symmetry == formula.Odd {
		flip = t.out.Float.SignBit()
	}
	for i, got := range t.got {
		want := mirrored[i] ^ flip
		if got == want || t.value[i] != t.value[i] || flushes && t.value[i] == 0 && value(t.out, want) == 0 {
			continue
		}
		if len(t.allowed) == 0 {
			t.enclose(t.c)
		}
		if open && got^want == t.out.Float.SignBit() && t.allows(i, value(t.out, want)) {
			continue // a zero whose sign is open decides
		}
		t.failing = i
		return verdict.Fails(fmt.Sprintf("%s is %s, and of -x it is %s: the claim says that f is %s", t.elementText(i), t.text(t.value[i]), t.text(value(t.out, mirrored[i])), t.k.Claim.Symmetry),
			&verdict.Witness{N: len(t.got), Got: got, Out: t.out.Float, Own: true, WantText: report.Describe(t.out.Float, want) + ", by the result of -x"})
	}
	return verdict.Held("", 0)
}

// argued is a result beside its argument.
type argued struct {
	x, y float64
	i    int
}

// slope is a range in which the claim says that a function rises, or falls: then sign is -1.
type slope struct {
	formula.Range
	sign       float64
	verb, back string
}

// slopes returns those of the claim.
func (t *Trial) slopes() (list []slope) {
	for _, in := range t.k.Claim.Rising {
		list = append(list, slope{in, 1, "rises", "down"})
	}
	for _, in := range t.k.Claim.Falling {
		list = append(list, slope{in, -1, "falls", "up"})
	}
	return list
}

// monotone judges the results, and those of the inputs' neighbours, in the order of the arguments. Of consecutive numbers one neighbour each is enough.
func (t *Trial) monotone() verdict.Verdict {
	if t.overflows() {
		return verdict.Unclaimed("something overflows, and the claim says Finite")
	}
	a := &t.c.Inputs[0]
	f := a.Type.Float
	neighbours := []func(bits uint64) uint64{
		func(bits uint64) uint64 { return next(f, bits) },
		func(bits uint64) uint64 { return next(f, bits^f.SignBit()) ^ f.SignBit() },
	}
	consecutive := familyOf(t.c) == families.Consecutive().Name
	if consecutive {
		neighbours = neighbours[:1]
	}
	own := make([]argued, 0, (1+len(neighbours))*len(t.got))
	for i, y := range t.value {
		own = append(own, argued{value(a.Type, a.Bits[i]), y, i})
	}
	all := own
	for _, neighbour := range neighbours {
		x, y, v, ok := t.again(neighbour)
		if !ok {
			return v
		}
		for i := range x {
			all = append(all, argued{value(a.Type, x[i]), value(t.out, y[i]), i})
		}
	}
	if !consecutive {
		slices.SortFunc(all, func(p, q argued) int { return cmp.Or(cmp.Compare(p.x, q.x), cmp.Compare(p.i, q.i)) })
	}
	met := len(t.got) == 0
	for _, s := range t.slopes() {
		var last *argued // the one before in this range
		for k := range all {
			p := &all[k]
			if consecutive {
				if k == len(own) {
					break
				}
				last, p = p, &all[len(own)+k]
			}
			if !s.Has(p.x) || last != nil && !s.Has(last.x) || p.y != p.y {
				continue
			}
			if last != nil && last.y == last.y && p.x != last.x {
				if met = true; float64(s.sign*p.y) < float64(s.sign*last.y) {
					return t.stepped(s, last, p)
				}
			}
			last = p
		}
	}
	if !met {
		return verdict.NotMet("no two numbers lie in a range of the claim")
	}
	return verdict.Held("", 0)
}

// stepped is the verdict on the results of two arguments, which are not in the order that the claim says.
func (t *Trial) stepped(s slope, p, q *argued) verdict.Verdict {
	t.failing = q.i
	return verdict.Fails(fmt.Sprintf("f(%s) is %s, and f(%s) is %s: the claim says that f %s on %s", t.argument(p.x), t.text(p.y), t.argument(q.x), t.text(q.y), s.verb, s.Range),
		&verdict.Witness{N: len(t.got), Got: t.got[q.i], Out: t.out.Float, Own: true, WantText: "no step " + s.back})
}

// argument writes a number of the input in decimal.
func (t *Trial) argument(x float64) string {
	if t.c.Inputs[0].Type.Float.Bits() > 32 {
		return formatted(x, 64)
	}
	return formatted(x, 32)
}

// next returns the number after the one with these bits: the same of NaN and of the greatest.
func next(f model.Format, bits uint64) uint64 {
	sign := f.SignBit()
	switch b := bits &^ sign; {
	case f.IsNaN(bits) || b >= f.MaxBits() && bits&sign == 0:
		return bits
	case bits&sign == 0:
		return bits + 1
	case b == 0:
		return 1
	}
	return bits - 1
}
