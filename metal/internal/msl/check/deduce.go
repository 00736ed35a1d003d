package check

import (
	"fmt"
	"strconv"
	"strings"

	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// deduction finds the arguments of a template's parameters.
type deduction struct {
	c      *checker
	name   string
	params []*syntax.TemplateParam
	index  map[string]int
	bound  []*targ
	fixed  []bool  // given by the source
	elems  []*targ // of packs, the element at hand; nil outside what is expanded
	scope  *scope  // of the template
}

func (c *checker) newDeduction(f *function) *deduction {
	d := c.deductionOf(f.tparams, f.scope)
	d.name = f.name
	return d
}

func (c *checker) deductionOf(params []*syntax.TemplateParam, in *scope) *deduction {
	d := &deduction{c: c, params: params, index: map[string]int{}, bound: make([]*targ, len(params)), fixed: make([]bool, len(params)), scope: in}
	for i, p := range params {
		if p.Name != "" {
			d.index[p.Name] = i
		}
	}
	return d
}

// inner returns a scope with what is bound so far.
func (d *deduction) inner() *scope {
	s := &scope{kind: templateScope, parent: d.scope}
	for i, p := range d.params {
		if d.bound[i] != nil {
			bindName(s, p, *d.bound[i])
		}
	}
	return s
}

// explicit takes the arguments that the source gives.
func (d *deduction) explicit(part *syntax.NamePart) bool {
	if part == nil || !part.HasArgs {
		return true
	}
	given := d.c.expandedArgs(part.Args)
	for i, a := range given {
		for j, p := range d.params {
			if p.Pack {
				i = min(i, j) // a pack takes all the rest
			}
		}
		if i >= len(d.params) {
			d.c.reason = "too many template arguments"
			return false
		}
		err := d.c.attempt(func() {
			var inner *scope // in which a value's type is looked up
			if d.params[i].Type != nil {
				inner = d.inner()
			}
			t := d.c.bindParam(part.Pos, d.name, d.params[i], a, inner)
			if !d.params[i].Pack {
				d.bound[i], d.fixed[i] = &t, true
				return
			}
			pack := targ{isPack: true}
			if d.bound[i] != nil {
				pack.pack = d.bound[i].pack
			}
			pack.pack = append(pack.pack, t)
			d.bound[i], d.fixed[i] = &pack, true
		})
		if err != nil {
			d.c.reason = err.Msg
			return false
		}
	}
	return true
}

// deduce returns the instance of template f for a call, or nil; c.reason then says why.
func (c *checker) deduce(f *function, part *syntax.NamePart, args []operand) *function {
	d := c.newDeduction(f)
	if !d.explicit(part) {
		return nil
	}
	params := f.decl.Params
	if len(params) == 1 && params[0].Name == "" && isVoidName(params[0].Type) {
		params = nil
	}
	if n := len(params); len(args) > n && (n == 0 || !params[n-1].Pack) {
		c.reason = "too many arguments"
		return nil
	}
	for i, p := range params {
		if p.Pack {
			if i < len(params)-1 {
				c.refuse(p.Pos, "packs of parameters before others", "write the pack last")
			}
			rest := args[min(i, len(args)):]
			packs := d.packIndexes(func(f visit) { walkType(p.Type, f) })
			if packs != nil && !d.packMatch(packs, len(rest), func(j int) bool { return d.param(p.Type, &rest[j]) }) {
				d.formless(i, args)
				return nil
			}
			continue
		}
		if i >= len(args) {
			if p.Default == nil {
				c.reason = "too few arguments"
				return nil
			}
			continue
		}
		if !d.mentions(p.Type) {
			continue
		}
		if !d.param(p.Type, &args[i]) {
			d.formless(i, args)
			return nil
		}
	}
	list, ok := d.finish(f.pos)
	if !ok {
		return nil
	}
	return c.tryInstance(c.near, f, list)
}

// formless says that argument i is the reason, if there is no better one.
func (d *deduction) formless(i int, args []operand) {
	if d.c.reason == "" && i < len(args) {
		d.c.reason = fmt.Sprintf("argument %d: %s does not have the form of the parameter", i+1, args[i].describe())
	}
}

// deduceResult returns the instance of a template of a conversion operator that gives the type to, or nil.
func (c *checker) deduceResult(f *function, to typed.Type) *function {
	d := c.newDeduction(f)
	if !d.match(f.decl.Result, qual{T: to}) {
		return nil
	}
	args, ok := d.finish(c.near)
	if !ok {
		return nil
	}
	return c.tryInstance(c.near, f, args)
}

func isVoidName(t syntax.TypeExpr) bool {
	n, ok := t.(*syntax.NameType)
	return ok && n.Name != nil && len(n.Name.Parts) == 1 && n.Name.Parts[0].Ident == "void"
}

// param deduces from one argument.
func (d *deduction) param(t syntax.TypeExpr, o *operand) bool {
	if o.T == nil {
		return o.list != nil // not deduced
	}
	r, ref := t.(*syntax.RefType)
	if !ref {
		v := d.c.decayQuiet(*o)
		if a, ok := t.(*syntax.ArrayType); ok {
			t = &syntax.PointerType{Pos: a.Pos, Elem: a.Elem}
		}
		return d.match(t, qual{T: v})
	}
	q := qual{T: o.T, Space: ir.Thread, HasSpace: true}
	if o.P != nil {
		q.Const, q.Volatile, q.Space = o.Const, o.Volatile, o.Space
	}
	if r.RValue && o.P != nil {
		if n, ok := r.Elem.(*syntax.NameType); ok && n.Quals == (syntax.Quals{}) {
			if i, ok := d.paramIndex(n); ok && d.bound[i] == nil {
				q.Ref = lvalueRef
				return d.bind(i, targ{q: q})
			}
		}
	}
	return d.match(r.Elem, q)
}

// decayQuiet returns the type of o passed by value.
func (c *checker) decayQuiet(o operand) typed.Type {
	if a, ok := o.T.(*typed.Array); ok && !a.Metal {
		return pointerTo(a.Elem, o.Space, o.Const, o.Volatile)
	}
	return o.T
}

// finish adds the defaults.
func (d *deduction) finish(pos Pos) ([]targ, bool) {
	c := d.c
	args := make([]targ, len(d.params))
	for i, p := range d.params {
		if d.bound[i] == nil && p.Pack {
			d.bound[i] = &targ{isPack: true}
		}
		if d.bound[i] == nil {
			if p.Default == nil {
				c.reason = "the template parameter " + p.Name + " cannot be deduced"
				return nil, false
			}
			if err := c.attempt(func() {
				t := c.bindDefault(pos, d.name, p, d.inner())
				d.bound[i] = &t
			}); err != nil {
				c.reason = err.Msg
				return nil, false
			}
		}
		args[i] = *d.bound[i]
	}
	return args, true
}

// paramIndex returns the parameter that a name alone stands for.
func (d *deduction) paramIndex(n *syntax.NameType) (int, bool) {
	if n.Name == nil || n.Name.Global || len(n.Name.Parts) != 1 || n.Name.Parts[0].HasArgs {
		return 0, false
	}
	i, ok := d.index[n.Name.Parts[0].Ident]
	return i, ok
}

func (d *deduction) bind(i int, a targ) bool {
	at := &d.bound[i]
	if d.params[i].Pack {
		if d.elems == nil {
			return false
		}
		at = &d.elems[i]
		if *at != nil && d.fixed[i] {
			return true // the source gave this element
		}
	} else if d.fixed[i] {
		return true
	}
	if (a.vt == nil && a.fn == nil) != (d.params[i].Type == nil) {
		return false
	}
	if a.vt != nil {
		// The value takes the parameter's own type.
		var t typed.Type
		if err := d.c.attempt(func() { t = d.c.paramType(d.params[i], d.inner()).T }); err != nil {
			return false
		}
		if t != nil {
			if kindOf(t) == ir.Void || kindOf(a.vt) == ir.Void {
				return false
			}
			bits, err := convertBits(kindOf(a.vt), kindOf(t), a.bits)
			if err != nil {
				return false
			}
			a.bits, a.vt = bits, t
		}
	}
	if old := *at; old != nil {
		if old.key() != a.key() {
			d.c.reason = "the template parameter " + d.params[i].Name + " would be " + old.String() + " and " + a.String()
			return false
		}
		return true
	}
	*at = &a
	return true
}

// match matches a type as written with a type.
func (d *deduction) match(t syntax.TypeExpr, a qual) bool {
	switch t := t.(type) {
	case *syntax.NameType:
		q := t.Quals
		if q.Space != syntax.NoSpace {
			if a.HasSpace && a.Space != spaces[q.Space] || !a.HasSpace && spaces[q.Space] != ir.Thread {
				return false
			}
			if a.Space == ir.Constant {
				a.Const = false
			}
			a.HasSpace, a.Space = false, ir.Device
		} else if a.HasSpace && a.Space == ir.Thread {
			a.HasSpace, a.Space = false, ir.Device
		}
		if q.Const {
			a.Const = false
		}
		if q.Volatile {
			a.Volatile = false
		}
		if i, ok := d.paramIndex(t); ok {
			return d.bind(i, targ{q: a})
		}
		if t.Name == nil || len(t.Name.Parts) == 0 || !t.Name.Parts[len(t.Name.Parts)-1].HasArgs {
			return true // not deduced: compared later
		}
		return d.matchTemplate(t.Name, a)
	case *syntax.PointerType:
		p, ok := a.T.(*typed.Pointer)
		return ok && d.match(t.Elem, qual{T: p.Elem, Const: p.Const, Volatile: p.Volatile, Space: p.Space, HasSpace: true})
	case *syntax.RefType:
		return a.Ref != noRef && d.match(t.Elem, qual{T: a.T, Const: a.Const, Volatile: a.Volatile, Space: a.space(), HasSpace: true})
	case *syntax.ArrayType:
		arr, ok := a.T.(*typed.Array)
		if !ok || arr.Metal {
			return false
		}
		if t.Len != nil && !d.matchValue(t.Len, uint64(arr.Len), ulongType) {
			return false
		}
		a.T = arr.Elem
		return d.match(t.Elem, a)
	}
	return true
}

// matchTemplate matches name<patterns> with a type that a template gave.
func (d *deduction) matchTemplate(n *syntax.Name, a qual) bool {
	part := &n.Parts[len(n.Parts)-1]
	c := d.c
	// The template itself, without its arguments.
	bare := *n
	bare.Parts = append([]syntax.NamePart(nil), n.Parts...)
	last := &bare.Parts[len(bare.Parts)-1]
	last.HasArgs, last.Args = false, nil
	var r ref
	if err := c.attempt(func() {
		old := c.scope
		c.scope = d.inner()
		r = c.resolve(&bare)
		c.scope = old
	}); err != nil {
		return true // dependent: compared later
	}
	if r.ent != nil && r.ent.tmpl != nil {
		t := r.ent.tmpl
		if t.kind == aliasTemplate {
			return d.matchAlias(t, part.Args, a)
		}
		if t.kind != structTemplate {
			return true
		}
		for st := c.structOf(a.T); st != nil; st = st.base {
			if st.tmpl == t || st.special == t {
				return d.matchArgs(part.Args, st.args)
			}
		}
		return false
	}
	if r.typ != nil {
		if own := c.structOf(r.typ.T); own != nil && own.template() != nil {
			if st := c.structOf(a.T); st != nil && st.template() == own.template() {
				return d.matchArgs(part.Args, st.args)
			}
		}
		return false
	}
	switch r.lib {
	case "vec", "packed_vec":
		v, ok := a.T.(*typed.Vector)
		return ok && v.Packed == (r.lib == "packed_vec") && d.matchArgs(part.Args, []targ{{q: qual{T: v.Elem}}, {bits: uint64(v.N), vt: intType}})
	case "array":
		v, ok := a.T.(*typed.Array)
		return ok && v.Metal && d.matchArgs(part.Args, []targ{{q: qual{T: v.Elem}}, {bits: uint64(v.Len), vt: ulongType}})
	case "uniform":
		return d.matchArgs(part.Args, []targ{{q: a}})
	case "atomic", "_atomic":
		v, ok := a.T.(*typed.Atomic)
		return ok && d.matchArgs(part.Args, []targ{{q: qual{T: v.Elem}}})
	}
	return true
}

// matchAlias matches an alias template with patterns for arguments: its own parameters are deduced first, from what it stands for, and then the
// patterns from these. What that does not deduce is compared later.
func (d *deduction) matchAlias(t *template, patterns []syntax.TemplateArg, a qual) bool {
	own := d.c.deductionOf(t.params, t.scope)
	if !own.match(t.alias.Type, a) {
		return false
	}
	for i, p := range patterns {
		if i >= len(own.bound) || own.params[i].Pack || p.Pack {
			break
		}
		if own.bound[i] != nil && !d.matchArg(p, *own.bound[i]) {
			return false
		}
	}
	return true
}

func (d *deduction) matchArgs(patterns []syntax.TemplateArg, args []targ) bool {
	args = flat(args)
	for i, p := range patterns {
		if p.Pack {
			rest := args[min(i, len(args)):]
			p.Pack = false
			return i == len(patterns)-1 && d.packMatch(d.packIndexes(func(f visit) { walkArg(p, f) }), len(rest), func(j int) bool { return d.matchArg(p, rest[j]) })
		}
		if i >= len(args) || !d.matchArg(p, args[i]) {
			return false
		}
	}
	return true
}

func (d *deduction) matchArg(p syntax.TemplateArg, a targ) bool {
	if a.fn != nil {
		id, ok := valueExpr(p).(*syntax.Ident)
		if !ok {
			return false
		}
		if i, ok := d.index[id.Name.Parts[0].Ident]; ok && len(id.Name.Parts) == 1 {
			return d.bind(i, a)
		}
		return true // compared later
	}
	if p.Type != nil {
		if n, ok := p.Type.(*syntax.NameType); ok {
			if i, ok := d.paramIndex(n); ok && n.Quals == (syntax.Quals{}) {
				return d.bind(i, a)
			}
		}
		if a.vt != nil {
			x := valueExpr(p)
			return x != nil && d.matchValue(x, a.bits, a.vt)
		}
		if !d.mentions(p.Type) {
			var q qual
			err := d.c.attempt(func() {
				old := d.c.scope
				d.c.scope = d.inner()
				q = d.c.typeOf(p.Type)
				d.c.scope = old
			})
			return err == nil && q.String() == a.q.String()
		}
		if r, ok := p.Type.(*syntax.RefType); ok {
			return a.q.Ref != noRef && d.match(r.Elem, qual{T: a.q.T, Const: a.q.Const, Volatile: a.q.Volatile, Space: a.q.space(), HasSpace: true})
		}
		if a.q.Ref != noRef {
			return false
		}
		if n, ok := p.Type.(*syntax.NameType); ok && (n.Quals.Const && !a.q.Const || n.Quals.Space != syntax.NoSpace && !a.q.HasSpace) {
			return false
		}
		return d.match(p.Type, a.q)
	}
	if id, ok := p.X.(*syntax.Ident); ok && a.vt == nil {
		return d.matchArg(syntax.TemplateArg{Type: &syntax.NameType{Pos: id.Pos, Name: id.Name}}, a)
	}
	return p.X != nil && a.vt != nil && d.matchValue(p.X, a.bits, a.vt)
}

// matchValue matches a value as written with a value.
func (d *deduction) matchValue(x syntax.Expr, bits uint64, t typed.Type) bool {
	if id, ok := x.(*syntax.Ident); ok && len(id.Name.Parts) == 1 && !id.Name.Parts[0].HasArgs {
		if i, ok := d.index[id.Name.Parts[0].Ident]; ok {
			return d.bind(i, targ{bits: bits, vt: t})
		}
	}
	if d.mentionsExpr(x) {
		return true // compared later
	}
	ok := false
	err := d.c.attempt(func() {
		old := d.c.scope
		d.c.scope = d.inner()
		o := d.c.expr(x)
		v := d.c.constant(x.Place(), &o, "a template argument")
		k := kindOf(o.T)
		ok = isIntKind(k) && isIntKind(kindOf(t)) && signed(k, v.bits) == signed(kindOf(t), bits)
		d.c.scope = old
	})
	return err == nil && ok
}

// mentions reports whether a parameter of the template stands in t.
func (d *deduction) mentions(t syntax.TypeExpr) bool {
	found := false
	walkType(t, func(name string, _ bool) {
		if _, ok := d.index[name]; ok {
			found = true
		}
	})
	return found
}

func (d *deduction) mentionsExpr(x syntax.Expr) bool {
	found := false
	walkExpr(x, func(name string, _ bool) {
		if _, ok := d.index[name]; ok {
			found = true
		}
	})
	return found
}

// visit is called for the first part of every name in a tree; expanded: the name stands in an expansion that is in the tree.
type visit func(name string, expanded bool)

func (f visit) nested() visit { return func(name string, _ bool) { f(name, true) } }

// walkType calls f for the first part of every name in t.
func walkType(t syntax.TypeExpr, f visit) {
	switch t := t.(type) {
	case *syntax.NameType:
		walkName(t.Name, f)
	case *syntax.PointerType:
		walkType(t.Elem, f)
	case *syntax.RefType:
		walkType(t.Elem, f)
	case *syntax.ArrayType:
		walkType(t.Elem, f)
		walkExpr(t.Len, f)
	case *syntax.DecltypeType:
		walkExpr(t.X, f)
	case *syntax.FuncType:
		walkType(t.Result, f)
		for _, p := range t.Params {
			walkType(p.Type, f)
		}
	}
}

func walkName(n *syntax.Name, f visit) {
	if n == nil {
		return
	}
	for i, p := range n.Parts {
		switch {
		case p.Decltype != nil:
			walkExpr(p.Decltype.X, f)
		case i == 0:
			f(p.Ident, false)
		}
		for _, a := range p.Args {
			walkArg(a, f)
		}
	}
}

func walkExpr(x syntax.Expr, f visit) {
	switch x := x.(type) {
	case *syntax.Ident:
		walkName(x.Name, f)
	case *syntax.Unary:
		walkExpr(x.X, f)
	case *syntax.Postfix:
		walkExpr(x.X, f)
	case *syntax.Binary:
		walkExpr(x.L, f)
		walkExpr(x.R, f)
	case *syntax.Cond:
		walkExpr(x.C, f)
		walkExpr(x.T, f)
		walkExpr(x.F, f)
	case *syntax.Call:
		walkExpr(x.Fun, f)
		for _, a := range x.Args {
			walkExpr(a, f)
		}
	case *syntax.Construct:
		walkType(x.Type, f)
		for _, a := range x.Args {
			walkExpr(a, f)
		}
	case *syntax.InitList:
		for _, a := range x.Args {
			walkExpr(a, f)
		}
	case *syntax.Designated:
		for _, s := range x.Path {
			walkExpr(s.Lo, f)
			walkExpr(s.Hi, f)
		}
		walkExpr(x.X, f)
	case *syntax.Index:
		walkExpr(x.X, f)
		walkExpr(x.I, f)
	case *syntax.Member:
		walkExpr(x.X, f)
	case *syntax.Cast:
		walkType(x.Type, f)
		walkExpr(x.X, f)
	case *syntax.Sizeof:
		walkType(x.Type, f)
		walkExpr(x.X, f)
	case *syntax.Paren:
		walkExpr(x.X, f)
	case *syntax.This:
		f("this", false)
	case *syntax.TypeTrait:
		for _, a := range x.Args {
			walkArg(a, f)
		}
	case *syntax.PackExpansion:
		walkExpr(x.X, f.nested())
	case *syntax.Fold:
		walkExpr(x.X, f.nested())
		walkExpr(x.Init, f.nested())
	}
}

// heft says how special a template is: what its patterns say of their arguments, then how many of them are no packs, then how few are.
type heft struct{ said, single, packs int }

// above reports whether a template of heft h is more special than one of heft g.
func (h heft) above(g heft) bool {
	switch {
	case h.said != g.said:
		return h.said > g.said
	case h.packs == 0 && g.packs == 0:
		return false // of these, defaults make up the difference
	case h.single != g.single:
		return h.single > g.single
	}
	return h.packs < g.packs
}

func (h *heft) add(said int, pack bool) {
	h.said += said
	if pack {
		h.packs++
	} else {
		h.single++
	}
}

// weight weighs the parameters of a template of functions: of two that fit, the heavier is more special.
func weight(f *function) (h heft) {
	d := deductionOf0(f.tparams)
	seen := map[string]bool{}
	for _, p := range f.decl.Params {
		h.add(typeWeight(d, p.Type, seen), p.Pack)
	}
	return h
}

func argsWeight(p *partial) (h heft) {
	d := deductionOf0(p.params)
	seen := map[string]bool{}
	for _, a := range p.args {
		h.add(argWeight(d, a, seen), a.Pack)
	}
	return h
}

func deductionOf0(params []*syntax.TemplateParam) map[string]bool {
	names := map[string]bool{}
	for _, p := range params {
		names[p.Name] = true
	}
	return names
}

func argWeight(params map[string]bool, a syntax.TemplateArg, seen map[string]bool) int {
	if a.Type != nil {
		return typeWeight(params, a.Type, seen)
	}
	if id, ok := a.X.(*syntax.Ident); ok && len(id.Name.Parts) == 1 && params[id.Name.Parts[0].Ident] {
		return nameWeight(params, id.Name, seen)
	}
	return 2
}

func typeWeight(params map[string]bool, t syntax.TypeExpr, seen map[string]bool) int {
	switch t := t.(type) {
	case *syntax.NameType:
		n := 0
		if t.Quals.Const {
			n++
		}
		if t.Quals.Space != syntax.NoSpace {
			n++
		}
		return n + nameWeight(params, t.Name, seen)
	case *syntax.PointerType:
		return 2 + typeWeight(params, t.Elem, seen)
	case *syntax.RefType:
		return typeWeight(params, t.Elem, seen)
	case *syntax.ArrayType:
		return 2 + typeWeight(params, t.Elem, seen) + argWeight(params, syntax.TemplateArg{X: t.Len}, seen)
	}
	return 0
}

func nameWeight(params map[string]bool, n *syntax.Name, seen map[string]bool) int {
	if n == nil || len(n.Parts) == 0 {
		return 0
	}
	if len(n.Parts) == 1 && params[n.Parts[0].Ident] {
		if seen[n.Parts[0].Ident] {
			return 1
		}
		seen[n.Parts[0].Ident] = true
		return 0
	}
	w := 2
	for _, p := range n.Parts {
		for _, a := range p.Args {
			w += argWeight(params, a, seen)
		}
	}
	return w
}

// templateKey tells templates of functions of one name apart.
func templateKey(f *function) string {
	var s strings.Builder
	for _, p := range f.tparams {
		if p.Pack {
			s.WriteString("...")
		}
		if p.Type != nil {
			s.WriteString("v:" + typeKey(p.Type))
		} else {
			s.WriteString("t")
			if p.Default != nil && p.Name == "" {
				s.WriteString(argKey(*p.Default)) // enable_if_t
			}
		}
		s.WriteByte(',')
	}
	s.WriteByte('(')
	for _, p := range f.decl.Params {
		s.WriteString(typeKey(p.Type) + ",")
		if p.Pack {
			s.WriteString("...")
		}
	}
	s.WriteByte(')')
	s.WriteString(typeKey(f.decl.Result))
	if f.st != nil {
		s.WriteString(spaceWord[f.thisSpace])
		if f.thisConst {
			s.WriteString(" const")
		}
	}
	return s.String()
}

func qualsKey(q syntax.Quals) string {
	s := ""
	if q.Const {
		s += "const "
	}
	if q.Volatile {
		s += "volatile "
	}
	if q.Space != syntax.NoSpace {
		s += q.Space.String() + " "
	}
	return s
}

// typeKey writes a type as in the source.
func typeKey(t syntax.TypeExpr) string {
	switch t := t.(type) {
	case *syntax.NameType:
		return qualsKey(t.Quals) + nameKey(t.Name)
	case *syntax.PointerType:
		return typeKey(t.Elem) + "*" + qualsKey(t.Quals)
	case *syntax.RefType:
		if t.RValue {
			return typeKey(t.Elem) + "&&"
		}
		return typeKey(t.Elem) + "&"
	case *syntax.ArrayType:
		return typeKey(t.Elem) + "[" + exprKey(t.Len) + "]"
	case *syntax.FuncType:
		s := typeKey(t.Result) + "("
		for _, p := range t.Params {
			s += typeKey(p.Type) + ","
		}
		return s + ")"
	case *syntax.AutoType:
		return qualsKey(t.Quals) + "auto"
	case *syntax.DecltypeType:
		return "decltype(" + exprKey(t.X) + ")"
	}
	return ""
}

func argKey(a syntax.TemplateArg) string {
	s := typeKey(a.Type)
	if a.Type == nil {
		s = exprKey(a.X)
	}
	if a.Pack {
		s += "..."
	}
	return s
}

func nameKey(n *syntax.Name) string {
	if n == nil {
		return ""
	}
	var s strings.Builder
	for i, p := range n.Parts {
		if i > 0 {
			s.WriteString("::")
		}
		if p.Decltype != nil {
			s.WriteString(typeKey(p.Decltype))
		} else {
			s.WriteString(p.Ident)
		}
		if p.HasArgs {
			s.WriteByte('<')
			for j, a := range p.Args {
				if j > 0 {
					s.WriteString(", ")
				}
				s.WriteString(argKey(a))
			}
			s.WriteByte('>')
		}
	}
	return s.String()
}

// exprKey writes an expression so that equal ones are equal.
func exprKey(x syntax.Expr) string {
	list := func(args []syntax.Expr) string {
		var s strings.Builder
		for i, a := range args {
			if i > 0 {
				s.WriteString(", ")
			}
			s.WriteString(exprKey(a))
		}
		return s.String()
	}
	switch x := x.(type) {
	case *syntax.Ident:
		return nameKey(x.Name)
	case *syntax.Literal:
		return x.Text
	case *syntax.Unary:
		return x.Op + exprKey(x.X)
	case *syntax.Postfix:
		return exprKey(x.X) + x.Op
	case *syntax.Binary:
		return "(" + exprKey(x.L) + x.Op + exprKey(x.R) + ")"
	case *syntax.Cond:
		return "(" + exprKey(x.C) + "?" + exprKey(x.T) + ":" + exprKey(x.F) + ")"
	case *syntax.Call:
		return exprKey(x.Fun) + "(" + list(x.Args) + ")"
	case *syntax.Construct:
		return typeKey(x.Type) + "(" + list(x.Args) + ")"
	case *syntax.Index:
		return exprKey(x.X) + "[" + exprKey(x.I) + "]"
	case *syntax.Member:
		return exprKey(x.X) + "." + nameKey(x.Name)
	case *syntax.Cast:
		return "(" + typeKey(x.Type) + ")" + exprKey(x.X)
	case *syntax.Sizeof:
		return "sizeof(" + x.Pack + typeKey(x.Type) + exprKey(x.X) + ")"
	case *syntax.TypeTrait:
		s := x.Name + "("
		for _, a := range x.Args {
			s += argKey(a) + ","
		}
		return s + ")"
	case *syntax.Fold:
		return "(" + exprKey(x.X) + x.Op + "..." + exprKey(x.Init) + strconv.FormatBool(x.Right) + ")"
	case *syntax.PackExpansion:
		return exprKey(x.X) + "..."
	case *syntax.Paren:
		return exprKey(x.X)
	}
	return ""
}
