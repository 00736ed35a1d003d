package shaders

import (
	_ "embed"

	"gamma/model/word"
)

//go:embed eft.metal
var eftSource string

// transforms returns the error-free transforms.
func transforms() []Operation {
	eft := func(name, algorithm string, op word.Op) Operation {
		return operation("eft.metal", eftSource, "eft_"+name, name, exactly(algorithm, op))
	}
	return []Operation{
		eft("two_sum", "2Sum", word.TwoSum),
		eft("two_sum_left", "2SumLeft", word.TwoSum),
		eft("fast_two_sum", "Fast2Sum", word.TwoSum),
		eft("split", "Veltkamp", word.Split),
		eft("two_prod", "2ProdFMA", word.TwoProduct),
		eft("two_prod_dekker", "Dekker", word.TwoProduct),
	}
}
