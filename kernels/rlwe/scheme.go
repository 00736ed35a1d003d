package rlwe

import (
	"crypto/rand"
	"fmt"
	"io"
	"math/bits"
	"slices"
)

// Scheme makes keys, encrypts and decrypts. It is immutable.
type Scheme struct {
	p        Parameters
	ring     *Ring
	gaussian *Gaussian
}

// SecretKey is s, its coefficients -1, 0 and 1.
type SecretKey struct{ S []int64 }

// PublicKey is a and b = e - a·s, coefficients in [0, q).
type PublicKey struct{ A, B []uint64 }

// Ciphertext is c0 and c1, coefficients in [0, q).
type Ciphertext struct{ C0, C1 []uint64 }

// NewScheme returns the scheme of parameters on a ring; a nil ring is that of kernels/ntt.
//
// Domain:  parameters that Check accepts, for which the ring has transforms: of N points, modulo Q, with an odd prime Q = 1 modulo 2N. It
// returns an error otherwise.
func NewScheme(p Parameters, ring *Ring) (*Scheme, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if ring == nil {
		var err error
		if ring, err = newPlanRing(p.N, p.Q); err != nil {
			return nil, fmt.Errorf("rlwe: %w", err)
		}
	}
	if ring.t.N != p.N || ring.t.Modulus != p.Q {
		return nil, fmt.Errorf("rlwe: the ring has N = %d and q = %d, the parameters N = %d and q = %d", ring.t.N, ring.t.Modulus, p.N, p.Q)
	}
	g, err := NewGaussian(p.sigma())
	if err != nil {
		return nil, err
	}
	return &Scheme{p: p, ring: ring, gaussian: g}, nil
}

// Parameters returns the parameters.
func (s *Scheme) Parameters() Parameters { return s.p }

// orDefault returns the source, or crypto/rand's if it is nil.
func orDefault(source io.Reader) io.Reader {
	if source == nil {
		return rand.Reader
	}
	return source
}

// GenerateKeys draws a key pair: a, s and e in this order. The same bytes give the same keys, on every ring.
//
// A nil source is crypto/rand's. It returns the source's error if that fails, or the transforms'.
func (s *Scheme) GenerateKeys(source io.Reader) (*SecretKey, *PublicKey, error) {
	source = orDefault(source)
	a, secret, e := make([]uint64, s.p.N), make([]int64, s.p.N), make([]int64, s.p.N)
	if err := sampleUniform(source, a, s.p.Q); err != nil {
		return nil, nil, err
	}
	if err := sampleTernary(source, secret); err != nil {
		return nil, nil, err
	}
	if err := s.gaussian.Sample(source, e); err != nil {
		return nil, nil, err
	}
	public, err := s.publicKey(a, secret, e)
	if err != nil {
		return nil, nil, err
	}
	return &SecretKey{S: secret}, public, nil
}

// publicKey returns a and b = e - a·s.
func (s *Scheme) publicKey(a []uint64, secret, e []int64) (*PublicKey, error) {
	r := s.ring
	x, y := slices.Clone(a), r.lift(secret)
	if err := r.product(x, y); err != nil {
		return nil, err
	}
	for i, v := range r.lift(e) {
		x[i] = r.m.Sub(v, x[i])
	}
	return &PublicKey{A: a, B: x}, nil
}

// product sets the coefficients x to those of x·y, and y to its values.
func (r *Ring) product(x, y []uint64) error {
	if err := r.values(x); err != nil {
		return err
	}
	if err := r.values(y); err != nil {
		return err
	}
	r.times(x, y)
	return r.coefficients(x)
}

// Encrypt encrypts the coefficients of a message: it draws u, e1 and e2 in this order, as GenerateKeys does.
//
// Domain:  N coefficients below T; a key of N coefficients below Q. It returns an error otherwise.
func (s *Scheme) Encrypt(source io.Reader, key *PublicKey, message []uint64) (*Ciphertext, error) {
	source = orDefault(source)
	u, e1, e2 := make([]int64, s.p.N), make([]int64, s.p.N), make([]int64, s.p.N)
	if err := sampleTernary(source, u); err != nil {
		return nil, err
	}
	for _, e := range [2][]int64{e1, e2} {
		if err := s.gaussian.Sample(source, e); err != nil {
			return nil, err
		}
	}
	return s.encrypt(key, message, u, e1, e2)
}

// encrypt encrypts with the given u, e1 and e2.
func (s *Scheme) encrypt(key *PublicKey, message []uint64, u, e1, e2 []int64) (*Ciphertext, error) {
	if err := s.fits("the key's A", key.A, s.p.Q); err != nil {
		return nil, err
	}
	if err := s.fits("the key's B", key.B, s.p.Q); err != nil {
		return nil, err
	}
	scaled, err := s.encode(message)
	if err != nil {
		return nil, err
	}
	r := s.ring
	c := &Ciphertext{C0: slices.Clone(key.B), C1: slices.Clone(key.A)}
	uValues := r.lift(u)
	if err := r.product(c.C0, uValues); err != nil {
		return nil, err
	}
	if err := r.values(c.C1); err != nil {
		return nil, err
	}
	r.times(c.C1, uValues)
	if err := r.coefficients(c.C1); err != nil {
		return nil, err
	}
	r.plus(c.C0, r.lift(e1))
	r.plus(c.C0, scaled)
	r.plus(c.C1, r.lift(e2))
	return c, nil
}

// fits returns an error unless x is a polynomial of coefficients below a bound.
func (s *Scheme) fits(what string, x []uint64, below uint64) error {
	if len(x) != s.p.N {
		return fmt.Errorf("rlwe: %s has %d coefficients; N is %d", what, len(x), s.p.N)
	}
	for i, v := range x {
		if v >= below {
			return fmt.Errorf("rlwe: coefficient %d of %s is %d; it must be below %d", i, what, v, below)
		}
	}
	return nil
}

// encode returns M = ⌊q·m/t⌉ of each coefficient m, rounded up from halves.
//
// Range:   at most 1/2 from q·m/t; below q, since q·(t-1)/t + 1/2 is, for t < q.
func (s *Scheme) encode(message []uint64) ([]uint64, error) {
	if err := s.fits("the message", message, s.p.T); err != nil {
		return nil, err
	}
	x := make([]uint64, len(message))
	for i, m := range message {
		hi, lo := bits.Mul64(s.p.Q, m)
		lo, carry := bits.Add64(lo, s.p.T/2, 0)
		x[i], _ = bits.Div64(hi+carry, lo, s.p.T)
	}
	return x, nil
}

// phase returns c0 + c1·s: the encoded message and the noise.
func (s *Scheme) phase(key *SecretKey, c *Ciphertext) ([]uint64, error) {
	if len(key.S) != s.p.N {
		return nil, fmt.Errorf("rlwe: the secret key has %d coefficients; N is %d", len(key.S), s.p.N)
	}
	for i, v := range key.S {
		if v < -1 || v > 1 {
			return nil, fmt.Errorf("rlwe: coefficient %d of the secret key is %d; it must be -1, 0 or 1", i, v)
		}
	}
	if err := s.fits("C0", c.C0, s.p.Q); err != nil {
		return nil, err
	}
	if err := s.fits("C1", c.C1, s.p.Q); err != nil {
		return nil, err
	}
	x := slices.Clone(c.C1)
	if err := s.ring.product(x, s.ring.lift(key.S)); err != nil {
		return nil, err
	}
	s.ring.plus(x, c.C0)
	return x, nil
}

// Decrypt returns the message: ⌊t·(c0+c1·s)/q⌉ modulo t, coefficient by coefficient.
//
// Domain:  N coefficients each, those of the key -1, 0 and 1, those of the ciphertext below Q; it returns an error otherwise.
// For a ciphertext that Encrypt made under this key's public key, that is the message that was encrypted: see Parameters.NoiseBound.
func (s *Scheme) Decrypt(key *SecretKey, c *Ciphertext) ([]uint64, error) {
	x, err := s.phase(key, c)
	if err != nil {
		return nil, err
	}
	for i, v := range x {
		// t·v < q·2^64, and no quotient lies halfway, since q is odd and t·v = q·(k+1/2) has no solution in integers.
		hi, lo := bits.Mul64(s.p.T, v)
		lo, carry := bits.Add64(lo, s.p.Q/2, 0)
		m, _ := bits.Div64(hi+carry, lo, s.p.Q)
		x[i] = m % s.p.T
	}
	return x, nil
}

// Noise returns the noise of a ciphertext of a message, exactly: c0 + c1·s - ⌊q·m/t⌉, each coefficient the representative in
// (-q/2, q/2). Its magnitude is at most NoiseBound for a ciphertext that Encrypt made.
//
// Domain:  as Decrypt and Encrypt.
func (s *Scheme) Noise(key *SecretKey, c *Ciphertext, message []uint64) ([]int64, error) {
	x, err := s.phase(key, c)
	if err != nil {
		return nil, err
	}
	scaled, err := s.encode(message)
	if err != nil {
		return nil, err
	}
	noise := make([]int64, len(x))
	for i, v := range x {
		v = s.ring.m.Sub(v, scaled[i])
		noise[i] = int64(v)
		if v > s.p.Q/2 {
			noise[i] = -int64(s.p.Q - v)
		}
	}
	return noise, nil
}
