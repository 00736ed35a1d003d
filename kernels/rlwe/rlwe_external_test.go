package rlwe_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/rlwe"
)

// TestRoundTrip encrypts and decrypts at both sizes, and finds the noise within its bound.
func TestRoundTrip(t *testing.T) {
	rounds := 4
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		rounds = 100
	}
	for _, n := range []int{1024, 8192} {
		for _, plaintext := range []uint64{2, 65537, 1 << 40} {
			p := rlwe.NewParameters(n, plaintext)
			s, err := rlwe.NewScheme(p, nil)
			require.NoError(t, err)
			most := int64(0)
			for round := range rounds {
				source := rand.NewChaCha8([32]byte{byte(round), byte(n >> 8)})
				secret, public, err := s.GenerateKeys(source)
				require.NoError(t, err)
				r := rand.New(source)
				message := make([]uint64, n)
				for i := range message {
					message[i] = r.Uint64N(plaintext)
				}
				c, err := s.Encrypt(source, public, message)
				require.NoError(t, err)
				got, err := s.Decrypt(secret, c)
				require.NoError(t, err)
				require.Equal(t, message, got)
				noise, err := s.Noise(secret, c, message)
				require.NoError(t, err)
				for _, v := range noise {
					most = max(most, v, -v)
				}
			}
			require.LessOrEqual(t, uint64(most), p.NoiseBound())
			require.NotZero(t, most)
			t.Logf("N = %d, t = %d: noise up to %d, bound %d", n, plaintext, most, p.NoiseBound())
		}
	}
}

// TestRandomSource draws from crypto/rand: two key pairs differ.
func TestRandomSource(t *testing.T) {
	s, err := rlwe.NewScheme(rlwe.NewParameters(1024, 2), nil)
	require.NoError(t, err)
	secret, public, err := s.GenerateKeys(nil)
	require.NoError(t, err)
	other, another, err := s.GenerateKeys(nil)
	require.NoError(t, err)
	require.NotEqual(t, secret, other)
	require.NotEqual(t, public, another)
	c, err := s.Encrypt(nil, public, make([]uint64, 1024))
	require.NoError(t, err)
	got, err := s.Decrypt(secret, c)
	require.NoError(t, err)
	require.Equal(t, make([]uint64, 1024), got)
	wrong, err := s.Decrypt(other, c)
	require.NoError(t, err)
	require.NotEqual(t, got, wrong, "another key's")
}

func benchmark(b *testing.B, f func(s *rlwe.Scheme, secret *rlwe.SecretKey, public *rlwe.PublicKey, c *rlwe.Ciphertext) error) {
	for _, n := range []int{1024, 8192} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			s, err := rlwe.NewScheme(rlwe.NewParameters(n, 65537), nil)
			require.NoError(b, err)
			secret, public, err := s.GenerateKeys(nil)
			require.NoError(b, err)
			c, err := s.Encrypt(nil, public, make([]uint64, n))
			require.NoError(b, err)
			for b.Loop() {
				if err := f(s, secret, public, c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkKeyGeneration(b *testing.B) {
	benchmark(b, func(s *rlwe.Scheme, _ *rlwe.SecretKey, _ *rlwe.PublicKey, _ *rlwe.Ciphertext) error {
		_, _, err := s.GenerateKeys(nil)
		return err
	})
}

func BenchmarkEncrypt(b *testing.B) {
	benchmark(b, func(s *rlwe.Scheme, _ *rlwe.SecretKey, public *rlwe.PublicKey, _ *rlwe.Ciphertext) error {
		_, err := s.Encrypt(nil, public, make([]uint64, s.Parameters().N))
		return err
	})
}

func BenchmarkDecrypt(b *testing.B) {
	benchmark(b, func(s *rlwe.Scheme, secret *rlwe.SecretKey, _ *rlwe.PublicKey, c *rlwe.Ciphertext) error {
		_, err := s.Decrypt(secret, c)
		return err
	})
}
