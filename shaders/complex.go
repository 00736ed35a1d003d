package shaders

import (
	_ "embed"

	"gamma/model/word"
)

//go:embed complex.metal
var complexSource string

// complexes returns the sums and products of complex numbers.
func complexes() []Operation {
	product := func(name string, c word.Claim) Operation {
		return operation("complex.metal", complexSource, "complex_"+name, name, c)
	}
	return []Operation{
		product("plain", exactly("ComplexPlain", word.ComplexTimes)),
		product("fma", exactly("ComplexFMA", word.ComplexTimes)),
		product("kahan", exactly("ComplexKahan", word.ComplexTimes)),
		product("three", exactly("Complex3", word.ComplexTimes)),
		product("extended", exactly("ComplexExtended", word.ComplexTimes)),
		product("dd_plus", exactly("ComplexDWPlus", word.ComplexDWPlus)),
		product("dd_times1", exactly("ComplexDW1", word.ComplexDWTimes)),
		product("dd_times2", exactly("ComplexDW2", word.ComplexDWTimes)),
		product("dd_times3", exactly("ComplexDW3", word.ComplexDWTimes)),
		product("multiply_extended", word.Claim{Op: word.ComplexDWTimesRound, Algorithm: "ComplexDW3", Special: word.SpecialNotFinite}),
		product("multiply_extended_dd", exactly("ComplexDW3", word.ComplexDWTimes)),
	}
}
