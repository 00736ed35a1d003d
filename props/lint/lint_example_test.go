package lint_test

import (
	"fmt"

	"gamma/props/lint"
)

// In a test of one's own module this is lint.Check(t, lint.Options{}, "./...").
func ExamplePackages() {
	found, err := lint.Packages(lint.Options{Dir: "testdata"}, "./dot")
	if err != nil {
		fmt.Println(err)
	}
	for _, f := range found {
		fmt.Println(f)
	}
	// Output:
	// dot/dot.go:8:8: contraction: this product may be fused into the addition; write float64(x*y)
}
