package props

import (
	"gamma/props/internal/formulas"
)

type (
	// Kernel is a function on arrays, judged by a formula that says what it computes.
	Kernel = formulas.Kernel
	// KernelCall is one call of a Kernel: its inputs by name, the sizes of their axes, and the memory for its result, which is called dst.
	KernelCall = formulas.Call
)

// FormulaLaws returns the built-in laws of kernels that compute a formula.
func FormulaLaws() []LawOf[*KernelCall, Kernel] {
	return formulas.Laws()
}
