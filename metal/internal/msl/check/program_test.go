package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/msl/preprocess"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// program checks a source that is right.
func program(t *testing.T, src string, fp ir.FP) *typed.Program {
	t.Helper()
	p, errs := checkSource("p.metal", src, fp)
	require.NoError(t, errs.Err())
	return p
}

// TestPragmasRuleStatements holds each statement to the pragmas in force where it stands.
func TestPragmasRuleStatements(t *testing.T) {
	const relaxed = ir.ContractFast | ir.Reassoc | ir.NoSignedZeros | ir.Reciprocal
	src := `
float before(float x) { return x + 1; }
#pragma METAL fp math_mode(safe)
namespace n {
#pragma METAL fp contract(off)
float inside(float x) { return x + 1; }
}
kernel void k(device float *o [[buffer(0)]]) {
    o[0] = before(1) + n::inside(2);
    {
        #pragma METAL fp math_mode(fast)
        o[1] = 1;
        { o[2] = 2; }
        {
            #pragma clang fp contract(off) reassociate(off)
            o[3] = 3;
        }
        o[4] = 4;
    }
    o[5] = 5;
}
#pragma STDC FP_CONTRACT OFF
template <typename T> void g(device T *o) { o[0] = 1; }
#pragma METAL fp math_mode(relaxed)
kernel void k2(device float *o [[buffer(0)]]) {
    #pragma STDC FP_CONTRACT ON
    g(o);
    for (int i = 0; i < 2; i++) if (i) o[i] = 2; else o[i] = 3;
}
`
	p := program(t, src, relaxed|ir.FastFunctions)
	var got []ir.FP
	var walk func(s typed.Stmt)
	walk = func(s typed.Stmt) {
		switch s := s.(type) {
		case *typed.Block:
			for _, x := range s.Stmts {
				walk(x)
			}
		case *typed.ExprStmt:
			got = append(got, s.FP)
			if c, ok := s.X.(*typed.Call); ok {
				walk(c.Func.Body)
			}
		case *typed.Return:
			got = append(got, s.FP)
		case *typed.Loop:
			got = append(got, s.FP)
			walk(s.Body)
		case *typed.If:
			got = append(got, s.FP)
			walk(s.Then)
			walk(s.Else)
		}
	}
	const f = ir.FastFunctions
	fast := relaxed | ir.NoNaNs | ir.NoInfs | f
	walk(p.Kernels[0].Func.Body)
	require.Equal(t, []ir.FP{ir.ContractOn | f, fast, fast, fast &^ (ir.ContractFast | ir.Reassoc), fast, ir.ContractOn | f}, got)
	got = nil
	walk(p.Kernels[1].Func.Body)
	on := relaxed&^ir.ContractFast | ir.ContractOn | f
	require.Equal(t, []ir.FP{on, f, on, on, on, on}, got)
	// The helpers have what ruled where they stand.
	calls := map[string]ir.FP{}
	a := p.Kernels[0].Func.Body.Stmts[0].(*typed.ExprStmt).X.(*typed.AssignExpr).X.(*typed.Binary)
	for _, x := range []typed.Expr{a.L, a.R} {
		fn := x.(*typed.Call).Func
		calls[fn.Name] = fn.Body.Stmts[0].(*typed.Return).FP
	}
	require.Equal(t, map[string]ir.FP{"before": relaxed | f, "n::inside": f}, calls)
}

// TestBadPragmas names options that do not exist.
func TestBadPragmas(t *testing.T) {
	for _, s := range []string{"METAL fp math_mode(quick)", "METAL fp contract(maybe)", "clang fp fuse(on)", "METAL fp reassociate(x)"} {
		_, errs := checkSource("p.metal", "#pragma "+s+"\nkernel void k(device int *o) {}", 0)
		require.Equal(t, 1, errs.Errors(), s)
		require.Equal(t, 1, errs[0].Pos.Line)
	}
}

// TestBuffersAreNumbered gives buffers without an index the lowest free ones, in order; threadgroup arguments apart.
func TestBuffersAreNumbered(t *testing.T) {
	p := program(t, `
struct S { float x; };
constant bool c [[function_constant(4)]];
constant bool d = c && true;
[[max_total_threads_per_threadgroup(2 * 128)]] kernel void k(
    device float *a, constant S &s [[buffer(1)]], threadgroup int *t, uint3 pos [[thread_position_in_grid]],
    device const float *b [[buffer(0), access(read)]], threadgroup float *u [[threadgroup(0)]], constant uint *e,
    device float *w [[buffer(9), access(write)]], device int *opt [[function_constant(d)]], device int *alt [[buffer(9), function_constant(c)]],
    ushort lane [[thread_index_in_simdgroup]]) {}
kernel void plain(device float *x) {}
namespace n { kernel void inner(device float *x) {} }
`, 0)
	k := p.Kernels[0]
	require.Equal(t, 256, k.MaxThreads)
	require.Equal(t, []string{"k", "plain", "n::inner"}, []string{k.Name, p.Kernels[1].Name, p.Kernels[2].Name})
	var index []int
	for i, q := range k.Params {
		if q.IsInput {
			index = append(index, -1-int(q.Input))
			continue
		}
		index = append(index, q.Index)
		require.Equal(t, map[string]bool{"s": true, "b": true, "e": true}[k.Func.Params[i].Name], q.ReadOnly, k.Func.Params[i].Name)
		require.Equal(t, k.Func.Params[i].Name == "w", q.WriteOnly)
	}
	require.Equal(t, []int{2, 1, 1, -1 - int(ir.ThreadPositionInGrid), 0, 0, 3, 9, 4, 9, -1 - int(ir.ThreadIndexInSimdgroup)}, index)
	require.Nil(t, k.Params[0].Enabled)
	require.IsType(t, &typed.ConstantRef{}, k.Params[9].Enabled)
	require.Len(t, p.Constants, 1)
	require.Equal(t, 4, p.Constants[0].Index)
	require.True(t, k.Func.Params[1].Ref)
	require.Equal(t, ir.Constant, k.Func.Params[1].Space)
	require.Equal(t, "const device float*", k.Func.Params[4].Type.String())
}

// TestConstantsAreTrees gives program-scope constants their values, and leaves those of function constants open.
func TestConstantsAreTrees(t *testing.T) {
	p := program(t, `
constant int n [[function_constant(0)]];
constant int m = is_function_constant_defined(n) ? n * 2 : 7;
struct S { int a; float2 v; };
constant S s = {1 + 1, float2(0.5f, 3 / 2)};
constant int z[5] = {};
kernel void k(device int *o, uint i [[thread_position_in_grid]]) { o[i] = m + s.a + z[i]; o[1] = sizeof(S) + 3 * 4; }
`, 0)
	globals := map[string]typed.Expr{}
	var walk func(x any)
	walk = func(x any) {
		switch x := x.(type) {
		case *typed.Binary:
			walk(x.L)
			walk(x.R)
		case *typed.LoadExpr:
			walk(x.X)
		case *typed.FieldPlace:
			walk(x.X)
		case *typed.IndexPlace:
			walk(x.X)
		case *typed.VarPlace:
			if x.Var.Global != nil {
				globals[x.Var.Name] = x.Var.Global
			}
		}
	}
	walk(p.Kernels[0].Func.Body.Stmts[0].(*typed.ExprStmt).X.(*typed.AssignExpr).X)
	require.Len(t, globals, 3)
	require.IsType(t, &typed.CondExpr{}, globals["m"])
	require.IsType(t, &typed.Zero{}, globals["z"])
	s := globals["s"].(*typed.Aggregate)
	require.EqualValues(t, 2, s.Elems[0].(*typed.Const).Bits)
	v := s.Elems[1].(*typed.MakeVector)
	require.EqualValues(t, 0x3f000000, v.Elems[0].(*typed.Const).Bits)
	require.EqualValues(t, 0x3f800000, v.Elems[1].(*typed.Const).Bits)
	x := p.Kernels[0].Func.Body.Stmts[1].(*typed.ExprStmt).X.(*typed.AssignExpr).X
	require.EqualValues(t, 28, x.(*typed.Const).Bits)
}

// TestLiterals rounds literals once.
func TestLiterals(t *testing.T) {
	p := program(t, `
constant half a = 0.1h; constant half b = 65519.9h; constant half c = 65520.0h; constant half d = 5.9604645e-8h; constant half e = 2.98e-8h;
constant bfloat f = 1.00390625bf; constant bfloat g = 1.01171875bf; constant float h = 0x1.8p-1; constant half i = 1.00048828125000000000000000001h;
constant half j = -1.0h; constant half k0 = 1.00048828125h; constant float l = 1e-46f;
kernel void k(device float *o) {}
`, 0)
	require.NotNil(t, p)
	for _, c := range []struct {
		src  string
		bits uint64
	}{
		{"0.1h", 0x2e66},
		{"65519.9h", 0x7bff},
		{"65520.0h", 0x7c00},
		{"5.9604645e-8h", 1},
		{"2.98e-8h", 0},
		{"1.00390625bf", 0x3f80},
		{"1.01171875bf", 0x3f82},
		{"0x1.8p-1", 0x3f400000},
		{"1.00048828125000000000000000001h", 0x3c01},
		{"1.00048828125h", 0x3c00},
		{"1e-46f", 0},
		{"6.1035156e-5h", 0x0400},
		{"6.097555e-5h", 0x03ff},
		{"6.1e-5h", 0x03ff},
		{"0u", 0},
		{"0xffffffffffffffffu", 1<<64 - 1},
		{"2147483648", 1 << 31},
		{"0b101", 5},
		{"017", 15},
		{"'\\x41'", 65},
		{"'\\''", 39},
		{"1'000", 1000},
	} {
		p := program(t, "template <typename T> void f(T x) {}\nkernel void k(device float *o) { f("+c.src+"); }", 0)
		arg := p.Kernels[0].Func.Body.Stmts[0].(*typed.ExprStmt).X.(*typed.Call).Args[0]
		require.Equal(t, c.bits, arg.(*typed.Const).Bits, c.src)
	}
}

// TestLiteralTypes gives integer literals the first type that holds them.
func TestLiteralTypes(t *testing.T) {
	for src, want := range map[string]string{
		"1": "int", "2147483648": "long", "0x80000000": "uint", "0x100000000": "long", "1u": "uint", "1l": "long", "1ul": "ulong",
		"4294967296u": "ulong", "0x8000000000000000": "ulong", "'a'": "char", "1.0": "float", "1.0h": "half", "1.0bf": "bfloat", "true": "bool",
		"sizeof(int)": "ulong", "'a' + 'b'": "int", "1.0h + 1": "half", "1.0h + 1.0f": "float", "1u + 1l": "long", "1ul + 1l": "ulong",
		"short(1) + uchar(2)": "int", "-ushort(1)": "int", "short(1) << 3l": "int", "uchar4(1) + 1": "uchar4", "half2(1) > half2(2)": "bool2",
		"true ? 1 : 2.0h": "half", "(&*o) - o": "long", "o == o": "bool", "!1.0f": "bool", "uint3(1) << uint3(2)": "uint3",
	} {
		p := program(t, "template <typename T> void f(T x) {}\nkernel void k(device float *o) { f("+src+"); }", 0)
		arg := p.Kernels[0].Func.Body.Stmts[0].(*typed.ExprStmt).X.(*typed.Call).Args[0]
		require.Equal(t, want, arg.ExprType().String(), src)
	}
}

// TestTreeStaysAsItWas checks one tree twice: the checker does not change what it is given.
func TestTreeStaysAsItWas(t *testing.T) {
	toks, errs := preprocess.Run(`
template <typename T> struct S { T f(T x); };
template <typename T> T S<T>::f(T x) { return x; }
template <typename T = int> struct D;
template <typename T> struct D { T x; };
float g(float x, float y = 2);
float g(float x, float y) { return x + y; }
template <typename T, int N = 3> T h(T x);
template <typename T, int N> T h(T x) { return x * N; }
kernel void k(device float *o) { o[0] = S<float>().f(1) + g(1) + h(2.0f) + D<>{1}.x; }
`, preprocess.Options{})
	require.NoError(t, errs.Err())
	f, errs := syntax.Parse(toks)
	require.NoError(t, errs.Err())
	for range 2 {
		p, errs := Program(f, Options{})
		require.NoError(t, errs.Err())
		require.Len(t, p.Kernels, 1)
	}
}
