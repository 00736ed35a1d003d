package nn

import "fmt"

// The sentences of this package's panics, each a programmer's mistake.

func lengthsDiffer(what string, have, want int) string {
	return fmt.Sprintf("nn: %s has %d elements, and has to have %d", what, have, want)
}

func rowsDoNotFit(elements, n int) string {
	return fmt.Sprintf("nn: %d elements are not rows of %d", elements, n)
}

func badEpsilon(eps float32) string {
	return fmt.Sprintf("nn: epsilon is %v, and has to be above 0", eps)
}

// sameLength panics if dst has not as many elements as an input.
func sameLength(what string, have, want int) {
	if have != want {
		panic(lengthsDiffer(what, have, want))
	}
}

// rows returns how many rows of n elements there are.
func rows(elements, n int) int {
	if n == 0 && elements == 0 {
		return 0
	}
	if n <= 0 || elements%n != 0 {
		panic(rowsDoNotFit(elements, n))
	}
	return elements / n
}
