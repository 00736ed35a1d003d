package props_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	architecture = ".github/ARCHITECTURE.md"
	contributing = ".github/CONTRIBUTING.md"
	publishedAt  = "kernels/nn/PUBLISHED.md"
)

var updatePages = flag.Bool("update-pages", false, "write what is generated in README.md and the pages anew: lines of packages, tables, outputs")

// forUsers are the pages that show code of users, whose names and tests are not this repository's.
var forUsers = []string{"README.md", ".github/GUIDE.md", ".github/SETTINGS.md", ".github/PASS.md", "metal/DEVICES.md", "props/testdata/LAWS.md"}

var (
	codeSpan  = regexp.MustCompile("`([^`\n]+)`")
	pageLink  = regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)]*))?\)`)
	heading   = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	somePath  = regexp.MustCompile(`^([\w.][\w.*-]*)/[\w.*/-]*$`)
	goPath    = regexp.MustCompile(`(?:^|\s)\./([\w./-]*)`)
	someName  = regexp.MustCompile(`^([a-z]\w*)\.([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)$`)
	fileName  = regexp.MustCompile(`\.(?:go|mod|sum|md|txt|metal|jsonl)$`)
	aTest     = regexp.MustCompile(`(?:^|[^.\w])((?:Test|Fuzz|Benchmark)[A-Z]\w*)`)
	runs      = regexp.MustCompile(`-run '?\^?(\w+)`)
	ourFlag   = regexp.MustCompile(`-(gamma\.[a-z]+|update[a-z-]*)`)
	roomEntry = regexp.MustCompile("\\*\\*`([\\w/]+)`\\*\\* \\(([\\d,]+) lines\\)")
	docLink   = regexp.MustCompile(`\[\*?([A-Z]\w*(?:\.\w+)?)\]`)
	lawText   = regexp.MustCompile(`LawID = "([^"]+)"`)
	testFunc  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w*)\(`)
	ourOption = regexp.MustCompile(`newOption\("(\w+)"`)
	boolFlag  = regexp.MustCompile(`flag\.Bool\("([\w-]+)"`)
)

// tree is the source that pages are held to.
type tree struct {
	t        *testing.T
	lines    map[string]int      // of non-test files, by folder
	packages map[string][]string // folders by the last element of their path
	laws     map[string]bool
	options  map[string]bool // of tests
	tests    []string
	known    map[string]*declared // by folder, once it was asked for
}

// declared is what a package declares: names as Name and Type.Member, and what a type embeds.
type declared struct {
	names  map[string]bool
	embeds map[string][]string
}

func readTree(t *testing.T) *tree {
	t.Helper()
	c := &tree{
		t: t, lines: map[string]int{}, packages: map[string][]string{}, laws: map[string]bool{}, options: map[string]bool{}, known: map[string]*declared{},
	}
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		rel := filepath.ToSlash(strings.TrimPrefix(path, "../"))
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || rel == "props/peers" || rel == "props/report" || len(d.Name()) > 2 && d.Name()[0] == '.'):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range lawText.FindAllSubmatch(text, -1) {
			c.laws[string(m[1])] = true
		}
		for _, m := range ourOption.FindAllSubmatch(text, -1) {
			c.options["gamma."+string(m[1])] = true
		}
		for _, m := range boolFlag.FindAllSubmatch(text, -1) {
			c.options[string(m[1])] = true
		}
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range testFunc.FindAllSubmatch(text, -1) {
				c.tests = append(c.tests, string(m[1]))
			}
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(rel))
		if c.lines[dir] == 0 {
			c.packages[filepath.Base(dir)] = append(c.packages[filepath.Base(dir)], dir)
		}
		c.lines[dir] += strings.Count(string(text), "\n")
		return nil
	}))
	return c
}

// declared returns what the package in a folder declares.
func (c *tree) declared(dir string) *declared {
	if d := c.known[dir]; d != nil {
		return d
	}
	d := &declared{map[string]bool{}, map[string][]string{}}
	c.known[dir] = d
	files, err := filepath.Glob("../" + dir + "/*.go")
	require.NoError(c.t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(c.t, err)
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				name := decl.Name.Name
				if decl.Recv != nil {
					name = baseName(decl.Recv.List[0].Type) + "." + name
				}
				d.names[name] = true
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					d.add(spec)
				}
			}
		}
	}
	return d
}

// add adds a declaration of types, variables or constants.
func (d *declared) add(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, n := range spec.Names {
			d.names[n.Name] = true
		}
	case *ast.TypeSpec:
		d.names[spec.Name.Name] = true
		var fields *ast.FieldList
		switch t := spec.Type.(type) {
		case *ast.StructType:
			fields = t.Fields
		case *ast.InterfaceType:
			fields = t.Methods
		default:
			return
		}
		for _, f := range fields.List {
			for _, n := range f.Names {
				d.names[spec.Name.Name+"."+n.Name] = true
			}
			if len(f.Names) == 0 {
				d.embeds[spec.Name.Name] = append(d.embeds[spec.Name.Name], baseName(f.Type))
			}
		}
	}
}

// baseName returns the name of a type without its package, pointer and arguments.
func baseName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return baseName(x.X)
	case *ast.IndexExpr:
		return baseName(x.X)
	case *ast.IndexListExpr:
		return baseName(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// has reports whether a package declares a name: one of its own, Type.Member, or a member of what a type embeds.
func (d *declared) has(name string) bool {
	if d.names[name] {
		return true
	}
	owner, member, ok := strings.Cut(name, ".")
	return ok && slices.ContainsFunc(d.embeds[owner], func(e string) bool { return d.has(e + "." + member) })
}

// hasFolded is has, but for the case of first letters.
func (d *declared) hasFolded(name string) bool {
	for n := range d.names {
		if lowered(n) == lowered(name) {
			return true
		}
	}
	owner, member, ok := strings.Cut(name, ".")
	return ok && slices.ContainsFunc(slices.Concat(d.embeds[owner], d.embeds[lowered(owner)]), func(e string) bool { return d.hasFolded(e + "." + member) })
}

// lowered returns a name with the first letter of each part in lower case.
func lowered(name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		parts[i] = strings.ToLower(p[:1]) + p[1:]
	}
	return strings.Join(parts, ".")
}

// members returns the fields or methods of a type, with those of what it embeds.
func (d *declared) members(owner string) (list []string) {
	for name := range d.names {
		if m, ok := strings.CutPrefix(name, owner+"."); ok {
			list = append(list, m)
		}
	}
	for _, e := range d.embeds[owner] {
		list = append(list, d.members(e)...)
	}
	return list
}

// exists reports whether a file or folder exists, named from the root; a star stands for any text.
func exists(path string) bool {
	found, err := filepath.Glob("../" + strings.TrimSuffix(strings.TrimSuffix(path, "..."), "/"))
	return err == nil && len(found) > 0
}

// wrong says what is wrong with a span of code in a page, "" if nothing is known to be.
func (c *tree) wrong(span string) string {
	if m := somePath.FindStringSubmatch(span); m != nil {
		if exists(m[1]) && !exists(span) {
			return "there is no such path"
		}
		return ""
	}
	m := someName.FindStringSubmatch(span)
	if m == nil || fileName.MatchString(span) || c.laws[span] {
		return ""
	}
	if dirs := c.packages[m[1]]; len(dirs) > 0 {
		if !slices.ContainsFunc(dirs, func(dir string) bool { return c.declared(dir).has(m[2]) }) {
			why := "it is declared in none of " + strings.Join(dirs, ", ")
			if slices.ContainsFunc(dirs, func(dir string) bool { return c.declared(dir).hasFolded(m[2]) }) {
				why += ", but for the case of first letters it is"
			}
			return why
		}
	} else {
		return "there is neither such a package nor such a law"
	}
	return ""
}

// check holds a page, named from the root, to the tree.
func (c *tree) check(page string) (text string) {
	b, err := os.ReadFile("../" + page)
	require.NoError(c.t, err)
	text = string(b)
	for _, m := range pageLink.FindAllStringSubmatch(text, -1) {
		path := page
		if m[1] != "" {
			path = filepath.Join(filepath.Dir(page), m[1])
		}
		if !exists(path) {
			c.t.Errorf("%s links to %s, which does not exist", page, path)
		} else if m[2] != "" && !hasHeading(c.t, path, m[2]) {
			c.t.Errorf("%s links to %s#%s, and no heading there is called so", page, path, m[2])
		}
	}
	for _, m := range ourFlag.FindAllStringSubmatch(text, -1) {
		if !c.options[m[1]] {
			c.t.Errorf("%s names the flag -%s, which does not exist", page, m[1])
		}
	}
	for _, m := range runs.FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(c.tests, func(t string) bool { return strings.Contains(t, m[1]) }) && !strings.Contains(text, "func "+m[1]+"(") {
			c.t.Errorf("%s says -run %s, which runs no test", page, m[1])
		}
	}
	return text
}

// hasHeading reports whether a page has a heading with an anchor, as GitHub makes it.
func hasHeading(t *testing.T, page, anchor string) bool {
	text, err := os.ReadFile("../" + page)
	require.NoError(t, err)
	return slices.ContainsFunc(heading.FindAllStringSubmatch(string(text), -1), func(m []string) bool {
		return strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-") == anchor
	})
}

// checkOurs holds a page that shows no code of users to the tree.
func (c *tree) checkOurs(page string) (spans map[string]bool) {
	spans = map[string]bool{}
	text := c.check(page)
	for _, m := range goPath.FindAllStringSubmatch(text, -1) {
		if !exists(m[1]) {
			c.t.Errorf("%s names ./%s, which does not exist", page, m[1])
		}
	}
	for _, m := range aTest.FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(c.tests, func(t string) bool { return strings.HasPrefix(t, m[1]) }) {
			c.t.Errorf("%s names %s, and no test is called so", page, m[1])
		}
	}
	for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
		spans[m[1]] = true
		if why := c.wrong(m[1]); why != "" {
			c.t.Errorf("%s names %s: %s", page, m[1], why)
		}
	}
	return spans
}

// member names a type whose members a page has to name, in either case of the first letter.
type member struct{ page, dir, owner string }

// TestPages holds ARCHITECTURE and CONTRIBUTING to the code: links, paths, packages and their lines, names, laws, flags and tests that they
// name exist, and they name every package, every column of the table of operations and every method that a kind or a backend has. So it holds the page of
// the published table; of the README and the pages for users it checks links, flags and tests.
func TestPages(t *testing.T) {
	needsSource(t)
	c := readTree(t)
	for _, page := range forUsers {
		c.check(page)
	}
	c.checkOurs(publishedAt)
	spans := map[string]map[string]bool{architecture: c.checkOurs(architecture), contributing: c.checkOurs(contributing)}
	for _, all := range []member{
		{contributing, "props/internal/engine", "Kind"},
		{contributing, "metal/internal/protocol", "Backend"},
		{contributing, "metal/internal/offload", "Driver"},
		{architecture, "metal/msl/ir", "Info"},
	} {
		members := slices.DeleteFunc(c.declared(all.dir).members(all.owner), func(m string) bool { return ast.IsExported(all.owner) && !ast.IsExported(m) })
		require.NotEmpty(t, members, "%s of %s", all.owner, all.dir)
		for _, m := range members {
			if !spans[all.page][m] && !spans[all.page][lowered(m)] {
				t.Errorf("%s does not name %s, which %s of %s has", all.page, m, all.owner, all.dir)
			}
		}
	}
	c.countLines(architecture)
}

// TestDocLinks holds the links of package docs to the code: a [Name] in doc.go is declared in its package, or is the key of a source.
func TestDocLinks(t *testing.T) {
	needsSource(t)
	c := readTree(t)
	keys, err := os.ReadFile("../model/doc.go")
	require.NoError(t, err)
	links := 0
	for dir := range c.lines {
		text, err := os.ReadFile("../" + dir + "/doc.go")
		if err != nil {
			continue
		}
		for _, m := range docLink.FindAllSubmatch(text, -1) {
			if name := string(m[1]); c.declared(dir).has(name) {
				links++
			} else if !strings.Contains(string(keys), "["+name) {
				t.Errorf("%s/doc.go links to [%s], which is declared in it no more, and is no source", dir, name)
			}
		}
	}
	require.Greater(t, links, 20, "links found")
}

// countLines holds the entries of packages to the lines that they have, by a fifth.
func (c *tree) countLines(page string) {
	b, err := os.ReadFile("../" + page)
	require.NoError(c.t, err)
	entries := map[string]bool{}
	text := roomEntry.ReplaceAllStringFunc(string(b), func(entry string) string {
		m := roomEntry.FindStringSubmatch(entry)
		entries[m[1]] = true
		says, err := strconv.Atoi(strings.ReplaceAll(m[2], ",", ""))
		require.NoError(c.t, err)
		has := c.lines[m[1]]
		if off := max(says-has, has-says); off > max(50, has/5) && !*updatePages {
			c.t.Errorf("%s says that %s has %d lines, and it has %d; run go test ./props -run TestPages -update-pages", page, m[1], says, has)
		}
		count := strconv.Itoa(has)
		if len(count) > 3 {
			count = count[:len(count)-3] + "," + count[len(count)-3:]
		}
		return "**`" + m[1] + "`** (" + count + " lines)"
	})
	for dir := range c.lines {
		if !entries[dir] && !strings.HasPrefix(dir, ".") {
			c.t.Errorf("%s has no entry for %s: say what it holds and what it may import", page, dir)
		}
	}
	if *updatePages {
		require.NoError(c.t, os.WriteFile("../"+page, []byte(text), 0o644))
	}
}
