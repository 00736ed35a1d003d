package ntt

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"gamma/model/modular"
	"gamma/oracle"

	"github.com/stretchr/testify/require"
)

// goldilocksEdges are words where a carry, a borrow or a comparison may go wrong.
var goldilocksEdges = []uint64{
	0, 1, 2, 1<<32 - 2, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1<<63 - 1, 1 << 63, goldilocks / 2, goldilocks/2 + 1,
	goldilocks - 1<<32, goldilocks - 2, goldilocks - 1, goldilocks, goldilocks + 1, 1<<64 - 1<<31, 1<<64 - 2, 1<<64 - 1,
}

// TestGoldilocksWords holds product, sum and difference to division, at edges and drawn.
func TestGoldilocksWords(t *testing.T) {
	check := func(x, y uint64) {
		require.Equal(t, oracle.MulMod(x%goldilocks, y%goldilocks, goldilocks), goldilocksTimes(x, y), "%#x·%#x", x, y)
		x, y = x%goldilocks, y%goldilocks
		require.Equal(t, oracle.AddMod(x, y, goldilocks), goldilocksAdd(x, y), "%#x + %#x", x, y)
		require.Equal(t, oracle.SubMod(x, y, goldilocks), goldilocksSub(x, y), "%#x - %#x", x, y)
	}
	for _, x := range goldilocksEdges {
		for _, y := range goldilocksEdges {
			check(x, y)
		}
		check(x, goldilocks-x%goldilocks) // a sum of q exactly
	}
	r := rand.New(rand.NewPCG(64, 0))
	for range 20000 {
		// Halves of a few bits, all ones or drawn: products whose parts are near their ends.
		half := func() uint64 {
			return []uint64{0, 1, 1<<32 - 1, 1 << 31, r.Uint64() >> 32, r.Uint64() >> 32}[r.IntN(6)]
		}
		check(half()<<32|half(), half()<<32|half())
	}
}

// TestGoldilocks holds each direction, order and path to the oracle at each size, and the stages, too.
func TestGoldilocks(t *testing.T) {
	r := rand.New(rand.NewPCG(64, 1))
	for _, n := range everySize() {
		for _, negacyclic := range []bool{false, true} {
			tr, ok := transformOf(t, goldilocks, n, negacyclic)
			require.True(t, ok)
			testGoldilocks(t, r, tr)
		}
	}
}

func testGoldilocks(t *testing.T, r *rand.Rand, tr modular.Transform) {
	s, err := newGoldilocksTable(tr)
	require.NoError(t, err)
	truth, err := oracle.NewTransform(tr)
	require.NoError(t, err)
	n := tr.N
	want, back, y, z := make([]uint64, n), make([]uint64, n), make([]uint64, n), make([]uint64, n)
	for i, x := range edgeVectors(r, n, goldilocks, goldilocks) {
		about := fmt.Sprintf("%s, vector %d", tr, i)
		truth.Forward(want, x)
		copy(z, x)
		for stage := range bits.Len(uint(n)) - 1 {
			s.forwardStage(stage, z)
		}
		sameWords(t, inReverse(want), z, "forward stages of %s", about)
		for stage := range bits.Len(uint(n)) - 1 {
			s.inverseStage(stage, z)
		}
		s.inverseFinish(z)
		sameWords(t, x, z, "inverse stages of %s", about)
		truth.Inverse(back, x)
		for _, p := range vectorPaths() {
			onPath(p, func() {
				copy(y, x)
				s.forward(y)
				sameWords(t, inReverse(want), y, "forward of %s, %+v", about, p)
				s.inverse(y)
				sameWords(t, x, y, "inverse of forward of %s, %+v", about, p)
				y := inReverse(x)
				s.inverse(y)
				sameWords(t, back, y, "inverse of %s, %+v", about, p)
				if !tr.Negacyclic {
					copy(y, x)
					s.inverseDIF(y)
					sameWords(t, inReverse(back), y, "inverseDIF of %s, %+v", about, p)
					s.forwardDIT(y)
					sameWords(t, x, y, "forwardDIT of %s, %+v", about, p)
				}
			})
		}
	}
}

// TestGoldilocksScale holds the product of each path to division, on words at edges and beyond q.
func TestGoldilocksScale(t *testing.T) {
	const n = 32
	r := rand.New(rand.NewPCG(64, 2))
	half := func() uint64 {
		return []uint64{0, 1, 1<<32 - 1, 1 << 31, r.Uint64() >> 32, r.Uint64() >> 32}[r.IntN(6)]
	}
	factors := slices.Clone(goldilocksEdges)
	for range 500 {
		factors = append(factors, half()<<32|half())
	}
	for _, w := range factors {
		w %= goldilocks
		x := make([]uint64, n)
		for i := range x {
			x[i] = half()<<32 | half()
		}
		copy(x, goldilocksEdges)
		for _, p := range vectorPaths() {
			onPath(p, func() {
				y := slices.Clone(x)
				goldilocksScale(y, w)
				for i, v := range x {
					require.Equal(t, oracle.MulMod(v%goldilocks, w, goldilocks), y[i], "%#x·%#x, %+v", v, w, p)
				}
			})
		}
	}
}

// TestGoldilocksNeighbours is TestWord31Neighbours for words of 64 bits.
func TestGoldilocksNeighbours(t *testing.T) {
	const margin = 32
	r := rand.New(rand.NewPCG(64, 3))
	for n := 1; n <= 1024; n *= 2 {
		tr, _ := transformOf(t, goldilocks, n, false)
		s, err := newGoldilocksTable(tr)
		require.NoError(t, err)
		memory := make([]uint64, n+2*margin)
		for i := range memory {
			memory[i] = r.Uint64N(goldilocks)
		}
		for start := margin; start < margin+8; start++ {
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

func TestGoldilocksTableErrors(t *testing.T) {
	for _, c := range []struct {
		t    modular.Transform
		want string
	}{
		{modular.Transform{Modulus: goldilocks, N: 0, Root: 1}, "power of two"},
		{modular.Transform{Modulus: goldilocks, N: 12, Root: 1}, "power of two"},
		{modular.Transform{Modulus: 17, N: 1, Root: 1}, "the modulus must be"},
		{modular.Transform{Modulus: goldilocks, N: 1, Root: goldilocks}, "reduced"},
		{modular.Transform{Modulus: goldilocks, N: 1, Root: 2}, "order 1"},
		{modular.Transform{Modulus: goldilocks, N: 64, Root: 2}, "order 64"},
	} {
		_, err := newGoldilocksTable(c.t)
		require.ErrorContains(t, err, c.want)
	}
	for _, c := range []modular.Transform{
		{Modulus: goldilocks, N: 64, Root: 8},
		{Modulus: goldilocks, N: 32, Negacyclic: true, Root: 8},
	} {
		_, err := newGoldilocksTable(c)
		require.NoError(t, err, "2 has order 192, so 8 has order 64")
	}
}
