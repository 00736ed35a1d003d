package formula

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gamma/model"
)

// Type is the type of an array's elements. The zero value is a real number as the operations of the claim hold it: in the claim's
// format, or a finer one.
type Type struct {
	Float  model.Format // of a stored floating-point number
	Bits   int          // of an integer: 8, 16, 32 or 64; 0 for an integer of the formula's own, such as an index
	Int    bool         // an integer
	Signed bool         // an integer in two's complement
	Bool   bool         // a truth value
}

// Float returns the type of numbers of format f.
func Float(f model.Format) Type { return Type{Float: f} }

// Int returns the type of integers of so many bits in two's complement.
func Int(bits int) Type { return Type{Bits: bits, Int: true, Signed: true} }

// Uint returns the type of integers of so many bits without a sign.
func Uint(bits int) Type { return Type{Bits: bits, Int: true} }

// Bool is the type of truth values, and whole the type of the formula's own integers, which have no width.
var (
	Bool  = Type{Bool: true}
	whole = Type{Int: true, Signed: true}
)

// IsReal reports whether t is a type of real numbers, stored or not.
func (t Type) IsReal() bool { return !t.Int && !t.Bool }

// IsStored reports whether t says how a number is stored.
func (t Type) IsStored() bool { return t.Bits > 0 || t.Bool || !t.Float.IsZero() }

// holds reports whether v is one of t's real numbers, and not a subnormal one.
func (t Type) holds(v float64) bool {
	f := t.Float
	m, e := math.Frexp(v)
	switch {
	case v == 0 || f.IsZero():
		return true
	case math.IsInf(v, 0):
		return f.HasInf
	}
	m = math.Ldexp(m, f.P)
	return m == math.Trunc(m) && f.Emin < e && math.Abs(v) <= math.Ldexp(float64(f.MaxFinite), f.Emax-f.P+1)
}

// Range returns the least and the greatest integer of t, as real numbers rounded to binary64.
//
// Domain: integers of at most 64 bits.
func (t Type) Range() (lo, hi float64) {
	if t.Signed {
		return -pow2(t.Bits - 1), pow2(t.Bits-1) - 1
	}
	return 0, pow2(t.Bits) - 1
}

func pow2(k int) float64 {
	p := 1.0
	for range k {
		p *= 2
	}
	return p
}

// String returns the type's name: "binary32", "int8", "uint32", "bool", "int" and "real" for what has no stored form.
func (t Type) String() string {
	switch {
	case t.Bool:
		return "bool"
	case t.Int && t.Bits == 0:
		return "int"
	case t.Int && t.Signed:
		return "int" + strconv.Itoa(t.Bits)
	case t.Int:
		return "uint" + strconv.Itoa(t.Bits)
	case t.Float.IsZero():
		return "real"
	}
	return t.Float.Name
}

// TypeByName returns the type that String calls name.
func TypeByName(name string) (Type, error) {
	switch name {
	case "bool":
		return Bool, nil
	case "int":
		return whole, nil
	case "real":
		return Type{}, nil
	}
	digits, unsigned := strings.CutPrefix(name, "uint")
	if !unsigned {
		digits, _ = strings.CutPrefix(name, "int")
	}
	if digits != name {
		switch digits {
		case "8", "16", "32", "64":
			bits, _ := strconv.Atoi(digits)
			return Type{Bits: bits, Int: true, Signed: !unsigned}, nil
		}
		return Type{}, fmt.Errorf("formula: no integer type is called %q; known are int8 to int64 and uint8 to uint64", name)
	}
	f, err := model.FormatByName(name)
	if err != nil {
		return Type{}, fmt.Errorf("formula: no type is called %q; known are the formats of package model, int8 to int64, uint8 to uint64 and bool", name)
	}
	return Float(f), nil
}
