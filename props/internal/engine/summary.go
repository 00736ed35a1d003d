package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// LawStats is what a search learnt about one law on one subject.
type LawStats struct {
	Law        model.LawID `json:"law"`
	Subject    string      `json:"subject"`
	Replayed   int         `json:"replayed,omitempty"` // cases on file
	Cases      int         `json:"cases"`              // drawn and judged
	Holds      int         `json:"holds"`
	Vacuous    int         `json:"vacuous"`
	Violations int         `json:"violations"`
	// Beyond counts inputs that were judged beside those that are drawn; see beyonder.
	Beyond int `json:"beyond,omitempty"`
	// MaxRatio is the largest error/bound met, by which bound, family and length.
	MaxRatio  float64 `json:"max_ratio"`
	MaxBound  string  `json:"max_bound,omitempty"`
	MaxFamily string  `json:"max_family,omitempty"`
	MaxN      int     `json:"max_n,omitempty"`
	// AttackRatio is the largest error/bound that an attack reached, which changes inputs to come nearer to the bound, and Attacks how many
	// inputs it judged beside those that are drawn; see ascent.
	AttackRatio float64 `json:"attack_ratio,omitempty"`
	Attacks     int     `json:"attacks,omitempty"`
	// Remarks are what there is to say of all inputs together, in sentences, and Measures those of which the numbers are of all inputs.
	Remarks  []string  `json:"remarks,omitempty"`
	Measures []Measure `json:"measures,omitempty"`
	// Anomalies counts cases of random families whose error is larger than independent rounding
	// errors would make it [Higham-Mary 2019]: worth a look, and never a failure.
	Anomalies int `json:"anomalies,omitempty"`
	// Decided counts which bound was the tightest.
	Decided map[string]int `json:"decided,omitempty"`
	// LeftOut counts why cases on file cannot be run on hardware.
	LeftOut map[string]int `json:"left_out,omitempty"`
	// Reasons counts why cases were vacuous.
	Reasons map[string]int `json:"vacuous_reasons,omitempty"`
	// MaxDistinct is the largest number of different results that runs of one case gave, Distinct these results and DistinctN the
	// leaves of the case; of device.repeat. Differ counts rows in which a device and the one it is compared with differ, the claim
	// leaving them a choice and both lying inside it.
	MaxDistinct int    `json:"max_distinct,omitempty"`
	Distinct    string `json:"distinct,omitempty"`
	DistinctN   int    `json:"distinct_n,omitempty"`
	Differ      int    `json:"differ,omitempty"`
	// Profile is how error/bound is spread, of laws with bounds.
	Profile *Profile `json:"profile,omitempty"`
	// Default is what a few inputs show of the math mode that a shader is compiled in where nobody says which.
	Default *Default `json:"default,omitempty"`

	Seconds   float64 `json:"seconds"`
	OutOfTime bool    `json:"out_of_time,omitempty"`
	// LeftOutLate counts the inputs that were drawn and not begun, since they would have ended after the time was over, and LateN is the size of the greatest.
	LeftOutLate int `json:"-"`
	LateN       int `json:"-"`
	// Harder counts the cases that were drawn towards the hypotheses, since too few had met them.
	Harder  int     `json:"drawn_harder,omitempty"`
	Failure Failure `json:"-"`

	Seen  string `json:"-"` // what the law said of the last case that failed
	Tally `json:"-"`
	// met and metSizes count what held by family, and by size where that is small.
	met      map[string]int
	metSizes map[int]int
}

// Add counts one verdict, on an input of n elements of a family.
func (s *LawStats) Add(v *verdict.Verdict, family string, n int) {
	s.Cases++
	s.see(v)
	switch v.Outcome {
	case verdict.Holds:
		s.Holds++
		s.CountBound(v.Bound, 1)
		s.meet(family, n, 1)
		s.reach(v, family, n)
		if v.Bound != "" {
			s.profile().see(v.Ratio, n)
		}
	case verdict.Vacuous:
		s.vacuous(v, 1)
	}
}

// leaveLate counts an input of n elements for which there was too little time.
func (s *LawStats) leaveLate(n int) { s.LeftOutLate, s.LateN = s.LeftOutLate+1, max(s.LateN, n) }

// maxMetSize is the largest size that is noted where a hypothesis was met.
const maxMetSize = 64

// meet notes the family, and the size if it is small, of inputs that met a law's hypotheses.
func (s *LawStats) meet(family string, n, inputs int) {
	if inputs == 0 {
		return
	}
	if s.met == nil {
		s.met, s.metSizes = map[string]int{}, map[int]int{}
	}
	s.met[family] += inputs
	if n <= maxMetSize {
		s.metSizes[n] += inputs
	}
}

// reach notes how near a verdict that holds comes to its bound.
func (s *LawStats) reach(v *verdict.Verdict, family string, n int) {
	if v.Ratio > s.MaxRatio {
		s.MaxRatio, s.MaxBound, s.MaxFamily, s.MaxN = v.Ratio, v.Bound, family, n
	}
}

// vacuous counts cases of one vacuous verdict.
func (s *LawStats) vacuous(v *verdict.Verdict, n int) {
	s.Vacuous += n
	if s.Reasons == nil {
		s.Reasons = map[string]int{}
	}
	s.Reasons[v.Reason] += n
	switch v.Cause {
	case verdict.MayOverflow:
		s.Overflows += n
	case verdict.DeviceRefused:
		s.Refusals += n
	case verdict.NotClaimed:
		s.Unclaimed += n
	}
}

// see keeps what a law says of a case that fails, for the report of one that does not fail again.
func (s *LawStats) see(v *verdict.Verdict) {
	if v.Fails() {
		s.Seen = v.Reason
	}
}

// FlakyText says of a case, or a row, that it failed and then passed, and how it failed, if that is known.
func FlakyText(what, seen string) string {
	text := what + " failed, and passed when it was judged again"
	if seen != "" {
		text += ". When it failed: " + seen
	}
	return text
}

// CountBound counts the bound that decided so many inputs.
func (s *LawStats) CountBound(bound string, n int) {
	if bound == "" {
		return
	}
	if s.Decided == nil {
		s.Decided = map[string]int{}
	}
	s.Decided[bound] += n
}

// judged returns how many inputs a law said something of.
func (s *LawStats) judged() int { return s.Cases - s.Vacuous }

// tooVacuous reports whether the law was judged so rarely that its passing says little: on less
// than one case in twenty, of a hundred or more, those left out whose sums may overflow, as most do
// in the smallest formats, and those that the claim leaves out; or on none at all. Once that was so, it is until one in twenty of the
// cases drawn until then is judged.
func (s *LawStats) tooVacuous() bool {
	claimed := s.Cases - s.Unclaimed
	cases := claimed - s.Overflows
	if s.Unclaimed > 0 {
		claimed = cases
	}
	if s.Enough == 0 {
		s.Enough = max(1, (cases+19)/20)
		if cases < 100 {
			s.Enough = 1
		}
	}
	return !(s.OutOfTime && (s.Harder == 0 || s.Holds > 0)) && claimed >= 20 && s.Holds < s.Enough
}

// Common returns the most frequent reason for which the law says nothing of a case.
func (s *LawStats) Common() string { return s.commonReason() }

// commonReason returns the most frequent reason for vacuous cases.
func (s *LawStats) commonReason() string {
	best := ""
	for r, n := range s.Reasons {
		if best == "" || n > s.Reasons[best] || n == s.Reasons[best] && r < best {
			best = r
		}
	}
	return best
}

// Line returns the statistics on one line, with the most frequent reason where more than a third of the cases are vacuous.
func (s *LawStats) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %d cases, %d judged, %d vacuous", s.Subject, s.Law, s.Cases, s.Holds+s.Violations, s.Vacuous)
	if reason := s.commonReason(); 3*s.Vacuous > s.Cases && reason != "" {
		fmt.Fprintf(&b, ", %d of them: %s", s.Reasons[reason], reason)
	}
	if s.MaxRatio > 0 {
		fmt.Fprintf(&b, "; largest error/bound %s of %s (%s, n=%d)", report.FiniteRatio(s.MaxRatio), s.MaxBound, s.MaxFamily, s.MaxN)
	}
	if s.Attacks > 0 {
		fmt.Fprintf(&b, "; by an attack of %d more %s", s.Attacks, report.FiniteRatio(s.AttackRatio))
	}
	if len(s.Decided) > 1 {
		names := make([]string, 0, len(s.Decided))
		for n := range s.Decided {
			names = append(names, n)
		}
		sort.Slice(names, func(i, j int) bool { return s.Decided[names[i]] > s.Decided[names[j]] })
		fmt.Fprintf(&b, "; tightest most often: %s", names[0])
	}
	if s.Anomalies > 0 {
		fmt.Fprintf(&b, "; %d of random families err more than independent roundings would (no failure)", s.Anomalies)
	}
	b.WriteString(s.distinctText())
	if s.Harder > 0 {
		fmt.Fprintf(&b, "; %d of them drawn towards the hypotheses", s.Harder)
	}
	if s.Beyond > 0 {
		fmt.Fprintf(&b, "; %d more beyond what is drawn", s.Beyond)
	}
	if s.OutOfTime {
		b.WriteString("; its time was over")
	}
	if s.Violations > 0 {
		b.WriteString("; VIOLATED")
	}
	return b.String()
}

// SubjectSummary is what one Check found, law by law.
type SubjectSummary struct {
	Subject string      `json:"subject"`
	Device  string      `json:"device"` // its kind; cpu for Go functions
	Op      string      `json:"op"`
	Test    string      `json:"test"`
	Seed    string      `json:"seed"`
	Laws    []*LawStats `json:"laws"`
	// MathMode is the mode that a shader was judged in, and DefaultMode says what a few inputs show of Metal's default.
	MathMode    string `json:"math_mode,omitempty"`
	DefaultMode string `json:"default_mode,omitempty"`

	Promise Promise `json:"promise"`

	what  string // the kind of subject
	lines []byte // of summary.jsonl, once all has been judged
}

// modes says in which math mode a subject was judged, and what is known of the default one, with a separator at the end; "" of what is no shader.
func (s *SubjectSummary) modes() string {
	text := ""
	if s.MathMode != "" {
		text = "math mode " + s.MathMode + "; "
	}
	if s.DefaultMode != "" {
		text += s.DefaultMode + "; "
	}
	return text
}

// summaries holds what this process has found so far.
var summaries struct {
	sync.Mutex
	list    []*SubjectSummary
	written time.Time
	every   time.Duration // files are not rewritten sooner
	holders int
}

// publish adds a subject's summary to those of the process, rewrites the summary files, and returns
// the name of the one for people.
func publish(s *SubjectSummary) (string, error) {
	summaries.Lock()
	defer summaries.Unlock()
	var err error
	if s.lines, err = s.inJSON(); err != nil {
		return "", err
	}
	summaries.list = append(summaries.list, s)
	// Subjects run in parallel end in any order; the summary does not.
	slices.SortStableFunc(summaries.list, func(a, b *SubjectSummary) int { return strings.Compare(a.Test, b.Test) })
	if time.Since(summaries.written) < summaries.every {
		return "", nil
	}
	return writeSummaries()
}

// HoldSummaries lets the files of summaries be rewritten once in a while instead of after each subject, which for hundreds takes longer than to judge
// them, until end is called, which writes them and returns the name of the one for people.
func HoldSummaries() (end func() (string, error)) {
	hold := func(by int) {
		summaries.holders += by
		if summaries.every = 0; summaries.holders > 0 {
			summaries.every = 2 * time.Second
		}
	}
	summaries.Lock()
	defer summaries.Unlock()
	hold(1)
	return func() (string, error) {
		summaries.Lock()
		defer summaries.Unlock()
		hold(-1)
		return writeSummaries()
	}
}

// inJSON returns the subject's lines of summary.jsonl, one a law. The first has what the subject promises, and that of a law that is violated the
// report of the failure as in failures.jsonl.
func (s *SubjectSummary) inJSON() ([]byte, error) {
	var lines []byte
	for _, l := range s.Laws {
		row := s.row(l)
		if l.Failure != nil {
			text, err := l.Failure.JSON()
			if err != nil {
				return nil, err
			}
			row.Failures = append(row.Failures, text)
		}
		line, err := json.Marshal(row)
		if err != nil {
			return nil, err
		}
		lines = append(append(lines, line...), '\n')
	}
	return lines, nil
}

// writeSummaries writes the files of what has been found so far.
func writeSummaries() (string, error) {
	summaries.written = time.Now()
	dir, err := RunDir()
	if err != nil {
		return "", err
	}
	var text, lines bytes.Buffer
	writeSummary(&text, summaries.list)
	for _, s := range summaries.list {
		lines.Write(s.lines)
	}
	file := filepath.Join(dir, "summary.txt")
	return file, errors.Join(corpus.WriteFile(file, text.Bytes()), corpus.WriteFile(filepath.Join(dir, "summary.jsonl"), lines.Bytes()), searches.keep(dir))
}

// row is a line of summary.jsonl.
type row struct {
	Version     int    `json:"v,omitempty"` // of lines that shards have judged
	Seed        string `json:"seed"`
	Device      string `json:"device"`
	MathMode    string `json:"math_mode,omitempty"`
	DefaultMode string `json:"default_mode,omitempty"`
	*LawStats
	Remarks  []string          `json:"remarks,omitempty"` // those of measures, too, with their numbers
	Promise  *Promise          `json:"promise,omitempty"`
	Failures []json.RawMessage `json:"failures,omitempty"`
}

func (s *SubjectSummary) row(l *LawStats) row {
	r := row{Seed: s.Seed, Device: s.Device, MathMode: s.MathMode, DefaultMode: s.DefaultMode, LawStats: l, Remarks: l.sentences()}
	if l == s.Laws[0] && s.Promise != (Promise{}) {
		r.Promise = &s.Promise
	}
	return r
}

// MergedLine returns the line of summary.jsonl of a law on a subject that shards have judged, with the version of the format and the lines of its failures.
func (s *SubjectSummary) MergedLine(l *LawStats, failures []json.RawMessage) ([]byte, error) {
	r := s.row(l)
	r.Version, r.Failures = LedgerVersion, failures
	return LineOf(r)
}

// SummaryOf returns the table of subjects, law by law, as summary.txt holds it.
func SummaryOf(list []*SubjectSummary) string {
	var text bytes.Buffer
	writeTable(&text, list)
	return text.String()
}

// Summary returns the table of all subjects that this process has judged so far, law by law, as
// summary.txt holds it.
func Summary() string {
	summaries.Lock()
	defer summaries.Unlock()
	var text bytes.Buffer
	writeSummary(&text, summaries.list)
	return text.String()
}

// onFile holds the kernels that cases below testdata/gamma name, by file.
var onFile sync.Map

// noteOnFile notes a case on file, so that one whose kernel was renamed is not forgotten.
func noteOnFile(f CaseFile) { onFile.Store(f.Path, f.Body.Head().Kernel) }

// NotJudged counts and names the kernels of cases on file that are none of the subjects judged so
// far; "" if there are none.
func NotJudged(list []*SubjectSummary) string {
	judged := map[string]bool{}
	for _, s := range list {
		judged[s.Subject] = true
	}
	total := 0
	names := map[string]bool{}
	onFile.Range(func(_, kernel any) bool {
		if k := kernel.(string); !judged[k] {
			total++
			names[k] = true
		}
		return true
	})
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("%s on file for kernels that were not judged so far: %s",
		report.Plural(total, "case"), strings.Join(slices.Sorted(maps.Keys(names)), ", "))
}

// writeSummary writes a table of subjects and laws, and what this process has left out.
func writeSummary(b *bytes.Buffer, list []*SubjectSummary) {
	writeTable(b, list)
	for _, text := range absentDevices() {
		fmt.Fprintln(b, text)
	}
	if text := NotJudged(list); text != "" {
		fmt.Fprintln(b, text)
	}
}

// writeTable writes a table of subjects and laws.
func writeTable(b *bytes.Buffer, list []*SubjectSummary) {
	var cases, holds, vacuousCases, bad, replayed int
	left := map[string]int{}
	fmt.Fprintf(b, "%-28s %-6s %-16s %8s %8s %8s %9s %9s  %s\n", "subject", "device", "law", "cases", "judged", "vacuous", "err/bound", "by attack", "of")
	for _, s := range list {
		for _, l := range s.Laws {
			mark := ""
			if l.Violations > 0 {
				mark = "  VIOLATED"
			}
			ratio, attack := "-", "-"
			if l.MaxRatio > 0 {
				ratio = report.FiniteRatio(l.MaxRatio)
			}
			if l.AttackRatio > 0 {
				attack = report.FiniteRatio(l.AttackRatio)
			}
			for why, n := range l.LeftOut {
				left[s.Device+": "+why] += n
			}
			if l.Cases == 0 && l.Replayed == 0 && l.LeftOut != nil {
				continue
			}
			fmt.Fprintf(b, "%-28s %-6s %-16s %8d %8d %8d %9s %9s  %s%s%s\n", s.Subject, s.Device, l.Law, l.Cases, l.Holds+l.Violations, l.Vacuous, ratio, attack, l.MaxBound, l.distinctText(), mark)
			for _, line := range l.sentences() {
				fmt.Fprintf(b, "%-28s %-6s %-16s %s\n", s.Subject, s.Device, l.Law, line)
			}
			cases += l.Cases
			holds += l.Holds
			vacuousCases += l.Vacuous
			bad += l.Violations
			replayed += l.Replayed
		}
		if s.MathMode != "" {
			fmt.Fprintf(b, "%-28s %-6s %s\n", s.Subject, s.Device, strings.TrimSuffix(s.modes(), "; "))
		}
	}
	fmt.Fprintf(b, "%s, %s drawn and %d replayed: %d hold, %d vacuous, %s\n",
		report.Plural(len(list), "subject"), report.Plural(cases, "case"), replayed, holds, vacuousCases, report.Plural(bad, "violation"))
	for _, why := range slices.Sorted(maps.Keys(left)) {
		fmt.Fprintf(b, "%s on file left out on %s\n", report.Plural(left[why], "case"), why)
	}
}

// RunDir returns the directory for summaries and records: one for each directory that tests run in, since packages are tested at once. By
// default it lies outside of the module, so that Go's test cache does not take what it holds for inputs.
func RunDir() (string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	h := fnv.New32a()
	h.Write([]byte(wd))
	dir := filepath.Join(cmp.Or(OptDir.String(), filepath.Join(os.TempDir(), fmt.Sprintf("gamma-%d", os.Getuid()))), fmt.Sprintf("%s-%08x", filepath.Base(wd), h.Sum32()))
	if p, ok := ParsePart(OptShard.String()); ok && p.On() { // shards may run beside each other
		dir = filepath.Join(dir, fmt.Sprintf("shard-%dof%d", p.I, p.Of))
	}
	return dir, os.MkdirAll(dir, 0o755)
}
