package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTestsAreCounted: of a folder's tests those count that judge, in a file which imports Gamma, and that are chosen.
func TestTestsAreCounted(t *testing.T) {
	chosen := func(test string) bool { return test != "TestB" }
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("one_test.go", "package p\n\nimport (\n\t\"testing\"\n\n\tg \"gamma/props\"\n)\n\nfunc TestA(t *testing.T) { a.Check(t) }\nfunc TestB(t *testing.T) { b.Check(t) }\nfunc TestNothing(t *testing.T) {}\nfunc TestMain(m *testing.M) {}\nfunc FuzzA(f *testing.F) {}\n")
	write("two_test.go", "package p\n\nimport \"gamma/props/device\"\n\nfunc TestC(t *testing.T) {\n\tfor _, k := range kernels {\n\t\tt.Run(k.Name, k.Check)\n\t}\n}\n")
	write("other_test.go", "package p\n\nimport \"testing\"\n\nfunc TestD(t *testing.T) { a.Check(t) }\n")
	write("code.go", "package p\n\nimport \"gamma/props\"\n\nfunc TestE() { a.Check(t) }\n")
	require.Equal(t, 2, testsIn(dir, chosen))
	require.Zero(t, testsIn(filepath.Join(dir, "absent"), chosen))
}
