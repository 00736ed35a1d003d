package formulas

import (
	"fmt"
	"slices"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/enclosure"
	"gamma/props/internal/draw"
	"gamma/props/internal/verdict"
)

// observed is an input that failed and what the kernel gave.
type observed struct {
	c     *corpus.Arrays
	value []float64
}

// variant is a way for a kernel to be wrong: fits reports whether all that it gave for an input is what that gives.
type variant struct {
	text string
	fits func(t *Trial, o *observed) bool
}

// Bounds of the search for more inputs that fail.
const (
	moreFailing = 2
	mostDraws   = 400
)

// cause names the one variant of the formula that explains what the kernel gave for an input as it was drawn, and for two others that fail;
// "" if none does, or more than one.
func (r *run) cause(l *Law, c *corpus.Arrays) string {
	if l.Calls != nil || l.Judge == nil || l.OnDevice || l.Hardware || slices.ContainsFunc(r.k.Laws, func(own Law) bool { return own.ID == l.ID }) {
		return ""
	}
	t := r.Trial().(*Trial)
	see := func(c *corpus.Arrays) (*observed, bool) {
		v := t.Judge(l, c)
		return &observed{c.Clone(), slices.Clone(t.value)}, v.Outcome == verdict.Violated
	}
	first, fails := see(c)
	src, err := r.Source(l, true)
	if !fails || err != nil {
		return ""
	}
	seen, rng := []*observed{first}, draw.Splitmix(r.Set.SeedFor("cause "+string(l.ID), r.Name))
	for k := 0; k < mostDraws && len(seen) <= moreFailing; k++ {
		in, _ := src.Next(&rng)
		if o, fails := see(in); fails {
			seen = append(seen, o)
		}
	}
	if len(seen) <= moreFailing {
		return ""
	}
	// What fits one variant of a list fits coarser lists as well.
	for _, list := range [][]variant{slices.Concat(r.rewritten(), r.misplaced()), r.narrower()} {
		var found []string
		for _, v := range list {
			if !slices.ContainsFunc(seen, func(o *observed) bool { return !v.fits(t, o) }) && !slices.Contains(found, v.text) {
				found = append(found, v.text)
			}
		}
		if len(found) > 0 {
			if len(found) > 1 {
				return ""
			}
			return fmt.Sprintf("kernel: %s. So do its results for %d other inputs that fail.", found[0], moreFailing)
		}
	}
	return ""
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
	return []variant{{text, func(t *Trial, o *observed) bool {
		return allowedBy(p, t.arrays(o.c), o.value, func(int) bool { return true })
	}}}
}

// allowedBy reports whether a program allows the results that are asked for.
func allowedBy(p *enclosure.Program, in map[string]enclosure.Array, value []float64, asked func(i int) bool) bool {
	r, err := p.Run(in)
	if err != nil || len(r.Lo) != len(value) {
		return false
	}
	for i, x := range value {
		if asked(i) && !r.Allows(i, x) {
			return false
		}
	}
	return true
}

// rewritten returns variants in which an operation of the formula is another, or is left out.
func (r *run) rewritten() (list []variant) {
	const fits = "the results fit the formula "
	one := formula.Const(1)
	scalar := func(e *formula.Expr) bool {
		op := e.Node().Op
		return len(e.Axes()) == 0 && (op == formula.OpConst || op == formula.OpInput)
	}
	// Each gives another expression for a node, or nil.
	for text, change := range map[string]func(n formula.Node) *formula.Expr{
		"without the maximum that is subtracted": func(n formula.Node) *formula.Expr {
			if n.Op == formula.OpSub && n.Args[1].Node().Op == formula.OpMax {
				return n.Args[0]
			}
			return nil
		},
		"with E[x²] - E[x]² as the variance": func(n formula.Node) *formula.Expr {
			if n.Op != formula.OpDiv || n.Args[0].Node().Op != formula.OpSum {
				return nil
			}
			sum := n.Args[0].Node()
			square := sum.Args[0].Node()
			if square.Op != formula.OpMul || square.Args[0] != square.Args[1] || square.Args[0].Node().Op != formula.OpSub {
				return nil
			}
			x, mean := square.Args[0].Node().Args[0], square.Args[0].Node().Args[1]
			return formula.Sub(formula.Div(formula.Sum(formula.Mul(x, x), sum.Axes...), n.Args[1]), formula.Mul(mean, mean))
		},
		"with epsilon outside of the root": func(n formula.Node) *formula.Expr {
			if n.Op != formula.OpRsqrt && n.Op != formula.OpSqrt || n.Args[0].Node().Op != formula.OpAdd || !scalar(n.Args[0].Node().Args[1]) {
				return nil
			}
			in := n.Args[0].Node()
			root := formula.Add(formula.Sqrt(in.Args[0]), in.Args[1])
			if n.Op == formula.OpRsqrt {
				return formula.Div(one, root)
			}
			return root
		},
	} {
		e := r.k.Formula.Replace(func(e *formula.Expr) *formula.Expr { return change(e.Node()) })
		if e != r.k.Formula {
			list = append(list, r.fitting(fits+text, e, r.k.Claim)...)
		}
	}
	for _, old := range r.k.Formula.Nodes() {
		var left *formula.Expr
		text := ""
		switch n := old.Node(); {
		case n.Op.Class() == formula.Elementwise && len(n.Args) == 1 && n.Op != formula.OpStore:
			left, text = n.Args[0], "without "+n.Op.String()
		case n.Op == formula.OpDiv && n.Args[1].Node().Op == formula.OpLen:
			size := n.Args[1].Node().Axes[0]
			left, text = formula.Div(n.Args[0], formula.Sub(n.Args[1], formula.Integer(1))), fmt.Sprintf("with %s-1 in the place of %s in a division", size, size)
		case n.Op == formula.OpMul && scalar(n.Args[0]):
			left, text = n.Args[1], "without the factor "+n.Args[0].String()
		case n.Op == formula.OpMul && scalar(n.Args[1]), n.Op == formula.OpDiv && scalar(n.Args[1]):
			left, text = n.Args[0], "without the factor "+n.Args[1].String()
		}
		if left == nil {
			continue
		}
		e := r.k.Formula.Replace(func(e *formula.Expr) *formula.Expr {
			if e == old {
				return left
			}
			return nil
		})
		list = append(list, r.fitting(fits+text, e, r.k.Claim)...)
	}
	return list
}

// narrower returns variants in which operations are in narrower formats, the widest first.
func (r *run) narrower() (list []variant) {
	for _, f := range []model.Format{model.Binary16, model.BFloat16} {
		if c := r.k.Claim; f.P < c.WithDefaults().Format.P {
			c.Format = f
			for _, v := range r.fitting(fmt.Sprintf("the results fit operations in %s, of %d bits", f, f.P), r.k.Formula, c) {
				fits := v.fits
				v.fits = func(t *Trial, o *observed) bool { return !slices.ContainsFunc(o.value, infinite) && fits(t, o) }
				list = append(list, v)
			}
		}
	}
	return list
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
			list = append(list, variant{"the results fit inputs without the last elements along " + axis + ", those after the last full group", func(t *Trial, o *observed) bool {
				n, _ := o.c.Size(axis)
				whole := n - n%width
				if whole == n || whole == 0 {
					return false
				}
				less := along(o.c, axis, func(i int) bool { return i < whole })
				axes := r.k.Formula.Axes()
				value := o.value
				if k := slices.Index(axes, axis); k >= 0 {
					value = first(o, axes, k, whole)
				}
				return allowedBy(programs[0], t.arrays(less), value, func(int) bool { return true })
			}})
		}
	}
	if r.batch != "" {
		list = append(list, variant{"rows of the result fit the row of the inputs beside theirs", func(t *Trial, o *observed) bool { return r.beside(programs[0], t, o) }})
	}
	return list
}

// beside reports whether each row fits its own row of the inputs, or the one before or after it.
func (r *run) beside(p *enclosure.Program, t *Trial, o *observed) bool {
	z, err := p.Run(t.arrays(o.c))
	if err != nil {
		return false
	}
	axes := r.k.Formula.Axes()
	k := slices.Index(axes, r.batch)
	rows, _ := o.c.Size(r.batch)
	inner, _ := o.c.Len(axes[k+1:])
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

// first returns the results at the first places of axis k.
func first(o *observed, axes []string, k, places int) (list []float64) {
	size, _ := o.c.Size(axes[k])
	inner, _ := o.c.Len(axes[k+1:])
	for i, x := range o.value {
		if i/inner%size < places {
			list = append(list, x)
		}
	}
	return list
}
