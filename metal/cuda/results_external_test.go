package cuda_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/shaders"
)

var updateResults = flag.Bool("update-results", false, "rewrite RESULTS.md from the records in testdata/results")

// resultsHead begins the page.
const resultsHead = `# What ran on real GPUs

Composed from the records in ` + "`testdata/results`" + ` by ` + "`go test ./metal/cuda -run TestResultsPage -update-results`" + `; a test holds it to them.
The records are written by the tests themselves, on the machine with the GPU:

    CGO_ENABLED=0 go test -c -ldflags='-s -w' -o cuda.test ./metal/cuda      # here; the machine needs neither Go nor the sources
    GAMMA_LEVEL=thorough GAMMA_DIR=out ./cuda.test -test.run '^TestCUDA' -test.v      # there: out/*.json are the records

What the columns say: *judged* are cases of sums and transforms, rows of words and residues, or points; *worst* is the greatest error as a part of
its proved bound, so that 1 is the bound itself, which some inputs are built to reach, and what gave it (figures are rounded; laws compare exactly);
*as sim* are results with the simulator's bits.
`

// tests says what each test does, in the order of the page.
var tests = []struct{ name, text string }{
	{"TestCUDALaws", "Every shader, by every law of values that judges it on the simulator, strict arithmetic."},
	{"TestCUDABehaviourLaws/statement", "The same, kernels printed with contraction inside a statement."},
	{"TestCUDABehaviourLaws/fast", "The same, with contraction across statements."},
	{"TestCUDABehaviourLaws/flush", "The same, with subnormal numbers flushed."},
	{"TestCUDABehaviourLaws/reassociate", "The same, with additions reassociated and signs of zeros ignored."},
	{"TestCUDABehaviourLaws/all", "The same, with all of these and reciprocals."},
	{"TestCUDALarge", "Every shader on 2^24 leaves, rows or points (2^20 if the level is quick), by the oracle and the bounds alone: sums and dot products by the exact sum, or bit by bit by the claimed tree; operations on words by the laws of words; residues by division, every row; transforms in full, every point both ways, against the oracle's."},
	{"TestCUDAKernels", "Sums and dot products beside the simulator."},
	{"TestCUDAOperations", "Operations on words beside the simulator: every word must be equal."},
	{"TestCUDAModular", "Operations on residues beside the simulator: every word must be equal."},
	{"TestCUDANTT", "Transforms beside the simulator: every point must be equal."},
	{"TestCUDARepeat", "Each sum 200 times, long ones less often; several results are told, and else there was one. Where the claim leaves the order open, several results may come out: each is held to the bound, and of up to 6 leaves to the set of all sums that some tree over some order gives."},
	{"TestCUDAMutants", "Every mutant, by every law of values; `testdata/kill-matrix-gpu.txt` has the marks."},
	{"TestCUDAProtocol", "Sequences of calls, legal and not, against a model of the memory."},
	{"TestCUDAFaults", "Kernels that fault, hang or ask for too much, in a child process: what each is answered with. The device went on after each."},
	{"TestCUDAMemory", "More memory than there is, in process; the device went on."},
}

// reports says what reports are that tests write in a form of their own.
var reports = map[string]string{
	"cuda-speed":     "TestCUDASpeed: times of one dispatch in microseconds, GB read and written in a second, and that as a part of the bandwidth of a device-to-device copy of as many bytes.",
	"cuda-ntt-speed": "TestCUDANTTSpeed: times of batches of transforms in seconds, and of the limit that the bandwidth of copies sets to their passes in percent; differences are from the results on the CPU.",
	"cuda-fft-speed": "BenchmarkFFT: times of batches of Fourier transforms in microseconds, of all passes and of each by itself, and the bytes that passes read and write as a part of the bandwidth of a copy in percent; Worst is the error's 2-norm as a part of its bound.",
}

// resultsTail ends the page.
const resultsTail = `
## What did not run

* On these GPUs: the laws of findings (races, bounds, initialisation, barriers, undefined integers), which need the simulator's checkers, and the
  law of orders, which needs a device that can be told one. Kernels that only those laws find are the survivors in the table of mutants.
* Windows, GPUs before compute capability 7.0, more than one GPU, and drivers other than those named above.
* metal/apple, on no machine.
`

// page composes the page from the records below dir.
func page(dir string) (string, error) {
	var b strings.Builder
	b.WriteString(resultsHead)
	cards, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return "", err
	}
	for _, card := range cards {
		if err := cardPage(&b, card); err != nil {
			return "", err
		}
	}
	b.WriteString(resultsTail)
	return b.String(), nil
}

// cardPage adds the records of a card.
func cardPage(b *strings.Builder, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		return errors.Join(err, fmt.Errorf("%s holds no records", dir))
	}
	var list []*record
	var others []string
	for _, f := range files {
		if !strings.HasPrefix(filepath.Base(f), "gpu-") {
			others = append(others, f)
			continue
		}
		r, err := readRecord(f)
		if err != nil {
			return err
		}
		list = append(list, r)
	}
	place := func(r *record) int {
		for i, x := range tests {
			if x.name == r.Test {
				return i
			}
		}
		return len(tests)
	}
	slices.SortStableFunc(list, func(x, y *record) int { return place(x) - place(y) })
	fmt.Fprintf(b, "\n## %s\n\n", list[0].Card)
	for _, r := range list {
		if r.Card != list[0].Card {
			return fmt.Errorf("%s holds records of %s and of %s; keep a folder a card", dir, list[0].Card, r.Card)
		}
	}
	drivers := map[string]bool{}
	for _, r := range list {
		if d := strings.ReplaceAll(r.Driver, ", in a child process", ""); !drivers[d] {
			drivers[d] = true
			fmt.Fprintf(b, "%s.\n", d)
		}
	}
	b.WriteString("\n| test | when | level | seconds | shaders | judged | worst | as sim | others | result |\n|---|---|---|--:|--:|--:|--:|--:|--:|---|\n")
	for _, r := range list {
		judged, same, differ, worst, by := 0, 0, 0, 0.0, ""
		for _, x := range r.Rows {
			judged, same = judged+x.Cases, same+x.Same
			for _, n := range x.Differ {
				differ += n
			}
			if x.Worst > worst {
				worst, by = x.Worst, x.By+" of "+x.Shader
			}
		}
		result := "passed"
		if r.Failed {
			result = "**failed**"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %.1f | %d | %s | %s | %s | %s | %s |\n", r.Test, r.Date, r.Level, r.Seconds, len(r.Rows), countText(judged), ratioText(worst, by), countText(same), countText(differ), result)
	}
	missing(b, list, others)
	classes := map[string]int{}
	of := map[string][]string{}
	for _, r := range list {
		for _, x := range r.Rows {
			for c, n := range x.Differ {
				classes[c] += n
				of[c] = append(of[c], x.Shader)
			}
		}
	}
	b.WriteString("\nDifferences from the simulator:")
	if len(classes) == 0 {
		b.WriteString(" none.\n")
	} else {
		b.WriteString("\n\n")
		for _, c := range fieldsOf(classes) {
			why, ok := explained[c]
			if !ok {
				return fmt.Errorf("%s: nothing explains the differences of class %q", dir, c)
			}
			slices.Sort(of[c])
			fmt.Fprintf(b, "* %d results of %s, %s: %s.\n", classes[c], strings.Join(slices.Compact(of[c]), ", "), c, why)
		}
	}
	var behaving []*record
	for _, r := range list {
		if strings.HasPrefix(r.Test, behavingTest) {
			behaving = append(behaving, r)
		} else {
			recordPage(b, r)
		}
	}
	behavingPage(b, behaving)
	for _, f := range others {
		if err := otherPage(b, f); err != nil {
			return err
		}
	}
	return nil
}

// missing says what there is no record of: tests, and of tests that take every shader or mutant those that came after the record.
func missing(b *strings.Builder, list []*record, others []string) {
	have := map[string]bool{}
	for _, r := range list {
		have[r.Test] = true
	}
	for _, f := range others {
		have[strings.TrimSuffix(filepath.Base(f), ".json")] = true
	}
	var names []string
	for _, x := range tests {
		if !have[x.name] {
			names = append(names, x.name)
		}
	}
	for _, name := range fieldsOf(reports) {
		if what, _, _ := strings.Cut(reports[name], ":"); !have[name] {
			names = append(names, what)
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(b, "\nNo record of this card is kept of %s.\n", strings.Join(names, ", "))
	}
	for _, r := range list {
		var left []string
		for _, name := range taken(r.Test) {
			if !slices.ContainsFunc(r.Rows, func(x *row) bool { return x.Shader == name }) {
				left = append(left, name)
			}
		}
		if len(left) > 0 {
			fmt.Fprintf(b, "\n%s was recorded without %s.\n", r.Test, strings.Join(left, ", "))
		}
	}
}

// taken names what a test takes every one of, as the rows of its record do; nil of other tests.
func taken(test string) (list []string) {
	sums := func() {
		for _, k := range shaders.All() {
			list = append(list, k.Name)
		}
	}
	operations := func() {
		for _, k := range shaders.Operations() {
			list = append(list, k.Name)
		}
	}
	residues := func() {
		for _, k := range shaders.Modulars() {
			list = append(list, k.Name)
		}
	}
	transforms := func() {
		for _, k := range shaders.NTTs() {
			list = append(list, k.Name)
		}
	}
	test, _, _ = strings.Cut(test, "/")
	switch test {
	case "TestCUDALaws", "TestCUDALarge":
		sums()
		operations()
		residues()
		transforms()
	case "TestCUDABehaviourLaws":
		sums()
		operations()
	case "TestCUDAKernels":
		sums()
	case "TestCUDAOperations":
		operations()
	case "TestCUDAModular":
		residues()
	case "TestCUDANTT":
		transforms()
	case "TestCUDAMutants":
		all := every()
		for i := range all {
			list = append(list, all[i].short())
		}
	}
	return list
}

// behavingTest begins the names of records of shaders in other arithmetic.
const behavingTest = "TestCUDABehaviourLaws/"

// behavingPage adds the records of shaders in other arithmetic, side by side.
func behavingPage(b *strings.Builder, list []*record) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### TestCUDABehaviourLaws\n\n")
	var names []string
	heads, rule := "", ""
	for _, r := range list {
		short := strings.TrimPrefix(r.Test, behavingTest)
		heads, rule = heads+" "+short+" |", rule+"---|"
		fmt.Fprintf(b, "* %s: %s; %s.\n", short, r.Behaviour, strings.Join(r.Notes, "; "))
		for _, x := range r.Rows {
			if !slices.Contains(names, x.Shader) {
				names = append(names, x.Shader)
			}
		}
	}
	slices.Sort(names)
	fmt.Fprintf(b, "\nJudged, and the worst:\n\n| |%s\n|---|%s\n", heads, rule)
	for _, n := range names {
		fmt.Fprintf(b, "| %s |", n)
		for _, r := range list {
			for _, x := range r.Rows {
				if x.Shader == n {
					fmt.Fprintf(b, " %s", strings.Join(slices.DeleteFunc([]string{countText(x.Cases), ratioText(x.Worst, x.By), x.Note}, func(s string) bool { return s == "" }), "; "))
				}
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	}
}

// recordPage adds one record.
func recordPage(b *strings.Builder, r *record) {
	fmt.Fprintf(b, "\n### %s\n\n", r.Test)
	for _, x := range tests {
		if x.name == r.Test {
			fmt.Fprintf(b, "%s\n", x.text)
		}
	}
	if r.Behaviour != "" {
		fmt.Fprintf(b, "Behaviour: %s.\n", r.Behaviour)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(b, "%s.\n", strings.TrimSuffix(n, "."))
	}
	if len(r.Rows) == 0 {
		return
	}
	if r.Test == "TestCUDAMutants" {
		b.WriteString("\nSurvivors:\n\n")
		for _, x := range r.Rows {
			if x.Note != "" {
				fmt.Fprintf(b, "* %s: %s.\n", x.Shader, x.Note)
			}
		}
		return
	}
	// Columns that are empty are left out.
	cells := []struct {
		head string
		of   func(x *row) string
	}{
		{"laws", func(x *row) string { return countText(x.Laws) }},
		{"judged", func(x *row) string { return countText(x.Cases) }},
		{"worst", func(x *row) string { return ratioText(x.Worst, x.By) }},
		{"as sim", func(x *row) string { return countText(x.Same) }},
		{"others", func(x *row) string {
			n := 0
			for _, k := range x.Differ {
				n += k
			}
			return countText(n)
		}},
		{"by law", func(x *row) string {
			var list []string
			for _, k := range fieldsOf(x.Cells) {
				list = append(list, k+" "+x.Cells[k])
			}
			return strings.Join(list, ", ")
		}},
		{"", func(x *row) string { return strings.ReplaceAll(x.Note, "|", "/") }},
	}
	cells = slices.DeleteFunc(cells, func(c struct {
		head string
		of   func(x *row) string
	},
	) bool {
		return !slices.ContainsFunc(r.Rows, func(x *row) bool { return c.of(x) != "" })
	})
	b.WriteString("\n| |")
	for _, c := range cells {
		fmt.Fprintf(b, " %s |", c.head)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(cells)) + "\n")
	for _, x := range r.Rows {
		fmt.Fprintf(b, "| %s |", x.Shader)
		for _, c := range cells {
			fmt.Fprintf(b, " %s |", c.of(x))
		}
		b.WriteString("\n")
	}
}

// field is a field of an object of JSON, in its place.
type field struct {
	name string
	raw  json.RawMessage
}

// fieldsIn returns the fields of an object in their order; ok is false for what is no object.
func fieldsIn(text []byte) (list []field, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		f := field{name: fmt.Sprint(name)}
		if err := d.Decode(&f.raw); err != nil {
			return nil, false
		}
		list = append(list, f)
	}
	return list, true
}

// otherPage adds a report that a test writes in a form of its own: its fields, and its lists of objects as tables.
func otherPage(b *strings.Builder, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	fields, ok := fieldsIn(text)
	if !ok {
		return fmt.Errorf("%s is no object of JSON", file)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".json")
	fmt.Fprintf(b, "\n### %s\n\n", name)
	if what := reports[name]; what != "" {
		fmt.Fprintf(b, "%s\n", what)
	}
	var tables []field
	for _, f := range fields {
		if bytes.HasPrefix(f.raw, []byte("[")) {
			tables = append(tables, f)
		} else {
			fmt.Fprintf(b, "%s: %s.\n", f.name, valueText(f.raw))
		}
	}
	for _, f := range tables {
		var list []json.RawMessage
		if err := json.Unmarshal(f.raw, &list); err != nil {
			return fmt.Errorf("%s: %s: %w", file, f.name, err)
		}
		var columns []string
		var rows []map[string]string
		for _, x := range list {
			row := map[string]string{}
			cells, ok := fieldsIn(x)
			if !ok {
				cells = []field{{f.name, x}}
			}
			for _, c := range cells {
				if !slices.Contains(columns, c.name) {
					columns = append(columns, c.name)
				}
				row[c.name] = strings.ReplaceAll(valueText(c.raw), "|", "/")
			}
			rows = append(rows, row)
		}
		fmt.Fprintf(b, "\n| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
		for _, row := range rows {
			b.WriteString("|")
			for _, c := range columns {
				fmt.Fprintf(b, " %s |", row[c])
			}
			b.WriteString("\n")
		}
	}
	return nil
}

// valueText is a value of JSON as a table has it.
func valueText(raw json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(raw)
	}
	switch v := v.(type) {
	case nil:
		return ""
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return v.String()
		}
		if f, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".eE") {
			return fmt.Sprintf("%.4g", f)
		}
		return v.String()
	case string:
		return v
	case map[string]any:
		fields, _ := fieldsIn(raw)
		var list []string
		for _, f := range fields {
			list = append(list, f.name+": "+valueText(f.raw))
		}
		return strings.Join(list, ", ")
	}
	return string(raw)
}

// countText is a count, "" for none.
func countText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// ratioText is an error as a part of its bound, with what gave it.
func ratioText(worst float64, by string) string {
	if worst == 0 {
		return ""
	}
	return fmt.Sprintf("%.4g, %s", worst, by)
}

func fieldsOf[V any](m map[string]V) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// mostRecords bounds the bytes of all records.
const mostRecords = 400 << 10

// TestResultsPage holds RESULTS.md to the records.
func TestResultsPage(t *testing.T) {
	const dir = "testdata/results"
	if _, err := os.Stat("doc.go"); err != nil {
		t.Skip("no source tree here: this test reads RESULTS.md")
	}
	text, err := page(dir)
	require.NoError(t, err)
	size := 0
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	require.NoError(t, err)
	for _, f := range files {
		info, err := os.Stat(f)
		require.NoError(t, err)
		size += int(info.Size())
	}
	require.Less(t, size, mostRecords)
	if *updateResults {
		require.NoError(t, corpus.WriteFile("RESULTS.md", []byte(text)))
		return
	}
	want, err := os.ReadFile("RESULTS.md")
	require.NoError(t, err, "run with -update-results to write it")
	require.Equal(t, string(want), text, "the page and the records differ; look at them, then run with -update-results")
}

// TestResultsShow: what a record says is on the page, a class of differences that nothing explains is an error, and so are records of two cards in
// one folder.
func TestResultsShow(t *testing.T) {
	dir := t.TempDir()
	card := filepath.Join(dir, "card")
	r := &record{heading: heading{Test: "TestCUDAKernels", Card: "Some GPU", Driver: "driver 1", Date: "today", Level: "quick", Seconds: 1.5, Notes: []string{"a note"}}}
	r.on("b.metal#b", func(x *row) { x.judged("sum.enclosure", 7, 0.25, "unit"); x.Same = 3; x.differs(differOrder, 4) })
	r.on("a.metal#a", func(x *row) { x.cell("mont.value", "12"); x.Note = "left|out" })
	require.NoError(t, r.save(card))
	back, err := readRecord(filepath.Join(card, "gpu-TestCUDAKernels.json"))
	require.NoError(t, err)
	require.Equal(t, "a.metal#a", back.Rows[0].Shader)
	require.Equal(t, 4, back.Rows[1].Differ[differOrder])
	require.NoError(t, os.WriteFile(filepath.Join(card, "speed.json"), []byte(`{"card": "Some GPU", "rows": [{"name": "copy", "gbps": 3000.25, "q": 18446744069414584321}]}`), 0o644))
	text, err := page(dir)
	require.NoError(t, err)
	for _, want := range []string{
		"## Some GPU", "driver 1", "| TestCUDAKernels | today | quick | 1.5 | 2 | 7 | 0.25, sum.enclosure, unit of b.metal#b | 3 | 4 | passed |",
		"4 results of b.metal#b, order open: the claim names no order", "a note.", "mont.value 12", "left/out", "| name | gbps | q |", "| copy | 3000 | 18446744069414584321 |",
	} {
		require.Contains(t, text, want)
	}
	require.Regexp(t, `(?m)^No record of this card is kept of TestCUDALaws, .*TestCUDAMemory, BenchmarkFFT, TestCUDANTTSpeed, TestCUDASpeed\.$`, text)
	require.NotRegexp(t, `No record.*TestCUDAKernels`, text)
	require.Regexp(t, `(?m)^TestCUDAKernels was recorded without .*shaders/sum\.metal#tree`, text)
	r.Failed = true
	r.on("shaders/sum.metal#tree", func(x *row) { x.Same = 1 })
	require.NoError(t, r.save(card))
	text, err = page(dir)
	require.NoError(t, err)
	require.Contains(t, text, "**failed**")
	require.NotRegexp(t, `recorded without .*shaders/sum\.metal#tree`, text)
	r.Rows[0].differs("odd", 1)
	require.NoError(t, r.save(card))
	_, err = page(dir)
	require.ErrorContains(t, err, "odd")
	delete(r.Rows[0].Differ, "odd")
	require.NoError(t, r.save(card))
	r.Test, r.Card = "TestCUDANTT", "Another"
	require.NoError(t, r.save(card))
	_, err = page(dir)
	require.ErrorContains(t, err, "a folder a card")
	require.NoError(t, os.WriteFile(filepath.Join(card, "gpu-X.json"), []byte(`{"Unknown": 1}`), 0o644))
	_, err = page(dir)
	require.ErrorContains(t, err, "gpu-X.json")
}
