package ir

import "fmt"

// The sentences of this package's panics, each a programmer's mistake: what comes from a kernel is refused by Verify before.
func notFloat(t Type) string { return fmt.Sprintf("ir: %s is not a type of floats", t) }

func noMeaning(op Op, t, from Type) string {
	return fmt.Sprintf("ir: Eval has no meaning for %s on %s from %s; Verify refuses such a kernel", op, t, from)
}
