package stdlib

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"

	"github.com/stretchr/testify/require"
)

// targs reads template arguments: names of types, and numbers.
func targs(words string) []TArg {
	var out []TArg
	for w := range strings.FieldsSeq(words) {
		if t := NamedType(w); t != nil {
			out = append(out, TArg{Type: t})
			continue
		}
		var v uint64
		if _, err := fmt.Sscan(w, &v); err != nil {
			panic(err)
		}
		out = append(out, TArg{Value: &v, ValueType: ScalarOf(ir.I32)})
	}
	return out
}

// TestTypeTemplates: the types that templates name, and what their errors say.
func TestTypeTemplates(t *testing.T) {
	for _, c := range []struct{ name, args, want string }{
		{"vec", "float 4", "float4"},
		{"packed_vec", "half 3", "packed_half3"},
		{"vec", "float 1", "vec<float, 1>"},
		{"packed_vec", "half 1", "packed_vec<half, 1>"},
		{"array", "uint 5", "array<uint, 5>"},
		{"atomic", "uint", "atomic_uint"},
		{"conditional_t", "1 int float", "int"},
		{"conditional_t", "0 int float", "float"},
		{"enable_if_t", "1 int", "int"},
		{"enable_if_t", "1", "void"},
		{"remove_const_t", "float", "float"},
		{"remove_cv_t", "float3", "float3"},
		{"remove_reference_t", "ulong", "ulong"},
		{"make_unsigned_t", "int", "uint"},
		{"make_signed_t", "ulong", "long"},
		{"make_unsigned_t", "short4", "ushort4"},
		{"make_signed_t", "packed_uint3", "packed_int3"},
		{"__make_scalar_t", "float4", "float"},
		{"common_type_t", "half float int", "float"},

		{"vec", "float 5", "vec<float, 5>: a vector has 1 to 4 elements"},
		{"vec", "float float", "vec takes a type and a constant as template arguments"},
		{"vec", "float4 2", "vec<…> takes a type of numbers, not float4"},
		{"array", "int 0", "array<…, 0>: an array has 1 to 268435456 elements"},
		{"array", "int 18446744073709551615", "array<…, -1>: an array has 1 to 268435456 elements"},
		{"array", "void 2", "array<void, 2>: the elements have no size"},
		{"atomic", "long", "atomic<long> is none of Metal's: there are int, uint, bool, float and ulong"},
		{"atomic", "int4", "atomic<int4> is none of Metal's: there are int, uint, bool, float and ulong"},
		{"enable_if_t", "0 int", "enable_if: the condition is false for these types"},
		{"enable_if_t", "int", "enable_if takes a constant as template arguments"},
		{"make_signed_t", "float", "make_signed takes an integer type, not float"},
		{"underlying_type_t", "int", "underlying_type takes an enumeration, not int"},
		{"common_type_t", "half bfloat", "common_type: no operator joins half and bfloat: write float(…) around one of them"},
		{"common_type_t", "", "common_type takes a type as template arguments"},
	} {
		got, ok, err := TypeTemplate(c.name, targs(c.args), typed.Pos{})
		require.True(t, ok, c.name)
		if err != nil {
			require.EqualError(t, err, ": error: "+c.want)
			continue
		}
		require.Equal(t, c.want, got.String(), "%s<%s>", c.name, c.args)
		if again, _, _ := TypeTemplate(c.name, targs(c.args), typed.Pos{}); c.name != "array" {
			require.Same(t, got, again)
		}
	}
	for _, name := range []string{"vector", "is_nothing", "size_t", "tuple"} {
		_, ok, err := TypeTemplate(name, nil, typed.Pos{})
		require.False(t, ok, name)
		require.NoError(t, err)
	}
}

// TestTraits: the values of predicates.
func TestTraits(t *testing.T) {
	for name, c := range map[string]struct{ yes, no string }{
		"is_integral":       {"int uchar bool ulong", "float half int4 void"},
		"is_floating_point": {"float half bfloat", "int bool float4"},
		"is_arithmetic":     {"float int bool", "float4 void mem_flags"},
		"is_signed":         {"int char long float", "uint bool int2"},
		"is_unsigned":       {"uint bool ulong", "int float"},
		"is_scalar":         {"int float mem_flags", "int2 void"},
		"is_vector":         {"int2 packed_float3", "int void"},
		"is_enum":           {"mem_flags", "int"},
		"is_class":          {"simd_vote atomic_int", "int float4"},
		"is_void":           {"void", "int"},
		"is_fundamental":    {"void int", "mem_flags float2"},
	} {
		for i, list := range []string{c.no, c.yes} {
			for w := range strings.FieldsSeq(list) {
				require.Equal(t, i == 1, Predicate(name, targs(w)[0].Type), "%s<%s>", name, w)
				require.Contains(t, Predicates(), name)
			}
		}
	}
	_, typ, ok, err := Trait("conditional", "type", targs("1 int float"), typed.Pos{})
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "int", typ.String())
	_, _, ok, err = Trait("enable_if", "type", targs("0"), typed.Pos{})
	require.True(t, ok)
	require.Error(t, err)
	for _, c := range [][2]string{{"nothing", "value"}, {"conditional", "value"}, {"numeric_limits", "size"}} {
		_, _, ok, err := Trait(c[0], c[1], targs("int int")[:1+len(c[0])%2], typed.Pos{})
		require.False(t, ok && err == nil, c)
	}
}

// TestLimits holds numeric_limits against Go's constants, and against the formats' own arithmetic.
func TestLimits(t *testing.T) {
	limit := func(typ, member string) uint64 {
		t.Helper()
		x, _, ok, err := Trait("numeric_limits", member, targs(typ), typed.Pos{})
		require.NoError(t, err)
		require.True(t, ok, "%s %s", typ, member)
		return evaluate(t, x)[0]
	}
	for _, c := range []struct {
		typ, member string
		want        uint64
	}{
		{"int", "max", math.MaxInt32},
		{"int", "min", 1 << 31},
		{"char", "lowest", 0x80},
		{"uchar", "max", 0xff},
		{"long", "max", math.MaxInt64},
		{"ulong", "max", math.MaxUint64},
		{"ulong", "min", 0},
		{"bool", "max", 1},
		{"int", "digits", 31},
		{"ulong", "digits", 64},
		{"bool", "digits", 1},
		{"int", "digits10", 9},
		{"ulong", "digits10", 19},
		{"int", "is_signed", 1},
		{"float", "is_signed", 1},
		{"uint", "is_signed", 0},
		{"int", "is_integer", 1},
		{"half", "is_integer", 0},
		{"uint", "is_modulo", 1},
		{"float", "has_infinity", 1},
		{"int", "infinity", 0},
		{"float", "max", uint64(math.Float32bits(math.MaxFloat32))},
		{"float", "lowest", uint64(math.Float32bits(-math.MaxFloat32))},
		{"float", "min", uint64(math.Float32bits(0x1p-126))},
		{"float", "epsilon", uint64(math.Float32bits(0x1p-23))},
		{"float", "denorm_min", uint64(math.Float32bits(math.SmallestNonzeroFloat32))},
		{"float", "infinity", uint64(math.Float32bits(float32(math.Inf(1))))},
		{"float", "digits", 24},
		{"half", "digits", 11},
		{"bfloat", "digits", 8},
	} {
		require.Equal(t, c.want, limit(c.typ, c.member), "%s %s", c.typ, c.member)
	}
	for _, k := range []ir.Type{ir.F16, ir.BF16, ir.F32} {
		n := ScalarOf(k).Name
		eval := func(op ir.Op, a, b uint64) uint64 {
			r, _ := ir.Eval(op, k, ir.Void, 0, ir.Arith{}, a, b, 0, 0)
			return r
		}
		inf, most := limit(n, "infinity"), limit(n, "max")
		require.Equal(t, inf, eval(ir.NextAfter, most, inf), n)
		require.Equal(t, limit(n, "lowest"), eval(ir.Neg, most, 0), n)
		require.Equal(t, uint64(1), eval(ir.IsNaN, limit(n, "quiet_NaN"), 0), n)
		require.Equal(t, uint64(1), eval(ir.IsNaN, limit(n, "signaling_NaN"), 0), n)
		require.Equal(t, limit(n, "denorm_min"), eval(ir.NextAfter, 0, inf), n)
		one := scalarBits(k, 1)
		require.Equal(t, limit(n, "epsilon"), eval(ir.Sub, eval(ir.NextAfter, one, inf), one), n)
		least := limit(n, "min")
		require.Equal(t, uint64(1), eval(ir.IsNormal, least, 0), n)
		require.Equal(t, uint64(0), eval(ir.IsNormal, eval(ir.NextAfter, least, 0), 0), n)
		require.Equal(t, scalarBits(k, 1), eval(ir.Add, limit(n, "round_error"), limit(n, "round_error")), n)
	}
	_, _, _, err := Trait("numeric_limits", "max", targs("float4"), typed.Pos{})
	require.EqualError(t, err, ": error: numeric_limits<…> takes a type of numbers, not float4")
}

// TestAttributes: every input of a kernel has its attribute.
func TestAttributes(t *testing.T) {
	for kind := range ir.InputKind(ir.NumInputs) {
		k, ok := KernelAttribute(kind.String())
		require.True(t, ok)
		require.Equal(t, kind, k)
	}
	_, ok := KernelAttribute("position")
	require.False(t, ok)
	a, _ := KernelAttribute("thread_execution_width")
	b, _ := KernelAttribute("threads_per_simdgroup")
	require.Equal(t, a, b)
}
