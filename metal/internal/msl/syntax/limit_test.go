package syntax

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/msl/preprocess"
	"gamma/metal/internal/msl/token"
)

// TestDeep nests each construct far deeper than may be: an error says so, quickly.
func TestDeep(t *testing.T) {
	const n = 20_000
	for _, c := range []struct{ name, before, one, mid, shut, after string }{
		{"parens", "int x = ", "(", "1", ")", ";"},
		{"casts", "struct S{}; void f(){ int x = ", "(S)(", "1", ")", ";}"},
		{"cast types", "struct S{}; void f(){ int x = ", "(S(", "1", "))", ";}"},
		{"constructs", "struct S{}; void f(){ ", "S(", "1", ")", ";}"},
		{"pointer declarators", "int ", "(*", "x", ")", ";"},
		{"function types", "void f", "(int", "", ")", ";"},
		{"unary", "int x = ", "- ", "1", "", ";"},
		{"calls", "int x = ", "f(", "1", ")", ";"},
		{"braces", "int x = ", "{", "1", "}", ";"},
		{"index", "int x = ", "a[", "1", "]", ";"},
		{"blocks", "void f() ", "{", ";", "}", ""},
		{"ifs", "void f() {", "if (1) ", ";", "", "}"},
		{"loops", "void f() {", "for (;;) ", ";", "", "}"},
		{"structs", "", "struct S {", "int x;", "};", ""},
		{"namespaces", "", "namespace a {", "int x;", "}", ""},
		{"qualified namespaces", "namespace a", "::a", "{", "", "}"},
		{"templates", "", "template <typename T> ", "int x;", "", ""},
		{"template arguments", "template <typename T> struct A{}; ", "A<", "int", ">", " x;"},
		{"template expressions", "template <typename T> struct A{}; void f() { ", "A<", "int", ">::v + 1", " x; }"},
		{"template halves", "template <typename T> struct A{}; void f() { ", "A<A<int>::v + ", "1", ">::v", "; }"},
		{"template template parameters", "", "template <", "class T", "> class U", " struct S;"},
		{"ternary", "int x = ", "1 ? ", "1", " : 1", ";"},
		{"ternaries", "int x = ", "1 ? 1 : ", "1", "", ";"},
		{"assignments", "void f() {", "a = ", "1", "", ";}"},
		{"sizeof", "int x = ", "sizeof ", "1", "", ";"},
		{"sizeofs", "struct S{}; int x = ", "sizeof(S(", "1", "))", ";"},
		{"decltypes", "", "decltype(", "1", ")", " x;"},
		{"static casts", "int x = ", "static_cast<int>(", "1", ")", ";"},
		{"lambdas", "int x = ", "[]{", "", "}", ";"},
		{"sums", "int x = 1", " + 1", "", "", ";"},
		{"products", "int x = 1", " * 1 + 1", "", "", ";"},
		{"commas", "void f() { 1", ", 1", "", "", ";}"},
		{"members", "int x = a", ".b", "", "", ";"},
		{"names", "int x = a", "::b", "", "", ";"},
		{"pointers", "int ", "*", "x", "", ";"},
		{"arrays", "int x", "[1]", "", "", ";"},
		{"else ifs", "void f() { if (1) ;", " else if (1) ;", "", "", "}"},
		{"attributes", "[[", "a(", "1", ")", "]] int x;"},
		{"parameters", "void f(", "int (", "int", ")", ");"},
		{"operators", "struct S { ", "operator ", "int", "", "(); };"},
		{"member templates", "struct S { template <typename T> int g(T); }; void f() { ", "a.g<", "1", ">", "(1); }"},
		{"block functions", "struct S {}; void f() { ", "S a(S(", "1", "))", "; }"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := c.before + strings.Repeat(c.one, n) + c.mid + strings.Repeat(c.shut, n) + c.after
			tokens, _ := preprocess.Run(src, preprocess.Options{FileName: "x"})
			start := time.Now()
			_, errs := Parse(tokens)
			require.Less(t, time.Since(start), 5*time.Second)
			if c.name != "lambdas" && c.name != "attributes" { // their insides are skipped, or may be
				require.Error(t, errs.Err())
			}
			require.LessOrEqual(t, errs.Errors(), token.MaxErrors)

			// A few levels are right, or at least need no time that doubles with each.
			src = c.before + strings.Repeat(c.one, 40) + c.mid + strings.Repeat(c.shut, 40) + c.after
			tokens, _ = preprocess.Run(src, preprocess.Options{FileName: "x"})
			start = time.Now()
			Parse(tokens)
			require.Less(t, time.Since(start), time.Second)
		})
	}
}

// TestShallow holds that depth well within the limits is no error.
func TestShallow(t *testing.T) {
	parseClean(t, "int x = "+strings.Repeat("(", 50)+"1"+strings.Repeat(")", 50)+";")
	parseClean(t, "int x = 1"+strings.Repeat(" + 1", 2000)+";")
	parseClean(t, "void f() { if (1) ;"+strings.Repeat(" else if (1) ;", 2000)+"}")
	parseClean(t, "int x[] = {1"+strings.Repeat(", 1", 50_000)+"};")
	parseClean(t, "void f() {"+strings.Repeat("int x; { x = 1; }", 20_000)+"}")
	parseClean(t, strings.Repeat("void f(int x) { return; } struct S { void m() {} };", 5_000))
}

// TestManyErrors holds that the parser gives up after token.MaxErrors.
func TestManyErrors(t *testing.T) {
	_, errs := parse(t, "x", strings.Repeat("int = 3;\n", 100))
	require.Len(t, errs, token.MaxErrors)
}

// TestPositions holds where errors and nodes stand, the halves of >> among them.
func TestPositions(t *testing.T) {
	f, errs := parse(t, "x.metal", "int a;\ntemplate <typename T> struct A {};\nA<A<int>> b = a +\n  f(c);\n")
	require.Empty(t, errs)
	v := f.Decls[2].(*VarDecl)
	require.Equal(t, Pos{File: "x.metal", Line: 3, Column: 11}, v.Pos)
	require.Equal(t, Pos{File: "x.metal", Line: 3, Column: 17}, v.Init.Place())
	require.Equal(t, Pos{File: "x.metal", Line: 4, Column: 3}, v.Init.(*Binary).R.Place())
	_, errs = parse(t, "x.metal", "template <typename T> struct A {};\nA<A<int>>> b;")
	require.Equal(t, "x.metal:2:10: error: expected a name, found >", errs.Error())
	_, errs = parse(t, "x.metal", "template <typename T> struct A {};\nA<int>> b;")
	require.Equal(t, "x.metal:2:7: error: expected a name, found >", errs.Error())
	_, errs = Parse(nil)
	require.Empty(t, errs)
	_, errs = Parse([]token.Token{{Kind: token.Ident, Text: "x", Pos: Pos{File: "y", Line: 1, Column: 1}}})
	require.Equal(t, "y:1:2: error: expected a name, found the end of the file", errs.Error())
}

// holes fails if an interface or pointer that must be there is nil in a tree.
func holes(t *testing.T, v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			holes(t, v.Elem(), path)
		}
	case reflect.Slice:
		for i := range v.Len() {
			e := v.Index(i)
			if k := e.Kind(); (k == reflect.Interface || k == reflect.Pointer) && e.IsNil() {
				t.Fatalf("a nil in the list %s", path)
			}
			holes(t, e, path)
		}
	case reflect.Struct:
		name := v.Type().Name()
		for i := range v.NumField() {
			f, field := v.Field(i), v.Type().Field(i).Name
			if mandatory[name+"."+field] && f.IsNil() {
				t.Fatalf("nil in %s.%s", path, field)
			}
			holes(t, f, path+"."+field)
		}
	}
}

// mandatory are the fields that are never nil.
var mandatory = map[string]bool{
	"Ident.Name": true, "Unary.X": true, "Postfix.X": true, "Binary.L": true, "Binary.R": true, "Cond.C": true, "Cond.T": true,
	"Cond.F": true, "Call.Fun": true, "Construct.Type": true, "Index.X": true, "Index.I": true, "Member.X": true,
	"Member.Name": true, "Cast.Type": true, "Cast.X": true, "Paren.X": true, "PackExpansion.X": true, "PointerType.Elem": true,
	"RefType.Elem": true, "ArrayType.Elem": true, "DecltypeType.X": true, "VarDecl.Type": true, "VarDecl.Name": true,
	"Param.Type": true, "FuncDecl.Name": true, "AliasDecl.Type": true, "TemplateDecl.Decl": true, "UsingDecl.Name": true, "NamespaceAlias.Of": true,
	"UsingDirective.Name": true, "StaticAssert.X": true, "ExprStmt.X": true, "If.Then": true, "For.Body": true,
	"RangeFor.Decl": true, "RangeFor.X": true, "RangeFor.Body": true, "While.Cond": true, "While.Body": true, "Do.Body": true,
	"Do.Cond": true, "Switch.X": true, "Switch.Body": true, "MemberInit.Name": true, "FuncType.Result": true,
}

// check parses and looks for what no source may cause.
func check(t *testing.T, src string) {
	tokens, _ := preprocess.Run(src, preprocess.Options{FileName: "f"})
	start := time.Now()
	f, errs := Parse(tokens)
	if d := time.Since(start); d > 10*time.Second {
		t.Fatalf("%v for %d tokens", d, len(tokens))
	}
	require.LessOrEqual(t, errs.Errors(), token.MaxErrors)
	for _, e := range errs {
		require.Positive(t, e.Pos.Line, e.Error())
	}
	holes(t, reflect.ValueOf(f), "File")
}

// sources returns the files of testdata.
func sources(t testing.TB) []string {
	var list []string
	files, err := filepath.Glob("testdata/*.metal")
	require.NoError(t, err)
	for _, name := range files {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		list = append(list, string(src))
	}
	return list
}

// TestMangled parses the files of testdata with tokens taken out, doubled, exchanged and cut off.
func TestMangled(t *testing.T) {
	rounds := 100
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		rounds = 20_000
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, src := range sources(t) {
		tokens, _ := preprocess.Run(src, preprocess.Options{FileName: "f"})
		for range rounds {
			toks := append([]token.Token(nil), tokens...)
			for range 1 + r.IntN(3) {
				i, j := r.IntN(len(toks)), r.IntN(len(toks))
				switch r.IntN(5) {
				case 0:
					toks = append(toks[:i], toks[i+1:]...)
				case 1:
					toks[i], toks[j] = toks[j], toks[i]
				case 2:
					toks = append(toks[:i], append([]token.Token{toks[j]}, toks[i:]...)...)
				case 3:
					toks[i] = toks[j]
				case 4:
					toks = toks[:i+1]
				}
				if len(toks) == 0 {
					break
				}
			}
			f, errs := Parse(toks)
			require.LessOrEqual(t, errs.Errors(), token.MaxErrors)
			holes(t, reflect.ValueOf(f), "File")
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, src := range sources(f) {
		f.Add(src)
	}
	for _, src := range []string{
		"", "template<", "A<B<C>>d;", "struct S{S(){}~S();operator", "int x=(a)(b)(c);", "for(int i:", "{[[(", "auto[a]=b;",
		"template<>struct S<", "enum:", "int a[[", "using", "typedef struct{}", "namespace a::", "x::~", "int operator\"\"_a();",
	} {
		f.Add(src)
	}
	f.Fuzz(check)
}

func BenchmarkParse(b *testing.B) {
	src, err := os.ReadFile("testdata/styles.metal")
	require.NoError(b, err)
	core, err := os.ReadFile("testdata/core.metal")
	require.NoError(b, err)
	text := string(core)
	for strings.Count(text, "\n") < 500 {
		text += "\nnamespace more {\n" + strings.ReplaceAll(string(src), "#", "//") + "\n}\n"
	}
	tokens, _ := preprocess.Run(text, preprocess.Options{FileName: "x"})
	b.ReportAllocs()
	for b.Loop() {
		Parse(tokens)
	}
	b.ReportMetric(float64(len(tokens)), "tokens")
	b.ReportMetric(float64(strings.Count(text, "\n")), "lines")
}
