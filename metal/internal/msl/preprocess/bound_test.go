package preprocess

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/msl/token"
)

// doubling defines macros m0 to mn, each twice the one before.
func doubling(n int, text, format string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#define m0 %s\n", text)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "#define m%d "+format+"\n", i, i-1, i-1)
	}
	fmt.Fprintf(&b, "m%d\n", n)
	return b.String()
}

func TestBounds(t *testing.T) {
	chain := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "#define c%d c%d\n", i, i+1)
		}
		return b.String() + "c0"
	}
	for _, c := range []struct{ name, src, want string }{
		{"tokens", doubling(40, "x", "m%d m%d"), `while macro m40 is expanded`},
		{"tokens that vanish", doubling(40, "", "m%d m%d"), `macros made over 2000000 tokens, the limit, while macro m40 is expanded`},
		{"tokens of the source", strings.Repeat(";", MaxTokens+1), `the source has over 2000000 tokens`},
		{"tokens of a line", "#error " + strings.Repeat(";", MaxTokens+1), `this line has over 2000000 tokens`},
		{"tokens of an argument", "#define f(x) x\nf(" + strings.Repeat(";", MaxTokens+1), `an argument of macro f has over`},
		{"tokens of a condition", strings.Replace(doubling(40, "1", "m%d+m%d"), "\nm40", "\n#if m40", 1), `while macro m40 is expanded`},
		{"arguments", "#define d(x) x x\n" + strings.Repeat("d(", 40) + "1" + strings.Repeat(")", 40), `while macro d is expanded`},
		{"text", "#define cat(a,b) a##b\n#define d(x) cat(x,x)\n" + strings.Repeat("d(", 40) + "a" + strings.Repeat(")", 40), `# and ## made over 16777216 bytes`},
		{"nesting", chain(2000), `macros nest 1024 deep, the limit, while macro c0 is expanded`},
		{"nesting of arguments", "#define f(x) x\n" + strings.Repeat("f(", 3000) + strings.Repeat(")", 3000), `the limit, while macro f is expanded`},
		{"conditionals", strings.Repeat("#if 1\n", MaxConditionals+1), `#if nests 1000 deep`},
		{"skipped conditionals", strings.Repeat("#if 0\n", MaxConditionals+1), `#if nests 1000 deep`},
		{"parentheses", "#if " + strings.Repeat("(", 1e5), `this condition nests over 256 deep`},
		{"signs", "#if " + strings.Repeat("- ", 1e5) + "1", `this condition nests over 256 deep`},
		{"conditionals in a condition", "#if " + strings.Repeat("1?1:", 1e5) + "1", `this condition nests over 256 deep`},
		{"parameters", "#define f(a" + strings.Join(strings.Fields(strings.Repeat(" b", 1000)), ",") + ")", `of macro f`},
		{"include", "#include \"self.h\"", `#include nests 64 deep`},
		{"includes", "#include \"t0\"", `over 4096 files`},
		{"source", strings.Repeat(" ", MaxSource+1), `over the limit of 16777216`},
		{"errors", strings.Repeat("@ ", 1e6), `has no meaning`},
	} {
		t.Run(c.name, func(t *testing.T) {
			headers := map[string]string{"self.h": "#include \"self.h\"\n"}
			headers["t14"] = ""
			for i := range 14 {
				headers[fmt.Sprintf("t%d", i)] = strings.Repeat(fmt.Sprintf("#include \"t%d\"\n", i+1), 2)
			}
			toks, diags := Run(c.src, Options{Headers: headers})
			require.ErrorContains(t, diags.Err(), c.want)
			require.LessOrEqual(t, len(diags), 21)
			require.LessOrEqual(t, len(toks), MaxTokens+1)
		})
	}
}

func TestInvalidUTF8(t *testing.T) {
	_, diags := Run("a\n b \xff\xfe c\n// \xc0\n", Options{FileName: "u"})
	require.Len(t, diags, 2)
	require.EqualError(t, diags[0], "u:2:4: error: the byte 0xff is not UTF-8; save the file as UTF-8")
	require.EqualError(t, diags[1], "u:3:4: error: the byte 0xc0 is not UTF-8; save the file as UTF-8")
}

func TestDefines(t *testing.T) {
	for _, name := range []string{"", "1", "a b(", "a\nb", "f(", "defined"} {
		_, diags := Run("x", Options{Defines: map[string]string{name: "1"}})
		if name == "a b(" {
			require.NoError(t, diags.Err())
			continue
		}
		require.Error(t, diags.Err(), name)
		require.Equal(t, "<defines>", diags[0].Pos.File)
	}
}

// TestRunsAreApart runs two sources at once that expand the same predefined macros; the race detector looks on.
func TestRunsAreApart(t *testing.T) {
	done := make(chan string)
	for range 4 {
		go func() {
			toks, _ := Run(strings.Repeat("CHAR_MAX METAL_FUNC\n", 200), Options{})
			done <- text(toks)
		}()
	}
	want := strings.TrimSpace(strings.Repeat("127 inline __attribute__ ( ( __always_inline__ ) ) ", 200))
	for range 4 {
		require.Equal(t, want, <-done)
	}
}

// TestErrorsEnd: many errors of one kind, wherever they are found, are cut off.
func TestErrorsEnd(t *testing.T) {
	for name, src := range map[string]string{
		"open conditionals":  strings.Repeat("#if 1\n", 100),
		"in one condition":   strings.Repeat("#if __has_include#/ / #\n#endif\n", 30),
		"open comments":      strings.Repeat("#include \"h\"\n", 100),
		"at the end of both": strings.Repeat("#include \"i\"\n", 50) + strings.Repeat("#if\n", 19),
	} {
		_, diags := Run(src, Options{FileName: "f", Headers: map[string]string{"h": "/*", "i": "#if 1\n/*"}})
		require.Equal(t, token.MaxErrors, diags.Errors(), name)
	}
}
