package foreign_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/props"
	"gamma/props/foreign"
	"gamma/props/judge"
)

// BenchmarkSubject measures how many sums of 1,000 numbers by a C function are judged in a second: in a process of its own, and here.
func BenchmarkSubject(b *testing.B) {
	path := compiled(b)
	for name, options := range map[string][]foreign.Option{"library": nil, "here": {foreign.Here}} {
		b.Run(name, func(b *testing.B) {
			lib := foreign.Load(b, path, options...)
			sum := lib.Sum("float sum(const float *x, size_t n)")
			cases(b, props.Reduction{Name: "c.sum", RunErr: sum})
		})
	}
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
