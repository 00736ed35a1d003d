package rlwe

import (
	"bytes"
	"errors"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/ntt"
	"gamma/model/modular"
)

func seeded(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

// schoolbook is a·b modulo x^N+1 and q, by division.
func schoolbook(a, b []uint64, q uint64) []uint64 {
	n := len(a)
	c := make([]uint64, n)
	for i, v := range a {
		for j, w := range b {
			hi, lo := bits.Mul64(v, w)
			p := bits.Rem64(hi, lo, q)
			if i+j >= n && p != 0 {
				p = q - p
			}
			s, carry := bits.Add64(c[(i+j)%n], p, 0)
			c[(i+j)%n] = bits.Rem64(carry, s, q)
		}
	}
	return c
}

// residue is v modulo q.
func residue(v int64, q uint64) uint64 {
	return new(big.Int).Mod(big.NewInt(v), new(big.Int).SetUint64(q)).Uint64()
}

func residuesOf(v []int64, q uint64) []uint64 {
	x := make([]uint64, len(v))
	for i := range v {
		x[i] = residue(v[i], q)
	}
	return x
}

func plus(q uint64, operands ...[]uint64) []uint64 {
	x := make([]uint64, len(operands[0]))
	for _, o := range operands {
		for i, v := range o {
			s, carry := bits.Add64(x[i], v, 0)
			x[i] = bits.Rem64(carry, s, q)
		}
	}
	return x
}

func negative(q uint64, a []uint64) []uint64 {
	x := make([]uint64, len(a))
	for i, v := range a {
		x[i] = (q - v) % q
	}
	return x
}

// TestEquations holds keys and ciphertexts to the equations of doc.go, by the schoolbook.
func TestEquations(t *testing.T) {
	for _, p := range []Parameters{
		NewParameters(1, 257), NewParameters(2, 3), NewParameters(32, 1<<20),
		{N: 64, Q: 998244353, T: 2, Sigma: big.NewRat(1, 2)},
		{N: 16, Q: 18446744069414584321, T: 65537, Sigma: big.NewRat(128, 1)},
	} {
		s, err := NewScheme(p, nil)
		require.NoError(t, err)
		secret, public, err := s.GenerateKeys(seeded(1))
		require.NoError(t, err)
		q := p.Q
		// The same bytes, drawn again.
		source := seeded(1)
		a, sk, e := make([]uint64, p.N), make([]int64, p.N), make([]int64, p.N)
		require.NoError(t, sampleUniform(source, a, q))
		require.NoError(t, sampleTernary(source, sk))
		require.NoError(t, s.gaussian.Sample(source, e))
		require.Equal(t, a, public.A)
		require.Equal(t, sk, secret.S)
		require.Equal(t, plus(q, residuesOf(e, q), negative(q, schoolbook(a, residuesOf(sk, q), q))), public.B)

		message := make([]uint64, p.N)
		r := rand.New(seeded(2))
		for i := range message {
			message[i] = r.Uint64N(p.T)
		}
		c, err := s.Encrypt(seeded(3), public, message)
		require.NoError(t, err)
		source = seeded(3)
		u, e1, e2 := make([]int64, p.N), make([]int64, p.N), make([]int64, p.N)
		require.NoError(t, sampleTernary(source, u))
		require.NoError(t, s.gaussian.Sample(source, e1))
		require.NoError(t, s.gaussian.Sample(source, e2))
		encoded := make([]uint64, p.N)
		for i, m := range message { // the integer nearest to q·m/t: ⌊(2·q·m + t)/(2t)⌋
			x := new(big.Int).Mul(new(big.Int).SetUint64(q), new(big.Int).SetUint64(2*m))
			x.Add(x, new(big.Int).SetUint64(p.T))
			encoded[i] = x.Quo(x, new(big.Int).SetUint64(2*p.T)).Uint64()
		}
		require.Equal(t, plus(q, schoolbook(public.B, residuesOf(u, q), q), residuesOf(e1, q), encoded), c.C0)
		require.Equal(t, plus(q, schoolbook(public.A, residuesOf(u, q), q), residuesOf(e2, q)), c.C1)

		noise, err := s.Noise(secret, c, message)
		require.NoError(t, err)
		want := plus(q, schoolbook(residuesOf(e, q), residuesOf(u, q), q), residuesOf(e1, q), schoolbook(residuesOf(e2, q), residuesOf(sk, q), q))
		require.Equal(t, want, residuesOf(noise, q))
		got, err := s.Decrypt(secret, c)
		require.NoError(t, err)
		require.Equal(t, message, got)
	}
}

// TestNoiseBound reaches the bound exactly, decrypts there with the greatest plaintext modulus that is accepted, and sees decryption
// fail with one that is not.
func TestNoiseBound(t *testing.T) {
	for _, n := range []int{1, 2, 16, 1024, 8192} {
		p := NewParameters(n, 2)
		require.Equal(t, uint64(19), p.ErrorBound())
		bound := p.NoiseBound()
		require.Equal(t, uint64((2*n+1)*19), bound)
		most := (p.Q - 1) / (2*bound + 1)
		p.T = most + 1
		require.ErrorContains(t, p.Check(), "t may be")
		for _, plaintext := range []uint64{2, 3, most - 1, most} {
			for _, sign := range []int64{1, -1} {
				p.T = plaintext
				s, err := NewScheme(p, nil)
				require.NoError(t, err)
				c, secret, message, noise := worst(t, s, sign)
				require.Equal(t, sign*int64(bound), noise[n-1], "the coefficient of x^(N-1)")
				for _, v := range noise {
					require.LessOrEqual(t, max(v, -v), int64(bound))
				}
				got, err := s.Decrypt(secret, c)
				require.NoError(t, err)
				require.Equal(t, message, got)
			}
		}
		p.T = 2
		s, err := NewScheme(p, nil)
		require.NoError(t, err)
		s.p.T = p.Q/(2*bound) + 1 // t·bound/q is above 1/2
		wrong := 0
		for _, sign := range []int64{1, -1} {
			c, secret, message, _ := worst(t, s, sign)
			got, err := s.Decrypt(secret, c)
			require.NoError(t, err)
			if got[n-1] != message[n-1] {
				wrong++
			}
		}
		require.NotZero(t, wrong)
	}
}

// worst encrypts with all that is drawn at the end of its range.
func worst(t *testing.T, s *Scheme, sign int64) (c *Ciphertext, secret *SecretKey, message []uint64, noise []int64) {
	n := s.p.N
	a := make([]uint64, n)
	r := rand.New(seeded(4))
	for i := range a {
		a[i] = r.Uint64N(s.p.Q)
	}
	message = make([]uint64, n)
	for i := range message {
		message[i] = r.Uint64N(s.p.T)
	}
	ones, errs := slices.Repeat([]int64{1}, n), slices.Repeat([]int64{sign * int64(s.p.ErrorBound())}, n)
	secret = &SecretKey{S: ones}
	key, err := s.publicKey(a, ones, errs)
	require.NoError(t, err)
	c, err = s.encrypt(key, message, ones, errs, errs)
	require.NoError(t, err)
	noise, err = s.Noise(secret, c, message)
	require.NoError(t, err)
	return c, secret, message, noise
}

// TestRings wants the same keys and ciphertexts from every kernel of negacyclic transforms, whatever its orders, domains and ranges.
func TestRings(t *testing.T) {
	count := 0
	for _, p := range []Parameters{NewParameters(64, 65537), {N: 128, Q: 998244353, T: 16}, {N: 32, Q: 18446744069414584321, T: 2}} {
		reference, err := NewScheme(p, nil)
		require.NoError(t, err)
		secret, public, err := reference.GenerateKeys(seeded(5))
		require.NoError(t, err)
		message := slices.Repeat([]uint64{1, 0}, p.N/2)
		c, err := reference.Encrypt(seeded(6), public, message)
		require.NoError(t, err)
		for _, k := range ntt.All() {
			if !k.Claim.Negacyclic || k.Claim.Moduli.Admits(p.Q, k.Claim.Bits) != nil {
				continue
			}
			tr, err := ntt.NewTransform(p.Q, p.N, true)
			require.NoError(t, err)
			transforms, err := k.Plan(tr)
			require.NoError(t, err)
			ring, err := NewRing(tr, k.Claim, transforms)
			require.NoError(t, err)
			s, err := NewScheme(p, ring)
			require.NoError(t, err)
			secret2, public2, err := s.GenerateKeys(seeded(5))
			require.NoError(t, err)
			require.Equal(t, secret, secret2, k.Name)
			require.Equal(t, public, public2, k.Name)
			c2, err := s.Encrypt(seeded(6), public, message)
			require.NoError(t, err)
			require.Equal(t, c, c2, k.Name)
			got, err := s.Decrypt(secret, c)
			require.NoError(t, err)
			require.Equal(t, message, got, k.Name)
			count++
		}
	}
	require.Greater(t, count, 20)
}

// TestGaussianTable holds the table to exp in high precision by another way: powers of exp(-1/(2σ²)) in floating point of 400 bits.
func TestGaussianTable(t *testing.T) {
	for _, sigma := range []*big.Rat{big.NewRat(16, 5), big.NewRat(1, 6), big.NewRat(1, 2), big.NewRat(128, 1), big.NewRat(319, 100)} {
		g, err := NewGaussian(sigma)
		require.NoError(t, err)
		float := func() *big.Float { return new(big.Float).SetPrec(400) }
		// exp(-x): halve x 64 times, four terms of the series, square 64 times.
		exp := func(k int64) *big.Float {
			x := new(big.Rat).Mul(sigma, sigma)
			x.Mul(x, big.NewRat(2, 1))
			x.Quo(big.NewRat(k*k, 1), x)
			y := float().SetRat(x)
			y.Neg(y).SetMantExp(y, -64)
			e := float().SetInt64(1)
			for i := int64(8); i > 0; i-- {
				e.Mul(e, y)
				e.Quo(e, float().SetInt64(i))
				e.Add(e, float().SetInt64(1))
			}
			for range 64 {
				e.Mul(e, e)
			}
			return e
		}
		total := exp(0)
		for k := int64(1); k <= g.Bound(); k++ {
			total.Add(total, float().Mul(exp(k), float().SetInt64(2)))
		}
		sum := new(big.Rat)
		for k := -g.Bound() - 1; k <= g.Bound()+1; k++ {
			got := g.Probability(k)
			sum.Add(sum, got)
			if k < -g.Bound() || k > g.Bound() {
				require.Zero(t, got.Sign())
				continue
			}
			want, _ := float().Quo(exp(k), total).Rat(nil)
			gap := new(big.Rat).Sub(got, want)
			require.Negative(t, gap.Abs(gap).Cmp(new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 62))), "σ = %s, k = %d", sigma, k)
		}
		require.Zero(t, sum.Cmp(big.NewRat(1, 1)))
		// Every threshold from both sides, with both signs.
		for k, below := range g.below {
			k := int64(k)
			require.Equal(t, k, g.of(below-1))
			require.Equal(t, k+1, g.of(below))
			require.Equal(t, -k, g.of(below-1|1<<63))
			require.Equal(t, -k-1, g.of(below|1<<63))
		}
		require.Equal(t, g.Bound(), g.of(1<<63-1))
		require.Equal(t, -g.Bound(), g.of(1<<64-1))
	}
	for _, sigma := range []*big.Rat{new(big.Rat), big.NewRat(-1, 2), big.NewRat(129, 1)} {
		_, err := NewGaussian(sigma)
		require.ErrorContains(t, err, "σ is")
		p := Parameters{N: 4, Q: Q, T: 2, Sigma: sigma}
		require.ErrorContains(t, p.Check(), "σ is")
	}
}

// TestSamplers draws from every byte and from words around the modulus.
func TestSamplers(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(255 - i)
	}
	count := map[int64]int{}
	// The 13 bytes from 243 on come first and are left out, so that 1215 digits come of all 256.
	x := make([]int64, 5*243)
	require.NoError(t, sampleTernary(bytes.NewReader(all), x))
	for _, v := range x {
		count[v]++
	}
	require.Equal(t, map[int64]int{-1: 405, 0: 405, 1: 405}, count)
	require.Equal(t, []int64{1, 1, 1, 1, 1, 0, 1, 1, 1, 1}, x[:10], "bytes 242 and 241") // 22222 and 22221 to the base 3

	// Words of three bits for q = 5: 7, 6 and 5 are left out.
	var words []byte
	for i := range byte(8) {
		words = append(words, 0xff, 0, 0, 0, 0, 0, 0, (7-i)<<5|3)
	}
	y := make([]uint64, 5)
	require.NoError(t, sampleUniform(bytes.NewReader(words), y, 5))
	require.Equal(t, []uint64{4, 3, 2, 1, 0}, y)

	broken := errors.New("broken")
	s, err := NewScheme(NewParameters(8, 2), nil)
	require.NoError(t, err)
	for _, source := range []failing{{0, broken}, {64, broken}, {70, broken}} {
		_, _, err = s.GenerateKeys(&source)
		require.ErrorIs(t, err, broken)
		_, err = s.Encrypt(&source, &PublicKey{}, nil)
		require.ErrorIs(t, err, broken)
	}
}

// failing gives zeros, and fails after them.
type failing struct {
	left int
	err  error
}

func (f *failing) Read(b []byte) (int, error) {
	if len(b) > f.left {
		return 0, f.err
	}
	f.left -= len(b)
	clear(b)
	return len(b), nil
}

// TestRefuses wants an error that names what is wrong.
func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		p    Parameters
		want string
	}{
		{Parameters{N: 12, Q: Q, T: 2}, "N is 12"},
		{Parameters{N: 0, Q: Q, T: 2}, "N is 0"},
		{Parameters{N: 1 << 27, Q: Q, T: 2}, "above 2^26"},
		{Parameters{N: 8, Q: Q, T: 1}, "plaintext modulus is 1"},
		{Parameters{N: 8, Q: 0, T: 2}, "t may be 0 at most"},
		{Parameters{N: 1024, Q: 12289, T: 2}, "noise of up to 38931 may change a message; t may be 0 at most"},
		{Parameters{N: 1 << 15, Q: Q, T: 2}, "negacyclic transforms have 16384 points at most"},
		{Parameters{N: 8, Q: Q + 2, T: 2}, "composite"},
		{Parameters{N: 8, Q: Q + 1, T: 2}, "even"},
	} {
		_, err := NewScheme(c.p, nil)
		require.ErrorContains(t, err, c.want)
	}
	s, err := NewScheme(NewParameters(4, 10), nil)
	require.NoError(t, err)
	secret, public, err := s.GenerateKeys(seeded(1))
	require.NoError(t, err)
	good := make([]uint64, 4)
	c, err := s.Encrypt(seeded(1), public, good)
	require.NoError(t, err)
	_, err = s.Encrypt(seeded(1), public, []uint64{0, 0, 10, 0})
	require.ErrorContains(t, err, "coefficient 2 of the message is 10; it must be below 10")
	_, err = s.Encrypt(seeded(1), public, good[:3])
	require.ErrorContains(t, err, "the message has 3 coefficients")
	_, err = s.Encrypt(seeded(1), &PublicKey{A: good, B: good[:2]}, good)
	require.ErrorContains(t, err, "the key's B has 2")
	_, err = s.Encrypt(seeded(1), &PublicKey{A: []uint64{Q, 0, 0, 0}, B: good}, good)
	require.ErrorContains(t, err, "coefficient 0 of the key's A")
	_, err = s.Decrypt(&SecretKey{S: []int64{0, 2, 0, 0}}, c)
	require.ErrorContains(t, err, "coefficient 1 of the secret key is 2")
	_, err = s.Decrypt(&SecretKey{}, c)
	require.ErrorContains(t, err, "the secret key has 0 coefficients")
	_, err = s.Decrypt(secret, &Ciphertext{C0: good, C1: good[:1]})
	require.ErrorContains(t, err, "C1 has 1")
	_, err = s.Decrypt(secret, &Ciphertext{C0: []uint64{0, 0, 0, Q}, C1: good})
	require.ErrorContains(t, err, "coefficient 3 of C0")
	_, err = s.Noise(secret, c, good[:1])
	require.ErrorContains(t, err, "the message has 1")

	tr, err := ntt.NewTransform(Q, 8, true)
	require.NoError(t, err)
	for _, k := range ntt.All() {
		if strings.HasSuffix(k.Name, ".cyclic") || k.Claim.Moduli.Admits(Q, k.Claim.Bits) != nil {
			_, err := NewRing(tr, k.Claim, modular.Transforms{})
			require.Error(t, err)
			continue
		}
		_, err := NewRing(tr, k.Claim, modular.Transforms{})
		require.ErrorContains(t, err, "both the forward and the inverse transform are needed")
		transforms, err := k.Plan(tr)
		require.NoError(t, err)
		ring, err := NewRing(tr, k.Claim, transforms)
		require.NoError(t, err)
		_, err = NewScheme(NewParameters(4, 10), ring)
		require.ErrorContains(t, err, "the ring has N = 8")
		// Transforms that leave the range they claim, or fail, are found out.
		for _, inverse := range []bool{false, true} {
			wide, fails := transforms, transforms
			out := func(f func(dst, src []uint64) error, side modular.Side) func(dst, src []uint64) error {
				return func(dst, src []uint64) error {
					err := f(dst, src)
					dst[5] = side.Range * Q
					return err
				}
			}
			if inverse {
				wide.Inverse = out(wide.Inverse, k.Claim.Inverse.Out)
				fails.Inverse = func(dst, src []uint64) error { return errors.New("lost") }
			} else {
				wide.Forward = out(wide.Forward, k.Claim.Forward.Out)
				fails.Forward = func(dst, src []uint64) error { return errors.New("lost") }
			}
			for want, transforms := range map[string]modular.Transforms{"which is not in [0,": wide, "transform: lost": fails} {
				ring, err := NewRing(tr, k.Claim, transforms)
				require.NoError(t, err)
				s, err := NewScheme(NewParameters(8, 10), ring)
				require.NoError(t, err)
				_, _, err = s.GenerateKeys(seeded(1))
				require.ErrorContains(t, err, want, k.Name)
			}
		}
	}
}
