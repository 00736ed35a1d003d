// Package formulas judges kernels by a formula that says what they compute.
package formulas
