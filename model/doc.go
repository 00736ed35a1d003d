// Package model is the mathematics of Gamma as plain data: floating-point formats, what a kernel
// may claim, what a device may do, and the error bounds that theorems grant. Start here.
//
// Nothing in this package rounds, fuses or flushes: executable rounding is in model/round, which
// only the judge imports, so that a kernel and its judge share names and no arithmetic.
//
// # Notation
//
// For a format with precision P, rounding to nearest, and n leaves x_i:
//
//	u    unit roundoff 2^-P                 v    u/(1+u)
//	S    exact sum of the leaves            A    sum of the |x_i|
//	E    |computed - S|                     h    height of the tree
//	η    half the least subnormal           γ_k  k·u/(1-k·u)
//
// # Sources
//
// Doc comments cite by these keys.
//
//	[Higham 2002]            N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM.
//	[IEEE 754-2019]          IEEE Standard for Floating-Point Arithmetic.
//	[OCP FP8 2023]           Open Compute Project, OCP 8-bit Floating Point Specification (OFP8), rev. 1.0.
//	[TorchLean]              NN.Floats.IEEEExec.Reductions, the seed page of this project.
//	[FloatLib]               Numerics.Reduction, TorchLean's successor, with premises on the operands met.
//	[lean-ieee754]           tunnellm/lean-ieee754, ReductionTree.mixed_error.
//	[Rump 2012]              S. M. Rump, Error estimation of floating-point summation and dot product, BIT 52, 201-220.
//	[Jeannerod-Rump 2013]    Improved error bounds for inner products in floating-point arithmetic, SIMAX 34, 338-344.
//	[Jeannerod-Rump 2018]    On relative errors of floating-point operations, Math. Comp. 87, 803-819.
//	[Lange-Rump 2017]        Error estimates for the summation of real numbers, BIT 57, 927-941.
//	[Lange-Rump 2019]        Sharp estimates for perturbation errors in summations, Math. Comp. 88, 349-368.
//	[Ogita-Rump-Oishi 2005]  Accurate sum and dot product, SISC 26, 1955-1988.
//	[Boldo-Melquiond 2008]   Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd, IEEE TC 57, 462-471.
//	[Blanchard-Higham-Mary 2020]  A class of fast and accurate summation algorithms, SISC 42, A1541-A1557.
//	[JMP 2017]               Joldes, Muller, Popescu, Tight and rigorous error bounds for basic building blocks of double-word
//	                         arithmetic, ACM TOMS 44, 15res.
//	[MR 2022]                Muller, Rideau, Formalization of double-word arithmetic, and comments on it, ACM TOMS 48, 9.
//	[Higham-Mary 2019]       A new approach to probabilistic rounding error analysis, SISC 41, A2815-A2835.
//	[Gamma T1], [Gamma K1], … proved in the doc comment that names them, and checked exhaustively in
//	                         toy formats by the max-plus dynamic programme of the tests.
package model
