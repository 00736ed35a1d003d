package oracle

import (
	"fmt"

	"gamma/model"
)

// The sentences of this package's panics, each a programmer's mistake.
const (
	notFiniteSum    = "oracle: a sum that is infinite or NaN has no exact value; ask IsFinite first"
	notFiniteFloat  = "oracle: an infinity or a NaN has no exact value"
	lengthMismatch  = "oracle: the two vectors of a dot product differ in length"
	badCoefficient  = "oracle: a bound has a coefficient that is negative or NaN"
	negativeFactor  = "oracle: a bound on words has a negative factor"
	roundedWords    = "oracle: a rounded limit is for results of one word in the format of the judge"
	notBinary32     = "oracle: a judge of rows of float32 needs the format binary32"
	notBinary64     = "oracle: a judge of rows of float64 needs the format binary64"
	badRow          = "oracle: a row has other words than the operation"
	badRows         = "oracle: operands and results are not the same number of rows"
	zeroModulus     = "oracle: there is no arithmetic modulo 0"
	transformLength = "oracle: a transform is of N numbers, at points 0 to N-1"
	productLength   = "oracle: a product of polynomials has other lengths or indices than its factors"
	noFunction      = "oracle: there is no such function of residues"
	oddPairs        = "oracle: a slice of double words has an odd length"
)

func tooWide(f model.Format) string {
	return fmt.Sprintf("oracle: this accumulator does not hold every value of %s; use Acc64 or AccDot64", f)
}
