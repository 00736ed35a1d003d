package behaviours_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/props/internal/platform"
)

// behaviour is a row of the table: what is run, and what should come of it, whatever the kind.
type behaviour struct {
	name string
	// without says of which kinds it is no behaviour, and why.
	without map[string]string
	check   func(c *cell)
}

// behaviours are all rows.
func behaviours() []behaviour {
	return slices.Concat(flagBehaviours, faultBehaviours(), endBehaviours, caseBehaviours, fuzzBehaviours, deviceBehaviours)
}

// noCorpus are the kinds whose failures are not saved.
var noCorpus = map[string]string{
	"accumulator": "sequences of commands have no file format",
	"protocol":    "sequences of commands have no file format",
}

// noReplay are the kinds that replay nothing.
var noReplay = join(noCorpus, map[string]string{"modularbattery": "a battery replays nothing: Modular.Check replays what it saves"})

// noFuzz are the kinds that have no fuzz target.
var noFuzz = only("it has no method Fuzz", "battery", "conversion", "modularbattery", "accumulator", "protocol")

// noOwnLaw are the kinds whose subjects bring no law beside those that judge them.
var noOwnLaw = only("it has no Laws beside those that call the operations", "battery", "conversion", "accumulator", "protocol")

// only gives kinds one reason.
func only(reason string, names ...string) map[string]string {
	m := map[string]string{}
	for _, n := range names {
		m[n] = reason
	}
	return m
}

// join joins reasons.
func join(maps ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range maps {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

// prefixes are beginnings of laws' IDs, of all kinds.
var prefixes = []string{"sum.", "dot.", "eft.", "mont.", "ntt.", "wrap.", "formula.", "fft.", "round.", "acc."}

// judged matches how many cases a kind has judged.
var judged = regexp.MustCompile(`\b(\d+) (?:cases|sequences)\b`)

// cases returns how many cases of the kind's law were judged, by the log of -test.v.
func (c *cell) cases(o *outcome) int {
	for _, line := range strings.Split(o.out, "\n") {
		if m := judged.FindStringSubmatch(line); m != nil && strings.Contains(line, c.k.law) {
			n, _ := strconv.Atoi(m[1])
			return n
		}
	}
	c.wrongly("no line says how many cases were judged: %s", tail(o.out))
	return 0
}

// variable runs the kind's right subject under each of some variables.
func (c *cell) variable(vars ...string) *outcome {
	return c.p.run(c.t, spec{kind: c.k.name, fault: right, test: "TestSubjectVariables", env: "GAMMA_CHECKS=20", vars: strings.Join(vars, " ")})
}

// other returns a cell of another kind, which saves cases.
func (c *cell) other() *cell {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == "modular" })
	if kinds[i].law == c.k.law {
		i = slices.IndexFunc(kinds, func(k kind) bool { return k.name == "sum" })
	}
	return &cell{t: c.t, p: c.p, k: &kinds[i]}
}

// flagBehaviours are what each flag does, or the variable of its name.
var flagBehaviours = []behaviour{
	{"law of the kind", nil, func(c *cell) {
		o := c.run(right, "")
		c.exits(o, 0)
		c.says(o, regexp.QuoteMeta(c.k.law))
		for _, m := range regexp.MustCompile(`--- \w+: TestSubject/(\S+)`).FindAllStringSubmatch(o.out, -1) {
			c.want(strings.HasPrefix(m[1], c.k.law), "-gamma.law=%s judges %s", c.k.law, m[1])
		}
	}},
	{"law of another kind", nil, func(c *cell) {
		var foreign []string
		for _, p := range prefixes {
			if !slices.Contains(c.k.own, p) {
				foreign = append(foreign, "GAMMA_LAW="+p)
			}
		}
		o := c.variable(foreign...)
		c.exits(o, 0)
		for _, v := range foreign {
			got := o.status("TestSubjectVariables/" + v)
			c.want(got == "SKIP", "%s is %s, and should be skipped", v, got)
		}
	}},
	{"law that there is not", nil, func(c *cell) {
		list := []string{"GAMMA_LAW=" + c.k.law + "x", "GAMMA_LAW=summ."}
		o := c.variable(list...)
		c.exits(o, 1)
		for _, v := range list {
			got := o.status("TestSubjectVariables/" + v)
			c.want(got == "FAIL", "%s is %s, and should fail", v, got)
		}
		c.says(o, `-gamma.law \(or GAMMA_LAW\) is "summ.", and no law begins so`)
	}},
	{"values that cannot be", nil, func(c *cell) {
		var list []string
		for name, value := range wrongValues {
			list = append(list, "GAMMA_"+strings.ToUpper(name)+"="+value)
		}
		slices.Sort(list)
		o := c.variable(list...)
		for _, v := range list {
			name, value, _ := strings.Cut(strings.TrimPrefix(v, "GAMMA_"), "=")
			got := o.status("TestSubjectVariables/" + v)
			c.want(got == "FAIL", "%s is %s, and should fail", v, got)
			c.says(o, regexp.QuoteMeta(fmt.Sprintf("-gamma.%s (or GAMMA_%s) is %q; it has to be", strings.ToLower(name), name, value)))
		}
	}},
	{"checks", nil, func(c *cell) {
		few, many := c.run(right, ""), c.p.run(c.t, spec{kind: c.k.name, fault: right, args: "-gamma.checks=1000 -gamma.law=" + c.k.law})
		a, b := c.cases(few), c.cases(many)
		c.want(a > 0 && b > a, "of 200 checks come %d cases, of 1000 %d", a, b)
	}},
	{"level", nil, func(c *cell) {
		few := c.run(right, "")
		many := c.p.run(c.t, spec{kind: c.k.name, fault: right, args: "-gamma.level=thorough -gamma.budget=100ms -gamma.maxn=16 -gamma.law=" + c.k.law})
		c.exits(many, 0)
		a, b := c.cases(few), c.cases(many)
		c.want(a > 0 && b > a, "of 200 checks come %d cases, of level thorough %d in 100ms", a, b)
	}},
	{
		"maxn", join(noCorpus, only("its rows have no length", "operation", "modular", "battery", "conversion", "modularbattery")), func(c *cell) {
			c.exits(c.run(long, ""), 1)
			o := c.run(long, "-gamma.maxn="+strconv.Itoa(longest))
			c.exits(o, 0)
			c.want(c.cases(o) > 0, "no case is judged")
		},
	},
	{"budget", nil, func(c *cell) {
		o := c.run(right, "-gamma.budget=1ns")
		if o.code == 0 {
			c.says(o, "out of time|its time was over")
		} else {
			c.says(o, "-gamma.budget 1ns is over before the first")
		}
	}},
	{"seed", nil, func(c *cell) {
		digest := func(args, env string) string {
			o := c.p.run(c.t, spec{kind: c.k.name, fault: digests, args: c.narrow(args), env: env})
			c.exits(o, 0)
			return o.line("digest")
		}
		standard, two := digest("", ""), digest("-gamma.seed=2", "")
		c.want(standard != "" && standard != fmt.Sprintf("%016x", 0), "the kernel saw no input")
		c.want(standard == digest("-gamma.seed=fixed", ""), "two runs differ")
		c.want(standard != two, "-gamma.seed=2 draws what the fixed seed does")
		c.want(two == digest("", "GAMMA_SEED=2"), "GAMMA_SEED=2 draws something else than -gamma.seed=2")
		c.says(c.run(right, ""), "seed fixed")
	}},
	{"device cpu", nil, func(c *cell) {
		o := c.variable("GAMMA_DEVICE=cpu")
		c.want(o.status("TestSubjectVariables/GAMMA_DEVICE=cpu") != "SKIP", "GAMMA_DEVICE=cpu skips a Go function")
	}},
	{
		"device elsewhere", only("New says where the system runs, which props cannot know", "accumulator", "protocol"), func(c *cell) {
			o := c.variable("GAMMA_DEVICE=cuda,sim")
			got := o.status("TestSubjectVariables/GAMMA_DEVICE=cuda,sim")
			c.want(got == "SKIP", "GAMMA_DEVICE=cuda,sim is %s, and should be skipped", got)
			c.says(o, `runs on cpu, and -gamma.device \(or GAMMA_DEVICE\) is "cuda,sim"`)
		},
	},
	{"dir", nil, func(c *cell) {
		o := c.run(wrong, "-gamma.dir=elsewhere")
		for _, name := range []string{"summary.txt", "summary.jsonl", "failures.jsonl"} {
			c.want(len(o.named("elsewhere/*/"+name)) == 1, "-gamma.dir=elsewhere: there is no %s", name)
			c.want(len(o.named(outputs+"/*/"+name)) == 0, "-gamma.dir=elsewhere, and GAMMA_DIR is written to")
		}
	}},
	{"dir of two packages", nil, func(c *cell) {
		shared := c.t.TempDir()
		for _, fault := range []string{wrong, right} { // in a directory each, as packages are
			dir, err := os.MkdirTemp(c.p.root, "package-")
			require.NoError(c.t, err)
			c.p.runIn(dir, spec{kind: c.k.name, fault: fault, args: c.narrow(""), env: "GAMMA_DIR=" + shared})
		}
		violated := 0
		for name, n := range map[string]int{"summary.txt": 2, "summary.jsonl": 2, "failures.jsonl": 1} {
			files, err := filepath.Glob(filepath.Join(shared, "*", name))
			require.NoError(c.t, err)
			c.want(len(files) == n, "two packages leave %d files %s", len(files), name)
			for _, f := range files {
				text, err := os.ReadFile(f)
				require.NoError(c.t, err)
				if name == "summary.txt" {
					violated += strings.Count(string(text), "VIOLATED")
				}
			}
		}
		c.want(violated == 1, "%d summaries say that the law is violated", violated)
	}},
	{"save", noCorpus, func(c *cell) {
		o := c.run(wrong, "-gamma.save=elsewhere")
		c.want(len(o.cases("elsewhere")) == 1 && len(o.cases(saveDir)) == 0, "-gamma.save=elsewhere saves %v there and %v", o.cases("elsewhere"), o.cases(saveDir))
		o = c.run(wrong, "-gamma.save=off")
		c.want(len(o.cases(saveDir)) == 0, "-gamma.save=off saves %v", o.cases(saveDir))
		c.says(o, "not saved -gamma.save=off")
	}},
	{"case of another kind", nil, func(c *cell) {
		dir := c.p.with(c.t, c.other().run(wrong, ""), same)
		files, err := filepath.Glob(filepath.Join(dir, saveDir, "*", "*"))
		require.NoError(c.t, err)
		require.Len(c.t, files, 1)
		o := c.p.runIn(dir, spec{kind: c.k.name, fault: right, args: c.narrow("-gamma.case=" + files[0])})
		c.exits(o, 0)
		c.want(o.status("TestSubject") == "SKIP", "a case of another kind is %s, and should be skipped", o.status("TestSubject"))
	}},
	{"case that there is not", noReplay, func(c *cell) {
		o := c.run(right, "-gamma.case=nowhere")
		c.exits(o, 1)
		c.says(o, `-gamma.case is neither a file nor the end of the name of one`)
	}},
	{"isolate", nil, func(c *cell) {
		o := c.run(tells, "-gamma.isolate=true")
		c.exits(o, 0)
		pids := strings.Fields(o.files[pidFile])
		c.want(len(pids) > 0, "the kernel did not run")
		c.want(!slices.Contains(pids, o.line("process")), "the kernel ran in the test's own process")
	}},
}

// unexecuted keeps a report from executing the line that it prints, in a process of its own.
const unexecuted = "GAMMA_REPRODUCING=1"

// wrongValues has a value for each option that is none.
var wrongValues = map[string]string{
	"checks": "0", "level": "fast", "seed": "lucky", "maxn": "-5", "budget": "10", "isolate": "perhaps", "timeout": "soon", "device": "abacus",
}

// fault is a misbehaviour that a report has to describe.
type fault struct {
	name    string
	args    string
	says    string // a regular expression
	without map[string]string
}

// hangArgs are those that end a hang.
const hangArgs = "-gamma.isolate=true -gamma.timeout=100ms"

// faults are those that a run has to find.
var faults = []fault{
	{name: wrong, says: "violates"},
	{name: panics, says: `panic(ked|s): boom`},
	{name: fails, says: `returned an error: the queue is full`, without: only("its functions return no error", "battery", "conversion", "accumulator", "protocol")},
	{name: nanOnly, says: `(violates|breaks under)`, without: only("integers have no NaN", "modular", "ntt", "wrapping", "modularbattery", "protocol")},
	{name: short, says: `(violates|breaks under)`, without: only("its functions return words one by one", "wrapping", "battery", "conversion", "accumulator", "protocol")},
	{name: writes, says: `(changed|wrote to) .*(leaf|factor|word|input)`, without: only("its functions take words one by one", "battery", "conversion", "protocol")},
	{name: keeps, says: `wrote to .* after it had returned`, without: only("its functions take words one by one", "battery", "conversion", "accumulator", "protocol")},
	{name: stateful, says: `(violates|breaks under|is flaky under)`},
	{name: flaky, says: `is flaky under`},
	{name: rounds, says: `the (kernel|operation|system|(forward|inverse) transform|product) left the rounding mode at toward zero`, without: noEnvironment},
	{name: spreads, says: `the (kernel|operation|system|(forward|inverse) transform|product) left the rounding mode at toward zero .*, on the thread of a goroutine that it had started`, without: noEnvironment},
	{name: exits, args: "-gamma.isolate=true", says: `process died: exit status 7`},
	{name: hangs, args: hangArgs, says: `did not return within 100ms`},
}

// noEnvironment are the kinds of a processor whose control words nobody looks at: all or none.
var noEnvironment = func() map[string]string {
	m := map[string]string{}
	for _, k := range kinds {
		if !platform.HasEnvironment {
			m[k.name] = "no control word is read on " + runtime.GOARCH
		}
	}
	return m
}()

// found returns the run of a kind with a fault.
func (c *cell) found(f *fault) *outcome { return c.run(f.name, f.args) }

// head matches the first words of a report about the kind's subject and law.
func (c *cell) head() string {
	return regexp.QuoteMeta(c.k.subject) + ` (violates|breaks under|is flaky under) ` + regexp.QuoteMeta(c.k.law) + `: `
}

// again runs the line of a report that reproduces it, as it is printed, in a new process and from another directory.
func (c *cell) again(o *outcome, fault string) *outcome {
	line := o.line("reproduce")
	if line == "" {
		c.wrongly("the report has no line that reproduces it: %s", tail(o.out))
		return nil
	}
	s := spec{kind: c.k.name, fault: fault, env: "GAMMA_DIR=" + filepath.Join(o.dir, "again")}
	dir, err := os.MkdirTemp(c.p.root, "again-")
	require.NoError(c.t, err)
	return c.p.command(dir, s, "sh", "-c", line)
}

// faultBehaviours are, for each fault, that it is found and described, and that the line that reproduces it does.
func faultBehaviours() (list []behaviour) {
	for _, f := range faults {
		list = append(list, behaviour{f.name, f.without, func(c *cell) {
			o := c.found(&f)
			c.exits(o, 1)
			c.says(o, c.head())
			c.says(o, f.says)
		}}, behaviour{f.name + ", reproduced as printed", f.without, func(c *cell) {
			o := c.found(&f)
			if regexp.MustCompile(`is flaky under|cause flaky`).MatchString(o.flat()) {
				return // the report says that it may pass
			}
			if o = c.again(o, f.name); o != nil {
				c.exits(o, 1)
				c.says(o, c.head())
				c.says(o, f.says)
			}
		}})
	}
	return slices.Concat(list, []behaviour{
		{"right", nil, func(c *cell) {
			o := c.p.run(c.t, spec{kind: c.k.name, fault: right, args: "-gamma.checks=100"})
			c.exits(o, 0)
			c.want(len(o.cases(saveDir)) == 0, "a case is saved")
			c.want(len(o.failures) == 0, "failures.jsonl has lines")
		}},
		{"right once fixed, by the line as printed", nil, func(c *cell) {
			if o := c.again(c.run(wrong, ""), right); o != nil {
				c.exits(o, 0)
			}
		}},
		{"reproduced in a module", nil, func(c *cell) {
			dir, err := os.MkdirTemp(c.p.root, "module-")
			require.NoError(c.t, err)
			require.NoError(c.t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module mine\n"), 0o644))
			exe, err := os.Executable()
			require.NoError(c.t, err)
			bin := filepath.Join(dir, "bin")
			require.NoError(c.t, os.Mkdir(bin, 0o755))
			// In the place of the go command, which would build this package anew: it runs what is built.
			require.NoError(c.t, os.WriteFile(filepath.Join(bin, "go"), []byte(fmt.Sprintf(fakeGo, exe)), 0o755))
			o := c.p.runIn(dir, spec{kind: c.k.name, fault: wrong, args: c.narrow("")})
			c.want(strings.HasPrefix(o.line("reproduce"), "go test -C "+dir+" -run '^TestSubject$' "), "the line is %q", o.line("reproduce"))
			s := spec{kind: c.k.name, fault: wrong, env: "PATH=" + bin + ":" + os.Getenv("PATH")}
			o = c.p.command(c.t.TempDir(), s, "sh", "-c", o.line("reproduce"))
			c.exits(o, 1)
			c.says(o, c.head())
		}},
		{"reproduced with the options of the search", nil, func(c *cell) {
			args := []string{"-gamma.seed=3", "-gamma.level=thorough", "-gamma.checks=300", "-gamma.maxn=64", "-gamma.budget=2s"}
			o := c.p.run(c.t, spec{kind: c.k.name, fault: wrong, args: strings.Join(args, " ") + " -gamma.save=off -gamma.law=" + c.k.law})
			for _, a := range append(args, "-gamma.law="+c.k.law) {
				c.want(slices.Contains(strings.Fields(strings.TrimRight(o.line("reproduce"), ")")), a), "%s is not in the line %q", a, o.line("reproduce"))
			}
			if o = c.again(o, wrong); o != nil {
				c.exits(o, 1)
			}
		}},
		{"reproduced in isolation", nil, func(c *cell) {
			o := c.run(panics, "-gamma.isolate=true -gamma.timeout=9s")
			line := strings.Fields(strings.TrimRight(o.line("reproduce"), ")"))
			c.want(slices.Contains(line, "-gamma.isolate=true") && slices.Contains(line, "-gamma.timeout=9s"), "-gamma.isolate=true or the timeout is not in the line %q", o.line("reproduce"))
		}},
		{"law that panics", noOwnLaw, func(c *cell) {
			o := c.p.run(c.t, spec{kind: c.k.name, fault: lawPanics, args: "-gamma.checks=200 -gamma.law=" + ownLaw})
			c.exits(o, 1)
			c.says(o, regexp.QuoteMeta(ownLaw)+" cannot judge "+regexp.QuoteMeta(c.k.subject)+": the law .*panicked: the judge's own")
			c.says(o, "cause law: the subject's own law panicked: fix it")
			c.silent(o, "the kernel panicked")
			c.says(o, `panicked at .*law_test\.go:\d+`)
		}},
		{"stack of a panic", nil, func(c *cell) { c.says(c.run(panics, ""), `panicked at .*fault_test\.go:\d+`) }},
		{"stack of a panic in isolation", nil, func(c *cell) {
			c.says(c.run(panics, "-gamma.isolate=true -gamma.timeout=9s"), `panicked at .*fault_test\.go:\d+`)
		}},
		{"stack is no other subject's", nil, func(c *cell) {
			o := c.p.run(c.t, spec{kind: c.k.name, fault: beside, test: "TestSubjectBeside", args: c.narrow("-gamma.save=off -gamma.maxn=4"), env: unexecuted})
			c.exits(o, 1)
			c.says(o, "panic(ked|s): boom")
			c.silent(o, "elsewhere_test.go")
		}},
		{"case on file when the process ends", nil, func(c *cell) {
			o := c.p.runIn(c.p.with(c.t, &outcome{}, same), spec{kind: c.k.name, fault: exits, args: c.narrow("")})
			c.exits(o, 7)
			o = c.p.runIn(o.dir, spec{kind: c.k.name, fault: right, args: c.narrow("")})
			c.says(o, "an earlier process died while law "+regexp.QuoteMeta(c.k.law)+" ran "+regexp.QuoteMeta(c.k.subject))
		}},
		{"case on file when a hang is ended", nil, func(c *cell) {
			o := c.p.run(c.t, hangSpec(c.k))
			c.exits(o, 2)
			o = c.p.runIn(o.dir, spec{kind: c.k.name, fault: right, args: c.narrow("")})
			c.says(o, "an earlier process died while law "+regexp.QuoteMeta(c.k.law)+" ran "+regexp.QuoteMeta(c.k.subject))
		}},
		{"smallest input", nil, func(c *cell) {
			o := c.run(wrong, "")
			c.says(o, c.k.small)
		}},
		{"summary", nil, func(c *cell) {
			for _, f := range []string{right, wrong} {
				o := c.run(f, "")
				row := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(c.k.subject) + ` +cpu +` + regexp.QuoteMeta(c.k.law) + ` .*$`).FindString(o.summary)
				c.want(row != "", "summary.txt has no line of the subject and its law")
				c.want(strings.HasSuffix(row, "VIOLATED") == (f == wrong), "summary.txt says %q of a kernel that is %s", row, f)
				c.says(o, "summary in "+regexp.QuoteMeta(filepath.Join(o.dir, outputs))+`/\S+/summary\.txt`)
			}
		}},
		{"summary for machines", nil, func(c *cell) {
			for _, f := range []string{right, wrong} {
				o := c.run(f, "")
				i := slices.IndexFunc(o.lines, func(l map[string]any) bool { return l["subject"] == c.k.subject && l["law"] == c.k.law })
				if i < 0 {
					c.wrongly("summary.jsonl has no line of the subject and its law")
					continue
				}
				l := o.lines[i]
				c.want(l["seed"] == "fixed" && l["device"] == "cpu", "summary.jsonl has seed %v and device %v", l["seed"], l["device"])
				n, _ := l["cases"].(float64)
				c.want(n > 0, "summary.jsonl has %v cases", l["cases"])
				want := 0.0
				if f == wrong {
					want = 1
				}
				c.want(l["violations"] == want, "summary.jsonl has %v violations of a kernel that is %s", l["violations"], f)
			}
		}},
		{"report for machines", nil, func(c *cell) {
			for f, outcome := range map[string]string{wrong: "violated", panics: "broken"} {
				o := c.run(f, "")
				if len(o.failures) != 1 {
					c.wrongly("failures.jsonl has %d lines", len(o.failures))
					continue
				}
				for key, want := range map[string]any{
					"subject": c.k.subject, "law": c.k.law, "outcome": outcome, "seed": "fixed", "test": "TestSubject", "command": o.line("reproduce"),
					"flaky": false, "replayed": false,
				} {
					c.want(o.failures[0][key] == want, "failures.jsonl: %s is %v, and should be %v", key, o.failures[0][key], want)
				}
				file, _ := o.failures[0]["file"].(string)
				c.want(file == o.line("saved as"), "failures.jsonl has the file %q and the report %q", file, o.line("saved as"))
			}
		}},
		{"last lines of the report", nil, func(c *cell) {
			for _, args := range []string{"", "-gamma.save=off"} {
				c.want(regexp.MustCompile(`(?m)^ *reproduce +.*\n *(saved as|not saved|keep it as) +\S`).MatchString(c.run(wrong, args).out),
					"with %q no report ends with how to reproduce it and where it is saved", args)
			}
		}},
	})
}

// callsBefore returns how many calls before it a case of each fault needs that depends on state. A judgement of a transform calls it several
// times, so that a fault in all calls but the first shows in one alone.
func (c *cell) callsBefore() map[string]float64 {
	if c.k.name == "ntt" {
		return map[string]float64{third: 1}
	}
	return map[string]float64{stateful: 1, third: 2}
}

// endBehaviours are of kernels that leave something changed or running when a call or a process ends, or do not end.
var endBehaviours = []behaviour{
	{"state between calls, saved", noReplay, func(c *cell) {
		for fault, calls := range c.callsBefore() {
			o := c.run(fault, "")
			c.exits(o, 1)
			c.says(o, c.head())
			c.says(o, fmt.Sprintf(`needs %.0f calls? before it, which the file lists and the line below makes first: alone the case passes in a new process, `+
				`and after them it fails there\. The kernel keeps state between calls\.`, calls))
			c.want(len(o.failures) == 1 && o.failures[0]["calls_before"] == calls && o.failures[0]["flaky"] == false, "failures.jsonl says %v of %.0f calls", o.failures, calls)
			list := o.cases(saveDir)
			if len(list) != 1 || list[0] != o.line("saved as") {
				c.wrongly("the report says that it is saved as %q, and there are %v", o.line("saved as"), list)
				continue
			}
			n := strings.Count(o.files[list[0]], "\nbefore gamma ")
			c.want(n == int(calls), "the file lists %d calls", n)
			for _, m := range regexp.MustCompile(`(?m)^before (?:n|axis \w+) (\d+)`).FindAllStringSubmatch(o.files[list[0]], -1) {
				size, _ := strconv.Atoi(m[1])
				c.want(size <= 8, "a call that the file lists has %d elements", size)
			}
			n = strings.Count(o.files[list[0]], "\nbefore row ")
			c.want(n <= int(calls), "the calls that the file lists have %d rows", n)
			for again, code := range map[string]int{fault: 1, right: 0} {
				c.exits(c.again(o, again), code)
				c.exits(c.p.runIn(c.p.with(c.t, o, same), spec{kind: c.k.name, fault: again, test: "TestSubjectReplay"}), code)
			}
			alone := c.p.with(c.t, o, func(text string) string { return regexp.MustCompile(`(?m)^before .*\n`).ReplaceAllString(text, "") })
			c.exits(c.p.runIn(alone, spec{kind: c.k.name, fault: fault, test: "TestSubjectReplay"}), 0)
		}
	}},
	{"state between calls, not saved", noReplay, func(c *cell) {
		c.few("state between calls, saved")
		o := c.run(third, "-gamma.save=off")
		c.exits(o, 1)
		c.says(o, "needs \\d calls? before it: alone the case passes in a new process, and after them it fails there")
		c.exits(c.again(o, third), 1)
	}},
	{"chance is no state between calls", nil, func(c *cell) {
		o := c.run(chance, "")
		for range 9 { // of ten cases, as a few kinds have here, none fails once in eighteen runs
			if o.code == 0 { // run gives what it gave before
				o = c.p.runIn(c.p.with(c.t, &outcome{}, same), spec{kind: c.k.name, fault: chance, args: c.narrow("")})
			}
		}
		c.exits(o, 1)
		c.silent(o, "keeps state between calls")
		c.want(len(o.failures) == 1 && o.failures[0]["calls_before"] == nil, "failures.jsonl has calls before: %v", o.failures)
	}},
	{"passes in a new process, and says so", nil, func(c *cell) {
		for _, args := range []string{"", "-gamma.save=off"} {
			o := c.run(once, args)
			c.exits(o, 1)
			c.says(o, "needs +the line below passes in a new process: ")
			c.exits(c.again(o, once), 0)
			c.want(len(o.failures) == 1 && o.failures[0]["after_calls"] == true, "failures.jsonl does not say so: %v", o.failures)
		}
	}},
	{"environment changed and put back", noEnvironment, func(c *cell) { c.exits(c.run(restores, ""), 0) }},
	{"environment changed on other threads, one verdict", noEnvironment, func(c *cell) {
		c.one(c.p.run(c.t, spec{kind: c.k.name, fault: spreads, args: "-gamma.checks=100"}))
	}},
	{"environment changed by another kernel", noEnvironment, func(c *cell) { c.exits(c.run(suffers, ""), 0) }},
	{"environment changed in isolation", noEnvironment, func(c *cell) {
		o := c.run(rounds, "-gamma.isolate=true")
		c.exits(o, 1)
		c.says(o, "left the rounding mode at toward zero")
	}},
	{"environment, one verdict", noEnvironment, func(c *cell) { c.one(c.p.run(c.t, spec{kind: c.k.name, fault: rounds, args: "-gamma.checks=100"})) }},
	{"hang, one verdict", nil, func(c *cell) {
		o := c.p.run(c.t, spec{kind: c.k.name, fault: hangs, args: "-gamma.checks=100 " + hangArgs})
		c.one(o)
		c.says(o, "did not return within 100ms")
		c.gone(o)
	}},
	{"hang, not isolated", nil, func(c *cell) {
		o := c.p.run(c.t, spec{kind: c.k.name, fault: hangs, args: "-gamma.checks=100 -gamma.timeout=500ms"})
		c.one(o)
		c.says(o, "did not return .*within 500ms")
		c.says(o, "reproduce .* -gamma.isolate=true -gamma.timeout=500ms")
		c.gone(o)
	}},
	{"hang, and its parent ends", nil, func(c *cell) {
		o := c.run(hangs, "-gamma.isolate=true -gamma.timeout=1m -test.timeout=3s")
		c.exits(o, 2)
		c.gone(o)
	}},
}

// one notes a run that does not fail by one report.
func (c *cell) one(o *outcome) {
	c.exits(o, 1)
	c.want(len(o.failures) == 1 && o.failures[0]["wrong"] == nil, "failures.jsonl has %d lines: %s", len(o.failures), tail(o.out))
}

// gone notes a process that ran the kernel and is left some time after the test.
func (c *cell) gone(o *outcome) {
	for _, text := range strings.Fields(o.files[pidFile]) {
		pid, err := strconv.Atoi(text)
		require.NoError(c.t, err)
		for end := time.Now().Add(5 * time.Second); platform.ProcessLives(pid); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				c.wrongly("process %d, which runs the kernel, is left", pid)
				return
			}
		}
	}
}

// hangSpec is a kernel that hangs until go test ends it.
func hangSpec(k *kind) spec {
	return spec{kind: k.name, fault: hangs, args: (&cell{k: k}).narrow("-test.timeout=5s")}
}

// fakeGo runs a test binary for "go test -C DIR -run RE …".
const fakeGo = `#!/bin/sh
[ "$1 $2" = "test -C" ] || exit 99
cd "$3" || exit 98
shift 3
[ "$1" = -run ] || exit 97
run=$2
shift 2
exec %s -test.run "$run" "$@"
`

// caseBehaviours are what is done with cases on file.
var caseBehaviours = []behaviour{
	{"saved", noCorpus, func(c *cell) {
		o := c.run(wrong, "")
		list := o.cases(saveDir)
		c.want(len(list) == 1 && list[0] == o.line("saved as"), "the report says that it is saved as %q, and there are %v", o.line("saved as"), list)
	}},
	{"flaky, saved", noCorpus, func(c *cell) {
		o := c.run(flaky, "")
		list := o.cases(saveDir)
		c.want(len(list) == 1 && list[0] == o.line("saved as"), "the report says that it is saved as %q, and there are %v", o.line("saved as"), list)
	}},
	{"saved case replayed first", noReplay, func(c *cell) {
		dir := c.p.with(c.t, c.run(wrong, ""), same)
		o := c.p.runIn(dir, spec{kind: c.k.name, fault: wrong, args: c.narrow("")})
		c.exits(o, 1)
		c.want(o.status("TestSubject/replay") == "FAIL", "the case on file is not replayed by Check")
	}},
	{"replay", noReplay, func(c *cell) {
		found := c.run(wrong, "")
		dir := c.p.with(c.t, found, same)
		o := c.p.runIn(dir, spec{kind: c.k.name, fault: wrong, test: "TestSubjectReplay"})
		c.exits(o, 1)
		c.says(o, c.head())
		c.says(o, regexp.QuoteMeta(found.line("saved as")))
		c.want(len(o.failures) == 1 && o.failures[0]["replayed"] == true, "failures.jsonl: %v", o.failures)
		c.want(strings.Contains(o.summary, " and 1 replayed"), "summary.txt: %s", tail(o.summary))
		o = c.p.runIn(dir, spec{kind: c.k.name, fault: right, test: "TestSubjectReplay"})
		c.exits(o, 0)
		c.says(o, `1 (case|row) replayed|replayed 1 (case|row)`)
	}},
	{"replay of what is not asked for", noReplay, func(c *cell) {
		dir := c.p.with(c.t, c.run(wrong, ""), same)
		o := c.p.runIn(dir, spec{kind: c.k.name, fault: wrong, test: "TestSubjectReplay", args: "-gamma.law=acc."})
		c.exits(o, 0)
	}},
	{"case of a kernel that is gone", noReplay, func(c *cell) {
		dir := c.p.with(c.t, c.run(wrong, ""), func(text string) string {
			return strings.Replace(text, "\nkernel "+c.k.subject+"\n", "\nkernel behaviours.Gone\n", 1)
		})
		o := c.p.runIn(dir, spec{kind: c.k.name, fault: right, args: c.narrow("")})
		c.exits(o, 0)
		c.want(strings.Contains(o.summary, "1 case on file for kernels that were not judged so far: behaviours.Gone"), "the summary does not name it: %s", tail(o.summary))
	}},
	{"case of a kernel of another kind that is not judged", noReplay, func(c *cell) {
		other := c.other()
		o := c.p.runIn(c.p.with(c.t, other.run(wrong, ""), same), spec{kind: c.k.name, fault: right, args: c.narrow("")})
		c.exits(o, 0)
		c.want(strings.Contains(o.summary, "1 case on file for kernels that were not judged so far: "+other.k.subject), "the summary does not name it: %s", tail(o.summary))
	}},
	{"open fault", noReplay, func(c *cell) {
		dir := c.p.with(c.t, c.run(wrong, ""), open)
		o := c.p.runIn(dir, spec{kind: c.k.name, fault: wrong, args: c.narrow("")})
		c.exits(o, 0)
		c.says(o, "still open")
		c.says(o, "a known open fault is on file")
		o = c.p.runIn(dir, spec{kind: c.k.name, fault: right, args: c.narrow("")})
		c.exits(o, 1)
		c.says(o, "on file as a known open fault, and the law does not fail it any more")
	}},
	{"saved case knows that it hangs", noReplay, func(c *cell) {
		dir := c.p.with(c.t, c.found(&faults[slices.IndexFunc(faults, func(f fault) bool { return f.name == hangs })]), same)
		o := c.p.runIn(dir, spec{kind: c.k.name, fault: hangs, test: "TestSubjectReplay", args: "-test.timeout=5s", env: "GAMMA_TIMEOUT=100ms"})
		c.exits(o, 1)
		c.says(o, "did not return within 100ms")
	}},
	{"file that cannot be read", noReplay, func(c *cell) {
		dir := c.p.with(c.t, c.run(wrong, ""), func(text string) string { return text + "nonsense\n" })
		o := c.p.runIn(dir, spec{kind: c.k.name, fault: right, args: c.narrow("")})
		c.exits(o, 1)
		c.says(o, edited+`\.\w+:\d+`)
	}},
}

// open makes a case on file a known open fault.
func open(text string) string {
	return regexp.MustCompile(`(?m)^expect holds$|(?:^row .*) holds\b`).ReplaceAllStringFunc(text, func(line string) string {
		return strings.Replace(line, "holds", "violated", 1)
	})
}

// fuzzBehaviours are of fuzz targets, as go test runs them without -fuzz: on their seeds.
var fuzzBehaviours = []behaviour{
	{"fuzz", noFuzz, func(c *cell) {
		o := c.p.run(c.t, spec{kind: c.k.name, fault: right, test: "FuzzSubject"})
		c.exits(o, 0)
		o = c.p.run(c.t, spec{kind: c.k.name, fault: wrong, test: "FuzzSubject", args: "-gamma.law=" + c.k.law})
		c.exits(o, 1)
		c.says(o, c.head())
	}},
	{"fuzz, by Go's engine", noFuzz, func(c *cell) {
		args := "-test.fuzz=^FuzzSubject$ -test.fuzztime=20x -test.parallel=1 -test.fuzzcachedir=cache -gamma.law=" + c.k.law
		c.exits(c.p.run(c.t, spec{kind: c.k.name, fault: right, test: "FuzzSubject", args: args}), 0)
	}},
	{"fuzz, reproduced as printed", noFuzz, func(c *cell) {
		o := c.p.run(c.t, spec{kind: c.k.name, fault: wrong, test: "FuzzSubject", args: "-gamma.law=" + c.k.law})
		if o = c.again(o, wrong); o != nil {
			c.exits(o, 1)
			c.says(o, c.head())
		}
	}},
	{"fuzz, state between calls", noFuzz, func(c *cell) {
		c.few("state between calls, saved")
		args := "-test.fuzz=^FuzzSubject$ -test.fuzztime=2000x -test.parallel=1 -test.fuzzcachedir=cache -test.fuzzminimizetime=1x -gamma.law=" + c.k.law
		for _, args := range []string{args, "-gamma.law=" + c.k.law} {
			o := c.p.run(c.t, spec{kind: c.k.name, fault: third, test: "FuzzSubject", args: args})
			c.exits(o, 1)
			c.says(o, `needs \d calls? before it, which the file lists and the line below makes first`)
			c.exits(c.again(o, third), 1)
			c.exits(c.again(o, right), 0)
		}
	}},
	{"fuzz, case", noFuzz, func(c *cell) {
		found := c.run(wrong, "")
		arg := "-gamma.case=" + found.line("saved as")
		dir := c.p.with(c.t, found, same)
		o := c.p.runIn(dir, spec{kind: c.k.name, fault: wrong, test: "FuzzSubject", args: arg})
		c.exits(o, 1)
		c.says(o, c.head())
		c.says(o, "alone was replayed, and nothing fuzzed")
		o = c.p.runIn(dir, spec{kind: c.k.name, fault: right, test: "FuzzSubject", args: arg})
		c.want(o.status("FuzzSubject") == "SKIP", "the target is %s with a case", o.status("FuzzSubject"))
	}},
	{"fuzz, law of another kind", noFuzz, func(c *cell) {
		o := c.p.run(c.t, spec{kind: c.k.name, fault: right, test: "FuzzSubject", args: "-gamma.law=acc."})
		c.exits(o, 0)
		c.want(o.status("FuzzSubject") == "SKIP", "it is %s, and should be skipped", o.status("FuzzSubject"))
	}},
	{"fuzz, law that there is not", noFuzz, func(c *cell) {
		o := c.p.run(c.t, spec{kind: c.k.name, fault: right, test: "FuzzSubject", args: "-gamma.law=summ."})
		c.exits(o, 1)
		c.says(o, `no law begins so|-gamma.law`)
	}},
	{"fuzz, isolate", noFuzz, func(c *cell) {
		o := c.p.run(c.t, spec{kind: c.k.name, fault: right, test: "FuzzSubject", args: "-gamma.isolate=true"})
		c.exits(o, 0)
		c.says(o, "-gamma.isolate has no effect")
	}},
	{"fuzz, elsewhere", noFuzz, func(c *cell) {
		o := c.p.run(c.t, spec{kind: c.k.name, fault: right, test: "FuzzSubject", args: "-gamma.device=cuda"})
		c.want(o.status("FuzzSubject") == "SKIP", "it is %s, and should be skipped", o.status("FuzzSubject"))
	}},
}

// deviceBehaviours are of kernels on devices.
var deviceBehaviours = []behaviour{
	{"behaviours one by one first", noDevice, func(c *cell) {
		o := c.run(onDevice, "")
		c.exits(o, 0)
		var ran []string
		for _, m := range regexp.MustCompile(`(?m)^ran (.*)$`).FindAllStringSubmatch(o.out, -1) {
			ran = append(ran, m[1])
		}
		for _, b := range singles {
			c.want(slices.Contains(ran, b.String()), "%q is not among the first behaviours: %q", b, ran)
		}
	}},
	{"device, elsewhere", noDevice, func(c *cell) {
		o := c.run(onDevice, "-gamma.device=cpu")
		c.exits(o, 0)
		c.want(o.status("TestSubject") == "SKIP", "a kernel on sim is %s with -gamma.device=cpu", o.status("TestSubject"))
	}},
}

// noDevice are the kinds that know no device.
var noDevice = only("it runs on no device", "battery", "conversion", "accumulator", "protocol")
