// Package montgomery implements arithmetic modulo q on words: Montgomery's, Shoup's and Barrett's products, and special forms for
// Goldilocks, BabyBear, KoalaBear and the Mersenne prime 2^31-1. Start here: [NewModulus64], and [All], which lists every operation
// with its claim.
//
// # Words and domains
//
// A word has b bits and R = 2^b. A word in the domain stands for the residue x if it is ≡ x·R (mod q); the product of two such
// words is a·b/R, again in the domain. ToMontgomery and FromMontgomery convert. A product of a word in the domain and a plain
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
// Each type has the methods of the one before it in this list, except Field64 and Barrett64. [Modulus32] and the others stand for
// words of 32 bits: their limits are 2^32, 2^31 and 2^30. [Toy] is the same code on words of 8 and 16 bits, small enough to be
// checked on every operand. A constructor rejects a modulus outside its type's range, so that methods need not check it; they do
// not check their operands either. Kernels of All, and functions that return an error, do.
//
// # Ranges
//
// A range is half open: [0, 2q) holds 2q-1 and not 2q. "Any word" is [0, R). What a function promises of its result holds for
// operands in the ranges that it names; for others nothing is promised.
//
// Keys in brackets are those of package model; proofs are in the comments of the functions that need them.
package montgomery
