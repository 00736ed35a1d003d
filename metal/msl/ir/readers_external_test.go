package ir_test

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Imports        []string
}

// TestEveryColumnIsRead type-checks all that imports the table of operations and fails for a column that nothing outside table.go reads: such a
// column is a claim that nothing holds true. With -v it prints who reads which.
func TestEveryColumnIsRead(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to list packages with: " + err.Error())
	}
	const table = "gamma/metal/msl/ir"
	out, err := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Imports", "gamma/metal/internal/...", "gamma/metal/msl/...", "gamma/metal/sim/...").Output()
	if err != nil {
		t.Skip("the module's source is not at hand: " + err.Error())
	}
	var all []listed
	exports := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else {
			require.NoError(t, err)
		}
		all = append(all, p)
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	readers := map[string][]string{}
	var columns []string
	for _, p := range all {
		if p.ImportPath != table && !slices.Contains(p.Imports, table) {
			continue
		}
		var files []*ast.File
		for _, f := range p.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, f), nil, 0)
			require.NoError(t, err)
			files = append(files, file)
		}
		info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
		pkg, err := (&types.Config{Importer: imp}).Check(p.ImportPath, fset, files, info)
		require.NoError(t, err)
		if p.ImportPath == table {
			s := pkg.Scope().Lookup("Info").Type().Underlying().(*types.Struct)
			for i := range s.NumFields() {
				columns = append(columns, s.Field(i).Name())
			}
		}
		for x, s := range info.Selections {
			recv := s.Recv()
			if p, ok := recv.(*types.Pointer); ok {
				recv = p.Elem()
			}
			own := p.ImportPath == table && filepath.Base(fset.Position(x.Pos()).Filename) == "table.go"
			name := strings.TrimPrefix(p.ImportPath, "gamma/metal/")
			if c := s.Obj().Name(); recv.String() == table+".Info" && !own && !slices.Contains(readers[c], name) {
				readers[c] = append(readers[c], name)
			}
		}
	}
	require.NotEmpty(t, columns)
	for _, c := range columns {
		slices.Sort(readers[c])
		t.Logf("%-8s %s", c, strings.Join(readers[c], ", "))
		require.NotEmpty(t, readers[c], "column %s of the table of operations is read by nothing: remove it, or drive what knows the same from it", c)
	}
}
