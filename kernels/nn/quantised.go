package nn

import (
	"math"

	"gamma/model"
	"gamma/model/formula"
)

// leastScale is the largest element below which a row's scale no longer falls, so that rows of zeros have one.
const leastScale = 1e-12

// The formulas of quantised layers.
var (
	// MatMulInt8Formula is of a, m rows of k integers, b, k rows of n, and a scale for each row of a and each column of b.
	MatMulInt8Formula = formula.QuantizedMatMul(
		formula.Input("a", formula.Int(8), "m", "k"), formula.Input("b", formula.Int(8), "k", "n"),
		formula.Input("scaleA", formula.Float(model.Binary32), "m"), formula.Input("scaleB", formula.Float(model.Binary32), "n"), "k")
	// RMSNormE4M3Formula is of each row of x along n, and RMSNormScaleFormula of the rows' scales.
	RMSNormE4M3Formula, RMSNormScaleFormula = formula.QuantizeRows(
		formula.RMSNorm(rowsOf("x"), formula.Vector("gamma"), formula.Const(epsilon), "n"), formula.Float(model.E4M3), leastScale, "n")
)

func quantised() []Kernel {
	return []Kernel{
		{Name: "nn.MatMulInt8", Formula: MatMulInt8Formula, Run: func(a Arrays) {
			MatMulInt8(a.Float32("dst"), a.Int8("a"), a.Int8("b"), a.Float32("scaleA"), a.Float32("scaleB"), a.Size("m"), a.Size("n"), a.Size("k"))
		}},
		{Name: "nn.RMSNormE4M3", Formula: RMSNormE4M3Formula, Out: formula.Float(model.E4M3), Min: oneOf("n"), Run: func(a Arrays) {
			dst := a.Encodings("dst")
			codes := make([]uint8, len(dst))
			RMSNormE4M3(codes, make([]float32, a.Size("r")), a.Float32("x"), a.Float32("gamma"), epsilon, a.Size("n"))
			for i, c := range codes {
				dst[i] = uint16(c)
			}
		}},
		{Name: "nn.RMSNormScale", Formula: RMSNormScaleFormula, Min: oneOf("n"), Run: func(a Arrays) {
			x := a.Float32("x")
			RMSNormE4M3(make([]uint8, len(x)), a.Float32("dst"), x, a.Float32("gamma"), epsilon, a.Size("n"))
		}},
	}
}

// MatMulInt8 writes (Σ_l a_il·b_lj)·scaleA_i·scaleB_j, the sum in 32 bits.
//
// Shape: dst is m by n, a m by k, b k by n, by rows; len(scaleA) = m, len(scaleB) = n. It panics otherwise.
// Error: 3 roundings: the sum's to binary32 and two products'. From k = 2^17 on the sum may wrap.
// Alias: dst overlaps neither scale.
func MatMulInt8(dst []float32, a, b []int8, scaleA, scaleB []float32, m, n, k int) {
	checkProduct(len(dst), len(a), len(b), m, n, k)
	sameLength("scaleA", len(scaleA), m)
	sameLength("scaleB", len(scaleB), n)
	for i := range m {
		for j := range n {
			var s int32
			for l := range k {
				s += int32(a[i*k+l]) * int32(b[l*n+j])
			}
			dst[i*n+j] = float32(float32(float32(s)*scaleA[i]) * scaleB[j])
		}
	}
}

// RMSNormE4M3 writes RMSNorm's rows y, without a residual, as E4M3 numbers q and a scale for each row:
//
//	scale = max(max_j |y_j|, 10^-12)/448    q_i = y_i/scale, rounded to nearest
//
// Shape:   len(codes) = len(x), rows of n; one scale a row; len(gamma) = n. It panics otherwise.
// Domain:  eps > 0.
// Error:   RMSNorm's, one rounding of the scale and one of the quotient before that to E4M3: a code may be one off where the quotient is next to
// a tie.
// Special: an element that is not finite makes its row NaN.
func RMSNormE4M3(codes []uint8, scales, x, gamma []float32, eps float32, n int) {
	sameLength("codes", len(codes), len(x))
	sameLength("scales", len(scales), rows(len(x), n))
	y := make([]float32, len(x))
	rmsNorm(y, x, gamma, eps, n)
	for r := range scales {
		row := y[r*n:][:n]
		var top float32
		for _, v := range row {
			top = max(top, max(v, -v))
		}
		scales[r] = max(top, leastScale) / 448
		for i, v := range row {
			codes[r*n+i] = E4M3FromFloat32(v / scales[r])
		}
	}
}

// E4M3FromFloat32 returns f rounded to E4M3, to nearest with ties to even.
//
// Special: numbers beyond 448, and infinities, become ±448; NaN stays NaN.
func E4M3FromFloat32(f float32) uint8 {
	b := math.Float32bits(f)
	sign := uint8(b >> 24 & 0x80)
	b &= 1<<31 - 1
	switch {
	case b > 0x7f800000:
		return sign | 0x7f
	case b >= 0x43e00000: // 448
		return sign | 0x7e
	case b >= 0x3c800000: // 2^-6: the carry out of the significand raises the exponent
		b += 0x7ffff + b>>20&1
		return sign | min(uint8((b-120<<23)>>20), 0x7e)
	}
	return sign | uint8(math.RoundToEven(float64(math.Abs(float64(f))*0x1p9)))
}

// E4M3ToFloat32 returns the E4M3 number c as a float32, exactly.
func E4M3ToFloat32(c uint8) float32 {
	sign, b := uint32(c&0x80)<<24, uint32(c&0x7f)
	switch {
	case b == 0x7f:
		return math.Float32frombits(sign | 0x7fc00000)
	case b < 8:
		return math.Float32frombits(sign | math.Float32bits(float32(float32(b)*0x1p-9)))
	}
	return math.Float32frombits(sign | (b<<20 + 120<<23))
}
