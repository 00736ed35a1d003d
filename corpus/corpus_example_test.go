package corpus_test

import (
	"fmt"

	"gamma/corpus"
)

// A case written by hand, and its canonical form.
func ExampleCanonical() {
	text, err := corpus.Canonical([]byte(`gamma case v1
kernel mykernel.Sum
law sum.integers
n 3
# The tail was ignored.
x 2 0x5p0
`))
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// gamma case v1
	// # The tail was ignored.
	// law sum.integers
	// kernel mykernel.Sum
	// expect holds
	// n 3
	// x 2 0x1.4p+2    # 5
	// <nil>
}

// What a value that needs rounding is told.
func ExampleParse() {
	_, err := corpus.Parse[*corpus.Case]([]byte("gamma case v1\nlaw sum.tree\nkernel mykernel.Sum\nn 1\nx 0 0.1\n"), corpus.Options{File: "my.case"})
	fmt.Println(err)
	// Output:
	// my.case:5:5: x 0: "0.1" is decimal, and values are hex floats; in binary64 it is 0x1.999999999999ap-4
}
