package corpus

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// TestTablesCanonical holds every table of ours to its canonical form, to its name and to its directory, and finds each embedded.
func TestTablesCanonical(t *testing.T) {
	embedded, errs := Load[*Table](Files, Options{})
	require.Empty(t, errs)
	require.NotEmpty(t, embedded)
	for _, f := range embedded {
		text, err := fs.ReadFile(Files, f.Path)
		require.NoError(t, err)
		want, err := Canonical(text)
		require.NoError(t, err)
		require.Equal(t, string(want), string(text), f.Path)
		name, err := FileName(f.Body)
		require.NoError(t, err)
		require.Equal(t, path.Join(string(f.Body.Law), name), f.Path)
		require.NotEmpty(t, f.Body.Comments, "%s: a table of ours says where it is from", f.Path)
		require.NotEmpty(t, f.Body.Rows, f.Path)
	}
	onDisk, errs := Load[*Table](os.DirFS("."), Options{})
	require.Empty(t, errs)
	var want, got []string
	for _, f := range onDisk {
		if !strings.HasPrefix(f.Path, "testdata/") {
			want = append(want, f.Path)
		}
	}
	for _, f := range embedded {
		got = append(got, f.Path)
	}
	require.Equal(t, want, got)
}

// sample is a table with everything in it.
const sample = `gamma cases v1
# One.
law dd.mul
kernel dd.Times3
behaviour rne ftz=on contract=off seed=7
launch groups=1 threads=32
batch yes
format binary64
words 2
row 0x1p+0 -0x0p+0 holds reaches 0.5 # a comment
row inf nan:0x7ff8000000000001 violated
`

func TestTableRoundTrip(t *testing.T) {
	c, err := Parse[*Table]([]byte(sample), Options{})
	require.NoError(t, err)
	require.Equal(t, model.LawID("dd.mul"), c.Law)
	require.True(t, c.Batch)
	require.Equal(t, TableRow{Words: []uint64{0x3ff0000000000000, 1 << 63}, Expect: ExpectHolds, Reaches: 0.5, Comment: "a comment", Line: 10}, c.Rows[0])
	text, err := Format(c, Options{})
	require.NoError(t, err)
	require.Equal(t, sample, string(text))
	loose := "gamma cases v1\r\n\n words  1 \nkernel k\nlaw a.b\n  row   0x2p0\tholds   #  x \n"
	text, err = Canonical([]byte(loose))
	require.NoError(t, err)
	require.Equal(t, "gamma cases v1\nlaw a.b\nkernel k\nwords 1\nrow 0x1p+1 holds # x\n", string(text))
}

// TestTableErrors names the place of what is wrong with a table.
func TestTableErrors(t *testing.T) {
	head := "gamma cases v1\nlaw a.b\nkernel k\nwords 2\n"
	for in, want := range map[string]string{
		"":                                                "t.cases:1:1: the file is empty",
		"gamma case v1\n":                                 "t.cases:1:1: the file is not a .cases file",
		"gamma cases v1\nlaw a.b":                         "t.cases:2:8: the last line has no newline",
		"gamma cases v1\nlaw ab\n":                        "t.cases:2:5: law: \"ab\" is not a law's name",
		"gamma cases v1\nlaw a.b\nlaw a.b\n":              "t.cases:3:1: law stands in line 2 already",
		"gamma cases v1\nlows a.b\n":                      "t.cases:2:1: no key is called \"lows\"",
		"gamma cases v1\nlaw\n":                           "t.cases:2:4: law has no value",
		"gamma cases v1\nlaw a.b\nwords 0\n":              "t.cases:3:7: words: \"0\" lies outside",
		"gamma cases v1\nformat binary99\n":               "t.cases:2:8: format:",
		"gamma cases v1\nbatch no\n":                      "t.cases:2:7: batch: \"no\" is not yes",
		"gamma cases v1\nkernel k\x01\n":                  "t.cases:2:9: byte 0x01",
		"gamma cases v1\nlaw a.b\nkernel k\n":             "t.cases:4:1: there is no line \"words\"",
		"gamma cases v1\nrow 0x1p0 holds\n":               "t.cases:2:1: there is no line \"law\"",
		head + "row 0x1p0 holds\n":                        "t.cases:5:5: the row has 1 words, and those of this file have 2",
		head + "row 0x1p0 0.1 holds\n":                    "t.cases:5:11: ",
		head + "row 0x1p0 0x1p0 maybe\n":                  "t.cases:5:17: \"maybe\" is no value",
		head + "row 0x1p0 0x1p0 holds 0x1p0\n":            "t.cases:5:23: \"0x1p0\" stands after the expectation",
		head + "row 0x1p0 0x1p0 holds reaches 2\n":        "t.cases:5:31: \"2\" is not a ratio",
		head + "row 0x1p0 0x1p0 holds\nseed 3\n":          "t.cases:6:1: seed stands after a row",
		head + "row 0x1p0 0x1p0 holds\nformat binary64\n": "t.cases:6:1: format stands after a row",
		head + "row 0x1p0 0x1p0 holds\n# after\n":         "t.cases:6:1: a comment on a line of its own",
	} {
		_, err := Parse[*Table]([]byte(in), Options{File: "t.cases"})
		require.ErrorContains(t, err, want, "%q", in)
		var e *Error
		require.ErrorAs(t, err, &e)
	}
	_, err := Format(&Table{Law: "a.b", Kernel: "k", Format: model.Binary32, Words: 1, Rows: []TableRow{{Words: []uint64{1 << 32}}}}, Options{})
	require.ErrorContains(t, err, "not an encoding of binary32")
	_, err = Format(&Table{Law: "a.b", Kernel: "k", Format: model.Binary32, Words: 1, Rows: []TableRow{{}}}, Options{})
	require.ErrorContains(t, err, "it has 0 words")
	_, err = Format(&Table{Law: "a.b", Kernel: "k", Format: model.Binary32}, Options{})
	require.ErrorContains(t, err, "words: \"0\" lies outside 1 to 512")
	files, errs := Load[*Table](fstest.MapFS{"a/b.cases": {Data: []byte("x\n")}, "c.cases": {Data: []byte(sample)}, "d.case": {Data: []byte("no table")}}, Options{})
	require.Len(t, files, 1)
	require.Len(t, errs, 1)
	require.ErrorContains(t, errs[0], "a/b.cases:1:1:")
}

// TestSaveTable adds rows to a file, and keeps those that it has.
func TestSaveTable(t *testing.T) {
	dir := t.TempDir()
	table := func(words ...uint64) *Table {
		c := &Table{Law: "a.b", Kernel: "pkg.F", Format: model.Binary32, Words: 1}
		for _, w := range words {
			c.Rows = append(c.Rows, TableRow{Words: []uint64{w}, Comment: "new"})
		}
		return c
	}
	first, err := Save(dir, table(0x3f800000), Options{})
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "a.b"), filepath.Dir(first))
	require.Regexp(t, `^a\.b-pkg-f-[0-9a-f]{8}\.cases$`, filepath.Base(first))
	again := table(0x40000000, 0x3f800000)
	again.Rows[1].Comment = "other"
	second, err := Save(dir, again, Options{})
	require.NoError(t, err)
	require.Equal(t, first, second)
	text, err := os.ReadFile(first)
	require.NoError(t, err)
	require.Equal(t, "gamma cases v1\nlaw a.b\nkernel pkg.F\nwords 1\nrow 0x1p+0 holds # new\nrow 0x1p+1 holds # new\n", string(text))
	batch := table(1, 2)
	batch.Batch = true
	third, err := Save(dir, batch, Options{})
	require.NoError(t, err)
	require.NotEqual(t, first, third)
	wide := table(1)
	wide.Format = model.Binary64
	fourth, err := Save(dir, wide, Options{})
	require.NoError(t, err)
	require.NotEqual(t, first, fourth)
	more := table(5)
	more.Rows[0].Words, more.Words = []uint64{5, 6}, 2
	fifth, err := Save(dir, more, Options{}) // rows of another length have a file of their own
	require.NoError(t, err)
	require.NotEqual(t, first, fifth)
}

func FuzzParseTable(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("gamma cases v1\nlaw a.b\nkernel k\nwords 1\nrow 0x1p-149 holds reaches 1e-300 # c\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse[*Table](text, Options{})
		if err != nil {
			return
		}
		one, err := Format(c, Options{})
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		two, err := Canonical(one)
		if err != nil || string(one) != string(two) {
			t.Fatalf("%q is not canonical: %q, %v", one, two, err)
		}
	})
}
