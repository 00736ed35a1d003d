package page

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"gamma/model/formula"
	"gamma/props/internal/engine"
)

// The numbers that a report of a run over all of Gamma's own subjects keeps to.
const (
	maxPage = 2 << 20
	maxTime = 5 * time.Second
)

// elements calls f with each element of a page.
func elements(t *testing.T, page string, f func(n *html.Node)) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode {
			f(n)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
}

// loadsNothing fails if a page loads or runs anything.
func loadsNothing(t *testing.T, page string) {
	t.Helper()
	allowed := map[string]bool{}
	for name := range strings.FieldsSeq("html head meta title style body header main footer nav section article h1 h2 h3 p a b i code pre span div dl dt dd ul li " +
		"wbr table tbody tr th td details summary figure figcaption svg g path text ellipse rect") {
		allowed[name] = true
	}
	ids, links := map[string]bool{}, map[string]bool{}
	elements(t, page, func(n *html.Node) {
		require.True(t, allowed[n.Data], "the page has an element <%s>", n.Data)
		for _, a := range n.Attr {
			require.False(t, strings.HasPrefix(a.Key, "on"), "%s has a handler %s", n.Data, a.Key)
			switch a.Key {
			case "href":
				require.True(t, strings.HasPrefix(a.Val, "#"), "the page links to %q", a.Val)
				links[a.Val[1:]] = true
			case "src", "srcset", "data", "xlink:href", "action", "poster", "background", "formaction":
				t.Fatalf("%s has %s=%q", n.Data, a.Key, a.Val)
			case "id":
				require.False(t, ids[a.Val], "id %s stands twice", a.Val)
				ids[a.Val] = true
			case "style":
				require.NotContains(t, a.Val, "url(")
			}
		}
		if n.Data == "style" {
			require.NotRegexp(t, `@import|url\(|expression`, n.FirstChild.Data)
		}
	})
	for link := range links {
		require.True(t, ids[link], "the page links to #%s, which there is not", link)
	}
}

// aRun is a run with something of all that a page shows.
func aRun(t *testing.T) *Run {
	t.Helper()
	r, err := Read(written(
		t,
		drawn{subject: "kernels.Sum", device: "cpu", law: "sum.enclosure", bound: "order-free (n-1)v", cases: 200, promise: &engine.Promise{What: "sum", Claim: "binary32", Tree: "lanes/4"}}.line(t),
		drawn{subject: "kernels.Sum", device: "cpu", law: "sum.tree", cases: 30, failures: []string{failing(t, "kernels.Sum", "sum.tree", "the tree is another")}}.line(t),
		drawn{subject: "kernels.Sum", device: "cpu", law: "sum.special"}.line(t),
		drawn{
			subject: "kernels.ReLU", device: "sim", law: "formula.enclosure", bound: "enclosure", cases: 50,
			promise: &engine.Promise{What: "formula", Formula: formula.Print(formula.Softmax(formula.Matrix("x", "m", "n")))},
		}.line(t),
	))
	require.NoError(t, err)
	return r
}

// TestPageLoadsNothing: a page is one file that loads nothing, runs nothing, and links to nothing but itself.
func TestPageLoadsNothing(t *testing.T) {
	matrix, err := ReadMatrix("../../testdata/kill-matrix.txt")
	require.NoError(t, err)
	r := aRun(t)
	page, md, problems := pageOf(t, r, Options{Matrices: matrix, Before: r})
	require.Empty(t, problems)
	loadsNothing(t, page)
	for _, want := range []string{"kernels.Sum", "the tree is another", "-gamma.case=1", "kernel: the last leaf is dropped.", "lanes/4", "max", "SumDropsLast", "order-free (n-1)v", "0x1p+0"} {
		require.Contains(t, html.UnescapeString(strings.ReplaceAll(page, "<wbr>", "")), want)
		require.True(t, strings.Contains(md, text(want)) || strings.Contains(md, want), "%s", want)
	}
	require.Regexp(t, `(?s)What was not said.*Failures.*Laws`, page, "the summary comes first, then failures, then tables")
	require.Contains(t, page, "1 law of 4 judged is violated, on 1 subject.")
	require.NotRegexp(t, `#0\d0\d0\d|fill:#`, page, "a figure has a colour of its own")
	require.Equal(t, 2, strings.Count(page, `class="plot" viewBox="0 0 330 215"`), "one figure of a subject")
}

// TestHostileNames: whatever lines say, it is text.
func TestHostileNames(t *testing.T) {
	const evil = `</style></svg><script src="//x.example/a.js">alert(1)</script><img src=x onerror=alert(2)>` + "\n# `|x|` {{.}} \x00\u202e"
	r, err := Read(written(
		t,
		drawn{
			subject: evil, device: evil, law: evil, bound: evil, cases: 100, promise: &engine.Promise{What: evil, Claim: evil, Tree: evil, Formula: evil, Test: evil},
			failures: []string{failing(t, evil, evil, evil)},
		}.line(t),
		drawn{subject: "b", device: "cpu", law: "sum.tree", cases: 0}.line(t),
	))
	require.NoError(t, err)
	matrix := []*Matrix{{Name: evil, Laws: []string{evil}, Rows: []Mutant{{evil, evil, []Cell{{Must, evil}}}}}}
	page, md, problems := pageOf(t, r, Options{Title: evil, Matrices: matrix, Before: r})
	loadsNothing(t, page)
	require.Len(t, problems, 2, "neither the schedule nor the formula can be drawn: %v", problems)
	md = regexp.MustCompile("(?ms)^(```+)\n.*?\n`{3,}$").ReplaceAllString(md, "") // what stands in a block is text
	require.NotContains(t, md, "<script")
	require.NotContains(t, md, "<img")
	require.Contains(t, page, "&lt;script")
}

// TestBigRun: a run as large as one over all of Gamma's own subjects has a page that is small and soon made.
func TestBigRun(t *testing.T) {
	file := bigRun(t, 700, 9)
	begin := time.Now()
	r, err := Read(file)
	require.NoError(t, err)
	page, md, problems := pageOf(t, r, Options{})
	took := time.Since(begin)
	require.Empty(t, problems)
	t.Logf("6300 lines: %d bytes of HTML and %d of Markdown in %v", len(page), len(md), took)
	require.LessOrEqual(t, len(page), maxPage)
	require.LessOrEqual(t, took, maxTime)
	require.Equal(t, defaultFigures, strings.Count(page, `viewBox="0 0 330 215"`))
	loadsNothing(t, page)
}

// TestOwnRun makes the report of what a run over all of Gamma's own subjects has left in GAMMA_DIR.
func TestOwnRun(t *testing.T) {
	dir := os.Getenv("GAMMA_DIR")
	if dir == "" {
		t.Skip("GAMMA_DIR is not set: run the README's main job with it, then this test with the same")
	}
	begin := time.Now()
	r, err := Read(dir)
	if err != nil || len(r.Subjects) < 500 {
		t.Skipf("GAMMA_DIR has no run over all of Gamma's own subjects: %v", err)
	}
	var b bytes.Buffer
	problems, err := HTML(&b, r, Options{})
	require.NoError(t, err)
	took := time.Since(begin)
	require.Empty(t, problems)
	t.Logf("%d subjects: %d bytes in %v", len(r.Subjects), b.Len(), took)
	require.LessOrEqual(t, b.Len(), maxPage)
	require.LessOrEqual(t, took, maxTime)
	loadsNothing(t, b.String())
}

// TestSave: a report appears whole or not at all.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "report.html")
	require.NoError(t, os.WriteFile(good, []byte("good"), 0o600))
	unchanged := func() {
		b, err := os.ReadFile(good)
		require.NoError(t, err)
		require.Equal(t, "good", string(b))
		list, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, list, 1, "something is left beside the report: %v", list)
	}
	require.ErrorIs(t, Save(good, writes("half", os.ErrClosed)), os.ErrClosed)
	unchanged()
	err := Save(filepath.Join(dir, "absent", "report.html"), writes("x", nil))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, filepath.Join("absent", "report.html")+": the report cannot be written")
	require.Error(t, Save(dir, writes("x", nil)), "a folder is not written over")
	if _, err := os.Stat("/dev/full"); err == nil {
		require.Error(t, Save("/dev/full/report.html", writes("x", nil)))
	}
	unchanged()
	require.NoError(t, Save(good, writes("new", nil)))
	b, err := os.ReadFile(good)
	require.NoError(t, err)
	require.Equal(t, "new", string(b))
}

// TestWildNumbers: numbers of a profile that no search gives are named, and the page is made without them.
func TestWildNumbers(t *testing.T) {
	list := []string{drawn{subject: "right", device: "cpu", law: "sum.enclosure", bound: "b", cases: 50}.line(t)}
	for i, profile := range []string{
		`{"spread":[0,-5,7],"bands":[{"n":-4,"ratio":-1},{"n":0,"ratio":1e308},{"n":1,"ratio":5e-324},{"n":9223372036854775807,"ratio":0.5}]}`,
		`{"spread":[5,0,0],"unit":"u","bands":[{"n":1,"error":1e308,"at":1,"limits":{"b":5e-324}},{"n":2,"error":1e-300,"at":2,"limits":{"b":1e308}},{"n":4,"error":1,"at":4,"limits":{}}]}`,
		`{"unit":"u","bands":[{"n":1,"error":1,"at":1,"limits":{"b":-1}},{"n":2,"error":1,"at":1,"limits":{"b":1}},{"n":4,"error":1,"at":1,"limits":{"b":1}}]}`,
	} {
		list = append(list, fmt.Sprintf(`{"subject":"s%d","device":"cpu","law":"l%d","cases":3,"holds":3,"max_ratio":1e308,"profile":%s}`+"\n", i, i, profile))
	}
	r, err := Read(written(t, list...))
	require.NoError(t, err)
	require.Len(t, r.Problems, 3)
	for _, p := range r.Problems {
		require.Contains(t, p.Text, "no search gives these numbers: ")
	}
	page, _, problems := pageOf(t, r, Options{})
	require.Len(t, problems, 3)
	loadsNothing(t, page)
	require.Contains(t, page, "right")
}

// TestFigureText: labels are numbers as people write them, and the smallest keep their digits.
func TestFigureText(t *testing.T) {
	page, _, _ := pageOf(t, aRun(t), Options{})
	for _, path := range regexp.MustCompile(`<path d="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if strings.Contains(path[0], "<path d") && !strings.Contains(path[1], " ") {
			require.Regexp(t, `^M-?[0-9.]+,-?[0-9.]+([LA][0-9.,-]+)+Z?$`, path[1])
		}
	}
	labels := regexp.MustCompile(`<text [^>]*>([^<]*)</text>`).FindAllStringSubmatch(page, -1)
	got := map[string]bool{}
	for _, l := range labels {
		got[l[1]] = true
	}
	for _, want := range []string{"1Ki", "0.1", "100", "2⁻¹", "2⁻⁹", "less", "error, u·Σ|x|", "largest error met"} {
		require.True(t, got[want], "no figure has the label %q: %v", want, got)
	}
	require.Equal(t, "10⁻¹²", decimalText(1e-12, -12))
	require.Equal(t, "5·10⁷", decimalText(5e7, 7))
	require.Equal(t, "0.02", decimalText(0.02, -2))
}

// TestFarBounds: a bound that is too large for a picture, as of a long sum of a short format, is left out of it, and no fault of the line.
func TestFarBounds(t *testing.T) {
	r, err := Read(written(t, `{"subject":"s","device":"cpu","law":"l","cases":3,"holds":3,"profile":{"unit":"u","bands":[{"n":1,"error":1,"at":1,"limits":{"b":2}},{"n":2,"error":1,"at":2,"limits":{"b":4}},{"n":65536,"error":9,"at":70000,"limits":{"b":4e118}}]}}`+"\n"))
	require.NoError(t, err)
	require.Empty(t, r.Problems)
	page, _, problems := pageOf(t, r, Options{})
	require.Empty(t, problems)
	loadsNothing(t, page)
}

// TestReportsOfOneLaw: a law is violated once, however many reports of it there are.
func TestReportsOfOneLaw(t *testing.T) {
	two := []string{failing(t, "s", "sum.tree", "first"), failing(t, "s", "sum.tree", "second")}
	r, err := Read(written(t, drawn{subject: "s", device: "cpu", law: "sum.tree", cases: 3, failures: two}.line(t), drawn{subject: "s", device: "cpu", law: "sum.pure", cases: 3}.line(t)))
	require.NoError(t, err)
	page, md, _ := pageOf(t, r, Options{})
	for _, text := range []string{page, md} {
		require.Contains(t, text, "1 law of 2 judged is violated, on 1 subject.")
		require.Contains(t, text, "first")
		require.Contains(t, text, "second")
	}
	require.Contains(t, page, "<dt>violated</dt><dd>1</dd>")
}

// TestRatioOfAnAttack: where an attack came nearest, the bound that drawn inputs came nearest to is not named as its.
func TestRatioOfAnAttack(t *testing.T) {
	r, err := Read(written(t,
		`{"subject":"s","device":"cpu","law":"l.a","cases":3,"holds":3,"max_ratio":0.25,"max_bound":"drawn bound","attack_ratio":0.75}`+"\n",
		`{"subject":"s","device":"cpu","law":"l.b","cases":3,"holds":3,"max_ratio":0.75,"max_bound":"other bound","attack_ratio":0.25}`+"\n"))
	require.NoError(t, err)
	page, md, _ := pageOf(t, r, Options{})
	require.Regexp(t, `l\.a.*0\.7500.*by an attack`, page)
	require.Regexp(t, `l\.b.*0\.7500.*by other bound`, page)
	require.Contains(t, md, "| 0.7500 | s by an attack |")
	require.Contains(t, md, "| 0.7500 | s by other bound |")
}

// TestMarkdownSays what HTML says of searches that judged little, and writes sizes as whole numbers and an error with as many digits as its bound.
func TestMarkdownSays(t *testing.T) {
	r, err := Read(written(t, `{"subject":"s","device":"cpu","law":"l","cases":10,"holds":3,"vacuous":7,"out_of_time":true,"profile":{"unit":"u","bands":[`+
		`{"n":1,"error":0.9996,"at":1,"limits":{"b":0.9997}},{"n":2,"error":1,"at":2,"limits":{"b":4}},{"n":4194304,"error":9,"at":4194305,"limits":{"b":4000}}]}}`+"\n"))
	require.NoError(t, err)
	page, md, problems := pageOf(t, r, Options{})
	require.Empty(t, problems)
	for _, text := range []string{page, md} {
		require.Contains(t, text, "1 law holds on less than a third of the cases drawn")
		require.Contains(t, text, "1 search ended by the clock, before all cases were drawn")
		require.Contains(t, text, "No violation was found: 1 law on 1 subject, 1 pair in all, on 10 drawn cases.")
	}
	require.Contains(t, md, "| 1 | 0.9996 | 0.9997 |")
	require.Contains(t, md, "| 4194305 | 9 | 4000 |")
}

// TestWitnessIsReadable: an element of a sum stands as x[i], a large length has its digits, an input of a formula its name first, and the stack of a panic is there.
func TestWitnessIsReadable(t *testing.T) {
	f, err := readFailure([]byte(`{"kind":"vectors","subject":"s","law":"l","outcome":"broken","n":1048577,"ratio":932067.5586419781,"stack":["mine.go:30 in mine.Crash"],` +
		`"command":"go test -run '^TestProp$' -gamma.law=l","hint":"The result is what the sum without x[17]·y[17] gives.",` +
		`"leaves":[{"leaf":17,"x":{"hex":"0x1p+0","decimal":"1"},"y":{"hex":"0x1p+1","decimal":"2"},"value":"any value fails","y_note":"only the sign matters","place":"only this leaf position"},{"leaf":3,"x":{"hex":"inf"}}],` +
		`"inputs":[{"name":"x","type":"binary32","axes":["m","n"],"elements":["inf","0x0p+0"]}]}`))
	require.NoError(t, err)
	facts := map[string]string{}
	for _, fact := range f.Facts {
		facts[fact.Name] = fact.Text
	}
	require.Equal(t, map[string]string{
		"input":       "n 1048577",
		"error/bound": "932067.5586419781",
		"leaves":      "x[17] 0x1p+0  1; y[17] 0x1p+1  2; any value fails; only this leaf position; of y: only the sign matters\nx[3] inf",
		"inputs":      "x[m, n] binary32: inf, 0x0p+0",
		"hint":        "The result is what the sum without x[17]·y[17] gives.",
	}, facts)
	line := `{"subject":"s","device":"sim","math_mode":"safe","default_mode":"in fast, Metal's default, l fails: it is off","law":"l","cases":3,"violations":1,"failures":[{"outcome":"broken","stack":["mine.go:30 in mine.Crash"],"command":"go test -run '^T$'"}]}` + "\n"
	r, err := Read(written(t, line))
	require.NoError(t, err)
	page, md, _ := pageOf(t, r, Options{})
	for _, text := range []string{html.UnescapeString(page), md} {
		require.Contains(t, text, "mine.go:30 in mine.Crash")
		require.Contains(t, text, "in fast, Metal's default, l fails: it is off")
	}
	require.Contains(t, page, "<span>go</span> <span>test</span> <span>-run</span> <span>&#39;^T$&#39;</span>", "a command breaks between words")
}

// TestHeldWithoutBound: the caption of a distribution counts what holds and not by a bound.
func TestHeldWithoutBound(t *testing.T) {
	r, err := Read(written(t, `{"subject":"s","device":"cpu","law":"l","cases":9,"holds":8,"profile":{"spread":[1,2]}}`+"\n"))
	require.NoError(t, err)
	page, _, _ := pageOf(t, r, Options{})
	require.Contains(t, page, "<b>l</b> 3 cases, 33% of them without an error; 5 more hold, and not by a bound")
}

// TestLongBoundName: the name of a bound that is wider than its figure is shortened, and does not end in the middle as if it were whole.
func TestLongBoundName(t *testing.T) {
	const name = "double-word mean (1+v)(1+q)(|S|+(n-2)u²A)-|S|"
	r, err := Read(written(t, drawn{subject: "s", device: "cpu", law: "sum.enclosure", bound: name, cases: 100}.line(t)))
	require.NoError(t, err)
	page, _, _ := pageOf(t, r, Options{})
	require.Contains(t, page, ">double-word mean (1+v)(1+q)(|S|+(n-2)u²A)…</text>")
}
