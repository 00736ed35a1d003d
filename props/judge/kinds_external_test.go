package judge_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/judge"
)

// TestLawOfAnotherKind: a law judges subjects of its kind alone, and says so of others.
func TestLawOfAnotherKind(t *testing.T) {
	l, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	require.NoError(t, err)
	sum := judge.Reduction{Name: "mine.Sum", Run: func(x []float32) float32 { return 0 }}
	dot := judge.Dot{Name: "mine.Dot", Run: func(x, y []float32) float32 { return 0 }}
	whole := judge.Wrapping{Name: "mine.Checksum", Bits: 8, Run: func(x []uint64) uint64 { return 0 }}

	_, err = judge.Judge(l, whole, &corpus.Integers{Bits: 8})
	require.EqualError(t, err, "props: law sum.enclosure is one of another kind than mine.Checksum, which is a sum of integers modulo 2^k")
	_, _, err = judge.Find(l, whole, 10)
	require.ErrorContains(t, err, "is one of another kind")
	_, _, v, err := judge.Search(l, dot, 10) // of the same kind, and says nothing about it
	require.NoError(t, err)
	require.Equal(t, judge.Vacuous, v.Outcome)
	f, _, err := judge.Find(l, sum, 1000)
	require.NoError(t, err)
	require.NotNil(t, f)
}
