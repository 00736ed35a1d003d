package main

import (
	"fmt"
	"slices"
	"strings"

	"gamma/props/internal/lines"
)

// page is what all runs found.
type page struct {
	libraries []library
	records   []record
	found     map[[2]string]*record // by library and claim, once merged
}

// add adds the records of an earlier run. One of a claim that the table no longer has is an error.
func (p *page) add(file string) error {
	list, err := readLines(file)
	if err != nil {
		return err
	}
	for i := range list {
		if l, c := p.claim(&list[i]); l == nil || c == nil {
			return fmt.Errorf("%s has a record of %s %s, which is no claim of this program's; go run . -list says which there are", file, lines.Short(list[i].Library), lines.Short(list[i].Claim))
		}
	}
	p.records = append(p.records, list...)
	return nil
}

// claim returns the library and the claim that a record is about; nil if there is none.
func (p *page) claim(r *record) (*library, *claim) {
	for i := range p.libraries {
		if l := &p.libraries[i]; l.title() == r.Library {
			for j := range l.Claims {
				if l.Claims[j].Name == r.Claim {
					return l, &l.Claims[j]
				}
			}
		}
	}
	return nil, nil
}

// merge joins the records of each claim.
func (p *page) merge() {
	p.found = map[[2]string]*record{}
	for i := range p.records {
		r := &p.records[i]
		key := [2]string{r.Library, r.Claim}
		if was := p.found[key]; was == nil {
			one := *r
			p.found[key] = &one
		} else {
			was.join(r)
		}
	}
	p.known()
}

// known makes a claim violated that is known to be so, where a run did not meet what was found by hand.
func (p *page) known() {
	p.each(func(_ *library, c *claim, r *record) {
		if c.Found != "" && r.Verdict == holds {
			r.Verdict = violated
		}
	})
}

// verdicts in the order in which they count where runs differ.
var verdicts = []string{absent, unsaid, holds, violated, broken}

// join adds another record of the claim.
func (r *record) join(s *record) {
	if slices.Index(verdicts, s.Verdict) > slices.Index(verdicts, r.Verdict) {
		r.Verdict, r.Why = s.Verdict, s.Why
	}
	if r.Version == "" {
		r.Version = s.Version
	}
	r.Cases, r.Results, r.Vacuous, r.Seconds = r.Cases+s.Cases, r.Results+s.Results, r.Vacuous+s.Vacuous, r.Seconds+s.Seconds
	if s.Ratio > r.Ratio {
		r.Ratio, r.Bound = s.Ratio, s.Bound
	}
	for _, m := range s.Machines {
		if !slices.Contains(r.Machines, m) {
			r.Machines = append(r.Machines, m)
		}
	}
	for _, seed := range s.Seeds {
		if !slices.Contains(r.Seeds, seed) {
			r.Seeds = append(r.Seeds, seed)
		}
	}
	for _, f := range s.Failed {
		if !slices.ContainsFunc(r.Failed, func(g failure) bool { return f.Law == g.Law }) {
			r.Failed = append(r.Failed, f)
		}
	}
}

// of returns what is known of a claim, or nil.
func (p *page) of(l *library, c *claim) *record { return p.found[[2]string{l.title(), c.Name}] }

// each calls a function with each claim that has a record.
func (p *page) each(f func(l *library, c *claim, r *record)) {
	for i := range p.libraries {
		l := &p.libraries[i]
		for j := range l.Claims {
			if r := p.of(l, &l.Claims[j]); r != nil {
				f(l, &l.Claims[j], r)
			}
		}
	}
}

func (p *page) judged() (cases, results int) {
	for _, r := range p.found {
		cases, results = cases+r.Cases, results+r.Results
	}
	return cases, results
}

// present returns how many libraries have a claim that was judged, whatever their settings.
func (p *page) present() int {
	names := map[string]bool{}
	p.each(func(l *library, _ *claim, r *record) {
		if r.Cases > 0 {
			names[l.Name] = true
		}
	})
	return len(names)
}

// claims returns how many claims were judged.
func (p *page) claims() (n int) {
	p.each(func(_ *library, _ *claim, r *record) {
		if r.Cases > 0 {
			n++
		}
	})
	return n
}

// unexplained are the claims that are violated, and of which the table does not say why.
func (p *page) unexplained() (list []*record) {
	p.each(func(_ *library, c *claim, r *record) {
		if r.Verdict == violated && c.Found == "" {
			list = append(list, r)
		}
	})
	return list
}

// missing names what a whole page lacks.
func (p *page) missing() (list []string) {
	for i := range p.libraries {
		l := &p.libraries[i]
		n, why := 0, "not chosen"
		for j := range l.Claims {
			r := p.of(l, &l.Claims[j])
			switch {
			case r == nil:
				n++
			case r.Verdict == absent:
				n, why = n+1, l.install()+": "+r.Why
			case r.Verdict == broken:
				n, why = n+1, r.Why
			}
		}
		if n > 0 {
			list = append(list, fmt.Sprintf("%s (%d claims; %s)", l.title(), n, why))
		}
	}
	return list
}

// text returns the page.
func (p *page) text() string {
	var b strings.Builder
	cases, results := p.judged()
	fmt.Fprintf(&b, `# People's libraries, judged

What Gamma's laws say of libraries that everybody uses: %d libraries, %d claims, %s cases judged, %s results compared. The command that this folder is makes the page
([how](doc.go)); each claim comes from the sentence beside it, or from what every such function promises where its documentation promises nothing. A claim that is violated was checked
by hand, with math/big, by the test that stands beside it, and is shown with the smallest input that was found.

`, p.present(), p.claims(), grouped(cases), grouped(results))
	p.summary(&b)
	p.runs(&b)
	p.violations(&b)
	p.silent(&b)
	for i := range p.libraries {
		p.section(&b, &p.libraries[i])
	}
	return b.String()
}

// grouped writes a number with its digits in groups of three.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// summary is a table of libraries.
func (p *page) summary(b *strings.Builder) {
	b.WriteString("| library | version | claims | hold | violated | nothing can be said | cases | results |\n|---|---|---|---|---|---|---|---|\n")
	for i := range p.libraries {
		l := &p.libraries[i]
		count, cases, results, version := map[string]int{}, 0, 0, ""
		for j := range l.Claims {
			if r := p.of(l, &l.Claims[j]); r != nil {
				count[r.Verdict]++
				cases, results = cases+r.Cases, results+r.Results
				if version == "" {
					version = r.Version
				}
			}
		}
		fmt.Fprintf(b, "| %s | %s | %d | %d | %d | %d | %s | %s |\n", l.title(), cell(plain(version)), len(l.Claims), count[holds], count[violated], count[unsaid], grouped(cases), grouped(results))
	}
	b.WriteString("\n")
}

// runs says where and from which seeds all this was judged.
func (p *page) runs(b *strings.Builder) {
	var machines, seeds []string
	p.each(func(_ *library, _ *claim, r *record) {
		for _, m := range r.Machines {
			if !slices.Contains(machines, m) {
				machines = append(machines, m)
			}
		}
		for _, s := range r.Seeds {
			if !slices.Contains(seeds, s) {
				seeds = append(seeds, s)
			}
		}
	})
	fmt.Fprintf(b, "Judged on %s; seeds %s. A case is one input by one law, and a result one number that a function returned for it, some of them more than once. Of a library in Go the results are not counted.\n\n",
		plain(strings.Join(machines, ", ")), plain(strings.Join(seeds, ", ")))
}

// violations are the claims that do not hold.
func (p *page) violations(b *strings.Builder) {
	b.WriteString("## Violated\n\n")
	n := 0
	p.each(func(l *library, c *claim, r *record) {
		if r.Verdict != violated {
			return
		}
		n++
		why := c.Found
		if why == "" {
			why = "**Nobody has checked this by hand yet.**"
		}
		fmt.Fprintf(b, "### %s %s\n\nClaimed: %s. %s\n\n%s\n\n", l.title(), c.Name, c.Says, c.From.line(), why)
		if len(r.Failed) == 0 {
			b.WriteString("The runs that this page is made of did not meet it.\n\n")
			return
		}
		fmt.Fprintf(b, "%s\n\n", fenced(strings.TrimSpace(short(r.Failed[0].Report))))
		if len(r.Failed) > 1 {
			var more []string
			for _, f := range r.Failed[1:] {
				more = append(more, plain(f.Law))
			}
			fmt.Fprintf(b, "It also violates %s.\n\n", strings.Join(more, ", "))
		}
	})
	if n == 0 {
		b.WriteString("No claim.\n\n")
	}
}

// maxReport is how many lines of a report the page shows.
const maxReport = 16

// short returns the beginning of a report, which has the smallest input.
func short(report string) string {
	lines := strings.Split(strings.TrimSpace(report), "\n")
	if len(lines) > maxReport {
		lines = append(lines[:maxReport], "…")
	}
	return strings.Join(lines, "\n")
}

// silent are the claims of which nothing can be said.
func (p *page) silent(b *strings.Builder) {
	b.WriteString("## Nothing can be said\n\n")
	n := 0
	p.each(func(l *library, c *claim, r *record) {
		if r.Verdict == unsaid {
			n++
			fmt.Fprintf(b, "* %s %s: %s\n", l.title(), c.Name, plain(r.Why))
		}
	})
	if n == 0 {
		b.WriteString("Of no claim.\n")
	}
	b.WriteString("\n")
}

// line says where a claim comes from.
func (s source) line() string { return fmt.Sprintf("%s (%s)", s.Text, s.Where) }

// cell is a text in a table of Markdown.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

// plain is a text of a record as Markdown shows it, on one line.
func plain(s string) string { return unmarked.Replace(s) }

var unmarked = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", " ")

// fenced is a text in a block of its own, which nothing in it ends.
func fenced(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "\n" + s + "\n" + fence
}

// section is a table of a library's claims, and the list of sources that its last column counts.
func (p *page) section(b *strings.Builder, l *library) {
	fmt.Fprintf(b, "## %s\n\n", l.title())
	fmt.Fprintf(b, "%s.\n\n", l.install())
	var sources []source
	b.WriteString("| function | claim | verdict | cases | largest error/bound | source |\n|---|---|---|---|---|---|\n")
	for j := range l.Claims {
		c := &l.Claims[j]
		r := p.of(l, c)
		if r == nil {
			continue
		}
		ratio := ""
		if r.Ratio > 0 {
			ratio = fmt.Sprintf("%.3g (%s)", r.Ratio, r.Bound)
		}
		verdict := r.Verdict
		if verdict == absent {
			verdict += ": " + r.Why
		}
		at := slices.Index(sources, c.From)
		if at < 0 {
			at, sources = len(sources), append(sources, c.From)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %d |\n", cell(c.Name), cell(c.Says), cell(plain(verdict)), grouped(r.Cases), cell(plain(ratio)), at+1)
	}
	b.WriteString("\n")
	for i := range sources {
		fmt.Fprintf(b, "%d. %s\n", i+1, sources[i].line())
	}
	b.WriteString("\n")
}
