package opencl_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/opencl"
)

// opening is set for the process that only opens the device.
const opening = "GAMMA_TEST_OPENCL_OPENS"

// TestOpens opens the device and logs the error if there is one.
func TestOpens(t *testing.T) {
	if os.Getenv(opening) == "" {
		t.Skip("TestWithoutLinker runs it in a process without PATH")
	}
	d, err := opencl.Open(opencl.Options{})
	if err != nil {
		t.Logf("no device: %v", err)
		return
	}
	d.Release()
	t.Log("a device")
}

// TestWithoutLinker: a program for which PoCL finds no linker gets an error that names it, and goes on.
func TestWithoutLinker(t *testing.T) {
	open(t, opencl.Options{})
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "-test.run=^TestOpens$", "-test.v")
	dir := t.TempDir() // PoCL finds nothing there that it has compiled before
	cmd.Env = []string{opening + "=1", "HOME=" + dir, "TMPDIR=" + dir, "POCL_CACHE_DIR=" + dir, "PATH=" + dir}
	for _, name := range []string{"GAMMA_OPENCL_PATH", "LD_LIBRARY_PATH", "OCL_ICD_VENDORS"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	require.Regexp(t, `(?s)no device: opencl: .* by the program ld, which is not in PATH|a device`, string(text))
	require.Contains(t, string(text), "--- PASS: TestOpens")
}
