package report

import (
	"fmt"

	"gamma/model"
	"gamma/oracle"
)

// JSONNumber is a number of a report for machines, exact in Hex.
type JSONNumber struct {
	Hex     string `json:"hex"`
	Decimal string `json:"decimal,omitempty"` // "" for NaN and infinities
	Bits    string `json:"bits,omitempty"`    // of an encoding
}

// EncodedJSON returns a number, given by its encoding, as JSON writes it.
func EncodedJSON(f model.Format, b uint64) JSONNumber {
	n := Encoded("", f, b)
	return JSONNumber{Hex: n.Hex, Decimal: n.Decimal, Bits: fmt.Sprintf("0x%0*x", (f.Bits()+3)/4, b)}
}

// DyadicJSON returns an exact number as JSON writes it: hexadecimal in full, and 17 decimal digits.
func DyadicJSON(d oracle.Dyadic) *JSONNumber {
	return &JSONNumber{Hex: TidyHex(d.Hex()), Decimal: d.Decimal(17)}
}
