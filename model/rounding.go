package model

import "fmt"

// Rounding is a rounding direction. The zero value is IEEE 754's default.
// Source: [IEEE 754-2019] §4.3.
type Rounding uint8

const (
	NearestEven Rounding = iota // to nearest, ties to the even significand
	NearestAway                 // to nearest, ties away from zero
	TowardPositive
	TowardNegative
	TowardZero
)

var roundingNames = [...]string{"rne", "rna", "up", "down", "zero"}

// String returns the short name that case files use: rne, rna, up, down, zero.
func (r Rounding) String() string {
	if int(r) < len(roundingNames) {
		return roundingNames[r]
	}
	return fmt.Sprintf("Rounding(%d)", uint8(r))
}

// ParseRounding is the inverse of Rounding.String.
func ParseRounding(s string) (Rounding, error) {
	for i, n := range roundingNames {
		if n == s {
			return Rounding(i), nil
		}
	}
	return 0, fmt.Errorf("model: no rounding is called %q; use one of %v", s, roundingNames)
}

// Nearest reports whether r rounds to nearest, with any rule for ties.
func (r Rounding) Nearest() bool { return r <= NearestAway }

// Flush says which subnormal numbers an operation replaces by a zero of the same sign.
// The zero value flushes nothing.
type Flush struct {
	In bool // subnormal operands read as zero (DAZ)
	// Out: tiny results become zero (FTZ). Tininess is decided after rounding to P bits as if the
	// exponent were unbounded, as x86 does: 2^Emin·(1-2^-P-1) rounds to 2^Emin and stays.
	Out bool
	// Before makes Out decide by the exact result: one below 2^Emin becomes zero even if it would
	// round up to 2^Emin. Arm does so; x86 decides after rounding. It has no effect without Out.
	Before bool
}

// Any reports whether f flushes anything.
func (f Flush) Any() bool { return f.In || f.Out }

var flushNames = []struct {
	name string
	f    Flush
}{
	{"off", Flush{}},
	{"in", Flush{In: true}},
	{"out", Flush{Out: true}},
	{"out-before", Flush{Out: true, Before: true}},
	{"on", Flush{In: true, Out: true}},
	{"on-before", Flush{In: true, Out: true, Before: true}},
}

// String returns off, in, out, out-before, on (in and out) or on-before.
func (f Flush) String() string {
	if !f.Out {
		f.Before = false
	}
	for _, n := range flushNames {
		if n.f == f {
			return n.name
		}
	}
	panic("unreachable: the table is complete")
}

// ParseFlush is the inverse of Flush.String.
func ParseFlush(s string) (Flush, error) {
	for _, n := range flushNames {
		if n.name == s {
			return n.f, nil
		}
	}
	return Flush{}, fmt.Errorf("model: no flush mode is called %q; use off, in, out, out-before, on or on-before", s)
}
