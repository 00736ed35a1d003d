package ntt

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model/modular"
)

// TestLoops holds every loop, butterfly by butterfly, to the recurrence that is declared for it, word for word, and the strict ones to
// residues by math/big: at the ends of the words' ranges, for the greatest and the least moduli.
func TestLoops(t *testing.T) {
	const n = 8
	for _, q := range []uint64{3, 97, 1<<62 - 57, 1<<64 - 59} {
		f := newField(q)
		for _, l := range []struct {
			name     string
			loops    loops
			multiply modular.StepOp
			max      uint64
		}{
			{"strict", &strict{f}, modular.Copy, 1<<64 - 1}, {"lazy", &lazy{f}, modular.Montgomery, lazyMax}, {"harvey", &harvey{f}, modular.Shoup, lazyMax},
		} {
			if q > l.max {
				continue
			}
			r := rand.New(rand.NewPCG(q, 1))
			m := maker{field: &f, shoup: l.multiply == modular.Shoup}
			for _, inTime := range []bool{false, true} {
				for _, outer := range []bool{false, true} {
					t.Run(fmt.Sprintf("q=%d/%s/inTime=%t/outer=%t", q, l.name, inTime, outer), func(t *testing.T) {
						wide, rec := uint64(1), frequencyRecurrence(l.multiply)
						if l.multiply != modular.Copy {
							wide = lazyRange(inTime)
						}
						if inTime {
							rec = timeRecurrence(l.multiply)
						}
						for range 300 {
							w := make([]uint64, n)
							for i := range w {
								w[i] = []uint64{0, 1, q - 1, q / 2, r.Uint64N(q), r.Uint64N(q)}[r.IntN(6)]
							}
							x := make([]uint64, n)
							for i := range x {
								x[i] = (wide-1)*q + []uint64{0, 1, q - 1, q - 2, r.Uint64N(q)}[r.IntN(5)]
								if r.IntN(3) == 0 {
									x[i] = r.Uint64N(wide)*q + []uint64{0, 1, q - 1}[r.IntN(3)]
								}
							}
							if r.IntN(2) == 0 { // a and q-a, a and a
								x[1], x[2], x[4] = (q-x[0]%q)%q, (q-x[0]%q)%q, x[0]
							}
							for stage := range 3 {
								half := 1 << stage
								if !inTime {
									half = n >> (stage + 1)
								}
								got := append([]uint64(nil), x...)
								stageOf(l.loops, n, inTime, outer, m.quotients(w))(stage, got)
								// The pairs: an inner stage of distance half, an outer one of half blocks.
								distance := half
								if outer {
									distance = n / 2 / half
								}
								for i := range n {
									if i&distance != 0 {
										continue
									}
									tw := w[half+i%(2*distance)%half]
									if outer {
										tw = w[half+i/(2*distance)]
									}
									u, v := x[i], x[i+distance]
									var want []uint64
									if l.multiply == modular.Copy {
										want = residues(q, u, v, tw, inTime)
									} else {
										var err error
										want, err = rec.Run(q, 64, []uint64{u, v, tw})
										require.NoError(t, err)
									}
									require.Equal(t, want, []uint64{got[i], got[i+distance]}, "stage %d, places %d and %d: %d, %d by %d", stage, i, i+distance, u, v, tw)
								}
							}
						}
					})
				}
			}
		}
	}
}

// residues is a butterfly on reduced words with a factor in Montgomery's domain.
func residues(q, u, v, w uint64, inTime bool) []uint64 {
	modulus := new(big.Int).SetUint64(q)
	number := func(v uint64) *big.Int { return new(big.Int).SetUint64(v) }
	inverse := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 64), modulus)
	factor := new(big.Int).Mul(number(w), inverse)
	x, y := number(u), number(v)
	if inTime {
		y.Mul(y, factor)
		x, y = new(big.Int).Add(x, y), x.Sub(x, y)
	} else {
		x, y = new(big.Int).Add(x, y), x.Sub(x, y)
		y.Mul(y, factor)
	}
	return []uint64{x.Mod(x, modulus).Uint64(), y.Mod(y, modulus).Uint64()}
}

// TestPasses holds factors and reductions after the stages to the recurrences that are declared for them.
func TestPasses(t *testing.T) {
	for _, q := range []uint64{3, 97, 1<<62 - 57} {
		f := newField(q)
		r := rand.New(rand.NewPCG(q, 2))
		for _, multiply := range []modular.StepOp{modular.Montgomery, modular.Shoup} {
			var l loops = &lazy{f}
			m := maker{field: &f, shoup: multiply == modular.Shoup}
			if m.shoup {
				l = &harvey{f}
			}
			for _, inTime := range []bool{false, true} {
				for _, multiplied := range []bool{false, true} {
					for _, reduced := range []bool{false, true} {
						list := stages(1, multiply, inTime, multiplied, reduced)
						if !multiplied && !reduced {
							require.Empty(t, list)
							continue
						}
						require.Len(t, list, 1)
						for range 200 {
							wide := lazyRange(inTime)
							words := []uint64{r.Uint64N(wide)*q + []uint64{0, 1, q - 1, r.Uint64N(q)}[r.IntN(4)]}
							w := factors{}
							if multiplied {
								w = m.quotients([]uint64{[]uint64{0, 1, q - 1, r.Uint64N(q)}[r.IntN(4)]})
								words = append(words, w.w[0])
							}
							want, err := list[0].Run(q, 64, words)
							require.NoError(t, err)
							x := []uint64{words[0]}
							passes(false, w, l, reduced, inTime && !multiplied)(x)
							require.Equal(t, want, x, "%d of q = %d", words, q)
						}
					}
				}
			}
		}
	}
}

// TestField holds constants and products of a field to math/big.
func TestField(t *testing.T) {
	radix := new(big.Int).Lsh(big.NewInt(1), 64)
	for _, q := range []uint64{3, 5, 97, 1<<32 + 1, 1<<63 - 1, 1<<63 + 1, 1<<64 - 1} {
		f := newField(q)
		require.Equal(t, uint64(1), f.inv*q)
		require.Equal(t, ^uint64(0), f.neg*q)
		modulus := new(big.Int).SetUint64(q)
		require.Equal(t, new(big.Int).Mod(radix, modulus).Uint64(), f.r)
		require.Equal(t, new(big.Int).Mod(new(big.Int).Mul(radix, radix), modulus).Uint64(), f.r2)
		r := rand.New(rand.NewPCG(q, 3))
		for range 1000 {
			a, b := []uint64{0, 1, q - 1, ^uint64(0), r.Uint64()}[r.IntN(5)], []uint64{0, 1, q - 1, r.Uint64N(q)}[r.IntN(4)]
			got := f.mul(a, b)
			require.Less(t, got, q)
			want := new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
			back := new(big.Int).Mul(new(big.Int).SetUint64(got), radix)
			require.Zero(t, want.Sub(want, back).Mod(want, modulus).Sign())
			a %= q
			want.Add(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
			require.Equal(t, want.Mod(want, modulus).Uint64(), f.add(a, b))
			if q < 1<<62 { // a word that the lazy products take, and their ranges
				a += r.Uint64N(4) * q
				for _, p := range []uint64{(&lazy{f}).product(a, b), (&harvey{f}).product(a, b, (&maker{field: &f, shoup: true}).quotients([]uint64{b}).s[0])} {
					require.Less(t, p, 2*q)
				}
			}
		}
	}
}
