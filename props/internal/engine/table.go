package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"gamma/model"
	"gamma/props/internal/report"
)

// totals is what the laws of one subject, or of several, come to.
type totals struct {
	subjects, laws, cases, vacuous, replayed int
	seconds                                  float64
	ratio                                    float64 // the largest error/bound
	of                                       string  // subject and law that it was met by
	violated                                 []model.LawID
}

func (t *totals) add(s *SubjectSummary) {
	t.subjects++
	for _, l := range s.Laws {
		t.laws++
		t.cases += l.Cases
		t.vacuous += l.Vacuous
		t.replayed += l.Replayed
		t.seconds += l.Seconds
		if r := max(l.MaxRatio, l.AttackRatio); r > t.ratio {
			t.ratio, t.of = r, s.Subject+" "+string(l.Law)
		}
		if l.Violations > 0 {
			t.violated = append(t.violated, l.Law)
		}
	}
}

// ratioText returns the largest error/bound, "-" where no law has bounds.
func (t *totals) ratioText() string {
	if t.ratio == 0 {
		return "-"
	}
	return report.FiniteRatio(t.ratio)
}

// Line returns what was found on a subject, on one line.
func (s *SubjectSummary) Line() string {
	var t totals
	t.add(s)
	text := fmt.Sprintf("%-40s %3d laws %7d cases  error/bound %-8s %6.2f s", s.Subject, t.laws, t.cases, t.ratioText(), t.seconds)
	if t.replayed > 0 {
		text += fmt.Sprintf("  %d on file", t.replayed)
	}
	if len(t.violated) > 0 {
		text += "  VIOLATED: " + joinIDs(t.violated)
	}
	return text
}

func joinIDs(list []model.LawID) string {
	text := make([]string, len(list))
	for i, id := range list {
		text[i] = string(id)
	}
	return strings.Join(text, ", ")
}

// tableFailures is how many subjects of which a law is violated are listed in a table, which so has sixty lines at most: there are eleven kinds of subject
// on the processor, and seven of them on each of four kinds of device.
const tableFailures = 15

// Table returns what this process has found so far, as people read it at the end of a run: a row for each kind of subject and device, what is violated, and
// the totals; "" if nothing was judged.
func Table() string {
	summaries.Lock()
	defer summaries.Unlock()
	if len(summaries.list) == 0 {
		return ""
	}
	type key struct{ device, what string }
	of, all := map[key]*totals{}, &totals{}
	var bad []string
	for _, s := range summaries.list {
		k := key{s.Device, s.what}
		if of[k] == nil {
			of[k] = &totals{}
		}
		of[k].add(s)
		all.add(s)
		one := &totals{}
		if one.add(s); len(one.violated) > 0 {
			bad = append(bad, fmt.Sprintf("VIOLATED  %s (%s): %s", s.Subject, s.Test, joinIDs(one.violated)))
		}
	}
	keys := make([]key, 0, len(of))
	for k := range of {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(a.device, b.device), cmp.Compare(a.what, b.what)) })
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tdevice\tsubjects\tlaws\tcases\tvacuous\tlargest error/bound\tof")
	for _, k := range keys {
		t := of[k]
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\n", k.what, k.device, t.subjects, t.laws, t.cases, t.vacuous, t.ratioText(), t.of)
	}
	_ = w.Flush()
	if more := len(bad) - tableFailures; more > 0 {
		bad = append(bad[:tableFailures], fmt.Sprintf("VIOLATED  %s more; the summary has them", report.Plural(more, "subject")))
	}
	for _, line := range bad {
		fmt.Fprintln(&b, line)
	}
	fmt.Fprintf(&b, "%s, %s judged on %s drawn and %d on file: %s\n", report.Plural(all.subjects, "subject"), report.Plural(all.laws, "law"),
		report.Plural(all.cases, "case"), all.replayed, report.Plural(len(all.violated), "violation"))
	return b.String()
}
