// Package ntt implements number-theoretic transforms modulo odd primes: the values of a polynomial of N coefficients at N points, and
// back, and with them products of polynomials modulo x^N-1 (cyclic) and x^N+1 (negacyclic).
//
// Start here: [NewTransform] finds a root of unity, [NewPlan] makes a plan for it, and [Plan] has Forward, Inverse and Product.
//
//	X_k = Σ_j a_j·ω^(j·k)          cyclic, ω of order N
//	X_k = Σ_j a_j·ψ^(j·(2k+1))     negacyclic, ψ of order 2N
//
// [NewPlan] takes any odd prime below 2^64, and keeps natural order. Code that multiplies values and transforms back does not need
// that order: [NewShoup] in form DITNR leaves values bit-reversed, saves the permutation, and is the fastest for primes below 2^62.
// A [Form] gives the decimation and the orders, Lazy in a name means ranges wider than [0, q), and a plan's claim describes it all.
//
// [All] lists every kernel with its claim, for the judge.
//
// # Which plan for which modulus
//
//	NewPlan                any odd prime below 2^64      natural order, reduced
//	NewMontgomery          any odd prime below 2^64      all six forms, reduced after every butterfly
//	NewMontgomeryDomain    any odd prime below 2^64      words in Montgomery's domain
//	NewMontgomeryEntering  any odd prime below 2^64      plain coefficients, values in the domain
//	NewMontgomeryLazy      below 2^62                    words in [0, 4q) or [0, 2q), the inverse not scaled
//	NewShoup               below 2^62                    reduced at the end; vector code in form DITNR
//	NewShoupLazy           below 2^62                    the same, not reduced
//	NewGoldilocks          2^64-2^32+1                   reduced after every butterfly
//	NewWord31              below 2^31                    words of 32 bits
//
// A size is a power of two that the modulus has a root for: with q-1 = 2^k·odd, N is at most 2^k if cyclic, 2^(k-1) if
// negacyclic. Constructors check all of this; Forward, Inverse and Product check lengths and every word;
// ForwardUnchecked and InverseUnchecked only lengths. A plan is made in time and space proportional to N.
//
// Keys in brackets are those of package model.
package ntt
