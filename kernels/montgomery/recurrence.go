package montgomery

import "gamma/model/modular"

// The recurrences of this package's operations. Where a function subtracts and adds K·q back if that borrowed, its recurrence adds
// K·q first and reduces by K·q then: the word is the same, and the sum before is the bound that its modulus has to keep.

func step(op modular.StepOp, a, b int, k uint64) modular.Step {
	return modular.Step{Op: op, A: a, B: b, K: k}
}

// recurrence returns the recurrence of operands and steps whose results are the last words, in order.
func recurrence(in []string, results int, steps ...modular.Step) *modular.Recurrence {
	r := &modular.Recurrence{In: in, Steps: steps}
	for i := range results {
		r.Out = append(r.Out, len(in)+len(steps)-results+i)
	}
	return r
}

// SumRecurrence returns the recurrence of Short64.Add for range 1, and of AddLazy for range 2.
func SumRecurrence(k uint64) *modular.Recurrence {
	return recurrence([]string{"a", "b"}, 1, step(modular.Add, 0, 1, 0), step(modular.Reduce, 2, 0, k))
}

// DifferenceRecurrence returns the recurrence of Sub for range 1 and of SubLazy for range 2.
func DifferenceRecurrence(k uint64) *modular.Recurrence {
	return recurrence([]string{"a", "b"}, 1, step(modular.Subtract, 0, 1, k), step(modular.Reduce, 2, 0, k))
}

// MulSumRecurrence returns the recurrence of MulSum.
func MulSumRecurrence() *modular.Recurrence {
	return recurrence([]string{"a", "b"}, 1, step(modular.Montgomery, 0, 1, 0), step(modular.Reduce, 2, 0, 1))
}

// MulLazyRecurrence returns the recurrence of MulLazy.
func MulLazyRecurrence() *modular.Recurrence {
	return recurrence([]string{"a", "b"}, 1, step(modular.Montgomery, 0, 1, 0))
}

// MulShoupRecurrence returns the recurrence of MulShoup.
func MulShoupRecurrence() *modular.Recurrence {
	return recurrence([]string{"a", "w"}, 1, step(modular.Shoup, 0, 1, 0), step(modular.Reduce, 2, 0, 1))
}

// MulShoupLazyRecurrence returns the recurrence of MulShoupLazy.
func MulShoupLazyRecurrence() *modular.Recurrence {
	return recurrence([]string{"a", "w"}, 1, step(modular.Shoup, 0, 1, 0))
}

// ReduceTwiceRecurrence returns the recurrence of ReduceTwice.
func ReduceTwiceRecurrence() *modular.Recurrence {
	return recurrence([]string{"a"}, 1, step(modular.Reduce, 0, 0, 1))
}

// ReduceFourRecurrence returns the recurrence of ReduceFour.
func ReduceFourRecurrence() *modular.Recurrence {
	return recurrence([]string{"a"}, 1, step(modular.Reduce, 0, 0, 2), step(modular.Reduce, 1, 0, 1))
}

// ForwardRecurrence returns the recurrence of Forward.
func ForwardRecurrence() *modular.Recurrence {
	r := recurrence([]string{"x", "y", "w"}, 0,
		step(modular.Montgomery, 1, 2, 0), step(modular.Reduce, 3, 0, 1),
		step(modular.Add, 0, 4, 0), step(modular.Reduce, 5, 0, 1),
		step(modular.Subtract, 0, 4, 1), step(modular.Reduce, 7, 0, 1))
	r.Out = []int{6, 8}
	return r
}

// BackwardRecurrence returns the recurrence of Backward.
func BackwardRecurrence() *modular.Recurrence {
	r := recurrence([]string{"x", "y", "w"}, 0,
		step(modular.Add, 0, 1, 0), step(modular.Reduce, 3, 0, 1),
		step(modular.Subtract, 0, 1, 1), step(modular.Reduce, 5, 0, 1),
		step(modular.Montgomery, 6, 2, 0), step(modular.Reduce, 7, 0, 1))
	r.Out = []int{4, 8}
	return r
}

// ForwardLazyRecurrence returns the recurrence of ForwardLazy for Montgomery's product and of ForwardShoupLazy for Shoup's.
func ForwardLazyRecurrence(product modular.StepOp) *modular.Recurrence {
	return recurrence([]string{"x", "y", "w"}, 2,
		step(modular.Reduce, 0, 0, 2), step(product, 1, 2, 0),
		step(modular.Add, 3, 4, 0), step(modular.Subtract, 3, 4, 2))
}

// BackwardLazyRecurrence returns the recurrence of BackwardLazy for Montgomery's product and of BackwardShoupLazy for Shoup's.
func BackwardLazyRecurrence(product modular.StepOp) *modular.Recurrence {
	r := recurrence([]string{"x", "y", "w"}, 0,
		step(modular.Add, 0, 1, 0), step(modular.Reduce, 3, 0, 2),
		step(modular.Subtract, 0, 1, 2), step(product, 5, 2, 0))
	r.Out = []int{4, 6}
	return r
}
