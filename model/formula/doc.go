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
//
// # Text
//
// A text has one line for each input, in the order in which they first occur, one for each expression that has a name, and last the
// result:
//
//	x binary32[m, n]
//	t1 = exp(sub(x, max(x, n)))
//	result div(t1, sum(t1, n))
//
// A call has its operands first, then the axes it is about, the type of a store or the new name of a rename, and after a semicolon what
// else the node says:
//
//	sum(x, n; left)               Order: left, log, block=32 and extra=5 together
//	max(x, n; propagate)          Meaning: propagate, ignore, fmax
//	argmax(x, n; last)            Ties: last, any
//	store(x, e4m3; saturate)      Overflow: saturate, wrap
//	scansum(x, n; exclusive reverse)
//
// A real constant has a point or an exponent (1.0, 1e-05), an infinity a sign (+inf, -inf), an integer neither. What is used twice has a
// name, t1, t2 and so on, and so has an expression that would make a line long. Comments start with #.
package formula
