package word

import "gamma/model"

// Algorithm is a way to compute an operation, with what is proved about it.
type Algorithm struct {
	Name    string // "DWTimesDW3"
	Op      Op
	Source  string
	Program *Program
	// Bounds are the proved bounds, nil if no bound is known. The first that applies is the tightest.
	Bounds []Bound
	// Ordered: |x| >= |y| or y = 0 is a hypothesis, as for Fast2Sum. It is enough if the exponent of x is at least that of y.
	Ordered bool
	// Normal: the result is proved to be a double word when the operands are: zh = RN(zh+zl).
	Normal bool
	// Splits: operands, or quotients of them, are split by Veltkamp's constant, which overflows for magnitudes near the largest.
	Splits bool
}

// Claim is what the author of an operation promises, as plain data; formats come from the kernel's shape.
type Claim struct {
	Op Op
	// Algorithm names an entry of Algorithms, whose bounds the operation then claims. Variants of rounding, such as a
	// double-double product rounded to one word, name the algorithm that computes the unrounded one.
	Algorithm string
	// Bound replaces the algorithm's bound, unless it is nil.
	Bound *Bound
	// Exact claims the bits of the algorithm, not only its bounds.
	Exact bool
	// Splits: products are Dekker's where the algorithm has fused ones. Then nothing is claimed where Veltkamp's split of a word, or
	// of a quotient, may overflow, nor bit for bit where an error term of a product may underflow.
	Splits bool
	// Finite restricts the claim to finite operands with which no step and no result overflows; 0 is no divisor, and no operand of
	// a root is negative. Nothing is claimed about NaNs and infinities.
	Finite bool
	// Unnormalised: the words of a result may overlap; their sum alone is claimed.
	Unnormalised bool
	// Multiple, if above 1, says that the rows of a batch are a multiple of it.
	Multiple int
	// InPlace says that the results of a batch may be written over its operands: dst and src may begin at one word. A row then has no more words of
	// results than of operands. It is for functions in Go, which the law word.pure then judges both ways; of kernels on a device it says nothing.
	InPlace bool
	// Rounding and Flush are those of the arithmetic. Bounds are proved only for rounding to nearest.
	Rounding model.Rounding
	Flush    model.Flush
	// Special is what is promised of double words and complex numbers where an operand or the result is no number. With Exact it is what
	// the algorithm gives.
	Special Special
}

// Special is what an operation on double words or complex numbers promises of its first words where an operand or the result is no number.
type Special uint8

const (
	// SpecialPlain, the zero value: what the plain operation on the first words returns: a NaN, an infinity with its sign, or 0.
	SpecialPlain Special = iota
	// SpecialNotFinite: an infinity or a NaN, whichever. The published algorithms promise no more: 2·inf is a NaN in all products of
	// [JMP 2017], since the error term is inf - inf, and so are sums with an infinity, and quotients by one.
	SpecialNotFinite
)

// String returns "as the plain operation" or "not finite".
func (s Special) String() string {
	if s == SpecialNotFinite {
		return "not finite"
	}
	return "as the plain operation"
}

// ByName returns the algorithm called name, and ok = false if there is none.
func ByName(name string) (a *Algorithm, ok bool) {
	for _, a := range algorithms {
		if a.Name == name {
			return a, true
		}
	}
	return nil, false
}

// Algorithms returns all algorithms, operation by operation. Do not write to them.
func Algorithms() []*Algorithm { return append([]*Algorithm(nil), algorithms...) }
