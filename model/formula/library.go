package formula

import "gamma/model"

// Scalar returns an input of one binary32 number.
func Scalar(name string) *Expr { return Input(name, Float(model.Binary32)) }

// Vector returns an input of n binary32 numbers, along an axis called n.
func Vector(name string) *Expr { return Input(name, Float(model.Binary32), "n") }

// Matrix returns an input of binary32 numbers with two axes, slowest first.
func Matrix(name, rows, columns string) *Expr {
	return Input(name, Float(model.Binary32), rows, columns)
}
