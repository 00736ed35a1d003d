// Package enclosure finds, for one input, the set of results that a conforming evaluation of a formula may give. Start here.
//
// Compile turns a formula and a claim into a Program, and Program.Run evaluates that on arrays. For each element it follows three
// things, which are not the same:
//
//	C    an interval that contains the exact value, with no rounding anywhere; where all conforming evaluations hold one number, that number
//	T    an interval that contains what any conforming evaluation may hold there
//	D    how far such an evaluation may be from the exact value, by the mean-value form below
//
// Each operation has a local error: its result is off the exact function of its operands by at most l, half an ulp where it is correctly
// rounded, k ulps where k are promised, the bound of an open sum where it is a sum. T follows from the operands' T, the operation's
// range over them, and l: plain interval arithmetic, rounded outwards.
//
// # The mean-value form
//
// Call the local errors of one evaluation d_k, |d_k| <= l_k, and its result G(d); G(0) is exact. On the way from 0 to d every node stays
// in its T, so by the mean-value theorem |G(d) - G(0)| <= Σ_k sup|∂G/∂d_k|·l_k, with the suprema over T: there is no term of second
// order. The derivatives are carried forward, as intervals. To carry one number for each of n·m errors would cost too much, and most of them
// do not matter together. So a node keeps
//
//	diag        the sum of |∂/∂d_k|·l_k over the errors of its own element, which are taken for independent of all others
//	symbols     errors that many elements share, with an interval for the derivative by each
//
// A node that is broadcast, as the mean of a row is, becomes a symbol: its total error, one free variable, replaces all that led to it.
// This may only widen the enclosure, since the true errors are one point of the larger box. In a sum over an axis a shared error's
// derivatives add with their signs: this is where the error of a mean cancels in Σ(x_i - mean), or that of a maximum in a softmax.
// Where a derivative is unbounded, and where an operation jumps, the error is what T says.
//
// T and C ± D are intersected, node by node.
//
// # Trust
//
// Interval arithmetic is in binary64, every operation rounded outwards by one unit. Of formats, those of at most 26 bits are judged so. A claim in
// binary64 would drown in that rounding: for it exact values are enclosed once more, in 80 bits, by math/big, which makes a softmax of 1,024 elements 69 times
// slower, 18 ms a row where binary32 takes 0.27, and a layer norm 4 times; ranges and errors stay as they are, and the enclosures are about as narrow as in binary32, in units of the format.
// Other formats of more than 26 bits are refused. Elementary functions are those of package oracle/real, with proven enclosures. The tests evaluate small formulas in toy
// formats in all orders, with all fusions and all results within the promised ulps, against T alone, C ± D alone, and both: on some inputs, or with
// GAMMA_LEVEL=thorough on all; and random formulas in binary16 with random conforming choices; and
// every formula of one or two operations over three numbers, with formulas of three and four in parts. For more operations there is the step of an induction: with
// anything that may be said of its operands, what is said of an operation's result is so. The tests also hold the exact values of 80 bits to these formats; random
// formulas in binary64 are evaluated in math/big.
package enclosure
