package complex

// byFour multiplies numbers from the start in vectors of four, and returns the number of words that it wrote.
func byFour(dst, x, y []float32) int {
	n := len(dst) / 16
	if n > 0 {
		multiply4(&dst[0], &x[0], &y[0], n)
	}
	return 16 * n
}

// multiply4 sets 4·n complex double words at dst to the products of those at x and y, for n > 0.
//
//go:noescape
func multiply4(dst, x, y *float32, n int)
