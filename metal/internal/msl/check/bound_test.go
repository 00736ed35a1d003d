package check

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
)

// TestBounds gives sources that ask for work without end. Each gets an answer within seconds.
func TestBounds(t *testing.T) {
	chain := func(n int, f func(i int) string) string {
		var s strings.Builder
		for i := range n {
			s.WriteString(f(i) + "\n")
		}
		return s.String()
	}
	for name, c := range map[string]struct{ src, want string }{
		"defaults": {
			"int f(int a = f() + f());\nint f(int a) { return a; }\nkernel void k(device int *o) { o[0] = f(); }",
			"default arguments",
		},
		"aliases": {
			"template <typename A, typename B> struct P { A a; B b; };\ntemplate <typename T> using A0 = P<T, T>;\n" +
				chain(40, func(i int) string { return fmt.Sprintf("template <typename T> using A%d = A%d<P<T, T>>;", i+1, i) }) +
				"kernel void k(device int *o) { A40<int> x; }",
			"letters|too large|larger than",
		},
		"instances": {
			"template <int N> int f() { return f<2 * N>() + f<2 * N + 1>(); }\nkernel void k(device int *o) { o[0] = f<1>(); }",
			"more than 100000 templates|deep",
		},
		"depth": {
			"template <typename T> struct S { S<S<T>> operator+(S<S<T>> x); typedef typename S<T *>::type type; };\nkernel void k(device int *o) { S<int> s; }",
			"deep|letters",
		},
		"lists": {
			"struct A { int x; A(int a) : x(a) {} };\nstruct B { A a; B(A q) : a(q) {} B(B *p) : a(0) {} };\nvoid f(B b) {}\nvoid f(A b) {}\nkernel void k(device int *o) { f(" + strings.Repeat("{", 60) + "1" + strings.Repeat("}", 60) + "); }",
			"",
		},
		"constants": {
			"constexpr int f(int n) { int s = 0; for (int i = 0; i < 900000; i++) { s ^= i; } return s + n; }\n" +
				chain(60, func(i int) string { return fmt.Sprintf("constant int c%d = f(%d);", i, i) }) + "kernel void k(device int *o) {}",
			"steps",
		},
		"arrays":  {"constant int a[1 << 20][1 << 20] = {};\nkernel void k(device int *o) {}", "larger than"},
		"arrays2": {"struct S { int x = 1; };\nkernel void k(device int *o) { S s[64][64][64]; }", "constructed at once"},
		"members": {"struct S { int a[1 << 28]; int b[1 << 28]; int c[1 << 28]; };\nkernel void k(device S *o) {}", "larger than"},
		"errors":  {"kernel void k(device int *o) {\n" + chain(100, func(i int) string { return fmt.Sprintf("x%d = 1;", i) }) + "}", "not declared"},
		"chain":   {"kernel void k(device int *o) { o[0] = o[1]" + strings.Repeat(" + o[1]", 2000) + "; }", ""},
		"logic":   {"kernel void k(device int *o) { o[0] = o[1]" + strings.Repeat(" && o[1]", 2000) + "; }", ""},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			prog, errs := checkSource("b.metal", c.src, ir.ContractOn)
			require.Less(t, time.Since(begin), 20*time.Second)
			require.LessOrEqual(t, errs.Errors(), 20)
			for _, e := range errs {
				require.NotContains(t, e.Msg, "the checker failed inside")
				require.NotZero(t, e.Pos.Line)
			}
			if c.want == "" {
				return
			}
			require.Nil(t, prog)
			require.Regexp(t, c.want, errs.Error())
		})
	}
}

// TestDoublingTypes gives types that hold one another twice: what is in them is found once a type, not once a path.
func TestDoublingTypes(t *testing.T) {
	double := func(word, first string, n int) string {
		s := word + " S0 { " + first + " };\n"
		for i := range n {
			s += fmt.Sprintf("%s S%d { S%d a; S%d b; };\n", word, i+1, i, i)
		}
		return s + fmt.Sprintf("kernel void k(device uint *o) { S%d s; S%d q = s; o[0] = sizeof(s); }", n, n)
	}
	const want = `b.metal:1[67]:\d: error: S1[56] is made of more than 65536 members`
	for name, c := range map[string]struct{ src, want string }{
		"arrays":    {double("struct", "uint a[16];", 59), want},
		"empty":     {double("struct", "", 59), want},
		"unions":    {double("union", "uint a;", 59), want},
		"unions 30": {double("union", "uint a;", 30), want},
		"template": {
			"template <int N> struct B { B<N - 1> a, b; };\ntemplate <> struct B<0> { uint a; };\nkernel void k(device uint *o) { B<40> s; }",
			"is made of more than 65536 members",
		},
		"14 are fine": {double("struct", "", 14), ""},
		"14 unions":   {double("union", "uint a;", 14), ""},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			prog, errs := checkSource("b.metal", c.src, ir.ContractOn)
			require.Less(t, time.Since(begin), 2*time.Second)
			if c.want == "" {
				require.NotNil(t, prog, "%v", errs)
				return
			}
			require.Nil(t, prog)
			require.Regexp(t, c.want, errs.Error())
			require.LessOrEqual(t, errs.Errors(), 4)
		})
	}
}
