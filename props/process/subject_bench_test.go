package process_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/props"
	"gamma/props/judge"
)

// BenchmarkSubject measures how many sums of 1,000 numbers by NumPy are judged in a second.
func BenchmarkSubject(b *testing.B) {
	b.Run("process", func(b *testing.B) {
		cases(b, props.Reduction{Name: "kernels.total", RunErr: python(b).Sum("total")})
	})
}

// cases judges b.N sums of 1,000 numbers by the bound of any order.
func cases(b *testing.B, r props.Reduction) {
	b.Setenv("GAMMA_CHECKS", strconv.Itoa(math.MaxInt32)) // all are drawn
	r.Claim.MinN, r.Claim.MaxN = 1000, 1000
	l, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	require.NoError(b, err)
	_, _, _, err = judge.Search(l, r, 10) // it starts the process
	require.NoError(b, err)
	b.ResetTimer()
	_, n, v, err := judge.Search(l, r, b.N)
	require.NoError(b, err)
	require.False(b, v.Fails(), v.Reason)
	require.Equal(b, b.N, n)
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "cases/s")
}
