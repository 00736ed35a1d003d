package attack

import (
	"math"

	"gamma/model"
	"gamma/model/word"
	"gamma/oracle"
)

// ExactRatio returns what the oracle says of one row: error over the bound at precision p, 0 or +Inf where the bound is 0, NaN for a row without an error.
func ExactRatio(op word.Op, bound word.Bound, p int, in, out []float32) float64 {
	j, err := oracle.NewWordJudge(op, model.Binary32)
	if err != nil {
		panic(err.Error())
	}
	return j.Judge(Encodings(in), Encodings(out), oracle.NewWordLimit(bound, p)).Ratio
}

// Encodings returns the encodings of binary32 words.
func Encodings(w []float32) []uint64 {
	b := make([]uint64, len(w))
	for i, v := range w {
		b[i] = uint64(math.Float32bits(v))
	}
	return b
}
