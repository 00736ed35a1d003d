package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// preceded returns a file with others as the calls before its own.
func preceded(text string, others ...string) string {
	first, rest, _ := strings.Cut(text, "\n")
	lines := []string{first}
	for _, o := range others {
		for line := range strings.SplitSeq(strings.TrimSuffix(o, "\n"), "\n") {
			lines = append(lines, "before "+line)
		}
	}
	return strings.Join(lines, "\n") + "\n" + rest
}

// TestBefore: a file of each kind keeps calls of each kind, in their order.
func TestBefore(t *testing.T) {
	for name, text := range oneOfEach {
		t.Run(name, func(t *testing.T) {
			var others []string
			for _, name := range []string{"a.b/x.arrays", "a.b/x.case", "a.b/x.cases", "a.b/x.integers", "a.b/x.residues"} {
				others = append(others, oneOfEach[name])
			}
			b, err := Parse[Body]([]byte(preceded(text, others...)), Options{})
			require.NoError(t, err)
			require.Len(t, b.Head().Before, len(others))
			for i, o := range others {
				want, err := Parse[Body]([]byte(o), Options{})
				require.NoError(t, err)
				require.Equal(t, want, b.Head().Before[i])
			}
			whole, err := Format(b, Options{})
			require.NoError(t, err)
			again, err := Parse[Body](whole, Options{})
			require.NoError(t, err)
			require.Equal(t, b, again)
			canonical, err := Canonical(whole)
			require.NoError(t, err)
			require.Equal(t, string(whole), string(canonical))
			for n := range whole { // cut off anywhere it is another file, or none
				if _, err := Parse[Body](whole[:n], Options{}); err != nil {
					require.NotContains(t, err.Error(), "panic")
				}
			}

			// What comes before counts in the name, its comments do not.
			names := map[string]bool{}
			for _, others := range [][]string{nil, others[:1], others[1:2], others[:2], {others[1], others[0]}, {strings.Replace(others[2], "0x1p0", "0x1p1", 1)}, others[2:3]} {
				b, err := Parse[Body]([]byte(preceded(text, others...)), Options{})
				require.NoError(t, err)
				name, err := FileName(b)
				require.NoError(t, err)
				names[name] = true
				if len(others) > 0 {
					b.Head().Before[0].SetHead(func(h Header) Header { h.Comments = []string{"Another."}; return h }(b.Head().Before[0].Head()))
					again, err := FileName(b)
					require.NoError(t, err)
					require.Equal(t, name, again)
				}
			}
			require.Len(t, names, 7)
		})
	}
}

// TestBeforeErrors: errors name the line of the file, and the column in it.
func TestBeforeErrors(t *testing.T) {
	text := oneOfEach["a.b/x.integers"]
	for name, tt := range map[string]struct{ text, want string }{
		"no first line":  {preceded(text, "law a.b\n"), `case:2:8: before begins with the first line of a case file, such as "gamma case v1"`},
		"no kind":        {preceded(text, "gamma sums v1\n"), `case:2:8: before: the file is not a case file: its first line must be "gamma case v1" or`},
		"a wrong line":   {preceded(text, "gamma integers v1\nlaw a.b\nkernel k\nbits 999\nn 1\n"), `case:5:13: before: bits: "999" lies outside 8 to 64`},
		"cut off":        {preceded(text, "gamma integers v1\nlaw a.b\nkernel k\n"), `before: there is no line "bits" before this one`},
		"another kernel": {preceded(text, strings.Replace(text, "kernel k", "kernel l", 1)), `case:2:8: before: the call is of "l", and the file of "k"; all are of one kernel`},
		"one in another": {preceded(text, preceded(text, text)), `case:2:8: before: a call that comes before lists none itself; list all of them in the file`},
		"too many":       {preceded(text, strings.Split(strings.TrimSuffix(strings.Repeat(text+"\x00", MaxBefore+1), "\x00"), "\x00")...), "there are more than 64 calls before the file's own"},
		"after a row":    {oneOfEach["a.b/x.cases"] + "before gamma cases v1\n", `no key is called "before"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse[Body]([]byte(tt.text), Options{})
			require.ErrorContains(t, err, tt.want)
		})
	}
	b, err := Parse[*Integers]([]byte(text), Options{})
	require.NoError(t, err)
	other := *b
	other.Kernel = "l"
	b.Before = []Body{&other}
	_, err = Format(b, Options{})
	require.ErrorContains(t, err, `before: the call is of "l"`)
	b.Before = make([]Body, MaxBefore+1)
	_, err = Format(b, Options{})
	require.ErrorContains(t, err, "it lists too many calls before its own")
}

// TestBeforeApart: rows after other calls get a file of their own.
func TestBeforeApart(t *testing.T) {
	dir := t.TempDir()
	text := oneOfEach["a.b/x.cases"]
	var files []string
	for _, s := range []string{text, preceded(text, text), preceded(strings.Replace(text, "row 0x1p0", "row 0x1p3", 1), text)} {
		b, err := Parse[Body]([]byte(s), Options{})
		require.NoError(t, err)
		file, err := Save(dir, b, Options{})
		require.NoError(t, err)
		files = append(files, file)
	}
	require.NotEqual(t, files[0], files[1])
	require.Equal(t, files[1], files[2], "two rows after the same calls")
}

// TestSaveFor: what is taken back leaves the directory as it was.
func TestSaveFor(t *testing.T) {
	dir := t.TempDir()
	read := func() map[string]string {
		files := map[string]string{}
		list, err := filepath.Glob(filepath.Join(dir, "*", "*"))
		require.NoError(t, err)
		for _, f := range list {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			files[f] = string(text)
		}
		return files
	}
	save := func(text string) func() error {
		b, err := Parse[Body]([]byte(text), Options{})
		require.NoError(t, err)
		_, undo, err := SaveFor(dir, b, Options{})
		require.NoError(t, err)
		return undo
	}
	rows := oneOfEach["a.b/x.cases"]
	for _, text := range []string{oneOfEach["a.b/x.case"], rows, strings.Replace(rows, "row 0x1p0", "row 0x1p3", 1), rows, oneOfEach["a.b/x.case"]} {
		before := read()
		undo := save(text)
		require.NoError(t, undo())
		require.Equal(t, before, read())
		save(text)
	}
	require.Len(t, read(), 2)
}

// TestSaveForBeside: rows that another process has added to the file stay when those of one are taken back, and all that save at once are there.
func TestSaveForBeside(t *testing.T) {
	dir := t.TempDir()
	save := func(row string) (file string, undo func() error) {
		b, err := Parse[Body]([]byte(strings.Replace(oneOfEach["a.b/x.cases"], "row 0x1p0", "row "+row, 1)), Options{})
		require.NoError(t, err)
		file, undo, err = SaveFor(dir, b, Options{})
		require.NoError(t, err)
		return file, undo
	}
	rows := func(file string) int {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.Count(string(text), "\nrow ")
	}
	file, first := save("0x1p1")
	_, second := save("0x1p2")
	_, third := save("0x1p3")
	require.NoError(t, first()) // that made the file
	require.Equal(t, 2, rows(file))
	require.NoError(t, second())
	require.Equal(t, 1, rows(file))
	require.NoError(t, third())
	require.NoFileExists(t, file)

	var all sync.WaitGroup
	undos := make([]func() error, 16)
	for i := range undos {
		all.Go(func() { _, undos[i] = save(fmt.Sprintf("0x1p%d", i)) })
	}
	all.Wait()
	require.Equal(t, len(undos), rows(file))
	for _, undo := range undos[1:] {
		all.Go(func() { _ = undo() })
	}
	all.Wait()
	require.Equal(t, 1, rows(file))
}
