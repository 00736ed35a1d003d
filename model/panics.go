package model

import "fmt"

// The sentences of this package's panics, each a programmer's mistake.
const badToyPrecision = "model: a toy format has a precision of 2 to 12 bits"

func noInfinity(f Format) string { return fmt.Sprintf("model: %s has no infinity", f) }

func notFinite(f Format, b uint64) string {
	return fmt.Sprintf("model: %#x of %s is not a finite number", b, f)
}
