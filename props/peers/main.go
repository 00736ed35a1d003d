package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gamma/corpus"
	"gamma/props/internal/lines"
	"gamma/props/process"
)

func main() { os.Exit(run(os.Args[1:], libraries(), os.Stdout, os.Stderr)) }

// options are what flags say.
type options struct {
	checks       int
	time         time.Duration
	seed, sweep  string
	only         *regexp.Regexp
	page, json   string
	from         []string
	libs, source string
	list         bool
	shims        string
	built        string // a folder for shims that are compiled
	again        string // flags that repeat the search
}

// defaultMaxN is the judge's own.
const defaultMaxN = 70001

// read reads flags, and says to the judge what it reads from the environment.
func read(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.IntVar(&o.checks, "checks", 2000, "cases to draw for each claim and law; of transforms a twentieth")
	f.DurationVar(&o.time, "time", 10*time.Second, "longest time for each claim, all laws together; of a sweep there is no limit")
	maxN := f.Int("maxn", defaultMaxN, "longest vector and transform to draw")
	f.StringVar(&o.seed, "seed", "fixed", "`number` that all draws follow from, or random")
	f.StringVar(&o.sweep, "sweep", "", "all, or I/N: judge every input of functions of one number of 32 bits, or a part of them, in place of drawn ones")
	only := f.String("only", "", "judge only claims whose library and name, as in \"GSL cblas_sdot\", match this `pattern`; the page stays as it is")
	f.StringVar(&o.page, "page", "PEERS.md", "write the page to this `file`, if every claim has been judged; \"\" writes none")
	f.StringVar(&o.json, "json", "", "write one line of JSON for each claim to this `file`, as the run ends")
	from := f.String("from", "", "`files` that -json wrote, with commas between them: what they hold is added to the page")
	f.StringVar(&o.libs, "libs", "", "`folder` with the libraries and compiled shims of a bundle")
	f.StringVar(&o.source, "source", ".", "`folder` with kernels.py and shims")
	f.BoolVar(&o.list, "list", false, "list claims, and judge none")
	f.StringVar(&o.shims, "shims", "", "compile the shims into this `folder`, for bundle.sh, and judge nothing; what is not compiled is named with why, and what to install")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("%q is no flag; libraries and functions are chosen by -only", f.Arg(0))
	}
	if *only != "" {
		var err error
		if o.only, err = regexp.Compile(*only); err != nil {
			return nil, fmt.Errorf("-only: %w", err)
		}
	}
	if *from != "" {
		o.from = strings.Split(*from, ",")
	}
	o.again = fmt.Sprintf(" -checks %d -seed %s", o.checks, o.seed)
	if *maxN != defaultMaxN {
		o.again += fmt.Sprintf(" -maxn %d", *maxN)
	}
	for name, value := range map[string]string{
		"GAMMA_CHECKS": strconv.Itoa(o.checks), "GAMMA_SEED": o.seed, "GAMMA_SAVE": "off", "GAMMA_SWEEP": o.sweep, "GAMMA_BUDGET": o.time.String(),
		"GAMMA_MAXN": strconv.Itoa(*maxN),
	} {
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	if o.libs != "" { // libraries of a bundle need one another
		folder, err := filepath.Abs(o.libs)
		if err != nil {
			return nil, err
		}
		return o, os.Setenv("LD_LIBRARY_PATH", folder)
	}
	return o, defaultPython()
}

// defaultPython lets the system's Python run kernels, which has the system's packages, unless GAMMA_PYTHON says another.
func defaultPython() error {
	const python = "/usr/bin/python3"
	if _, err := os.Stat(python); err != nil || os.Getenv(process.PythonEnv) != "" {
		return nil
	}
	return os.Setenv(process.PythonEnv, python)
}

// run is the command: it returns 0 where every claim holds or is known not to, 1 where one is violated that nobody has looked at or a shim does not compile, and 2 where nothing could be
// judged.
func run(args []string, libs []library, stdout, stderr io.Writer) int {
	o, err := read(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err == nil:
		if o.built, err = os.MkdirTemp("", "peers-"); err == nil {
			defer os.RemoveAll(o.built)
			return o.all(libs, stdout, stderr)
		}
	}
	fmt.Fprintf(stderr, "peers: %v; go run . -h says what there is\n", err)
	return 2
}

// all judges the libraries that are chosen, and writes what is asked for.
func (o *options) all(libs []library, stdout, stderr io.Writer) int {
	if o.shims != "" {
		return o.compileAll(libs, stderr)
	}
	p := &page{libraries: libs}
	err := cmp.Or(lines.Apart(o.json, o.from...), lines.Apart(o.page, o.from...))
	for i := 0; i < len(o.from) && err == nil; i++ {
		err = p.add(o.from[i])
	}
	if err != nil {
		fmt.Fprintf(stderr, "peers: %v\n", err)
		return 2
	}
	began := time.Now()
	var mine []record
	for i := range libs {
		mine = append(mine, o.judgeLibrary(&libs[i], stdout)...)
	}
	if o.list {
		return 0
	}
	p.records = append(p.records, mine...)
	judged := slices.ContainsFunc(mine, func(r record) bool { return r.Cases > 0 })
	if o.json != "" && !judged {
		fmt.Fprintf(stdout, "%s stays as it is, since nothing was judged\n", o.json)
	} else if o.json != "" {
		if err := writeLines(o.json, mine); err != nil {
			fmt.Fprintf(stderr, "peers: %v\n", err)
			return 2
		}
	}
	p.merge()
	cases, results := p.judged()
	fmt.Fprintf(stdout, "%d libraries, %d claims, %d cases, %d results in %.0f s, seed %s\n", p.present(), p.claims(), cases, results, time.Since(began).Seconds(), o.seed)
	code := 0
	for _, r := range p.unexplained() {
		fmt.Fprintf(stdout, "\n%s\n", r.report())
		code = 1
	}
	if slices.ContainsFunc(mine, func(r record) bool { return r.Verdict == broken }) {
		code = 1
	}
	missing := p.missing()
	switch {
	case cases == 0:
		code = 2
	case o.page == "":
	case len(missing) > 0:
		fmt.Fprintf(stdout, "%s stays as it is, since not all has been judged: %s\n", o.page, strings.Join(missing, "; "))
	default:
		if err := corpus.WriteFile(o.page, []byte(p.text())); err != nil {
			fmt.Fprintf(stderr, "peers: %v\n", err)
			return 2
		}
		fmt.Fprintf(stdout, "%s is written\n", o.page)
	}
	return code
}

// compileAll compiles the shims of libraries, and says in one line of each that it cannot compile why, and what to install. It returns 1 if the library of one of these is there.
func (o *options) compileAll(libs []library, stderr io.Writer) (code int) {
	o.built = o.shims
	for i := range libs {
		l := &libs[i]
		if l.Shim == "" {
			continue
		}
		_, err := o.compiled(l)
		fault := (*uncompiled)(nil)
		switch {
		case errors.As(err, &fault):
			fmt.Fprintf(stderr, "without %s: %v; its library is installed, and the shim is wrong\n", l.title(), oneLine(err))
			code = 1
		case err != nil:
			fmt.Fprintf(stderr, "without shims/%s: %s: %s\n", l.Shim, oneLine(err), l.install())
		}
	}
	return code
}

// oneLine returns an error in one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// machine says what the libraries ran on.
func machine() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	name := regexp.MustCompile(`(?m)^model name\s*: (.*)$`).FindSubmatch(text)
	if name == nil {
		return runtime.GOARCH
	}
	return string(name[1])
}
