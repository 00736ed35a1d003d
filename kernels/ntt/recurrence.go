package ntt

import (
	"math/bits"
	"slices"

	"gamma/model/modular"
)

// timeRecurrence returns the recurrence of a lazy butterfly that decimates in time, [0, 4q) to [0, 4q), with Shoup's or Montgomery's
// product.
func timeRecurrence(multiply modular.StepOp) *modular.Recurrence {
	return &modular.Recurrence{
		In: []string{"x", "y", "w"},
		Steps: []modular.Step{
			{Op: modular.Reduce, A: 0, K: 2},
			{Op: multiply, A: 1, B: 2},
			{Op: modular.Add, A: 3, B: 4},
			{Op: modular.Subtract, A: 3, B: 4, K: 2},
		},
		Out: []int{5, 6},
	}
}

// frequencyRecurrence returns the recurrence of a lazy butterfly that decimates in frequency, [0, 2q) to [0, 2q).
func frequencyRecurrence(multiply modular.StepOp) *modular.Recurrence {
	return &modular.Recurrence{
		In: []string{"x", "y", "w"},
		Steps: []modular.Step{
			{Op: modular.Add, A: 0, B: 1},
			{Op: modular.Reduce, A: 3, K: 2},
			{Op: modular.Subtract, A: 0, B: 1, K: 2},
			{Op: multiply, A: 5, B: 2},
		},
		Out: []int{4, 6},
	}
}

// stages returns the recurrences of a direction: log2 n butterflies, then a factor for each word if multiplied, then a reduction
// of the results of a butterfly or a product if reduced.
func stages(n int, multiply modular.StepOp, inTime, multiplied, reduced bool) []*modular.Recurrence {
	butterfly := frequencyRecurrence(multiply)
	if inTime {
		butterfly = timeRecurrence(multiply)
	}
	list := slices.Repeat([]*modular.Recurrence{butterfly}, bits.Len(uint(n))-1)
	if !multiplied && !reduced {
		return list
	}
	last := &modular.Recurrence{In: []string{"x"}}
	at := 0
	if multiplied {
		last.In = []string{"x", "w"}
		last.Steps = append(last.Steps, modular.Step{Op: multiply, A: 0, B: 1})
		at = 2
	}
	if reduced {
		for _, k := range []uint64{2, 1} {
			if k == 2 && (multiplied || !inTime) {
				continue // below 2q already
			}
			last.Steps = append(last.Steps, modular.Step{Op: modular.Reduce, A: at, K: k})
			at = len(last.In) + len(last.Steps) - 1
		}
	}
	last.Out = []int{at}
	return append(list, last)
}
