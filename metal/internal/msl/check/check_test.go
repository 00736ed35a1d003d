package check

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/msl/preprocess"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// checkSource runs the whole front end over a source.
func checkSource(name, src string, fp ir.FP) (*typed.Program, token.List) {
	toks, errs := preprocess.Run(src, preprocess.Options{FileName: name})
	if errs.Errors() > 0 {
		return nil, errs
	}
	f, errs := syntax.Parse(toks)
	prog, more := Program(f, Options{FP: fp, Version: 320})
	if errs.Errors() > 0 {
		prog = nil
	}
	return prog, append(errs, more...)
}

// TestFiles checks the files of testdata: a comment "### regexp" stands on each line that has an error or
// warning, and nowhere else.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.metal")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			for _, part := range strings.Split(string(src), "// ------\n") {
				checkFile(t, name, part)
			}
		})
	}
}

// checkFile compares the diagnostics of one source with its comments.
func checkFile(t *testing.T, name, src string) {
	t.Helper()
	prog, errs := checkSource(name, src, ir.ContractOn)
	want := map[int][]string{}
	sc := bufio.NewScanner(strings.NewReader(src))
	for n := 1; sc.Scan(); n++ {
		if _, w, ok := strings.Cut(sc.Text(), "// ### "); ok {
			want[n] = strings.Split(w, " ### ")
		}
	}
	got := map[int][]string{}
	for _, e := range errs {
		s := e.Error()
		_, s, _ = strings.Cut(s, fmt.Sprintf(":%d: ", e.Pos.Column))
		got[e.Pos.Line] = append(got[e.Pos.Line], s)
	}
	lines := strings.Split(src, "\n")
	for n, list := range got {
		for _, s := range list {
			found := false
			for i, w := range want[n] {
				if regexp.MustCompile(w).MatchString(s) {
					want[n] = append(want[n][:i:i], want[n][i+1:]...)
					found = true
					break
				}
			}
			if !found {
				t.Errorf("%s: line %d: %s\n    unexpected: %s", name, n, lines[min(n, len(lines))-1], s)
			}
		}
	}
	for n, list := range want {
		for _, w := range list {
			t.Errorf("%s: line %d: %s\n    nothing matches %q", name, n, lines[n-1], w)
		}
	}
	if errs.Errors() == 0 {
		require.NotNil(t, prog)
	} else {
		require.Nil(t, prog)
	}
}
