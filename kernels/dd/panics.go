package dd

import "fmt"

// The sentences of this package's panics, each a programmer's mistake.

func noDigits(n int) string {
	return fmt.Sprintf("dd: a text has one significant digit or more, not %d", n)
}

func lengthsDiffer(x, y int) string {
	return fmt.Sprintf("dd: slices of one length are asked for, not of %d and %d", x, y)
}

func matrixDoesNotFit(words, rows, columns int) string {
	return fmt.Sprintf("dd: a matrix of %d rows and %d columns is not a slice of %d numbers", rows, columns, words)
}

func biasDoesNotFit(bias, rows int) string {
	return fmt.Sprintf("dd: a bias of %d numbers does not fit %d results; give as many, or nil", bias, rows)
}

func sizeIsNegative(rows, n, columns int) string {
	return fmt.Sprintf("dd: matrices cannot have %d×%d and %d×%d numbers", rows, n, n, columns)
}

const (
	resultOverlaps = "dd: dst overlaps an operand from another start, or where no overlap is allowed"
	badEpsilon     = "dd: LayerNorm's epsilon is finite and not negative"
)
