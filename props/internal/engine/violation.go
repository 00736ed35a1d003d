package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// Violation is what the failures of all kinds have in common: who failed which law, how it was found, and where it is saved.
type Violation struct {
	Kind    string // of the subject: "vectors", "words", "residues", "transforms"
	Subject string
	// Device names the hardware that the kernel ran on, with its detail; "" on the simulator and for Go functions.
	Device  string
	Verdict verdict.Verdict
	// Found is what the device's checkers found in the runs that the verdict judged; of laws about findings the witness has them.
	Found    model.Findings
	Seed     string
	Cases    int    // drawn, this one included
	Test     string // the test or fuzz target that found it; what follows a slash counts for subjects of CheckAll alone, of which it chooses one
	Together bool   // by CheckAll
	File     string // where the case is saved, with its line in a table; "" if it is not
	NotSaved string // why there is no file
	Replayed bool   // a case on file
	Flaky    bool   // the same case gave different verdicts
	Isolated bool   // the kernel ran in a child process
	// AfterCalls: the case alone passes in a new process. Calls is how many calls before it make it fail there, and are saved with it; 0 if
	// those that were tried do not.
	AfterCalls bool
	Calls      int
	// Fault says in a plain sentence what is wrong with the kernel where that is recognised, for the first line, and Cause on what that rests.
	Fault, Cause string
	// Stack holds the kernel's own calls when it panicked, the innermost first.
	Stack []string

	// Weaker names the field of the claim that would leave out what fails here; "" if there is none.
	Weaker string

	body corpus.Body  // what is saved, or would be
	undo func() error // takes back what is saved
	// tried is how many calls before it were tried.
	tried int

	// Seen is what the law said of a flaky case when it failed.
	Seen   string
	Recipe string // that the input was drawn by; "" if none is known
	again  string // as in Settings
	block  string // as in Session
}

// Common returns f.
func (f *Violation) Common() *Violation { return f }

// Violation describes a violation of the session's subject.
func (s *Session) Violation(kind string, v verdict.Verdict) Violation {
	return Violation{
		Kind: kind, Subject: s.Name, Device: s.Device.text(), Verdict: v, Seed: s.Set.SeedText, Test: s.Sum.Test, Together: s.together, Isolated: s.Set.Isolate,
		Stack: ownStack(v.Stack), again: s.Set.Again, block: s.block,
	}
}

// tell fails a test with the report of a failure. One fault violates many laws: the first report of a subject is printed whole, and of the
// others what they begin with, a command that prints the rest, and the file. A report that puts the judge in doubt is printed whole.
func (s *Session) tell(t TB, f Failure) {
	t.Helper()
	text := f.Text()
	if line := annotation(f.Common(), text); line != "" && s.Set.Again == "" {
		fmt.Println(line)
	}
	if d, ok := f.(interface{ Doubts() bool }); s.told && (!ok || !d.Doubts()) {
		first, _, _ := strings.Cut(text, "\n\n")
		lines := strings.Split(text, "\n")
		t.Error("also: " + strings.Join(append([]string{first}, lines[len(lines)-2:]...), "\n"))
		return
	}
	s.told = true
	t.Error("\n" + text)
}

// annotation returns the line that makes GitHub Actions show a failure beside the case on file, where its variable says that it runs the test; else "".
// Of the report it has the first sentences.
// Format: docs.github.com, "Workflow commands for GitHub Actions", Setting an error message.
func annotation(f *Violation, text string) string {
	if os.Getenv("GITHUB_ACTIONS") != "true" {
		return ""
	}
	first, _, _ := strings.Cut(text, "\n\n")
	file := ""
	if f.File != "" {
		file = placeInFile.ReplaceAllString(f.File, "")
		if abs, err := filepath.Abs(file); err == nil {
			if rel, err := filepath.Rel(os.Getenv("GITHUB_WORKSPACE"), abs); err == nil && filepath.IsLocal(rel) {
				file = rel
			}
		}
		file = "file=" + escapeProperty.Replace(file) + ","
	}
	return fmt.Sprintf("::error %stitle=%s::%s", file, escapeProperty.Replace("gamma: "+f.Subject), escapeData.Replace(first))
}

// In data and properties of an annotation these stand for what would end them.
var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// FailureOf is what the failures of most kinds have in common: the law, what the kernel ran under, the head and the end of the report.
type FailureOf[J, C any] struct {
	Violation
	Law     LawOf[J, C]
	Setting verdict.Setting
	claim   string // in words
	own     bool   // the law is the subject's own
	unit    string // "case" or "row"
}

// Failing begins to describe an input that fails, of the recipe that it was drawn by, "" if of none, and what the device's checkers found.
func (s *Lawful[J, C]) Failing(kind string, l *LawOf[J, C], v verdict.Verdict, at verdict.Setting, claim, recipe string, found model.Findings) FailureOf[J, C] {
	f := FailureOf[J, C]{s.Violation(kind, v), *l, at, claim, IsOwn(s.BuiltIn, l), s.unit}
	if f.Recipe = recipe; l.Found == nil { // else the witness has them
		f.Found = slices.Clone(found)
	}
	return f
}

// Own reports whether the law is the subject's own.
func (f *FailureOf[J, C]) Own() bool { return f.own }

// Source names where the bound that decided, or the law, comes from.
func (f *FailureOf[J, C]) Source() string {
	if w := f.Verdict.Witness; w != nil && w.Source != "" {
		return w.Source
	}
	return f.Law.Source
}

// Begin writes the head of a report, and on what it rests: reason is that of the verdict in a few words, and parts are labels and texts after the claim.
func (f *FailureOf[J, C]) Begin(reason string, parts ...[2]string) *report.Report {
	r := f.Head(reason)
	f.Terms(r, parts...)
	r.Blank()
	f.WriteFound(r)
	return r
}

// Head writes the sentence that a report begins with.
func (f *FailureOf[J, C]) Head(reason string) *report.Report {
	r := &report.Report{}
	r.Wrap("", strings.TrimSpace(f.Headline(f.Law.ID, "a "+f.unit, reason)+" "+f.Fault))
	r.Blank()
	return r
}

// Terms writes the law, the claim, parts and the setting.
func (f *FailureOf[J, C]) Terms(r *report.Report, parts ...[2]string) {
	r.WriteLaw(f.Law.Statement, f.Law.Hypotheses, f.Source(), f.claim)
	r.WriteParts(parts...)
	f.WriteSetting(r, f.Setting)
}

// Finish writes the end of a report: smaller says how the input was made smaller, and cause what the kernel does wrong.
func (f *FailureOf[J, C]) Finish(r *report.Report, smaller, cause string) string {
	return f.End(r, f.Law.ID, f.FoundBy(f.unit, f.Recipe, smaller), f.CauseOr(cause))
}

// CauseOr returns what panicked in the place of the kernel, or what the device's checkers found, which come before every other cause.
func (f *FailureOf[J, C]) CauseOr(other string) string {
	if who := f.Culprit(); who != "" {
		return who + ": " + f.PanicText(f.own)
	}
	if found := FoundText(f.Found); found != "" {
		return "kernel: " + found
	}
	if text := f.Environment(); text != "" {
		return "kernel: " + text
	}
	return other
}

// InJSON returns what every line of failures.jsonl has.
func (f *FailureOf[J, C]) InJSON() JSONViolation {
	return f.CommonJSON(f.Law.ID, f.Law.Statement, f.Law.Hypotheses, f.Source(), f.claim, f.Recipe, f.Setting)
}

// Save writes a failure below the directory of the settings: b, with the reason of the verdict, notes, recipe and hardware in the comment of a
// row, or where that is nil at the head of the file. what names what failed, "the batch" for instance.
func (s *Session) Save(f *Violation, b corpus.Body, what string, row *string, notes ...string) {
	text := f.Verdict.Reason
	if f.PassedAgain() {
		text = FlakyText(what, f.Seen)
	}
	if f.Recipe != "" && row != nil {
		notes = append(notes, "drawn as "+f.Recipe)
	} else if f.Recipe != "" {
		notes = append(notes, "Drawn as "+f.Recipe+".")
	}
	notes = append(notes, foundOn(f.Device)...)
	h := b.Head()
	h.Isolate = h.Isolate || f.Verdict.Cause.Isolated()
	if row != nil {
		*row = strings.Join(append([]string{text}, notes...), "; ")
	} else {
		h.Comments = slices.Concat([]string{text}, h.Comments, notes)
	}
	b.SetHead(h)
	s.write(f, b)
}

// write writes the file of a failure, unless nothing is to be saved.
func (s *Session) write(f *Violation, b corpus.Body) {
	f.body, f.NotSaved = b, ""
	if s.Set.Save == "off" {
		f.NotSaved = "-gamma.save=off"
		return
	}
	var err error
	if f.File, f.undo, err = corpus.SaveFor(s.Set.Save, b, ReplayOptions); err != nil {
		f.NotSaved = err.Error()
	}
}

// PassedAgain reports whether the case failed once, and then not.
func (f *Violation) PassedAgain() bool { return f.Flaky && !f.Verdict.Fails() }

// Headline names subject, law and reason in one sentence; unit is "a case" or "a row".
func (f *Violation) Headline(law model.LawID, unit, reason string) string {
	verb := "violates"
	switch {
	case f.Culprit() != "":
		return fmt.Sprintf("%s cannot judge %s: %s.", law, f.Subject, strings.TrimRight(reason, "."))
	case f.PassedAgain():
		verb, reason = "is flaky under", FlakyText(unit, f.Seen)
	case f.Verdict.Outcome == verdict.Broken:
		verb = "breaks under"
	}
	return fmt.Sprintf("%s %s %s: %s.", f.Subject, verb, law, strings.TrimRight(reason, "."))
}

// WriteSetting writes what the kernel ran under.
func (f *Violation) WriteSetting(r *report.Report, at verdict.Setting) {
	behaviour, launch := at.Texts()
	r.WriteParts([2]string{"device", f.Device}, [2]string{"behaviour", behaviour}, [2]string{"launch", launch})
}

// WriteFound writes the findings of a law about them.
func (f *Violation) WriteFound(r *report.Report) {
	if w := f.Verdict.Witness; w != nil && len(w.Findings) > 0 {
		WriteFindings(r, w.Findings)
		r.Blank()
	}
}

// End writes how the case was found, the cause, and the last two lines that every report has: a command that runs the case again, and
// the file of the case.
func (f *Violation) End(r *report.Report, law model.LawID, found, cause string) string {
	r.WriteParts([2]string{"found", found}, [2]string{"cause", cause}, [2]string{"weaker", f.weakerText()}, [2]string{"needs", f.needsText(law)})
	r.Line("reproduce", f.Reproduce(law))
	if f.File != "" {
		r.Line("saved as", f.File)
	} else {
		r.Line("not saved", strings.ReplaceAll(f.notSaved(), "\n", " "))
	}
	return strings.TrimSuffix(r.String(), "\n")
}

// needsText says what has to come before the case, so that it fails in a new process, or "".
func (f *Violation) needsText(law model.LawID) string {
	switch {
	case f.Calls > 0 && f.File == "":
		return fmt.Sprintf("%s before it: alone the case passes in a new process, and after them it fails there. The kernel keeps state between calls. "+
			"They are saved with the case, unless -gamma.save=off.", report.Plural(f.Calls, "call"))
	case f.Calls > 0:
		return fmt.Sprintf("%s before it, which the file lists and the line below makes first: alone the case passes in a new process, and after them it "+
			"fails there. The kernel keeps state between calls.", report.Plural(f.Calls, "call"))
	case f.AfterCalls && f.File == "":
		return "the line below passes in a new process: what fails here depends on more than the search, such as other tests that ran before"
	case f.AfterCalls:
		tried := ""
		if f.tried > 0 {
			tried = " and after " + report.Plural(f.tried, "call") + " before it"
		}
		return fmt.Sprintf("the line below passes in a new process: there the case does not fail, alone%s. It depends on more calls, on other tests, or on chance. "+
			"The search that found it:%s", tried, f.searchArgs(law).String())
	}
	return ""
}

// weakerText says which field of the claim states the weaker contract under which the case does not fail, or "".
func (f *Violation) weakerText() string {
	if f.Weaker == "" || !f.Verdict.Fails() {
		return ""
	}
	return "if the kernel does not promise this, set " + f.Weaker
}

// FoundBy says by which draw and seed a case was found, and how it was made smaller.
func (f *Violation) FoundBy(unit, recipe, smaller string) string {
	switch {
	case f.Replayed:
		return "on file, and replayed"
	case f.Cases == 0:
		return ""
	}
	text := fmt.Sprintf("%s %d, -gamma.seed=%s", unit, f.Cases, f.Seed)
	if recipe != "" {
		text += ", of " + recipe
	}
	if smaller != "" {
		text += "; " + smaller
	}
	return text
}

// Environment says what is asked of a kernel that left the processor's control words changed; "" of others.
func (f *Violation) Environment() string {
	if f.Verdict.Cause != verdict.KernelEnvironment {
		return ""
	}
	return "a function that changes the control words of floating point puts them back before it returns (x86-64 psABI, 3.2.1: they are the " +
		"caller's). Here they were put back, and nothing else was computed under them."
}

// Culprit says what panicked in the place of the kernel: the law or the claim; "" if neither did.
func (f *Violation) Culprit() string {
	switch f.Verdict.Cause {
	case verdict.ClaimPanicked:
		return "claim"
	case verdict.LawPanicked:
		return "law"
	}
	return ""
}

// PanicText says of a culprit what it did, and what to do.
func (f *Violation) PanicText(own bool) string {
	switch {
	case f.Verdict.Cause == verdict.ClaimPanicked:
		return "its Height function panicked: fix it. The kernel is not to blame, and was not judged."
	case own:
		return "the subject's own law panicked: fix it. The kernel is not to blame, and was not judged."
	}
	return "it panicked, and not the kernel, which was not judged. Please report this case."
}

// IsOwn reports whether a law is a subject's own, and none of the built-in ones of its kind.
func IsOwn[J, C any](builtIn []LawOf[J, C], l *LawOf[J, C]) bool {
	_, err := LawByID(builtIn, l.ID)
	return err != nil
}

// notSaved says why there is no file.
func (f *Violation) notSaved() string {
	switch {
	case f.again != "":
		return "this command keeps no cases; a test does"
	case f.NotSaved != "":
		return f.NotSaved
	case OptSave.String() == "off":
		return "-gamma.save=off"
	}
	return "the case was judged outside of a test"
}

// Reproduce returns the command that runs the case again, from any directory: the case on file
// where there is one, and else the search that found it.
func (f *Violation) Reproduce(law model.LawID) string {
	if f.again != "" {
		return f.again
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	test, _, _ := strings.Cut(f.Test, "/")
	run := "^" + test + "$"
	if f.Together {
		run = exactly(f.Test)
	}
	if f.embedded() {
		run += "/^replay$"
	}
	run = "'" + run + "'"
	args := f.arguments(law).String()
	if !inModule(dir) {
		if test != "" {
			args = " -test.run " + run + args
		}
		return fmt.Sprintf("(cd %s && %s%s)", report.ShellWord(dir), report.ShellWord(os.Args[0]), args)
	}
	if test != "" {
		args = " -run " + run + args
	}
	return fmt.Sprintf("go test -C %s%s", report.ShellWord(dir), args)
}

// arguments are options and their values.
type arguments [][2]string

// with adds an option if it has a value.
func (a arguments) with(o *Option, value string) arguments {
	if value == "" {
		return a
	}
	return append(a, [2]string{"-gamma." + o.Name + "=", value})
}

// String returns the arguments as a shell reads them, each after a space, and list as a process gets them.
func (a arguments) String() (text string) {
	for _, o := range a {
		text += " " + o[0] + report.ShellWord(o[1])
	}
	return text
}

func (a arguments) list() (words []string) {
	for _, o := range a {
		words = append(words, o[0]+o[1])
	}
	return words
}

// embedded reports whether the case is on file in package corpus alone.
func (f *Violation) embedded() bool {
	return f.File != "" && !IsFile(placeInFile.ReplaceAllString(f.File, ""))
}

// arguments returns those that run the case again.
func (f *Violation) arguments(law model.LawID) arguments {
	args := arguments{}.with(OptDevice, onDevice(f.Device))
	if f.File == "" {
		args = append(args, f.searchArgs(law)...)
	} else if !f.embedded() {
		args = args.with(OptCase, ShortestName(placeInFile.ReplaceAllString(f.File, "")))
	}
	if f.Isolated {
		args = args.with(OptIsolate, "true").with(OptTimeout, OptTimeout.String())
	}
	return args
}

// searchArgs returns the arguments of the search that found the case.
func (f *Violation) searchArgs(law model.LawID) (args arguments) {
	if !strings.HasPrefix(f.Test, "Fuzz") {
		args = args.with(OptLaw, string(law)).with(OptSeed, f.Seed)
	}
	for _, o := range []*Option{OptLevel, OptChecks, OptMaxN, OptBudget, OptSweep} {
		value := o.String()
		if f.block != "" && o == OptBudget { // no time ends a block
			value = ""
		}
		args = args.with(o, value)
	}
	return args.with(OptShard, f.block)
}

// placeInFile is the line of a case in a file of many.
var placeInFile = regexp.MustCompile(`:\d+$`)

// ShortestName returns the shortest text for -gamma.case that names a file.
func ShortestName(file string) string {
	words := strings.Split(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), "-")
	for i := len(words) - 1; i >= 0; i-- {
		short := strings.Join(words[i:], "-")
		if found := FilesNamed(short); len(short) >= 8 && len(found) == 1 && found[0] == file {
			return short
		}
	}
	return file
}

// IsFile reports whether a regular file has that name.
func IsFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// inModule reports whether a go.mod lies in dir or above it.
func inModule(dir string) bool {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); !errors.Is(err, fs.ErrNotExist) {
			return err == nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// JSONViolation is what every line of failures.jsonl has, whatever the kind.
type JSONViolation struct {
	Kind       string   `json:"kind"`
	Subject    string   `json:"subject"`
	Device     string   `json:"device,omitempty"` // of hardware, with its detail
	Law        string   `json:"law"`
	Statement  string   `json:"statement"`
	Hypotheses string   `json:"hypotheses,omitempty"`
	Source     string   `json:"source,omitempty"`
	Claim      string   `json:"claim"`
	Outcome    string   `json:"outcome"`
	Reason     string   `json:"reason,omitempty"`
	Behaviour  string   `json:"behaviour,omitempty"`
	Launch     string   `json:"launch,omitempty"`
	Findings   []string `json:"findings,omitempty"` // of a device's checkers
	Stack      []string `json:"stack,omitempty"`
	Weaker     string   `json:"weaker,omitempty"`
	Flaky      bool     `json:"flaky"`
	AfterCalls bool     `json:"after_calls,omitempty"`
	Calls      int      `json:"calls_before,omitempty"`
	Test       string   `json:"test,omitempty"`
	Seed       string   `json:"seed,omitempty"`
	Cases      int      `json:"cases"`
	Recipe     string   `json:"recipe,omitempty"`
	Replayed   bool     `json:"replayed"`
	Command    string   `json:"command"`
	File       string   `json:"file,omitempty"`
	NotSaved   string   `json:"not_saved,omitempty"`
}

// CommonJSON returns what every line has.
func (f *Violation) CommonJSON(law model.LawID, statement, hypotheses, source, claim, recipe string, at verdict.Setting) JSONViolation {
	v := &f.Verdict
	j := JSONViolation{
		Kind: f.Kind, Subject: f.Subject, Device: f.Device, Law: string(law), Statement: statement, Hypotheses: hypotheses, Source: source,
		Claim: claim, Outcome: v.Outcome.String(), Reason: v.Reason, Findings: findingTexts(v.Witness, f.Found), Stack: f.Stack, Weaker: f.Weaker,
		Flaky: f.Flaky, AfterCalls: f.AfterCalls, Calls: f.Calls, Test: f.Test, Seed: f.Seed, Cases: f.Cases, Recipe: recipe, Replayed: f.Replayed, Command: f.Reproduce(law), File: f.File,
	}
	j.Behaviour, j.Launch = at.Texts()
	if f.File == "" {
		j.NotSaved = f.notSaved()
	}
	return j
}

// LineOf writes a value as one line of JSON, without a newline at its end.
func LineOf(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("props: the report has no JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// failures holds the lines of this process's failures, by the file that they are written to.
var failures struct {
	sync.Mutex
	lines map[string][]byte
}

// FailuresName is the file of failures beside the summary.
const FailuresName = "failures.jsonl"

// PublishFailure adds a failure of any kind to the file of this process's failures, which it writes anew. Nil adds nothing, but
// removes what an earlier process has left.
func PublishFailure(f Failure) {
	dir, err := RunDir()
	if err != nil {
		return
	}
	name := filepath.Join(dir, FailuresName)
	failures.Lock()
	defer failures.Unlock()
	if _, ours := failures.lines[name]; !ours {
		if failures.lines == nil {
			failures.lines = map[string][]byte{}
		}
		failures.lines[name] = nil
		_ = os.Remove(name)
	}
	if f == nil {
		return
	}
	line, err := f.JSON()
	if err != nil {
		return
	}
	failures.lines[name] = append(append(failures.lines[name], line...), '\n')
	_ = corpus.WriteFile(name, failures.lines[name])
}
