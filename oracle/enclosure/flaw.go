package enclosure

// flaw is an unsoundness planted by tests, to see that they find it. A Program has none.
type flaw uint8

const (
	flawless         flaw = iota
	halfRounding          // a rounding errs by a quarter of an ulp
	lowerUlp              // the ulp is that of an interval's lower end
	noUnderflow           // ulps go on below the least normal number
	firstBranch           // a condition that is not decided is taken for true
	halfUlps              // half the ulps that a function is promised
	halfSum               // half the bound of a sum
	centreDerivative      // derivatives at the exact value alone
	noOverflow            // nothing overflows
	inward                // results are rounded inwards
	ofExact               // ulps of the rounded result are taken for those of the exact one
	lowerJump             // of what a jump gives on both sides the lower alone
	noNaN                 // a NaN that is possible is forgotten
	noFlush               // nothing is flushed
	held                  // an operand is read as it is held, without flushing or conversion
	sameSign              // a flushed zero has the sign of the number that it was
	tight                 // derivatives are taken over T, where W is wider
)
