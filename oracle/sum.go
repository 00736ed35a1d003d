package oracle

// SumFloat32 returns the exact sum of x rounded once to nearest even.
func SumFloat32(x []float32) float32 {
	var a Acc32
	a.AddSlice(x)
	return a.Float32()
}

// SumFloat64 returns the exact sum of x rounded once to nearest even.
func SumFloat64(x []float64) float64 {
	var a Acc64
	a.AddSlice(x)
	return a.Float64()
}

// DotFloat32 returns the exact sum of the x[i]·y[i] rounded once to nearest even. It panics if the
// lengths differ.
func DotFloat32(x, y []float32) float32 {
	var a Acc64
	a.AddProductSlice(x, y)
	return a.Float32()
}

// DotFloat64 returns the exact sum of the x[i]·y[i] rounded once to nearest even. It panics if the
// lengths differ.
func DotFloat64(x, y []float64) float64 {
	var a AccDot64
	a.AddProductSlice(x, y)
	return a.Float64()
}
