package merge_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/merge"
)

// laws of the runs below, and the blocks of each.
var laws = []model.LawID{"sum.a", "sum.b", "sum.c"}

const blocks = 20

// write writes the files of n shards of a run below a folder, and returns them.
func write(t testing.TB, dir string, n, blocks int) (files []string) {
	t.Helper()
	return writeSubjects(t, dir, n, blocks, "k")
}

// writeSubjects writes the files of n shards of a run that judges all laws on some subjects.
func writeSubjects(t testing.TB, dir string, n, blocks int, subjects ...string) (files []string) {
	t.Helper()
	for i := range n {
		part := engine.Part{I: i + 1, Of: n}
		l, err := engine.OpenLedger(dir, "p.test", "checks=1", part)
		require.NoError(t, err)
		files = append(files, l.Name())
		for _, subject := range subjects {
			for _, id := range laws {
				w := engine.Work{Where: engine.Where{Test: "TestPropSum/" + subject, Device: "cpu", Subject: subject, Law: id}, Of: blocks, Op: "sum", Seed: "1"}
				if err := l.Plan(w); err != nil {
					t.Fatal(err)
				}
				for k := range blocks {
					if !part.Has(w.Hash(), k) {
						continue
					}
					if err := l.Add(block(subject, id, k)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		require.NoError(t, l.End(0))
	}
	return files
}

// block returns block k of a law of a subject.
func block(subject string, id model.LawID, k int) *engine.Block {
	b := &engine.Block{Test: "TestPropSum/" + subject, Device: "cpu", Number: k, Seed: uint64(k)}
	b.LawStats = &engine.LawStats{
		Law: id, Subject: subject, Cases: 2000, Holds: 1900 + k%7, Vacuous: 100 - k%7, MaxRatio: float64(k%13) / 16, MaxBound: fmt.Sprint("bound", k%3), MaxFamily: "f", MaxN: k % 5,
		Decided: map[string]int{"bound0": 1000, "bound1": 900}, Reasons: map[string]int{"overflow": 100 - k%7}, Seconds: float64(k),
	}
	b.Profile = &engine.Profile{Unit: "u·Σ|x|", Spread: []int{1, 0, 900, 999 + k%7}, Bands: []engine.Band{
		{N: 8, Cases: 900, Ratio: 0.25, Error: 0.5, At: 11, Limits: map[string]engine.Drawn{"bound0": 2, "bound1": 3}},
		{N: 16, Cases: 1000 + k%7, Ratio: engine.Drawn(k%13) / 16, Error: 1.5, At: 17 + k%13, Limits: map[string]engine.Drawn{"bound0": 4, "bound1": 5}},
	}}
	b.Measure("{n lane} met, error {x} of {x}", []int{k}, float64(k%5)/4, 1/float64(1+k))
	return b
}

// text returns what a result says.
func text(t *testing.T, r *merge.Result) string {
	t.Helper()
	require.Empty(t, r.Problems)
	var b strings.Builder
	for _, s := range r.Subjects {
		for _, l := range s.Laws {
			l.Seconds = 0
			line, err := s.MergedLine(l, r.Failures[l])
			require.NoError(t, err)
			b.Write(append(line, '\n'))
		}
	}
	return b.String()
}

// The result is the same whatever the number of shards is, in which order they are read, and how often.
func TestMergeIsOneRun(t *testing.T) {
	want := text(t, merge.Read(write(t, t.TempDir(), 1, blocks)))
	require.Contains(t, want, `"law":"sum.a","subject":"k","cases":40000,"holds":38057,"vacuous":1943,`)
	require.Contains(t, want, `"measures":[{"text":"{n lane} met, error {x} of {x}","sums":[190],"tops":[1,1]}]`)
	require.Contains(t, want, `"remarks":["190 lanes met, error 1 of 1"]`)
	require.Contains(t, want, `"max_ratio":0.75,"max_bound":"bound0","max_family":"f","max_n":2,`)
	for _, n := range []int{2, 3, 16} {
		files := write(t, t.TempDir(), n, blocks)
		require.Equal(t, want, text(t, merge.Read(files)), "%d shards", n)
		turned := append([]string{}, files[1:]...)
		r := merge.Read(append(append(turned, files[0]), files...))
		require.Equal(t, want, text(t, r), "each file twice")
		require.Len(t, r.Notes, n)
		require.Contains(t, r.Notes[0], "is there twice; the other file is ")
	}
}

// What blocks say of the default math mode is in the lines of the merged run, as one run has it.
func TestMergeOfDefaultModes(t *testing.T) {
	var want string
	for _, n := range []int{1, 3} {
		files := write(t, t.TempDir(), n, blocks)
		for _, name := range files {
			old, err := os.ReadFile(name)
			require.NoError(t, err)
			for law, says := range map[string]string{"sum.a": `{"judged":7,"unit":"case"}`, "sum.b": `{"judged":2,"unit":"case","fails":"it is off"}`} {
				old = bytes.Replace(old, []byte(`"block":0,"seed":0,"law":"`+law+`","subject":"k",`), []byte(`"block":0,"seed":0,"law":"`+law+`","subject":"k","default":`+says+`,`), 1)
			}
			require.NoError(t, os.WriteFile(name, old, 0o644))
		}
		lines := text(t, merge.Read(files))
		require.Equal(t, len(laws), strings.Count(lines, `"default_mode":"in fast, Metal's default, sum.b fails: it is off"`), lines)
		if want == "" {
			want = lines
		}
		require.Equal(t, want, lines)
	}
}

// Lines of an older version have their numbers in sentences: each is said, and once.
func TestMergeOlderLines(t *testing.T) {
	files := write(t, t.TempDir(), 2, blocks)
	for _, name := range files {
		old, err := os.ReadFile(name)
		require.NoError(t, err)
		old = regexp.MustCompile(`"measures":\[\{.*?"tops":[^\]]*\]\}\]`).ReplaceAll(old, []byte(`"remarks":["5 elements judged by their enclosures"]`))
		require.NoError(t, os.WriteFile(name, old, 0o644))
	}
	require.Equal(t, len(laws), strings.Count(text(t, merge.Read(files)), `"remarks":["5 elements judged by their enclosures"]`))
}

// readInMemory merges files, and fails if a number in them takes memory.
func readInMemory(t *testing.T, files []string) *merge.Result {
	t.Helper()
	var began, ended runtime.MemStats
	runtime.ReadMemStats(&began)
	r := merge.Read(files)
	runtime.ReadMemStats(&ended)
	require.Less(t, ended.TotalAlloc-began.TotalAlloc, uint64(64<<20), "a wild number takes memory")
	return r
}

// lineOf returns where the nth line of a text that has some words is, and its number.
func lineOf(text []byte, what string, nth int) (from, to, number int) {
	for range nth {
		from += bytes.Index(text[from:], []byte(what)) + 1
	}
	number = 1 + bytes.Count(text[:from], []byte{'\n'})
	from = 1 + bytes.LastIndexByte(text[:from], '\n')
	return from, from + 1 + bytes.IndexByte(text[from:], '\n'), number
}

// changed merges three files the second of which has been changed, and expects problems, or none and a result.
func changed(t *testing.T, change func(text []byte) []byte, wants []string) {
	t.Helper()
	files := write(t, t.TempDir(), 3, blocks)
	old, err := os.ReadFile(files[1])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(files[1], change(bytes.Clone(old)), 0o644))
	r := readInMemory(t, files)
	all := strings.NewReplacer(files[0], "FIRST", files[1], "FILE", files[2], "THIRD").Replace(strings.Join(r.Problems, "\n"))
	for _, want := range wants {
		require.Contains(t, all, want)
	}
	if wants == nil {
		require.Empty(t, all)
	} else {
		require.Nil(t, r.Subjects, "there is no result")
	}
}

// What files do not have, or have twice, or not as they should, is named with file and line.
func TestMergeNames(t *testing.T) {
	for name, c := range map[string]struct {
		change func(text []byte) []byte // of the second of three files
		want   []string
	}{
		"as it is":          {func(text []byte) []byte { return text }, nil},
		"an empty file":     {func([]byte) []byte { return nil }, []string{"FILE: the file is empty", "shard 2/3 of p.test is missing: no file is of it; 18 blocks are of it missing"}},
		"a torn first line": {func(text []byte) []byte { return text[:20] }, []string{"FILE: 1: the line is torn, and it is the first", "shard 2/3 of p.test is missing"}},
		"no JSON":           {func([]byte) []byte { return []byte("hello\n") }, []string{"FILE: 1: it is no line of a shard", "shard 2/3 of p.test is missing"}},
		"JSON of others":    {func([]byte) []byte { return []byte("{\"law\":\"sum.a\",\"cases\":7}\n") }, []string{"FILE: 1: it is no line of a shard: it has no kind", "shard 2/3 of p.test is missing"}},
		"no first line":     {func(text []byte) []byte { return text[1+bytes.IndexByte(text, '\n'):] }, []string{`FILE: 1: the first line does not say which shard this is, but is a line of kind "work"`}},
		"no shard":          {func(text []byte) []byte { return bytes.Replace(text, []byte(`"2/3"`), []byte(`"2"`), 1) }, []string{`FILE: 1: the shard is "2", and not such as 3/16`}},
		"another number":    {func(text []byte) []byte { return bytes.Replace(text, []byte(`"2/3"`), []byte(`"2/4"`), 1) }, []string{"FILE: 1: it is of another number of shards than FIRST: 2/4, and not 1/3"}},
		"another revision": {func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"revision":"`), []byte(`"revision":"0`), 1)
		}, []string{"FILE: 1: it is of another revision of p.test than FIRST: 0"}},
		"other settings": {func(text []byte) []byte { return bytes.Replace(text, []byte("checks=1"), []byte("checks=2"), 1) }, []string{"FILE: 1: it is of another run of p.test than FIRST: checks=2, and not checks=1"}},
		"another version": {func(text []byte) []byte {
			return bytes.Replace(text, []byte(`{"v":1,"kind":"block"`), []byte(`{"v":2,"kind":"block"`), 1)
		}, []string{"FILE:3: it is of version 2 of the format, and this program reads version 1", "block 2 of sum.a on k on cpu in TestPropSum/k is missing"}},
		"a line of another": {func(text []byte) []byte {
			f, to, _ := lineOf(text, `"block":`, 2)
			return bytes.Replace(text, text[f:to], bytes.Replace(text[f:to], []byte(`"run":"`), []byte(`"run":"x`), 1)[:to-f], 1)
		}, []string{"FILE:4: "}},
		"an unknown kind": {func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"kind":"end"`), []byte(`"kind":"fin"`), 1)
		}, []string{`the line is of kind "fin", which is not known`, "FILE: shard 2/3 of p.test has not ended"}},
		"two files in one": {func(text []byte) []byte { return append(text[:len(text):len(text)], text...) }, []string{"the file has a second first line: two files were put together"}},
		"a torn last line": {func(text []byte) []byte { return text[:len(text)-100] }, []string{"the line is torn: its writer was killed, or its disk was full; start shard 2/3 again, which goes on there", "FILE: shard 2/3 of p.test has not ended"}},
		"killed":           {func(text []byte) []byte { f, _, _ := lineOf(text, `"block":`, 9); return text[:f] }, []string{"FILE: shard 2/3 of p.test has not ended: it was killed, or its package has no TestMain that calls props.Main; 10 blocks are of it missing"}},
		"a torn line inside": {func(text []byte) []byte {
			f, to, _ := lineOf(text, `"block":`, 4)
			return append(text[:f+50:f+50], text[to:]...)
		}, []string{"FILE:6: "}},
		"a missing block": {func(text []byte) []byte {
			f, to, _ := lineOf(text, `"block":`, 4)
			return append(text[:f:f], text[to:]...)
		}, []string{"FILE: its last line says that it has 18 blocks, and it has 17", "FILE: block 11 of sum.a on k on cpu in TestPropSum/k is missing, and the shard has ended: remove the file, and start shard 2/3 again"}},
		"a block that differs": {func(text []byte) []byte {
			f, to, _ := lineOf(text, `"block":`, 4)
			return bytes.Join([][]byte{text[:to], bytes.Replace(text[f:to], []byte(`"cases":2000`), []byte(`"cases":2001`), 1), text[to:]}, nil)
		}, []string{"FILE:7: block 11 of sum.a on k on cpu in TestPropSum/k is there twice, and differs: the other is FILE:6"}},
		"a block twice": {func(text []byte) []byte {
			f, to, _ := lineOf(text, `"block":`, 4)
			return bytes.Join([][]byte{text[:to], bytes.Replace(text[f:to], []byte(`"seconds":`), []byte(`"seconds":1`), 1), text[to:]}, nil)
		}, nil},
		"a negative count": {func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"block":2,"seed":2,"law":"sum.a","subject":"k","cases":2000`), []byte(`"block":2,"seed":2,"law":"sum.a","subject":"k","cases":-2000`), 1)
		}, []string{"the block: cases is -2000", "block 2 of sum.a on k on cpu in TestPropSum/k is missing"}},
		"a wild count": {func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"block":2,"seed":2,"law":"sum.a","subject":"k","cases":2000`), []byte(`"block":2,"seed":2,"law":"sum.a","subject":"k","cases":4611686018427387903`), 1)
		}, []string{"the block: cases is 4611686018427387903"}},
		"a measure without its number": {func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"sums":[2]`), []byte(`"sums":[]`), 1)
		}, []string{`the block: measure "{n lane} met, error {x} of {x}" has 0 and 2 numbers`, "block 2 of sum.a on k on cpu in TestPropSum/k is missing"}},
		"a wild block": {func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"block":2,"seed"`), []byte(`"block":268435455,"seed"`), 1)
		}, []string{"there is no block 268435455 of sum.a on k on cpu in TestPropSum/k, which has 20"}},
		"a wild block of an unknown law": {func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"block":2,"seed":2,"law":"sum.a"`), []byte(`"block":268435456,"seed":2,"law":"sum.unknown"`), 1)
		}, []string{"the number of the block is 268435456"}},
		"a negative block": {func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"block":2,"seed":2,"law":"sum.a"`), []byte(`"block":-1,"seed":2,"law":"sum.unknown"`), 1)
		}, []string{"the number of the block is -1"}},
		"wild work": {func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"of":20`), []byte(`"of":4000000000000000000`), 1)
		}, []string{"the number of blocks is 4000000000000000000"}},
		"negative work": {func(text []byte) []byte { return bytes.ReplaceAll(text, []byte(`"of":20`), []byte(`"of":-20`)) }, []string{"the number of blocks is -20"}},
		"work of an unknown law alone": {func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"law":"sum.a","of":20`), []byte(`"law":"sum.unknown","of":-20`), 1)
		}, []string{"the number of blocks is -20"}},
		"no work": {func(text []byte) []byte { return bytes.ReplaceAll(text, []byte(`"of":20`), []byte(`"of":21`)) }, []string{"sum.a on k on cpu in TestPropSum/k is described otherwise in FIRST:2"}},
	} {
		t.Run(name, func(t *testing.T) {
			changed(t, c.change, c.want)
		})
	}
}

// Modes, and numbers of a profile, that no run has are named, too.
func TestMergeNamesModes(t *testing.T) {
	for name, c := range map[string]struct {
		change func(text []byte) []byte
		want   []string
	}{
		"another math mode": {func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"op":"sum",`), []byte(`"op":"sum","math_mode":"fast",`), 1)
		}, []string{"sum.a on k on cpu in TestPropSum/k is described otherwise in FIRST:2"}},
		"another default mode": {func(text []byte) []byte {
			f, to, _ := lineOf(text, `"block":`, 4)
			return bytes.Join([][]byte{text[:to], bytes.Replace(text[f:to], []byte(`"seconds":`), []byte(`"default":{"judged":5,"unit":"case"},"seconds":`), 1), text[to:]}, nil)
		}, []string{"FILE:7: block 11 of sum.a on k on cpu in TestPropSum/k is there twice, and differs: the other is FILE:6"}},
		"a wild number in the default mode": {func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"seconds":`), []byte(`"default":{"judged":-5},"seconds":`), 1)
		}, []string{"the block: the number of inputs judged in the default mode is -5"}},
		"a spread of more than hold": {func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"spread":[1,0,900`), []byte(`"spread":[1,0,90000`), 1)
		}, []string{"the block: the profile has a spread of 9"}},
	} {
		t.Run(name, func(t *testing.T) { changed(t, c.change, c.want) })
	}
}

// A missing shard, and a folder without shards, are named.
func TestMergeNamesWhatIsMissing(t *testing.T) {
	files := write(t, t.TempDir(), 16, blocks)
	r := merge.Read(append(append([]string{}, files[:4]...), files[5:]...))
	require.Len(t, r.Problems, 1)
	require.Contains(t, r.Problems[0], "shard 5/16 of p.test is missing: no file is of it; ")
	require.NotEmpty(t, merge.Read(nil).Problems)
	dir := t.TempDir()
	_, err := merge.Files([]string{dir})
	require.ErrorContains(t, err, "has no file of a shard: they are called blocks-*.jsonl")
	_, err = merge.Files([]string{filepath.Join(dir, "none")})
	require.ErrorContains(t, err, "no such file")
}

// BenchmarkMerge merges 16 files of 10^6 lines together, of one subject and of 500; with -short 5·10^4, which are written in a moment. What memory a merge takes is told by /usr/bin/time of gamma merge.
func BenchmarkMerge(b *testing.B) {
	lines := 1_000_000
	if testing.Short() {
		lines = 50_000
	}
	for _, n := range []int{1, 500} {
		b.Run(fmt.Sprintf("subjects=%d", n), func(b *testing.B) {
			var subjects []string
			for i := range n {
				subjects = append(subjects, fmt.Sprintf("kernels.Sum%d", i))
			}
			blocks := lines / len(laws) / n
			files := writeSubjects(b, b.TempDir(), 16, blocks, subjects...)
			for b.Loop() {
				if r := merge.Read(files); len(r.Problems) > 0 || r.Blocks != blocks*len(laws)*n {
					b.Fatal(r.Problems)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Seconds())/float64(b.N), "s/merge")
		})
	}
}
