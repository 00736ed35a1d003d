package check

import (
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"gamma/props/internal/engine"
)

// announces returns what tells the engine how many searches a test begins.
func announces(t *testing.T) func(n int) {
	return func(n int) { engine.Announce(t.Name(), n, judging()) }
}

// judging is how many test functions of this folder's sources may judge: those that -run and -skip choose in files that import a package of Gamma. It is 0 where the
// sources are not at hand, as beside a test binary that was built elsewhere.
var judging = sync.OnceValue(func() int { return testsIn(".", chosen) })

var (
	importsGamma = regexp.MustCompile(`(?m)^\s*(?:import )?(?:\w+ )?"gamma/`)
	testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// testsIn counts the chosen tests of a folder.
func testsIn(dir string, chosen func(test string) bool) (n int) {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !importsGamma.Match(text) {
			continue
		}
		for _, m := range testFunction.FindAllSubmatch(text, -1) {
			if name := string(m[1]); name != "TestMain" && chosen(name) {
				n++
			}
		}
	}
	return n
}
