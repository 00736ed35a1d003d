package props_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// keyLine is an entry of a list of sources in a package comment.
	keyLine = regexp.MustCompile(`(?m)^\t(\[[^\]\n]+\])`)
	// citation is what looks like a key: a name and a year, or one of the keys without a year.
	citation = regexp.MustCompile(`\[(?:[A-Z][^\[\]]*[ -](?:18|19|20)\d\d[a-z]?|(?:Gamma|MSL)[^\[\]]*|C17|C\+\+17|Intel SDM|NumPy|TorchLean|FloatLib|lean-ieee754)\]`)
	// theorem is a key of this project's own, which a function's comment has to prove.
	theorem = regexp.MustCompile(`\[Gamma [A-Z]+\d*\]`)
	// unkeyed is what only a citation has: a year, a section, a numbered theorem, a page.
	unkeyed = regexp.MustCompile(`\b(?:18|19|20)\d\d\b|§|\b[Tt]heorem \d|\bAlgorithm \d|\.md\b|Specification`)
	// statement is where a comment starts to name its source, unless in a line of code.
	statement = regexp.MustCompile(`(?m)^(?:[^\t\n][^\n]*)?\bSource:\s`)
	// elsewhere names what a reader of this repository does not have.
	elsewhere = regexp.MustCompile(`\bshared/|\breference (?:page|/)|\bseeds?/|\bissues? #?\d+\b|\bbounds-checked\b|\bsummation-bounds\b`)
)

// grounds are what a source may rest on instead of a publication: what the reader sees in place, or school mathematics.
var grounds = []string{
	"the claim", "the definition", "definition", "axioms of", "induction over", "Horner's rule", "arithmetic modulo 2^b is exact",
	"model.", "the product is exact",
}

// sources is what the sources of a tree of Go and Metal files are held to.
type sources struct {
	listed map[string]map[string]bool // keys by folder
	proved map[string]bool            // keys of own theorems that the doc comment of a function has
	faults []string
}

func (s *sources) fault(at token.Position, format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf("%s:%d: ", filepath.ToSlash(at.Filename), at.Line)+fmt.Sprintf(format, args...))
}

// learn takes the list of sources in a file's package comment and the keys that its functions' comments prove.
func (s *sources) learn(path string, f *ast.File) {
	if f.Doc != nil {
		if _, list, ok := strings.Cut(f.Doc.Text(), "# Sources"); ok {
			keys := map[string]bool{}
			for _, m := range keyLine.FindAllStringSubmatch(list, -1) {
				keys[m[1]] = true
			}
			for _, key := range theorem.FindAllString(list, -1) {
				keys[key] = true
			}
			s.listed[filepath.Dir(path)] = keys
		}
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil {
			for _, text := range statements(fn.Doc.Text()) {
				for _, key := range citation.FindAllString(text, -1) {
					s.proved[key] = true
				}
			}
		}
	}
}

// known reports whether a key cited in a folder is in its list or in package model's, and proved if it is a theorem of ours.
func (s *sources) known(key, folder, model string) bool {
	return (s.listed[model][key] || s.listed[folder][key]) && (s.proved[key] || !theorem.MatchString(key))
}

// statements returns what a comment says after each "Source:", to the end of the paragraph or the next heading.
func statements(comment string) []string {
	var list []string
	for _, at := range statement.FindAllStringIndex(comment, -1) {
		text := comment[at[1]:]
		if end := regexp.MustCompile(`\n\s*\n|\n[A-Z]\w+: `).FindStringIndex(text); end != nil {
			text = text[:end[0]]
		}
		list = append(list, strings.Join(strings.Fields(text), " "))
	}
	return list
}

// source judges one statement of a source.
func (s *sources) source(at token.Position, text string) {
	if len(citation.FindAllString(text, -1)) == 0 {
		rests := false
		for _, g := range grounds {
			rests = rests || strings.HasPrefix(text, g)
		}
		if !rests {
			s.fault(at, "the source %q has no key; cite one of model/doc.go's list, or add it there", text)
			return
		}
	}
	for _, part := range strings.Split(text, ";") {
		if len(citation.FindAllString(part, -1)) == 0 && unkeyed.MatchString(part) {
			s.fault(at, "the source %q cites without a key; cite one of model/doc.go's list, or add it there", strings.TrimSpace(part))
		}
	}
}

// line returns where needle stands in a text that starts at a place.
func line(at token.Position, text, needle string) token.Position {
	before, _, _ := strings.Cut(text, needle)
	at.Line += strings.Count(before, "\n")
	return at
}

// prose judges a comment or a text: every key in it is listed, and it sends nobody to a file that is not here.
func (s *sources) prose(at token.Position, text, model string) {
	for _, key := range citation.FindAllString(text, -1) {
		if !s.known(key, filepath.Dir(at.Filename), model) {
			s.fault(line(at, text, key), "%s is not in model/doc.go's list of sources, or is a theorem that no function's comment derives", key)
		}
	}
	if found := elsewhere.FindString(text); found != "" {
		s.fault(line(at, text, found), "%q is not in this repository: cite the public source, or derive it here", found)
	}
}

// file judges the comments, the texts and the Source fields of a Go file.
func (s *sources) file(fset *token.FileSet, f *ast.File, model string) {
	for _, group := range f.Comments {
		at, text := fset.Position(group.Pos()), group.Text()
		s.prose(at, text, model)
		for _, source := range statements(text) {
			s.source(line(at, text, "Source:"), source)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
				s.prose(fset.Position(n.Pos()), text, model)
			}
		case *ast.KeyValueExpr:
			field, ok := n.Key.(*ast.Ident)
			literal, text := n.Value.(*ast.BasicLit)
			if ok && text && field.Name == "Source" && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					s.source(fset.Position(literal.Pos()), text)
				}
			}
		}
		return true
	})
}

// judgeSources returns what is wrong with the sources below root, whose list stands in the package comment of folder model.
func judgeSources(root string) ([]string, error) {
	s := &sources{listed: map[string]map[string]bool{}, proved: map[string]bool{}}
	fset := token.NewFileSet()
	var files []*ast.File
	var metal []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (d.Name() == "testdata" || d.Name()[0] == '.'):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".metal"):
			metal = append(metal, path)
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			s.learn(path, f)
			files = append(files, f)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	model := filepath.Join(root, "model")
	for _, f := range files {
		s.file(fset, f, model)
	}
	for _, path := range metal {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(string(text), "\n") {
			s.prose(token.Position{Filename: path, Line: i + 1}, line, model)
		}
	}
	return s.faults, nil
}

// TestSourcesResolve holds every source that the code cites to the list in package model's comment.
func TestSourcesResolve(t *testing.T) {
	needsSource(t)
	faults, err := judgeSources("..")
	require.NoError(t, err)
	require.Empty(t, faults, "%s", strings.Join(faults, "\n"))
}

// TestBadSourcesAreFound plants citations that lead nowhere, and sees that each is found where it stands, and no good one is.
func TestBadSourcesAreFound(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(path)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, path), []byte(text), 0o644))
	}
	write("model/doc.go", "// Package model.\n//\n// # Sources\n//\n//\t[Dekker 1971]  A technique.\n//\t[Gamma T1] [Gamma T2]\npackage model\n")
	write("own/doc.go", "// Package own.\n//\n// # Sources\n//\n//\t[Own 1999]  Ours.\npackage own\n\n// F is good.\n//\n// Source: [Own 1999]; [Gamma T1].\nfunc F() {}\n")
	write("law/law.go", `package law

// A is good.
//
// Source: [Dekker 1971] Theorem 3.
var A = law{Source: "[Dekker 1971]; the claim"}

// B cites another package's key.
//
// Source: [Own 1999].
var B = law{Source: "Dekker 1971, section 2"}

// C is not in the list.
//
// Source: [Gamma T3].
func C() {}

// D is proved nowhere.
//
// Source: [Gamma T2].
var D = law{Source: "the claim; Knuth 1997"}

// E: see shared/reference/bounds.
//
// Source: folklore.
var E = law{Source: "[Gamma T1]"}
`)
	write("a.metal", "// Source: [Dekker 1972].\n")
	faults, err := judgeSources(root)
	require.NoError(t, err)
	var lines []string
	for _, f := range faults {
		rel, err := filepath.Rel(root, f[:strings.LastIndex(f[:strings.Index(f, ": ")], ":")])
		require.NoError(t, err)
		lines = append(lines, filepath.ToSlash(rel)+strings.TrimPrefix(f, filepath.ToSlash(filepath.Join(root, rel))))
	}
	require.Len(t, lines, 9, "%s", strings.Join(lines, "\n"))
	for i, want := range []string{
		"law/law.go:10: [Own 1999] is not in", `law/law.go:11: the source "Dekker 1971, section 2" has no key`,
		"law/law.go:15: [Gamma T3] is not in", "law/law.go:20: [Gamma T2] is not in", "model/doc.go:6: [Gamma T2] is not in", `law/law.go:21: the source "Knuth 1997" cites without a key`,
		`law/law.go:23: "shared/" is not in this repository`, `law/law.go:25: the source "folklore." has no key`,
		"a.metal:1: [Dekker 1972] is not in",
	} {
		require.Contains(t, strings.Join(lines, "\n"), want, "%d", i)
	}
}
