package oracle

import (
	"fmt"

	"gamma/model"
)

// The sentences of this package's panics, each a programmer's mistake.
const (
	notFiniteSum   = "oracle: a sum that is infinite or NaN has no exact value; ask IsFinite first"
	notFiniteFloat = "oracle: an infinity or a NaN has no exact value"
	lengthMismatch = "oracle: the two vectors of a dot product differ in length"
	badCoefficient = "oracle: a bound has a coefficient that is negative or NaN"
)

func tooWide(f model.Format) string {
	return fmt.Sprintf("oracle: this accumulator does not hold every value of %s; use Acc64 or AccDot64", f)
}
