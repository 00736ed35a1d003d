package props

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/model"
	"gamma/props/judge"
)

// rounded16 rounds to binary16, and brain16 to bfloat16 with ties to even.
func rounded16(v float32) float32 { return kernels.HalfToFloat32(kernels.HalfFromFloat32(v)) }

func brain16(v float32) float32 {
	b := math.Float32bits(v)
	if b&0x7f800000 == 0x7f800000 {
		return v
	}
	return math.Float32frombits((b + 0x7fff + b>>16&1) &^ 0xffff)
}

// TestCauseOfSums: the report of a single planted fault names it, and offers nothing that further sums refute.
func TestCauseOfSums(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	folded := func(step func(s, v float32) float32) func(x []float32) float32 {
		return func(x []float32) (s float32) {
			for _, v := range x {
				s = step(s, v)
			}
			return s
		}
	}
	twoSums := func(ordered bool, sign float32) func(x []float32) float32 {
		return func(x []float32) float32 {
			var s, c float32
			for _, v := range x {
				r := s + v
				if large := math.Abs(float64(s)) >= math.Abs(float64(v)); large || !ordered {
					c += (s - r) + v
				} else {
					c += (v - r) + s
				}
				s = r
			}
			return s + sign*c
		}
	}
	kahan := model.Claim{Compensation: model.Kahan}
	sum2 := model.Claim{Compensation: model.Sum2}
	for name, c := range map[string]struct {
		law   model.LawID
		claim model.Claim
		run   func(x []float32) float32
		want  string // in the cause or the headline
		not   string
	}{
		"tail": {model.SumIntegers, model.Claim{}, func(x []float32) float32 { return serial32(x[:len(x)&^3]) }, "right at lengths that are multiples of 4", ""},
		"short tail": {model.SumIntegers, model.Claim{}, func(x []float32) float32 {
			if len(x) < 8 {
				return serial32(x)
			}
			return serial32(x[:len(x)&^7])
		}, "right below 8 and at multiples of 8", ""},
		"long":  {model.SumIntegers, model.Claim{}, func(x []float32) float32 { return serial32(x[:min(len(x), 17)]) }, "right at lengths up to 17", ""},
		"first": {model.SumIntegers, model.Claim{}, func(x []float32) float32 { return serial32(x[min(1, len(x)):]) }, "the sum without x[0]", ""},
		"large": {model.SumIntegers, model.Claim{}, folded(func(s, v float32) float32 { return s + float32(max(-0x1p20, min(v, 0x1p20))) }), "", "sum without"},
		"lost": {model.SumEnclosure, model.Claim{}, folded(func(s, v float32) float32 {
			if v > 0x1p60 || v < -0x1p60 {
				return s
			}
			return s + v
		}), "", "sum without"},
		"half":      {model.SumEnclosure, model.Claim{}, folded(func(s, v float32) float32 { return rounded16(s + rounded16(v)) }), "additions in binary16, not in binary32", "sum without"},
		"brain":     {model.SumEnclosure, model.Claim{}, folded(func(s, v float32) float32 { return brain16(s + brain16(v)) }), "additions in bfloat16, not in binary32", "sum without"},
		"unordered": {model.SumCompensated, sum2, twoSums(false, 1), "whatever is larger", ""},
		"minus":     {model.SumCompensated, sum2, twoSums(true, -1), "subtracted at the end", ""},
		"plain":     {model.SumCompensated, sum2, serial32, "adds without compensation", ""},
		"sign": {model.SumCompensated, kahan, func(x []float32) float32 {
			var s, c float32
			for _, v := range x {
				y := v + c
				t := s + y
				c = (t - s) - y
				s = t
			}
			return s
		}, "Kahan's scheme has the wrong sign", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := judge.LawByID(judge.Laws(), c.law)
			require.NoError(t, err)
			f, _, err := foundAs[*Failure](judge.Find(l, Reduction{Name: "mykernel.Sum", Run: c.run, Claim: c.claim}, 5000))
			require.NoError(t, err)
			require.NotNil(t, f)
			_, text := f.Cause()
			text = f.Headline() + "\n" + text
			require.Contains(t, text, c.want)
			if c.not != "" {
				require.NotContains(t, text, c.not)
			}
		})
	}
}
