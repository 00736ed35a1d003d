package props

import (
	"fmt"
	"os"
	"testing"

	"gamma/props/internal/check"
	"gamma/props/internal/engine"
)

// CheckAll is Check for several subjects in one test, as many at a time as Go has processors, with a line of each as it ends:
//
//	kernels.SumKahan   9 laws   12345 cases  error/bound 0.512   0.42 s
//
// A subject is what a subtest is: -run 'TestPropSum/^kernels.SumKahan$' chooses it. Laws one by one are in the summary, whose name the last line gives.
func CheckAll[S Subject](t *testing.T, subjects ...S) {
	t.Helper()
	check.CheckAll(t, openers(subjects)...)
}

// Main runs the tests of a package, prints a table of what was judged, and returns the exit status, for a TestMain. With -gamma.shard it says in the
// shard's file that the tests have ended, and returns 2 where results could not be written:
//
//	func TestMain(m *testing.M) { os.Exit(props.Main(m)) }
func Main(m *testing.M) int {
	code := m.Run()
	fmt.Print(engine.Table())
	if err := engine.EndShards(code); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 2) // results are lost, and not only a test: a job that starts shards again does so
	}
	return code
}

// openers returns what makes subjects ready.
func openers[S Subject](subjects []S) []engine.Opener {
	list := make([]engine.Opener, len(subjects))
	for i, s := range subjects {
		list[i] = s.Judged
	}
	return list
}

// FuzzAll is Fuzz for several subjects in one target: the first byte of an input chooses one.
func FuzzAll[S Subject](f *testing.F, subjects ...S) {
	f.Helper()
	check.FuzzAll(f, openers(subjects)...)
}
