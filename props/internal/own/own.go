// Package own makes subjects of the Go kernels of this repository, for its tests: those of package props, and the laws on all of them in
// package builtin.
package own

import (
	"slices"

	"gamma/kernels"
	"gamma/kernels/complex"
	"gamma/kernels/conv"
	"gamma/kernels/dd"
	"gamma/kernels/eft"
	"gamma/kernels/montgomery"
	"gamma/kernels/nn"
	"gamma/kernels/ntt"
	"gamma/kernels/trig"
	"gamma/props/internal/engine"
	"gamma/props/judge"
)

// Vectors returns the kernels that sum: those of package kernels, and those of dd, which kernels cannot import.
func Vectors() []kernels.Kernel { return append(kernels.All(), dd.Sums()...) }

// Vector wraps a sum, a mean or a dot product as users wrap theirs.
func Vector(k kernels.Kernel) engine.Subject {
	if k.IsDot() {
		return judge.Dot{
			Name: k.Name, Claim: k.Claim,
			Run: k.Dot32, Run64: k.Dot64, RunBits: k.DotBits, RunSquares: k.Squares32, RunRows: k.DotRows32,
		}
	}
	return judge.Reduction{
		Name: k.Name, Claim: k.Claim,
		Run: k.Sum32, Run64: k.Sum64, RunBits: k.SumBits, RunTree: k.SumTree, RunRows: k.Rows32,
	}
}

// Operations returns the kernels on words, in both formats.
func Operations() (list []judge.Operation) {
	for _, k := range eft.All() {
		list = append(list, judge.Operation{Name: k.Name, Claim: k.Claim, Run: k.Run32}, judge.Operation{Name: k.Name, Claim: k.Claim, Run64: k.Run64})
	}
	for _, k := range dd.All() {
		list = append(list, judge.Operation{Name: k.Name, Claim: k.Claim, Run: k.Run32}, judge.Operation{Name: k.Name, Claim: k.Claim, Run64: k.Run64})
	}
	for _, k := range complex.All() {
		list = append(list, judge.Operation{Name: k.Name, Claim: k.Claim, Run: k.Run32}, judge.Operation{Name: k.Name, Claim: k.Claim, Run64: k.Run64})
	}
	return list
}

// Modulars returns the kernels on residues.
func Modulars() (list []judge.Modular) {
	for _, k := range montgomery.All() {
		list = append(list, judge.Modular{Name: k.Name, Claim: k.Claim, Run: k.Run})
	}
	return list
}

// NTTs returns the number-theoretic transforms.
func NTTs() (list []judge.NTT) {
	for _, k := range ntt.All() {
		list = append(list, judge.NTT{Name: k.Name, Claim: k.Claim, Plan: k.Plan})
	}
	return list
}

// Formulas returns the kernels that compute a formula.
func Formulas() (list []judge.Kernel) {
	for _, k := range slices.Concat(nn.All(), nn.Float16(), nn.BFloat16(), nn.Binary64(), nn.DoubleWord(), trig.All(), conv.All()) {
		list = append(list, Formula(k))
	}
	return list
}

// Formula wraps a kernel that computes a formula.
func Formula(k nn.Kernel) judge.Kernel {
	return judge.Kernel{
		Name: k.Name, Formula: k.Formula, Claim: k.Claim, Out: k.Out, Min: k.Min, Max: k.Max, Fixed: k.Fixed, InPlace: k.InPlace,
		Call: func(c *judge.KernelCall) error { k.Run(c); return nil },
	}
}
