// Package formula says what a kernel computes, as a formula over arrays: plain data that both the judge and a kernel's author share.
//
// An expression (Expr) is an immutable node of a graph. Its axes have names, and operands of different axes are broadcast against
// each other by name, so that no transposition is needed: where a has the axes [m, k] and b has [k, n], Sum(Mul(a, b), "k") is their
// matrix product, with the axes [m, n]. The size of an axis is not part of a formula: the arrays of a concrete input give it. An axis
// that no input has, such as that of a slice, is made by IndexOf, which says its size.
//
//	x := formula.Vector("x")
//	e := formula.Exp(formula.Sub(x, formula.Max(x)))
//	softmax := formula.Div(e, formula.Sum(e))
//
// A formula states the exact function, and which operations compute it. How each of them may round is the Claim's: the formula
// says where results are stored in a narrower format (Store), in which order a sum is added (Expr.Ordered), and nothing else of it.
//
// An expression that cannot be, such as a sum over an axis that its operand does not have, is an expression, too: Err says what is wrong,
// and whoever evaluates or prints it reports that first. So formulas can be declared at package level.
//
// What two expressions use is computed once if it is one *Expr, as e is above; two calls of Exp with equal operands are two operations.
//
// The file library.go has formulas ready made, from Softmax and LayerNorm to Attention and QuantizeRows. Print writes a formula as text,
// Parse reads it, Hash names it, WriteText draws it as a tree, Replace makes a variant of it.
//
// Nothing in this package computes: the judge's evaluation is in package oracle/enclosure.
package formula
