package kernels

import (
	"sync"

	"gamma/model"
)

// workers is the number of goroutines of the parallel sums. It does not follow GOMAXPROCS, so that
// the set of results that an input can give is the same on every machine.
const workers = 8

func parallel() []Kernel {
	arrival := scheme(model.Binary32, model.Uncompensated)
	arrival.Repeats = false
	arrival.Height = func(n int) int {
		if n == 0 {
			return 0
		}
		c := chunkLen(n)
		return c - 1 + (n+c-1)/c - 1
	}
	return []Kernel{
		{Name: "kernels.SumArrival", Claim: arrival, Sum32: SumArrival},
		{Name: "kernels.SumParallel", Claim: plain(model.Binary32, "chunks/8"), Sum32: SumParallel},
	}
}

// chunkLen returns the length of the chunks of a vector of n leaves, n > 0; the last may be shorter.
func chunkLen(n int) int { return (n + workers - 1) / workers }

// SumArrival returns the sum of the sums of eight contiguous chunks, each summed from left to right
// by its own goroutine, and added to the total in the order in which the goroutines finish.
//
// Error: ((1+v)^h - 1)·A with h = ceil(n/8) - 1 + 7.
// Special: the bits may differ from one call to the next.
func SumArrival(x []float32) float32 { return arrive(x, nobody, nobody) }

func nobody(int) {}

// arrive is SumArrival, but calls before(i) and after(i) around adding chunk i to the total.
func arrive(x []float32, before, after func(chunk int)) float32 {
	if len(x) == 0 {
		return 0
	}
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		total float32
		begun bool
	)
	c := chunkLen(len(x))
	for i := 0; len(x) > 0; i++ {
		chunk := x[:min(c, len(x))]
		x = x[len(chunk):]
		wg.Go(func() {
			s := SumSerial(chunk)
			before(i)
			mu.Lock()
			if begun {
				total += s
			} else {
				total, begun = s, true
			}
			mu.Unlock()
			after(i)
		})
	}
	wg.Wait()
	return total
}

// SumParallel is SumArrival's deterministic twin: the same chunks, whose sums are kept apart and
// added pairwise at the end.
//
// Error: ((1+v)^h - 1)·A with h = ceil(n/8) - 1 + 3.
func SumParallel(x []float32) float32 {
	if len(x) == 0 {
		return 0
	}
	var (
		wg   sync.WaitGroup
		sums [workers]float32
	)
	c, n := chunkLen(len(x)), 0
	for ; len(x) > 0; n++ {
		chunk := x[:min(c, len(x))]
		x = x[len(chunk):]
		sum := &sums[n]
		wg.Go(func() { *sum = SumSerial(chunk) })
	}
	wg.Wait()
	return SumPairwise(sums[:n])
}
