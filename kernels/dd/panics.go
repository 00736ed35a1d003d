package dd

import "fmt"

// The sentences of this package's panics, each a programmer's mistake.

func noDigits(n int) string {
	return fmt.Sprintf("dd: a text has one significant digit or more, not %d", n)
}
