package check

import (
	"fmt"
	"strings"

	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// match is a function that a call can mean, with the conversions of its arguments.
type match struct {
	f     *function
	convs []conv // of the object first, if there is one
}

func (a match) exact() bool {
	for _, v := range a.convs {
		if v.rank != exact {
			return false
		}
	}
	return true
}

// rankThis says how the object o becomes `this` of f.
func (c *checker) rankThis(o *operand, f *function) conv {
	switch {
	case f.static || f.ctor || o == nil:
		return conv{}
	case o.P == nil && f.thisSpace != ir.Thread:
		return no("a temporary object is in thread, and the method is for " + spaceWord[f.thisSpace])
	case o.P != nil && o.Space != f.thisSpace:
		return no("the object is in " + spaceWord[o.Space] + ", and the method is for " + spaceWord[f.thisSpace])
	case o.Const && !f.thisConst:
		return no("the object is const, and the method is not")
	case f.thisConst && !o.Const:
		return conv{cv: 1}
	}
	return conv{}
}

// viable returns the functions among cands that can be called so, and why the others cannot.
func (c *checker) viable(cands []*function, part *syntax.NamePart, object *operand, args []operand) (list []match, why []string) {
	for _, f := range cands {
		g := f
		c.reason = ""
		if f.tparams != nil {
			if g = c.deduce(f, part, args); g == nil {
				why = append(why, c.reason)
				continue
			}
		} else if part != nil && part.HasArgs {
			why = append(why, "it is not a template")
			continue
		}
		if len(args) > len(g.params) || len(args) < g.required() {
			n := fmt.Sprintf("%d", len(g.params))
			if r := g.required(); r != len(g.params) {
				n = fmt.Sprintf("%d to %d", r, len(g.params))
			}
			why = append(why, fmt.Sprintf("it takes %s arguments, not %d", n, len(args)))
			continue
		}
		m := match{f: g}
		bad := ""
		if g.st != nil && !g.ctor {
			if object == nil && !g.static {
				bad = "it needs an object"
			}
			r := c.rankThis(object, g)
			if r.rank == impossible {
				bad = r.why
			}
			m.convs = append(m.convs, r)
		} else if object != nil {
			m.convs = append(m.convs, conv{})
		}
		if bad == "" && g.ctor && g.thisSpace != ir.Thread {
			bad = "it constructs objects in " + spaceWord[g.thisSpace]
		}
		for i := range args {
			if bad != "" {
				break
			}
			r := c.rank(&args[i], g.params[i].q, true)
			if r.rank == impossible {
				bad = fmt.Sprintf("argument %d: %s is not for %s", i+1, args[i].describe(), g.params[i].q)
				if r.why != "" {
					bad += ": " + r.why
				}
			}
			m.convs = append(m.convs, r)
		}
		if bad != "" {
			why = append(why, bad)
			continue
		}
		why = append(why, "")
		list = append(list, m)
	}
	return list, why
}

// best returns the viable functions that no other one is better than.
func (c *checker) best(list []match) []match {
	var bests []match
	for i, a := range list {
		dominated := false
		for j, b := range list {
			if i != j && b.better(a) {
				dominated = true
				break
			}
		}
		if !dominated {
			bests = append(bests, a)
		}
	}
	return bests
}

// better reports whether a is a better match than b.
func (a match) better(b match) bool {
	some := false
	for i := range min(len(a.convs), len(b.convs)) {
		d := a.convs[i].compare(b.convs[i])
		if d > 0 {
			return false
		}
		some = some || d < 0
	}
	if some {
		return true
	}
	if a.f.from == nil != (b.f.from == nil) {
		return a.f.from == nil
	}
	if a.f.from != nil {
		return a.f.from != b.f.from && weight(a.f.from).above(weight(b.f.from))
	}
	return false
}

// choose resolves an overloaded call, or fails and lists the candidates.
func (c *checker) choose(pos Pos, name string, cands []*function, part *syntax.NamePart, object *operand, args []operand) *function {
	list, why := c.viable(cands, part, object, args)
	bests := c.best(list)
	if len(bests) == 1 {
		return bests[0].f
	}
	var types []string
	for i := range args {
		types = append(types, args[i].describe())
	}
	call := name + "(" + strings.Join(types, ", ") + ")"
	if len(bests) > 1 {
		var fns []*function
		for _, m := range bests {
			fns = append(fns, m.f)
		}
		c.fail(pos, "the call of %s is ambiguous; candidates: %s", call, candidates(fns))
	}
	if len(cands) == 1 {
		c.fail(pos, "%s does not fit %s at %s: %s", call, cands[0].signatureString(), cands[0].pos, why[0])
	}
	s := ""
	for i, f := range cands {
		if i == 8 {
			s += fmt.Sprintf("; and %d more", len(cands)-i)
			break
		}
		if i > 0 {
			s += "; "
		}
		s += f.signatureString() + " at " + f.pos.String()
		if why[i] != "" {
			s += " (" + why[i] + ")"
		}
	}
	c.fail(pos, "no function fits %s; candidates: %s", call, s)
	return nil
}

// arguments converts the arguments of a call of f, and adds its defaults.
func (c *checker) arguments(pos Pos, f *function, args []operand) (xs []typed.Expr, places []typed.Place) {
	for i, p := range f.params {
		var o operand
		if i < len(args) {
			o = args[i]
		} else {
			o = c.defaultArgument(pos, f, i)
		}
		what := fmt.Sprintf("argument %d of %s", i+1, f.title())
		if p.q.Ref != noRef {
			xs = append(xs, nil)
			places = append(places, c.bind(&o, p.q, what))
			continue
		}
		xs = append(xs, c.convert(&o, c.sized(p.pos, p.q.T), what))
		places = append(places, nil)
	}
	return xs, places
}

// defaultArgument evaluates a default in the scope of its function.
func (c *checker) defaultArgument(pos Pos, f *function, i int) operand {
	if c.defaults >= maxDepth {
		c.failHard(pos, "the default arguments of %s need one another without end", f.title())
	}
	old := c.scope
	c.scope = f.scope
	c.defaults++
	defer func() {
		c.scope = old
		c.defaults--
	}()
	return c.exprOrList(f.params[i].def)
}

// call makes a call of f with an object, if it is a method.
func (c *checker) call(pos Pos, f *function, object *operand, args []operand) operand {
	c.use(pos, f)
	xs, places := c.arguments(pos, f, args)
	if f.st != nil && !f.static {
		if object == nil {
			c.fail(pos, "%s needs an object", f.title())
		}
		o := *object
		if !same(o.T, f.st.t) {
			o = c.toBase(o, f.st.t)
		}
		xs = append([]typed.Expr{nil}, xs...)
		places = append([]typed.Place{c.place(&o)}, places...)
	}
	x := &typed.Call{Node: node(pos, f.tf.Result), Func: f.tf, Args: xs, Places: places}
	if f.result.Ref != noRef {
		return derefOperand(pos, x)
	}
	if !isVoid(f.tf.Result) {
		c.sized(pos, f.tf.Result)
	}
	return valueOf(x)
}

// construct makes an object by a constructor.
func (c *checker) construct(pos Pos, f *function, args []operand) typed.Expr {
	c.use(pos, f)
	xs, places := c.arguments(pos, f, args)
	return &typed.ConstructExpr{
		Node: node(pos, f.st.t), Func: f.tf,
		Args: append([]typed.Expr{nil}, xs...), Places: append([]typed.Place{nil}, places...),
	}
}

// copying returns the constructor of the source that copies o: the one for its address space, or, after a copy to thread, that for thread; nil if
// there is none.
func (st *structInfo) copying(o *operand) *function {
	var best *function
	heed := func(f *function) int { // how well it fits
		q := f.params[0].q
		n := 0
		if q.space() == o.Space {
			n += 4
		}
		if q.Volatile == o.Volatile {
			n += 2
		}
		if q.Const || !o.Const {
			n++
		}
		return n
	}
	for _, f := range st.copies {
		q := f.params[0].q
		if (q.space() == o.Space || q.space() == ir.Thread) && (q.Volatile || !o.Volatile || q.space() != o.Space) && (best == nil || heed(f) > heed(best)) {
			best = f
		}
	}
	return best
}

// copied copies an object by the constructor f that the source wrote for it.
func (c *checker) copied(o *operand, f *function) typed.Expr {
	c.use(o.pos, f)
	q := f.params[0].q
	p := o.P
	if o.Space != q.space() || o.Const && !q.Const {
		if o.Const && !q.Const {
			c.fail(o.pos, "%s is const, and its copy constructor at %s takes it without const", o.T, f.pos)
		}
		p = &typed.TempPlace{X: &typed.LoadExpr{Node: node(o.pos, o.T), X: o.P}, Pos: o.pos}
	}
	xs := []typed.Expr{nil, nil}
	places := []typed.Place{nil, p}
	for i := 1; i < len(f.params); i++ {
		d := c.defaultArgument(o.pos, f, i)
		if f.params[i].q.Ref != noRef {
			xs, places = append(xs, nil), append(places, c.bind(&d, f.params[i].q, "a default argument"))
		} else {
			xs, places = append(xs, c.convert(&d, f.params[i].q.T, "a default argument")), append(places, nil)
		}
	}
	return &typed.ConstructExpr{Node: node(o.pos, f.st.t), Func: f.tf, Args: xs, Places: places}
}
