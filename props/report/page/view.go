package page

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
)

// Options say what a page has besides a run.
type Options struct {
	Title    string    // "": a general one
	Before   *Run      // the run to compare with; nil: none
	Matrices []*Matrix // kill matrices
	Figures  int       // how many figures of error against n are drawn at most; 0: defaultFigures, negative: none
}

const (
	defaultTitle   = "What Gamma found"
	defaultFigures = 36
	maxListed      = 40 // changes of one sort that are listed
	maxSilent      = 12 // reasons
	maxProblems    = 50
	mostlyVacuous  = 2. / 3
)

// view is what a page shows, as HTML or as Markdown.
type view struct {
	Title string
	Run   // a copy, with the problems of its drawings
	Options
	Sentence              string // that the page begins with
	Counts                []Fact
	Seeds, Devices        []string
	Failed                []failed
	Silent                []silence
	Thin                  int // laws that hold, of which most cases met no hypothesis
	Late                  int // laws whose time was over before all was drawn
	Laws                  []lawView
	Groups                []group
	Drawn                 []Figure
	NotDrawn              int
	Spreads               []spreadView
	Trees                 []treeView
	Compared              *Comparison
	Cases, Judged, Broken int
	Violated              int // laws, some of which have more than one report

	again bool // problems are known
}

// failed is a violated law.
type failed struct {
	Number  int
	Subject string
	Law     *Law
	Report  *Failure // nil: the run's lines have none
}

// silence is a reason for which laws say nothing, of how many and of which subjects.
type silence struct {
	Reason  string
	Laws    int
	Example string
}

// lawView is a law over all subjects.
type lawView struct {
	ID                     model.LawID
	Subjects, Cases, Other int
	Holds, Violated, Says  int // subjects of which it holds, is violated, or says nothing
	Vacuous                float64
	Ratio                  float64
	Of, Bound              string
	vacuous                int
	held                   int // cases of subjects with a profile
	profiles               []*engine.Profile
}

// spreadView is how error/bound of a law is spread over all subjects.
type spreadView struct {
	ID     model.LawID
	Spread []int
	Exact  float64 // the share without an error
	Cases  int     // that hold by a bound
	Other  int     // that hold, and not by a bound
}

// group is the subjects of one kind on one device.
type group struct {
	What, Device string
	Subjects     []subjectView
	Bad          int
}

// subjectView is a subject as the page lists it.
type subjectView struct {
	*Subject
	Of    *Subject
	Line  string // what its laws come to
	Bad   bool
	Ratio float64
	Tree  string // the schedule that it claims
}

// treeView is a schedule that subjects claim.
type treeView struct {
	Name, ID, Text string
	SVG            template.HTML
	Leaves         int // that it is drawn for
	Subjects       int
}

// newView works out what a page shows.
func newView(r *Run, o Options) *view {
	v := &view{Title: cmp.Or(o.Title, defaultTitle), Run: *r, Options: o}
	v.Problems = slices.Clip(r.Problems)
	laws := map[model.LawID]*lawView{}
	seeds, devices, silent := map[string]bool{}, map[string]bool{}, map[string]*silence{}
	each(r, func(_ pairOf, s *Subject, l *Law) {
		seeds[s.Seed], devices[s.Device] = true, true
		v.Cases += l.Cases
		of := laws[l.Law]
		if of == nil {
			of = &lawView{ID: l.Law}
			laws[l.Law] = of
		}
		of.add(s, l)
		v.Judged++
		if l.OutOfTime {
			v.Late++
		}
		switch l.Verdict() {
		case Violated:
			v.fail(s, l)
		case Holds:
			if l.VacuousShare() > mostlyVacuous {
				v.Thin++
			}
		case Vacuous:
			reason := cmp.Or(l.Common(), "no case was drawn")
			if silent[reason] == nil {
				silent[reason] = &silence{Reason: reason, Example: s.Title() + " " + string(l.Law)}
			}
			silent[reason].Laws++
		}
	})
	v.Seeds, v.Devices = slices.Sorted(maps.Keys(seeds)), slices.Sorted(maps.Keys(devices))
	for _, id := range slices.Sorted(maps.Keys(laws)) {
		v.Laws = append(v.Laws, *laws[id])
		v.spread(laws[id])
	}
	for _, s := range silent {
		v.Silent = append(v.Silent, *s)
	}
	slices.SortFunc(v.Silent, func(a, b silence) int {
		return cmp.Or(cmp.Compare(b.Laws, a.Laws), cmp.Compare(a.Reason, b.Reason))
	})
	v.group()
	v.figures()
	if o.Before != nil {
		v.Compared = Compare(o.Before, r)
	}
	v.sum()
	return v
}

// sum writes what stands first on the page.
func (v *view) sum() {
	said, none := 0, 0
	for _, l := range v.Laws {
		said += l.Holds
		none += l.Says
	}
	subjects := report.Plural(len(v.Subjects), "subject")
	switch bad := v.Violated; {
	case bad == 0:
		v.Sentence = fmt.Sprintf("No violation was found: %s on %s, %s in all, on %s drawn cases.", report.Plural(len(v.Laws), "law"), subjects, plural(v.Judged, "pair"), roughly(v.Cases))
	default:
		v.Sentence = fmt.Sprintf("%s of %s judged %s violated, on %s.", report.Plural(bad, "law"), roughly(v.Judged), map[bool]string{true: "is", false: "are"}[bad == 1],
			report.Plural(v.Broken, "subject"))
	}
	v.Counts = []Fact{
		{"subjects", roughly(len(v.Subjects))},
		{"laws on them", roughly(v.Judged)},
		{"cases drawn", roughly(v.Cases)},
		{"hold", roughly(said)},
		{"violated", roughly(v.Violated)},
		{"say nothing", roughly(none)},
	}
}

func (v *view) fail(s *Subject, l *Law) {
	v.Violated++
	if len(l.Failures) == 0 {
		v.Failed = append(v.Failed, failed{len(v.Failed) + 1, s.Title(), l, nil})
	}
	for _, f := range l.Failures {
		v.Failed = append(v.Failed, failed{len(v.Failed) + 1, s.Title(), l, f})
	}
}

func (v *lawView) add(s *Subject, l *Law) {
	v.Subjects++
	v.Cases += l.Cases
	v.vacuous += l.Vacuous
	if v.Cases > 0 {
		v.Vacuous = float64(v.vacuous) / float64(v.Cases)
	}
	switch l.Verdict() {
	case Holds:
		v.Holds++
	case Violated:
		v.Violated++
	case Vacuous:
		v.Says++
	default:
		v.Other++
	}
	if r := l.Ratio(); r > v.Ratio {
		v.Ratio, v.Of, v.Bound = r, s.Title(), l.MaxBound
		if l.AttackRatio > l.MaxRatio {
			v.Bound = "an attack"
		}
	}
	if l.Profile != nil {
		v.profiles, v.held = append(v.profiles, l.Profile), v.held+l.LawStats.Holds
	}
}

// spread notes how error/bound of a law is spread, if there is enough to draw.
func (v *view) spread(l *lawView) {
	s := spreadView{ID: l.ID, Spread: joined(l.profiles)}
	for _, n := range s.Spread {
		s.Cases += n
	}
	if s.Cases == 0 || len(s.Spread) < 2 {
		return
	}
	s.Exact, s.Other = float64(s.Spread[0])/float64(s.Cases), l.held-s.Cases
	v.Spreads = append(v.Spreads, s)
}

// group sorts subjects by kind and device.
func (v *view) group() {
	type key struct{ what, device string }
	of := map[key]*group{}
	trees := map[string]int{}
	for _, s := range v.Subjects {
		k := key{cmp.Or(s.Promise.What, "subject"), s.Device}
		if of[k] == nil {
			of[k] = &group{What: k.what, Device: k.device}
		}
		one := subjectView{Subject: s, Of: s, Line: s.line()}
		for _, l := range s.Laws {
			one.Bad = one.Bad || l.Verdict() == Violated
			one.Ratio = max(one.Ratio, l.Ratio())
		}
		if one.Bad {
			of[k].Bad++
			v.Broken++
		}
		if t := s.Promise.Tree; t != "" {
			trees[t]++
			one.Tree = t
		}
		of[k].Subjects = append(of[k].Subjects, one)
	}
	for _, k := range slices.SortedFunc(maps.Keys(of), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.what, b.what), cmp.Compare(a.device, b.device))
	}) {
		v.Groups = append(v.Groups, *of[k])
	}
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		t, err := drawTree(name)
		if err != nil {
			v.problem("schedule "+strconv.Quote(name), "it cannot be drawn: %v", err)
			continue
		}
		t.Subjects = trees[name]
		v.Trees = append(v.Trees, t)
	}
}

// line says what the laws of a subject come to.
func (s *Subject) line() string {
	count := map[Verdict]int{}
	cases := 0
	for _, l := range s.Laws {
		count[l.Verdict()]++
		cases += l.Cases
	}
	var parts []string
	for _, verdict := range []Verdict{Violated, Holds, Vacuous, Replayed} {
		if n := count[verdict]; n > 0 {
			word := string(verdict)
			switch {
			case verdict == Holds && n > 1:
				word = "hold"
			case verdict == Vacuous && n > 1:
				word = "say nothing"
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	return strings.Join(parts, ", ") + "; " + roughly(cases) + " cases"
}

// figures chooses which figures are drawn: of laws that are violated, then of those nearest to their bounds.
func (v *view) figures() {
	type candidate struct {
		f   Figure
		bad bool
		r   float64
	}
	var list []candidate
	each(&v.Run, func(_ pairOf, s *Subject, l *Law) {
		if f, ok := figureOf(s, l); ok {
			list = append(list, candidate{f, l.Verdict() == Violated, l.MaxRatio})
		}
	})
	slices.SortStableFunc(list, func(a, b candidate) int {
		switch {
		case a.bad != b.bad && a.bad:
			return -1
		case a.bad != b.bad:
			return 1
		case (a.f.Unit == ofBound) != (b.f.Unit == ofBound):
			if a.f.Unit == ofBound {
				return 1
			}
			return -1
		}
		return cmp.Compare(b.r, a.r)
	})
	most := v.Figures
	if most == 0 {
		most = defaultFigures
	}
	drawn := map[string]bool{}
	for _, c := range list { // one of each subject, and all that are violated
		if len(v.Drawn) < most && (c.bad || !drawn[c.f.Subject]) {
			v.Drawn, drawn[c.f.Subject] = append(v.Drawn, c.f), true
		}
	}
	v.NotDrawn = len(list) - len(v.Drawn)
}

// Decider returns the bound that was the tightest most often, and in which share of the cases.
func (l *Law) Decider() (name string, share float64) {
	all := 0
	for bound, n := range l.Decided {
		all += n
		if name == "" || n > l.Decided[name] || n == l.Decided[name] && bound < name {
			name = bound
		}
	}
	if all == 0 {
		return l.MaxBound, 1
	}
	return name, float64(l.Decided[name]) / float64(all)
}

// anchor makes a name fit for a link.
func anchor(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, strings.ToLower(s))
}
