package apple

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/msl/preprocess"
	"gamma/metal/internal/msl/token"
)

// same holds the text with its headers pasted in against our own preprocessor, which includes them: the same tokens from the same places, the
// same diagnostics.
func same(t *testing.T, source string, headers map[string]string) {
	t.Helper()
	text, err := inline(source, "main.metal", headers, nil, nil)
	require.NoError(t, err)
	want, wrong := preprocess.Run(source, preprocess.Options{Headers: headers, FileName: "main.metal"})
	got, wrong2 := preprocess.Run(text, preprocess.Options{FileName: "main.metal"})
	if a, b := places(want), places(got); !slices.Equal(a, b) {
		i := 0
		for i < len(a) && i < len(b) && a[i] == b[i] {
			i++
		}
		t.Fatalf("%d tokens, and %d pasted in; they differ from number %d on: %.200q, %.200q\nsource\n%s\npasted\n%s", len(a), len(b), i, a[i:], b[i:], source, text)
	}
	require.Equal(t, wrong.Error(), wrong2.Error(), "source\n%s\npasted\n%s", source, text)
}

// places lists tokens with their places; the end of the text is wherever it is.
func places(list []token.Token) (s []string) {
	for _, x := range list[:len(list)-1] {
		s = append(s, fmt.Sprintf("%s %s", x.Pos, x.Text))
	}
	return s
}

func TestInline(t *testing.T) {
	headers := map[string]string{
		"a.h":      "int a;\n",
		"b.h":      "#pragma once\nint b;",
		"lib/c.h":  "#ifndef C_H\n#define C_H\n#include \"d.h\"\n#include \"c.h\"\nint c;\n#endif\n",
		"lib/d.h":  "#if !defined(D_H)\n#define D_H\n#include \"c.h\"\nint d;\n#endif",
		"x.h":      "int x = N;\n",
		"once.h":   "#pragma once\n#include \"once.h\"\nint once;\n",
		"tail.h":   "int tail; // no newline",
		"odd\\.h":  "int odd;\n",
		"back.h":   "int back; \\\nint more;\n",
		"block.h":  "int block; /* over\nlines */ int b2;\n",
		"empty.h":  "",
		"string.h": "constant char s[] = \"#include \\\"a.h\\\"\";\n",
	}
	for _, source := range []string{
		"#include \"a.h\"\nint m;\n",
		"#include \"a.h\"",
		"int z;\n#include <a.h>\n#include \"a.h\" // twice\nint m;",
		"  #  include /* here */ \"a.h\"\nint m;\n",
		"#\\\ninclude \\\n \"a.h\"\nint m;\n",
		"#include \"b.h\"\n#include \"b.h\"\nint m;\n",
		"#if 0\n#include \"b.h\"\n#endif\n#include \"b.h\"\nint m;\n",
		"#if 0\n#include \"a.h\"\n#else\nint e;\n#endif\nint m;\n",
		"#import \"a.h\"\n#import \"a.h\"\nint m;\n",
		"#include \"lib/c.h\"\n#include \"lib/d.h\"\nint m;\n",
		"#define N 1\n#include \"x.h\"\n#undef N\n#define N 2\n#include \"x.h\"\nint m;\n",
		"#include \"once.h\"\nint m;\n",
		"/* #include \"a.h\"\n#include \"a.h\" */\n// #include \"a.h\"\nint m;\n",
		"// a comment that goes on \\\n#include \"a.h\"\nint m;\n",
		"int m = '\"'; /*\n*/\n#include \"tail.h\"\nint n;\n",
		"int m = 1'000;\n#include \"empty.h\"\nint n;\n",
		"#include \"back.h\"\n#include \"block.h\"\nint m;\n",
		"#include <metal_stdlib>\n#include \"a.h\"\nint m;\n",
		"#include \"string.h\"\nint m;\n",
		"#include \"./lib/../a.h\"\nint m;\n",
		"int m;\r\n#include \"a.h\"\r\nint n;\r\n",
		"#ifdef X\n#include \"missing.h\"\n#endif\n#include \"a.h\"\nint m;\n",
		"#line 100 \"other.metal\"\nint l;\n",
	} {
		t.Run(fmt.Sprintf("%.20q", source), func(t *testing.T) { same(t, source, headers) })
	}
}

// TestInlineDrawn draws texts of lines that matter.
func TestInlineDrawn(t *testing.T) {
	lines := []string{
		"int a;", "#include \"a.h\"", "#include \"b.h\"", "#include <c.h>", "#import \"a.h\"", "#pragma once", "/* open", "close */ int c;",
		"// x \\", "#if 0", "#if 1", "#else", "#endif", "#define N 3", "int n = N;", "\"s /* \\\" \"", "'\"'", "#  include \"d.h\" // d", "int \\", "", "1'0",
	}
	rng := rand.New(rand.NewPCG(1, 2))
	text := func(most int, from int) string {
		var b strings.Builder
		for range rng.IntN(most) {
			l := lines[rng.IntN(len(lines))]
			if strings.Contains(l, ".h") && rng.IntN(3) > 0 || from > 0 && strings.Contains(l, ".h") && !strings.Contains(l, string(rune('a'+from))) {
				continue
			}
			b.WriteString(l + "\n")
		}
		return b.String()
	}
	pasted := 0
	for range 2500 {
		headers := map[string]string{}
		for i, name := range []string{"d.h", "c.h", "b.h", "a.h"} {
			h := text(6, 3-i+1)
			if !closed(h) || i == 0 && strings.Contains(h, "include") {
				h = "int " + name[:1] + ";\n"
			}
			if strings.Contains(h, "#pragma once") { // where it stands late, or is skipped, it does not always count
				h = "#pragma once\n" + strings.ReplaceAll(h, "#pragma once\n", "")
			}
			headers[name] = h
		}
		source := text(12, 0)
		if !closed(source) {
			continue
		}
		out, err := inline(source, "m", headers, nil, nil)
		if err != nil || len(out) > 1<<14 {
			continue // headers that include themselves without end
		} else if out != source {
			pasted++
		}
		same(t, source, headers)
	}
	require.Greater(t, pasted, 100)
}

// closed reports whether a text has its conditionals and comments to itself, as headers have to where they are pasted in.
func closed(s string) bool {
	_, diags := preprocess.Run(strings.ReplaceAll(strings.ReplaceAll(s, "include", "pragma"), "import", "pragma"), preprocess.Options{})
	return diags.Errors() == 0 && !strings.HasSuffix(strings.TrimRight(s, "\n"), "\\")
}

// TestInlineFiles pastes in headers from a folder as those from a map, those that are imported once too.
func TestInlineFiles(t *testing.T) {
	headers := map[string]string{"lib/a.h": "#include \"b.h\"\n#import \"c.h\"\n", "lib/b.h": "int b;\n#include \"lib/c.h\"\n", "lib/c.h": "int c;\n"}
	files := fstest.MapFS{}
	for name, text := range headers {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	const source = "#include \"lib/a.h\"\n#include \"lib/c.h\"\n#include \"lib\"\n"
	want, err := inline(source, "m.metal", headers, nil, nil)
	require.NoError(t, err)
	require.Contains(t, want, "int c;")
	got, err := inline(source, "m.metal", nil, files, nil)
	require.NoError(t, err)
	require.Equal(t, want, got)
	got, err = inline(source, "m.metal", map[string]string{"lib/b.h": "int other;\n"}, files, nil)
	require.NoError(t, err)
	require.Contains(t, got, "int other;", "the map is looked at first")
	require.NotContains(t, got, "int b;")
}

func TestInlineLeavesAlone(t *testing.T) {
	const source = "#include <metal_stdlib>\n#include \"unknown.h\"\n// #include \"a.h\"\nkernel void k() {}"
	got, err := inline(source, "m.metal", map[string]string{"a.h": "int a;"}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, source, got)
	got, err = inline("int m;", "m \"1\"\\.metal", nil, nil, []string{"F(x) x", "E"})
	require.NoError(t, err)
	require.Equal(t, "#define F(x) x\n#define E\n#line 1 \"m \\\"1\\\"\\\\.metal\"\nint m;", got)
}

func TestInlineEnds(t *testing.T) {
	for name, h := range map[string]map[string]string{
		"itself":   {"a.h": "#include \"a.h\"\n"},
		"each":     {"a.h": "#include \"b.h\"\n", "b.h": "int b;\n#include \"a.h\"\n"},
		"doubling": doubling(),
		"large":    {"a.h": strings.Repeat("// "+strings.Repeat("x", 1000)+"\n#include \"b.h\"\n", 3000), "b.h": strings.Repeat("y", 10000)},
	} {
		_, err := inline("#include \"a.h\"\n", "m.metal", h, nil, nil)
		require.Error(t, err, name)
	}
	_, err := inline(strings.Repeat(" ", maxSource+1), "m.metal", nil, nil, nil)
	require.ErrorContains(t, err, "split it")
	_, err = inline("int m;\n#include \"a.h\"\n", "m.metal", map[string]string{"a.h": "\n#include \"a.h\"\n"}, nil, nil)
	require.ErrorContains(t, err, `a.h:2: header "a.h" is included 65 deep`)
}

// doubling is a tower of headers, each of which includes the next one twice.
func doubling() map[string]string {
	m := map[string]string{}
	for c := 'a'; c < 'z'; c++ {
		m[string(c)+".h"] = strings.Repeat(fmt.Sprintf("#include \"%c.h\"\n", c+1), 2)
	}
	return m
}

// FuzzInline: any texts end, and where they have conditionals and comments to themselves nothing changes but the text.
func FuzzInline(f *testing.F) {
	f.Add("#include \"a.h\"\nint m;\n", "#pragma once\nint a;\n", "int b;\n")
	f.Add("/*\n#include \"b.h\"*/", "#include \"b.h\"", "#ifndef X\n#define X\n#include \"a.h\"\n#endif\n")
	f.Fuzz(func(t *testing.T, source, a, b string) {
		out, err := inline(source, "m.metal", map[string]string{"a.h": a, "b.h": b}, nil, nil)
		if err == nil && len(out) > maxSource+len(source)+len(a)+len(b)+100 {
			t.Errorf("%d bytes are more than the limit", len(out))
		}
		if err == nil && !strings.Contains(source, "include") && !strings.Contains(source, "import") && !strings.Contains(source, "\\") && out != source {
			t.Errorf("%q became %q", source, out)
		}
	})
}
