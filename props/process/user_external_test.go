package process_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/props/process"
)

// lines returns how many lines of a text say something.
func lines(text string) (n int) {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// TestUser: what a user writes for a kernel in Python has at most 25 lines, its test among them, passes where the kernel is right, and reports one that
// is not. The client has at most 60.
func TestUser(t *testing.T) {
	python, err := os.ReadFile("testdata/user/kernels.py")
	require.NoError(t, err)
	test, err := os.ReadFile("testdata/user/kernels_test.go")
	require.NoError(t, err)
	require.LessOrEqual(t, lines(string(python))+lines(string(test)), 25)
	require.LessOrEqual(t, strings.Count(process.Client, "\n"), 60)

	path, why := numpy()
	if path == "" {
		t.Skipf("no Python with NumPy here; apt-get install python3-numpy, or set GAMMA_PYTHON to one (%s)", why)
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("no go command here to compile testdata/user: %v", err)
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "kernels.test")
	out, err := exec.Command(goCommand, "test", "-c", "-o", binary, "./testdata/user").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for what, text := range map[string]string{
		"right": string(python),
		"wrong": strings.Replace(string(python), " - x.max()", "", 1),
	} {
		t.Run(what, func(t *testing.T) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "kernels.py"), []byte(text), 0o600))
			cmd := exec.Command(binary)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GAMMA_PYTHON="+path, "GAMMA_CHECKS=200", "GAMMA_BUDGET=500ms", "GAMMA_DIR="+dir)
			out, err := cmd.CombinedOutput()
			if what == "right" {
				require.NoError(t, err, "%s", out)
				return
			}
			require.Error(t, err)
			require.Contains(t, string(out), "kernels.softmax violates formula.enclosure")
			require.Contains(t, string(out), "is NaN")
		})
	}
}
