package props

import (
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeExample is the user of README, guide and page of devices, in a module of his own: it writes the listings, runs the commands and holds
// what the pages show of their output to what it was. One build has the fault that README shows, and faults that the guide names; another is as the pages say.
func TestReadmeExample(t *testing.T) {
	needsReadme(t)
	u := newUser(t)
	readme, guide := u.read(readmePage), u.read(guidePage)
	u.read(devicesPage)

	// With faults. README's kernel is the first.
	for _, l := range u.listings {
		u.write(l.file, l.text)
	}
	u.write(readme.listing("sum_test.go").file, readme.listing("sum_test.go").text)
	u.change("mydd_test.go", ", Splits: true", "")                                  // the claim does not say that words are split, which overflows
	u.change("softmax_test.go", "float64(v - m)", "float64(v)")                     // the maximum is not subtracted, so that it overflows
	u.change("sin_test.go", "math.Sin(float64(v))", "math.Sin(float64(v))*0.9999")  // less accurate than any table
	u.change("myntt_test.go", "j*(2*k+1)", "2*j*k")                                 // the claim is cyclic, which is not what is computed
	u.change("pairwise_test.go", "len(x)/2", "(len(x)+1)/2")                        // other halves than claimed
	u.change("mysum.metal", "threadgroup_barrier(mem_flags::mem_threadgroup);", "") // a race
	u.change("c/csum.c", "i < n", "i + 1 < n")                                      // its last leaf is lost
	u.change("kernels.py", "x - x.max()", "x")                                      // the maximum is not subtracted here either
	u.run("go mod init example.com/mykernel")
	u.run("go mod edit -require gamma@v0.0.0 -replace gamma=../gamma")
	out, err := u.execute("go", "mod", "edit", "-replace", "gamma="+u.root) // the same folder by its own name, by which the build cache has its packages
	require.NoError(t, err, out)
	u.run("go mod tidy")
	leftOut := map[string]bool{"Python": u.lacks("python3", "-c", "import numpy")}
	leftOut["CSum"] = !u.compiles("gcc -O2 -shared -fPIC -o libcsum.so c/csum.c")
	u.build()
	report := u.report(u.fails("go test -run '^TestPropSum$'"))
	u.command("go test") // which in README has nothing else to run
	id := regexp.MustCompile(`-gamma.case=([0-9a-f]{8})`).FindStringSubmatch(report)
	require.NotNil(t, id, report)
	saved, err := os.ReadFile(filepath.Join(u.dir, strings.TrimSpace(report[strings.Index(report, "saved as ")+len("saved as "):])))
	require.NoError(t, err)
	again := u.fails("go test -run '^TestPropSum$' -gamma.case=" + id[1])
	require.Contains(t, again, "mykernel.Sum violates sum.enclosure")
	require.Contains(t, again, "--- FAIL: TestPropSum/replay", "as the guide says")
	softmax := u.report(u.fails("", "-test.run=^TestPropSoftmax$", "-gamma.law=formula.enclosure"))
	shader := u.report(u.fails("", "-test.run=^TestPropShader$", "-gamma.law=kernel.race"))
	for _, f := range [][]string{
		{"Times", "dd.special", "mykernel.times violates dd.special"},
		{"NTT", "ntt.exact", "mykernel.NTT violates ntt.exact"},
		{"Sin", "formula.enclosure", "mykernel.Sin violates formula.enclosure"},
		{"Pairwise", "sum.tree", "mykernel.Pairwise violates sum.tree"},
		{"CSum", "sum.enclosure", "libcsum.csum violates sum.enclosure"},
		{"Python", "formula.enclosure", "kernels.softmax violates formula.enclosure"},
	} {
		if !leftOut[f[0]] {
			require.Contains(t, u.fails("", "-test.run=^TestProp"+f[0]+"$", "-gamma.law="+f[1]), f[2])
		}
	}

	// As the pages say, after the fix.
	for _, l := range u.listings {
		if l.page == guide.name || l.file != "sum_test.go" {
			u.write(l.file, l.text)
		}
	}
	u.compiles("gcc -O2 -shared -fPIC -o libcsum.so c/csum.c")
	u.build()
	pass := u.passes("go test -v -run '^TestPropSum$'")
	require.Contains(t, pass, "replayed 4 cases on file", "as the guide says")
	require.Contains(t, u.passes("go test -run 'TestPropAll/^mykernel.Sum$'"), "mykernel.Sum ")
	var rest []string
	for _, name := range []string{"All", "Pairwise", "Softmax", "Sin", "Times", "NTT", "Shader", "CSum", "Python", "CUDA"} {
		if !leftOut[name] {
			rest = append(rest, name)
		}
	}
	u.passes("", "-test.run=^TestProp("+strings.Join(rest, "|")+")$", "-gamma.checks=100")
	u.passes("", "-test.run=^$", "-test.fuzz=^FuzzPropSum$", "-test.fuzztime=20x", "-test.fuzzcachedir="+filepath.Join(filepath.Dir(u.dir), "fuzz"))
	u.command("go test -fuzz '^FuzzPropSum$' -fuzztime 5s") // so, with instrumentation and for longer
	u.passes("", "-test.run=^TestProp(Sum|Shader)$", "-gamma.checks=50", "-gamma.device=cpu,sim")
	u.command("go test -v ./mykernel -run '^TestProp' -gamma.device=cpu,sim,cuda") // so, on a machine without a GPU
	u.run("go run gamma/props/gamma check mysum.metal -buffer out=float:1")
	u.oneCommand(leftOut)

	u.everyCommand()
	holdPage(t, readmePage, part{"report", fenced(shortened(report))})
	golden, err := os.ReadFile("testdata/reports/serial_claims_pairwise.txt")
	require.NoError(t, err)
	holdPage(t, guidePage,
		part{"full report", fenced(report)},
		part{"case", fenced(string(saved))},
		part{"pass", fenced(judged(pass))},
		part{"report", fenced(string(golden))},
		part{"softmax", fenced(opening(softmax))},
		part{"shader", fenced(opening(shader))},
	)
}

// oneCommand runs the guide's commands that judge kernels in any language, but for those that are left out here.
func (u *user) oneCommand(leftOut map[string]bool) {
	only := " -only mysum.metal#sum"
	for _, x := range [][3]string{
		{"CSum", " -only libcsum.so#csum", `go run gamma/props/gamma check libcsum.so -kernel "float csum(const float *x, size_t n)" -claim "sum tree=left"`},
		{"Python", " -only kernels.py#softmax", `go run gamma/props/gamma check kernels.py -kernel softmax -claim "n>=1" -formula "x binary32[n]; e = exp(sub(x, max(x, n))); result div(e, sum(e, n))"`},
	} {
		if u.command(x[2]); !leftOut[x[0]] {
			u.shell(x[2])
			only += x[1]
		}
	}
	const suggest = `go run gamma/props/gamma suggest libcsum.so -kernel "float csum(const float *x, size_t n)"`
	if u.command(suggest); !leftOut["CSum"] {
		require.Contains(u.t, u.shell(suggest), `Claim: model.Claim{Tree: "left", Repeats: true}}.Check(t)`)
	}
	const all = "go run gamma/props/gamma check gamma.json -sarif gamma.sarif"
	u.command(all)
	u.shell(all + only)
}

// listing is a file of a user that a page shows.
type listing struct{ page, file, text string }

// shown is a page, and what it shows of a user's module.
type shown struct {
	name     string
	listings []listing
	commands []string
}

func (s *shown) listing(file string) listing {
	i := slices.IndexFunc(s.listings, func(l listing) bool { return l.file == file })
	if i < 0 {
		panic(s.name + " shows no " + file)
	}
	return s.listings[i]
}

// user has a module in which the listings of pages lie, and keeps which commands of the pages were run.
type user struct {
	t         *testing.T
	dir, root string
	listings  []listing
	commands  []string
	have      map[string]bool
	env       []string
	binary    string
}

func newUser(t *testing.T) *user {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	above := t.TempDir()
	u := &user{t: t, root: root, dir: filepath.Join(above, "mykernel"), have: map[string]bool{}, binary: filepath.Join(above, "mykernel.test")}
	require.NoError(t, os.Mkdir(u.dir, 0o755))
	require.NoError(t, os.Symlink(root, filepath.Join(above, "gamma")))
	sum, err := os.ReadFile("../go.sum")
	require.NoError(t, err)
	u.write("go.sum", string(sum)) // so that nothing is fetched
	u.env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GAMMA_") || strings.HasPrefix(v, "GOFLAGS=") })
	// What a report says to run is run below, and need not be by each report.
	u.env = append(u.env, "GOFLAGS=-vet=off", "GAMMA_DIR="+above, "GAMMA_REPRODUCING=1")
	return u
}

var (
	aListing = regexp.MustCompile("(?s)```(go|c|cuda|metal|python)\n(?://|#) ([a-z_/]+\\.[a-z]+)\n(.*?)```")
	aBlock   = regexp.MustCompile("(?m)^```(?:go|c|cuda|metal|python|sh)\n")
	aJSON    = regexp.MustCompile("(?s)<!-- ([a-z]+\\.json) -->\n```json\n(.*?)```") // which has no comments
	aCommand = regexp.MustCompile(`(?m)^    ((?:[A-Z_]+=\S+ )*(?:go|gcc|\./\S+|git|\(cd) .*?)(?:  .*)?$`)
)

// read takes the listings and commands of a page.
func (u *user) read(page string) *shown {
	text, err := os.ReadFile(page)
	require.NoError(u.t, err)
	s := &shown{name: page}
	for _, m := range aListing.FindAllStringSubmatch(string(text), -1) {
		if m[1] == "go" {
			tidy, err := format.Source([]byte(m[3]))
			require.NoError(u.t, err, "%s: %s", page, m[2])
			require.Equal(u.t, string(tidy), m[3], "%s: %s as gofmt has it", page, m[2])
		}
		s.listings = append(s.listings, listing{page, m[2], m[3]})
	}
	require.Len(u.t, s.listings, len(aBlock.FindAllString(string(text), -1)), "each listing of %s names its file in its first line", page)
	for _, m := range aJSON.FindAllStringSubmatch(string(text), -1) {
		s.listings = append(s.listings, listing{page, m[1], m[2]})
	}
	for _, m := range aCommand.FindAllStringSubmatch(string(text), -1) {
		s.commands = append(s.commands, strings.TrimSpace(m[1]))
	}
	u.listings = append(u.listings, s.listings...)
	u.commands = append(u.commands, s.commands...)
	return s
}

func (u *user) write(file, text string) {
	path := filepath.Join(u.dir, file)
	require.NoError(u.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(u.t, os.WriteFile(path, []byte(text), 0o644))
}

// change replaces text that a file has, everywhere in it.
func (u *user) change(file, old, new string) {
	text, err := os.ReadFile(filepath.Join(u.dir, file))
	require.NoError(u.t, err)
	require.Contains(u.t, string(text), old, file)
	u.write(file, strings.ReplaceAll(string(text), old, new))
}

// command notes that a command of the pages is run, here or as is said where it is called.
func (u *user) command(command string) {
	if command != "" {
		require.Contains(u.t, u.commands, command, "the pages show this command")
		u.have[command] = true
	}
}

// execute runs a program in the user's folder.
func (u *user) execute(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = u.dir, u.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// run runs a command of the pages, which ends well.
func (u *user) run(command string) {
	u.command(command)
	fields := strings.Fields(command)
	out, err := u.execute(fields[0], fields[1:]...)
	require.NoError(u.t, err, "%s: %s", command, out)
}

// shell runs a command that has quotes, which ends well.
func (u *user) shell(command string) string {
	out, err := u.execute("sh", "-c", command)
	require.NoError(u.t, err, "%s: %s", command, out)
	return out
}

// compiles runs a command of a compiler, if there is one.
func (u *user) compiles(command string) bool {
	if _, err := exec.LookPath(strings.Fields(command)[0]); err != nil {
		u.t.Logf("the kernel in C is not compiled and not judged: %v", err)
		u.command(command)
		return false
	}
	u.run(command)
	return true
}

// lacks reports whether a program cannot run here, and says what is left out then.
func (u *user) lacks(name string, args ...string) bool {
	out, err := u.execute(name, args...)
	if err != nil {
		u.t.Logf("a kernel is not judged, since %s %s fails: %v %s", name, strings.Join(args, " "), err, out)
	}
	return err != nil
}

// build builds the test binary that go test would build for each of the commands that follow.
func (u *user) build() {
	out, err := u.execute("go", "test", "-c", "-ldflags=-w", "-o", u.binary, ".")
	require.NoError(u.t, err, out)
}

// test runs a go test command of the pages, or "", with more arguments, by the binary.
func (u *user) test(command string, more ...string) (string, error) {
	u.command(command)
	args := []string{"-test.paniconexit0", "-test.timeout=5m"}
	if rest, ok := strings.CutPrefix(command, "go test"); ok {
		for _, a := range strings.Fields(strings.ReplaceAll(rest, "'", "")) {
			if a == "-v" || a == "-run" {
				a = "-test." + a[1:]
			}
			args = append(args, a)
		}
	}
	return u.execute(u.binary, append(args, more...)...)
}

func (u *user) fails(command string, more ...string) string {
	out, err := u.test(command, more...)
	require.Error(u.t, err, "%s %v: %s", command, more, out)
	return out
}

func (u *user) passes(command string, more ...string) string {
	out, err := u.test(command, more...)
	require.NoError(u.t, err, "%s %v: %s", command, more, out)
	return out
}

// report returns the report in a test's output, as it stands in pages.
func (u *user) report(out string) string {
	before, rest, ok := strings.Cut(out, " violates ")
	require.True(u.t, ok, out)
	name := before[strings.LastIndexByte(before, '\n')+1:]
	indent := name[:len(name)-len(strings.TrimLeft(name, " "))]
	var b strings.Builder
	for line := range strings.Lines(name + " violates " + rest) {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, indent) {
			break
		}
		b.WriteString(strings.TrimRight(strings.TrimPrefix(line, indent), " \n") + "\n")
	}
	return strings.ReplaceAll(strings.TrimSpace(b.String()), u.dir, "mykernel")
}

// opening returns the first paragraph of a report.
func opening(report string) string {
	first, _, _ := strings.Cut(report, "\n\n")
	return first
}

// shortened returns a report with … for what a first reader does not need.
func shortened(report string) string {
	var lines []string
	keep := true
	for _, line := range strings.Split(report, "\n") {
		if label, _, _ := strings.Cut(line, "  "); label != "" {
			keep = !slices.Contains([]string{"law", "if", "source", "claim", "found", "bound"}, label)
		}
		switch {
		case keep:
			lines = append(lines, line)
		case lines[len(lines)-1] != "…":
			lines = append(lines, "…")
		}
	}
	return strings.Join(lines, "\n")
}

var aJudged = regexp.MustCompile(`(?m)^ *\S+\.go:\d+: (mykernel\.Sum sum\..*)$`)

// judged returns the lines that say what the search for each law saw.
func judged(out string) string {
	var b strings.Builder
	for _, m := range aJudged.FindAllStringSubmatch(out, -1) {
		fmt.Fprintln(&b, m[1])
	}
	return b.String()
}

// elsewhere says which commands of the pages others run, or hold to the source: TestPages finds the folders, tests and flags of these, and .ci/run runs
// the tests, the first two as they are written, and the two for a report on other folders.
var elsewhere = []*regexp.Regexp{
	regexp.MustCompile(`^go test -vet=off -v \./props/builtin -run '\^TestProp' -count=1$`),
	regexp.MustCompile(`^\(cd props/peers && go test -v \. -count=1\)$`),
	regexp.MustCompile(`^GAMMA_DIR=/tmp/run go test \./props/\.\.\. -run '\^TestProp' -count=1$`),
	regexp.MustCompile(`^\(cd props/report && go run \. /tmp/run -o /tmp/report\.html -o /tmp/report\.md\)$`),
	regexp.MustCompile(`^(GAMMA_LEVEL=thorough |CGO_ENABLED=0 )?go test (-timeout 0 |-v |-c -o \w+\.test )*\./\S+( -(run|fuzz) \S+| -fuzztime \S+| -gamma\.device=\S+)*$`),
	regexp.MustCompile(`^\./builtin\.test -test\.v -test\.run '\^TestProp' -gamma\.device=cuda$`),
	regexp.MustCompile(`^GAMMA_DEVICE=cuda GAMMA_PROGRAMS=0:1000000 GAMMA_PROGRAMS_TIME=500s \./msl\.test -test\.v -test\.run '\^TestRandomProgramsOnDevices\$' -test\.timeout 1h$`),
	regexp.MustCompile(`^git clone <where you found this> gamma && cd gamma$`),
}

// everyCommand holds the pages to commands that are run.
func (u *user) everyCommand() {
	require.NotEmpty(u.t, u.commands)
	for _, c := range u.commands {
		if !u.have[c] && !slices.ContainsFunc(elsewhere, func(r *regexp.Regexp) bool { return r.MatchString(c) }) {
			u.t.Errorf("no test runs the command %q of the pages", c)
		}
		if folder := regexp.MustCompile(`\./(props\S*|metal\S*)`).FindStringSubmatch(c); folder != nil {
			require.DirExists(u.t, filepath.Join("..", strings.TrimSuffix(folder[1], "...")), c)
		}
	}
}
