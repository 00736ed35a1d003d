package model

import "fmt"

// The sentences of this package's panics, each a programmer's mistake.
const badToyPrecision = "model: a toy format has a precision of 2 to 12 bits"

func noInfinity(f Format) string { return fmt.Sprintf("model: %s has no infinity", f) }

func notFinite(f Format, b uint64) string {
	return fmt.Sprintf("model: %#x of %s is not a finite number", b, f)
}

const (
	badGamma  = "model: Gamma needs k >= 0 and k·u < 1"
	badSharp  = "model: OrderFreeSharp needs 2·(n-1)·u <= 1; OrderFree has no such limit"
	badFolds  = "model: SumK needs at least 2 folds; with 1 it is the plain sum"
	badBins   = "model: a binned sum needs at least 1 fold and a width of at least 1 bit"
	badBlock  = "model: a block of FABsum needs at least 1 leaf"
	badLength = "model: a bound needs a length of at least 0"
	noInput   = "model: a bound needs the input's format; see Claim.WithDefaults"
)
