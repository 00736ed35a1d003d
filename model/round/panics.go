package round

import (
	"fmt"

	"gamma/model"
)

// The sentences of this package's panics, each a programmer's mistake.

func badFormat(f model.Format) string {
	return fmt.Sprintf("round: a format needs 2 to 53 bits of precision and at most 64 bits in all; %q has %d and %d", f.Name, f.P, f.Bits())
}

func badRounding(r model.Rounding) string {
	return fmt.Sprintf("round: %v is not one of the five rounding directions", r)
}
