package check

import (
	"math"
	"math/big"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// inBraces is convert of one value of a list in braces, where no number may be narrowed.
func (c *checker) inBraces(o *operand, to typed.Type) typed.Expr {
	x := c.convert(o, to, "the list in braces")
	c.notNarrowed(o, to)
	return x
}

// notNarrowed fails if o, a number in a list in braces, may lose something as a value of type to, or of its elements. C++11 makes that
// an error: a float as an integer; a number in a type that does not hold all values of its own, unless it is a constant
// that fits.
//
// Whether a list in braces fits a parameter does not hang on this: what was chosen then fails.
func (c *checker) notNarrowed(o *operand, to typed.Type) {
	if c.quiet > 0 || o.list != nil {
		return
	}
	from, ok := o.T.(*typed.Scalar)
	if v, is := to.(*typed.Vector); is {
		to = v.Elem
	}
	t, is := to.(*typed.Scalar)
	if !ok || !is || from.Kind == t.Kind || holdsAll(t.Kind, from.Kind) {
		return
	}
	if !isFloatKind(from.Kind) || isFloatKind(t.Kind) {
		if v, err := c.evaluate(c.value(o)); err == nil && !v.unset {
			if fits(t.Kind, from.Kind, v.bits) {
				return
			}
			c.fail(o.pos, "a list in braces: this %s does not fit in %s; write %s(…)", from, t, t)
		}
	}
	c.fail(o.pos, "a list in braces narrows no number: write %s(…) around this %s", t, from)
}

// holdsAll reports whether a type holds all values of another one, as C++ counts: no float holds all values of an integer.
func holdsAll(to, from ir.Type) bool {
	if isFloatKind(to) || isFloatKind(from) {
		return to == ir.F32 && isFloatKind(from)
	}
	bits := func(k ir.Type) int {
		switch {
		case k == ir.Bool:
			return 1
		case isSignedKind(k):
			return 8*typed.SizeOf(k) - 1
		}
		return 8 * typed.SizeOf(k)
	}
	return bits(to) >= bits(from) && (isSignedKind(to) || !isSignedKind(from))
}

// fits reports whether a constant keeps its value in another type; a float has to lie in the range of the other one.
func fits(to, from ir.Type, bits uint64) bool {
	if isFloatKind(from) {
		x := toFloat(from, bits)
		return math.IsInf(x, 0) || math.IsNaN(x) || !math.IsInf(toFloat(to, fromFloat(to, x)), 0)
	}
	n := whole(from, bits)
	if !isFloatKind(to) {
		return n.Cmp(whole(to, trim(to, bits))) == 0
	}
	x := new(big.Float).SetInt(n)
	return x.Cmp(big.NewFloat(toFloat(to, fromBig(to, x, false)))) == 0
}

// whole returns the value of an integer's bits.
func whole(k ir.Type, bits uint64) *big.Int {
	if isSignedKind(k) {
		return big.NewInt(signed(k, bits))
	}
	return new(big.Int).SetUint64(bits)
}
