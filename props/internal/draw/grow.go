package draw

// Grow returns s with length n, of the same memory where that is large enough.
func Grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
