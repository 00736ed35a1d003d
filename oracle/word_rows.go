package oracle

import (
	"math"

	"gamma/model"
)

// Rows32 judges a batch of rows of float32, one after the other in in and out, and returns the worst error over limit of the rows
// that it found within the limit, and that row, or -1. It appends to unsure the numbers of all other rows, which Judge decides: those
// outside the limit, those too near to it, and those without an error because a word is not finite.
func (j *WordJudge) Rows32(in, out []float32, limit *WordLimit, unsure []int) (worst float64, row int, rest []int) {
	if j.f != model.Binary32 {
		panic(notBinary32)
	}
	n := rows(len(in), len(out), j)
	for i := range n {
		unsure = append(unsure, i)
	}
	return 0, -1, unsure
}

// Rows64 is Rows32 for rows of float64. No row that is within the limit is left in unsure.
func (j *WordJudge) Rows64(in, out []float64, limit *WordLimit, unsure []int) (worst float64, row int, rest []int) {
	if j.f != model.Binary64 {
		panic(notBinary64)
	}
	row = -1
	for i := range rows(len(in), len(out), j) {
		v := j.Judge64(in[i*j.in:(i+1)*j.in], out[i*j.out:(i+1)*j.out], limit)
		if !v.Within {
			unsure = append(unsure, i)
		} else if row < 0 || v.Ratio > worst {
			worst, row = v.Ratio, i
		}
	}
	return worst, row, unsure
}

// rows returns the number of rows in a batch.
func rows(in, out int, j *WordJudge) int {
	n := in / j.in
	if n*j.in != in || n*j.out != out {
		panic(badRows)
	}
	return n
}

// NormalRows32 appends to bad the numbers of the pairs in x, one after the other, that are no double word; see NormalDW.
func NormalRows32(x []float32, bad []int) []int {
	if len(x)&1 != 0 {
		panic(oddPairs)
	}
	for i := 0; i+1 < len(x); i += 2 {
		if !NormalDW(model.Binary32, bits32(x[i]), bits32(x[i+1])) {
			bad = append(bad, i/2)
		}
	}
	return bad
}

func bits32(x float32) uint64 { return uint64(math.Float32bits(x)) }
