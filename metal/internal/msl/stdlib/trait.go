package stdlib

import (
	"maps"
	"slices"
	"strings"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// maxArray bounds the elements of an array, so that no text asks for more memory than there is.
const maxArray = 1 << 28

// template checks template arguments: t a type, v a value.
func template(name, want string, targs []TArg, pos typed.Pos) error {
	ok := len(targs) == len(want)
	for i := 0; ok && i < len(want); i++ {
		ok = want[i] == 't' && targs[i].Type != nil || want[i] == 'v' && targs[i].Value != nil
	}
	if ok {
		return nil
	}
	words := map[rune]string{'t': "a type", 'v': "a constant"}
	var s []string
	for _, w := range want {
		s = append(s, words[w])
	}
	return wrong(pos, "%s takes %s as template arguments", name, strings.Join(s, " and "))
}

// scalarArg returns a template argument that has to be a scalar type.
func scalarArg(name string, t typed.Type, pos typed.Pos) (*typed.Scalar, error) {
	s, ok := t.(*typed.Scalar)
	if !ok || s.Enum {
		return nil, wrong(pos, "%s<…> takes a type of numbers, not %s", name, typeName(t))
	}
	return s, nil
}

// TypeTemplate returns the type that a template of the library names, such as vec<float, 4>. ok is false if there is no such
// template; err tells of wrong arguments, and for enable_if_t that the condition is false.
func TypeTemplate(name string, targs []TArg, pos typed.Pos) (t typed.Type, ok bool, err error) {
	switch name {
	case "vec", "packed_vec":
		if err := template(name, "tv", targs, pos); err != nil {
			return nil, true, err
		}
		s, err := scalarArg(name, targs[0].Type, pos)
		if err != nil {
			return nil, true, err
		}
		n := *targs[1].Value
		if n < 1 || n > 4 {
			return nil, true, wrong(pos, "%s<%s, %d>: a vector has 1 to 4 elements", name, s, n)
		}
		if name == "vec" {
			return VectorOf(s, int(n)), true, nil
		}
		return PackedOf(s, int(n)), true, nil
	case "array":
		if err := template(name, "tv", targs, pos); err != nil {
			return nil, true, err
		}
		n := *targs[1].Value
		if n == 0 || n > maxArray {
			return nil, true, wrong(pos, "array<…, %d>: an array has 1 to %d elements", int64(n), maxArray)
		}
		if targs[0].Type.Size() == 0 {
			return nil, true, wrong(pos, "array<%s, %d>: the elements have no size", targs[0].Type, n)
		}
		return &typed.Array{Elem: targs[0].Type, Len: int(n), Metal: true}, true, nil
	case "uniform": // that all threads have one value is for a compiler to use, and changes nothing
		if err := template(name, "t", targs, pos); err != nil {
			return nil, true, err
		}
		return targs[0].Type, true, nil
	case "atomic":
		if err := template(name, "t", targs, pos); err != nil {
			return nil, true, err
		}
		k, n := shape(targs[0].Type)
		if a := atomics[k]; n == 1 && a != nil && !targs[0].Type.(*typed.Scalar).Enum {
			return a, true, nil
		}
		return nil, true, wrong(pos, "atomic<%s> is none of Metal's: there are int, uint, bool, float and ulong", targs[0].Type)
	}
	if base, isAlias := strings.CutSuffix(name, "_t"); isAlias {
		if f := transforms[base]; f != nil {
			t, err := f(base, targs, pos)
			return t, true, err
		}
		return nil, false, nil
	}
	return nil, false, nil
}

// transforms are the traits that give a type, as name<…>::type and name_t<…>.
var transforms = map[string]func(name string, targs []TArg, pos typed.Pos) (typed.Type, error){
	"conditional": func(name string, targs []TArg, pos typed.Pos) (typed.Type, error) {
		if err := template(name, "vtt", targs, pos); err != nil {
			return nil, err
		}
		if *targs[0].Value != 0 {
			return targs[1].Type, nil
		}
		return targs[2].Type, nil
	},
	"enable_if": func(name string, targs []TArg, pos typed.Pos) (typed.Type, error) {
		t := typed.Type(Void)
		if len(targs) == 2 && targs[1].Type != nil {
			t, targs = targs[1].Type, targs[:1]
		}
		if err := template(name, "v", targs, pos); err != nil {
			return nil, err
		}
		if *targs[0].Value == 0 {
			return nil, wrong(pos, "enable_if: the condition is false for these types")
		}
		return t, nil
	},
	"remove_pointer": func(name string, targs []TArg, pos typed.Pos) (typed.Type, error) {
		if err := template(name, "t", targs, pos); err != nil {
			return nil, err
		}
		if p, ok := targs[0].Type.(*typed.Pointer); ok {
			return p.Elem, nil
		}
		return targs[0].Type, nil
	},
	"remove_extent": func(name string, targs []TArg, pos typed.Pos) (typed.Type, error) {
		if err := template(name, "t", targs, pos); err != nil {
			return nil, err
		}
		if a, ok := targs[0].Type.(*typed.Array); ok && !a.Metal {
			return a.Elem, nil
		}
		return targs[0].Type, nil
	},
	"make_signed": func(name string, targs []TArg, pos typed.Pos) (typed.Type, error) {
		return resign(name, targs, pos, signedOf)
	},
	"make_unsigned": func(name string, targs []TArg, pos typed.Pos) (typed.Type, error) {
		return resign(name, targs, pos, unsignedOf)
	},
	"underlying_type": func(name string, targs []TArg, pos typed.Pos) (typed.Type, error) {
		if err := template(name, "t", targs, pos); err != nil {
			return nil, err
		}
		if s, ok := targs[0].Type.(*typed.Scalar); ok && s.Enum {
			return scalars[s.Kind], nil
		}
		return nil, wrong(pos, "underlying_type takes an enumeration, not %s", targs[0].Type)
	},
	"__make_scalar": func(name string, targs []TArg, pos typed.Pos) (typed.Type, error) {
		if err := template(name, "t", targs, pos); err != nil {
			return nil, err
		}
		if v, ok := targs[0].Type.(*typed.Vector); ok {
			return v.Elem, nil
		}
		return targs[0].Type, nil
	},
	"common_type": func(name string, targs []TArg, pos typed.Pos) (typed.Type, error) {
		if err := template(name, strings.Repeat("t", max(len(targs), 1)), targs, pos); err != nil {
			return nil, err
		}
		t := targs[0].Type
		for _, a := range targs[1:] {
			if same(t, a.Type) {
				continue
			}
			c, err := Common(t, a.Type)
			if err != nil {
				return nil, wrong(pos, "common_type: %v", err)
			}
			t = c
		}
		return t, nil
	},
}

func init() {
	// Types of package typed carry no qualifiers and are no references, so that these leave them as they are.
	for _, name := range []string{"remove_const", "remove_volatile", "remove_cv", "remove_reference", "decay"} {
		transforms[name] = func(name string, targs []TArg, pos typed.Pos) (typed.Type, error) {
			if err := template(name, "t", targs, pos); err != nil {
				return nil, err
			}
			if a, ok := targs[0].Type.(*typed.Array); ok && !a.Metal && name == "decay" {
				return &typed.Pointer{Space: ir.Thread, Elem: a.Elem}, nil
			}
			return targs[0].Type, nil
		}
	}
	kind := func(in func(k ir.Type) bool) func(t typed.Type) bool {
		return func(t typed.Type) bool {
			s, ok := t.(*typed.Scalar)
			return ok && !s.Enum && in(s.Kind)
		}
	}
	arithmetic := func(k ir.Type) bool { return k != ir.Void }
	predicates["is_integral"] = kind(func(k ir.Type) bool { return isInt(k) || k == ir.Bool })
	predicates["is_floating_point"] = kind(isFloat)
	predicates["is_arithmetic"] = kind(arithmetic)
	predicates["is_signed"] = kind(func(k ir.Type) bool { return isSigned(k) || isFloat(k) })
	predicates["is_unsigned"] = kind(func(k ir.Type) bool { return !isSigned(k) && !isFloat(k) })
	predicates["is_fundamental"] = func(t typed.Type) bool {
		s, ok := t.(*typed.Scalar)
		return ok && !s.Enum || isVoid(t)
	}
	predicates["is_scalar"] = func(t typed.Type) bool {
		switch t.(type) {
		case *typed.Scalar, *typed.Pointer:
			return true
		}
		return false
	}
	predicates["is_vector"] = func(t typed.Type) bool { _, ok := t.(*typed.Vector); return ok }
	predicates["is_pointer"] = func(t typed.Type) bool { _, ok := t.(*typed.Pointer); return ok }
	predicates["is_array"] = func(t typed.Type) bool { a, ok := t.(*typed.Array); return ok && !a.Metal }
	predicates["is_void"] = isVoid
	predicates["is_enum"] = func(t typed.Type) bool { s, ok := t.(*typed.Scalar); return ok && s.Enum }
	predicates["is_union"] = func(t typed.Type) bool { s, ok := t.(*typed.Struct); return ok && s.Union }
	predicates["is_class"] = func(t typed.Type) bool {
		switch t := t.(type) {
		case *typed.Struct:
			return !t.Union
		case *typed.Array:
			return t.Metal
		case *typed.Atomic:
			return true
		}
		return false
	}
}

// predicates are the traits that are true or false of a type without its qualifiers.
var predicates = map[string]func(t typed.Type) bool{}

// Predicates returns the names of the traits that Predicate answers.
func Predicates() []string { return slices.Sorted(maps.Keys(predicates)) }

// Predicate returns whether a trait, such as is_integral, is true of a type.
func Predicate(name string, t typed.Type) bool { return predicates[name](t) }

func isVoid(t typed.Type) bool { _, ok := t.(*typed.VoidType); return ok }

func resign(name string, targs []TArg, pos typed.Pos, f func(ir.Type) ir.Type) (typed.Type, error) {
	if err := template(name, "t", targs, pos); err != nil {
		return nil, err
	}
	k, n := shape(targs[0].Type)
	if n == 0 || !isInt(k) {
		return nil, wrong(pos, "%s takes an integer type, not %s", name, targs[0].Type)
	}
	if v, ok := targs[0].Type.(*typed.Vector); ok && v.Packed {
		return PackedOf(scalars[f(k)], n), nil
	}
	return wide(f(k), n), nil
}

// Trait returns a member of a template of the library: x if it is a value, such as, without its brackets, numeric_limits<T>::max(), and t if
// it is a type, such as conditional<c, A, B>::type. ok is false if there is no such template or member.
func Trait(name, member string, targs []TArg, pos typed.Pos) (x typed.Expr, t typed.Type, ok bool, err error) {
	if name == "numeric_limits" {
		x, ok, err := limit(member, targs, pos)
		return x, nil, ok, err
	}
	if f := transforms[name]; f != nil && member == "type" {
		t, err := f(name, targs, pos)
		return nil, t, true, err
	}
	return nil, nil, false, nil
}

// floatLimits are the bits of numeric_limits' values of the kinds of floats.
var floatLimits = map[ir.Type]map[string]uint64{
	ir.F16: {
		"max": 0x7bff, "lowest": 0xfbff, "min": 0x0400, "epsilon": 0x1400, "round_error": 0x3800, "infinity": 0x7c00,
		"quiet_NaN": 0x7e00, "signaling_NaN": 0x7d00, "denorm_min": 0x0001,
	},
	ir.BF16: {
		"max": 0x7f7f, "lowest": 0xff7f, "min": 0x0080, "epsilon": 0x3c00, "round_error": 0x3f00, "infinity": 0x7f80,
		"quiet_NaN": 0x7fc0, "signaling_NaN": 0x7fa0, "denorm_min": 0x0001,
	},
	ir.F32: {
		"max": 0x7f7fffff, "lowest": 0xff7fffff, "min": 0x00800000, "epsilon": 0x34000000, "round_error": 0x3f000000,
		"infinity": 0x7f800000, "quiet_NaN": 0x7fc00000, "signaling_NaN": 0x7fa00000, "denorm_min": 0x00000001,
	},
}

// floatInts are numeric_limits' counts of the kinds of floats.
var floatInts = map[ir.Type]map[string]int64{
	ir.F16: {
		"digits": 11, "digits10": 3, "max_digits10": 5, "radix": 2,
		"min_exponent": -13, "min_exponent10": -4, "max_exponent": 16, "max_exponent10": 4,
	},
	ir.BF16: {
		"digits": 8, "digits10": 2, "max_digits10": 4, "radix": 2,
		"min_exponent": -125, "min_exponent10": -37, "max_exponent": 128, "max_exponent10": 38,
	},
	ir.F32: {
		"digits": 24, "digits10": 6, "max_digits10": 9, "radix": 2,
		"min_exponent": -125, "min_exponent10": -37, "max_exponent": 128, "max_exponent10": 38,
	},
}

// limitFlags are numeric_limits' members of type bool; the value says whether they are true of floats, and of integers.
var limitFlags = map[string][2]bool{
	"is_specialized": {true, true}, "is_integer": {false, true}, "is_exact": {false, true}, "has_infinity": {true, false},
	"has_quiet_NaN": {true, false}, "has_signaling_NaN": {true, false}, "is_iec559": {true, false}, "is_bounded": {true, true},
}

// limit returns a member of numeric_limits<T>; of a type that is not a number, members are those of T{}.
func limit(member string, targs []TArg, pos typed.Pos) (typed.Expr, bool, error) {
	if err := template("numeric_limits", "t", targs, pos); err != nil {
		return nil, true, err
	}
	s, err := scalarArg("numeric_limits", targs[0].Type, pos)
	if err != nil {
		return nil, true, err
	}
	k := s.Kind
	integer := isInt(k) || k == ir.Bool
	index := 0
	if integer {
		index = 1
	}
	if f, ok := limitFlags[member]; ok {
		return boolConstant(f[index], pos), true, nil
	}
	switch member {
	case "is_signed":
		return boolConstant(isSigned(k) || isFloat(k), pos), true, nil
	case "is_modulo":
		return boolConstant(integer && !isSigned(k) && k != ir.Bool, pos), true, nil
	}
	if !integer {
		if v, ok := floatInts[k][member]; ok {
			return constant(scalars[ir.I32], v, pos), true, nil
		}
		if bits, ok := floatLimits[k][member]; ok {
			return bitsConstant(k, bits, pos), true, nil
		}
		return nil, false, nil
	}
	low, high := limits(k)
	digits := bitsOf(k)
	switch {
	case k == ir.Bool:
		low, high, digits = 0, 1, 1
	case isSigned(k):
		digits--
	}
	switch member {
	case "max":
		return bitsConstant(k, scalarBits(k, high), pos), true, nil
	case "min", "lowest":
		return bitsConstant(k, scalarBits(k, low), pos), true, nil
	case "digits":
		return constant(scalars[ir.I32], int64(digits), pos), true, nil
	case "digits10":
		return constant(scalars[ir.I32], int64(digits*643/2136), pos), true, nil
	case "max_digits10", "min_exponent", "min_exponent10", "max_exponent", "max_exponent10":
		return constant(scalars[ir.I32], 0, pos), true, nil
	case "radix":
		return constant(scalars[ir.I32], 2, pos), true, nil
	}
	if slices.Contains([]string{"epsilon", "round_error", "infinity", "quiet_NaN", "signaling_NaN", "denorm_min"}, member) {
		return bitsConstant(k, 0, pos), true, nil
	}
	return nil, false, nil
}
