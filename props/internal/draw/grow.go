package draw

// Grow returns s with length n, of the same memory where that is large enough.
func Grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Missing returns how many of n are missing to a multiple of k; none if k is not above 1.
func Missing(n, k int) int {
	if k > 1 && n%k != 0 {
		return k - n%k
	}
	return 0
}
