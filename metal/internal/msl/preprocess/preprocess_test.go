package preprocess

import (
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/msl/token"
)

// text spells tokens with one space between any two.
func text(toks []token.Token) string {
	var words []string
	for _, t := range toks {
		switch t.Kind {
		case token.EOF:
		case token.Pragma:
			words = append(words, "<"+t.Text+">")
		default:
			words = append(words, t.Text)
		}
	}
	return strings.Join(words, " ")
}

func run(t *testing.T, src string, opts Options) string {
	t.Helper()
	toks, diags := Run(src, opts)
	require.NoError(t, diags.Err(), src)
	require.Equal(t, token.EOF, toks[len(toks)-1].Kind)
	return text(toks)
}

func TestExpansion(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"object", "#define N 12\nN N x", "12 12 x"},
		{"empty", "#define E\na E b", "a b"},
		{"function", "#define add(x,y) ((x)+(y))\nadd(1, add(2,3))", "( ( 1 ) + ( ( ( 2 ) + ( 3 ) ) ) )"},
		{"no parenthesis", "#define f(x) [x]\nf f ; f\n(2)", "f f ; [ 2 ]"},
		{"space before parenthesis", "#define f (x)\nf(1)", "( x ) ( 1 )"},
		{"self", "#define foo foo + 1\nfoo", "foo + 1"},
		{"mutual", "#define a b\n#define b a\na b", "a b"},
		{"self as argument", "#define f(x) x\nf(f)(1)", "f ( 1 )"},
		{"self inside argument", "#define f(x) <x>\nf(f(1))", "< < 1 > >"},
		{"painted for good", "#define g f\n#define f(x) x g\n#define id(x) x\nid(f(1)(2))", "1 f ( 2 )"},
		{"painted while arguments are read", "#define pass(x) x\n#define A pass(A\nA)", "A"},
		{"call that ends outside", "#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g"},
		{"call that ends outside, with paint", "#define NIL(x) x\n#define G_0(a) NIL(G_1)(a)\n#define G_1(a) NIL(G_0)(a)\nG_0(42)", "G_0 ( 42 )"},
		{"argument before rescan", "#define z z[0]\n#define t(a) a\nt(z)", "z [ 0 ]"},
		{"name made by rescan", "#define m(a) a(w)\n#define h 0,1\n#define w 3\n#define q(x) {x}\nm(q)", "{ 3 }"},
		{"comma from a macro", "#define two 1,2\n#define f(x) g(x)\n#define g(x,y) x-y\nf(two)", "1 - 2"},
		{"parentheses guard commas", "#define f(x) {x}\nf((1,2))", "{ ( 1 , 2 ) }"},
		{"arguments over lines", "#define f(x,y) x/y\nf(1,\n  2)", "1 / 2"},
		{"directive in arguments", "#define f(x) x\nf(1\n#if 0\n+3\n#else\n+2\n#endif\n)", "1 + 2"},
		{"no argument", "#define f() x\nf() f( )", "x x"},
		{"empty argument", "#define f(x) [x]\nf()", "[ ]"},
		{"empty arguments", "#define f(x,y,z) [x|y|z]\nf(,,)", "[ | | ]"},
		{"undef", "#define x 1\nx\n#undef x\nx", "1 x"},
		{"keyword as macro", "#define device thread\n#define kernel\nkernel void f(device int* p)", "void f ( thread int * p )"},
		{"object with parentheses from another", "#define f(x) x+1\n#define g f\ng(2)", "2 + 1"},

		{"paste", "#define cat(a,b) a ## b\ncat(x, y) cat(1, 2) cat(<, <) cat(-, >)", "xy 12 << ->"},
		{"paste stops expansion of arguments", "#define cat(a,b) a##b\n#define xcat(a,b) cat(a,b)\n#define ab 7\n#define A a\ncat(A,b) xcat(A,b) cat(a,b)", "Ab 7 7"},
		{"paste with nothing", "#define cat(a,b,c) a##b##c\ncat(,,) cat(x,,) cat(,x,) cat(,,x) cat(x,,y)", "x x x xy"},
		{"paste of object", "#define e 1 ## 2 ## u\ne", "12u"},
		{"paste of several tokens", "#define p(a,b) a##b\np(1 2, 3 4)", "1 23 4"},
		{"paste left of hash", "#define hash_hash # ## #\n#define mk(a) #a\nmk(hash_hash)", `"hash_hash"`},
		{"pasted name is called", "#define f1(x) x*x\n#define call(n,a) f##n(a)\ncall(1, q)", "q * q"},
		{"paste makes hidden name", "#define xy x ## y\nxy", "xy"},

		{"string", "#define s(x) #x\ns(a + b)", `"a + b"`},
		{"string folds blanks", "#define s(x) #x\ns(   a   +\n   /* c */ b  )", `"a + b"`},
		{"string keeps what stands close", "#define s(...) #__VA_ARGS__\ns(a+b ,c)", `"a+b ,c"`},
		{"string of quotes", `#define s(...) #__VA_ARGS__` + "\n" + `s("a\n" 'b' '"' \n, x)`, `"\"a\\n\" 'b' '\"' \n, x"`},
		{"string does not expand", "#define s(x) #x\n#define xs(x) s(x)\n#define N 3\ns(N) xs(N)", `"N" "3"`},
		{"string of nothing", "#define s(x) #x\ns()", `""`},
		{"host name", "#define I(name,T) template [[host_name(#name \"_\" #T)]] kernel void name<T>();\nI(sum,float)", `template [ [ host_name ( "sum" "_" "float" ) ] ] kernel void sum < float > ( ) ;`},

		{"variadic", "#define f(...) g(__VA_ARGS__)\nf() f(1) f(1,2)", "g ( ) g ( 1 ) g ( 1 , 2 )"},
		{"variadic after a name", "#define f(a,...) a:__VA_ARGS__;\nf(1) f(1,) f(1,2,3)", "1 : ; 1 : ; 1 : 2 , 3 ;"},
		{"named variadic", "#define f(a,r...) a r\nf(1,2,3)", "1 2 , 3"},
		{"comma that goes", "#define f(a,...) g(a,##__VA_ARGS__)\nf(1) f(1,2)", "g ( 1 ) g ( 1 , 2 )"},

		{"counter", "__COUNTER__ __COUNTER__", "0 1"},
		{"line", "\n__LINE__\n#define L __LINE__\nL", "2 4"},
		{"file", "__FILE__", `"k.metal"`},
		{"set line", "#line 100 \"x.h\"\n__LINE__ __FILE__\n# 7\n__LINE__", `100 "x.h" 7`},
		{"metal", "__METAL__ __METAL_VERSION__ __METAL_MACOS__ __cplusplus __HAVE_BFLOAT__", "1 320 1 201402L 1"},
		{"metal func", "METAL_FUNC float f();", "inline __attribute__ ( ( __always_inline__ ) ) float f ( ) ;"},
		{"metal func hides itself", "#define inline METAL_FUNC\nMETAL_FUNC inline", "METAL_FUNC __attribute__ ( ( __always_inline__ ) ) inline __attribute__ ( ( __always_inline__ ) )"},
		{"infinity", "INFINITY NAN M_PI_F HUGE_VALH", `__builtin_inff ( ) __builtin_nanf ( "" ) 0x1.921fb6p+1f ( ( half ) __builtin_inff ( ) )`},
		{"const arg", "void f(int o) METAL_CONST_ARG(o);", "void f ( int o ) ;"},
		{"other spellings", "<:<::x %> a and not b", "[ < :: x } a && ! b"},

		{"splice", "in\\\nt x\\\n;", "int x ;"},
		{"splice in directive", "#define f(x) \\\n  x + \\\r\n  1\nf(2)", "2 + 1"},
		{"splice with blanks", "a\\  \nb", "ab"},
		{"splice in comment", "// a \\\n b\nc", "c"},
		{"comments", "a/**/b /* x\n y */ c // d\ne", "a b c e"},
		{"comment is no paste", "#define f(a,b) a/**/b\nf(x,y)", "x y"},
		{"byte order mark", "\ufeff#define a 1\na", "1"},
		{"lone CR", "#define a 1\ra\r", "1"},

		{"push macro", "#define x 1\n#pragma push_macro(\"x\")\n#undef x\n#define x 2\nx\n#pragma pop_macro(\"x\")\nx", "2 1"},
		{
			"pragmas", "#pragma METAL fp  math_mode ( safe )  contract(off)\n#pragma clang fp contract(fast) reassociate(off)\n#pragma STDC FP_CONTRACT OFF\n#pragma unroll\n#pragma unroll(4)\n#pragma clang loop unroll(full)\n#pragma GCC diagnostic push\n#pragma mark - x's\n",
			"<METAL fp math_mode(safe) contract(off)> <clang fp contract(fast) reassociate(off)> <STDC FP_CONTRACT OFF>",
		},
		{
			"pragma operator", "#define P _Pragma(\"clang fp contract(off)\") x\n{ P; }\n#define Q(x) _Pragma(#x)\nQ(METAL fp math_mode(fast))\n#define R(x) x\nR(_Pragma(\"STDC FP_CONTRACT ON\") 1) _Pragma(\"unroll\")",
			"{ <clang fp contract(off)> x ; } <METAL fp math_mode(fast)> <STDC FP_CONTRACT ON> 1",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, run(t, c.src, Options{FileName: "k.metal"}))
		})
	}
}

func TestConditions(t *testing.T) {
	for _, c := range []struct {
		cond string
		want bool
	}{
		{"1", true},
		{"0", false},
		{"x", false},
		{"true", true},
		{"false", false},
		{"1+1==2", true},
		{"7-2*3==1", true},
		{"10-4-3==3", true},
		{"2*3%4==2", true},
		{"(1?2:3)==2", true},
		{"0?1:0?2:3", true},
		{"1||1/0", true},
		{"0&&1/0", false},
		{"1?1:1/0", true},
		{"-1<0", true},
		{"-1<0u", false},
		{"-1>0u", true},
		{"(0?0u:-1)>0", true},
		{"~0==-1", true},
		{"!1", false},
		{"!!x", false},
		{"1<<4==16", true},
		{"-8>>1==-4", true},
		{"0xffffffffffffffff>>63==1", true},
		{"5&3", true},
		{"(5&2)", false},
		{"(5^5)|4", true},
		{"'a'==97", true},
		{"'\\n'==10", true},
		{"'\\x41'=='A'", true},
		{"'\\101'==65", true},
		{"0b101==5 && 017==15 && 1'000==1000", true},
		{"0x10ul==16", true},
		{"defined A", true},
		{"defined(A)&&!defined B", true},
		{"defined A && A > 2", true},
		{"D", true},
		{"A==3", true},
		{"F(2)==4", true},
		{"not defined B and A", true},
		{"__METAL_VERSION__ >= 310", true},
		{"defined(__METAL__)", true},
		{"__has_attribute(always_inline) && __has_attribute(__always_inline__)", true},
		{"__has_attribute(nothing)", false},
		{"__has_builtin(__builtin_inff)", true},
		{"__has_extension(cxx_constexpr)", true},
		{"__has_feature(x)", false},
		{"__has_include(<metal_stdlib>) && __has_include(\"h.h\")", true},
		{"__has_include(<no.h>)", false},
		{"__has_warning(\"-Wx\")", false},
		{"defined __has_include", true},
		{"9223372036854775807+1<0", true},
		{"-9223372036854775807-1 < 0", true},
		{"6/4==1 && -7%3==-1", true},
		{"1==2 || 3!=3 || 2>=2", true},
		{"2<=1", false},
		{"+3-+3", false},
	} {
		src := "#define A 3\n#define D defined(A)\n#define F(x) (x*2)\n#if " + c.cond + "\nyes\n#else\nno\n#endif"
		want := "no"
		if c.want {
			want = "yes"
		}
		require.Equal(t, want, run(t, src, Options{Headers: map[string]string{"h.h": ""}}), c.cond)
	}
}

func TestGroups(t *testing.T) {
	src := "#ifdef A\n#if B\n1\n#elif 1\n2\n#else\n3\n#endif\n#elif defined C\n4\n#elif 1/0\n#else\n5\n#endif\n#ifndef C\n6\n#if 0\n#else x\n#error\n#endif\n'\n#endif"
	for _, c := range []struct {
		defines map[string]string
		want    string
	}{
		{map[string]string{"A": "", "B": "1", "C": ""}, "1"},
		{map[string]string{"A": "", "B": "0", "C": ""}, "2"},
		{map[string]string{"C": ""}, "4"},
	} {
		require.Equal(t, c.want, run(t, src, Options{Defines: c.defines}))
	}
	require.Equal(t, "2", run(t, "#if 0\n1\n#elifdef __METAL__\n2\n#endif", Options{}))
	require.Equal(t, "a : 7", run(t, "F(7) N", Options{Defines: map[string]string{"F(x)": "a : x", "N": ""}}))
}

func TestIncludes(t *testing.T) {
	headers := map[string]string{
		"a.h": "#pragma once\nint a;\n", "b.h": "#ifndef B\n#define B\n#include \"a.h\"\nint b;\n#endif\n",
		"sub/c.h": "#include \"d.h\"\n#include \"../a.h\"\n__FILE__", "sub/d.h": "int d;", "f.h": "#define f(x) <x>\nf",
	}
	for _, c := range []struct{ src, want string }{
		{"#include \"a.h\"\n#include <a.h>\n#include \"b.h\"\n#include \"b.h\"\nx", "int a ; int b ; x"},
		{"#include <metal_stdlib>\n#include <metal_simdgroup>\n#include <simd/simd.h>\nusing", "using"},
		{"#include \"sub/c.h\"\n__FILE__ __LINE__", `int d ; int a ; "sub/c.h" "m" 2`},
		{"#define H <a.h>\n#include H\n#define Q \"sub/d.h\"\n#include Q", "int a ; int d ;"},
		{"#import \"sub/d.h\"\n#import \"sub/d.h\"", "int d ;"},
		{"#include \"f.h\"\n(1)", "f ( 1 )"},
	} {
		require.Equal(t, c.want, run(t, c.src, Options{Headers: headers, FileName: "m"}))
	}
}

func TestTokens(t *testing.T) {
	kinds := map[token.Kind]string{
		token.Ident: "i", token.Keyword: "k", token.Int: "n", token.Float: "f", token.Char: "c", token.String: "s", token.Punct: "p", token.Pragma: "P",
	}
	for _, c := range []struct{ src, want string }{
		{"float4 x kernel _a1 é", "i float4|i x|k kernel|i _a1|i é"},
		{"0 1u 2UL 3l 0x1Fu 0b11 017 1'000'000lu 18446744073709551615u", "n 0|n 1u|n 2UL|n 3l|n 0x1Fu|n 0b11|n 017|n 1'000'000lu|n 18446744073709551615u"},
		{"1. .5 1.5f 1e3 1e-3h 2.0bf 0x1p3 0x1.8p-3f 0x.8P+1h 1E+5F 09.5 1'0.0'1", "f 1.|f .5|f 1.5f|f 1e3|f 1e-3h|f 2.0bf|f 0x1p3|f 0x1.8p-3f|f 0x.8P+1h|f 1E+5F|f 09.5|f 1'0.0'1"},
		{"a+++b a<<=1 p->x s::t f(...) v<v<int>> a<=b->*c", "i a|p ++|p +|i b|i a|p <<=|n 1|i p|p ->|i x|i s|p ::|i t|i f|p (|p ...|p )|i v|p <|i v|p <|k int|p >>|i a|p <=|i b|p ->*|i c"},
		{"[[buffer(0)]] x>>=1 !a&&b||~c ^= %= .. a.*b", "p [|p [|i buffer|p (|n 0|p )|p ]|p ]|i x|p >>=|n 1|p !|i a|p &&|i b|p |||p ~|i c|p ^=|p %=|p .|p .|i a|p .*|i b"},
		{`'a' '\'' "x\"y" "" "/*"`, `c 'a'|c '\''|s "x\"y"|s ""|s "/*"`},
		{"x.5 1.x", "i x|f .5|?"},
	} {
		toks, diags := Run(c.src, Options{})
		var got []string
		for _, k := range toks[:len(toks)-1] {
			got = append(got, kinds[k.Kind]+" "+k.Text)
		}
		if strings.HasSuffix(c.want, "?") {
			require.Error(t, diags.Err())
			continue
		}
		require.NoError(t, diags.Err())
		require.Equal(t, c.want, strings.Join(got, "|"))
	}
}

func TestPositions(t *testing.T) {
	src := "ab\\\nc d\n  /* x\n\n */ e \\\n\n f\n#define M(x) x y\n   M(q\n r) z"
	toks, diags := Run(src, Options{FileName: "p"})
	require.NoError(t, diags.Err())
	var got []string
	for _, k := range toks {
		flags := ""
		if k.Bol {
			flags = " bol"
		}
		got = append(got, k.Text+" "+k.Pos.String()+flags)
	}
	require.Equal(t, []string{
		"abc p:1:1 bol", "d p:2:3", "e p:5:5 bol", "f p:7:2 bol",
		"q p:9:4 bol", "r p:9:4", "y p:9:4", "z p:10:5", " p:10:6 bol",
	}, got)
}

// TestPredefined compares the constants with the real numbers, rounded to the type's bits.
func TestPredefined(t *testing.T) {
	reals := map[string]string{
		"E": "2.71828182845904523536028747135266249775724709369996", "LOG2E": "1.44269504088896340735992468100189213742664595415299",
		"LOG10E": "0.434294481903251827651128918916605082294397005803667", "LN2": "0.693147180559945309417232121458176568075500134360255",
		"LN10": "2.30258509299404568401799145468436420760110148862877", "PI": "3.14159265358979323846264338327950288419716939937511",
		"PI_2": "1.57079632679489661923132169163975144209858469968755", "PI_4": "0.785398163397448309615660845819875721049292349843776",
		"1_PI": "0.318309886183790671537767526745028724068919291480913", "2_PI": "0.636619772367581343075535053490057448137838582961826",
		"2_SQRTPI": "1.12837916709551257389615890312154517168810125865800", "SQRT2": "1.41421356237309504880168872420969807856967187537695",
		"SQRT1_2": "0.707106781186547524400844362104849039284835937688474",
	}
	for _, ty := range []struct {
		name, suffix, limit string
		bits                uint
		maxExp              int
	}{{"F", "f", "FLT", 24, 128}, {"H", "h", "HALF", 11, 16}, {"BF", "bf", "BFLT", 8, 128}} {
		literal := func(name string) *big.Float {
			s := run(t, name, Options{})
			require.True(t, strings.HasSuffix(s, ty.suffix), s)
			v, _, err := big.ParseFloat(strings.TrimSuffix(s, ty.suffix), 0, 300, big.ToNearestEven)
			require.NoError(t, err, name)
			return v
		}
		for name, digits := range reals {
			want, _, err := big.ParseFloat(digits, 10, 300, big.ToNearestEven)
			require.NoError(t, err)
			want.SetPrec(ty.bits)
			require.Zero(t, want.Cmp(literal("M_"+name+"_"+ty.name)), name)
		}
		one := big.NewFloat(1).SetPrec(300)
		eps := new(big.Float).SetMantExp(one, 1-int(ty.bits))
		require.Zero(t, eps.Cmp(literal(ty.limit+"_EPSILON")))
		least := new(big.Float).SetMantExp(one, 2-ty.maxExp)
		require.Zero(t, least.Cmp(literal(ty.limit+"_MIN")))
		top := new(big.Float).SetMantExp(new(big.Float).Sub(one, new(big.Float).SetMantExp(one, -int(ty.bits))), ty.maxExp)
		require.Zero(t, top.Cmp(literal(ty.limit+"_MAX")))
	}
	require.Equal(t, "1", run(t, "#if INT_MAX==2147483647 && INT_MIN==-2147483648 && UINT_MAX==0xffffffff && LONG_MIN<0 && LONG_MIN==~LONG_MAX && ULONG_MAX==~0ul && SHRT_MIN==-SHRT_MAX-1 && CHAR_MIN==-128 && USHRT_MAX==0xffff\n1\n#endif", Options{}))
	require.Equal(t, "M_PI_BF 230", run(t, "M_PI_BF __METAL_VERSION__", Options{Version: 230}))
}

// expectation is a diagnostic that a comment of a .metal file asks for, on the line of the comment.
var expectation = regexp.MustCompile(`// ###( warning)? (.*)$`)

// TestDiagnostics runs testdata/*.metal: each line with "// ### regexp" causes an error that matches,
// with "// ### warning regexp" a warning, and no other line causes any. Files are cut by lines "---".
func TestDiagnostics(t *testing.T) {
	files, err := filepath.Glob("testdata/*.metal")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		line := 1
		for part := range strings.SplitSeq(string(data), "\n---\n") {
			checkDiagnostics(t, filepath.Base(file), part, line)
			line += strings.Count(part, "\n") + 2
		}
	}
}

func checkDiagnostics(t *testing.T, file, src string, first int) {
	t.Helper()
	_, diags := Run(src, Options{FileName: file})
	for i, line := range strings.Split(src, "\n") {
		var here token.List
		for _, d := range diags {
			if d.Pos.Line == i+1 {
				here = append(here, d)
			}
		}
		m := expectation.FindStringSubmatch(line)
		if m == nil {
			require.Empty(t, here, "%s:%d: %v", file, first+i, here)
			continue
		}
		require.Len(t, here, 1, "%s:%d: want %s", file, first+i, m[2])
		require.Equal(t, m[1] != "", here[0].Warning, "%s:%d: %v", file, first+i, here)
		require.Regexp(t, m[2], here[0].Error(), "%s:%d", file, first+i)
	}
	for _, d := range diags {
		require.Positive(t, d.Pos.Column, d)
		require.Equal(t, file, d.Pos.File)
	}
}
