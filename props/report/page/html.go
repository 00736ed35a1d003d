package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gamma/props/internal/report"
)

var (
	//go:embed page.html
	pageText string
	//go:embed style.css
	styleText string
)

// HTML writes the page of a run, and returns what the page names as missing: the problems of the run, and what could not be drawn.
func HTML(w io.Writer, r *Run, o Options) ([]Problem, error) {
	v := newView(r, o)
	funcs := template.FuncMap{
		"style": func() template.CSS { return template.CSS(styleText) },
		"draw":  func(f Figure) template.HTML { return v.drawing(f.Subject+" "+f.Law, f.Draw) },
		"tree":  v.treeLink, "spread": v.drawSpread, "formula": v.formula,
		"words": wordsHTML, "breaks": breaksHTML, "mark": markHTML, "cell": cellHTML, "lawVerdict": lawVerdictHTML,
		"plural": plural, "roughly": roughly, "percent": percent, "ratio": ratioText, "decided": decided, "verb": failedVerb, "found": foundText,
		"join":  func(list []string) string { return strings.Join(list, ", ") },
		"lines": func(list []string) string { return strings.Join(list, "\n") },
		"first": firstChanges, "holding": holding, "more": moreChanges,
		"firstProblems": firstProblems, "moreProblems": moreProblems,
		"silentLaws": silentLaws, "firstSilent": firstSilent, "moreSilent": moreSilent,
	}
	t, err := template.New("page").Funcs(funcs).Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("the page's template: %w", err)
	}
	var b bytes.Buffer
	for known := -1; known < len(v.Problems); { // those of drawings are met below where they are named: then once more
		v.again, known = known >= 0, len(v.Problems)
		b.Reset()
		if err := t.Execute(&b, v); err != nil {
			return nil, fmt.Errorf("the page: %w", err)
		}
	}
	_, err = w.Write(b.Bytes())
	return v.Problems, err
}

// drawing draws, and notes why it could not.
func (v *view) drawing(what string, draw func() (template.HTML, error)) (h template.HTML) {
	var err error
	defer func() {
		if p := recover(); p != nil { // a plotting library panics at numbers it has no place for
			err = fmt.Errorf("%v", p)
		}
		if err != nil {
			v.note("figure of "+what, err)
			h = template.HTML("<p>not drawn: " + template.HTMLEscapeString(err.Error()) + "</p>")
		}
	}()
	h, err = draw()
	return h
}

// note notes a problem of a drawing, once.
func (v *view) note(where string, err error) {
	if !v.again {
		v.problem(where, "it cannot be drawn: %v", err)
	}
}

func (v *view) drawSpread(s spreadView) template.HTML {
	title := fmt.Sprintf("%s: how error/bound is distributed over %d cases", s.ID, s.Cases)
	return v.drawing(string(s.ID), func() (template.HTML, error) { return drawSpread(s.Spread, title) })
}

// treeLink returns where the drawing of a schedule stands, "" if there is none.
func (v *view) treeLink(name string) string {
	for i := range v.Trees {
		if v.Trees[i].Name == name {
			return v.Trees[i].ID
		}
	}
	return ""
}

func (v *view) formula(text string) string {
	drawn, err := drawFormula(text)
	if err != nil {
		v.note("formula", err)
		return text
	}
	return drawn
}

// marks are the verdicts' signs, so that no verdict is told by colour alone.
var marks = map[Verdict][2]string{Holds: {"✓", "holds"}, Violated: {"✗", "violated"}, Vacuous: {"○", "nothing"}, Replayed: {"↻", "holds"}}

// markText is a law's verdict with its sign.
func markText(l *Law) string {
	text := marks[l.Verdict()][0] + " " + string(l.Verdict())
	if l.OutOfTime {
		text += " …"
	}
	return text
}

func markHTML(l *Law) template.HTML {
	if l.Verdict() == Holds { // most of a page
		return template.HTML(strings.TrimSpace(template.HTMLEscapeString(markText(l))))
	}
	return template.HTML(fmt.Sprintf(`<span class="%s">%s</span>`, marks[l.Verdict()][1], template.HTMLEscapeString(markText(l))))
}

// lawVerdictHTML says of how many subjects a law holds, is violated or says nothing.
func lawVerdictHTML(l lawView) template.HTML {
	var parts []string
	for _, p := range []struct {
		n int
		v Verdict
	}{{l.Violated, Violated}, {l.Holds, Holds}, {l.Says, Vacuous}, {l.Other, Replayed}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf(`<span class="%s" title="%s">%s %d</span>`, marks[p.v][1], p.v, marks[p.v][0], p.n))
		}
	}
	return template.HTML(strings.Join(parts, " "))
}

// cellText is a cell of a kill matrix.
func cellText(c Cell) string {
	return strings.TrimSpace([...]string{"", "·", "●", "◉"}[c.Mark] + " " + c.Text)
}

func cellHTML(c Cell) template.HTML {
	class := [...]string{"", " class=p", " class=k", " class=u"}[c.Mark]
	return template.HTML("<td" + class + ">" + template.HTMLEscapeString(cellText(c)))
}

// wordsHTML writes a command that breaks between its words alone, and not at the hyphen of a flag.
func wordsHTML(command string) template.HTML {
	return template.HTML("<span>" + strings.ReplaceAll(template.HTMLEscapeString(command), " ", "</span> <span>") + "</span>")
}

// wordEnd is where a name may break: after an underscore, and before the capital of its next word.
var wordEnd = regexp.MustCompile(`_|[a-z0-9][A-Z]`)

// breaksHTML writes a name that breaks between its words.
func breaksHTML(name string) template.HTML {
	return template.HTML(wordEnd.ReplaceAllStringFunc(template.HTMLEscapeString(name), func(s string) string { return s[:1] + "<wbr>" + s[1:] }))
}

func plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "search"):
		return roughly(n) + " " + noun + "es"
	case strings.HasSuffix(noun, "bound"):
		return roughly(n) + " " + strings.Replace(noun, "error/bound", "errors/bounds", 1)
	}
	return roughly(n) + " " + noun + "s"
}

// percent writes a share; one that is not 0 or 1 is not written as such.
func percent(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x < 0.01:
		return "<1%"
	case x < 1 && x > 0.99:
		return ">99%"
	}
	return strconv.FormatFloat(100*x, 'f', 0, 64) + "%"
}

func ratioText(r float64) string {
	if r == 0 {
		return "–"
	}
	return report.FiniteRatio(r)
}

// decided names the bound that decided most often.
func decided(l *Law) string {
	name, share := l.Decider()
	if name != "" && share < 0.995 {
		name += " (" + percent(share) + ")"
	}
	return name
}

func failedVerb(f failed) string {
	if f.Report != nil && f.Report.Outcome == "broken" {
		return "breaks under"
	}
	return "violates"
}

// foundText says how a failure was found.
func foundText(f *Failure) string {
	if f.Replayed {
		return "on file, and replayed"
	}
	text := "seed " + f.Seed
	if f.Cases > 0 {
		text = "case " + roughly(f.Cases) + ", " + text
	}
	if f.Recipe != "" {
		text += ", of " + f.Recipe
	}
	if f.Flaky {
		text += "; the same case gave different verdicts"
	}
	return text
}

// holding returns "1 law holds", "2 laws hold".
func holding(n int) string {
	if n == 1 {
		return "1 law holds"
	}
	return plural(n, "law") + " hold"
}

func firstChanges(list []Change) []Change { return list[:min(len(list), maxListed)] }

func moreChanges(list []Change) string {
	if len(list) <= maxListed {
		return ""
	}
	return fmt.Sprintf("… %s more", roughly(len(list)-maxListed))
}

func silentLaws(list []silence) (n int) {
	for _, s := range list {
		n += s.Laws
	}
	return n
}

func firstProblems(list []Problem) []Problem { return list[:min(len(list), maxProblems)] }

func moreProblems(list []Problem) string {
	if len(list) <= maxProblems {
		return ""
	}
	return fmt.Sprintf("… %s more", roughly(len(list)-maxProblems))
}

func firstSilent(list []silence) []silence { return list[:min(len(list), maxSilent)] }

func moreSilent(list []silence) string {
	if len(list) <= maxSilent {
		return ""
	}
	return fmt.Sprintf("… %s for %s", plural(silentLaws(list[maxSilent:]), "more law"), plural(len(list)-maxSilent, "other reason"))
}
