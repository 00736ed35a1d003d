package preprocess

import (
	"os"
	"path/filepath"
	"testing"

	"gamma/metal/internal/msl/token"
)

// FuzzPreprocess holds any text, which is also its own header, to what Run promises.
func FuzzPreprocess(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.metal")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), "x")
	}
	f.Add("#define f(x) x f\n#define g f\nf(g)(1)(f)(2)\n#include \"h\"\n", "f(")
	f.Add("#define c(a,b,...) a##b #a , ## __VA_ARGS__\nc(x,y) c(,) c(1,.2,3)", "c(c,c)")
	f.Add("#if defined x && (1?2:-3)>>1 == 'a' || __has_include(<h>)\n_Pragma(\"METAL fp contract(off)\")\n#elif 1\n#endif", "")
	f.Fuzz(func(t *testing.T, src, define string) {
		toks, diags := Run(src, Options{Headers: map[string]string{"h": src}, Defines: map[string]string{"x": define}, FileName: "f"})
		if len(toks) > MaxTokens+1 || diags.Errors() > token.MaxErrors {
			t.Fatalf("%d tokens, %d errors", len(toks), diags.Errors())
		}
		for i, k := range toks {
			if last := i == len(toks)-1; last != (k.Kind == token.EOF) {
				t.Fatalf("EOF at %d of %d", i, len(toks))
			}
			if k.Kind > token.Pragma {
				t.Fatalf("an inner kind %d of %q got out", k.Kind, k.Text)
			}
			if k.Kind != token.EOF && (k.Text == "" || k.Pos.Line < 0 || k.Pos.Column < 1) {
				t.Fatalf("token %q at %v", k.Text, k.Pos)
			}
		}
		for _, d := range diags {
			if d.Msg == "" || d.Pos.Column < 1 {
				t.Fatalf("diagnostic without a place: %v", d)
			}
		}
	})
}
