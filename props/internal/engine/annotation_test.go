package engine

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAnnotation: where GitHub runs the test, a failure has a line for it, with the case's path from the repository's root.
func TestAnnotation(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GITHUB_ACTIONS", "")
	f := &Violation{Subject: "mine.Sum:2,b", File: "testdata/gamma/sum.tree/a.case:7"}
	const text = "mine.Sum violates sum.tree: 100% wrong.\nIt is.\n\nlaw ..."
	require.Empty(t, annotation(f, text))
	t.Setenv("GITHUB_ACTIONS", "true")
	t.Setenv("GITHUB_WORKSPACE", filepath.Dir(dir))
	want := "::error file=" + filepath.Base(dir) + "/testdata/gamma/sum.tree/a.case,title=gamma%3A mine.Sum%3A2%2Cb::mine.Sum violates sum.tree: 100%25 wrong.%0AIt is."
	require.Equal(t, want, annotation(f, text))
	f.File = ""
	require.Equal(t, "::error title=gamma%3A mine.Sum%3A2%2Cb::mine.Sum violates sum.tree: 100%25 wrong.%0AIt is.", annotation(f, text))
}
