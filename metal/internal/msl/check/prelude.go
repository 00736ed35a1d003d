package check

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"gamma/metal/internal/msl/preprocess"
	"gamma/metal/internal/msl/stdlib"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
)

// classText is the part of Metal's library that is written in the language: the class templates that a source derives from, specialises or
// deduces from. Names that begin with _ are not of the language's specification: they are in the headers that come with Apple's compiler, and
// public sources use them.
const classText = `
template <typename T, T V> struct integral_constant {
	typedef T value_type;
	typedef integral_constant type;
	static constexpr constant T value = V;
	constexpr operator value_type() const { return V; }
	constexpr operator value_type() const constant { return V; }
	constexpr value_type operator()() const { return V; }
	constexpr value_type operator()() const constant { return V; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;

template <bool B, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { typedef T type; };

template <typename... B> struct conjunction : true_type {};
template <typename B> struct conjunction<B> : B {};
template <typename B, typename... R> struct conjunction<B, R...> : conditional_t<bool(B::value), conjunction<R...>, B> {};
template <typename... B> struct disjunction : false_type {};
template <typename B> struct disjunction<B> : B {};
template <typename B, typename... R> struct disjunction<B, R...> : conditional_t<bool(B::value), B, disjunction<R...>> {};
template <typename B> struct negation : bool_constant<!bool(B::value)> {};
template <typename... B> constexpr constant bool conjunction_v = conjunction<B...>::value;
template <typename... B> constexpr constant bool disjunction_v = disjunction<B...>::value;
template <typename B> constexpr constant bool negation_v = negation<B>::value;
template <typename... B> using _conjunction = conjunction<B...>;
template <typename... B> using _disjunction = disjunction<B...>;
template <typename B> using _negation = negation<B>;

template <typename T> struct _make_scalar_impl { typedef __make_scalar_t<T> type; };
template <typename T> struct make_scalar : _make_scalar_impl<T> {};
template <typename T> using make_scalar_t = typename make_scalar<T>::type;
template <typename T> struct vec_elements : integral_constant<size_t, 1> {};
template <typename T, size_t N> struct vec_elements<vec<T, N>> : integral_constant<size_t, N> {};

template <typename T> struct _numeric_limits_impl { static constexpr constant bool is_specialized = false; };
template <typename T> struct numeric_limits : _numeric_limits_impl<T> {};
struct _fp_numeric_limits_impl_base {
	static constexpr constant bool is_specialized = true;
	static constexpr constant bool is_signed = true;
	static constexpr constant bool is_integer = false;
	static constexpr constant bool is_exact = false;
	static constexpr constant bool has_infinity = true;
	static constexpr constant bool has_quiet_NaN = true;
	static constexpr constant bool has_signaling_NaN = true;
	static constexpr constant bool is_iec559 = true;
	static constexpr constant bool is_bounded = true;
	static constexpr constant bool is_modulo = false;
};
template <typename T> struct _fp_encoding_traits {};
template <> struct _fp_encoding_traits<float> {
	static constexpr constant uint sign_mask = 0x80000000;
	static constexpr constant uint exp_mask = 0x7f800000;
	static constexpr constant uint inf_mask = 0x7f800000;
	static constexpr constant uint mantissa_mask = 0x007fffff;
};
template <> struct _fp_encoding_traits<half> {
	static constexpr constant ushort sign_mask = 0x8000;
	static constexpr constant ushort exp_mask = 0x7c00;
	static constexpr constant ushort inf_mask = 0x7c00;
	static constexpr constant ushort mantissa_mask = 0x03ff;
};
`

// prelude returns classText and the classes of traits, parsed. The tree is shared by all checks, which leave it as it is.
var prelude = sync.OnceValue(func() []syntax.Decl {
	var s strings.Builder
	s.WriteString(classText)
	for _, name := range slices.Sorted(maps.Keys(traitArity())) {
		if name == "is_empty" { // which is not Metal's, but has the compiler's word
			continue
		}
		params, args := "typename A", "A"
		if traitArity()[name] == 2 {
			params, args = "typename A, typename B", "A, B"
		}
		fmt.Fprintf(&s, "template <%s> struct %s : bool_constant<__%s(%s)> {};\n", params, name, name, args)
		fmt.Fprintf(&s, "template <%s> constexpr constant bool %s_v = %s<%s>::value;\n", params, name, name, args)
	}
	return parsed("stdlib", s.String())
})

// parsed returns the declarations of the text that is a header's of Metal's.
func parsed(header, text string) []syntax.Decl {
	tokens, diags := preprocess.Run(text, preprocess.Options{FileName: token.LibraryFile(header)})
	if diags.Errors() > 0 {
		panic(fmt.Sprintf(panicPrelude, diags))
	}
	file, diags := syntax.Parse(tokens)
	if diags.Errors() > 0 {
		panic(fmt.Sprintf(panicPrelude, diags))
	}
	return file.Decls
}

//go:embed library/*.metal
var libraryTexts embed.FS

// libraryPart is a part of the library that is declared when one of its names is looked up, and not before.
type libraryPart struct {
	decls []syntax.Decl
	names map[string]bool
}

var libraryParts = sync.OnceValue(func() []libraryPart {
	var parts []libraryPart
	for _, header := range []string{"matrix", "simdgroup_matrix", "pack", "texture"} {
		text, err := libraryTexts.ReadFile("library/" + header + ".metal")
		if err != nil {
			panic(fmt.Sprintf(panicPrelude, err))
		}
		p := libraryPart{decls: parsed(header, string(text)), names: map[string]bool{}}
		for _, d := range p.decls {
			p.names[declared(d)] = true
		}
		parts = append(parts, p)
	}
	return parts
})

// declared returns the name that a declaration declares, or "".
func declared(d syntax.Decl) string {
	var name *syntax.Name
	switch d := d.(type) {
	case *syntax.TemplateDecl:
		return declared(d.Decl)
	case *syntax.AliasDecl:
		return d.Name
	case *syntax.StructDecl:
		name = d.Name
	case *syntax.EnumDecl:
		name = d.Name
	case *syntax.FuncDecl:
		name = d.Name
	}
	if name == nil {
		return ""
	}
	return name.Parts[0].Ident
}

// declarePart declares the part of the library that has a name, but of its aliases, each of which makes an instance, that name alone.
func (c *checker) declarePart(name string) {
	for i, p := range libraryParts() {
		if !p.names[name] || c.classes.names[name] != nil {
			continue
		}
		old := c.state
		c.state = state{scope: c.classes, fp: c.opts.FP, near: old.near}
		for _, d := range p.decls {
			if a, ok := d.(*syntax.AliasDecl); ok && a.Name == name || !ok && !c.parts[i] {
				c.guard(func() { c.declaration(d) })
			}
		}
		c.state, c.parts[i] = old, true
	}
}

// libraryClass returns the library's class template of that name, if the names of the library are known in the present scope.
func (c *checker) libraryClass(name string) *entity {
	if e := c.classes.names[name]; e != nil && c.scope.usesMetal() {
		return e
	}
	return nil
}

// typeTraits are the questions about types that need what the checker knows, by the names of the classes that ask them, and how many types
// each asks about. The others are the library's.
var typeTraits = map[string]int{
	"is_same": 2, "is_empty": 1, "is_const": 1, "is_volatile": 1, "is_reference": 1, "is_lvalue_reference": 1, "is_rvalue_reference": 1,
	"is_base_of": 2, "is_convertible": 2, "is_trivially_copyable": 1,
}

// traitArity is typeTraits with the library's.
var traitArity = sync.OnceValue(func() map[string]int {
	n := maps.Clone(typeTraits)
	for _, name := range stdlib.Predicates() {
		n[name] = 1
	}
	return n
})

// hasTrait answers a question about types.
func (c *checker) hasTrait(name string, q []qual) bool {
	switch name {
	case "is_same":
		a, b := q[0], q[1]
		return same(a.T, b.T) && a.Const == b.Const && a.Volatile == b.Volatile && a.Ref == b.Ref && a.space() == b.space()
	case "is_empty":
		return c.empty(q[0])
	case "is_const":
		return q[0].Const && q[0].Ref == noRef
	case "is_volatile":
		return q[0].Volatile && q[0].Ref == noRef
	case "is_reference":
		return q[0].Ref != noRef
	case "is_lvalue_reference":
		return q[0].Ref == lvalueRef
	case "is_rvalue_reference":
		return q[0].Ref == rvalueRef
	case "is_base_of":
		return c.structOf(q[0].T) != nil && (same(q[0].T, q[1].T) || c.derives(q[1].T, q[0].T))
	case "is_convertible":
		return c.convertible(q[0], q[1])
	case "is_trivially_copyable":
		st := c.structOf(q[0].T)
		return q[0].Ref == noRef && (st == nil || len(st.copies) == 0)
	}
	return q[0].Ref == noRef && stdlib.Predicate(name, q[0].T)
}

// convertible reports whether a value of one type becomes one of the other by itself.
func (c *checker) convertible(from, to qual) bool {
	if isVoid(from.T) || isVoid(to.T) {
		return isVoid(from.T) && isVoid(to.T)
	}
	fits := false
	c.quiet++
	defer func() { c.quiet-- }()
	err := c.attempt(func() {
		o := operand{pos: c.near, T: from.T, X: &typed.Zero{Node: node(c.near, from.T)}}
		fits = c.rank(&o, to, true).rank != impossible
	})
	return err == nil && fits
}

// empty reports whether q is a class without members that objects hold.
func (c *checker) empty(q qual) bool {
	st := c.structOf(q.T)
	if st == nil || q.Ref != noRef {
		return false
	}
	c.complete(c.near, st)
	for ; st != nil; st = st.base {
		if st.t.Union || len(st.fields) > 1 || len(st.fields) == 1 && st.base == nil {
			return false
		}
	}
	return true
}

// typeTrait checks a question about types that the compiler answers.
func (c *checker) typeTrait(x *syntax.TypeTrait) operand {
	name := strings.TrimPrefix(x.Name, "__")
	if name == "is_convertible_to" {
		name = "is_convertible"
	}
	args := c.expandedArgs(x.Args)
	n, ok := traitArity()[name]
	switch {
	case !ok:
		c.fail(x.Pos, "%s is no question about types that is known", x.Name)
	case n != len(args):
		c.fail(x.Pos, "%s asks about %d types, not %d", x.Name, n, len(args))
	}
	quals := make([]qual, n)
	for i, a := range args {
		q, ok := c.asType(a)
		if !ok {
			c.fail(x.Pos, "%s asks about types, and argument %d is none", x.Name, i+1)
		}
		quals[i] = q
	}
	return valueOf(constOf(x.Pos, boolType, b2u(c.hasTrait(name, quals))))
}
