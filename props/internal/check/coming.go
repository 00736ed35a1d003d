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

// judging is how many test functions of this folder's sources judge: those that -run and -skip choose in files that import a package of Gamma, and that name Check or CheckAll.
// It is 0 where the sources are not at hand, as beside a test binary that was built elsewhere.
var judging = sync.OnceValue(func() int { return testsIn(".", chosen) })

var (
	importsGamma = regexp.MustCompile(`(?m)^\s*(?:import )?(?:\w+ )?"gamma/`)
	function     = regexp.MustCompile(`(?m)^func `)
	testFunction = regexp.MustCompile(`^(Test\w+)\(`)
	judges       = regexp.MustCompile(`\.Check(All)?\b`)
)

// testsIn counts the chosen tests of a folder.
func testsIn(dir string, chosen func(test string) bool) (n int) {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !importsGamma.Match(text) {
			continue
		}
		for _, code := range function.Split(string(text), -1)[1:] {
			if m := testFunction.FindStringSubmatch(code); m != nil && judges.MatchString(code) && chosen(m[1]) {
				n++
			}
		}
	}
	return n
}
