// Command types type-checks the packages of the current module, tests included, for the target that GOOS and GOARCH name, from source:
// nothing is compiled, so that a target costs seconds where go vet or go build would first compile the standard library for it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// listed is what go list says of a package. An import path in brackets, as in "p [q.test]", is p as it is built for the test of q.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Standard        bool
	Module          *struct{ GoVersion string }
	Error           *struct{ Err string }
}

func main() {
	command := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,ImportMap,Standard,Module,Error", "-deps", "-test", "./...")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	check(err)
	check(command.Start())
	packages, count := map[string]*types.Package{"unsafe": types.Unsafe}, 0
	// go list prints a package after all that it imports.
	for d := json.NewDecoder(out); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if check(err); p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") {
			continue // the main program of a test is written by the go command
		}
		if p.Error != nil {
			fail("%s: %s", p.ImportPath, p.Error.Err)
		}
		packages[p.ImportPath] = typed(p, packages)
		if !p.Standard {
			count++
		}
	}
	check(command.Wait())
	if count == 0 {
		fail("no package to check")
	}
	fmt.Printf("%d packages have right types for %s/%s\n", count, target("GOOS", runtime.GOOS), target("GOARCH", runtime.GOARCH))
}

// typed returns the types of p, whose imports are in packages. The bodies of the standard library's functions are not looked at.
func typed(p listed, packages map[string]*types.Package) *types.Package {
	files := make([]*ast.File, len(p.GoFiles))
	set := token.NewFileSet()
	for i, name := range p.GoFiles {
		var err error
		files[i], err = parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		check(err)
	}
	wrong := 0
	config := types.Config{
		IgnoreFuncBodies: p.Standard,
		FakeImportC:      true,
		Sizes:            types.SizesFor("gc", target("GOARCH", runtime.GOARCH)),
		Importer: importer(func(path string) (*types.Package, error) {
			if to, ok := p.ImportMap[path]; ok {
				path = to
			}
			if found := packages[path]; found != nil {
				return found, nil
			}
			return nil, fmt.Errorf("%s was not listed", path)
		}),
		Error: func(err error) {
			if !p.Standard {
				fmt.Fprintln(os.Stderr, err)
				wrong++
			}
		},
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	found, err := config.Check(path, set, files, nil)
	if wrong > 0 {
		fail("%s has wrong types for %s/%s", p.ImportPath, target("GOOS", runtime.GOOS), target("GOARCH", runtime.GOARCH))
	}
	if p.Standard {
		return found
	}
	check(err)
	return found
}

// target returns what the environment says of the target, or what the program itself runs on.
func target(name, own string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return own
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

func check(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "types: "+format+"\n", args...)
	os.Exit(1)
}
