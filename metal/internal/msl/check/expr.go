package check

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"gamma/metal/internal/msl/stdlib"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// exprOrList checks an expression, or keeps a list in braces for what it initialises.
func (c *checker) exprOrList(x syntax.Expr) operand {
	if l, ok := x.(*syntax.InitList); ok {
		return operand{pos: l.Pos, list: l}
	}
	return c.expr(x)
}

// valueExpr checks an expression that has a value.
func (c *checker) rvalue(x syntax.Expr) operand {
	o := c.expr(x)
	c.needValue(x.Place(), &o)
	return o
}

// expr checks an expression.
func (c *checker) expr(x syntax.Expr) operand {
	if x == nil {
		c.fail(c.near, "an expression is missing here")
	}
	c.near = x.Place()
	c.tick(c.near)
	switch x := x.(type) {
	case *syntax.Ident:
		return c.ident(x.Pos, x.Name)
	case *syntax.Literal:
		return c.literal(x)
	case *syntax.This:
		if c.fn == nil || c.fn.this == nil {
			c.fail(x.Pos, "this is for methods that are not static")
		}
		this := c.thisOperand(x.Pos)
		return valueOf(&typed.AddrOf{Node: node(x.Pos, pointerTo(this.T, this.Space, this.Const, false)), X: this.P})
	case *syntax.Unary:
		return c.unary(x)
	case *syntax.Postfix:
		return c.postfix(x)
	case *syntax.Binary:
		return c.binaryChain(x)
	case *syntax.Cond:
		return c.conditional(x)
	case *syntax.Call:
		return c.callExpr(x)
	case *syntax.Construct:
		q := c.typeOf(x.Type)
		return c.constructType(x.Pos, q, x.Brace, x.Args)
	case *syntax.InitList:
		return operand{pos: x.Pos, list: x}
	case *syntax.Designated:
		c.fail(x.Pos, "a designator stands in the list of an array, or of a struct without constructors")
	case *syntax.Index:
		return c.index(x)
	case *syntax.Member:
		return c.memberExpr(x)
	case *syntax.Cast:
		return c.cast(x)
	case *syntax.Sizeof:
		return c.sizeof(x)
	case *syntax.Paren:
		o := c.expr(x.X)
		o.adl = false
		return o
	case *syntax.Lambda:
		c.refuse(x.Pos, "lambdas", "write a struct with operator()")
	case *syntax.PackExpansion:
		if x.In == nil {
			c.fail(x.Pos, "a pack is expanded in a list of values alone")
		}
		defer c.enter(x.In)()
		return c.expr(x.X)
	case *syntax.Fold:
		return c.fold(x)
	case *syntax.TypeTrait:
		return c.typeTrait(x)
	}
	c.fail(c.near, "this expression is not known")
	return operand{}
}

// thisOperand is the object of a method.
func (c *checker) thisOperand(pos Pos) operand {
	v := c.fn.this
	return operand{pos: pos, T: v.Type, P: &typed.VarPlace{Var: v, Pos: pos}, Const: v.Const, Space: v.Space}
}

// alsoLibrary returns the library's function that shares its name with the functions r of the source, if both are found by it: where
// some of these stand in namespace metal, and where they are found in the file, which uses metal.
func (c *checker) alsoLibrary(unqualified bool, r *ref) string {
	in, ok := r.in.metalPath()
	for _, f := range r.ent.fns {
		if !ok && f.scope != nil {
			in, ok = f.scope.namespace().metalPath()
		}
	}
	if name := in + r.name; ok && stdlib.IsFunction(name) {
		return name
	}
	if unqualified && r.in != nil && r.in.kind == fileScope && r.in.usesMetal() && stdlib.IsFunction(r.name) {
		return r.name
	}
	return ""
}

// ident checks a name.
func (c *checker) ident(pos Pos, n *syntax.Name) operand {
	if part := &n.Parts[len(n.Parts)-1]; part.Converts != nil {
		if len(n.Parts) > 1 || c.fn == nil || c.fn.this == nil {
			c.fail(pos, "a conversion operator is called of an object: write a cast, or x.operator …()")
		}
		return c.conversions(pos, c.thisOperand(pos), part)
	}
	r := c.resolve(n)
	o := operand{pos: pos, name: n, part: r.part}
	switch {
	case r.trait:
		x, _, ok, err := stdlib.Trait(r.traitName, r.name, r.traitArgs, pos)
		c.check(pos, err)
		if !ok || x == nil {
			c.fail(pos, "%s has no member %s in Metal's library", r.traitName, r.name)
		}
		o = valueOf(x)
		o.pos = pos
		o.trait = true
		return o
	case r.typ != nil && (r.ent == nil || r.ent.fns == nil):
		o.typ = r.typ
		return o
	case r.ent != nil:
		e := r.ent
		switch {
		case e.variable != nil:
			c.settle(e.variable)
			return c.variableOperand(pos, e.variable)
		case e.value != nil:
			k := e.value.(*typed.Const)
			return operand{pos: pos, T: k.Type, X: constOf(pos, k.Type, k.Bits), null: false}
		case e.constant != nil:
			return valueOf(constantValue(pos, e.constant))
		case e.owner != nil:
			if c.fn == nil || c.fn.this == nil {
				if c.quiet > 0 {
					return operand{pos: pos, T: e.owner.t.Fields[e.field].Type, P: &typed.TempPlace{X: &typed.Zero{Node: node(pos, e.owner.t.Fields[e.field].Type)}, Pos: pos}, Space: ir.Thread}
				}
				c.fail(pos, "%s is a member of %s: it needs an object", r.name, e.owner.t)
			}
			return c.memberOf(pos, c.thisOperand(pos), e)
		case e.fns != nil:
			o.fns = e.fns
			o.typ = r.typ
			if e.fns[0].st != nil {
				if c.fn != nil && c.fn.this != nil {
					this := c.thisOperand(pos)
					o.object = &this
				}
				return o
			}
			o.adl = len(n.Parts) == 1 && !n.Global
			o.lib = c.alsoLibrary(o.adl, &r)
			return o
		case e.tmpl != nil && e.tmpl.kind == variableTemplate:
			if r.part == nil || !r.part.HasArgs {
				c.fail(pos, "%s is a template: write its arguments in <…>", r.name)
			}
			v := c.variableInstance(pos, e.tmpl, r.part.Args)
			c.settle(v)
			return c.variableOperand(pos, v)
		case e.tmpl != nil:
			c.fail(pos, "%s is a template: write its arguments in <…>", r.name)
		}
		c.fail(pos, "%s is no value", nameString(n))
	case r.lib != "":
		if x, ok := stdlib.Constant(r.lib); ok && r.open {
			if k, ok := x.(*typed.Const); ok {
				x = constOf(pos, k.Type, k.Bits)
			}
			v := valueOf(x)
			v.pos = pos
			return v
		}
		if r.lib == "os_log_default" && r.open {
			return valueOf(&typed.Zero{Node: node(pos, stdlib.Logger)})
		}
		if stdlib.IsFunction(r.lib) && (r.open || r.lib == "as_type" || strings.HasPrefix(r.lib, "__")) || r.lib == "is_function_constant_defined" {
			o.lib = r.lib
			o.adl = len(n.Parts) == 1
			return o
		}
	}
	// A function that only the namespaces of its arguments declare.
	o.adl = len(n.Parts) == 1 && !n.Global && r.st == nil
	if !o.adl {
		c.undeclared(n, r)
	}
	missing := r
	o.missing = &missing
	return o
}

// literal checks a literal.
func (c *checker) literal(x *syntax.Literal) operand {
	switch x.Kind {
	case token.Int:
		v, t := c.intLiteral(x)
		o := valueOf(constOf(x.Pos, t, v))
		o.null = v == 0 && t == intType
		return o
	case token.Float:
		v, k := c.floatLiteral(x)
		return valueOf(constOf(x.Pos, stdlib.ScalarOf(k), v))
	case token.Char:
		if v, ok := charValue(x.Text); ok {
			return valueOf(constOf(x.Pos, stdlib.ScalarOf(ir.I8), trim(ir.I8, uint64(v))))
		}
		c.fail(x.Pos, "%s is not a character of one byte", x.Text)
	case token.String:
		return c.stringLiteral(x)
	}
	switch x.Text {
	case "true", "false":
		return valueOf(constOf(x.Pos, boolType, b2u(x.Text == "true")))
	case "nullptr":
		o := valueOf(constOf(x.Pos, pointerTo(voidType, ir.Thread, false, false), 0))
		o.null = true
		return o
	}
	c.fail(x.Pos, "%s is not a literal that is known here", x.Text)
	return operand{}
}

// intLiteral returns the value and type of an integer literal.
func (c *checker) intLiteral(x *syntax.Literal) (uint64, *typed.Scalar) {
	text := strings.ReplaceAll(x.Text, "'", "")
	end := len(text)
	for end > 0 && strings.ContainsRune("uUlL", rune(text[end-1])) {
		end--
	}
	suffix := strings.ToLower(text[end:])
	v, err := strconv.ParseUint(text[:end], 0, 64)
	if err != nil {
		c.fail(x.Pos, "%s is not an integer of 64 bits", x.Text)
	}
	decimal := text[0] != '0' || end == 1
	long, unsigned := strings.Contains(suffix, "l"), strings.Contains(suffix, "u")
	if strings.Count(suffix, "l") > 1 {
		c.refuse(x.Pos, "long long", "long has 64 bits: write l or ul")
	}
	switch {
	case !long && !unsigned && v <= math.MaxInt32:
		return v, intType
	case !long && v <= math.MaxUint32 && (unsigned || !decimal):
		return v, uintType
	case !unsigned && v <= math.MaxInt64:
		return v, longType
	}
	return v, ulongType
}

// floatLiteral returns the bits and kind of a floating-point literal.
func (c *checker) floatLiteral(x *syntax.Literal) (uint64, ir.Type) {
	text := strings.ToLower(strings.ReplaceAll(x.Text, "'", ""))
	k := ir.F32
	hex := strings.HasPrefix(text, "0x")
	switch {
	case strings.HasSuffix(text, "bf") && (!hex || strings.Contains(text, "p")):
		k, text = ir.BF16, text[:len(text)-2]
	case strings.HasSuffix(text, "h"):
		k, text = ir.F16, text[:len(text)-1]
	case strings.HasSuffix(text, "f") && (!hex || strings.Contains(text, "p")):
		text = text[:len(text)-1]
	}
	if k == ir.F32 {
		v, err := strconv.ParseFloat(text, 32)
		if err != nil && !math.IsInf(v, 0) {
			c.fail(x.Pos, "%s is not a number", x.Text)
		}
		if math.IsInf(v, 0) {
			c.warn(x.Pos, "%s is larger than any float: it is infinity", x.Text)
		}
		return uint64(math.Float32bits(float32(v))), k
	}
	// Round the exact value once.
	if v, err := strconv.ParseFloat(text, 64); err == nil && v == 0 || len(text) > 400 {
		return 0, k
	}
	f, _, err := big.ParseFloat(text, 0, 2000, big.ToNearestEven)
	if err != nil || f.IsInf() {
		c.fail(x.Pos, "%s is not a number of this format", x.Text)
	}
	if f.MantExp(nil) < -200 {
		return 0, k
	}
	return fromBig(k, f, false), k
}

// charValue returns the value of a character literal with its quotes.
func charValue(text string) (int64, bool) {
	if len(text) < 3 {
		return 0, false
	}
	s := text[1 : len(text)-1]
	if s[0] == '\\' && len(s) > 1 {
		switch s[1] {
		case 'x':
			v, err := strconv.ParseUint(s[2:], 16, 8)
			return int64(int8(v)), err == nil
		case '0', '1', '2', '3', '4', '5', '6', '7':
			v, err := strconv.ParseUint(s[1:], 8, 8)
			return int64(int8(v)), err == nil
		case '?':
			return '?', len(s) == 2
		case 'e':
			return 27, len(s) == 2
		}
	}
	quote := byte('\'')
	if s == `"` || s == `\"` {
		return '"', true
	}
	v, _, rest, err := strconv.UnquoteChar(s, quote)
	return int64(int8(v)), err == nil && rest == "" && v < 128
}

// conditional checks c ? t : f.
func (c *checker) conditional(x *syntax.Cond) operand {
	cond := c.rvalue(x.C)
	if v, ok := cond.T.(*typed.Vector); ok && v.N > 1 {
		return c.vectorConditional(x, cond, v)
	}
	cv := c.condition(cond, "the condition of ?:")
	t, f := c.exprOrList(x.T), c.exprOrList(x.F)
	if t.list != nil || f.list != nil {
		c.fail(x.Pos, "a list in braces needs a type here: write T{…}")
	}
	c.needValue(x.T.Place(), &t)
	c.needValue(x.F.Place(), &f)
	if isVoid(t.T) && isVoid(f.T) {
		return valueOf(&typed.CondExpr{Node: node(x.Pos, voidType), C: cv, T: c.value(&t), F: c.value(&f)})
	}
	if t.P != nil && f.P != nil && t.known == nil && f.known == nil && same(t.T, f.T) && t.Space == f.Space && t.Const == f.Const {
		return operand{pos: x.Pos, T: t.T, P: &typed.CondPlace{C: cv, T: c.place(&t), F: c.place(&f), Pos: x.Pos}, Const: t.Const, Space: t.Space, Volatile: t.Volatile || f.Volatile}
	}
	t, f = c.decay(t), c.decay(f)
	to := c.joined(x.Pos, &t, &f)
	return valueOf(&typed.CondExpr{Node: node(x.Pos, to), C: cv, T: c.convert(&t, to, "?:"), F: c.convert(&f, to, "?:")})
}

// joined returns the type that both branches of ?: take.
func (c *checker) joined(pos Pos, t, f *operand) typed.Type {
	if same(t.T, f.T) {
		return t.T
	}
	p, ok1 := t.T.(*typed.Pointer)
	q, ok2 := f.T.(*typed.Pointer)
	switch {
	case ok1 && f.null:
		return p
	case ok2 && t.null:
		return q
	case ok1 && ok2:
		if c.rankPointer(p, q).rank != impossible {
			return q
		}
		if c.rankPointer(q, p).rank != impossible {
			return p
		}
	case !ok1 && !ok2 && !isStruct(t.T) && !isStruct(f.T) && !c.scoped(t.T) && !c.scoped(f.T):
		if both, err := stdlib.Common(t.T, f.T); err == nil {
			return both
		}
	case isStruct(t.T) || isStruct(f.T):
		a, b := c.rankValue(t, f.T, true), c.rankValue(f, t.T, true)
		if a.rank != impossible && b.rank == impossible {
			return f.T
		}
		if b.rank != impossible && a.rank == impossible {
			return t.T
		}
	}
	c.fail(pos, "the branches of ?: have different types: %s and %s", t.T, f.T)
	return nil
}

func (c *checker) vectorConditional(x *syntax.Cond, cond operand, v *typed.Vector) operand {
	if v.Elem.Kind != ir.Bool {
		c.fail(x.Pos, "the condition of ?: is a bool or a vector of bool, not %s", cond.T)
	}
	t, f := c.rvalue(x.T), c.rvalue(x.F)
	to, err := stdlib.Common(t.T, f.T)
	if err == nil && same(t.T, f.T) {
		to = unpacked(t.T)
	}
	c.check(x.Pos, err)
	if s, ok := to.(*typed.Scalar); ok {
		to = stdlib.VectorOf(s, v.N)
	}
	if w, ok := to.(*typed.Vector); !ok || w.N != v.N {
		c.fail(x.Pos, "the branches of ?: have other widths than its condition, %s: %s and %s", cond.T, t.T, f.T)
	}
	return valueOf(&typed.Ternary{Node: node(x.Pos, to), Op: ir.Select, A: c.value(&cond), B: c.convert(&t, to, "?:"), C: c.convert(&f, to, "?:")})
}

// index checks x[i].
func (c *checker) index(x *syntax.Index) operand {
	o := c.rvalue(x.X)
	i := c.exprOrList(x.I)
	if c.structOf(o.T) != nil {
		if r, ok := c.userOperator(x.Pos, "[]", &o, []operand{i}, true); ok {
			return r
		}
	}
	c.needValue(x.I.Place(), &i)
	if _, ok := i.T.(*typed.Pointer); ok && integral(o.T) {
		o, i = i, o
	}
	if isStruct(i.T) {
		i = c.viaConversion(i, integral, "an index")
	}
	if !integral(i.T) || c.scoped(i.T) {
		c.fail(x.I.Place(), "an index is an integer, not %s", i.T)
	}
	iv := c.value(&i)
	n := -1
	var elem typed.Type
	switch t := o.T.(type) {
	case *typed.Array:
		n, elem = t.Len, t.Elem
	case *typed.Vector:
		n, elem = t.N, t.Elem
	case *typed.Pointer:
		if isVoid(t.Elem) {
			c.fail(x.Pos, "a pointer to void cannot be indexed")
		}
		c.sized(x.Pos, t.Elem)
		p := &typed.PtrAddExpr{Node: node(x.Pos, t), X: c.value(&o), I: iv}
		return derefOperand(x.Pos, p)
	default:
		c.fail(x.Pos, "%s cannot be indexed", o.T)
	}
	if k, ok := iv.(*typed.Const); ok {
		if v := signed(kindOf(k.Type), k.Bits); v < 0 || v >= int64(n) {
			c.warn(x.I.Place(), "index %d is outside %s", v, o.T)
		}
	}
	if o.P != nil {
		r := operand{pos: x.Pos, T: elem, P: &typed.IndexPlace{X: c.place(&o), I: iv, Pos: x.Pos}, Const: o.Const, Volatile: o.Volatile, Space: o.Space}
		return r
	}
	return valueOf(&typed.IndexExpr{Node: node(x.Pos, elem), X: c.value(&o), I: iv})
}

// memberExpr checks x.name and x->name.
func (c *checker) memberExpr(x *syntax.Member) operand {
	o := c.rvalue(x.X)
	if x.Arrow {
		o = c.decay(o)
		if c.structOf(o.T) != nil {
			if r, ok := c.userOperator(x.Pos, "->", &o, nil, true); ok {
				o = r
			}
		}
		p, ok := o.T.(*typed.Pointer)
		if !ok {
			c.fail(x.Pos, "-> needs a pointer, not %s: write .", o.T)
		}
		c.sized(x.Pos, p.Elem)
		o = derefOperand(x.Pos, c.value(&o))
	}
	if x.Name == nil || len(x.Name.Parts) == 0 {
		c.fail(x.Pos, "the name of a member is missing")
	}
	part := &x.Name.Parts[len(x.Name.Parts)-1]
	name := part.Ident
	if part.Converts != nil {
		return c.conversions(x.Pos, o, part)
	}
	if _, ok := o.T.(*typed.Pointer); ok && !x.Arrow {
		c.fail(x.Pos, "%s is a pointer: write ->%s", o.T, name)
	}
	if v, ok := o.T.(*typed.Vector); ok {
		return c.swizzle(x.Pos, o, v, name)
	}
	if a, ok := o.T.(*typed.Array); ok && a.Metal {
		switch name {
		case "size", "data", "begin", "end", "empty":
			return operand{pos: x.Pos, arrayMember: name, object: ptr(o)}
		}
	}
	st := c.structOf(o.T)
	if st == nil {
		if s, ok := o.T.(*typed.Struct); ok && c.libraryStruct(s) {
			if stdlib.IsFunction(s.Name + "::" + name) {
				return operand{pos: x.Pos, lib: s.Name + "::" + name, object: ptr(o), part: part}
			}
		}
		c.fail(x.Pos, "%s has no member %s", o.T, name)
	}
	c.complete(x.Pos, st)
	e := st.find(name)
	if e == nil {
		c.fail(x.Pos, "%s has no member %s%s", o.T, name, c.memberHint(st, name))
	}
	switch {
	case e.owner != nil:
		r := c.memberOf(x.Pos, o, e)
		return r
	case e.variable != nil:
		c.settle(e.variable)
		return c.variableOperand(x.Pos, e.variable)
	case e.value != nil:
		return valueOf(e.value)
	case e.fns != nil:
		return operand{pos: x.Pos, fns: e.fns, object: ptr(o), part: part, name: x.Name}
	}
	c.fail(x.Pos, "%s of %s is no value", name, o.T)
	return operand{}
}

func (c *checker) memberHint(st *structInfo, name string) string {
	best, least := "", 1+len(name)/4
	for n := range st.scope.names {
		if d := distance(name, n, least); d < least || d == least && (best == "" || n < best) {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// swizzle selects components of a vector.
func (c *checker) swizzle(pos Pos, o operand, v *typed.Vector, name string) operand {
	comps := make([]int, 0, 4)
	set, distinct := "", true
	for i := range len(name) {
		for _, s := range []string{"xyzw", "rgba"} {
			if at := strings.IndexByte(s, name[i]); at >= 0 && (set == "" || set == s) {
				set = s
				for _, k := range comps {
					distinct = distinct && k != at
				}
				comps = append(comps, at)
				break
			}
		}
		if len(comps) != i+1 || len(comps) > 4 {
			c.fail(pos, "%s has no component %s: they are %s", o.T, name, "xyzw"[:v.N])
		}
		if comps[i] >= v.N {
			c.fail(pos, "%s has no component %s: it has %d", o.T, name[i:i+1], v.N)
		}
	}
	if len(comps) == 0 {
		c.fail(pos, "the components are missing")
	}
	t := vectorOf(v.Elem, len(comps))
	if o.P != nil && o.known == nil && distinct {
		return operand{pos: pos, T: t, P: &typed.SwizzlePlace{X: c.place(&o), Comps: comps, Pos: pos}, Const: o.Const, Volatile: o.Volatile, Space: o.Space}
	}
	return valueOf(&typed.SwizzleExpr{Node: node(pos, t), X: c.value(&o), Comps: comps})
}

// sizeof checks sizeof and alignof.
func (c *checker) sizeof(x *syntax.Sizeof) operand {
	var t typed.Type
	if x.Pack != "" {
		e, _ := c.lookup(x.Pack)
		if e == nil || !e.isPack {
			c.fail(x.Pos, "%s is not a pack", x.Pack)
		}
		return valueOf(constOf(x.Pos, ulongType, uint64(len(e.pack))))
	}
	if x.Type != nil {
		t = c.typeOf(x.Type).T
	} else {
		c.quiet++
		o := c.expr(x.X)
		c.quiet--
		if o.typ != nil {
			t = o.typ.T
		} else {
			c.needValue(x.Pos, &o)
			t = o.T
		}
	}
	c.sized(x.Pos, t)
	n := t.Size()
	if x.Align {
		n = t.Align()
	}
	return valueOf(constOf(x.Pos, ulongType, uint64(n)))
}

// cast checks (T)x and its relatives.
func (c *checker) cast(x *syntax.Cast) operand {
	q := c.typeOf(x.Type)
	o := c.exprOrList(x.X)
	if q.Auto {
		c.fail(x.Pos, "a cast needs a type, not auto")
	}
	return c.castTo(x.Pos, o, q, x.Kind)
}

// castTo converts o as a cast of the kind does; "" is (T)x and T(x).
func (c *checker) castTo(pos Pos, o operand, q qual, kind string) operand {
	if o.list != nil {
		return c.constructType(pos, q, true, o.list.Args)
	}
	c.needValue(pos, &o)
	if isVoid(q.T) {
		x := c.discard(&o)
		r := operand{pos: pos, T: voidType, X: x, effect: x}
		if x == nil {
			r.X = &typed.Zero{Node: node(pos, voidType)}
			r.effect = r.X
		}
		return r
	}
	if q.Ref != noRef {
		return c.castRef(pos, o, q, kind)
	}
	to := c.sized(pos, q.T)
	o = c.decay(o)
	if same(o.T, to) {
		return operand{pos: pos, T: to, X: c.value(&o)}
	}
	if kind == "const_cast" {
		p, ok1 := o.T.(*typed.Pointer)
		t, ok2 := to.(*typed.Pointer)
		if !ok1 || !ok2 || p.Space != t.Space || !same(p.Elem, t.Elem) {
			c.fail(pos, "const_cast changes const and volatile alone, not %s into %s", o.T, to)
		}
	}
	if t, ok := to.(*typed.Pointer); ok {
		if o.null {
			return valueOf(constOf(pos, to, 0))
		}
		p, ok := o.T.(*typed.Pointer)
		if !ok {
			if integral(o.T) {
				c.refuse(pos, "casts between pointers and integers", "")
			}
			c.fail(pos, "%s cannot be cast to %s", o.T, to)
		}
		if p.Space != t.Space {
			c.fail(pos, "a cast does not change the address space: %s and %s", o.T, to)
		}
		if kind == "static_cast" && !isVoid(p.Elem) && !isVoid(t.Elem) && !same(p.Elem, t.Elem) && !c.derives(p.Elem, t.Elem) && !c.derives(t.Elem, p.Elem) {
			c.fail(pos, "static_cast makes no %s of %s: write reinterpret_cast", to, o.T)
		}
		if (kind == "static_cast" || kind == "reinterpret_cast") && p.Const && !t.Const {
			c.fail(pos, "%s drops const: %s to %s", kind, o.T, to)
		}
		return valueOf(&typed.PtrConvert{Node: node(pos, to), X: c.value(&o)})
	}
	if _, ok := o.T.(*typed.Pointer); ok && kindOf(to) != ir.Bool {
		if integral(to) {
			c.refuse(pos, "casts between pointers and integers", "")
		}
		c.fail(pos, "%s cannot be cast to %s", o.T, to)
	}
	if kind == "reinterpret_cast" {
		c.fail(pos, "reinterpret_cast is for pointers and references; write as_type<%s>(…) for values", to)
	}
	return operand{pos: pos, T: to, X: c.explicit(pos, &o, to)}
}

// explicit converts o to a type as a cast does.
func (c *checker) explicit(pos Pos, o *operand, to typed.Type) typed.Expr {
	if r := c.rankValue(o, to, false); r.rank != impossible {
		return c.apply(o, to, r)
	}
	st := c.structOf(to)
	if st != nil && !st.aggregateOnly() || c.structOf(o.T) != nil {
		if st != nil {
			return c.byConstructor(pos, st, []operand{*o})
		}
		r := c.rankUser(o, to, true)
		if r.rank != impossible {
			return c.apply(o, to, r)
		}
		// Through any conversion to a number.
		if _, ok := to.(*typed.Scalar); ok {
			v := c.viaConversion(*o, func(t typed.Type) bool { return kindOf(t) != ir.Void }, "a cast")
			return c.explicit(pos, &v, to)
		}
		c.fail(pos, "%s cannot be converted to %s", o.T, to)
	}
	x := c.value(o)
	from, ok1 := o.T.(*typed.Scalar)
	t, ok2 := to.(*typed.Scalar)
	if ok1 && ok2 {
		if e := c.enums[t]; e != nil || c.enums[from] != nil {
			return fold(&typed.ConvertExpr{Node: node(pos, to), X: x})
		}
	}
	if _, ok := o.T.(*typed.Pointer); ok {
		c.fail(pos, "%s cannot be converted to %s", o.T, to)
	}
	y, err := stdlib.Convert(x, to, true)
	c.check(pos, err)
	return fold(y)
}

// castRef casts to a reference.
func (c *checker) castRef(pos Pos, o operand, q qual, kind string) operand {
	if o.P == nil {
		c.fail(pos, "only an lvalue is cast to a reference")
	}
	if o.Space != q.space() {
		c.fail(pos, "a cast does not change the address space: %s and %s", o.describe(), q)
	}
	if same(o.T, q.T) {
		o.Const = q.Const || o.Const && kind == "static_cast"
		o.known = nil
		return o
	}
	if c.derives(o.T, q.T) {
		return c.toBase(o, q.T)
	}
	if kind == "static_cast" {
		if q.Const {
			return operand{pos: pos, T: q.T, X: c.explicit(pos, &o, q.T)}
		}
		c.fail(pos, "static_cast makes no %s of %s", q, o.describe())
	}
	c.sized(pos, q.T)
	if o.Const && !q.Const {
		c.fail(pos, "the cast drops const")
	}
	p := c.addressOf(pos, &o)
	return derefOperand(pos, &typed.PtrConvert{Node: node(pos, pointerTo(q.T, q.space(), q.Const, q.Volatile)), X: p})
}

// viaConversion converts an object by its one conversion operator to a type that suits.
func (c *checker) viaConversion(o operand, suits func(typed.Type) bool, what string) operand {
	st := c.structOf(o.T)
	if st == nil {
		c.fail(o.pos, "%s: %s does not suit", what, o.T)
	}
	c.complete(o.pos, st)
	var found *function
	for s := st; s != nil; s = s.base {
		for _, f := range s.convs {
			if f.tparams != nil || f.deleted || !suits(f.result.T) || c.rankThis(&o, f).rank == impossible || f.explicit && what != "a cast" {
				continue
			}
			if found != nil {
				c.fail(o.pos, "%s: the conversion of %s is ambiguous: %s", what, o.T, candidates([]*function{found, f}))
			}
			found = f
		}
	}
	if found == nil {
		c.fail(o.pos, "%s: %s has no conversion that suits", what, o.T)
	}
	return c.call(o.pos, found, &o, nil)
}

// constructType checks T(args) and T{args}.
func (c *checker) constructType(pos Pos, q qual, brace bool, args []syntax.Expr) operand {
	if q.Auto {
		c.fail(pos, "auto is not a type to construct")
	}
	if q.Ref != noRef {
		if len(args) != 1 {
			c.fail(pos, "a reference is bound to one lvalue")
		}
		return c.castRef(pos, c.rvalue(args[0]), q, "")
	}
	if isVoid(q.T) {
		if len(args) == 0 {
			return valueOf(&typed.Zero{Node: node(pos, voidType)})
		}
		return c.castTo(pos, c.rvalue(args[0]), q, "")
	}
	t := c.sized(pos, q.T)
	if brace {
		return operand{pos: pos, T: t, X: c.initList(pos, t, &syntax.InitList{Pos: pos, Args: args}, true)}
	}
	return operand{pos: pos, T: t, X: c.direct(pos, t, args)}
}

// direct is T(args).
func (c *checker) direct(pos Pos, t typed.Type, args []syntax.Expr) typed.Expr {
	if same(t, stdlib.Logger) {
		return c.newLogger(pos, args)
	}
	args = c.expanded(args)
	if len(args) == 0 {
		return c.zeroValue(pos, t)
	}
	ops := make([]operand, len(args))
	for i, a := range args {
		ops[i] = c.exprOrList(a)
	}
	if st := c.structOf(t); st != nil {
		return c.byConstructor(pos, st, ops)
	}
	if v, ok := t.(*typed.Vector); ok && !(len(ops) == 1 && ops[0].list == nil && c.structOf(ops[0].T) != nil) {
		return c.makeVector(pos, v, ops)
	}
	if len(ops) != 1 {
		c.fail(pos, "%s is made of one value, not of %d", t, len(ops))
	}
	if ops[0].list != nil {
		return c.initList(pos, t, ops[0].list, true)
	}
	o := c.castTo(pos, ops[0], qual{T: t}, "")
	return c.value(&o)
}

// makeVector makes a vector of scalars and vectors.
func (c *checker) makeVector(pos Pos, v *typed.Vector, ops []operand) typed.Expr {
	if len(ops) == 1 {
		if ops[0].list != nil {
			return c.initList(pos, v, ops[0].list, true)
		}
		c.needValue(ops[0].pos, &ops[0])
		return c.explicit(pos, &ops[0], v)
	}
	elems := make([]typed.Expr, len(ops))
	n := 0
	for i := range ops {
		o := c.decay(ops[i])
		if o.list != nil {
			c.fail(o.pos, "a list in braces is not a part of a vector")
		}
		c.needValue(o.pos, &o)
		to := typed.Type(v.Elem)
		if w, ok := o.T.(*typed.Vector); ok {
			to = stdlib.VectorOf(v.Elem, w.N)
			n += w.N
		} else {
			n++
		}
		elems[i] = c.explicit(o.pos, &o, to)
	}
	if n != v.N {
		c.fail(pos, "%s is made of %d components, not of %d", v, v.N, n)
	}
	return &typed.MakeVector{Node: node(pos, v), Elems: elems}
}
