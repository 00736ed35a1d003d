package props_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/props/lint"
)

// listed is what `go list` says of a package.
type listed struct {
	ImportPath, Dir, Export       string
	GoFiles, Imports, TestGoFiles []string
	XTestGoFiles                  []string
	Standard                      bool
}

// goList lists packages with their dependencies' export data.
func goList(t *testing.T, args ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json"}, args...)...)
	cmd.Dir = ".."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			t.Skip("no go command here: the house is checked where the source is")
		}
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var list []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// needsSource skips where the test binary runs without the source tree, on a device machine.
func needsSource(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("../go.mod"); err != nil {
		t.Skip("no source tree here: this test reads it")
	}
}

// rule is one line of the table of the house.
type rule struct {
	pkg   string   // import path below gamma/, and all below it if it ends in /...
	may   []string // what its non-test files may import of the module
	text  string
	outer []string // what it may import of other modules
}

// judges is what every room of the judge may import outside props.
var judges = []string{"model", "model/word", "model/modular", "model/formula", "model/fourier", "model/round", "sumtree", "sumtree/eval", "oracle", "oracle/real", "oracle/enclosure", "oracle/conforming", "oracle/dft", "corpus"}

// rooms are the rooms below props/internal, lowest first: a room may import those before it in this list, never those after it.
var rooms = []string{"platform", "draw", "report", "verdict", "families", "reduce", "engine", "vectors", "attack", "words", "residues", "transforms", "wrapping", "formulas", "spectra", "check", "lines", "merge", "battery", "protocol", "devices", "own"}

// room is the line of the room of that name: what may be imported is judges and the rooms named.
func room(name, text string, below ...string) rule {
	r := rule{pkg: "props/internal/" + name, may: slices.Clone(judges), text: text}
	for _, b := range below {
		r.may = append(r.may, "props/internal/"+b)
	}
	return r
}

// with grants a line a package of another module.
func (r rule) with(outer string) rule {
	r.outer = append(r.outer, outer)
	return r
}

// house is the table of layers: what .github/ARCHITECTURE.md draws, for the packages there are.
var house = []rule{
	{"model", nil, "model is layer 0: plain data and bounds import nothing of the module", nil},
	{"model/word", []string{"model"}, "model/word is layer 0: operations and programs as plain data, which both sides share", nil},
	{"model/modular", []string{"model"}, "model/modular is layer 0: residues and transforms as plain data, which both sides share", nil},
	{"model/formula", []string{"model"}, "model/formula is layer 0: formulas as plain data, which both sides share", nil},
	{"model/fourier", []string{"model"}, "model/fourier is layer 0: Fourier transforms as plain data, which both sides share", nil},
	{"model/round", []string{"model"}, "model/round is layer 0: it knows formats and nothing else", nil},
	{"sumtree", []string{"model"}, "sumtree is layer 1: schedules know formats, not rounding", nil},
	{"sumtree/eval", []string{"model", "model/round", "sumtree"}, "sumtree/eval is layer 1: it belongs to the judge", nil},
	{"oracle", []string{"model", "model/word", "model/modular", "model/round", "sumtree", "sumtree/eval"}, "oracle is layer 2: it shares nothing with kernels", nil},
	{"oracle/real", nil, "oracle/real is layer 2: elementary functions know numbers and nothing else", nil},
	{"oracle/enclosure", []string{"model", "model/formula", "oracle/real"}, "oracle/enclosure is layer 2: it shares nothing with kernels", nil},
	{"oracle/conforming", []string{"model", "model/formula"}, "oracle/conforming is layer 2: it shares no arithmetic with the enclosures that it is held against", nil},
	{"oracle/dft", []string{"oracle/real"}, "oracle/dft is layer 2: it shares nothing with kernels", nil},
	{"kernels/...", []string{"model", "model/word", "model/modular", "model/formula", "model/fourier", "sumtree", "kernels", "kernels/..."}, "kernels are judged: they never import the judge's arithmetic", nil},
	{"shaders/...", []string{"model", "model/word", "model/modular", "model/formula", "model/fourier", "sumtree", "metal", "metal/...", "shaders"}, "shaders are judged: they never import the judge's arithmetic", nil},
	{"metal/...", []string{"model", "model/modular", "sumtree", "metal", "metal/..."}, "devices are judged: they never import the judge's arithmetic", []string{"github.com/ebitengine/purego"}},
	{"corpus", []string{"model", "model/word", "model/modular", "model/formula", "model/fourier", "sumtree"}, "corpus is layer 3: cases are plain data", nil},
	{"props/internal/platform", nil, "what is asked of the system knows nothing of the judge", nil},
	room("draw", "numbers are drawn below all else"),
	room("report", "text knows no judge"),
	room("verdict", "a verdict knows no judge"),
	room("families", "values are drawn without a judge", "draw"),
	room("reduce", "a reduction knows a predicate and no kernel", "verdict"),
	room("engine", "the engine knows no kind of kernel", "platform", "draw", "report", "verdict", "families", "reduce"),
	{"props/internal/lines", nil, "lines of JSON know nothing of the judge", nil},
	room("merge", "what shards have found is put together from files alone", "report", "engine"),
	room("vectors", "sums and dots know no other kind", "platform", "draw", "report", "verdict", "families", "engine", "reduce"),
	room("attack", "attacks know programs of operations alone"),
	room("words", "operations stand on the machinery of vectors", "draw", "report", "verdict", "families", "engine", "reduce", "vectors", "attack"),
	room("residues", "residues stand on the machinery of vectors and operations", "draw", "report", "verdict", "families", "engine", "reduce", "vectors", "words"),
	room("transforms", "transforms stand on the machinery of vectors", "draw", "report", "verdict", "families", "engine", "reduce", "vectors"),
	room("wrapping", "sums modulo 2^k stand on residues", "draw", "report", "verdict", "engine", "reduce", "vectors", "residues"),
	room("formulas", "kernels of formulas know no other kind", "draw", "report", "verdict", "families", "engine", "reduce"),
	room("spectra", "Fourier transforms know no other kind", "draw", "report", "verdict", "engine", "reduce"),
	room("check", "what runs inside tests knows no kind of kernel", "engine").with("pgregory.net/rapid"),
	room("battery", "batteries stand on residues", "draw", "report", "verdict", "engine", "reduce", "residues", "check").with("github.com/leanovate/gopter"),
	room("protocol", "protocols stand on batteries", "draw", "report", "verdict", "engine", "reduce", "check", "battery").with("github.com/leanovate/gopter"),
	{"props/judge", append([]string{"props/internal/draw", "props/internal/engine", "props/internal/vectors", "props/internal/verdict", "props/internal/words", "props/internal/residues", "props/internal/transforms", "props/internal/wrapping", "props/internal/formulas", "props/internal/spectra"}, judges...), "props/judge is for programs that are no tests", nil},
	{"props/lint", []string{"model"}, "a lint reads sources and knows no judge", nil},
	{"props", append([]string{"props/internal/...", "props/judge"}, judges...), "props is layer 4: the judge imports no kernel, shader or device", nil},
	{"props/internal/devices", []string{"model", "metal", "metal/sim", "props", "props/internal/engine"}, "what subjects of shaders share knows no shader", nil},
	{"props/device", []string{"model", "model/...", "sumtree", "oracle", "metal", "metal/...", "props", "props/internal/..."}, "subjects of shaders link none of Gamma's own", nil},
	{"props/gamma", []string{"model", "model/formula", "model/fourier", "model/modular", "model/word", "metal", "metal/cuda", "metal/msl", "metal/msl/ir", "metal/sim", "props", "props/device", "props/foreign", "props/internal/check", "props/internal/devices", "props/internal/engine", "props/internal/merge", "corpus", "props/judge", "props/process"}, "the command joins both sides, libraries and hardware with them, and no test links it", nil},
	{"props/process", []string{"model/fourier", "model/modular", "props/internal/engine", "props/internal/platform", "props/internal/verdict", "props/judge"}, "a process is judged, and links neither testing nor purego", nil},
	{"props/foreign", []string{"model/fourier", "model/modular", "props/internal/engine", "props/internal/verdict", "props/judge", "props/process"}, "libraries are judged, and nothing of the judge imports what loads them", []string{"github.com/ebitengine/purego"}},
	{"props/internal/own", []string{"model", "model/...", "oracle", "kernels", "kernels/...", "props/internal/battery", "props/internal/engine", "props/judge"}, "subjects of Gamma's own kernels, which tests alone import", nil},
	{"props/...", []string{"model", "model/...", "sumtree", "sumtree/...", "oracle", "oracle/real", "corpus", "kernels", "kernels/...", "metal", "metal/...", "shaders", "shaders/...", "props", "props/internal/..."}, "layer 5 joins both sides", nil},
}

func matches(pattern, pkg string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == base || strings.HasPrefix(pkg, base+"/")
	}
	return pattern == pkg
}

// TestHouse holds every import against the table of layers.
func TestHouse(t *testing.T) {
	needsSource(t)
	for _, p := range goList(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, "gamma/")
		i := slices.IndexFunc(house, func(r rule) bool { return matches(r.pkg, name) })
		if i < 0 {
			t.Errorf("package %s has no line in the table of the house; give it one, here and in .github/ARCHITECTURE.md", p.ImportPath)
			continue
		}
		r := house[i]
		for _, imp := range p.Imports {
			inner, ours := strings.CutPrefix(imp, "gamma/")
			switch {
			case inner == "props/internal/own":
				t.Errorf("%s imports %s, which brings kernels: tests alone may", p.ImportPath, imp)
			case ours && !slices.ContainsFunc(r.may, func(m string) bool { return matches(m, inner) }):
				t.Errorf("%s imports %s: %s", p.ImportPath, imp, r.text)
			case !ours && strings.Contains(strings.SplitN(imp, "/", 2)[0], ".") &&
				!slices.ContainsFunc(r.outer, func(m string) bool { return imp == m || strings.HasPrefix(imp, m+"/") }):
				t.Errorf("%s imports %s, which the table does not grant it", p.ImportPath, imp)
			}
		}
	}
}

// TestDevicesAreLinkedByImports: purego, and what it brings, is in no program that does not import by name a device of hardware, or
// what loads libraries, as the command does.
func TestDevicesAreLinkedByImports(t *testing.T) {
	needsSource(t)
	for _, p := range goList(t, "-deps", "./props/device", "./props/process") {
		require.False(t, strings.HasPrefix(p.ImportPath, "github.com/ebitengine/purego"), "props/device or props/process depends on %s: link devices by blank imports in tests", p.ImportPath)
	}
}

// TestEnginesAreAdapters holds rapid to one adapter file, and gopter to one for each of the rooms that stand on it.
func TestEnginesAreAdapters(t *testing.T) {
	needsSource(t)
	allowed := map[string][]string{
		"pgregory.net/rapid":          {"internal/check/rapid.go"},
		"github.com/leanovate/gopter": {"internal/battery/battery.go", "internal/protocol/sequence.go"},
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	inner, err := filepath.Glob("internal/*/*.go")
	require.NoError(t, err)
	met := map[string]bool{}
	for _, name := range append(files, inner...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, imp := range f.Imports {
			for engine, where := range allowed {
				if !strings.HasPrefix(strings.Trim(imp.Path.Value, `"`), engine) {
					continue
				}
				met[name] = true
				if !slices.Contains(where, filepath.ToSlash(name)) {
					t.Errorf("%s imports %s; only %v may", name, engine, where)
				}
			}
		}
	}
	require.GreaterOrEqual(t, len(met), 3, "files that import an engine")
}

// TestJudgesNeedNoTesting: props/judge, and with it the rooms that judge, are linked into programs that are no tests, and bring neither
// testing nor an engine.
func TestJudgesNeedNoTesting(t *testing.T) {
	needsSource(t)
	needs := map[string]bool{}
	for _, p := range goList(t, "-deps", "./props/judge") {
		needs[strings.TrimPrefix(p.ImportPath, "gamma/props/internal/")] = true
	}
	for _, r := range rooms[:slices.Index(rooms, "check")] {
		require.True(t, needs[r], "props/judge links room %s, so that this test is about it", r)
	}
	for _, bad := range []string{"testing", "pgregory.net/rapid", "github.com/leanovate/gopter"} {
		require.False(t, needs[bad], "props/judge depends on %s", bad)
	}
}

// TestRoomsAreOrdered: a room grants itself only rooms lower than itself, so no line of the table can permit a cycle or an arrow upwards.
func TestRoomsAreOrdered(t *testing.T) {
	seen := 0
	for _, r := range house {
		name, ok := strings.CutPrefix(r.pkg, "props/internal/")
		if !ok {
			continue
		}
		at := slices.Index(rooms, name)
		require.GreaterOrEqual(t, at, 0, "room %s has no place in the order", name)
		seen++
		for _, m := range r.may {
			if below, ok := strings.CutPrefix(m, "props/internal/"); ok {
				require.Contains(t, rooms[:at], below, "room %s may import %s, which stands above it", name, below)
			}
		}
	}
	require.Equal(t, len(rooms), seen, "rooms with a line in the table")
}

// TestTopLevel holds the module's root to the folders that are agreed.
func TestTopLevel(t *testing.T) {
	needsSource(t)
	entries, err := os.ReadDir("..")
	require.NoError(t, err)
	known := []string{"go.mod", "go.sum", "model", "sumtree", "props", "kernels", "metal", "shaders", "oracle", "corpus", "README.md", "LICENSE"}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".test") || strings.HasSuffix(e.Name(), ".prof") { // what go test -cpuprofile leaves
			continue
		}
		if name := e.Name(); !strings.HasPrefix(name, ".") && !slices.Contains(known, name) {
			t.Errorf("%s does not belong at the top level; it holds exactly %v", name, known)
		}
	}
}

// TestNoContraction looks, in all packages, for products that Go may fuse into an addition: each stands in an explicit conversion,
// float32(x*y), which the language specification says rounds. It also looks for fused products that are rounded twice. What is right as it
// is says so there, by a comment gamma:allow.
func TestNoContraction(t *testing.T) {
	needsSource(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command here: the house is checked where the source is")
	}
	lint.Check(t, lint.Options{Dir: "..", Escapes: true}, "./...")
}
