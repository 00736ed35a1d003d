// Package dot has a dot product that depends on the machine.
package dot

// Dot returns Σ x·y.
func Dot(x, y []float64) float64 {
	s := 0.0
	for i := range x {
		s += x[i] * y[i] // want 8 contraction fused into the addition; write float64(x*y)
	}
	return s
}

// Rounded returns Σ fl(x·y), the same on every machine.
func Rounded(x, y []float64) float64 {
	s := 0.0
	for i := range x {
		s += float64(x[i] * y[i])
	}
	return s
}
