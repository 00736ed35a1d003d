package lint

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// check type-checks one file and lints it.
func check(t *testing.T, name string, o Options) model.Findings {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
	require.NoError(t, err)
	info := Info()
	_, err = (&types.Config{Importer: importer.ForCompiler(fset, "source", nil)}).Check("p", fset, []*ast.File{f}, info)
	require.NoError(t, err)
	return Files(fset, []*ast.File{f}, info, o)
}

// TestFindings compares what is found in each file of testdata with what its comments want: `want COLUMN KIND TEXT` of a finding in that
// line, and `leaves COLUMN` of one that Options.Escapes adds.
func TestFindings(t *testing.T) {
	names, err := filepath.Glob("testdata/*/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	wants := regexp.MustCompile(`(want|leaves) (\d+)(?: ([a-z-]+) ([^/*]*[^/* ]))?`)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var plain, strict []string
		for i, line := range strings.Split(string(text), "\n") {
			for _, m := range wants.FindAllStringSubmatch(line, -1) {
				at := fmt.Sprintf("%d:%s %s %s", i+1, m[2], m[3], m[4])
				if m[1] == "leaves" {
					at = fmt.Sprintf("%d:%s contraction leaves the function", i+1, m[2])
				} else {
					plain = append(plain, at)
				}
				strict = append(strict, at)
			}
		}
		for want, o := range map[*[]string]Options{&plain: {}, &strict: {Escapes: true}} {
			found := check(t, name, o)
			var got []string
			for i, f := range found {
				at := strconv.Itoa(f.Pos.Line) + ":" + strconv.Itoa(f.Pos.Column) + " " + string(f.Kind)
				// The text that is wanted need only be in what is said.
				if i < len(*want) {
					if _, text, ok := strings.Cut((*want)[i], string(f.Kind)+" "); ok && strings.Contains(f.String(), text) {
						at += " " + text
					} else {
						at += " " + f.Text
					}
				}
				got = append(got, at)
				require.Equal(t, name, f.Pos.File)
				require.NotEmpty(t, f.Fix)
			}
			require.Equal(t, *want, got, "%s, %+v", name, o)
		}
	}
}

// TestPackagesOfAModule lints a package by the go command, and fails a test with what it finds.
func TestPackagesOfAModule(t *testing.T) {
	var r recorder
	Check(&r, Options{Dir: "testdata"}, "./dot")
	require.Equal(t, []string{
		"dot/dot.go:8:8: contraction: this product may be fused into the addition; write float64(x*y)",
	}, r.errors)
	require.Empty(t, r.fatal)

	Check(&r, Options{Dir: "testdata"}, "./absent")
	require.Contains(t, r.fatal, "go list")
	_, err := Packages(Options{Dir: "testdata"}, "./empty/...")
	require.ErrorContains(t, err, "no Go file")
}

// recorder is a TB that keeps what it is told.
type recorder struct {
	errors []string
	fatal  string
}

func (*recorder) Helper() {}
func (r *recorder) Errorf(format string, a ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, a...))
}
func (r *recorder) Fatalf(format string, a ...any) { r.fatal = fmt.Sprintf(format, a...) }
