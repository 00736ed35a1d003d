package modular

import (
	"fmt"
	"math/bits"
	"slices"
)

// Word says what a word of a row stands for.
type Word struct {
	// Name is "a", "w" and so on; reports use it.
	Name string
	// Power is k: the word is ≡ x·R^k (mod q).
	Power int
	// Range is f: the word is in [0, f·q). 0 means any word below R.
	Range uint64
	// Shoup: the word is not an operand of its own, but ⌊w·R/q⌋ of the word w before it, whose range is 1 and whose power is 0.
	Shoup bool
	// Integer: the word is an integer and no residue, such as an exponent.
	Integer bool
}

// Moduli says for which moduli a claim holds.
type Moduli struct {
	// Min and Max bound them, both inclusive. A Min of 0 is 2, a Max of 0 is R-1.
	Min, Max uint64
	// Even allows even moduli, too.
	Even bool
	// Prime requires primes.
	Prime bool
	// Only, if not nil, lists the moduli; Min and Max are then ignored. An operation with one modulus alone need not look at the one
	// that it is given.
	Only []uint64
	// Unchecked leaves it to the caller to give moduli of these alone: others need not be refused.
	Unchecked bool
	// UncheckedPrime leaves it to the caller, beside Prime, to give primes: composites need not be refused.
	UncheckedPrime bool
}

// Claim is what an operation on residues promises: with operands in their ranges, every result is in its range and stands for
// the function of the residues that the operands stand for.
//
// A row is the words of In / of Out, one after the other; a batch is rows one after the other in one slice, all for one modulus.
type Claim struct {
	Function Function
	// Bits is b, the bits of a word: 8, 16, 32 or 64.
	Bits    int
	In, Out []Word
	Moduli  Moduli
	// Recurrence is the steps that the operation takes, if they form a straight line; nil means that they are not declared.
	Recurrence *Recurrence
	// Multiple, if above 1, says that the rows of a batch are a multiple of it.
	Multiple int
	// InPlace says that the results of a batch may be written over its operands: dst and src may begin at one word. A row then has no more results than
	// operands. It is for functions in Go, which the law mont.pure then judges both ways; of kernels on a device it says nothing.
	InPlace bool
}

// MaxMultiple limits Claim.Multiple, so that a batch stays small.
const MaxMultiple = 1 << 12

// greatest returns R-1, the greatest word of b bits.
func greatest(b int) uint64 { return ^uint64(0) >> (64 - b) }

// MaxModulus returns the greatest modulus that the bounds of m admit for words of b bits.
func (m Moduli) MaxModulus(b int) uint64 {
	if len(m.Only) > 0 {
		return slices.Max(m.Only)
	}
	if m.Max == 0 {
		return greatest(b)
	}
	return m.Max
}

// MinModulus returns the least modulus that the bounds of m admit.
func (m Moduli) MinModulus() uint64 {
	if len(m.Only) > 0 {
		return slices.Min(m.Only)
	}
	return max(m.Min, 2)
}

// Admits returns an error that says why a modulus is not one of m for words of b bits, or nil. It does not check whether q is prime.
func (m Moduli) Admits(q uint64, b int) error {
	switch {
	case len(m.Only) > 0 && !slices.Contains(m.Only, q):
		return fmt.Errorf("modulus %d: the moduli are %d alone", q, m.Only)
	case q < m.MinModulus():
		return fmt.Errorf("modulus %d is below %d", q, m.MinModulus())
	case q > m.MaxModulus(b):
		return fmt.Errorf("modulus %d = %#x has %d bits and is above %d = %#x", q, q, bits.Len64(q), m.MaxModulus(b), m.MaxModulus(b))
	case q%2 == 0 && !m.Even:
		return fmt.Errorf("modulus %d is even; it must be odd", q)
	}
	return nil
}

// Refuses reports whether the claim obliges a kernel to refuse some modulus at all.
func (m Moduli) Refuses() bool { return !m.Unchecked && len(m.Only) != 1 }

// Check says what is wrong with a claim, or nil.
func (c *Claim) Check() error {
	fail := func(format string, args ...any) error { return fmt.Errorf("modular: Claim"+format, args...) }
	if int(c.Function) >= len(functions) {
		return fail(".Function: %s is not defined", c.Function)
	}
	if !validBits(c.Bits) {
		return fail(".Bits is %d; a word has 8, 16, 32 or 64", c.Bits)
	}
	n := 0
	for i, w := range c.In {
		switch {
		case w.Shoup && (i == 0 || c.In[i-1].Range != 1 || c.In[i-1].Power != 0 || c.In[i-1].Integer || c.In[i-1].Shoup):
			return fail(".In[%d] is Shoup's factor, and the word before it is not a residue of range 1 and power 0", i)
		case w.Shoup:
			continue
		case w.Integer != (c.Function == Power && n == 1 || c.Function == Wide && n == 1):
			return fail(".In[%d]: Integer is %t; of a %s it is the other way", i, w.Integer, c.Function)
		case w.Power < 0 || w.Power > 8:
			return fail(".In[%d]: Power %d is not in 0 to 8", i, w.Power)
		}
		n++
	}
	if n != c.Function.In() {
		return fail(".In has %d operands beside Shoup's factors; a %s has %d", n, c.Function, c.Function.In())
	}
	if c.InPlace && (len(c.In) == 0 || len(c.Out) > len(c.In)) {
		return fail(".InPlace is set, and a row has %d operands and %d results, which would lie over later operands", len(c.In), len(c.Out))
	}
	if len(c.Out) != c.Function.Out() {
		return fail(".Out has %d words; a %s has %d", len(c.Out), c.Function, c.Function.Out())
	}
	integer := c.Function == WordInverse || c.Function == NegativeInverse || c.Function == ShoupQuotient
	for i, w := range c.Out {
		switch {
		case w.Shoup:
			return fail(".Out[%d]: a result is not a Shoup factor; use the function ShoupQuotient", i)
		case w.Integer != integer:
			return fail(".Out[%d]: Integer is %t; of a %s it is the other way", i, w.Integer, c.Function)
		case w.Power < 0 || w.Power > 8:
			return fail(".Out[%d]: Power %d is not in 0 to 8", i, w.Power)
		}
	}
	for i, q := range c.Moduli.Only {
		if q < 2 || q > greatest(c.Bits) {
			return fail(".Moduli.Only[%d] is %d; a modulus of %d-bit words is 2 to %d", i, q, c.Bits, greatest(c.Bits))
		}
	}
	if c.Moduli.UncheckedPrime && !c.Moduli.Prime {
		return fail(".Moduli.UncheckedPrime is set, and Prime is not")
	}
	if c.Multiple < 0 || c.Multiple > MaxMultiple {
		return fail(".Multiple is %d; it is 0 to %d", c.Multiple, MaxMultiple)
	}
	if c.Moduli.MinModulus() > c.Moduli.MaxModulus(c.Bits) || c.Moduli.Max > greatest(c.Bits) {
		return fail(".Moduli: %d to %d are not moduli of %d-bit words", c.Moduli.MinModulus(), c.Moduli.MaxModulus(c.Bits), c.Bits)
	}
	if c.Moduli.Even {
		for _, w := range slices.Concat(c.In, c.Out) {
			if w.Power != 0 {
				return fail(".Moduli admits even moduli, and word %s has power %d: R has no inverse modulo an even number", w.Name, w.Power)
			}
		}
	}
	return nil
}

func validBits(b int) bool { return b == 8 || b == 16 || b == 32 || b == 64 }
