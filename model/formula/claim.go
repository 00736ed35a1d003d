package formula

import (
	"fmt"

	"gamma/model"
)

// Claim is what a kernel's author promises about the rounding of a formula, as plain data.
//
// The zero value promises that every operation is computed in binary32 or a finer format: it returns its exact result with an error
// of at most half an ulp of binary32, however it is reached, so that a kernel may also hold intermediate results in binary64, fuse a
// product with an addition, or leave a rounding out. Sums are added in any order, unless the formula says otherwise; each addition of a sum
// is rounded to nearest in binary32, in a finer format, first in one of at least eight bits more and then in binary32, or not at all. Elementary
// functions keep to the ulps of Published. Nothing is flushed. An integer among the operands of an operation on real numbers is converted
// first, to binary32 or a finer format.
type Claim struct {
	Format model.Format // of the operations: one of at most 26 bits, or binary64; zero means binary32
	// Exactly says that each operation's result is rounded to Format itself, to nearest even, and never held finer.
	Exactly bool
	// Unfused says, beside Exactly, that no product is fused with an addition.
	Unfused bool
	Flush   model.Flush // what the kernel may flush
	// Flush16 is what the kernel may flush of binary16 and bfloat16 numbers that it reads or writes, where Format is wider: each use of one that is subnormal
	// may read 0, and one that is written may be 0.
	Flush16 model.Flush

	// Functions says how accurate elementary functions are; the zero value means Published.
	Functions Accuracy

	// AnyOf holds formulas that the kernel may compute instead: each result has to be what one of them, or the kernel's formula, allows.
	AnyOf []*Expr

	// Finite restricts the claim to inputs that are finite and for which no intermediate result of the formula overflows.
	Finite bool

	// Symmetry, Rising and Falling are for formulas of one number: an input, a result of its axes, and elementwise operations alone. Neither
	// follows from an error in ulps, and hardly a library promises them: what is not set is not judged.
	//
	// Symmetry says that results of -x and x differ in their sign, or in nothing, bit for bit.
	Symmetry Symmetry
	// Rising and Falling hold ranges of the argument. Of two numbers in one range, the result of the greater is not less where it is said to rise, and not
	// greater where it is said to fall. Correctly rounded results rise wherever the function does.
	Rising, Falling []Range

	// Within, beside Finite, replaces what is said of operations: each result is the formula's exact value, off by at most the exact value of
	// Within, and rounded once to nearest. It is for algorithms whose error no operation of the formula has, such as that of a convolution by
	// Fourier transforms, which is bounded by norms. Its axes are among the formula's, and it is not negative; it may use inputs of its own. Where a device
	// flushes, it has to hold what flushed operands and intermediate results change; a result that is flushed at last is allowed beside it.
	Within *Expr
	// Points are the places before the last at which the kernel rounds to the results' type, or could and does not, in the order of its steps. Of one at which
	// it does not, before one at which it does, nothing is judged.
	Points []Point
}

// Point is a place between two steps of a kernel, at which it either rounds what it holds to the results' type or holds it wider, and an input that shows
// which. On that input the exact value at this place is not a number of the results' type, those of all steps before it are, and rounding it changes a
// result. So a kernel that does not round there, nor later, returns the formula's exact values, each off by at most the claim's Within and rounded once; and one that
// rounds there does not.
type Point struct {
	Name   string // of the step whose result is held there
	Rounds bool
	Sizes  map[string]int       // of all axes of inputs
	Arrays map[string][]float32 // all inputs, which are of binary32 numbers
}

// Roundings returns how many times the claim says that a kernel rounds to its results' type: at its Points, and at last.
func (c Claim) Roundings() int {
	n := 1
	for _, p := range c.Points {
		if p.Rounds {
			n++
		}
	}
	return n
}

// Symmetry is what a function of one number makes of -x.
type Symmetry uint8

const (
	NoSymmetry Symmetry = iota // nothing is claimed
	Odd                        // f(-x) = -f(x)
	Even                       // f(-x) = f(x)
)

// String returns "no symmetry", "odd" or "even".
func (s Symmetry) String() string {
	switch s {
	case Odd:
		return "odd"
	case Even:
		return "even"
	}
	return "no symmetry"
}

// Range is the numbers from From to To, with both.
type Range struct{ From, To float64 }

// Has reports whether x is in the range.
func (r Range) Has(x float64) bool { return r.From <= x && x <= r.To }

// String returns "[-1, 1]".
func (r Range) String() string { return fmt.Sprintf("[%v, %v]", r.From, r.To) }

// WithDefaults returns c with its zero values replaced by what they mean.
func (c Claim) WithDefaults() Claim {
	if c.Format.IsZero() {
		c.Format = model.Binary32
	}
	if c.Functions.Name == "" {
		c.Functions = Published
	}
	return c
}
