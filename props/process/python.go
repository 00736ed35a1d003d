package process

import (
	"cmp"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Client is the text of gamma.py, the protocol's client in Python.
//
//go:embed gamma.py
var Client string

// PythonEnv is the variable that says which Python runs files; python3 if it is not set.
const PythonEnv = "GAMMA_PYTHON"

// clientDir returns a directory that holds gamma.py. Processes share it, since nothing says when the last of them ends.
var clientDir = sync.OnceValues(func() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	dir = filepath.Join(dir, "gamma", "python")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	name := filepath.Join(dir, "gamma.py")
	if is, err := os.ReadFile(name); err == nil && string(is) == Client {
		return dir, nil
	}
	f, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(Client)
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name) // whole, or not there
	}
	return dir, err
})

// Python is Start for a file of kernels in Python, which imports gamma. python3 runs it, or what the variable GAMMA_PYTHON names.
func Python(t TB, file string) *Process {
	t.Helper()
	p := New(func() *exec.Cmd {
		cmd := exec.Command(cmp.Or(os.Getenv(PythonEnv), "python3"), "-m", "gamma", file)
		dir, err := clientDir()
		if err != nil {
			cmd.Err = err
			return cmd
		}
		if more := os.Getenv("PYTHONPATH"); more != "" {
			dir += string(os.PathListSeparator) + more
		}
		cmd.Env = append(cmd.Environ(), "PYTHONPATH="+dir)
		return cmd
	})
	t.Cleanup(p.Close)
	return p
}
