package modular

import (
	"fmt"
	"math/bits"
)

// Transform is a number-theoretic transform of N residues modulo q: the values of the polynomial a_0 + a_1·x + … + a_(N-1)·x^(N-1)
// at N points.
//
//	cyclic:      X_k = Σ_j a_j·ω^(j·k),        ω = Root of order N;   products are modulo x^N - 1
//	negacyclic:  X_k = Σ_j a_j·ψ^(j·(2k+1)),   ψ = Root of order 2N;  products are modulo x^N + 1
//
// for k from 0 to N-1. The inverse takes the X back to the a.
type Transform struct {
	Modulus    uint64
	N          int    // a power of two, 1 at least
	Negacyclic bool   //
	Root       uint64 // the residue itself, reduced; for N = 1 cyclic it is 1
}

// String returns "cyclic NTT of 8 points modulo 17, root 2".
func (t Transform) String() string {
	kind := "cyclic"
	if t.Negacyclic {
		kind = "negacyclic"
	}
	return fmt.Sprintf("%s NTT of %d points modulo %d, root %d", kind, t.N, t.Modulus, t.Root)
}

// RootOrder returns the order that Root has: N, or 2N for a negacyclic transform.
func (t Transform) RootOrder() uint64 {
	if t.Negacyclic {
		return 2 * uint64(t.N)
	}
	return uint64(t.N)
}

// Order is the order of N numbers in memory.
type Order uint8

const (
	Natural     Order = iota // number k is at place k
	BitReversed              // number k is at the place whose log2 N bits are those of k read backwards
)

// String returns "natural" or "bit-reversed".
func (o Order) String() string {
	if o == BitReversed {
		return "bit-reversed"
	}
	return "natural"
}

// Place returns the place of number k of n.
func (o Order) Place(k, n int) int {
	if o == Natural || n < 2 {
		return k
	}
	return int(bits.Reverse64(uint64(k)) >> (65 - bits.Len(uint(n))))
}

// Side says how a transform's numbers are laid out in memory before or after it.
type Side struct {
	Order Order
	// Power and Range are as of Word: each number is a word in [0, Range·q) that is ≡ x·R^Power (mod q).
	Power int
	Range uint64
}

// Direction says what a forward or an inverse transform takes and returns. The zero value means that it is not offered.
type Direction struct {
	In, Out Side
	// Unscaled, for an inverse: the results are N times those of the transform's inverse; 1/N is left to the caller.
	Unscaled bool
	// Stages returns the recurrence of a butterfly in each stage of n points, first to last, and after them one of a
	// single word where the transform ends with a pass of its own (a last reduction, a scaling). Nil means that it is not declared.
	Stages func(n int) []*Recurrence
}

// Offered reports whether d is a direction and not the zero value.
func (d *Direction) Offered() bool { return d.In.Range != 0 || d.Out.Range != 0 }

// TransformClaim is what a kernel of transforms promises.
type TransformClaim struct {
	// Bits is b, the bits of a word: 32 or 64, or 8 and 16 for toys.
	Bits       int
	Negacyclic bool
	// Forward takes coefficients to values, Inverse values to coefficients. A Direction that is the zero value is not offered.
	Forward, Inverse Direction
	// Product: the product of two polynomials of reduced coefficients of power 0, in natural order, is offered; so are its results.
	Product bool
	Moduli  Moduli
	// MinN and MaxN bound the sizes, both inclusive; a MinN of 0 means 1, and a MaxN of 0 the limit that the root's order sets.
	MinN, MaxN int
	// OwnRoot: the kernel chooses its root, which Transforms.Root returns, and ignores Transform.Root.
	OwnRoot bool
	// Names: an error that rejects a modulus, a root, a size or a length names it, in decimal or hexadecimal.
	Names bool
	// Unchecked leaves it to the caller to ask for what is claimed: no size, root, length or modulus need be refused.
	Unchecked bool
	// Batched: a call takes any number of transforms, one after the other in memory.
	Batched bool
}

// Transforms is what a kernel offers for one Transform, ready to run. A function that is nil is not offered. Slices hold words as
// in rows: uint64 below R. dst and src have N words, or a multiple if the claim says Batched; they are the same slice, or do not
// overlap. A function returns an error if lengths are wrong or, where it says that it checks words, one is out of range; the contents of
// dst are then unspecified.
type Transforms struct {
	Root             uint64 // the root taken, if TransformClaim.OwnRoot
	Forward, Inverse func(dst, src []uint64) error
	// Product multiplies the polynomials a and b. Any of dst, a and b are the same slice, or do not overlap.
	Product func(dst, a, b []uint64) error
	// ForwardStages and InverseStages run the transform piece by piece. Nil means that the stages cannot be run separately.
	ForwardStages, InverseStages *Stages
}

// Stages runs a transform piece by piece, in place: Prepare, then all stages in order, then Finish.
type Stages struct {
	Count int // of stages
	// Prepare is what comes before the first stage, such as a permutation, or nil.
	Prepare func(x []uint64) error
	// Stage runs one stage, the first is 0.
	Stage func(stage int, x []uint64) error
	// Finish is what comes after the last stage, such as a last reduction, or nil.
	Finish func(x []uint64) error
}

// Check returns an error that says what is wrong with a claim, or nil.
func (c *TransformClaim) Check() error {
	fail := func(format string, args ...any) error { return fmt.Errorf("modular: TransformClaim"+format, args...) }
	switch {
	case !validBits(c.Bits):
		return fail(".Bits is %d; a word has 8, 16, 32 or 64", c.Bits)
	case !c.Forward.Offered() && !c.Inverse.Offered() && !c.Product:
		return fail(" offers nothing: set Forward, Inverse or Product")
	case c.Forward.Unscaled:
		return fail(".Forward.Unscaled is set; only an inverse is scaled")
	case c.MinN < 0 || c.MaxN < 0 || c.MaxN != 0 && c.MinN > c.MaxN:
		return fail(": sizes from %d to %d", c.MinN, c.MaxN)
	case c.Moduli.MinModulus() > c.Moduli.MaxModulus(c.Bits) || c.Moduli.Max > greatest(c.Bits):
		return fail(".Moduli: %d to %d are not moduli of %d-bit words", c.Moduli.MinModulus(), c.Moduli.MaxModulus(c.Bits), c.Bits)
	case c.Moduli.UncheckedPrime && !c.Moduli.Prime:
		return fail(".Moduli.UncheckedPrime is set, and Prime is not")
	case c.Moduli.Even:
		return fail(".Moduli.Even is set; transforms require odd primes")
	}
	for _, d := range []struct {
		name string
		d    *Direction
	}{{"Forward", &c.Forward}, {"Inverse", &c.Inverse}} {
		if !d.d.Offered() {
			continue
		}
		for _, s := range []struct {
			name string
			s    Side
		}{{"In", d.d.In}, {"Out", d.d.Out}} {
			switch {
			case s.s.Range == 0:
				return fail(".%s.%s.Range is 0; say in what multiple of q the words are", d.name, s.name)
			case s.s.Power < 0 || s.s.Power > 8:
				return fail(".%s.%s.Power %d is not in 0 to 8", d.name, s.name, s.s.Power)
			case s.s.Order > BitReversed:
				return fail(".%s.%s.Order is %d; there are Natural and BitReversed", d.name, s.name, s.s.Order)
			}
		}
	}
	return nil
}
