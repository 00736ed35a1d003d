package behaviours_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// spec says what one process runs: this test binary, for one kind and fault.
type spec struct {
	kind, fault string
	test        string // the function; "": TestSubject
	pattern     string // of its subtests, after a slash
	args        string // flags, with spaces between them
	env         string // variables, likewise
	vars        string // of TestSubjectVariables
}

// outcome is what a process left. Its files are as they were when it ended.
type outcome struct {
	dir      string // where it ran
	out      string // standard output and error
	code     int
	files    map[string]string // below dir, but for those of GAMMA_DIR
	summary  string            // summary.txt
	lines    []map[string]any  // of summary.jsonl
	failures []map[string]any  // lines of failures.jsonl
}

// processes runs each spec once, whoever asks for it.
type processes struct {
	root  string
	mu    sync.Mutex
	once  map[spec]func() *outcome
	count atomic.Int64
	cpu   atomic.Int64 // nanoseconds, of the processes and theirs
}

// limit is how long a process runs at most: then it ends itself, with status late, and so do its children. Kernels that hang although
// they are isolated run for hangLimit; others end by themselves, on a busy machine in many times the seconds that they take alone.
const (
	limit     = 2 * time.Minute
	hangLimit = 12 * time.Second
	late      = 99
)

// outputs is the directory of summaries, below that in which a process runs.
const outputs = "out"

// run runs a spec in a directory of its own, or returns what it gave before.
func (p *processes) run(t testing.TB, s spec) *outcome {
	t.Helper()
	p.mu.Lock()
	f, ok := p.once[s]
	if !ok {
		f = sync.OnceValue(func() *outcome {
			dir, err := os.MkdirTemp(p.root, s.kind+"-"+s.fault+"-")
			if err != nil {
				panic(err)
			}
			return p.runIn(dir, s)
		})
		p.once[s] = f
	}
	p.mu.Unlock()
	return f()
}

// runIn runs a spec in a directory, which may hold cases on file.
func (p *processes) runIn(dir string, s spec) *outcome {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	test := s.test
	if test == "" {
		test = "TestSubject"
	}
	args := append([]string{"-test.run=^" + test + "$" + s.pattern, "-test.v"}, strings.Fields(s.args)...)
	return p.command(dir, s, exe, args...)
}

// command runs a program as a spec says, but for its arguments.
func (p *processes) command(dir string, s spec, name string, args ...string) *outcome {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	for _, v := range os.Environ() { // the settings of the run that this test is part of are its own
		if !strings.HasPrefix(v, "GAMMA_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, entry+"="+s.kind+" "+s.fault, variables+"="+s.vars, "GAMMA_DIR="+filepath.Join(dir, outputs))
	cmd.Env = append(cmd.Env, strings.Fields(s.env)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		panic(err)
	}
	p.count.Add(1)
	p.cpu.Add(int64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()))
	o := &outcome{dir: dir, out: out.String(), code: cmd.ProcessState.ExitCode(), files: map[string]string{}}
	o.read(dir)
	return o
}

// read reads what a process has left on file.
func (o *outcome) read(dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		switch filepath.Join(filepath.Dir(filepath.Dir(name)), filepath.Base(name)) { // between them is the package's
		case outputs + "/summary.txt":
			o.summary = string(text)
		case outputs + "/summary.jsonl":
			o.lines = objects(text)
		case outputs + "/failures.jsonl":
			o.failures = objects(text)
		}
		o.files[name] = string(text)
		return err
	})
	if err != nil {
		panic(err)
	}
}

// objects reads lines of JSON. A line that is none becomes an object that says so.
func objects(text []byte) (list []map[string]any) {
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			v = map[string]any{"wrong": err.Error()}
		}
		list = append(list, v)
	}
	return list
}

// flat returns the output with one space for each white space, so that phrases are found wherever lines break.
func (o *outcome) flat() string { return strings.Join(strings.Fields(o.out), " ") }

// line returns what follows a label at the beginning of a line of the report, "" if there is none.
func (o *outcome) line(label string) string {
	m := regexp.MustCompile(`(?m)^ *` + label + ` +(\S.*)$`).FindStringSubmatch(o.out)
	if m == nil {
		return ""
	}
	return m[1]
}

// cases returns the case files below a directory of those that were left.
func (o *outcome) cases(dir string) (names []string) {
	for name := range o.files {
		if strings.HasPrefix(name, dir+"/") {
			names = append(names, name)
		}
	}
	return names
}

// named returns the files whose names match a pattern.
func (o *outcome) named(pattern string) (names []string) {
	for name := range o.files {
		if ok, _ := filepath.Match(pattern, name); ok {
			names = append(names, name)
		}
	}
	return names
}

// saveDir is where cases are saved and replayed from.
const saveDir = "testdata/gamma"

// with returns a new directory that holds the cases of an outcome, each as a function changes it. One that is changed gets another name:
// the one that a file is saved under tells a hash of what it holds.
func (p *processes) with(t testing.TB, o *outcome, change func(text string) string) string {
	t.Helper()
	dir, err := os.MkdirTemp(p.root, "with-")
	require.NoError(t, err)
	for _, name := range o.cases(saveDir) {
		to, text := filepath.Join(dir, name), change(o.files[name])
		if text != o.files[name] {
			to = filepath.Join(filepath.Dir(to), edited+filepath.Ext(to))
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(t, os.WriteFile(to, []byte(text), 0o644))
	}
	return dir
}

// edited is the name of a case that was changed.
const edited = "edited"

// same changes nothing.
func same(text string) string { return text }

// cell is one kind under one behaviour. It collects what is not as it should be.
type cell struct {
	t   *testing.T
	p   *processes
	k   *kind
	bad []string
}

// wrongly notes what is not as it should be.
func (c *cell) wrongly(format string, args ...any) {
	c.bad = append(c.bad, fmt.Sprintf(format, args...))
}

// want notes what should be true, and is not.
func (c *cell) want(ok bool, format string, args ...any) {
	if !ok {
		c.wrongly(format, args...)
	}
}

// few skips all but three kinds: what differs from kind to kind is held by another row, for all of them. Each such cell starts a hundred processes.
func (c *cell) few(row string) {
	if os.Getenv("GAMMA_LEVEL") != "thorough" && !slices.Contains([]string{"sum", "operation", "ntt"}, c.k.name) {
		c.t.Skipf("what differs for it is held by the row %q; GAMMA_LEVEL=thorough runs this one, too", row)
	}
}

// run runs the kind's kernel with a fault: by the one law that finds the fault, with few checks.
func (c *cell) run(fault, args string) *outcome {
	return c.p.run(c.t, spec{kind: c.k.name, fault: fault, args: c.narrow(args)})
}

// narrow adds what keeps a search short: few checks, and one law.
func (c *cell) narrow(args string) string {
	return strings.TrimSpace("-gamma.checks=200 -gamma.law=" + c.k.law + " " + args)
}

// exits notes an exit status that is another.
func (c *cell) exits(o *outcome, code int) {
	switch {
	case o == nil: // it has been noted that nothing ran
	case o.code == late:
		c.wrongly("the process does not end within %v", limit)
	case o.code != code:
		c.wrongly("the exit status is %d, and should be %d: %s", o.code, code, tail(o.out))
	}
}

// says notes a text, a regular expression, that the output lacks.
func (c *cell) says(o *outcome, text string) {
	c.want(regexp.MustCompile(text).MatchString(o.flat()), "the output lacks %q: %s", text, tail(o.out))
}

// silent notes a text that the output has.
func (c *cell) silent(o *outcome, text string) {
	if m := regexp.MustCompile(text).FindString(o.flat()); m != "" {
		c.wrongly("the output says %q", m)
	}
}

// status returns PASS, FAIL or SKIP of a test, by its name's end, or "" if it did not run.
func (o *outcome) status(test string) string {
	m := regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): ` + regexp.QuoteMeta(test) + ` \(`).FindStringSubmatch(o.out)
	if m == nil {
		return ""
	}
	return m[1]
}

// tail returns the end of an output, on one line.
func tail(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return "… " + text[max(0, len(text)-300):]
}
