package foreign

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Param is a parameter of a function: a number, or an array of these.
type Param struct {
	Name  string
	Type  reflect.Type // of the number, or of the array's elements
	Array bool
	Const bool // an array that the function only reads
	Value any  // what is always passed, as of "int order = 101"; nil where the subject says it
}

// Signature is a function of C.
type Signature struct {
	Name   string
	Return reflect.Type // nil for void
	Params []Param
}

// words of C's that name a type, in the order of which nothing depends.
var typeWords = map[string]bool{
	"void": true, "float": true, "double": true, "bool": true, "_Bool": true, "char": true, "short": true, "int": true, "long": true, "signed": true, "unsigned": true,
}

// named are types that one word names.
var named = map[string]reflect.Type{
	"float": reflect.TypeFor[float32](), "double": reflect.TypeFor[float64](), "bool": reflect.TypeFor[bool](), "_Bool": reflect.TypeFor[bool](),
	"size_t": reflect.TypeFor[uint64](), "ptrdiff_t": reflect.TypeFor[int64](), "ssize_t": reflect.TypeFor[int64](), "intptr_t": reflect.TypeFor[int64](), "uintptr_t": reflect.TypeFor[uint64](),
	"int8_t": reflect.TypeFor[int8](), "int16_t": reflect.TypeFor[int16](), "int32_t": reflect.TypeFor[int32](), "int64_t": reflect.TypeFor[int64](),
	"uint8_t": reflect.TypeFor[uint8](), "uint16_t": reflect.TypeFor[uint16](), "uint32_t": reflect.TypeFor[uint32](), "uint64_t": reflect.TypeFor[uint64](),
}

// qualifiers say nothing about how a parameter is passed.
var qualifiers = []string{"restrict", "__restrict", "__restrict__", "volatile", "extern", "static", "inline"}

// Parse reads the declaration of a function, such as "float my_sum(const float *x, size_t n)". A number that is always the same may be given as defaults are in C++, as in "int order = 101".
func Parse(declaration string) (*Signature, error) {
	fail := func(format string, args ...any) (*Signature, error) {
		return nil, fmt.Errorf("foreign: the declaration %q %w", declaration, fmt.Errorf(format, args...))
	}
	text := strings.TrimSuffix(strings.TrimSpace(declaration), ";")
	head, rest, ok := strings.Cut(text, "(")
	inner, after, closed := strings.Cut(rest, ")")
	switch {
	case !ok:
		return fail(`has no parameters; write it as the header does, such as "float my_sum(const float *x, size_t n)"`)
	case !closed:
		return fail("does not end with )")
	case strings.TrimSpace(after) != "":
		return fail("goes on after ) with %q", strings.TrimSpace(after))
	case strings.Contains(inner, "("):
		return fail("has a parameter that is a function, which is not supported")
	}
	f, err := parseParam(head)
	switch {
	case err != nil:
		return fail("returns what is no type: %w", err)
	case f.Name == "":
		return fail("names no function")
	case f.Array:
		return fail("returns a pointer, which is not supported; let it write its results to an array")
	}
	s := &Signature{Name: f.Name, Return: f.Type}
	if in := strings.TrimSpace(inner); in == "" || in == "void" {
		return s, nil
	}
	seen := map[string]bool{}
	for i, text := range strings.Split(inner, ",") {
		p, err := parseParam(text)
		switch {
		case err != nil:
			return fail("has a parameter %d that cannot be passed: %w", i+1, err)
		case p.Type == nil:
			return fail("has a parameter %d of type void; say what its elements are", i+1)
		case p.Name != "" && seen[p.Name]:
			return fail("has two parameters called %s", p.Name)
		}
		seen[p.Name] = true
		s.Params = append(s.Params, p)
	}
	return s, nil
}

// parseParam reads a type, and a name if there is one.
func parseParam(text string) (p Param, err error) {
	given := strings.TrimSpace(text)
	before, value, always := strings.Cut(given, "=")
	base, brackets, _ := strings.Cut(before, "[")
	if brackets != "" && (strings.Count(brackets, "]") != 1 || !strings.HasSuffix(brackets, "]")) {
		return p, fmt.Errorf("%q is no array of one dimension", given)
	}
	stars := strings.Count(base, "*")
	if brackets != "" {
		stars++
	}
	if stars > 1 {
		return p, fmt.Errorf("%q is a pointer to pointers", given)
	}
	p.Array = stars == 1
	before, _, _ = strings.Cut(base, "*")
	var types []string
	for _, w := range strings.Fields(strings.ReplaceAll(base, "*", " ")) {
		switch {
		case slices.Contains(qualifiers, w):
		case w == "const":
			p.Const = p.Const || slices.Contains(strings.Fields(before), w)
		case typeWords[w] || named[w] != nil && len(types) == 0:
			types = append(types, w)
		case p.Name == "" && len(types) > 0:
			p.Name = w
		case len(types) == 0:
			return p, fmt.Errorf("%q is no type that is known here; there are float, double, bool, size_t, int32_t and C's other integers", w)
		default:
			return p, fmt.Errorf("%q has the two names %s and %s", given, p.Name, w)
		}
	}
	if len(types) == 0 {
		return p, fmt.Errorf("%q has no type", given)
	}
	if p.Type, err = typeOf(types); err == nil && always {
		p.Value, err = p.constant(strings.TrimSpace(value))
	}
	return p, err
}

// constant returns the number that a text says, of the parameter's type.
func (p *Param) constant(text string) (any, error) {
	if p.Type == nil || p.Array {
		return nil, fmt.Errorf("%s is no number, and is to be %q", p.Name, text)
	}
	v := reflect.New(p.Type).Elem()
	if v.Kind() == reflect.Float32 || v.Kind() == reflect.Float64 {
		x, err := strconv.ParseFloat(text, v.Type().Bits())
		v.SetFloat(x)
		return v.Interface(), err
	}
	x, err := strconv.ParseInt(text, 0, 64)
	switch {
	case err != nil:
	case v.CanInt() && !v.OverflowInt(x):
		v.SetInt(x)
	case v.CanUint() && x >= 0 && !v.OverflowUint(uint64(x)):
		v.SetUint(uint64(x))
	default:
		err = fmt.Errorf("%s is no %v", text, p.Type)
	}
	return v.Interface(), err
}

// typeOf returns the type that words name, nil for void.
func typeOf(list []string) (reflect.Type, error) {
	if len(list) == 1 {
		if list[0] == "void" {
			return nil, nil
		}
		if t := named[list[0]]; t != nil {
			return t, nil
		}
	}
	count := map[string]int{}
	for _, w := range list {
		count[w]++
	}
	bits := 32
	switch {
	case count["float"]+count["double"]+count["void"]+count["bool"]+count["_Bool"] > 0 || count["signed"]+count["unsigned"] > 1:
		return nil, fmt.Errorf("%q is no type that is known here", strings.Join(list, " "))
	case count["char"] == 1:
		bits = 8
	case count["short"] == 1:
		bits = 16
	case count["long"] > 1:
		bits = 64
	case count["long"] == 1:
		bits = longBits
	}
	if count["unsigned"] == 1 {
		return map[int]reflect.Type{8: named["uint8_t"], 16: named["uint16_t"], 32: named["uint32_t"], 64: named["uint64_t"]}[bits], nil
	}
	return map[int]reflect.Type{8: named["int8_t"], 16: named["int16_t"], 32: named["int32_t"], 64: named["int64_t"]}[bits], nil
}

// longBits are the bits of a long where libraries are loaded: those systems' words.
const longBits = 32 << (^uint(0) >> 63)

// integer reports whether a type is one of integers.
func integer(t reflect.Type) bool {
	return t != nil && t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64
}
