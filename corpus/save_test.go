package corpus

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

func saved(kernel string, x ...float32) *Case {
	return &Case{Law: model.SumEnclosure, Kernel: kernel, Expect: ExpectHolds, X: Float32s(x)}
}

// listing returns the files below dir with their text.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		all[filepath.ToSlash(rel)] = string(text)
		return err
	}))
	return all
}

// TestFileName shows names, and what counts in them.
func TestFileName(t *testing.T) {
	name := func(c *Case) string {
		s, err := FileName(c)
		require.NoError(t, err)
		return s
	}
	c := saved("shaders/Sum.metal#tree", 1)
	first := name(c)
	require.Regexp(t, `^sum\.enclosure-shaders-sum-metal-tree-[0-9a-f]{8}\.case$`, first)
	c.Comments, c.Expect, c.Want, c.Gen = []string{"seen again"}, ExpectViolated, "0x1p+0", "const value=0x1p+0"
	require.Equal(t, first, name(c))
	for _, v := range []struct {
		what   string
		change func()
	}{
		{"kernel of the same slug", func() { c.Kernel = "shaders/sum.metal/tree" }},
		{"value", func() { c.X.F32[0] = 2 }},
		{"seed", func() { c.Seed = 1 }},
		{"length", func() { c.X, c.Want = Float32s([]float32{2, 0}), "" }},
		{"rows", func() { c.Rows = 2 }},
		{"tree", func() { c.Tree = "left/1" }},
		{"y", func() { c.Y = Float32s([]float32{0, 0}) }},
		{"launch", func() { c.Launch = model.Launch1D(1, 1) }},
		{"behaviour", func() { c.Behaviour.Poison = true }},
		{"format", func() { c.X, c.Y = Float64s([]float64{2, 0}), Float64s([]float64{0, 0}) }},
	} {
		before := name(c)
		v.change()
		require.NotEqual(t, before, name(c), v.what)
	}
	require.Regexp(t, `^a\.b--[0-9a-f]{8}\.case$`, name(&Case{Law: "a.b", Kernel: "../…", X: Float32s(nil)}))
	require.Less(t, len(name(&Case{Law: "a.b", Kernel: strings.Repeat("long.", 1000), X: Float32s(nil)})), 90)
}

// TestSave saves a case, saves it again in other words, and finds it.
func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "testdata", "gamma")
	c := saved("k", 1, 0, 3)
	file, err := Save(dir, c, Options{})
	require.NoError(t, err)
	name, err := FileName(c)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "sum.enclosure", name), file)

	// The author marks it as known, with a comment and in a form of his own: his file stays.
	mine := "gamma case v1\n# known since May\n\nkernel k\nlaw sum.enclosure\nexpect violated\nn 3\nx 2 0x3p0\nx 0 0x1p0\n"
	require.NoError(t, os.WriteFile(file, []byte(mine), 0o666))
	c.Comments = []string{"found again"}
	again, err := Save(dir, c, Options{})
	require.NoError(t, err)
	require.Equal(t, file, again)
	require.Equal(t, map[string]string{"sum.enclosure/" + name: mine}, listing(t, dir))

	files, errs := Load[*Case](os.DirFS(dir), Options{})
	require.Empty(t, errs)
	require.Len(t, files, 1)
	require.Equal(t, "sum.enclosure/"+name, files[0].Path)
	require.Equal(t, ExpectViolated, files[0].Body.Expect)
	require.True(t, files[0].Body.X.Equal(c.X))

	// A broken file of that name is not touched, and the case is saved all the same.
	require.NoError(t, os.WriteFile(file, []byte("gamma case v1\nlaw"), 0o666))
	second, err := Save(dir, c, Options{})
	require.NoError(t, err)
	require.Equal(t, strings.TrimSuffix(file, ".case")+"-2.case", second)
	third, err := Save(dir, c, Options{})
	require.NoError(t, err)
	require.Equal(t, second, third)
	files, errs = Load[*Case](os.DirFS(dir), Options{})
	require.Len(t, files, 1)
	require.Len(t, errs, 1)
	require.ErrorContains(t, errs[0], "sum.enclosure/"+name+":2:4: the last line has no newline")
}

// TestSaveBeside saves a case whose name is taken by another case: both stay.
func TestSaveBeside(t *testing.T) {
	dir := t.TempDir()
	file, err := Save(dir, saved("k", 1), Options{})
	require.NoError(t, err)
	other, err := Format(saved("k", 2), Options{})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, other, 0o666))
	second, err := Save(dir, saved("k", 1), Options{})
	require.NoError(t, err)
	require.NotEqual(t, file, second)
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(other), string(kept))
}

// TestSaveErrors lists what keeps a case from being saved; nothing is left over.
func TestSaveErrors(t *testing.T) {
	dir := t.TempDir()
	_, err := Save(dir, saved("", 1), Options{})
	require.ErrorContains(t, err, "kernel: it is empty")
	require.Empty(t, listing(t, dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sum.enclosure"), nil, 0o666))
	_, err = Save(dir, saved("k", 1), Options{})
	require.ErrorContains(t, err, "the directory for the case cannot be made")

	dir = t.TempDir()
	c := saved("k", 1)
	name, err := FileName(c)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sum.enclosure", name), 0o777))
	_, err = Save(dir, c, Options{})
	require.ErrorContains(t, err, "the case cannot be saved")
	require.Empty(t, listing(t, dir))
}

// TestSaveAtOnce lets many goroutines save the same cases: each file is there once and whole.
func TestSaveAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 5 {
				c := saved("k", float32(i))
				c.Comments = []string{strings.Repeat("goroutine ", g)}
				if _, err := Save(dir, c, Options{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Len(t, listing(t, dir), 5)
	files, errs := Load[*Case](os.DirFS(dir), Options{})
	require.Empty(t, errs)
	require.Len(t, files, 5)
}

// TestWriteKeeps lets a file appear between the look and the write: it stays.
func TestWriteKeeps(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.case")
	require.NoError(t, os.WriteFile(file, []byte("theirs"), 0o666))
	require.ErrorIs(t, write(file, []byte("mine"), false), fs.ErrExist)
	require.Equal(t, map[string]string{"a.case": "theirs"}, listing(t, dir))
}

// TestWriteFile replaces a file.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "running.case")
	require.NoError(t, WriteFile(file, []byte("one")))
	require.NoError(t, WriteFile(file, []byte("two")))
	require.Equal(t, map[string]string{"running.case": "two"}, listing(t, dir))
	require.ErrorContains(t, WriteFile(filepath.Join(dir, "none", "x"), nil), "corpus: ")
	require.ErrorContains(t, WriteFile(dir, []byte("three")), "it is a folder")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(file, link); err != nil {
		t.Skipf("the file system has no links: %v", err)
	}
	require.NoError(t, WriteFile(link, []byte("four")))
	require.Equal(t, map[string]string{"running.case": "four"}, listing(t, dir))
}

// TestWritePipe: what is no regular file is written, and stays what it is.
func TestWritePipe(t *testing.T) {
	mkfifo, err := exec.LookPath("mkfifo")
	if err != nil {
		t.Skipf("no mkfifo here: %v", err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, exec.Command(mkfifo, pipe).Run())
	read := make(chan string)
	go func() {
		text, _ := os.ReadFile(pipe)
		read <- string(text)
	}()
	require.NoError(t, WriteFile(pipe, []byte("x")))
	info, err := os.Stat(pipe)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&fs.ModeNamedPipe, "it was replaced by a file")
	require.Equal(t, "x", <-read)
}

// TestLoad reads good files beside bad ones.
func TestLoad(t *testing.T) {
	c := saved("k", 1, 2)
	text, err := Format(c, Options{})
	require.NoError(t, err)
	name, err := FileName(c)
	require.NoError(t, err)
	cut := string(text[:strings.LastIndex(strings.TrimSpace(string(text)), "\n")+1])
	files, errs := Load[*Case](fstest.MapFS{
		"b/" + name:           {Data: text},
		"a.case":              {Data: text},
		"c/any-name.case":     {Data: []byte(cut)},
		"notes.txt":           {Data: []byte("not a case")},
		"d/" + name:           {Data: []byte(cut)},
		"e.case":              {Data: []byte("gamma case v1\nlaw a.b\nkernel k\nn 1\nx 7 0x1p0\n")},
		"link.case":           {Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink},
		"pipe.case":           {Mode: fs.ModeNamedPipe},
		"dir.case/inner.case": {Data: text},
	}, Options{})
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	require.Equal(t, []string{"a.case", "b/" + name, "c/any-name.case", "dir.case/inner.case"}, paths)
	require.Len(t, errs, 4)
	require.ErrorContains(t, errs[0], "d/"+name+":1:1: the name says "+name[len(name)-13:len(name)-5]+" and the content is ")
	require.ErrorContains(t, errs[0], "the file is cut off, or was edited; complete it, or rename it to sum.enclosure-k-")
	require.ErrorContains(t, errs[1], "e.case:5:5: x 7 lies outside the 1 elements")
	require.ErrorContains(t, errs[2], "link.case: it is not a regular file")
	require.ErrorContains(t, errs[3], "pipe.case: it is not a regular file")

	files, errs = Load[*Case](os.DirFS(filepath.Join(t.TempDir(), "none")), Options{})
	require.Empty(t, files)
	require.Empty(t, errs)
}

// TestLoadHuge refuses a file by its size, before it is read.
func TestLoadHuge(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "huge.case"))
	require.NoError(t, err)
	require.NoError(t, f.Truncate(MaxFileBytes+1))
	require.NoError(t, f.Close())
	_, errs := Load[*Case](os.DirFS(dir), Options{})
	require.Len(t, errs, 1)
	require.ErrorContains(t, errs[0], "huge.case: it has 134217729 bytes, more than 134217728")
}
