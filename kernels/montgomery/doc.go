// Package montgomery holds arithmetic modulo q on words: Montgomery's products, Shoup's, Barrett's, and forms of their own for
// Goldilocks, BabyBear, KoalaBear and the Mersenne prime 2^31-1. Start here: [NewModulus64], and [All], which lists every operation
// with its claim.
//
// # Words and domains
//
// A word has b bits and R = 2^b. A word in the domain stands for the residue x if it is ≡ x·R (mod q); the product of two such
// words is a·b/R, again in the domain. ToMontgomery and FromMontgomery cross over. A product of a word in the domain and a plain
// one is plain: so a table of factors in the domain multiplies plain data.
//
// # Which type for which modulus
//
//	Modulus64  odd q from 3 to 2^64-1   everything reduced
//	Short64    odd q below 2^63         the same, faster sums, and Shoup's products
//	Lazy64     odd q below 2^62         results in [0, 2q) and [0, 4q) without a last subtraction, their ranges in name and comment
//	Field64    odd primes               the inverse by a power
//	Barrett64  any q from 2 to 2^63     no domain, even moduli too; Barrett32 has any q from 2 to 2^32-1
//
// Each type holds all that the one before it in this list has, Field64 and Barrett64 aside. [Modulus32] and the others stand for
// words of 32 bits: their limits are 2^32, 2^31 and 2^30. [Toy] is the same code on words of 8 and 16 bits, small enough to be
// checked on every operand. A constructor refuses a modulus outside its type's range, so that methods need not look; they do not
// look at their operands either. Kernels of All and functions with an error do.
//
// # Ranges
//
// A range is half open: [0, 2q) holds 2q-1 and not 2q. "Any word" is [0, R). What a function says of its result holds for operands
// in the ranges that it names, and for others nothing is said.
//
// # Sources
//
//	[Montgomery 1985]  P. L. Montgomery, Modular multiplication without trial division, Math. Comp. 44, 519-521.
//	[Montgomery 1987]  P. L. Montgomery, Speeding the Pollard and elliptic curve methods of factorization, Math. Comp. 48, 243-264, §10.3.1.
//	[Barrett 1986]     P. Barrett, Implementing the RSA public key encryption algorithm on a standard DSP, CRYPTO '86, 311-323.
//	[Harvey 2014]      D. Harvey, Faster arithmetic for number-theoretic transforms, J. Symb. Comp. 60, 113-119.
//	[Sorenson-Webster 2017]  J. Sorenson, J. Webster, Strong pseudoprimes to twelve prime bases, Math. Comp. 86, 985-1003.
//
// Proofs are in the comments of the functions that need them.
package montgomery
