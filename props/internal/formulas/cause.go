package formulas

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/enclosure"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// tail is what variants have in common that leave the last elements out.
const tail = "tail"

// observed is an input that failed and what the kernel gave.
type observed struct {
	c     *corpus.Arrays
	value []float64
	off   []float64 // of each result that the formula does not allow, how far from its value it is; nil if it allows all
	width []float64 // half of each result's enclosure; nil where the claim names several formulas
}

// variant is a way for a kernel to be wrong: fits reports whether all that it gave for an input is what that gives.
type variant struct {
	text string
	fits func(t *Trial, o *observed) bool
	// shows, if set, reports whether an input can tell the variant from others; one of those that fail has to.
	shows func(t *Trial, o *observed) bool
	// rounds says that without rounding it is the same as the formula; enclose is then what it allows, nil if that cannot be said.
	rounds  bool
	enclose func(t *Trial, o *observed) *enclosure.Result
	// alike names variants that say the same of a kernel in other words; "" for the text.
	alike string
}

// A variant that computes the same and errs more, such as one in a narrower format, allows all that the formula does, and so fits any kernel whose errors are
// smaller than its own. It explains errors of its own size alone: of inputs on which its enclosures are muchWider than the formula's, nearEnds have to show a
// result that is at least nearEnd of the way from the value to an end.
const (
	muchWider = 64
	nearEnd   = 1.0 / 32
	nearEnds  = 2
)

// sized reports whether v errs as much as the results do.
func (v *variant) sized(t *Trial, seen ...[]*observed) bool {
	if !v.rounds {
		return true
	}
	told, near := false, 0
	for _, o := range slices.Concat(seen...) {
		ratio, ok := v.far(t, o)
		told = told || ok
		if ratio >= nearEnd {
			near++
		}
	}
	return !told || near >= nearEnds
}

// far returns how far results are from the value without rounding, in half-widths of the variant's enclosures where these are much wider than the formula's;
// ok is false if none is.
func (v *variant) far(t *Trial, o *observed) (ratio float64, ok bool) {
	z := v.enclose(t, o)
	if z == nil || o.width == nil || t.special {
		return 0, false
	}
	for i, x := range o.value {
		w := z.Width(i)
		if !(w > 0) || w < float64(muchWider*o.width[i]) || infinite(w) || infinite(x) {
			continue
		}
		ok = true
		ratio = math.Max(ratio, math.Max(z.ExactLo[i]-x, x-z.ExactHi[i])/w)
	}
	return ratio, ok
}

// among reports whether v fits all inputs that fail, and one of them shows it.
func (v *variant) among(t *Trial, seen []*observed) bool {
	return v.all(t, seen) && (v.shows == nil || slices.ContainsFunc(seen, func(o *observed) bool { return v.shows(t, o) }))
}

// all reports whether v fits all inputs.
func (v *variant) all(t *Trial, seen []*observed) bool {
	return !slices.ContainsFunc(seen, func(o *observed) bool { return !v.fits(t, o) })
}

// Bounds of the search for more inputs that fail.
const (
	mostFailing = 12
	mostPassing = 40
)

// mostWide is how many times wider than its distance from the formula's value an enclosure may be that explains a result: one that allows nearly anything
// explains nothing.
const mostWide = 4

// cause names the one variant of the formula that explains what the kernel gave for an input as it was drawn, and for two others that fail;
// "" if none does, or more than one. What contradicts other results of the kernel needs no other formula.
func (r *run) cause(l *Law, c *corpus.Arrays) string {
	if l.Calls != nil || l.Judge == nil || l.OnDevice || l.Hardware || l.ID == model.FormulaSymmetry || l.ID == model.FormulaMonotone || slices.ContainsFunc(r.k.Laws, func(own Law) bool { return own.ID == l.ID }) {
		return ""
	}
	t := r.Trial().(*Trial)
	see := func(c *corpus.Arrays) (*observed, bool) {
		v := t.Judge(l, c)
		o := &observed{c: c.Clone(), value: slices.Clone(t.value)}
		if len(t.allowed) == 1 {
			o.width = make([]float64, len(t.value))
			for i := range o.width {
				o.width[i] = t.allowed[0].Width(i)
			}
		}
		if v.Outcome == verdict.Violated {
			o.off = make([]float64, len(t.value))
			for i, x := range t.value {
				if !t.allows(i, x) {
					o.off[i] = math.Max(math.Abs(x-t.allowed[0].ExactLo[i]), math.Abs(x-t.allowed[0].ExactHi[i]))
				}
			}
		}
		return o, v.Outcome == verdict.Violated
	}
	var passing []*observed
	first, fails := see(c)
	src, err := r.Source(l, true)
	if !fails || err != nil {
		return ""
	}
	seen, rng := []*observed{first}, draw.Splitmix(r.Set.SeedFor("cause "+string(l.ID), r.Name))
	for k := 0; k < engine.MostDraws && len(seen) <= mostFailing; k++ {
		in, _ := src.Next(&rng)
		if o, fails := see(in); fails {
			seen = append(seen, o)
		} else if len(passing) < mostPassing && !t.special {
			passing = append(passing, o)
		}
	}
	if len(seen) <= engine.MoreFailing {
		return ""
	}
	found := map[string]string{}
	for _, v := range slices.Concat(r.rewritten(), r.misplaced(), r.partial()) {
		if alike := cmp.Or(v.alike, v.text); found[alike] == "" && v.among(t, seen[:engine.MoreFailing+1]) && v.sized(t, seen, passing) {
			found[alike] = v.text
		}
	}
	if len(found) > 0 {
		if len(found) == 1 {
			for _, text := range found {
				return because(text, engine.MoreFailing)
			}
		}
		return ""
	}
	return r.narrowCause(t, seen, passing)
}

// narrowCause names the one narrower format that explains results; "" if none does, or more than one. A kernel that computes in a format does so on inputs that
// pass, too.
func (r *run) narrowCause(t *Trial, seen, passing []*observed) string {
	list := r.narrower()
	fits := func(v *narrow) bool { return v.all(t, seen) && v.all(t, passing) && v.sized(t, seen, passing) }
	// If all results are numbers of a format, it is the coarsest such.
	for i := range list {
		v := &list[len(list)-1-i]
		if !slices.ContainsFunc(seen, func(o *observed) bool { return !holdsAll(v.format, o.value) }) && fits(v) {
			return because(v.text, len(seen)-1)
		}
	}
	var found *narrow
	for i := range list {
		v := &list[i]
		switch {
		case found != nil && found.format.Name == v.format.Name:
		case !v.among(t, seen) || !fits(v):
		case found != nil:
			return ""
		default:
			found = v
		}
	}
	if found == nil {
		return ""
	}
	return because(found.text, len(seen)-1)
}

func because(text string, others int) string {
	return fmt.Sprintf("kernel: %s. So do its results for %d other inputs that fail.", text, others)
}

// fitting returns a variant whose results are those of a program.
func (r *run) fitting(text string, e *formula.Expr, c formula.Claim) []variant {
	if e.Err() != nil || !slices.Equal(e.Axes(), r.k.Formula.Axes()) {
		return nil
	}
	p, err := enclosure.Compile(e, c, r.out)
	if err != nil {
		return nil
	}
	run := func(t *Trial, o *observed) *enclosure.Result {
		z, err := p.Run(t.arrays(o.c))
		if err != nil || len(z.Lo) != len(o.value) {
			return nil
		}
		return z
	}
	return []variant{{
		text: text,
		fits: func(t *Trial, o *observed) bool {
			z := run(t, o)
			return z != nil && allAllowed(z, o.value)
		},
		shows: func(t *Trial, o *observed) bool {
			z := run(t, o)
			return z != nil && says(z, o)
		},
		enclose: run,
	}}
}

// says reports whether an enclosure says something of a result that the formula does not allow.
func says(z *enclosure.Result, o *observed) bool {
	for i, x := range o.value {
		if o.off != nil && o.off[i] != 0 && (infinite(x) || z.Width(i) <= float64(mostWide*o.off[i])) {
			return true
		}
	}
	return false
}

// allowedBy reports whether a program allows all results.
func allowedBy(p *enclosure.Program, in map[string]enclosure.Array, value []float64) bool {
	z, err := p.Run(in)
	return err == nil && len(z.Lo) == len(value) && allAllowed(z, value)
}

func allAllowed(z *enclosure.Result, value []float64) bool {
	for i, x := range value {
		if !z.Allows(i, x) {
			return false
		}
	}
	return true
}

// narrow is a variant in which operations are in a narrower format.
type narrow struct {
	variant
	format model.Format
}

// narrower returns variants in which operations are in narrower formats, the widest first. What a narrow format's overflow gives explains nothing by itself.
func (r *run) narrower() (list []narrow) {
	sums := slices.ContainsFunc(r.k.Formula.Nodes(), func(e *formula.Expr) bool { return reduces(e.Node().Op) })
	what := "operations"
	if inexact(&r.k) == "" {
		what = "sums"
	}
	for _, f := range []model.Format{model.Binary32, model.Binary16, model.BFloat16} {
		c := r.k.Claim
		if f.P >= c.WithDefaults().Format.P || f.P > r.out.Float.P { // results do not tell f from a wider format
			continue
		}
		c.Format = f
		text := fmt.Sprintf("the results fit %s in %s, of %d bits", what, f, f.P)
		variants := r.fitting(text, r.k.Formula, c)
		if open := unordered(r.k.Formula); open != r.k.Formula {
			variants = append(variants, r.fitting(text+", added in any order", open, c)...)
		}
		for _, v := range variants {
			if fits := v.fits; !sums { // what the last operation gives is a number of f
				v.fits = func(t *Trial, o *observed) bool { return holdsAll(f, o.value) && fits(t, o) }
			}
			v.rounds = true
			v.shows = func(_ *Trial, o *observed) bool { return !slices.ContainsFunc(o.value, infinite) }
			list = append(list, narrow{v, f})
		}
	}
	return list
}

// unordered returns a formula with its sums in any order.
func unordered(f *formula.Expr) *formula.Expr {
	return f.Replace(func(e *formula.Expr) *formula.Expr {
		n := e.Node()
		if !reduces(n.Op) || n.Order.IsOpen() {
			return nil
		}
		n.Order = formula.Order{}
		return formula.New(n)
	})
}

// reduces reports whether op adds or multiplies terms along an axis.
func reduces(op formula.Op) bool {
	return slices.Contains([]formula.Op{formula.OpSum, formula.OpProd, formula.OpDot, formula.OpScanSum, formula.OpScanProd}, op)
}

// holdsAll reports whether all that is finite of x is of a format.
func holdsAll(f model.Format, x []float64) bool {
	return !slices.ContainsFunc(x, func(x float64) bool {
		u := ulp(f, x)
		return !infinite(x) && math.Trunc(x/u) != x/u
	})
}

// infinite reports whether x is no number: that a narrow format overflows explains nothing.
func infinite(x float64) bool { return x-x != 0 }

// misplaced returns variants in which some elements do not take part, or rows are those beside them.
func (r *run) misplaced() (list []variant) {
	programs, err := r.under(model.Behaviour{})
	if err != nil {
		return nil
	}
	for _, axis := range r.axes {
		for width := 2; width <= 64; width *= 2 {
			list = append(list, variant{text: "the results fit inputs without the last elements along " + axis + ", those after the last full group", alike: tail, fits: func(t *Trial, o *observed) bool {
				n, _ := o.c.Size(axis)
				whole := n - n%width
				if whole == n || whole == 0 {
					return false
				}
				less := along(o.c, axis, func(i int) bool { return i < whole })
				value := o.value
				if slices.Contains(r.k.Formula.Axes(), axis) {
					value = r.first(o, axis, whole)
				}
				return allowedBy(programs[0], t.arrays(less), value)
			}})
		}
	}
	if r.batch != "" {
		list = append(list, variant{text: "rows of the result fit the row of the inputs beside theirs", fits: func(t *Trial, o *observed) bool { return r.beside(programs[0], t, o) }})
	}
	for _, axis := range r.axes {
		for width := 2; width <= 256; width *= 2 {
			list = append(list, variant{
				text: "the results are NaN where a group of elements along " + axis + " is 0, or has an infinite reciprocal, as 0·Inf is where partial results are scaled by one",
				fits: func(t *Trial, o *observed) bool { return r.zeroGroup(programs[0], t, o, axis, width) },
			})
		}
	}
	return list
}

// zeroGroup reports whether each result is what the formula allows, or NaN or infinite, and a group of so many elements of some input along axis has no
// reciprocal.
func (r *run) zeroGroup(p *enclosure.Program, t *Trial, o *observed, axis string, width int) bool {
	z, err := p.Run(t.arrays(o.c))
	if err != nil {
		return false
	}
	for i, x := range o.value {
		if !infinite(x) && !z.Allows(i, x) {
			return false
		}
	}
	least := math.Ldexp(1, -1-r.out.Float.Emax) // the reciprocal of what is smaller is infinite
	for i := range o.c.Inputs {
		a := &o.c.Inputs[i]
		if len(a.Axes) == 0 || a.Axes[len(a.Axes)-1] != axis || !a.Type.IsReal() {
			continue
		}
		size, _ := o.c.Size(axis)
		for at := 0; at < len(a.Bits); at += max(size, 1) {
			for row := a.Bits[at : at+size]; len(row) > 0; row = row[min(width, len(row)):] {
				if !slices.ContainsFunc(row[:min(width, len(row))], func(b uint64) bool { return math.Abs(value(a.Type, b)) >= least }) {
					return true
				}
			}
		}
	}
	return false
}

// beside reports whether each row fits its own row of the inputs, or the one before or after it.
func (r *run) beside(p *enclosure.Program, t *Trial, o *observed) bool {
	z, err := p.Run(t.arrays(o.c))
	if err != nil {
		return false
	}
	rows, _ := o.c.Size(r.batch)
	inner := r.inner(o.c, r.batch)
	fits := func(row, of int) bool {
		for i, x := range o.value {
			if i/inner%rows == row && (of < 0 || of >= rows || !z.Allows(i+(of-row)*inner, x)) {
				return false
			}
		}
		return true
	}
	for row := range rows {
		if !fits(row, row) && !fits(row, row-1) && !fits(row, row+1) {
			return false
		}
	}
	return true
}

// first returns the results at the first places of an axis.
func (r *run) first(o *observed, axis string, places int) (list []float64) {
	size, _ := o.c.Size(axis)
	inner := r.inner(o.c, axis)
	for i, x := range o.value {
		if i/inner%size < places {
			list = append(list, x)
		}
	}
	return list
}
