package main

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	babybearfield "github.com/consensys/gnark-crypto/field/babybear"
	babybear "github.com/consensys/gnark-crypto/field/babybear/fft"
	goldilocksfield "github.com/consensys/gnark-crypto/field/goldilocks"
	goldilocks "github.com/consensys/gnark-crypto/field/goldilocks/fft"
	"github.com/consensys/gnark-crypto/utils/cpu"
	"github.com/tuneinsight/lattigo/v6/ring"

	"gamma/kernels/ntt"
	"gamma/model/modular"
)

// Primes of 60 and 61 bits that have transforms of all sizes here.
const (
	prime60 = 0xffffffffffc0001
	prime61 = 0x1fffffffffe00001
)

// contest is one transform in Gamma's code and in a peer's, in place and fully reduced, on inputs of their own.
type contest struct {
	name        string
	peer        string
	n           int
	gamma, them func()
}

// must panics: benchmarks have nothing to measure without what they ask for.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func residues(n int, q uint64) []uint64 {
	rng := rand.New(rand.NewPCG(uint64(n), q))
	x := make([]uint64, n)
	for i := range x {
		x[i] = rng.Uint64N(q)
	}
	return x
}

// against Lattigo: negacyclic, natural to bit-reversed order and back.
func againstLattigo(q uint64, n int, inverse bool) contest {
	p := must(ntt.NewShoup(must(ntt.NewTransform(q, n, true)), ntt.DITNR))
	s := must(ring.NewRing(n, []uint64{q})).SubRings[0]
	x, y := residues(n, q), residues(n, q)
	if inverse {
		return contest{"INTT", "lattigo", n, func() { must(0, p.InverseUnchecked(x)) }, func() { s.INTT(y, y) }}
	}
	return contest{"NTT", "lattigo", n, func() { must(0, p.ForwardUnchecked(x)) }, func() { s.NTT(y, y) }}
}

// against gnark-crypto's Goldilocks: cyclic, natural to bit-reversed order, one task.
func againstGoldilocks(n int) contest {
	p := must(ntt.NewGoldilocks(must(ntt.NewTransform(goldilocksQ, n, false)), ntt.DITNR))
	x, d := residues(n, goldilocksQ), goldilocks.NewDomain(uint64(n))
	y := make([]goldilocksfield.Element, n)
	for i, w := range residues(n, goldilocksQ) {
		y[i] = goldilocksfield.Element{w}
	}
	one := goldilocks.WithNbTasks(1)
	return contest{"Goldilocks", "gnark", n, func() { must(0, p.ForwardUnchecked(x)) }, func() { d.FFT(y, goldilocks.DIF, one) }}
}

// against gnark-crypto's BabyBear, likewise.
func againstBabyBear(n int) contest {
	p := must(ntt.NewWord31(must(ntt.NewTransform(babybearQ, n, false)), ntt.DITNR))
	x, d := make([]uint32, n), babybear.NewDomain(uint64(n))
	y := make([]babybearfield.Element, n)
	for i, w := range residues(n, babybearQ) {
		x[i], y[i] = uint32(w), babybearfield.Element{uint32(w)}
	}
	one := babybear.WithNbTasks(1)
	return contest{"BabyBear", "gnark", n, func() { must(0, p.ForwardUnchecked(x)) }, func() { d.FFT(y, babybear.DIF, one) }}
}

var benchmarkSizes = []int{1 << 10, 1 << 12, 1 << 13, 1 << 16}

// butterflies counts those of a transform of n points by radix 2.
func butterflies(n int) float64 { return float64(n/2) * float64(bits.Len(uint(n))-1) }

func bench(b *testing.B, of func(n int) contest) {
	for _, n := range benchmarkSizes {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			c := of(n)
			for _, side := range []struct {
				name string
				run  func()
			}{{"gamma", c.gamma}, {c.peer, c.them}} {
				b.Run(side.name, func(b *testing.B) {
					for b.Loop() {
						side.run()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/butterflies(n), "ns/butterfly")
				})
			}
		})
	}
}

func BenchmarkNTT(b *testing.B) {
	bench(b, func(n int) contest { return againstLattigo(prime61, n, false) })
}

func BenchmarkINTT(b *testing.B) {
	bench(b, func(n int) contest { return againstLattigo(prime61, n, true) })
}

func BenchmarkNTT60(b *testing.B) {
	bench(b, func(n int) contest { return againstLattigo(prime60, n, false) })
}

func BenchmarkINTT60(b *testing.B) {
	bench(b, func(n int) contest { return againstLattigo(prime60, n, true) })
}

func BenchmarkGoldilocks(b *testing.B) { bench(b, againstGoldilocks) }

func BenchmarkBabyBear(b *testing.B) { bench(b, againstBabyBear) }

// TestSpeed holds our transforms to the peers': medians of fifteen runs, taken in turn, with three per cent for noise.
func TestSpeed(t *testing.T) {
	if os.Getenv("GAMMA_LEVEL") != "thorough" {
		t.Skip("it measures for a minute, and wants a machine at rest: set GAMMA_LEVEL=thorough")
	}
	t.Logf("gnark-crypto's AVX-512 code runs here: %t (its Goldilocks has none)", cpu.SupportAVX512)
	t.Logf("%-12s %-8s %7s %14s %14s %7s", "transform", "prime", "N", "gamma ns/bfly", "peer ns/bfly", "ratio")
	type row struct {
		c     contest
		prime string
		least float64 // how many times faster we have to be
	}
	var rows []row
	for _, n := range benchmarkSizes {
		for _, inverse := range []bool{false, true} {
			rows = append(rows, row{againstLattigo(prime60, n, inverse), "60 bits", 1 / 1.03}, row{againstLattigo(prime61, n, inverse), "61 bits", 1 / 1.03})
		}
		rows = append(rows, row{againstGoldilocks(n), "2^64", 3}, row{againstBabyBear(n), "31 bits", 1.2})
	}
	faster := map[int]int{}
	for _, r := range rows {
		g, p := medians(r.c)
		ratio := p / g
		t.Logf("%-12s %-8s %7d %14.3f %14.3f %7.2f", r.c.name, r.prime, r.c.n, g/butterflies(r.c.n), p/butterflies(r.c.n), ratio)
		if ratio < r.least {
			t.Errorf("%s of %d points modulo a prime of %s takes %.3f of the time of %s; at most %.3f is asked", r.c.name, r.c.n, r.prime, 1/ratio, r.c.peer, 1/r.least)
		}
		if r.c.peer == "lattigo" && ratio >= 1/0.9 {
			faster[r.c.n]++
		}
	}
	sizes := 0
	for _, n := range faster {
		if n == 4 {
			sizes++
		}
	}
	if sizes < 2 {
		t.Errorf("transforms of 60 and 61 bits are faster than Lattigo's by ten per cent at %d sizes; two are asked", sizes)
	}
}

// medians returns nanoseconds a run.
func medians(c contest) (gamma, them float64) {
	reps := max(1, int(1e7/(2*butterflies(c.n))))
	measure := func(f func()) float64 {
		start := time.Now()
		for range reps {
			f()
		}
		return float64(time.Since(start).Nanoseconds()) / float64(reps)
	}
	var g, p []float64
	for range 15 {
		g = append(g, measure(c.gamma))
		p = append(p, measure(c.them))
	}
	slices.Sort(g)
	slices.Sort(p)
	return g[7], p[7]
}

// TestPeersAgree is what the contests stand on: transforms of one polynomial, by its own root, are the same words on both sides.
func TestPeersAgree(t *testing.T) {
	for _, n := range []int{8, 64, 1 << 10, 1 << 12} {
		for _, q := range []uint64{prime60, prime61} {
			them := must(lattigoPlan(false)(modular.Transform{Modulus: q, N: n, Negacyclic: true}))
			us := must(ntt.NewShoup(modular.Transform{Modulus: q, N: n, Negacyclic: true, Root: them.Root}, ntt.DITNR)).Transforms()
			same(t, q, n, us, them)
		}
		them := must(goldilocksPlan(goldilocks.DIF)(modular.Transform{Modulus: goldilocksQ, N: n}))
		same(t, goldilocksQ, n, must(ntt.NewGoldilocks(modular.Transform{Modulus: goldilocksQ, N: n, Root: them.Root}, ntt.DITNR)).Transforms(), them)
		them = must(babybearPlan(babybear.DIF)(modular.Transform{Modulus: babybearQ, N: n}))
		same(t, babybearQ, n, must(ntt.NewWord31(modular.Transform{Modulus: babybearQ, N: n, Root: them.Root}, ntt.DITNR)).Transforms(), them)
	}
}

// same compares forward transforms: they are linear, so that it does not matter whether words are in Montgomery's domain.
func same(t *testing.T, q uint64, n int, us, them modular.Transforms) {
	t.Helper()
	x := residues(n, q)
	a, b := make([]uint64, n), make([]uint64, n)
	must(0, us.Forward(a, x))
	must(0, them.Forward(b, x))
	if !slices.Equal(a, b) {
		t.Errorf("transforms of %d points modulo %d differ", n, q)
	}
}
