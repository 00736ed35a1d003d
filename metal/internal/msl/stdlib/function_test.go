package stdlib

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

// golden holds text against a file of testdata.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile("testdata/"+file, []byte(text), 0o644))
	}
	want, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	require.Equal(t, string(want), text)
}

// TestList holds the list of functions, and how many overloads each has.
func TestList(t *testing.T) {
	var s strings.Builder
	total := 0
	for _, line := range Functions() {
		fmt.Fprintln(&s, line)
	}
	fmt.Fprintln(&s, "\nOverloads:")
	for _, name := range slices.Sorted(maps.Keys(table)) {
		n := 0
		for _, f := range table[name] {
			n += len(f.expand(name))
		}
		fmt.Fprintf(&s, "%s %d\n", name, n)
		total += n
	}
	fmt.Fprintf(&s, "in all %d of %d names\n\nRefused:\n", total, len(table))
	for _, line := range Refusals() {
		fmt.Fprintln(&s, line)
	}
	t.Logf("%d overloads of %d names", total, len(table))
	golden(t, "functions.txt", s.String())
}

// TestEveryOverload resolves every overload with arguments of its own types: it is the one chosen, its tree fits the operations
// that there are, and every argument is evaluated once.
func TestEveryOverload(t *testing.T) {
	resolved := 0
	for name, fs := range table {
		for _, f := range fs {
			for _, o := range f.expand(name) {
				for _, prefix := range []string{"", "precise::", "fast::"} {
					if prefix != "" && (!f.spec || kindOf(o.typ) != ir.F32) {
						continue
					}
					var args []Arg
					for i, p := range o.params {
						if o.ref[i] {
							args = append(args, local(p.String()))
						} else {
							args = append(args, arg(p.String()))
						}
					}
					what := prefix + o.signature(name)
					x, err := Resolve(prefix+name, nil, args, typed.Pos{Line: 3}, 0)
					require.NoError(t, err, what)
					require.True(t, same(o.result, x.ExprType()), "%s gives %s", what, x.ExprType())
					if _, itself := x.(*argument); !itself { // abs of an unsigned integer
						require.Equal(t, 3, x.At().Line, what)
					}
					e := &evaluator{vars: map[*typed.Var]value{}}
					require.NotPanics(t, func() { e.eval(x) }, what)
					for i, a := range args {
						if v, ok := a.X.(*argument); ok {
							require.Equal(t, 1, v.count, "%s: argument %d is evaluated as often", what, i+1)
						}
					}
					if _, ok := x.(*typed.Call); ok {
						require.Equal(t, prefix == "fast::", e.fp&ir.FastFunctions != 0, what)
					}
					resolved++
				}
			}
		}
	}
	t.Logf("%d calls resolved", resolved)
	require.Greater(t, resolved, 3000)
}

// TestFlags: the namespaces mark the operations, and precise:: takes what options allow.
func TestFlags(t *testing.T) {
	for _, c := range []struct {
		name          string
		fast, precise bool
	}{{"exp", false, false}, {"fast::exp", true, false}, {"precise::exp", false, true}} {
		x, err := Resolve(c.name, nil, []Arg{floats(1)}, typed.Pos{}, ir.FastFunctions)
		require.NoError(t, err)
		u := x.(*typed.Unary)
		require.Equal(t, []bool{c.fast, c.precise}, []bool{u.FastFn, u.PreciseFn}, c.name)
	}
	for name, want := range map[string]ir.FP{
		"length": ir.FastFunctions | ir.Reassoc, "precise::length": ir.Reassoc, "fast::length": ir.FastFunctions | ir.Reassoc,
	} {
		x, err := Resolve(name, nil, []Arg{floats(1, 2)}, typed.Pos{}, ir.FastFunctions|ir.Reassoc)
		require.NoError(t, err)
		require.Equal(t, want, x.(*typed.Call).Func.Body.Stmts[0].(*typed.Return).FP, name)
	}
}

// TestOverloadResolution: which function C++ chooses, and what it cannot choose.
func TestOverloadResolution(t *testing.T) {
	for _, c := range []struct{ call, want string }{
		// Sources: overloads of half, float and the integers, as compilers' messages print them.
		{"max float float", "float"},
		{"max short short", "short"},
		{"max bool bool", "int"},
		{"max float4 float", "float4"},
		{"max float4 int", "float4"},
		{"max int float4", "float4"},
		{"clamp float3 int int", "float3"},
		{"pow float int", "float"},
		{"pow half int", "half"},
		{"exp bfloat", "float"},
		{"precise::exp half", "float"},
		{"fast::exp int", "float"},
		{"dot float3 packed_float3", "float"},
		{"mix float3 float3 float", "float3"},
		{"clz uchar", "uchar"},
		{"absdiff int int", "uint"},
		{"abs char", "char"},
		{"select int int bool", "int"},
		{"select float4 float4 bool4", "float4"},
		{"isnan half3", "bool3"},
		{"ilogb float2", "int2"},
		{"ldexp half int", "half"},
		{"simd_sum half", "half"},
		{"simd_shuffle uint uint", "uint"},
		{"simd_shuffle_and_fill_down float float ushort", "float"},
		{"simd_ballot bool", "simd_vote"},
		{"quad_ballot bool", "quad_vote"},
		{"simd_all int", "bool"},
		{"extract_bits ulong int int", "ulong"},
		{"popcount ulong4", "ulong4"},

		{"max float int", "k:1:1: error: the call max(float, int) is ambiguous: write float(…) around the integer, or a literal such as 0.0f; it fits max(int, int), max(float, float)"},
		{"max half float", "k:1:1: error: the call max(half, float) is ambiguous: the floats differ, so write float(…) or half(…) around one of them; it fits max(half, half), max(float, float)"},
		{"max int uint", "k:1:1: error: the call max(int, uint) is ambiguous: the integers differ, so convert one of them, as in uint(…); it fits max(int, int), max(uint, uint)"},
		{"max short int", "k:1:1: error: the call max(short, int) is ambiguous: the integers differ, so convert one of them, as in uint(…); it fits max(short, short), max(int, int)"},
		{"clamp float int int", "k:1:1: error: the call clamp(float, int, int) is ambiguous: write float(…) around the integer, or a literal such as 0.0f; it fits clamp(int, int, int), clamp(float, float, float)"},
		{"sqrt int", "k:1:1: error: the call sqrt(int) is ambiguous: it takes floats, write float(…); it fits sqrt(half), sqrt(float)"},
		{"max bfloat bfloat", "k:1:1: error: the call max(bfloat, bfloat) is ambiguous: Metal's library has no functions of bfloat, write float(…) around it; it fits max(char, char), max(uchar, uchar), max(short, short), max(ushort, ushort), and 5 more"},
		{"simd_sum ulong", "k:1:1: error: the call simd_sum(ulong) is ambiguous: functions of simdgroups and quadgroups take no 64-bit types, so move two halves of 32 bits; it fits simd_sum(char), simd_sum(uchar), simd_sum(short), simd_sum(ushort), and 4 more"},
		{"max float4 int4", "k:1:1: error: no max takes (float4, int4): write float(…) around the integer, or a literal such as 0.0f; the library has max(T, T) with T of the integers or a vector of them; max(T, T) with T of half, float or a vector of them"},
		{"dot float float", "k:1:1: error: the call dot(float, float) is ambiguous: it takes vectors; it fits dot(half2, half2), dot(half3, half3), dot(half4, half4), dot(float2, float2), and 2 more"},
		{"cross float2 float2", "k:1:1: error: no cross takes (float2, float2): it takes vectors of 3; the library has cross(T, T) with T a vector of 3 of half, float"},
		{"sqrt", "k:1:1: error: sqrt does not take 0 arguments; the library has sqrt(T) with T of half, float or a vector of them"},
		{"frexp float float", "k:1:1: error: no frexp takes (float, float); the library has frexp(T, thread int&) with T of half, float or a vector of them"},
		{"nothing float", "k:1:1: error: Metal's library has no function nothing"},
		{"precise::clz int", "k:1:1: error: Metal's library has no function precise::clz"},
		{"fwidth float4", "k:1:1: error: not supported: fwidth: fragment functions are not part of what is simulated"},
		{"atomic_fetch_add float", "k:1:1: error: not supported: atomic_fetch_add: atomics without _explicit are not part of what is simulated"},
	} {
		words := strings.Fields(c.call)
		var args []Arg
		for _, w := range words[1:] {
			args = append(args, arg(w))
		}
		x, err := Resolve(words[0], nil, args, typed.Pos{File: "k", Line: 1, Column: 1}, 0)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = x.ExprType().String()
		}
		require.Equal(t, c.want, got, c.call)
	}
	_, err := Resolve("max", []TArg{{Type: NamedType("float")}}, []Arg{floats(1), floats(2)}, typed.Pos{}, 0)
	require.ErrorContains(t, err, "takes no template arguments")
}

// TestReferences: what the second argument of frexp, modf and sincos may be.
func TestReferences(t *testing.T) {
	f := NamedType("float")
	deref := func(space ir.Space, isConst bool) Arg {
		ptr := &typed.Pointer{Space: space, Elem: f, Const: isConst}
		p := &typed.Deref{Ptr: &typed.Zero{Node: typed.Node{Type: ptr}}}
		return Arg{X: &typed.LoadExpr{Node: typed.Node{Type: f}, X: p}, Place: p}
	}
	vector := local("float4")
	element := &typed.SwizzlePlace{X: vector.Place, Comps: []int{0}}
	array := &typed.VarPlace{Var: &typed.Var{Type: &typed.Array{Elem: f, Len: 3}, Space: ir.Thread}}
	indexed := &typed.IndexPlace{X: array, I: &typed.Const{Node: typed.Node{Type: NamedType("int")}}}
	constant := local("float")
	constant.Place.(*typed.VarPlace).Var.Const = true
	for _, c := range []struct {
		a    Arg
		want string
	}{
		{local("float"), ""},
		{deref(ir.Thread, false), ""},
		{Arg{X: &typed.LoadExpr{Node: typed.Node{Type: f}, X: indexed}, Place: indexed}, ""},
		{constant, "const"},
		{deref(ir.Thread, true), "const"},
		{deref(ir.Device, false), "use a local variable"},
		{Arg{X: &typed.LoadExpr{Node: typed.Node{Type: f}, X: element}, Place: element}, "an element of a vector"},
		{floats(1), "a value is not a variable"},
	} {
		x, err := Resolve("modf", nil, []Arg{floats(1.5), c.a}, typed.Pos{}, 0)
		if c.want != "" {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "modf", x.(*typed.TwoResults).Kind)
		require.Equal(t, c.a.Place, x.(*typed.TwoResults).Out)
	}
	x, err := Resolve("fast::sincos", nil, []Arg{floats(1.5), local("float")}, typed.Pos{}, 0)
	require.NoError(t, err)
	require.Equal(t, "sincos", x.(*typed.TwoResults).Kind)
	require.True(t, x.(*typed.TwoResults).FastFn)
}

// TestAnyCall resolves calls drawn at random: each gives a tree or an error, and never a panic.
func TestAnyCall(t *testing.T) {
	names := slices.Sorted(maps.Keys(table))
	names = append(names, slices.Sorted(maps.Keys(special))...)
	names = append(names, slices.Sorted(maps.Keys(refusals))...)
	types := slices.Sorted(maps.Keys(named))
	rng := rand.New(rand.NewPCG(1, 2))
	good := 0
	for range 20000 {
		var args []Arg
		for range rng.IntN(5) {
			switch t := types[rng.IntN(len(types))]; rng.IntN(8) {
			case 0:
				args = append(args, local(t))
			case 1:
				p := &typed.Pointer{Space: ir.Space(rng.IntN(4)), Elem: named[t], Const: rng.IntN(2) == 0}
				args = append(args, Arg{X: &typed.Zero{Node: typed.Node{Type: p}}})
			case 2:
				names := slices.Sorted(maps.Keys(constants))
				x, _ := Constant(names[rng.IntN(len(names))])
				args = append(args, Arg{X: x})
			default:
				args = append(args, arg(t))
			}
		}
		var targs []TArg
		if rng.IntN(4) == 0 {
			targs = append(targs, TArg{Type: named[types[rng.IntN(len(types))]]})
		}
		x, err := Resolve([]string{"", "fast::", "precise::"}[rng.IntN(3)]+names[rng.IntN(len(names))], targs, args, typed.Pos{}, 0)
		require.True(t, (x == nil) != (err == nil))
		if err == nil {
			good++
		}
	}
	require.Greater(t, good, 100)
}

// TestDocumentation: the package's documentation names every function.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	words := strings.FieldsFunc(string(text), func(r rune) bool {
		return r != '_' && r != ':' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
	for _, names := range [][]string{slices.Collect(maps.Keys(table)), slices.Collect(maps.Keys(special))} {
		for _, name := range names {
			if s, ok := strings.CutPrefix(name, "quad_"); ok {
				name = "simd_" + s
			}
			require.Contains(t, words, name)
		}
	}
}
