package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gamma/metal/msl/ir"
)

// FuzzCheck holds the checker to its promise for any source: an error with a place or a program, never a panic.
func FuzzCheck(f *testing.F) {
	for _, pattern := range []string{"testdata/*.metal", "testdata/run/*.metal"} {
		files, _ := filepath.Glob(pattern)
		for _, name := range files {
			if strings.Contains(name, "bounds") {
				continue // slow by intent
			}
			src, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			for _, part := range strings.Split(string(src), "// ------\n") {
				f.Add(part)
			}
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 1<<16 {
			return
		}
		prog, errs := checkSource("fuzz.metal", src, ir.ContractOn)
		for _, e := range errs {
			if strings.Contains(e.Msg, "the checker failed inside") {
				t.Fatalf("%v", e)
			}
			if e.Pos.Line == 0 {
				t.Fatalf("no place: %v", e)
			}
		}
		if (prog == nil) != (errs.Errors() > 0) {
			t.Fatalf("a program is %v with %d errors", prog != nil, errs.Errors())
		}
	})
}
