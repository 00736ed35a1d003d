package stdlib

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// Arg is an argument of a call. Place is not nil if the argument is an lvalue; X is then its LoadExpr.
type Arg struct {
	X     typed.Expr
	Place typed.Place
}

// TArg is a template argument: a type, or a value with its type.
type TArg struct {
	Type      typed.Type
	Value     *uint64
	ValueType typed.Type
}

// line is a line of the library's table: a signature and the types that T stands for in it.
//
// A signature is the parameters and the result, such as "T T -> T". T is the type, S its element, I and B and U the vectors
// of int, of bool and of unsigned integers of its width, u a uint, s a ushort, b a bool, & before a letter a reference to a variable in
// thread memory, V void.
type line struct {
	sig   string
	kinds []ir.Type
	from  int // widths of T
	to    int
	spec  bool // precise:: and fast:: have it too, of float only
	build func(c *call) (typed.Expr, error)
}

// function is a line with the overloads it stands for.
type function struct {
	line
	once      sync.Once
	overloads []overload
}

// overload is a function of given types.
type overload struct {
	fn     *function
	params []typed.Type
	ref    []bool
	typ    typed.Type
	result typed.Type
}

// table is the library's functions by name; a name may have several lines. special are the functions that look at their arguments
// themselves.
var (
	table   = map[string][]*function{}
	special = map[string]func(c *call, targs []TArg, args []Arg) (typed.Expr, error){}
)

var (
	halfFloat = []ir.Type{ir.F16, ir.F32}
	integers  = []ir.Type{ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64, ir.U64}
	words     = []ir.Type{ir.I32, ir.U32}
	boolean   = []ir.Type{ir.Bool}
	simdInts  = []ir.Type{ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32}
	simdTypes = append(slices.Clone(simdInts), halfFloat...)
)

// define adds lines to the table, one for each of the names.
func define(names string, l line) {
	if l.to == 0 {
		l.from, l.to = 1, 4
	}
	for name := range strings.FieldsSeq(names) {
		table[name] = append(table[name], &function{line: l})
	}
}

// expand makes the overloads of a line.
func (f *function) expand(name string) []overload {
	f.once.Do(func() {
		params, result, _ := strings.Cut(f.sig, "->")
		for _, k := range f.kinds {
			for n := f.from; n <= f.to; n++ {
				o := overload{fn: f, typ: wide(k, n)}
				letter := func(w string) typed.Type {
					switch w {
					case "T":
						return o.typ
					case "S":
						return wide(k, 1)
					case "I":
						return wide(ir.I32, n)
					case "B":
						return wide(ir.Bool, n)
					case "U":
						return wide(unsignedOf(k), n)
					case "u":
						return scalars[ir.U32]
					case "s":
						return scalars[ir.U16]
					case "b":
						return scalars[ir.Bool]
					case "v":
						if strings.HasPrefix(name, "quad") {
							return quadVote
						}
						return simdVote
					case "V":
						return Void
					}
					panic(fmt.Sprintf(panicSignature, name, f.sig))
				}
				for w := range strings.FieldsSeq(params) {
					bare, ref := strings.CutPrefix(w, "&")
					o.params = append(o.params, letter(bare))
					o.ref = append(o.ref, ref)
				}
				o.result = letter(strings.TrimSpace(result))
				f.overloads = append(f.overloads, o)
			}
		}
	})
	return f.overloads
}

// space takes "precise::" or "fast::" off a name.
func space(name string) (bare string, fast, precise bool) {
	if s, ok := strings.CutPrefix(name, "fast::"); ok {
		return s, true, false
	}
	if s, ok := strings.CutPrefix(name, "precise::"); ok {
		return s, false, true
	}
	return name, false, false
}

// IsFunction reports whether the library has a function of that name, or knows it and refuses it. Names are written without
// "metal::", with "precise::" or "fast::" in front where the source has them.
func IsFunction(name string) bool {
	bare, fast, precise := space(name)
	if fast || precise {
		return slices.ContainsFunc(table[bare], func(f *function) bool { return f.spec })
	}
	if _, ok := internalName(name); ok {
		return true
	}
	_, isRefused := refusals[bare]
	return len(table[bare]) > 0 || special[bare] != nil || isRefused
}

// Resolve returns a call of a library function. It chooses the overload as C++ does, and converts the arguments. fp is what
// pragmas and options say at the call.
func Resolve(name string, targs []TArg, args []Arg, pos typed.Pos, fp ir.FP) (typed.Expr, error) {
	if inner, ok := internalName(name); ok {
		return resolveInternal(inner, targs, args, pos, fp)
	}
	c := &call{name: name, pos: pos, fp: fp}
	var bare string
	bare, c.fast, c.precise = space(name)
	if !IsFunction(name) {
		return nil, wrong(pos, "Metal's library has no function %s", name)
	}
	for i, a := range args {
		if a.X == nil || a.X.ExprType() == nil {
			return nil, wrong(pos, "argument %d of %s has no value", i+1, name)
		}
		args[i].X = One(a.X)
	}
	if what, ok := refusals[bare]; ok {
		return nil, refused(pos, what, "%s: %s are not part of what is simulated", name, what)
	}
	if f := special[bare]; f != nil {
		return f(c, targs, args)
	}
	if len(targs) > 0 {
		return nil, wrong(pos, "%s takes no template arguments here: leave out <…>, it follows the arguments", name)
	}
	o, err := c.choice(bare, args)
	if err != nil {
		return nil, err
	}
	if err := c.bind(o, args); err != nil {
		return nil, err
	}
	return o.fn.build(c)
}

// Overload is one of the library's functions: its parameters, and which of them are references to variables in thread memory.
type Overload struct {
	Params []typed.Type
	Ref    []bool
	text   string
}

// String writes the overload's name and parameters.
func (o Overload) String() string { return o.text }

// Overloads returns the functions of the library that a call can mean, without those that another one is better than.
// Joins is false if name is not a function, or one that is not chosen by the types of its arguments alone, as the atomic ones.
func Overloads(name string, args []Arg) (list []Overload, joins bool) {
	c := &call{name: name}
	var bare string
	bare, c.fast, c.precise = space(name)
	if !IsFunction(name) || len(table[bare]) == 0 || special[bare] != nil || refusals[bare] != "" {
		return nil, false
	}
	os, _ := c.candidates(bare, args)
	for _, o := range os {
		list = append(list, Overload{o.params, o.ref, o.signature("metal::" + name)})
	}
	return list, true
}

// exactly returns the overload whose parameters are the arguments' types, which no other one is as good as, or nil.
func (c *call) exactly(bare string, args []Arg) *overload {
	for _, f := range table[bare] {
		if (c.fast || c.precise) && !f.spec {
			continue
		}
		os := f.expand(bare)
	overloads:
		for i := range os {
			o := &os[i]
			if len(o.params) != len(args) || (c.fast || c.precise) && kindOf(o.typ) != ir.F32 {
				continue
			}
			for j, p := range o.params {
				if args[j].X.ExprType() != p {
					continue overloads
				}
			}
			return o
		}
	}
	return nil
}

// candidates returns the overloads that fit the arguments and that no other one beats. Bit n of counts: there is one of n
// parameters.
func (c *call) candidates(bare string, args []Arg) (best []*overload, counts uint) {
	if o := c.exactly(bare, args); o != nil {
		return []*overload{o}, 0
	}
	var ranks [][]int
	r := make([]int, len(args))
	for _, f := range table[bare] {
		if (c.fast || c.precise) && !f.spec {
			continue
		}
		os := f.expand(bare)
	overloads:
		for i := range os {
			o := &os[i]
			if (c.fast || c.precise) && kindOf(o.typ) != ir.F32 {
				continue
			}
			counts |= 1 << len(o.params)
			if len(o.params) != len(args) {
				continue
			}
			for j, p := range o.params {
				if r[j] = rank(args[j].X.ExprType(), p); r[j] == impossible || o.ref[j] && r[j] != exact {
					continue overloads
				}
			}
			// Keep those that no other one beats.
			beaten := false
			for j := 0; j < len(best); {
				switch {
				case better(ranks[j], r):
					beaten = true
					j++
				case better(r, ranks[j]):
					best, ranks = slices.Delete(best, j, j+1), slices.Delete(ranks, j, j+1)
				default:
					j++
				}
			}
			if !beaten {
				best, ranks = append(best, o), append(ranks, slices.Clone(r))
			}
		}
	}
	return best, counts
}

// choice returns the best overload for the arguments.
func (c *call) choice(bare string, args []Arg) (*overload, error) {
	best, counts := c.candidates(bare, args)
	if len(best) == 1 {
		return best[0], nil
	}
	types := make([]typed.Type, len(args))
	for i, a := range args {
		types[i] = a.X.ExprType()
	}
	fix := c.fix(types)
	switch {
	case len(best) > 1:
		return nil, wrong(c.pos, "the call %s(%s) is ambiguous%s; it fits %s", c.name, listTypes(types), fix, listOverloads(c.name, best))
	case len(args) >= 8 || counts>>len(args)&1 == 0:
		return nil, wrong(c.pos, "%s does not take %d arguments; the library has %s", c.name, len(args), summary(c.name))
	}
	return nil, wrong(c.pos, "no %s takes (%s)%s; the library has %s", c.name, listTypes(types), fix, summary(c.name))
}

func better(a, b []int) bool {
	strictly := false
	for i := range a {
		if a[i] > b[i] {
			return false
		}
		strictly = strictly || a[i] < b[i]
	}
	return strictly
}

// bind gives c the overload's types and the arguments, converted.
func (c *call) bind(o *overload, args []Arg) error {
	c.typ, c.result = o.typ, o.result
	c.args = make([]typed.Expr, len(args))
	c.places = make([]typed.Place, len(args))
	for i, a := range args {
		if !o.ref[i] {
			c.args[i] = convert(a.X, o.params[i])
			continue
		}
		if why := unbindable(a.Place); why != "" {
			return wrong(a.X.At(), "argument %d of %s is a reference to a variable in thread memory: %s", i+1, c.name, why)
		}
		c.places[i] = a.Place
	}
	return nil
}

// unbindable says why a place is nothing that a `thread T &` binds to, or "".
func unbindable(p typed.Place) string {
	switch p := p.(type) {
	case nil:
		return "a value is not a variable, so declare one"
	case *typed.VarPlace:
		if p.Var.Space != ir.Thread {
			return "this one is elsewhere, so use a local variable"
		}
		if p.Var.Const {
			return "this one is const"
		}
		return ""
	case *typed.Deref:
		ptr, ok := p.Ptr.ExprType().(*typed.Pointer)
		if !ok || ptr.Space != ir.Thread {
			return "this one is elsewhere, so use a local variable"
		}
		if ptr.Const {
			return "this one is const"
		}
		return ""
	case *typed.FieldPlace:
		return unbindable(p.X)
	case *typed.IndexPlace:
		if _, ok := p.X.PlaceType().(*typed.Vector); ok {
			return "an element of a vector is none, so use a local variable"
		}
		return unbindable(p.X)
	case *typed.SeqPlace:
		return unbindable(p.X)
	case *typed.CondPlace:
		if why := unbindable(p.T); why != "" {
			return why
		}
		return unbindable(p.F)
	case *typed.SwizzlePlace:
		return "an element of a vector is none, so use a local variable"
	}
	return "a value is not a variable, so declare one"
}

// fix says which change of the arguments would help.
func (c *call) fix(types []typed.Type) string {
	floats, halves, ints, brain, long, widest := 0, 0, 0, false, false, 1
	var float ir.Type
	for _, t := range types {
		k, n := shape(t)
		widest = max(widest, n)
		switch {
		case k == ir.BF16:
			brain = true
		case isFloat(k):
			floats++
			float = max(float, k)
			if k == ir.F16 {
				halves++
			}
		case isInt(k) || k == ir.Bool:
			ints++
			long = long || bitsOf(k) == 64
		}
	}
	bare, _, _ := space(c.name)
	least := 4
	for _, f := range table[bare] {
		least = min(least, f.from)
	}
	switch {
	case widest == 1 && least == 2:
		return ": it takes vectors"
	case widest < least && least == 3:
		return ": it takes vectors of 3"
	case brain:
		return fmt.Sprintf(": Metal's library has no functions of bfloat, write %s(…) around it", wide(ir.F32, widest))
	case long && (strings.HasPrefix(bare, "simd_") || strings.HasPrefix(bare, "quad_")):
		return ": functions of simdgroups and quadgroups take no 64-bit types, so move two halves of 32 bits"
	case floats > 0 && ints > 0:
		return fmt.Sprintf(": write %s(…) around the integer, or a literal such as 0.0f", scalars[float])
	case halves > 0 && float == ir.F32:
		return ": the floats differ, so write float(…) or half(…) around one of them"
	case ints > 1 && floats == 0 && !slices.ContainsFunc(table[bare], func(f *function) bool { return slices.Contains(f.kinds, ir.I32) }):
		return ": it takes floats, write float(…)"
	case ints == 1 && len(types) == 1 && floats == 0:
		return ": it takes floats, write float(…)"
	case ints > 1:
		return ": the integers differ, so convert one of them, as in uint(…)"
	}
	return ""
}

// signature writes an overload.
func (o *overload) signature(name string) string {
	var s strings.Builder
	s.WriteString(name + "(")
	for i, p := range o.params {
		if i > 0 {
			s.WriteString(", ")
		}
		if o.ref[i] {
			s.WriteString("thread " + p.String() + "&")
		} else {
			s.WriteString(p.String())
		}
	}
	return s.String() + ")"
}

// listOverloads writes overloads, at most four.
func listOverloads(name string, os []*overload) string {
	var s []string
	for i, o := range os {
		if i == 4 {
			s = append(s, fmt.Sprintf("and %d more", len(os)-i))
			break
		}
		s = append(s, o.signature(name))
	}
	return strings.Join(s, ", ")
}

// summary writes what overloads a name has: the signature of each line with its types.
func summary(name string) string {
	bare, fast, precise := space(name)
	var s []string
	for _, f := range table[bare] {
		ks := f.kinds
		if fast || precise {
			if !f.spec {
				continue
			}
			ks = []ir.Type{ir.F32}
		}
		s = append(s, f.describe(name, ks))
	}
	return strings.Join(s, "; ")
}

// describe writes a line of the table for given kinds, such as "max(T, T) of char to ulong and float, and of their vectors".
func (f *function) describe(name string, ks []ir.Type) string {
	params, _, _ := strings.Cut(f.sig, "->")
	words := map[string]string{
		"T": "T", "S": "element of T", "I": "int", "B": "bool", "U": "unsigned T", "u": "uint", "s": "ushort", "b": "bool",
		"&T": "thread T&", "&I": "thread int&",
	}
	var ps []string
	generic := false
	for w := range strings.FieldsSeq(params) {
		ps = append(ps, words[w])
		generic = generic || strings.Contains(w, "T")
	}
	text := fmt.Sprintf("%s(%s)", name, strings.Join(ps, ", "))
	if !generic {
		return text
	}
	var ts []string
	for _, k := range ks {
		ts = append(ts, scalars[k].Name)
	}
	list := strings.Join(ts, ", ")
	if slices.Equal(ks, integers) {
		list = "the integers"
	}
	switch {
	case f.from == f.to && f.to > 1:
		return fmt.Sprintf("%s with T a vector of %d of %s", text, f.to, list)
	case f.from > 1:
		return fmt.Sprintf("%s with T a vector of %s", text, list)
	case f.to == 1:
		return fmt.Sprintf("%s with T of %s", text, list)
	}
	return fmt.Sprintf("%s with T of %s or a vector of them", text, list)
}
