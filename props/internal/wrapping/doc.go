// Package wrapping judges sums of integers modulo 2^k, which no order changes.
package wrapping
