package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// chunkSums returns the sums that SumArrival adds, in chunk order.
func chunkSums(x []float32) []float32 {
	var s []float32
	c := chunkLen(len(x))
	for ; len(x) > 0; x = x[min(c, len(x)):] {
		s = append(s, SumSerial(x[:min(c, len(x))]))
	}
	return s
}

// eachOrder calls f with the sum of s in every order.
func eachOrder(s []float32, f func(sum float32)) {
	if len(s) == 0 {
		return
	}
	var rec func(k int)
	rec = func(k int) {
		if k == len(s) {
			f(SumSerial(s))
			return
		}
		for i := k; i < len(s); i++ {
			s[k], s[i] = s[i], s[k]
			rec(k + 1)
			s[k], s[i] = s[i], s[k]
		}
	}
	rec(0)
}

// adverse is a vector whose chunk sums differ in the sum's last bits in nearly every order.
func adverse(n int) []float32 {
	rng := rand.New(rand.NewPCG(17, 2))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Ldexp(rng.Float64()-0.5, rng.IntN(20)))
	}
	return x
}

func TestArrivalOrderDecides(t *testing.T) {
	x := adverse(64)
	s := chunkSums(x)
	require.Len(t, s, workers)
	rng := rand.New(rand.NewPCG(18, 2))
	distinct := map[float32]bool{}
	for range 50 {
		order := rng.Perm(workers)
		turn := make([]chan struct{}, workers+1) // turn[k] opens when the k-th to arrive may go
		for k := range turn {
			turn[k] = make(chan struct{})
		}
		place := make([]int, workers)
		for k, chunk := range order {
			place[chunk] = k
		}
		var want float32
		for k, chunk := range order {
			if k == 0 {
				want = s[chunk]
			} else {
				want += s[chunk]
			}
		}
		close(turn[0])
		got := arrive(x, func(chunk int) { <-turn[place[chunk]] }, func(chunk int) { close(turn[place[chunk]+1]) })
		require.Equal(t, math.Float32bits(want), math.Float32bits(got))
		distinct[got] = true
	}
	require.Greater(t, len(distinct), 1, "fifty orders gave one value")
}

func TestArrivalSumIsTheSumOfItsChunksInSomeOrder(t *testing.T) {
	for _, n := range []int{1, 2, 7, 9, 64, 1000} {
		x := adverse(n)
		possible := map[float32]bool{}
		eachOrder(chunkSums(x), func(v float32) { possible[v] = true })
		seen := map[float32]bool{}
		for range 300 {
			v := SumArrival(x)
			require.True(t, possible[v], "n=%d", n)
			seen[v] = true
		}
		t.Logf("n=%d: %d of %d possible values seen in 300 runs", n, len(seen), len(possible))
	}
}
