package page

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/props/internal/engine"
	"gamma/props/internal/lines"
)

// writes returns what writes a text and then fails, unless err is nil.
func writes(text string, err error) func(w io.Writer) error {
	return func(w io.Writer) error {
		_, e := io.WriteString(w, text)
		return errors.Join(e, err)
	}
}

// TestBadLines: what is wrong with a line is named with its place, and the other lines are read.
func TestBadLines(t *testing.T) {
	good := drawn{subject: "a", device: "cpu", law: "sum.enclosure", bound: "b", cases: 9}.line(t)
	whole := drawn{subject: "z", device: "cpu", law: "sum.enclosure", bound: "b", cases: 9}.line(t)
	for name, row := range map[string]struct{ text, want string }{
		"no JSON":       {"what is this\n", "it is not a line of summary.jsonl"},
		"another type":  {"[1, 2]\n", "it is not a line of summary.jsonl"},
		"no law":        {`{"subject":"a"}` + "\n", "it names no law and subject"},
		"newer":         {`{"v":7,"subject":"c","law":"l"}` + "\n", "it is of version 7 of the format, and this program reads up to version 1"},
		"a shard's":     {`{"v":1,"kind":"block","run":"x"}` + "\n", "merge the parts with `gamma merge`"},
		"negative":      {`{"subject":"c","law":"l","cases":-1}` + "\n", "c l: no search gives these numbers: cases is -1"},
		"wild":          {`{"subject":"c","law":"l","cases":9000000000000000000}` + "\n", "cases is 9000000000000000000"},
		"too vacuous":   {`{"subject":"c","law":"l","cases":1,"vacuous":3}` + "\n", "0 hold and 3 are vacuous: the number of cases is 1"},
		"wild share":    {`{"subject":"c","law":"l","cases":3,"holds":3,"decided":{"a":5,"b":-3}}` + "\n", `the number of "b" is -3`},
		"wild spread":   {`{"subject":"c","law":"l","cases":3,"profile":{"spread":[9000000000000000000,9000000000000000000]}}` + "\n", "the profile has a spread of 9000000000000000000"},
		"far error":     {`{"subject":"c","law":"l","cases":3,"profile":{"bands":[{"n":1,"ratio":1e308}]}}` + "\n", "sizes from 1 on have error/bound 1e+308"},
		"doubled":       {good, "it is the same as"},
		"wrong report":  {drawn{subject: "c", device: "cpu", law: "l", failures: []string{"7"}}.line(t), "report 1 of a failure"},
		"number's size": {`{"subject":"c","law":"l","cases":1e308}` + "\n", "it is not a line of summary.jsonl: cases is a JSON number 1e308, and has to be a whole number"},
		"no number":     {`{"subject":"c","law":"l","max_ratio":NaN}` + "\n", "invalid character 'N' looking for beginning of value, at its byte 38; take the line out"},
		"two subjects":  {`{"subject":"c","law":"l","subject":"d"}` + "\n", `it has two values of "subject"; take the line out`},
		"torn":          {good[:len(good)/2] + "\n", "the line is torn"},
		"binary":        {"\x7fELF\x00\xff\n", "it is not text in UTF-8; the file is another one, packed or damaged"},
		"a long name":   {`{"subject":"` + strings.Repeat("c", maxName+1) + `","law":"l"}` + "\n", "it has a name of 1001 bytes"},
		"a terminal's":  {`{"subject":"\u001b[31mc","law":"l","cases":-1}` + "\n", "\ufffd[31mc l: no search gives these numbers: cases is -1; take the line out"},
	} {
		file := written(t, good, row.text, whole)
		r, err := Read(file)
		require.NoError(t, err, name)
		require.Len(t, r.Problems, 1, name)
		require.Equal(t, file+":2", r.Problems[0].Where, name)
		require.Contains(t, r.Problems[0].Text, row.want, name)
		names := ""
		for _, s := range r.Subjects {
			names += s.Name
		}
		require.Contains(t, []string{"az", "acz"}, names, name)
		page, md, _ := pageOf(t, r, Options{})
		require.Contains(t, page, "Could not be read")
		require.Contains(t, md, "Could not be read")
	}
}

// TestTornFile: a file that ends inside a line says so.
func TestTornFile(t *testing.T) {
	good := drawn{subject: "a", device: "cpu", law: "sum.enclosure", bound: "b", cases: 9}.line(t)
	for cut := 1; cut < len(good)-1; cut += 37 {
		file := written(t, good, good[:cut])
		r, err := Read(file)
		require.NoError(t, err)
		require.Len(t, r.Problems, 1)
		require.Equal(t, file+":2", r.Problems[0].Where)
		require.Contains(t, r.Problems[0].Text, "the line is torn")
	}
	r, err := Read(written(t, good, strings.TrimSuffix(drawn{subject: "b", device: "cpu", law: "l"}.line(t), "\n")))
	require.NoError(t, err, "a last line without its end is a line")
	require.Empty(t, r.Problems)
	require.Len(t, r.Subjects, 2)
}

// TestNothingToReport: where nothing was judged, or nothing can be read, there is no report.
func TestNothingToReport(t *testing.T) {
	empty := t.TempDir()
	_, err := Read(empty, filepath.Join(empty, "absent.jsonl"), written(t, ""), written(t, "\n\n"))
	require.ErrorContains(t, err, "nothing to report")
	require.ErrorContains(t, err, "there is no summary.jsonl in this folder")
	require.ErrorContains(t, err, "absent.jsonl: it cannot be read: no such file")
	require.ErrorContains(t, err, "no law was judged in it")
	_, err = Read(written(t, strings.Repeat("what is this\n", 100_000)))
	require.ErrorContains(t, err, "99980 more lines of it cannot be read")
	require.Less(t, len(err.Error()), 20_000)
}

// TestLongLine: a line too long to be one is left out, and the next is read.
func TestLongLine(t *testing.T) {
	file := written(t, `{"subject":"`+strings.Repeat("a", lines.Most)+`"}`+"\n", drawn{subject: "b", device: "cpu", law: "l"}.line(t))
	r, err := Read(file)
	require.NoError(t, err)
	require.Len(t, r.Subjects, 1)
	require.Len(t, r.Problems, 1)
	require.Contains(t, r.Problems[0].Text, "the line has more than")
}

// TestFolders: a folder stands for all summaries below it.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"props", "device"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
		line := drawn{subject: name, device: "cpu", law: "l", cases: 3}.line(t)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "summary.jsonl"), []byte(line), 0o600))
	}
	r, err := Read(dir)
	require.NoError(t, err)
	require.Len(t, r.Subjects, 2)
	require.Len(t, r.Files, 2)
}

// TestSubjectsOfOneName: lines of one operation in several formats, which follow each other under one name, are subjects of their own.
func TestSubjectsOfOneName(t *testing.T) {
	a := drawn{subject: "dd.Plus", device: "cpu", law: "dd.add", bound: "3u²", cases: 5, promise: &engine.Promise{Claim: "binary32"}}
	b := a
	b.promise = &engine.Promise{Claim: "binary64"}
	r, err := Read(written(t, a.line(t), b.line(t)))
	require.NoError(t, err)
	require.Empty(t, r.Problems)
	require.Len(t, r.Subjects, 2)
	require.Equal(t, "dd.Plus (2)", r.Subjects[1].Title())
	c := Compare(r, r)
	require.Equal(t, 2, c.Same)
}

// TestCompare: what two runs say differently is found, the worst first.
func TestCompare(t *testing.T) {
	read := func(lines ...string) *Run {
		r, err := Read(written(t, lines...))
		require.NoError(t, err)
		return r
	}
	line := func(subject string, cases int, failures ...string) string {
		return drawn{subject: subject, device: "cpu", law: "sum.enclosure", bound: "b", cases: cases, failures: failures}.line(t)
	}
	wrong := line("wrong", 3, failing(t, "wrong", "sum.enclosure", "r"))
	before := read(wrong, line("same", 50), line("gone", 50), line("broke", 50), line("fixed", 50, failing(t, "fixed", "sum.enclosure", "r")), line("fewer", 1))
	wrong = line("wrong", 1, failing(t, "wrong", "sum.enclosure", "r")) // its largest error/bound is that of other cases
	after := read(wrong, line("same", 50), line("new", 50), line("fixed", 50), line("broke", 50, failing(t, "broke", "sum.enclosure", "r")), line("fewer", 2))
	c := Compare(before, after)
	name := func(list []Change) (s string) {
		for _, c := range list {
			s += c.Subject + " "
		}
		return s
	}
	require.Equal(t, "broke fixed ", name(c.Verdicts))
	require.Equal(t, "new ", name(c.New))
	require.Equal(t, "gone ", name(c.Gone))
	require.Equal(t, "fewer ", name(c.Ratios), "no error was met before, and one now")
	require.Equal(t, 2, c.Same)
	require.Equal(t, 1, c.MoreCases)
	page, md, _ := pageOf(t, after, Options{Before: before})
	loadsNothing(t, page)
	for _, text := range []string{page, md} {
		require.Contains(t, text, "2 verdicts")
	}
}
