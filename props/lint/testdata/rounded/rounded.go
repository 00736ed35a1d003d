package rounded

import "math"

func single(x, y, z float32) float32 {
	return float32(math.FMA(float64(x), float64(y), float64(z))) // want 17 double-rounding conversion to float32 rounds again
}

func later(x, y, z float32) float32 {
	r := math.FMA(float64(x), float64(y), float64(z)) // want 7 double-rounding to float32 in line 12
	if r > 0 {
		return float32(r)
	}
	return 0
}

func double(x, y, z float64) float64 { return float64(math.FMA(x, y, z)) }
func sum(x, y, z float64) float32    { return float32(math.FMA(x, y, z) + z) }
func other(x float64) float32        { return float32(math.Sqrt(x)) }
