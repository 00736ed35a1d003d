package modular

import "fmt"

// Function is the exact function that an operation stands for, modulo q unless it says otherwise.
type Function uint8

const (
	Identity         Function = iota // x; to another domain or range
	Sum                              // x+y
	Difference                       // x-y
	Negative                         // -x
	Product                          // x·y
	Inverse                          // 1/x for an x without a factor in common with q; of others nothing is claimed
	Power                            // x^e, where the second operand e is an integer and no residue; 0^0 = 1
	Wide                             // h·R+l of two words, where the first is h: what a reduction of double words computes
	ForwardButterfly                 // (x+w·y, x-w·y) of x, y, w: Cooley and Tukey's
	InverseButterfly                 // (x+y, (x-y)·w) of x, y, w: Gentleman and Sande's
	One                              // 1, without an operand: of power 1 that is R mod q, of power 2 R² mod q
	WordInverse                      // 1/q modulo R, without an operand; the result is not a residue
	NegativeInverse                  // -1/q modulo R, without an operand; the result is not a residue
	ShoupQuotient                    // ⌊x·R/q⌋ of a reduced x, an integer: Shoup's factor for x
)

var functions = [...]string{
	"identity", "sum", "difference", "negative", "product", "inverse", "power", "wide", "forward butterfly", "inverse butterfly",
	"one", "word inverse", "negative inverse", "Shoup quotient",
}

// operands and results count the words that a function takes, Shoup's factors aside, and gives.
var operands = [...]int{1, 2, 2, 1, 2, 1, 2, 2, 3, 3, 0, 0, 0, 1}

// String returns "product", "forward butterfly" and so on.
func (f Function) String() string {
	if int(f) < len(functions) {
		return functions[f]
	}
	return fmt.Sprintf("function %d", f)
}

// In returns how many operands the function has, without Shoup's factors.
func (f Function) In() int {
	if int(f) < len(operands) {
		return operands[f]
	}
	return 0
}

// Out returns how many results the function has.
func (f Function) Out() int {
	if f == ForwardButterfly || f == InverseButterfly {
		return 2
	}
	return 1
}

// OfModulus reports whether the function has no operand: it is one of the modulus alone.
func (f Function) OfModulus() bool { return f == One || f == WordInverse || f == NegativeInverse }
