package ntt

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"gamma/model/modular"
	"gamma/oracle"

	"github.com/stretchr/testify/require"
)

// vectorPaths returns the settings of cpu that differ and that the machine has: Go first, then AVX2, then AVX-512.
func vectorPaths() []features {
	paths := []features{{}}
	if cpu.AVX2 {
		paths = append(paths, features{AVX2: true})
	}
	if cpu.AVX512 {
		paths = append(paths, features{AVX2: true, AVX512: true})
	}
	return paths
}

// onPath runs f on a machine that is said to have less.
func onPath(p features, f func()) {
	saved := cpu
	cpu = p
	defer func() { cpu = saved }()
	f()
}

// edgeVectors returns vectors of n words in [0, top): drawn, constant and alternating ones at the ends and around q, pairs of halves at
// each distance whose sums are exactly q, and impulses.
func edgeVectors(r *rand.Rand, n int, q, top uint64) (all [][]uint64) {
	fill := func(word func(i int) uint64) {
		x := make([]uint64, n)
		for i := range x {
			x[i] = word(i)
		}
		all = append(all, x)
	}
	edges := []uint64{0, 1, q / 2, q/2 + 1, q - 2, q - 1, q % top, (q + 1) % top, top - 2, top - 1}
	fill(func(int) uint64 { return r.Uint64N(top) })
	fill(func(int) uint64 { return edges[r.IntN(len(edges))] })
	for _, e := range []uint64{0, 1, q - 1, q % top, top - 1} {
		fill(func(int) uint64 { return e })
	}
	fill(func(i int) uint64 { return []uint64{0, top - 1}[i%2] })
	for t := 1; t < n; t *= 4 {
		fill(func(i int) uint64 { // lower and upper half of a block: a and q-a
			a := 1 + uint64(i&^t)%(q-1)
			if i&t != 0 {
				a = q - a
			}
			return a
		})
	}
	for _, at := range []int{0, n / 2, n - 1} {
		fill(func(i int) uint64 {
			if i == at {
				return q - 1
			}
			return 0
		})
	}
	return all
}

// everySize returns 1, 2, 4, … 2^16.
func everySize() (all []int) {
	for n := 1; n <= 1<<16; n *= 2 {
		all = append(all, n)
	}
	return all
}

// transformOf returns a transform with a root from the oracle, and false if the prime has none.
func transformOf(t *testing.T, q uint64, n int, negacyclic bool) (modular.Transform, bool) {
	tr := modular.Transform{Modulus: q, N: n, Negacyclic: negacyclic, Root: 1}
	if (q-1)%tr.RootOrder() != 0 {
		return tr, false
	}
	root, err := oracle.RootOfUnity(tr.RootOrder(), q)
	require.NoError(t, err)
	tr.Root = root
	return tr, true
}

// inReverse returns x with number k at the place of its bits read backwards.
func inReverse[T any](x []T) []T {
	y := make([]T, len(x))
	for i, v := range x {
		y[modular.BitReversed.Place(i, len(x))] = v
	}
	return y
}

func to32(x []uint64) []uint32 {
	y := make([]uint32, len(x))
	for i, v := range x {
		y[i] = uint32(v)
	}
	return y
}

func to64(x []uint32) []uint64 {
	y := make([]uint64, len(x))
	for i, v := range x {
		y[i] = uint64(v)
	}
	return y
}

// residuesOf returns x modulo q.
func residuesOf(x []uint64, q uint64) []uint64 {
	y := make([]uint64, len(x))
	for i, v := range x {
		y[i] = v % q
	}
	return y
}

// word31Moduli returns primes with roots for n points: those that people use, the greatest and the least.
func word31Moduli(t *testing.T, n int) []uint64 {
	greatest, ok := oracle.LargestPrime(1<<31, 2*uint64(n))
	require.True(t, ok)
	least, ok := oracle.SmallestPrime(2*uint64(n)+1, 2*uint64(n))
	require.True(t, ok)
	return []uint64{2013265921, 2130706433, greatest, least}
}

// TestWord31 holds each direction, order and path to the oracle, which divides, at each size.
func TestWord31(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 0))
	for _, n := range everySize() {
		for _, q := range word31Moduli(t, n) {
			for _, negacyclic := range []bool{false, true} {
				tr, ok := transformOf(t, q, n, negacyclic)
				require.True(t, ok, tr)
				testWord31(t, r, tr)
			}
		}
	}
}

func testWord31(t *testing.T, r *rand.Rand, tr modular.Transform) {
	s, err := newWord31Table(tr)
	require.NoError(t, err)
	truth, err := oracle.NewTransform(tr)
	require.NoError(t, err)
	q, n := tr.Modulus, tr.N
	want := make([]uint64, n)
	vectors := edgeVectors(r, n, q, 2*q)
	if n > 1<<12 {
		vectors = vectors[:4]
	}
	for i, x := range vectors {
		about := fmt.Sprintf("%s, vector %d", tr, i)
		small := residuesOf(x, q)
		truth.Forward(want, small)
		paths := vectorPaths()
		for _, p := range paths {
			onPath(p, func() {
				y := to32(x)
				s.forward(y)
				sameWords(t, inReverse(want), to64(y), "forward of %s, %+v", about, p)
				s.inverse(y)
				sameWords(t, small, to64(y), "inverse of %s, %+v", about, p)
			})
		}
		truth.Inverse(want, small)
		for _, p := range paths {
			onPath(p, func() {
				y := to32(inReverse(small))
				s.inverse(y)
				sameWords(t, want, to64(y), "inverse of %s, %+v", about, p)
				if !tr.Negacyclic {
					y = to32(x)
					s.inverseDIF(y)
					sameWords(t, inReverse(want), to64(y), "inverseDIF of %s, %+v", about, p)
					s.forwardDIT(y)
					sameWords(t, small, to64(y), "forwardDIT of %s, %+v", about, p)
				}
			})
		}
	}
}

// sameWords is require.Equal for long vectors: it prints the first difference.
func sameWords[T comparable](t *testing.T, want, got []T, format string, args ...any) {
	t.Helper()
	if slices.Equal(want, got) {
		return
	}
	require.Len(t, got, len(want))
	for i := range want {
		if want[i] != got[i] {
			require.Failf(t, "different", "place %d: want %v, got %v: %s", i, want[i], got[i], fmt.Sprintf(format, args...))
		}
	}
}

// TestWord31Stages runs transforms layer by layer, and holds the words after each layer to its declared range and the results to the
// transform in one piece.
func TestWord31Stages(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	for _, n := range []int{1, 2, 4, 8, 32, 64, 1024, 2048} {
		for _, q := range word31Moduli(t, n) {
			for _, negacyclic := range []bool{false, true} {
				tr, _ := transformOf(t, q, n, negacyclic)
				s, err := newWord31Table(tr)
				require.NoError(t, err)
				for i, x := range edgeVectors(r, n, q, 2*q) {
					whole, y := to32(x), to32(x)
					s.forward(whole)
					for stage := range bits.Len(uint(n)) - 1 {
						s.forwardStage(stage, y)
						require.Less(t, uint64(slices.Max(y)), 2*q, "%s, vector %d, stage %d", tr, i, stage)
					}
					s.forwardFinish(y)
					sameWords(t, whole, y, "forward stages of %s, vector %d", tr, i)
					s.inverse(whole)
					for stage := range bits.Len(uint(n)) - 1 {
						s.inverseStage(stage, y)
						require.Less(t, uint64(slices.Max(y)), q, "%s, vector %d, stage %d", tr, i, stage)
					}
					s.inverseFinish(y)
					sameWords(t, whole, y, "inverse stages of %s, vector %d", tr, i)
				}
			}
		}
	}
}

// TestWord31Butterflies holds butterflies to division, with operands at the ends of their ranges.
func TestWord31Butterflies(t *testing.T) {
	for _, q := range []uint64{3, 5, 17, 257, 998244353, 2013265921, 2130706433, word31MaxModulus} {
		for _, w := range []uint64{1, 2, q / 2, q/2 + 1, q - 2, q - 1} {
			if w >= q {
				continue
			}
			s := word31Shoup(uint32(w), uint32(q))
			edges := []uint64{0, 1, q / 2, q/2 + 1, q - 2, q - 1, q, q + 1, q + q/2, 2*q - 2, 2*q - 1}
			for _, x := range edges {
				for _, y := range edges {
					u, v := word31Forward(uint32(x), uint32(y), uint32(w), s, uint32(q))
					require.Less(t, uint64(max(u, v)), 2*q)
					require.Equal(t, (x+y%q*w)%q, uint64(u)%q, "%d + %d·%d modulo %d", x, w, y, q)
					require.Equal(t, (x+y%q*(q-w))%q, uint64(v)%q, "%d - %d·%d modulo %d", x, w, y, q)
					if x < q && y < q {
						u, v = word31Inverse(uint32(x), uint32(y), uint32(w), s, uint32(q))
						require.Equal(t, (x+y)%q, uint64(u), "%d + %d modulo %d", x, y, q)
						require.Equal(t, (x+q-y)%q*w%q, uint64(v), "(%d - %d)·%d modulo %d", x, y, w, q)
					}
				}
			}
			for _, x := range []uint64{0, 1, 1<<31 - 1, 1 << 31, 1<<32 - 2, 1<<32 - 1} {
				got := uint64(word31Times(uint32(x), uint32(w), s, uint32(q)))
				require.Less(t, got, 2*q)
				require.Equal(t, x%q*w%q, got%q, "%d·%d modulo %d", x, w, q)
			}
		}
	}
}

// TestWord31Product holds Barrett's product to division, around multiples of q and at the ends of a word.
func TestWord31Product(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 3))
	for _, q := range []uint64{3, 5, 17, 257, 998244353, 2013265921, 2130706433, word31MaxModulus} {
		s, err := newWord31Table(modular.Transform{Modulus: q, N: 2, Root: q - 1})
		require.NoError(t, err)
		edges := []uint64{0, 1, 2, q / 2, q/2 + 1, q - 1, q, q + 1, 2*q - 1, 2*q - 2, 1 << 31, 1<<32 - q, 1<<32 - 2, 1<<32 - 1}
		for range 50 {
			edges = append(edges, uint64(r.Uint32()), r.Uint64N(q))
		}
		for _, a := range edges {
			x, y, want := make([]uint32, len(edges)), to32(edges), make([]uint32, len(edges))
			for i, b := range edges {
				x[i], want[i] = uint32(a), uint32(uint64(uint32(a))*uint64(uint32(b))%q)
			}
			s.times(x, y)
			sameWords(t, want, x, "%d times each edge, modulo %d", a, q)
		}
	}
}

func TestWord31TableErrors(t *testing.T) {
	for _, c := range []struct {
		t    modular.Transform
		want string
	}{
		{modular.Transform{Modulus: 17, N: 0, Root: 1}, "power of two"},
		{modular.Transform{Modulus: 17, N: 6, Root: 1}, "power of two"},
		{modular.Transform{Modulus: 1, N: 1, Root: 1}, "odd, at least 3"},
		{modular.Transform{Modulus: 16, N: 1, Root: 1}, "odd, at least 3"},
		{modular.Transform{Modulus: 1<<31 + 11, N: 1, Root: 1}, "32 bits"},
		{modular.Transform{Modulus: 17, N: 1, Root: 0}, "reduced"},
		{modular.Transform{Modulus: 17, N: 1, Root: 18}, "reduced"},
		{modular.Transform{Modulus: 17, N: 1, Root: 16}, "order 1"},
		{modular.Transform{Modulus: 17, N: 4, Root: 2}, "order 4"},
		{modular.Transform{Modulus: 17, N: 16, Root: 2}, "order 16"},
		{modular.Transform{Modulus: 17, N: 8, Negacyclic: true, Root: 2}, "order 16"},
	} {
		_, err := newWord31Table(c.t)
		require.ErrorContains(t, err, c.want)
	}
}

// TestWord31Recurrences holds the butterflies to their declared steps, word for word, and lets those prove the greatest modulus.
func TestWord31Recurrences(t *testing.T) {
	for _, c := range []struct {
		stages    []*modular.Recurrence
		in        int64
		butterfly func(x, y, w, s, q uint32) (uint32, uint32)
	}{
		{word31ForwardStages(1 << 16), 2, word31Forward},
		{word31InverseStages(1 << 16), 1, word31Inverse},
	} {
		in := big.NewRat(c.in, 1)
		require.Equal(t, uint64(word31MaxModulus+1), modular.MaxModulus(c.stages, in, 32), "2q fits 32 bits")
		bounds, err := modular.StageBounds(c.stages, in, word31MaxModulus, 32)
		require.NoError(t, err)
		require.Len(t, bounds, 17)
		for _, b := range bounds[:16] {
			require.Equal(t, in.String(), b.String())
		}
		require.Equal(t, "1/1", bounds[16].String())
		for _, q := range []uint64{3, 17, 2013265921, 2130706433, word31MaxModulus} {
			for _, x := range []uint64{0, 1, q / 2, q - 1, uint64(c.in)*q - 1} {
				for _, y := range []uint64{0, 1, q / 2, q - 1, uint64(c.in)*q - 1} {
					for _, w := range []uint64{1, q / 2, q - 1} {
						want, err := c.stages[0].Run(q, 32, []uint64{x, y, w})
						require.NoError(t, err)
						u, v := c.butterfly(uint32(x), uint32(y), uint32(w), word31Shoup(uint32(w), uint32(q)), uint32(q))
						require.Equal(t, want, []uint64{uint64(u), uint64(v)}, "x %d, y %d, w %d modulo %d", x, y, w, q)
					}
				}
			}
		}
	}
}

// TestWord31Neighbours shows that every path leaves the words before and after a vector alone, wherever in memory it begins.
func TestWord31Neighbours(t *testing.T) {
	const margin = 64
	r := rand.New(rand.NewPCG(31, 2))
	for n := 1; n <= 2048; n *= 2 {
		tr, _ := transformOf(t, 2013265921, n, false)
		s, err := newWord31Table(tr)
		require.NoError(t, err)
		memory := make([]uint32, n+2*margin)
		for i := range memory {
			memory[i] = r.Uint32N(2013265921)
		}
		for start := margin; start < margin+16; start++ {
			for _, p := range vectorPaths() {
				onPath(p, func() {
					y := slices.Clone(memory)
					x := y[start : start+n]
					s.forward(x)
					s.inverse(x)
					s.inverseDIF(x)
					s.forwardDIT(x)
					sameWords(t, memory, y, "%d points from word %d, %+v", n, start, p)
				})
			}
		}
	}
}
