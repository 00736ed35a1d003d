package shaders_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/modular"
	"gamma/shaders"
)

// radix returns R mod q.
func (q mod) radix(width int) uint64 { return q.pow(2, uint64(width)) }

// domain returns x·R^k.
func (q mod) domain(x uint64, power, width int) uint64 {
	for range power {
		x = q.mul(x, q.radix(width))
	}
	return x
}

// word returns a word of a range for a residue: one of those in it, often its first or last.
func (q mod) word(x uint64, w modular.Word, width int, rng *rand.Rand) uint64 {
	x = q.domain(x, w.Power, width)
	most := (^uint64(0)>>(64-width) - x) / uint64(q)
	if w.Range > 0 {
		most = min(most, w.Range-1)
	}
	switch rng.IntN(4) {
	case 0:
		return x
	case 1:
		return x + most*uint64(q)
	}
	if most == ^uint64(0) {
		return rng.Uint64()
	}
	return x + rng.Uint64N(most+1)*uint64(q)
}

// results returns the residues that f gives of others.
func (q mod) results(f modular.Function, x []uint64) []uint64 {
	minus := func(a uint64) uint64 {
		if a == 0 {
			return 0
		}
		return uint64(q) - a
	}
	switch f {
	case modular.Identity:
		return []uint64{x[0]}
	case modular.Sum:
		return []uint64{q.add(x[0], x[1])}
	case modular.Difference:
		return []uint64{q.add(x[0], minus(x[1]))}
	case modular.Negative:
		return []uint64{minus(x[0])}
	case modular.Product:
		return []uint64{q.mul(x[0], x[1])}
	case modular.ForwardButterfly:
		p := q.mul(x[1], x[2])
		return []uint64{q.add(x[0], p), q.add(x[0], minus(p))}
	case modular.InverseButterfly:
		return []uint64{q.add(x[0], x[1]), q.mul(q.add(x[0], minus(x[1])), x[2])}
	}
	panic(fmt.Sprint("no function ", f))
}

// moduli of every kind: small, large, even, just below the limits of kernels.
var moduli = []uint64{
	2, 3, 5, 9, 256, 12289, 998244353, 1<<31 - 1, 1<<32 - 1, 1<<32 + 1, 1152921504606748673, 1<<62 - 57, 1<<62 - 2, 1<<62 - 1, 1<<62 + 1, 1<<63 - 25,
	1<<63 - 1, 1<<63 + 1, 18446744069414584321, 1<<64 - 59, 1<<64 - 1,
}

// rowsOf draws rows of operands and the residues of their results.
func rowsOf(c *modular.Claim, q mod, rows int, rng *rand.Rand) (src, want []uint64) {
	for range rows {
		var x []uint64
		for _, w := range c.In {
			if w.Shoup {
				f, _ := bits.Div64(x[len(x)-1], 0, uint64(q))
				src = append(src, f)
				continue
			}
			v := rng.Uint64N(uint64(q))
			switch rng.IntN(8) {
			case 0:
				v = 0
			case 1:
				v = uint64(q) - 1
			case 2: // a sum of q, or a difference of 0
				if len(x) > 0 {
					v = (uint64(q) - x[len(x)-1]) % uint64(q)
				}
			case 3:
				if len(x) > 0 {
					v = x[len(x)-1]
				}
			}
			x = append(x, v)
			src = append(src, q.word(v, w, c.Bits, rng))
		}
		want = append(want, q.results(c.Function, x)...)
	}
	return src, want
}

// TestModular: every operation gives what division says, in range, modulo everything it is for, and the simulator finds nothing.
func TestModular(t *testing.T) {
	d := sim.New(sim.Options{Workers: 1})
	t.Cleanup(d.Release)
	for _, m := range shaders.Modulars() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, m.Claim.Check())
			rng := rand.New(rand.NewPCG(1, uint64(len(m.Name))))
			r := shaders.NewRunner(d)
			defer r.Release()
			tried := 0
			for _, q := range append(moduli, m.Claim.Moduli.MaxModulus(m.Claim.Bits)) {
				if m.Claim.Moduli.Admits(q, m.Claim.Bits) != nil {
					continue
				}
				tried++
				for _, n := range []int{1, 33, 400} {
					list := m.Launches(n)
					l := list[rng.IntN(len(list))]
					src, want := rowsOf(&m.Claim, mod(q), n, rng)
					dst := make([]uint64, len(want))
					require.NoError(t, m.Run(r, l, q, dst, src), "modulo %d, %s", q, l)
					out := m.Claim.Out
					for i, v := range dst {
						w := out[i%len(out)]
						if x := mod(q).domain(want[i], w.Power, m.Claim.Bits); v%q != x || v/q >= w.Range {
							in := len(m.Claim.In)
							t.Fatalf("modulo %d: row %d: %d gives %s = %d, and it is ≡ %d, below %d·q", q, i/len(out), src[i/len(out)*in:][:in], w.Name, v, x, w.Range)
						}
					}
				}
			}
			require.Greater(t, tried, 5)
		})
	}
}

// TestModularBehaviours: no behaviour changes a word.
func TestModularBehaviours(t *testing.T) {
	d := sim.New(sim.Options{Workers: 1})
	defer d.Release()
	rng := rand.New(rand.NewPCG(2, 2))
	for _, m := range shaders.Modulars() {
		src, _ := rowsOf(&m.Claim, 12289, 40, rng)
		want := make([]uint64, 40*len(m.Claim.Out))
		r := shaders.NewRunner(d)
		require.NoError(t, m.Run(r, model.Launch1D(2, 32), 12289, want, src))
		r.Release()
		for _, b := range []model.Behaviour{{Order: "accesses", Seed: 1, Poison: true}, {Order: "reverse"}, {SIMDWidth: 4, ULP: true, Contract: model.ContractFast}} {
			r := shaders.NewRunner(d.With(b))
			got := make([]uint64, len(want))
			require.NoError(t, m.Run(r, model.Launch1D(7, 7), 12289, got, src), m.Name)
			require.Equal(t, want, got, "%s, %s", m.Name, b)
			r.Release()
		}
	}
}

// TestModularRefuses: names are unique and found; moduli, words, rows and launches that are not claimed are errors that say which.
func TestModularRefuses(t *testing.T) {
	d := sim.New(sim.Options{Workers: 1})
	defer d.Release()
	r := shaders.NewRunner(d)
	defer r.Release()
	seen := map[string]bool{}
	for _, m := range shaders.Modulars() {
		require.False(t, seen[m.Name], m.Name)
		seen[m.Name] = true
		found, ok := shaders.FindModular(m.Name)
		require.True(t, ok)
		require.Equal(t, m.Function, found.Function)
		in, out, l := len(m.Claim.In), len(m.Claim.Out), model.Launch1D(1, 4)
		src, _ := rowsOf(&m.Claim, 97, 4, rand.New(rand.NewPCG(1, 1)))
		dst := make([]uint64, 4*out)
		refuse := func(q uint64, l model.Launch, dst, src []uint64, text string) {
			t.Helper()
			err := m.Run(r, l, q, dst, src)
			require.ErrorContains(t, err, text)
			require.ErrorContains(t, err, m.Name+": ")
		}
		require.NoError(t, m.Run(nil, l, 97, nil, nil))
		require.NoError(t, m.Run(r, l, 97, dst, src))
		refuse(0, l, dst, src, "modulus 0 is below")
		refuse(1, l, dst, src, "modulus 1 is below")
		if !m.Claim.Moduli.Even {
			refuse(96, l, dst, src, "modulus 96 is even; it must be odd")
		}
		if most := m.Claim.Moduli.MaxModulus(m.Claim.Bits); most != ^uint64(0) {
			refuse(most+2, l, dst, src, "is above")
		}
		refuse(97, model.Launch1D(1, 3), dst, src, "3 threads are too few")
		refuse(97, model.Launch{}, dst, src, "use one dimension")
		refuse(97, l, dst[1:], src, "are not rows of")
		if in > 1 {
			refuse(97, l, dst, src[1:], "are not rows of")
		}
		for i, w := range m.Claim.In {
			bad := append([]uint64(nil), src...)
			switch {
			case w.Shoup:
				bad[in+i]++
				refuse(97, l, dst, bad, fmt.Sprintf("row 1: w' is %d; for w = %d modulo 97 it is %d", bad[in+i], bad[in+i-1], src[in+i]))
			case w.Range > 0:
				bad[in+i] = w.Range * 97
				refuse(97, l, dst, bad, fmt.Sprintf("row 1: %s is %d, not below", w.Name, w.Range*97))
			case m.Claim.Bits == 32:
				bad[in+i] = 1 << 32
				refuse(97, l, dst, bad, "needs 33 bits; a word has 32")
			}
		}
		for _, n := range []int{0, 1, 31, 32, 33, 1000} {
			for _, l := range m.Launches(n) {
				require.NoError(t, m.Fits(n, l))
			}
		}
	}
	_, ok := shaders.FindModular("shaders/modular.metal#none")
	require.False(t, ok)
	p := shaders.Program{Name: "mine"}
	require.ErrorContains(t, p.Residues(modular.Claim{})(r, model.Launch1D(1, 1), 3, nil, nil), "rows have some of each")
}
