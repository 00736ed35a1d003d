package ntt

import (
	"slices"
	"testing"

	"gamma/oracle"

	"github.com/stretchr/testify/require"
)

// TestShoupButterfliesInAssembly gives each layer in assembly all pairs of words at the ends of its range, and the product any word, with
// factors at the ends of theirs; the products' partial sums then carry, and do not.
func TestShoupButterfliesInAssembly(t *testing.T) {
	type layer func(x, w, s *uint64, nodes, half int, q uint64)
	type scale func(x *uint64, half int, scale, last *shoupFactor, q, limit uint64)
	for _, p := range shoupPaths()[1:] {
		forward, inverse, scaled := layer(shoupForwardLayer256), layer(shoupInverseLayer256), scale(shoupScaleLayer256)
		if p == shoupAVX512 {
			forward, inverse, scaled = shoupForwardLayer512, shoupInverseLayer512, shoupScaleLayer512
		}
		for _, below := range []uint64{1 << 62, 1 << 61, 1 << 60, 1 << 33, 1 << 20} {
			q, ok := oracle.LargestPrime(below, 2)
			require.True(t, ok)
			ends := []uint64{0, 1, 2, q/2 - 1, q / 2, q - 2, q - 1}
			var two, four []uint64 // words in [0, 2q) and [0, 4q)
			for k := range uint64(4) {
				for _, e := range ends {
					if four = append(four, k*q+e); k < 2 {
						two = append(two, k*q+e)
					}
				}
			}
			words := append(slices.Clone(four), 1<<32-1, 1<<32, 1<<33-1, 0xffffffff_00000000, 0x80000000_ffffffff, 1<<63-1, 1<<63, 1<<64-2, 1<<64-1)
			for _, w := range append(ends, 1<<32%q, (1<<32-1)%q, q-1-q>>32) {
				f, g := newShoupFactor(w, q), newShoupFactor(q-1-w, q)
				check := func(name string, xs, ys []uint64, run func(x []uint64, half int), want func(x, y uint64) (uint64, uint64)) {
					var a, b []uint64
					for _, x := range xs {
						for _, y := range ys {
							a, b = append(a, x), append(b, y)
						}
					}
					for len(a)%8 != 0 {
						a, b = append(a, xs[0]), append(b, ys[0])
					}
					x := slices.Concat(a, b)
					run(x, len(a))
					for i := range a {
						u, v := want(a[i], b[i])
						require.Equal(t, []uint64{u, v}, []uint64{x[i], x[len(a)+i]}, "%s, %s of %#x and %#x with %#x modulo %#x", p, name, a[i], b[i], w, q)
					}
				}
				check("forward", four, words, func(x []uint64, half int) { forward(&x[0], &f.w, &f.s, 1, half, q) },
					func(x, y uint64) (uint64, uint64) { return shoupForward(x, y, f.w, f.s, q) })
				check("inverse", two, two, func(x []uint64, half int) { inverse(&x[0], &f.w, &f.s, 1, half, q) },
					func(x, y uint64) (uint64, uint64) { return shoupInverse(x, y, f.w, f.s, q) })
				for _, limit := range []uint64{q, 2 * q} {
					check("scale", two, two, func(x []uint64, half int) { scaled(&x[0], half, &f, &g, q, limit) },
						func(x, y uint64) (uint64, uint64) {
							v := []uint64{x, y}
							shoupScaleLayer(v, f, g, q, limit == q)
							return v[0], v[1]
						})
				}
			}
		}
	}
}

// TestShoupPathOfMachine holds that a table takes the widest path that the machine has all instructions of.
func TestShoupPathOfMachine(t *testing.T) {
	tr, ok := transformOf(t, 17, 8, true)
	require.True(t, ok)
	for want, machines := range map[shoupPath][]features{
		shoupGo:     {{}},
		shoupAVX2:   {{AVX2: true}, {AVX2: true, AVX512: true}},
		shoupAVX512: {{AVX2: true, AVX512: true, IFMA: true}},
	} {
		for _, m := range machines {
			onPath(m, func() {
				s, err := newShoupTable(tr)
				require.NoError(t, err)
				require.Equal(t, want, s.path)
			})
		}
	}
}
