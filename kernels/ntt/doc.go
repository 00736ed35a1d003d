// Package ntt has number-theoretic transforms modulo odd primes: the values of a polynomial of N coefficients at N points, and
// back, and with them products of polynomials modulo x^N-1 (cyclic) and x^N+1 (negacyclic).
//
// Start here: [NewTransform] finds a root of unity, [NewPlan] makes a plan for it, and [Plan] has Forward, Inverse and Product.
//
//	X_k = Σ_j a_j·ω^(j·k)          cyclic, ω of order N
//	X_k = Σ_j a_j·ψ^(j·(2k+1))     negacyclic, ψ of order 2N
//
// [NewPlan] takes any odd prime below 2^64, and keeps natural order. Those who multiply values and go back do not need that
// order: [NewShoup] in form DITNR leaves values bit-reversed, saves the permutation, and is the fastest for primes below 2^62.
// [Form] says the decimation and the orders, a name with Lazy has ranges wider than [0, q), and a plan's claim tells all of it.
//
// [All] lists every kernel with its claim, for the judge.
package ntt
