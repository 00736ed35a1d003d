package ntt

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
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

// TestGoldilocks holds each direction and order to the oracle at each size, and the stages to the transform in one piece.
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
	want, y, z := make([]uint64, n), make([]uint64, n), make([]uint64, n)
	for i, x := range edgeVectors(r, n, goldilocks, goldilocks) {
		about := fmt.Sprintf("%s, vector %d", tr, i)
		truth.Forward(want, x)
		copy(y, x)
		s.forward(y)
		sameWords(t, inReverse(want), y, "forward of %s", about)
		copy(z, x)
		for stage := range bits.Len(uint(n)) - 1 {
			s.forwardStage(stage, z)
		}
		sameWords(t, y, z, "forward stages of %s", about)
		s.inverse(y)
		sameWords(t, x, y, "inverse of forward of %s", about)
		for stage := range bits.Len(uint(n)) - 1 {
			s.inverseStage(stage, z)
		}
		s.inverseFinish(z)
		sameWords(t, x, z, "inverse stages of %s", about)
		truth.Inverse(want, x)
		y := inReverse(x)
		s.inverse(y)
		sameWords(t, want, y, "inverse of %s", about)
		if !tr.Negacyclic {
			copy(y, x)
			s.inverseDIF(y)
			sameWords(t, inReverse(want), y, "inverseDIF of %s", about)
			s.forwardDIT(y)
			sameWords(t, x, y, "forwardDIT of %s", about)
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
