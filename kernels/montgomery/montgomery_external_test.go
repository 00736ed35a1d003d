package montgomery_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/montgomery"
	"gamma/model/modular"
	"gamma/oracle"
)

// odd64 are odd moduli of every length, with the ends of the types' ranges.
func odd64() []uint64 {
	rng := rand.New(rand.NewPCG(3, 3))
	return moduli(&modular.Claim{Bits: 64, Moduli: modular.Moduli{Min: 3}}, rng, 60)
}

// TestConstants holds what NewModulus64 and NewModulus32 compute to math/big.
func TestConstants(t *testing.T) {
	for _, q := range odd64() {
		m, err := montgomery.NewModulus64(q)
		require.NoError(t, err)
		r := new(big.Int).Lsh(big.NewInt(1), 64)
		inverse := new(big.Int).ModInverse(number(q), r)
		require.Equal(t, inverse.Uint64(), m.WordInverse())
		require.Equal(t, inverse.Uint64(), montgomery.InverseEuclid(q))
		require.Equal(t, new(big.Int).Sub(r, inverse).Uint64(), m.NegativeInverse())
		require.Equal(t, new(big.Int).Mod(r, number(q)).Uint64(), m.One())
		require.Equal(t, new(big.Int).Exp(r, big.NewInt(2), number(q)).Uint64(), m.RSquared())
		require.Equal(t, q, m.Q())
	}
	// The seed's modulus, from the reference.
	m, err := montgomery.NewModulus64(1152921504606748673)
	require.NoError(t, err)
	require.Equal(t, []uint64{1572848, 2473850831104, 0x3600240018001, 0xfffc9ffdbffe7fff}, []uint64{m.One(), m.RSquared(), m.WordInverse(), m.NegativeInverse()})

	for _, c := range []struct{ q, negative, one, squared uint32 }{
		{montgomery.BabyBear, montgomery.BabyBearNegativeInverse, montgomery.BabyBearOne, montgomery.BabyBearRSquared},
		{montgomery.KoalaBear, montgomery.KoalaBearNegativeInverse, montgomery.KoalaBearOne, montgomery.KoalaBearRSquared},
	} {
		m, err := montgomery.NewModulus32(c.q)
		require.NoError(t, err)
		require.Equal(t, []uint32{m.NegativeInverse(), m.One(), m.RSquared()}, []uint32{c.negative, c.one, c.squared})
	}
}

// TestInverseWord tries 1/q on every odd word of 16 bits, both ways.
func TestInverseWord(t *testing.T) {
	for q := 1; q < 1<<16; q += 2 {
		require.Equal(t, uint16(1), uint16(q)*montgomery.InverseNewton(uint16(q)))
		require.Equal(t, montgomery.InverseNewton(uint16(q)), montgomery.InverseEuclid(uint16(q)))
	}
}

// TestSquareAndRedc holds squares to products, and Redc, which no kernel is alone, to math/big.
func TestSquareAndRedc(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, q := range odd64() {
		m, err := montgomery.NewModulus64(q)
		require.NoError(t, err)
		for _, a := range []uint64{0, 1, q - 1, q / 2, rng.Uint64() % q} {
			require.Equal(t, oracle.MulMod(a, a, q), m.FromMontgomery(m.Square(m.ToMontgomery(a))))
			h, l := rng.Uint64()%q, rng.Uint64()
			wide := new(big.Int).Add(new(big.Int).Lsh(number(h), 64), number(l))
			back := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 64), number(q))
			require.Equal(t, wide.Mul(wide, back).Mod(wide, number(q)).Uint64(), m.Redc(h, l))
		}
	}
}

// TestIsPrime holds IsPrime to math/big, which is exact for 64 bits too, and to numbers that pass weaker tests.
func TestIsPrime(t *testing.T) {
	for q := range uint64(3000) {
		require.Equal(t, number(q).ProbablyPrime(0), montgomery.IsPrime(q), "%d", q)
	}
	for _, q := range []uint64{
		2047, 1373653, 25326001, 3215031751, 2152302898747, 3474749660383, 341550071728321, 3825123056546413051, // strong pseudoprimes
		561, 1105, 294409, // Carmichael's
		1<<32 - 1<<25 + 1, 0x0800000000004401, // composites of the reference
		1<<61 - 1, 1<<64 - 59, 1<<62 - 57, montgomery.Goldilocks, 1152921504606748673, 4294967291 * 4294967291,
	} {
		require.Equal(t, number(q).ProbablyPrime(0), montgomery.IsPrime(q), "%d", q)
		require.Equal(t, oracle.IsPrime(q), montgomery.IsPrime(q), "%d", q)
	}
}

// TestBatchInverse mixes units, zeros and words with a factor in common with a composite modulus.
func TestBatchInverse(t *testing.T) {
	for _, q := range []uint64{7, 15, 1<<64 - 59, 1<<64 - 1, 3 * 5 * 17 * 257 * 65537} {
		m, err := montgomery.NewModulus64(q)
		require.NoError(t, err)
		rng := rand.New(rand.NewPCG(q, 1))
		for _, n := range []int{0, 1, 2, 3, 17, 64} {
			for _, zeros := range []bool{false, true} {
				src := make([]uint64, n)
				units := 0
				for i := range src {
					if src[i] = rng.Uint64() % q; zeros && i%3 == 1 {
						src[i] = 0
					}
					if _, ok := oracle.InvMod(src[i], q); ok {
						units++
					}
				}
				dst := make([]uint64, n)
				got, err := m.BatchInverse(dst, src)
				require.NoError(t, err)
				require.Equal(t, units, got)
				for i, a := range src {
					want, _ := oracle.InvMod(m.FromMontgomery(a), q) // 0 if there is none
					require.Equal(t, want, m.FromMontgomery(dst[i]), "1/%d modulo %d", a, q)
				}
				inPlace := slices.Clone(src)
				_, err = m.BatchInverse(inPlace, inPlace)
				require.NoError(t, err)
				require.Equal(t, dst, inPlace)
			}
		}
	}
	m, err := montgomery.NewModulus64(7)
	require.NoError(t, err)
	x := []uint64{1, 2, 3, 4}
	_, err = m.BatchInverse(x, x[:3])
	require.ErrorContains(t, err, "dst has 4 words and src 3")
	_, err = m.BatchInverse(x[1:], x[:3])
	require.ErrorContains(t, err, "overlaps")
	_, err = m.BatchInverse(make([]uint64, 2), []uint64{1, 7})
	require.ErrorContains(t, err, "word 1 is 7 and not below the modulus 7")
	require.Equal(t, []uint64{1, 2, 3, 4}, x)
}

// TestConstructorsRefuse asks each constructor for moduli that it has to refuse, and for the reason.
func TestConstructorsRefuse(t *testing.T) {
	refuses := func(what string, err error) {
		t.Helper()
		require.ErrorContains(t, err, what)
	}
	for _, q := range []uint64{0, 1} {
		_, err := montgomery.NewModulus64(q)
		refuses("a modulus is 3 or more", err)
		_, err = montgomery.NewModulus32(uint32(q))
		refuses("a modulus is 3 or more", err)
		_, err = montgomery.NewToy(uint8(q))
		refuses("a modulus is 3 or more", err)
		_, err = montgomery.NewBarrett64(q)
		refuses("a modulus is 2 or more", err)
		_, err = montgomery.NewBarrett32(uint32(q))
		refuses("a modulus is 2 or more", err)
		_, err = montgomery.NewBarrettToy(uint16(q))
		refuses("a modulus is 2 or more", err)
		_, err = montgomery.ShoupQuotient64(0, q)
		refuses("a modulus is 2 or more", err)
	}
	for _, q := range []uint64{2, 10, 1 << 63} {
		_, err := montgomery.NewModulus64(q)
		refuses("is even, so R has no inverse modulo it; give an odd one, or use Barrett's reduction", err)
		_, err = montgomery.NewLazy64(q)
		refuses("is even", err)
		_, err = montgomery.NewField64(q)
		refuses("is even", err)
	}
	_, err := montgomery.NewShort64(1<<63 + 1)
	refuses("Short64: modulus 9223372036854775809 = 0x8000000000000001 has 64 bits and is above 9223372036854775807", err)
	_, err = montgomery.NewLazy64(1<<62 + 1)
	refuses("Lazy64: modulus 4611686018427387905 = 0x4000000000000001 has 63 bits", err)
	_, err = montgomery.NewShort32(1<<31 + 1)
	refuses("Short32: modulus 2147483649", err)
	_, err = montgomery.NewLazy32(1<<30 + 1)
	refuses("Lazy32: modulus 1073741825", err)
	_, err = montgomery.NewShortToy[uint8](129)
	refuses("ShortToy: modulus 129", err)
	_, err = montgomery.NewLazyToy[uint16](1<<14 + 1)
	refuses("LazyToy: modulus 16385", err)
	_, err = montgomery.NewBarrett64(1<<63 + 1)
	refuses("Barrett64: modulus 9223372036854775809", err)
	_, err = montgomery.NewField64(1<<64 - 1)
	refuses("is composite, by the Miller-Rabin test", err)
	_, err = montgomery.NewField32(15)
	refuses("is composite", err)
	_, err = montgomery.NewFieldToy[uint8](21)
	refuses("is composite", err)
	_, err = montgomery.ShoupQuotient64(7, 7)
	refuses("Shoup's factor 7 is not below its modulus 7; reduce it first", err)
	_, err = montgomery.ShoupQuotient32(8, 7)
	refuses("Shoup's factor 8", err)

	for _, q := range []uint64{1<<63 - 1, 1 << 63} { // the last ones that are good
		_, err = montgomery.NewBarrett64(q)
		require.NoError(t, err)
	}
	_, err = montgomery.NewShort64(1<<63 - 1)
	require.NoError(t, err)
	_, err = montgomery.NewLazy64(1<<62 - 1)
	require.NoError(t, err)
	_, err = montgomery.NewModulus64(1<<64 - 1)
	require.NoError(t, err)
}

// TestWithoutInverse asks for 0 and false where a word has no inverse.
func TestWithoutInverse(t *testing.T) {
	m, err := montgomery.NewModulus64(15)
	require.NoError(t, err)
	for _, a := range []uint64{0, 3, 5, 10} {
		x, ok := m.Inverse(a)
		require.Zero(t, x)
		require.False(t, ok, "%d", a)
	}
	f, err := montgomery.NewField64(13)
	require.NoError(t, err)
	_, ok := f.InversePower(0)
	require.False(t, ok)
	_, ok = montgomery.GoldilocksInverse(montgomery.Goldilocks)
	require.False(t, ok)
	_, ok = montgomery.BabyBearInverse(0)
	require.False(t, ok)
}

// TestJudge holds every kernel to the judge's own division, which the laws use.
func TestJudge(t *testing.T) {
	for _, k := range montgomery.All() {
		c := &k.Claim
		rng := rand.New(rand.NewPCG(9, 9))
		for _, q := range moduli(c, rng, 2) {
			judge, err := oracle.NewResidues(c, q)
			require.NoError(t, err)
			truth := newTruth(c, q)
			for range 4 {
				x, z := row(c, q, truth, rng), make([]uint64, len(c.Out))
				require.NoError(t, k.Run(q, z, x))
				want, claimed, why := judge.Row(x)
				if !claimed {
					require.Equal(t, modular.Inverse, c.Function, why)
					continue
				}
				for i := range z {
					require.True(t, judge.Congruent(i, z[i], want[i]), "%s, q = %d, row %d", k.Name, q, x)
					require.NoError(t, judge.InRange(i, z[i]))
				}
			}
		}
	}
}
