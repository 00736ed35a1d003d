package foreign_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lines returns how many lines of a file say something.
func lines(t *testing.T, file string) (n int) {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(b)) {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// TestUser: what a user writes for a kernel in C has at most twelve lines, passes where the kernel is right, and reports one that is not.
func TestUser(t *testing.T) {
	require.LessOrEqual(t, lines(t, "testdata/user/mine_test.go"), 12)
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skipf("no gcc here to compile testdata/user/src/mine.c: %v", err)
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("no go command here to compile testdata/user: %v", err)
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "mine.test")
	out, err := exec.Command(goCommand, "test", "-c", "-o", binary, "./testdata/user").CombinedOutput()
	require.NoError(t, err, "%s", out)
	source, err := os.ReadFile("testdata/user/src/mine.c")
	require.NoError(t, err)
	for what, c := range map[string]string{
		"right": string(source),
		"wrong": strings.Replace(string(source), "i = 0", "i = 1", 1),
	} {
		t.Run(what, func(t *testing.T) {
			file := filepath.Join(dir, what+".c")
			require.NoError(t, os.WriteFile(file, []byte(c), 0o600))
			out, err := exec.Command(gcc, "-O2", "-shared", "-fPIC", "-o", filepath.Join(dir, "libmine.so"), file).CombinedOutput()
			require.NoError(t, err, "%s", out)
			cmd := exec.Command(binary)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GAMMA_CHECKS=200", "GAMMA_BUDGET=500ms", "GAMMA_DIR="+dir)
			out, err = cmd.CombinedOutput()
			if what == "right" {
				require.NoError(t, err, "%s", out)
				return
			}
			require.Error(t, err)
			require.Contains(t, string(out), "mine.my_sum violates sum.enclosure")
			require.Contains(t, string(out), "The result is what the sum without x[0] gives")
		})
	}
}
