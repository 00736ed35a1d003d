package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gamma/model"
)

// Options say what is looked at.
type Options struct {
	// Dir is where the go command runs and what file names are relative to; "" is the current directory.
	Dir string
	// Escapes: products that leave their function unrounded are found too: returned, passed, or stored where others read. A function
	// into which the compiler inlines this one may add them. Those by a constant 2^k, k >= 0, are left out: they are exact unless they overflow.
	Escapes bool
}

// TB is what Check needs of a *testing.T.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Check fails a test with everything that Packages finds.
func Check(t TB, o Options, patterns ...string) {
	t.Helper()
	found, err := Packages(o, patterns...)
	if err != nil {
		t.Fatalf("lint: %v", err)
	}
	for _, f := range found {
		t.Errorf("%s", f)
	}
}

// listed is what `go list` says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// Packages returns what there is in the packages that patterns match, as the go command reads them: ./... for a whole module. Tests are
// not looked at. A comment that allows what is not found is a finding.
//
// Errors: no go command, packages that do not compile, patterns that match no Go file.
func Packages(o Options, patterns ...string) (model.Findings, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	list, err := goList(dir, patterns)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, p := range list {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var all model.Findings
	looked := 0
	for _, p := range list {
		if p.DepOnly || len(p.GoFiles) == 0 {
			continue
		}
		looked++
		var files []*ast.File
		for _, name := range p.GoFiles {
			full := filepath.Join(p.Dir, name)
			text, err := os.ReadFile(full)
			if err != nil {
				return nil, err
			}
			if inner, err := filepath.Rel(dir, full); err == nil && !strings.HasPrefix(inner, "..") {
				full = filepath.ToSlash(inner)
			}
			f, err := parser.ParseFile(fset, full, text, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
		info := Info()
		if _, err := (&types.Config{Importer: imports, FakeImportC: true}).Check(p.ImportPath, fset, files, info); err != nil {
			return nil, err
		}
		all = append(all, Files(fset, files, info, o)...)
	}
	if looked == 0 {
		return nil, fmt.Errorf("no Go file in %s matches %s", dir, strings.Join(patterns, " "))
	}
	return all, nil
}

// goList asks the go command for packages, with what they import compiled.
func goList(dir string, patterns []string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly", "--"}, patterns...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	var list []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		list = append(list, p)
	}
}

// Info returns the tables that Files needs the type checker to fill.
func Info() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
	}
}

// Files returns what there is in checked files, which were parsed with their comments, file by file.
func Files(fset *token.FileSet, files []*ast.File, info *types.Info, o Options) model.Findings {
	var all model.Findings
	for _, f := range files {
		at := func(p token.Pos) model.Position {
			q := fset.Position(p)
			return model.Position{File: q.Filename, Line: q.Line, Column: q.Column}
		}
		r := &reader{info: info, at: at, escapes: o.Escapes, parents: parents(f)}
		for _, d := range f.Decls {
			r.declaration(d)
		}
		code := map[int]bool{} // lines with something else than comments
		ast.Inspect(f, func(n ast.Node) bool {
			switch n.(type) {
			case nil, *ast.Comment, *ast.CommentGroup:
				return false
			}
			code[at(n.Pos()).Line], code[at(n.End()).Line] = true, true
			return true
		})
		var allowed []model.Allowance
		for _, group := range f.Comments {
			for _, c := range group.List {
				p := at(c.Pos())
				if a, ok := model.ParseAllowance(p, !code[p.Line], c.Text); ok {
					allowed = append(allowed, a)
				}
			}
		}
		all = append(all, r.found.Allow(allowed, true)...)
	}
	return all
}
