package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"gamma/corpus"
	"gamma/props/internal/check"
	"gamma/props/internal/engine"
	"gamma/props/internal/lines"
	"gamma/props/judge"
)

// How a claim came out.
const (
	holds    = "holds"
	violated = "violated"
	unsaid   = "nothing can be said"
	absent   = "absent"
	broken   = "not compiled" // the shim of a library that is there
)

// schema is the version of the lines that -json writes.
const schema = 1

// record is what a run found of one claim.
type record struct {
	Schema          int
	Library         string // with its setting
	Claim           string
	Verdict         string
	Why             string    `json:",omitempty"` // of what is absent, or of which nothing can be said
	Version         string    `json:",omitempty"`
	Cases           int       // of which a law said that it holds, or is violated
	Results         int       // that the function returned while they were judged
	Vacuous         int       // cases of which the laws say nothing
	Seconds         float64   `json:",omitempty"`
	Machines, Seeds []string  `json:",omitempty"`
	Ratio           float64   `json:",omitempty"` // the largest error/bound
	Bound           string    `json:",omitempty"` // by which
	Failed          []failure `json:",omitempty"`
}

// failure is one law that a claim violates.
type failure struct {
	Law    string
	Report string
}

// report is the text about a claim that is violated, for people.
func (r *record) report() string {
	text := r.Library + " " + r.Claim + " is " + r.Verdict + ":"
	for _, f := range r.Failed {
		text += "\n" + f.Report
	}
	return text
}

// judgeLibrary judges the claims of a library that are chosen.
func (o *options) judgeLibrary(l *library, stdout io.Writer) (list []record) {
	var chosen []claim
	for _, c := range l.Claims {
		if o.only == nil || o.only.MatchString(l.title()+" "+c.Name) {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		return nil
	}
	if o.list {
		for _, c := range chosen {
			fmt.Fprintf(stdout, "%s\t%s\t%s\n", l.title(), c.Name, c.Says)
		}
		return nil
	}
	var c closing
	defer func() { c.close() }()
	of, err := l.open(o, &c)
	if err != nil {
		why := oneLine(err)
		verdict := absent
		if fault := (*uncompiled)(nil); errors.As(err, &fault) {
			verdict = broken
			fmt.Fprintf(stdout, "%s cannot be judged: %s\n", l.title(), why)
		} else {
			fmt.Fprintf(stdout, "%s is absent: %s: %s\n", l.title(), l.install(), why)
		}
		for _, k := range chosen {
			list = append(list, record{Schema: schema, Library: l.title(), Claim: k.Name, Verdict: verdict, Why: why})
		}
		return list
	}
	version := l.version()
	for _, k := range chosen {
		r := o.judge(l, of, &k)
		r.Version = version
		fmt.Fprintln(stdout, r.line())
		list = append(list, r)
	}
	return list
}

// install says what makes a library present.
func (l *library) install() string {
	if l.Module != "" {
		return "This program links " + l.Module
	}
	return "apt-get install " + l.Package
}

// line is one line about a claim.
func (r *record) line() string {
	text := fmt.Sprintf("%-22s %-44s %-9s %9d cases %11d results  error/bound %-8.3g %5.1f s", r.Library, r.Claim, r.Verdict, r.Cases, r.Results, r.Ratio, r.Seconds)
	if r.Why != "" {
		text += "  " + r.Why
	}
	for _, f := range r.Failed {
		text += "  " + f.Law
	}
	return text
}

// judge judges one claim by all laws that say something of it.
func (o *options) judge(l *library, of *opened, k *claim) (r record) {
	r = record{Schema: schema, Library: l.title(), Claim: k.Name, Verdict: unsaid, Machines: []string{machine()}, Seeds: []string{o.seed}}
	began := time.Now()
	of.results = 0
	defer func() {
		r.Seconds, r.Results = time.Since(began).Seconds(), max(of.results, r.Cases)
	}()
	name := strings.NewReplacer(" ", "-", ",", "").Replace(strings.ToLower(l.title())) + "." + strings.ReplaceAll(k.Name, " ", "_")
	subject, err := k.make(name, of)
	if err == nil {
		var sum *engine.SubjectSummary
		var parts map[string]*check.Bench
		sum, parts, err = check.Alone(func(set engine.Settings) (engine.Judged, error) {
			set.Afresh = true // known faults of libraries are on file beside the tests of this module
			set.Again = fmt.Sprintf("go run . -only '^%s %s$'%s", l.title(), k.Name, o.again)
			return subject.Judged(set)
		}, o.time)
		if err == nil {
			r.take(sum, parts)
			return r
		}
	}
	r.Why = oneLine(err)
	return r
}

// make makes the subject. The error says which symbol is missing, or what else is wrong.
func (k *claim) make(name string, of *opened) (s judge.Subject, err error) {
	defer caught(&err)
	return k.Make(name, of, k.Kernel), nil
}

// take notes what all laws found.
func (r *record) take(sum *engine.SubjectSummary, parts map[string]*check.Bench) {
	why := ""
	for _, st := range sum.Laws {
		r.Cases += st.Holds + st.Violations
		r.Vacuous += st.Vacuous
		if st.MaxRatio > r.Ratio {
			r.Ratio, r.Bound = st.MaxRatio, st.MaxBound
		}
		if st.Failure != nil {
			r.Failed = append(r.Failed, failure{string(st.Law), st.Failure.Text()})
		} else if b := parts[string(st.Law)]; b != nil && len(b.Errors) > 0 && why == "" {
			why = string(st.Law) + ": " + strings.Join(strings.Fields(b.Errors[0]), " ")
		}
	}
	switch {
	case len(r.Failed) > 0:
		r.Verdict = violated
	case r.Cases > 0:
		r.Verdict = holds
	default:
		r.Why = cmp.Or(why, "no law says anything of the inputs that were drawn")
	}
}

// writeLines writes records as lines of JSON.
func writeLines(file string, list []record) error {
	var b bytes.Buffer
	for i := range list {
		line, err := json.Marshal(&list[i])
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return corpus.WriteFile(file, b.Bytes())
}

// readLines reads records, or names the lines that cannot be read.
func readLines(file string) (list []record, err error) {
	const want = "give -from files that -json wrote"
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%w; %s", err, want)
	}
	defer f.Close()
	var errs []error
	place := map[string]int{}
	read := lines.Each(f, func(l lines.Line) {
		var r record
		err := l.Decode(&r)
		if err == nil {
			d := json.NewDecoder(bytes.NewReader(l.Text))
			d.DisallowUnknownFields()
			err = cmp.Or(d.Decode(&r), r.check())
		}
		if was := place[string(l.Text)]; err == nil && was > 0 && r.Cases > 0 {
			err = fmt.Errorf("it is the same as line %d, whose cases would count twice; take it out", was)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", file, l.Number, err))
			return
		}
		place[string(l.Text)] = l.Number
		list = append(list, r)
	})
	switch {
	case read != nil:
		return nil, fmt.Errorf("%s: %w; %s", file, read, want)
	case len(errs) > 0:
		if len(errs) > maxErrors {
			errs = append(errs[:maxErrors], fmt.Errorf("%s: … %d lines more", file, len(errs)-maxErrors))
		}
		return nil, errors.Join(append(errs, errors.New(want+", and take these lines out"))...)
	case len(list) == 0:
		return nil, fmt.Errorf("%s has no line; %s", file, want)
	}
	return list, nil
}

const (
	// maxErrors is how many lines that cannot be read are named.
	maxErrors = 20
	// mostCounted and mostSeconds are above all that a run counts and takes, so that sums of them are numbers.
	mostCounted = 1 << 50
	mostSeconds = 1e12
)

// check returns an error if no run writes such a record, and makes its texts printable.
func (r *record) check() error {
	switch {
	case r.Schema != schema:
		return fmt.Errorf("the line is of version %d, and this program reads version %d; run what wrote it again, by this program", r.Schema, schema)
	case !slices.Contains(verdicts, r.Verdict):
		return fmt.Errorf("the verdict is %q, and not one of %s", lines.Short(r.Verdict), strings.Join(verdicts, ", "))
	case min(r.Cases, r.Results, r.Vacuous) < 0 || max(r.Cases, r.Results, r.Vacuous) > mostCounted:
		return fmt.Errorf("no run has %d cases, %d results and %d vacuous cases", r.Cases, r.Results, r.Vacuous)
	case !(r.Seconds >= 0 && r.Seconds <= mostSeconds) || !(r.Ratio >= 0):
		return fmt.Errorf("no run takes %g seconds and has an error/bound of %g", r.Seconds, r.Ratio)
	case r.Verdict == violated && len(r.Failed) == 0 || r.Verdict == holds && (r.Cases == 0 || len(r.Failed) > 0):
		return fmt.Errorf("the verdict is %q, with %d cases and %d laws that fail", r.Verdict, r.Cases, len(r.Failed))
	}
	texts := []*string{&r.Why, &r.Version, &r.Bound}
	for i := range r.Machines {
		texts = append(texts, &r.Machines[i])
	}
	for i := range r.Seeds {
		texts = append(texts, &r.Seeds[i])
	}
	for i := range r.Failed {
		texts = append(texts, &r.Failed[i].Law, &r.Failed[i].Report)
	}
	for _, text := range texts {
		*text = lines.Printable(*text)
	}
	return nil
}

// moduleVersion returns the version of a Go module that is linked.
func moduleVersion(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == path {
				return m.Version
			}
		}
	}
	return ""
}
