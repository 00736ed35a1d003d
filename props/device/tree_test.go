package device

import (
	"os"
	"testing"
)

// FromTree reads a file of the source tree, by its name from this folder. It skips a test whose binary runs where there is no tree.
func FromTree(t *testing.T, name string) ([]byte, error) {
	t.Helper()
	if _, err := os.Stat("../../go.mod"); err != nil {
		t.Skipf("no source tree here: the test compares what it found with %s", name)
	}
	return os.ReadFile(name)
}
