package stdlib

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"

	"github.com/stretchr/testify/require"
)

// TestTypes: one object a type, by all its names.
func TestTypes(t *testing.T) {
	for name, typ := range named {
		switch typ.(type) {
		case *typed.Scalar, *typed.Vector, *typed.Atomic:
			require.Same(t, typ, NamedType(typ.String()), name)
		}
	}
	require.Same(t, VectorOf(ScalarOf(ir.F32), 3), NamedType("float3"))
	require.Same(t, PackedOf(ScalarOf(ir.F32), 3), NamedType("packed_float3"))
	require.Same(t, ScalarOf(ir.U64), NamedType("size_t"))
	require.Same(t, ScalarOf(ir.I8), NamedType("int8_t"))
	for _, name := range []string{"double", "long2x2", "float5", "float2x2", "unsigned", "atomic_long", "texture2d"} {
		require.Nil(t, NamedType(name), name)
	}
	require.Equal(t, 16, NamedType("float3").Size())
	require.Equal(t, 12, NamedType("packed_float3").Size())
	require.PanicsWithValue(t, "stdlib: a vector has 1 to 4 elements, not 5", func() { VectorOf(ScalarOf(ir.F32), 5) })
	require.PanicsWithValue(t, "stdlib: a vector has 1 to 4 elements, not 0", func() { PackedOf(ScalarOf(ir.F32), 0) })
	require.PanicsWithValue(t, "stdlib: ScalarOf wants the kind of a scalar, not ptr", func() { ScalarOf(ir.Ptr) })
}

// TestConvert: what converts by itself, what by a cast and what not.
func TestConvert(t *testing.T) {
	const (
		itself = "itself"
		cast   = "cast"
		never  = "never"
	)
	for _, c := range []struct{ from, to, want string }{
		{"int", "float", itself},
		{"float", "int", itself},
		{"float", "half", itself},
		{"half", "float", itself},
		{"bfloat", "float", itself},
		{"float", "bfloat", cast},
		{"half", "bfloat", cast},
		{"bfloat", "half", cast},
		{"int", "bfloat", itself},
		{"bfloat", "int", itself},
		{"ulong", "bool", itself},
		{"float", "bool", itself},
		{"bool", "float", itself},
		{"float", "float4", itself},
		{"int", "float4", itself},
		{"float", "bfloat4", cast},
		{"float", "packed_float3", itself},
		{"float3", "packed_float3", itself},
		{"packed_float3", "float3", itself},
		{"int4", "float4", cast},
		{"packed_int3", "float3", cast},
		{"float4", "bool4", cast},
		{"float4", "float3", never},
		{"float4", "float", never},
		{"simd_vote", "ulong", cast},
		{"simd_vote", "uint", cast},
		{"quad_vote", "ulong", cast},
		{"uint", "simd_vote", cast},
		{"float", "simd_vote", never},
		{"simd_vote", "float", never},
		{"mem_flags", "uint", cast},
		{"uint", "mem_flags", cast},
		{"atomic_int", "int", never},
		{"void", "int", never},
	} {
		got := itself
		x := arg(c.from).X
		y, err := Convert(x, NamedType(c.to), false)
		if err != nil {
			got = cast
			if y, err = Convert(x, NamedType(c.to), true); err != nil {
				got = never
			}
		}
		require.Equal(t, c.want, got, "%s to %s", c.from, c.to)
		require.Equal(t, c.want == itself, Implicit(NamedType(c.from), NamedType(c.to)), "%s to %s", c.from, c.to)
		if got != never {
			require.True(t, same(NamedType(c.to), y.ExprType()), "%s to %s", c.from, c.to)
		}
	}
	_, err := Convert(floats(1).X, NamedType("bfloat"), false)
	require.EqualError(t, err, ": error: float is not converted to bfloat by itself: write bfloat(…)")
	_, err = Convert(floats(1, 2).X, NamedType("float"), false)
	require.EqualError(t, err, ": error: float2 is not converted to float: name the component, as in .x")
	enum := &typed.Scalar{Kind: ir.U8, Name: "colour", Enum: true}
	x := &argument{Node: typed.Node{Type: enum}, v: value{200}}
	y, err := Convert(x, NamedType("int"), false)
	require.NoError(t, err)
	require.Equal(t, value{200}, evaluate(t, y))
	_, err = Convert(arg("int").X, enum, false)
	require.Error(t, err)
	y, err = Convert(arg("int", 3).X, enum, true)
	require.NoError(t, err)
	require.Equal(t, value{3}, evaluate(t, y))
}

// TestConvertValues: the value that a conversion gives.
func TestConvertValues(t *testing.T) {
	for _, c := range []struct {
		x    Arg
		to   string
		want value
	}{
		{arg("int", 3), "float3", value{0x40400000, 0x40400000, 0x40400000}},
		{arg("int", 3), "packed_half2", value{0x4200, 0x4200}},
		{arg("int2", 1, 0xffffffff), "float2", value{0x3f800000, 0xbf800000}},
		{floats(0.5), "bool", value{1}},
		{arg("long", 1<<40), "int", value{0}},
		{arg("char", 0xff), "ulong", value{^uint64(0)}},
		{arg("half", 0x3c00), "float", value{0x3f800000}},
	} {
		y, err := Convert(c.x.X, NamedType(c.to), true)
		require.NoError(t, err)
		require.Equal(t, c.want, evaluate(t, y), c.to)
	}
}

// TestCommon: the type in which operands are joined, in either order.
func TestCommon(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"char", "char", "int"},
		{"bool", "bool", "int"},
		{"ushort", "short", "int"},
		{"int", "uint", "uint"},
		{"uint", "long", "long"},
		{"int", "ulong", "ulong"},
		{"long", "ulong", "ulong"},
		{"half", "half", "half"},
		{"half", "float", "float"},
		{"bfloat", "float", "float"},
		{"bfloat", "bfloat", "bfloat"},
		{"half", "ulong", "half"},
		{"int", "bfloat", "bfloat"},
		{"float", "bool", "float"},
		{"float4", "float", "float4"},
		{"float4", "int", "float4"},
		{"half4", "float", "half4"},
		{"uchar4", "int", "uchar4"},
		{"uint2", "long", "uint2"},
		{"float3", "packed_float3", "float3"},
		{"packed_float3", "packed_float3", "float3"},
		{"packed_float3", "float", "float3"},
		{"bool2", "bool2", "bool2"},

		{"half", "bfloat", "no operator joins half and bfloat: write float(…) around one of them"},
		{"int4", "float4", "no operator joins int4 and float4: convert one of them, as in int4(…)"},
		{"float3", "float4", "no operator joins float3 and float4: they have different numbers of elements"},
		{"float", "int4", "no operator joins float and int4: write int(…) around the scalar"},
		{"bfloat4", "float", "no operator joins float and bfloat4: write bfloat(…) around the scalar"},
		{"void", "int", "no operator joins void and int: both have to be numbers or vectors"},
		{"mem_flags", "int", "mem_flags is not a number"},
	} {
		got, err := Common(NamedType(c.a), NamedType(c.b))
		if err != nil {
			require.EqualError(t, err, c.want)
			_, err := Common(NamedType(c.b), NamedType(c.a))
			require.Error(t, err)
			continue
		}
		require.Equal(t, c.want, got.String(), "%s and %s", c.a, c.b)
		require.Same(t, got, NamedType(got.String()))
		got, err = Common(NamedType(c.b), NamedType(c.a))
		require.NoError(t, err)
		require.Equal(t, c.want, got.String(), "%s and %s", c.b, c.a)
	}
}

// TestBinary: types and values of operators.
func TestBinary(t *testing.T) {
	for _, c := range []struct {
		l    Arg
		op   string
		r    Arg
		typ  string
		want value
	}{
		{arg("uchar", 200), "+", arg("uchar", 100), "int", value{300}},
		{arg("char", 0xff), "*", arg("uint", 2), "uint", value{0xfffffffe}},
		{arg("int", 7), "/", arg("int", 2), "int", value{3}},
		{arg("int", 7), "%", arg("int", 4), "int", value{3}},
		{arg("int", 1), "-", arg("ulong", 2), "ulong", value{^uint64(0)}},
		{arg("int", 7), "/", floats(2), "float", value{0x40600000}},
		{arg("bool", 1), "+", arg("bool", 1), "int", value{2}},
		{arg("uchar2", 200, 1), "+", arg("uchar2", 100, 1), "uchar2", value{44, 2}},
		{floats(1, 2), "*", arg("int", 3), "float2", value{0x40400000, 0x40c00000}},
		{arg("int", 3), "-", floats(1, 2), "float2", value{0x40000000, 0x3f800000}},
		{arg("uchar", 0x80), "<<", arg("uint", 1), "int", value{0x100}},
		{arg("int", 0x80000000), ">>", arg("ulong", 31), "int", value{0xffffffff}},
		{arg("uint", 1), "<<", arg("ulong", 4), "uint", value{16}},
		{arg("ulong", 1), "<<", arg("int", 40), "ulong", value{1 << 40}},
		{arg("uint2", 1, 2), "<<", arg("int", 4), "uint2", value{16, 32}},
		{arg("uint2", 1, 2), ">>", arg("uint2", 0, 1), "uint2", value{1, 1}},
		{arg("int", 6), "&", arg("int", 3), "int", value{2}},
		{arg("bool2", 0, 1), "|", arg("bool2", 0, 0), "bool2", value{0, 1}},
		{arg("int", 6), "^", arg("uint", 3), "uint", value{5}},
		{arg("int", 0xffffffff), "<", arg("uint", 0), "bool", value{0}},
		{arg("int", 1), "<", arg("int", 2), "bool", value{1}},
		{arg("int", 1), ">", arg("int", 2), "bool", value{0}},
		{arg("int", 2), ">", arg("int", 1), "bool", value{1}},
		{arg("int", 2), ">=", arg("int", 2), "bool", value{1}},
		{arg("int", 1), ">=", arg("int", 2), "bool", value{0}},
		{arg("int", 1), "<=", arg("int", 2), "bool", value{1}},
		{floats(1, 2, 3), ">", floats(2, 2, 2), "bool3", value{0, 0, 1}},
		{floats(1, 2, 3), "==", floats(2), "bool3", value{0, 1, 0}},
		{arg("bool", 1), "!=", arg("bool", 0), "bool", value{1}},
	} {
		x, err := Binary(c.op, c.l.X, c.r.X, typed.Pos{})
		require.NoError(t, err)
		require.Equal(t, c.typ, x.ExprType().String(), "%s %s %s", c.l.X.ExprType(), c.op, c.r.X.ExprType())
		require.Equal(t, c.want, evaluate(t, x), "%s %s %s", c.l.X.ExprType(), c.op, c.r.X.ExprType())
		for _, a := range []Arg{c.l, c.r} {
			require.Equal(t, 1, a.X.(*argument).count)
		}
	}
	for _, c := range []struct{ l, op, r, want string }{
		{"float", "%", "int", "% takes integers, not float and int"},
		{"int", "&", "float", "& takes integers, not int and float"},
		{"int", "<<", "float", "<< takes integers, not int and float"},
		{"bool2", "+", "bool2", "+ takes no vectors of bool: write all(…), any(…) or int2(…)"},
		{"bool2", "<", "bool2", "< takes no vectors of bool: write all(…), any(…) or int2(…)"},
		{"half", "*", "bfloat", "*: no operator joins half and bfloat: write float(…) around one of them"},
		{"mem_flags", "+", "mem_flags", "mem_flags is not a number: only mem_flags are joined, by |, as constants"},
		{"int", "&&", "int", "&& is not an operator of two numbers"},
	} {
		_, err := Binary(c.op, arg(c.l).X, arg(c.r).X, typed.Pos{})
		require.EqualError(t, err, ": error: "+c.want)
	}
}

// TestShiftCount: a count of 64 bits counts modulo the width of the left operand, promoted.
func TestShiftCount(t *testing.T) {
	for _, count := range []uint64{3, 1 << 32, 1<<32 + 1, 200, ^uint64(0), 1 << 63} {
		for _, typ := range []string{"long", "ulong"} {
			for _, left := range []string{"uint", "char"} {
				x, err := Binary("<<", arg(left, 1).X, arg(typ, count).X, typed.Pos{})
				require.NoError(t, err)
				require.Equal(t, uint64(1)<<(count%32), evaluate(t, x)[0], "%s << %x", left, count)
			}
		}
	}
}

// TestOrderOfComparison: > exchanges its operands, but keeps the order of effects.
func TestOrderOfComparison(t *testing.T) {
	v := local("int")
	plain, err := Binary(">", v.X, v.X, typed.Pos{})
	require.NoError(t, err)
	require.IsType(t, &typed.Binary{}, plain)
	up := func() typed.Expr {
		return &typed.IncDec{Node: typed.Node{Type: NamedType("int")}, To: v.Place, Delta: 1}
	}
	one := arg("int", 1)
	ordered, err := Binary(">", v.X, up(), typed.Pos{})
	require.NoError(t, err)
	require.IsType(t, &typed.Call{}, ordered)
	l := up()
	ordered, err = Binary(">=", l, one.X, typed.Pos{})
	require.NoError(t, err)
	require.Same(t, l, ordered.(*typed.Call).Args[0])
	against, err := Binary(">", up(), constant(NamedType("int"), 3, typed.Pos{}), typed.Pos{})
	require.NoError(t, err)
	require.IsType(t, &typed.Binary{}, against)
}

// TestFlagsOfMemory are joined as constants.
func TestFlagsOfMemory(t *testing.T) {
	d, ok := Constant("mem_flags::mem_device")
	require.True(t, ok)
	g, ok := Constant("mem_flags::mem_threadgroup")
	require.True(t, ok)
	x, err := Binary("|", d, g, typed.Pos{})
	require.NoError(t, err)
	require.Equal(t, uint64(3), x.(*typed.Const).Bits)
	x, err = Binary("&", x, g, typed.Pos{})
	require.NoError(t, err)
	require.Equal(t, uint64(2), x.(*typed.Const).Bits)
	x, err = Binary("^", x, g, typed.Pos{})
	require.NoError(t, err)
	require.Equal(t, uint64(0), x.(*typed.Const).Bits)
	x, err = Binary("==", d, g, typed.Pos{})
	require.NoError(t, err)
	require.Equal(t, value{0}, evaluate(t, x))
}

// TestLiterals: every small integer has its bits in every type.
func TestLiterals(t *testing.T) {
	for _, k := range kinds {
		for range 100 {
			v := int64(rand.IntN(256))
			if isSigned(k) || isFloat(k) {
				v -= 128
			}
			got := scalarBits(k, v)
			want, _ := ir.Eval(ir.Convert, k, ir.I64, 0, ir.Arith{}, uint64(v), 0, 0, 0)
			if k == ir.Bool {
				want = uint64(v) & 1
			}
			require.Equal(t, want, got, "%d as %s", v, scalars[k])
		}
	}
}

// TestAnyOperator joins and converts every type with every other: trees fit the operations that there are, and the rest are errors.
func TestAnyOperator(t *testing.T) {
	types := slices.Sorted(maps.Keys(named))
	ops := slices.Sorted(maps.Keys(operators))
	joined, converted := 0, 0
	for _, a := range types {
		for _, b := range types {
			x, y := arg(a), arg(b)
			if c, err := Common(NamedType(a), NamedType(b)); err == nil {
				d, err := Common(NamedType(b), NamedType(a))
				require.NoError(t, err)
				require.Same(t, c, d)
			}
			for _, op := range ops {
				if e, err := Binary(op, x.X, y.X, typed.Pos{}); err == nil {
					require.NotPanics(t, func() { evaluate(t, e) }, "%s %s %s", a, op, b)
					joined++
				}
			}
			for _, explicit := range []bool{false, true} {
				e, err := Convert(x.X, NamedType(b), explicit)
				if err != nil {
					continue
				}
				require.True(t, same(e.ExprType(), NamedType(b)), "%s to %s", a, b)
				if _, n := shape(NamedType(b)); n > 0 && !vote(NamedType(a)) {
					require.NotPanics(t, func() { evaluate(t, e) }, "%s to %s", a, b)
				}
				converted++
			}
		}
	}
	t.Logf("%d operators, %d conversions", joined, converted)
	require.Greater(t, joined, 10000)
}
