package model

import (
	"fmt"
	"strings"
)

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

// Flush says which subnormal numbers an operation replaces by a zero: of the same sign, unless AnySign is set.
// The zero value flushes nothing.
type Flush struct {
	In bool // subnormal operands read as zero (DAZ)
	// Out: tiny results become zero (FTZ). Tininess is decided after rounding to P bits as if the
	// exponent were unbounded, as x86 does: 2^Emin·(1-2^-P-1) rounds to 2^Emin and stays.
	Out bool
	// Before makes Out decide by the exact result: one below 2^Emin becomes zero even if it would
	// round up to 2^Emin. Arm does so; x86 decides after rounding. It has no effect without Out.
	Before bool
	// AnySign leaves the sign of the zero open, each time for itself, as Metal and OpenCL do; x86, Arm and CUDA keep it. It has no effect
	// without In or Out.
	// Source: [MSL 4.0] §8.5.
	AnySign bool
}

// Any reports whether f flushes anything.
func (f Flush) Any() bool { return f.In || f.Out }

// OpenSign reports whether f flushes anything to a zero whose sign is open.
func (f Flush) OpenSign() bool { return f.AnySign && f.Any() }

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

// anySign is what the name of a flush ends with that leaves signs open.
const anySign = "-anysign"

// String returns off, in, out, out-before, on (in and out) or on-before; with AnySign and -anysign after it, but for off.
func (f Flush) String() string {
	end := ""
	if f.OpenSign() {
		end = anySign
	}
	f.Before, f.AnySign = f.Before && f.Out, false
	for _, n := range flushNames {
		if n.f == f {
			return n.name + end
		}
	}
	panic("unreachable: the table is complete")
}

// ParseFlush is the inverse of Flush.String.
func ParseFlush(s string) (Flush, error) {
	name, open := strings.CutSuffix(s, anySign)
	for _, n := range flushNames {
		if n.name == name && (!open || n.f.Any()) {
			n.f.AnySign = open
			return n.f, nil
		}
	}
	return Flush{}, fmt.Errorf("model: no flush mode is called %q; use off, in, out, out-before, on or on-before, where all but off may end with %s", s, anySign)
}
