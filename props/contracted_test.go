package props

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/word"
	"gamma/props/judge"
)

// complex64By returns a binary64 complex product, by what adds a product to a product.
func complex64By(fused bool) Operation {
	return Operation{
		Name: "contracted.Complex", Claim: word.Claim{Op: word.ComplexTimes, Algorithm: "ComplexPlain", Exact: true},
		Run64: func(dst, src []float64) {
			for i := 0; i < len(dst); i += 2 {
				a, b, c, d := src[2*i], src[2*i+1], src[2*i+2], src[2*i+3]
				dst[i], dst[i+1] = float64(a*c)-float64(b*d), float64(a*d)+float64(b*c)
				if fused {
					dst[i], dst[i+1] = math.FMA(a, c, -float64(b*d)), math.FMA(a, d, float64(b*c))
				}
			}
		},
	}
}

// product64 is the product of two double words in binary64, whose second product of a high and a low word is fused or not.
func product64(fused bool) Operation {
	return Operation{
		Name: "contracted.DWTimesDW", Claim: word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW1", Exact: true},
		Run64: func(dst, src []float64) {
			for i := 0; i < len(dst); i += 2 {
				xh, xl, yh, yl := src[2*i], src[2*i+1], src[2*i+2], src[2*i+3]
				ch := float64(xh * yh)
				cl := math.FMA(xh, yh, -ch)
				t := float64(xh*yl) + float64(xl*yh)
				if fused {
					t = math.FMA(xl, yh, float64(xh*yl))
				}
				cl += t
				z := ch + cl
				dst[i], dst[i+1] = z, cl-(z-ch)
			}
		},
	}
}

// TestContracted64: a product that was fused in an operation on binary64 is named, and a sound operation holds.
func TestContracted64(t *testing.T) {
	for _, c := range []struct {
		of   func(fused bool) Operation
		want string
	}{
		{complex64By, "ran ComplexPlain with "},
		{product64, "ran DWTimesDW1 with xl·yh fused"},
	} {
		l, err := judge.LawByID(judge.WordLaws(), model.WordProgram)
		require.NoError(t, err)
		f, _, err := judge.Find(l, c.of(false), 40)
		require.NoError(t, err)
		require.Nil(t, f)
		f, _, err = judge.Find(l, c.of(true), 40)
		require.NoError(t, err)
		require.NotNil(t, f)
		text := strings.Join(strings.Fields(f.Text()), " ")
		require.Contains(t, text, c.want)
		require.Contains(t, text, "a product is fused into an addition (binary64)")
	}
}
