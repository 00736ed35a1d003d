package props_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// longest is how many lines a function may have, from func to its closing brace.
const longest = 100

// TestFunctionLength holds every function outside generated code to a length that one can read. Those
// that were longer when the rule came stand in a list, which only shrinks.
func TestFunctionLength(t *testing.T) {
	needsSource(t)
	const list = "testdata/long_functions.txt"
	text, err := os.ReadFile(list)
	require.NoError(t, err)
	allowed := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var name string
		var lines int
		_, err := fmt.Sscan(line, &lines, &name)
		require.NoError(t, err, "%s: %q is not a number of lines and a function", list, line)
		allowed[name] = lines
	}
	seen := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 2 && d.Name()[0] == '.'):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		for _, f := range functions(fset, file) {
			seen++
			name := filepath.ToSlash(strings.TrimPrefix(path, "../")) + ":" + f.name
			if may := max(longest, allowed[name]); f.lines > may {
				t.Errorf("%s has %d lines: more than %d; divide it", name, f.lines, may)
			} else if f.lines < may && may > longest {
				t.Errorf("%s has %d lines by now: say so in props/%s, or delete its line there if there are no more than %d", name, f.lines, list, longest)
			}
			delete(allowed, name)
		}
		return nil
	}))
	for name := range allowed {
		t.Errorf("props/%s lists %s, which does not exist: delete its line", list, name)
	}
	require.Greater(t, seen, 1000, "functions looked at")
}

// function is a function's name, with its receiver's type, and its length.
type function struct {
	name  string
	lines int
}

// functions returns the functions declared in a file, and the function literals outside them.
func functions(fset *token.FileSet, file *ast.File) []function {
	var found []function
	ast.Inspect(file, func(n ast.Node) bool {
		var name string
		switch n := n.(type) {
		case *ast.FuncDecl:
			name = n.Name.Name
			if n.Recv != nil {
				name = strings.TrimPrefix(types.ExprString(n.Recv.List[0].Type), "*") + "." + name
			}
		case *ast.FuncLit:
			name = fmt.Sprintf("func%d", len(found))
		default:
			return true
		}
		found = append(found, function{name, fset.Position(n.End()).Line - fset.Position(n.Pos()).Line + 1})
		return false
	})
	return found
}

// TestFunctionsAreMeasured measures functions of known length.
func TestFunctionsAreMeasured(t *testing.T) {
	const src = `package p

// A comment that does not count.
func a() {}

func (m *M[T]) b() {
	_ = func() {
	}
}

var c = func() {
}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, 0)
	require.NoError(t, err)
	require.Equal(t, []function{{"a", 1}, {"M[T].b", 4}, {"func2", 2}}, functions(fset, file))
}
