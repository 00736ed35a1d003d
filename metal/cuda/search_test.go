package cuda

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeLoader opens files whose first byte is L, and finds the symbols that follow.
type fakeLoader struct{ opened []string }

func (l *fakeLoader) Open(path string) (uintptr, error) {
	l.opened = append(l.opened, path)
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	if len(b) == 0 || b[0] != 'L' {
		return 0, errors.New("invalid ELF header\nsecond line")
	}
	return 1, nil
}

func (l *fakeLoader) Symbol(uintptr, string) (uintptr, error) {
	return 0, errors.New("undefined symbol")
}

func (l *fakeLoader) Close(uintptr) {}

// TestSearch looks in the override first, passes over wrong files, and names everything when nothing is right.
func TestSearch(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		p := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
		return p
	}
	first := file("a/lib64/libnvrtc.so.12", "no library")
	second := file("b/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "L")
	versioned := file("c/libnvrtc.so.11.8.89", "L")
	python := file("py/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13", "L")
	file("py/bin/python3", "")
	env := map[string]string{}
	s := surroundings{env: func(k string) string { return env[k] }, usual: []string{filepath.Join(dir, "c*")}, python: filepath.Join(dir, "py/bin/python3")}

	look := func() (string, *fakeLoader, error) {
		l, got := &fakeLoader{}, ""
		w := s.compiler()
		w.Names, w.Bundled = []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}, []string{"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"}
		err := w.Find(l, func(_ uintptr, path string) error { got = path; return nil })
		return got, l, err
	}
	got, _, err := look()
	require.NoError(t, err)
	require.Equal(t, versioned, got)
	s.usual = nil
	got, _, err = look()
	require.NoError(t, err)
	require.Equal(t, python, got)
	env[PathVariable] = filepath.Join(dir, "a") + string(filepath.ListSeparator) + filepath.Join(dir, "b")
	got, l, err := look()
	require.NoError(t, err)
	require.Equal(t, second, got)
	require.Equal(t, []string{first, second}, l.opened)
	env[PathVariable] = second
	got, _, err = look()
	require.NoError(t, err)
	require.Equal(t, second, got)

	env[PathVariable], s.python = filepath.Join(dir, "a"), ""
	_, _, err = look()
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "nvrtc", e.Library)
	require.ErrorContains(t, err, first+": invalid ELF header")
	require.ErrorContains(t, err, PathVariable)
	require.NotContains(t, err.Error(), "second line")
}
