package oracle

// SumIntegers returns Σx_i mod 2^k, 0 < k <= 64: the low k bits of the sum modulo 2^64, which 2^k divides.
func SumIntegers(k int, x []uint64) (sum uint64) {
	for _, v := range x {
		sum += v
	}
	return sum << (64 - k) >> (64 - k)
}
