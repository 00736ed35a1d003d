package props_test

import (
	"fmt"
	"math"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/word"
	"gamma/props"
	"gamma/props/judge"
)

// twoSum is 2Sum of Knuth and Møller, s+e = a+b.
func twoSum(a, b float32) (s, e float32) {
	s = a + b
	x := s - b
	y := s - x
	return s, (a - x) + (b - y)
}

// ExampleOperation judges one row of a transform; in a test, sum.Check(t) does the rest.
func ExampleOperation() {
	sum := props.Operation{
		Name: "mykernel.TwoSum", Run: props.Rows22(twoSum),
		Claim: word.Claim{Op: word.TwoSum, Algorithm: "2Sum"},
	}
	law, err := judge.LawByID(judge.WordLaws(), model.EFTSum)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range []float32{1, math.MaxFloat32} {
		row := corpus.TableRow{Words: []uint64{uint64(math.Float32bits(a)), uint64(math.Float32bits(-0x1.8p104))}}
		v, err := judge.Judge(law, sum, &corpus.Table{Rows: []corpus.TableRow{row}})
		fmt.Println(v, err)
	}
	// Output:
	// eft.sum: holds, error/bound 0 of the exact result <nil>
	// eft.sum: vacuous: an operand is the largest number, from which the algorithm overflows on the way <nil>
}
