package eval

import "fmt"

// The sentences of this package's panics, each a programmer's mistake.

func tooFewValues(leaves, got int) string {
	return fmt.Sprintf("eval: a tree of %d leaves needs as many values, not %d", leaves, got)
}
