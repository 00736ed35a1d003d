package props

import (
	"gamma/model"
	"gamma/props/internal/battery"
)

type (
	// ScalarLaw is a law about single operations.
	ScalarLaw = battery.ScalarLaw
	// Battery judges scalar operations by scalar laws.
	Battery = battery.Battery
	// ScalarFailure is a violation of a scalar law.
	ScalarFailure = battery.ScalarFailure
	// Arithmetic is scalar arithmetic under test: the operations of one format as functions over encodings, and what they
	// claim.
	Arithmetic = battery.Arithmetic
	// Conversion is a conversion into another format, in the arithmetic's rounding and flushing.
	Conversion = battery.Conversion
)

// SpecialValues returns the encodings of f at which something changes, the simplest first: zeros, ones, infinities and
// NaNs, the ends of the subnormal and of the normal range, one and its neighbours, half an ulp of one, the ends of the
// exact integers.
func SpecialValues(f model.Format) []uint64 {
	return battery.SpecialValues(f)
}

// RoundLaws returns the laws of single operations, without the operations: Judge is nil.
func RoundLaws() []ScalarLaw {
	return battery.RoundLaws()
}
