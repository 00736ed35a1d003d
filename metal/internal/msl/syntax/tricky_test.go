package syntax

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// body parses statements in a function of a file that also has some types, and dumps the statements.
func body(t *testing.T, src string) string {
	t.Helper()
	f := parseClean(t, `
struct S { int x; using type = int; static int value; template <int N> struct In {}; };
template <typename T, int N = 1> struct A { using type = T; static int value; template <typename U> U get(); };
template <typename T> T ft(T);
int v, w;
template <typename T> void f(int a, int b) {
`+src+`
}`)
	fn := f.Decls[len(f.Decls)-1].(*TemplateDecl).Decl.(*FuncDecl)
	var parts []string
	for _, s := range fn.Body.Stmts {
		parts = append(parts, strings.ReplaceAll(dump(s), "Pos=", ""))
	}
	return strings.Join(parts, "\n")
}

// TestTricky holds the trees of what C++ makes hard to read.
func TestTricky(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"a * b;", "(ExprStmt X=(Binary Op=* L=a R=b))"},
		{"S * b;", "(DeclStmt Decls=[(VarDecl Type=(PointerType Elem='S) Name=b)])"},
		{"T * b;", "(DeclStmt Decls=[(VarDecl Type=(PointerType Elem='T) Name=b)])"},
		{"S(a);", "(ExprStmt X=(Construct Type='S Args=[a]))"},
		{"v(a);", "(ExprStmt X=(Call Fun=v Args=[a]))"},
		{"(S)-a;", "(ExprStmt X=(Cast Type='S X=(Unary Op=- X=a)))"},
		{"(v)-a;", "(ExprStmt X=(Binary Op=- L=(Paren X=v) R=a))"},
		{"(S)(a) + 1;", "(ExprStmt X=(Binary Op=+ L=(Cast Type='S X=(Paren X=a)) R=1))"},
		{"(S *)a;", "(ExprStmt X=(Cast Type=(PointerType Elem='S) X=a))"},
		{"(v * w)(a);", "(ExprStmt X=(Call Fun=(Paren X=(Binary Op=* L=v R=w)) Args=[a]))"},
		{"(float)a * b;", "(ExprStmt X=(Binary Op=* L=(Cast Type='float X=a) R=b))"},
		{"(device float *)(a + 1);", "(ExprStmt X=(Cast Type=(PointerType Elem=(NameType Name=float Quals=(Quals Space=device))) X=(Paren X=(Binary Op=+ L=a R=1))))"},
		{"a < b > (3);", "(ExprStmt X=(Binary Op=> L=(Binary Op=< L=a R=b) R=(Paren X=3)))"},
		{"ft<int>(3);", "(ExprStmt X=(Call Fun=ft<'int> Args=[3]))"},
		{"A<int>(3);", "(ExprStmt X=(Construct Type='A<'int> Args=[3]))"},
		{"A<A<int>>::value >> 1;", "(ExprStmt X=(Binary Op=>> L=A<'A<'int>>::value R=1))"},
		{"A<int, (a > b)> z;", "(DeclStmt Decls=[(VarDecl Type='A<'int,(Paren X=(Binary Op=> L=a R=b))> Name=z)])"},
		{"A<A<int, 2>, 3 - 1> z;", "(DeclStmt Decls=[(VarDecl Type='A<'A<'int,2>,(Binary Op=- L=3 R=1)> Name=z)])"},
		{"a = A<int>::value>=1;", "(ExprStmt X=(Binary Op== L=a R=(Binary Op=>= L=A<'int>::value R=1)))"},
		{"A<int>::type z;", "(DeclStmt Decls=[(VarDecl Type='A<'int>::type Name=z)])"},
		{"S::type(a);", "(ExprStmt X=(Construct Type='S::type Args=[a]))"},
		{"S::value * a;", "(ExprStmt X=(Binary Op=* L=S::value R=a))"},
		{"T::value * a;", "(ExprStmt X=(Binary Op=* L=T::value R=a))"},
		{"T::value < a;", "(ExprStmt X=(Binary Op=< L=T::value R=a))"},
		{"typename T::type z;", "(DeclStmt Decls=[(VarDecl Type=(NameType Name=T::type Typename=true) Name=z)])"},
		{"typename T::type(a);", "(ExprStmt X=(Construct Type=(NameType Name=T::type Typename=true) Args=[a]))"},
		{"T::template get<int>(a);", "(ExprStmt X=(Call Fun=T::template get<'int> Args=[a]))"},
		{"a.template get<int>();", "(ExprStmt X=(Call Fun=(Member X=a Name=template get<'int>)))"},
		{"a.get<int>();", "(ExprStmt X=(Call Fun=(Member X=a Name=get<'int>)))"},
		{"a.get < b > (1);", "(ExprStmt X=(Call Fun=(Member X=a Name=get<b>) Args=[1]))"},
		{"a.get < b > v;", "(ExprStmt X=(Binary Op=> L=(Binary Op=< L=(Member X=a Name=get) R=b) R=v))"},
		{"a.get < b;", "(ExprStmt X=(Binary Op=< L=(Member X=a Name=get) R=b))"},
		{"a.x < b > (1);", "(ExprStmt X=(Binary Op=> L=(Binary Op=< L=(Member X=a Name=x) R=b) R=(Paren X=1)))"},
		{"a < int(3);", "(ExprStmt X=(Binary Op=< L=a R=(Construct Type='int Args=[3])))"},
		{"a < unsigned(3) && a > T(3);", "(ExprStmt X=(Binary Op=&& L=(Binary Op=< L=a R=(Construct Type='uint Args=[3])) R=(Binary Op=> L=a R=(Construct Type='T Args=[3]))))"},
		{"sizeof(S) * a;", "(ExprStmt X=(Binary Op=* L=(Sizeof Type='S) R=a))"},
		{"sizeof(v) * a;", "(ExprStmt X=(Binary Op=* L=(Sizeof X=(Paren X=v)) R=a))"},
		{"float4 z(a, b), y{a}, x = {a, {b}}, u = float4{1};", "(DeclStmt Decls=[(VarDecl Type='float4 Name=z Ctor=true Args=[a b]) (VarDecl Type='float4 Name=y Init=(InitList Args=[a])) (VarDecl Type='float4 Name=x Init=(InitList Args=[a (InitList Args=[b])])) (VarDecl Type='float4 Name=u Init=(Construct Type='float4 Brace=true Args=[1]))])"},
		{"int S = a; S * b;", "(DeclStmt Decls=[(VarDecl Type='int Name=S Init=a)])\n(ExprStmt X=(Binary Op=* L=S R=b))"},
		{"struct S z;", "(DeclStmt Decls=[(VarDecl Type='S Name=z)])"},
		{"{ int S; } S z;", "(Block Stmts=[(DeclStmt Decls=[(VarDecl Type='int Name=S)])])\n(DeclStmt Decls=[(VarDecl Type='S Name=z)])"},
		{"constant float (&r)[4][2] = v;", "(DeclStmt Decls=[(VarDecl Type=(RefType Elem=(ArrayType Elem=(ArrayType Elem=(NameType Name=float Quals=(Quals Space=constant)) Len=2) Len=4)) Name=r Init=v)])"},
		{"thread float *(*z)[3];", "(DeclStmt Decls=[(VarDecl Type=(PointerType Elem=(ArrayType Elem=(PointerType Elem=(NameType Name=float Quals=(Quals Space=thread))) Len=3)) Name=z)])"},
		{"device float *const thread *z[2];", "(DeclStmt Decls=[(VarDecl Type=(ArrayType Elem=(PointerType Elem=(PointerType Elem=(NameType Name=float Quals=(Quals Space=device)) Quals=(Quals Const=true Space=thread))) Len=2) Name=z)])"},
		{"unsigned long int z; long unsigned y; unsigned x; signed char c; short int s;", "(DeclStmt Decls=[(VarDecl Type='ulong Name=z)])\n(DeclStmt Decls=[(VarDecl Type='ulong Name=y)])\n(DeclStmt Decls=[(VarDecl Type='uint Name=x)])\n(DeclStmt Decls=[(VarDecl Type='char Name=c)])\n(DeclStmt Decls=[(VarDecl Type='short Name=s)])"},
		{"float x = 1, (*z)(int) = nullptr;", "(DeclStmt Decls=[(VarDecl Type='float Name=x Init=1) (VarDecl Type=(PointerType Elem=(FuncType Result='float Params=[(Param Type='int)])) Name=z Init=nullptr)])"},
		{"return {a, b};", "(Return X=(InitList Args=[a b]))"},
		{"a ? b : a ? v : w, b = a = v;", "(ExprStmt X=(Binary Op=, L=(Cond C=a T=b F=(Cond C=a T=v F=w)) R=(Binary Op== L=b R=(Binary Op== L=a R=v))))"},
		{"a + b * v - w << 1 < 2 == 3 & 4 ^ 5 | 6 && 7 || 8;", "(ExprStmt X=(Binary Op=|| L=(Binary Op=&& L=(Binary Op=| L=(Binary Op=^ L=(Binary Op=& L=(Binary Op=== L=(Binary Op=< L=(Binary Op=<< L=(Binary Op=- L=(Binary Op=+ L=a R=(Binary Op=* L=b R=v)) R=w) R=1) R=2) R=3) R=4) R=5) R=6) R=7) R=8))"},
		{"-a++ - --*(&b)[1];", "(ExprStmt X=(Binary Op=- L=(Unary Op=- X=(Postfix Op=++ X=a)) R=(Unary Op=-- X=(Unary Op=* X=(Index X=(Paren X=(Unary Op=& X=b)) I=1)))))"},
		{"if (S z{1}; a) ; else if (int q = a) b;", "(If Init=(DeclStmt Decls=[(VarDecl Type='S Name=z Init=(InitList Args=[1]))]) Cond=a Then=(Empty) Else=(If Decl=(VarDecl Type='int Name=q Init=a) Then=(ExprStmt X=b)))"},
		{"for (const thread auto &z : w) a += z;", "(RangeFor Decl=(VarDecl Type=(RefType Elem=(AutoType Quals=(Quals Const=true Space=thread))) Name=z) X=w Body=(ExprStmt X=(Binary Op=+= L=a R=z)))"},
		{"as_type<uint>(a) < 3 > b;", "(ExprStmt X=(Binary Op=> L=(Binary Op=< L=(Call Fun=as_type<'uint> Args=[a]) R=3) R=b))"},
		{"metal::max(a, b) + ::metal::vec<float, 2>(1).x + ::v;", "(ExprStmt X=(Binary Op=+ L=(Binary Op=+ L=(Call Fun=metal::max Args=[a b]) R=(Member X=(Construct Type='::metal::vec<'float,2> Args=[1]) Name=x)) R=::v))"},
		{"decltype(a + b) z = decltype(a)(1);", "(DeclStmt Decls=[(VarDecl Type=(DecltypeType X=(Binary Op=+ L=a R=b)) Name=z Init=(Construct Type=(DecltypeType X=a) Args=[1]))])"},
		{"static_cast<A<A<T>>>(a);", "(ExprStmt X=(Cast Kind=static_cast Type='A<'A<'T>> X=a))"},
		{"v([&](int x) { return x; }, [=] { }, a[v[1]]);", "(ExprStmt X=(Call Fun=v Args=[(Lambda) (Lambda) (Index X=a I=(Index X=v I=1))]))"},
		{"bool b = is_same_v<T, A<int>> && v < w;", "(DeclStmt Decls=[(VarDecl Type='bool Name=b Init=(Binary Op=&& L=is_same_v<'T,'A<'int>> R=(Binary Op=< L=v R=w)))])"},
		{"S::In<2> z; A<S::In<2>> y;", "(DeclStmt Decls=[(VarDecl Type='S::In<2> Name=z)])\n(DeclStmt Decls=[(VarDecl Type='A<'S::In<2>> Name=y)])"},
		{"using U = A<T>; U z(a); U(a);", "(DeclStmt Decls=[(AliasDecl Name=U Type='A<'T>)])\n(DeclStmt Decls=[(VarDecl Type='U Name=z Ctor=true Args=[a])])\n(ExprStmt X=(Construct Type='U Args=[a]))"},
		{"enum { p, q = p + 1 }; enum E : uint { r } e = r;", "(DeclStmt Decls=[(EnumDecl Defined=true Items=[(EnumItem Name=p) (EnumItem Name=q Value=(Binary Op=+ L=p R=1))])])\n(DeclStmt Decls=[(EnumDecl Name=E Base='uint Defined=true Items=[(EnumItem Name=r)]) (VarDecl Type='E Name=e Init=r)])"},
		{"Unknown z; Unknown thread *y; Unknown{1};", "(DeclStmt Decls=[(VarDecl Type='Unknown Name=z)])\n(DeclStmt Decls=[(VarDecl Type=(PointerType Elem=(NameType Name=Unknown Quals=(Quals Space=thread))) Name=y)])\n(ExprStmt X=(Construct Type='Unknown Brace=true Args=[1]))"},
		{`v("a" "b", 'c', 0x1p-3f, true);`, `(ExprStmt X=(Call Fun=v Args=["ab" 'c' 0x1p-3f true]))`},
	} {
		require.Equal(t, c.want, body(t, c.src), c.src)
	}
}

// TestDeclarations holds the trees of declarations outside functions.
func TestDeclarations(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{
			"[[host_name(\"a\")]] [[kernel]] void f(device int *x [[buffer(0), function_constant(c)]]);",
			`[(FuncDecl Specs=(Specs Kernel=true Attrs=[(Attribute Name=host_name Args=["a"])]) Result='void Name=f Params=[(Param Type=(PointerType Elem=(NameType Name=int Quals=(Quals Space=device))) Name=x Attrs=[(Attribute Name=buffer Args=[0]) (Attribute Name=function_constant Args=[c])])])]`,
		},
		{
			"template <typename T> void f(T); template [[host_name(\"a\")]] [[kernel]] void f<int>(int);",
			`[(TemplateDecl Params=[(TemplateParam Name=T)] Decl=(FuncDecl Result='void Name=f Params=[(Param Type='T)])) (Instantiation Decl=(FuncDecl Specs=(Specs Kernel=true Attrs=[(Attribute Name=host_name Args=["a"])]) Result='void Name=f<'int> Params=[(Param Type='int)]) Specs=(Specs Kernel=true Attrs=[(Attribute Name=host_name Args=["a"])]))]`,
		},
		{
			"template <typename T> T f(); template [[host_name(\"a\")]] [[kernel]] decltype(f<int>) f<int>;",
			`[(TemplateDecl Params=[(TemplateParam Name=T)] Decl=(FuncDecl Result='T Name=f)) (Instantiation Alias=f<'int> Type=(DecltypeType X=f<'int>) Specs=(Specs Kernel=true Attrs=[(Attribute Name=host_name Args=["a"])]))]`,
		},
		{
			"template <> struct S<int *> { S(); ~S(); operator int *() const thread; int operator()(); };",
			`[(TemplateDecl Decl=(StructDecl Kind=struct Name=S<(PointerType Elem='int)> Defined=true Members=[(FuncDecl Name=S Ctor=true) (FuncDecl Name=~S Dtor=true) (FuncDecl Result=(PointerType Elem='int) Name=operator  Quals=(Quals Const=true Space=thread) Converts=true) (FuncDecl Result='int Name=operator())]))]`,
		},
		{
			"struct S { int b(); int a; S(int x) : a(x), S2<int>{1} { b(); } }; S::S() {} int S::b() { return a; }",
			`[(StructDecl Kind=struct Name=S Defined=true Members=[(FuncDecl Result='int Name=b) (VarDecl Type='int Name=a) (FuncDecl Name=S Params=[(Param Type='int Name=x)] Ctor=true Inits=[(MemberInit Name=a Args=[x]) (MemberInit Name=S2<'int> Brace=true Args=[1])] Body=(Block Stmts=[(ExprStmt X=(Call Fun=b))]))]) (FuncDecl Name=S::S Ctor=true Body=(Block)) (FuncDecl Result='int Name=S::b Body=(Block Stmts=[(Return X=a)]))]`,
		},
		{
			"typedef struct { int x; } P; typedef struct Q { int y; } Q, *R; typedef float V[4];",
			`[(StructDecl Kind=struct Name=P Defined=true Members=[(VarDecl Type='int Name=x)]) (StructDecl Kind=struct Name=Q Defined=true Members=[(VarDecl Type='int Name=y)]) (AliasDecl Name=R Type=(PointerType Elem='Q)) (AliasDecl Name=V Type=(ArrayType Elem='float Len=4))]`,
		},
		{
			"struct { int x; } a, b;",
			`[(VarDecl Type=(NameType Struct=(StructDecl Kind=struct Defined=true Members=[(VarDecl Type='int Name=x)])) Name=a) (VarDecl Type=(NameType Struct=(StructDecl Kind=struct Defined=true Members=[(VarDecl Type='int Name=x)])) Name=b)]`,
		},
		{
			"namespace a { struct T {}; } namespace b = a; b::T x(3); b::T *z;",
			`[(NamespaceDecl Name=a Decls=[(StructDecl Kind=struct Name=T Defined=true)]) (NamespaceAlias Name=b Of=a) (VarDecl Type='b::T Name=x Ctor=true Args=[3]) (VarDecl Type=(PointerType Elem='b::T) Name=z)]`,
		},
		{
			"namespace a::b { } inline namespace c { } namespace { int x; }",
			`[(NamespaceDecl Name=a Decls=[(NamespaceDecl Name=b)]) (NamespaceDecl Name=c) (UsingDirective Name=c) (NamespaceDecl Decls=[(VarDecl Type='int Name=x)])]`,
		},
		{
			"template <typename T, int N = (1 > 0), typename = enable_if_t<(N > 2)>, typename X<T>::type V = 0, typename... U> struct S;",
			`[(TemplateDecl Params=[(TemplateParam Name=T) (TemplateParam Name=N Type='int Default=(Paren X=(Binary Op=> L=1 R=0))) (TemplateParam Default='enable_if_t<(Paren X=(Binary Op=> L=N R=2))>) (TemplateParam Name=V Type=(NameType Name=X<'T>::type Typename=true) Default=0) (TemplateParam Name=U Pack=true)] Decl=(StructDecl Kind=struct Name=S))]`,
		},
		{
			"#pragma METAL fp contract(off)\nvoid f() {\n#pragma METAL fp math_mode(safe)\nint x; }",
			`[(PragmaDecl Text=METAL fp contract(off)) (FuncDecl Result='void Name=f Body=(Block Pragmas=[(PragmaDecl Text=METAL fp math_mode(safe))] Stmts=[(DeclStmt Decls=[(VarDecl Type='int Name=x)])]))]`,
		},
		{
			"auto f(int x) -> float; int (*g(int))[3]; void h(void), k(int a[], float (&b)[2], int = 3);",
			`[(FuncDecl Result='float Name=f Params=[(Param Type='int Name=x)]) (FuncDecl Result=(PointerType Elem=(ArrayType Elem='int Len=3)) Name=g Params=[(Param Type='int)]) (FuncDecl Result='void Name=h) (FuncDecl Result='void Name=k Params=[(Param Type=(ArrayType Elem='int) Name=a) (Param Type=(RefType Elem=(ArrayType Elem='float Len=2)) Name=b) (Param Type='int Default=3)])]`,
		},
		{
			"struct S { void f(int Late) { L *q; Late * q; } struct L {}; struct Late {}; static int v; void g(); }; int S::v = L(1); void S::g() { L *q; }",
			`[(StructDecl Kind=struct Name=S Defined=true Members=[(FuncDecl Result='void Name=f Params=[(Param Type='int Name=Late)] Body=(Block Stmts=[(DeclStmt Decls=[(VarDecl Type=(PointerType Elem='L) Name=q)]) (ExprStmt X=(Binary Op=* L=Late R=q))])) (StructDecl Kind=struct Name=L Defined=true) (StructDecl Kind=struct Name=Late Defined=true) (VarDecl Specs=(Specs Static=true) Type='int Name=v) (FuncDecl Result='void Name=g)]) (VarDecl Type='int Name=S::v Init=(Construct Type='L Args=[1])) (FuncDecl Result='void Name=S::g Body=(Block Stmts=[(DeclStmt Decls=[(VarDecl Type=(PointerType Elem='L) Name=q)])]))]`,
		},
		{
			"template <typename T> T f(T); float f(float); int x = f<int>(1);",
			`[(TemplateDecl Params=[(TemplateParam Name=T)] Decl=(FuncDecl Result='T Name=f Params=[(Param Type='T)])) (FuncDecl Result='float Name=f Params=[(Param Type='float)]) (VarDecl Type='int Name=x Init=(Call Fun=f<'int> Args=[1]))]`,
		},
		{
			"template <typename T> struct R; template <> struct R<int> { using t = int; }; int x = R<int>::t(1);",
			`[(TemplateDecl Params=[(TemplateParam Name=T)] Decl=(StructDecl Kind=struct Name=R)) (TemplateDecl Decl=(StructDecl Kind=struct Name=R<'int> Defined=true Members=[(AliasDecl Name=t Type='int)])) (VarDecl Type='int Name=x Init=(Construct Type='R<'int>::t Args=[1]))]`,
		},
		{
			"struct S { int a : 3; static constexpr constant int k = 1; union { int i; float f; }; };",
			`[(StructDecl Kind=struct Name=S Defined=true Members=[(VarDecl Type='int Name=a Bits=3) (VarDecl Specs=(Specs Static=true Constexpr=true) Type=(NameType Name=int Quals=(Quals Space=constant)) Name=k Init=1) (StructDecl Kind=union Defined=true Members=[(VarDecl Type='int Name=i) (VarDecl Type='float Name=f)])])]`,
		},
	} {
		require.Equal(t, c.want, dump(parseClean(t, c.src).Decls), c.src)
	}
}
