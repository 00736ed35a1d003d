package check

import (
	"strings"

	"gamma/metal/internal/msl/stdlib"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// callExpr checks f(args).
func (c *checker) callExpr(x *syntax.Call) operand {
	if id, ok := x.Fun.(*syntax.Ident); ok && len(id.Name.Parts) == 1 && id.Name.Parts[0].Ident == "__assert" {
		return c.assertion(x)
	}
	fun := c.expr(x.Fun)
	if fun.typ != nil && fun.fns == nil {
		return c.constructType(x.Pos, *fun.typ, false, x.Args)
	}
	if fun.trait {
		if len(x.Args) != 0 {
			c.fail(x.Pos, "this function of the library takes no arguments")
		}
		fun.trait = false
		return fun
	}
	if fun.lib == "is_function_constant_defined" {
		return c.constantDefined(x)
	}
	if fun.arrayMember != "" {
		return c.arrayMethod(x, fun)
	}
	if strings.HasPrefix(fun.lib, "os_log::") {
		return c.logCall(x, fun)
	}
	if strings.HasPrefix(fun.lib, "__builtin_") && len(x.Args) == 1 {
		// The text after a NaN is empty.
		if l, ok := x.Args[0].(*syntax.Literal); ok && l.Kind == token.String {
			return c.libraryCall(x.Pos, fun, nil)
		}
	}
	given := c.expanded(x.Args)
	if strings.HasPrefix(fun.lib, "__metal_simd_shuffle_and_fill_") && len(given) == 4 && c.wholeGroup(given[3]) {
		given = given[:3] // which means the same
	}
	args := make([]operand, len(given))
	for i, a := range given {
		args[i] = c.exprOrList(a)
		if args[i].list == nil {
			if args[i].fns != nil || args[i].lib != "" && args[i].T == nil {
				c.refuse(a.Place(), "function pointers", "pass a functor: a struct with operator()")
			}
			c.needValue(a.Place(), &args[i])
		}
	}
	if fun.T != nil {
		if c.structOf(fun.T) != nil {
			st := c.structOf(fun.T)
			c.complete(x.Pos, st)
			if e := st.find("operator()"); e != nil {
				f := c.choose(x.Pos, "operator()", e.fns, nil, &fun, args)
				return c.call(x.Pos, f, &fun, args)
			}
		}
		c.fail(x.Pos, "%s is not a function and has no operator()", fun.T)
	}
	name := "the function"
	if fun.name != nil {
		name = nameString(fun.name)
	}
	fns := fun.fns
	if fun.adl && fun.object == nil {
		name := fun.name.Parts[len(fun.name.Parts)-1].Ident
		fns = c.associated(fns, name, args)
		if fun.lib == "" && stdlib.IsFunction(name) && c.ofMetal(args) {
			fun.lib = name
		}
	}
	switch {
	case len(fns) == 0 && fun.lib == "":
		if fun.missing != nil {
			c.undeclared(fun.name, *fun.missing)
		}
		c.needValue(x.Pos, &fun)
	case len(fns) == 0:
		return c.libraryCall(x.Pos, fun, args)
	case fun.lib != "":
		if f := c.joint(x.Pos, name, fns, fun, args); f != nil {
			return c.call(x.Pos, f, nil, args)
		}
		var o operand
		if err := c.attempt(func() { o = c.libraryCall(x.Pos, fun, args) }); err == nil {
			return o
		}
	}
	f := c.choose(x.Pos, name, fns, fun.part, fun.object, args)
	if fun.object != nil && f.st == nil {
		fun.object = nil
	}
	return c.call(x.Pos, f, fun.object, args)
}

// wholeGroup reports whether x is a call of the compiler's function that returns how many threads a simdgroup has.
func (c *checker) wholeGroup(x syntax.Expr) bool {
	call, ok := x.(*syntax.Call)
	if !ok {
		return false
	}
	id, ok := call.Fun.(*syntax.Ident)
	return ok && nameString(id.Name) == "__metal_get_simdgroup_size"
}

// joint resolves a call for which the source and the library have functions: it returns the source's function if that is
// better than all others, and nil if the call is the library's, as far as that has one that fits. A function of the source whose
// parameters are the arguments' types hides one of the library with the same.
func (c *checker) joint(pos Pos, name string, fns []*function, fun operand, args []operand) *function {
	list, _ := c.viable(fns, fun.part, nil, args)
	if len(list) == 0 {
		return nil
	}
	bests := c.best(list)
	if len(bests) == 1 && bests[0].exact() && bests[0].f.from == nil {
		return bests[0].f
	}
	var given []stdlib.Arg
	if err := c.attempt(func() { given = c.libraryArguments(pos, fun, args) }); err != nil {
		return nil
	}
	overloads, joins := stdlib.Overloads(fun.lib, given)
	if !joins {
		return nil
	}
	of := map[*function]string{}
	for _, o := range overloads {
		m := match{f: &function{name: fun.lib}}
		of[m.f] = o.String()
		for i, p := range o.Params {
			q := qual{T: p}
			if o.Ref[i] {
				q.Ref, q.Space, q.HasSpace = lvalueRef, ir.Thread, true
			}
			m.convs = append(m.convs, c.rank(&args[i], q, true))
		}
		list = append(list, m)
	}
	bests = c.best(list)
	own := 0
	var texts []string
	for _, m := range bests {
		if text, ok := of[m.f]; ok {
			texts = append(texts, text)
		} else {
			own++
			texts = append(texts, m.f.signatureString()+" at "+m.f.pos.String())
		}
	}
	switch {
	case own == 0:
		return nil // the library says whether it is ambiguous
	case len(bests) > 1:
		types := make([]string, len(args))
		for i := range args {
			types[i] = args[i].describe()
		}
		c.fail(pos, "the call of %s(%s) is ambiguous; candidates: %s", name, strings.Join(types, ", "), strings.Join(texts, "; "))
	}
	return bests[0].f
}

// libraryCall calls a function of Metal's library.
func (c *checker) libraryCall(pos Pos, fun operand, args []operand) operand {
	var targs []stdlib.TArg
	if fun.part != nil && fun.part.HasArgs {
		targs = c.libraryArgs(fun.part.Args)
	}
	x, err := stdlib.Resolve(fun.lib, targs, c.libraryArguments(pos, fun, args), pos, c.fp)
	c.check(pos, err)
	o := valueOf(x)
	o.pos = pos
	return o
}

// libraryArguments are the arguments of a call of the library.
func (c *checker) libraryArguments(pos Pos, fun operand, args []operand) []stdlib.Arg {
	list := make([]stdlib.Arg, 0, len(args)+1)
	if fun.object != nil {
		list = append(list, stdlib.Arg{X: c.value(fun.object), Place: fun.object.P})
	}
	for i := range args {
		o := args[i]
		if o.list != nil {
			c.fail(o.pos, "a list in braces needs a type here: write T{…}")
		}
		if _, ok := o.T.(*typed.Array); ok {
			o = c.decay(o)
		}
		if c.structOf(o.T) != nil && fun.lib != "as_type" {
			// A class that converts to one number or vector stands for it.
			if err := c.attempt(func() {
				o = c.viaConversion(o, func(t typed.Type) bool { return !isStruct(t) }, "an argument")
			}); err != nil {
				c.fail(pos, "no function %s of the library takes %s", fun.lib, o.T)
			}
		}
		if o.T != nil && typed.HoldsAtomic(o.T) {
			c.fail(o.pos, "%s is not passed as a value: write & in front", o.T)
		}
		a := stdlib.Arg{X: c.number(c.value(&o))}
		if fun.lib == "as_type" {
			a.X = c.value(&o)
		}
		if o.P != nil && !o.Const && o.known == nil {
			a.Place = o.P
		}
		list = append(list, a)
	}
	return list
}

// constantDefined checks is_function_constant_defined(name).
func (c *checker) constantDefined(x *syntax.Call) operand {
	if len(x.Args) == 1 {
		if id, ok := x.Args[0].(*syntax.Ident); ok {
			if r := c.resolve(id.Name); r.ent != nil && r.ent.constant != nil {
				return valueOf(&typed.ConstantRef{Node: node(x.Pos, boolType), Constant: r.ent.constant, Defined: true})
			}
		}
	}
	c.fail(x.Pos, "is_function_constant_defined takes the name of one function constant")
	return operand{}
}

// arrayMethod calls a method of metal::array.
func (c *checker) arrayMethod(x *syntax.Call, fun operand) operand {
	o := *fun.object
	a := o.T.(*typed.Array)
	if len(x.Args) != 0 {
		c.fail(x.Pos, "%s takes no arguments", fun.arrayMember)
	}
	switch fun.arrayMember {
	case "size":
		return valueOf(constOf(x.Pos, ulongType, uint64(a.Len)))
	case "empty":
		return valueOf(constOf(x.Pos, boolType, b2u(a.Len == 0)))
	}
	space := o.Space
	if o.P == nil {
		space = ir.Thread
	}
	t := pointerTo(a.Elem, space, o.Const, o.Volatile)
	p := typed.Expr(&typed.AddrOf{Node: node(x.Pos, t), X: c.place(&o), Decay: true})
	if fun.arrayMember == "end" {
		p = &typed.PtrAddExpr{Node: node(x.Pos, t), X: p, I: constOf(x.Pos, intType, uint64(a.Len))}
	}
	return valueOf(p)
}
