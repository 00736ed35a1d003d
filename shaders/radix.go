package shaders

import (
	_ "embed"
	"encoding/binary"

	"gamma/model/formula"
)

//go:embed radix.metal
var radixSource string

// digits is how many digits numbers are sorted by.
const digits = 16

// int32s are integers of 32 bits.
var int32s = element{4, func(a Arrays, name string) (bytes []byte) {
	for _, v := range a.Int32(name) {
		bytes = binary.LittleEndian.AppendUint32(bytes, uint32(v))
	}
	return bytes
}, func(a Arrays, bytes []byte) {
	for i := range a.Int32("dst") {
		a.Int32("dst")[i] = int32(uint32At(bytes, i))
	}
}}

// sortedByDigit returns x in the order of its numbers modulo base along axis, equal ones as they are: number j stands where there are as many numbers with a
// smaller digit, and before it with its own.
func sortedByDigit(x *formula.Expr, base int64, axis string) *formula.Expr {
	one, other := formula.Rename(x, axis, "from"), formula.Rename(x, axis, "other")
	a, b := formula.Mod(one, formula.Integer(base)), formula.Mod(other, formula.Integer(base))
	before := formula.And(formula.Equal(b, a), formula.Less(formula.Index("other"), formula.Index("from")))
	place := formula.Count(formula.Or(formula.Less(b, a), before), "other")
	here := formula.Equal(place, formula.IndexOf(axis, formula.Len("from")))
	return formula.InOrder(formula.Sum(formula.Select(here, one, formula.Integer(0)), "from"), x.Axes()...)
}

func sorts() []Formula {
	x := formula.Input("x", formula.Int(32), "r", "n")
	sort := describe("radix.metal", radixSource, "sort_digit", sortedByDigit(x, digits, "n"), byRows([]int{digits}, "x")(int32s))
	sort.Out, sort.MaxN = formula.Int(32), 150 // the formula takes n² steps a row
	return []Formula{sort}
}
