package ntt

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gamma/model/modular"
	"gamma/oracle"

	"github.com/stretchr/testify/require"
)

// shoupModuli returns primes with roots for n points: those that issues and peers name, one near the limit, the least there is, and one
// just above 2^32.
func shoupModuli(t *testing.T, n int) []uint64 {
	step := 2 * uint64(n)
	largest, ok := oracle.LargestPrime(shoupMaxModulus+1, step)
	require.True(t, ok)
	least, ok := oracle.SmallestPrime(3, step)
	require.True(t, ok)
	middle, ok := oracle.SmallestPrime(1<<32, step)
	require.True(t, ok)
	return []uint64{0x1fffffffffe00001, 0xffffffffffc0001, 1152921504606748673, largest, least, middle}
}

// shoupPaths returns the paths of the machine.
func shoupPaths() []shoupPath {
	paths := []shoupPath{shoupGo}
	if cpu.AVX2 {
		paths = append(paths, shoupAVX2)
	}
	if cpu.AVX512 && cpu.IFMA {
		paths = append(paths, shoupAVX512)
	}
	return paths
}

// eachShoup calls f with tables of all moduli and both rings for n points.
func eachShoup(t *testing.T, n int, f func(s *shoupTable, tr modular.Transform)) {
	for _, q := range shoupModuli(t, n) {
		for _, negacyclic := range []bool{true, false} {
			tr, ok := transformOf(t, q, n, negacyclic)
			if !ok { // 1152921504606748673 has 2-adicity 15
				continue
			}
			s, err := newShoupTable(tr)
			require.NoError(t, err)
			f(s, tr)
		}
	}
}

// TestShoupTransform compares the fastest path with division, at every size.
func TestShoupTransform(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for _, n := range everySize() {
		if n > 1<<13 && os.Getenv("GAMMA_LEVEL") != "thorough" {
			break
		}
		eachShoup(t, n, func(s *shoupTable, tr modular.Transform) {
			truth, err := oracle.NewTransform(tr)
			require.NoError(t, err)
			vectors := edgeVectors(r, n, s.q, s.q)
			if n > 1<<8 {
				vectors = vectors[:2]
			}
			want := make([]uint64, n)
			for _, x := range vectors {
				truth.Forward(want, x)
				got := slices.Clone(x)
				s.forward(got)
				require.Equal(t, inReverse(want), got, "%s, %s", tr, s.path)
				s.inverse(got)
				require.Equal(t, x, got, "%s, %s, there and back", tr, s.path)
			}
		})
	}
}

// TestShoupPaths holds that all paths give the same words, the lazy ones too, and the stages one by one the same of forward, whole or
// lazy, and of inverse; of inverseLazy they give the same residues.
func TestShoupPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	for _, n := range everySize() {
		if n > 1<<13 && os.Getenv("GAMMA_LEVEL") != "thorough" {
			break
		}
		eachShoup(t, n, func(s *shoupTable, tr modular.Transform) {
			q := s.q
			vectors := func(top uint64) [][]uint64 {
				all := edgeVectors(r, n, q, top)
				if n > 1<<9 {
					return append(all[:3:3], all[6])
				}
				return all
			}
			compare := func(x []uint64, name string, limit uint64, run func(s *shoupTable, x []uint64), stages func(x []uint64)) {
				want := slices.Clone(x)
				if stages != nil {
					stages(want)
				} else {
					run(s, want)
				}
				require.Less(t, slices.Max(want), limit, "%s, %s", tr, name)
				for _, p := range shoupPaths() {
					s, got := *s, slices.Clone(x)
					s.path = p
					run(&s, got)
					if !slices.Equal(want, got) {
						require.Equal(t, want, got, "%s, %s, %s", tr, name, p)
					}
				}
			}
			forwardStages := func(x []uint64) {
				for stage := range s.stages() {
					s.forwardStage(stage, x)
					require.Less(t, slices.Max(x)/2, 2*q, tr)
				}
			}
			inverseStages := func(x []uint64) {
				for stage := range s.stages() {
					s.inverseStage(stage, x)
					require.Less(t, slices.Max(x), 2*q, tr)
				}
				s.inverseFinish(x)
			}
			for _, x := range vectors(4 * q) {
				compare(x, "forwardLazy", 4*q, (*shoupTable).forwardLazy, forwardStages)
				compare(x, "forward", q, (*shoupTable).forward, func(x []uint64) { forwardStages(x); s.forwardFinish(x) })
			}
			for _, x := range vectors(2 * q) {
				compare(x, "inverse", q, (*shoupTable).inverse, inverseStages)
				compare(x, "inverseLazy", 2*q, (*shoupTable).inverseLazy, nil)
				lazy, reduced := slices.Clone(x), slices.Clone(x)
				s.inverseLazy(lazy)
				s.inverse(reduced)
				require.Equal(t, reduced, residuesOf(lazy, q), tr)
			}
		})
	}
}

// TestShoupFactor holds Shoup's product against division, with operands at the ends of the word and near multiples of the modulus.
func TestShoupFactor(t *testing.T) {
	for _, q := range []uint64{3, 5, 17, 1<<32 + 1, 0x1fffffffffe00001, shoupMaxModulus - 2, shoupMaxModulus} {
		words := []uint64{0, 1, 2, q / 2, q - 1, q, q + 1, 2*q - 1, 2 * q, 3 * q, 4*q - 1, 1<<32 - 1, 1 << 32, 1 << 63, 1<<64 - 2, 1<<64 - 1}
		for _, w := range words {
			w %= q
			f := newShoupFactor(w, q)
			for _, x := range words {
				want, got := oracle.MulMod(x%q, w, q), f.times(x, q)
				h, _ := bits.Mul64(x, q)
				require.LessOrEqual(t, got, q+h, "%d·%d modulo %d", x, w, q)
				require.Equal(t, want, got%q, "%d·%d modulo %d", x, w, q)
				require.Equal(t, want, f.reducedTimes(x, q), "%d·%d modulo %d", x, w, q)
			}
		}
	}
}

// TestShoupRecurrences runs the declared recurrences step by step on words, at the limit's modulus, beside the butterflies in Go.
func TestShoupRecurrences(t *testing.T) {
	forward, inverse := shoupForwardStages(2), shoupInverseStages(2)
	most := min(modular.MaxModulus(forward, big.NewRat(4, 1), 64), modular.MaxModulus(inverse, big.NewRat(2, 1), 64))
	require.Equal(t, uint64(shoupMaxModulus), most-1) // most is 2^62, and even
	q, _ := oracle.LargestPrime(shoupMaxModulus+1, 2)
	same := func(r *modular.Recurrence, words []uint64, want ...uint64) {
		got, err := r.Run(q, 64, words)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	words := []uint64{0, 1, q - 1, q, q + 1, 2*q - 1, 2 * q, 3*q - 1, 3 * q, 4*q - 2, 4*q - 1}
	for _, w := range []uint64{0, 1, 2, q / 2, q - 2, q - 1} {
		f := newShoupFactor(w, q)
		for _, x := range words {
			for _, y := range words {
				a, b := shoupForward(x, y, f.w, f.s, q)
				same(forward[0], []uint64{x, y, w}, a, b)
				require.Less(t, max(a, b)/2, 2*q)
				same(forward[1], []uint64{x}, shoupReduce(shoupReduce(x, 2*q), q))
				if x >= 2*q || y >= 2*q {
					continue
				}
				a, b = shoupInverse(x, y, f.w, f.s, q)
				same(inverse[0], []uint64{x, y, w}, a, b)
				require.Less(t, max(a, b), 2*q)
				same(inverse[1], []uint64{x, w}, f.reducedTimes(x, q))
			}
		}
	}
}

func TestShoupTableErrors(t *testing.T) {
	for want, tr := range map[string]modular.Transform{
		"power of two":   {Modulus: 17, N: 3, Root: 2},
		"at least 1":     {Modulus: 17, N: 0, Root: 1},
		"must be odd":    {Modulus: 16, N: 1, Root: 1},
		"has 63 bits":    {Modulus: 1<<62 + 1, N: 1, Root: 1},
		"must be redu":   {Modulus: 17, N: 2, Root: 17},
		"from 1 to 16":   {Modulus: 17, N: 2, Root: 0},
		"have order 8":   {Modulus: 17, N: 8, Root: 4},
		"have order 4":   {Modulus: 17, N: 4, Root: 2},
		"have order 1,":  {Modulus: 17, N: 1, Root: 2},
		"have order 16,": {Modulus: 17, N: 8, Root: 2, Negacyclic: true},
	} {
		_, err := newShoupTable(tr)
		require.ErrorContains(t, err, want, tr)
	}
}

func BenchmarkShoup(b *testing.B) {
	for _, n := range []int{1 << 10, 1 << 12, 1 << 13, 1 << 16} {
		const q = 0x1fffffffffe00001
		root, err := oracle.RootOfUnity(2*uint64(n), q)
		require.NoError(b, err)
		s, err := newShoupTable(modular.Transform{Modulus: q, N: n, Negacyclic: true, Root: root})
		require.NoError(b, err)
		x := make([]uint64, n)
		for i := range x {
			x[i] = uint64(i) * 0x9e3779b97f4a7c15 % s.q
		}
		for _, p := range shoupPaths() {
			s.path = p
			run := func(name string, f func(x []uint64)) {
				b.Run(fmt.Sprintf("%s/N=%d/%s", name, n, p), func(b *testing.B) {
					for b.Loop() {
						f(x)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n/2*s.stages()), "ns/butterfly")
				})
			}
			run("NTT", s.forward)
			run("INTT", s.inverse)
		}
	}
}
